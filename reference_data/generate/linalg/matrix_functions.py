"""Functions of matrices where algorithms lose digits: (nearly) defective, clustered, badly scaled,
far from normal.

The value, and as `first` the Frechet derivative along the matrix of ones, L(a, 1): a central
difference at 120 digits. The logarithm and the roots come from mpmath's own iterations at the same
precision, the sign is a (a^2)^(-1/2), powers are exp(t log(a)).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import scipy.linalg
from recording import Record, array_call, exact, number, singles

WORKING = 120
STEP = mp.mpf(10) ** -40
POWER = 0.375


def jordan(eigenvalue: float, n: int, perturbation: float = 0.0) -> np.ndarray:
    a = eigenvalue * np.eye(n) + np.diag(np.ones(n - 1), 1)
    a[-1, 0] = perturbation
    return a


def transformed(random: np.random.Generator, a: np.ndarray) -> np.ndarray:
    """u a u^-1, rounded: a full matrix with almost the same Jordan structure."""
    n = len(a)
    u = np.eye(n) + 0.4 * singles(random, n, n)
    return u @ a @ np.linalg.inv(u)


def matrices(random: np.random.Generator) -> dict[str, np.ndarray]:
    """With eigenvalues in the right half-plane, so that all functions take them."""
    cluster = np.diag([1.0, 1 + 1e-6, 1 + 1e-8, 3.0]) + np.triu(singles(random, 4, 4), 1)
    scales = np.array([2.0**-12, 1.0, 2.0**6, 2.0**12])
    pair = np.array([[1.0, 2.0], [-3.0, 1.5]])
    pairs = np.block([[pair, np.eye(2)], [np.zeros((2, 2)), pair + 1e-8]])
    return {
        "Jordan block within 1e-8": jordan(1.5, 4, 1e-8),
        "Jordan block within 1e-8, full": transformed(random, jordan(1.5, 4, 1e-8)),
        "Jordan block, complex": transformed(random, jordan(1.0, 3) + 1j * np.eye(3)),
        "clustered, full": transformed(random, cluster),
        "clustered complex pairs": transformed(random, pairs),
        "badly scaled": (singles(random, 4, 4) * 0.3 + 2 * np.eye(4)) * scales[:, None] / scales,
        "far from normal": np.array([[1.0, 1e6, 3.0], [0.0, 1.25, -1e4], [0.0, 0.0, 2.0]]),
    }


def more_for_the_exponential(random: np.random.Generator) -> dict[str, np.ndarray]:
    nilpotent = np.triu(1000 * singles(random, 4, 4), 1)
    return {
        "Moler and Van Loan's": np.array([[-49.0, 24.0], [-64.0, 31.0]]),
        "Ward's": np.array([[-131.0, 19.0, 18.0], [-390.0, 56.0, 54.0], [-387.0, 57.0, 52.0]]),
        "nilpotent, full": np.rint(transformed(random, nilpotent)),
        "many squarings": -30 * np.eye(3) + 20 * singles(random, 3, 3),
    }


def both_sides(random: np.random.Generator) -> dict[str, np.ndarray]:
    return {
        "clustered around 1 and -1": transformed(random, np.diag([1.0, 1 + 1e-8, -1.0, -1 - 1e-8])),
        "Jordan blocks of both signs": transformed(
            random, scipy.linalg.block_diag(jordan(1.0, 2), jordan(-0.5, 2))
        ),
    }


def sign(a: Any) -> Any:
    return a * mp.sqrtm(a * a) ** -1


def power(a: Any) -> Any:
    return mp.expm(POWER * mp.logm(a), method="taylor")


def cosine(a: Any) -> Any:
    return (mp.expm(1j * a) + mp.expm(-1j * a)) / 2


FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[[Any], Any], dict[str, float]]] = {
    "expm": (scipy.linalg.expm, lambda a: mp.expm(a, method="taylor"), {}),
    "logm": (scipy.linalg.logm, mp.logm, {}),
    "sqrtm": (scipy.linalg.sqrtm, mp.sqrtm, {}),
    "fractional_matrix_power": (scipy.linalg.fractional_matrix_power, power, {"t": POWER}),
    "signm": (scipy.linalg.signm, sign, {}),
    "cosm": (scipy.linalg.cosm, cosine, {}),
}


def record(function: str, case: str, a: np.ndarray) -> Record:
    kernel, truth, options = FUNCTIONS[function]
    with mp.workdps(WORKING):
        matrix = mp.matrix([[exact(v) for v in row] for row in a.tolist()])
        ones = mp.ones(len(a))
        value = truth(matrix)
        slope = (truth(matrix + STEP * ones) - truth(matrix - STEP * ones)) / (2 * STEP)
    if not np.iscomplexobj(a):  # the iterations leave imaginary parts of rounding
        value, slope = value.apply(mp.re), slope.apply(mp.re)
    first = np.array([[number(slope[i, j]) for j in range(len(a))] for i in range(len(a))])
    return array_call(function, case, kernel, value.tolist(), a, first=(first,), **options)


EVERYWHERE = ("expm", "logm", "sqrtm")
SOMEWHERE = {
    "fractional_matrix_power": ("badly scaled", "far from normal"),
    "cosm": ("Jordan block within 1e-8, full",),
}


def records() -> list[Record]:
    random = np.random.default_rng(29)
    general = matrices(random)
    found = [record(name, case, a) for case, a in general.items() for name in EVERYWHERE]
    found += [
        record(name, case, general[case]) for name, cases in SOMEWHERE.items() for case in cases
    ]
    found += [record("expm", case, a) for case, a in more_for_the_exponential(random).items()]
    return found + [record("signm", case, a) for case, a in both_sides(random).items()]
