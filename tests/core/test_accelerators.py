"""Libraries that make calls faster may fail when they are imported or used: the values are the same
without them.
"""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

from scigrad.numpy import accelerators
from scigrad.sparse.linalg.engines import engine_options

AT_IMPORT = (
    "import warnings; warnings.warn('generic unit', DeprecationWarning); raise "
    "AttributeError('no row_stack')"
)
LARGE = {
    "numba": """
import numpy as np, scipy.signal, scipy.special
from scigrad import grad, signal, special
x = np.linspace(-3, 3, 1 << 16)
assert np.allclose(special.erf(x), scipy.special.erf(x), rtol=1e-14)
slope = grad(lambda a: np.sum(special.gammainc(a, 2.0)))
assert np.allclose(slope(x[x > 1])[::999], slope(x[x > 1][::999]), rtol=1e-9)
sos = scipy.signal.butter(4, 0.2, output="sos")
assert np.allclose(signal.sosfilt(sos, x), scipy.signal.sosfilt(sos, x))
""",
    "ducc0": """
import numpy as np, scipy.fft
from scigrad import fft
x = np.linspace(-3, 3, 1 << 16)
assert np.allclose(fft.fft(x), scipy.fft.fft(x))
assert np.allclose(fft.fft(x[:32771]), scipy.fft.fft(x[:32771]))
""",
    "pypardiso": """
import numpy as np
from scigrad import sparse
assert sparse.linalg.spsolve(sparse.eye_array(20000, format="csc"), np.ones(20000)).sum() == 20000
""",
}
BROKEN = {  # what the package says, and what stands in the reason
    "numba at import": ("numba", AT_IMPORT, "no row_stack"),
    "numba in use": ("numba", "class config: DISABLE_JIT = False", "numba.extending"),
    "ducc0 at import": ("ducc0", "raise OSError('libducc.so')", "libducc.so"),
    "ducc0 in use": ("ducc0", "class fft:\n def c2c(x): raise RuntimeError('no plan')", "no plan"),
    "pypardiso at import": ("pypardiso", "raise ImportError('libmkl_rt.so')", "libmkl_rt.so"),
}


def run(folder, package, text, program):
    (folder / package).mkdir()
    (folder / package / "__init__.py").write_text(text)
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-W", "error", "-c", program]
    return subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("case", BROKEN)
def test_values_are_computed_without_an_accelerator_that_fails(tmp_path, case):
    package, text, reason = BROKEN[case]
    done = run(
        tmp_path,
        package,
        text,
        LARGE[package]
        + f"from scigrad.numpy.accelerators import why_not\nprint(why_not({package!r}))",
    )
    assert done.returncode == 0, done.stderr
    assert reason in done.stdout
    assert done.stderr.count("cannot be used") == 1  # once, by logging


def test_info_says_which_accelerator_fails_and_why(tmp_path):
    done = run(tmp_path, "numba", AT_IMPORT, "from scigrad.__main__ import main; main(['info'])")
    assert "not used (AttributeError: no row_stack): compiled kernels" in done.stdout, done.stderr


def test_what_is_not_installed_is_no_message(tmp_path):
    """Nor is an accelerator whose package was blocked."""
    program = "import sys; sys.modules['numba'] = None\n" + "".join(LARGE.values())
    done = run(tmp_path, "unrelated", "", program)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_an_accelerator_of_an_absent_dependency_is_installed(monkeypatch, caplog):
    for state in ("_modules", "_reasons"):
        monkeypatch.setattr(accelerators, state, {})
    error = ModuleNotFoundError("No module named 'llvmlite'", name="llvmlite")
    with accelerators.attempt("numba"):
        raise error
    assert "llvmlite" in accelerators.why_not("numba")
    assert "llvmlite" in caplog.text


def test_warnings_of_a_first_use_are_not_the_users():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with accelerators.attempt("numba"):
            warnings.warn("generic unit", DeprecationWarning, stacklevel=1)
            done = np.ones(1)
    assert done == 1
    assert accelerators.why_not("numba") in (None, accelerators.ABSENT)


def test_an_engine_by_name_says_why_it_cannot_be_used(monkeypatch):
    monkeypatch.setattr(accelerators, "_modules", {"pypardiso": None})
    monkeypatch.setattr(accelerators, "_reasons", {"pypardiso": "OSError: libmkl_rt.so"})
    with pytest.raises(
        ValueError, match=r"engine='pardiso' cannot be used \(OSError: libmkl_rt.so\)"
    ):
        engine_options("pardiso")
