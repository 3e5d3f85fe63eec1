"""Random compositions of functions that are given by examples of their calls.

Functions have domains: a matrix that is positive definite, a probability, an order. A step of a
composition therefore calls a function near the example of its arguments, from which what was
computed before moves each floating-point number by a tenth at most. So any functions can follow
each other, whatever the shapes, and stay where they are well conditioned.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

import scigrad.numpy as snp
from scigrad.autodiff_rules.containers import Tree, flatten
from scigrad.autodiff_rules.spaces import is_inexact

from .draw import Draw
from .opspec import OpSpec

LENGTH = 3  # length of the vectors that a composition takes
_REACH = 0.1


class Example(NamedTuple):
    """A function at a point: its arguments as leaves, and which of these are floating point."""

    name: str
    function: Callable[..., Any]
    leaves: list[Any]
    tree: Tree
    places: tuple[int, ...]
    tolerance: float


class Step(NamedTuple):
    """One call of a composition: for each place of the example the number of the value that moves
    it, or None.
    """

    example: Example
    sources: tuple[int | None, ...]


class Composition(NamedTuple):
    """Function of vectors: each step makes one vector of its outputs, and the last is the
    result.
    """

    point: tuple[Any, ...]
    steps: tuple[Step, ...]

    def __call__(self, *vectors: Any) -> Any:
        values = list(vectors)
        for step in self.steps:
            leaves = list(step.example.leaves)
            for place, source in zip(step.example.places, step.sources, strict=True):
                if source is not None:
                    leaves[place] = moved(leaves[place], values[source])
            outs = flatten(step.example.function(*step.example.tree.unflatten(leaves)))[0]
            values.append(snp.concatenate([snp.ravel(y) for y in outs if is_inexact(y)]))
        return values[-1]

    @property
    def tolerance(self) -> float:
        return max(step.example.tolerance for step in self.steps)

    def __str__(self) -> str:
        """Return the composition as lines of a program."""
        lines = [f"x{i} = {v!r}" for i, v in enumerate(self.point)]
        for i, (example, sources) in enumerate(self.steps, len(self.point)):
            moves = {
                place: source
                for place, source in zip(example.places, sources, strict=True)
                if source is not None
            }
            shown = [
                f"moved({_shown(x)}, x{moves[k]})" if k in moves else _shown(x)
                for k, x in enumerate(example.leaves)
            ]
            lines.append(f"x{i} = {example.name}({', '.join(shown)})")
        return "\n".join(lines)

    def smaller(self) -> Iterable[Composition]:
        """Yield compositions with one step less, or one argument less that moves."""
        inputs = len(self.point)
        for k in range(len(self.steps)):
            if len(self.steps) > 1:  # what came from step k comes from the first input
                gone = inputs + k
                rest = self.steps[:k] + self.steps[k + 1 :]
                yield self._replace(
                    steps=tuple(
                        s._replace(sources=tuple(_without(gone, x) for x in s.sources))
                        for s in rest
                    )
                )
        for k, step in enumerate(self.steps):
            for j, source in enumerate(step.sources):
                if source is not None and sum(s is not None for s in step.sources) > 1:
                    fewer = step._replace(sources=(*step.sources[:j], None, *step.sources[j + 1 :]))
                    yield self._replace(steps=(*self.steps[:k], fewer, *self.steps[k + 1 :]))


def moved(a: Any, v: Any) -> Any:
    """Return the numbers of `a` times 1 + w/10, where w = v / sqrt(1 + |v|^2), repeated or cut to
    the shape of `a`.
    """
    shape, real = np.shape(a), np.result_type(a).kind != "c"
    v = v[np.arange(np.size(a)) % v.shape[0]].reshape(shape)
    v = snp.real(v) + snp.imag(v) if real else v
    return a * (1 + _REACH * v / snp.sqrt(1 + snp.real(v) ** 2 + snp.imag(v) ** 2))


def _shown(x: Any) -> str:
    return np.array_repr(x) if isinstance(x, np.ndarray) else repr(x)


def examples_of(functions: Iterable[Any]) -> list[Example]:
    """Return the examples of pairs (function, arguments) and of all samples of specs."""
    found = []
    for item in functions:
        if isinstance(item, OpSpec):
            if item.differentiable:
                cases = [
                    case
                    for dtype in (np.float64, np.complex128)
                    for case in item.cases(dtype, gradient=True)
                ]
                found += [
                    _example(
                        f"{item.name}[{c.name}]",
                        functools.partial(item.function, **c.kwargs),
                        c.args,
                        item.tolerance,
                    )
                    for c in cases
                ]
        else:
            function, args = item
            found.append(
                _example(getattr(function, "__name__", repr(function)), function, tuple(args), 0.0)
            )
    return [example for example in found if example.places]


def _example(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], tolerance: float
) -> Example:
    leaves, tree = flatten(args)
    places = tuple(i for i, x in enumerate(leaves) if is_inexact(x) and np.size(x))
    return Example(name, function, leaves, tree, places, tolerance)


def draw_composition(examples: Sequence[Example], seed: int, number: int, most: int) -> Composition:
    """Return composition `number` of a seed, of 1 to `most` steps. Each step is moved by the one
    before it.
    """
    draw = Draw(
        f"composition {number} of seed {seed}", np.complex128 if number % 3 == 0 else np.float64
    )
    rng = draw.rng
    point = tuple(draw.array(LENGTH) for _ in range(rng.integers(1, 3)))
    steps: list[Step] = []
    for count in range(len(point), len(point) + rng.integers(1, most + 1)):
        example = examples[rng.integers(len(examples))]
        sources = [rng.integers(count) if rng.random() < 0.5 else None for _ in example.places]
        sources[rng.integers(len(sources))] = count - 1
        steps.append(Step(example, tuple(None if s is None else int(s) for s in sources)))
    return Composition(point, tuple(steps))


def _without(gone: int, source: int | None) -> int | None:
    return source if source is None or source < gone else 0 if source == gone else source - 1


__all__ = ["Composition", "draw_composition", "examples_of", "moved"]
