"""The source of a kernel of one block for the stretches of a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .. import codes as c
from ..memory import as_grid, as_run
from .expressions import APART, TEXTS
from .row_places import CHECKS, FACTORS, PRODUCTS, SOLUTIONS, SUMS, Row
from .stretches import EVERY, NONE, ONE, Operand, Stretch, name_of

_MOST_LOADS = 48  # values of other stretches that are read before a round begins
_TYPES = ("", "double", "Z")


class Tables:
    """Integers that kernels read: places that are no runs."""

    def __init__(self) -> None:
        self.parts: list[np.ndarray] = []
        self._size = 0
        self._known: dict[bytes, int] = {}

    def put(self, values: np.ndarray) -> int:
        """Return where some integers begin."""
        values = np.ascontiguousarray(values, np.int32).ravel()
        key = values.tobytes()
        if key not in self._known:
            self.parts.append(values)
            self._known[key] = self._size
            self._size += values.size
        return self._known[key]

    def joined(self) -> np.ndarray:
        return np.concatenate(self.parts or [np.zeros(1, np.int32)])


def sum_of(first: int, *terms: tuple[int, str]) -> str:
    """Return the text of a sum of multiples."""
    found = [name if factor == 1 else f"{factor} * {name}" for factor, name in terms if factor]
    return " + ".join([*([str(first)] if first or not found else []), *found])


def barrier_of(threads: int) -> str:
    """Return the barrier of a block."""
    return "__syncwarp();" if threads == 32 else "__syncthreads();"


class StretchWriter:
    """Lines of one stretch."""

    def __init__(self, stretch: Stretch, tables: Tables) -> None:
        self.stretch, self.tables = stretch, tables
        self.barrier = barrier_of(stretch.threads)
        self.lines: list[str] = []
        self.barriers = 0
        self._loads: dict[str, tuple[str, int, bool]] = {}
        self._looks_back = False  # to shared memory of the round before
        self._carried: dict[str, tuple[str, str, int]] = {}  # name: first value, next, width

    def text(self) -> list[str]:
        """Return the lines of the stretch, which end with a barrier if it has other threads."""
        stretch = self.stretch
        order, level = list(range(len(stretch.rows))), 0
        if not stretch.lanes:
            order.sort(key=stretch.levels.__getitem__)
        for i in order:
            if stretch.levels[i] != level and not stretch.lanes:
                level = stretch.levels[i]
                self._wait()
            self._row(i)
        before = [
            f"{_TYPES[width]} {name} = {first};"
            for name, (first, _, width) in self._carried.items()
        ]
        loads: dict[bool, list[str]] = {True: [], False: []}
        for text, (name, width, moves) in self._loads.items():
            loads[moves].append(f"const {_TYPES[width]} {name} = {text};")
        end = [] if stretch.lanes else [self.barrier]
        if stretch.rounds == 1:
            return ["{", *before, *self.lines, "}", *end]
        after = [f"{name} = {following};" for name, (_, following, _) in self._carried.items()]
        if self._looks_back:
            before += self._first_look()
        waits = not stretch.lanes and (stretch.waits_at_end or level or any(stretch.is_shared))
        self.barriers = (self.barriers + bool(waits)) * stretch.rounds
        return [
            "{", *before, *loads[False], "#pragma unroll 1",
            f"for (int k = 0; k < {stretch.rounds}; k++) {{",
            *self._buffers(), *loads[True], *self.lines, *after, *(end if waits else []), "}", "}",
            *([] if waits else end),
        ]  # fmt: skip

    def sums_over_blocks(self) -> list[str]:
        """Return the lines of long sums, of which each block computes those of some rounds."""
        rounds = self.stretch.rounds
        for i in range(len(self.stretch.rows)):
            if rounds == 1:
                self.lines.append(f"if (blockIdx.x == {i} % gridDim.x)")
            self._row(i)
        if rounds == 1:
            return self.lines
        head = f"for (int k = blockIdx.x; k < {rounds}; k += gridDim.x) {{"
        return [head, *self.lines, "}"]

    def _buffers(self) -> list[str]:
        """Return the lines that name the shared memory of this round and of the one before it."""
        size = self.stretch.size
        return (
            [
                f"double* const s = shared + (k & 1) * {size};",
                f"double* const b = shared + (~k & 1) * {size};",
            ]
            if any(self.stretch.is_shared)
            else []
        )

    def _first_look(self) -> list[str]:
        """Return lines that copy what the first round reads of the one before it."""
        first, size = self.stretch.first, self.stretch.size
        head = f"for (int e = {max(size - first, 0)} + t; e < {size}; e += {self.stretch.threads})"
        return [f"{head} shared[{size} + e] = v[{first - size} + e];", self.barrier]

    def _wait(self) -> None:
        self.lines.append(self.barrier)
        self.barriers += 1

    # -- operands

    def _place(self, x: Operand, element: str, columns: int, shift: int, fall: int) -> str:
        """Return the text of a place less `shift`, whose advance is less by `fall`."""
        places = x.places.ravel() - shift
        advance = x.advance.ravel() - fall
        moves = bool((advance == advance[0]).all())
        step = (int(advance[0]), "k")
        run = as_run(places)
        if moves and run is not None:
            return sum_of(run[0], (run[1], element), step)
        if moves and columns > 1 and places.size % columns == 0:
            grid = as_grid(places.reshape(-1, columns))
            if grid is not None:
                down, along = f"({element} / {columns})", f"({element} % {columns})"
                return sum_of(grid[0], (grid[1], down), (grid[2], along), step)
        text = f"tab[{sum_of(self.tables.put(places), (1, element))}]"
        if moves:
            return text if not step[0] else f"{text} + {step[0]} * k"
        return f"{text} + tab[{sum_of(self.tables.put(advance), (1, element))}] * k"

    def operand(self, x: Operand, element: str, columns: int = 1) -> str:
        """Return the text of an operand of the element that a thread computes."""
        if x.kind == "literal" or x.kind == "value":
            return x.name
        if x.kind == "carried":
            name = f"c{x.name.replace('[', '_').replace(']', '').replace('.', '')}_{element}"
            first = self._memory(x._replace(advance=x.advance * 0), element, columns)
            self._carried[name] = first, x.name, x.width
            return name
        if x.kind == "shared":
            return self._shared(x, element, columns)
        text = self._memory(x, element, columns)
        is_known = x.distance < 0 and not x.waits and len(self._loads) < _MOST_LOADS
        if not is_known or self.stretch.rounds == 1:
            return text
        load = f"g{len(self._loads)}", x.width, bool(x.advance.any())
        return self._loads.setdefault(text, load)[0]

    def _memory(self, x: Operand, element: str, columns: int) -> str:
        return f"{' vz'[x.width]}[{self._place(x, element, columns, 0, 0)}]"

    def _shared(self, x: Operand, element: str, columns: int) -> str:
        stretch = self.stretch
        back = stretch.size if x.distance == 1 else 0
        shift, fall = stretch.first - back, stretch.size if stretch.rounds > 1 else 0
        if stretch.rounds == 1:
            fall = 0
        place = self._place(x, element, columns, shift // x.width, fall // x.width)
        buffer = "b" if x.distance == 1 else "s"
        self._looks_back = self._looks_back or x.distance == 1
        return f"{buffer}[{place}]" if x.width == 1 else f"((Z*){buffer})[{place}]"

    # -- rows

    def _row(self, i: int) -> None:
        row, holding = self.stretch.rows[i], self.stretch.holding[i]
        operands = self.stretch.operands[i]
        if row.code in FACTORS:
            (self._factor if holding == EVERY else self._factor_in_memory)(i, row, operands)
        elif row.code in SOLUTIONS:
            (self._solve if holding == EVERY else self._solve_in_memory)(i, row, operands)
        elif row.code in SUMS and holding == NONE:
            self._long_sum(row, operands[0][0])
        elif holding == NONE:
            self._loop(row, operands)
        elif holding == EVERY:
            self._parts(i, row, row.elements, "0")
        else:
            is_whole = self.stretch.lanes or row.elements == self.stretch.threads
            element = "t" if is_whole else f"e{row.elements}"
            self._parts(i, row, self.stretch.count_held(row), element)

    def _parts(self, i: int, row: Row, parts: int, element: str) -> None:
        """Write the variables of a row that a thread holds."""
        for part in range(parts):
            chosen = []
            for given in self.stretch.operands[i]:
                count = len(given) // parts
                chosen.append(given[part * count : (part + 1) * count])
            self._define(i, row, part, self._value(row, chosen, element))

    def _value(self, row: Row, operands: Sequence[Sequence[Operand]], element: str) -> str:
        """Return the text of an element of a result."""
        if operands[0][0].places.ndim == 2 and row.code in (*SUMS, *PRODUCTS):
            return self._long_value(row, operands, element)
        texts = [[self.operand(x, element, row.columns) for x in terms] for terms in operands]
        if row.code in SUMS:
            return " + ".join(texts[0])
        if row.code in PRODUCTS:
            return " + ".join(f"{a} * {b}" for a, b in zip(*texts, strict=True))
        if row.code in CHECKS:
            return texts[0][0]
        texts_of = TEXTS if self.stretch.rounds > 1 else APART
        return texts_of[row.code].format(*[terms[0] for terms in texts])

    def _define(self, i: int, row: Row, part: int, value: str) -> None:
        stretch = self.stretch
        is_one = stretch.holding[i] == ONE
        count = row.elements if is_one else 1
        is_whole = stretch.lanes or count == stretch.threads
        if row.code in CHECKS:
            guard = "" if is_whole else f"t < {count} && "
            self.lines.append(f"if ({guard}!is_finite({value})) fail(failed, {row.number});")
            return
        name = name_of(row, part)
        self.lines.append(f"const {_TYPES[row.width]} {name} = {value};")
        first = row.writes[0][0] // row.width + part * (stretch.threads if is_one else 1)
        guard = "" if is_whole else f"if (t < {count}) "
        self._store(i, row, name, first, "t" if is_one else "", guard)

    def _store(
        self, i: int, row: Row, value: str, first: int, element: str, guard: str, width: int = 0
    ) -> None:
        """Write a result to where others read it."""
        stretch, width = self.stretch, width or row.width
        rank = (1, element) if element else (0, "")
        if stretch.is_shared[i]:
            place = sum_of(first - stretch.first // width, rank)
            target = f"s[{place}]" if width == 1 else f"((Z*)s)[{place}]"
            self.lines.append(f"{guard}{target} = {value};")
        if stretch.is_stored[i]:
            step = row.advance // width if stretch.rounds > 1 else 0
            target = f"{' vz'[width]}[{sum_of(first, rank, (step, 'k'))}]"
            self.lines.append(f"{guard}{target} = {value};")

    # -- rows without a variable

    def _target(self, row: Row, element: str) -> str:
        """Return the text of the place of an element."""
        step = row.advance // row.width if self.stretch.rounds > 1 else 0
        first = row.writes[0][0] // row.width
        return f"{' vz'[row.width]}[{sum_of(first, (1, element), (step, 'k'))}]"

    def _loop(self, row: Row, operands: Sequence[Sequence[Operand]]) -> None:
        head = f"for (int e = t; e < {row.elements}; e += {self.stretch.threads}) "
        if row.code in CHECKS:
            check = (
                f"if (!is_finite({self._value(row, operands, 'e')})) fail(failed, {row.number});"
            )
            self.lines.append(head + check)
        else:
            value = self._value(row, operands, "e")
            self.lines.append(f"{head}{self._target(row, 'e')} = {value};")

    def _terms(self, x: Operand, element: str) -> Callable[[str], str]:
        """Return the text of a term of an operand in memory, by the text of its number."""
        grid = as_grid(x.places)
        assert grid is not None  # the fields of a row are strides
        step = int(x.advance.flat[0])

        def text(term: str) -> str:
            terms = (grid[1], element), (grid[2], term) if term != "0" else (0, ""), (step, "k")
            return f"{' vz'[x.width]}[{sum_of(grid[0], *terms)}]"

        return text

    def _long_sum(self, row: Row, x: Operand) -> None:
        """Add many terms by a warp for each result, in an order that is always the same."""
        grid = as_grid(x.places)
        assert grid is not None  # the fields of a row are strides
        warps, memory = self.stretch.threads // 32, " vz"[x.width]
        element, head = "e", f"for (int e = t / 32; e < {row.elements}; e += {warps})"
        if row.elements == 1:  # sums beside each other are made by different warps
            element, head = "0", f"if (t / 32 == {row.number % warps})"
        first = sum_of(grid[0], (grid[1], element), (int(x.advance.flat[0]), "k"))
        total = f"add_up({memory} + {first}, {grid[2]}, {x.places.shape[1]})"
        self.lines.append(f"{head} {self._target(row, element)} = {total};")

    def _long_value(self, row: Row, operands: Sequence[Sequence[Operand]], element: str) -> str:
        """Return the text of a sum, or of a sum of products, that a loop makes in memory."""
        x, columns = operands[0][0], row.columns
        if row.code in SUMS:
            factors = [self._terms(x, element)]
        else:
            y, i, j = operands[1][0], f"({element} / {columns})", f"({element} % {columns})"
            factors = [
                self._terms(x._replace(places=x.places[::columns]), i),
                self._terms(y._replace(places=y.places[:columns]), j),
            ]
        first, following = (" * ".join(text(term) for text in factors) for term in "0l")
        return (
            f"[&] {{ {_TYPES[row.width]} y = {first}; for (int l = 1; l < {x.places.shape[1]}; l++)"
            f" y = y + {following}; return y; }}()"
        )

    # -- systems

    def _array(self, name: str, operands: Sequence[Operand]) -> str:
        kind = _TYPES[operands[0].width]
        values = ", ".join(self.operand(x, "0") for x in operands)
        return f"{kind} {name}[{len(operands)}] = {{{values}}};"

    def _factor(self, i: int, row: Row, operands: Sequence[Sequence[Operand]]) -> None:
        w, order = f"r{row.number}", f"p{row.number}"
        self.lines += [
            self._array(w, operands[0]),
            f"double {order}[{row.n}];",
            f"if (!factor<{row.n}>({w}, {order}, {c.FAR}) && t == 0) fail(failed, {row.number});",
        ]
        self._store_array(i, row, w, row.n**2)
        for e in range(row.n):
            self._store(i, row, f"{order}[{e}]", row.fields[7] + e, "", "if (t == 0) ", 1)

    def _store_array(self, i: int, row: Row, name: str, count: int) -> None:
        for e in range(count):
            self._store(i, row, f"{name}[{e}]", row.fields[2] + e, "", "if (t == 0) ")

    def _solve(self, i: int, row: Row, operands: Sequence[Sequence[Operand]]) -> None:
        n, m, x = row.n, row.elements, f"r{row.number}"
        kind, adjoint = _TYPES[row.width], "true" if row.fields[9] else "false"
        self.lines.append(f"{kind} {x}[{n * m}];")
        arrays = [
            self._array(name, given)
            for name, given in zip(("lu", "right", "order"), operands, strict=True)
        ]
        calls = [
            f"substitute<{n}, {adjoint}>(lu, order, right + {j * n}, 1, {x} + {j}, {m});"
            for j in range(m)
        ]
        self.lines += ["{", *arrays, *calls, "}"]
        self._store_array(i, row, x, n * m)

    def _pointer(self, x: Operand) -> str:
        first, step = int(x.places.flat[0]), int(x.advance.flat[0])
        return f"{' vz'[x.width]} + {sum_of(first, (step, 'k'))}"

    def _factor_in_memory(self, i: int, row: Row, operands: Sequence[Sequence[Operand]]) -> None:
        f, (x,) = row.fields, operands[0]
        step = row.advance if self.stretch.rounds > 1 else 0
        out = f"{' vz'[row.width]} + {sum_of(f[2], (step // row.width, 'k'))}"
        self.lines.append(
            f"if (t < 32 && !factor_by_warp<{row.n}>({self._pointer(x)}, {f[4]}, {f[6]}, {out},"
            f" v + {sum_of(f[7], (step, 'k'))}, {c.FAR}) && t == 0) fail(failed, {row.number});"
        )

    def _solve_in_memory(self, i: int, row: Row, operands: Sequence[Sequence[Operand]]) -> None:
        f, m = row.fields, row.elements
        lu, right, order = (self._pointer(x) for (x,) in operands)
        step = row.advance // row.width if self.stretch.rounds > 1 else 0
        out = f"{' vz'[row.width]} + {sum_of(f[2], (1, 'e'), (step, 'k'))}"
        adjoint = "true" if f[9] else "false"
        self.lines.append(
            f"for (int e = t; e < {m}; e += {self.stretch.threads})"
            f" substitute_in_memory<{row.n}, {adjoint}>({lu}, {order}, {right} + {f[8]} * e,"
            f" {f[6]}, {out}, {m});"
        )
