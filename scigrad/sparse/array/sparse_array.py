"""The traced sparse array: static pattern, traced values, SciPy's methods.

SciPy and CuPy cannot hold traced values, so that inside a transform a sparse array is of this
class, and outside of theirs. Its operators are in arithmetic.py, and what is run on the numbers of
its values in methods.py.
"""

from __future__ import annotations

import math
import sys
from functools import partialmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from scigrad.autodiff_rules import Traced
from scigrad.autodiff_rules.messages.explanations import traced_sparse_into_plain_array
from scigrad.autodiff_rules.trace import plain_array

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
    nnz: property
    size: property
    tocoo: Any
    tocsc: Any
    tocsr: Any
    todia: Any
    todok: Any
    tolil: Any

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
    nnz = size = property(lambda self: self.pattern.nnz)

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

    if TYPE_CHECKING:  # methods.py and arithmetic.py install these, and methods by their side

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, key: Any) -> Any: ...

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return plain_array(self, sys._getframe(1), traced_sparse_into_plain_array)  # pyright: ignore[reportPrivateUsage]

    # -- other formats

    def _regrouped(self, to: Regrouping) -> SparseArray:
        data = self.data
        if to.order is not None:
            data = gather_entries(data, places=to.order)
        elif to.target is not None:
            data = sum_entries(data, places=to.target, size=to.pattern.nnz)
        return SparseArray(data, to.pattern)

    def asformat(self, format: str | None, copy: bool = False) -> SparseArray:
        if format is not None and format not in FORMATS + LABELS:
            raise ValueError(f"Format {format} is unknown; it can be one of {FORMATS + LABELS}.")
        if format in LABELS and format != self.format:
            return self._labelled(format)
        return (
            self
            if format in (None, self.format)
            else self._regrouped(self.pattern.converted(format))
        )

    tocsr, tocsc, tocoo, todia, tolil, todok = map(
        partialmethod, [asformat] * 6, ("csr", "csc", "coo", "dia", "lil", "dok")
    )

    def tobsr(self, blocksize: Any = None, copy: bool = False) -> SparseArray:
        return self._labelled("bsr", blocksize=blocksize)

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

    def toarray(self, order: Any = None, out: Any = None) -> Any:
        """Return the dense array."""
        return self._summed_to(list(range(self.ndim)))

    todense = toarray

    # -- transposes and parts

    T = property(lambda self: SparseArray(self.data, self.pattern.T), doc="Transpose.")
    H = property(lambda self: self.T.conj(), doc="Conjugate transpose.")
    real: property = property(lambda self: SparseArray(np.real(self.data), self.pattern))
    imag: property = property(lambda self: SparseArray(np.imag(self.data), self.pattern))

    def conj(self, copy: bool = True) -> SparseArray:
        return SparseArray(self.data.conj(), self.pattern)

    conjugate = conj

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
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

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Return the mean of all entries, or along axes; places without a stored value count as
        0.
        """
        return self.sum(axis) / math.prod(self.shape[i] for i in self._axes(axis))


__all__ = ["SparseArray"]
