"""qz, ordqz. With real eigenvalues of a real pair nothing is open but signs; complex pairs are seen
through what does not depend on the phases. More is in tests/linalg/test_qz.py.
"""

import functools

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def pair(draw, n=2, batch=()):
    """With the eigenvalues 1, -2, 3, ... (complex ones if the dtype is)."""
    q, z = draw.unitary(n, batch), draw.unitary(n)
    w = np.array([1, -2, 4], draw.dtype)[:n] * (np.exp(1j * np.arange(n)) if draw.is_complex else 1)
    s = np.diag(w) + 0.3 * np.triu(draw.array(*batch, n, n), 1)
    p = np.eye(n, dtype=draw.dtype) + 0.3 * np.triu(draw.array(n, n), 1)
    return (q @ s @ np.conj(z.T)).astype(draw.dtype), (q @ p @ np.conj(z.T)).astype(draw.dtype)


def gradient_samples(draw):
    if draw.is_complex:
        return
    yield "real eigenvalues", pair(draw), {}
    yield "batch", pair(draw, 2, (2,)), {"check_finite": False, "gauge": "project"}
    yield "on_fail=info", pair(draw), {"on_fail": "info"}


def samples(draw):
    yield from (row for row in gradient_samples(draw) if "on_fail" not in row[2])
    yield "as it comes", (draw.array(4, 4), draw.array(4, 4)), {"gauge": "trust"}
    yield "complex", (draw.array(3, 3), draw.array(3, 3)), {"output": "complex"}
    yield "one number", (draw.array(1, 1), draw.array(1, 1)), {}


def errors(draw):
    a, b = pair(draw)
    yield "not square", (draw.array(2, 3), a), {}, ValueError, "(?i)square"
    yield "orders differ", (a, draw.array(3, 3)), {}, ValueError, "agree"
    yield "NaN", (a * np.nan, b), {}, ValueError, "infs or NaNs"
    yield "output", (a, b), {"output": "x"}, ValueError, "'real'.*or 'complex'"
    yield "gauge", (a, b), {"gauge": "fix", "on_fail": "nan"}, ValueError, "gauge must be one of"
    yield "unknown policy", (a, b), {"on_fail": "skip"}, ValueError, "on_fail must be one of"


def qz_errors(draw):
    yield from errors(draw)
    yield "sort", pair(draw), {"sort": "lhp"}, ValueError, "'sort' input"


def sorted_samples(draw):
    for name, args, kwargs in gradient_samples(draw):
        yield name, args, {"sort": "rhp", **kwargs}


def sorted_values(draw):
    yield from (row for row in sorted_samples(draw) if "on_fail" not in row[2])
    for sort in ("lhp", "rhp", "iuc", "ouc", lambda alpha, beta: np.abs(alpha) > 3 * np.abs(beta)):
        yield f"sort={sort}", pair(draw, 3), {"sort": sort, "output": "complex"}


def sorted_errors(draw):
    yield from errors(draw)
    yield "sort", pair(draw), {"sort": "up"}, ValueError, "sort"


def of_form(s, p, q, z):
    return (
        np.abs(s) ** 2,
        np.abs(p) ** 2,
        np.abs(q) ** 2,
        np.abs(z) ** 2,
        np.real(np.diagonal(p, axis1=-2, axis2=-1)),
    )


@functools.wraps(linalg.qz)
def invariants(a, b):
    s, p, q, z = linalg.qz(a, b, "complex")
    return *of_form(s, p, q, z), q @ s @ np.conjugate(z).mT


@functools.wraps(linalg.ordqz)
def sorted_invariants(a, b):
    s, p, alpha, beta, q, z = linalg.ordqz(a, b, "lhp", "complex")
    return *of_form(s, p, q, z), alpha / beta


def invariant_samples(draw):
    yield "pair", pair(draw), {}
    yield "batch that broadcasts", pair(draw, 2, (2,)), {}


@functools.wraps(linalg.qz)
def block_invariants(a, b):
    """What neither the rotation inside the block that comes first nor signs change."""
    s, p, q, z = linalg.qz(a, b)
    projectors = tuple(x[..., :2] @ x[..., :2].mT for x in (q, z))
    return *projectors, p[..., 0, 0] * p[..., 1, 1], p[..., 2, 2], q @ s @ z.mT, q @ p @ z.mT


@functools.wraps(linalg.ordqz)
def block_eigenvalues(a, b):
    s, p, alpha, beta, q, z = linalg.ordqz(a, b, "ouc")
    return (
        alpha / beta,
        np.sum(s**2, axis=(-2, -1)),
        q @ s @ linalg.solve(p, s, on_fail="nan") @ z.mT,
    )


def with_block(draw, batch=()):
    """Eigenvalues 1 +- 2i, which LAPACK puts first, and 0.3."""
    if not draw.is_complex:
        q, z = draw.unitary(3, batch), draw.unitary(3)
        s, p = (0.2 * np.triu(draw.array(*size, 3, 3), 1) for size in (batch, ()))
        s, p = s + np.array([[1, 2, 0], [-2, 1, 0], [0, 0, 0.3]]), p + np.eye(3)
        return (q @ s @ z.T).astype(draw.dtype), (q @ p @ z.T).astype(draw.dtype)
    return None


def block_samples(draw):
    if not draw.is_complex:
        yield "block", with_block(draw), {}
        yield "batch that broadcasts", with_block(draw, (2,)), {}


@functools.wraps(linalg.ordqz)
def products(a, b, **options):
    """The pair again, what is left below the blocks, and the eigenvalues by their size."""
    s, p, alpha, beta, q, z = linalg.ordqz(a, b, **options)
    adjoint = np.conjugate(z).mT
    below = np.tril(s, -1 if s.dtype.kind == "c" else -2), np.tril(p, -1)
    return q @ s @ adjoint, q @ p @ adjoint, *below, np.sort(np.abs(alpha / beta))


def plain_products(a, b, *, output="real", **options):
    _, _, alpha, beta, *_ = scipy.linalg.ordqz(a, b, output=output, **options)
    kind = a.dtype if output == "real" else np.result_type(a.dtype, np.complex64)
    nothing = np.zeros(a.shape, kind)
    return a.astype(kind), b.astype(kind) + nothing, nothing, nothing, np.sort(np.abs(alpha / beta))


def product_samples(draw):
    for sort in ("lhp", "rhp", "iuc", "ouc", lambda alpha, beta: np.abs(alpha) > 3 * np.abs(beta)):
        yield f"sort={sort}", pair(draw, 3), {"sort": sort, "output": "complex"}
        if not draw.is_complex:
            yield f"with a block, sort={sort}", with_block(draw), {"sort": sort}


def product_gradients(draw):
    for name, args, kwargs in product_samples(draw):
        if kwargs["sort"] == "lhp":
            yield name, args, kwargs


def without_gauge(function):
    return lambda *args, gauge=None, **options: function(*args, **options)


specs = [
    OpSpec(
        function=linalg.qz,
        reference=without_gauge(scipy.linalg.qz),
        samples=samples,
        gradient_samples=gradient_samples,
        error_samples=qz_errors,
        size=lambda draw, n: ((draw.array(n, n), draw.array(n, n)), {}),
    ),
    OpSpec(function=invariants, samples=invariant_samples),
    OpSpec(
        function=linalg.ordqz,
        reference=without_gauge(scipy.linalg.ordqz),
        samples=sorted_values,
        gradient_samples=sorted_samples,
        error_samples=sorted_errors,
    ),
    OpSpec(function=sorted_invariants, samples=invariant_samples),
    OpSpec(function=block_invariants, samples=block_samples),
    OpSpec(function=block_eigenvalues, samples=block_samples),
    OpSpec(
        function=products,
        reference=plain_products,
        samples=product_samples,
        gradient_samples=product_gradients,
    ),
]
