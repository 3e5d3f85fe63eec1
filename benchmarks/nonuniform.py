"""Non-uniform transforms, value and gradient in strengths and points, against the engines' own
calls and JAX with finufft.

The engines have no derivatives. Theirs are written by hand in the fewest calls: the transform, its
adjoint, and one transform of i k times the modes for each coordinate. Two subjects have new points
in every call, as in an iteration over points; in the last one the points stay, and the plan is
reused.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from . import THREADS
from .harness import Bar, Run, Subject

COUNT, MODES, EPS = 100_000, (300, 300), 1e-6
rng = np.random.default_rng(0)
POINTS = rng.uniform(-np.pi, np.pi, (COUNT, 2))
STRENGTHS = rng.standard_normal(COUNT) + 1j * rng.standard_normal(COUNT)
COEFFICIENTS = rng.standard_normal(MODES) + 1j * rng.standard_normal(MODES)
K = np.stack(np.meshgrid(*(np.arange(n) - n // 2 for n in MODES), indexing="ij"))
Transform = Callable[[Any, Any], Any]  # a transform of one vector or several


def by_hand(kind: int, to_modes: Transform, to_points: Transform) -> Callable[[Any], Any]:
    """Value and gradients of sum(|transform|^2) from an engine's transforms of type 1 (sign +) and
    type 2 (sign -).
    """

    def type_1(x: Any) -> Any:
        f = to_modes(STRENGTHS, x)
        back = to_points(np.concatenate((f[None], -1j * K * f)), x)
        return np.vdot(f, f).real, 2 * back[0], 2 * np.real(np.conj(STRENGTHS) * back[1:]).T

    def type_2(x: Any) -> Any:
        found = to_points(np.concatenate((COEFFICIENTS[None], -1j * K * COEFFICIENTS)), x)
        c = found[0]
        return np.vdot(c, c).real, 2 * to_modes(c, x), 2 * np.real(np.conj(c) * found[1:]).T

    return type_1 if kind == 1 else type_2


def fresh() -> Callable[[], Any]:
    """Return new points, as in a step of an iteration over points."""
    steps = iter(range(10**9))
    return lambda: POINTS + 1e-9 * next(steps)


def scigrad(kind: int, points: Callable[[], Any]) -> Run:
    from scigrad import fft, value_and_grad

    def loss(values: Any, x: Any) -> Any:
        options: Any = {"eps": EPS, "workers": THREADS}
        y = (
            fft.nufft1(values, x, MODES, **options)
            if kind == 1
            else fft.nufft2(values, x, **options)
        )
        return np.sum(np.abs(y) ** 2)

    f, values = value_and_grad(loss, (0, 1)), STRENGTHS if kind == 1 else COEFFICIENTS

    def run() -> Any:
        value, (by_values, by_points) = f(values, points())
        return value, by_values, by_points

    return run


def ducc0(kind: int, points: Callable[[], Any]) -> Run:
    from ducc0 import nufft

    options = {"epsilon": EPS, "nthreads": THREADS}

    def to_modes(c: Any, x: Any) -> Any:
        return nufft.nu2u(points=c, coord=x, forward=False, out=np.empty(MODES, complex), **options)

    def to_points(f: Any, x: Any) -> Any:
        return nufft.u2nu(grid=f, coord=x, forward=True, **options)

    f = by_hand(kind, to_modes, to_points)
    return lambda: f(points())


def finufft(kind: int, points: Callable[[], Any]) -> Run:
    import finufft

    def transform(call: Any, values: Any, x: Any, *modes: Any, isign: int) -> Any:
        return call(
            *np.ascontiguousarray(x.T), values, *modes, eps=EPS, isign=isign, nthreads=THREADS
        )

    f = by_hand(
        kind,
        lambda c, x: transform(finufft.nufft2d1, c, x, MODES, isign=1),
        lambda f, x: transform(finufft.nufft2d2, f, x, isign=-1),
    )
    return lambda: f(points())


def jax(kind: int, points: Callable[[], Any]) -> Run:
    import jax
    import jax.numpy as jnp
    from jax_finufft import nufft1, nufft2, options

    threads = options.Opts(nthreads=THREADS)

    def loss(values: Any, x: Any, y: Any) -> Any:
        common = {"eps": EPS, "opts": threads}
        found = (
            nufft1(MODES, values, x, y, iflag=1, **common)
            if kind == 1
            else nufft2(values, x, y, iflag=-1, **common)
        )
        return jnp.sum(jnp.abs(found) ** 2)

    f = jax.jit(jax.value_and_grad(loss, (0, 1, 2)))
    values = jnp.asarray(STRENGTHS if kind == 1 else COEFFICIENTS)

    def run() -> Any:
        value, (by_values, by_x, by_y) = jax.block_until_ready(
            f(values, *np.ascontiguousarray(points().T))
        )
        # JAX's cotangents are the conjugates of ours
        return value, np.conj(by_values), np.stack((by_x, by_y), axis=-1)

    return run


def agree(results: dict[str, Any]) -> None:
    first, *others = results.values()
    for name, found in zip(list(results)[1:], others, strict=True):
        for a, b in zip(found, first, strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-4 * np.abs(b).max(), err_msg=name)


def subject(kind: int, title: str, points: Callable[[], Callable[[], Any]]) -> Subject:
    libraries = {
        "scigrad": scigrad,
        "ducc0, by hand": ducc0,
        "finufft, by hand": finufft,
        "jax-finufft, jitted": jax,
    }
    return Subject(
        title=f"nufft{kind}, value and gradient in strengths and points, 10^5 points, "
        f"{MODES[0]}^2 modes, {title}",
        ours="scigrad",
        contenders={
            name: lambda build=build: build(kind, points()) for name, build in libraries.items()
        },
        bars=(
            Bar("ducc0, by hand", ratio=1.15),
            Bar("finufft, by hand"),
            Bar("jax-finufft, jitted"),
        ),
        check=agree,
        budget=8,
    )


SUBJECTS = {
    "type_1": subject(1, "new points", fresh),
    "type_2": subject(2, "new points", fresh),
    "type_1_again": subject(1, "the same points", lambda: lambda: POINTS),
}
