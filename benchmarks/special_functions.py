"""Special functions: values against SciPy, PyTorch and JAX, and the gradients of two losses.

Untraced, ours are polynomials in pieces for float64 arrays of 65,536 elements and more, a dozen
loads and nine fused multiplications and additions each (2 ns at least, if the table is in the first
cache), and SciPy's ufuncs otherwise; two threads over both. The gradient of gammaln(x) + erf(x)
expit(x) takes six functions; that of gammainc(a, x) in a is an integral over a contour, 12 or 16
exponentials for each element.

Two threads halve what takes a quarter of a millisecond or more: 0.05 ms pass until the second one
begins, so that ellipk of 10,000 numbers, 0.13 ms, stays in one. gammainc is SciPy's, 127 ns a
number, as fast as torch's, which two threads halve as well.
"""

import dataclasses
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from .harness import Bar, Run, Subject
from .import_time import fresh

rng = np.random.default_rng(0)
X, MATRIX, FEW = (
    rng.uniform(0.1, 5, 10**6),
    rng.standard_normal((1000, 1000)),
    rng.standard_normal(100),
)
A, Z = rng.uniform(0.5, 10, 10**4), rng.uniform(0.5, 10, 10**4)
THREADS = int(os.environ.get("OMP_NUM_THREADS", "1"))
SLOW = {  # name: the arguments before x; x is between 0 and 1 for some
    "airy": (),
    "betainc": (0.5, 1.5),
    "ellipk": (),
    "exp1": (),
    "gammainc": (2.5,),
    "hyp2f1": (0.5, 1.5, 2.5),
    "jv": (2.5,),
    "kv": (2.5,),
    "zeta": (),
}


def values(name: str, x: Any, *before: Any, threads: int = THREADS) -> dict[str, Callable[[], Run]]:
    """Return the calls of one function in the libraries that have it."""

    def ours() -> Run:
        from scigrad import fft, special

        f, given = getattr(special, name), [np.full_like(x, v) for v in before]

        def run() -> Any:
            with fft.set_workers(threads):
                return f(*given, x)

        return run if threads > 1 else lambda: f(*given, x)

    def scipy() -> Run:
        import scipy.special

        f = getattr(scipy.special, name)
        return lambda: f(*before, x)

    def torch() -> Run:
        import torch

        torch.set_num_threads(threads)
        y, f = torch.from_numpy(x), getattr(torch.special, TORCH.get(name, name))
        given = [torch.full_like(y, v) for v in before]
        return (lambda: f(y, dim=(0, 1)[: y.ndim])) if name == "logsumexp" else lambda: f(*given, y)

    # SciPy after torch: OpenMP's threads spin for milliseconds after their work, on the core that a
    # second thread of ours needs
    return {"scigrad": ours} | ({} if name in NOT_TORCH else {"torch": torch}) | {"scipy": scipy}


TORCH = {"j0": "bessel_j0", "j1": "bessel_j1"}
NOT_TORCH = SLOW.keys() - {"gammainc"}


def one(name: str, x: Any, bar: float, *before: Any, **options: int) -> Subject:
    contenders = values(name, x, *before, **options)
    bars = tuple(Bar(other, ratio=bar) for other in contenders if other != "scigrad")

    def agree(results: dict[str, Any]) -> None:
        for other, value in results.items():
            np.testing.assert_allclose(
                np.asarray(value), results["scipy"], rtol=1e-7, atol=1e-7, err_msg=other
            )

    return Subject(
        f"special.{name} of {x.size:,} numbers", "scigrad", contenders, bars, agree, budget=4.0
    )


def in_two_threads(name: str, size: int) -> Subject:
    x = np.resize(
        {"zeta": X + 1, "betainc": X / 5.1, "ellipk": X / 5.1, "hyp2f1": X / 5.1}.get(name, X), size
    )
    subject = one(name, x, 0.7, *SLOW[name], threads=2)
    return dataclasses.replace(
        subject, title=f"{subject.title}, ours and torch's by 2 threads", budget=2.0
    )


def loss_of_scigrad() -> Run:
    from scigrad import fft, special, value_and_grad

    f = value_and_grad(lambda x: np.sum(special.gammaln(x) + special.erf(x) * special.expit(x)))

    def run() -> Any:
        with fft.set_workers(THREADS):
            return f(X)

    return run


def loss_of_torch() -> Run:
    import torch

    torch.set_num_threads(THREADS)
    start = torch.from_numpy(X)

    def run() -> Any:
        x = start.clone().requires_grad_()
        y = (torch.special.gammaln(x) + torch.special.erf(x) * torch.special.expit(x)).sum()
        y.backward()
        return y.detach(), x.grad

    return run


def loss_of_jax() -> Run:
    import jax
    from jax.scipy import special

    x = jax.numpy.asarray(X)
    f = jax.jit(
        jax.value_and_grad(lambda x: (special.gammaln(x) + special.erf(x) * special.expit(x)).sum())
    )
    return lambda: jax.block_until_ready(f(x))


def shape_of_scigrad() -> Run:
    from scigrad import fft, grad, special

    f = grad(lambda a, x: np.sum(special.gammainc(a, x)), (0, 1))

    def run() -> Any:
        with fft.set_workers(THREADS):
            return f(A, Z)

    return run


def shape_of_jax() -> Run:
    import jax
    from jax.scipy import special

    a, x = jax.numpy.asarray(A), jax.numpy.asarray(Z)
    f = jax.jit(jax.grad(lambda a, x: special.gammainc(a, x).sum(), (0, 1)))
    return lambda: jax.block_until_ready(f(a, x))


def same(results: dict[str, tuple[Any, Any]]) -> None:
    for name, found in results.items():
        for mine, theirs in zip(results["scigrad"], found, strict=True):
            np.testing.assert_allclose(np.asarray(theirs), mine, rtol=1e-9, atol=1e-9, err_msg=name)


SUBJECTS = {
    **{name: one(name, X, 1.2) for name in ("erf", "expit")},
    "erfinv": one("erfinv", X / 5, 1.2),
    **{
        name: one(name, X, 0.8)
        for name in ("gammaln", "psi", "i0e", "j0", "j1", "ndtr", "log_ndtr")
    },
    **{f"{name}_{size}": in_two_threads(name, size) for name in SLOW for size in (10**4, 10**6)},
    "logsumexp": one("logsumexp", MATRIX, 1.1),
    "small_logsumexp": dataclasses.replace(
        one("logsumexp", FEW, 0.1, threads=1), bars=(Bar("scipy", ratio=0.1),)
    ),
    "gradient": Subject(
        title="sum(gammaln(x) + erf(x) expit(x)) of 1,000,000 numbers: value and gradient",
        ours="scigrad",
        contenders={"scigrad": loss_of_scigrad, "torch": loss_of_torch, "jax, jitted": loss_of_jax},
        bars=(Bar("torch", ratio=0.8),),
        check=same,
    ),
    "import": Subject(
        title="import of special",
        ours="import scigrad.special",
        contenders={
            f"import {name}": fresh(f"import {name}")
            for name in ("scigrad.special", "scipy.special")
        },
        bars=(Bar("import scipy.special", ratio=1.2),),
    ),
    "shape": Subject(
        title="sum(gammainc(a, x)) of 10,000 numbers: gradient in a and x",
        ours="scigrad",
        contenders={"scigrad": shape_of_scigrad, "jax, jitted": shape_of_jax},
        bars=(Bar("jax, jitted", ratio=0.2),),
        check=same,
    ),
}
