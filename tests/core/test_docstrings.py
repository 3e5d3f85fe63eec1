"""Notes that are added to docstrings."""

from scigrad.autodiff_rules import elementwise
from scigrad.autodiff_rules.docstrings import add_notes


def test_a_note_stands_before_the_examples():
    assert (
        add_notes("Do.\n\nExamples\n--------\n>>> 1\n1", "N.")
        == "Do.\n\nNotes\n-----\nN.\n\nExamples\n--------\n>>> 1\n1\n"
    )
    assert add_notes(None, "N.") == "\n\nNotes\n-----\nN.\n"


def test_derivatives_stand_in_the_notes():
    @elementwise
    def function(x):
        """Do it.

        Examples
        --------
        >>> 1
        1
        """
        return x

    notes, examples = function.__doc__.index("Notes\n"), function.__doc__.index("Examples\n")
    assert notes < function.__doc__.index("Derivatives:") < examples
