"""What the library adds to a call that nobody differentiates: the smallest useful system of equations."""

from __future__ import annotations

import numpy as np

from .harness import Bar, Run, Subject

A, B = np.array([[3.0, 1.0], [1.0, 2.0]]), np.array([9.0, 8.0])


def scigrad() -> Run:
    from scigrad import linalg

    solve = linalg.solve
    return lambda: solve(A, B)


def scipy() -> Run:
    from scipy import linalg

    solve = linalg.solve
    return lambda: solve(A, B)


def numpy() -> Run:
    solve = np.linalg.solve
    return lambda: solve(A, B)


def check(results: dict[str, np.ndarray]) -> None:
    for name, x in results.items():
        np.testing.assert_allclose(x, [2.0, 3.0], rtol=1e-14, err_msg=name)


SUBJECT = Subject(
    title="solve, 2 x 2, nothing traced",
    ours="scigrad",
    contenders={"scigrad": scigrad, "scipy": scipy, "numpy": numpy},
    bars=(Bar("scipy", extra=1e-6), Bar("numpy")),
    check=check,
    information=("numpy",),  # checks less: no warning when the matrix is ill-conditioned
)
