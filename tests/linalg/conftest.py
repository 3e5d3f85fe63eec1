"""Each test draws the same numbers, whatever ran before it in its process: the workers share the tests out anew each time."""

from __future__ import annotations

import zlib

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _same_numbers(request: pytest.FixtureRequest) -> None:
    rng = getattr(request.module, "rng", None)
    if isinstance(rng, np.random.Generator):
        rng.bit_generator.state = np.random.default_rng(zlib.crc32(request.node.name.encode())).bit_generator.state
