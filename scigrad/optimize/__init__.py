"""Solutions of equations and minima, as functions of what they depend on: scipy.optimize.

Values are SciPy's; derivatives follow from the equation that a solution fulfils, also by values
that the functions close over.

Roots of one variable
    root_scalar, bisect, brentq, brenth, newton, ridder, toms748
Systems of equations
    root, fsolve, fixed_point
Minima
    minimize, minimize_scalar, linprog
Fits
    least_squares, curve_fit
Bounds, constraints and results of SciPy
    Bounds, LinearConstraint, NonlinearConstraint, OptimizeResult, OptimizeWarning, RootResults
"""

from typing import TYPE_CHECKING

from scigrad.autodiff_rules.messages.public_names import collect_names, public_names

from .least_squares import *
from .linear_programs import *
from .minima import *
from .scalar_roots import *
from .systems import *

if TYPE_CHECKING:  # SciPy's own objects, found when asked for
    from scipy.optimize import (
        Bounds,
        LinearConstraint,
        NonlinearConstraint,
        OptimizeResult,
        OptimizeWarning,
        RootResults,
    )

__all__ = [
    "Bounds",
    "LinearConstraint",
    "NonlinearConstraint",
    "OptimizeResult",
    "OptimizeWarning",
    "RootResults",
]
_SCIPYS = tuple(__all__)
__all__ += collect_names(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # type checkers report a misspelt name only if there is no __getattr__
    __getattr__, __dir__ = public_names(__name__, __all__, _SCIPYS)
