"""The autodiff core: knows no domain, imports only NumPy and optree."""

from .backends import kernel
from .containers import inner, register_container
from .custom import checkpoint, custom_rule, implicit, stop_gradient
from .declare import differentiable, linear, multilinear
from .graph import check_writes
from .messages.callers import warn
from .messages.errors import (
    DeviceMismatch,
    DoesNotDependWarning,
    GaugeError,
    InPlaceError,
    MissingKernel,
    MissingRule,
    TracedValueError,
)
from .messages.nans import debug_nans
from .partials import constant, elementwise
from .primitive import Primitive
from .spaces import (
    Space,
    count_axis_from_end,
    materialize,
    namespace_of,
    project,
    shape_of,
    space,
    zeros,
)
from .trace import ZERO, Traced, concrete, raw
from .transforms import (
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
)
from .vectorize import eval_shape, vmap

__all__ = [
    "ZERO", "DeviceMismatch", "DoesNotDependWarning", "GaugeError", "InPlaceError",
    "MissingKernel", "MissingRule",
    "Primitive", "Space", "Traced", "TracedValueError", "check_writes", "checkpoint", "concrete",
    "constant", "custom_rule", "debug_nans", "differentiable", "elementwise", "eval_shape",
    "count_axis_from_end", "grad", "hessian", "hvp", "implicit", "inner", "jacfwd", "jacobian",
    "jacrev", "jvp", "kernel", "linear", "linearize", "materialize", "multilinear", "namespace_of",
    "project", "raw", "register_container", "shape_of", "space", "stop_gradient", "value_and_grad",
    "vjp", "vmap", "warn", "zeros",
]  # fmt: skip
