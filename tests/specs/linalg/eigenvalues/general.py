"""eig, eigvals. Eigenvectors are compared with canonical=True: without it their phases are the
algorithm's. What the laws cannot say (equal eigenvalues, Jordan blocks, gauges, singular pairs) is
in tests/linalg/test_eig.py and test_defective_matrices.py.
"""

import functools

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def separated(draw, batch=()):
    """A 3 x 3 matrix with the eigenvalues 3 and 1 +- 2i, or three complex ones."""
    core = np.array([[1, 2, 0], [-2, 1, 0], [0, 0, 3]], draw.real_dtype)
    if draw.is_complex:
        core = np.diag([1 + 2j, -2, 3 - 1j]).astype(draw.dtype)
    p = draw.well_conditioned(3, batch)
    return p @ core @ np.linalg.inv(p)


def pair(draw, batch=()):
    b = draw.well_conditioned(3)
    return b @ separated(draw, batch), b


def in_order(function):
    """Eigenvalues of pairs sorted: in which order LAPACK finds them may change with a small
    perturbation.
    """

    @functools.wraps(function)
    def ordered(*args, **options):
        found = function(*args, **options)
        if not isinstance(found, tuple):
            return np.take_along_axis(found, order_of(found), axis=-1)
        order = order_of(found[0])
        rest = (np.take_along_axis(x, order[..., None, :], axis=-1) for x in found[1:])
        return np.take_along_axis(found[0], order, axis=-1), *rest

    return ordered


def order_of(w):
    return np.argsort(np.real(w) + np.imag(w) / 8, axis=-1)


def turned(v):
    size = np.abs(v)
    first = np.argmax(size >= 0.99 * size.max(axis=-2, keepdims=True), axis=-2)
    lead = np.take_along_axis(v, first[..., None, :], axis=-2)
    return v * np.conj(lead / np.abs(lead))


def canonical_eig(
    a, b=None, left=False, right=True, *, canonical=False, on_fail=None, gauge=None, **options
):
    """SciPy's eig, its eigenvectors turned so that the first of their largest components is
    positive.
    """
    found = scipy.linalg.eig(a, b, left, right, **options)
    if not canonical or isinstance(found, np.ndarray):
        return found
    return found[0], *(turned(v) for v in found[1:])


def plain_eigvals(a, b=None, on_fail=None, **options):
    return scipy.linalg.eigvals(a, b, **options)


def gradient_samples(draw):
    turn = {"canonical": True}
    yield "right", (separated(draw),), turn
    yield "left and right", (separated(draw),), {"left": True, **turn}
    yield "left", (separated(draw),), {"left": True, "right": False, "check_finite": False, **turn}
    yield "eigenvalues", (separated(draw),), {"right": False, "gauge": "trust"}
    yield "batch", (separated(draw, (2,)),), turn
    yield "on_fail=info", (separated(draw),), {"on_fail": "info", **turn}
    yield "on_fail=nan", (separated(draw),), {"on_fail": "nan", "right": False}


def pair_samples(draw):
    turn = {"canonical": True}
    yield "right", pair(draw), turn
    yield "left and right", pair(draw), {"left": True, **turn}
    yield "eigenvalues", pair(draw), {"right": False, "gauge": "trust"}
    yield "batch that broadcasts", pair(draw, (2,)), turn
    yield "on_fail=nan", pair(draw), {"on_fail": "nan", "right": False}


def value_samples(draw):
    yield from (row for row in gradient_samples(draw) if row[2].get("on_fail") != "info")
    yield "as they come", (separated(draw),), {}
    yield "real eigenvalues", (draw.hermitian(3),), {"right": False}
    yield "homogeneous", (separated(draw),), {"homogeneous_eigvals": True, "canonical": True}
    yield "one number", (draw.array(1, 1),), {"canonical": True}
    yield "empty", (draw.array(0, 0),), {}


def errors(draw):
    a = separated(draw)
    yield "not square", (draw.array(2, 3),), {}, ValueError, "(?i)square"
    yield "NaN", (a * np.nan,), {}, ValueError, "infs or NaNs"
    yield "NaN in b", (a, a * np.nan), {}, ValueError, "argument 'b'"
    yield "orders differ", (a, a[:2, :2]), {}, ValueError, "the same shape"
    yield (
        "unknown gauge",
        (a,),
        {"gauge": "fix", "canonical": True},
        ValueError,
        "gauge must be one of",
    )
    yield "unknown policy", (a,), {"on_fail": "skip"}, ValueError, "on_fail must be one of"


def eigvals_samples(draw):
    yield "one matrix", (separated(draw),), {}
    yield "batch", (separated(draw, (2,)),), {"check_finite": False}
    yield "on_fail=nan", (separated(draw),), {"on_fail": "nan"}


def eigvals_pair_samples(draw):
    yield "pair", pair(draw), {"check_finite": False}
    yield "batch", pair(draw, (2,)), {}


def eigvals_value_samples(draw):
    yield from eigvals_samples(draw)
    yield "homogeneous", (separated(draw),), {"homogeneous_eigvals": True}
    yield "real eigenvalues", (draw.hermitian(3),), {}
    yield "empty", (draw.array(0, 0),), {}


specs = [
    OpSpec(
        function=linalg.eig,
        reference=canonical_eig,
        samples=value_samples,
        gradient_samples=gradient_samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.array(n, n),), {}),
    ),
    OpSpec(function=in_order(linalg.eig), reference=in_order(canonical_eig), samples=pair_samples),
    OpSpec(
        function=linalg.eigvals,
        reference=plain_eigvals,
        samples=eigvals_value_samples,
        gradient_samples=eigvals_samples,
        error_samples=lambda draw: (row for row in errors(draw) if "gauge" not in row[2]),
        size=lambda draw, n: ((draw.array(n, n),), {}),
    ),
    OpSpec(
        function=in_order(linalg.eigvals),
        reference=in_order(plain_eigvals),
        samples=eigvals_pair_samples,
    ),
]
