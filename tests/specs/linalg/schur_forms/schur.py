"""schur. With real eigenvalues of a real matrix nothing is open but signs; complex matrices and 2 x
2 blocks are seen through what does not depend on the phases: |t|, |z| and z t^2 z^H. More is in
tests/linalg/test_schur.py.
"""

import functools

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def similar(draw, core, batch=()):
    n = len(core)
    p = draw.well_conditioned(n, batch)
    return p @ np.asarray(core, draw.dtype) @ np.linalg.inv(p)


def with_blocks(draw):
    """Eigenvalues 1 +- 2i and 3, or three complex ones."""
    return similar(
        draw,
        np.diag([1 + 2j, -2, 3 - 1j]) if draw.is_complex else [[1, 2, 0], [-2, 1, 0], [0, 0, 3]],
    )


def gradient_samples(draw):
    if draw.is_complex:
        return
    if draw.dtype == np.float64:  # in single precision LAPACK may choose other signs
        yield "real eigenvalues", (similar(draw, np.diag([1, 2, 4])),), {}
    yield "sorted", (similar(draw, np.diag([-1, 2])),), {"sort": "rhp"}
    yield (
        "batch",
        (similar(draw, np.diag([1, 3]), (2,)),),
        {"check_finite": False, "gauge": "project"},
    )
    yield "on_fail=info", (similar(draw, np.diag([1, 3])),), {"on_fail": "info"}


def samples(draw):
    yield from (row for row in gradient_samples(draw) if "on_fail" not in row[2])
    yield "blocks", (with_blocks(draw),), {"gauge": "trust"}
    yield "complex", (with_blocks(draw),), {"output": "complex"}
    for sort in ("lhp", "iuc", "ouc", lambda x, y=0.0: x.real > 2):
        yield f"sort={sort}", (with_blocks(draw),), {"sort": sort, "output": "complex"}
        if not draw.is_complex:
            yield (
                f"with a block, sort={sort}",
                (with_blocks(draw),),
                {"sort": sort, "gauge": "trust"},
            )
    yield "one number", (draw.array(1, 1),), {}
    yield "empty", (draw.array(0, 0),), {}


def errors(draw):
    a = with_blocks(draw)
    yield "not square", (draw.array(2, 3),), {}, ValueError, "(?i)square"
    yield "NaN", (a * np.nan,), {}, ValueError, "infs or NaNs"
    yield "output", (a,), {"output": "x"}, ValueError, "'real'.*or 'complex'"
    yield "sort", (a,), {"sort": "up"}, ValueError, "sort"
    yield "gauge", (a,), {"gauge": "fix", "on_fail": "nan"}, ValueError, "gauge must be one of"
    yield "unknown policy", (a,), {"on_fail": "skip"}, ValueError, "on_fail must be one of"


@functools.wraps(linalg.schur)
def invariants(a, output="real"):
    t, z = linalg.schur(a, output)
    whole = z @ t @ t @ np.conjugate(z).mT
    if t.dtype.kind != "c":  # the first two columns span the block
        p = z[..., :2] @ z[..., :2].mT
        return p, np.sum(np.diagonal(t, axis1=-2, axis2=-1), axis=-1), whole
    return np.abs(t) ** 2, np.abs(z) ** 2, whole


@functools.wraps(linalg.schur)
def products(a, **options):
    """z t^2 z^H and z z^H, what is left below the blocks, and how many eigenvalues were put
    first.
    """
    t, z, *number = linalg.schur(a, **options)
    adjoint = np.conjugate(z).mT
    return z @ t @ t @ adjoint, z @ adjoint, np.tril(t, -1 if t.dtype.kind == "c" else -2), *number


def plain_products(a, *, gauge=None, output="real", **options):
    number = scipy.linalg.schur(a, output, **options)[2:]
    whole = a.astype(np.result_type(a, 1j)) if output == "complex" else a
    return whole @ whole, np.zeros_like(whole) + np.eye(a.shape[-1]), np.zeros_like(whole), *number


def block_first(draw):
    """Block triangular in an orthogonal basis, so that the block comes first."""
    q = draw.unitary(3)
    t = (
        np.diag([1 + 2j, -2, 3 - 1j])
        if draw.is_complex
        else np.array([[1.0, 2, 0], [-2, 1, 0], [0, 0, 3]])
    )
    return (q @ (t + 0.3 * np.triu(draw.array(3, 3), 1)) @ np.conj(q.T)).astype(draw.dtype)


def invariant_samples(draw):
    yield "as it is", (block_first(draw),), {}
    yield "complex", (block_first(draw),), {"output": "complex"}


def plain_schur(a, *, gauge=None, **options):
    return scipy.linalg.schur(a, **options)


specs = [
    OpSpec(
        function=linalg.schur,
        reference=plain_schur,
        samples=samples,
        gradient_samples=gradient_samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.array(n, n),), {}),
    ),
    OpSpec(
        function=products,
        reference=plain_products,
        samples=samples,
        gradient_samples=invariant_samples,
    ),
    OpSpec(function=invariants, samples=invariant_samples),
]
