"""The traced sparse array: static pattern, traced values, SciPy's methods.

SciPy and CuPy cannot hold traced values, so that inside a transform a sparse array is of this
class, and outside of theirs. What its operators do is in arithmetic.py, and what is run on the
numbers of its values in methods.py.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from scigrad.autodiff_rules import Traced, kernel
from scigrad.autodiff_rules.messages.explanations import traced_sparse_into_plain_array
from scigrad.autodiff_rules.trace import plain_array
from scigrad.typing import Array, ArrayLike, Axes, DTypeLike, SparseLike

from .arithmetic import (
    add,
    apply_entrywise,
    apply_power,
    apply_times,
    compare,
    declare_extreme,
    divide,
    is_scalar,
    multiply,
    power,
    reflect,
    sparse_matmul,
    subtract,
)
from .methods import (
    assign_values,
    attribute_of_pattern,
    declare_extreme_of_values,
    label_format,
    run_in_place,
    run_on_places,
    run_on_values,
    select_part,
)
from .numbering import run_on_numbers
from .pattern import FORMATS, LABELS, Pattern, Regrouping
from .products import gather_entries, sum_entries


class SparseArray:
    """Sparse array whose stored values are traced, or a batch of values on one pattern.

    Parameters
    ----------
    data : (..., nnz) array
        Stored values.
    pattern : Pattern
        Places of the values.
    """

    data: Any
    pattern: Pattern

    __slots__ = ("data", "pattern")
    __array_ufunc__ = None  # `array @ sparse` calls our __rmatmul__
    __array_priority__: float = 1001.0

    def __init__(self, data: Any, pattern: Pattern) -> None:
        self.data = data
        self.pattern = pattern

    # -- what it is

    shape: property = property(lambda self: self.pattern.shape)
    dtype: property = property(lambda self: self.data.dtype)
    ndim: property = property(lambda self: len(self.pattern.shape))
    format: property = property(lambda self: self.pattern.name)
    nnz: property = property(lambda self: self.pattern.nnz)
    size: property = nnz

    def __repr__(self) -> str:
        kind = (
            "traced"
            if isinstance(self.data, Traced)
            else f"batch of shape {self.data.shape[:-1]} on a"
        )
        return f"<{kind} {self.pattern!r}: {self.data!r}>"

    def __bool__(self) -> bool:
        raise ValueError("The truth value of an array with more than one element is ambiguous.")

    def __len__(self) -> int:
        raise TypeError("sparse array length is ambiguous; use getnnz()")

    if not TYPE_CHECKING:  # an editor reports a misspelt name only if there is no __getattr__
        __getattr__ = attribute_of_pattern

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return plain_array(self, sys._getframe(1), traced_sparse_into_plain_array)  # pyright: ignore[reportPrivateUsage]

    # -- other formats

    def _regrouped(self, to: Regrouping) -> SparseArray:
        data = self.data
        if to.order is not None:
            data = gather_entries(data, places=to.order)
        elif to.target is not None:
            data = sum_entries(data, places=to.target, size=to.pattern.nnz)
        return to.pattern.sparse_array(data)

    def asformat(self, format: str | None, copy: bool = False) -> SparseArray:
        if format is not None and format not in FORMATS + LABELS:
            raise ValueError(f"Format {format} is unknown; it can be one of {FORMATS + LABELS}.")
        if format in LABELS and format != self.format:
            return label_format(self, format)
        return (
            self
            if format in (None, self.format)
            else self._regrouped(self.pattern.converted(format))
        )

    def tocsr(self, copy: bool = False) -> SparseArray:
        return self.asformat("csr")

    def tocsc(self, copy: bool = False) -> SparseArray:
        return self.asformat("csc")

    def tocoo(self, copy: bool = False) -> SparseArray:
        return self.asformat("coo")

    def todia(self, copy: bool = False) -> SparseArray:
        return self.asformat("dia")

    def tolil(self, copy: bool = False) -> SparseArray:
        return self.asformat("lil")

    def todok(self, copy: bool = False) -> SparseArray:
        return self.asformat("dok")

    def tobsr(self, blocksize: tuple[int, int] | None = None, copy: bool = False) -> SparseArray:
        return label_format(self, "bsr", blocksize=blocksize)

    def canonical(self) -> SparseArray:
        """Return the array sorted, with duplicates added up (csr and csc)."""
        return self._regrouped(self.pattern.converted("csc" if self.format == "csc" else "csr"))

    def distinct(self) -> SparseArray:
        """Return the array with every place stored once, for functions that are not linear: |a| +
        |b| is not |a + b|.
        """
        if not self.pattern.has_duplicates:
            return self
        found = self.canonical().asformat(self.pattern.format)
        return SparseArray(
            found.data, found.pattern.labelled(self.pattern.family, self.pattern.label)
        )

    def copy(self) -> SparseArray:
        return SparseArray(self.data, self.pattern)

    def astype(self, dtype: Any, casting: str = "unsafe", copy: bool = True) -> Any:
        return self.pattern.with_data(self.data.astype(dtype))

    def toarray(self, order: Any = None, out: Array | None = None) -> Any:
        """Return the dense array."""
        return self._summed_to(list(range(self.ndim)))

    todense = toarray

    # -- transposes and parts

    T: property = property(lambda self: self.pattern.T.sparse_array(self.data), doc="Transpose.")
    H: property = property(lambda self: self.T.conj(), doc="Conjugate transpose.")
    real: property = property(lambda self: self.pattern.sparse_array(np.real(self.data)))
    imag: property = property(lambda self: self.pattern.sparse_array(np.imag(self.data)))

    @property
    def mT(self) -> SparseArray:
        """Transpose of the last two axes."""
        if self.ndim == 2:
            return self.T
        return run_on_numbers(lambda a: kernel("sparse.swapaxes")(a, -1, -2), self)

    def getH(self) -> SparseArray:
        return self.H

    def transpose(self, axes: tuple[int, ...] | None = None, copy: bool = False) -> SparseArray:
        return self.T if axes is None else run_on_places("transpose")(self, axes=axes)

    def conj(self, copy: bool = True) -> SparseArray:
        return self.pattern.sparse_array(self.data.conj())

    conjugate = conj

    __getitem__ = select_part
    diagonal = run_on_places("diagonal")
    getcol = run_on_places("getcol")
    getrow = run_on_places("getrow")
    reshape = run_on_places("reshape")
    sorted_indices = run_on_places("sorted_indices")

    # -- changes in place

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        assign_values(self, value, lambda a, x: a.__setitem__(key, x))

    def setdiag(self, values: ArrayLike, k: int = 0) -> None:
        assign_values(self, values, lambda a, x: a.setdiag(x, k))

    prune = run_in_place("prune")
    resize = run_in_place("resize")
    set_shape = run_in_place("set_shape")
    sort_indices = run_in_place("sort_indices")
    sum_duplicates = run_in_place("sum_duplicates")

    # -- sums and extreme values

    def sum(
        self, axis: Axes | None = None, dtype: DTypeLike = None, out: Array | None = None
    ) -> Array:
        """Return the sum of all values, or along axes, as a dense array."""
        if axis is None:
            return self.data.sum(axis=-1)
        axes = self._axes(axis)
        total = self._summed_to([i for i in range(self.ndim) if i not in axes])
        if self.pattern.family == "array" or len(axes) == self.ndim:
            return total
        return total[None, :] if axes == {0} else total[:, None]

    def _axes(self, axis: Any) -> set[int]:
        if axis is None:
            return set(range(self.ndim))
        axes = {int(i) for i in (axis if isinstance(axis, tuple) else (axis,))}
        if not all(-self.ndim <= i < self.ndim for i in axes):
            raise ValueError(f"axis out of range: {axis} for a {self.ndim}-D sparse array")
        return {i % self.ndim for i in axes}

    def groups(self, axis: Any) -> tuple[Any, int]:
        """Return the number of the group of each value, those along some axes being one group, and
        how many groups there are.
        """
        kept = [i for i in range(self.ndim) if i not in self._axes(axis)]
        return self.pattern.flat_along(kept), math.prod(self.shape[i] for i in kept)

    def _summed_to(self, kept: list[int]) -> Any:
        """Return the dense array of some axes, with all values added up that agree in them."""
        shape = [self.shape[i] for i in kept]
        total = sum_entries(self.data, places=self.pattern.flat_along(kept), size=math.prod(shape))
        return total.reshape((*total.shape[:-1], *shape)) if len(shape) != 1 else total

    def mean(
        self, axis: Axes | None = None, dtype: DTypeLike = None, out: Array | None = None
    ) -> Array:
        """Return the mean of all entries, or along axes; places without a stored value count as
        0.
        """
        return self.sum(axis) / math.prod(self.shape[i] for i in self._axes(axis))

    def trace(self, offset: int = 0) -> Array:
        return self.diagonal(offset).sum()

    max = declare_extreme_of_values("max", np.inf)
    min = declare_extreme_of_values("min", -np.inf)
    nanmax = declare_extreme_of_values("nanmax", -np.inf)
    nanmin = declare_extreme_of_values("nanmin", np.inf)
    argmax = run_on_values("argmax")
    argmin = run_on_values("argmin")
    count_nonzero = run_on_values("count_nonzero")
    nonzero = run_on_values("nonzero")

    # -- operators

    __matmul__, __rmatmul__ = sparse_matmul, reflect(sparse_matmul)
    __mul__, __rmul__ = apply_times, reflect(apply_times)
    __add__, __radd__ = add, reflect(add)
    __sub__, __rsub__ = subtract, reflect(subtract)
    __truediv__, __rtruediv__ = divide, reflect(divide)
    __pow__ = apply_power
    __eq__ = compare("eq")
    __ne__ = compare("ne")
    __lt__ = compare("lt")
    __le__ = compare("le")
    __gt__ = compare("gt")
    __ge__ = compare("ge")
    __hash__ = object.__hash__

    def dot(self, b: SparseLike) -> Any:
        """Return the product with a number, or the matrix product."""
        return multiply(self, b) if is_scalar(b) else sparse_matmul(self, b)

    # -- entry by entry

    multiply = multiply
    power = power
    maximum = declare_extreme(np.maximum)
    minimum = declare_extreme(np.minimum)
    __neg__ = apply_entrywise(np.negative)
    __pos__ = copy
    __abs__ = apply_entrywise(np.abs)

    def __round__(self, ndigits: int = 0) -> SparseArray:
        return apply_entrywise(lambda data: np.round(data, ndigits))(self)

    def asfptype(self) -> SparseArray:
        return self.astype(np.result_type(self.dtype, np.float32))

    arcsin = apply_entrywise(np.arcsin)
    arcsinh = apply_entrywise(np.arcsinh)
    arctan = apply_entrywise(np.arctan)
    arctanh = apply_entrywise(np.arctanh)
    ceil = apply_entrywise(np.ceil)
    deg2rad = apply_entrywise(np.deg2rad)
    expm1 = apply_entrywise(np.expm1)
    floor = apply_entrywise(np.floor)
    log1p = apply_entrywise(np.log1p)
    rad2deg = apply_entrywise(np.rad2deg)
    rint = apply_entrywise(np.rint)
    sign = apply_entrywise(np.sign)
    sin = apply_entrywise(np.sin)
    sinh = apply_entrywise(np.sinh)
    sqrt = apply_entrywise(np.sqrt)
    tan = apply_entrywise(np.tan)
    tanh = apply_entrywise(np.tanh)
    trunc = apply_entrywise(np.trunc)


__all__ = ["SparseArray"]
