"""Fourier and cosine transforms against all peers, and the gradient of a power spectrum against
PyTorch and JAX.

Each library is called by its own public function on a plain array and returns a new array; what can
be planned is planned in the first call. With two threads all that take a number of threads are
given two, and SciPy is shown with one worker as well.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import THREADS
from .harness import Bar, Run, Subject

rng = np.random.default_rng(0)


def normal(*shape: int, complex: bool = True) -> Any:
    x = rng.standard_normal(shape)
    return x + 1j * rng.standard_normal(shape) if complex else x


@dataclass(frozen=True)
class Case:
    """A function of scipy.fft, of an array made by `make`, and the bar: times the best of the
    others, or of SciPy alone.
    """

    title: str
    name: str
    make: Callable[[], Any]
    ratio: float
    against: tuple[str, ...] | None = None
    budget: float = 8.0
    dct: bool = False


def contenders(case: Case) -> Mapping[str, Callable[[], Run]]:
    """Return the libraries that have the function."""
    everyone: dict[str, Callable[[Case, Any], Run]] = {
        "scigrad": _by_scigrad,
        "scipy.fft": _by_scipy,
    }
    if THREADS > 1:
        everyone[f"scipy.fft, {THREADS} workers"] = functools.partial(_by_scipy, workers=THREADS)
    everyone |= {"jax, jitted": _by_jax, "pyfftw": _by_pyfftw}
    if not case.dct:
        everyone |= {"numpy.fft": _by_numpy, "torch": _by_torch, "mkl_fft": _by_mkl_fft}
    array = functools.cache(case.make)  # drawn when the subject is run, once
    return {name: lambda build=build: build(case, array()) for name, build in everyone.items()}


def _by_scigrad(case: Case, x: Any) -> Run:
    from scigrad import fft

    function = getattr(fft, case.name)
    return (lambda: function(x)) if THREADS == 1 else (lambda: function(x, workers=THREADS))


def _by_scipy(case: Case, x: Any, workers: int = 1) -> Run:
    import scipy.fft

    function = getattr(scipy.fft, case.name)
    return (lambda: function(x)) if workers == 1 else (lambda: function(x, workers=workers))


def _by_numpy(case: Case, x: Any) -> Run:
    function = getattr(np.fft, case.name)
    return lambda: function(x)


def _by_torch(case: Case, x: Any) -> Run:
    import torch

    torch.set_num_threads(THREADS)
    tensor, function = torch.from_numpy(x), getattr(torch.fft, case.name)
    return lambda: function(tensor).numpy()


def _by_jax(case: Case, x: Any) -> Run:
    import jax

    function = jax.jit(getattr(jax.scipy.fft if case.dct else jax.numpy.fft, case.name))
    array = jax.numpy.asarray(x)
    return lambda: jax.block_until_ready(function(array))


def _by_pyfftw(case: Case, x: Any) -> Run:
    import pyfftw

    pyfftw.interfaces.cache.enable()
    function = getattr(pyfftw.interfaces.scipy_fft, case.name)
    return lambda: function(x, workers=THREADS)


def _by_mkl_fft(case: Case, x: Any) -> Run:
    import mkl_fft.interfaces.scipy_fft as module

    function = getattr(module, case.name)
    return lambda: function(x)


def agree(results: dict[str, Any]) -> None:
    first, *others = results.items()
    scale = np.abs(first[1]).max()
    for name, value in others:
        np.testing.assert_allclose(
            np.asarray(value), first[1], rtol=0, atol=1e-12 * scale, err_msg=name
        )


def subject(case: Case) -> Subject:
    there = contenders(case)
    rivals = case.against or tuple(name for name in there if name != "scigrad")
    return Subject(
        title=f"{case.name}, {case.title}",
        ours="scigrad",
        contenders=there,
        check=agree,
        budget=case.budget,
        bars=tuple(Bar(name, ratio=case.ratio) for name in rivals),
    )


# -- value and gradient of sum(|fftn(x)|^2 w)

SIDE = 1024


def gradient() -> Subject:
    x, w = normal(SIDE, SIDE), rng.random((SIDE, SIDE))
    builders = {
        "scigrad": _spectrum_by_scigrad,
        "torch": _spectrum_by_torch,
        "jax, jitted": _spectrum_by_jax,
    }
    return Subject(
        title=f"value and gradient of sum(|fftn(x)|^2 w), {SIDE}^2",
        ours="scigrad",
        contenders={name: functools.partial(build, x, w) for name, build in builders.items()},
        bars=(Bar("torch", ratio=0.9),),
        check=_agree_on_slopes,
        budget=12,
    )


def _spectrum_by_scigrad(x: Any, w: Any) -> Run:
    from scigrad import fft, value_and_grad

    def loss(x: Any) -> Any:
        return np.sum(np.abs(fft.fftn(x, workers=THREADS)) ** 2 * w)

    f = value_and_grad(loss)
    return lambda: f(x)


def _spectrum_by_torch(x: Any, w: Any) -> Run:
    import torch

    torch.set_num_threads(THREADS)
    fixed, weight = torch.from_numpy(x), torch.from_numpy(w)

    def run() -> Any:
        z = fixed.detach().requires_grad_()
        value = (torch.fft.fftn(z).abs() ** 2 * weight).sum()
        return value.detach().numpy(), torch.autograd.grad(value, z)[0].numpy()

    return run


def _spectrum_by_jax(x: Any, w: Any) -> Run:
    import jax
    import jax.numpy as jnp

    array, weight = jnp.asarray(x), jnp.asarray(w)
    f = jax.jit(jax.value_and_grad(lambda z: jnp.sum(jnp.abs(jnp.fft.fftn(z)) ** 2 * weight)))
    return lambda: jax.block_until_ready(f(array))


def _agree_on_slopes(results: dict[str, Any]) -> None:
    for name, (value, slope) in results.items():
        # jax has the conjugate of everybody's gradient
        slope = np.conj(slope) if name.startswith("jax") else slope
        np.testing.assert_allclose(value, results["scigrad"][0], rtol=1e-10, err_msg=name)
        scale = np.abs(results["scigrad"][1]).max()
        np.testing.assert_allclose(
            np.asarray(slope), results["scigrad"][1], rtol=0, atol=1e-10 * scale, err_msg=name
        )


# -- the cases

CASES = {
    "line": Case("complex, 2^20", "fft", lambda: normal(2**20), 1.0, budget=12),
    "batch": Case("complex, 1000 x 1024", "fft", lambda: normal(1000, 1024), 1.0),
    "plane": Case("complex, 2048^2", "fftn", lambda: normal(2048, 2048), 0.8, budget=15),
    "cube": Case("complex, 128^3", "fftn", lambda: normal(128, 128, 128), 1.15, budget=12),
    "real_line": Case("real, 2^20", "rfft", lambda: normal(2**20, complex=False), 1.1),
    "real_plane": Case(
        "real, 2048^2", "rfftn", lambda: normal(2048, 2048, complex=False), 1.1, budget=12
    ),
    "cosine": Case("1024^2", "dctn", lambda: normal(1024, 1024, complex=False), 1.0, dct=True),
    "prime": Case("complex, 1000003", "fft", lambda: normal(1_000_003), 1.3, budget=20),
    "short": Case(
        "complex, 256", "fft", lambda: normal(256), 1.1, against=("scipy.fft",), budget=4
    ),
}
SUBJECTS = {name: subject(case) for name, case in CASES.items()} | {"gradient": gradient()}
