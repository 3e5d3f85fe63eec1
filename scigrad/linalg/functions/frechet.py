"""Functions of matrices and their Frechet derivatives L(a, e), the linear part of f(a + e) - f(a),
of every order.

Three identities make two primitives serve every function f, whatever the algorithm that evaluates
it:

adjoint        tr(x L(a, e)) = tr(L(a, x) e), as for every power of a; so the cotangent of a is
               L(a, g^H)^H, in the same factors
second order   the derivative of L(a, e) along d is the upper right block of
               L([[a, e], [0, a]], [[d, 0], [0, d]]) (Mathias 1996, SIAM J. Matrix Anal. Appl.
               17(3), theorem 2.1, applied to L instead of f), and so on to any order
real parts     a real a and a complex e make a complex block matrix, whose eigenvalues cannot be
               recognized as those of a real one, which matters on a branch cut. Therefore the real
               and the imaginary part of e have blocks of their own
scaling        L is linear in e, and the second derivative in each direction: e enters the block
               multiplied by a power of 2 that makes it much smaller than a. Its own size then does
               not affect rounding errors, and the norm and the condition of the block are those of
               a

A method is an object with
    evaluate(a) -> f(a), factors                factors are reused by derivatives at the same a;
                                                factors.shape is that of a
    derivative(a, e, factors) -> L(a, e)        e may have more leading axes than a
and, optionally, where it has to distinguish the eigenvalues of a from their copies in a block
matrix,
    on_blocks(shape) -> the method for [[a, e], [0, a]], with the shape of a
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import ZERO, constant, differentiable, shape_of, warn

from ..foundation import failures
from ..foundation.matrices import as_array, finite, is_complex, is_host, largest, mH

GIVEN = np._NoValue  # stands for arguments that SciPy deprecates
_SMALL, _SMALL_SINGLE = 40, 12  # powers of 2
_NUMPYS = "the array must be square and at least two-dimensional"


@differentiable("a", saves=True, core={"a": 2})
def matrix_function(a, method, known=None):
    """Return f(a) for square matrices (..., n, n); `known` is what method.evaluate found for them
    already.
    """
    return known if known is not None and known[1].shape == a.shape else method.evaluate(a)


@differentiable("a", "e", core={"a": 2, "e": 2})
def frechet(a, e, method, factors=None):
    """Return the Frechet derivative L(a, e); `factors` of an earlier evaluation are used if they
    have the shape of a, to which vmap may have added axes.
    """
    fit = factors is not None and factors.shape == a.shape
    return method.derivative(a, e, factors if fit else method.evaluate(a)[1])


@matrix_function.jvp
def _(call, t):
    return frechet(call.a, t.a, call.method, call.saved)


@matrix_function.vjp
def _(call, g):
    return {"a": mH(frechet(call.a, mH(g), call.method, call.saved))}


@frechet.jvp
def _(call, t):
    first = ZERO if t.e is ZERO else frechet(call.a, t.e, call.method, call.factors)
    if t.a is ZERO:
        return first
    n = shape_of(call.a)[-1]
    return first + _on_blocks(call, blocks(t.a, None, None), lambda both: both[..., :n, n:])


# <g, upper right block> = <[[0, g], [0, 0]], block>, and d stands in both blocks of the diagonal
@frechet.vjp
def _(call, g):
    def at_a() -> Any:
        n = shape_of(call.a)[-1]
        return mH(
            _on_blocks(
                call, blocks(None, None, mH(g)), lambda both: both[..., :n, :n] + both[..., n:, n:]
            )
        )

    return {"e": lambda: mH(frechet(call.a, mH(g), call.method, call.factors)), "a": at_a}


def _on_blocks(call: Any, direction: Any, part: Callable[[Any], Any]) -> Any:
    """Return the part of L([[a, e], [0, a]], direction) that is linear in e."""
    method = (
        call.method.on_blocks(shape_of(call.a))
        if hasattr(call.method, "on_blocks")
        else call.method
    )

    def of(e: Any) -> Any:
        size = block_size(call.a, e)
        return part(frechet(blocks(call.a, size * e, None), direction, method)) / size

    if is_complex(call.a) or not is_complex(call.e):
        return of(call.e)
    return of(np.real(call.e)) + 1j * of(np.imag(call.e))


def blocks(diagonal: Any, above: Any, below: Any) -> Any:
    """Return [[diagonal, above], [below, diagonal]] with 0 for None; leading axes broadcast."""
    given = [x for x in (diagonal, above, below) if x is not None]
    shape = np.broadcast_shapes(*(shape_of(x) for x in given))
    zero = np.zeros_like(given[0])
    d, u, v = (np.broadcast_to(zero if x is None else x, shape) for x in (diagonal, above, below))
    return np.concatenate(
        [np.concatenate([d, u], axis=-1), np.concatenate([v, d], axis=-1)], axis=-2
    )


@constant(core={"a": 2, "e": 2})
def block_size(a, e):
    """Return the power of 2 that makes e small beside a, (..., 1, 1): its square is nothing
    there.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = largest(a, (-2, -1), True) / largest(e, (-2, -1), True)
        usable = np.isfinite(ratio) & (ratio > 0)
        exponent = np.round(np.log2(np.where(usable, ratio, 1)))
    return np.ldexp(
        np.ones_like(ratio),
        exponent.astype(np.int32) - (_SMALL_SINGLE if ratio.dtype.char == "f" else _SMALL),
    )


def as_square(function: str, name: str, x: Any, expectation: str | None = None) -> Any:
    """Return an argument as square matrices, refused by ValueError in SciPy's words, or by
    LinAlgError as NumPy's functions do.
    """
    x = as_array(function, name, x)
    shape = x.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        kind, wanted = (
            (ValueError, expectation) if expectation else (np.linalg.LinAlgError, _NUMPYS)
        )
        raise kind(f"{function}: {wanted}; '{name}' has shape {shape}, (..., n, n) is needed.")
    return x


def check_square(
    function: str, a: Any, on_fail: str, expectation: str | None, **deprecated: Any
) -> Any:
    """Return the argument 'A' as square matrices, finite if SciPy says what it expects; its
    `deprecated` arguments warn if given.
    """
    failures.check_policy(function, on_fail)
    for name, value in deprecated.items():
        if value is not GIVEN:
            warn(
                f"{function}: The `{name}` argument is deprecated and will be removed in SciPy "
                "1.18.0.",
                DeprecationWarning,
            )
    a = as_square(function, "A", a, expectation)
    if on_fail == "raise" and expectation and is_host(a):
        finite(function, "A", a)
    return a


def append_estimate(
    a: Any, value: Any, on_fail: str, disp: Any = True, estimate: Any = None
) -> Any:
    """Return the value, without `disp` SciPy's estimate of its error, and with on_fail="info" what
    failed.
    """
    found = (
        value,
        *(() if disp else (estimate(),)),
        *((_codes(a, value),) if on_fail == "info" else ()),
    )
    return found if len(found) > 1 else value


@constant(core={"a": 2, "value": 2})
def _codes(a, value):
    """Return -1 for matrices with NaN or infinities, 1 for values that are not finite, else 0."""
    return np.where(failures.not_finite(a), -1, failures.not_finite(value) * 1)[()]


# -- factors that travel with a call


class PerMatrix(NamedTuple):
    """Factors on the host, one for each matrix of a batch, in order."""

    shape: tuple[int, ...]
    items: tuple[Any, ...]


__all__ = [
    "GIVEN",
    "append_estimate",
    "as_square",
    "block_size",
    "blocks",
    "check_square",
    "frechet",
    "matrix_function",
]
