"""Derivatives of some eigenpairs by linear systems, without the rest of the spectrum.

For A v_i = w_i M v_i, a change (A', M') gives R = A' V - M' V W, and for each pair one solution of

    [ A - w_i M   M V ] [ z  ]   [ -R_i ]
    [ U^H          0  ] [ mu ] = [  0   ]        U = M V if A and M are Hermitian, otherwise V

which is regular unless w_i is an eigenvalue outside of the wanted set too. For eigs, w_i' = -mu_i
and v_i' = z + V c with c_j = mu_j / (w_j - w_i), where equal eigenvalues within the set are
refused; c_i keeps v_i^H M v_i = 1.

Of Hermitian matrices Z = (z_1, z_2, ...) is what moves the space of the wanted vectors. V' = Z - V
V^H M' V / 2 keeps V^H M V = I and does not turn V within that space, so that H = V^H A V has H' =
(X + X^H) / 2, X = V^H (A' V - M' V H), and the wanted pairs are w and V Q with H Q = Q diag(w), of
a dense matrix, which has rules for equal eigenvalues.

A dense border fills the factors of a sparse matrix. For Hermitian ones mu = -V^H R_i is known. With
numbers D added to diagonal elements where the vectors V_i of w_i are largest, A - w_i M is regular,
and from (A - w_i M + D) y = -R_i - M V mu, which V_i is orthogonal to, follow V_i^H D y = 0 and D y
= 0. So z is y without its part in the span of V. For others D is one number at a stored place (p,
q) and mu that of v_i alone: the product with the left vector shows that y_q = 0, which determines
mu.
"""

from functools import partial
from typing import Any

import numpy as np

from scigrad.autodiff_rules import GaugeError, jvp, kernel, raw, stop_gradient
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.containers import map_leaves
from scigrad.autodiff_rules.custom import attach_rules
from scigrad.numpy.devices import on_host
from scigrad.typing import Array

from ... import linalg
from ...linalg.eigenvalues.degenerate_eigenvalues import group_values, tolerances
from ...linalg.eigenvalues.eigensystem import attach_eigen_rules
from ...linalg.foundation.failures import resolve_gauge
from ..array.arithmetic import as_matrix_array
from ..array.pattern import identity, is_sparse
from ..array.sparse_array import SparseArray
from ..blocks import block_array
from ..construction import diags_array
from ..loops import call_library_on_containers
from .direct import spsolve
from .implicit_rule import parameters
from .krylov import gmres
from .linear_operators import parametric
from .operators import adjoint_of, apply_operator


def _named(name: str, f: Any) -> Any:
    """Return a step of a function under the name of that function, for errors that are about it."""
    f.__name__ = name
    return f


class _Pairs:
    """Some (w, V) as a function of what varies in A and M."""

    def __init__(
        self, run: Any, put: Any, built: Any, hermitian: str, rough: bool, gauge: str | None
    ) -> None:
        self.run, self.put, self.built, self.hermitian, self.rough, self.whole = (
            run,
            put,
            built,
            hermitian,
            rough,
            False,
        )
        self.gauge = resolve_gauge(hermitian, gauge)
        values = _named(hermitian, lambda _, w, V: np.diag(w).astype(V.dtype))
        self.projected = attach_rules(values, self.forward_of_projected, None)
        self.basis = attach_rules(_named(hermitian, lambda _, w, V: V), self.forward_of_basis, None)

    def operators(self, given: Any) -> tuple[Any, Any]:
        A, M = self.put(given)[:2]
        return self.built(A), M

    def found(self, given: Any, **options: Any) -> Any:
        return call_library_on_containers(
            lambda given: self.run(*self.put(given), **options), given
        )

    def require_whole(self, given: Any, w: Any, V: Any) -> None:
        """Refuse a set with an eigenvalue that is one outside of it too, for which a bordered
        matrix is singular.
        """
        if not (
            self.whole
            or (
                self.rough
                and not np.any(on_host(raw(call_library_on_containers(self.may_cut, given, V))))
            )
        ):
            A, M, w, V = *self.operators(map_leaves(stop_gradient, given)), *stop_gradient((w, V))
            right = np.cos(np.arange(V.shape[0], like=raw(V)) ** 2.0).astype(V.dtype)
            sizes = np.stack(
                [
                    abs(_bordered(A, M, w, i, V, bool(self.hermitian), right)[0]).max()
                    for i in range(w.shape[-1])
                ]
            )
            if np.any(
                on_host(
                    raw(~(sizes * abs(w).max() < 1e-4 / np.finfo(w.dtype).eps) & np.isfinite(w))
                )
            ):
                raise GaugeError(
                    "one of the k eigenvalues is equal to one that is left out, so their set is "
                    "not differentiable. Choose k such that equal eigenvalues are all inside or "
                    "all outside of it."
                )
        self.whole = True

    def may_cut(self, given: Any, V: Any) -> Any:
        """Return whether another start leads, roughly, to other vectors: of an eigenvalue that is
        cut, each finds its own.
        """
        from scipy.sparse.linalg import ArpackError

        try:
            other = self.run(
                *self.put(given),
                v0=np.cos(np.arange(float(min(self.put(given)[0].shape))) ** 2),
                tol=1e-6,
            )[1]
        except ArpackError:  # nothing is known
            return np.True_
        basis = np.linalg.qr(V)[0]
        outside = other - basis @ (basis.conj().T @ other)
        return np.any(np.linalg.norm(outside, axis=0) > 1e-3 * np.linalg.norm(other, axis=0))

    def pairs(self, given: Any, vectors: bool = True) -> Any:
        """Return (w, V). If Hermitian, they are those of the small matrix H = V^H A V, by the rules
        of dense matrices, for a basis V of the wanted space that does not turn in it; losses of w
        alone need no derivative of V.
        """
        if not self.hermitian:
            return attach_rules(_named("eigs", partial(self.found)), self.forward, None)(given)
        *found, places = call_library_on_containers(self.in_order, map_leaves(stop_gradient, given))
        w, Q = self.decomposed(self.projected(given, *found), vectors)
        return w[places], vectors and (self.basis(given, *found) @ Q)[:, places]

    def in_order(self, given: Any) -> Any:
        """Return (w, V) in ascending order, w equal where it may be, and the places of the found
        pairs therein.
        """
        (w, V), (A, M) = self.run(*self.put(given)), self.operators(given)
        order = np.argsort(w)
        w, V = w[order], V[:, order]
        # an upper bound of the error of each value
        error = np.linalg.norm(apply_operator(A, V) - apply_operator(M, V) * w, axis=0).max()
        same = group_values(
            w, min(2 * error / max(abs(w).max(), np.finfo(w.dtype).tiny), tolerances(w)[1])
        )
        return np.stack([w[row].mean() for row in same]), V, np.argsort(order)

    def decomposed(self, H: Any, vectors: bool = True) -> Any:
        """Return eigenvalues and eigenvectors of H, whose own values are diagonal and in ascending
        order.
        """
        w, one = np.real(np.diagonal(stop_gradient(H))), np.eye(H.shape[-1], dtype=H.dtype)
        return attach_eigen_rules(H, w, one, f"sparse.linalg.{self.hermitian}", self.gauge, vectors)

    def forward_of_projected(self, args: Any, H: Any, t: Any) -> Any:
        self.require_whole(*args)
        V = self.basis(*args)
        of_A, of_M = self._change(args[0], t[0], V)
        X = V.conj().T @ (of_A - of_M @ H)
        return (X + X.conj().T) / 2

    def forward_of_basis(self, args: Any, V: Any, t: Any) -> Any:
        self.require_whole(*args)
        (A, M), H, (of_A, of_M) = (
            self.operators(args[0]),
            self.projected(*args),
            self._change(args[0], t[0], V),
        )
        w, Q = self.decomposed(H)
        R, U = (of_A - of_M @ H) @ Q, V @ Q
        Z = np.stack(
            [_bordered(A, M, w, i, U, True, -R[:, i])[0] for i in range(w.shape[-1])], axis=-1
        )
        return Z @ Q.conj().T - V @ (V.conj().T @ of_M) / 2

    def _change(self, given: Any, t: Any, V: Any) -> Any:
        """Return A' V and M' V for tangents A' and M' of the matrices."""
        return jvp(
            lambda given: [apply_operator(X, V) for X in self.operators(given)], (given,), (t,)
        )[1]

    def forward(self, args: Any, out: Array, t: Any) -> Any:
        (A, M), (w, V) = self.operators(args[0]), out
        self.require_whole(args[0], w, V)
        of_A, of_M = self._change(args[0], t[0], V)
        pairs = [
            _bordered(A, M, w, i, V, False, of_M[:, i] * w[i] - of_A[:, i])
            for i in range(w.shape[-1])
        ]
        Z, mu = (np.stack(part, axis=-1) for part in zip(*pairs, strict=True))
        gap = w[:, None] - w
        same = abs(gap) <= 64 * np.finfo(w.dtype).eps * abs(w).max()
        if np.any(on_host(raw(np.sum(same, axis=(-2, -1)) > w.shape[-1]))):
            raise GaugeError(
                "eigs: eigenvalues of the wanted set are equal, so that their vectors have no "
                "derivative"
            )
        turned = Z + V @ np.where(same, 0, mu / np.where(same, 1, gap))
        own = (apply_operator(M, V).conj() * turned + V.conj() * of_M / 2).sum(axis=0)
        return -np.diagonal(mu), turned - V * own


def _bordered(
    A: Any, M: Any, w: Any, i: int, V: Any, hermitian: bool, right: Any
) -> tuple[Any, Any]:
    """Solve the system above for w[i]; return z and mu."""
    (n, k), MV, shift, operators = (
        V.shape,
        apply_operator(M, V),
        w[i],
        hasattr(A, "matvec") or hasattr(M, "matvec"),
    )
    if is_sparse(A) and not operators:
        inner = as_matrix_array(A) - shift * as_matrix_array(
            identity(n, library(raw(MV))) if M is None else M
        )
        if hermitian:
            mu, peaks = (
                V.conj().T @ right,
                call_library_on_containers(lambda w, V, a: _peaks(w, V, a, i), w, V, inner.data),
            )
            y = spsolve((inner + diags_array(peaks)).tocsc(), right - MV @ mu, on_fail="nan")
            return y - V @ (MV.conj().T @ y), mu
        inner = inner.tocsc()
        peak, column = call_library_on_containers(lambda v, inner: _peak(v, inner), V[:, i], inner)
        both = spsolve(
            SparseArray(inner.data + peak, inner.pattern),
            np.stack([right, MV[:, i]], axis=-1),
            on_fail="nan",
        )
        mu = (column @ both)[0] / (column @ both)[1]
        return both[:, 0] - both[:, 1] * mu, mu * (np.arange(k, like=raw(V)) == i)
    U, right = MV if hermitian else V, np.concatenate([right, np.zeros_like(right, shape=(k,))])
    if operators:
        operator = parametric(_BORDERED, (A, M, shift, MV, U), (n + k, n + k), right.dtype)
        x = gmres(operator, right, rtol=1e3 * np.finfo(right.dtype).eps, restart=min(n + k, 200))[0]
    else:
        inner = A - shift * (np.eye(n, like=A) if M is None else M.toarray() if is_sparse(M) else M)
        x = linalg.solve(
            np.block([[inner, MV], [U.conj().T, np.zeros((k, k), inner.dtype, like=A)]]),
            right,
            on_fail="nan",
        )
    return x[:n], x[n:]


def _peaks(w: Any, V: Any, entries: Any, i: int) -> Any:
    """Return a diagonal with numbers of the size of the matrix where the vectors of values equal to
    w[i] are largest.
    """
    near = (abs(w - w[i]) <= 64 * np.finfo(w.dtype).eps * abs(w).max()) | (np.arange(w.size) == i)
    places = linalg.qr(np.nan_to_num(V[:, near]).conj().T, mode="r", pivoting=True)[-1][
        : near.sum()
    ]
    return abs(entries).max() * np.isin(np.arange(len(V)), places)


def _peak(v: Any, inner: Any) -> tuple[Any, Any]:
    """Return a number of the size of the matrix among its values where y_p v_q is largest, and a
    vector that is 1 at q.

    The left vector y is known well enough from a step of inverse iteration.
    """
    values, size = inner.copy(), abs(inner.data).max(initial=0)
    size = size + (size == 0)  # a multiple of the identity has `inner` 0
    values.data = inner.data + np.sqrt(np.finfo(inner.dtype).eps) * size * np.cos(
        np.arange(inner.nnz)
    )
    y, places = (
        kernel("sparse.linalg.splu")(values).solve(
            np.cos(np.arange(len(v))).astype(inner.dtype), "H"
        ),
        inner.tocoo(),
    )
    place = np.argmax(abs(y[places.row] * v[places.col]))
    return size * (np.arange(inner.nnz) == place), (np.arange(len(v)) == places.col[place]).astype(
        size.dtype
    )


def _bordered_product(v: Any, A: Any, M: Any, shift: Any, MV: Any, U: Any) -> Any:
    z, mu = np.split(v, [len(MV)])
    return np.concatenate(
        [apply_operator(A, z) - shift * apply_operator(M, z) + MV @ mu, U.conj().T @ z]
    )


_BORDERED = (
    _bordered_product,
    lambda u, A, M, w, MV, U: _bordered_product(u, adjoint_of(A), adjoint_of(M), np.conj(w), U, MV),
)


def eigenpairs(run: Any, A: Any, M: Any, *constants: Any, hermitian: str = "", vectors: bool = True,
               built: Any = lambda A: A, rough: bool = False,
               gauge: str | None = None) -> Any:  # fmt: skip
    """Return (w, V), or w, differentiable in what varies in A and M; `built` makes of A the matrix
    whose pairs they are, and `hermitian` is the name of the function, if that matrix is. run(...,
    vectors=False) returns w alone, and, if `rough`, run(..., v0=v0, tol=tol) the same from another
    start.
    """
    given, put = parameters((A, M, *map(stop_gradient, constants)))
    pairs = _Pairs(run, put, built, hermitian, rough, gauge)
    if vectors:
        return pairs.pairs(given)
    w = pairs.pairs(given, False)[0]
    both = np.concatenate([w, w.conj()])  # either run may keep either value of a pair that is cut
    return both[_places_of(pairs.found(given, vectors=False), both)]


def _places_of(out: Array, w: Any) -> Any:
    """Return the places in w of the values `out`."""
    from scipy.optimize import linear_sum_assignment

    return call_library_on_containers(
        lambda out, w: linear_sum_assignment(np.nan_to_num(abs(out[:, None] - w)))[1], out, w
    )


def both_sides(A: Any) -> Any:
    """Return [[0, A], [A^H, 0]], whose eigenvectors are (u, v) / sqrt(2)."""
    if hasattr(A, "matvec"):
        return parametric((_both_product, _both_product), (A,), (sum(A.shape),) * 2, A.dtype)
    if is_sparse(A):
        return block_array([[None, as_matrix_array(A)], [as_matrix_array(A).H, None]], format="csc")
    zeros = [np.zeros((size, size), A.dtype, like=A) for size in A.shape]
    return np.block([[zeros[0], A], [A.conj().T, zeros[1]]])


def _both_product(v: Any, A: Any) -> Any:
    return np.concatenate(
        [apply_operator(A, v[A.shape[0] :]), apply_operator(adjoint_of(A), v[: A.shape[0]])]
    )


__all__ = ["both_sides", "eigenpairs"]
