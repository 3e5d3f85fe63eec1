"""linear_operator: a matrix given by the function that applies it, differentiable in the parameters of that function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Space, register_container, shape_of, space, vjp, vmap, zeros
from scigrad.autodiff_rules.custom import refuse_closed
from scigrad.autodiff_rules.spaces import flatten, is_inexact


class ParametricOperator:
    """Matrix given by a function ``f(v, *params)``; its adjoint is the transpose of f."""

    __array_ufunc__ = None  # u @ A is refused: A.T @ u

    def __init__(self, function: Any, params: Any, shape: Any, dtype: Any, *, transposed=False, conjugated=False) -> None:
        self.function, self.params, self.shape, self.dtype = function, params, shape, dtype
        self.transposed, self.conjugated = transposed, conjugated

    def matvec(self, v: Any) -> Any:
        """Return A v for a vector, or for each column of a matrix."""
        v = v if hasattr(v, "dtype") else np.asarray(v)
        if len(v.shape) not in (1, 2) or v.shape[0] != self.shape[1]:
            raise ValueError(f"dimension mismatch: an operator of shape {self.shape} and an array of shape {tuple(v.shape)}")
        if len(v.shape) == 2:
            return vmap(self.matvec, 1, 1)(v)
        v = v.conj() if self.conjugated else v
        out = self._pulled(v) if self.transposed else self.function(v, *self.params)
        return out.conj() if self.conjugated else out

    dot = __call__ = __matmul__ = matvec

    def rmatvec(self, u: Any) -> Any:
        """Return A^H u for a vector, or for each column of a matrix."""
        return self.H.matvec(u)

    def _pulled(self, u: Any) -> Any:
        start = zeros(Space(self.shape[:1], np.result_type(self.dtype, u.dtype), space(u).library))
        return vjp(lambda v: self.function(v, *self.params), start)[1](u)[0]

    def _turned(self, conjugated: bool) -> ParametricOperator:
        rest = self.function, self.params, self.shape[::-1], self.dtype
        return ParametricOperator(*rest, transposed=not self.transposed, conjugated=conjugated)

    H = property(lambda self: self._turned(self.conjugated), doc="The adjoint.")
    T = property(lambda self: self._turned(not self.conjugated), doc="The transpose.")


register_container(ParametricOperator, varying=("params",))


def linear_operator(f: Callable[..., Any], *params: Any, shape: tuple[int, int]) -> ParametricOperator:
    """Return the matrix that a function applies, as an operator whose derivative flows to the parameters of the function.

    Parameters
    ----------
    f : callable
        Function ``f(v, *params)`` of a vector of length n that returns one of length m, linear in v.
    *params : array_like or container
        Whatever in `f` varies; f may use constants from outside.
    shape : (m, n) tuple of int
        Shape of the matrix.

    Returns
    -------
    ParametricOperator
        Object with ``shape``, ``dtype``, ``matvec``, ``rmatvec``, ``@``, the adjoint ``H`` and the transpose ``T``. It is a
        container of `params`: transforms take it as an argument, and `cg` takes it as matrix and as preconditioner.

    Raises
    ------
    ValueError
        If `f` returns something else than a vector of length m.
    TracedValueError
        If `f` uses a traced value that is not among `params`.

    Notes
    -----
    `f` is called once with zeros to find the dtype. The adjoint is computed by transposing f in reverse mode, so that f has to
    consist of differentiable functions; under transforms of `matvec`, `rmatvec` and `cg` all orders of derivatives in `params`
    follow. Products with a matrix vectorize f over its columns.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> def loss(shift):
    ...     A = sparse.linalg.linear_operator(lambda v, s: 2 * v + s * v, shift, shape=(3, 3))
    ...     return sparse.linalg.cg(A, np.ones(3))[0].sum()
    >>> print(round(grad(loss)(1.0), 6))  # of 3 / (2 + s)
    -0.333333
    """
    m, n = shape
    arrays = [space(x) for x in flatten(params)[0] if is_inexact(x) and hasattr(x, "dtype")] or [Space((), np.dtype(float))]
    real = np.finfo(np.result_type(*(x.dtype for x in arrays))).dtype
    out = f(zeros(Space((n,), real, arrays[0].library)), *params)
    refuse_closed(f, out, params)
    if shape_of(out) != (m,):
        raise ValueError(f"linear_operator: f of a vector of length {n} has to return one of length {m}, not {out!r}")
    return ParametricOperator(f, params, (m, n), out.dtype)


__all__ = ["linear_operator"]
