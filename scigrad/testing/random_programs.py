"""Random programs with Python loops, as lines of text that can be left out one by one.

A program takes a series `x`, a vector `s`, a matrix `m` and a number `c`. Its loops carry the last
three on, read the series forwards, backwards and in strides, keep lists, fill arrays, look two
rounds back and branch; what they carry is held to a size of about one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

import scigrad.numpy as snp
from scigrad import linalg, special
from scigrad.autodiff_rules.backends import library, namespace
from scigrad.autodiff_rules.trace import raw
from scigrad.programs import cond, fori_loop, scan, while_loop

from .draw import Draw

LENGTH, ORDER = 11, 3  # the series has so many numbers, vectors and matrices have so many rows
_HEAD = (
    "kept, vectors, past = [], [], [s, s]",
    "out = np.zeros_like(x)",
    "table = np.zeros_like(x, shape=(LENGTH, ORDER))",
    "t, d = s, c",
)
_RESULT = (
    "np.sum(s * t) + c + d + np.sum(m @ m) + np.sum(past[-1] * past[-2])"
    " + np.sum(out * x[::-1]) + np.sum(table * W3)"
    " + (np.sum(np.stack(kept) ** 2) if kept else 0)"
    " + (np.sum(np.stack(vectors) * s) if vectors else 0)"
)
_LARGE = "large = WIDE[:, None] * x", " + np.sum(large[::7]) / 1e4 + large[5, 2]"
_WEIGHTS = np.cos(np.arange(3.0 * LENGTH * ORDER))


class RandomProgram(NamedTuple):
    """Function of a series, a vector, a matrix and a number, given by its lines."""

    point: tuple[Any, ...]
    lines: tuple[str, ...]

    @property
    def tolerance(self) -> float:
        return self.epsilon ** (2 / 3)

    @property
    def epsilon(self) -> float:
        """Return the distance of 1 from the next number of the precision of the series."""
        return float(np.finfo(self.point[0].dtype).eps)

    def __call__(self, *args: Any) -> Any:
        return _compiled(self.lines, library(raw(args[0])))(*args)

    def __str__(self) -> str:
        point = "\n".join(
            f"{n} = {v!r}" for n, v in zip(("x", "s", "m", "c"), self.point, strict=True)
        )
        return f"{point}\n{_source(self.lines)}"

    def smaller(self) -> Iterable[RandomProgram]:
        """Yield programs with a line less, with all that stands below it."""
        for i, line in enumerate(self.lines):
            end = i + 1
            while end < len(self.lines) and _depth(self.lines[end]) > _depth(line):
                end += 1
            rest = self.lines[:i] + self.lines[end:]
            if rest and all(_is_filled(rest, j) for j in range(len(rest))):
                yield self._replace(lines=rest)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_filled(lines: tuple[str, ...], i: int) -> bool:
    """Return whether a line that begins a block has one."""
    if not lines[i].endswith(":"):
        return True
    return i + 1 < len(lines) and _depth(lines[i + 1]) > _depth(lines[i])


def _source(lines: tuple[str, ...]) -> str:
    head, result = _LARGE if any("large" in line for line in lines) else ("", "")
    body = "\n".join(f"    {x}" for x in (*_HEAD, head, *lines, f"return {_RESULT}{result}"))
    return f"def program(x, s, m, c):\n{body}\n"


@functools.lru_cache(100)
def _compiled(lines: tuple[str, ...], where: str) -> Callable[..., Any]:
    xp = namespace(where)
    weights = xp.asarray(_WEIGHTS[: LENGTH * ORDER].reshape(LENGTH, ORDER))
    scope = {
        "np": snp, "linalg": linalg, "LENGTH": LENGTH, "ORDER": ORDER,
        "W": _WEIGHTS[:LENGTH].tolist(), "W3": weights, "EYE": xp.eye(ORDER), "held": _held,
        "WIDE": xp.sin(xp.arange(5000.0)), "special": special, "scan": scan, "cond": cond,
        "fori_loop": fori_loop, "while_loop": while_loop, "mean": _mean,
    }  # fmt: skip
    exec(compile(_source(lines), "<random program>", "exec"), scope)
    return scope["program"]


def _held(x: Any) -> Any:
    """Return x at a size of at most one."""
    return x / (1 + snp.sum(snp.real(x) ** 2 + snp.imag(x) ** 2))


def _mean(x: Any) -> Any:
    """Return a mean of x that is about one for large numbers too."""
    return _held(snp.mean(x))


class _Writer:
    """Lines of one program, drawn; with `wide` those of loops of ours and of large arrays too."""

    def __init__(self, rng: Any, wide: bool) -> None:
        self.rng, self.wide = rng, wide
        self.lines: list[str] = []

    def pick(self, *choices: str) -> str:
        return choices[int(self.rng.integers(len(choices)))]

    def index(self, names: str) -> str:
        """Return an index into the series, by the counters of loops or a constant."""
        k = self.pick(*names) if names else "4"
        return self.pick(
            f"[{k} % LENGTH]", f"[-1 - {k} % LENGTH]", f"[(3 * {k} + 1) % LENGTH]",
            f"[{k} // 2 % LENGTH]", f"[{k} * {k} % LENGTH]", f"[min({k} + 1, LENGTH - 1)]",
            f"[max(LENGTH - 2 - {k}, 0)]", "[3]", f"[(5 - {k}) % LENGTH]",
        )  # fmt: skip

    def window(self, names: str) -> str:
        k = self.pick(*names) if names else "4"
        return self.pick(
            f"[{k} % 8 : {k} % 8 + 3]", f"[{k} % 8 : {k} % 8 + 3][::-1]",
            f"[2 + {k} % 8 :: -1][:3]" if k != "4" else "[4:7]", "[:3]", "[-3:]",
            f"[{k} % 3 :: 3][:3]", f"[[{k} % LENGTH, 0, -1 - {k} % LENGTH]]",
        )  # fmt: skip

    def number(self, names: str, depth: int = 2) -> str:
        """Return an expression for a number."""
        part = functools.partial(self.number, names, depth - 1)
        vector = functools.partial(self.vector, names, depth - 1)
        leaves = (
            f"x{self.index(names)}", f"s[{self.rng.integers(ORDER)}]", "c", "d", "m[0, 1]",
            f"W{self.index(names)}", f"{self.rng.uniform(-1, 1):.3f}", "t[-1]",
            f"out{self.index(names)}", "past[-2][1]", f"table{self.index(names)}[2]",
            "(kept[-1] if kept else c)", "(kept[len(kept) // 2] if kept else c)", "m[2, -1]",
            "(vectors[0][0] if vectors else d)", f"s[{self.pick(*names)} % 3]" if names else "s[0]",
            f"m[{self.pick(*names)} % 3, 1]" if names else "m[1, 1]", "0.0", "1.0",
        )  # fmt: skip
        if depth <= 0 or self.rng.random() < 0.3:
            return self.pick(*leaves)
        kind = int(self.rng.integers(14))
        return (
            f"({part()} + {part()})", f"({part()} - {part()})", f"({part()} * {part()})",
            f"({part()} / (2 + np.abs({part()}) ** 2))", f"np.sin(np.real({part()}))",
            f"np.sum({vector()})", f"({vector()} @ {vector()})",
            f"np.exp(-np.abs({part()}) ** 2)", f"np.sum({self.matrix(names, depth - 1)}[0])",
            f"np.where(np.real({part()}) > np.real({part()}), {part()}, {part()})",
            f"np.maximum(np.real({part()}), np.real({part()}))", f"({part()} ** 2)",
            f"(-{part()})", f"np.abs({part()})",
        )[kind]  # fmt: skip

    def vector(self, names: str, depth: int = 2) -> str:
        """Return an expression for a vector."""
        part = functools.partial(self.vector, names, depth - 1)
        number = functools.partial(self.number, names, depth - 1)
        leaves = (
            "s", "t", f"x{self.window(names)}", "past[-2]", "past[-1]", "past[0]", "m[0]",
            "m[:, 1]",
            f"W3{self.index(names)}", f"table{self.index(names)}", "s[::-1]", "m.T[2]",
            "np.diag(m)", "(vectors[-1] if vectors else s)",
        )  # fmt: skip
        if depth <= 0 or self.rng.random() < 0.25:
            return self.pick(*leaves)
        kind = int(self.rng.integers(14))
        return (
            f"({part()} + {part()})", f"({part()} - {part()})", f"({part()} * {number()})",
            f"({self.matrix(names, depth - 1)} @ {part()})",
            f"np.stack([{number()}, {number()}, {number()}])",
            f"linalg.solve(4 * EYE + {self.matrix(names, 0)}, {part()})",
            f"np.where(np.real({part()}) > np.real({number()}), {part()}, {number()})",
            f"np.concatenate([{part()}[1:], {part()}[:1]])", f"np.sin(np.real({part()}))",
            f"np.cumsum({part()})", f"({part()} / (1 + np.abs({part()}) ** 2))",
            f"np.roll({part()}, 1)", f"({part()} * {part()})", f"np.conj({part()})",
        )[kind]  # fmt: skip

    def matrix(self, names: str, depth: int = 2) -> str:
        """Return an expression for a matrix."""
        part = functools.partial(self.matrix, names, depth - 1)
        vector = functools.partial(self.vector, names, depth - 1)
        if depth <= 0 or self.rng.random() < 0.4:
            return self.pick("m", "m.T", "EYE", "np.outer(s, t)", "W3[2:5]", "np.stack([s, t, s])")
        kind = int(self.rng.integers(7))
        return (
            f"({part()} @ {part()})", f"({part()} + {part()})", f"np.outer({vector()}, {vector()})",
            f"({part()} * {self.number(names, depth - 1)})", f"{part()}.T",
            f"linalg.solve(4 * EYE + {self.matrix(names, 0)}, {part()})",
            f"np.stack([{vector()}, {vector()}, {vector()}], axis=1)",
        )[kind]  # fmt: skip

    def statement(self, names: str, indent: str) -> None:
        """Write a statement; what it assigns is held to a size of about one."""
        if self.wide and self.rng.random() < 0.25:
            wide = self.looped if self.rng.random() < 0.6 else self.large
            self.lines.append(indent + wide(names))
            return
        number, vector = self.number(names), self.vector(names)
        kind = int(self.rng.integers(13))
        text = (
            f"s = held({vector})", f"c = held({number})", f"m = held({self.matrix(names)})",
            f"d = d + 0.1 * held({number})", f"kept.append(held({number}))",
            f"vectors.append(held({vector}))", f"past.append(held({vector}))",
            f"out{self.index(names)} = held({number})",
            f"table{self.index(names)} = held({vector})",
            "s, t = t, s", f"t = held(s + {vector})", f"c = c / 2 + 0.1 * x{self.index(names)}",
            f"out{self.index(names)} += held({number})",
        )[kind]  # fmt: skip
        self.lines.append(indent + text)

    def looped(self, names: str) -> str:
        """Return a statement with a loop or a condition of scigrad.programs."""
        number, count = functools.partial(self.number, names, 1), int(self.rng.integers(1, 9))
        carry = f"held({self.vector(names, 1)}), held({number()})"
        step = f"(lambda s, c: ({carry}))(*v[:2])"
        kind = int(self.rng.integers(4))
        return (
            f"s, c = fori_loop(0, {count}, lambda i, v: {step}, (s, c))",
            f"s, c, n = while_loop(lambda v: (v[2] < {count}) & (np.real(v[1]) < {number()}),"
            f" lambda v: (*{step}, v[2] + 1), (s, c, 0))",
            f"(s, c), q = scan(lambda v, y: ({step}, y * held({number()})), (s, c), x[:{count}]);"
            f" d = d / 2 + q[-1]",
            f"c = cond(np.real({number()}) > np.real({number()}),"
            f" lambda c: held({number()}), lambda c: held({number()}), c)",
        )[kind]

    def large(self, names: str) -> str:
        """Return a statement with an array of more numbers than the machine has."""
        number, axis = functools.partial(self.number, names, 1), self.pick("0", "1", "None")
        kind = int(self.rng.integers(14))
        return (
            f"large = large * held({number()})", f"large = large + held({number()})",
            "large = np.sin(np.real(large)) + large / 2", "large = large[::-1] * x",
            f"large = large - np.max(np.real(large), axis={axis}, keepdims=True)",
            f"large = np.where(np.real(large) > np.real({number()}), large, large / 2)",
            "large = large / (1 + np.abs(large) ** 2)", "large = large * np.exp(-np.abs(large))",
            f"large = special.softmax(np.real(large), axis={axis}) - large",
            "c = c / 2 + held(special.logsumexp(np.real(large)))",
            "c = c / 2 + mean(large * large)", "d = d / 2 + mean(np.abs(large))",
            "s = held(s + np.sum(large, axis=0)[2:5] / 5000)",
            f"c = c / 2 + large[17, 3] + mean(np.maximum(np.real(large), np.real({number()})))",
        )[kind]  # fmt: skip

    def block(self, names: str, indent: str, room: int) -> None:
        """Write statements, conditions and loops."""
        for _ in range(int(self.rng.integers(1, 5))):
            draw = self.rng.random()
            if draw < 0.12 and names:
                k = self.pick(*names)
                condition = self.pick(
                    f"{k} % 3 == 0", f"{k} > 4", f"{k} % 2", f"{k} in (2, 5)", f"{k} < 8",
                    f"np.real({self.number(names, 1)}) > 0", "len(kept) > 3",
                )  # fmt: skip
                self.lines.append(f"{indent}if {condition}:")
                self.statement(names, indent + "    ")
            elif draw < 0.22 and room:
                self.loop(names, indent, room - 1, 2, 9)
            else:
                self.statement(names, indent)

    def loop(self, names: str, indent: str, room: int, least: int, most: int) -> None:
        k = "kji"[len(names)]
        count = int(self.rng.integers(least, most))
        start = int(self.rng.integers(3))
        span = self.pick(
            f"range({count})", f"reversed(range({count}))", f"range({start}, {2 * count}, 2)",
            f"range({count + start}, {start}, -1)", f"range({count})",
        )  # fmt: skip
        self.lines.append(f"{indent}for {k} in {span}:")
        self.block(names + k, indent + "    ", room)


def draw_program(seed: int, number: int) -> RandomProgram:
    """Return program `number` of a seed."""
    dtype = (np.complex128, np.float64, np.float64, np.float32)[number % 4]
    draw = Draw(f"program {number} of seed {seed}", dtype)
    writer = _Writer(draw.rng, number % 2 == 1)
    for _ in range(int(draw.rng.integers(1, 3))):
        writer.loop("", "", 1, 6, 20)
    arrays = draw.array(LENGTH), draw.array(ORDER), draw.array(ORDER, ORDER) / 2
    c = draw.array()[()]
    return RandomProgram((*arrays, float(c) if dtype is np.float32 else c), tuple(writer.lines))
