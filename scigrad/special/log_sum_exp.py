"""The logarithm of a sum of exponentials, and the softmax functions, its gradient and their
logarithm.
"""

import math
from typing import Any

import numpy as np

from scigrad.autodiff_rules import (
    ZERO,
    count_axis_from_end,
    differentiable,
    kernel,
    namespace_of,
    raw,
    shape_of,
    stop_gradient,
)
from scigrad.numpy.devices import one_kernel
from scigrad.numpy.joining import assemble
from scigrad.numpy.selection import chosen
from scigrad.typing import Array, ArrayLike, Axes

from ..host.compiled import LARGE, faster
from ..host.threads import spread, workers

_TOGETHER = 1 << 15  # terms, which remain in a cache
_FINE = 64  # a logarithm whose exponential has all digits but two


@differentiable("a", "b")
def logsumexp(
    a: ArrayLike,
    axis: Axes | None = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Array:
    """Compute the logarithm of a sum of exponentials.

    ``log(sum(b exp(a)))`` without overflow, as `scipy.special.logsumexp`.

    Parameters
    ----------
    a : array_like
        Exponents, real or complex. Entries -inf contribute nothing, and their derivatives are 0.
    axis : int or tuple of ints, optional
        Axes to sum over, by default all.
    b : array_like, optional
        Real or complex weights, which broadcast with `a`.
    keepdims : bool, optional
        Whether the summed axes remain, with length 1.
    return_sign : bool, optional
        Whether to return a pair, for sums that may be negative or complex.

    Returns
    -------
    res : ndarray
        Logarithm of the sum S: nan where a real sum is negative, the principal logarithm where it
        is complex. With `return_sign` log|S|.
    sgn : ndarray
        S/|S|, only with `return_sign`.

    Raises
    ------
    ValueError
        If an axis does not exist, or the shapes of `a` and `b` do not broadcast.

    Notes
    -----
    Where all entries of `a` are -inf the gradient is 0. At an entry inf it is nan, as `softmax` is:
    the shares of several such entries are not determined. On a device derivatives have the digits
    that the result has behind its point, none at all beyond 1e16.

    Derivatives: in a, b; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, special
    >>> print(grad(special.logsumexp)(np.array([0.0, np.log(3.0), -np.inf])).round(12))
    [0.25 0.75 0.  ]
    """
    whole = axis is None or (np.ndim(a) == 1 and axis in (0, -1))
    if (
        whole
        and type(a) is np.ndarray
        and a.size
        and a.dtype.char in "fd"
        and b is None
        and not keepdims
        and not return_sign
    ):
        flat = a.ravel()
        place = flat.argmax()
        if math.isfinite(top := flat[place]):
            return _beside_largest(flat, place, top)
    if 0 in np.shape(a):  # SciPy 1.17 fails on some, and gives the sign -1 to an empty sum
        return _shifted(a, axis, b, keepdims, return_sign)
    find = kernel("special.logsumexp", instead={"cupy": _shifted})
    return find(a, axis=axis, b=b, keepdims=keepdims, return_sign=return_sign)


def _beside_largest(a: np.ndarray, place: Any, top: Any) -> Any:
    """Return the logarithm of a sum with its largest term apart, as SciPy does, which keeps the
    digits of all others.
    """
    if a.size < LARGE:
        return top + np.log1p(_others_than_top(np.exp, a, place, top))
    exp, each = faster(np.exp, a), range(0, a.size, _TOGETHER)

    def part(first: int, last: int) -> Any:
        return sum(
            _others_than_top(exp, a[start : start + _TOGETHER], place - start, top)
            for start in each[first:last]
        )

    return top + np.log1p(sum(spread(part, 0, len(each), workers())))


def _others_than_top(exp: Any, a: np.ndarray, place: Any, top: Any) -> Any:
    terms = exp(a - top)
    if 0 <= place < terms.size:
        terms[place] = 0
    return np.add.reduce(terms)


@one_kernel
def _if_finite(top: Any) -> Any:
    return np.where(np.isfinite(top), top, 0)


@one_kernel
def _exp_beside(a: Any, top: Any) -> Any:
    return np.exp(a - top)


@one_kernel
def _log_beside(total: Any, top: Any) -> Any:
    return np.log(total) + top


def _shifted(a: Any, axis: Any, b: Any, keepdims: bool, return_sign: bool) -> Any:
    """Compute logsumexp on arrays of any library: the largest real part is taken out of the sum."""
    a = assemble(a)
    # unsigned integers less the largest would wrap around
    a = a if a.dtype.kind in "fc" else a.astype(float)
    a = a if b is None else chosen(b == 0, -np.inf, a)
    top = _if_finite(np.max(a.real, axis=axis, keepdims=True)) if a.size else 0
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = _exp_beside(a, top)
        total = np.sum(terms if b is None else b * terms, axis=axis, keepdims=True)
        size = np.abs(total) if return_sign else total
        results = (_log_beside(size, top),)
        if return_sign:
            turn = (
                total / np.where(size == 0, 1, size) if total.dtype.kind == "c" else np.sign(total)
            )
            results = *results, turn
    results = results if keepdims else tuple(np.squeeze(r, axis=axis)[()] for r in results)
    return results if return_sign else results[0]


# Let S = sum(b exp(a)) and q = dS/S = sum(w (b da + db)), w = exp(a - log|S|) conj(S/|S|):
#     d log S = q,     d log|S| = Re q,     d(S/|S|) = i Im(q) S/|S|
@logsumexp.jvp
def _(call, t):
    terms = ZERO if t.a is ZERO else _a_weights(call) * t.a
    terms = terms if t.b is ZERO else terms + _softmax_weights(call, _vanishing(call.a)) * t.b
    q = np.sum(terms, axis=call.axis, keepdims=call.keepdims)
    if not call.return_sign:
        return q
    return np.real(q), (1j * call.out[1] * np.imag(q) if call.out[1].dtype.kind == "c" else ZERO)


@logsumexp.vjp
def _(call, g):
    if call.return_sign:
        g, turn = g
        if turn is not ZERO and call.out[1].dtype.kind == "c":
            g = g - 1j * np.imag(np.conj(turn) * call.out[1])
    g = ZERO if g is ZERO else _restore_axes(call, g)
    return {
        "a": lambda: ZERO if g is ZERO else np.conj(_a_weights(call)) * g,
        "b": lambda: (
            ZERO
            if g is ZERO
            else np.broadcast_to(
                np.conj(_softmax_weights(call, _vanishing(call.a))) * g, _full_shape(call)
            )
        ),
    }


def _a_weights(call: Any) -> Any:
    """Return b w; an entry with b = 0 does not contribute, however large a is there (the derivative
    in b still needs w).
    """
    if call.b is None and not call.return_sign:
        return _shares(
            call.a,
            stop_gradient(_of_rank(_restore_axes(call, call.out), len(shape_of(call.a)))),
            call.axis,
        )
    dropped = _vanishing(call.a)
    if call.b is None:
        return _softmax_weights(call, dropped)
    log_size = call.out[0] if call.return_sign else call.out
    with np.errstate(over="ignore", invalid="ignore"):
        overflows = ~np.isfinite(np.exp(np.real(call.a) - _restore_axes(call, np.real(log_size))))
    return call.b * _softmax_weights(call, dropped | ((call.b == 0) & overflows))


def _of_rank(x: Any, rank: int) -> Any:
    return x if len(shape_of(x)) == rank else np.reshape(x, (1,) * rank)


def _vanishing(a: Any) -> Any:
    return np.real(a) == -np.inf


def _softmax_weights(call: Any, dropped: Any) -> Any:
    """Return w, and 0 where `dropped`: there both terms of a - log|S| are replaced, lest inf - inf
    reach a second derivative.
    """
    log_size, sign = call.out if call.return_sign else (call.out, None)
    w = np.exp(chosen(dropped, 0.0, call.a) - chosen(dropped, 0.0, _restore_axes(call, log_size)))
    w = chosen(dropped, 0.0, w)
    w = w if sign is None else w * np.conj(_restore_axes(call, sign))
    if not _is_coarse(log_size):
        return w
    return _parts_of_one(w, w if call.b is None else call.b * w, call.axis)


def _restore_axes(call: Any, reduced: Any) -> Any:
    """Restore the summed axes of a reduced array, with length 1."""
    return reduced if call.keepdims or call.axis is None else np.expand_dims(reduced, call.axis)


def _full_shape(call: Any) -> Any:
    return np.broadcast_shapes(shape_of(call.a), shape_of(call.b))


logsumexp.passes = "a", "b", "axis"


@logsumexp.batched
def _(call, batched):
    rank = max(
        len(shape_of(x)) - own
        for x, own in ((call.a, batched.a), (call.b, batched.b))
        if x is not None
    )
    a, b = (
        _pad_axes(x, rank) if own else x for x, own in ((call.a, batched.a), (call.b, batched.b))
    )
    return logsumexp(a, count_axis_from_end(call.axis, rank), b, call.keepdims, call.return_sign)


def _pad_axes(x: Any, rank: int) -> Any:
    return x.reshape((x.shape[0], *(1,) * (rank + 1 - x.ndim), *x.shape[1:]))


@differentiable("x")
def softmax(x: ArrayLike, axis: Axes | None = None) -> Array:
    """Compute the softmax function, the gradient of `logsumexp`.

    ``exp(x) / sum(exp(x))``, as `scipy.special.softmax`.

    Parameters
    ----------
    x : array_like
        Input, real or complex.
    axis : int or tuple of ints, optional
        Axes to sum over, by default all.

    Returns
    -------
    ndarray
        Array of the shape of `x` that sums to 1 along `axis`.

    Notes
    -----
    Derivatives: in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, special
    >>> print(grad(lambda x: special.softmax(x)[0])(np.array([0.0, np.log(3.0)])).round(12))
    [ 0.1875 -0.1875]
    """
    if type(x) is not np.ndarray or x.dtype.char not in "fd" or not x.ndim or not x.size:
        return kernel("special.softmax", instead={"cupy": _shares_of_all})(x, axis=axis)
    shares = x - np.max(x, axis=axis, keepdims=True)
    np.exp(shares, out=shares)
    shares /= np.sum(shares, axis=axis, keepdims=True)
    return shares


def _shares_of_all(x: Any, axis: Any) -> Any:
    """Compute softmax as CuPy does, by functions that a program can put into its kernels."""
    x = _exp_beside(x, x.real.max(axis, keepdims=True))
    return x / x.sum(axis, keepdims=True)


# A share s near 1 has the derivative s (1 - s), of which t - sum(s t) leaves no digit. All tangents
# may be less by a number, since shares sum to 1: by that of the share above 1/2, of which at most
# one is real, what is left is a sum over the others.
def _share_slope(s: Any, t: Any, axis: Any) -> Any:
    t = _less_that_of_the_largest(s, t, axis)
    return _less_the_mean(s, t, np.sum(s * t, axis=axis, keepdims=True))


def _less_that_of_the_largest(s: Any, t: Any, axis: Any) -> Any:
    return t if _none(s) else t - np.sum(_of_the_largest(s, t), axis, keepdims=True)


def _none(s: Any) -> bool:
    return type(s) is np.ndarray and not (s.real > 0.5).any()  # pyright: ignore[reportAttributeAccessIssue]


@one_kernel
def _of_the_largest(s: Any, t: Any) -> Any:
    return np.where(np.real(s) > 0.5, t, 0)


@one_kernel
def _less_the_mean(s: Any, t: Any, mean: Any) -> Any:
    return s * (t - mean)


@softmax.jvp
def _(call, t):
    return _share_slope(call.out, t.x, call.axis)


@softmax.vjp
def _(call, g):
    return {"x": lambda: _share_slope(call.out.conj(), g, call.axis)}


@differentiable("a")
def _shares(a, log_sum, axis):
    """Return softmax(a), where logsumexp(a) is known."""
    shares = _each_share(a, log_sum)
    return _parts_of_one(shares, shares, axis) if _is_coarse(log_sum) else shares


def _is_coarse(log_sum: Any) -> Any:
    """Return whether the rounding of the logarithm of a sum shows in its exponential: beyond 2^53
    shares of equal terms would be 1 each. A program that is recorded is not asked; on a device the
    sum would be two more passes through memory, for all arguments.
    """
    values = raw(log_sum)
    if not isinstance(values, (np.ndarray, np.generic)):
        return namespace_of(values) is np
    return (abs(values) > _FINE).any()


def _parts_of_one(parts: Any, terms: Any, axis: Any) -> Any:
    """Return parts divided by the sum of terms, which is 1 but for rounding, 0 if all are, or nan
    beside an infinite one.
    """
    total = np.sum(terms, axis=axis, keepdims=True)
    return parts / np.where(np.isfinite(total) & (total != 0), total, 1)


@one_kernel
def _each_share(a: Any, log_sum: Any) -> Any:
    """Return the share of an element; 0 for the logarithms of zeros alone."""
    with np.errstate(invalid="ignore"):
        shares = (a - np.where(_vanishing(log_sum), 0, log_sum)).astype(a.dtype, copy=False)
        return np.exp(shares, out=shares) if shares.ndim else np.exp(shares)


@_shares.jvp
def _(call, t):
    return _share_slope(call.out, t.a, call.axis)


@_shares.vjp
def _(call, g):
    return {"a": lambda: _share_slope(call.out.conj(), g, call.axis)}


@_shares.batched
def _(call, batched):
    rank = max(
        len(shape_of(x)) - own for x, own in ((call.a, batched.a), (call.log_sum, batched.log_sum))
    )
    a, log_sum = (
        _pad_axes(x, rank) if own else x
        for x, own in ((call.a, batched.a), (call.log_sum, batched.log_sum))
    )
    return _shares(a, log_sum, count_axis_from_end(call.axis, rank))


@differentiable("x")
def log_softmax(x: ArrayLike, axis: Axes | None = None) -> Array:
    """Compute the logarithm of the softmax function.

    ``x - logsumexp(x)``, without underflow, as `scipy.special.log_softmax`.

    Parameters
    ----------
    x : array_like
        Input, real or complex.
    axis : int or tuple of ints, optional
        Axes to sum over, by default all.

    Returns
    -------
    ndarray
        Array of the shape of `x`.

    Notes
    -----
    Derivatives: in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, special
    >>> print(grad(lambda x: special.log_softmax(x)[0])(np.array([0.0, np.log(3.0)])).round(12))
    [ 0.75 -0.75]
    """
    return kernel("special.log_softmax")(x, axis=axis)


@log_softmax.jvp
def _(call, t):
    s = softmax(call.x, axis=call.axis)
    t = _less_that_of_the_largest(s, t.x, call.axis)
    return t - np.sum(s * t, axis=call.axis, keepdims=True)


@log_softmax.vjp
def _(call, g):
    def cotangent() -> Any:
        total = lambda v: np.sum(v, axis=call.axis, keepdims=True)  # noqa: E731
        s = np.conj(softmax(call.x, axis=call.axis))
        large, rest = np.real(s) > 0.5, g - s * total(g)
        if _none(s):
            return rest
        of_large, others = (total(np.where(some, rest, 0)) for some in (large, ~large))
        # all sum to 0: a large one is minus the sum of the others
        return np.where(large, rest - of_large - others, rest)

    return {"x": cotangent}


softmax.batch_axis("x")
log_softmax.batch_axis("x")

__all__ = ["log_softmax", "logsumexp", "softmax"]
