"""Where the values of a program lie on the machine.

A small array is the array of the places of its elements, not necessarily one after the other: what
only moves elements (indexing, transposition, stacking, scattering into zeros) costs nothing when
the program runs. Real numbers and truth values have places in the memory of doubles, complex ones
in the same memory, counted in pairs.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scigrad.typing import Value

LARGEST = 1024  # elements of an array on the machine
WIDEST = 1 << 14  # the same of one that has zeros almost everywhere
ZERO = 0
ONE = {"f": 2, "c": 1}  # the memory begins with 0 0 1 0
_FIRST_FREE = 4


def kind_of(x: Any) -> str:
    """Return "c" for complex values, "f" for others."""
    return "c" if np.asarray(x).dtype.kind == "c" else "f"


def is_small(x: Any, most: int = LARGEST) -> bool:
    """Return whether a value can lie on the machine: doubles, truth values, integers as numbers."""
    dtype = getattr(x, "dtype", None)
    if dtype is None:
        return type(x) in (float, int, bool, complex)
    if not isinstance(x, (np.ndarray, np.generic)) or x.size > most:
        return False
    return dtype.char in "dD?" or (dtype.kind in "iu" and not x.ndim)


def has_known_zeros(places: np.ndarray) -> bool:
    """Return whether three of four elements are zeros that are known."""
    return 4 * int(np.count_nonzero(places)) <= places.size


def is_sparse_constant(x: Any) -> bool:
    """Return whether an array has zeros almost everywhere, which operations leave out."""
    return isinstance(x, np.ndarray) and 4 * int(np.count_nonzero(x)) <= x.size >= 4


class Memory:
    """Places that are given out, and the constants that lie on some."""

    def __init__(self) -> None:
        self.size = _FIRST_FREE
        self.constants: list[tuple[int, np.ndarray]] = [(ONE["f"], np.ones(1))]
        self.index: list[int] = []  # places of gathered elements
        self._known: dict[Any, int] = {}
        self._shared: dict[tuple[int, str], int] = {}

    def take(self, count: int, kind: str) -> int:
        """Return the first of some free places of a kind."""
        if kind == "f":
            self.size += count
            return self.size - count
        self.size += self.size % 2 + 2 * count
        return self.size // 2 - count

    def share(self, count: int, kind: str) -> int:
        """Return the first of some places that each instruction may fill for itself."""
        if (count, kind) not in self._shared:
            self._shared[count, kind] = self.take(count, kind)
        return self._shared[count, kind]

    def align(self) -> None:
        """Begin anew with a place that is one of a complex number too."""
        self.size += self.size % 2

    def hold(self, value: Any, whole: bool = False) -> np.ndarray:
        """Return the places of a constant, in order if `whole`; otherwise zeros have one place."""
        array = np.asarray(value)
        kind = kind_of(array)
        array = np.ascontiguousarray(array, complex if kind == "c" else float)
        count = np.arange(array.size).reshape(np.shape(value))
        if array.size and (array == 1).all():
            return np.full_like(count, ONE[kind])
        if array.size and not array.view(np.uint64).any():  # -0.0 is no zero
            return np.full_like(count, ZERO)
        if is_sparse_constant(array) and not whole and not np.signbit(array.view(float)).any():
            places = np.zeros_like(count)
            places[array == 1] = ONE[kind]
            others = (array != 0) & (array != 1)
            if others.any():
                places[others] = self.hold(array[others], whole=True)
            return places
        key = kind, array.size, array.tobytes()
        if key not in self._known:
            self._known[key] = first = self.take(array.size, kind)
            self.constants.append((first * (2 if kind == "c" else 1), array.ravel().view(float)))
        return self._known[key] + count

    def tabulate(self, values: list[Any]) -> np.ndarray:
        """Return the places of constants of one shape, one after the other."""
        array = np.stack([np.asarray(x) for x in values])
        kind = kind_of(array)
        array = np.ascontiguousarray(array, complex if kind == "c" else float)
        first = self.take(array.size, kind)
        self.constants.append((first * (2 if kind == "c" else 1), array.ravel().view(float)))
        return first + np.arange(array.size).reshape(array.shape)

    def filled(self) -> np.ndarray:
        """Return a new memory with the constants in it."""
        memory = np.zeros(self.size + self.size % 2)
        for first, values in self.constants:
            memory[first : first + values.size] = values
        return memory


def as_run(places: np.ndarray) -> tuple[int, int] | None:
    """Return the first place and the stride of elements in order, None where they have none."""
    if places.size <= 1:
        return (int(places.flat[0]) if places.size else 0), 0
    p = places.ravel()
    stride = int(p[1] - p[0])
    if p.size == 2 or (p[1:] - p[:-1] == stride).all():
        return int(p[0]), stride
    return None


def as_grid(places: np.ndarray) -> tuple[int, int, int] | None:
    """Return the first place of a matrix and the strides of its rows and columns."""
    rows, columns = places.shape
    first = int(places[0, 0])
    down = int(places[1, 0]) - first if rows > 1 else 0
    along = int(places[0, 1]) - first if columns > 1 else 0
    expected = first + down * np.arange(rows)[:, None] + along * np.arange(columns)
    return (first, down, along) if (places == expected).all() else None


# -- what only moves elements

_random = np.random.default_rng(7)
_moves: dict[Any, Any] = {}
_MOST = 20_000  # moves that are remembered


def find_move(key: Any, function: Callable[..., Any], inputs: Any, given: Any, out: Value) -> Any:
    """Find which of 0 and the elements of `given` each element of a result is; return None if one
    is another number.
    """
    if key is not None and key in _moves:
        return _moves[key]

    def call(*arrays: Any) -> Any:
        values = dict(zip(given, arrays, strict=True))
        return function(*[values[x] if type(x) is type(given[0]) else x for x in inputs])

    found = probe(call, [x.value for x in given])
    if found is not None and found.shape != np.shape(out):
        found = None
    if key is not None:
        if len(_moves) > _MOST:
            _moves.clear()
        _moves[key] = found
    return found


def probe(function: Callable[..., Any], given: Sequence[Any]) -> np.ndarray | None:
    """Return the number of the element that each one of function(*arrays) is: all elements of
    arrays like `given` are numbered from 1, and 0 is a zero; None if one is none of these.

    The function is called once. An element is its number and a random fraction, so that neither a
    sum of two nor a multiple is taken for another.
    """
    first, values = 1, []
    known = [np.zeros(1)]
    for x in given:
        numbers = np.arange(first, first + np.size(x)) + _random.uniform(0.25, 0.75, np.size(x))
        if kind_of(x) == "c":
            numbers = numbers + 1j * _random.uniform(0.25, 0.75, np.size(x))
        first += np.size(x)
        known.append(numbers)
        values.append(numbers.reshape(np.shape(x)) if np.shape(x) else numbers[0])
    with np.errstate(all="ignore"):
        found = np.asarray(function(*values))
    if found.dtype.kind not in "fc":
        return None
    every = np.concatenate(known)
    spots = np.nan_to_num(np.real(found), nan=-1.0, posinf=-1.0, neginf=-1.0).astype(np.int64)
    is_element = (spots >= 0) & (spots < every.size)
    is_element &= every[np.where(is_element, spots, 0)] == found
    return spots if is_element.all() else None
