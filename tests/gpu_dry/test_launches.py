"""Launches of the common functions and of their gradients, and no copy between host and device
behind the user's back.

The numbers are those of today, to be lowered: a launch costs a few microseconds, whatever the size
of the arrays.
"""

from pathlib import Path

import cupy
import cupy_on_cpu
import numpy as np
import pytest

import scigrad.numpy as snp
from scigrad import MissingKernel, fft, grad, linalg
from scigrad.testing import Draw, load_specs, make_array

N = 16
A = np.random.default_rng(0).standard_normal((N, N)) + N * np.eye(N)

# Most launches (of kernels and of libraries' routines) that a call may make on A, its symmetric
# part h and its first column b.
CALLS = {
    "sin(x) exp(-x^2)": (6, lambda a, h, b: snp.sin(a) * snp.exp(-a * a)),
    "its gradient": (17, lambda a, h, b: grad(lambda x: (snp.sin(x) * snp.exp(-x * x)).sum())(a)),
    "fft": (2, lambda a, h, b: fft.fft(a)),
    "rfft": (1, lambda a, h, b: fft.rfft(a)),
    "gradient of the power": (17, lambda a, h, b: grad(lambda x: (abs(fft.fft(x)) ** 2).sum())(a)),
    "solve": (26, lambda a, h, b: linalg.solve(a, b, on_fail="nan", check_finite=False)),
    "gradient of solve": (
        39,
        lambda a, h, b: grad(lambda x: linalg.solve(x, b, on_fail="nan", check_finite=False).sum())(
            a
        ),
    ),
    "eigh": (8, lambda a, h, b: linalg.eigh(h)),
    "gradient of eigh": (
        41,
        lambda a, h, b: grad(lambda x: linalg.eigh(x, gauge="trust")[0].sum())(h),
    ),
    "svd": (7, lambda a, h, b: linalg.svd(a)),
    "gradient of svd": (
        57,
        lambda a, h, b: grad(lambda x: linalg.svd(x, gauge="project")[1].sum())(a),
    ),
}
# What refuses singular matrices and NaN, or sees to equal values, has to read whether it met one:
# an answer for each question.
READS = {
    "solve": (1, lambda a, b: linalg.solve(a, b)),
    "cholesky": (1, lambda a, b: linalg.cholesky(a @ a.T)),
    "gradient of eigh": (2, lambda a, b: grad(lambda x: linalg.eigh(x)[0].sum())(a)),
    "gradient of svdvals": (3, lambda a, b: grad(lambda x: linalg.svdvals(x).sum())(a)),
}


def made(call):
    """Return what a second call makes: the first one may fill caches."""
    call()
    before = cupy_on_cpu.counters()
    call()
    return {name: number - before[name] for name, number in cupy_on_cpu.counters().items()}


@pytest.mark.parametrize("name", CALLS)
def test_launches_and_no_copies(name):
    most, call = CALLS[name]
    a = cupy.asarray(A)
    found = made(lambda: call(a, a + a.T, a[:, 0]))
    copies = {what: found[what] for what in ("synchronizations", "to_host", "to_device")}
    assert copies == dict.fromkeys(copies, 0)
    assert found["launches"] + found["library_calls"] <= most + 1  # one for a + a.T


@pytest.mark.parametrize("name", READS)
def test_answers_that_are_read(name):
    most, call = READS[name]
    a = cupy.asarray(A)
    found = made(lambda: call(a, a[:, 0]))
    assert found["to_host"] <= most
    assert found["to_device"] == 0


# An algorithm of more launches than 50 for each row is none for a device: the function refuses, and
# names `on_host`.
SPECS = load_specs(Path(__file__).parents[1] / "specs")
SIZED = {spec.name: spec for spec in SPECS if spec.name.startswith("linalg.") and spec.size}
REFUSED = {"hessenberg", "ldl", "ldl_factor", "ldl_solve", "matrix_balance", "qz", "schur"}
ROWS = 32


@pytest.mark.parametrize("name", SIZED)
def test_what_is_a_kernel_makes_few_launches(name):
    args, kwargs = (make_array(x, "cupy") for x in SIZED[name].size(Draw(name), ROWS))
    if name.partition(".")[2] in REFUSED:
        with pytest.raises(MissingKernel, match="on_host"):
            SIZED[name].function(*args, **kwargs)
        return
    found = made(lambda: SIZED[name].function(*args, **kwargs))
    assert found["launches"] + found["library_calls"] <= 50 * ROWS
