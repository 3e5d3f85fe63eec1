"""The laws: each takes a spec and a backend, runs over the samples, and raises AssertionError with
the case's name.
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import eval_shape, jvp, linearize, space, vjp, vmap
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.containers import flatten, map_leaves
from scigrad.autodiff_rules.primitive import Primitive
from scigrad.typing import Value

from .arrays import assert_close, assert_space, to_host
from .cases import (
    NoKernel,
    NothingShown,
    NothingVaries,
    alternating,
    arguments_alone,
    batch_of,
    one_if_composed,
    one_of_each_call,
    over_cases,
    over_varying,
    stacked,
    varying,
)
from .draw import Draw
from .filled_arrays import filling
from .gradcheck import (
    check_adjoint,
    check_alone,
    check_forward,
    check_law,
    directions,
    inner_size,
    largest,
    second_order_functions,
)
from .hard_arguments import absent, extreme, missing, narrow
from .opspec import SINGLE, Case, OpSpec
from .recorded_programs import compiled
from .refilled_arrays import refilled

Law = Callable[[OpSpec, str], None]

# -- the laws


def values(spec: OpSpec, backend: str) -> None:
    """Check that the value equals that of the reference and stays on the same device."""

    def check(spec: OpSpec, case: Case, backend: str) -> None:
        found = spec.function(*case.args, **case.kwargs)
        if library(*flatten((case.args, case.kwargs))[0]) != "numpy":
            for x in flatten(found)[0]:
                assert not isinstance(x, np.ndarray), "a host array came back from device data"
        if spec.reference is not None:
            host = to_host(case.args), {k: to_host(v) for k, v in case.kwargs.items()}
            assert_close(found, spec.reference(*host[0], **host[1]), spec.tolerance, "value")

    over_cases(spec, backend, check)


def forward(spec: OpSpec, backend: str) -> None:
    """Check that jvp agrees with finite differences of the function."""

    over_varying(spec, backend, lambda f, x: check_forward(f, x, max(1e-7, 100 * spec.tolerance)))


def adjoint(spec: OpSpec, backend: str) -> None:
    """Check that Re<g, jvp(t)> = Re<vjp(g), t>, and that every cotangent lies in the space of its
    argument.
    """

    def check(f: Any, x: Any) -> None:
        check_spaces(f, x, *check_law(f, x, max(1e-10, spec.tolerance)))

    over_varying(spec, backend, check)


def check_spaces(
    f: Callable[..., Any], x: tuple[Any, ...], out: Value, tangent: Any, cotangents: Any
) -> None:
    """Check that outputs keep their dtype under a transform; tangents lie in the outputs' spaces,
    cotangents in the inputs'.
    """
    plain = f(*x)
    for what, found, expected in (
        ("output under jvp", out, plain),
        ("tangent", tangent, plain),
        ("cotangent", cotangents, x),
    ):
        for a, e in zip(flatten(found)[0], flatten(expected)[0], strict=True):
            assert_space(a, space(e), what)


def second_order(spec: OpSpec, backend: str) -> None:
    """Check that vjp and jvp, as functions of the point, have right derivatives in both modes; so
    has each argument alone. Compositions of functions that have samples of their own show it in one
    sample of each dtype.
    """
    one = one_if_composed(spec)
    alone = arguments_alone(one)

    def check(f: Any, x: Any) -> None:
        reverse_rule, forward_rule = second_order_functions(f, x)
        found = check_forward(reverse_rule, x, max(1e-6, 1000 * spec.tolerance))
        rtol = max(1e-9, 10 * spec.tolerance)
        check_law(reverse_rule, x, rtol, found)
        first, second, _ = check_law(forward_rule, x, rtol)
        # Both modes know second derivatives, and the differences those of the reverse rule alone.
        g, t = directions("fixed cotangent", first), directions("fixed tangent", x)
        rounding = 1e-12 * inner_size(g, first)
        check_adjoint(g, second, found[2], t, rtol, rounding)
        if len(x) > 1:
            check_alone(f, x, alone(x), rtol)

    over_varying(one, backend, check)


def single_precision(spec: OpSpec, backend: str) -> None:
    """Check float32 in, float32 out, for values and derivatives, with the accuracy of float32."""

    def check(f: Any, x: Any) -> None:
        for y in f(*x):
            assert y.dtype in SINGLE.values(), f"the output is {y.dtype}"
        check_spaces(f, x, *check_law(f, x, max(1e-3, spec.tolerance)))
        wide = [
            v.astype({"f": np.float64, "c": np.complex128}[v.dtype.kind])
            if hasattr(v, "dtype")
            else v
            for v in x
        ]
        assert_close(f(*x), f(*wide), max(1e-3, spec.tolerance), "value in single precision")

    over_varying(spec, backend, check, dtypes=tuple(SINGLE.values()))


def batching(spec: OpSpec, backend: str) -> None:
    """Check that vmap equals the loop: over each argument, over all together; its values, vmap of
    vjp, and vjp and jvp of vmap.
    """
    alone = arguments_alone(spec)

    def check(f: Any, x: Any) -> None:
        choices = {tuple(i == j for j in range(len(x))) for i in alone(x)} | {(True,) * len(x)}
        first = vjp(f, *batch_of(x, (True,) * len(x))[1][0])  # the first element of every batch
        for choice in sorted(choices):
            check_batch(f, x, choice, first, max(1e-10, spec.tolerance))

    over_varying(spec, backend, check)


def check_batch(
    f: Callable[..., Any], x: tuple[Any, ...], choice: tuple[bool, ...], first: Any, rtol: float
) -> None:
    """Check vmap over the chosen arguments against one call for each element, with the value and
    pullback of the first; over some of them under transforms alone, which find its values too.
    """
    batch, rows = batch_of(x, choice)
    axes = tuple(0 if own else None for own in choice)
    values, pullbacks = zip(first, *(vjp(f, *row) for row in rows[1:]), strict=True)
    outs = stacked(values)
    cotangents, tangents = directions("cotangent", outs), directions("tangent", tuple(batch))
    each = stacked(
        [pullback(tuple(g[i] for g in cotangents)) for i, pullback in enumerate(pullbacks)]
    )

    def pulled(g: Any, *args: Any) -> Any:
        return vjp(f, *args)[1](g)

    together, back = vjp(vmap(f, axes), *batch)
    forward, pushed = jvp(vmap(f, axes), batch, tangents)
    summed = tuple(c if own else np.sum(c, axis=0) for c, own in zip(each, choice, strict=True))
    if all(choice):
        assert_close(vmap(f, axes)(*batch), outs, rtol, "vmap")
    assert_close(vmap(pulled, (0, *axes))(cotangents, *batch), each, rtol, "vmap of vjp")
    assert_close((together, forward), (outs, outs), rtol, "value of vmap under vjp and jvp")
    # a derivative that is exactly zero is known so well
    rounding = 8 * np.finfo(float).eps * largest(cotangents)
    assert_close(back(cotangents), summed, rtol, "vjp of vmap", rounding)
    check_adjoint(cotangents, pushed, summed, tangents, rtol)


def linearity(spec: OpSpec, backend: str) -> None:
    """Check that pushforward and pullback are linear: of a tiny or huge direction they are smaller
    or larger by the same factor.
    """

    def check(f: Any, x: Any) -> None:
        rtol = max(1e-10, spec.tolerance) if _is_double(x) else max(1e-4, spec.tolerance)
        out, push = linearize(f, *x)
        check_linear(lambda *t: push(*t), directions("tangent", x), rtol, "pushforward")
        check_linear(vjp(f, *x)[1], (directions("cotangent", out),), rtol, "pullback")

    over_varying(spec, backend, check, dtypes=(*SINGLE, *SINGLE.values()))


def _is_double(container: Any) -> bool:
    return all(space(v).dtype in SINGLE for v in flatten(container)[0])


def check_linear(f: Callable[..., Any], x: tuple[Any, ...], rtol: float, what: str) -> None:
    """Check a linear map of x times a power of two, whose square is beyond the range of numbers,
    against its multiple.
    """
    found = f(*x)
    exponent = 620 if _is_double((x, found)) else 80
    for factor in (2.0**-exponent, 2.0**exponent):
        with np.errstate(over="ignore", under="ignore"):
            expected = map_leaves(lambda y, c=factor: y * c, found)
        assert_close(
            f(*map_leaves(lambda v, c=factor: v * c, x)),
            expected,
            rtol,
            f"{what} of {factor:.0e} times a direction",
        )


def shapes(spec: OpSpec, backend: str) -> None:
    """Check that eval_shape gives the shape and dtype of the output."""

    def check(f: Any, x: Any) -> None:
        for found, y in zip(eval_shape(f, *x), f(*x), strict=True):
            assert_space(y, found, "eval_shape against the output")

    over_varying(spec, backend, check)


def errors(spec: OpSpec, backend: str) -> None:
    """Check that bad input raises the stated exception with the stated text."""
    if spec.error_samples is None:
        return
    for name, args, kwargs, exception, pattern in spec.error_samples(Draw(spec.name)):
        try:
            found = spec.function(*args, **kwargs)
        except exception as error:
            if not re.search(pattern, str(error)):
                raise AssertionError(f"{spec.name}, case '{name}': the text is {error}") from error
        else:
            raise AssertionError(
                f"{spec.name}, case '{name}': expected {exception.__name__}, but {found!r} was "
                "returned"
            )


_ALL = (
    values,
    forward,
    adjoint,
    second_order,
    single_precision,
    linearity,
    batching,
    shapes,
    extreme,
    missing,
    absent,
    narrow,
    refilled,
    filling,
    compiled,
    errors,
)
LAWS: dict[str, Law] = {law.__name__: law for law in _ALL}
# What a constant function is held to, and what runs on the stand-in device.
LAWS_OF_CONSTANTS = ("values", "errors")
LAWS_ON_DEVICE = ("values", "adjoint")  # always; the others take as long again as the whole suite


def fewer_samples(spec: OpSpec) -> Callable[[str, str], OpSpec]:
    """Return what gives for a law and a backend the spec with the samples that show it in `make
    test`; `forward`, `adjoint`, `values` and `shapes` have all on NumPy.

    Half of them show a law that holds for real and complex numbers alike if those hold. One of each
    call shows what the rules of these calls do to directions and to elements of a batch, and all
    that elementwise functions do. A composition has rules of functions with samples of their own,
    and the law of values runs all of its samples on a device too.
    """
    half = alternating(spec)
    one, each_call = one_if_composed(half), one_of_each_call(half)
    first = half
    if isinstance(spec.function, Primitive):
        half = one = one_of_each_call(half, numbers=True)
        first = each_call
    chosen = {"compiled": first}
    chosen |= dict.fromkeys(("second_order", "single_precision", "narrow"), half)
    chosen |= dict.fromkeys(("batching", "refilled"), one)
    chosen |= dict.fromkeys(("linearity", "extreme", "missing", "absent", "filling"), each_call)

    def for_law(law: str, backend: str) -> OpSpec:
        on_device = (law, backend) == ("adjoint", "device")
        return each_call if on_device else chosen.get(law, spec)

    return for_law


def laws_for(spec: OpSpec, backend: str, every: bool = False) -> list[str]:
    """Return the laws that a function is held to on a backend: on the stand-in few unless `every`,
    errors on NumPy alone.
    """
    names = LAWS if spec.differentiable else LAWS_OF_CONSTANTS
    shown = [name for name in names if every or backend != "device" or name in LAWS_ON_DEVICE]
    return [
        name
        for name in shown
        if name != "errors" or (backend == "numpy" and spec.error_samples is not None)
    ]


__all__ = ["LAWS", "NoKernel", "NothingShown", "NothingVaries", "directions", "laws_for",
           "fewer_samples", "varying"]  # fmt: skip
