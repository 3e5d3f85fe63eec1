"""The text that special functions share completes their docstrings."""

from scigrad import special
from scigrad.autodiff_rules.docstrings import sections
from scigrad.special.documentation import row
from scigrad.special.ufuncs import library_values, ufunc


def test_a_row_of_a_table_gives_a_complete_docstring():
    def dawsn(x):
        return library_values("dawsn", x)

    formula = "``exp(-x^2) int_0^x exp(t^2) dt`` (DLMF 7.2.5)."
    dawsn.__doc__ = row("Compute Dawson's integral.", formula, (0.5,), "0.424436384 0.575563616")
    parts = sections(ufunc(dawsn).__doc__)
    assert set(parts) == {"", "Parameters", "Returns", "Raises", "Notes", "Examples"}
    assert parts["Parameters"].startswith("x : array_like\n    Real argument.\nout : ")
    assert "scipy.special.dawsn" in parts["Notes"]
    assert "special.dawsn(0.5).round(9), grad(special.dawsn)(0.5)" in parts["Examples"]


def test_parameters_have_the_names_of_the_function():
    assert sections(special.erf.__doc__)["Parameters"].startswith("z : array_like\n    Real or complex argument.")
