"""scigrad: SciPy's linalg, fft, special, sparse and signal, differentiable, on NumPy and CuPy arrays.

    from scigrad import grad, linalg
    grad(lambda a: linalg.det(a))(matrix)

Rooms and transforms load when they are first used, so importing this package costs next to nothing.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_ROOMS = ("fft", "linalg", "numpy", "signal", "sparse", "special", "testing")
_CORE = (
    "DeviceMismatch", "GaugeError", "InPlaceError", "MissingKernel", "MissingRule", "TracedValueError",
    "checkpoint", "constant", "custom_rule", "differentiable", "elementwise", "eval_shape", "grad", "hessian", "hvp",
    "implicit", "jacfwd", "jacobian", "jacrev", "jvp", "kernel", "linear", "linearize", "multilinear", "stop_gradient",
    "value_and_grad", "vjp", "vmap",
)  # fmt: skip

__all__ = [*_ROOMS, *_CORE, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"scigrad.{name}")
    if name in _CORE:
        core = import_module("scigrad.autodiff_rules")
        import_module("scigrad.numpy")  # the operators and methods of traced values
        globals()[name] = value = getattr(core, name)
        return value
    raise AttributeError(f"module 'scigrad' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
