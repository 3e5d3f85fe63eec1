"""The memory behind CuPy's pointers, which is the host's, as NumPy arrays; and the routines of a
library put in its module.
"""

import ctypes
import functools
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

PRECISIONS: dict[str, Any] = {
    "s": np.float32,
    "d": np.float64,
    "c": np.complex64,
    "z": np.complex128,
}
LETTERS = {dtype: letter for letter, dtype in PRECISIONS.items()}
CUDA_TYPES: dict[int, Any] = {
    0: np.float32,
    1: np.float64,
    2: np.float16,
    4: np.complex64,
    5: np.complex128,
}

# calls of the vendor's routines; each is at least one launch on a card
calls: Counter[str] = Counter()
_NOTHING = ctypes.create_string_buffer(64)


def vector(pointer: int, n: int, dtype: Any, stride: int = 1) -> np.ndarray:
    """n numbers; a negative stride begins at the last one, as in BLAS."""
    dtype = np.dtype(dtype)
    if n == 0:
        return np.empty(0, dtype)
    span = 1 + (n - 1) * abs(stride)
    buffer = (ctypes.c_char * (span * dtype.itemsize)).from_address(
        pointer or ctypes.addressof(_NOTHING)
    )
    numbers = np.frombuffer(buffer, dtype, span)
    return numbers[::stride] if stride > 0 else numbers[::-1][::-stride]


def matrix(pointer: int, rows: int, columns: int, leading: int, dtype: Any) -> np.ndarray:
    """A column-major matrix with its leading dimension."""
    return matrices(pointer, rows, columns, leading, dtype, 0, 1)[0]


def matrices(
    pointer: int, rows: int, columns: int, leading: int, dtype: Any, step: int, count: int
) -> np.ndarray:
    """Column-major matrices, each `step` numbers behind the one before."""
    dtype = np.dtype(dtype)
    if count * rows * columns == 0:
        return np.empty((count, rows, columns), dtype)
    assert leading >= rows, f"leading dimension {leading} of {rows} rows"
    numbers = vector(pointer, (count - 1) * step + leading * (columns - 1) + rows, dtype)
    size = dtype.itemsize
    return np.ndarray(
        (count, rows, columns), dtype, numbers, strides=(step * size, size, leading * size)
    )


def number(pointer: int, dtype: Any) -> Any:
    return vector(pointer, 1, dtype)[0]


def store(pointer: int, value: Any, dtype: Any = np.int32) -> None:
    vector(pointer, 1, dtype)[0] = value


def pointers(address: int, count: int) -> list[int]:
    """The addresses of the matrices of a batch."""
    return vector(address, count, np.uintp).tolist()


def transposed(a: Any, operation: int) -> Any:
    """a, its transpose or its adjoint, for the operations 0, 1 and 2."""
    return a if operation == 0 else a.T if operation == 1 else a.conj().T


def operand(
    pointer: int, operation: int, rows: int, columns: int, leading: int, dtype: Any
) -> np.ndarray:
    """The matrix of this shape that results from the operation."""
    return operands(pointer, operation, rows, columns, leading, dtype, 0, 1)[0]


def operands(
    pointer: int,
    operation: int,
    rows: int,
    columns: int,
    leading: int,
    dtype: Any,
    step: int,
    count: int,
) -> np.ndarray:
    """The matrices of this shape that result from the operation."""
    shape = (rows, columns) if operation == 0 else (columns, rows)
    a = matrices(pointer, *shape, leading, dtype, step, count)
    return a if operation == 0 else a.mT if operation == 1 else a.conj().mT


def update(c: np.ndarray, alpha: Any, x: Any, beta: Any) -> None:
    """c = alpha x + beta c; c is not read where beta is 0."""
    c[...] = alpha * x if beta == 0 else alpha * x + beta * c


def real(dtype: Any) -> Any:
    return np.zeros(0, dtype).real.dtype


def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function, updated=())
    def run(*args: Any, **kwargs: Any) -> Any:
        calls[name] += 1
        return function(*args, **kwargs)

    return run


class Routines:
    """The routines of a library by name: `routine("gemm")` declares one for the four precisions,
    whose type it gets first.
    """

    def __init__(self) -> None:
        self.declared: dict[str, Callable[..., Any]] = {}

    def __call__(self, *names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def declare(function: Callable[..., Any]) -> Callable[..., Any]:
            self.declared.update(dict.fromkeys(names, function))
            return function

        return declare

    def put_in(self, module: Any, spelled: Callable[[str, str], str] = "{}{}".format) -> None:
        """Define all of them in a module of CuPy's, each for every precision."""
        for name, function in self.declared.items():
            for letter, dtype in PRECISIONS.items():
                setattr(
                    module, spelled(letter, name), counted(name, functools.partial(function, dtype))
                )


def constant(module: Any, value: Any, names: str) -> None:
    """Define functions that return a constant: handles, sizes of workspaces, settings."""
    for name in names.split():
        setattr(module, name, lambda *_: value)


def close(module: Any) -> None:
    """Make whatever is left of the real library an error."""
    for name, function in compiled_functions(module):

        def missing(*_: Any, _name: str = name, **__: Any) -> None:
            raise NotImplementedError(f"the dry run lacks {module.__name__}.{_name}")

        setattr(module, name, missing)
        del function


def compiled_functions(module: Any) -> Iterator[tuple[str, Any]]:
    kinds = ("builtin_function_or_method", "cython_function_or_method", "fused_cython_function")
    for name in dir(module):
        function = getattr(module, name)
        if type(function).__name__ in kinds and not name.startswith("__"):
            yield name, function
