"""Sparse arrays as containers: their stored values are the leaf that transforms find, the pattern
is static.
"""

from typing import Any

import optree

from scigrad.autodiff_rules.containers import NAMESPACE, container_hooks
from scigrad.autodiff_rules.trace import array_functions

from .array.arithmetic import operate
from .array.pattern import FORMATS, LABELS, Pattern, stored_entries
from .array.sparse_array import SparseArray


def register_sparse(kind: type) -> bool:
    """Register a class of sparse arrays with the transforms; return False if it is none of them."""
    name = kind.__name__
    if name != "DeviceSparse" and not (hasattr(kind, "tocsr") and name[:3] in FORMATS + LABELS):
        return False
    optree.register_pytree_node(kind, _flatten_sparse, _unflatten, namespace=NAMESPACE)
    return True


def _flatten_sparse(a: Any) -> tuple[tuple[Any, ...], Pattern]:
    if isinstance(a, SparseArray):
        return (a.data,), a.pattern
    if a.format in ("csr", "csc") and not a.has_canonical_format:
        # SciPy sorts such an array in place when it solves with it, also when a graph keeps the
        # array
        a = a.copy()
    data, pattern = stored_entries(a)
    return (data,), pattern


def _unflatten(pattern: Pattern, leaves: Any) -> Any:
    return pattern.with_data(leaves[0])


optree.register_pytree_node(SparseArray, _flatten_sparse, _unflatten, namespace=NAMESPACE)
container_hooks.update(dict.fromkeys(("scipy", "cupyx", "scigrad"), register_sparse))
array_functions["sparse"] = operate  # the operators of traced arrays with a sparse partner

__all__ = ["register_sparse"]
