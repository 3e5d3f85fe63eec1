"""Every function takes lists, buffers, frames and arrays with labels where SciPy's does, beside
traced arguments too.
"""

import importlib
from pathlib import Path

import numpy as np
import pytest

from scigrad import vjp
from scigrad.autodiff_rules.containers import flatten, map_leaves
from scigrad.autodiff_rules.spaces import is_inexact, zeros
from scigrad.autodiff_rules.trace import take_off_labels
from scigrad.testing import assert_close, load_specs

reason = "pip install '.[test-foreign]'"
pd = pytest.importorskip("pandas", reason=reason)
xr = pytest.importorskip("xarray", reason=reason)

KINDS = {
    "list": np.ndarray.tolist,
    "memoryview": memoryview,
    "DataArray": xr.DataArray,
    "frame": lambda x: pd.Series(x) if x.ndim == 1 else pd.DataFrame(x) if x.ndim == 2 else None,
}
CASES = 2  # cases of each spec and dtype


def _room(spec):
    return importlib.import_module(f"scigrad.{spec.room}")


ALL = load_specs(Path(__file__).parent.parent / "specs")
SPECS = list(
    {spec.name: spec for spec in ALL if hasattr(_room(spec), spec.function.__name__)}.values()
)
# Each function has its place among them; the whole is in `make test-all`.
SAMPLE = 12


def _marked(i, spec):
    return pytest.param(spec, id=spec.name, marks=[pytest.mark.slow] if i % SAMPLE else [])


def _found(spec):
    """Return the public function and the one that it stands for, or None."""
    theirs = importlib.import_module("numpy" if spec.room == "numpy" else f"scipy.{spec.room}")
    return tuple(getattr(home, spec.function.__name__, None) for home in (_room(spec), theirs))


def _bare(out):
    """Return the numbers and arrays of a result, without labels."""
    if type(out).__module__.partition(".")[0] in ("pandas", "xarray"):
        return [np.asarray(out)]
    if isinstance(out, (list, tuple)):
        return [x for item in out for x in _bare(item)]
    return [
        np.asarray(x)
        for x in flatten(out)[0]
        if hasattr(x, "dtype") or isinstance(x, (int, float, complex))
    ]


def _same(found, expected):
    return len(found) == len(expected) and all(
        x.shape == y.shape and x.dtype == y.dtype and np.allclose(x, y, 1e-9, 1e-12, equal_nan=True)
        for x, y in zip(found, expected, strict=True)
    )


def _wrapped(args, i):
    """Yield the arguments with argument i as an object of each kind; an empty list or one of long
    double is another array.
    """
    x = args[i]
    if type(x) is np.ndarray and x.ndim and x.size and x.dtype.char in "dD?il":
        for name, wrap in KINDS.items():
            given = wrap(x)
            if given is not None:
                yield name, [*args[:i], given, *args[i + 1 :]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("spec", [_marked(i, spec) for i, spec in enumerate(SPECS)])
def test_values(spec):
    ours, theirs = _found(spec)
    for case in [
        case for dtype in (np.float64, np.complex128) for case in spec.cases(dtype)[:CASES]
    ]:
        for i in range(len(case.args)):
            for name, args in _wrapped(case.args, i):
                try:
                    expected = theirs and theirs(*args, **case.kwargs)
                except Exception:  # whatever it raises: it does not take the argument
                    continue
                found = _bare(ours(*args, **case.kwargs))
                assert _same(found, _bare(ours(*case.args, **case.kwargs))) or _same(
                    found, _bare(expected)
                ), (case.name, i, name)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("spec", [_marked(i, spec) for i, spec in enumerate(SPECS)])
def test_beside_traced_arguments(spec):
    ours = _found(spec)[0]
    for case in spec.cases(np.float64)[:CASES]:
        vary = [i for i, x in enumerate(case.args) if is_inexact(x)]
        for i in range(len(case.args)):
            other = next((j for j in vary if j != i), None)
            for name, args in _wrapped(case.args, i) if other is not None else ():
                try:
                    ours(*args, **case.kwargs)
                    expected = _pulled_back(ours, case.args, case.kwargs, other)
                except Exception:  # it is not taken at all, or there is no rule: other laws judge
                    continue
                assert_close(
                    _pulled_back(ours, args, case.kwargs, other),
                    expected,
                    1e-9,
                    f"{case.name}, {i}, {name}",
                )


def _pulled_back(function, args, kwargs, i):
    """Return the floating-point outputs, and the cotangent of argument i for ones."""

    def inexact(x):
        out = flatten(function(*args[:i], x, *args[i + 1 :], **kwargs))[0]
        return [y for y in map(take_off_labels, out) if is_inexact(y)]

    out, pullback = vjp(inexact, args[i])
    return out, pullback(map_leaves(lambda y: zeros(y) + 1, out))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("spec", [_marked(i, spec) for i, spec in enumerate(SPECS)])
def test_labels_around_traced_values(spec):
    ours = _found(spec)[0]
    for case in spec.cases(np.float64)[:CASES] if spec.differentiable else ():
        for i, x in enumerate(case.args):
            if type(x) is np.ndarray and x.ndim and is_inexact(x):

                def labelled(*args, i=i, **kwargs):
                    return ours(*args[:i], xr.DataArray(args[i]), *args[i + 1 :], **kwargs)

                try:
                    expected = _pulled_back(ours, case.args, case.kwargs, i)
                    labelled(*case.args, **case.kwargs)
                except Exception:  # the spec calls it in another way, or it is not taken at all
                    continue
                found = _pulled_back(labelled, case.args, case.kwargs, i)
                assert_close(found, expected, 1e-9, f"{case.name}, {i}")
