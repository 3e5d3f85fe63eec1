"""The libraries that compile programs, behind the same names: a program is written once, as a
function that a library is passed to, with NumPy's functions in `library.xp` and `library.scan` as
its loop. Each builder returns the call that is measured: the value and the gradient by all
arguments, the Hessian by the first, or the value.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from . import THREADS
from .harness import Run

Wanted = Literal["gradient", "hessian", "value"]
Function = Callable[..., Any]
Scan = Callable[[Callable[..., Any], Any, Any], Any]


@dataclass(frozen=True)
class Library:
    """NumPy's functions, those beyond NumPy, and a loop: `scan(step, carry, rows)` returns the last
    carry, a tuple, of `carry = step(carry, row)`.
    """

    xp: Any
    scan: Scan
    expm: Any = None
    lfilter: Any = None
    logsumexp: Any = None
    softmax: Any = None
    gammaln: Any = None
    array: Any = np.asarray


@dataclass(frozen=True)
class Program:
    """A function of arrays, and what of it is computed."""

    title: str
    of_library: Callable[[Library], Function]
    arguments: tuple[np.ndarray, ...]
    wanted: Wanted = "gradient"

    @property
    def places(self) -> tuple[int, ...]:
        return tuple(range(len(self.arguments)))


def python_loop(step: Callable[..., Any], carry: Any, rows: Any) -> Any:
    for row in rows:
        carry = step(carry, row)
    return carry


# -- scigrad


def scigrad_function(program: Program) -> tuple[Any, Any]:
    """Return what is computed, and the function itself."""
    from scigrad import hessian, linalg, numpy, signal, special, value_and_grad

    library = Library(
        numpy,
        python_loop,
        linalg.expm,
        signal.lfilter,
        special.logsumexp,
        special.softmax,
        special.gammaln,
    )

    f = program.of_library(library)
    if program.wanted == "gradient":
        return value_and_grad(f, program.places), f
    return (hessian(f) if program.wanted == "hessian" else f), f


def scigrad_eager(program: Program) -> Run:
    f, _ = scigrad_function(program)
    return lambda: f(*program.arguments)


def scigrad_jit(program: Program) -> Run:
    from scigrad import jit

    f = jit(scigrad_function(program)[0])
    return lambda: f(*program.arguments)


def scigrad_gradient_of_jit(program: Program) -> Run:
    from scigrad import jit, value_and_grad

    f = value_and_grad(jit(scigrad_function(program)[1]), program.places)
    return lambda: f(*program.arguments)


# -- JAX


def jax_function(program: Program) -> Any:
    import jax
    import jax.numpy as jnp

    from .recursive_filter import jax_lfilter

    def scan(step: Callable[..., Any], carry: Any, rows: Any) -> Any:
        carry = tuple(jnp.asarray(x) for x in carry)
        return jax.lax.scan(lambda carry, row: (step(carry, row), None), carry, rows)[0]

    library = Library(
        jnp,
        scan,
        jax.scipy.linalg.expm,
        jax_lfilter,
        jax.scipy.special.logsumexp,
        jax.nn.softmax,
        jax.scipy.special.gammaln,
        jnp.asarray,
    )
    return program.of_library(library)


def jax_call(f: Any, program: Program) -> Run:
    import jax

    arguments = [jax.numpy.asarray(x) for x in program.arguments]
    return lambda: jax.block_until_ready(f(*arguments))


def jax_jit(program: Program) -> Run:
    import jax

    f = jax_function(program)
    if program.wanted == "gradient":
        f = jax.value_and_grad(f, program.places)
    if program.wanted == "hessian":
        f = jax.hessian(f)
    return jax_call(jax.jit(f), program)


def jax_gradient_of_jit(program: Program) -> Run:
    import jax

    return jax_call(jax.value_and_grad(jax.jit(jax_function(program)), program.places), program)


# -- torch, eager


def torch_eager(program: Program) -> Run:
    import torch

    torch.set_num_threads(THREADS)

    def scan(step: Callable[..., Any], carry: Any, rows: Any) -> Any:
        carry = tuple(torch.as_tensor(x) for x in carry)
        return python_loop(step, carry, torch.as_tensor(rows))

    library = Library(
        torch,
        scan,
        expm=torch.linalg.matrix_exp,
        logsumexp=lambda x: torch.logsumexp(x, 0),
        softmax=lambda x: torch.softmax(x, 0),
        gammaln=torch.lgamma,
        array=torch.from_numpy,
    )
    f, arguments = program.of_library(library), [torch.from_numpy(x) for x in program.arguments]
    if program.wanted == "hessian":
        return lambda: torch.autograd.functional.hessian(f, arguments[0], vectorize=True)
    if program.wanted == "value":
        return lambda: f(*arguments)

    def run() -> tuple[Any, Any]:
        inputs = [x.detach().requires_grad_() for x in arguments]
        value = f(*inputs)
        return value.detach(), torch.autograd.grad(value, inputs)

    return run


# -- CasADi, called with arrays


class CasADiNames:
    """NumPy's names for CasADi's functions of matrices; a vector is a column."""

    def __init__(self) -> None:
        import casadi

        self.sin, self.exp, self.log, self.diag = casadi.sin, casadi.exp, casadi.log, casadi.diag
        self.linalg, self.solve, self.sum = self, casadi.solve, casadi.sum1

    def stack(self, parts: Sequence[Any]) -> Any:
        import casadi

        return casadi.vertcat(*parts)


def casadi_arrays(program: Program) -> Run:
    """Expressions of scalars, loops unrolled: its virtual machine runs these the fastest."""
    import casadi

    library = Library(CasADiNames(), python_loop)
    symbols = [casadi.SX.sym("x", *x.shape) for x in program.arguments]
    value = program.of_library(library)(*symbols)
    if program.wanted == "gradient":
        results = [value, *(casadi.gradient(value, x) for x in symbols)]
    else:
        results = [casadi.hessian(value, symbols[0])[0] if program.wanted == "hessian" else value]
    f = casadi.Function("program", symbols, results)

    def run() -> Any:
        found = f(*program.arguments)
        return [x.full() for x in found] if isinstance(found, tuple) else found.full()

    return run


# -- PyTensor, in Numba's mode


def pytensor_scan(step: Callable[..., Any], carry: Any, rows: Any) -> Any:
    import pytensor
    import pytensor.tensor as pt

    carry = [pt.as_tensor(x) for x in carry]
    found = pytensor.scan(
        lambda row, *carry: list(step(carry, row)),
        sequences=[pt.as_tensor(rows)],
        outputs_info=carry,
        return_updates=False,
    )
    return tuple(x[-1] for x in (found if isinstance(found, list) else [found]))


def pytensor_numba(program: Program) -> Run:
    import pytensor
    import pytensor.tensor as pt

    library = Library(
        pt, pytensor_scan, logsumexp=pt.logsumexp, softmax=pt.special.softmax, gammaln=pt.gammaln
    )
    symbols = [pt.tensor(dtype=x.dtype, shape=x.shape) for x in program.arguments]
    value = program.of_library(library)(*symbols)
    if program.wanted == "gradient":
        results = [value, *pytensor.grad(value, symbols)]
    else:
        results = (
            pytensor.gradient.hessian(value, symbols[0]) if program.wanted == "hessian" else value
        )
    f = pytensor.function(symbols, results, mode="NUMBA")
    return lambda: f(*program.arguments)


# -- first calls, and agreement


def first_call(build: Callable[[Program], Run], program: Program) -> Run:
    """Each call makes the function anew and calls it once."""
    return lambda: build(program)()


def flat(result: Any) -> list[np.ndarray]:
    """Return the arrays of a result in their order, as vectors."""
    if isinstance(result, list | tuple):
        return [array for part in result for array in flat(part)]
    return [np.asarray(result).ravel()]


def check_against(reference: str, tolerance: float) -> Callable[[dict[str, Any]], None]:
    """Hold every result to that of one contender, by the largest number of each array."""

    def check(results: dict[str, Any]) -> None:
        for name, result in results.items():
            for found, expected in zip(flat(result), flat(results[reference]), strict=True):
                np.testing.assert_allclose(
                    found, expected, rtol=0, atol=tolerance * abs(expected).max(), err_msg=name
                )

    return check
