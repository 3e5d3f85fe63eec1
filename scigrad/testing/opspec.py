"""OpSpec: what has to be said of a public function once, so that every law can test it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .draw import Draw

Samples = Callable[[Draw], Iterator[tuple[str, tuple[Any, ...], dict[str, Any]]]]


class Case(NamedTuple):
    """One sample: positional arguments (their floating leaves vary), keyword arguments (they do not)."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class OpSpec:
    """One public function: how to call it, what it must equal, what it cannot do yet.

    Parameters
    ----------
    function : the public function
    samples : samples(draw) yields (case name, args, kwargs) for the dtype of `draw`; nothing if it takes no such dtype
    reference : the same function by SciPy, NumPy or mpmath, of the same arguments
    gradient_samples : like samples, where the derivative laws need others; samples are used if None
    error_samples : error_samples(draw) yields (case name, args, kwargs, exception type, pattern of the text)
    size : size(draw, n) -> (args, kwargs) of a problem of size n, for benchmarks
    tolerance : relative error allowed in float64, of values and (by the laws' own factors) of derivatives
    known_failures : {(law, backend): reason}; strict: a failure that has gone is an error
    """

    function: Callable[..., Any]
    samples: Samples
    reference: Callable[..., Any] | None = None
    gradient_samples: Samples | None = None
    error_samples: Callable[[Draw], Iterator[Any]] | None = None
    size: Callable[[Draw, int], Any] | None = None
    tolerance: float = 1e-9
    known_failures: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """room.function, as users write it."""
        return f"{self.room}.{self.function.__name__}"

    @property
    def room(self) -> str:
        module = self.function.__module__
        if module.startswith("scigrad."):
            parts = module.split(".")[1:]
            return ".".join(parts[:2]) if parts[:2] in (["sparse", "linalg"], ["signal", "windows"]) else parts[0]
        return "numpy"

    @property
    def differentiable(self) -> bool:
        """False for what is declared constant: it has values, but nothing to differentiate."""
        return not getattr(self.function, "is_constant", False)

    def cases(self, dtype: Any, gradient: bool = False) -> list[Case]:
        """The samples of one dtype."""
        samples = self.gradient_samples if gradient and self.gradient_samples else self.samples
        return [Case(*case) for case in samples(Draw(self.name, dtype))]


def load_specs(folder: Path) -> list[OpSpec]:
    """All specs of the files below a folder (tests/specs)."""
    found: list[OpSpec] = []
    for path in sorted(folder.rglob("*.py")):
        name = "specs_" + "_".join(path.relative_to(folder).with_suffix("").parts)
        if name not in sys.modules:
            module_spec = importlib.util.spec_from_file_location(name, path)
            if module_spec is None or module_spec.loader is None:
                raise ImportError(f"{path} cannot be imported as a module of specs")
            module = importlib.util.module_from_spec(module_spec)
            sys.modules[name] = module
            module_spec.loader.exec_module(module)
        found.extend(getattr(sys.modules[name], "specs", []))
    return found


SINGLE = {np.dtype(np.float64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.complex64)}
