"""Notes that are added to docstrings."""

import pytest

from scigrad.autodiff_rules import elementwise

NOTE = "Derivatives: element by element, forward and reverse mode, any order."
EXAMPLES = "Examples\n--------\n>>> 1\n1"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (f"Do.\n\n{EXAMPLES}", f"Do.\n\nNotes\n-----\n{NOTE}\n\n{EXAMPLES}"),
        ("Do.\n\nNotes\n-----\nN.", f"Do.\n\nNotes\n-----\nN.\n\n{NOTE}"),
        (
            f"Do.\n\nNotes\n-----\nN.\n\nReferences\n----------\nR.\n\n{EXAMPLES}",
            f"Do.\n\nNotes\n-----\nN.\n\n{NOTE}\n\nReferences\n----------\nR.\n\n{EXAMPLES}",
        ),
        (f"Do.\n\nNotes\n-----\n{NOTE}", f"Do.\n\nNotes\n-----\n{NOTE}"),
        (None, f"function\n\nNotes\n-----\n{NOTE}"),
    ],
)
def test_derivatives_stand_in_the_notes_before_the_examples(page, expected):
    def function(x):
        return x

    function.__doc__ = page
    assert elementwise(function).__doc__ == expected + "\n"
