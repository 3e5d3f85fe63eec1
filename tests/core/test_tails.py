"""Derivatives in the tails, at 0 and far out lose no more digits than docs/tail_accuracy.md says;
complex ones against mpmath.
"""

import runpy
from pathlib import Path

import mpmath
import numpy as onp
import pytest

from scigrad import grad, hessian, jvp
from scigrad import numpy as np

GENERATOR = runpy.run_path(
    str(Path(__file__).parents[2] / "docs" / "generate" / "tail_accuracy.py")
)
ROWS = [
    [c.strip() for c in row.split("|")[1:-1]]
    for row in GENERATOR["PAGE"].read_text().splitlines()
    if row[:3] == "| `"
]
RECORDED = {(row[0].strip("`"), int(row[1])): row[2:] for row in ROWS}


def test_the_page_has_a_row_for_each_argument_and_a_reason_for_large_errors():
    assert list(RECORDED) == [
        (f"{room}.{record.function}", i) for room, record, i in GENERATOR["cases"]()
    ]
    for name, (first, second, reason) in RECORDED.items():
        assert reason or max(float(first), float(second)) <= GENERATOR["LARGE"], name


@pytest.mark.parametrize(
    ("room", "record", "i"), GENERATOR["cases"](), ids=lambda v: getattr(v, "function", str(v))
)
def test_errors_are_at_most_those_of_the_page(room, record, i):
    first, second, _ = RECORDED[f"{room}.{record.function}", i]
    found = GENERATOR["measured"](room, record, i)
    assert found[0] <= float(first), found
    assert found[1] <= float(second), found


COMPLEX = [
    (np.tanh, lambda z: mpmath.sech(z) ** 2),
    (np.tan, lambda z: mpmath.sec(z) ** 2),
    (np.arcsin, lambda z: 1 / (mpmath.sqrt(1 - z) * mpmath.sqrt(1 + z))),
    (np.arccos, lambda z: -1 / (mpmath.sqrt(1 - z) * mpmath.sqrt(1 + z))),
    (np.arctan, lambda z: 1 / (1 + z * z)),
    (np.arcsinh, lambda z: 1 / (mpmath.sqrt(1 - 1j * z) * mpmath.sqrt(1 + 1j * z))),
    (np.arctanh, lambda z: 1 / (1 - z * z)),
    (np.arccosh, lambda z: 1 / (mpmath.sqrt(z - 1) * mpmath.sqrt(z + 1))),
]
POINTS = [
    1e-30 + 2e-30j,
    1e-8j,
    1e-3 - 1e-3j,
    0.5 + 0.3j,
    2 - 1.5j,
    -4 + 3j,
    20 + 0.4j,
    0.4 - 20j,
    -40 + 1j,
    200 + 3j,
    2 + 200j,
]


@pytest.mark.parametrize(("f", "slope"), COMPLEX, ids=[row[0].__name__ for row in COMPLEX])
def test_complex_derivatives_near_0_and_far_out(f, slope):
    z = onp.array(POINTS)
    first = lambda z: jvp(f, (z,), (onp.ones_like(z),))[1]  # noqa: E731
    second = jvp(first, (z,), (onp.ones_like(z),))[1]
    with mpmath.workdps(300):
        at = [mpmath.mpc(v) for v in POINTS]
        onp.testing.assert_allclose(first(z), [complex(slope(v)) for v in at], rtol=1e-13)
        onp.testing.assert_allclose(
            second, [complex(mpmath.diff(slope, v)) for v in at], rtol=1e-13
        )


@pytest.mark.parametrize("x", [3.0, 5.0, 9.0, -20.0, 40.0])
def test_tanh_in_single_precision(x):
    truth = float(1 / mpmath.cosh(x) ** 2)
    assert grad(np.tanh)(onp.float32(x)) == pytest.approx(truth, rel=2e-5)
    assert grad(lambda x: np.sum(np.tanh(x)))(onp.float32([x, 0.1]))[0] == pytest.approx(
        truth, rel=2e-5
    )


def test_third_derivatives_of_what_is_stated_with_a_known_value():
    """The value depends on the variable, which a derivative of the stated derivative has to
    follow.
    """
    third = lambda f: grad(grad(grad(f)))  # noqa: E731
    for x in (0.3, 5.0, -30.0):
        with mpmath.workdps(60):
            assert third(np.tanh)(x) == pytest.approx(
                float(mpmath.diff(mpmath.tanh, x, 3)), rel=1e-12
            )
    for f, truth in ((np.hypot, mpmath.hypot), (np.arctan2, mpmath.atan2)):
        for i in (0, 1):
            found = grad(
                lambda x, y, f=f: hessian(lambda v: f(v[0], v[1]))(np.stack([x, y]))[0, 1], i
            )(0.7, -1.3)
            with mpmath.workdps(40):
                expected = mpmath.diff(truth, (0.7, -1.3), (2 - i, 1 + i))
            assert found == pytest.approx(float(expected), rel=1e-12)
