"""SciPy's linalg, fft, special, sparse and signal, differentiable, on NumPy and CuPy arrays.

    from scigrad import grad, linalg
    grad(linalg.det)(matrix)

Derivatives
    grad, value_and_grad       the gradient of a real loss, alone and with its value
    jvp, linearize             forward mode: the derivative in a direction
    vjp                        reverse mode: the pullback of a cotangent
    jacobian, jacfwd, jacrev   the Jacobian, by either mode
    hessian, hvp               second derivatives: the matrix, and its product with a vector
    stop_gradient, checkpoint  a constant; a function that is computed again instead of kept
Programs
    jit                        what a function does, recorded once in place of the next runs
    scan, fori_loop, while_loop, cond, switch   loops and branches with JAX's signatures
Other packages
    adopt, unadopt             packages written with NumPy and SciPy, differentiated as they are
Batches
    vmap, eval_shape           a function over an axis of its arguments; the shape of its result
Errors
    debug_nans                 a context in which the call that makes a NaN raises
    check_writes               a context in which arrays that a derivative needs are read-only
Devices
    on_host                    a context in which functions without a kernel run on the host
Rules of your own
    custom_rule, implicit      for a function that is not traced; for the solution of an equation
    elementwise, linear, multilinear, differentiable, constant, kernel
    register_container         a class whose attributes vary
Rooms
    numpy, linalg, fft, special, sparse, signal, optimize, testing
    math, cmath                of single numbers
Exceptions
    DeviceMismatch, GaugeError, InPlaceError, MissingKernel, MissingRule, TracedValueError
    DoesNotDependWarning, of a result that does not depend on an argument

Rooms and transforms are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import cmath, fft, linalg, math, numpy, optimize, signal, sparse, special, testing
    from .adoption import adopt, unadopt
    from .autodiff_rules import DeviceMismatch as DeviceMismatch
    from .autodiff_rules import DoesNotDependWarning as DoesNotDependWarning
    from .autodiff_rules import GaugeError as GaugeError
    from .autodiff_rules import InPlaceError as InPlaceError
    from .autodiff_rules import MissingKernel as MissingKernel
    from .autodiff_rules import MissingRule as MissingRule
    from .autodiff_rules import TracedValueError as TracedValueError
    from .autodiff_rules import (
        check_writes,
        checkpoint,
        constant,
        custom_rule,
        debug_nans,
        differentiable,
        elementwise,
        eval_shape,
        grad,
        hessian,
        hvp,
        implicit,
        jacfwd,
        jacobian,
        jacrev,
        jvp,
        kernel,
        linear,
        linearize,
        multilinear,
        register_container,
        stop_gradient,
        value_and_grad,
        vjp,
        vmap,
    )
    from .numpy.on_host import on_host as on_host
    from .programs import cond, fori_loop, jit, scan, switch, while_loop

__version__ = "0.1.0"

_ADOPTION = ("adopt", "unadopt")
_PROGRAMS = ("cond", "fori_loop", "jit", "scan", "switch", "while_loop")
_ROOMS = (
    "cmath", "fft", "linalg", "math", "numpy", "optimize", "signal", "sparse", "special", "testing",
)  # fmt: skip
# Public, but not in __all__: `help` prints the 80 inherited methods of every exception that is.
_EXCEPTIONS = (
    "DeviceMismatch",
    "DoesNotDependWarning",
    "GaugeError",
    "InPlaceError",
    "MissingKernel",
    "MissingRule",
    "TracedValueError",
)

__all__ = [
    "__version__", "adopt", "check_writes", "checkpoint", "cmath", "cond", "constant",
    "custom_rule", "debug_nans", "differentiable", "elementwise", "eval_shape", "fft", "fori_loop",
    "grad", "hessian", "hvp", "implicit", "jacfwd", "jacobian", "jacrev", "jit", "jvp", "kernel",
    "linalg", "linear", "linearize", "math", "multilinear", "numpy", "on_host", "optimize",
    "register_container", "scan", "signal", "sparse", "special", "stop_gradient", "switch",
    "testing", "unadopt", "value_and_grad", "vjp", "vmap", "while_loop",
]  # fmt: skip


if not TYPE_CHECKING:  # type checkers report a misspelt name only if there is no __getattr__

    def __getattr__(name: str) -> Any:
        if name in _ROOMS:
            return import_module(f"scigrad.{name}")
        if name in _PROGRAMS:
            return getattr(import_module("scigrad.programs"), name)
        if name in _ADOPTION:
            return getattr(import_module("scigrad.adoption"), name)
        if name == "on_host":
            return import_module("scigrad.numpy.on_host").on_host
        if name in _EXCEPTIONS or name in __all__:
            core = import_module("scigrad.autodiff_rules")
            import_module("scigrad.numpy")  # the operators and methods of traced values
            globals()[name] = value = getattr(core, name)
            return value
        return import_module("scigrad.autodiff_rules.messages.public_names").public_names(
            __name__, __dir__()
        )[0](name)


def __dir__() -> list[str]:
    return sorted([*__all__, *_EXCEPTIONS])
