"""What is promised holds on other processors: the numerical part of the suite in small, in
processes that compute as they do.
"""

from pathlib import Path

import pytest

from scigrad.testing.processors import HERE, stand_ins, start

ROOT = Path(__file__).parents[2]
OTHERS = [name for name in stand_ins() if name != HERE]
# One of each of NumPy's levels below this one: Sandybridge has Prescott's, Zen the kernels of
# Haswell in OpenBLAS too, so that matrices of up to 100 rows have the same bits, and SkylakeX is
# this one but for NumPy's newest loops. The whole part runs as each.
FEW = [name for name in OTHERS if name in ("Prescott", "Haswell")]
# Laws and tests whose outcome hung on the last digits, on the kernels of a BLAS or on the vector
# loops of NumPy.
SMALL = [
    "tests/laws/test_laws.py", "--rooms", "linalg", "--laws", "narrow,extreme",
    "tests/special/test_accuracy.py", "tests/linalg/test_failures.py",
    "tests/linalg/test_extreme_sizes.py", "scigrad/signal/filters/rank_filters.py", "-k",
    "not test_law or eigh or svd or lstsq or expm or cosm",
]  # fmt: skip
WHOLE = ["tests/laws", "--rooms", "linalg,special,fft", "tests/linalg", "tests/special", "scigrad"]


def run(name, arguments):
    suite = start(name, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments)
    output = suite.communicate()[0]
    assert suite.returncode == 0, f"as {name}:\n{output[-4000:]}"


@pytest.mark.parametrize("name", FEW)
def test_the_numerical_part_in_small(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    run(name, SMALL)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", OTHERS)
def test_the_numerical_part(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    run(name, WHOLE)


@pytest.mark.skipif(
    "SkylakeX" not in OTHERS, reason="NumPy has nothing to leave out on a processor without AVX-512"
)
def test_newer_instructions_are_taken_away():
    program = "import numpy as np; print(np.show_config(mode='dicts')['SIMD Extensions']['found'])"
    assert "512" in str(start(HERE, "-c", program).communicate()[0]).replace("V4", "512")
    assert "512" not in str(start("Haswell", "-c", program).communicate()[0]).replace("V4", "512")
