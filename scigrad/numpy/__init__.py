"""NumPy's functions, differentiable: an Array API namespace (2024.12) whose functions take traced
arrays.

    import scigrad.numpy as np

Names that are not ours are NumPy's own; plain `numpy` called on traced arrays comes here by NumPy's
protocols.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

import numpy as _numpy

if _TYPE_CHECKING:  # what ours do not replace
    from numpy import *  # pyright: ignore[reportWildcardImportFromLibrary]

from scigrad.autodiff_rules import Primitive as _Primitive
from scigrad.autodiff_rules.messages.public_names import collect_names as _collected
from scigrad.autodiff_rules.messages.public_names import public_names as _public_names

from . import methods, protocols
from .application import *
from .arithmetic import *
from .assignment import *
from .calculus import *
from .comparison import *
from .complex_parts import *
from .conversion import *
from .convolution import *
from .counting import *
from .covariance import *
from .creation import *  # pyright: ignore[reportGeneralTypeIssues]
from .cumulative import *
from .diagonals import *
from .einsum import *
from .indexing import *
from .inspection import *
from .joining import *  # pyright: ignore[reportGeneralTypeIssues]
from .order_statistics import *
from .padding import *
from .polynomial_roots import *
from .polynomials import *
from .products import *
from .rearrangement import *
from .reductions import *
from .selection import *
from .sequences import *
from .shaping import *
from .sorting import *
from .taking import *
from .transcendental import *
from .truth_values import *

# Ufuncs with a rule are ours, wherever NumPy says that they come from.
for _value in list(globals().values()):
    if isinstance(_value, _Primitive) and isinstance(_value.kernel, _numpy.ufunc):
        _value.__module__ = __name__

__all__ = sorted({*_numpy.__all__, *_collected(__name__)})  # pyright: ignore[reportUnsupportedDunderAll]


_absent, __dir__ = _public_names(__name__, [*__all__, "__array_api_version__"])


if not _TYPE_CHECKING:  # type checkers report a misspelt name only if there is no __getattr__

    def __getattr__(name: str) -> _Any:
        return getattr(_numpy, name) if hasattr(_numpy, name) else _absent(name)
