"""Fixtures of tests of matrices: rounding errors, counted factorizations."""

import numpy as np
import pytest

from scigrad.linalg.foundation import bands, lapack


@pytest.fixture
def rounding():
    """noises(f, arrays): the largest change of each array that f returns, when the arguments change
    in their last place.
    """

    def noises(f, arrays):
        draw = np.random.default_rng(1)
        eps = np.finfo(float).eps
        found = [
            f(*(x * (1 + eps * draw.choice([-1, 1], np.shape(x))) for x in arrays))
            for _ in range(5)
        ]
        return [
            max(np.abs(row - exact).max() for row in rows)
            for rows, exact in zip(zip(*found, strict=True), f(*arrays), strict=True)
        ]

    return noises


@pytest.fixture
def counted(monkeypatch):
    """The names of LAPACK's factorizations as they run."""
    names, routine = [], lapack.routine

    def counting(name, char):
        found = routine(name, char)
        return (
            (lambda *args, **options: names.append(name) or found(*args, **options))
            if name.endswith("trf")
            else found
        )

    for module in (bands, lapack):
        monkeypatch.setattr(module, "routine", counting)
    return names
