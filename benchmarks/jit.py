"""Programs that are recorded or compiled once and called often: chains of small operations, small
systems of equations, Hessians, loops of hundreds of steps, and a few large arrays. JAX writes the
loops as `scan`; first calls are measured as well. The machine that Numba compiles once for an
installation is not part of a first call.
"""

from functools import partial
from typing import Any

import numpy as np

from . import libraries
from .harness import Bar, Subject
from .libraries import Function, Library, Program
from .mixed_program import NOISE, OBSERVATION, START, TRANSITION, UNCERTAINTY
from .recursive_filter import SHORT, G, X
from .recursive_filter import A as DENOMINATOR
from .recursive_filter import B as NUMERATOR

random = np.random.default_rng(0)
SMALL, LARGE = random.uniform(0.5, 1.5, 100), random.standard_normal(1_000_000)
READINGS = random.standard_normal((500, 2)).cumsum(axis=0)
CONTROLS = random.standard_normal((50, 1))
DRIFT = random.standard_normal((4, 4)) + 1j * random.standard_normal((4, 4))
DRIFT, COUPLING = DRIFT + DRIFT.conj().T, random.standard_normal((4, 4)) * (1 + 0j)
COUPLING = COUPLING + COUPLING.T
GROUND = np.eye(4, dtype=complex)[0]
SYSTEM = random.standard_normal((100, 100)) + 10 * np.eye(100)
STEPS = np.zeros((200, 1))
BUDGET = 3.0  # seconds a row: there are many


# -- programs


# Each takes a library and returns a function of arrays alone, as a user writes it: what a function
# uses besides its arguments is looked at in each call of a program.


def chain(library: Library) -> Function:
    xp = library.xp

    def f(x: Any) -> Any:
        for _ in range(10):
            x = xp.sin(x) * 1.1 + 0.5
        return xp.sum(x)

    return f


def squares_of_solution(library: Library) -> Function:
    xp = library.xp
    return lambda a, b: xp.sum(xp.linalg.solve(a, b) ** 2)


def rosenbrock(library: Library) -> Function:
    xp = library.xp
    return lambda x: xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def control(library: Library) -> Function:
    """Probability of the first excited state after 50 pulses."""
    xp, scan, expm = library.xp, library.scan, library.expm
    drift, coupling = library.array(DRIFT), library.array(COUPLING)

    def step(carry: Any, row: Any) -> Any:
        (state,) = carry
        return (expm(-0.1j * (drift + row[0] * coupling)) @ state,)

    def f(controls: Any) -> Any:
        (state,) = scan(step, (GROUND,), controls)
        return xp.abs(state[1]) ** 2

    return f


def kalman(library: Library) -> Function:
    """Minus the logarithm of the likelihood of 500 readings."""
    xp, scan = library.xp, library.scan

    def f(transition: Any, observation: Any, noise: Any) -> Any:
        process, sensors = xp.diag(xp.exp(noise[:4])), xp.diag(xp.exp(noise[4:]))

        def step(carry: Any, reading: Any) -> Any:
            state, covariance, total = carry
            state = transition @ state
            covariance = transition @ covariance @ transition.T + process
            innovation = reading - observation @ state
            spread = observation @ covariance @ observation.T + sensors
            gain = xp.linalg.solve(spread, observation @ covariance).T
            state = state + gain @ innovation
            covariance = covariance - gain @ observation @ covariance
            determinant = spread[0, 0] * spread[1, 1] - spread[0, 1] * spread[1, 0]
            misfit = xp.sum(innovation * xp.linalg.solve(spread, innovation))
            return state, covariance, total + misfit + xp.log(determinant)

        return scan(step, (START, UNCERTAINTY, np.zeros(())), READINGS)[2]

    return f


def runge_kutta(library: Library) -> Function:
    """A damped pendulum beside an oscillator."""
    xp, scan, h = library.xp, library.scan, 0.01

    def slope(p: Any, x: Any) -> Any:
        return xp.stack([x[1], -p[0] * xp.sin(x[0]) - p[1] * x[1], x[3], -p[0] * x[2]])

    def f(p: Any, x: Any) -> Any:
        def step(carry: Any, _: Any) -> Any:
            (x,) = carry
            k1 = slope(p, x)
            k2 = slope(p, x + h / 2 * k1)
            k3 = slope(p, x + h / 2 * k2)
            k4 = slope(p, x + h * k3)
            return (x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4),)

        return xp.sum(scan(step, (x,), STEPS)[0] ** 2)

    return f


def filtered(library: Library) -> Function:
    lfilter, weights = library.lfilter, library.array(G[:SHORT])
    return lambda b, a, x: lfilter(b, a, x) @ weights


def squares_of_softmax(library: Library) -> Function:
    xp, softmax = library.xp, library.softmax
    return lambda x: xp.sum(softmax(x) ** 2)


def sum_of_gammaln(library: Library) -> Function:
    xp, gammaln = library.xp, library.gammaln
    return lambda x: xp.sum(gammaln(x))


# -- what is measured

EVERYWHERE = "torch", "casadi", "pytensor"
PENDULUM = np.array([1.0, 0.1]), np.array([1.0, 0.0, 0.5, 0.2])
MODEL = TRANSITION, OBSERVATION, NOISE
SYSTEM_2 = np.array([[2.0, 1.0], [0.5, 3.0]]), np.ones(2)
ROWS = {  # a program, its bar as a ratio to JAX, the peers beside JAX
    "chain_100": (Program("31 operations on 100 numbers", chain, (SMALL,)), 0.45, EVERYWHERE),
    "solve_2": (
        Program("solve, 2 x 2, of the sum of squares", squares_of_solution, SYSTEM_2),
        0.3,
        EVERYWHERE,
    ),
    "solve_100": (
        Program(
            "solve, 100 x 100, of the sum of squares", squares_of_solution, (SYSTEM, np.ones(100))
        ),
        0.8,
        ("torch", "pytensor"),
    ),
    "rosenbrock_10": (
        Program("Rosenbrock's function of 10 variables", rosenbrock, (SMALL[:10],)),
        0.4,
        EVERYWHERE,
    ),
    "rosenbrock_100": (
        Program("Rosenbrock's function of 100 variables", rosenbrock, (SMALL,)),
        0.4,
        EVERYWHERE,
    ),
    "hessian_10": (
        Program("Rosenbrock's function of 10 variables", rosenbrock, (SMALL[:10],), "hessian"),
        0.5,
        EVERYWHERE,
    ),
    "hessian_100": (
        Program("Rosenbrock's function of 100 variables", rosenbrock, (SMALL,), "hessian"),
        1.0,
        EVERYWHERE,
    ),
    "control": (
        Program("quantum control, 50 expm of 4 x 4 complex", control, (CONTROLS,)),
        0.3,
        ("torch",),
    ),
    "kalman": (Program("Kalman filter of 500 steps", kalman, MODEL), 0.25, EVERYWHERE),
    "runge_kutta": (
        Program("Runge-Kutta's method, 200 steps", runge_kutta, PENDULUM),
        0.7,
        EVERYWHERE,
    ),
    "lfilter": (
        Program("lfilter, 2,000 samples, order 8", filtered, (NUMERATOR, DENOMINATOR, X[:SHORT])),
        0.7,
        (),
    ),
    "chain_large": (
        Program("31 operations on 10^6 numbers", chain, (LARGE,)),
        1.0,
        ("torch", "pytensor"),
    ),
    "logsumexp": (
        Program("logsumexp of 10^6 numbers", lambda library: library.logsumexp, (LARGE,)),
        1.0,
        ("torch", "pytensor"),
    ),
    "softmax": (
        Program("softmax of 10^6 numbers", squares_of_softmax, (LARGE,)),
        1.0,
        ("torch", "pytensor"),
    ),
    "gammaln": (
        Program("gammaln of 10^6 numbers", sum_of_gammaln, (abs(LARGE) + 0.1,)),
        1.0,
        ("torch", "pytensor"),
    ),
}
TWO = np.array([1.0, 2.0])
SUM = Program(
    "x + y on two numbers each: the call itself", lambda _: lambda x, y: x + y, (TWO, TWO), "value"
)
OURS, EAGER, JAX = "scigrad, jit", "scigrad, eager", "jax, jitted"
BUILDERS = {
    OURS: libraries.scigrad_jit,
    EAGER: libraries.scigrad_eager,
    JAX: libraries.jax_jit,
    "torch": libraries.torch_eager,
    "casadi": libraries.casadi_arrays,
    "pytensor": libraries.pytensor_numba,
}
SHOWN = {"torch": "torch, eager", "casadi": "casadi", "pytensor": "pytensor, Numba"}
WANTED = {"gradient": "value and gradient", "hessian": "Hessian", "value": "value"}


def calls(program: Program, ratio: float, peers: tuple[str, ...]) -> Subject:
    return Subject(
        title=f"{program.title}: {WANTED[program.wanted]}",
        ours=OURS,
        contenders={
            SHOWN.get(name, name): partial(BUILDERS[name], program)
            for name in (OURS, EAGER, JAX, *peers)
        },
        bars=(Bar(JAX, ratio),),
        check=libraries.check_against(EAGER, 1e-10),
        information=(EAGER,),
        budget=BUDGET,
    )


def first_calls(program: Program) -> Subject:
    """Each call is the first one of a function that was just made."""
    return Subject(
        title=f"{program.title}: {WANTED[program.wanted]}, first call",
        ours=OURS,
        contenders={
            name: partial(libraries.first_call, BUILDERS[name], program) for name in (OURS, JAX)
        },
        bars=(Bar(JAX),),
        budget=1.0,
    )


INSIDE = "scigrad, value_and_grad(jit(f))"
LOOP = ROWS["runge_kutta"][0]
SUBJECTS = {
    **{key: calls(*row) for key, row in ROWS.items()},
    "inside": Subject(
        title="Runge-Kutta's method, 200 steps: value_and_grad(jit(f))",
        ours=INSIDE,
        contenders={
            INSIDE: partial(libraries.scigrad_gradient_of_jit, LOOP),
            EAGER: partial(libraries.scigrad_eager, LOOP),
            "jax, value_and_grad(jit(f))": partial(libraries.jax_gradient_of_jit, LOOP),
        },
        bars=(Bar("jax, value_and_grad(jit(f))", 0.7),),
        check=libraries.check_against(EAGER, 1e-10),
        information=(EAGER,),
        budget=BUDGET,
    ),
    "overhead": calls(SUM, 1.0, EVERYWHERE),
    **{f"{key}_first": first_calls(program) for key, (program, *_) in ROWS.items()},
}
