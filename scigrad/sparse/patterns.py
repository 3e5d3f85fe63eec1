"""The pattern of a sparse array, the places of its values. The pattern is static; the values vary.

Quantities that depend on the pattern only (the row of each stored value, the order in another format) are kept with it, so that
they are computed once for all values.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import Space, Traced, kernel
from scigrad.autodiff_rules.backends import library, namespace
from scigrad.numpy.devices import on_host

FORMATS = ("csr", "csc", "coo")
_TRANSPOSED = {"csr": "csc", "csc": "csr", "coo": "coo"}


def is_sparse(x: Any) -> bool:
    """Return whether a is a sparse array or matrix of SciPy's, CuPy's or ours."""
    return hasattr(x, "tocsr")


class Regrouping(NamedTuple):
    """Another pattern of the same entries, and the new places of the values.

    Either the values are permuted (`order`: the new values are data[order]), or some are added up (`target`: value k is added to
    place target[k]), or both are None and the values stay.
    """

    pattern: Pattern
    order: Any = None
    target: Any = None


class Pattern:
    """Format, shape and index arrays: (indices, indptr) of a compressed format, (row, col) of coo."""

    def __init__(self, form: str, shape: tuple[int, ...], arrays: tuple[Any, ...], family: str = "array") -> None:
        self.format = form
        self.shape = shape
        self.arrays = arrays
        self._source: Any = None  # the array that it was taken from, used again for its own values
        self.family = family  # "array", or "matrix": SciPy's older classes, where `*` is the product of matrices

    @classmethod
    def of(cls, a: Any) -> Pattern:
        """Return the pattern of a csr, csc or coo array of SciPy or CuPy."""
        if a.format == "coo":
            arrays = a.coords if hasattr(a, "coords") else (a.row, a.col)
        else:
            arrays = (a.indices, a.indptr)
        pattern = cls(a.format, a.shape, tuple(arrays), "matrix" if type(a).__name__.endswith("matrix") else "array")
        pattern._source = a
        return pattern

    @property
    def nnz(self) -> int:
        return int(self.arrays[0].shape[0])

    @property
    def library(self) -> str:
        """Library of the index arrays."""
        return library(self.arrays[0])

    def matrix(self, data: Any) -> Any:
        """Return the library's own sparse array with these values."""
        if self._source is not None and self._source.data is data:
            return self._source
        values = (data, self.arrays) if self.format == "coo" else (data, *self.arrays)
        return kernel(f"sparse.{self.format}_{self.family}")(values, shape=self.shape)

    def with_data(self, data: Any) -> Any:
        """Return the library's own array for plain values, ours for traced ones and for a batch of values, which no library has.

        Its index arrays are copies, because SciPy changes them in place (eliminate_zeros, and sorting before a solve, which moves
        the values too).
        """
        shape = getattr(data, "shape", None)
        if isinstance(data, Traced) and shape is not None and shape != (self.nnz,) and len(shape) < 2:  # None: that of ZERO
            raise _not_a_batch(self, shape)
        if isinstance(data, (Traced, Space)) or shape != (self.nnz,):
            from .arrays import SparseArray

            return SparseArray(data, self)
        xp = namespace(library(data))
        arrays = tuple(xp.array(index if library(index) == library(data) else on_host(index)) for index in self.arrays)
        unsorted = self.format != "coo" and not self.is_canonical
        return Pattern(self.format, self.shape, arrays, self.family).matrix(data.copy() if unsorted else data)

    # -- rows and columns

    @cached_property
    def _coordinates(self) -> tuple[Any, Any]:
        self.require_matrix()
        if self.format == "coo":
            return self.arrays  # type: ignore[return-value]
        if self.library == "numpy":
            minor, indptr = self.arrays
            major = np.repeat(np.arange(indptr.size - 1, dtype=minor.dtype), np.diff(indptr))
            return (major, minor) if self.format == "csr" else (minor, major)
        coo = self.matrix(self._placeholder).tocoo(copy=False)
        return coo.row, coo.col

    @property
    def _placeholder(self) -> Any:
        return namespace(self.library).empty(self.nnz, np.float32)

    def require_matrix(self) -> None:
        """Raise if this is the pattern of one of SciPy's sparse arrays with one axis or more than two."""
        if len(self.shape) != 2:
            raise NotImplementedError(
                f"a sparse array of shape {self.shape} with traced values: only 2-D ones have rules, (1, n)"
            )

    @property
    def rows(self) -> Any:
        """Row of each stored value."""
        return self._coordinates[0]

    @property
    def cols(self) -> Any:
        """Column of each stored value."""
        return self._coordinates[1]

    @cached_property
    def T(self) -> Pattern:
        """Pattern of the transpose, with the same index arrays."""
        form = _TRANSPOSED[self.format]
        arrays = self.arrays[::-1] if form == "coo" else self.arrays
        transposed = Pattern(form, self.shape[::-1], arrays, self.family)
        if "_coordinates" in self.__dict__:
            transposed.__dict__["_coordinates"] = self._coordinates[::-1]
        if "is_canonical" in self.__dict__:
            transposed.__dict__["is_canonical"] = self.is_canonical
        transposed.__dict__["T"] = self
        return transposed

    # -- other formats

    @cached_property
    def is_canonical(self) -> bool:
        """Return whether the format is compressed, the indices are sorted and no place is stored twice."""
        if self.format == "coo":
            return False
        source = self.matrix(self._placeholder) if self._source is None else self._source
        return bool(source.has_canonical_format)

    def converted(self, form: str) -> Regrouping:
        """Return the same entries in another format. A compressed result is canonical: sorted, duplicates added up."""
        if form == "coo":
            return Regrouping(self if self.format == "coo" else Pattern("coo", self.shape, self._coordinates, self.family))
        if form == self.format and self.is_canonical:
            return Regrouping(self)
        if form not in self.__dict__:
            self.__dict__[form] = self._compressed(form)
        return self.__dict__[form]

    def _compressed(self, form: str) -> Regrouping:
        major, minor = (self.rows, self.cols) if form == "csr" else (self.cols, self.rows)
        counts = self.shape if form == "csr" else self.shape[::-1]
        xp = namespace(self.library)
        order = _sorted_order(major, minor, counts, xp)
        major, minor = major[order], minor[order]
        new = xp.ones(major.shape, bool)
        new[1:] = (major[1:] != major[:-1]) | (minor[1:] != minor[:-1])
        place = xp.cumsum(new) - 1
        major, minor = major[new], minor[new]
        indptr = xp.searchsorted(major, xp.arange(counts[0] + 1, dtype=major.dtype)).astype(minor.dtype)
        pattern = Pattern(form, self.shape, (minor, indptr), self.family)
        pattern.__dict__["is_canonical"] = True
        if pattern.nnz == order.size:
            return Regrouping(pattern, order=order)
        target = xp.empty_like(place)
        target[order] = place
        return Regrouping(pattern, target=target)

    # -- as the static part of a container

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Pattern) or self._kind != other._kind:
            return False
        pairs = zip(self.arrays, other.arrays, strict=True)
        return all(a is b or (a.shape == b.shape and bool(on_host((a == b).all()))) for a, b in pairs)

    @property
    def _kind(self) -> tuple[Any, ...]:
        return self.format, self.shape, self.family, self.library

    def __hash__(self) -> int:
        return hash(self._kind)

    def __repr__(self) -> str:
        return f"<{self.format}_{self.family} pattern of shape {self.shape} with {self.nnz} stored values>"


def _sorted_order(major: Any, minor: Any, counts: tuple[int, ...], xp: Any) -> Any:
    """Return the permutation that sorts by (major, minor), stably."""
    if xp is not np:
        return xp.lexsort(xp.stack([minor, major]))
    order = _counting_sort(minor, counts[1])
    return order[_counting_sort(major[order], counts[0])]


def _counting_sort(keys: Any, count: int) -> Any:
    """Return the stable permutation that sorts integers below `count`, in linear time.

    The incidence matrix of entries and keys has one value a row, and its conversion to csc lists the entries key by key (a tenth
    of the time of a comparison sort).
    """
    from scipy.sparse import csr_array

    entries = np.arange(keys.size + 1, dtype=np.int32 if keys.size < 2**31 else np.int64)
    return csr_array((np.ones(keys.size, np.int8), keys, entries), shape=(keys.size, count)).tocsc().indices


def _not_a_batch(pattern: Pattern, shape: tuple[int, ...]) -> ValueError:
    return ValueError(
        f"a {pattern.format} array with {pattern.nnz} stored values was given values of shape {shape}. vmap maps over an axis of "
        "the stored values, so one sparse array is no batch: pass in_axes=None for it, or map over a batch of its values, "
        f"vmap(lambda data: f({pattern.format}_array((data, ...), shape=A.shape)))(batch)."
    )


__all__ = ["FORMATS", "Pattern", "Regrouping", "is_sparse"]
