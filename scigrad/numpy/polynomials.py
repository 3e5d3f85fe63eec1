"""Polynomials given by their coefficients, highest power first."""

import functools
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, TracedValueError, differentiable, raw, shape_of
from scigrad.typing import Array, ArrayLike

from .assignment import set_at
from .composition import numpy_composition
from .convolution import convolve
from .devices import bring_home, is_batched, on_host, upload
from .diagonals import vander
from .indexing import getitem
from .joining import assemble, atleast_1d, concatenate, stack
from .products import conjugate, matmul
from .rearrangement import trim_zeros
from .shaping import broadcast_to, ravel, reshape
from .views import own_result

__all__ = ["polyadd", "polyder", "polydiv", "polyint", "polymul", "polysub", "polyval"]


@numpy_composition(np.polyval)
def polyval(p: ArrayLike, x: ArrayLike) -> Array:
    """Evaluate p[0] x^(n-1) + ... + p[n-1] by Horner's rule, see `numpy.polyval`."""
    p, x = bring_home([assemble(p), assemble(x)], (p, x))
    return (
        _polyval(p, x)
        if p.ndim == 1
        else functools.reduce(lambda y, c: y * x + c, p, np.zeros_like(x))
    )


@differentiable("p", "x")
def _polyval(p, x):
    return np.polyval(p, x)


@_polyval.jvp
def _(call, t):
    along = ZERO if t.p is ZERO else _polyval(t.p, call.x)
    return along if t.x is ZERO else along + _polyval(polyder(call.p), call.x) * t.x


@_polyval.vjp
def _(call, g):
    return {
        "p": lambda: matmul(ravel(g), conjugate(vander(ravel(call.x), shape_of(call.p)[0]))),
        "x": lambda: g * conjugate(_polyval(polyder(call.p), call.x)),
    }


@_polyval.batched
def _(call, batched):
    if not batched.p:
        return _polyval(call.p, call.x)
    x = call.x if batched.x else reshape(call.x, (1, *shape_of(call.x)))
    total = broadcast_to(x * 0, (call.p.shape[0], *shape_of(x)[1:]))
    for k in range(call.p.shape[1]):
        total = total * x + reshape(
            getitem(call.p, (slice(None), k)), (-1, *(1,) * (len(shape_of(x)) - 1))
        )
    return total


@numpy_composition(np.polyder)
def polyder(p: ArrayLike, m: int = 1) -> Array:
    """Return the m-th derivative of a polynomial, see `numpy.polyder`."""
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    for _ in range(int(m)):
        n = p.shape[0] - 1
        p = p[:-1] * upload(np.arange(n, 0, -1), p)
    return p


@numpy_composition(np.polyint)
def polyint(p: ArrayLike, m: int = 1, k: int | None = None) -> Array:
    """Return the m-th antiderivative of a polynomial with integration constants k, see
    `numpy.polyint`.
    """
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = upload(ravel(assemble(np.zeros(m) if k is None else k)), p)
    if constants.shape[0] == 1 and m > 1:
        constants = np.repeat(constants, m)
    if constants.shape[0] < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for i in range(m):
        p = concatenate([p / upload(np.arange(p.shape[0], 0, -1), p), constants[i : i + 1]])
    return p


def _of_one_degree(*polynomials: Any) -> list[Any]:
    """Return the coefficients of polynomials with zeros in front, as many as the highest degree
    has.
    """
    found = [atleast_1d(assemble(p)) for p in polynomials]
    n = max(p.shape[0] for p in found)
    return [np.pad(p, (n - p.shape[0], 0)) for p in found]


@numpy_composition(np.polyadd)
def polyadd(a1: ArrayLike, a2: ArrayLike) -> Array:
    """Return the sum of two polynomials, see `numpy.polyadd`."""
    return np.add(*_of_one_degree(a1, a2))


@numpy_composition(np.polysub)
def polysub(a1: ArrayLike, a2: ArrayLike) -> Array:
    """Return the difference of two polynomials, see `numpy.polysub`."""
    return np.subtract(*_of_one_degree(a1, a2))


@numpy_composition(np.polymul)
def polymul(a1: ArrayLike, a2: ArrayLike) -> Array:
    """Return the product of two polynomials, see `numpy.polymul`. Leading zeros are dropped first,
    except under vmap.
    """
    return convolve(*(_trim(ravel(assemble(a))) for a in (a1, a2)))


def _trim(p: Any) -> Any:
    kept = p if is_batched(p) else trim_zeros(p, "f")
    return kept if kept.shape[0] else p[-1:]


@numpy_composition(np.polydiv)
def polydiv(u: ArrayLike, v: ArrayLike) -> tuple[Array, ...]:
    """Return quotient and remainder of two polynomials, see `numpy.polydiv`.

    Leading zeros of the remainder are dropped, so that its length depends on the values; refused
    under vmap.
    """
    u, v = (atleast_1d(assemble(x)) + 0.0 for x in (u, v))
    if is_batched(u) or is_batched(v):
        raise TracedValueError(
            "polydiv: the length of the remainder depends on the data, so it differs between the "
            "elements of the batch."
        )
    n, count = v.shape[0] - 1, u.shape[0] - v.shape[0] + 1
    rest, quotient = u.astype(np.result_type(u.dtype, v.dtype)), []
    for k in range(count):
        quotient.append((1.0 / v[0]) * rest[k])
        rest = set_at(rest, slice(k, k + n + 1), rest[k : k + n + 1] - quotient[-1] * v)
    values = on_host(raw(rest))
    start = 0
    while start < len(values) - 1 and np.allclose(values[start], 0, rtol=1e-14):
        start += 1
    return stack(quotient) if count > 0 else np.zeros_like(rest, shape=1), own_result(rest[start:])
