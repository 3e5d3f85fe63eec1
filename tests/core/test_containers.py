"""Classes as containers: registered ones, dataclasses with constants, objects of SciPy's that hold
arrays as attributes.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
import scipy.signal

import scigrad
from scigrad import (
    checkpoint,
    custom_rule,
    differentiable,
    grad,
    jvp,
    register_container,
    vjp,
    vmap,
)
from scigrad.testing import assert_close, gradcheck

X = np.array([0.4, 0.9, 1.6])


class Line:
    def __init__(self, slope, offset, name):
        self.slope, self.offset, self.name = slope, offset, name
        self.table = np.arange(3)

    def __call__(self, x):
        return self.slope * x + self.offset["y"]


register_container(Line, varying=("slope", "offset"))


@dataclasses.dataclass
class Model:
    weights: np.ndarray
    name: str
    function: Callable[[Any], Any]
    power: int = 2
    kind: Literal["a", "b"] = "a"
    scale: float = dataclasses.field(default=3.0, metadata={"static": True})
    norm: Any = dataclasses.field(init=False)

    def __post_init__(self):
        self.norm = np.sum(self.weights**2)

    def __call__(self, x):
        return np.sum(self.function(self.weights * x) ** self.power) + self.norm


def test_a_registered_class():
    line = Line(X, {"y": 2.0}, "first")
    found = grad(lambda line: np.sum(line(X) ** 2))(line)
    assert (type(found), found.name) == (Line, "first")
    assert found.table is line.table
    values = 2 * (X * X + 2)
    assert_close((found.slope, found.offset["y"]), (values * X, np.sum(values)))
    out, pullback = vjp(lambda x: Line(x, {"y": x[0]}, "made"), X)
    assert_close(pullback(Line(np.ones(3), {"y": 1.0}, "made"))[0], np.array([2.0, 1.0, 1.0]))
    assert out.name == "made"
    with pytest.raises(ValueError, match="structure"):
        pullback(Line(np.ones(3), {"y": 1.0}, "another"))
    assert_close(jvp(lambda line: line(X), (line,), (Line(X, {"y": 0.0}, "first"),))[1], X * X)
    batch = Line(np.stack([X, 2 * X]), {"y": np.array([1.0, 2.0])}, "batch")
    assert_close(vmap(lambda line: line(X))(batch), np.stack([X * X + 1, 2 * X * X + 2]))
    gradcheck(lambda x: checkpoint(lambda line: line(X))(Line(x, {"y": x[1]}, "first")), X)
    with pytest.raises(ValueError, match="already"):
        register_container(Line, varying=("slope",))


def test_a_registered_class_in_a_call_of_a_primitive():
    @differentiable("line")
    def shifted(line):
        return line.slope + line.offset["y"]

    shifted.jvp(lambda call, t: t.line.slope + t.line.offset["y"])
    gradcheck(lambda x: shifted(Line(x, {"y": x[0]}, "first")), X)
    by_pushing = custom_rule(lambda line: line.slope * 2, jvp=lambda args, out, t: t[0].slope * 2)
    assert_close(
        grad(lambda x: np.sum(by_pushing(Line(x, {"y": 1.0}, "first"))))(X), np.full(3, 2.0)
    )


def test_a_constant_attribute_that_varies_is_refused():
    def loss(x):
        return np.sum(checkpoint(lambda line: line.slope)(Line(X, {"y": 1.0}, x)))

    with pytest.raises(scigrad.TracedValueError, match=r"'name' of a Line.*varying="):
        grad(loss)(X)
    with pytest.raises(scigrad.TracedValueError, match=r"'power' of a Model"):
        grad(lambda model: model(X))(Model(X, "m", np.sin, power=2.5))


def test_a_dataclass_with_constants_and_fields_that_are_computed():
    model = Model(X, "first", np.sin)
    found = grad(lambda model: model(X))(model)
    assert (found.name, found.function, found.power, found.kind, found.scale) == (
        "first",
        np.sin,
        2,
        "a",
        3.0,
    )
    assert_close(found.weights, 2 * np.sin(X * X) * np.cos(X * X) * X + 2 * X)
    gradcheck(
        lambda weights: checkpoint(lambda model: model(X))(Model(weights, "second", np.exp)), X
    )
    batch = vmap(lambda weights: Model(weights, "third", np.sin))(np.stack([X, X]))
    assert batch.weights.shape == (2, 3)
    assert_close(vmap(lambda model: np.sum(model.weights))(batch), np.full(2, np.sum(X)))


def test_a_system_of_scipys():
    kind = type(scipy.signal.TransferFunction([1.0], [1.0, 2.0]))
    register_container(kind, varying=("_num", "_den"))

    def response(system):
        return np.abs(np.polyval(system.num, 2j) / np.polyval(system.den, 2j)) ** 2

    system = scipy.signal.TransferFunction(np.array([1.0, 0.5]), np.array([1.0, 0.7, 2.0]))
    found = grad(response)(system)
    expected = grad(
        lambda num, den: np.abs(np.polyval(num, 2j) / np.polyval(den, 2j)) ** 2, (0, 1)
    )(system.num, system.den)
    assert type(found) is kind
    assert_close((found.num, found.den), expected)
