"""Linear systems solved by iteration, differentiated through the equation that they solve.

A x = b gives A x' = b' - A' x, and w = A^-H g gives b_bar = w, A_bar = -w x^H, of which the
parameters of A take their part. Both are solved by the method that found x, with A^H and the
adjoint of its preconditioner in the second case. The reverse pass keeps only the solution, whatever
the number of iterations.
"""

from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import (
    ZERO,
    MissingRule,
    Traced,
    jvp,
    kernel,
    namespace_of,
    raw,
    stop_gradient,
    vjp,
)
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.containers import flatten, holds_traced, map_leaves
from scigrad.autodiff_rules.custom import attach_rules
from scigrad.autodiff_rules.messages.errors import missing_kernel
from scigrad.autodiff_rules.spaces import is_inexact
from scigrad.numpy.devices import on_host
from scigrad.numpy.joining import assemble
from scigrad.numpy.transcendental import magnitude
from scigrad.typing import Array

from ..array.pattern import is_sparse
from ..loops import call_library_on_containers
from .conjugate_gradients import conjugate_gradients
from .operators import adjoint_of, apply_operator, call_with_constants, operator_of

HERMITIAN = ("cg", "minres")  # methods for A = A^H
PRECONDITIONERS = ("M", "M1", "M2")
# SciPy's residuals are those of x, if the iteration starts at 0; those of other methods drift
_SOUND = ("cg", "gmres", "lgmres")
_STATE = {"callback": None, "outer_v": None, "CU": None, "show": False}  # what is of one solve only


class Convergence(NamedTuple):
    """Record of an iterative solution, returned with return_info=True in place of SciPy's
    number.
    """

    info: Any
    """0: converged; n > 0: not within n iterations; n < 0: broke down, or the input is not what the
    method takes
    """
    iterations: Any
    residuals: Any
    """norm of b - A x at the start and after each iteration, along the last axis (gmres: of the
    preconditioned residual)
    """

    @property
    def reason(self) -> Any:
        """Return `info` in words."""
        texts = [
            "converged"
            if code == 0
            else f"not converged in {code} iterations"
            if code > 0
            else "broke down"
            for code in np.ravel(on_host(raw(self.info)))
        ]
        return texts[0] if len(texts) == 1 else texts


def solve_iteratively(method: str, **given: Any) -> tuple[Any, Any]:
    """Return the solution and SciPy's number (or the record) for the arguments of one of SciPy's
    methods.
    """
    settings = dict(given)
    A, b, x0, return_info, rtol = (
        settings.pop(name) for name in ("A", "b", "x0", "return_info", "adjoint_rtol")
    )
    require_host(f"sparse.linalg.{method}", **settings, adjoint_rtol=rtol)
    atol = settings.get("atol", 0.0)
    if atol is None or isinstance(atol, str) or atol < 0:
        raise ValueError(
            f"{method} called with invalid atol={atol!r}; it has to be a real, non-negative number."
        )
    operators = [A, *(settings.get(name) for name in PRECONDITIONERS)]
    plain = not (
        return_info
        or any(callable(v) and not hasattr(v, "matvec") for v in operators)
        or library(A, b) != "numpy"
        or holds_traced((b, x0, *operators))
    )
    if plain and x0 is None and method in _SOUND:
        return call_with_constants(method, _library_method(method, b), A, b, **settings)
    settings |= {
        name: as_working_dtype(settings[name])
        for name in PRECONDITIONERS
        if settings.get(name) is not None
    }
    A = as_working_dtype(A)
    settings |= {
        "return_info": return_info,
        "adjoint_rtol": settings["rtol"] if rtol is None else rtol,
    }
    x, record = implicit_solution(method, A, b, x0, settings, plain)
    return x, record if return_info else record.info


def as_working_dtype(x: Any) -> Any:
    """Return an array in double precision if it is of integers, half or extended precision, for
    which the solvers have no arithmetic.
    """
    x = x if hasattr(x, "matvec") or callable(x) else assemble(x)
    # products of np.matrix would be matrices
    x = np.asarray(x) if isinstance(x, np.matrix) else x
    if hasattr(raw(x), "to_delayed"):
        raise TypeError(
            "a Dask array has no derivative here: give a LinearOperator with products by its blocks"
        )
    if not hasattr(x, "astype") or x.dtype.char in "fdFD":
        return x
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def require_host(function: str, *values: Any, **constants: Any) -> None:
    """Refuse arrays on a device, whose library has another function under this name, and traced
    options.
    """
    found = library(*(raw(x) for x in flatten(values)[0]))
    if found != "numpy":
        raise missing_kernel(function, found)
    for name in [
        name
        for name, x in constants.items()
        if isinstance(x, Traced) and name not in PRECONDITIONERS
    ]:
        raise MissingRule(
            f"{function}: {name} is traced, and has to be constant: a number, or "
            f"scigrad.stop_gradient({name})."
        )


def implicit_solution(
    method: str, A: Any, b: Any, x0: Any, settings: dict[str, Any], plain: bool = False
) -> tuple[Any, Convergence]:
    """Solve A x = b; differentiable in what varies in A, and in b, unless all is plain."""
    b = as_vector("b", b, A)
    if method == "minres" and b.dtype.kind == "c":
        raise ValueError(
            "minres: SciPy's iteration drops the imaginary parts of complex numbers. gmres takes "
            "them."
        )
    given = {
        n: operator_of(settings[n], b.shape[0], b.dtype)
        for n in PRECONDITIONERS
        if settings.get(n) is not None
    }
    for name, M in given.items():
        if tuple(M.shape) != (b.shape[0],) * 2:
            raise ValueError(
                f"matrix and preconditioner have different shapes: {name} is {tuple(M.shape)}, b "
                f"{b.shape}"
            )
    A, settings = operator_of(A, b.shape[0], b.dtype), settings | given
    x0 = _first_guess(x0, A, b, settings.get("M"))
    if plain:
        x, info, *record = call_with_constants(method, _by_library, method, A, b, x0, settings)
        return x, Convergence(int(info), *record)
    (a, operator), (m, preconditioners) = (
        parameters(A),
        parameters({n: settings.get(n) for n in PRECONDITIONERS}),
    )
    equation = _Equation(method, operator, preconditioners, settings)
    constants = map_leaves(stop_gradient, x0), map_leaves(stop_gradient, m)
    x, *record = declare_solution(equation)(a, b, *constants)
    return x, Convergence(*map(stop_gradient, record))


def declare_solution(equation: Any) -> Any:
    """Return what an equation solves as a function with its rules, under the name of the method in
    messages.
    """

    def solve(*args: Any) -> Any:
        return equation.solved(*args)

    solve.__name__ = f"sparse.linalg.{equation.method}"
    return attach_rules(solve, equation.forward, equation.reverse)


class _Equation(NamedTuple):
    """A x = b as a function of what varies in A, b and the preconditioners, with its two rules."""

    method: str
    operator: Any
    preconditioners: Any
    settings: dict[str, Any]

    def solved(self, a: Any, b: Any, x0: Any, m: Any) -> tuple[Any, ...]:
        if self.method == "cg":
            return conjugate_gradients(
                self.operator(a), self.preconditioners(m)["M"], b, x0, self.settings
            )

        def run(a: Any, b: Any, x0: Any, m: Any) -> Any:
            settings = self.settings | self.preconditioners(m)
            return call_with_constants(
                self.method, _by_library, self.method, self.operator(a), b, x0, settings
            )

        return call_library_on_containers(run, a, b, x0, m)

    def forward(self, args: Any, out: Array, t: Any) -> Any:
        a, right = args[0], t[1]
        if t[0] is not ZERO and a:
            right = right - jvp(lambda a: self._applied(a, out[0]), (a,), (t[0],))[1]
        return self._again(args, out, right, False), *(ZERO for _ in out[1:])

    def reverse(self, args: Any, out: Array, g: Any) -> Any:
        a, w = args[0], self._again(args, out, g[0], True)
        return vjp(lambda a: self._applied(a, out[0]), a)[1](-w)[0] if a else None, w, None, None

    def _applied(self, a: Any, x: Any) -> Any:
        found = apply_operator(self.operator(a), x)
        return found - self.settings["shift"] * x if "shift" in self.settings else found

    def _again(self, args: Any, out: Array, right: Any, adjoint: bool) -> Any:
        require_convergence(self.method, out[0], out[1])
        A, given = self.operator(args[0]), self.settings | self.preconditioners(args[3])
        hermitian = self.method in HERMITIAN
        if adjoint and not hermitian:
            # (M1 M2)^H = M2^H M1^H
            given |= {n: adjoint_of(given[m]) for n, m in (("M", "M"), ("M1", "M2"), ("M2", "M1"))}
        if adjoint and (not hermitian or args[0]):  # A = A^H, but not as functions of the entries
            A = adjoint_of(A)
        return _derivative_solution(self.method, A, right, given)


def parameters(operator: Any) -> tuple[list[Any], Any]:
    """Return what may vary in an operator (nothing of a function or a LinearOperator), and the
    operator as a function of it.
    """
    leaves, tree = flatten(operator)
    vary = [is_inexact(x) and not hasattr(x, "matvec") for x in leaves]

    def put(values: list[Any]) -> Any:
        new = iter(values)
        return tree.unflatten(
            [next(new) if varies else x for varies, x in zip(vary, leaves, strict=True)]
        )

    return [x for varies, x in zip(vary, leaves, strict=True) if varies], put


def as_vector(name: str, v: Any, A: Any) -> Any:
    """Return v as a floating-point vector that fits a square A."""
    if v is None:
        return None
    if is_sparse(v):
        raise ValueError(
            f"{name} has to be dense, not a sparse array of shape {tuple(v.shape)}: "
            f"{name}.toarray()"
        )
    v = as_working_dtype(v)
    shape = tuple(A.shape) if hasattr(A, "shape") else (v.shape[0],) * 2 if v.shape else ()
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"expected square matrix, but got shape={shape}")
    if tuple(v.shape) not in ((shape[0],), (shape[0], 1)):
        raise ValueError(f"shapes of A {shape} and {name} {tuple(v.shape)} are incompatible")
    dtype = np.result_type(v.dtype, getattr(A, "dtype", None) or v.dtype)
    v = v if v.dtype == dtype else v.astype(dtype)
    return v if len(v.shape) == 1 else v[:, 0]


def _first_guess(x0: Any, A: Any, b: Any, M: Any) -> Any:
    """Return the initial guess in the dtype of the solution, on which it has no influence."""
    if isinstance(x0, str):
        if x0 != "Mb":
            raise ValueError(f'x0 must be an array, None or "Mb", not {x0!r}')
        x0 = apply_operator(M, b)
    x0 = as_vector("x0", x0, A)
    return x0 if x0 is None else (x0 if b.dtype.kind == "c" else x0.real).astype(b.dtype)


def _by_library(method: str, A: Any, b: Any, x0: Any, settings: dict[str, Any]) -> tuple[Any, ...]:
    """Return solution, info, iterations and residuals of one system of plain values, those of each
    step with `return_info`. Where info is 0, x solves the system.
    """
    given = _arguments_of_library(method, settings)
    own, product = settings["callback"], getattr(A, "matvec", lambda x: A @ x)
    dtype, limit = b.dtype, np.linalg.norm(b)
    if method == "gcrotmk":  # SciPy's goes on below the precision of b, to infinity
        b = b.astype(np.result_type(b, np.float64))
    remainder = lambda x: b - product(x) + settings.get("shift", 0) * x  # noqa: E731
    rest = b if x0 is None else remainder(x0)
    # a guess that is worse than 0 takes digits from the solution
    x0, rest = (None, b) if on_host(np.linalg.norm(rest) >= limit) else (x0, rest)
    norms = [np.linalg.norm(rest)]
    solve, matrix, finished = _library_method(method, b), A, lambda x: x
    if method in ("minres", "tfqmr"):
        matrix, finished = _equation_of_step(A, x0, given)
        x0 = None

    def record(state: Any) -> None:
        if np.ndim(state):
            state = finished(state)
        if settings["return_info"]:
            norms.append(np.linalg.norm(remainder(state)) if np.ndim(state) else state * norms[0])
        if own:
            own(state)

    if own or settings["return_info"]:
        given["callback"] = record
    x, info = solve(matrix, b if x0 is not None else rest, x0, **_as_operators(given))
    x = finished(x)
    rest, x = remainder(x), x.astype(dtype, copy=False)
    size = float(on_host(np.linalg.norm(rest)))
    if not np.all(on_host(np.isfinite(rest))):
        x = np.full_like(x, np.nan)
    elif size > 1e3 * max(settings["rtol"] * float(on_host(limit)), settings.get("atol", 0)):
        # minres of a singular A finds something else than x, and SciPy's says 0
        info = info or -1
    home = namespace_of(x)
    return x, home.asarray(info), home.asarray(len(norms) - 1), np.stack(norms)


def _arguments_of_library(method: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that a library's method knows."""
    left_out = {
        "return_info",
        "adjoint_rtol",
        *(n for n in PRECONDITIONERS if settings.get(n) is None),
    }
    given = {name: value for name, value in settings.items() if name not in left_out}
    if settings["return_info"] and method == "gmres" and not given["callback_type"]:
        given["callback_type"] = "pr_norm"
    return given


def _equation_of_step(A: Any, x0: Any, given: dict[str, Any]) -> tuple[Any, Any]:
    """Return the matrix of the equation for y in x = x0 + M y, and x as a function of y.

    SciPy's minres leaves the shift out of the residual of x0. Its tfqmr multiplies A by M from the
    left, but the residual and the steps are those of a product from the right.
    """
    if "shift" in given or "M" not in given:
        return A, lambda y: y if x0 is None else x0 + y
    M = kernel("sparse.linalg.aslinearoperator")(given.pop("M"))
    A = kernel("sparse.linalg.aslinearoperator")(A) @ M
    return A, lambda y: M.matvec(y) if x0 is None else x0 + M.matvec(y)


def _library_method(name: str, b: Any) -> Any:
    """Return the method of the library of b; CuPy's minres has SciPy's former name of the
    tolerance, and does not print.
    """
    run = kernel(f"sparse.linalg.{name}")
    if name != "minres" or namespace_of(b) is np:
        return run
    return lambda *args, rtol, show=False, **rest: run(
        *args, tol=rtol, **rest, **({"show": True} if show else {})
    )


def _as_operators(given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with operators in place of the matrices M1 and M2, for which SciPy's qmr
    asks, both or none.
    """
    present = [given[n] for n in ("M1", "M2") if given.get(n) is not None]
    if not present:
        return given
    operator = kernel("sparse.linalg.aslinearoperator")
    one = kernel("sparse.eye_array")(*present[0].shape)
    return given | {n: operator(given.get(n, one)) for n in ("M1", "M2")}


def _derivative_solution(method: str, A: Any, right: Any, settings: dict[str, Any]) -> Any:
    """Return A^-1 right for a derivative, to the tolerance that is set for it."""
    state = {name: value for name, value in (_STATE | {"atol": 0.0}).items() if name in settings}
    settings = settings | state | {"rtol": settings["adjoint_rtol"], "return_info": False}
    # the methods take norms, the squares of which overflow, and break down at products below eps^2:
    # the right-hand side is scaled
    size = magnitude(right)
    x, record = implicit_solution(method, A, right / size, None, settings)
    require_convergence(method, x, record.info, "the solve that gives its derivative ")
    return x * size


def require_convergence(method: str, x: Any, info: Any, what: str = "the solve ") -> None:
    """Raise where x is finite and no solution; a derivative there would be wrong. NaN stays NaN."""
    if np.any(on_host(raw((info != 0) & np.isfinite(stop_gradient(x)).all(axis=-1)))):
        advice = (
            "Raise the limit of iterations, give a better preconditioner, or set "
            "adjoint_rtol, the tolerance of derivatives."
        )
        raise np.linalg.LinAlgError(
            f"{method}: {what}did not converge, so that there is no derivative. {advice}"
        )


__all__ = ["parameters", "implicit_solution", "solve_iteratively", "as_vector"]
