"""The list of laws that fail with CuPy may only become shorter."""

from __future__ import annotations

import types

import dry_run
from dry_run import EXPECTED, expected_failures

ALLOWED = 0  # to be lowered with each mend, never raised


def test_the_list_does_not_grow():
    assert len(expected_failures()) <= ALLOWED


def test_every_line_has_a_reason():
    assert all(expected_failures().values())
    assert EXPECTED.read_text().startswith("#")


def test_a_listed_law_that_passes_is_an_error(monkeypatch):
    marks = []
    law = types.SimpleNamespace(
        name="test_law[values-linalg.solve-cupy]",
        callspec=types.SimpleNamespace(id="values-linalg.solve-cupy"),
        add_marker=marks.append,
    )
    config = types.SimpleNamespace(option=types.SimpleNamespace(keyword=""))
    monkeypatch.setattr(dry_run, "expected_failures", lambda: {"values-linalg.solve-cupy": "a reason"})
    dry_run.pytest_collection_modifyitems(config, [law])
    assert [(mark.name, mark.kwargs) for mark in marks] == [("xfail", {"reason": "a reason", "strict": True})]
