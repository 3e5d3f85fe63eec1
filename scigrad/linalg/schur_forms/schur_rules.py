"""The derivative of a pair a = q s z^H, b = q p z^H with unitary q, z and triangular s, p; and that
of a = z t z^H, the pair with b = p = 1.

q' = q k and z' = z m with antihermitian k, m. With x = q^H a' z and y = q^H b' z

    s' = x - k s + s m,    p' = y - k p + p m,

so that below the diagonal k s - s m = x and k p - p m = y, where only the lower parts of k and m
come in, which is why they can be solved by columns. From the left: eliminating k leaves (s_jj p -
p_jj s) m_j = p_jj x_j - s_jj y_j, triangular, whose diagonal vanishes where eigenvalues are equal:
there k and m are `omitted`. The diagonals of k and m are the phases: their difference keeps p_jj
real, their sum is open.

In a 2 x 2 block of s, [[d, .], [0, e]] the one of p, only p has to stay triangular: k_21 d - e m_21
= r_21 with r = y - k p + p m for k and m outside of the blocks, of which the shortest solution
(k_21, m_21) = r_21 (d, -e) / (d^2 + e^2) is taken. The rotation (k_21, m_21) ~ (e, d) is open.

In reverse mode the cotangents of s and p are taken as those of full matrices. Below the diagonal s'
and p' are 0 whatever they are multiplied with, so that changes nothing where k and m are
determined; and between equal eigenvalues, where they are not, it gives losses that do not depend on
the choice, as <h, z f(t) z^H>, their right derivative. At a Jordan block this is valid for a loss
of t as a full matrix, and not for a loss of the eigenvalues on its diagonal, which have no
derivative there: "check" refuses such losses, "trust" does not. Among semisimple equal eigenvalues
"check" compares a loss of the forms alone with symmetric functions, and a loss of forms and bases
to first order only. A loss of the diagonals of s and p alone, such as the sum of all alpha / beta,
is refused where p is not diagonal: its cotangents are not those of full matrices.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import (
    ZERO,
    GaugeError,
    constant,
    differentiable,
    materialize,
    raw,
    stop_gradient,
)
from scigrad.autodiff_rules.vectorize import align_batches
from scigrad.typing import Array

from ..foundation import matrices
from ..foundation.failures import (
    each,
    exceeds_rounding,
    refuse_gauge,
    refuse_second,
    to_host,
    varies,
)
from ..foundation.lapack import host, triangular_solution
from ..foundation.matrices import (
    antihermitian,
    diagonal,
    frobenius,
    is_complex,
    is_diagonal,
    mH,
    place_on_diagonal,
    power_of_two,
)


@differentiable("s", "p", "x", "y", core={"s": 2, "p": 2, "x": 2, "y": 2, "omitted": 2})
def pair_solve(s, p, x, y, omitted, adjoint=False):
    """Solve for (k, m), strictly lower triangular, k s - s m = x and k p - p m = y below the
    diagonal, but where omitted; or, adjoint, k s^H + m p^H = x and -(s^H k + p^H m) = y there.
    """
    return tuple(each("qz", lambda *matrices: _solve(*matrices, adjoint), s, p, x, y, omitted)[0])


def _solve(s: Any, p: Any, x: Any, y: Any, omitted: Any, adjoint: bool) -> tuple[Any, Any]:
    if not all(np.isfinite(a).all() for a in (s, p, x, y)):
        return np.full_like(x, np.nan), np.full_like(y, np.nan)
    if not np.diagonal(s, -1).any():
        return _substituted(s, p, x, y, omitted, adjoint)
    # 2 x 2 blocks: triangular in other bases, which mix nothing but what is omitted together
    f, h, u, w = complex_pair(s, p)
    x, y = (np.where(omitted, 0, np.tril(a, -1)) for a in (x, y))
    x, y = (mH(u) @ x @ u, mH(w) @ y @ w) if adjoint else (mH(u) @ x @ w, mH(u) @ y @ w)
    k, m = _substituted(f, h, x, y, omitted, adjoint)
    k, m = (u @ k @ mH(w), u @ m @ mH(w)) if adjoint else (u @ k @ mH(u), w @ m @ mH(w))
    k, m = (np.where(omitted, 0, np.tril(a, -1)) for a in (k, m))
    return np.real(k), np.real(m)


def complex_pair(s: Any, p: Any) -> tuple[Any, Any, Any, Any]:
    """Return f, h, u, w of a block triangular pair (s, p) = u (f, h) w^H with triangular f and h; u
    and w act in the blocks. The first column of w is the null vector of s - x p with the eigenvalue
    x of a block, that of u its image.
    """
    u, w = (np.eye(len(s), dtype=np.result_type(s, np.complex64)) for _ in range(2))
    a, b = s / power_of_two(s), p / power_of_two(p)
    i = np.flatnonzero(np.diagonal(s, -1))
    j = i + 1
    half, det = (a[i, i] * b[j, j] + a[j, j] * b[i, i] - a[j, i] * b[i, j]) / 2, b[i, i] * b[j, j]
    x = (half + 1j * np.sqrt((a[i, i] * a[j, j] - a[i, j] * a[j, i]) * det - half**2 + 0j)) / det
    first, second = a[j, j] - x * b[j, j], -a[j, i]
    for turn, y, z in (
        (w, first, second),
        (u, b[i, i] * first + b[i, j] * second, b[j, j] * second),
    ):
        y, z = (v / np.hypot(np.abs(y), np.abs(z)) for v in (y, z))
        turn[i, i], turn[j, i], turn[i, j], turn[j, j] = y, z, -np.conj(z), np.conj(y)
    return np.triu(mH(u) @ s @ w), np.triu(mH(u) @ p @ w), u, w


def _substituted(s: Any, p: Any, x: Any, y: Any, omitted: Any, adjoint: bool) -> tuple[Any, Any]:
    n, eye = len(s), np.eye(len(s))
    u, v = np.zeros((2, n, n), np.result_type(s, p, x, y))
    for j in reversed(range(n - 1)) if adjoint else range(n - 1):
        i, kept = slice(j + 1, n), ~omitted[j + 1 :, j]
        low, up = s[i, i], p[i, i]
        size = np.hypot(abs(s[j, j]), abs(p[j, j])) or 1
        c, d = s[j, j] / size, p[j, j] / size
        matrix = (c * up - d * low) * (kept[:, None] & kept) + eye[i, i] * ~kept
        if adjoint:
            r = kept * (x[i, j] - u[i, i] @ s[j, i].conj() - v[i, i] @ p[j, i].conj()) / size
            right = y[i, j] + mH(low) @ (c * r) + mH(up) @ (d * r)
            z = triangular_solution(matrix, kept * right, adjoint=True)
            u[i, j], v[i, j] = c * r + d.conjugate() * z, d * r - c.conjugate() * z
        else:
            r, q = x[i, j] - u[i, :j] @ s[:j, j], y[i, j] - u[i, :j] @ p[:j, j]
            z = triangular_solution(matrix, kept * (d * r - c * q), adjoint=False)
            u[i, j] = kept * (c.conjugate() * (r + low @ z) + d.conjugate() * (q + up @ z)) / size
            v[i, j] = z
    return u, v


@pair_solve.jvp
def _(call, t):
    k, m = call.out
    if call.adjoint:
        dx, dy = k @ mH(t.s) + m @ mH(t.p), -(mH(t.s) @ k + mH(t.p) @ m)
    else:
        dx, dy = k @ t.s - t.s @ m, k @ t.p - t.p @ m
    x, y = (materialize(a - b, call.x) for a, b in ((t.x, dx), (t.y, dy)))
    return pair_solve(call.s, call.p, x, y, call.omitted, call.adjoint)


# The two systems are adjoint to each other; with (k, m) of the first and (u, v) of the second s_bar
# = u m^H - k^H u in both.
@pair_solve.vjp
def _(call, g):
    x, y = (materialize(a, b) for a, b in zip(g, call.out, strict=True))
    other = pair_solve(call.s, call.p, x, y, call.omitted, not call.adjoint)
    (k, m), (u, v) = (other, call.out) if call.adjoint else (call.out, other)
    return {
        "x": other[0],
        "y": other[1],
        "s": lambda: u @ mH(m) - mH(k) @ u,
        "p": lambda: v @ mH(m) - mH(k) @ v,
    }


@differentiable(
    "a", "b", core={"a": 2, "b": 2, "s": 2, "p": 2, "q": 2, "z": 2, "same": 2, "checked": 2}
)
def pair_with_rules(a, b, s, p, q, z, same, checked, gauge, function, similar=False):
    """Return s, p, q and z of a pair, with their derivatives in a and b. `same`: where eigenvalues
    are equal; `checked`: where an open choice would show, besides the phases; `similar`: q is z and
    p is constant, so that k = m.
    """
    del a, b, same, checked, gauge, function, similar
    return s, p, q, z


def form_with_rules(
    a: Any, t: Any, z: Any, same: Any, checked: Any, gauge: str, function: str
) -> tuple[Any, Any]:
    """Return t and z of a = z t z^H, with their derivatives in a: the pair of a and a multiple of 1
    of a's size.
    """
    one = power_of_two(t) * matrices.identity(t.shape[-1], t)
    t, _, _, z = pair_with_rules(a, one, t, one, z, z, same, checked, gauge, function, similar=True)
    return t, z


@pair_with_rules.jvp
def _(call, t):
    s, p, q, z = call.out
    _refuse_second(call)
    x, y = (materialize(mH(q) @ d @ z, s) for d in (t.a, t.b))
    low, right = pair_solve(s, p, x, y, call.same)
    by_k, by_m = _block_weights(s, p)
    rest = y - low @ p + p @ right
    low, right = low + by_k * rest, right - by_m * rest
    k, m = low - mH(low), right - mH(right)
    if is_complex(s):
        phases = place_on_diagonal(1j * np.imag(diagonal(y - k @ p + p @ m)) * _reciprocal(p) / 2)
        k, m = k + phases, m - phases
    ds, dp = x - k @ s + s @ m, y - k @ p + p @ m
    below = np.tril(~blocks(s), -1)
    if call.gauge == "check":
        for d, given in ((ds, x), (dp, y)):
            refuse_gauge(
                d,
                below & call.checked,
                frobenius(given),
                FORWARD.replace("FUNCTION", call.function),
                _choice,
            )
    return np.where(below, 0, ds), np.triu(dp), q @ k, z @ m


@pair_with_rules.vjp
def _(call, g):
    s, p, q, z = call.out
    _refuse_second(call)
    by_k, by_m = _block_weights(s, p)
    s_bar, p_bar, q_bar, z_bar = g
    of_k, of_m = _moments(call.out, g)
    sizes = [0 if x is ZERO else frobenius(x) for x in g]
    norm = sizes[2] + sizes[3] + 2 * sizes[0] * frobenius(s) + 2 * sizes[1] * frobenius(p)
    defective, open_ = (text.replace("FUNCTION", call.function) for text in (DEFECTIVE, REVERSE))
    if call.gauge == "check":
        refuse_gauge(of_k + of_m, is_diagonal(call.same), norm, open_, _choice)
        if not is_complex(s):
            turn = (by_m * of_k + by_k * of_m) / np.where(by_k == 0, 1, np.hypot(by_k, by_m))
            refuse_gauge(turn, np.tril(blocks(s)), norm, open_, _choice)
    if is_complex(s):  # what keeps the diagonal of p real acts as one more cotangent of it
        p_bar = p_bar + place_on_diagonal(
            1j * np.imag(diagonal(of_k) - diagonal(of_m)) * _reciprocal(p) / 2
        )
        of_k, of_m = _moments(call.out, (s_bar, p_bar, q_bar, z_bar))
    if call.similar:
        of_k, of_m = 0 * of_k, of_k + of_m
    rest = 2 * (by_k * of_k - by_m * of_m)
    # rounding errors would be divided by the gaps, and their products
    of_k, of_m = _beyond_rounding(of_k, norm), _beyond_rounding(of_m, norm)
    of_k, of_m = 2 * of_k - rest @ mH(p), 2 * of_m + mH(p) @ rest
    u, v = pair_solve(s, p, of_k, of_m, call.same, True)
    gradients = materialize(s_bar + u, s), materialize(p_bar + v + rest, p)
    if call.gauge == "check":
        # what a choice changes by way of eigenvalues between two equal ones counts too
        left = of_k - u @ mH(s) - v @ mH(p), of_m + mH(s) @ u + mH(p) @ v
        for x in (left[0] + left[1],) if call.similar else left:
            refuse_gauge(x / 2, np.tril(call.checked & ~blocks(s), -1), norm, open_, _choice)
        forms = (s, gradients[0]) if call.similar else (s, p, *gradients)
        refuse_repeated(
            *forms,
            call.checked,
            alone=q_bar is z_bar is ZERO,
            texts=(defective, open_),
            choice=_choice,
        )
    return {"a": q @ gradients[0] @ mH(z), "b": q @ gradients[1] @ mH(z)}


def _beyond_rounding(x: Any, norm: Any) -> Any:
    """Return x with zeros for what is rounding error; derivatives go through all of x."""
    return x - stop_gradient(np.where(exceeds_rounding(x, norm), 0, x))


def _block_weights(s: Any, p: Any) -> tuple[Any, Any]:
    """Return d / (d^2 + e^2) and e / (d^2 + e^2) below the diagonal of a 2 x 2 block, 0 elsewhere;
    complex forms have none.
    """
    if is_complex(s):
        return ZERO, ZERO
    inside = np.tril(blocks(s), -1)
    d = diagonal(p)
    own, other = np.where(inside, d[..., None, :], 1), np.where(inside, d[..., :, None], 0)
    size = np.hypot(own, other)
    return np.where(inside, own / size / size, 0), np.where(inside, other / size / size, 0)


def _moments(out: Array, g: Any) -> tuple[Any, Any]:
    """Return the cotangents of k and m (q' = q k, z' = z m), which are antihermitian."""
    s, p, q, z = out
    s_bar, p_bar, q_bar, z_bar = g
    of_k = mH(q) @ q_bar - s_bar @ mH(s) - p_bar @ mH(p)
    of_m = mH(z) @ z_bar + mH(s) @ s_bar + mH(p) @ p_bar
    return antihermitian(materialize(of_k, s)), antihermitian(materialize(of_m, s))


def _refuse_second(call: Any) -> None:
    """Refuse second derivatives by the factors by which solving magnifies right-hand sides and
    their relative error, for a pair scaled to norm 1.
    """
    if call.gauge == "check" and (varies(call.a) or varies(call.b)):
        s, p, same = (raw(x) for x in (*call.out[:2], call.same))
        of_s, of_p = (np.where(x > 0, x, 1)[..., None, None] for x in (frobenius(s), frobenius(p)))
        probe = np.tril(np.ones_like(s), -1)
        k, m = pair_solve(s / of_s, p / of_p, probe, probe, same)
        refuse_second(
            call.function, np.maximum(frobenius(k), frobenius(m)) / np.maximum(frobenius(probe), 1)
        )


def _choice(i: int, j: int) -> str:
    pair = f"the choice of columns {j} and {i}, whose eigenvalues are equal or make one block"
    return f"the phase of column {i}" if i == j else pair


def _reciprocal(p: Any) -> Any:
    """Return 1 / p_jj, and 0 for an infinite eigenvalue, whose phases turn too fast to be
    followed.
    """
    d, limit = diagonal(p), 64 * p.shape[-1] * np.finfo(p.dtype).eps * frobenius(p)
    negligible = np.abs(d) <= limit[..., None]
    return np.where(negligible, 0, 1 / np.where(negligible, 1, np.real(d)))


@constant(core={"s": 2, "p": 2})
def equal(s, p, gauge):
    """Return whether eigenvalues i and j of (block) triangular pairs, or those of their blocks, are
    equal, or not determined at all.
    """
    own, c, d = blocks(s), diagonal(s), diagonal(p)
    if not is_complex(s) and own.any():
        (f, h, *_), _ = each("qz", complex_pair, s, p, on_fail="nan")
        c, d = diagonal(f), diagonal(h)
    limit = 0 if gauge == "trust" else 64 * s.shape[-1] * np.finfo(s.dtype).eps
    unit_s, unit_p = (
        np.where(x > 0, x, 1) for x in (frobenius(s)[..., None], frobenius(p)[..., None])
    )
    c, d = c / unit_s, d / unit_p
    same = np.abs(c[..., :, None] * d[..., None, :] - c[..., None, :] * d[..., :, None]) <= limit
    together = 1.0 * (own | is_diagonal(own))
    return together @ same @ together > 0


REVERSE = (
    "FUNCTION: the loss depends on {what}, which is not determined, so it has no derivative here. "
    "Write it with quantities that do not depend on the choice (z f(t) z^H, the span of the "
    "leading columns of z, |t_ij|, alpha / beta), or pass gauge='project' to drop that part of "
    "the derivative."
)
FORWARD = (
    "FUNCTION: this derivative depends on {what}, which this direction separates: the form is not "
    "differentiable here. Reverse mode has the derivative of a loss that does not depend on the "
    "choice; gauge='project' drops that part."
)
DEFECTIVE = (
    "FUNCTION: equal eigenvalues are joined by a Jordan block, where they have no derivative. A "
    "loss that takes the forms as full matrices, as z f(t) z^H, trace(t @ t) or trace(solve(p, "
    "s)), has one: gauge='trust' says that yours does."
)


# -- losses of equal eigenvalues on the diagonal of a form, or of a pair of forms, that
# gauge="check" accepts
#
# The rules take the cotangent of a form as that of a full matrix. An eigenvalue s / p of
# multiplicity k has k null vectors v of the pair at it, or is joined by a Jordan block and has no
# derivative. A change p v x v^H of s changes it like the matrix x, so a loss of the forms alone,
# which has to be a symmetric function of eigenvalues, has there a gradient (p v)^H s_bar v that is
# a multiple of the identity. One form is a pair with p = 1.


@constant(core={"t": 2})
def blocks(t):
    """Return whether (i, j) lies in a 2 x 2 block on the diagonal of t, off the diagonal."""
    joined = np.zeros(t.shape, bool)
    i = np.arange(t.shape[-1] - 1)
    joined[..., i + 1, i] = diagonal(t, -1) != 0
    return joined | joined.mT


@constant
def refuse_repeated(*matrices, alone, texts, choice):
    """Raise GaugeError with the first text where equal eigenvalues are joined by a Jordan block,
    with the second where the loss of the forms `alone` is not symmetric in them. `matrices`: the
    forms, as many gradients, and which eigenvalues are equal.
    """
    *values, together = map(to_host, matrices)
    lead = np.broadcast_shapes(*(x.shape[:-2] for x in (*values, together)))
    *values, together = (np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (*values, together))
    repeated = (together & ~blocks(values[0]) & ~np.eye(together.shape[-1], dtype=bool)).any(
        axis=-1
    )
    for index in map(tuple, np.argwhere(repeated.any(axis=-1))):
        here = [x[index] for x in values]
        for members in (
            np.unique(together[index][repeated[index]], axis=0) if np.isfinite(here).all() else ()
        ):
            _check_repeated(
                here[: len(here) // 2], here[len(here) // 2 :], members, alone, texts, choice
            )


@refuse_repeated.batched
def _(call, batched):
    refuse_repeated(
        *align_batches(call.matrices, batched.matrices),
        alone=call.alone,
        texts=call.texts,
        choice=call.choice,
    )


def _check_repeated(
    forms: list[Any],
    gradients: list[Any],
    members: Any,
    alone: bool,
    texts: tuple[str, str],
    choice: Any,
) -> None:
    n, eps = len(members), np.finfo(forms[0].dtype).eps
    s, p = (
        x / (np.linalg.norm(x) or 1) for x in (forms[0], forms[1] if len(forms) == 2 else np.eye(n))
    )
    i = int(np.argmax(members))
    own = slice(i, i + 2 if s[i + 1, i] else i + 1)  # the last one has an equal one before it
    c, d = host("eigvals")(s[own, own], p[own, own], homogeneous_eigvals=True)[:, 0]
    _, sizes, vh = np.linalg.svd((d * s - c * p) / (np.hypot(abs(c), abs(d)) or 1))
    k = int(members.sum()) // (own.stop - own.start)
    if sizes[-k] > 100 * n * eps:
        raise GaugeError(texts[0])
    v = vh[-k:].conj().T
    left, gradient = max(
        ((p @ v, gradients[0]), (s @ v, gradients[-1])), key=lambda pair: np.linalg.norm(pair[0])
    )
    change = left.conj().T @ gradient @ v
    rest = np.abs(change - np.trace(change) / k * np.eye(k)).max()
    if alone and rest > 100 * np.sqrt(eps) * max(
        np.abs(x).max() for x in gradients
    ) * np.linalg.norm(left):
        first, second = np.flatnonzero(members)[:2]
        raise GaugeError(texts[1].format(what=choice(second, first)))


__all__ = ["pair_with_rules", "form_with_rules", "equal", "pair_solve"]
