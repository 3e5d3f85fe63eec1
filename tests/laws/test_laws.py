"""Every law over every spec: one test for each (law, function, backend); the message names the
sample.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scigrad.testing import OpSpec, load_specs
from scigrad.testing.laws import LAWS, LAWS_ON_DEVICE, NothingShown, fewer_samples, laws_for

SPECS = load_specs(Path(__file__).parent.parent / "specs")
# Functions whose values take seconds at 1e-300 and 1e150, or for large integers.
SLOW = {
    "extreme": ("special.ncfdt", "special.nctdt", "special.eval_sh_jacobi", "special.eval_sh_leg"),
    "missing": ("special.ncfdt", "special.nctdt"),
    "narrow": ("special.ncfdt", "special.nctdt", "sparse.linalg.expm_multiply"),
}
# Functions with samples whose result does not depend on any argument: all others warn nobody.
CONSTANT = (
    "numpy.sign",
    "numpy.histogram",
    "numpy.histogram_bin_edges",
    "signal.findfreqs",
    "sparse.linalg.matrix_power",
)
# The kernels of OpenBLAS for AVX-512 read beyond short arrays in single precision, and flag what
# they find there as invalid: seen once in some 30,000 laws, in NumPy's own x @ a of finite numbers.
# A result that is not a number fails the law itself.
pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered in matmul:RuntimeWarning")


class Held(NamedTuple):
    """A function, the law that it is held to, and the backend: one parameter, since each costs
    pytest a tenth of a millisecond, and there are 15,000 tests.
    """

    spec: OpSpec
    law: str
    backend: str


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "held" in metafunc.fixturenames:
        metafunc.parametrize("held", list(rows(metafunc.config)))


def rows(config: pytest.Config) -> Iterator[Any]:
    chosen, rooms, laws = (config.getoption(name) for name in ("--backend", "--rooms", "--laws"))
    # make test-all; otherwise a third of all laws and more than half of the samples are left out
    every = config.getoption("markexpr") != "not slow"
    for spec in SPECS:
        for_law = fewer_samples(spec)
        for backend in ("numpy", "device") if chosen == "host" else (chosen,):
            for law in laws_for(spec, backend, every):
                if (not rooms or spec.name.partition(".")[0] in rooms.split(",")) and (
                    not laws or law in laws.split(",")
                ):
                    known = _reason(spec, law, backend)
                    shown = spec if every or known else for_law(law, backend)
                    yield pytest.param(
                        Held(shown, law, backend),
                        id=f"{law}-{spec.name}-{backend}",
                        marks=_marks(spec, law, backend),
                    )


def _reason(spec, law, backend):
    """Return why a law is known to fail."""
    return spec.known_failures.get((law, backend)) or spec.known_failures.get((law, "any"))


def _marks(spec, law, backend):
    reason = _reason(spec, law, backend)
    # SciPy's Cython prints what it cannot raise where a column depends on others.
    marks = (
        [pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")]
        if law in ("extreme", "narrow")
        else []
    )
    # These, and most laws of the stand-in: make test-all.
    if spec.name.startswith(SLOW.get(law, ())) or (
        backend == "device" and law not in LAWS_ON_DEVICE
    ):
        marks.append(pytest.mark.slow)
    if spec.name in CONSTANT:
        marks.append(pytest.mark.filterwarnings("ignore::scigrad.DoesNotDependWarning"))
    if law in ("refilled", "compiled"):  # check_writes would fail or run no program
        marks.append(pytest.mark.fills_arrays)
    return [*marks, pytest.mark.xfail(reason=reason, strict=True)] if reason else marks


def test_law(held):
    try:
        LAWS[held.law](held.spec, held.backend)
    except NothingShown as reason:
        pytest.skip(str(reason))
