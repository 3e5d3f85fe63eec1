"""One run of a transformed function: the arguments that vary, the graph that is kept, outputs and
auxiliary data.

Arrays that are returned to the user are writable, and writes into them do not reach a graph that is
kept.
"""

import functools
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from threading import get_ident
from typing import Any

import numpy as np

from scigrad.typing import Value

from . import backends, graph
from .boxes import BOXES, Recorded, Running, checks_left, constant_levels, note_outer
from .containers import Tree, flatten, map_leaves
from .masked import fill_absent, is_finite, left_out
from .messages import callers, errors, explanations
from .messages.dependence import warn_of_constants
from .messages.explanations import explanation
from .spaces import check_arithmetic, embed, is_inexact, is_number, shape_of, space, zeros
from .trace import ZERO, Traced, apart, array_functions, as_scalar, check_type, own, running, sealed

# types of cotangents that can be looked at
_HOST = frozenset((np.ndarray, *np.sctypeDict.values(), float, complex, type(ZERO)))
_ONE = np.float64(1.0)


class Transformed:
    """Result of a transform of a function f: calls are apply(f, *settings, args, kwargs). It can be
    pickled where f can.
    """

    apply: Callable[..., Any]
    settings: Any

    def __init__(self, apply: Callable[..., Any], f: Callable[..., Any], *settings: Any) -> None:
        if not callable(f):
            raise explanations.not_a_function(f)
        self.apply, self.settings = apply, (f, *settings)
        functools.update_wrapper(self, f, updated=())

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        try:
            return self.apply(*self.settings, args, kwargs)
        except Exception as error:
            callers.hide_frames(error)
            raise
        finally:
            if checks_left:
                array_functions["end_of_transform"]()

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<{self.apply.__name__.strip('_')} of {self.settings[0]!r}>"


def make_transform(apply: Callable[..., Any], f: Callable[..., Any], *settings: Any) -> Any:
    """Return a transform of f; that of a function that `jit` records is recorded itself."""
    return getattr(f, "under_transform", Transformed)(apply, f, *settings)


class Arguments:
    """Arguments of one call that a transform varies, as leaves of one container, and the way back
    to the full call.

    The container is the argument itself if argnums is one number, otherwise a tuple of arguments:
    of all positional ones if argnums is None. The leaves are copies if `frozen`, for a graph that
    outlives the call. Otherwise small ones are, and `look` refuses a function that has written to a
    large one.
    """

    args: Any
    transform: str
    takes_all: bool
    single: bool
    numbers: Any
    leaves: list[Any]
    tree: Tree
    watch: Any

    def __init__(
        self, transform: str, args: Any, argnums: int | Sequence[int] | None, frozen: bool = False
    ) -> None:
        if not isinstance(args, (tuple, list)):
            raise errors.not_one_each(transform, None, args)
        self.transform, self.args, self.takes_all = transform, args, argnums is None
        self.single = hasattr(argnums, "__index__")
        try:
            given: Any = (
                range(len(args)) if argnums is None else (argnums,) if self.single else argnums
            )
            self.numbers = [range(len(args))[n] for n in given]
            if len(set(self.numbers)) < len(self.numbers):
                raise IndexError
        except (TypeError, IndexError):
            raise errors.bad_argnums(transform, argnums, len(args)) from None
        varied = tuple([args[n] for n in self.numbers])
        self.leaves, self.tree = flatten(varied[0] if self.single else varied)
        large = []
        for i, x in enumerate(self.leaves):
            is_plain = type(x) is np.ndarray
            if not is_plain or x.dtype.kind not in "fc":
                check_arithmetic(x)
                if not is_inexact(x):
                    raise errors.not_differentiable(transform, self._place(i), x)
            if frozen or not (is_plain or backends.is_array(x)):
                self.leaves[i] = copy_array(x)
            else:
                self.leaves[i], watch = graph.settle_kept(x, 0)
                large += [x] if watch else []
        self.watch = graph.Watch(transform, large) if large else None

    def look(self) -> None:
        """Refuse a function that has written to a large argument."""
        if self.watch is not None:
            self.watch.look()

    def _place(self, i: int) -> str:
        """Return the number of the argument that leaf i belongs to, with the path inside of it:
        "0['a']".
        """
        number, path = self.path_of(i)
        return f"{number}{''.join(entry.codify('') for entry in path)}"

    def path_of(self, i: int) -> tuple[int, list[Any]]:
        """Return the number of the argument that leaf i belongs to, and the way inside of it."""
        path = [] if self.tree.spec is None else list(self.tree.spec.accessors()[i])
        return self.numbers[0 if self.single else path.pop(0).entry], path

    def call_with(self, leaves: Sequence[Any]) -> list[Any]:
        """Return all positional arguments with other leaves in the varied ones."""
        args, varied = list(self.args), self.tree.unflatten(leaves)
        for number, value in zip(self.numbers, (varied,) if self.single else varied, strict=True):
            args[number] = value
        return args

    def rebuild(self, cotangents: Sequence[Any], *others: Any) -> Any:
        """Return cotangents of the leaves in the structure of the varied arguments, in memory of
        their own and not of others.
        """
        arrays = [
            zeros(x) if c is ZERO else c for c, x in zip(cotangents, self.leaves, strict=True)
        ]
        return self.tree.unflatten(unshare(arrays, *others))

    def matching(self, what: str, given: Any) -> list[Any]:
        """Return the leaves of tangents given in the structure of several arguments."""
        if not isinstance(given, (tuple, list)) or len(given) != len(self.numbers):
            raise errors.not_one_each(self.transform, len(self.numbers), given)
        return [
            cast_to_space(what, t, x)
            for t, x in zip(self.tree.leaves(what, tuple(given)), self.leaves, strict=True)
        ]


class Recording:
    """One run of a function whose graph is kept, to pull cotangents back through it or push
    tangents forward.
    """

    inputs: list[Any]
    tree: Tree
    aux: Any | None
    nodes: Any
    values: Any
    run: Callable[..., Any]

    def __init__(
        self,
        f: Callable[..., Any],
        arguments: Arguments,
        kwargs: dict[str, Any],
        has_aux: bool = False,
    ) -> None:
        with Running() as level:
            self.level = level
            graph.guard(level, self)
            boxes = [Recorded(x, level, graph.new_node(None, None, ())) for x in arguments.leaves]
            self.inputs = [box._node for box in boxes]
            out, aux = split_aux(call_explained(f, arguments.call_with(boxes), kwargs), has_aux)
            arguments.look()
            leaves, self.tree = flat_output(out)
            self.aux = strip(level, aux) if has_aux else None
            self.is_constant = level in constant_levels
        self.values, self.nodes = [], []
        for x in leaves:
            varies = own(Recorded, level, x)
            self.values.append(apart(x._value if varies else x, level))
            self.nodes.append(x._node if varies else None)
        if running:
            note_outer(self.values)
        self.run = lambda leaves: flat_output(f(*arguments.call_with(leaves), **kwargs))[0]

    @property
    def out(self) -> Any:
        """The output, in other arrays than the graph keeps: the user may write into it before the
        next pullback.
        """
        return self.tree.unflatten([as_scalar(copy_array(x)) for x in self.values])

    def pull(self, cotangents: Sequence[Any]) -> list[Any]:
        """Return cotangents of the inputs (ZERO for those that none reaches)."""
        found = unmasked_first(
            functools.partial(graph.pull, self.nodes, cotangents, self.inputs), cotangents
        )
        return (
            found
            if _HOST.issuperset(map(type, found))
            else [apart(fill_absent(c), self.level) for c in found]
        )

    def pull_masked(self, cotangents: Sequence[Any]) -> list[Any]:
        """Return cotangents of the inputs, which may be Masked, as those given may be."""
        return graph.pull(self.nodes, cotangents, self.inputs)

    def push(self, tangents: Sequence[Any]) -> list[Any]:
        """Return tangents of the outputs."""
        found = unmasked_first(
            functools.partial(graph.push, self.nodes, tangents, self.inputs), tangents
        )
        return [
            zeros(x) if t is ZERO else apart(fill_absent(t), self.level)
            for t, x in zip(found, self.values, strict=True)
        ]


def unmasked_first(compute: Callable[[], list[Any]], given: Sequence[Any]) -> list[Any]:
    """Return the derivatives that a pass through a graph computes from those given.

    It runs without masks, and again with these if one was left out and the result is not finite.
    """
    thread = get_ident()
    can_look = _HOST.issuperset(map(type, given)) or all(
        type(x) in _HOST or getattr(x, "_is_sealed", backends.is_on_device(x)) for x in given
    )
    if (running and not running <= sealed) or graph.watchers or thread in left_out or not can_look:
        return compute()
    left_out[thread] = False
    try:
        found = compute()
    finally:
        missing = left_out.pop(thread)
    if missing and not all(is_finite(c, found) for c in found if c is not ZERO):
        return compute()
    return found


def value_and_gradient(
    f: Any,
    argnums: Any,
    has_aux: bool,
    convention: str,
    allow_constant: bool,
    args: Any,
    kwargs: dict[str, Any],
) -> Any:
    arguments = Arguments("grad", args, argnums)
    recording = Recording(f, arguments, kwargs, has_aux)
    value = _real_scalar(recording)
    one = _ONE if type(value) is np.float64 else array_functions["one"](value)
    found = recording.pull([one])
    if not allow_constant and type(ZERO) in map(type, found):
        warn_of_constants(f, arguments, recording, found)
    recording.nodes.clear()
    if convention == "jax":
        found = [c.conj() for c in found]
    gradient = arguments.rebuild(found, *(() if one is _ONE else (one,)))
    return ((value, recording.aux), gradient) if has_aux else (value, gradient)


def gradient(f: Any, argnums: Any, has_aux: bool, *rest: Any) -> Any:
    value, found = value_and_gradient(f, argnums, has_aux, *rest)
    return (found, value[1]) if has_aux else found


def _real_scalar(recording: Recording) -> Any:
    if len(recording.values) == 1 and type(recording.values[0]) is np.float64:  # the usual loss
        return recording.values[0]
    shapes = [shape_of(x) for x in recording.values]
    if shapes != [()]:
        raise errors.not_scalar(shapes)
    value = as_scalar(errors.varying("grad", recording, "a loss that varies").values[0])
    if getattr(value, "dtype", np.dtype(type(value))).kind == "c":
        raise errors.not_a_real_loss()
    return value


def call_explained(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """Call a transformed function, and replace errors of NumPy and SciPy that traced values cause
    by ours.
    """
    try:
        return function(*args, **kwargs)
    except Exception as error:
        found = explanation(error, args)
        if found is None:
            callers.hide_frames(error)
            raise
        found.__traceback__ = error.__traceback__  # the lines of the program are in it
        callers.hide_frames(found)
        raise found from None  # its text has that of the other one


def cast_to_space(what: str, t: Any, x: Any) -> Any:
    """Return a given tangent or cotangent in the dtype of x; its shape has to be right already."""
    if t is ZERO:
        return t
    check_arithmetic(t)
    if shape_of(t) != shape_of(x):
        raise errors.wrong_shape(what, shape_of(x), shape_of(t))
    t = as_scalar(t) if hasattr(t, "dtype") else np.asarray(t)[()]
    if t.dtype.kind == "c" and space(x).dtype.kind != "c":
        raise TypeError(f"{what} of a real value must be real, not {t.dtype}")
    return embed(t, x)


def strip(level: int, container: Any) -> Any:
    """Return auxiliary output without the boxes of a level that has ended."""

    def stripped(x: Any) -> Any:
        x = bare(x, level)
        return (
            copy_array(apart(x._value, level))
            if isinstance(x, Traced) and own(type(x), level, x)
            else x
        )

    return map_leaves(stripped, container)


def flat_output(out: Value) -> tuple[list[Any], Tree]:
    leaves, tree = flatten(out)
    for i, x in enumerate(leaves):
        if type(x) in BOXES:
            if type(x._value) is not np.float64:  # that of a loss holds no object
                check_box(x)
            continue
        leaves[i] = x = bare(x)
        check_type(type(x))
        if not is_output(x):
            raise errors.not_an_output(x)
    return leaves, tree


def split_aux(out: Value, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return out, None
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError("has_aux=True: the function has to return a pair (output, auxiliary data)")
    return out


def copy_array(x: Any) -> Any:
    return x.copy() if backends.is_array(x) else apart(x)


def unshare(arrays: list[Any], *others: Any) -> list[Any]:
    """Return the arrays, with copies of those that are read-only, that have one place for several
    elements (which CuPy lets be written), or that share the memory of an earlier one (d(x + y) is g
    twice). One without axes becomes a number, as NumPy's are.
    """
    seen = {id(graph.owner(x)) for x in others}
    for i, x in enumerate(arrays):
        is_plain = type(x) is np.ndarray
        if is_plain and not x.ndim:
            arrays[i] = x[()]
        elif is_plain or backends.is_array(x):
            memory = id(graph.owner(x))
            if memory in seen or 0 in x.strides or not getattr(x.flags, "writeable", True):
                arrays[i] = x.copy()
            seen.add(memory)
    return arrays


# -- traced values inside of objects that are no containers: what a function returns is searched

_NUMBERS = (int, float, complex, np.generic, str, bytes)
# what it refers to is not what a function returns
_CODE = (types.ModuleType, types.FunctionType, type)
_OBJECT = np.dtype(object)
_SEARCHED = 1000  # objects inside of one


def bare(x: Any, level: int = 0) -> Any:
    """Return a leaf of what a function returned, taken out of what another library has put around
    it.

    An array with labels counts as its data, an array of objects as the array of its elements. Other
    objects that hold a traced value, of this level or a later one, are refused: they would count as
    constants.
    """
    if isinstance(x, Traced):
        x = array_functions["content"](x)
        if type(x) in BOXES:
            check_box(x)
        return x
    if isinstance(x, _NUMBERS) or (isinstance(x, np.ndarray) and x.dtype != _OBJECT):
        return x
    if type(x) is np.ndarray and any(isinstance(item, Traced) for item in x.flat):
        return array_functions["assembled"](x.tolist())
    data = getattr(x, "data", None) if hasattr(x, "dtype") else None
    if isinstance(data, Traced) and data._level >= level and data.shape == x.shape:
        return data
    if (place := _place_of_traced(x, level)) is not None:
        raise errors.hidden_traced(type(x), place)
    return x


def check_box(x: Any) -> None:
    """Refuse a box of objects, and one of an earlier transform with a later one inside: an array of
    objects brought that there, where its transform is blind.
    """
    inner = x._value
    while type(inner) in BOXES and inner._level < x._level:
        x, inner = inner, inner._value
    if type(inner) in BOXES or getattr(inner, "dtype", None) == _OBJECT:
        raise errors.of_objects("a function")


def _place_of_traced(root: Any, level: int) -> str | None:
    """Return where in an object a traced value of a level, or a later one, is kept: ".state[0]"."""
    waiting, seen = [("", root)], {id(root)}
    while waiting and len(seen) < _SEARCHED:
        place, x = waiting.pop()
        for name, item in _items_of(x):
            item = array_functions["content"](item)
            if isinstance(item, Traced) and level <= item._level < sys.maxsize:
                return place + name
            if id(item) not in seen and not isinstance(item, (*_NUMBERS, *_CODE)):
                seen.add(id(item))
                waiting.append((place + name, item))
    return None


def _items_of(x: Any) -> Iterator[tuple[str, Any]]:
    """Yield the items and attributes of an object, by name; elements only of arrays of objects, and
    of pandas' frames.
    """
    if isinstance(x, dict):
        yield from ((f"[{key!r}]", item) for key, item in x.items())
    elif isinstance(x, (list, tuple, set, frozenset)):
        yield from ((f"[{i}]", item) for i, item in enumerate(x))
    elif getattr(x, "dtype", None) == _OBJECT or hasattr(x, "iloc"):
        yield from ((f"[{i}]", item) for i, item in enumerate(np.asarray(x).flat))
    slots = (name for kind in type(x).__mro__ for name in getattr(kind, "__slots__", ()))
    for name in (*getattr(x, "__dict__", ()), *slots):
        yield f".{name}", getattr(x, name, None)


def is_output(x: Any) -> bool:
    """Return whether x is an array of numbers or a number, and not of objects, which may vary."""
    dtype = getattr(x, "dtype", None)
    # a class: of the numbers of uncertainties
    return is_number(x) and dtype != _OBJECT and not isinstance(dtype, type)
