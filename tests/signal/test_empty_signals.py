"""Empty arrays end no process and read no memory of others, where SciPy's functions do."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.signal

from scigrad import signal

IMAGES = [(0, 4), (4, 0), (0, 0)]
CONTINUED = ["wrap", "edge", "smooth", "symmetric", "reflect", "antisymmetric", "antireflect"]


@pytest.mark.parametrize("boundary", ["wrap", "symm", "symmetric", "circular"])
@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
@pytest.mark.parametrize("shape", IMAGES)
def test_an_empty_image_cannot_be_continued(name, shape, boundary):
    for dtype in (float, np.float32, complex, int):
        with pytest.raises(ValueError, match=f"{name}.*no samples that boundary='{boundary}'"):
            getattr(signal, name)(np.zeros(shape, dtype), np.ones((3, 3)), "full", boundary)


@pytest.mark.parametrize("mode", ["full", "same"])
@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
@pytest.mark.parametrize("shape", IMAGES)
def test_zeros_around_an_empty_image_are_scipy_s(name, shape, mode):
    args = (np.zeros(shape), np.ones((3, 3)), mode)
    found, expected = (getattr(room, name)(*args) for room in (signal, scipy.signal))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["cspline1d", "qspline1d"])
def test_a_spline_needs_a_knot(name):
    for x in ([], np.zeros(0)):
        with pytest.raises(ValueError, match=f"{name}: signal is empty"):
            getattr(signal, name)(x)


@pytest.mark.parametrize("shape", [(0,), (2, 0)])
def test_an_empty_signal_cannot_be_continued(shape):
    for mode in [*CONTINUED, "line"]:
        with pytest.raises(
            ValueError, match=f"upfirdn: x of shape .* no samples that mode='{mode}'"
        ):
            signal.upfirdn(np.ones(3), np.zeros(shape), 2, mode=mode)
    taps = (np.ones(3), np.zeros(shape), 2)
    np.testing.assert_array_equal(signal.upfirdn(*taps), scipy.signal.upfirdn(*taps))
    for h in (np.ones(1), np.ones(4)):
        batch = (h, np.ones((0, 5)), 2, 3)
        assert signal.upfirdn(*batch).shape == scipy.signal.upfirdn(*batch).shape


SWEEP = """
import inspect, itertools, warnings
import numpy as np
from scigrad import fft, signal
OPTIONS = {
    "mode": "full same valid reflect constant wrap symm interp nearest mirror".split(),
    "boundary": ["fill", "wrap", "symm"],
    "method": ["direct", "fft", "gust", "pad"],
    "padtype": ["odd", "even", "constant"],
}
warnings.simplefilter("ignore")
empty = [np.zeros(0), np.zeros((0, 4)), np.zeros((4, 0)), np.zeros((0, 4), np.complex64)]
for room in (signal, signal.windows, fft):
    for name in room.__all__:
        f = getattr(room, name)
        if not callable(f) or inspect.isclass(f):
            continue
        try:
            names = inspect.signature(f).parameters
        except ValueError:
            continue
        needed = max(1, sum(p.default is p.empty and p.kind < 2 for p in names.values()))
        options = {key: values for key, values in OPTIONS.items() if key in names}
        for e, place in itertools.product(empty, range(needed)):
            args = [np.ones((3,) * e.ndim)] * needed
            args[place] = e
            for chosen in itertools.product(*options.values()):
                print(name, e.shape, e.dtype, place, chosen, flush=True)
                try:
                    f(*args, **dict(zip(options, chosen)))
                except Exception:
                    pass
print("all", flush=True)
"""


def test_no_function_of_an_empty_array_ends_the_process():
    ended = subprocess.run(
        [sys.executable, "-c", SWEEP], capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.stdout.split()[-1:] == ["all"], ended.stdout[-200:] + ended.stderr[-500:]
