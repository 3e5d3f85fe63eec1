"""Sums, products and matrix products of sparse arrays, traced or not, with each other and with
dense arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from scigrad.autodiff_rules import Traced, shape_of
from scigrad.autodiff_rules.backends import namespace
from scigrad.numpy.joining import assemble

from .numbering import as_constant, as_sparse_array, run_on_pairs
from .pattern import Pattern, family_of, is_sparse
from .products import gather_entries, sparse_product

if TYPE_CHECKING:
    from .sparse_array import SparseArray

Method = Callable[..., Any]


def as_matrix_array(a: Any) -> SparseArray:
    """Return any sparse array with two axes as one of ours."""
    a = as_sparse_array(a)
    a.pattern.require_matrix()
    return a


def is_scalar(x: Any) -> bool:
    """Return whether an operand is a number."""
    return not is_sparse(x) and shape_of(x) == ()


# -- matrix products


def sparse_matmul(left: Any, right: Any) -> Any:
    """Return left @ right where at least one is sparse; dense ones may be traced."""
    if is_scalar(left) or is_scalar(right):
        raise ValueError("Scalar operands are not allowed, use '*' instead")
    if is_sparse(left) and is_sparse(right):
        return _sparse_product(as_matrix_array(left), as_matrix_array(right))
    if is_sparse(left):
        return _times_dense(as_matrix_array(left), right)
    left = assemble(left)
    return np.swapaxes(_times_dense(as_matrix_array(right).T, np.swapaxes(left, 0, -1)), 0, -1)


def _times_dense(a: SparseArray, x: Any) -> Any:
    x = assemble(x)
    if len(x.shape) not in (1, 2) or x.shape[0] != a.shape[1]:
        raise ValueError(
            f"matmul: dimension mismatch: a sparse array of shape {a.shape} and a dense one of "
            f"{tuple(x.shape)}"
        )
    found = sparse_product(
        a.data, x.reshape((a.shape[1], *(x.shape[1:] or (1,)))), pattern=a.pattern
    )
    return found if len(x.shape) == 2 else found.reshape(found.shape[:-1])


def _sparse_product(a: SparseArray, b: SparseArray) -> SparseArray:
    """Multiply every stored value of a with the stored values in one row of b, and add the products
    at the same place.
    """
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"matmul: dimension mismatch: shapes {a.shape} and {b.shape}")
    form = a.format if a.format != "coo" else "csr"
    b = b.tocsr()
    indices, indptr = b.pattern.arrays
    xp = namespace(a.pattern.library)
    counts = (indptr[1:] - indptr[:-1])[a.pattern.cols]
    left = xp.repeat(xp.arange(a.nnz), counts)
    right = (
        xp.arange(left.size)
        - xp.repeat(xp.cumsum(counts) - counts, counts)
        + indptr[:-1][a.pattern.cols][left]
    )
    meeting = Pattern(
        "coo", (a.shape[0], b.shape[1]), (a.pattern.rows[left], indices[right]), a.pattern.family
    )
    data = gather_entries(a.data, places=left) * gather_entries(b.data, places=right)
    return meeting.sparse_array(data).asformat(form)


# -- elementwise


def multiply(a: Any, other: Any) -> Any:
    """Return a * other, elementwise, on the pattern of the sparse operand (on the common one of
    two).
    """
    if not is_sparse(a):
        return multiply(other, a)
    if is_scalar(other):
        a = as_sparse_array(a)
        return a.pattern.with_data(a.data * other)
    a = as_matrix_array(a)
    if is_sparse(other):
        b = as_matrix_array(other)
        _check_same_shape(a, b)
        if a.pattern == b.pattern and a.pattern.is_canonical:
            return a.pattern.sparse_array(a.data * b.data)
        return run_on_pairs(
            lambda a, b: a.multiply(b), a.tocsr().canonical(), b.tocsr().canonical()
        )
    other = assemble(other)
    if np.broadcast_shapes(a.shape, other.shape) != a.shape:
        raise ValueError(
            f"inconsistent shapes: a sparse array of shape {a.shape} times a dense one of shape "
            f"{other.shape}"
        )
    other = other.reshape((1,) * (2 - len(other.shape)) + other.shape)
    rows, cols = a.pattern.rows * (other.shape[0] > 1), a.pattern.cols * (other.shape[1] > 1)
    return a.pattern.with_data(a.data * other[rows, cols])


def add(a: Any, b: Any) -> Any:
    """Return a + b: sparse if both are (on the union of the patterns), dense if one is dense."""
    if is_sparse(a) and is_sparse(b):
        return _union(as_sparse_array(a), as_sparse_array(b))
    sparse, dense = (a, b) if is_sparse(a) else (b, a)
    if is_scalar(dense):
        if isinstance(dense, Traced) or dense != 0:
            raise NotImplementedError("adding a nonzero scalar to a sparse array is not supported")
        return sparse.copy()
    return as_matrix_array(sparse).toarray() + dense


def _union(a: SparseArray, b: SparseArray) -> SparseArray:
    _check_same_shape(a, b)
    if a.pattern == b.pattern:
        return a.pattern.sparse_array(a.data + b.data)
    places = zip(a.tocoo().pattern.arrays, b.tocoo().pattern.arrays, strict=True)
    both = Pattern(
        "coo", a.shape, (*map(namespace(a.pattern.library).concatenate, places),), a.pattern.family
    )
    found = both.sparse_array(np.concatenate([a.data, b.data], axis=-1))
    return found if a.ndim != 2 else found.asformat(a.format if a.format != "coo" else "csr")


def _check_same_shape(a: SparseArray, b: SparseArray) -> None:
    if a.shape != b.shape:
        raise ValueError(f"inconsistent shapes: {a.shape} and {b.shape}")


# -- operators


def apply_times(a: Any, b: Any) -> Any:
    """Apply `*`: elementwise for sparse arrays, the matrix product for SciPy's older matrix
    classes.
    """
    # the left one of two says which, as in SciPy
    older = family_of(a if is_sparse(a) else b) == "matrix"
    return sparse_matmul(a, b) if older and not (is_scalar(a) or is_scalar(b)) else multiply(a, b)


def subtract(a: Any, b: Any) -> Any:
    """Return a - b, as `add` does."""
    return add(a, -b)


def divide(a: Any, b: Any) -> Any:
    """Return a / b of a sparse array and a dense one or a number."""
    if not is_sparse(a):
        raise TypeError(
            "division of a dense value by a sparse array is infinite outside its pattern. Divide "
            "by A.toarray()."
        )
    if is_sparse(b):
        raise NotImplementedError(
            "a sparse divisor A is 0 outside its pattern. Divide by its data or by A.toarray()."
        )
    return multiply(a, 1 / (np.asarray(b) if isinstance(b, (list, tuple)) else b))


def power(a: SparseArray, n: Any, dtype: Any = None) -> Any:
    """Return a ** n, entry by entry."""
    if not is_scalar(n):
        raise NotImplementedError("A ** n of a traced sparse array needs a number n")
    if not isinstance(n, Traced) and n == 0:
        raise NotImplementedError(
            "zero power is not supported as it would densify the matrix: np.ones(A.shape)"
        )
    a = a.distinct()
    found = a.pattern.sparse_array(a.data**n)
    return found if dtype is None else found.astype(dtype)


def apply_power(a: SparseArray, n: Any) -> Any:
    """Apply `**`, entry by entry."""
    if a.pattern.family == "matrix":
        raise NotImplementedError(
            "A ** n of a traced csr_matrix, a product of matrices: use csr_array and A @ A, or "
            "A.power(n)"
        )
    return power(a, n)


def compare(name: str) -> Method:
    """Return a comparison, which is a constant: SciPy's sparse array of bool, or a dense one beside
    a dense operand.
    """
    return lambda a, b: getattr(operator, name)(
        as_constant(a, by_values=True), as_constant(b, by_values=True)
    )


def reflect(function: Method) -> Method:
    """Return the operator of the right operand."""
    return lambda self, other: function(other, self)


OPERATORS = {
    "matmul": sparse_matmul,
    "mul": apply_times,
    "add": add,
    "sub": subtract,
    "truediv": divide,
} | {name: compare(name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}


def operate(name: str, left: Any, right: Any) -> Any:
    """Apply an operator between a traced array and a sparse one, for the operators of traced
    arrays.
    """
    return OPERATORS.get(name, lambda *_: NotImplemented)(left, right)


# -- methods that act on the stored values


def apply_entrywise(function: Callable[[Any], Any]) -> Method:
    """Return the method that applies a function which is 0 at 0 to every value."""

    def method(self: SparseArray) -> Any:
        a = self.distinct()
        return a.pattern.with_data(function(a.data))

    return method


def declare_extreme(function: Any) -> Method:
    """Return maximum or minimum, on the union of the patterns; beside a number, on the pattern."""

    def method(self: SparseArray, other: Any) -> Any:
        if is_scalar(other) and function(0, other) == 0:
            return apply_entrywise(lambda data: function(data, other))(self)
        if not is_sparse(other):
            raise NotImplementedError(
                f"the {function.__name__} with that operand is not 0 outside the pattern: "
                "A.toarray()"
            )
        zeros = apply_entrywise(np.zeros_like)
        a, b = self.distinct(), as_matrix_array(other).distinct()
        left, right = add(a, zeros(b)), add(zeros(a), b)
        return left.pattern.with_data(function(left.data, right.data))

    return method


__all__ = [
    "add", "apply_entrywise", "apply_power", "apply_times", "as_matrix_array", "compare",
    "declare_extreme", "divide", "is_scalar", "multiply", "operate", "power", "reflect",
    "sparse_matmul", "subtract",
]  # fmt: skip
