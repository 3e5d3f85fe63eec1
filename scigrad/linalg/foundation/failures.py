"""Failures of factorizations: the option `on_fail`, for each element of a batch, and the texts of
errors.

"raise" : LinAlgError that names the matrix, its place in the batch and the likely cause; on a GPU
          under a transform when the outermost one ends, or sooner if the host waits for the device
"nan"   : NaN in the results of the matrices that failed, and in no others
"info"  : the same, and the function returns one more array of integers, the batch's shape: 0
          where all went well, the order of the pivot or minor that failed (LAPACK's info), or -1
          for a matrix with NaN or infinities in it

"nan" and "info" never synchronize a GPU. There the order of the pivot is not known and info is 1.

And losses that depend on what a matrix leaves open, the phase of a vector, the basis of equal
eigenvalues, of a null space: the option `gauge`.

"check"   : such a loss raises GaugeError (this reads values back from a GPU, as "raise" does)
"project" : the part of a cotangent that belongs to the choice is dropped; nothing is read back
            from a GPU, where equal values are not seen then, and a gradient lacks what depends on
            them
"trust"   : the cotangent is assumed to have no such part

A loss depends on the choice if a component of its cotangent along it exceeds 100 sqrt(eps) times
its norm (ADR 6).
"""

import contextlib
from collections.abc import Callable, Generator
from threading import get_ident
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, Traced, concrete, constant, namespace_of, raw

# synchronizes the device, only for on_fail="raise"
from scigrad.autodiff_rules.backends import is_on_device, library
from scigrad.autodiff_rules.boxes import Batched
from scigrad.autodiff_rules.messages import callers
from scigrad.autodiff_rules.messages.errors import missing_kernel
from scigrad.numpy.devices import leave_check
from scigrad.numpy.devices import on_host as to_host
from scigrad.typing import Array

ON_FAIL = ("raise", "nan", "info")
# Thread -> what takes the codes of failures on a device while a program runs, which looks at all
# of them when it ends.
postponed: dict[int, Callable[[Any], None]] = {}
LinAlgError = np.linalg.LinAlgError
# Thread -> the context that gives errors another text.
_explaining: dict[int, Callable[[], Any]] = {}


def append_info(out: Array, info: Any, on_fail: str) -> Any:
    """Return what a function computed, and behind it `info`, or what `info()` returns, if `on_fail`
    asks for it.
    """
    if on_fail != "info":
        return out
    info = info() if callable(info) else info
    return (*out, info) if isinstance(out, tuple) else (out, info)


def check_policy(function: str, on_fail: str) -> None:
    if on_fail not in ON_FAIL:
        raise ValueError(f"{function}: on_fail must be one of {ON_FAIL}, not {on_fail!r}.")


def policy(a: Any, on_fail: str) -> str:
    """Return on_fail, on a device "nan" for "raise": NaN in arguments is not refused there, and
    what libraries make of it is undefined.
    """
    return "nan" if on_fail == "raise" and library(a) != "numpy" else on_fail


_AWAY = "Keep away from such matrices, for instance by adding a small multiple of the identity"
_CAUSES = {
    "singular": (
        "is singular{where}: {detail}",
        "Rows or columns depend on each other: a constant or duplicated column, an unconstrained "
        "degree of freedom, or entries that under- or overflowed. Remove the dependence, add a "
        "small multiple of the identity, or use lstsq for the solution of smallest norm",
    ),
    "singular circulant": (
        "is singular{where}: {detail}",
        "This happens if the filter is zero at some frequency, for instance if its taps sum to 0. "
        "Pass singular='lstsq' for the solution of smallest norm, or add a small number to c[0]",
    ),
    "not positive definite": (
        "is not positive definite{where}: {detail}",
        "It is indefinite, singular to working precision, or its other triangle was meant "
        "(lower=...). Check that it is symmetric (Hermitian) with positive eigenvalues, add a "
        "small multiple of the identity, or use eigh, or solve with assume_a='sym'",
    ),
    "common eigenvalue": (
        "gives an equation without a unique solution{where}: {detail}",
        "Common causes are a symmetric spectrum (a Hamiltonian or skew matrix, an undamped mode) "
        "and an eigenvalue 0 in both matrices. Shift one of them by a small multiple of the "
        "identity, or remove the mode",
    ),
    "product 1": (
        "gives an equation without a unique solution{where}: {detail}",
        "Common causes are an eigenvalue on the unit circle (an undamped or integrating mode) and "
        "a pair of reciprocal ones. Multiply a by a number slightly less than 1, or remove the "
        "mode",
    ),
    "no stable solution": (
        "gives a Riccati equation without a stabilizing solution{where}: {detail}",
        "Common causes are an unstable mode that the input does not reach, an undamped one that "
        "the cost does not see, and a matrix r that is not positive definite. Check that (a, b) is "
        "stabilizable and (a, q) detectable, and rescale the states",
    ),
    "singular minor": (
        "stops Levinson's recursion: Singular principal minor{where}, {detail}",
        (
            "The recursion has no pivoting, and the matrix itself may be regular: "
            "solve(toeplitz(c, r), b) tells"
        ),
    ),
    "no derivative": ("has no derivative{where}: {detail}", _AWAY),
    "no value": (
        "is one where the function is not smooth and has no value here{where}: {detail}",
        _AWAY,
    ),
    "no convergence": (
        "gave an iteration that did not converge{where}: {detail}",
        (
            "That is rare; the usual cause is NaN, or entries of wildly different size. Check and "
            "rescale the matrix"
        ),
    ),
}


def first_place(where: Any) -> tuple[int, ...]:
    """Return the index of the first element that is not 0."""
    return tuple(int(i) for i in np.argwhere(where)[0]) if np.ndim(where) else ()


def name_place(index: tuple[int, ...]) -> str:
    """Return the words that name a place in a batch."""
    return f" at batch index {index}" if index else ""


def cause(kind: str, code: int) -> tuple[str, str]:
    """Return the cause why a factorization of a kind (a key of lapack.KINDS) failed, and its
    detail, from LAPACK's info.
    """
    if kind.startswith("positive definite"):
        detail = f"its leading minor of order {code} is not positive"
        return "not positive definite", detail if code else "its condition number overflows"
    what = "diagonal element" if kind in ("triangular", "diagonal") else "pivot"
    return (
        "singular",
        f"{what} {code} is exactly 0" if code else "its reciprocal condition number is 0",
    )


def failure(
    function: str,
    name: str,
    shape: tuple[int, ...],
    index: tuple[int, ...],
    cause: str,
    detail: str,
) -> LinAlgError:
    """Return the LinAlgError for one matrix of a batch."""
    sentence, advice = _CAUSES[cause]
    detail = detail.rstrip(".")  # SciPy's own have one
    return LinAlgError(
        f"{function}: argument '{name}' of shape {shape} "
        f"{sentence.format(where=name_place(index), detail=detail)}. {advice}; on_fail='nan' or "
        "'info' marks the matrices that fail and goes on with the others."
    )


@concrete
def raise_first(
    function: str,
    name: str,
    shape: tuple[int, ...],
    info: Any,
    kind: str,
    detail: str | None = None,
) -> None:
    """Raise for the first element of `info` that is not 0: of a cause with a detail, or as the kind
    of factorization says.
    """
    postpone = postponed.get(get_ident())
    if postpone is not None and library(info) != "numpy":
        postpone(info)
        return

    explains = _explaining.get(get_ident(), contextlib.nullcontext)

    def fail(codes: Any, function: str) -> None:
        index = first_place(codes)
        why = (kind, detail.format(code=codes[index])) if detail else cause(kind, int(codes[index]))
        raise failure(function, name, shape, index, *why) from None

    def fail_later(codes: Any) -> None:
        with explains():
            fail(codes, own)

    own = callers.own_name(function) if is_on_device(info) else function
    if leave_check(info, fail_later):
        return
    if (codes := np.asarray(to_host(info))).any():
        fail(codes, function)


@contextlib.contextmanager
def explain_errors(text: str) -> Generator[None, None, None]:
    """Put a text before those of errors of factorizations inside of this context."""
    _explaining[get_ident()] = lambda: explain_errors(text)
    try:
        yield
    except LinAlgError as error:
        raise LinAlgError(f"{text} ({error})") from error
    finally:
        _explaining.pop(get_ident(), None)


def marked_nan(x: Any, info: Any, core: int) -> Any:
    """Return x with NaN where `info` is not 0; `core` counts the axes of x behind the batch."""
    failed = info != 0
    return np.where(
        failed.reshape((*failed.shape, *(1,) * core)) if core else failed, np.nan, x
    ).astype(x.dtype)


def not_finite(a: Any) -> Any:
    """Return a mask (...) of the matrices of a batch that hold NaN or infinities."""
    return ~np.isfinite(a).all(axis=(-2, -1))


def first_zeros(zero: Any) -> Any:
    """Return the number of the first element that a mask names along the last axis, 0 where it
    names none.
    """
    return (
        np.where(zero.any(axis=-1), np.argmax(zero, axis=-1) + 1, 0)
        if zero.shape[-1]
        else zero.sum(axis=-1)
    )


@constant(core={"a": 2, "zero": 1})
def pivot_info(a, zero):
    """Return the info of a factorization of each matrix: -1 for NaN or infinities, otherwise the
    number of the first pivot that is 0, given by the mask `zero`, otherwise 0.
    """
    return np.where(not_finite(a), -1, first_zeros(zero))[()]


def patched(a: Any, failed: Any) -> Any:
    """Return a batch whose failed matrices are replaced by the identity, so that the others can be
    worked on together.
    """
    eye = namespace_of(a).eye(*a.shape[-2:], dtype=a.dtype)
    return np.where(failed[..., None, None], eye, a)


def decompose_each(function: str, a: Any, kernel: Callable[[Any], Any],
    iteration: Callable[[Any], Any],
    on_fail: str,
               cores: tuple[int, ...], kind: str | None = None, name: str = "a") -> tuple[Any,
               ...]:  # fmt: skip
    """Return the arrays of kernel(a), which have `cores` axes behind the batch (None stays None),
    and info.

    Where the kernel raises, `iteration` tells for each matrix whether it was the cause: it raises
    too, or returns LAPACK's info.
    """
    info, marks = np.zeros(a.shape[:-2], np.intp, like=a), on_fail != "raise"
    # LAPACK may not terminate if there are infinities
    if marks or (type(a) is np.ndarray and not np.isfinite(a).all()):
        bad, marks = not_finite(a), True
        a, info = patched(a, bad), bad * -1
    try:
        found = kernel(a)
    except LinAlgError as error:
        codes = [_code(iteration, a[index]) for index in np.ndindex(a.shape[:-2])]
        codes = np.array(codes, np.intp, like=a).reshape(a.shape[:-2])
        if on_fail == "raise":
            why = (kind,) if kind else ("no convergence", str(error))
            raise_first(function, name, a.shape, codes, *why)
            raise
        info, marks = np.where(codes != 0, codes, info), True
        found = kernel(patched(a, codes != 0))
    if marks:
        found = [
            None if x is None else marked_nan(x, info, core)
            for x, core in zip(found, cores, strict=True)
        ]
    return *found, info[()]


# The same function, for matrices that may be traced.
frame: Any = constant(decompose_each, core={"a": 2})


def _code(iteration: Callable[[Any], Any], a: Any) -> int:
    try:
        found = iteration(a)
    except LinAlgError:
        return 1
    return found if isinstance(found, int) else 0


# -- functions of single matrices on the host, applied to each matrix of a batch


def each(name: str, one: Callable[..., tuple[Any, ...]], *arrays: Any, on_fail: str = "raise",
         argument: str = "a", kind: str = "no convergence") -> tuple[list[Any], Any]:  # fmt: skip
    """Return what one(*matrices) returns, each output for the whole batch, and info: 1 where it
    raises LinAlgError, which on_fail="raise" passes on, -1 where a matrix is not finite. There the
    outputs are NaN, or 0 if integers: with infinities LAPACK may not come to an end, or end the
    process.
    """
    if (home := library(*arrays)) != "numpy":
        raise missing_kernel(f"linalg.{name}", home)
    lead, shape = np.broadcast_shapes(*(x.shape[:-2] for x in arrays)), arrays[0].shape
    if lead:
        arrays = tuple(np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in arrays)
    info, found = np.zeros(lead, np.intp), {}
    for index in np.ndindex(lead):
        matrices = [x[index] for x in arrays]
        if not all(np.isfinite(x).all() for x in matrices):
            info[index] = -1
            continue
        try:
            found[index] = one(*matrices)
        except LinAlgError as error:
            if on_fail == "raise":
                raise failure(name, argument, shape, index, kind, str(error)) from None
            info[index] = 1
    rows = list(found.values()) or [one(*map(_regular, arrays))]
    return [
        _join_parts(lead, found, [np.asarray(row[i]) for row in rows]) for i in range(len(rows[0]))
    ], info[()]


def _regular(x: Any) -> Any:
    """Return a matrix of the order of those of x, a batch that may be empty, for which nothing
    fails.
    """
    m, n = x.shape[-2:]
    return np.eye(n, dtype=x.dtype) if m == n else np.ones((m, n), x.dtype)


def _join_parts(lead: tuple[int, ...], places: Any, parts: list[Any]) -> Any:
    if lead == () and places:
        return parts[0][()]
    dtype = np.result_type(*{x.dtype for x in parts})
    out = np.full((*lead, *parts[0].shape), np.nan if dtype.kind in "fc" else 0, dtype)
    for index, part in zip(places, parts, strict=False):
        out[index] = part
    return out[()]


# -- losses that depend on a choice

_LEFT = 1e-2  # the largest relative error of a second derivative
GAUGES = (None, "check", "project", "trust")


def resolve_gauge(function: str, gauge: str | None) -> Any:
    """Return the policy that holds: "check", unless one is given."""
    if gauge not in GAUGES:
        raise ValueError(f"{function}: gauge must be one of {GAUGES}, not {gauge!r}.")
    return gauge or "check"


def looks(gauge: str, a: Any) -> bool:
    """Return whether values of the matrix may be read: on the host, or on a device if the caller
    allows it.
    """
    return gauge == "check" or (gauge == "project" and library(raw(a)) == "numpy")


def exists(pairs: Any) -> bool:
    """Return whether there is such a pair anywhere in the batch. Synchronizes a device."""
    return bool(to_host(raw(pairs)).any())


def varies(a: Any, through: tuple[type, ...] = (Batched,)) -> bool:
    """Return whether a derivative of a derivative is computed. A cotangent may also carry the
    infinitesimal of another decomposition.
    """
    while isinstance(a, Traced):
        if type(a) not in through:
            return True
        a = a._value
    return False


def choice(i: int, j: int) -> str:
    """Return a description of the choice that a loss depends on, from a component of its
    cotangent.
    """
    pair = f"the choice of eigenvectors {i} and {j}, whose eigenvalues are equal"
    return f"the phase of eigenvector {i}" if i == j else pair


@constant(core={"x": 2, "norm": 0})
def exceeds_rounding(x, norm, units=None):
    """Return where x exceeds the rounding error of a quantity of this norm: the given number of
    eps, by default 100 n.
    """
    units = 100 * x.shape[-1] if units is None else units
    return np.abs(x) > (units * np.finfo(x.dtype).eps * norm)[..., None, None]


@constant(core={"x": 2, "norm": 0})
def beyond(x, norm):
    return np.abs(x) > (100 * np.sqrt(np.finfo(x.dtype).eps) * norm)[..., None, None]


def refuse_gauge(
    x: Any, where: Any, norm: Any, text: str, what: Callable[[int, int], str] = choice
) -> None:
    """Raise GaugeError if x is not small against the norm at the places named."""

    def fail(bad: Any) -> None:
        raise GaugeError(text.format(what=what(*first_place(bad)[-2:])))

    if x is ZERO or leave_check(bad := raw(beyond(x, norm) & where), fail):
        return
    if (bad := to_host(bad)).any():
        fail(bad)


def refuse_second(function: str, magnification: Any) -> None:
    """Refuse second derivatives that would have lost their digits. Second derivatives of what does
    not depend on a choice of vectors are differences of terms as large as the magnification
    squared, |l| |a| / |x| for the equation that the first derivative solves: little is left of them
    near a matrix that has none.
    """
    size = to_host(raw(magnification))
    if (size**2 * np.finfo(size.dtype).eps > _LEFT).any():
        raise GaugeError(LOST.replace("FUNCTION", function))


LOST = (
    "FUNCTION: the form is so near to one that is not determined (equal eigenvalues, a 0 on a "
    "subdiagonal) that a second derivative would have no digit left. The first derivative is "
    "available, and expm, logm, sqrtm and signm have second ones here; gauge='trust' goes on, "
    "which is right for a loss that does depend on the single vectors."
)
