"""on_fail of cholesky, inv, lstsq, pinv: element by element, on the host and on the stand-in for a
device.
"""

import numpy as np
import pytest

from scigrad import grad, jvp, linalg, vjp, vmap
from scigrad.testing import assert_close, make_array
from scigrad.testing.arrays import to_host

rng = np.random.default_rng(5)
BACKENDS = ("numpy", "device")


def definite(n, count):
    a = rng.standard_normal((count, n, n))
    return a @ a.mT + n * np.eye(n)


def batch_with_failures(n=3):
    """Good, indefinite and singular, with NaN, good."""
    a = definite(n, 4)
    a[1] = 0
    a[2, 0, 1] = np.nan
    return a


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["cholesky", "inv", "lstsq", "pinv"])
def test_failures_spare_their_neighbors(name, backend):
    host = batch_with_failures()
    b = np.ones((4, 3, 1))

    def function(a, b, **options):
        if name == "lstsq":
            x, _, _, _, *info = linalg.lstsq(a, b, **options)
            return (x, *info) if info else x
        return getattr(linalg, name)(a, **options)

    a, right = make_array((host, b), backend)
    x, info = to_host(function(a, right, on_fail="info"))
    fails_when_singular = name in ("cholesky", "inv")
    assert (info != 0).tolist() == [False, fails_when_singular, True, False]
    if backend == "numpy":
        assert info[2] == -1
    assert np.isnan(x[2]).all()
    for i in (0, 3):
        assert_close(x[i], function(host[i], b[i]), 1e-10)
    assert_close(function(a, right, on_fail="nan"), x, 1e-14)
    gradient = to_host(grad(lambda a: np.nansum(function(a, right, on_fail="nan") ** 2))(a))
    for i in (0, 3):
        assert_close(
            gradient[i], grad(lambda a, i=i: np.sum(function(a, b[i]) ** 2))(host[i]), 1e-9
        )


@pytest.mark.parametrize(
    ("function", "codes"), [(linalg.cholesky, [0, 1, -1, 0]), (linalg.inv, [0, 1, -1, 0])]
)
def test_info_is_batched_by_vmap(function, codes):
    assert vmap(lambda a: function(a, on_fail="info"))(batch_with_failures())[1].tolist() == codes


def test_the_order_of_the_minor_is_told():
    a = definite(4, 3)
    a[1, 2, 2] = -1
    with pytest.raises(
        np.linalg.LinAlgError,
        match=r"cholesky: .* \(3, 4, 4\) .* at batch index \(1,\): .* order 3",
    ):
        linalg.cholesky(a)
    assert linalg.cholesky(a, on_fail="info")[1].tolist() == [0, 3, 0]
    c, lower, info = linalg.cho_factor(a, on_fail="info")
    assert info.tolist() == [0, 3, 0]
    assert np.isnan(c[1]).any()
    assert np.array_equal(lower, [False] * 3)


def test_a_device_raises_too():
    a = make_array(batch_with_failures()[:2], "device")
    with pytest.raises(np.linalg.LinAlgError, match=r"not positive definite at batch index \(1,\)"):
        linalg.cholesky(a)
    with pytest.raises(np.linalg.LinAlgError, match=r"singular at batch index \(1,\)"):
        linalg.inv(a)


def test_what_is_not_read_by_cholesky_gets_exactly_zero():
    a = definite(3, 1)[0] + 1j * np.triu(np.ones((3, 3)), 1) - 1j * np.tril(np.ones((3, 3)), -1)
    for lower, unread in ((True, np.triu), (False, np.tril)):
        gradient = grad(
            lambda a, lower=lower: np.sum(np.abs(linalg.cholesky(a, lower=lower)) ** 4)
        )(a)
        assert not unread(gradient, 1 if lower else -1).any()
        assert not np.diagonal(gradient).imag.any()


FAILING = {
    "cholesky": linalg.cholesky,
    "inv": linalg.inv,
    "pinv": linalg.pinv,
    "pinvh": linalg.pinvh,
    "svdvals": linalg.svdvals,
    "lu_factor": lambda a, on_fail: linalg.lu_factor(a, on_fail=on_fail)[0],
    "ldl_factor": lambda a, on_fail: linalg.ldl_factor(a, on_fail=on_fail)[0],
    "solve": lambda a, on_fail: linalg.solve(a, np.ones((3, 1)), on_fail=on_fail),
    "lstsq": lambda a, on_fail: linalg.lstsq(a, np.ones((3, 1)), on_fail=on_fail)[0],
    "polar": lambda a, on_fail: linalg.polar(a, on_fail=on_fail)[0],
}


@pytest.mark.parametrize("what", [np.nan, np.inf])
@pytest.mark.parametrize("name", FAILING)
def test_derivatives_of_what_failed_are_nan_and_those_of_its_neighbors_right(name, what):
    function, good, t = FAILING[name], definite(3, 3), rng.standard_normal((3, 3, 3))
    bad = good.copy()
    bad[1, 0, 0] = what

    def derivatives(a, on_fail):
        def gradient(a):
            value, pull = vjp(lambda a: function(a, on_fail=on_fail), a)
            return pull(np.ones_like(value))[0]

        return (
            *jvp(lambda a: function(a, on_fail=on_fail), (a,), (t,)),
            gradient(a),
            jvp(gradient, (a,), (t,))[1],
        )

    marked = derivatives(bad, "nan")
    for found, expected in zip(marked, derivatives(good, "raise"), strict=True):
        assert np.isnan(found[1]).any()
        assert_close(found[[0, 2]], expected[[0, 2]], 1e-9)


def test_a_singular_block_spares_the_derivatives_of_its_neighbors():
    good = definite(3, 3)
    bad = good.copy()
    bad[1] = 0
    found = grad(lambda a: np.nansum(linalg.ldl_factor(a, on_fail="nan")[0]))(bad)
    assert np.isnan(found[1]).any()
    assert_close(
        found[[0, 2]], grad(lambda a: np.sum(linalg.ldl_factor(a)[0]))(good)[[0, 2]], 1e-10
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_infinities_are_a_failure_of_cholesky(backend):
    a = definite(2, 2)
    a[1] = [[np.inf, 1.0], [1.0, 2.0]]
    c, info = to_host(linalg.cholesky(make_array(a, backend), lower=True, on_fail="info"))
    assert (info != 0).tolist() == [False, True]
    assert np.isnan(c[1]).all()


@pytest.mark.parametrize("name", ["eig", "lu", "logm", "signm", "orth", "solve_sylvester"])
def test_on_a_device_nan_passes_and_spares_its_neighbors(name):
    a = definite(3, 3)
    given = (
        (a[:, :, :2],)
        if name == "orth"
        else (a, definite(3, 3), a)
        if name == "solve_sylvester"
        else (a,)
    )
    function = getattr(linalg, name)
    plain = function(*make_array(given, "device"))
    given[0][1, 0, 1] = np.nan
    found = function(*make_array(given, "device"))
    for x, y in zip(
        *(to_host(r if isinstance(r, tuple) else (r,)) for r in (found, plain)), strict=True
    ):
        assert_close(x[::2], y[::2], 1e-12)
    assert np.isnan(x[1]).any()


OF_INFINITIES = {
    "cond": linalg.cond,
    "norm": lambda a: linalg.norm(a, 2, (-2, -1), check_finite=False),
    "svd": lambda a: linalg.svd(a, check_finite=False, lapack_driver="gesvd")[1],
    "pinv": lambda a: linalg.pinv(a, check_finite=False),
    "eigh": lambda a: linalg.eigh(a, check_finite=False)[0],
}


@pytest.mark.parametrize("name", OF_INFINITIES)
def test_matrices_with_infinities_do_not_reach_lapack(name):
    function, a = OF_INFINITIES[name], definite(3, 3)
    good = function(a)
    a[1, 0, 2] = a[1, 2, 0] = np.inf  # LAPACK's gesvd does not come back from it
    for found in (jvp(function, (a,), (a,))[0], vjp(function, a)[0], vmap(function)(a)):
        assert_close(found[::2], good[::2], 1e-12)
        assert np.isnan(found[1]).all()


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_pairs_with_infinities_do_not_reach_lapack(dtype):
    a, b = definite(3, 40).astype(dtype), definite(3, 40).astype(dtype)
    # LAPACK's zggev writes beyond its arrays
    b[np.arange(1, 40), rng.integers(3, size=39), rng.integers(3, size=39)] = np.inf
    with np.errstate(invalid="ignore"):  # 0 times infinity, in the rotation of a pair
        found = vmap(lambda a, b: linalg.eigvals(a, b, check_finite=False))(a, b)
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1:]).all()


@pytest.mark.parametrize(("name", "argument"), [("cho", "c"), ("ldl", "ld"), ("lu", "lu")])
def test_singular_factors_are_named_by_the_argument(name, argument):
    zeros, places = np.zeros((2, 3, 3)), np.ones((2, 3), int)
    factors = {"cho": [(zeros, True)], "ldl": [zeros, places], "lu": [(zeros, places)]}[name]
    with pytest.raises(np.linalg.LinAlgError, match=rf"^{name}_solve: argument '{argument}' of"):
        getattr(linalg, f"{name}_solve")(*factors, np.ones(3))
