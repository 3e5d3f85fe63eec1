"""Elements of a batch that failed, and samples that overflow: no derivative passes through them
where the program leaves them out.
"""

import numpy as np
import pytest

from scigrad import grad, jvp, linalg, signal
from scigrad import numpy as sp
from scigrad.testing import assert_close

# what a failed element computes is neither finite nor silent
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

MATRICES = np.array([[[4.0, 1.0], [1.0, 3.0]], [[1.0, 1.0], [1.0, 1.0]], [[2.0, 0.5], [0.5, 1.0]]])
FAILING = {
    "solve": lambda a: linalg.solve(a, np.ones((3, 2, 1)), on_fail="nan"),
    "inv": lambda a: linalg.inv(a, on_fail="nan"),
    "cholesky": lambda a: linalg.cholesky(a - np.eye(2) * 1e-3, on_fail="nan"),
    "logm": lambda a: np.log(linalg.det(a)),
}


@pytest.mark.parametrize("name", FAILING)
@pytest.mark.parametrize(
    "select", [lambda y: np.where(np.isfinite(y), y, 0.0), lambda y: y[[0, 2]]]
)
def test_elements_marked_by_on_fail(name, select):
    f = FAILING[name]
    found = grad(lambda a: np.sum(np.sin(select(f(a)))))(MATRICES)
    others = MATRICES.copy()
    others[1] = np.eye(2)
    expected = grad(lambda a: np.sum(np.sin(f(a)[[0, 2]])))(others)
    assert not expected[1].any()
    assert_close(found, expected)


def test_a_batch_that_meets_the_elements_of_another():
    a, b, keep = (
        np.stack([np.eye(2), 2 * np.eye(2)])[:, None],
        np.ones((2, 2, 1)),
        np.array([False, True])[:, None, None],
    )

    def f(z):
        right = np.where(keep, z, np.nan)
        return linalg.solve(a, right, check_finite=False)

    found = jvp(f, (b,), (b,))[1]
    assert_close(
        found,
        np.broadcast_to(np.where(keep, 1.0, 0.0), (2, 2, 2, 1))
        / np.array([1.0, 2.0])[:, None, None, None],
    )


@pytest.mark.parametrize("state", [None, np.array([0.5])])
def test_samples_that_nobody_reads(state):
    x = np.sin(np.arange(3000.0))

    def f(a, b, x):
        y = signal.lfilter(b, sp.stack([1.0, a]), x, zi=state)
        return np.sum((y if state is None else y[0])[:4] ** 2)

    b = np.array([1.0, 0.5])
    found = grad(f, (0, 1, 2))(-3.0, b, x)
    expected = grad(f, (0, 1, 2))(-3.0, b, x[:4])
    assert_close(found, (expected[0], expected[1], np.concatenate([expected[2], np.zeros(2996)])))
    assert not np.isfinite(signal.lfilter(b, [1.0, -3.0], x)).all()
