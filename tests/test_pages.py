"""The page of a public function is the docstring at its definition: what `help()` shows, an editor
shows.
"""

import ast
import importlib
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import scigrad

PACKAGE = Path(scigrad.__file__).parent
ROOMS = (
    "linalg",
    "linalg.manifolds",
    "fft",
    "special",
    "sparse",
    "sparse.linalg",
    "sparse.csgraph",
    "signal",
    "signal.windows",
    "signal.stream",
)
# Pages that are still assembled.
LEFT = {
    "special.assoc_legendre_p", "special.assoc_legendre_p_all", "special.eval_chebyv",
    "special.eval_chebyw", "special.eval_sh_chebyv", "special.eval_sh_chebyw",
    "special.h1vp", "special.h2vp", "special.ivp", "special.jvp", "special.kvp",
    "special.legendre_p", "special.legendre_p_all", "special.mathieu_a",
    "special.mathieu_b", "special.mathieu_cem", "special.mathieu_modcem1",
    "special.mathieu_modcem2", "special.mathieu_modsem1", "special.mathieu_modsem2",
    "special.mathieu_sem", "special.obl_ang1", "special.obl_ang1_cv", "special.obl_cv",
    "special.obl_rad1", "special.obl_rad1_cv", "special.obl_rad2", "special.obl_rad2_cv",
    "special.pro_ang1", "special.pro_ang1_cv", "special.pro_cv", "special.pro_rad1",
    "special.pro_rad1_cv", "special.pro_rad2", "special.pro_rad2_cv",
    "special.roots_gegenbauer", "special.roots_genlaguerre", "special.roots_jacobi",
    "special.roots_sh_jacobi", "special.sph_harm_y", "special.sph_harm_y_all",
    "special.sph_legendre_p", "special.sph_legendre_p_all", "special.yvp", "special.zeta",
    "sparse.isspmatrix_bsr", "sparse.isspmatrix_coo", "sparse.isspmatrix_csc",
    "sparse.isspmatrix_csr", "sparse.isspmatrix_dia", "sparse.isspmatrix_dok",
    "sparse.isspmatrix_lil", "signal.ShortTimeFFT", "signal.StateSpace",
    "signal.TransferFunction", "signal.ZerosPolesGain", "signal.ca_cfar",
    "signal.channelize_poly", "signal.complex_cepstrum", "signal.firfilter",
    "signal.firfilter2", "signal.freq_shift", "signal.inverse_complex_cepstrum",
    "signal.mvdr", "signal.pulse_compression", "signal.pulse_doppler",
    "signal.real_cepstrum", "signal.windows.chebwin", "signal.windows.exponential",
    "signal.windows.gaussian", "signal.windows.general_cosine",
    "signal.windows.general_gaussian", "signal.windows.general_hamming",
    "signal.windows.kaiser", "signal.windows.kaiser_bessel_derived",
    "signal.windows.taylor", "signal.windows.tukey",
}  # fmt: skip
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


@cache
def definitions(path: Path) -> dict[str, str | None]:
    """The docstring of each definition in a file."""
    tree = ast.parse(path.read_text())
    found = (node for node in ast.walk(tree) if isinstance(node, DEFINITIONS))
    return {node.name: ast.get_docstring(node) for node in found}


def pages() -> Iterator[tuple[str, Any, Path]]:
    """Each public function or class of ours, and the file of its definition."""
    for room in ROOMS:
        module = importlib.import_module(f"scigrad.{room}")
        for name in module.__all__:
            value = getattr(module, name)
            home = sys.modules.get(getattr(value, "__module__", None) or "")
            path = Path(getattr(home, "__file__", None) or "")
            if inspect.ismodule(value) or PACKAGE not in path.parents:
                continue
            if value.__name__ == name:  # not an older name of another function
                yield f"{room}.{name}", value, path


@pytest.mark.parametrize("room", ROOMS)
def test_pages_stand_at_definitions(room):
    wrong = []
    for name, value, path in pages():
        if name.rpartition(".")[0] != room or name in LEFT:
            continue
        written = definitions(path).get(value.__name__)
        shown = inspect.cleandoc(value.__doc__ or "")
        if (written or "").strip() != shown.strip():
            wrong.append(f"{name}: {path.relative_to(PACKAGE)}")
    assert not wrong, "\n".join(wrong)
