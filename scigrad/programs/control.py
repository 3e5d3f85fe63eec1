"""Loops and branches with JAX's signatures.

They are Python's loops and conditions, which `jit` records as they run: repetitions are found on
the tape. Where a condition differs between the elements of a batch, or steers a program that is
recorded, both branches are computed and one is selected.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from scigrad.autodiff_rules import Traced, eval_shape, raw
from scigrad.autodiff_rules.boxes import Batched
from scigrad.autodiff_rules.containers import flatten, map_leaves
from scigrad.autodiff_rules.spaces import is_number, shape_of, zeros

from .staged import NUMBERS, Staged, StagedNumber, choose
from .while_loops import record_while

C = TypeVar("C")

__all__ = ["cond", "fori_loop", "scan", "switch", "while_loop"]


def scan(
    f: Callable[[C, Any], tuple[C, Any]],
    init: C,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
) -> tuple[C, Any]:
    """Apply a function to a carry and to one element after the other.

    Parameters
    ----------
    f : callable
        ``f(carry, x)`` returns the next carry and a result for this element, containers of arrays
        or None.
    init : container of arrays
        First carry.
    xs : container of arrays, optional
        Arrays whose axis 0 is gone through; None where there is nothing but the carry.
    length : int, optional
        Number of steps, needed if `xs` is None.
    reverse : bool, optional
        Whether to begin with the last element. The results have the order of `xs`.

    Returns
    -------
    carry : container of arrays
        Last carry, in the structure of `init`.
    ys : container of arrays
        Results, stacked along axis 0.

    Raises
    ------
    ValueError
        If the arrays of `xs` have different lengths, or not `length`.
    TypeError
        If f returns a carry of another structure or shape than `init`.

    Notes
    -----
    Reverse mode keeps what each step computes. ``scan(checkpoint(f), init, xs)`` keeps the carries
    alone and computes the rest again.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, scan
    >>> def decay(rate):
    ...     return scan(lambda x, _: (rate * x, x), 1.0, length=3)[0]
    >>> print(grad(decay)(2.0))
    12.0
    """
    count = _count_steps(xs, length)
    if count == 0:
        shapes = eval_shape(f, init, map_leaves(_first_of_none, xs))[1]
        return init, map_leaves(lambda y: _empty(y) if is_number(y) else y, shapes)
    carry, results = init, []
    for i in reversed(range(count)) if reverse else range(count):
        after, y = f(carry, map_leaves(lambda x, i=i: x[i], xs))
        if not results:
            _check_carry("scan", init, after)
        carry = after
        results.append(y)
    if reverse:
        results.reverse()
    return carry, map_leaves(lambda *parts: np.stack(parts), *results)


def fori_loop(lower: int, upper: int, body_fun: Callable[[int, C], C], init_val: C) -> C:
    """Apply a function to a value for the integers from `lower` to `upper` - 1.

    Parameters
    ----------
    lower, upper : int
        First integer, and the one behind the last.
    body_fun : callable
        ``body_fun(i, value)`` returns the next value, of the same structure and shapes.
    init_val : container of arrays
        First value.

    Returns
    -------
    container of arrays
        Last value.

    Raises
    ------
    TypeError
        If the structure or a shape of the value changes.

    Examples
    --------
    >>> from scigrad import fori_loop, grad
    >>> print(grad(lambda x: fori_loop(0, 3, lambda i, y: y * x, 1.0))(2.0))
    12.0
    """
    value = init_val
    for i in range(lower, upper):
        after = body_fun(i, value)
        if i == lower:
            _check_carry("fori_loop", init_val, after)
        value = after
    return value


def while_loop(cond_fun: Callable[[C], Any], body_fun: Callable[[C], C], init_val: C) -> C:
    """Apply a function to a value while a condition of it holds.

    Parameters
    ----------
    cond_fun : callable
        ``cond_fun(value)`` returns a truth value without axes.
    body_fun : callable
        ``body_fun(value)`` returns the next value, of the same structure and shapes.
    init_val : container of arrays
        First value.

    Returns
    -------
    container of arrays
        First value of which the condition does not hold.

    Raises
    ------
    TypeError
        If the structure or a shape of the value changes.

    Notes
    -----
    The derivative is that of the steps that were made; the condition has none. Under `vmap` each
    element of the batch takes as many steps as its own condition says. In a program of `jit` it is
    one call, which takes as many steps as values say; where its derivative or a batch is computed,
    their number is recorded, and where another is needed, the function is recorded again.

    Examples
    --------
    >>> from scigrad import grad, while_loop
    >>> double = lambda x: while_loop(lambda y: y < 100, lambda y: 2 * y, x)
    >>> print(grad(double)(3.0))
    64.0
    """

    def body(value: Any) -> Any:
        after = body_fun(value)
        _check_carry("while_loop", value, after)
        return after

    value, goes_on = init_val, cond_fun(init_val)
    if isinstance(goes_on, Staged):
        leaves, tree = flatten(init_val)
        found = record_while(cond_fun, body, leaves, tree)
        if found is not None:
            return tree.unflatten(found)
    while np.any(raw(goes_on)) if _is_batched(goes_on) else goes_on:
        after = body(value)
        value = _selected(goes_on, after, value) if _is_batched(goes_on) else after
        goes_on = cond_fun(value)
    return value


def cond(pred: Any, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Any):
    """Apply one of two functions.

    Parameters
    ----------
    pred : bool or array without axes
        Condition.
    true_fun, false_fun : callable
        Functions of the operands whose results have the same structure and shapes.
    *operands : containers of arrays
        Arguments of both.

    Returns
    -------
    container of arrays
        ``true_fun(*operands)`` if the condition holds, else ``false_fun(*operands)``.

    Raises
    ------
    ValueError
        If both functions are computed and their results have different structures.

    Notes
    -----
    Under `vmap`, where conditions differ, and in a program that `jit` records, both functions are
    computed and one result is selected; the other contributes no derivative, not even NaN. A plain
    ``if`` under `jit` records the branch that is taken.

    Examples
    --------
    >>> from scigrad import cond, grad
    >>> print(grad(lambda x: cond(x > 0, lambda y: y**2, lambda y: -y, x))(3.0))
    6.0
    """
    if not _is_open(pred):
        return true_fun(*operands) if pred else false_fun(*operands)
    return _selected(pred, true_fun(*operands), false_fun(*operands))


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """Apply one of several functions.

    Parameters
    ----------
    index : int or array of integers without axes
        Number of the function; one out of range counts as the first or the last.
    branches : sequence of callable
        Functions of the operands whose results have the same structure and shapes.
    *operands : containers of arrays
        Arguments of all.

    Returns
    -------
    container of arrays
        ``branches[index](*operands)``; see `cond` for batches and recorded programs.

    Raises
    ------
    ValueError
        If there is no branch, or all are computed and their results have different structures.

    Examples
    --------
    >>> from scigrad import grad, switch
    >>> powers = [lambda x: x, lambda x: x**2]
    >>> print(grad(lambda x: switch(1, powers, x))(3.0))
    6.0
    """
    if not branches:
        raise ValueError("switch needs a branch at least")
    if not _is_open(index):
        return branches[min(max(int(raw(index)), 0), len(branches) - 1)](*operands)
    found = branches[-1](*operands)
    for i in reversed(range(len(branches) - 1)):
        found = _selected(index <= i, branches[i](*operands), found)
    return found


def _count_steps(xs: Any, length: int | None) -> int:
    lengths = {shape_of(x)[0] if shape_of(x) else None for x in flatten(xs)[0] if x is not None}
    if length is not None:
        lengths.add(length)
    given = sorted(map(str, lengths))
    if len(lengths) != 1 or (count := lengths.pop()) is None:
        raise ValueError(
            "scan needs arrays of one length along axis 0, or a length; it was given"
            f" {given or 'neither'}"
        )
    return count


def _first_of_none(x: Any) -> Any:
    """Return an element of the shape that those of an empty array would have."""
    return np.zeros_like(raw(x), shape=shape_of(x)[1:])


def _empty(space: Any) -> Any:
    return zeros(space._replace(shape=(0, *space.shape)))


def _check_carry(function: str, before: Any, after: Any) -> None:
    one, other = flatten(before), flatten(after)
    if one[1] != other[1]:
        raise TypeError(f"{function}: a value of structure {one[1]} became one of {other[1]}")
    for x, y in zip(one[0], other[0], strict=True):
        if is_number(x) and shape_of(x) != shape_of(y):
            raise TypeError(
                f"{function}: an array of shape {shape_of(x)} became one of {shape_of(y)}; the"
                " value keeps its shapes from step to step"
            )


def _is_batched(x: Any) -> bool:
    while isinstance(x, Traced) and not x._is_sealed:
        if type(x) is Batched:
            return True
        x = x._value
    return False


def _is_open(x: Any) -> bool:
    """Return whether a condition is not the same for all: of a batch, or of the values for which a
    program is recorded.
    """
    return _is_batched(x) or isinstance(raw(x), Traced)


def _selected(condition: Any, one: Any, other: Any) -> Any:
    def select(x: Any, y: Any) -> Any:
        if x is y:
            return x
        kinds = {type(v._value if type(v) is StagedNumber else v) for v in (x, y)}
        if isinstance(condition, Staged) and len(kinds) == 1 and kinds <= NUMBERS:
            return condition._record(choose, (condition, x, y), {})
        return np.where(condition, x, y)

    return map_leaves(select, one, other)
