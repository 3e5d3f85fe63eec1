"""Maps to manifolds: the constraint, the round trip, the laws of derivatives, sizes, and points
that are not reached.
"""

import numpy as np
import pytest

from scigrad import grad, jacobian, linalg, vmap
from scigrad.linalg.manifolds import (
    Correlation,
    FixedRank,
    Orthogonal,
    PositiveDefinite,
    Simplex,
    SpectralBall,
    Stiefel,
)
from scigrad.testing import OpSpec, assert_close, make_array
from scigrad.testing.arrays import to_host
from scigrad.testing.laws import LAWS

rng = np.random.default_rng(6)


def mH(a):
    return np.conjugate(a).mT


def one(a, n):
    return np.abs(a - np.eye(n)).max()


def orthonormal(x):
    return one(mH(x) @ x, x.shape[-1])


def positive(x):
    return max(np.abs(x - mH(x)).max(), float((np.linalg.eigvalsh(x) <= 0).any()))


def correlated(x):
    return max(positive(x), np.abs(np.diagonal(x, axis1=-2, axis2=-1) - 1).max())


def of_rank(k):
    return lambda x: (np.linalg.svdvals(x)[..., k:] / np.linalg.svdvals(x)[..., :1]).max(initial=0)


def bounded(bound):
    return lambda x: float((np.linalg.svdvals(x) >= bound).any())


def weights(x):
    return max(np.abs(x.sum(axis=-1) - 1).max(), float((x <= 0).any()))


REFLECTION = np.diag([1.0, 1.0, -1.0])
CHARTS = [
    *(
        (Orthogonal(3, method, is_complex), orthonormal)
        for method in ("exponential", "cayley", "householder")
        for is_complex in (False, True)
    ),
    (Orthogonal(3, "cayley", base=REFLECTION), orthonormal),
    *(
        (Stiefel(4, 2, method, is_complex), orthonormal)
        for method in ("householder", "cayley")
        for is_complex in (False, True)
    ),
    (Stiefel(3, 1, "cayley", base=REFLECTION), orthonormal),
    *(
        (PositiveDefinite(3, method, is_complex), positive)
        for method in ("cholesky", "exponential")
        for is_complex in (False, True)
    ),
    *((Correlation(3, is_complex), correlated) for is_complex in (False, True)),
    *((FixedRank(3, 4, 2, is_complex), of_rank(2)) for is_complex in (False, True)),
    (FixedRank(2, 3, 2), of_rank(2)),
    (FixedRank(2, 2, 2), of_rank(2)),
    *((SpectralBall(2, 3, 1.5, is_complex), bounded(1.5)) for is_complex in (False, True)),
    (Simplex(4), weights),
]
charts = pytest.mark.parametrize(
    ("chart", "defect"), CHARTS, ids=[repr(chart) for chart, _ in CHARTS]
)
DIMENSIONS = [
    (Orthogonal(4), 6),
    (Orthogonal(4, is_complex=True), 16),
    (Stiefel(5, 2), 7),
    (Stiefel(5, 2, is_complex=True), 16),
    (PositiveDefinite(4), 10),
    (PositiveDefinite(4, is_complex=True), 16),
    (Correlation(4), 6),
    (FixedRank(4, 5, 2), 14),
    (SpectralBall(2, 3), 6),
    (Simplex(4), 3),
]


@charts
def test_the_constraint_holds_and_the_inverse_is_one(chart, defect):
    parameters = rng.standard_normal((2, 5, chart.size))
    points = chart(parameters)
    assert points.shape == (2, 5, *chart.shape)
    assert points.dtype.kind == ("c" if getattr(chart, "is_complex", False) else "f")
    assert defect(points) <= 1e-13
    assert_close(chart(chart.inverse(points)), points, 1e-10)
    assert chart.inverse(points).shape == parameters.shape


@charts
@pytest.mark.parametrize("backend", ["numpy", "device"])
def test_the_laws(chart, defect, backend):
    if backend == "device" and getattr(chart, "base", None) is not None:
        return

    def samples(draw):
        if not draw.is_complex:
            yield "parameters", (0.7 * draw.real(chart.size),), {}
            yield "batch", (0.7 * draw.real(2, chart.size),), {}

    def function(p):
        return chart(p)

    laws = (
        ("adjoint",)
        if backend == "device"
        else ("forward", "adjoint", "second_order", "batching", "shapes")
    )
    for law in laws:
        LAWS[law](OpSpec(function=function, samples=samples, tolerance=1e-8), backend)


@charts
def test_single_precision_stays_single(chart, defect):
    parameters = rng.standard_normal((3, chart.size)).astype(np.float32)
    points = chart(parameters)
    assert points.dtype.itemsize == (8 if points.dtype.kind == "c" else 4)
    assert defect(points) <= 1e-5
    assert chart.inverse(points).dtype == np.float32
    loss = grad(
        lambda p: np.sum(np.abs(chart(p)) ** 2 * np.arange(points[0].size).reshape(chart.shape))
    )
    assert loss(parameters[0]).dtype == np.float32


@charts
def test_zero_is_regular(chart, defect):
    """At parameters 0 the map is smooth, and an immersion where it is one to one."""
    parameters = np.zeros(chart.size)
    matrix = jacobian(lambda p: np.stack([np.real(chart(p)), np.imag(chart(p) + 0j)]))(
        parameters
    ).reshape(-1, chart.size)
    redundant = chart.rank if isinstance(chart, FixedRank) and chart.is_complex else 0
    assert np.isfinite(matrix).all()
    # directions of u and v may coincide if singular values cross
    if not isinstance(chart, FixedRank):
        assert np.linalg.matrix_rank(matrix) == chart.size - redundant


@charts
def test_inverses_on_a_device(chart, defect):
    if getattr(chart, "base", None) is not None:  # it lies on the host
        with pytest.raises(TypeError):
            chart(make_array(np.zeros(chart.size), "device"))
        return
    points = chart(0.5 * rng.standard_normal((2, chart.size)))
    found = to_host(chart.inverse(make_array(points, "device")))
    assert_close(chart(found), points, 1e-9)


@pytest.mark.parametrize(("chart", "dimension"), DIMENSIONS, ids=repr)
def test_sizes_are_the_dimensions_of_the_manifolds(chart, dimension):
    assert chart.size == dimension


@pytest.mark.parametrize(
    "chart",
    [
        Orthogonal(3),
        Stiefel(3, 2, "cayley"),
        PositiveDefinite(3),
        Correlation(3),
        SpectralBall(3, 3),
        FixedRank(3, 3, 1),
    ],
    ids=repr,
)
def test_points_off_the_manifold_are_refused(chart):
    with pytest.raises(ValueError, match="does not lie on the manifold"):
        chart.inverse(np.arange(9.0).reshape(3, 3)[:, : chart.shape[1]])
    with pytest.raises(ValueError, match="this one has shape"):
        chart.inverse(np.eye(5))
    with pytest.raises(ValueError, match="takes real parameters"):
        chart(np.zeros(chart.size + 1))
    with pytest.raises(ValueError, match="takes real parameters"):
        chart(np.zeros(chart.size, complex))


@pytest.mark.parametrize("method", Orthogonal.methods)
def test_another_base_reaches_the_other_component(method):
    q = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    q = q if np.linalg.det(q) < 0 else -q
    with pytest.raises(ValueError, match="another base"):
        Orthogonal(3, method).inverse(q)
    chart = Orthogonal(3, method, base=REFLECTION)
    assert_close(chart(chart.inverse(q)), q, 1e-10)


def test_a_fit_over_rotations():
    """The rotation nearest to a matrix, by gradient steps in the parameters, is its polar
    factor.
    """
    a = np.array([[2.0, 0.5, 0.1], [-0.2, 1.5, 0.3], [0.4, 0.1, 1.0]])
    chart = Orthogonal(3)
    loss = grad(lambda p: np.sum((chart(p) - a) ** 2))
    p = np.zeros(3)
    for _ in range(200):
        p = p - 0.1 * loss(p)
    u, _, vh = np.linalg.svd(a)
    assert_close(chart(p), u @ vh, 1e-8)


def test_vmap_and_another_function_of_the_point():
    chart = PositiveDefinite(2)
    parameters = rng.standard_normal((4, 3))
    found = vmap(grad(lambda p: linalg.slogdet(chart(p)).logabsdet))(parameters)
    assert_close(found, np.broadcast_to([2.0, 2.0, 0.0], (4, 3)).copy(), 1e-12)


def test_weights_of_any_size():
    assert_close(
        Simplex(3)(np.array([1000.0, 999.0])),
        np.array([1, np.exp(-1), 0]) / (1 + np.exp(-1)),
        1e-14,
    )
    assert np.isfinite(Correlation(2)(np.array([1e200]))).all()
