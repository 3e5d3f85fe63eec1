"""Comments have a subject of their own, and the spelling is American."""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = "scigrad", "tests", "benchmarks", "docs", "reference_data"
FILES = sorted(
    path
    for pattern in ("*.py", "*.md")
    for path in (*ROOT.glob(pattern), *(p for f in FOLDERS for p in (ROOT / f).rglob(pattern)))
    if path != Path(__file__) and ROOT / "benchmarks" / "results" not in path.parents
)
# A comment that begins with one of these continues a sentence that nobody wrote. A single word is
# a name, as in "# -- where".
OPENING = re.compile(r"#\W*(of|which|whose|where|so|for|with|without|beside)[ ]+\S", re.IGNORECASE)
BRITISH = (
    "factoris", "generalis", "regularis", "normalis", "diagonalis", "minimis", "optimis",
    "vectoris", "recognis", "behaviour", "colour", "neighbour", "centre", "analyse", "licence",
)  # fmt: skip
WORD = re.compile(rf"(?:{'|'.join(BRITISH)})[a-z]*", re.IGNORECASE)
AMERICAN = {"analyses", "optimism", "optimist", "optimistic"}  # despite their stems


def without_subject(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of the comments that begin with such a word. Only the first line of a
    block counts.
    """
    above = (0, 0)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline) if OPENING.search(text) else ()
    for token in tokens:
        if token.type != tokenize.COMMENT:
            continue
        line, column = token.start
        continued = (line - 1, column) == above
        above = token.start if token.line.strip() == token.string else (0, 0)
        if OPENING.match(token.string) and not continued:
            yield line, token.string


def in_british(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and word of what is spelled as in Britain."""
    for word in WORD.finditer(text):
        if word[0].lower() not in AMERICAN:
            yield text.count("\n", 0, word.start()) + 1, word[0]


def test_comments_begin_with_a_subject():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {comment}"
        for path in FILES
        if path.suffix == ".py"
        for line, comment in without_subject(path.read_text(encoding="utf-8"))
    ]
    if found:
        pytest.fail(
            "\n".join(["a comment names its subject, and says why:", *found]), pytrace=False
        )


def test_the_spelling_is_american():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path in FILES
        for line, word in in_british(path.read_text(encoding="utf-8"))
    ]
    if found:
        pytest.fail("\n".join(["American spelling:", *found]), pytrace=False)


def test_what_is_found():
    text = 'x = 1  # of y\n# A block\n# of two lines.\ny = "# of z"\nz = 2  # where\n# which it is'
    assert [*without_subject(text)] == [(1, "# of y"), (6, "# which it is")]
    found = [*in_british("Two analyses,\nan Analyser of Colours")]
    assert found == [(2, "Analyser"), (2, "Colours")]
