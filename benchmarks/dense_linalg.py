"""Dense linear algebra: value and gradient of <w, f(a, ...)> with random w, by all floating
arguments.

The notes of a case count its work and give the lower bound where a bar is out of reach. Matrices
are real unless the title says complex. The bars hold against the best of the contenders, so there
is one for each.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from . import THREADS
from .harness import Bar, Run, Subject

PEERS = ("torch", "jax, jitted", "autograd")
rng = np.random.default_rng(0)


def normal(*shape: int, complex: bool = False) -> Any:
    x = rng.standard_normal(shape)
    return x + 1j * rng.standard_normal(shape) if complex else x


def regular(n: int, batch: tuple[int, ...] = (), complex: bool = False) -> Any:
    """Well-conditioned, without structure."""
    return normal(*batch, n, n, complex=complex) + 2 * np.sqrt(n) * np.eye(n)


def symmetric(n: int, batch: tuple[int, ...] = ()) -> Any:
    x = normal(*batch, n, n)
    return x + x.mT


def definite(n: int) -> Any:
    x = normal(n, n)
    return x @ x.T / n + np.eye(n)


@dataclass(frozen=True)
class Case:
    """f by the names of each library; `arrays` are differentiated."""

    title: str
    arrays: tuple[Any, ...]
    scigrad: Callable[..., Any]
    torch: Callable[..., Any] | None
    jax: Callable[..., Any] | None
    autograd: Callable[..., Any] | None = None
    ratio: float = 1.0
    tolerance: float = 1e-8
    budget: float = 6.0
    read: Callable[[Any], Any] = lambda gradient: gradient  # what of the gradients has to agree


def lower(gradient: Any) -> Any:
    """Return the triangle that is read: some libraries have nonzero values in the other."""
    return np.tril(gradient) if gradient.ndim > 1 else gradient


def folded(gradient: Any) -> Any:
    """Return the derivative by a symmetric matrix: some libraries give half of it to each
    triangle.
    """
    return np.tril(gradient + gradient.mT) - gradient * np.eye(gradient.shape[-1])


# -- one contender for each library


def weights(value: Any) -> tuple[Any, ...]:
    """Return the same random cotangent for all contenders."""
    outputs = value if isinstance(value, tuple) else (value,)
    draw = np.random.default_rng(1)
    return tuple(
        draw.standard_normal(np.shape(y)) * (1 + 1j if np.iscomplexobj(y) else 1) for y in outputs
    )


def inner(xp: Any, w: tuple[Any, ...], value: Any) -> Any:
    outputs = value if isinstance(value, tuple) else (value,)
    pairs = zip(w, outputs, strict=True)
    return sum(
        xp.sum(xp.real(xp.conj(v) * y)) if np.iscomplexobj(np.asarray(v)) else xp.sum(v * y)
        for v, y in pairs
    )


def contenders(case: Case) -> Mapping[str, Callable[[], Run]]:
    """Return the libraries that have the function."""
    builders = zip(
        PEERS,
        (_by_torch, _by_jax, _by_autograd),
        (case.torch, case.jax, case.autograd),
        strict=True,
    )
    return {"scigrad": partial(_by_scigrad, case)} | {
        name: partial(build, case) for name, build, there in builders if there is not None
    }


def _by_scigrad(case: Case) -> Run:
    from scigrad import value_and_grad

    w = _weights_of(case)
    f = value_and_grad(
        lambda *arrays: inner(np, w, case.scigrad(*arrays)),
        argnums=tuple(range(len(case.arrays))),
    )
    return lambda: f(*case.arrays)


def _by_torch(case: Case) -> Run:
    import torch

    torch.set_num_threads(THREADS)
    w = tuple(torch.as_tensor(x) for x in _weights_of(case))
    fixed = [torch.from_numpy(x) for x in case.arrays]

    def run() -> Any:
        arrays = [x.detach().requires_grad_() for x in fixed]
        outputs = _required(case.torch)(torch, *arrays)
        pairs = zip(w, outputs if isinstance(outputs, tuple) else (outputs,), strict=True)
        value = sum(((v.conj() * y).real if y.is_complex() else v * y).sum() for v, y in pairs)
        return value.detach(), torch.autograd.grad(value, arrays)

    return run


def _by_jax(case: Case) -> Run:
    import jax
    import jax.numpy as jnp

    w, arrays = (tuple(jnp.asarray(x) for x in given) for given in (_weights_of(case), case.arrays))
    f = jax.jit(
        jax.value_and_grad(
            lambda *arrays: inner(jnp, w, _required(case.jax)(jax, *arrays)),
            argnums=tuple(range(len(arrays))),
        )
    )
    return lambda: jax.block_until_ready(f(*arrays))


def _by_autograd(case: Case) -> Run:
    import autograd
    import autograd.numpy as anp

    w = _weights_of(case)
    f = autograd.value_and_grad(
        lambda arrays: inner(anp, w, _required(case.autograd)(anp, *arrays)),
    )
    return lambda: f(case.arrays)


def _weights_of(case: Case) -> tuple[Any, ...]:
    return weights(case.scigrad(*case.arrays))


def _required(function: Callable[..., Any] | None) -> Callable[..., Any]:
    assert function is not None
    return function


def agreement(case: Case) -> Callable[[dict[str, Any]], None]:
    def check(results: dict[str, Any]) -> None:
        if "scigrad" not in results:
            return
        value, gradients = results["scigrad"]
        for name, (other, others) in results.items():
            np.testing.assert_allclose(np.asarray(other), value, rtol=case.tolerance, err_msg=name)
            for ours, theirs in zip(gradients, others, strict=True):
                # conventions
                theirs = (
                    np.asarray(theirs)
                    if name in ("scigrad", "torch")
                    else np.conj(np.asarray(theirs))
                )
                scale = np.abs(ours).max()
                np.testing.assert_allclose(
                    case.read(theirs),
                    case.read(ours),
                    rtol=0,
                    atol=case.tolerance * scale,
                    err_msg=name,
                )

    return check


def subject(case: Case, notes: str) -> Subject:
    bars = tuple(Bar(name, ratio=case.ratio) for name in contenders(case) if name != "scigrad")
    return Subject(
        title=f"{case.title}: value and gradient",
        ours="scigrad",
        contenders=contenders(case),
        bars=bars,
        check=agreement(case),
        budget=case.budget,
        notes=notes,
    )


# -- the cases


def _ours(name: str) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        from scigrad import linalg

        return getattr(linalg, name)(*arguments, **options)

    return call


def _numpy_like(name: str) -> dict[str, Callable[..., Any]]:
    """Return the function of one name in numpy.linalg and its followers."""
    return {
        "scigrad": _ours(name),
        "torch": lambda torch, *arrays: getattr(torch.linalg, name)(*arrays),
        "jax": lambda jax, *arrays: getattr(jax.numpy.linalg, name)(*arrays),
        "autograd": lambda anp, *arrays: getattr(anp.linalg, name)(*arrays),
    }


def _projector(v: Any) -> Any:
    """Return the projector on half of the eigenvectors, which does not depend on their signs."""
    k = v.shape[-1] // 2
    return v[..., :k] @ v[..., :k].swapaxes(-1, -2)


def _eigh(a: Any, eigh: Callable[[Any], Any]) -> Any:
    w, v = eigh(a)
    return w, _projector(v)


def _svd(found: Any) -> Any:
    u, s, vh = found
    k = s.shape[-1] // 2
    return s, u[:, :k] @ vh[:k]  # the product does not depend on signs


SQUARE = regular(500)
CASES = {
    "solve_100": Case("solve, n = 100", (regular(100), normal(100)), **_numpy_like("solve")),
    "solve_1000": Case(
        "solve, n = 1000", (regular(1000), normal(1000)), **_numpy_like("solve"), budget=10
    ),
    "solve_100_complex": Case(
        "solve, n = 100, complex",
        (regular(100, complex=True), normal(100, complex=True)),
        **_numpy_like("solve"),
    ),
    "solve_1000_complex": Case(
        "solve, n = 1000, complex",
        (regular(1000, complex=True), normal(1000, complex=True)),
        **_numpy_like("solve"),
        budget=15,
    ),
    "cho_solve": Case(
        "cho_solve, n = 1000",
        (np.linalg.cholesky(definite(1000)), normal(1000)),
        scigrad=lambda c, b: _ours("cho_solve")((c, True), b),
        torch=lambda torch, c, b: torch.cholesky_solve(b[:, None], c)[:, 0],
        jax=lambda jax, c, b: jax.scipy.linalg.cho_solve((c, True), b),
        ratio=0.2,
        read=lower,
    ),
    "lstsq": Case(
        "lstsq, 2000 x 200",
        (normal(2000, 200), normal(2000)),
        scigrad=lambda a, b: _ours("lstsq")(a, b)[0],
        torch=lambda torch, a, b: torch.linalg.lstsq(a, b[:, None]).solution[:, 0],
        jax=lambda jax, a, b: jax.numpy.linalg.lstsq(a, b)[0],
        ratio=0.5,
    ),
    "eigh": Case(
        "eigh, n = 300",
        (symmetric(300),),
        scigrad=lambda a: _eigh(a, _ours("eigh")),
        torch=lambda torch, a: _eigh(a, torch.linalg.eigh),
        jax=lambda jax, a: _eigh(a, jax.numpy.linalg.eigh),
        autograd=lambda anp, a: _eigh(a, anp.linalg.eigh),
        ratio=1.1,
        tolerance=1e-6,
        read=folded,
    ),
    "inv": Case("inv, n = 500", (SQUARE,), **_numpy_like("inv"), ratio=1.1),
    "slogdet": Case(
        "slogdet, n = 500",
        (SQUARE,),
        scigrad=lambda a: _ours("slogdet")(a)[1],
        torch=lambda torch, a: torch.linalg.slogdet(a)[1],
        jax=lambda jax, a: jax.numpy.linalg.slogdet(a)[1],
        autograd=lambda anp, a: anp.linalg.slogdet(a)[1],
        ratio=1.1,
    ),
    "det": Case("det, n = 500", (SQUARE / 50,), **_numpy_like("det"), ratio=0.5),
    "cholesky": Case(
        "cholesky, n = 1000",
        (definite(1000),),
        scigrad=lambda a: _ours("cholesky")(a, lower=True),
        torch=lambda torch, a: torch.linalg.cholesky(a),
        jax=lambda jax, a: jax.numpy.linalg.cholesky(a, symmetrize_input=False),
        autograd=lambda anp, a: anp.linalg.cholesky(a),
        ratio=0.9,
        read=folded,
        budget=12,
    ),
    "small_solves": Case(
        "10,000 solves of 4 x 4",
        (regular(4, (10000,)), normal(10000, 4, 1)),
        **_numpy_like("solve"),
        ratio=0.7,
    ),
    "small_eigh": Case(
        "1,000 eigh of 32 x 32",
        (symmetric(32, (1000,)),),
        scigrad=lambda a: _eigh(a, _ours("eigh")),
        torch=lambda torch, a: _eigh(a, torch.linalg.eigh),
        jax=lambda jax, a: _eigh(a, jax.numpy.linalg.eigh),
        autograd=lambda anp, a: _eigh(a, anp.linalg.eigh),
        tolerance=1e-6,
        read=folded,
        budget=10,
    ),
    "svd": Case(
        "svd, 300 x 200",
        (normal(300, 200),),
        scigrad=lambda a: _svd(_ours("svd")(a, full_matrices=False)),
        torch=lambda torch, a: _svd(torch.linalg.svd(a, full_matrices=False)),
        jax=lambda jax, a: _svd(jax.numpy.linalg.svd(a, full_matrices=False)),
        autograd=lambda anp, a: _svd(anp.linalg.svd(a, full_matrices=False)),
        ratio=1.1,
        tolerance=1e-6,
    ),
    "qr": Case(
        "qr, 500 x 200",
        (normal(500, 200),),
        scigrad=lambda a: tuple(_ours("qr")(a, mode="economic")),
        torch=lambda torch, a: tuple(torch.linalg.qr(a)),
        jax=lambda jax, a: tuple(jax.numpy.linalg.qr(a)),
        ratio=1.1,
    ),
}
NOTES = {
    "solve_100": (
        "LAPACK alone (getrf, two solves, the estimate of the condition for SciPy's warning) "
        "takes 85 µs of this; jax computes no condition and runs no Python: 130 µs in all. What "
        "is left above that is the recording of five operations."
    ),
    "solve_1000": (
        "2/3 n^3 = 0.67 GFlop. Floor: getrf in Fortran order 16.8-17.4 ms, its transposing copy "
        "0.9, two solves 0.8, the gradient's outer product 0.9: 19.5 ms, which is what jax takes. "
        "SciPy's checks cost the rest: infinities 0.2, norm 0.3-0.5, condition 1.2 (gecon took "
        "2.1). LU of the transpose would save the copy, but calls other matrices singular than "
        "SciPy does."
    ),
    "solve_1000_complex": (
        "As the real one: zgetrf 58 of 74 ms; the checks 9 (16 more with LAPACK's lange, which is "
        "slow for complex moduli, and 5 more with gecon)."
    ),
    "cho_solve": (
        "Four triangular solves, 4 n^2 flops, and one n x n gradient: bandwidth. Floor 1.3 ms: "
        "the solves 0.4, reading c for infinities 0.2-0.4, writing 8 MB of gradient 0.7. jax "
        "takes 3 to 6, torch 50. A fifth of jax is below the time of writing the gradient."
    ),
    "det": (
        "Floor: getrf 2.7 ms + getri 5.6 (2 n^3 flops) = 8.3 ms, half of what the best peer "
        "takes; norms, checks and the product with det take 1.2."
    ),
    "small_solves": (
        "160,000 numbers: 21 multiplications and divisions a matrix for the LU, 32 for two "
        "solves. One operation over the whole batch for each step; LAPACK's batched solve alone "
        "would take 1.7 ms each way, NumPy's inverse 3.5. Floor of our way 1.6: LU 0.6, "
        "substitutions 0.5, the rest copies, finiteness and the bound of the condition, 0.2."
    ),
    "eigh": (
        "syevd of the lower triangle 6.8 ms (upper 8.0, syevr 7.6, NumPy's 8.3); the loss and its "
        "reverse, 81 MFlop, 1.5; the rule 108 MFlop, 2.1, for 162 if the loss looked at all "
        "eigenvectors. Floor 10.4, the rest is passes over 720 kB. Half of the last product would "
        "do for a symmetric gradient, but then the one before has to be whole: no gain."
    ),
    "svd": (
        "gesdd 6.2 ms (gesvd 21, QR first 7.6); the loss and its reverse 0.8; the rule's four "
        "products, 68 MFlop, 1.5. Floor 8.5; the masks for equal singular values, which took 1.4, "
        "are left out where all are known to differ."
    ),
    "qr": (
        "geqrt 1.1 ms (geqrf 1.35), orgqr 1.3; the rule's q^H q_bar and q h 1.6, trmm 0.2, trsm "
        "from the right 0.75 (from the left 0.95; in two blocks, or by the inverse, no less). "
        "Floor 5.0; the rest is copies and checks of 800 kB."
    ),
    "small_eigh": (
        "LAPACK's syevd takes 72 ms, for jax and torch too: 13 to the tridiagonal form, 50 for "
        "its eigenvectors, 9 back; syev 84, syevr 88. Eight batched products 8. The rule works on "
        "pieces that stay in the second-level cache, 7 ms for 16 as whole arrays. Floor 82; the "
        "rest are passes over 8 MB, of which each new array costs 1.5 ms of page faults."
    ),
    "lstsq": (
        "QR 2 m n^2 = 0.16 GFlop 6.5 ms, SVD of r 5.0, reflections applied three times 1.2; the "
        "left singular vectors are never formed (10 ms)."
    ),
    "cholesky": (
        "n^3/3 for the factor, 10 ms and 10 for NumPy's copies around it; 2/3 n^3 for the blocked "
        "reverse sweep, 24 (predicted 13 at the speed of a product; the rest are panels and "
        "passes). The closed form, which the peers use, takes 7/3 n^3: 60."
    ),
}
SUBJECTS = {name: subject(case, NOTES.get(name, "")) for name, case in CASES.items()}
