"""Docstrings that are completed from those of their family."""

from scigrad.autodiff_rules import elementwise
from scigrad.autodiff_rules.docstrings import completed_by, noted


def model(x, n=None, axis=-1, **options):
    """Do something.

    Parameters
    ----------
    x : array_like
        The input.

        In two paragraphs.
    n, axis : int, optional
        Length and axis.
    **options
        Passed on.

    Returns
    -------
    ndarray
        The result of {name}.

    Notes
    -----
    Shared by {name}.
    """


COMPLETED = """Undo it.

Parameters
----------
axis : int, optional
    Length and axis.
y : float
    A number.
x : array_like
    The input.

    In two paragraphs.
**options
    Passed on.

Returns
-------
ndarray
    The result of function.

Notes
-----
Own.

Shared by function.

Examples
--------
>>> 1
1
"""


def test_what_is_missing_is_taken_in_the_order_of_the_signature():
    @completed_by(model)
    def function(axis, y, x, **options):
        """Undo it.

        Parameters
        ----------
        y : float
            A number.

        Notes
        -----
        Own.

        Examples
        --------
        >>> 1
        1
        """

    assert function.__doc__ == COMPLETED


def test_neighbours_that_share_a_description_stay_together():
    @completed_by(model)
    def function(x, n, axis):
        """Undo it."""

    assert "\nn, axis : int, optional\n    Length and axis.\n" in function.__doc__


def test_a_note_stands_before_the_examples():
    assert (
        noted("Do.\n\nExamples\n--------\n>>> 1\n1", "N.")
        == "Do.\n\nNotes\n-----\nN.\n\nExamples\n--------\n>>> 1\n1\n"
    )
    assert noted(None, "N.") == "\n\nNotes\n-----\nN.\n"


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
