"""Warnings point at the user's line, from wherever in the library they come: Python shows one for
each line.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from scigrad import grad, hvp, vjp, vmap
from scigrad import linalg as room

linalg: Any = room
ILL, SINGULAR, ONE = np.diag([1.0, 1e-17]), np.ones((2, 2)), np.ones(2)
ROTATION = np.array([[0.0, 1.0], [-1.0, 0.0]])
SKEW_DIAGONAL = np.array([[1 + 1j, 0], [0, 1]])
Q = np.array([[0.8, 0.6], [-0.6, 0.8]])
DEFECTIVE = Q @ np.array([[1.0, 1.0], [0.0, 1 + 1e-5]]) @ Q.T


CALLS: dict[str, Callable[[], Any]] = {
    "solve": lambda: vjp(lambda a: linalg.solve(a, ONE), ILL),
    "solve, stacked": lambda: vjp(
        lambda a: linalg.solve(a, ONE[:, None]), np.tile(ILL, (300, 1, 1))
    ),
    "numpy's solve": lambda: grad(lambda a: np.sum(np.linalg.solve(a, ONE)))(ILL),
    "solve under vmap": lambda: vmap(lambda a: linalg.solve(a, ONE))(ILL[None]),
    "hvp of solve": lambda: hvp(lambda a: np.sum(linalg.solve(a, ONE)), (ILL,), (SINGULAR,)),
    "inv": lambda: vjp(linalg.inv, ILL),
    "lu_factor": lambda: linalg.lu_factor(SINGULAR),
    "lu_factor of a batch": lambda: linalg.lu_factor(np.stack([SINGULAR, ILL])),
    "lu_factor under vjp": lambda: vjp(linalg.lu_factor, SINGULAR),
    "ldl": lambda: linalg.ldl(SKEW_DIAGONAL),
    "ldl under vjp": lambda: vjp(linalg.ldl, SKEW_DIAGONAL),
    "lyapunov": lambda: linalg.solve_continuous_lyapunov(ROTATION, np.eye(2)),
    "lyapunov under vjp": lambda: vjp(
        lambda q: linalg.solve_continuous_lyapunov(ROTATION, q), np.eye(2)
    ),
    "discrete lyapunov": lambda: linalg.solve_discrete_lyapunov(np.eye(2), np.eye(2), "bilinear"),
    "eigvals": lambda: grad(lambda a: np.sum(np.real(linalg.eigvals(a)) ** 2))(DEFECTIVE),
    "hankel": lambda: linalg.hankel(np.ones((2, 2))),
    "hankel under vjp": lambda: vjp(linalg.hankel, np.ones((2, 2))),
    "cov": lambda: vjp(np.cov, np.ones((2, 1))),
    "nanmedian": lambda: vjp(np.nanmedian, np.ones(0)),
    "polyfit": lambda: vjp(lambda x: np.polyfit(x, np.ones(3), 2), np.ones(3)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_warning_points_at_the_call(name):
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        CALLS[name]()
    assert caught
    assert {w.filename for w in caught} == {__file__}
    lines = {line for *_, line in CALLS[name].__code__.co_lines()}
    assert {w.lineno for w in caught} <= lines


def test_each_line_has_its_own_warning():
    def first(a):
        return linalg.solve(a, ONE)

    def second(a):
        return linalg.solve(a, ONE)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")  # once for each line
        for _ in range(2):
            vjp(first, ILL)
            vjp(second, ILL)
    assert len(caught) == 2
