"""Docstrings in numpydoc's format that take what they share from the docstrings of their family.

A parameter is described once, in the docstring of one function of the family (or of a function that only holds the text):

    @completed_by(fft)
    def ifft(x, n=None, axis=-1, norm=None):
        \"\"\"Compute the inverse discrete Fourier transform along one axis.\"\"\"
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from itertools import groupby
from typing import Any

_ORDER = ("Parameters", "Returns", "Raises", "Warns", "See Also", "Notes", "References", "Examples")
_HEADING = re.compile(rf"^({'|'.join(_ORDER)})\n-+\n", re.MULTILINE)


def sections(text: str | None) -> dict[str, str]:
    """Split a docstring into its sections by their headings; the summary has the heading ""."""
    summary, *rest = _HEADING.split(inspect.cleandoc(text or ""))
    return {"": summary.strip(), **{name: body.strip() for name, body in zip(rest[::2], rest[1::2], strict=True)}}


def joined(parts: dict[str, str]) -> str:
    """Join sections to a docstring, in numpydoc's order."""
    return "\n\n".join([parts[""], *(f"{name}\n{'-' * len(name)}\n{parts[name]}" for name in _ORDER if name in parts)]) + "\n"


def noted(text: str | None, note: str) -> str:
    """Add a paragraph to the notes of a docstring."""
    parts = sections(text)
    parts["Notes"] = f"{parts['Notes']}\n\n{note}" if "Notes" in parts else note
    return joined(parts)


def completed_by(*models: Any) -> Callable[[Any], Any]:
    """Declare that a docstring leaves to those of other functions what it does not say itself.

    The descriptions of its parameters are put in the order of the signature, the sections Returns and Raises are taken if it
    has none, and the notes are added to its own. ``{name}`` in the models stands for the name of the function.
    """

    def complete(function: Any) -> Any:
        own, *others = (sections(f.__doc__) for f in (function, *models))
        described: dict[str, tuple[str, str]] = {}
        for parts in (own, *others):
            for entry in re.split(r"\n(?=\S)", parts.get("Parameters", "")):
                names, _, text = entry.partition("\n")
                names, _, kind = names.partition(" : ")
                for name in names.split(", "):
                    described.setdefault(name.lstrip("*"), (name, f" : {kind}\n{text}" if kind else f"\n{text}"))
        found = (described[name] for name in inspect.signature(function).parameters if name in described)
        groups = groupby(found, key=lambda entry: entry[1])
        own["Parameters"] = "\n".join(", ".join(name for name, _ in group) + text for text, group in groups)
        for parts in others:
            named = {heading: text.replace("{name}", function.__name__) for heading, text in parts.items()}
            own |= {heading: named[heading] for heading in ("Returns", "Raises") if heading in named and heading not in own}
            if "Notes" in named:
                own["Notes"] = f"{own['Notes']}\n\n{named['Notes']}" if "Notes" in own else named["Notes"]
        function.__doc__ = joined(own)
        return function

    return complete
