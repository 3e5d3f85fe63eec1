"""help() of a room begins with a table of contents, which names all that is public, each once."""

import runpy
from pathlib import Path

import pytest

CONTENTS = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "generate" / "contents.py"))


@pytest.mark.parametrize("room", CONTENTS["ROOMS"])
def test_every_public_name_stands_in_the_table_and_what_is_ours_alone_has_a_star(room):
    path, text, ought = CONTENTS["page"](room)
    assert text == ought, f"{path}: run `make fix`"


def test_a_new_name_joins_the_row_of_its_file_and_one_that_is_gone_leaves():
    table = ["Systems", "    solve, inv", "    lu_factor, gone, lu_solve: given factors", "Others"]
    found = CONTENTS["updated"]("linalg", [*table, "    det", "    " + others()])
    assert found[:3] == ["Systems", "    solve, inv", "    lu_factor, lu_solve, lu: given factors"]


def test_a_file_that_lists_no_names_is_named(monkeypatch):
    monkeypatch.delattr("scigrad.special.entropy.__all__")
    with pytest.raises(SystemExit, match=r"scigrad/special: list the public names of entropy in"):
        CONTENTS["page"]("special")


def others():
    """The public names of linalg that the table of the test above has no other place for."""
    _, text, _ = CONTENTS["page"]("linalg")
    rows = [row for row in text.splitlines() if row.startswith("    ")]
    names = [name for row in rows for name in CONTENTS["names_of"](row)]
    return ", ".join(sorted({*names} - {"solve", "inv", "lu", "lu_factor", "lu_solve", "det"}))
