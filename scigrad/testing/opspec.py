"""OpSpec: the description of a public function from which every law is tested."""

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from .draw import Draw

Samples = Callable[[Draw], Iterator[tuple[str, tuple[Any, ...], dict[str, Any]]]]


class Case(NamedTuple):
    """One sample: positional arguments, whose floats vary, and constant keyword arguments.

    Parameters
    ----------
    name : str
        Name in the messages.
    args : tuple
        Positional arguments.
    kwargs : dict
        Keyword arguments.

    Examples
    --------
    >>> from scigrad.testing import Case
    >>> Case("scalar", (2.0,), {}).name
    'scalar'
    """

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class OpSpec:
    """Description of a public function: its calls, its true values, its known failures.

    Parameters
    ----------
    function : callable
        Public function.
    samples : callable
        ``samples(draw)`` yields ``(case name, args, kwargs)`` for the dtype of the `Draw`; nothing
        for a dtype that is not accepted.
    reference : callable, optional
        The same function by SciPy, NumPy or mpmath, of the same arguments.
    gradient_samples : callable, optional
        Like `samples`, where the laws of derivatives need others.
    error_samples : callable, optional
        ``error_samples(draw)`` yields
        ``(case name, args, kwargs, exception type, pattern of the message)``.
    size : callable, optional
        ``size(draw, n)`` returns ``(args, kwargs)`` of a problem of size n, for benchmarks.
    tolerance : float, optional
        Relative error allowed in float64, of values and, times factors of the laws, of derivatives.
    known_failures : dict, optional
        Reasons by ``(law, backend)``, where "any" is every backend. A listed failure that no longer
        occurs is an error.
    whole : OpSpec, optional
        Spec of which this one has some of the samples for derivatives. They show each argument
        alone in turns, one of them in each sample.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.special
    >>> from scigrad import special
    >>> from scigrad.testing import OpSpec
    >>> spec = OpSpec(
    ...     function=special.erf,
    ...     samples=lambda draw: [("vector", (draw.array(3),), {})],
    ...     reference=scipy.special.erf,
    ... )
    >>> spec.name, spec.differentiable, [case.name for case in spec.cases(np.float64)]
    ('special.erf', True, ['vector'])
    """

    function: Callable[..., Any]
    samples: Samples
    reference: Callable[..., Any] | None = None
    gradient_samples: Samples | None = None
    error_samples: Callable[[Draw], Iterator[Any]] | None = None
    size: Callable[[Draw, int], Any] | None = None
    tolerance: float = 1e-9
    known_failures: Mapping[tuple[str, str], str] = field(default_factory=dict)
    whole: "OpSpec | None" = None

    @property
    def name(self) -> str:
        """Name of the function as users write it, "room.function"."""
        return f"{self.room}.{self.function.__name__}"

    @property
    def room(self) -> str:
        module = self.function.__module__
        if module.startswith("scigrad."):
            parts = module.split(".")[1:]
            return (
                ".".join(parts[:2])
                if parts[:2] in (["sparse", "csgraph"], ["sparse", "linalg"], ["signal", "windows"])
                else parts[0]
            )
        return "numpy"

    @property
    def differentiable(self) -> bool:
        """Return whether there is something to differentiate: False for a function that is declared
        constant.
        """
        return not getattr(self.function, "is_constant", False)

    def cases(self, dtype: Any, gradient: bool = False) -> list[Case]:
        """Return the samples of one dtype."""
        samples = self.gradient_samples if gradient and self.gradient_samples else self.samples
        return [Case(*case) for case in samples(Draw(self.name, dtype))]


def load_specs(folder: Path) -> list[OpSpec]:
    """Return all specs of the files below a folder.

    Parameters
    ----------
    folder : pathlib.Path
        Folder, such as tests/specs, whose modules have a list ``specs``. They can import from each
        other by relative imports.

    Returns
    -------
    list of OpSpec
        Specs in the order of the files.

    Raises
    ------
    ImportError
        If a file cannot be imported as a module.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from scigrad.testing import load_specs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load_specs(Path(folder))
    []
    """
    return [spec for specs in specs_by_file(folder).values() for spec in specs]


def specs_by_file(folder: Path) -> dict[Path, list[OpSpec]]:
    """Return the specs of each file below a folder."""
    folder = folder.resolve()
    # The folder is a package, so that its files can share what draws their samples.
    package = ModuleType(f"specs of {folder}".replace(".", "_"))
    package.__path__ = [str(folder)]
    sys.modules.setdefault(package.__name__, package)
    found: dict[Path, list[OpSpec]] = {}
    for path in sorted(folder.rglob("*.py")):
        module = ".".join([package.__name__, *path.relative_to(folder).with_suffix("").parts])
        found[path] = getattr(importlib.import_module(module), "specs", [])
    return found


SINGLE = {
    np.dtype(np.float64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.complex64),
}
