"""Second derivatives where a modulus that is 0 ties with another 0: right, or a warning."""

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

from scigrad import grad, hessian, jacfwd, jacrev, linalg, vmap


def row(*values: Any) -> Any:
    return np.stack([v + 0 * values[0] for v in values])


# Functions of r, and their second derivative at 0.
DECIDED: dict[str, tuple[Any, float]] = {
    "maximum": (lambda r: np.maximum(r, 0.0) ** 2, 2),
    "maximum, the other way": (lambda r: np.maximum(0.0, r) ** 2, 2),
    "maximum of equals": (lambda r: np.maximum(r, r) ** 2, 2),
    "maximum of two signs": (lambda r: np.maximum(r, -r) ** 2, 2),
    "minimum": (lambda r: np.minimum(r, 0.0) ** 2, 0),
    "minimum in proportion": (lambda r: np.cos(np.minimum(3 * r, 2 * r)), -4),
    "minimum of two orders": (lambda r: np.minimum(r * r, r), 2),
    "fmax": (lambda r: np.fmax(r, 0.0) * r, 2),
    "fmin": (lambda r: np.cos(np.fmin(r, 0.0) - r), -1),
    "clip": (lambda r: np.clip(r, 0.0, 9.0) ** 2, 2),
    "clip from above": (lambda r: np.cos(np.clip(-r, -9.0, 0.0)), -1),
    "max": (lambda r: np.max(row(r, 0.0, 2 * r, -1.0)) ** 2, 8),
    "max with an initial value": (lambda r: np.max(row(r, -r), initial=0.0) ** 2, 2),
    "min": (lambda r: np.min(row(2 * r, r, 1.0)) ** 2, 2),
    "nanmax": (lambda r: np.nanmax(row(r, 0.0, np.nan)) ** 2, 2),
    "ptp": (lambda r: np.ptp(row(r, -r, 0.0)) ** 2, 8),
    "sort": (lambda r: np.sort(row(r, 2 * r, -r, 0.0)) @ np.array([1.0, 0, 0, 2]) * r, 6),
    "sum of a sort": (lambda r: np.sum(np.sort(row(r * r, 0.0))), 2),
    "partition": (lambda r: np.partition(row(2 * r, r, -r), 1)[1] ** 2, 2),
    "median": (lambda r: np.median(row(2 * r, r, -r, 0.0)) ** 2, 0.5),
    "quantile": (lambda r: np.quantile(row(2 * r, -r, r), 0.75) ** 2, 4.5),
    "maximum.accumulate": (lambda r: np.maximum.accumulate(row(0.0, r, 0.0))[2] ** 2, 2),
    "largest norm": (lambda r: linalg.norm(row(r, 2 * r), np.inf) ** 2, 8),
    "norm of order 3": (lambda r: linalg.norm(row(r, 2 * r), 3) ** 2, 2 * 9 ** (2 / 3)),
    "abs of a difference": (lambda r: np.abs(r * r - r) - r, -2),
    "abs of a sum": (lambda r: np.abs(-2 * r - r * r) - 2 * r, 2),
    "copysign": (lambda r: np.copysign(r, -1.0) ** 2, 2),
}  # fmt: skip

MODULI: dict[str, Any] = {
    "norm": linalg.norm,
    "hypot": lambda x: np.hypot(x[0], x[1]),
    "abs of complex numbers": lambda x: np.abs(x[0] + 1j * x[1]),
    "std": lambda x: np.sqrt(2.0) * np.std(row(x[0], -x[0], x[1], -x[1])),
}

MODES = [
    *(lambda f, o=o, i=i: o(i(f)) for o, i in itertools.product((jacfwd, jacrev), repeat=2)),
    lambda f: jacfwd(grad(f)),
    lambda f: lambda x: vmap(hessian(f))(np.stack([x, x + 1]))[0],
]  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("modulus", MODULI)
@pytest.mark.parametrize("name", DECIDED)
def test_a_tie_that_the_slopes_decide(name: str, modulus: str, dtype: Any) -> None:
    (f, truth), x = DECIDED[name], np.zeros(2, dtype)
    for mode in MODES if modulus == "norm" and dtype is np.float64 else MODES[-1:]:
        found = mode(lambda x: f(MODULI[modulus](x)))(x)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, truth * np.eye(2), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", DECIDED)
def test_third_derivatives_at_a_tie_are_those_of_an_even_function(name: str) -> None:
    for mode in (lambda f: jacfwd(hessian(f)), lambda f: jacrev(jacrev(jacfwd(f)))):
        third = mode(lambda x: DECIDED[name][0](linalg.norm(x)))(np.zeros(2))
        np.testing.assert_allclose(third, np.zeros((2, 2, 2)), atol=1e-12)


OPEN: dict[str, Any] = {
    "maximum of two moduli": lambda x: np.maximum(np.abs(x[0]), np.abs(x[1])) ** 2,
    "max of two moduli": lambda x: np.max(np.abs(x)) ** 2,
    "sort of two moduli": lambda x: np.sort(np.abs(x))[0] ** 2,
    "maximum of a square": lambda x: np.maximum(linalg.norm(x) ** 2, 0.0),
    "opposite squares": lambda x: sum(np.maximum(s * linalg.norm(x) ** 2, 0.0) for s in (1, -1)),
    "maximum with a slope": lambda x: np.maximum(np.abs(x[0]), 2 * x[0]) ** 2,
    "maximum of a sum with a slope": lambda x: np.maximum(np.abs(x[0]) + x[0], 0.0) ** 2,
    "abs with a slope": lambda x: np.abs(np.abs(x[0]) - 2 * x[0]) ** 2,
    "max with a slope": lambda x: np.max(row(np.abs(x[0]), 2 * x[0])) ** 2,
    "sort with a slope": lambda x: np.sort(row(np.abs(x[0]), 2 * x[0]))[1] ** 2,
    "norm of order 3": lambda x: linalg.norm(x, 3) ** 2,
    "norm of order 3 of moduli": lambda x: linalg.norm(np.abs(x), 3) ** 2,
    "maximum of two moduli and 0": lambda x: np.maximum(np.abs(x[0]) - np.abs(x[1]) / 2, 0.0) ** 2,
    "second order": lambda x: np.maximum(linalg.norm(x), linalg.norm(x) + x @ x) - linalg.norm(x),
    "abs of a square": lambda x: np.abs(x[0] * x[0]),
    "abs of the square of a modulus": lambda x: np.abs(linalg.norm(x) ** 2),
    "norm of squares": lambda x: linalg.norm(x * x),
    "norm of opposite squares": lambda x: linalg.norm(np.stack([x[0] ** 2, -(x[0] ** 2)])),
    "std": np.std,
    "exp(-std)": lambda x: np.exp(-np.std(x)),
}  # fmt: skip


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.parametrize("mode", range(len(MODES)))
def test_what_nothing_decides_is_said(mode: int, name: str) -> None:
    with pytest.warns(RuntimeWarning, match="a second derivative was asked for") as found:
        MODES[mode](OPEN[name])(np.zeros(2))
    assert found[0].filename == __file__


def test_ties_that_do_not_matter_are_silent() -> None:
    """Other elements, first derivatives and comparisons are what they were."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = np.array([0.0, 0.5])
        np.testing.assert_array_equal(grad(lambda x: np.max(np.abs(x) * [1.0, 0.0]))(x), [0, 0])
        found = hessian(lambda x: np.sum(np.maximum(np.abs(x), [0.0, 0.7]) ** 2))(x)
        np.testing.assert_array_equal(found, np.diag([2.0, 0]))
        found = hessian(lambda x: np.median(np.abs(x[:, None] - x)) ** 2)(np.array([0, 0.5, 1.7]))
        np.testing.assert_array_equal(found, [[2, -2, 0], [-2, 2, 0], [0, 0, 0]])
        found = hessian(lambda x: np.where(linalg.norm(x) > 0, 1.0, np.cos(linalg.norm(x))))(0 * x)
        np.testing.assert_array_equal(found, -np.eye(2))
        found = hessian(lambda x: np.abs(3 * x[0]) + np.cos(x[1]))(0 * x)
        np.testing.assert_array_equal(found, np.diag([0, -1.0]))
