"""NumPy's functions, differentiable: an Array API namespace (2024.12) whose functions take traced arrays.

    import scigrad.numpy as np

Names that are not ours are NumPy's own; plain `numpy` called on traced arrays comes here by NumPy's protocols.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from scigrad.autodiff_rules.trace import array_functions

from . import operators as _operators
from .arithmetic import *  # noqa: F403
from .assignment import *  # noqa: F403
from .comparison import *  # noqa: F403
from .complex_parts import *  # noqa: F403
from .conversion import *  # noqa: F403
from .conversion import astype_method
from .convolution import *  # noqa: F403
from .diagonals import *  # noqa: F403
from .einsum import *  # noqa: F403
from .indexing import *  # noqa: F403
from .joining import *  # noqa: F403
from .padding import *  # noqa: F403
from .products import *  # noqa: F403
from .rearrangement import *  # noqa: F403
from .reductions import *  # noqa: F403
from .selection import *  # noqa: F403
from .shaping import *  # noqa: F403
from .transcendental import *  # noqa: F403


def __getattr__(name: str) -> Any:
    try:
        return getattr(_numpy, name)
    except AttributeError:
        raise AttributeError(f"module 'scigrad.numpy' has no attribute {name!r}") from None


def __dir__() -> list[str]:
    return sorted({name for name in globals() if not name.startswith("_")} | set(dir(_numpy)))


_operators.install_operators(
    {
        "add": add, "sub": subtract, "mul": multiply, "truediv": divide, "floordiv": floor_divide, "mod": remainder, "matmul": matmul,
        "divmod": divmod, "pow": power, "and": bitwise_and, "or": bitwise_or, "xor": bitwise_xor, "lshift": left_shift,
        "rshift": right_shift, "eq": equal, "ne": not_equal, "lt": less, "le": less_equal, "gt": greater, "ge": greater_equal,
    },
    {"neg": negative, "pos": positive, "abs": absolute, "invert": invert},
)  # fmt: skip
_METHODS = (
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "astype", "choose", "clip", "compress", "conj", "conjugate", "copy",
    "cumprod", "cumsum", "diagonal", "dot", "max", "mean", "min", "nonzero", "prod", "ravel", "repeat", "reshape", "round",
    "searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "trace", "transpose", "var",
)  # fmt: skip
_operators.install_methods(
    {name: globals()[name] for name in _METHODS if name in globals()}
    | {
        "__getitem__": getitem,
        "astype": astype_method,
        "__iter__": lambda x: iter([x[i] for i in range(len(x))]),
        "flatten": lambda x, order="C": copy(ravel(x, order)),
        "tolist": _operators.refuse("tolist", "Iterate over the array, or index it: its elements stay traced."),
    },
    {"T": transpose, "mT": matrix_transpose, "real": real, "imag": imag},
)
array_functions["set_at"] = set_at
