"""Products of many factors along the last axis, and their derivatives without a division.

The values are NumPy's. The derivative in one factor is the product of the others, and that of the
running product y[k] = a[k] y[k-1] follows the same recurrence, y'[k] = a[k] y'[k-1] + a'[k] y[k-1].
It is solved in log2(n) steps: the pairs (a, b) of x -> a x + b are composed over 1, 2, 4, 8, ...
neighbors (W. D. Hillis, G. L. Steele, Comm. ACM 29 (1986) 1170). Products of neighbors may
overflow where the result does not. Therefore the factors are multiplied by powers of two first,
exactly, so that their running product stays near 1, and the results by the inverse.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant, differentiable, shape_of
from scigrad.autodiff_rules.masked import fill_absent
from scigrad.typing import Array, ArrayLike

from .joining import concatenate
from .products import conjugate
from .rearrangement import flip


def _shifted(x: Any, first: Any) -> Any:
    """Return x[..., k - 1], after a given first element."""
    return concatenate((np.full_like(x[..., :1], first), x[..., :-1]), axis=-1)


def _differences(x: Any) -> Any:
    return np.diff(x, axis=-1, prepend=0 * x[..., :1])


def _exponents(a: Any) -> Any:
    """Return the exponents of the running product as far as it is known; a factor 0 counts as 1."""
    size = np.abs(a).astype(np.float64)
    return np.floor(np.cumsum(np.log2(np.where((size > 0) & np.isfinite(size), size, 1)), axis=-1))


def _powers_of_two(exponent: Any, dtype: Any) -> tuple[Any, Any]:
    """Return two powers whose product is 2**exponent, which may be beyond the largest number."""
    kind = np.finfo(dtype).dtype
    limit, one = np.finfo(kind).maxexp - 4, np.ones_like(exponent, dtype=kind)
    parts = np.floor(exponent / 2), np.ceil(exponent / 2)
    first, second = (np.ldexp(one, np.clip(part, -limit, limit).astype(np.int32)) for part in parts)
    return first, second


# -- the recurrence


@differentiable("a", "b", core={"a": 1, "b": 1})
def _recurrence(a, b):
    """Return y[k] = a[k] y[k-1] + b[k], from y[-1] = 0 on."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    a, b = np.broadcast_to(a, shape), np.broadcast_to(b, shape)
    step = 1
    while step < shape[-1]:
        b = np.concatenate((b[..., :step], b[..., step:] + a[..., step:] * b[..., :-step]), axis=-1)
        a = np.concatenate((a[..., :step], a[..., step:] * a[..., :-step]), axis=-1)
        step *= 2
    return b


def _backward(a: Any, g: Any) -> Any:
    """Return the adjoint in b: c[k] = g[k] + conj(a[k+1]) c[k+1]."""
    return flip(_recurrence(_shifted(flip(conjugate(a), -1), 0), flip(g, -1)), -1)


_recurrence.jvp(lambda call, t: _recurrence(call.a, t.a * _shifted(call.out, 0) + t.b))


@_recurrence.vjp
def _(call, g):
    c = _backward(call.a, g)
    return {"a": lambda: c * conjugate(_shifted(call.out, 0)), "b": c}


# -- the running product


@differentiable("a")
def running_product(a: ArrayLike) -> Array:
    """Return a[0] a[1] ... a[k]."""
    return np.cumprod(a, axis=-1)


@running_product.jvp
def _(call, t):
    first, second, whole = _scales_of_parts(call.a)
    a = call.a * first * second
    return whole * _recurrence(a, t.a * first * second * _shifted(running_product(a), 1))


@running_product.vjp
def _(call, g):
    first, second, whole = _scales_of_parts(call.a)
    a = call.a * first * second
    return {
        "a": _backward(a, fill_absent(g) * whole)
        * conjugate(_shifted(running_product(a), 1))
        * first
        * second
    }


running_product.over_leading({"a": 1})
running_product.masks = "placed"


@constant
def _scales_of_parts(a):
    """Return the scales of the factors, in two parts, and those of the running product.

    Cotangents are multiplied by the latter first and must not vanish, so that these take 0.6 of the
    range of exponents; the products of neighbors do not overflow in the remaining range on either
    side.
    """
    limit = np.floor(0.6 * np.finfo(a.dtype).maxexp)
    exponents = np.clip(_exponents(a), -limit, limit)
    first, second = _powers_of_two(exponents, a.dtype)
    return (*_powers_of_two(-_differences(exponents), a.dtype), first * second)


_scales_of_parts.batched(lambda call, batched: _scales_of_parts(call.a))


# -- the product of all factors but one


def products_of_others(a: Any) -> Any:
    """Return for each factor the product of all others, those before it and those after it."""
    if not shape_of(a)[-1]:
        return a
    first, second, third, fourth = _scales_of_others(a)
    a = a * first * second
    before, behind = (_shifted(running_product(x), 1) for x in (a, flip(a, -1)))
    return before * flip(behind, -1) * third * fourth


@constant
def _scales_of_others(a):
    """Return the scales of the factors, in two parts, and those of the product of the others."""
    steps = _differences(_exponents(a))
    return (
        *_powers_of_two(-steps, a.dtype),
        *_powers_of_two(np.sum(steps, axis=-1, keepdims=True) - steps, a.dtype),
    )


_scales_of_others.batched(lambda call, batched: _scales_of_others(call.a))
