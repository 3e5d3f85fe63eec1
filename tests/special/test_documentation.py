"""The text that special functions share completes their docstrings."""

import re

import pytest
import scipy.special

from scigrad import special
from scigrad.autodiff_rules.docstrings import sections
from scigrad.special.ufuncs import Ufunc, row

UFUNCS = [name for name in special.__all__ if isinstance(getattr(special, name), Ufunc)]


def test_a_row_of_a_table_gets_a_complete_docstring():
    @row(None, None)
    def jv(v, x):
        """Compute the Bessel function of the first kind.

        DLMF 10.2.2.

        Parameters
        ----------
        v : array_like
            Order.

        At 2, 1.5: 0.232087679, derivative 0.248459338 in x.
        """

    parts = sections(jv.__doc__)
    assert set(parts) == {"", "Parameters", "Returns", "Raises", "Notes", "Examples"}
    assert parts[""].endswith("DLMF 10.2.2.")
    assert parts["Parameters"].startswith("v : array_like\n    Order.\nout : ")
    assert "scipy.special.jv" in parts["Notes"]
    assert (
        "special.jv(2, 1.5).round(9), grad(special.jv, 1)(2, 1.5).round(9))\n"
        "0.232087679 0.248459338"
    ) in parts["Examples"]


def test_parameters_have_the_names_of_the_function():
    assert sections(special.erf.__doc__)["Parameters"].startswith(
        "z : array_like\n    Upper limit of the integral, real or complex."
    )


@pytest.mark.parametrize("name", UFUNCS)
def test_complex_arguments_and_several_outputs_are_those_of_scipy(name):
    theirs, parts = getattr(scipy.special, name), sections(getattr(special, name).__doc__)
    entries = re.findall(r"^(.+) : .*\n    (.*)", parts["Parameters"], re.MULTILINE)
    described = [text for names, text in entries for _ in names.split(", ")][: theirs.nin]
    kinds = [
        "".join(of_loops)
        for of_loops in zip(*(loop.partition("->")[0] for loop in theirs.types), strict=True)
    ]
    assert ["complex" in text for text in described] == ["D" in of_loops for of_loops in kinds]
    assert parts["Returns"].startswith("tuple of" if theirs.nout > 1 else "scalar or")


def test_the_notes_name_the_arguments_that_have_derivatives():
    assert "Differentiable in q and x; the others" in special.mathieu_cem.__doc__
    assert "Differentiable in p; the others" in special.bdtr.__doc__
    assert "Differentiable in" not in special.jv.__doc__


def test_the_results_of_functions_with_arguments_without_a_rule_are_those_of_all():
    for name in UFUNCS:
        (first, second, *_) = sections(getattr(special, name).__doc__)["Returns"].splitlines()
        assert second.startswith("    Values element by element, "), (name, first)
