"""The names of every public module: what completion offers, what editors read, and what an absent
name is answered with.
"""

import ast
import importlib
import inspect
import pydoc
from pathlib import Path

import numpy as np
import pytest
import scipy.interpolate

import scigrad
from scigrad.testing import assert_close

ROOMS = ("linalg", "fft", "special", "sparse", "signal", "sparse.linalg", "signal.windows")
MODULES = (
    "scigrad",
    *(f"scigrad.{room}" for room in (*ROOMS, "numpy", "optimize", "testing", "linalg.manifolds")),
)
SUBMODULES = {"scigrad": ["cmath", "fft", "linalg", "math", "numpy", "optimize", "signal", "sparse",
                          "special", "testing"],
              "scigrad.sparse": ["csgraph", "linalg"], "scigrad.linalg": ["manifolds"],
              "scigrad.signal": ["stream", "windows"]}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_completion_offers_the_public_names_and_no_others(name):
    module = importlib.import_module(name)
    shown = dir(module)
    assert len(set(shown)) == len(shown)
    assert set(shown) >= set(module.__all__)
    assert set(shown) >= set(SUBMODULES.get(name, ()))
    if name != "scigrad.numpy":  # numpy shows NumPy's modules, as NumPy does
        modules = [n for n in shown if inspect.ismodule(getattr(module, n))]
        assert sorted(modules) == SUBMODULES.get(name, [])
    assert [n for n in shown if n.startswith("_") and not n.endswith("__")] == []


def test_completion_offers_what_is_passed_on_and_the_exceptions():
    assert {"hilbert", "dft", "LinAlgWarning", "solve"} <= set(dir(scigrad.linalg))
    assert {"set_workers", "fft"} <= set(dir(scigrad.fft))
    assert scigrad.fft.set_workers is importlib.import_module("scipy.fft").set_workers
    assert {"GaugeError", "grad", "linalg"} <= set(dir(scigrad))


def test_help_begins_with_the_functions():
    text = pydoc.plain(pydoc.render_doc(scigrad))
    assert text.index("grad, value_and_grad") < text.index("FUNCTIONS") < text.index("checkpoint(")
    assert "CLASSES" not in text
    contents = inspect.getdoc(scigrad)
    assert [name for name in dir(scigrad) if name not in contents and name != "__version__"] == []


def test_editors_read_the_names_that_are_imported_late():
    source = Path(scigrad.__file__)
    assert (source.parent / "py.typed").exists()
    guarded = next(node for node in ast.parse(source.read_text()).body if isinstance(node, ast.If))
    assert ast.unparse(guarded.test) == "TYPE_CHECKING"
    names = [
        alias.name
        for node in ast.walk(guarded)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    assert sorted(names) == [name for name in dir(scigrad) if name != "__version__"]


# -- absent names


@pytest.mark.parametrize("room", ROOMS)
def test_a_name_of_scipy_s_that_a_room_has_not_yet(room):
    ours, theirs = (
        importlib.import_module(f"scigrad.{room}"),
        importlib.import_module(f"scipy.{room}"),
    )
    for name in theirs.__all__:
        # ours, or SciPy's own passed on
        if not callable(getattr(theirs, name)) or hasattr(ours, name):
            continue
        with pytest.raises(
            AttributeError,
            match=rf"no attribute '{name}' yet: scipy\.{room}\.{name} takes plain values",
        ):
            getattr(ours, name)
    close = ours.__all__[0]
    with pytest.raises(AttributeError, match=rf"no attribute '{close}x'\. Did you mean '{close}'"):
        getattr(ours, close + "x")
    with pytest.raises(AttributeError, match=r"no attribute 'completely_other'$"):
        ours.completely_other  # noqa: B018
    assert not hasattr(ours, "__wrapped__")


IMPORTED = {
    "from scigrad.linalg import blas": "'blas' yet: scipy.linalg.blas takes plain values",
    "from scigrad.linalg import solv": "Did you mean 'solve'",
    "from scigrad.fft import fftfreqs": "Did you mean 'fftfreq'",
    "from scigrad.numpy import medain": "Did you mean 'median'",
    "from scigrad import integrate": "scigrad.numpy.trapezoid",
    "from scigrad import lax": "scan, fori_loop, while_loop, cond and switch are names of scigrad",
    "from scigrad import gradd": "Did you mean 'grad'",
}


@pytest.mark.parametrize("statement", IMPORTED)
def test_a_name_that_is_imported_is_answered_with_the_same_text(statement):
    with pytest.raises(ImportError, match=IMPORTED[statement]) as caught:
        exec(statement)
    assert type(caught.value) is ImportError
    with pytest.raises(AttributeError, match=IMPORTED[statement]):
        getattr(importlib.import_module(statement.split()[1]), statement.split()[-1])


def test_a_function_that_its_file_does_not_list_is_named_with_the_file():
    home = "scigrad.linalg.foundation.matrices"
    with pytest.raises(AttributeError, match=f"'fold_triangles': {home} defines it, and does not"):
        scigrad.linalg.fold_triangles  # noqa: B018


def test_modules_that_are_not_public_can_still_be_imported():
    exec(
        "from scigrad import autodiff_rules\n"
        "from scigrad.fft import dask_arrays\n"
        "from scigrad.signal import windows"
    )


@pytest.mark.parametrize(
    "name",
    ["cluster", "constants", "integrate", "interpolate", "ndimage", "spatial", "stats"],
)
def test_a_part_of_scipy_s_without_a_room_is_answered_with_what_there_is_instead(name):
    with pytest.raises(AttributeError, match=rf"^module 'scigrad' has no attribute '{name}': \w"):
        getattr(scigrad, name)


def test_the_matrix_of_a_spline_does_what_is_advised():
    x, points, y = (
        np.linspace(0, 1, 6),
        np.array([0.1, 0.55]),
        np.array([1.0, 3.0, 2.0, 5.0, 4.0, 0.0]),
    )
    matrix = scipy.interpolate.make_interp_spline(x, np.eye(6))(points)
    np.testing.assert_allclose(
        matrix @ y, scipy.interpolate.make_interp_spline(x, y)(points), atol=1e-12
    )


def test_numpys_own_modules_can_be_imported_from_ours():
    from scigrad.numpy.fft import rfft
    from scigrad.numpy.linalg import norm, solve
    from scigrad.numpy.random import default_rng

    x = default_rng(0).normal(size=3)
    assert_close(scigrad.grad(lambda v: norm(solve(2 * np.eye(3), v)) ** 2)(x), x / 2)
    assert_close(scigrad.grad(lambda v: np.sum(rfft(v).real))(x), np.array([2.0, 0.5, 0.5]))
