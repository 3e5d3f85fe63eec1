"""Elementwise functions that are ufuncs in scipy.special, with all options of a ufunc on plain
arrays.
"""

import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from scigrad.autodiff_rules import MissingKernel, backends, elementwise, kernel, stop_gradient
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.autodiff_rules.partials import Elementwise
from scigrad.autodiff_rules.trace import is_labelled, raw
from scigrad.numpy.arithmetic import widen
from scigrad.numpy.joining import assemble
from scigrad.typing import Documented

from ...host.threads import MANY, call_in_threads

backends.ROOTS["cupy"]["special"] = "scigrad.special.machinery.xsf_kernels"


class Ufunc(Elementwise):
    """Elementwise function with the name and the attributes of a ufunc in scipy.special.

    On plain arrays `out=`, `where=`, `dtype=` and other options are passed to the library's ufunc.
    On traced arrays calls with options go to NumPy's protocol, which answers them or raises with
    the spelling that works.
    """

    closed: Sequence[Any] = ()  # partials as functions of the arguments and the output

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == self.arity:
            return self.short(*args)
        if holds_traced((args, kwargs)) or not self.arity <= len(args) <= self.nargs:
            return _host_ufunc(self.__name__)(*args, **kwargs)
        args, places = args[: self.arity], args[self.arity :]
        if places:
            if "out" in kwargs:
                raise TypeError(
                    f"{self.__name__}: cannot specify 'out' as both a positional and keyword "
                    "argument"
                )
            kwargs["out"] = (
                places[0] if self.nout == 1 else places + (None,) * (self.nout - len(places))
            )
        if isinstance(self.kernel, LibraryValues):
            return self.kernel(*args, **kwargs)
        return self._placed(args, kwargs)

    def _placed(self, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """Return values of our own with the options of a ufunc, which SciPy's judges, given no
        elements.
        """
        judged = {name: value for name, value in options.items() if name not in ("out", "where")}
        dtype = _host_ufunc(self.__name__)(
            *(np.zeros(0, x.dtype) if hasattr(x, "dtype") else x for x in args), **judged
        ).dtype
        args = tuple(
            x.astype(np.result_type(x.dtype, dtype)) if hasattr(x, "dtype") else x for x in args
        )
        return np.positive(self.kernel(*args), **options)

    ufunc: Any = property(lambda self: _host_ufunc(self.__name__))


_OPTIONS = {
    "where": True,
    "casting": "same_kind",
    "order": "K",
    "dtype": None,
    "subok": True,
    "signature": None,
}
_AFTER = (
    Parameter("out", Parameter.POSITIONAL_OR_KEYWORD, default=None),
    *(Parameter(name, Parameter.KEYWORD_ONLY, default=value) for name, value in _OPTIONS.items()),
)


def _page_alone() -> None:
    """Return nothing, as functions do that have no more than a page."""
    ...


class LibraryValues:
    """The library's ufunc under the name of a function, with its signature."""

    __code__: Any
    __defaults__: Any
    __kwdefaults__: None
    in_double: bool
    instead: Any
    own: Callable[..., Any] | None

    __name__: str

    def __init__(
        self,
        function: Any,
        instead: Mapping[str, Callable[..., Any]] | None = None,
        in_double: bool = False,
    ) -> None:
        if function.__code__.co_code != _page_alone.__code__.co_code:
            raise TypeError(
                f"{function.__name__}: the body has to be `...`, since values are the library's"
            )
        functools.update_wrapper(self, function)
        self.__code__, self.__defaults__, self.__kwdefaults__ = (
            function.__code__,
            function.__defaults__,
            None,
        )
        self.instead, self.in_double = instead, in_double
        self.own = (instead or {}).get("numpy")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            for x in args:
                if type(x) not in _NUMBERS and not (
                    type(x) is np.ndarray and x.dtype is _DOUBLE and x.size < MANY
                ):
                    break
            else:  # the short way, which small arrays feel
                return (self.own or _host_ufunc(self.__name__))(*args)
        if self.own and not kwargs and any(is_labelled(type(x)) for x in args):
            return _with_labels(self, args)
        single = any(getattr(x, "dtype", None) in (np.float32, np.complex64) for x in args)
        if not single or not kwargs.keys().isdisjoint(("dtype", "signature", "sig")):
            return library_values(self.__name__, *args, instead=self.instead, **kwargs)
        dtype = np.result_type(
            *(x.dtype if hasattr(x, "dtype") else x for x in args if x is not None)
        )
        if self.in_double or any(
            isinstance(x, int) or getattr(x, "dtype", dtype).kind in "iu" for x in args
        ):
            args = tuple(
                x.astype(np.float64) if getattr(x, "dtype", None) == np.float32 else x for x in args
            )
        found, places = (
            library_values(self.__name__, *args, instead=self.instead, **kwargs),
            kwargs.get("out"),
        )
        if isinstance(found, tuple):
            pairs = zip(found, places or [None] * len(found), strict=True)
            return tuple(narrow_to(y, dtype) if place is None else y for y, place in pairs)
        return found if places is not None else narrow_to(found, dtype)


def _with_labels(function: Any, args: Sequence[Any]) -> Any:
    """Return values of ours for arrays with labels: their library aligns them, by a ufunc that
    hands them back, and labels these.

    Ours are computed from plain arrays, so that what is changed in place is not the memory of a
    user's frame.
    """
    *aligned, zeros = np.frompyfunc(lambda *x: (*x, 0.0), len(args), len(args) + 1)(*args)
    arrays = (
        np.asarray(y, np.asarray(x).dtype) if np.ndim(x) else x
        for x, y in zip(args, aligned, strict=True)
    )
    values = function(*arrays)
    # v - 0 is v, the sign of zeros included.
    labelled = [
        v - zeros.astype(v.dtype) for v in (values if isinstance(values, tuple) else (values,))
    ]
    return tuple(labelled) if isinstance(values, tuple) else labelled[0]


def read_arguments(*args: Any) -> list[Any]:
    """Return arrays for lists, buffers and arrays with labels; Python's numbers, which widen no
    single precision, as they are.
    """
    return [x if type(x) in (int, float, complex) else assemble(x) for x in args]


def narrow_to(y: Any, dtype: Any) -> Any:
    """Return y in single precision if the dtype of the arguments is that."""
    return y.astype(_PRECISIONS.get((dtype.char, y.dtype.char), y.dtype), copy=False)


def like(args: Sequence[Any], values: Any) -> Any:
    """Return values, one or a tuple, in the precision of the arguments, which SciPy's are not
    always.
    """
    kinds = [x.dtype for x in args if getattr(x, "dtype", np.dtype(bool)).kind in "fc"]
    dtype = np.result_type(*kinds or [np.float64])
    values, many = (values, True) if isinstance(values, tuple) else ((values,), False)
    found = tuple(narrow_to(v if hasattr(v, "dtype") else np.float64(v), dtype) for v in values)
    return found if many else found[0]


def if_traced(function: Any, instead: Mapping[str, Callable[..., Any]] | None = None) -> Any:
    """Leave calls without a traced argument to SciPy's function of the same name (or `instead`)."""

    @functools.wraps(function)
    def chosen(*args: Any, **options: Any) -> Any:
        if holds_traced((args, options)):
            return function(*read_arguments(*args), **options)
        # SciPy adds parameters, and numbers of Python's do not wrap
        numbers = [x.item() if getattr(x, "ndim", 1) == 0 else x for x in args]
        return like(args, kernel(f"special.{function.__name__}", instead)(*numbers, **options))

    return chosen


_NUMBERS, _DOUBLE = (float, int, np.float64), np.dtype(np.float64)
_PRECISIONS = {("f", "d"): np.float32, ("f", "D"): np.complex64, ("F", "D"): np.complex64}
Partial = Callable[..., Any] | float | None


def row(*partials: Any, **options: Any) -> Callable[[Documented], Documented]:
    """Declare a ufunc of SciPy's: signature and docstring are the decorated function's, values the
    library's (or `instead`'s).

    Parameters
    ----------
    *partials : callable, float or None
        Partial derivative for each argument: a function of the arguments and the output, a number,
        or None where there is no rule. For several outputs a tuple of such for each; `out` is the
        tuple of outputs then.
    **options : optional
        `instead`, a mapping of kernels of ours by library, see `kernel`, and `in_double`, whether
        single precision is computed in double, where the library's is wrong.
    """
    outputs = len(partials) if isinstance(partials[0], tuple) else 1

    def state(function: Any) -> Any:
        declared = ufunc(LibraryValues(function, **options), outputs)
        declared.closed = partials
        declared.partials(precise(partials))
        return declared

    return state


def no_ufunc(*partials: Any) -> Callable[[Documented], Documented]:
    """Declare a function of SciPy's that acts element by element and is no ufunc; as `row`, without
    the options of ufuncs.
    """

    def state(function: Any) -> Any:
        declared = Elementwise(LibraryValues(function))
        declared.partials(precise(partials))
        return declared

    return state


without_warnings: Any = np.errstate(all="ignore")


def precise(p: Any, output: int | None = None) -> Any:
    """Return a partial, or a tuple of such, that is given its arguments in the precision of the
    result, see `widen`, and is nan where that is. As SciPy's ufuncs it never warns.
    """
    if isinstance(p, tuple):
        return tuple(precise(q, i if isinstance(q, tuple) else output) for i, q in enumerate(p))
    if not callable(p):
        return p

    @without_warnings
    def partial(*args: Any) -> Any:
        out = args[-1] if output is None else args[-1][output]
        slope = p(*(widen(x, out) for x in args[:-1]), args[-1])
        values = raw(out)
        undefined = values != values
        if undefined is np.False_:
            return slope
        if type(undefined) is np.ndarray and not np.count_nonzero(undefined):
            return slope
        return _where_defined(slope, out)

    return partial


def holds_somewhere(condition: Any) -> Any:
    """Return whether a condition holds somewhere, as it may where it is traced or on a device."""
    return not isinstance(condition, np.ndarray | np.bool_) or np.count_nonzero(condition)


@elementwise
def _where_defined(slope, value):
    """Return the slope, nan where the value is: formulas have a wider domain than the function."""
    return np.where(value == value, slope, np.nan)[()]


@_where_defined.partials
def _(call: Any) -> Any:
    return lambda: np.where(call.value == call.value, 1.0, np.nan), 0


def guarded_kernel(name: str, safe: Callable[..., Any]) -> dict[str, Any]:
    """Return the kernel of a function of SciPy's that ends the process for some arguments, as an
    option of `row`.

    Where they are not `safe` the first one, an order, is set to -1, for which values are nan. All
    is computed in double precision: in single, SciPy's iterations may not end.
    """

    def values(*args: Any, **kwargs: Any) -> Any:
        given = (
            x * 1.0 if hasattr(x, "dtype") else np.asarray(x)[()] * 1.0
            for x in args[: safe.__code__.co_argcount]
        )
        order = np.where(safe(*given), args[0], -1)
        double = {"dtype": np.float64} if backends.library(order, *args) == "numpy" else {}
        return kernel(f"special.{name}")(order, *args[1:], **double | kwargs)

    values.safe = safe  # pyright: ignore[reportFunctionMemberAccess]
    # the last: CuPy's stand-in, SciPy's kernels too
    return dict.fromkeys(("numpy", "cupy", "scigrad.testing.device"), values)


def corrected_kernel(
    values: Any, lossy: Callable[..., Any], better: Callable[..., Any], of_real: bool = False
) -> dict[str, Any]:
    """Return the kernel of a function of SciPy's, or the function `values`, that has other values
    for some arguments on the host.

    They are those for which `lossy`, a sum of comparisons, is true, and `better` returns all
    outputs. If `of_real`, values of integers in the first argument are SciPy's. An option of `row`.
    """

    def kernel_of_ours(*args: Any, **kwargs: Any) -> Any:
        # `out` may be one of the arguments
        args = tuple(map(np.array, args)) if "out" in kwargs else args
        found = (
            values(*args, **kwargs) if callable(values) else library_values(values, *args, **kwargs)
        )
        if any(type(x) not in _NUMBERS and np.iscomplexobj(x) for x in args):
            return found
        if of_real and np.result_type(args[0]).kind in "iu":
            return found
        given = [x if type(x) is float else np.asarray(x, np.float64)[()] for x in args]
        some = lossy(*given)
        if some is False or not np.any(some):
            return found
        some, *given = np.broadcast_arrays(
            some & np.asarray(kwargs.get("where", True), bool), *given
        )
        many = found if isinstance(found, tuple) else (found,)
        outputs = [np.asarray(y) for y in many]
        with np.errstate(all="ignore"):
            for y, numbers in zip(outputs, better(*(x[some] for x in given)), strict=True):
                y[some] = numbers
        outputs = [y if y is theirs else y[()] for y, theirs in zip(outputs, many, strict=True)]
        return tuple(outputs) if isinstance(found, tuple) else outputs[0]

    kernel_of_ours.lossy = lossy  # pyright: ignore[reportFunctionMemberAccess] from which docs/where_we_differ.md is written
    kernel_of_ours.safe = getattr(values, "safe", None)  # pyright: ignore[reportFunctionMemberAccess]
    return {"numpy": kernel_of_ours}


def complement(f: Any, **options: Any) -> Callable[[Documented], Documented]:
    """Declare the ufunc of SciPy's that is 1 - f, with the options of `row`."""
    return row(
        *(p and (lambda *args, p=p: -p(*args[:-1], 1 - args[-1])) for p in f.closed), **options
    )


def inverse(
    f: Any,
    position: int,
    polished: bool = False,
    searched: bool = False,
    **options: Any,
) -> Callable[[Documented], Documented]:
    """Declare the ufunc of SciPy's that solves f(..., x, ...) = p for the argument at `position`,
    where p is in its place.

    Its partial derivatives are 1/f_x in p and -f_a/f_x in any other argument a, by the implicit
    function theorem. Searches in single precision end at three to seven digits, so they are made in
    double. If `polished`, two Newton steps follow SciPy's search, which ends at four to eight
    digits. Where a search did not find the solution they are nan: one for an argument that is not
    the last, unless `searched` tells.
    """
    searched |= position < f.arity - 1

    def excess(args: Sequence[Any], x: Any) -> Any:
        return f(*args[:position], x, *args[position + 1 :]) - args[position]

    def slope(i: int, args: Sequence[Any]) -> Any:
        """Return the partial of f where f has the value p."""
        p = f.closed[i]
        solved = (*args[:position], args[-1], *args[position + 1 : -1])
        return p(*solved, args[position]) if callable(p) else p

    def partial(i: int) -> Partial:
        def of_solution(*args: Any) -> Any:
            by_x = slope(position, args)
            found = 1 / by_x if i == position else -slope(i, args) / by_x
            if not searched:
                return found
            *given, x = map(stop_gradient, args)
            p = given[position]
            least = np.maximum(1e3 * np.abs(p * (1 - p)), np.abs(x * stop_gradient(by_x)))
            lost = np.abs(excess(given, x)) > 1e-6 * least
            return found * np.where(lost, np.nan, 1.0) if holds_somewhere(lost) else found

        return None if f.closed[i] is None else of_solution

    def stated(function: Any) -> Any:
        def values(*args: Any, **kwargs: Any) -> Any:
            x = _host_ufunc(function.__name__)(*args)
            with np.errstate(all="ignore"):
                for _ in range(2):
                    change = excess(args, x) / slope(position, (*args, x))
                    x = np.where(np.isfinite(change), x - change, x)
            return np.positive(x, **kwargs)

        own = {"instead": {"numpy": values}} if polished else options
        return row(*map(partial, range(f.arity)), in_double=True, **own)(function)

    return stated


def ufunc(function: Any, outputs: int = 1, form: type[Ufunc] = Ufunc) -> Any:
    """Declare an elementwise function with the name of a ufunc in scipy.special, and values of our
    own.

    `form` is its class.
    """
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    parameters = (Parameter(name, Parameter.POSITIONAL_ONLY) for name in names)
    # shown by help(), and what __call__ takes
    function.__signature__ = Signature((*parameters, *_AFTER))
    return form(function, outputs)


def library_values(
    name: str, *args: Any, instead: Mapping[str, Callable[..., Any]] | None = None, **kwargs: Any
) -> Any:
    """Call the ufunc `name` of the library that owns the arguments; a refusal of complex numbers
    names them.
    """
    try:
        given = args[:-1] if args[-1] is None else args  # the q of zeta
        if (
            not kwargs
            and not (instead and "numpy" in instead)
            and all(type(x) is np.ndarray for x in given)
        ):
            return call_in_threads(_host_ufunc(name), *given)
        return kernel(f"special.{name}", instead)(*args, **kwargs)
    except TypeError as error:
        for x in args:
            dtype = getattr(x, "dtype", None)
            if isinstance(x, complex) if dtype is None else dtype.kind == "c":
                given = "a complex number" if dtype is None else f"{dtype} of shape {x.shape}"
                raise _refused(name, given, backends.library(*args)) from error
        raise


@functools.cache
def _host_ufunc(name: str) -> Any:
    return getattr(importlib.import_module("scipy.special"), name)


def _refused(name: str, given: str, library: str) -> Exception:
    if library != "numpy" and any(
        "D" in types for types in getattr(_host_ufunc(name), "types", "D")
    ):
        return MissingKernel(
            f"special.{name}: {library} has no kernel for complex numbers, and x is {given}. Move "
            "the data to the host explicitly (cupy.asnumpy(x)), or take real and imaginary parts "
            "apart."
        )
    advice = (
        "loggamma is the analytic logarithm of the gamma function for complex numbers"
        if name == "gammaln"
        else "if the imaginary part is zero, pass numpy.real(x)"
    )
    return TypeError(
        f"{name} is a function of real numbers, as in SciPy, but an argument is {given}; {advice}."
    )
