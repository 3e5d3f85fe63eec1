"""Pages of special functions say what the functions do."""

import inspect
import re

import pytest
import scipy.special
from parsed_sources import split_sections

from scigrad import special
from scigrad.special.machinery.ufuncs import Ufunc

UFUNCS = [name for name in special.__all__ if isinstance(getattr(special, name), Ufunc)]


def test_parameters_have_the_names_of_the_function():
    assert split_sections(special.erf.__doc__)["Parameters"].startswith(
        "z : array_like\n    Upper limit of the integral, real or complex."
    )


@pytest.mark.parametrize("name", UFUNCS)
def test_complex_arguments_and_several_outputs_are_those_of_scipy(name):
    theirs, parts = getattr(scipy.special, name), split_sections(getattr(special, name).__doc__)
    entries = re.findall(r"^(.+) : .*\n    (.*)", parts["Parameters"], re.MULTILINE)
    described = [text for names, text in entries for _ in names.split(", ")][: theirs.nin]
    kinds = [
        "".join(of_loops)
        for of_loops in zip(*(loop.partition("->")[0] for loop in theirs.types), strict=True)
    ]
    assert ["complex" in text for text in described] == ["D" in of_loops for of_loops in kinds]
    assert parts["Returns"].startswith("tuple of" if theirs.nout > 1 else "scalar or")


@pytest.mark.parametrize("name", UFUNCS)
def test_the_notes_name_the_arguments_that_have_derivatives(name):
    function = getattr(special, name)
    partials = getattr(function, "closed", None)
    if not partials:  # stated in another way, for all arguments
        return
    several = isinstance(partials[0], tuple)
    rules = zip(*(partials if several else [partials]), strict=True)
    varying = [None not in of_outputs for of_outputs in rules]
    names = list(inspect.signature(function).parameters)
    if not all(varying):
        stated = " and ".join(n for n, v in zip(names, varying, strict=False) if v)
        notes = " ".join(split_sections(function.__doc__)["Notes"].split())
        expected = f"Differentiable in {stated};" if stated else "It has no derivative rule."
        assert expected in notes
    else:
        assert "Differentiable in" not in function.__doc__


def test_the_results_of_functions_with_arguments_without_a_rule_are_those_of_all():
    for name in UFUNCS:
        (first, second, *_) = split_sections(getattr(special, name).__doc__)["Returns"].splitlines()
        assert second.startswith("    Values element by element, "), (name, first)
