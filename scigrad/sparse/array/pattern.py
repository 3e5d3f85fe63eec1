"""The pattern of a sparse array, the places of its values. The pattern is static; the values vary.

Quantities that depend on the pattern only (the row of each stored value, the order in another
format) are kept with it, so that they are computed once for all values.
"""

from __future__ import annotations

from copy import copy
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import MissingKernel, Space, Traced, kernel, namespace_of
from scigrad.autodiff_rules.backends import library, namespace
from scigrad.autodiff_rules.messages.errors import missing_kernel
from scigrad.numpy.devices import on_host
from scigrad.typing import DTypeLike, SparseLike

if TYPE_CHECKING:
    from .sparse_array import SparseArray

FORMATS = ("csr", "csc", "coo")  # those in which traced values are kept
# those that are kept as csr (or coo, with one axis), and named so
LABELS = ("bsr", "dia", "lil", "dok")
_ORDERS, _KEPT = dict[int, dict[Any, Any]](), 16
_TRANSPOSED = {"csr": "csc", "csc": "csr", "coo": "coo"}


def is_sparse(x: Any) -> bool:
    """Return whether a is a sparse array or matrix of SciPy's, CuPy's or ours."""
    return hasattr(x, "tocsr")


@cache
def own_class() -> type[SparseArray]:
    """Return our class of sparse arrays. The files that its methods are made of ask for it here."""
    from .sparse_array import SparseArray

    return SparseArray


class Regrouping(NamedTuple):
    """Another pattern of the same entries, and the new places of the values.

    Either the values are permuted (`order`: the new values are data[order]), or some are added up
    (`target`: value k is added to place target[k]), or both are None and the values stay.
    """

    pattern: Pattern
    order: Any = None
    target: Any = None


class Pattern:
    """Format, shape and index arrays: (indices, indptr) of a compressed format, (row, col) of
    coo.
    """

    arrays: tuple[Any, ...]
    format: str
    shape: Any

    def __init__(
        self, form: str, shape: Any, arrays: tuple[Any, ...], family: str = "array", label: Any = ()
    ) -> None:
        self.format, self.shape, self.arrays = form, shape, arrays
        # "array", or "matrix": SciPy's older classes, where `*` is the product of matrices
        self.family = family
        # (name, block size or None) of the library's array, if that has another format
        self.label = label
        self._source: Any = None  # the array that it was taken from, used again for its own values

    @classmethod
    def of(cls, a: Any) -> Pattern:
        """Return the pattern of a csr, csc or coo array of SciPy or CuPy."""
        arrays = (
            (a.indices, a.indptr)
            if a.format != "coo"
            else a.coords
            if hasattr(a, "coords")
            else (a.row, a.col)
        )
        pattern = cls(a.format, a.shape, tuple(arrays), family_of(a))
        pattern._source = a
        return pattern

    def labelled(self, family: str, label: tuple[Any, ...] = ()) -> Pattern:
        """Return the pattern of the same places for another class of sparse arrays."""
        if (family, label) == (self.family, self.label):
            return self
        other = Pattern(self.format, self.shape, self.arrays, family, label)
        other.__dict__.update(
            {k: v for k, v in self.__dict__.items() if k in ("_coordinates", "is_canonical")}
        )
        return other

    name: property = property(
        lambda self: self.label[0] if self.label else self.format,
        doc="Format of the library's array.",
    )
    nnz: property = property(lambda self: int(self.arrays[0].shape[0]))
    library: property = property(
        lambda self: library(self.arrays[0]), doc="Library of the index arrays."
    )

    def matrix(self, data: Any) -> Any:
        """Return the library's own sparse array with these values."""
        if self._source is not None:
            if self._source.data is data:
                return self._source
            if self.library == "cupy" and self.format != "coo":
                _ = self._source.has_canonical_format  # a product asks, and copies know then
            made = copy(self._source)  # the library looks at the places once
            made.data = data
            return made
        if len(self.shape) > 2 and self.library != "numpy":
            raise missing_kernel("sparse.coo_array of more than two axes", self.library)
        values = (data, self.arrays) if self.format == "coo" else (data, *self.arrays)
        return kernel(f"sparse.{self.format}_{self.family}")(values, shape=self.shape)

    def sparse_array(self, data: Any) -> SparseArray:
        """Return our array of these values, plain ones too."""
        return own_class()(data, self)

    def with_data(self, data: Any) -> Any:
        """Return the library's own array for plain values, ours for traced ones and for a batch of
        values, which no library has.

        Its index arrays are copies, because SciPy changes them in place (eliminate_zeros, and
        sorting before a solve, which moves the values too).
        """
        shape = getattr(data, "shape", None)
        # None: that of ZERO
        if (
            isinstance(data, Traced)
            and shape is not None
            and shape != (self.nnz,)
            and len(shape) < 2
        ):
            raise ValueError(
                f"a {self.format} array with {self.nnz} stored values was given values of shape "
                f"{shape}: one sparse array is no batch for vmap. Pass in_axes=None for it, or "
                "map over its values with lambda data: f(csr_array((data, ...)))."
            )
        if isinstance(data, (Traced, Space)) or shape != (self.nnz,):
            # the data of a Hessian have a row for each value
            if isinstance(data, own_class()):
                return data
            here = isinstance(data, Space) or namespace_of(data) is namespace(self.library)
            return (self if here else self._beside(data)).sparse_array(data)
        copied = self.format != "coo" and not self.is_canonical  # as SciPy factors
        made = self._beside(data).matrix(
            data.copy() if copied else namespace_of(data).ascontiguousarray(data)
        )
        if not self.label:
            return made
        name, blocks = self.label
        try:
            return made.tobsr(blocksize=blocks) if name == "bsr" else made.asformat(name)
        except NotImplementedError as missing:
            raise MissingKernel(
                f"{library(data)} makes no array of the format {name} of others: pass A.tocsr()"
            ) from missing

    def _beside(self, data: Any) -> Pattern:
        """Return the pattern of the format in copies of the index arrays, in the library of
        values.
        """
        arrays = tuple(
            namespace_of(data).array(i if namespace_of(i) is namespace_of(data) else on_host(i))
            for i in self.arrays
        )
        return Pattern(self.format, self.shape, arrays, self.family, self.label)

    # -- rows and columns

    @cached_property
    def _coordinates(self) -> tuple[Any, Any]:
        self.require_matrix()
        if self.format == "coo":
            return self.arrays  # type: ignore[return-value]
        if self.library == "cupy":  # as the library does, which looks at the places once more
            indices, starts = self.arrays
            places = np.arange(self.nnz, like=starts)
            lines = np.searchsorted(starts[1:], places, "right").astype(indices.dtype)
            return (lines, indices) if self.format == "csr" else (indices, lines)
        coo = self.matrix(self._placeholder).tocoo(copy=False)
        return coo.row, coo.col

    _placeholder = property(lambda self: namespace(self.library).empty(self.nnz, np.float32))

    def require_matrix(self) -> None:
        """Raise if this is the pattern of one of SciPy's sparse arrays with one axis or more than
        two.
        """
        if len(self.shape) != 2:
            raise NotImplementedError(
                f"shape {self.shape}: a traced array has a rule for 2-D ones only here: "
                "A.reshape((1, -1))"
            )

    rows: property = property(
        lambda self: (self.arrays if self.format == "csc" else self._coordinates)[0],
        doc="Row of each stored value.",
    )
    cols: property = property(
        lambda self: self.arrays[0] if self.format == "csr" else self._coordinates[1],
        doc="Column of each of them.",
    )

    def flat_along(self, axes: list[int]) -> Any:
        """Return the place of each stored value in a dense array of some axes, counted through."""
        along = self.arrays if self.format == "coo" else self._coordinates
        places = namespace(self.library).zeros(self.nnz, np.int64)
        for axis in axes:
            places = places * self.shape[axis] + along[axis]
        return places

    @cached_property
    def T(self) -> Pattern:
        """Pattern of the transpose, with the same index arrays."""
        form = _TRANSPOSED[self.format]
        arrays = self.arrays[::-1] if form == "coo" else self.arrays
        label = (self.label[0], self.label[1] and self.label[1][::-1]) if self.label else ()
        transposed = Pattern(form, self.shape[::-1], arrays, self.family, label)
        transposed.__dict__["T"] = self
        if self._source is not None and self.library == "cupy":
            transposed._source = self._source.T
        return transposed

    # -- other formats

    @cached_property
    def is_canonical(self) -> bool:
        """Return whether the format is compressed, the indices are sorted and no place is stored
        twice.
        """
        if self.format == "coo":
            return False
        source = self.matrix(self._placeholder) if self._source is None else self._source
        return bool(source.has_canonical_format)

    @cached_property
    def symmetric_diagonal(self) -> Any:
        """Places of the diagonal among the values of a canonical csr or csc pattern, None unless it
        is full and all symmetric.
        """
        (places,) = (self.rows == self.cols).nonzero()
        turned = self.matrix(self._placeholder).asformat(_TRANSPOSED[self.format])
        pairs = zip(self.arrays, (turned.indices, turned.indptr), strict=True)
        return (
            places
            if places.size == self.shape[0] and all((a == b).all() for a, b in pairs)
            else None
        )

    @cached_property
    def orders(self) -> dict[Any, Any]:
        """Orderings of rows and columns that factorizations found, kept for the patterns that were
        used last.
        """
        # a collision does no harm: the order of another pattern is slow, but never wrong
        key = hash((self._kind, *(array.tobytes() for array in self.arrays)))
        found = _ORDERS[key] = _ORDERS.pop(key, {})
        for oldest in list(_ORDERS)[:-_KEPT]:
            _ORDERS.pop(oldest, None)
        return found

    @cached_property
    def has_duplicates(self) -> bool:
        """Return whether a place is stored twice."""
        if self.is_canonical or not self.nnz:
            return False
        if len(self.shape) == 2:
            return self.converted("csc" if self.format == "csc" else "csr").target is not None
        return (
            int(namespace(self.library).unique(self.flat_along(list(range(len(self.shape))))).size)
            < self.nnz
        )

    def converted(self, form: str) -> Regrouping:
        """Return the same entries in another format. A compressed result is canonical: sorted,
        duplicates added up.
        """
        if form == self.format and (form == "coo" or self.is_canonical):
            return Regrouping(self.labelled(self.family))
        if form == "coo":
            return Regrouping(Pattern("coo", self.shape, self._coordinates, self.family))
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
        indptr = xp.searchsorted(major, xp.arange(counts[0] + 1, dtype=major.dtype)).astype(
            minor.dtype
        )
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
        return all(
            a is b or (a.shape == b.shape and bool(on_host((a == b).all()))) for a, b in pairs
        )

    _kind = property(lambda self: (self.format, self.shape, self.family, self.library, self.label))

    def __hash__(self) -> int:
        return hash(self._kind)

    def __repr__(self) -> str:
        return (
            f"<{self.name}_{self.family} pattern of shape {self.shape} with {self.nnz} "
            "stored values>"
        )


def _sorted_order(major: Any, minor: Any, counts: tuple[int, ...], xp: Any) -> Any:
    """Return the permutation that sorts by (major, minor), stably."""
    # counting takes memory for every row and column
    if xp is not np or max(counts) > 4 * major.size + 1_000_000:
        return xp.lexsort(xp.stack([minor, major]))
    order = _counting_sort(minor, counts[1])
    return order[_counting_sort(major[order], counts[0])]


def stored_entries(a: Any) -> tuple[Any, Pattern]:
    """Return the stored values of a library's sparse array of any format, as one axis, and their
    pattern.
    """
    if a.format in FORMATS and (len(a.shape) == 2 or a.format == "coo"):
        return a.data, Pattern.of(a)
    label = (a.format, getattr(a, "blocksize", None))
    if a.format != "dia":
        stored = a.tocsr() if len(a.shape) == 2 else a.tocoo()
        return stored.data, Pattern.of(stored).labelled(family_of(a), label)
    # Its own conversion drops the zeros among the values.
    numbers = namespace(library(a.data)).arange(1.0, a.data.size + 1.0).reshape(a.data.shape)
    stored = kernel("sparse.dia_array")((numbers, a.offsets), shape=a.shape).tocsr()
    return a.data.reshape(-1)[stored.data.astype(np.int64) - 1], Pattern.of(stored).labelled(
        family_of(a), label
    )


def identity(
    n: int, where: str, dtype: DTypeLike = np.float64, family: str = "array"
) -> SparseLike:
    """Return the identity of order n of a library, in coo format."""
    xp = namespace(where)
    along = xp.arange(n, dtype=np.int32)
    return Pattern("coo", (n, n), (along, along), family).matrix(xp.ones(n, dtype))


def family_of(a: Any) -> str:
    """Return "matrix" for SciPy's older classes, otherwise "array"."""
    if hasattr(a, "pattern"):
        return a.pattern.family
    return "matrix" if type(a).__name__.endswith("matrix") else "array"


def _counting_sort(keys: Any, count: int) -> Any:
    """Return the stable permutation that sorts integers below `count`, in linear time.

    The incidence matrix of entries and keys has one value a row, and its conversion to csc lists
    the entries key by key (a tenth of the time of a comparison sort).
    """
    from scipy.sparse import csr_array

    entries = np.arange(keys.size + 1, dtype=np.int32 if keys.size < 2**31 else np.int64)
    return (
        csr_array((np.ones(keys.size, np.int8), keys, entries), shape=(keys.size, count))
        .tocsc()
        .indices
    )


__all__ = [
    "FORMATS",
    "LABELS",
    "Pattern",
    "Regrouping",
    "stored_entries",
    "family_of",
    "identity",
    "is_sparse",
    "own_class",
]
