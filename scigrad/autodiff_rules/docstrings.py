"""Docstrings in numpydoc's format that take what they share from the docstrings of their family.

A parameter is described once, in the docstring of one function of the family (or of a function that
only holds the text):

    @completed_by(fft)
    def ifft(x, n=None, axis=-1, norm=None):
        \"\"\"Compute the inverse discrete Fourier transform along one axis.\"\"\"
"""

import functools
import inspect
import re
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any, TypeVar

Documented = TypeVar("Documented")

_ORDER = ("Parameters", "Returns", "Raises", "Warns", "See Also", "Notes", "References", "Examples")
_HEADING = re.compile(rf"^({'|'.join(_ORDER)})\n-+\n", re.MULTILINE)


@functools.lru_cache(64)  # of models, which many functions share
def _parsed(text: str | None) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """Return the sections of a docstring, and for each parameter its name as written and the rest
    of its entry.
    """
    parts, described = sections(text), {}
    for entry in re.split(r"\n(?=\S)", parts.get("Parameters", "")):
        names, _, body = entry.partition("\n")
        names, _, kind = names.partition(" : ")
        for name in names.split(", "):
            described[name.lstrip("*")] = (name, f" : {kind}\n{body}" if kind else f"\n{body}")
    return parts, described


def sections(text: str | None) -> dict[str, str]:
    """Split a docstring into its sections by their headings; the summary has the heading ""."""
    summary, *rest = _HEADING.split(inspect.cleandoc(text or ""))
    return {
        "": summary.strip(),
        **{name: body.strip() for name, body in zip(rest[::2], rest[1::2], strict=True)},
    }


def joined(parts: dict[str, str]) -> str:
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


def noted(text: str | None, notes: str) -> str:
    """Add paragraphs to the notes of a docstring, those that it does not have."""
    parts = sections(text)
    return joined(
        parts | {"Notes": _paragraphs([parts["Notes"], notes] if "Notes" in parts else [notes])}
    )


def completed_by(*models: Any) -> Callable[[Documented], Documented]:
    """Declare that a docstring leaves to those of other functions what it does not say itself.

    The descriptions of its parameters are put in the order of the signature, the sections Returns
    and Raises are taken if it has none, and the notes are added to its own. ``{name}`` in the
    models stands for the name of the function.
    """

    def complete(function: Any) -> Any:
        (own, described), *others = (_parsed(f.__doc__) for f in (function, *models))
        for parts, entries in others:
            own = {name: parts[name] for name in ("Returns", "Raises") if name in parts} | own
            described = entries | described
        found = (
            described[name] for name in inspect.signature(function).parameters if name in described
        )
        groups = groupby(found, key=lambda entry: entry[1])
        parameters = "\n".join(
            ", ".join(name for name, _ in group) + text for text, group in groups
        )
        notes = _paragraphs(
            parts["Notes"] for parts in (own, *(parts for parts, _ in others)) if "Notes" in parts
        )
        own = own | {"Parameters": parameters} | ({"Notes": notes} if notes else {})
        function.__doc__ = joined(own).replace("{name}", function.__name__)
        return function

    return complete
