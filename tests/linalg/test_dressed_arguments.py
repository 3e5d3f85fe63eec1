"""numpy.matrix and masked arrays are taken for their data; where an element is masked they are
refused by the names of function and argument, or SciPy's function, called on plain arguments,
has its way with it. Labels and lists: tests/laws/test_wrapped_arguments.py.
"""

import functools
import importlib
import re
import types
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg

from scigrad import linalg
from scigrad.autodiff_rules.containers import flatten
from scigrad.testing import load_specs
from scigrad.testing.hard_arguments import value_or_error

SPECS = {
    spec.name: spec
    for spec in load_specs(Path(__file__).parent.parent / "specs" / "linalg")
    if getattr(linalg, spec.function.__name__, None) is spec.function
}
REFUSED = re.compile(r"^\w+: argument '\w+' is a masked array with masked elements")


def with_a_mask(x):
    return np.ma.MaskedArray(x, np.arange(x.size).reshape(x.shape) == 0)


KINDS = {
    "matrix": lambda x: np.matrix(x) if x.ndim == 2 else None,
    "masked": np.ma.MaskedArray,
    "with a mask": with_a_mask,
}


def same(found, expected):
    """Whether results are equal; of errors, whether both are of one type."""
    if isinstance(found, Exception) or isinstance(expected, Exception):
        return type(found) is type(expected)
    pairs = zip(flatten(found)[0], flatten(expected)[0], strict=True)
    return all(np.allclose(np.asarray(x), np.asarray(y), 1e-9, 1e-12, True) for x, y in pairs)


def theirs(name):
    homes: list[types.ModuleType] = [scipy.linalg, importlib.import_module("numpy.linalg")]
    return next((getattr(home, name) for home in homes if hasattr(home, name)), None)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SPECS)
def test_values(name, kind):
    ours = SPECS[name].function
    for case in SPECS[name].cases(np.float64)[:2]:
        leaves, tree = flatten(case.args)
        for i, x in enumerate(leaves):
            given = KINDS[kind](x) if isinstance(x, np.ndarray) and x.ndim and x.size else None
            if given is None:
                continue
            args = tree.unflatten([*leaves[:i], given, *leaves[i + 1 :]])
            found = value_or_error(functools.partial(ours, **case.kwargs), *args)
            plain = ours(*case.args, **case.kwargs)
            if kind == "with a mask" and REFUSED.match(str(found)):
                continue
            if kind == "with a mask" or not same(found, plain):
                other = theirs(ours.__name__)
                assert other is not None, (case.name, i, found)
                expected = value_or_error(functools.partial(other, **case.kwargs), *args)
                assert same(found, expected), (case.name, i, found)
