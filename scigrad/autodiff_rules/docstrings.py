"""Sections of docstrings in numpydoc's format, and notes that are added to them."""

import inspect
import re
from collections.abc import Iterable

_ORDER = ("Parameters", "Returns", "Raises", "Warns", "See Also", "Notes", "References", "Examples")
_HEADING = re.compile(rf"^({'|'.join(_ORDER)})\n-+\n", re.MULTILINE)


def split_sections(text: str | None) -> dict[str, str]:
    """Split a docstring into its sections by their headings; the summary has the heading ""."""
    summary, *rest = _HEADING.split(inspect.cleandoc(text or ""))
    return {
        "": summary.strip(),
        **{name: body.strip() for name, body in zip(rest[::2], rest[1::2], strict=True)},
    }


def join_sections(parts: dict[str, str]) -> str:
    """Join sections to a docstring, in numpydoc's order."""
    return (
        "\n\n".join(
            [
                parts[""],
                *(f"{name}\n{'-' * len(name)}\n{parts[name]}" for name in _ORDER if name in parts),
            ]
        )
        + "\n"
    )


def _paragraphs(texts: Iterable[str]) -> str:
    """Return the paragraphs of several texts, each once."""
    return "\n\n".join(
        dict.fromkeys(paragraph for text in texts for paragraph in text.split("\n\n"))
    )


def add_notes(text: str | None, notes: str) -> str:
    """Add paragraphs to the notes of a docstring, those that it does not have."""
    parts = split_sections(text)
    return join_sections(
        parts | {"Notes": _paragraphs([parts["Notes"], notes] if "Notes" in parts else [notes])}
    )
