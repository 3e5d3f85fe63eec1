"""The source of a kernel of one block for the stretches of a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .. import codes as c
from ..memory import as_grid, as_run
from .expressions import TEXTS
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


class StretchWriter:
    """Lines of one stretch."""

    def __init__(self, stretch: Stretch, tables: Tables) -> None:
        self.stretch, self.tables = stretch, tables
        self.barrier = "__syncwarp();" if stretch.threads == 32 else "__syncthreads();"
        self.lines: list[str] = []
        self.barriers = 0
        self._loads: dict[str, tuple[str, int]] = {}
        self._carried: dict[str, tuple[str, str, int]] = {}  # name: first value, next, width

    def text(self) -> list[str]:
        """Return the lines of the stretch, which end with a barrier."""
        stretch = self.stretch
        order = sorted(range(len(stretch.rows)), key=stretch.levels.__getitem__)
        level = 0
        for i in order:
            if stretch.levels[i] != level:
                level = stretch.levels[i]
                self._wait()
            self._row(i)
        before = [
            f"{_TYPES[width]} {name} = {first};"
            for name, (first, _, width) in self._carried.items()
        ]
        after = [f"{name} = {following};" for name, (_, following, _) in self._carried.items()]
        loads = [
            f"const {_TYPES[width]} {name} = {text};" for text, (name, width) in self._loads.items()
        ]
        if stretch.rounds == 1:
            return ["{", *before, *loads, *self.lines, "}", self.barrier]
        waits = stretch.waits_at_end or level or any(stretch.is_shared)
        self.barriers += bool(waits)
        self.barriers *= stretch.rounds
        half = f"(k & 1) * {stretch.size}"
        other = f"(~k & 1) * {stretch.size}"
        buffers = [
            f"double* const s = shared + {half};",
            f"double* const b = shared + {other};",
        ]
        return [
            "{", *before, "#pragma unroll 1",
            f"for (int k = 0; k < {stretch.rounds}; k++) {{",
            *(buffers if any(stretch.is_shared) else []), *loads, *self.lines, *after,
            *([self.barrier] if waits else []), "}", "}", *([] if waits else [self.barrier]),
        ]  # fmt: skip

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
        return self._loads.setdefault(text, (f"g{len(self._loads)}", x.width))[0]

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
        text = f"{buffer}[{place}]" if x.width == 1 else f"((Z*){buffer})[{place}]"
        if x.distance != 1:
            return text
        return f"(k ? {text} : {self._memory(x._replace(advance=x.advance * 0), element, columns)})"

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
            for e in range(row.elements):
                terms = [self._part(row, x, e) for x in operands]
                self._define(i, row, e, self._value(row, terms, "0"))
        else:
            element = "t" if row.elements == self.stretch.threads else f"e{row.elements}"
            self._define(i, row, 0, self._value(row, operands, element))

    def _part(self, row: Row, operands: list[Operand], e: int) -> list[Operand]:
        count = len(operands) // row.elements
        return operands[e * count : (e + 1) * count]

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
        return TEXTS[row.code].format(*[terms[0] for terms in texts])

    def _define(self, i: int, row: Row, e: int, value: str) -> None:
        stretch = self.stretch
        is_one = stretch.holding[i] == ONE
        count = row.elements if is_one else 1
        guard = "" if count == stretch.threads else f"if (t < {count}) "
        if row.code in CHECKS:
            self.lines.append(
                f"if (t < {count} && !is_finite({value})) fail(failed, {row.number});"
            )
            return
        name = name_of(row, e)
        self.lines.append(f"const {_TYPES[row.width]} {name} = {value};")
        first = row.writes[0][0] // row.width + (0 if is_one else e)
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
        text, count = self._terms(x, "e"), x.places.shape[1]
        warps, kind = self.stretch.threads // 32, _TYPES[row.width]
        zero = "0" if row.width == 1 else "Z{0, 0}"
        self.lines.append(
            f"for (int e = t / 32; e < {row.elements}; e += {warps}) {{ {kind} y = {zero};"
            f" for (int l = t % 32; l < {count}; l += 32) y = y + {text('l')};"
            f" y = add_lanes(y); if (t % 32 == 0) {self._target(row, 'e')} = y; }}"
        )

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
            f"for (int e = t; e < {m}; e += {self.stretch.threads}) substitute<{row.n}, {adjoint}>"
            f"({lu}, {order}, {right} + {f[8]} * e, {f[6]}, {out}, {m});"
        )
