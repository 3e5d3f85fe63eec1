"""Chebyshev polynomials of the third and fourth kind (DLMF 18.3), which SciPy lacks, as Jacobi
polynomials.
"""

from typing import Any

from scigrad.autodiff_rules.docstrings import completed_by

from .beta import binom
from .documentation import arguments, of_degree, with_example
from .orthogonal_polynomials import eval_jacobi
from .ufuncs import read

_TEXT = """Evaluate the {which}Chebyshev polynomial of the {kind} kind.

``{f}((n + 1/2) theta)/{f}(theta/2)`` where ``cos(theta) = {argument}``. Derivatives are those of
`eval_jacobi`.

Notes
-----
PyTorch has it as ``torch.special.{theirs}``.

At 3, 0.4: {value}, derivative {slope} in x.
"""


def _polynomial(name: str, alpha: float, shifted: bool, **text: Any) -> Any:
    def polynomial(n, x):
        """Return P_n^(alpha, -alpha) by its value at 1 for alpha = -1/2."""
        n, x = read(n, x)
        p = eval_jacobi(n, alpha, -alpha, 2 * x - 1 if shifted else x)
        return p / binom(n - 0.5, n).astype(p.dtype)

    kind, f = ("third", "cos") if alpha < 0 else ("fourth", "sin")
    which, argument = ("shifted ", "2 x - 1") if shifted else ("", "x")
    theirs = f"{'shifted_' if shifted else ''}chebyshev_polynomial_{name[-1]}"
    polynomial.__name__ = polynomial.__qualname__ = name
    polynomial.__doc__ = _TEXT.format(
        which=which, kind=kind, f=f, argument=argument, theirs=theirs, **text
    )
    return completed_by(of_degree, arguments)(with_example(polynomial))


eval_chebyv = _polynomial("eval_chebyv", -0.5, False, value=-0.728, slope=-3.36)
eval_chebyw = _polynomial("eval_chebyw", 0.5, False, value=-1.448, slope=3.04)
eval_sh_chebyv = _polynomial("eval_sh_chebyv", -0.5, True, value=1.576, slope=-2.88)
eval_sh_chebyw = _polynomial("eval_sh_chebyw", 0.5, True, value=-0.104, slope=-9.28)

__all__ = ["eval_chebyv", "eval_chebyw", "eval_sh_chebyv", "eval_sh_chebyw"]
