"""No result depends on the place: folders, language, time zone, home, number of cores."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "scigrad"
# Some functions of each room, mainly those that read files, compile loops or use threads.
SAMPLE = """
import os, sys, warnings
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
warnings.filterwarnings("error", category=EncodingWarning, module="scigrad")
from pathlib import Path
import numpy as np
import scipy.fft, scipy.linalg, scipy.signal, scipy.special
from scigrad import fft, grad, linalg, signal, sparse, special, vmap
from scigrad.__main__ import main
from scigrad.special.machinery import xsf_kernels
from scigrad.testing import cupy_table, make_array

x = np.linspace(-3, 3, 1 << 16)
assert np.allclose(grad(lambda x: np.sum(np.tanh(x)))(x), 1 / np.cosh(x) ** 2, rtol=1e-12)
assert np.allclose(special.erf(x), scipy.special.erf(x), rtol=1e-14)
slope = grad(lambda a: np.sum(special.gammainc(a, 2.0)))
assert np.allclose(slope(x[x > 1])[::999], slope(x[x > 1][::999]), rtol=1e-9)
assert "#include" in xsf_kernels.preamble(xsf_kernels.rows()["jv"][0], Path(), "", (12, 9))[0]
a = np.diag([4.0, 5.0, 6.0]) + 1
assert np.allclose(grad(lambda a: np.log(linalg.det(a)))(a), np.linalg.inv(a), rtol=1e-12)
assert np.allclose(vmap(linalg.expm)(np.stack([a, -a]))[1] @ scipy.linalg.expm(a), np.eye(3))
sections = scipy.signal.butter(4, 0.2, output="sos")
assert np.allclose(signal.sosfilt(sections, x), scipy.signal.sosfilt(sections, x))
for size in (x.size, 32771):
    assert np.allclose(fft.fft(x[:size]), scipy.fft.fft(x[:size]))
eye = sparse.eye_array(20000, format="csc")
assert np.allclose(grad(lambda b: np.sum(sparse.linalg.spsolve(eye, b) ** 2))(np.ones(20000)), 2)
assert np.allclose(np.asarray(make_array(a, "numpy")), a)
main(["info"])
place = sys.modules["scigrad"].__file__.encode("ascii", "replace").decode()
print(os.environ["TZ"], sys.flags.utf8_mode, place)
"""


def contents(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_a_copy_that_nobody_can_write_to_in_another_language_on_one_core(tmp_path):
    home, elsewhere = tmp_path / "Größe und Prüfung", tmp_path / "tmp mit Grüßen"
    elsewhere.mkdir()
    source_alone = shutil.ignore_patterns("__pycache__")
    package = shutil.copytree(PACKAGE, home / "scigrad", ignore=source_alone)
    for path in sorted(package.rglob("*"), reverse=True):
        path.chmod(0o555 if path.is_dir() else 0o444)
    package.chmod(0o555)
    before = contents(package)

    places = {"PYTHONPATH": str(home), "TMPDIR": str(elsewhere)}
    language = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    language["TZ"] = "Asia/Kathmandu"
    absent = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
    inherited = {name: x for name, x in os.environ.items() if name not in absent}
    command = [sys.executable, "-X", "warn_default_encoding", "-c", SAMPLE]
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("setpriv"):
        # The super-user may write everywhere, unless this right is taken away.
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    environment = inherited | places | language
    run = subprocess.run(command, env=environment, cwd=elsewhere, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode(errors="replace")
    last = run.stdout.decode(errors="replace").splitlines()[-1]
    assert last.startswith("Asia/Kathmandu 0 ")
    assert "pr?fung" in last.lower() or "pr??fung" in last.lower()  # the copy is what ran
    assert contents(package) == before
