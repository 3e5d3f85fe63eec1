"""Programs that `jit` records, beside themselves without it, PyTorch's eager gradients and JAX's
jit: each is written once, as a function that a library is passed to. A loop is Python's own, but
JAX's is a scan.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from benchmarks.mixed_program import NOISE, OBSERVATION, TRANSITION

Call = Callable[[], Any]
Function = Callable[..., Any]
BUDGET = 6.0  # seconds a program
SAMPLE = 0.01  # seconds of a sample at least, of up to 30 calls


class Library(NamedTuple):
    """Functions of one library by the names that the programs use; `quadratic_form` is that of the
    inverse of a positive definite matrix, with the logarithm of its determinant.
    """

    xp: Any
    solve: Function
    quadratic_form: Function
    fft: Function
    logsumexp: Function
    gammaln: Function
    lfilter: Function | None
    scan: Function


@dataclass(frozen=True)
class Program:
    """A function of a library and arrays, the arrays, and what of it is computed, by the first
    arguments; `bar` is the ratio to JAX's time, or PyTorch's where JAX has no such function.
    """

    what: str
    f: Function
    arrays: Callable[[int], Sequence[np.ndarray]]
    bar: float
    wanted: str = "gradient"
    by: int | None = None  # all arguments
    peers: tuple[str, ...] = ("torch", "jax")


# -- programs


def chain(library: Library, x: Any) -> Any:
    y = x
    for _ in range(9):
        y = library.xp.sin(y) * 0.9 + x
    return library.xp.log(library.xp.sum(y * y))


def logsumexp(library: Library, x: Any) -> Any:
    return library.logsumexp(x)


def gammaln(library: Library, x: Any) -> Any:
    return library.xp.sum(library.gammaln(x))


def of_eight(library: Library, x: Any, w: Any) -> Any:
    xp = library.xp
    return xp.log(1.0 + xp.sum(xp.exp(w @ x))) + xp.sin(x[0]) * xp.sum(x * x)


def rosenbrock(library: Library, x: Any) -> Any:
    return library.xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def squares_of_solution(library: Library, a: Any, b: Any) -> Any:
    return library.xp.sum(library.solve(a, b) ** 2)


def likelihood(library: Library, theta: Any, distances: Any, y: Any, eye: Any) -> Any:
    """Minus the logarithm of the likelihood of a Gaussian process, but for a constant."""
    xp = library.xp
    kernel = xp.exp(2 * theta[1] - distances * (0.5 * xp.exp(-2 * theta[0])))
    form, log_determinant = library.quadratic_form(kernel + xp.exp(2 * theta[2]) * eye, y)
    return 0.5 * (form + log_determinant)


def weighted_power(library: Library, x: Any, w: Any) -> Any:
    return library.xp.sum(library.xp.abs(library.fft(x)) ** 2 * w)


def kalman(
    library: Library, transition: Any, observation: Any, noise: Any, readings: Any, state: Any,
    covariance: Any,
) -> Any:  # fmt: skip
    """Minus the logarithm of the likelihood of readings, but for a constant."""
    xp, solve = library.xp, library.solve
    process, sensors = xp.diag(xp.exp(noise[:4])), xp.diag(xp.exp(noise[4:]))

    def step(carry: Any, reading: Any) -> Any:
        state, covariance, total = carry
        state = transition @ state
        covariance = transition @ covariance @ transition.T + process
        innovation = reading - observation @ state
        spread = observation @ covariance @ observation.T + sensors
        gain = solve(spread, observation @ covariance).T
        state = state + gain @ innovation
        covariance = covariance - gain @ observation @ covariance
        determinant = spread[0, 0] * spread[1, 1] - spread[0, 1] * spread[1, 0]
        misfit = xp.sum(innovation * solve(spread, innovation))
        return state, covariance, total + misfit + xp.log(determinant)

    return library.scan(step, (state, covariance, xp.sum(0.0 * state)), readings)[2]


def runge_kutta(library: Library, p: Any, states: Any, steps: Any) -> Any:
    """Lorenz' equations for many initial states at a time."""
    xp, h = library.xp, 0.005

    def slope(y: Any) -> Any:
        return xp.stack(
            [p[0] * (y[1] - y[0]), y[0] * (p[1] - y[2]) - y[1], y[0] * y[1] - p[2] * y[2]]
        )

    def step(carry: Any, _: Any) -> Any:
        (y,) = carry
        k1 = slope(y)
        k2 = slope(y + 0.5 * h * k1)
        k3 = slope(y + 0.5 * h * k2)
        k4 = slope(y + h * k3)
        return (y + (h / 6) * (k1 + 2 * k2 + 2 * k3 + k4),)

    (y,) = library.scan(step, (states,), steps)
    return xp.sum(y * y)


def filtered(library: Library, b: Any, a: Any, x: Any, w: Any) -> Any:
    assert library.lfilter is not None
    return library.xp.sum(library.lfilter(b, a, x) * w)


# -- their arrays; sizes are divided for a rehearsal


def _random(*shape: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def _process(divide: int) -> Sequence[np.ndarray]:
    n = 500 // min(divide, 25)
    points = np.random.default_rng(3).uniform(0, 3, (n, 3))
    distances = np.sum((points[:, None] - points) ** 2, -1)
    y = np.sin(points.sum(1)) + 0.3 * _random(n, seed=4)
    return np.array([-0.3, 0.1, -1.0]), distances, y, np.eye(n)


def model(steps: int) -> Callable[[int], Sequence[np.ndarray]]:
    def arrays(divide: int) -> Sequence[np.ndarray]:
        readings = _random(steps // min(divide, 20), 2, seed=9).cumsum(axis=0)
        start = np.array([0.1, 0.2, -0.1, 0.3]), np.eye(4)
        return TRANSITION, OBSERVATION, NOISE, readings, *start

    return arrays


def lorenz(divide: int) -> Sequence[np.ndarray]:
    parameters = np.array([10.0, 28.0, 8 / 3])
    states = _random(3, 1000 // min(divide, 50), seed=3) + 1.0
    return parameters, states, np.zeros(100 // min(divide, 10))


def _butterworth(divide: int) -> Sequence[np.ndarray]:
    import scipy.signal

    design: Any = scipy.signal.butter(8, 0.3)
    n = 1_000_000 // divide
    return *design, _random(n, seed=50), np.random.default_rng(51).random(n)


def _systems(count: int, n: int) -> Callable[[int], Sequence[np.ndarray]]:
    def arrays(divide: int) -> Sequence[np.ndarray]:
        batch = (max(1, count // divide),) if count else ()
        a = _random(*batch, n, n) + 2 * np.sqrt(n) * np.eye(n)
        return a, _random(*batch, n, *([1] if count else []))

    return arrays


def _line(size: int, dtype: str = "d") -> Callable[[int], Sequence[np.ndarray]]:
    return lambda divide: (np.linspace(0.1, 1.0, max(10, size // divide)).astype(dtype),)


PROGRAMS = {
    "chain, 1e6 float32": Program("30 operations", chain, _line(10**6, "f"), 0.5),
    "chain, 1e6 float64": Program("30 operations", chain, _line(10**6), 0.5),
    "chain, 10": Program("30 operations on 10 numbers", chain, _line(10), 0.5),
    "logsumexp": Program("1e7 numbers", logsumexp, lambda d: (5 * _random(10**7 // d),), 0.8),
    "gammaln": Program("1e7 numbers", gammaln, lambda d: (10 * abs(_random(10**7 // d)),), 0.8),
    "vmap of grad": Program(
        "1e5 times 8 numbers", of_eight, lambda d: (_random(10**5 // d, 8), _random(8, 8, seed=2)),
        0.5, "batch",
    ),
    "Hessian": Program(
        "Rosenbrock's function of 100", rosenbrock,
        lambda _: (np.random.default_rng(0).uniform(-1.5, 1.5, 100),), 0.5, "hessian",
    ),
    "solve": Program("100 equations", squares_of_solution, _systems(0, 100), 0.9),
    "10,000 solves": Program("16 equations each", squares_of_solution, _systems(10_000, 16), 0.5),
    "Gaussian process": Program("500 points, by 3 parameters", likelihood, _process, 1.0, by=1),
    "fft": Program(
        "power of 2^22 complex numbers", weighted_power,
        lambda d: (_random(2**22 // d) + 1j * _random(2**22 // d, seed=2), _random(2**22 // d)),
        0.9, by=1,
    ),
    "Kalman filter": Program("200 steps, by 3 arrays", kalman, model(200), 0.05, by=3),
    "Runge-Kutta": Program("100 steps, 1,000 states", runge_kutta, lorenz, 0.05, by=2),
    "lfilter": Program(
        "1e6 samples, order 8", filtered, _butterworth, 0.05, by=3, peers=("torch",)
    ),
}  # fmt: skip


# -- libraries


def python_loop(step: Function, carry: Any, rows: Any) -> Any:
    for row in rows:
        carry = step(carry, row)
    return carry


def _wanted_by(home: Any, program: Program, f: Function, count: int) -> Any:
    """Return what is computed of a function of `count` arrays, by transforms of JAX's names."""
    if program.wanted == "hessian":
        return home.hessian(f)
    if program.wanted == "batch":
        return home.vmap(home.grad(f), in_axes=(0, None))
    return home.value_and_grad(f, tuple(range(program.by or count)))


def _scigrad(program: Program, arrays: Sequence[np.ndarray], recorded: bool) -> Call:
    import cupy

    import scigrad
    from scigrad import fft, linalg, numpy, signal, special

    def quadratic_form(a: Any, y: Any) -> Any:
        factor, lower = linalg.cho_factor(a, lower=True)
        solution = linalg.cho_solve((factor, lower), y)
        return y @ solution, 2 * numpy.sum(numpy.log(numpy.diagonal(factor)))

    library = Library(
        numpy, linalg.solve, quadratic_form, fft.fft, special.logsumexp, special.gammaln,
        signal.lfilter, python_loop,
    )  # fmt: skip

    def f(*given: Any) -> Any:
        return program.f(library, *given)

    wanted = _wanted_by(scigrad, program, f, len(arrays))
    function = scigrad.jit(wanted) if recorded else wanted
    given = [cupy.asarray(x) for x in arrays]
    return lambda: function(*given)


def _torch(program: Program, arrays: Sequence[np.ndarray]) -> Call:
    import torch

    def quadratic_form(a: Any, y: Any) -> Any:
        factor = torch.linalg.cholesky(a)
        solution = torch.cholesky_solve(y[:, None], factor)[:, 0]
        return y @ solution, 2 * torch.sum(torch.log(torch.diagonal(factor)))

    def lfilter(b: Any, a: Any, x: Any) -> Any:
        import torchaudio

        return torchaudio.functional.lfilter(x, a, b, clamp=False)

    library = Library(
        torch, torch.linalg.solve, quadratic_form, torch.fft.fft,
        lambda x: torch.logsumexp(x, 0), torch.lgamma, lfilter, python_loop,
    )  # fmt: skip

    def f(*given: Any) -> Any:
        return program.f(library, *given)

    given = [torch.as_tensor(x, device="cuda") for x in arrays]
    if program.wanted == "hessian":
        hessian = torch.func.hessian(f)
        return lambda: hessian(*given)
    if program.wanted == "batch":
        batch = torch.func.vmap(torch.func.grad(f), in_dims=(0, None))
        return lambda: batch(*given)
    inputs = [x.requires_grad_() for x in given[: program.by or len(given)]]

    def call() -> Any:
        value = f(*given)
        return value.detach(), torch.autograd.grad(value, inputs)

    return call


def _jax(program: Program, arrays: Sequence[np.ndarray]) -> Call:
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    os.environ.pop("JAX_PLATFORMS", None)  # other benchmarks are on the CPU
    import jax
    import jax.numpy as jnp

    if jax.devices()[0].platform == "cpu":
        raise RuntimeError("JAX sees no device")
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")

    def quadratic_form(a: Any, y: Any) -> Any:
        factor = jnp.linalg.cholesky(a)
        solution = jax.scipy.linalg.cho_solve((factor, True), y)
        return y @ solution, 2 * jnp.sum(jnp.log(jnp.diagonal(factor)))

    def scan(step: Function, carry: Any, rows: Any) -> Any:
        return jax.lax.scan(lambda carry, row: (step(carry, row), None), carry, rows)[0]

    special = jax.scipy.special
    library = Library(
        jnp, jnp.linalg.solve, quadratic_form, jnp.fft.fft, special.logsumexp, special.gammaln,
        None, scan,
    )  # fmt: skip

    def f(*given: Any) -> Any:
        return program.f(library, *given)

    function = jax.jit(_wanted_by(jax, program, f, len(arrays)))
    given = [jnp.asarray(x) for x in arrays]
    return lambda: jax.block_until_ready(function(*given))


def _contenders(program: Program, arrays: Sequence[np.ndarray]) -> dict[str, Callable[[], Call]]:
    return {
        "jit": lambda: _scigrad(program, arrays, recorded=True),
        "eager": lambda: _scigrad(program, arrays, recorded=False),
        "torch": lambda: _torch(program, arrays),
        "jax": lambda: _jax(program, arrays),
    }


# -- what is measured


def rows(done: set[str], small: bool) -> Iterator[dict[str, Any]]:
    """Yield the times of each program; a contender that cannot run is reported."""
    for name, program in PROGRAMS.items():
        if name not in done:
            yield {"name": name, "what": program.what, "bar": program.bar} | measure(
                program, program.arrays(1000 if small else 1), small
            )


def measure(program: Program, arrays: Sequence[np.ndarray], small: bool) -> dict[str, Any]:
    """Return seconds of first calls, milliseconds of others as minimum and median, and the largest
    difference between a recorded program and the same without `jit`.
    """
    first, missing, calls, results = {}, {}, {}, {}
    for who, make in _contenders(program, arrays).items():
        if who in ("torch", "jax") and (small or who not in program.peers):
            continue
        try:
            call = make()
            start = time.perf_counter()
            call()
            _wait()
            first[who] = time.perf_counter() - start
            results[who] = call()
            calls[who] = call
        except Exception as error:  # whatever it is belongs into the report
            missing[who] = f"{type(error).__name__}: {error}"[:400]
    found = {"first": first, "milliseconds": _in_turn(calls, 1 if small else 15), "passed": False}
    if "jit" in calls:
        found["returns"] = 1000 * min(_seconds(calls["jit"], 1, False) for _ in range(20))
    if missing:
        found["not_run"] = missing
    if {"jit", "eager"} <= set(results):
        found["difference"] = _difference(results["jit"], results["eager"])
        most = 1e-4 if arrays[0].dtype == np.float32 else 1e-9
        found["passed"] = found["difference"] < most
    return found


def _in_turn(calls: dict[str, Call], rounds: int) -> dict[str, list[float]]:
    once = {who: _seconds(call, 1) for who, call in calls.items()}
    samples: dict[str, list[float]] = {who: [] for who in calls}
    deadline = time.perf_counter() + BUDGET
    for turn in range(rounds):
        for who, call in calls.items():
            count = max(1, min(30, int(SAMPLE / once[who])))
            if turn < 2 or (time.perf_counter() < deadline and once[who] < 0.2):
                samples[who].append(1000 * _seconds(call, count))
    return {who: [min(times), float(np.median(times))] for who, times in samples.items()}


def _seconds(call: Call, count: int, waits: bool = True) -> float:
    _wait()
    start = time.perf_counter()
    for _ in range(count):
        call()
    if waits:
        _wait()
    return (time.perf_counter() - start) / count


def _wait() -> None:
    """Wait for the whole device: each library has streams of its own."""
    import cupy

    cupy.cuda.Device().synchronize()


def _difference(ours: Any, theirs: Any) -> float:
    """Return the largest difference of results, as a part of the largest number of each."""
    from scigrad.autodiff_rules.containers import flatten

    pairs = zip(flatten(ours)[0], flatten(theirs)[0], strict=True)
    return max(float(abs(x - y).max() / (abs(y).max() or 1.0)) for x, y in pairs)
