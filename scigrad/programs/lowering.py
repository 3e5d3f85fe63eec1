"""From a tape to a program: instructions of the machine for small arrays, lines of Python for all
other calls.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import codes, instructions
from .memory import (
    LARGEST,
    WIDEST,
    Memory,
    as_grid,
    as_run,
    find_move,
    has_known_zeros,
    is_small,
    is_sparse_constant,
    kind_of,
)
from .parts import is_large
from .reduction import key_of_constant
from .staged import NUMBERS
from .tape import Slot, Step

_MOST_PRODUCTS = 8_000  # BLAS is quicker from 4,096 on


class Lowering:
    """The code of a program, while it grows."""

    def __init__(
        self,
        arguments: Sequence[Slot],
        uses_machine: bool = True,
        largest: int = LARGEST,
        most_products: int = _MOST_PRODUCTS,
    ) -> None:
        self.memory = Memory()
        self.largest = largest  # elements of an array that has no known zeros
        self.most_products = most_products  # a larger product of matrices is a call
        self.rows: list[list[int]] = []
        self.advances: list[list[int]] = []  # by which the rows of loops advance
        self.lines: list[str] = []
        self.bound: dict[str, Any] = {}  # what the lines name
        self.places: dict[Slot, np.ndarray] = {}  # values on the machine have places
        self.names: dict[Slot, str] = {}  # variables of Python that hold values
        self.factors: dict[Slot, Any] = {}  # factorizations on the machine
        self.calls: list[str] = []  # functions that Python calls
        self.views: dict[Any, tuple[str, str]] = {}
        self.branches: set[int] = set()  # rows of checks that another branch may pass
        self.kept: set[Slot] = set()  # factors and the like that the machine alone uses
        self.scratch: dict[Any, Any] = {}  # elements that were gathered, in order
        self.uses_machine = uses_machine
        # values of the rounds of a loop that are not lowered: those of two that are, and how many
        # rounds after the first
        self.rolled: dict[Slot, tuple[Slot, Slot, int]] = {}
        self.tables: dict[tuple[Step, int], np.ndarray] = {}
        self._written = 0
        for i, slot in enumerate(arguments):
            self.names[slot] = f"a{i}"

    # -- operands

    def fits(self, x: Any) -> bool:
        """Return whether an input lies on the machine, or can be copied to it."""
        if type(x) is not Slot:
            return self.uses_machine and (
                is_small(x, self.largest) or (is_small(x, WIDEST) and is_sparse_constant(x))
            )
        return self.uses_machine and (x in self.places or is_small(x.value, self.largest))

    def operand(self, step: Step, i: int, whole: bool = False) -> np.ndarray:
        """Return the places of an input of a step; those of a constant in order if `whole`."""
        x = step.inputs[i]
        if type(x) is Slot:
            return self.load(x)
        table = self.tables.get((step, i))
        return self.memory.hold(x, whole) if table is None else table

    def load(self, slot: Slot) -> np.ndarray:
        """Return the places of a value, which is copied to the machine if it is in Python."""
        if slot in self.rolled and slot not in self.places:
            first, second, times = self.rolled[slot]
            start = self.places[first]
            self.places[slot] = start + times * (self.places[second] - start)
        if slot not in self.places:
            value = slot.value
            kind = kind_of(value)
            count = np.arange(np.size(value)).reshape(np.shape(value))
            self.places[slot] = found = self.memory.take(np.size(value), kind) + count
            self.flush()
            target = self._element(found, kind) if not np.ndim(value) else self.view(found, kind)
            where = "" if not np.ndim(value) else "[...]"
            self.lines.append(f"{target}{where} = {self.names[slot]}")
        return self.places[slot]

    def forget(self, slot: Slot) -> None:
        """Take back where a value lies."""
        for table in (self.places, self.factors, self.rolled):
            table.pop(slot, None)

    def factors_of(self, slot: Slot) -> tuple[Any, ...] | None:
        """Return where a factorization lies on the machine, None if it is none of its own."""
        if slot in self.rolled and slot not in self.factors:
            first, second, times = self.rolled[slot]
            start = self.factors.get(first)
            if start is not None:
                pairs = zip(start[:3], self.factors[second][:3], strict=True)
                self.factors[slot] = *[a + times * (b - a) for a, b in pairs], *start[3:]
        return self.factors.get(slot)

    def all_places(self, slot: Slot) -> np.ndarray:
        """Return the places of a value, those of the parts of a factorization too."""
        factors = self.factors_of(slot)
        return self.load(slot) if factors is None else np.array(factors[:3])

    def run_of(self, places: np.ndarray, kind: str) -> tuple[int, int]:
        """Return first place and stride of elements in order; they are gathered if need be."""
        found = as_run(places)
        if found is not None:
            return found
        return self._gathered(places, kind)

    def _gathered(self, places: np.ndarray, kind: str) -> tuple[int, int]:
        """Return a run of elements that an instruction puts in order."""
        key = kind, places.tobytes()
        if key not in self.scratch:
            self.scratch[key] = out = self.memory.take(places.size, kind)
            code = codes.GATHER if kind == "f" else codes.Z_GATHER
            self.emit(code, places.size, out, len(self.memory.index))
            self.memory.index.extend(places.ravel().tolist())
        return self.scratch[key], 1

    def grid_of(self, places: np.ndarray, kind: str) -> tuple[int, int, int]:
        """Return first place and strides of a matrix; its elements are gathered if need be."""
        found = as_grid(places)
        if found is not None:
            return found
        first, _ = self.run_of(places, kind)
        return first, places.shape[1], 1

    def widened(self, places: np.ndarray, kind: str) -> np.ndarray:
        """Return the places of complex numbers equal to some values."""
        if kind == "c":
            return places
        key = "widened", places.tobytes()
        if key not in self.scratch:
            self.scratch[key] = out = self.memory.take(places.size, "c")
            self.emit(codes.WIDEN, places.size, out, *self.run_of(places, "f"))
        return self.scratch[key] + np.arange(places.size).reshape(places.shape)

    def new_places(self, shape: tuple[int, ...], kind: str) -> np.ndarray:
        count = int(np.prod(shape))
        return self.memory.take(count, kind) + np.arange(count).reshape(shape)

    def emit(self, *fields: int) -> None:
        self.rows.append([*fields, *[0] * (codes.WIDTH - len(fields))])

    def state(self) -> Any:
        """Return what `restore` needs to drop what is lowered from now on."""
        tables = self.places, self.names, self.factors, self.rolled, self.tables
        return len(self.rows), len(self.lines), self._written, [dict(t) for t in tables]

    def restore(self, state: Any) -> None:
        rows, lines, self._written, tables = state
        del self.rows[rows:], self.lines[lines:]
        self.places, self.names, self.factors, self.rolled, self.tables = tables
        self.scratch.clear()

    # -- steps

    def lower(self, step: Step) -> None:
        """Add a step to the program."""
        if not (self.uses_machine and (self._moved(step) or instructions.lower(self, step))):
            self._call(step)

    def _moved(self, step: Step) -> bool:
        """Set the places of the result of a function that only moves elements."""
        primitive = step.primitive
        if not hasattr(primitive, "linear_in") or step.saves or not step.is_single:
            return False
        if not all(self.fits(x) for x in step.inputs if type(x) is Slot):
            return False
        linear = set(primitive.linear_in(len(step.inputs)))
        inputs = [
            self._moved_input(step, i, linear) if i in linear else x
            for i, x in enumerate(step.inputs)
        ]
        given = [x for x in inputs if type(x) is Slot]
        out = step.slots[0]
        if not all(map(self.fits, given)) or not is_small(out.value, WIDEST):
            return False
        if np.asarray(out.value).dtype.kind in "iu":
            return False
        for i, x in enumerate(inputs):
            if (type(x) is Slot) != (i in linear) or (i in linear and self.factors_of(x)):
                return False  # what moves where may depend on it
        kinds = {kind_of(x.value) for x in given}
        if len(kinds) != 1 or (kinds == {"c"} and kind_of(out.value) == "f"):
            return False
        order = [given.index(x) for x in given]  # equal inputs
        keys = [
            (np.shape(x.value), kind_of(x.value)) if type(x) is Slot else key_of_constant(x)
            for x in inputs
        ]
        key = None if None in keys else (step.key, tuple(order), *keys)
        spot = find_move(key, step.function, inputs, given, out.value)
        if spot is None:
            return False
        where = np.concatenate([np.zeros(1, int), *[self.load(x).ravel() for x in given]])
        found = where[spot]
        if not is_small(out.value, self.largest) and not has_known_zeros(found):
            return False
        if kind_of(out.value) == "c":
            found = self.widened(found, kinds.pop())
        self.places[out] = found
        return True

    def _moved_input(self, step: Step, i: int, linear: set[int]) -> Any:
        """Return an input that is moved as a slot: numbers that are constant have places too."""
        x = step.inputs[i]
        if type(x) is Slot or not is_small(x, self.largest):
            return x
        others = [step.inputs[j] for j in linear]
        kind = max(
            [kind_of(x), *[kind_of(y.value) for y in others if type(y) is Slot]], key="fc".index
        )
        if kind_of(x) == kind:
            places = self.operand(step, i)
        elif (step, i) in self.tables:
            return x
        else:
            places = self.memory.hold(np.asarray(x, complex))
        slot = Slot(np.asarray(x, complex if kind == "c" else float)[()])
        self.places[slot] = places
        return slot

    # -- Python

    def bind(self, x: Any) -> str:
        """Return a name for a constant."""
        name = f"k{len(self.bound)}"
        self.bound[name] = x
        return name

    def _call(self, step: Step) -> None:
        given = [self.name(x) if type(x) is Slot else self.bind(x) for x in step.inputs]
        self.calls.append(getattr(step.primitive or step.function, "__name__", "").strip("_"))
        self.flush()
        call = f"{self.bind(step.function)}({', '.join(given)})"
        result = f"t{len(self.lines)}"
        if not step.slots:
            self.lines.append(call)
        elif step.is_single and not step.saves:
            self.names[step.slots[0]] = result
            self.lines.append(f"{result} = {call}")
        else:
            self.lines.append(f"{result} = leaves({call}, {step.saves}, {step.is_single})")
            are_large = any(is_large(slot.value) for slot in step.slots)
            for i, slot in enumerate(step.slots):
                self.names[slot] = f"{result}[{i}]"
                if are_large:  # each array can be let go of by itself
                    name = f"t{len(self.lines)}"
                    self.lines.append(f"{name} = {self.names[slot]}")
                    self.names[slot] = name

    def name(self, slot: Slot) -> str:
        """Return an expression for a value in Python."""
        if slot in self.names:
            return self.names[slot]
        self.load(slot)
        kind, value = kind_of(slot.value), slot.value
        places = self.places[slot]
        is_truth = np.asarray(value).dtype == bool
        if not np.ndim(value):
            found = self._element(places, kind)
            if type(value) in NUMBERS:  # Python's own
                return f"{found[0]}.item({int(places)}){' != 0' * is_truth}"
            return f"truth({found})" if is_truth else found
        found = self.view(places, kind)
        return f"({found} != 0)" if is_truth else found

    def _element(self, places: np.ndarray, kind: str) -> str:
        return f"{'z' if kind == 'c' else 'v'}[{int(places)}]"

    def view(self, places: np.ndarray, kind: str) -> str:
        """Return a name for the elements as an array, which is a view of the memory."""
        if not places.size:
            return self.bind(np.zeros(places.shape, complex if kind == "c" else float))
        run = as_run(places) if places.size > 1 else (int(places.flat[0]), 1)
        if run is None or run[1] <= 0:
            run = self._gathered(places, kind)
        key = *run, places.shape, kind
        if key not in self.views:
            first, stride = run
            last = first + (places.size - 1) * stride + 1
            name = f"w{len(self.views)}"
            memory = "z" if kind == "c" else "v"
            self.views[key] = name, f"{memory}[{first}:{last}:{stride}].reshape({places.shape})"
        return self.views[key][0]

    def flush(self) -> None:
        """Run the instructions so far before the next line."""
        if len(self.rows) > self._written:
            self.lines.append(
                f"line = run(code, steps, {self._written}, {len(self.rows)}, index, v, z)"
            )
            self.lines.append("if line >= 0: stop(line)")
            self._written = len(self.rows)
