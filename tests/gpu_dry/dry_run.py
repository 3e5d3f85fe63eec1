"""Plugin of pytest for runs with CuPy on the CPU: `python -m pytest -p dry_run --backend cupy`, with this folder on PYTHONPATH.

Laws that are listed in expected_failures.txt have to fail: one that passes is an error, as is a name that no law has.
"""

from __future__ import annotations

from pathlib import Path

import cupy_on_cpu  # noqa: F401  (before CuPy)
import pytest

EXPECTED = Path(__file__).with_name("expected_failures.txt")


def expected_failures() -> dict[str, str]:
    """Return the reasons by names of laws, "values-linalg.qz-cupy"."""
    lines = (line.partition("  ") for line in EXPECTED.read_text().splitlines() if line and not line.startswith("#"))
    return {name: reason.strip() for name, _, reason in lines}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    expected = expected_failures()
    laws = {item.callspec.id: item for item in items if item.name.startswith("test_law[")}
    for name in expected.keys() & laws.keys():
        laws[name].add_marker(pytest.mark.xfail(reason=expected[name], strict=True))
    everything = {"values", "adjoint"} <= {law.partition("-")[0] for law in laws} and not config.option.keyword
    unknown = sorted(expected.keys() - laws.keys())
    if everything and unknown:
        raise pytest.UsageError(f"{EXPECTED.name} names laws that are not there: {', '.join(unknown)}")
