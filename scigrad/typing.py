"""Names for the types of arguments and results, as `numpy.typing` has them.

`Array` is what functions return: an array of NumPy or CuPy, or what stands for it inside of a
transform. All three have the names of NumPy's array, which type checkers are told it is.
`ArrayLike` is what functions take: any of these, numbers, and nested sequences of them.
"""

from collections.abc import Sequence
from typing import Any, Literal, ParamSpec, Protocol, TypeAlias, TypedDict, TypeVar

import numpy as np
from numpy.typing import DTypeLike

Array: TypeAlias = np.ndarray[Any, Any]
ArrayLike: TypeAlias = Array | Any
Operator: TypeAlias = Array | Any  # a LinearOperator, or what stands for one
System: TypeAlias = tuple[Any, ...] | Any  # a linear system, or the tuple that describes one
Number: TypeAlias = complex
Value: TypeAlias = Any  # an array, traced or not, a number, or a container of them
Axes: TypeAlias = int | Sequence[int]
Out: TypeAlias = Array | tuple[Array, ...]
OnFail: TypeAlias = Literal["raise", "nan", "info"]
Gauge: TypeAlias = Literal["check", "project", "trust"]
Norm: TypeAlias = Literal["backward", "ortho", "forward"]
Order: TypeAlias = float | Literal["fro", "nuc"]  # the norm that is meant
Seed: TypeAlias = "int | np.random.Generator | np.random.RandomState | None"


class AnyFunction(Protocol):
    """A function with a name, as `def` makes one."""

    __name__: str

    def __call__(self, *args: Any, **options: Any) -> Any: ...


Documented = TypeVar("Documented", bound=AnyFunction)  # a decorator hands its type on


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result", covariant=True)


class DeclaredFunction(Protocol[Parameters, Result]):
    """A function whose rules are stated with its methods, see `scigrad.differentiable`."""

    def __call__(self, *args: Parameters.args, **options: Parameters.kwargs) -> Result: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...


class UfuncOptions(TypedDict, total=False):
    """The options of every ufunc, see `numpy.ufunc`."""

    out: Out | None
    where: ArrayLike
    casting: str
    order: Literal["K", "A", "C", "F"]
    dtype: DTypeLike
    subok: bool
    signature: Any


class AnySparse(Protocol):
    """A sparse array, of ours or of SciPy's."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __getattr__(self, name: str) -> Any: ...


SparseLike: TypeAlias = AnySparse | Any  # or a dense array


class AnyUfunc(Protocol):
    """A function of NumPy's that acts element by element."""

    def __call__(self, *args: ArrayLike, **options: Any) -> Any: ...


class UnaryUfunc(Protocol):
    """A function of one array that acts element by element, with the options of NumPy's ufuncs."""

    def __call__(
        self,
        x: ArrayLike,
        /,
        out: Out | None = None,
        *,
        where: ArrayLike = True,
        dtype: DTypeLike = None,
        **options: Any,
    ) -> Array: ...

    def __getattr__(self, name: str) -> Any: ...


class BinaryUfunc(Protocol):
    """A function of two arrays that acts element by element, with the options of NumPy's ufuncs."""

    def __call__(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        /,
        out: Out | None = None,
        *,
        where: ArrayLike = True,
        dtype: DTypeLike = None,
        **options: Any,
    ) -> Array: ...

    def __getattr__(self, name: str) -> Any: ...


__all__ = [
    "AnyFunction", "AnySparse", "AnyUfunc", "Array", "ArrayLike", "Axes", "BinaryUfunc",
    "DTypeLike", "DeclaredFunction", "Documented", "Gauge", "Norm", "Number", "OnFail", "Operator",
    "Order", "Out", "Parameters", "Result", "Seed", "SparseLike", "System", "UfuncOptions",
    "UnaryUfunc", "Value",
]  # fmt: skip
