"""The Laplacian of a grid as an operator."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel

from .linear_operators import LinearOperator
from .operators import operated


class LaplacianNd(LinearOperator):
    """Laplacian of a uniform grid in any number of dimensions, as an operator.

    As `scipy.sparse.linalg.LaplacianNd`.

    Parameters
    ----------
    grid_shape : tuple of int
        Numbers of points along the axes.
    boundary_conditions : {"neumann", "dirichlet", "periodic"}, optional
        Conditions at the ends.
    dtype : dtype, optional
        Type of the matrix.

    Returns
    -------
    LaplacianNd
        Operator with SciPy's methods ``eigenvalues``, ``eigenvectors``, ``toarray`` and ``tosparse`` too.

    Notes
    -----
    Products are differentiable in the vector.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.linalg.LaplacianNd((3,), boundary_conditions="dirichlet")
    >>> print(grad(lambda v: (A @ v)[0])(np.ones(3)))
    [-2.  1.  0.]
    """

    def __init__(self, grid_shape: Any, *, boundary_conditions: str = "neumann", dtype: Any = np.int8) -> None:
        self._scipys = kernel("sparse.linalg.LaplacianNd")(grid_shape, boundary_conditions=boundary_conditions, dtype=dtype)
        super().__init__(dtype, self._scipys.shape)

    __signature__ = inspect.signature(__init__).replace(parameters=[*inspect.signature(__init__).parameters.values()][1:])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._scipys, name)

    def _matvec(self, x: Any) -> Any:
        return operated(x.reshape(-1), operator=self._scipys)

    def _matmat(self, X: Any) -> Any:
        return operated(X.T, operator=self._scipys).T

    def _adjoint(self) -> LaplacianNd:
        return self

    _transpose = _adjoint


__all__ = ["LaplacianNd"]
