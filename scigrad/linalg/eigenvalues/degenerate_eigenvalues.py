"""Equal eigenvalues and singular values: where a divisor of derivatives is 0, and what takes the
place of the quotient.

Derivatives of eigenvectors are quotients by differences of eigenvalues. Where these are equal, the
basis of their vectors is open, and a loss that does not depend on it, such as tr(g^H v f(w) v^H),
has the numerator 0 too. In forward mode the basis that the direction determines leaves nothing to
divide. In reverse mode there is no direction, and v_bar holds f(w) g_ij where the gradient needs
f'(w) g_ij: the limit of a divided difference, to which l'Hopital's rule applies. So equal
eigenvalues leave the decomposition as w + e d with an infinitesimal e and different numbers d
(`split`). The loss is computed with it beneath the boxes of the transform that records it, and
v_bar returns with its derivative in e; values do not change.

Values count as equal within the rounding of the algorithm that found them, and as near where a
quotient would lose half of its digits. Near ones take the limit too; what the numerator holds
beyond it comes from a loss that does depend on the vectors, and is divided as anywhere.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import (
    ZERO,
    GaugeError,
    Traced,
    differentiable,
    namespace_of,
    raw,
    shape_of,
    stop_gradient,
    warn,
)
from scigrad.autodiff_rules.backends import is_on_device
from scigrad.autodiff_rules.boxes import Batched, Dual, Recorded, new_level
from scigrad.autodiff_rules.masked import fill_absent
from scigrad.numpy.infinitesimals import Infinitesimal

from ..foundation.decompositions import are_apart
from ..foundation.failures import (
    beyond,
    choice,
    exceeds_rounding,
    exists,
    first_place,
    looks,
    refuse_gauge,
    to_host,
    varies,
)
from ..foundation.matrices import frobenius, is_complex, is_diagonal, largest
from .messages import FORWARD, LOST, REVERSE, SECOND, UNEVEN, text

# -- equal values among sorted real ones


def closeness(w: Any, gauge: str, both_signs: bool = False) -> tuple[Any, Any, bool]:
    """Return masks (..., n, n) of equal and of near values (the second is computed only where
    values are read), and whether it is known that none are near, in the whole batch; there are no
    masks then on a card. With `both_signs` the values are those of mirrored(w).
    """
    plain = raw(w)
    seen = type(plain) is not np.ndarray and is_on_device(plain) and looks(gauge, plain)
    if seen and are_apart(plain, tolerances(plain, both_signs)[1], both_signs):
        return None, None, True
    w = mirrored(w) if both_signs else w
    equal, near = tolerances(w)
    plain = raw(w)
    if (
        type(plain) is np.ndarray
        and (plain[..., 1:] - plain[..., :-1] > near * largest(plain, -1, True)).all()
    ):
        alone = is_diagonal(w)
        return alone, alone, True
    same = group_values(w, 0.0 if gauge == "trust" else equal)
    close = group_values(w, near) if looks(gauge, w) else same
    return same, close, close is not same and not has_pair(close)


def mirrored(s: Any, sign: int = -1) -> Any:
    """Return -s, 0 and s, the eigenvalues of [[0, a], [a^H, 0]] in ascending order, or other
    numbers in their places.
    """
    return np.concatenate(
        [sign * s, np.zeros((*shape_of(s)[:-1], 1), s.dtype, like=raw(s)), s[..., ::-1]], axis=-1
    )


def tolerances(w: Any, both_signs: bool = False) -> tuple[float, float]:
    """Return two tolerances in parts of the largest value: the rounding of computed values, and the
    distance below which quotients by differences lose half of their digits.
    """
    epsilon, count = np.finfo(w.dtype).eps, shape_of(w)[-1] * (1 + both_signs) + both_signs
    rounding = 64.0 * count * float(epsilon)
    return rounding, max(rounding, float(np.sqrt(epsilon)))


def group_values(w: Any, tolerance: Any) -> Any:
    """Return a mask (..., n, n) of the values i and j that are closer than the tolerance, or linked
    by a chain of such values.
    """
    w = stop_gradient(w)
    limit = tolerance * largest(w, -1, True)
    # a difference of NaN separates
    number = np.cumsum(~(np.diff(w, prepend=w[..., :1]) <= limit), axis=-1)
    return number[..., :, None] == number[..., None, :]


def has_pair(same: Any) -> bool:
    """Return whether there is a pair beside the diagonal, anywhere in the batch. Synchronizes a
    device.
    """
    return exists(same & ~is_diagonal(same))


def steps(w: Any, near: Any) -> Any:
    """Return different numbers of the size of w for near values, and 0 for single ones."""
    place, size = (
        np.cumsum(namespace_of(near).ones(shape_of(near)[-1])),
        largest(stop_gradient(w), -1, True),
    )
    return (place - (near * place).sum(axis=-1) / near.sum(axis=-1)) * np.where(size > 0, size, 1)


def gaps(w: Any) -> Any:
    """Return the differences w_j - w_i, of shape (..., n, n)."""
    return w[..., None, :] - w[..., :, None]


# -- quotients


class Divisor(NamedTuple):
    """A divisor of derivatives, and its step along the splitting; where it is 0 and nothing may be
    divided; where it is so small that the limit takes its place (None: nowhere); what it is small
    against; the text of what is open where it is 0.
    """

    value: Any
    step: Any
    none: Any
    near: Any
    size: Any
    what: Callable[[int, int], str] = choice


def push_quotient(
    call: Any, function: str, x: Any, divisor: Divisor, norm: Any, warned: bool = True
) -> Any:
    """Return x / divisor in forward mode, where the basis is adapted to the direction."""
    if looks(call.gauge, call.a):
        refuse_gauge(x, divisor.none, norm, text(FORWARD, function), divisor.what)
    z = x * _safe_inverse(divisor.value, divisor.none)
    if warned and looks(call.gauge, call.a):
        _warn(function, z, divisor, z)
    return z


def pull_quotient(
    call: Any, function: str, x: Any, slope: Any, divisor: Divisor, norm: Any, touched: Any
) -> Any:
    """Return x / divisor in reverse mode, or its limit; the slope is that of x along the splitting,
    None where none is known. `touched` are the vectors that the loss looks at.
    """
    near = divisor.near
    if x is ZERO:
        return ZERO
    if call.gauge == "check":
        refuse_gauge(x, divisor.none, norm, text(REVERSE, function), divisor.what)
        # x / gap^2, which second derivatives need, has no digit where x is rounding, and is right
        # where it is large
        unknown = slope is None and near is not None
        if unknown and exists(
            near & (touched > 0)[..., None, :] & (divisor.none | ~beyond(x, norm))
        ):
            raise GaugeError(text(SECOND, function))
    inverse = _safe_inverse(
        np.conjugate(divisor.value) if is_complex(divisor.value) else divisor.value, divisor.none
    )
    if slope is None or near is None:
        limit, part = ZERO, x * inverse
    else:
        limit = slope * _safe_inverse(divisor.step, ~near)
        rest = x - limit * np.conjugate(divisor.value)
        part = np.where(divisor.none | (near & ~exceeds_rounding(rest, norm, 4)), 0, rest) * inverse
    if looks(call.gauge, call.a):
        _warn(function, part, divisor, limit + part)
    return limit + part


def _safe_inverse(x: Any, none: Any) -> Any:
    return np.where(none, 0, 1 / np.where(none, 1, x))


def quotients(call: Any, function: str, given: list[Any], numerators: Any, divisors: list[Divisor],
    rounding: Any,
              first: int | None = None) -> tuple[list[Any], Any]:  # fmt: skip
    """Return the quotients in reverse mode of numerators that are linear in the cotangents of
    vectors, and which of the first vectors the loss looks at.
    """
    values, slopes = (
        list(x) for x in zip(*(value_and_slope(x, call.level) for x in given), strict=True)
    )
    known = call.level is not None and not any(s is None for s in slopes) and not varies(call.a)
    sizes = [x for x in values + slopes * known if x is not ZERO]
    seen, norm = (
        sum(np.abs(stop_gradient(x)).sum(axis=-2)[..., :first] for x in sizes),
        sum(frobenius(x) for x in sizes) + rounding,
    )
    # Values of another decomposition of the same matrix, v f(s) v^H, leave v_bar as it is for equal
    # ones; their slopes do not.
    for level in set().union(*map(_levels, values)) if call.gauge == "check" else ():
        others = [
            ZERO if (slope := value_and_slope(x, level)[1]) is None else slope for x in values
        ]
        size = sum(frobenius(x) for x in others if x is not ZERO)
        for x, d in zip(numerators(*others), divisors, strict=True):
            refuse_gauge(x, d.none, size, text(REVERSE, function), d.what)
    of_slopes = numerators(*slopes) if known else [None] * len(divisors)
    found = zip(numerators(*values), of_slopes, divisors, strict=True)
    return [pull_quotient(call, function, *each, norm, seen) for each in found], seen


def _levels(x: Any) -> set[int]:
    return (
        _levels(x._value) | ({x._level} if isinstance(x, Split) else set())
        if isinstance(x, (Batched, Split))
        else set()
    )


def rounding(w_bar: Any, size: Any) -> Any:
    """Return what to add to the norm of a cotangent of vectors in which terms of the size of w
    f'(w) may cancel to rounding, as in trace(v f(w) v^-1). The size of w may hold the condition of
    each eigenvalue.
    """
    return (
        0.0
        if w_bar is ZERO
        else float(np.sqrt(np.finfo(w_bar.dtype).eps)) * frobenius((w_bar * size)[..., None, :])
    )


# -- cotangents of the values themselves


def of_values(
    call: Any, function: str, w: Any, w_bar: Any, same: Any, near: bool, seen: Any
) -> Any:
    """Return the cotangents of eigenvalues, averaged among equal ones whose eigenvectors the loss
    has not `seen`. That changes nothing for a symmetric function of them, and is the subgradient of
    smallest norm for one that splits them, like the smallest. Only the value is averaged: the
    derivative of the cotangent, which second order needs, stays with its eigenvalue. Second
    derivatives of a loss that splits them are refused, and, where some are `near`, those by reverse
    mode.
    """
    if near and varies(w_bar, (Batched, Split)):
        w_bar = forward_only(w_bar, text(SECOND, function))
    looked = None if seen is None else (same & (seen > 0)[..., None, :]).any(axis=-1)
    if call.gauge == "check":
        w_bar = _even(w_bar, w, same if looked is None else same & ~looked[..., None, :], function)
    mean = (same * w_bar[..., None, :]).sum(axis=-1) / same.sum(axis=-1)
    averaged = w_bar + stop_gradient(mean) - stop_gradient(w_bar)
    return averaged if looked is None else np.where(looked, w_bar, averaged)


def slopes_of_values(call: Any, function: str, w_dot: Any, near: bool) -> Any:
    """Return the tangents of eigenvalues; where some are `near`, their derivatives in reverse mode
    are refused, and so are second derivatives of their vectors.
    """
    if not near or not varies(call.a):
        return w_dot
    if call.vectors:
        raise GaugeError(text(SECOND, function))
    return forward_only(w_dot, text(SECOND, function))


@differentiable("w_bar", "w", core={"w_bar": 1, "w": 1, "same": 2})
def _even(w_bar, w, same, function):
    """Return w_bar, which must not differ among equal eigenvalues w where it has derivatives."""
    del function
    return np.broadcast_to(w_bar, np.broadcast_shapes(w_bar.shape, w.shape, same.shape[:-1]))


@_even.jvp
def _(call, t):
    slopes = (0 * x if dot is ZERO else dot for x, dot in ((call.w_bar, t.w_bar), (call.w, t.w)))
    bad = to_host(raw(_uneven(*map(stop_gradient, (call.w_bar, call.w, *slopes)), call.same)))
    if bad.any():
        i, j = first_place(bad)[-2:]
        raise GaugeError(UNEVEN.format(function=call.function, i=i, j=j))
    return t.w_bar


# w_bar = f'(w) of a symmetric f differs as the rounding of equal eigenvalues makes it differ, f''
# times that. How large f'' is, the derivatives say where w_bar itself, as at a minimum of f, is
# nothing but rounding.
def _uneven(w_bar: Any, w: Any, w_bar_dot: Any, w_dot: Any, same: Any) -> Any:
    epsilon, radius = np.finfo(w.dtype).eps, largest(w, -1)
    slope, speed = largest(w_bar_dot, -1), largest(w_dot, -1)
    size = largest(w_bar, -1) + radius * (slope / np.where(speed > 0, speed, np.inf))
    apart = np.abs(gaps(w)) / np.where(radius > 0, radius, 1)[..., None, None]
    rounding = (64 * w.shape[-1] * epsilon + apart) * size[..., None, None]
    sizes = np.abs(w_bar)
    rounding = np.maximum(
        rounding, np.sqrt(epsilon) * np.maximum(sizes[..., None, :], sizes[..., :, None])
    )
    with np.errstate(invalid="ignore"):
        return same & (np.abs(gaps(w_bar)) > rounding)


# v diag(x) v^H and diag(v^H a' v) do not show, to a reverse rule, how x would differ as equal
# eigenvalues separate.
@differentiable("x")
def forward_only(x, text):
    """Return x such that its derivatives in reverse mode, which are not determined, are refused."""
    del text
    return x


forward_only.jvp(lambda call, t: t.x)
forward_only.batched(lambda call, batched: forward_only(call.x, call.text))


@forward_only.vjp
def _(call, g):
    del g
    raise GaugeError(call.text)


# -- the infinitesimal


class Split(Infinitesimal):
    """value + e d, of one slope."""

    __slots__ = ()


def prepare_frame(a: Any, frame: tuple[Any, ...], equal: Any, gauge: str,
    adapted: Callable[[Any], tuple[Any, ...]],
             simple: bool) -> tuple[tuple[Any, ...], int | None]:  # fmt: skip
    """Return the frame that suits a derivative in a, which forward mode has `adapted` to its
    direction, and the level of the infinitesimal if reverse mode needs one, else None.
    """
    if simple or not looks(gauge, a):
        return frame, None
    if (tangent := direction(a)) is not None and has_pair(equal):
        frame = adapted(tangent)
    return frame, new_level() if type(a) is Recorded and not varies(a._value) else None


def under_vmap(attached: Callable[..., Any], a: Any, *frame: Any) -> tuple[Any, ...]:
    """Call attached(a, *frame) one level down, where the batch is an axis like any other, and what
    lies beneath can be seen.
    """
    inner = [x._value if isinstance(x, Batched) and x._level == a._level else x for x in frame]
    return tuple(Batched(x, a._level, a._loop) for x in attached(a._value, *inner))


def split(w: Any, level: int | None, step: Any) -> Any:
    """Return recorded values with an infinitesimal of this level beneath the box; w itself without
    a level.
    """
    return w if level is None else Recorded(Split(w._value, level, (step,)), w._level, w._node)


def value_and_slope(x: Any, level: int | None) -> tuple[Any, Any]:
    """Return value and slope of a cotangent; vmap and another decomposition may have put their
    boxes around them. The slope is None if something else did.
    """
    if isinstance(x, Split):
        return (x._value, *x._tangent) if x._level == level else _parts_of_another(x, level)
    if type(x) is Batched:
        value, slope = value_and_slope(x._value, level)
        return Batched(
            value, x._level, x._loop
        ), slope if slope is ZERO or slope is None else Batched(slope, x._level, x._loop)
    inner = x
    while (
        isinstance(inner, Traced)
        and inner is not ZERO
        and not (isinstance(inner, Split) and inner._level == level)
    ):
        inner = inner._value
    return x, None if isinstance(inner, Split) else ZERO


def _parts_of_another(x: Split, level: int | None) -> tuple[Any, Any]:
    """Return the parts of (v + e s) + e' (v' + e' s'), where e' separates the eigenvalues of
    another matrix.
    """
    (value, slope), (other_value, other_slope) = (
        value_and_slope(x._value, level),
        value_and_slope(*x._tangent, level),
    )
    if slope is None or other_slope is None:
        return x, None
    if slope is ZERO and other_slope is not ZERO:
        slope = np.zeros_like(value)
    again = [
        v if s is ZERO else Split(v, x._level, (s,))
        for v, s in ((value, other_value), (slope, other_slope))
    ]
    return again[0], again[1]


def direction(a: Any) -> Any:
    """Return the tangent of the nearest forward mode beneath reverse mode, or None."""
    while type(a) is Recorded:
        a = a._value
    tangent = (
        a._tangent[0]
        if isinstance(a, Infinitesimal)
        else a._tangent
        if isinstance(a, Dual)
        else ZERO
    )
    return None if tangent is ZERO else fill_absent(tangent)


# -- what is lost near equal values: computed ones are those of a + r with |r| of the size eps |a|,
# so that a quotient by their difference has the relative error eps |a| / gap


def _warn(function: str, divided: Any, divisor: Divisor, total: Any) -> None:
    """Warn if what was divided by small divisors takes more than half of the digits from a
    matrix.
    """
    if divisor.near is None or not exists(where := divisor.near & ~divisor.none):
        return
    divided, gap, size, total = map(stop_gradient, (divided, divisor.value, divisor.size, total))
    relative = np.where(where, np.abs(gap) / np.where(size > 0, size, 1), np.inf)
    half = np.abs(divided) * np.sqrt(np.finfo(divided.dtype).eps) > np.where(
        where, relative, 1
    ) * largest(total, (-2, -1), True)
    found = to_host(raw(np.where(half, relative, np.inf)))
    worst, all_digits = found.min(initial=np.inf), -np.log10(np.finfo(found.dtype).eps)
    if worst == np.inf:
        return
    from scipy.linalg import LinAlgWarning

    scale = "|a| times their condition number" if function == "eig" else "the largest"
    lost = f"{min(-np.log10(worst), all_digits):.0f} of {all_digits:.0f}"
    warn(text(LOST, function, scale=scale, gap=f"{worst:.0e}", lost=lost), LinAlgWarning)
