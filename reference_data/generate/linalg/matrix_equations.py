"""Sylvester, Lyapunov and Riccati equations on hard matrices: nearly singular equations, Jordan
blocks, graded rows, controllers at the edge of stability. The recorded gradients are those of the
sum of all elements of the real part.

The linear equations are solved as the systems of order m n that they are; Riccati's by Newton's
iteration from SciPy's answer in 100 digits. Gradients come from mpmath's own differentiation of
that solution, one entry of an argument at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import scipy.linalg
from recording import Record, array_call, exact, number, singles

Matrix = Any


def matrix(a: np.ndarray) -> Matrix:
    return mp.matrix([[exact(v) for v in row] for row in a])


def adjoint(a: Matrix) -> Matrix:
    return a.transpose_conj()


def linear_equation(m: int, n: int, apply: Callable[[Matrix], Matrix], q: Matrix) -> Matrix:
    """x with apply(x) = q, for a complex-linear map of m x n matrices."""
    system = mp.matrix(m * n, m * n)
    for k in range(m * n):
        unit = mp.matrix(m, n)
        unit[k // n, k % n] = 1
        image = apply(unit)
        for i in range(m * n):
            system[i, k] = image[i // n, i % n]
    x = mp.lu_solve(system, mp.matrix([q[i // n, i % n] for i in range(m * n)]))
    return mp.matrix([[x[i * n + j] for j in range(n)] for i in range(m)])


def sylvester(a: Matrix, b: Matrix, q: Matrix) -> Matrix:
    return linear_equation(q.rows, q.cols, lambda x: a * x + x * b, q)


def continuous(a: Matrix, q: Matrix) -> Matrix:
    return linear_equation(q.rows, q.cols, lambda x: a * x + x * adjoint(a), q)


def discrete(a: Matrix, q: Matrix) -> Matrix:
    return linear_equation(q.rows, q.cols, lambda x: x - a * x * adjoint(a), q)


def riccati(kind: str, start: np.ndarray, a: Matrix, b: Matrix, q: Matrix, r: Matrix) -> Matrix:
    """Newton's iteration (Kleinman 1968, Hewer 1971): each step is Lyapunov's equation of the
    closed loop.
    """
    x = matrix(start)
    for _ in range(9):
        weight = r + adjoint(b) * x * b if kind == "discrete" else r
        k = solve_many(weight, adjoint(b) * x * (a if kind == "discrete" else 1))
        f = a - b * k
        cost = q + adjoint(k) * r * k
        x = discrete(adjoint(f), cost) if kind == "discrete" else continuous(adjoint(f), -cost)
    return x


def solve_many(a: Matrix, b: Matrix) -> Matrix:
    columns = [mp.lu_solve(a, b.column(j)) for j in range(b.cols)]
    return mp.matrix([[column[i] for column in columns] for i in range(a.cols)])


def gradient(
    f: Callable[..., Matrix], arguments: tuple[np.ndarray, ...], hermitian: tuple[int, ...] = ()
) -> tuple:
    """dL/dRe + i dL/dIm of L = Re sum f, by central differences of step 1e-30 in 100 digits; in the
    Hermitian part of some.
    """
    step, results = mp.mpf(10) ** -30, []
    for k, argument in enumerate(arguments):
        out = np.zeros_like(argument)
        for index in np.ndindex(argument.shape):
            for unit in (1, 1j) if argument.dtype.kind == "c" else (1,):
                values = []
                for sign in (1, -1):
                    moved = [matrix(x) for x in arguments]
                    moved[k][index] += sign * step * unit
                    if k in hermitian:
                        moved[k] = (moved[k] + adjoint(moved[k])) / 2
                    values.append(mp.re(mp.fsum(f(*moved))))
                out[index] += unit * number((values[0] - values[1]) / (2 * step))
        results.append(out)
    return tuple(results)


def record(
    name: str,
    case: str,
    f: Callable[..., Matrix],
    *arguments: np.ndarray,
    hermitian: tuple[int, ...] = (),
) -> Record:
    truth = f(*(matrix(a) for a in arguments))
    rows = [[truth[i, j] for j in range(truth.cols)] for i in range(truth.rows)]
    first = gradient(f, arguments, hermitian)
    return array_call(name, case, getattr(scipy.linalg, name), rows, *arguments, first=first)


def jordan(n: int, eigenvalue: complex, gap: float) -> np.ndarray:
    """A Jordan block whose eigenvalues differ by `gap`."""
    return np.diag(eigenvalue + gap * np.arange(n)) + np.eye(n, k=1)


def linear_records(random: np.random.Generator) -> list[Record]:
    found = []
    for is_complex in (False, True):
        kind = "complex" if is_complex else "real"
        a, b, q = (singles(random, *s, complex_values=is_complex) for s in ((4, 4), (3, 3), (4, 3)))
        h = singles(random, 3, 3, complex_values=is_complex)
        found += [
            record("solve_sylvester", f"random {kind}", sylvester, a, b, q),
            record("solve_continuous_lyapunov", f"random {kind}", continuous, b - 3 * np.eye(3), h),
            record("solve_discrete_lyapunov", f"random {kind}", discrete, b / 8, h),
        ]
    ones = np.ones((3, 3))
    close = np.diag([1.0, 2.0, -3.0]) + 0.25 * np.eye(3, k=1)
    block, slow = (
        jordan(3, 1, 2.0**-27),
        np.diag([1 - 2.0**-20, -0.5, 0.25]) + 0.25 * np.eye(3, k=1),
    )
    graded = np.diag(2.0 ** -np.array([0, 15, 30])) + 2.0**-40 * np.eye(3, k=-1)
    found += [
        record(
            "solve_sylvester",
            "separation 2^-26",
            sylvester,
            close,
            np.diag([3 + 2.0**-26, 1.0, 2.0]),
            ones,
        ),
        record(
            "solve_sylvester",
            "Jordan blocks within 2^-27",
            sylvester,
            block,
            jordan(3, 1, -(2.0**-27)),
            ones,
        ),
        record("solve_sylvester", "rows graded to 2^-30", sylvester, graded, graded, ones),
        record(
            "solve_continuous_lyapunov",
            "Jordan block near the axis",
            continuous,
            jordan(3, -(2.0**-6), -(2.0**-27)),
            ones,
        ),
        record(
            "solve_continuous_lyapunov",
            "one mode damped by 2^-26",
            continuous,
            np.diag([-(2.0**-26), -1.0, -2.0]),
            ones,
        ),
        record("solve_discrete_lyapunov", "radius 1 - 2^-20", discrete, slow, ones),
        record(
            "solve_discrete_lyapunov",
            "Jordan block within 2^-27",
            discrete,
            jordan(3, 0.875, 2.0**-27),
            ones,
        ),
    ]
    return found


def riccati_record(kind: str, case: str, *arguments: np.ndarray) -> Record:
    name = f"solve_{kind}_are"
    start = getattr(scipy.linalg, name)(*arguments)
    return record(
        name, case, lambda *args: riccati(kind, start, *args), *arguments, hermitian=(2, 3)
    )


def riccati_records(random: np.random.Generator) -> list[Record]:
    found = []
    chain = np.eye(3, k=1)
    for kind in ("continuous", "discrete"):
        shift = 1.0 if kind == "discrete" else 0.0
        last, q, r = np.array([[0.0], [0.0], [1.0]]), np.eye(3), np.eye(1)
        weak = np.array([[2.0**-10], [1.0], [1.0]])
        found += [
            riccati_record(
                kind, "random", singles(random, 3, 3), singles(random, 3, 2), q, np.diag([1.0, 4.0])
            ),
            riccati_record(
                kind,
                "random complex",
                singles(random, 2, 2, complex_values=True),
                singles(random, 2, 1, complex_values=True),
                np.eye(2) + 0j,
                r + 0j,
            ),
            riccati_record(kind, "chain of integrators", chain + shift * np.eye(3), last, q, r),
            riccati_record(
                kind, "weakly controlled mode", np.diag([1.0 + shift, -0.5, 0.25]), weak, q, r
            ),
            riccati_record(kind, "cheap control", chain / 2, last, q, 2.0**-20 * r),
        ]
    return found


def records() -> list[Record]:
    random = np.random.default_rng(31)
    with mp.workdps(100):
        return linear_records(random) + riccati_records(random)
