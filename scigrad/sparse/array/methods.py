"""Methods of traced arrays that SciPy runs on the numbers of their values: parts, other shapes and
formats, changes in place, extreme values.

A change in place gives the traced array another pattern and other values; the array that a
transform was called with, and other names of the same values, keep theirs.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import MissingRule, kernel, raw
from scigrad.autodiff_rules.messages.errors import missing_kernel
from scigrad.numpy.joining import assemble

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
from .sparse_array import SparseArray

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


def _attribute(self: SparseArray, name: str) -> Any:
    known = name in ("has_canonical_format", "has_sorted_indices", *_OF_PATTERN.split())
    if known and not (name in _INSTEAD and self.pattern.label):
        return getattr(number_entries(self), name)
    advice = _INSTEAD.get(name, "take A.data or A.toarray()")
    raise AttributeError(
        f"a traced sparse array has no attribute {name!r}, or no rule for it: {advice}."
    )


def _placing(name: str) -> Any:
    return lambda self, *args, **options: run_on_numbers(
        lambda a: getattr(a, name)(*args, **options), self
    )


def _labelled(self: SparseArray, format: str, **options: Any) -> Any:
    if self.pattern.library != "numpy":
        raise missing_kernel(f"sparse.{format}_{self.pattern.family}", self.pattern.library)
    return _placing(f"to{format}")(self, **options)


def _part(self: SparseArray, key: Any) -> Any:
    """Return the part of a sparse array, or its one value, that an index of SciPy's selects."""
    a = self.canonical() if self.ndim == 2 else self.distinct()
    return select_values(a.data, number_entries(a)[key])


# -- changes in place


def _changed(self: SparseArray, change: Callable[..., Any], *values: Any) -> None:
    """Replace the array a by what change(a, *values) makes of it, an array of numbers."""
    found = run_on_numbers(lambda a, *given: (change(a, *given), a)[1], self, *values)
    self.data, self.pattern = found.data, found.pattern


def _changing(name: str) -> Any:
    return lambda self, *args: _changed(self, lambda a: getattr(a, name)(*args))


def _assigned(self: SparseArray, value: Any, assign: Callable[[Any, Any], Any]) -> None:
    value = assemble(value).astype(self.dtype)
    if is_sparse(value):
        return _changed(self, assign, as_sparse_array(value))
    return _changed(
        self,
        lambda a, x: assign(a, x.toarray().reshape(value.shape)),
        every_entry(value.reshape((1, -1))),
    )


# -- what depends on the values now, which is constant


def _found(name: str) -> Any:
    return lambda self, *args, **options: getattr(
        as_constant(self.distinct(), by_values=True), name
    )(*args, **options)


def _extreme_method(name: str, nan: float) -> Any:
    """Return the method max, min, nanmax or nanmin, with a number that NaN counts as."""

    def values(
        self: SparseArray, axis: Any = None, out: Any = None, *, explicit: bool = False
    ) -> Any:
        self.pattern.require_matrix()
        if explicit:
            raise MissingRule(
                f"{name}: explicit=True has no derivative rule; A.data.{name}() has one."
            )
        a = self.canonical()
        # CuPy has none of coo
        known = SparseArray(np.nan_to_num(raw(a.data), nan=nan), a.pattern).tocsr()
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


_METHODS = {
    "__getattr__": _attribute,
    "__getitem__": _part,
    "_labelled": _labelled,
    "__setitem__": lambda self, key, value: _assigned(
        self, value, lambda a, x: a.__setitem__(key, x)
    ),
    "setdiag": lambda self, values, k=0: _assigned(self, values, lambda a, x: a.setdiag(x, k)),
    "mT": property(
        lambda self: (
            self.T
            if self.ndim == 2
            else run_on_numbers(lambda a: kernel("sparse.swapaxes")(a, -1, -2), self)
        )
    ),
    "transpose": lambda self, axes=None, copy=False: (
        self.T if axes is None else _placing("transpose")(self, axes=axes)
    ),
    **{
        name: _placing(name)
        for name in ("diagonal", "getcol", "getrow", "reshape", "sorted_indices")
    },
    **{
        name: _changing(name)
        for name in ("prune", "resize", "set_shape", "sort_indices", "sum_duplicates")
    },
    **{name: _found(name) for name in ("argmax", "argmin", "count_nonzero", "nonzero")},
    **{
        name: _extreme_method(name, nan)
        for name, nan in (
            ("max", np.inf),
            ("nanmin", np.inf),
            ("min", -np.inf),
            ("nanmax", -np.inf),
        )
    },
}
for _name, _function in _METHODS.items():
    setattr(SparseArray, _name, _function)
