"""Structure by numbering: what selects and places the values of sparse arrays is run on their
numbers.

The library's own function is called with the values 1, ..., n on the same patterns. The numbers in
its result say which value went where; 0 is a place that it filled with zero. So every such function
is differentiable in the stored values, in any number of dimensions and any format.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import optree

from scigrad.autodiff_rules import Space, Traced, kernel, namespace_of, raw
from scigrad.autodiff_rules.backends import library, namespace
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.autodiff_rules.messages.errors import batched_truth
from scigrad.numpy.devices import on_host
from scigrad.numpy.joining import assemble

from .pattern import Pattern, is_sparse, own_class, stored_entries
from .products import gather_entries

if TYPE_CHECKING:
    from .sparse_array import SparseArray


def as_sparse_array(a: Any) -> SparseArray:
    """Return any sparse array, in any number of dimensions, as one of ours; of a dense array the
    entries that are not 0.
    """
    if not is_sparse(a):
        a = np.atleast_2d(assemble(a))
        # SciPy makes older matrices of dense arrays alone
        a = entries_where(a, a != 0, "the entries that are not 0", "matrix")
    return a if isinstance(a, own_class()) else own_class()(*stored_entries(a))


def any_element(known: Any, ndim: int, what: str) -> Any:
    """Return where a mask, in its last axes, holds for any element of a batch."""
    batch = tuple(range(known.ndim - ndim))
    if 0 in known.shape[: len(batch)] and 0 not in known.shape[len(batch) :]:
        raise batched_truth(what)
    return known.any(axis=batch)


def is_plain(*operands: Any) -> bool:
    """Return whether no operand is traced or one of ours, in lists too."""
    return not any(
        isinstance(x, (own_class(), Space))
        or holds_traced([*x] if isinstance(x, np.ndarray) and x.dtype == object else x)
        for x in optree.tree_leaves(operands)
    )


def is_plain_on_host(*operands: Any) -> bool:
    """Return whether SciPy's own function answers: nothing is traced or one of ours, nothing on a
    device.
    """
    return is_plain(*operands) and library(*operands) == "numpy"


def as_constant(a: Any, by_values: bool = False) -> Any:
    """Return an array as a constant. A batch with one pattern is one array for what does not depend
    on the values.
    """
    if is_plain(a):
        return a
    if not isinstance(a, own_class()):
        axes, a = (
            np.ndim(a),
            raw(a) if isinstance(a, Traced) else np.asarray([[raw(x) for x in row] for row in a]),
        )
    if isinstance(a, own_class()) and (raw(a.data).ndim == 1 or not by_values):
        return a.pattern.with_data(raw(a.data)) if raw(a.data).ndim == 1 else number_entries(a)
    if isinstance(a, own_class()) or a.ndim > axes:
        raise batched_truth("a choice among the values of a sparse array")
    return a


def number_entries(a: SparseArray, first: int = 1) -> Any:
    """Return the library's array with the numbers first, first + 1, ... in place of the values.

    They are floating-point numbers, which are the only ones that CuPy's sparse arrays hold; they
    are exact below 2^53.
    """
    return a.pattern.with_data(
        namespace(a.pattern.library).arange(float(first), float(first + a.nnz))
    )


def take_numbered(data: Any, numbers: Any) -> Any:
    """Return data[numbers - 1], with 0 for the number 0."""
    places = numbers.reshape(-1).astype(np.int64) - 1
    if places.size and bool(on_host((places < 0).any())):
        data = np.concatenate([data, np.zeros_like(raw(data), shape=(1,))], axis=-1)
        places = np.where(places < 0, data.shape[-1] - 1, places)
    found = gather_entries(data, places=places)
    return found if numbers.ndim == 1 else found.reshape((*found.shape[:-1], *numbers.shape))


def select_values(data: Any, found: Any) -> Any:
    """Return the values whose numbers `found` holds, as a sparse array of its pattern, or as a
    dense one.
    """
    if not is_sparse(found):
        return take_numbered(data, np.asarray(found) if isinstance(found, np.matrix) else found)
    numbers, pattern = stored_entries(found)
    return pattern.sparse_array(take_numbered(data, numbers))


def run_on_numbers(function: Callable[..., Any], *operands: Any) -> Any:
    """Return function(*operands), for a function that selects and places stored values.

    The operands are sparse arrays or nested lists of them. None may stand in the lists, and dense
    arrays, of which the entries that are not 0 are taken. Values that share a place are added up
    first if the function adds them up.
    """
    operands = tuple(
        x.tolist() if isinstance(x, np.ndarray) and x.dtype == object else x for x in operands
    )
    leaves, tree = optree.tree_flatten(operands)
    arrays = [as_sparse_array(x) for x in leaves]

    def on_numbers(first: int) -> Any:
        starts = np.cumsum([first, *(a.nnz for a in arrays)])
        return function(*tree.unflatten(list(map(number_entries, arrays, starts))))

    found = on_numbers(1)
    if any(a.pattern.has_duplicates for a in arrays):
        total = sum(a.nnz for a in arrays)
        a, b = (stored_entries(x)[0] if is_sparse(x) else x for x in (found, on_numbers(1 + total)))
        # some were added up
        if a.shape != b.shape or not on_host(((b == a + total) | ((a == 0) & (b == 0))).all()):
            # as SciPy in the dtype of the result
            one = np.result_type(*(a.dtype for a in arrays)).type(1)
            arrays = [a.pattern.sparse_array(one * a.data).distinct() for a in arrays]
            found = on_numbers(1)
    data = arrays[0].data if len(arrays) == 1 else np.concatenate([a.data for a in arrays], axis=-1)
    return select_values(data, found)


def entries_where(dense: Any, mask: Any, what: str, family: str = "array") -> Any:
    """Return the entries of a dense array where a mask holds for any element of a batch."""
    dtype = np.int32 if max(dense.shape) < 2**31 else np.int64
    places = tuple(
        place.astype(dtype) for place in any_element(raw(mask), dense.ndim, what).nonzero()
    )
    return Pattern("coo", tuple(dense.shape), places, family).with_data(dense[places])


def every_entry(dense: Any, family: str = "array") -> SparseArray:
    """Return a dense matrix as a sparse one that stores all of its entries."""
    shape = dense.shape
    rows, cols = namespace_of(dense).indices(shape).reshape(2, -1)
    return Pattern("coo", tuple(shape), (rows, cols), family).sparse_array(dense.reshape(-1))


def run_on_pairs(run: Callable[[Any, Any], Any], a: SparseArray, b: SparseArray) -> SparseArray:
    """Return run(a, b), for a function each of whose values is a product of one value of a and one
    of b.
    """
    ones = [x.pattern.with_data(namespace(x.pattern.library).ones(x.nnz)) for x in (a, b)]
    (left, pattern), (right, _) = (
        stored_entries(x)
        for x in (run(number_entries(a), ones[1]), run(ones[0], number_entries(b)))
    )
    return pattern.sparse_array(take_numbered(a.data, left) * take_numbered(b.data, right))


def placed_from(data: Any, function: Callable[[Any], Any]) -> Any:
    """Return function(data), for a function that places the entries of a dense array, such as a
    constructor.
    """
    xp = namespace_of(data)
    found = function(xp.arange(1.0, data.size + 1.0).reshape(data.shape))
    return select_values(data.reshape(-1), found)


def call_numbered(name: str, *operands: Any, dtype: Any = None, **options: Any) -> Any:
    """Return the result of SciPy's function of that name, by numbering where an operand is
    traced.
    """
    run = kernel(f"sparse.{name}")
    if is_plain(*operands):
        return run(*operands, **options, **({} if dtype is None else {"dtype": dtype}))
    found = run_on_numbers(lambda *numbers: run(*numbers, **options), *operands)
    return found if dtype is None else found.astype(dtype)


__all__ = ["call_numbered", "entries_where", "every_entry", "is_plain", "is_plain_on_host",
    "number_entries",
    "any_element", "run_on_pairs",
           "run_on_numbers", "placed_from", "select_values", "as_sparse_array", "take_numbered",
           "as_constant"]  # fmt: skip
