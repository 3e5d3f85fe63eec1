"""The text that special functions share completes their docstrings."""

from scigrad import special
from scigrad.autodiff_rules.docstrings import sections
from scigrad.special.ufuncs import row


def test_a_row_of_a_table_gets_a_complete_docstring():
    @row(None, None)
    def jv(v, x):
        """Compute the Bessel function of the first kind.

        DLMF 10.2.2.

        At 2, 1.5: 0.232087679, derivative 0.248459338 in x.
        """

    parts = sections(jv.__doc__)
    assert set(parts) == {"", "Parameters", "Returns", "Raises", "Notes", "Examples"}
    assert parts[""].endswith("DLMF 10.2.2.")
    assert parts["Parameters"].startswith("v : array_like\n    Order.\nx : array_like\n    Real argument.\nout : ")
    assert "scipy.special.jv" in parts["Notes"]
    assert "special.jv(2, 1.5).round(9), grad(special.jv, 1)(2, 1.5).round(9))\n0.232087679 0.248459338" in parts["Examples"]


def test_parameters_have_the_names_of_the_function():
    assert sections(special.erf.__doc__)["Parameters"].startswith("z : array_like\n    Real or complex argument.")
