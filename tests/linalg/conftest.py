"""Fixtures of tests of matrices: random numbers, rounding errors, counted factorisations."""

import zlib

import numpy as np
import pytest

from scigrad.linalg.foundation import bands, lapack


@pytest.fixture(autouse=True)
def _same_numbers(request: pytest.FixtureRequest) -> None:
    """Each test draws the same numbers, whatever ran before it in its process: the workers share the tests out anew each time."""
    rng = getattr(request.module, "rng", None)
    if isinstance(rng, np.random.Generator):
        rng.bit_generator.state = np.random.default_rng(zlib.crc32(request.node.name.encode())).bit_generator.state


@pytest.fixture
def rounding():
    """noises(f, arrays): the largest change of each array that f returns, when the arguments change in their last place."""

    def noises(f, arrays):
        draw = np.random.default_rng(1)
        eps = np.finfo(float).eps
        found = [f(*(x * (1 + eps * draw.choice([-1, 1], np.shape(x))) for x in arrays)) for _ in range(5)]
        return [
            max(np.abs(row - exact).max() for row in rows)
            for rows, exact in zip(zip(*found, strict=True), f(*arrays), strict=True)
        ]

    return noises


@pytest.fixture
def counted(monkeypatch):
    """The names of LAPACK's factorisations as they run."""
    names, routine = [], lapack.routine

    def counting(name, char):
        found = routine(name, char)
        return (lambda *args, **options: names.append(name) or found(*args, **options)) if name.endswith("trf") else found

    for module in (bands, lapack):
        monkeypatch.setattr(module, "routine", counting)
    return names
