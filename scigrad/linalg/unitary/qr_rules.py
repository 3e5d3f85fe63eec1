"""The derivatives of a = q r, with orthonormal columns of q and r upper triangular (wide:
trapezoidal) with a real diagonal.

With k = min(m, n), the first k columns a_1 = q r_1 determine q. For y = a_1' r_1^-1 and x = q^H y,
q^H q' = w is antihermitian and x - w is upper triangular with a real diagonal, so w is what stands
below the diagonal of x, minus its adjoint, plus the imaginary part of the diagonal. Then q' = q w +
(1 - q q^H) y and r' = q^H a' - w r, for tall, square and wide matrices alike (Walter and Lehmann,
Algorithmic differentiation of linear algebra functions, Optimization Methods and Software 33 (2018)
1152-1173, section 3; Roberts and Roberts, QR and LQ decomposition matrix backpropagation (2020),
arXiv:2009.10071). There is no derivative where a_1 has not full rank: q then is not continuous.

With p = q^H q_bar - r_bar r^H and a square r, the reverse rule is a_bar = (q_bar - q h) r^-H, where
h is the Hermitian matrix whose upper triangle is that of p. In the range of q that is q (l r^-H +
r_bar), where l is what p - h has below its diagonal: its last column is 0, so that a small last
element of r costs no digits where it does not enter, in r and in a square q. One plain matrix on
the host is served by the quickest routines of LAPACK and BLAS, transposed: BLAS solves from the
right quicker than from the left, but for matrices stored by columns.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, differentiable, raw, shape_of

from ..foundation import failures
from ..foundation.factors import factorize
from ..foundation.failures import refuse_gauge
from ..foundation.lapack import routine
from ..foundation.matrices import (
    diagonal,
    frobenius,
    hermitian,
    is_complex,
    is_diagonal,
    is_host,
    mH,
)
from ..systems.solve import linear_solve


@differentiable("a", core={"a": 2, "q": 2, "r": 2})
def qr_with_rules(a, q, r, function="qr", gauge="trust"):
    """Return q and r of concrete matrices, now with derivatives. `gauge` is for algorithms that
    leave the phases on the diagonal of r open; LAPACK's factorization makes it real.
    """
    del function, gauge
    lead = np.broadcast_shapes(a.shape[:-2], q.shape[:-2])
    return np.broadcast_to(q, (*lead, *q.shape[-2:])), np.broadcast_to(r, (*lead, *r.shape[-2:]))


@qr_with_rules.jvp
def _(call, t):
    q, r = call.out
    m, k = shape_of(q)[-2:]
    factors = _factors(call)
    y = mH(linear_solve(r[..., :k], mH(t.a[..., :k]), factors=factors, adjoint=True))
    x = mH(q) @ y
    low = (np.tril(x) + np.tril(x, -1)) / 2
    w = low - mH(low)
    dq = q @ w
    return dq if m == k else dq + y - q @ x, np.triu(mH(q) @ t.a - w @ r)


# Open phases show on the diagonal of p.
@qr_with_rules.vjp
def _(call, g):
    (q, r), checks = call.out, call.gauge == "check" and is_complex(call.out[1])
    square = shape_of(r)[-2] == shape_of(r)[-1]
    if (
        square
        and not checks
        and len(shape_of(r)) == 2
        and len(r)
        and is_host(q, r, *(x for x in g if x is not ZERO))
    ):
        check_rank(call.function, raw(call.a), r)
        return {"a": _cotangent_of_square(q, r, *g)}
    inner, r_bar = mH(q) @ g[0], g[1] if g[1] is ZERO else np.triu(g[1])
    p = inner - r_bar @ mH(r)
    if checks:
        _refuse_phases(p, *g, r, call.function)
    if not square:
        return qr_with_rules.transposed(call, [(0, None)], g)
    rest = q @ _below(p) if _spans(q, g[0]) else q @ _below(p) + (g[0] - q @ inner)
    return {"a": mH(linear_solve(r, mH(rest), factors=_factors(call))) + q @ r_bar}


def _spans(q: Any, q_bar: Any) -> bool:
    """Return whether the cotangent of q is known to lie in the range of q: it is 0, or q is
    square.
    """
    return q_bar is ZERO or shape_of(q)[-2] == shape_of(q)[-1]


def _below(p: Any) -> Any:
    return np.tril(p - hermitian(p, False))


def _factors(call: Any) -> Any:
    """Return the factors of r_1 for linear_solve, refused where it is singular."""
    a, r = raw(call.a), raw(call.out[1])
    k = min(a.shape[-2:])
    r = r[..., :k]
    if is_host(r) and r.size:
        check_rank(call.function, a[..., :k], r)
    return factorize(call.function, r, "triangular", False, "nan", check_condition=False)


def check_rank(function: str, a: Any, r: Any) -> None:
    """Refuse to differentiate where a column of `a` depends on those before it."""
    limit = 4 * max(a.shape[-2:]) * np.finfo(a.dtype).eps * np.abs(a).max(axis=-2)
    dependent = np.abs(diagonal(r)) <= limit
    if dependent.any():
        *index, column = failures.first_place(dependent)
        raise failures.LinAlgError(
            f"{function}: column {column} of the factored matrix of shape "
            f"{a.shape}{failures.name_place(tuple(index))} depends on the columns before it, up to "
            "rounding. There q jumps, and neither q nor r has a derivative. Remove it, choose "
            "others with pivoting=True and keep the first ones, or write the loss with svd, pinv "
            "or lstsq, which are differentiable at constant rank."
        )


def _refuse_phases(moment: Any, q_bar: Any, r_bar: Any, r: Any, function: str) -> None:
    norm = sum(
        (frobenius(x) * size for x, size in ((q_bar, 1), (r_bar, frobenius(r))) if x is not ZERO),
        start=0,
    )
    what = (
        f"{function}: the loss depends on {{what}}, which the algorithm leaves open, so it "
        "has no derivative here. Write it "
    )
    advice = (
        "with quantities that do not depend on the choice (q r, |r|, q q^H), or drop that "
        "part with gauge='project'."
    )
    name = lambda i, _: f"the phase of column {i} of q and row {i} of r"  # noqa: E731
    refuse_gauge(np.imag(moment), is_diagonal(moment), norm, what + advice, name)


@differentiable("a")
def mark_undetermined(a, x, reason):
    """Return a result computed from `a` that has no derivative, for a reason."""
    del a, reason
    return x[...]


mark_undetermined.batched(lambda call, batched: mark_undetermined(call.a, call.x, call.reason))


@mark_undetermined.jvp
@mark_undetermined.vjp
def _(call, _):
    raise GaugeError(call.reason)


# -- one plain matrix on the host


_BLOCK = 32
WORTH_BLOCKS = 100  # columns from which on the recursive panels of geqrt win


def factor_in_blocks(a: Any) -> tuple[Any, Any]:
    """Return the economic q and r, with Householder's panels factored recursively (Elmroth and
    Gustavson, IBM Journal of Research and Development 44 (2000) 605-624), for which geqrf takes a
    column at a time.
    """
    char, k = a.dtype.char, min(a.shape)
    packed, blocks, _ = routine("geqrt", char)(_BLOCK, np.array(a, order="F"), overwrite_a=True)
    j = np.arange(k)
    r = np.triu(packed[:k])
    form = routine("ungqr" if is_complex(a) else "orgqr", char)
    return form(packed[:, :k], blocks[j % _BLOCK, j], lwork=_BLOCK * k, overwrite_a=True)[0], r


def _cotangent_of_square(q: Any, r: Any, q_bar: Any, r_bar: Any) -> Any:
    """Return the cotangent of a = q r with a square r."""
    char = r.dtype.char
    p = 0 if q_bar is ZERO else mH(q) @ q_bar
    if r_bar is not ZERO:
        p = p - mH(routine("trmm", char)(1.0, r, mH(np.triu(r_bar))))
    y = mH(_below(p)) if (spans := _spans(q, q_bar)) else mH(q_bar) - hermitian(p, False) @ mH(q)
    x = np.conjugate(routine("trsm", char)(1.0, r, y.T, side=1, trans_a=1, overwrite_b=True))
    return q @ (x if r_bar is ZERO else x + np.triu(r_bar)) if spans else x


__all__ = ["WORTH_BLOCKS", "qr_with_rules", "factor_in_blocks", "mark_undetermined"]
