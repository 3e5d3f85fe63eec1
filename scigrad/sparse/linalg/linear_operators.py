"""Linear operators: matrices given by the functions that apply them, their adjoints, sums and
products.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from functools import partial
from types import GenericAlias
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Space, register_container, shape_of, space, vjp, vmap, zeros
from scigrad.numpy.joining import assemble

from ..array.pattern import is_sparse


def _array(x: Any) -> Any:
    if is_sparse(x):
        raise TypeError("Unable to multiply a LinearOperator with a sparse matrix.")
    return np.asarray(x) if isinstance(x, np.matrix) else assemble(x)


def _is_number(x: Any) -> bool:
    return shape_of(x) == () and not isinstance(x, LinearOperator)


def _as_ours(x: Any) -> Any:
    from .operators import aslinearoperator

    return aslinearoperator(x) if hasattr(x, "matvec") else x


class LinearOperator:
    """Matrix given by the functions that apply it.

    As `scipy.sparse.linalg.LinearOperator`, also by subclasses that define ``_matvec`` or
    ``_matmat``.

    Parameters
    ----------
    shape : (int, int)
        Shape (m, n) of the matrix.
    matvec : callable
        Function v -> A v.
    rmatvec : callable, optional
        Function u -> A^H u.
    matmat : callable, optional
        The same as `matvec` for matrices, by default column by column.
    dtype : dtype, optional
        Type of the matrix, by default that of the product with a vector of small integers.
    rmatmat : callable, optional
        The same as `rmatvec` for matrices, by default column by column.

    Returns
    -------
    LinearOperator
        Object with ``matvec``, ``rmatvec``, ``matmat``, ``rmatmat``, ``@``, ``H``, ``T``, ``+``,
        ``-``, ``*`` and ``**``.

    Notes
    -----
    The functions are called with traced arrays, so that products are differentiable as far as the
    functions are. The solvers take an operator for a constant; `linear_operator` makes one with
    parameters in which they are differentiable, and needs no ``rmatvec``. `aslinearoperator` makes
    an operator of a matrix or of one of SciPy's.

    The functions may compute elsewhere. For a matrix in row blocks on a cluster, a Dask array of
    sparse blocks, ``A @ x``, `cg`, `gmres` and `lobpcg` take an operator whose ``matvec`` joins the
    products ``block @ v`` and whose ``rmatvec`` adds up ``u_block @ block``, each computed where
    its block is. Vectors are plain arrays of the calling process; derivatives exist in them, not in
    the entries of the blocks.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.linalg.LinearOperator((2, 2), matvec=lambda v: np.array([2.0, 3.0]) * v)
    >>> print(grad(lambda v: ((A + A) @ v).sum())(np.ones(2)))
    [4. 6.]
    """

    dtype: Any
    shape: tuple[int, int]
    __call__: Callable[..., Any]

    # LinearOperator[float] in annotations, as SciPy's class
    __class_getitem__: Any = classmethod(GenericAlias)
    __array_ufunc__ = None  # `u @ A` calls our __rmatmul__
    ndim = 2

    def __new__(cls, *_: Any, **__: Any) -> Any:
        if cls is LinearOperator:
            return super().__new__(_OfFunctions)
        if (
            cls._matvec is LinearOperator._matvec
            and cls._matmat is LinearOperator._matmat
            and cls is not _OfFunctions
        ):
            warnings.warn(
                f"{cls.__name__} should implement at least one of _matvec and _matmat.",
                RuntimeWarning,
                stacklevel=2,
            )
        return super().__new__(cls)

    def __init__(self, dtype: Any, shape: Any) -> None:  # what subclasses call
        m, n = shape
        self.dtype, self.shape = None if dtype is None else np.dtype(dtype), (int(m), int(n))

    @property
    def __class__(self) -> Any:
        """The class that functions of SciPy and of other libraries ask for."""
        from scipy.sparse.linalg import LinearOperator

        return LinearOperator

    def __reduce__(self) -> Any:
        return object.__new__, (type(self),), self.__dict__

    # -- what subclasses define, one of the first two at least

    def _matvec(self, x: Any) -> Any:
        return self._matmat(x.reshape(-1, 1))

    def _matmat(self, X: Any) -> Any:
        if getattr(self._matvec, "__func__", None) is LinearOperator._matvec:
            raise NotImplementedError(f"{type(self).__name__} defines neither _matvec nor _matmat")
        return np.stack([self.matvec(X[:, j]) for j in range(X.shape[1])], axis=-1)

    def _rmatvec(self, x: Any) -> Any:
        if type(self)._rmatmat is not LinearOperator._rmatmat:
            return self._rmatmat(x.reshape(-1, 1))
        if type(self)._adjoint is LinearOperator._adjoint:
            raise NotImplementedError(
                "the adjoint of this LinearOperator is needed and not defined. Pass rmatvec=, or "
                f"use linear_operator(f, shape={self.shape}), which derives it."
            )
        return self._adjoint().matvec(x)

    def _rmatmat(self, X: Any) -> Any:
        return np.stack([self.rmatvec(X[:, j]) for j in range(X.shape[1])], axis=-1)

    def _adjoint(self) -> Any:
        return parametric(_ITSELF, (self,), self.shape, self.dtype).adjoint()

    def _transpose(self) -> Any:
        return parametric(_ITSELF, (self,), self.shape, self.dtype).transpose()

    # -- products

    def _applied(self, x: Any, function: Any, shape: tuple[int, ...], matrices: bool) -> Any:
        x = _array(x)
        fits = len(x.shape) == 2 if matrices else x.shape[1:] in ((), (1,))
        if not fits or x.shape[:1] != shape[1:]:
            raise ValueError(
                f"dimension mismatch: an operator of shape {shape} and an array of shape "
                f"{tuple(x.shape)}"
            )
        return _array(function(x)).reshape((shape[0], *x.shape[1:]))

    def matvec(self, x: Any) -> Any:
        """Return A x for x of shape (n,) or (n, 1)."""
        return self._applied(x, self._matvec, self.shape, False)

    def rmatvec(self, x: Any) -> Any:
        """Return A^H x for x of shape (m,) or (m, 1)."""
        return self._applied(x, self._rmatvec, self.shape[::-1], False)

    def matmat(self, X: Any) -> Any:
        """Return A X for X of shape (n, k)."""
        return self._applied(X, self._matmat, self.shape, True)

    def rmatmat(self, X: Any) -> Any:
        """Return A^H X for X of shape (m, k)."""
        return self._applied(X, self._rmatmat, self.shape[::-1], True)

    def dot(self, x: Any) -> Any:
        """Return A x for a vector, a matrix, a number or an operator."""
        x = _as_ours(x)
        if isinstance(x, LinearOperator):
            if self.shape[1] != x.shape[0]:
                raise ValueError(
                    f"cannot multiply operators of the shapes {self.shape} and {x.shape}"
                )
            return _combined(_PRODUCT, (self, x), (self.shape[0], x.shape[1]))
        if _is_number(x):
            return _combined(_SCALED, (self, x), self.shape)
        x = _array(x)
        return self.matmat(x) if len(x.shape) == 2 and x.shape[1] != 1 else self.matvec(x)

    __mul__ = __call__ = dot

    def __matmul__(self, x: Any) -> Any:
        if _is_number(x):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self.dot(x)

    def __rmul__(self, x: Any) -> Any:
        return self.dot(x) if _is_number(x) else self.T.dot(_array(x).T).T

    def __rmatmul__(self, x: Any) -> Any:
        return self.T.__matmul__(_array(x).T).T

    def __add__(self, other: Any) -> Any:
        other = _as_ours(other)
        if not isinstance(other, LinearOperator):
            return NotImplemented
        if self.shape != other.shape:
            raise ValueError(f"cannot add operators of the shapes {self.shape} and {other.shape}")
        return _combined(_SUM, (self, other), self.shape)

    def __neg__(self) -> Any:
        return self.dot(-1)

    def __sub__(self, other: Any) -> Any:
        return self.__add__(-other)

    def __truediv__(self, x: Any) -> Any:
        if not _is_number(x):
            raise ValueError("Can only divide a linear operator by a scalar.")
        return self.dot(1.0 / x)

    def __pow__(self, p: Any) -> Any:
        if not _is_number(p):
            return NotImplemented
        if self.shape[0] != self.shape[1] or p != int(p) or p < 0:
            raise ValueError(
                "a power needs a square operator and an integer that is not negative, not "
                f"{self.shape} and {p}"
            )
        return _combined(_POWER, (self, int(p)), self.shape)

    def adjoint(self) -> Any:
        """Return the conjugate transpose."""
        return self._adjoint()

    def transpose(self) -> Any:
        """Return the transpose."""
        return self._transpose()

    H = property(lambda self: self.adjoint(), doc="The adjoint.")
    T = property(lambda self: self.transpose(), doc="The transpose.")

    def __repr__(self) -> str:
        kind = "unspecified dtype" if self.dtype is None else f"dtype={self.dtype}"
        return "<{}x{} {} with {}>".format(*self.shape, type(self).__name__, kind)


class _OfFunctions(LinearOperator):
    def __init__(self, shape: Any, matvec: Any, rmatvec: Any = None, matmat: Any = None,
        dtype: Any = None,
                 rmatmat: Any = None) -> None:  # fmt: skip
        super().__init__(dtype, shape)
        self.args = ()
        given = {"_matvec": matvec, "_rmatvec": rmatvec, "_matmat": matmat, "_rmatmat": rmatmat}
        self.__dict__.update(
            {name: function for name, function in given.items() if function is not None}
        )
        if self.dtype is None:
            try:
                self.dtype = self.matvec(np.zeros(self.shape[1], np.int8)).dtype
            except OverflowError:  # NumPy's for a Python integer of more than 8 bits
                self.dtype = self.matvec(np.zeros(self.shape[1], int)).dtype


LinearOperator.__signature__ = inspect.signature(partial(_OfFunctions.__init__, None))  # type: ignore[attr-defined]


class ParametricOperator(LinearOperator):
    """Matrix given by a function ``f(v, *params)``; its adjoint is another function, or the
    transpose of f.
    """

    backward: Any
    function: Any
    params: Any
    conjugated: bool
    transposed: bool

    def __init__(self, function: Any, params: Any, shape: Any, dtype: Any, *, backward: Any=None,
        transposed: Any=False,
                 conjugated: Any=False) -> None:  # fmt: skip
        super().__init__(dtype, shape)
        self.function, self.params, self.backward = function, params, backward
        self.transposed, self.conjugated = transposed, conjugated

    def _matvec(self, x: Any) -> Any:
        v = x.reshape(-1)
        v = v.conj() if self.conjugated else v
        out = self._pulled(v) if self.transposed else self.function(v, *self.params)
        return out.conj() if self.conjugated else out

    def _matmat(self, X: Any) -> Any:
        return vmap(self._matvec, 1, 1)(X)

    def _rmatmat(self, X: Any) -> Any:
        return self.H.matmat(X)

    def _pulled(self, u: Any) -> Any:
        if self.backward is not None:
            return self.backward(u, *self.params)
        start = zeros(Space(self.shape[:1], np.result_type(self.dtype, u.dtype), space(u).library))
        return vjp(lambda v: self.function(v, *self.params), start)[1](u)[0]

    def _turned(self, conjugated: bool) -> ParametricOperator:
        rest = self.function, self.params, self.shape[::-1], self.dtype
        return ParametricOperator(
            *rest, backward=self.backward, transposed=not self.transposed, conjugated=conjugated
        )

    def _adjoint(self) -> Any:
        return self._turned(self.conjugated)

    def _transpose(self) -> Any:
        return self._turned(not self.conjugated)


register_container(ParametricOperator, varying=("params",))

# -- algebra


def parametric(pair: tuple[Any, Any], params: Any, shape: Any, dtype: Any) -> ParametricOperator:
    """Return the matrix of a pair of functions of a vector and parameters, A v and A^H u."""
    return ParametricOperator(pair[0], params, shape, dtype, backward=pair[1])


def _combined(pair: tuple[Any, Any], params: Any, shape: Any) -> ParametricOperator:
    return parametric(
        pair, params, shape, np.result_type(*(getattr(x, "dtype", None) or x for x in params))
    )


def _apply_power(v: Any, A: Any, p: int) -> Any:
    for _ in range(p):
        v = A.matvec(v)
    return v


# By name, so that operators can be pickled: the product, and that of the adjoint.


def _itself(v: Any, A: Any) -> Any:
    return A.matvec(v)


def _itself_adjoint(u: Any, A: Any) -> Any:
    return A.rmatvec(u)


def _sum(v: Any, A: Any, B: Any) -> Any:
    return A.matvec(v) + B.matvec(v)


def _sum_adjoint(u: Any, A: Any, B: Any) -> Any:
    return A.rmatvec(u) + B.rmatvec(u)


def _apply_product(v: Any, A: Any, B: Any) -> Any:
    return A.matvec(B.matvec(v))


def _product_adjoint(u: Any, A: Any, B: Any) -> Any:
    return B.rmatvec(A.rmatvec(u))


def _apply_scaled(v: Any, A: Any, alpha: Any) -> Any:
    return alpha * A.matvec(v)


def _scaled_adjoint(u: Any, A: Any, alpha: Any) -> Any:
    return np.conj(alpha) * A.rmatvec(u)


def _power_adjoint(u: Any, A: Any, p: int) -> Any:
    return _apply_power(u, A.H, p)


_ITSELF, _SUM, _PRODUCT = (
    (_itself, _itself_adjoint),
    (_sum, _sum_adjoint),
    (_apply_product, _product_adjoint),
)
_SCALED, _POWER = (_apply_scaled, _scaled_adjoint), (_apply_power, _power_adjoint)

__all__ = ["LinearOperator"]
