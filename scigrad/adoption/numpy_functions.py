"""NumPy's functions that ask no protocol, or not for what a list holds.

What makes an array makes one that traced values can be assigned to (numpy/fillable.py).
"""

import functools
from typing import Any

import numpy as np
from numpy.lib import scimath

import scigrad.numpy as ours
from scigrad.autodiff_rules import Traced, TracedValueError, raw
from scigrad.autodiff_rules.boxes import is_transforming
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.autodiff_rules.trace import interception, late_interception
from scigrad.numpy.composition import read_lists
from scigrad.numpy.fillable import content, fillable
from scigrad.numpy.joining import assemble

from .array_classes import new_array
from .stand_ins import Function, answers_for, put_in_place, stand_in

_MAKING = (
    "arange array asanyarray asarray ascontiguousarray asfortranarray empty empty_like eye full "
    "full_like identity ones ones_like tri zeros zeros_like"
)
# functions that ask a protocol, and make a new array of plain ones
_COPYING = (
    "concatenate copy diag dstack fromfunction fromiter geomspace hstack linspace logspace outer "
    "repeat stack tile tril triu vstack column_stack kron pad flip roll where append delete insert "
    "meshgrid diff cumsum broadcast_to"
)
_COPY_MODES = {np._CopyMode.ALWAYS: True, np._CopyMode.NEVER: False, np._CopyMode.IF_NEEDED: None}
Dispatcher = type(np.sum)


def _as_fillable(out: Any, given: Any) -> Any:
    """Return a new array that NumPy made as one that can be filled, while a transform runs."""
    is_new = type(out) is np.ndarray and out.base is None and all(out is not x for x in given)
    return fillable(out) if is_new and is_transforming() else out


def _making(original: Function, other: Function) -> Function:
    @functools.wraps(original, updated=())
    def make(*args: Any, **kwargs: Any) -> Any:
        if isinstance(kwargs.get("copy"), np._CopyMode):
            kwargs["copy"] = _COPY_MODES[kwargs["copy"]]
        if holds_traced(args) or holds_traced(kwargs):
            return other(*args, **kwargs)
        out = original(*args, **kwargs)
        if original.__name__.startswith("empty") and is_transforming() and out.dtype.kind in "fc":
            out.fill(0)  # `jit` compares two runs
        return _as_fillable(out, (*args, *kwargs.values()))

    return make


for _name in _MAKING.split():
    put_in_place(getattr(np, _name), _making(getattr(np, _name), getattr(ours, _name)))
for _name in ("r_", "c_"):
    put_in_place(getattr(np, _name), getattr(ours, _name))


@answers_for(Dispatcher)
def _of_function(original: Any) -> Function:
    """Return a function that looks for traced values in lists too."""
    copies = original.__name__ in _COPYING.split()

    @functools.wraps(original, updated=())
    def function(*args: Any, **kwargs: Any) -> Any:
        lists = [x for x in (*args, *kwargs.values()) if isinstance(x, (list, tuple))]
        if lists and holds_traced(lists):
            rules = (find(original) for find in (interception.get, *late_interception))
            return next(filter(None, rules), original)(*args, **kwargs)
        out = original(*args, **kwargs)
        return _as_fillable(out, (*args, *kwargs.values())) if copies else out

    return put_in_place(original, function)


@answers_for(np.ufunc)
def _of_ufunc(original: np.ufunc) -> Function:
    @functools.wraps(original, updated=())
    def function(*args: Any, **kwargs: Any) -> Any:
        return original(*read_lists(args), **kwargs)

    for name in ("reduce", "accumulate", "outer", "at", "reduceat"):
        setattr(function, name, getattr(original, name))
    is_of_numpy = getattr(np, original.__name__, None) is original
    return put_in_place(original, function) if is_of_numpy else function


# -- methods of arrays and of ufuncs


@answers_for(type(len))
def _of_builtin(called: Any) -> Any:
    owner, name = called.__self__, called.__name__
    if owner is np.ndarray and name == "__new__":
        return new_array
    if type(owner) is np.ndarray:
        if name == "dot":
            return lambda *args, **kwargs: np.dot(owner, *args, **kwargs)
        if name in ("copy", "astype"):
            return lambda *args, **kwargs: _as_fillable(called(*args, **kwargs), (owner,))
    if isinstance(owner, np.ufunc):
        return lambda *args, **kwargs: called(*read_lists(args), **kwargs)
    return called


def elements(x: Any) -> Any:
    """Return the numbers of an array in nested lists."""
    return [elements(row) for row in x] if x.ndim else x


# -- others


@functools.partial(put_in_place, np.isscalar)
def _isscalar(x: Any) -> bool:
    return not x.ndim if isinstance(x, Traced) else np.isscalar(x)


@functools.partial(put_in_place, np.asarray_chkfinite)
def _asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    if not holds_traced((a,)):
        return np.asarray_chkfinite(a, dtype, order)
    found = ours.asarray(a, dtype)
    if not np.all(np.isfinite(raw(found))):
        raise ValueError("array must not contain infs or NaNs")
    return found


@functools.partial(put_in_place, np.require)
def _require(a: Any, dtype: Any = None, requirements: Any = None, **kwargs: Any) -> Any:
    if holds_traced((a,)):
        return ours.asarray(a, dtype)
    return np.require(a, dtype, requirements, **kwargs)


@functools.partial(put_in_place, np.common_type)
def _common_type(*arrays: Any) -> type:
    return np.common_type(*(np.empty(0, x.dtype) if isinstance(x, Traced) else x for x in arrays))


@functools.partial(put_in_place, np.ndenumerate)
def _ndenumerate(x: Any) -> Any:
    if not isinstance(x, Traced):
        return np.ndenumerate(x)
    return ((place, x[place]) for place in np.ndindex(x.shape))


@answers_for(np.vectorize)
def _of_vectorized(called: Any) -> Function:
    """Return a function that calls that of numpy.vectorize for each element of traced arrays."""

    def function(*args: Any, **kwargs: Any) -> Any:
        if not holds_traced(args) and not holds_traced(kwargs):
            return called(*args, **kwargs)
        if called.signature or called.excluded:
            raise TracedValueError("numpy.vectorize: no options are available for traced values")
        return call_for_elements(functools.partial(stand_in(called.pyfunc), **kwargs), args)

    return function


def call_for_elements(function: Function, args: Any) -> Any:
    """Return the values of a function of numbers for all elements of arrays."""
    given = [ours.asarray(x) for x in args]
    shape = np.broadcast_shapes(*(x.shape for x in given))
    rows = [ours.ravel(ours.broadcast_to(x, shape)) for x in given]
    found = [function(*items) for items in zip(*rows, strict=True)]
    return ours.reshape(ours.array(found), shape)


def _of_scimath(original: Any) -> Function:
    """Return a function that is complex outside of the domain, as real numbers say."""
    name = original.__name__

    @functools.wraps(original)
    def function(*args: Any) -> Any:
        if not holds_traced(args):
            return original(*args)
        given = [assemble(content(x)) for x in args]
        wide = np.asarray(original(*map(raw, given))).dtype.kind == "c"
        given = [x.astype(complex) if wide and x.dtype.kind != "c" else x for x in given]
        if name == "logn":
            return np.log(given[1]) / np.log(given[0])
        return getattr(np, name)(*given)

    return function


for _name in scimath.__all__:
    put_in_place(getattr(scimath, _name), _of_scimath(getattr(scimath, _name)))
