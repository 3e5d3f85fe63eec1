"""A gradient check and a minimization with a progress bar, used by the three problems.

Both work on real vectors. A complex unknown is viewed as pairs of real numbers (`x.view(float)`).
The gradient of a real loss is dL/dRe + i dL/dIm, so the same view of the gradient is the gradient
that an optimizer for real vectors needs: no conjugate and no factor of two in between.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from scipy.optimize import minimize

from scigrad import jit, value_and_grad

console = Console(highlight=False)

Objective = Callable[[np.ndarray], float]
Differentiate = Callable[[Objective], Callable[[np.ndarray], tuple[float, np.ndarray]]]


@dataclass
class Descent:
    """The result of a minimization and its history."""

    x: np.ndarray
    misfit: list[float] = field(default_factory=list)  # at the start and after every step
    evaluations: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """The report of a problem: the check of its gradient, its misfit, and the misfit of pure
    noise.
    """

    gradient_error: float
    descent: Descent
    noise_level: float
    unit: str  # the unit of misfit and noise level
    picture: str


def record_gradient(objective: Objective) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:
    """Return the value and gradient as a program; see docs/jit.md."""
    return jit(value_and_grad(objective))


def real_value_and_grad(
    objective: Objective, like: np.ndarray, differentiate: Differentiate = value_and_grad
) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:
    """Return `value_and_grad(objective)` as a function of a flat real vector, for an unknown of the
    shape and type of `like`.
    """
    evaluate = differentiate(objective)

    def evaluate_real(flat: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = evaluate(flat.view(like.dtype).reshape(like.shape))
        return float(value), np.ascontiguousarray(gradient).ravel().view(float)

    return evaluate_real


def gradient_check(objective: Objective, x: np.ndarray, step: float = 1e-3, directions: int = 3,
                   differentiate: Differentiate = value_and_grad) -> float:  # fmt: skip
    """Return the largest relative difference between the gradient at `x` and fourth-order central
    differences of `objective`.

    Every direction is half random, half uphill: a direction at random is nearly orthogonal to the
    gradient when there are many unknowns, and its small slope would drown in the rounding of the
    differences.
    """
    random = np.random.default_rng(0)
    evaluate = real_value_and_grad(objective, x, differentiate)
    flat = x.ravel().view(float)
    gradient = evaluate(flat)[1]
    errors = []
    for _ in range(directions):
        direction = random.standard_normal(flat.size)
        direction = direction / np.linalg.norm(direction) + gradient / np.linalg.norm(gradient)

        def along(t: float, direction: np.ndarray = direction) -> float:
            return float(objective((flat + t * direction).view(x.dtype).reshape(x.shape)))

        near, far = along(step) - along(-step), along(2 * step) - along(-2 * step)
        slope = (8 * near - far) / (12 * step)
        errors.append(abs(gradient @ direction - slope) / abs(slope))
    worst = float(np.max(errors))  # NaN if one of them is
    console.print(
        f"  gradient check   relative error [bold]{worst:.1e}[/] along {directions} directions"
    )
    return worst


def descend(objective: Objective, start: np.ndarray, *, steps: int,
    misfit: Callable[[np.ndarray, float], float],
             enough: float = 0.0, tolerance: float = 1e-9,
             differentiate: Differentiate = value_and_grad) -> Descent:  # fmt: skip
    """Minimize by L-BFGS until `misfit(x, value)` is `enough`, progress falls below `tolerance`, or
    `steps` are done.
    """
    descent, began = Descent(x=start), time.perf_counter()
    evaluate = real_value_and_grad(objective, start, differentiate)

    def record(flat: np.ndarray, value: float) -> float:
        descent.misfit.append(float(misfit(flat.view(start.dtype).reshape(start.shape), value)))
        return descent.misfit[-1]

    flat = start.ravel().view(float)
    with progress_bar() as bar:
        task = bar.add_task("fitting", total=steps, misfit=record(flat, evaluate(flat)[0]))

        # the name tells SciPy to hand over point and value
        def after_step(intermediate_result) -> None:
            now = record(intermediate_result.x, intermediate_result.fun)
            bar.update(task, advance=1, misfit=now)
            if now <= enough:
                raise StopIteration  # SciPy's way to end a minimization early

        options = {
            "maxiter": steps,
            "maxfun": 2 * steps,
            "maxcor": 20,
            "ftol": tolerance,
            "gtol": 0.0,
        }
        found = minimize(
            evaluate, flat, jac=True, method="L-BFGS-B", callback=after_step, options=options
        )
        bar.update(task, total=len(descent.misfit) - 1)
    descent.x = found.x.view(start.dtype).reshape(start.shape)
    descent.evaluations, descent.seconds = found.nfev + 1, time.perf_counter() - began
    each = 1e3 * descent.seconds / descent.evaluations
    console.print(
        f"  {descent.evaluations} values and gradients in {descent.seconds:.1f} s, {each:.0f} ms "
        "each"
    )
    return descent


def print_what_is_saved(objective: Objective, x: np.ndarray, calls: int = 50) -> None:
    """Print the shortest times of value and gradient at x, eager and by `jit`, called in turn."""
    functions = value_and_grad(objective), record_gradient(objective)
    shortest = [np.inf, np.inf]
    for f in functions:
        f(x)
    for _ in range(calls):
        for i, f in enumerate(functions):
            began = time.perf_counter()
            f(x)
            shortest[i] = min(shortest[i], time.perf_counter() - began)
    eager, program = 1e3 * np.array(shortest)
    console.print(
        f"  value, gradient  {program:.2f} ms by jit, {eager:.2f} ms without: {eager / program:.1f}"
        " times faster"
    )


def progress_bar() -> Progress:
    text = TextColumn("step {task.completed:>3}   misfit {task.fields[misfit]:9.3g}")
    return Progress(
        TextColumn("  {task.description}"),
        BarColumn(40),
        text,
        TimeElapsedColumn(),
        console=console,
    )
