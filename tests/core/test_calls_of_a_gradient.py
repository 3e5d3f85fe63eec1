"""How many of our functions a small gradient calls, and how many of these only ask what a value is."""

import sys
from collections import Counter

import numpy as np
import pytest

from scigrad import fft, grad, special

QUESTIONS = {
    "_library_of_type", "check_type", "dtype", "holds_traced", "is_array", "is_container", "is_inexact", "is_labelled",
    "is_number", "library", "namespace", "namespace_of", "ndim", "plan", "raw", "scalar", "shape",
}  # fmt: skip
POINT = np.array([0.4, 1.2, 2.1])
pytestmark = pytest.mark.fills_arrays  # outside of check_writes, which looks at all that is kept
PROGRAMS = {  # name: (function, most calls)
    "sin": (lambda x: np.sum(np.sin(x)), 64),
    "j0": (lambda x: np.sum(special.j0(x)), 73),
    "fft": (lambda x: np.sum(np.abs(fft.fft(x)) ** 2), 144),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_call_in_ten_asks_what_a_value_is(name):
    function, most = PROGRAMS[name]
    gradient, calls = grad(function), Counter()
    gradient(POINT)  # what is imported or kept for the types of a first call is not counted

    def count(frame, event, _):
        if event == "call" and frame.f_globals.get("__name__", "").startswith("scigrad."):
            calls[frame.f_code.co_name] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        gradient(POINT)
    finally:
        sys.setprofile(before)
    assert sum(calls[question] for question in QUESTIONS) <= 0.1 * calls.total()
    assert calls.total() <= most
