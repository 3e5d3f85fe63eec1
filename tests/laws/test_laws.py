"""Every law over every spec: one test for each (law, function, backend); the message names the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from scigrad.testing import load_specs
from scigrad.testing.laws import LAWS, NothingShown, laws_for

SPECS = load_specs(Path(__file__).parent.parent / "specs")
SLOW = ("special.ncfdt", "special.nctdt")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    chosen = metafunc.config.getoption("--backend")
    backends = ("numpy", "device") if chosen == "host" else (chosen,)
    rows = [
        pytest.param(spec, law, backend, id=f"{law}-{spec.name}-{backend}", marks=_marks(spec, law, backend))
        for spec in SPECS
        for backend in backends
        for law in laws_for(spec, backend)
    ]
    metafunc.parametrize(("spec", "law", "backend"), rows)


def _marks(spec, law, backend):
    named = (backend, "any") if backend == "numpy" else (backend, "any", "any device")
    reason = next((spec.known_failures[law, name] for name in named if (law, name) in spec.known_failures), None)
    # SciPy's Cython prints what it cannot raise where a column depends on others.
    marks = (
        [pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")] if law in ("extreme", "narrow") else []
    )
    # Kernels of SciPy's that take seconds at 1e150: make test-all.
    if law in ("extreme", "missing", "narrow") and spec.name.startswith(SLOW):
        marks.append(pytest.mark.slow)
    return [*marks, pytest.mark.xfail(reason=reason, strict=True)] if reason else marks


def test_law(spec, law, backend, record_property):
    record_property("law", f"{spec.name} {law} {backend}")
    try:
        LAWS[law](spec, backend)
    except NothingShown as reason:
        pytest.skip(str(reason))
