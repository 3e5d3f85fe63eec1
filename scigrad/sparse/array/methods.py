"""Methods of traced arrays that SciPy runs on the numbers of their values: parts, other shapes and
formats, changes in place, extreme values.

A change in place gives the traced array another pattern and other values; the array that a
transform was called with, and other names of the same values, keep theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from scigrad.autodiff_rules import MissingRule, kernel, raw
from scigrad.autodiff_rules.messages.errors import missing_kernel
from scigrad.autodiff_rules.trace import as_scalar
from scigrad.numpy.joining import assemble
from scigrad.typing import Array

from .numbering import (
    as_constant,
    as_sparse_array,
    every_entry,
    number_entries,
    placed_from,
    run_on_numbers,
    select_values,
)
from .pattern import is_sparse

if TYPE_CHECKING:
    from .sparse_array import SparseArray

Method = Callable[..., Any]

_OF_PATTERN = (
    "blocksize check_format col coords get_shape getformat getmaxprint getnnz indices "
    "indptr maxprint row"
)
_BY_ROWS = (
    "clear fromkeys get getrowview indices indptr items keys offsets pop popitem rows "
    "setdefault update values"
)
_INSTEAD = dict.fromkeys(_BY_ROWS.split(), "its values are kept by rows, as those of A.tocsr()") | {
    "eliminate_zeros": "a stored 0 has a derivative too, which would be lost; leave the call out",
    "tensordot": "reshape both arrays to two axes, and use @",
}


def attribute_of_pattern(self: SparseArray, name: str) -> Any:
    """Return an attribute of the library's array that depends on the pattern alone."""
    known = name in ("has_canonical_format", "has_sorted_indices", *_OF_PATTERN.split())
    if known and not (name in _INSTEAD and self.pattern.label):
        return getattr(number_entries(self), name)
    advice = _INSTEAD.get(name, "take A.data or A.toarray()")
    raise AttributeError(
        f"a traced sparse array has no attribute {name!r}, or no rule for it: {advice}."
    )


def run_on_places(name: str) -> Method:
    """Return the method of the library that selects and places values."""
    return lambda self, *args, **options: run_on_numbers(
        lambda a: getattr(a, name)(*args, **options), self
    )


def label_format(self: SparseArray, format: str, **options: Any) -> SparseArray:
    """Return the array in a format whose values are kept by rows."""
    if self.pattern.library != "numpy":
        raise missing_kernel(f"sparse.{format}_{self.pattern.family}", self.pattern.library)
    return run_on_places(f"to{format}")(self, **options)


def select_part(self: SparseArray, key: Any) -> Any:
    """Return the part of a sparse array, or its one value, that an index of SciPy's selects."""
    a = self.canonical() if self.ndim == 2 else self.distinct()
    return as_scalar(select_values(a.data, number_entries(a)[key]))


# -- changes in place


def _change(self: SparseArray, change: Callable[..., Any], *values: Any) -> None:
    """Replace the array a by what change(a, *values) makes of it, an array of numbers."""
    found = run_on_numbers(lambda a, *given: (change(a, *given), a)[1], self, *values)
    self.data, self.pattern = found.data, found.pattern


def run_in_place(name: str) -> Method:
    """Return the method of the library that changes the array."""
    return lambda self, *args: _change(self, lambda a: getattr(a, name)(*args))


def assign_values(self: SparseArray, value: Any, assign: Callable[[Any, Any], Any]) -> None:
    """Call assign(a, value), by which the library's array a takes values from another."""
    value = assemble(value).astype(self.dtype)
    if is_sparse(value):
        return _change(self, assign, as_sparse_array(value))
    return _change(
        self,
        lambda a, x: assign(a, x.toarray().reshape(value.shape)),
        every_entry(value.reshape((1, -1))),
    )


# -- what depends on the values now, which is constant


def run_on_values(name: str) -> Method:
    """Return the method of the library whose result is no function of the values."""
    return lambda self, *args, **options: getattr(
        as_constant(self.distinct(), by_values=True), name
    )(*args, **options)


def declare_extreme_of_values(name: str, nan: float) -> Method:
    """Return the method max, min, nanmax or nanmin, with a number that NaN counts as."""

    def values(
        self: SparseArray, axis: Any = None, out: Array | None = None, *, explicit: bool = False
    ) -> Any:
        self.pattern.require_matrix()
        if explicit:
            raise MissingRule(
                f"{name}: explicit=True has no derivative rule; A.data.{name}() has one."
            )
        a = self.canonical()
        # CuPy has none of coo
        known = a.pattern.sparse_array(np.nan_to_num(raw(a.data), nan=nan)).tocsr()
        where = np.ravel(getattr(known, f"arg{name[-3:]}")(axis))
        if axis is None:
            return a[divmod(int(where[0]), a.shape[1])]
        along, first, family = np.arange(where.size), axis in (0, -2), a.pattern.family
        found = a[(where, along) if first else (along, where)]
        # SciPy makes something sparse of no values
        found = (found.toarray() if is_sparse(found) else found).reshape(-1)
        shape = (-1,) if family == "array" else (1, -1) if first else (-1, 1)
        return placed_from(
            found, lambda numbers: kernel(f"sparse.coo_{family}")(numbers.reshape(shape))
        )

    return values


__all__ = [
    "assign_values", "attribute_of_pattern", "declare_extreme_of_values", "label_format",
    "run_in_place", "run_on_places", "run_on_values", "select_part",
]  # fmt: skip
