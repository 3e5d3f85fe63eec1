"""Errors name what the program called in another library, in its own line."""

import decimal
import functools
import json
import traceback

import numpy as np
import pytest

import scigrad
from scigrad import TracedValueError, grad, hessian, jacobian, jvp, value_and_grad, vmap

X = np.array([1.0, 2.0, 3.0])


def plot(v):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    return pyplot.plot(v)


def scatter(v):
    return pytest.importorskip("matplotlib.figure").Figure().subplots().scatter(X, v)


def series(v):
    return pytest.importorskip("pandas").Series(v)


def frame(v):
    return pytest.importorskip("pandas").DataFrame({"a": v})


def values(v):
    xarray = pytest.importorskip("xarray")
    return (xarray.DataArray(X, dims="t") * v).values


def product(v):
    return pytest.importorskip("pandas").Series(X) * v


def quantity(v):
    units = pytest.importorskip("astropy.units")
    return units.Quantity(v, units.m)


REFUSED = {
    plot: r"^matplotlib's plot cannot take a traced value.*stop_gradient.*adopt\(\"matplotlib\"\)",
    scatter: r"^matplotlib's Axes\.scatter cannot take",
    series: r"^pandas's Series cannot take",
    frame: r"^pandas's DataFrame cannot take",
    values: r"^xarray's DataArray\.values cannot take",
    product: r"^pandas's Series cannot be combined .* series\.to_numpy",
    quantity: r"^astropy's Quantity cannot take",
    (lambda v: json.dumps({"a": v})): r"^json's dumps cannot take.*custom_rule\. It failed with",
    (lambda v: {v[0]: 1.0}): r"^a traced value has no hash.*lru_cache",
    (lambda v: functools.lru_cache(abs)(v[0])): r"^a traced value has no hash",
    (lambda v: decimal.Decimal(v[0])): r"Traced to Decimal",
    (lambda v: np.save("nowhere.npy", v)): r"numpy\.save .* Pass scigrad\.stop_gradient\(x\)",
    (lambda v: np.savez("nowhere.npz", v)): r"Pass scigrad\.stop_gradient\(x\)",
    (lambda v: np.testing.assert_allclose(v, v)): r"Pass scigrad\.stop_gradient\(x\)",
}  # fmt: skip


@pytest.mark.parametrize("f", REFUSED)
def test_a_refusal_names_what_was_called(f):
    with pytest.raises((TracedValueError, scigrad.MissingRule), match=REFUSED[f]) as refused:
        grad(lambda v: (f(v), np.sum(v))[1])(X)
    line = traceback.extract_tb(refused.value.__traceback__)[-1]
    assert line.filename == __file__  # and not in a library
    shown = [step for step, _ in traceback.walk_tb(refused.value.__traceback__)]
    ours = [step for step in shown if step.f_globals["__name__"].startswith("scigrad.")]
    assert ours
    assert all(step.f_locals.get("__tracebackhide__") for step in ours)


def test_the_frames_of_an_error_that_is_not_ours_stay():
    with pytest.raises(ValueError, match="mismatch") as refused:
        grad(lambda v: np.sum(v @ np.ones((4, 4))))(X)
    assert "scigrad" in traceback.extract_tb(refused.value.__traceback__)[-1].filename


@pytest.mark.parametrize("transform", [jvp, grad, vmap])
def test_one_word_stands_for_traced_values(transform):
    shown = []

    def f(v):
        shown.append((repr(v), f"{v}", type(v).__name__))
        return np.sum(v)

    if transform is jvp:
        jvp(f, (X,), (X,))
    else:
        transform(f)(X if transform is grad else np.stack([X, X]))
    text = "Traced(array([1., 2., 3.]))"
    assert shown[0][2] == "Traced"
    assert shown[0][:2] == (text, text) or transform is vmap
    grad(lambda v: grad(lambda w: shown.append(repr(w)) or np.sum(w))(v)[0])(X)
    assert shown[-1] == text


@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian, hessian])
def test_a_point_in_the_place_of_a_function_or_of_its_argument_numbers(transform):
    with pytest.raises(TypeError, match=r"has to be a function, not a float: grad\(f\)\(x\)"):
        transform(3.0)
    for point in (X, 1.0, [1.0, 2.0], np.array([1])):
        with pytest.raises(TypeError, match=r"At a point x the gradient is grad\(f\)\(x\)"):
            transform(np.sum, point)
    for numbers in (0, (0,), [0], np.int64(0), range(1)):
        assert transform(np.prod, numbers)(X) is not None
