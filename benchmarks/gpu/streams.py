"""Transforms on streams and threads of a GPU compared bitwise with serial ones, for `make gpu`.

A plan of cuFFT that two streams share gives wrong numbers occasionally
(scigrad/fft/cufft_plans.py). Therefore two threads queue many transforms, each in turn on two
streams of its own, of arrays large enough to overlap, and every result is compared.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

ROUNDS = 30


def rows(done: set[str], small: bool) -> Iterator[dict[str, Any]]:
    """Yield for each transform the number of results, by two threads on two streams each, that
    differ from the serial one.
    """
    import cupy

    import scigrad
    from scigrad import fft

    line = cupy.asarray(np.random.default_rng(0).standard_normal((64, 2**7 if small else 2**15)))
    plane = line.reshape(8, 32 if small else 512, -1) * (1 + 1j)
    cases: dict[str, tuple[Callable[[Any], Any], Any]] = {
        "fft": (fft.fft, line + 0j),
        "fft, a prime length": (lambda x: fft.fft(x, 131 if small else 32771), line),
        "rfft": (fft.rfft, line),
        "fftn": (lambda x: fft.fftn(x, axes=(1, 2)), plane),
        "irfftn": (lambda x: fft.irfftn(x, axes=(1, 2)), plane),
        "dct": (fft.dct, line),
        "gradient of sum(|fftn|^2)": (scigrad.grad(lambda x: (abs(fft.fftn(x)) ** 2).sum()), plane),
    }
    for name, (function, x) in cases.items():
        if name not in done:
            yield {"name": name, **compared(name, function, [x, x[::-1].copy(), 2 * x, 1 - x])}


def compared(name: str, function: Callable[[Any], Any], inputs: list[Any]) -> dict[str, Any]:
    """Return how often a function of four arrays differs from what it gives on one stream."""
    import cupy

    serial = [function(x) for x in inputs]
    cupy.cuda.get_current_stream().synchronize()

    def by_turns(own: tuple[int, int]) -> int:
        streams = [cupy.cuda.Stream(non_blocking=True) for _ in own]
        differs = []
        for _ in range(ROUNDS):
            for stream, i in zip(streams, own, strict=True):
                with stream:
                    differs.append((function(inputs[i]) != serial[i]).any())
        for stream in streams:
            stream.synchronize()
        return sum(map(bool, differs))

    with ThreadPoolExecutor(2) as pool:
        differ = sum(pool.map(by_turns, ((0, 1), (2, 3))))
    return {"transform": name, "results": 4 * ROUNDS, "differ": differ, "passed": differ == 0}


__all__ = ["compared", "rows"]
