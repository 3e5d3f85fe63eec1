"""The laws of arguments that are extreme, missing or narrow: a transform changes no value, and NaN
reaches nobody else.
"""

import functools
import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import MissingKernel, MissingRule, TracedValueError, jvp, vjp, vmap

from .arrays import assert_close, beside, to_host
from .cases import SCALES, arguments_alone, batch_of, over_varying, shown_of_whole, stacked
from .gradcheck import directions
from .opspec import OpSpec

_SIZES = (1e-300, 1e-150, 1e150)
_ROUNDINGS = 16  # roundings of the arguments that stand for those on the way
_FEW = 20  # integers below the largest one
_REFUSALS = (MissingRule, TracedValueError)
_VALUES: dict[str, Callable[..., Any]] = {
    "vjp": lambda f, x: vjp(f, *x)[0],
    "jvp": lambda f, x: jvp(f, x, x)[0],
    "vmap": lambda f, x: tuple(y[0] for y in vmap(f)(*(np.stack([beside(v, *x)]) for v in x))),
}


def extreme(spec: OpSpec, backend: str) -> None:
    """Check that the value under a transform is the one outside of it, for arguments whose squares
    and products under- or overflow.
    """

    def check(f: Any, x: Any) -> None:
        for size in _SIZES:
            scaled = tuple(size * v for v in x)
            plain = value_or_error(f, *scaled)
            for name, value in _VALUES.items():
                found = value_or_error(value, f, scaled)
                # a derivative may not exist where a value does
                if name == "jvp" and isinstance(found, ValueError):
                    continue
                rtol, what = max(1e-10, spec.tolerance), f"value under {name} at {size:.0e}"
                _assert_same_digits(
                    found, plain, rtol, what, lambda *v, size=size: f(*(size * u for u in v)), x
                )

    over_varying(spec, backend, check)


def value_or_error(f: Callable[..., Any], *args: Any) -> Any:
    """Return the value of a function, or the exception that it raises; some of SciPy's are of no
    other type than Exception.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f(*args)
        except MissingKernel:  # a missing kernel ends the law for this case
            raise
        except Exception as error:
            return error


def _assert_same(found: Any, plain: Any, rtol: float, what: str, floor: float = 0.0) -> None:
    """Check that an exception was found for an exception (or for NaN), a number for a number, and
    none that is finite for one that is not.
    """
    if isinstance(found, Exception):
        if not isinstance(found, _REFUSALS) and not isinstance(plain, Exception):
            raise AssertionError(f"{what}: raises {found!r}") from found
    elif isinstance(plain, Exception):
        assert not all(np.all(np.isfinite(y)) for y in to_host(found)), (
            f"{what}: {found}, where the plain call raises {plain!r}"
        )
    elif len(found) == len(plain):  # not so where the plain value is of integers
        assert_close(
            *(
                tuple(np.where(np.isfinite(y), y, np.inf) for y in to_host(v))
                for v in (found, plain)
            ),
            rtol,
            what,
            floor,
        )


def missing(spec: OpSpec, backend: str) -> None:
    """Check that NaN in one element of a batch stays there, and changes neither the values nor the
    derivatives of the others.
    """
    alone = arguments_alone(spec)

    def check(f: Any, x: Any) -> None:
        batch, rows = batch_of(x, (True,) * len(x))
        clean, rtol = stacked([f(*row) for row in rows]), max(1e-10, spec.tolerance)
        g = directions("cotangent", clean)
        pulled = stacked([vjp(f, *row)[1](tuple(c[i] for c in g)) for i, row in enumerate(rows)])
        for k in (k for k in alone(x) if np.size(x[k])):
            bad = [*batch[:k], batch[k].copy(), *batch[k + 1 :]]
            bad[k].reshape(len(SCALES), -1)[1, np.size(x[k]) // 2] = np.nan
            plain = value_or_error(f, *(b[1] for b in bad))
            found = value_or_error(vjp, vmap(f), *bad)
            if isinstance(found, Exception):
                _assert_same(
                    found,
                    found if "infs or NaNs" in str(found) else plain,
                    rtol,
                    f"NaN in argument {k}",
                )
                continue
            _assert_same(
                _others(found[0]),
                _others(clean),
                rtol,
                f"NaN in argument {k}: values of the others",
            )
            host = (
                plain
                if backend == "numpy"
                else value_or_error(f, *to_host(tuple(b[1] for b in bad)))
            )
            assert not _is_lost(found[0], plain, host), (
                f"NaN in argument {k} is lost: {found[0]}, plain {plain}"
            )
            back = value_or_error(lambda pull, g=g: _others(pull(g)), found[1])
            _assert_same(
                back, _others(pulled), rtol, f"NaN in argument {k}: derivatives of the others"
            )

    over_varying(spec, backend, check)


def absent(spec: OpSpec, backend: str) -> None:
    """Check that all derivatives of an element of a batch that is left out of the result are 0,
    whatever its values are.
    """
    alone = arguments_alone(spec)

    def check(f: Any, x: Any) -> None:
        def left(*batch: Any) -> Any:
            return tuple(y[:1] for y in vmap(f)(*batch))

        batch, rows = batch_of(x, (True,) * len(x))
        g = directions("cotangent", stacked([f(*rows[0])]))
        pulled = stacked([vjp(f, *rows[0])[1](tuple(c[0] for c in g))])
        for k in (k for k in alone(x) if np.size(x[k])):
            bad = [*batch[:k], batch[k].copy(), *batch[k + 1 :]]
            bad[k].reshape(len(SCALES), -1)[1, np.size(x[k]) // 2] = np.nan
            found = value_or_error(vjp, left, *bad)
            if not isinstance(found, Exception):  # the law `missing` says which may be raised
                back = value_or_error(found[1], g)
                what = f"NaN in an element of argument {k} that is left out"
                _assert_same(
                    back,
                    tuple(np.concatenate([c, 0 * c]) for c in pulled),
                    max(1e-10, spec.tolerance),
                    what,
                )
            check_constant_element(f, x, k, bad[k], max(1e-10, spec.tolerance))

    over_varying(spec, backend, check)


def check_constant_element(
    f: Callable[..., Any], x: tuple[Any, ...], k: int, bad: Any, rtol: float
) -> None:
    """Check forward mode where one element of a batch of argument k, which meets each element of a
    batch of the others, is constant.

    It changes no tangent of the other element.
    """
    axes = [
        tuple(0 if (i == k) == inner else None for i in range(len(x))) for inner in (True, False)
    ]
    each = vmap(f, axes[0]) if len(x) == 1 else vmap(vmap(f, axes[0]), axes[1])
    others = [np.stack([beside(v, *x)] * 2) if i != k else v for i, v in enumerate(x)]

    def f_of(z: Any) -> Any:
        return each(*others[:k], np.concatenate([z[None], bad[1:]]), *others[k + 1 :])

    (t,) = directions("tangent", (x[k],))
    forward = functools.partial(jvp, allow_constant=True)
    found = value_or_error(forward, f_of, (beside(x[k], *x),), (t,))
    if isinstance(found, Exception):  # the law `missing` says which may be raised
        return
    slopes = forward(lambda z: f(*x[:k], z, *x[k + 1 :]), (x[k],), (t,))[1]
    varying = tuple(s[0] if len(x) == 1 else s[1, 0] for s in found[1])
    _assert_same(
        varying,
        slopes,
        rtol,
        f"jvp where an element of argument {k} is a constant that holds NaN",
        floor=1e-14,
    )


def _is_lost(found: Any, plain: Any, host: Any) -> bool:
    """Find numbers where the plain call has NaN, here and on the host (CuPy's recursion of
    `lfilter` takes NaN into samples on which it has no influence), or nothing but numbers where it
    raises.
    """
    finite = [np.isfinite(y[1]) for y in to_host(found)]
    if isinstance(plain, Exception):
        return all(map(np.all, finite))
    host = plain if isinstance(host, Exception) else host
    # integers that became numbers are not in the plain value
    triples = zip(finite, to_host(plain), to_host(host), strict=False)
    return any(
        np.any(f & np.isnan(y) & np.isnan(z if np.shape(z) == np.shape(y) else y))
        for f, y, z in triples
    )


def _others(batch: Any) -> tuple[Any, ...]:
    return tuple(y[::2] for y in batch)


def narrow(spec: OpSpec, backend: str) -> None:
    """Check that small integers, truth values and half precision mean under a transform what they
    mean outside; beside an argument that varies, its derivative is the one that they give as
    float64. Integers whose products and sums wrap stand beside one too.
    """
    turn = itertools.cycle(map(np.dtype, ("int8", "uint8", "bool", "float16")))
    turn_of_large = itertools.cycle(map(np.dtype, ("uint8", "int8", "uint64")))
    shown, alone = shown_of_whole(spec), arguments_alone(spec)

    def check(f: Any, x: Any) -> None:
        is_shown = next(shown)
        positions = alone(x) if is_shown else ()
        for k, v in enumerate(x) if len(x) > 1 else ():
            dtype, large_dtype = next(turn), next(turn_of_large)
            if k in positions:
                check_constant(f, x, k, _narrowed(v, dtype), spec.tolerance)
                large, of_k = list(x), functools.partial(_beside_variables, f, k)
                large[k] = _wrapping_integers(v, large_dtype)
                _check_wrapping(f, of_k, large, spec.tolerance)
        dtype, large_dtype = next(turn), next(turn_of_large)
        if is_shown:
            check_all(f, x, dtype, large_dtype)

    def check_all(f: Any, x: Any, dtype: Any, large_dtype: Any) -> None:
        large = [_wrapping_integers(v, large_dtype) for v in x]
        _check_wrapping(f, lambda *v: _VALUES["vmap"](f, v), large, spec.tolerance)
        constants = [_narrowed(v, dtype) for v in x]
        plain, wide = value_or_error(f, *constants), tuple(c.astype(float) for c in constants)
        if _agree(plain, value_or_error(f, *wide), spec.tolerance):
            rtol, batched = (
                _precision(plain, spec.tolerance),
                value_or_error(_VALUES["vmap"], f, constants),
            )
            _assert_same_digits(batched, plain, rtol, "vmap of narrow dtypes", f, wide)

    # the dtypes take turns over all samples, whichever are shown
    over_varying(spec.whole or spec, backend, check)


def _assert_same_digits(
    found: Any, plain: Any, rtol: float, what: str, f: Callable[..., Any], x: tuple[Any, ...]
) -> None:
    """Check as `_assert_same` the digits that the arguments determine: a batch may be computed by
    another algorithm.
    """
    try:
        _assert_same(found, plain, rtol, what)
    except AssertionError:
        if isinstance(found, Exception) or isinstance(plain, Exception):
            raise
        if (noise := _noise(f, x, plain)) < np.inf:
            _assert_same(found, plain, rtol, what, floor=noise)


def _noise(f: Callable[..., Any], x: tuple[Any, ...], plain: Any) -> float:
    """Return the largest change of f(*x) if the arguments change by a few roundings in the
    precision of the plain value: infinity where it changes its shape or what is finite, or by a
    hundredth, as the sine of eigenvalues of 1e150 does.
    """
    step = _ROUNDINGS * max(float(np.finfo(np.result_type(y, np.float16)).eps) for y in plain)
    t, changes, center = directions("tangent", x), [0.0], to_host(f(*x))
    sizes = [float(np.max(np.abs(v), initial=1.0)) for v in to_host(tuple(x))]
    steps = [step * d * size for d, size in zip(t, sizes, strict=True)]
    for sign in (1, -1):
        near = value_or_error(f, *(v + sign * step for v, step in zip(x, steps, strict=True)))
        if isinstance(near, Exception) or len(near) != len(center):
            return np.inf
        for y, z in zip(center, to_host(near), strict=True):
            finite = np.isfinite(y)
            if np.shape(y) != np.shape(z) or not np.array_equal(finite, np.isfinite(z)):
                return np.inf
            scale, change = (np.max(np.abs(v[finite]), initial=0.0) for v in (y, z - y))
            changes.append(np.inf if scale and change > scale / 100 else change)
    return max(changes)


def check_constant(
    f: Callable[..., Any], x: tuple[Any, ...], k: int, constant: Any, tolerance: float
) -> None:
    """Check the value and the derivative in the other arguments where argument k is a constant of a
    narrow dtype.
    """
    rest, what = (*x[:k], *x[k + 1 :]), f"argument {k} as a constant of {constant.dtype}"

    def beside(c: Any) -> Callable[..., Any]:
        return lambda *others: f(*others[:k], c, *others[k:])

    plain, found = (
        value_or_error(beside(constant), *rest),
        value_or_error(vjp, beside(constant), *rest),
    )
    wide = value_or_error(vjp, beside(constant.astype(float)), *rest)
    if isinstance(plain, Exception):
        return
    exact = _agree(plain, value_or_error(lambda: wide[0]), tolerance)
    # Otherwise the library itself computes in the narrow dtype, which is as coarse as that, or
    # wraps.
    rtol = _precision(plain if exact or constant.dtype != np.float16 else (constant,), tolerance)
    _assert_same(found if isinstance(found, Exception) else found[0], plain, rtol, f"{what}: value")
    if exact and not isinstance(found, Exception):
        g = directions("cotangent", plain)
        if not isinstance(expected := value_or_error(wide[1], g), Exception):
            # derivatives are worse conditioned
            _assert_same(value_or_error(found[1], g), expected, 4 * rtol, f"{what}: derivative")


def _beside_variables(f: Callable[..., Any], k: int, *x: Any) -> Any:
    """Return the value of f where all arguments but the k-th vary."""
    return vjp(lambda *some: f(*some[:k], x[k], *some[k:]), *x[:k], *x[k + 1 :])[0]


def _check_wrapping(
    f: Callable[..., Any], under: Callable[..., Any], x: list[Any], tolerance: float
) -> None:
    """Check that a function has the same value under a transform for integers that wrap, where it
    has for the same numbers in double precision.
    """
    wide = tuple(np.positive(v).astype(np.result_type(v, float)) for v in x)
    values = [value_or_error(call, *v) for v in (x, wide) for call in (f, under)]
    plain, found, *exact = values
    if not isinstance(plain, Exception) and _agree(*exact, tolerance):
        rtol = _precision(plain, tolerance)
        what = f"large integers among {[str(getattr(v, 'dtype', float)) for v in x]}"
        _assert_same_digits(found, plain, rtol, what, f, wide)


def _agree(plain: Any, wide: Any, tolerance: float) -> bool:
    """Return True if the value of narrow arguments is that of the same numbers in double precision,
    and no exception.
    """
    return not isinstance(
        value_or_error(lambda: assert_close(plain, wide, _precision(plain, tolerance))), Exception
    )


def _narrowed(x: Any, dtype: Any) -> Any:
    """Return the real part of an array, rounded to a narrow dtype."""
    x = np.positive(np.real(x))  # NumPy's number for Python's
    return {"u": np.round(np.abs(x)), "i": np.round(x), "b": np.greater(x, 0), "f": x}[
        dtype.kind
    ].astype(dtype)


def _wrapping_integers(x: Any, dtype: Any) -> Any:
    """Return the largest integers of a dtype, in the order of the elements of x; of uint64 small
    ones, which have no negatives.
    """
    host = np.asarray(np.real(to_host(x)))
    order = np.argsort(np.argsort(host.ravel())).reshape(host.shape) % _FEW
    least = 3 if dtype == np.uint64 else np.iinfo(dtype).max - _FEW
    return beside(np.add(order, least).astype(dtype), x)


def _precision(values: Any, tolerance: float) -> float:
    """Return a relative error, no smaller than that of the coarsest dtype among values."""
    return max([1e-9, tolerance, *(8.0 * np.finfo(np.result_type(y)).eps for y in values)])
