"""How many of our functions a small gradient calls, in how many files, and how many of these only
ask what a value is.
"""

import gc
import sys
from collections import Counter

import numpy as np
import pytest

from scigrad import fft, grad, linalg, signal, special
from scigrad.sparse import csgraph

QUESTIONS = {
    "_library_of_type", "check_type", "dtype", "holds_traced", "is_array", "is_container",
    "is_inexact", "is_labelled", "is_number", "library", "namespace", "namespace_of", "ndim",
    "plan", "raw", "scalar", "shape",
}  # fmt: skip
POINT, SIDE = np.array([0.4, 1.2, 2.1]), np.array([1.0, -0.5, 2.0])
MATRIX = np.array([[4.0, 0.5, 1.0], [0.5, 3.0, 0.2], [1.0, 0.2, 2.0]])
SIGNAL, TAPS = np.linspace(-1.0, 1.0, 20) ** 2, np.array([1.0, 0.5])
TAPS_BEHIND = np.array([1.0, -0.3, 0.1])
pytestmark = pytest.mark.fills_arrays  # outside of check_writes, which looks at all that is kept
PROGRAMS = {  # name: (function, point, most calls, most files)
    "sin": (lambda x: np.sum(np.sin(x)), POINT, 54, 10),
    "j0": (lambda x: np.sum(special.j0(x)), POINT, 63, 12),
    "jv": (lambda x: np.sum(special.jv(1.5, x)), POINT, 73, 13),
    "fft": (lambda x: np.sum(np.abs(fft.fft(x)) ** 2), POINT, 128, 20),
    "solve": (lambda a: np.sum(linalg.solve(a, SIDE)), MATRIX, 92, 14),
    "expm": (lambda a: np.sum(linalg.expm(a)), MATRIX, 126, 16),
    "eigh": (lambda a: np.sum(linalg.eigh(a)[0]), MATRIX, 188, 15),
    "svd": (lambda a: np.sum(linalg.svd(a)[1]), MATRIX, 181, 17),
    "lfilter": (lambda a: np.sum(signal.lfilter(TAPS, a, SIGNAL)), TAPS_BEHIND, 112, 16),
    "lfilter, list": (lambda a: np.sum(signal.lfilter([1, 0.5], a, SIGNAL)), TAPS_BEHIND, 112, 17),
    # The polynomials pass `normalize`, in the file of conversions, behind the changes of band.
    "butter": (lambda w: np.sum(signal.butter(4, w)[0]), 0.3, 1710, 36),
    "shortest_path": (lambda a: np.sum(csgraph.shortest_path(a)), MATRIX, 475, 30),
}


def counted(name):
    """Return the calls of our functions in a gradient, by function, and the files that these are
    in.
    """
    function, point, _, _ = PROGRAMS[name]
    gradient, calls, files = grad(function), Counter(), set()
    gradient(point)  # what is imported or kept for the types of a first call is not counted
    gc.collect()  # errors of other tests hold recordings whose arrays are protected

    def count(frame, event, _):
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("scigrad."):
            calls[frame.f_code.co_name] += 1
            files.add(module)

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        gradient(point)
    finally:
        sys.setprofile(before)
    return calls, files


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_call_in_ten_asks_what_a_value_is(name):
    calls, _ = counted(name)
    assert sum(calls[question] for question in QUESTIONS) <= 0.1 * calls.total()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_gradient_calls_few_functions_in_few_files(name):
    calls, files = counted(name)
    assert calls.total() <= PROGRAMS[name][2]
    assert len(files) <= PROGRAMS[name][3]
