"""What the laws cannot say of solve: how often it factors, what fails in a batch, hints,
structures, warnings.
"""

import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, hvp, jacobian, jvp, linalg, value_and_grad, vjp, vmap
from scigrad.linalg.foundation import lapack
from scigrad.testing import assert_close, make_array
from scigrad.testing.reference import load

LinAlgError = np.linalg.LinAlgError
FACTORIZATIONS = ("getrf", "potrf", "sytrf", "hetrf", "gttrf", "gbtrf")
rng = np.random.default_rng(3)


def regular(n, batch=()):
    return rng.standard_normal((*batch, n, n)) + 3 * np.sqrt(n) * np.eye(n)


@pytest.fixture
def counted(monkeypatch):
    """The names of the factorizations that run."""
    names, routine = [], lapack.routine

    def counting(name, char):
        if name in FACTORIZATIONS:
            names.append(name)
        return routine(name, char)

    def counting_inverse(a):
        names.append("inv")
        return inverse(a)

    inverse = np.linalg.inv
    monkeypatch.setattr(lapack, "routine", counting)
    monkeypatch.setattr(np.linalg, "inv", counting_inverse)
    return names


def positive_definite(n):
    a = regular(n)
    return a @ a.T


@pytest.mark.parametrize(("assume_a", "expected"), [
    ("gen", "getrf"), ("pos", "potrf"), ("sym", "sytrf"), ("her", "sytrf"),
    ("tridiagonal", "gttrf"), ("banded", "gttrf"),
])  # fmt: skip
def test_value_gradient_and_hessian_vector_product_take_one_factorization(
    counted, assume_a, expected
):
    a, b = positive_definite(6), rng.standard_normal(6)
    if assume_a in ("tridiagonal", "banded"):  # the band has three diagonals
        a = np.tril(np.triu(a, -1), 1)

    def loss(a, b):
        return np.sum(linalg.solve(a, b, assume_a=assume_a) ** 2)

    value_and_grad(loss, (0, 1))(a, b)
    assert counted == [expected]
    counted.clear()
    hvp(loss, (a, b), (regular(6), b))
    assert counted == [expected]


def test_one_factorization_for_a_batch_and_for_a_jacobian(counted):
    a, b = regular(3, (5,)), rng.standard_normal((5, 3, 1))
    hvp(lambda a: np.sum(linalg.solve(a, b) ** 2), (a,), (a,))
    assert counted == ["inv"]
    counted.clear()
    vmap(grad(lambda a, b: np.sum(linalg.solve(a, b) ** 3)))(a, b)
    assert counted == ["inv"]
    counted.clear()
    one, columns = regular(30), rng.standard_normal((30, 4))
    jacobian(lambda c: linalg.solve(one, c * columns))(np.ones(4))
    assert counted == ["getrf"]


def test_hints_survive_axes_that_vmap_puts_between(counted):
    a, b = regular(3, (2,)), rng.standard_normal((2, 4, 3, 1))

    def loss(a, b):
        return np.sum(linalg.solve(a, b) ** 2)

    found = vmap(grad(loss))(a, b)
    assert counted == ["inv"]
    assert_close(found, np.stack([grad(loss)(a[i], b[i]) for i in range(2)]), 1e-12)


def test_triangular_and_diagonal_systems_are_not_factored(counted):
    a, b = regular(5), rng.standard_normal(5)
    for assume_a in ("upper triangular", "lower triangular", "diagonal"):
        grad(lambda a, kind=assume_a: np.sum(linalg.solve(a, b, assume_a=kind)))(a)
    grad(lambda a: np.sum(linalg.solve(a, b)))(np.triu(a))
    assert counted == []


@pytest.mark.parametrize("factor", [scipy.linalg.lu_factor, scipy.linalg.cho_factor])
def test_factors_of_the_user_are_used_and_differentiated_through(counted, factor):
    a, b = positive_definite(4), rng.standard_normal(4)
    hint = factor(a)

    def loss(a, b, **options):
        return np.sum(linalg.solve(a, b, **options) ** 2)

    found = value_and_grad(loss, (0, 1))(a, b, factors=hint)
    assert counted == []
    assert_close(found, value_and_grad(loss, (0, 1))(a, b), 1e-11)


# -- failures


@pytest.mark.parametrize("n", [3, 30])
@pytest.mark.parametrize("assume_a", [None, "gen", "sym", "pos", "upper triangular"])
def test_a_failure_spares_its_neighbors(n, assume_a):
    good = np.stack([positive_definite(n) for _ in range(4)])
    batch, b = good.copy(), rng.standard_normal((4, n, 2))
    batch[1], batch[2, 0, 0] = 0, np.nan

    def solve(a, **options):
        return linalg.solve(a, b, assume_a=assume_a, **options)

    for on_fail, x in (
        ("nan", solve(batch, on_fail="nan")),
        ("info", solve(batch, on_fail="info")[0]),
    ):
        assert_close(x[[0, 3]], solve(good)[[0, 3]], 1e-9, on_fail)
        assert np.isnan(x[[1, 2]]).all()
    info = solve(batch, on_fail="info")[1]
    assert info[1] > 0
    assert info[[0, 2, 3]].tolist() == [0, -1, 0]
    gradient = grad(lambda a: np.nansum(solve(a, on_fail="nan") ** 2))(batch)
    expected = grad(lambda a: np.sum(solve(a) ** 2))(good)
    assert_close(gradient[[0, 3]], expected[[0, 3]], 1e-8)


def test_info_under_vmap_and_grad():
    batch = np.stack([regular(2), np.ones((2, 2))])
    x, info = vmap(lambda a: linalg.solve(a, np.ones(2), on_fail="info"))(batch)
    assert info.tolist() == [0, 2]
    assert np.isnan(x[1]).all()
    _, back, _ = vjp(lambda a: linalg.solve(a, np.ones(2), on_fail="info"), batch[0], has_aux=True)
    assert_close(
        back(np.ones(2)), vjp(lambda a: linalg.solve(a, np.ones(2)), batch[0])[1](np.ones(2)), 1e-12
    )


def test_a_device_is_not_waited_for():
    from scigrad.testing import device

    b = make_array(rng.standard_normal((3, 2)), "device")
    functions = {
        "solve": lambda a: linalg.solve(a, b, on_fail="nan"),
        "info": lambda a: linalg.solve(a, b, on_fail="info")[0],
        "inv": lambda a: linalg.inv(a, on_fail="nan"),
        "cholesky": lambda a: linalg.cholesky(a @ a.mT, on_fail="nan"),
        "eigh": lambda a: linalg.eigh(a, on_fail="nan", gauge="project", eigvals_only=True),
        "lstsq": lambda a: linalg.lstsq(a, b, on_fail="nan")[0],
    }
    for batch in ((), (2,)):
        for name, function in functions.items():
            a = make_array(regular(3, batch), "device")
            before = device.sync_count
            grad(lambda a, f=function: np.sum(f(a) ** 2))(a)
            assert device.sync_count == before, name


def test_singular_on_a_device_raises_too():
    a, b = make_array((np.ones((2, 2)), np.ones(2)), "device")
    with pytest.raises(LinAlgError, match="singular: it has no inverse"):
        linalg.solve(a, b)
    batch = make_array(np.stack([np.eye(2), np.ones((2, 2))]), "device")
    with pytest.raises(LinAlgError, match=r"batch index \(1,\)"):
        linalg.solve(batch, b)
    info = linalg.solve(batch, b, on_fail="info")[1]
    assert info.get().tolist() == [0, 1]


# -- accuracy, warnings, structure


def test_ill_conditioned_matrices_warn():
    a = scipy.linalg.hilbert(14)
    with pytest.warns(scipy.linalg.LinAlgWarning, match="(?i)ill-conditioned"):
        linalg.solve(a, np.ones(14))
    with pytest.warns(
        scipy.linalg.LinAlgWarning, match=r"solve: Ill.*argument 'a'.*reciprocal condition number"
    ):
        grad(lambda b: np.sum(linalg.solve(a, b)))(np.ones(14))
    with pytest.warns(scipy.linalg.LinAlgWarning, match=r"at batch index \(1,\)"):
        grad(lambda b: np.sum(linalg.solve(np.stack([np.eye(14), a]), b)))(np.ones(14))


@pytest.mark.filterwarnings("ignore::scipy.linalg.LinAlgWarning")
@pytest.mark.parametrize("record", load("linalg/solve"), ids=lambda record: record.case)
def test_batches_are_as_accurate_as_their_condition_allows(record):
    """The refined inverse against the truth: within the bound that LU obeys, or ten times the error
    recorded for SciPy's.
    """
    a, b = record.arguments
    b = b if b.ndim == 2 else b[:, None]
    expected = record.value if record.value.ndim == 2 else record.value[:, None]
    found = linalg.solve(np.stack([a, a]), np.stack([b, b]), on_fail="nan")
    units = max(np.linalg.cond(a), 10 * (float(record.ulp["float64"]) + 1))
    assert (
        np.abs(found - expected).max() <= units * np.finfo(np.float64).eps * np.abs(expected).max()
    )


def test_a_detected_structure_changes_no_derivative():
    a, b = positive_definite(4), rng.standard_normal(4)
    for special in (np.diag(np.diag(a)), np.tril(a), a, np.tril(np.triu(a, -1), 1)):
        detected = grad(lambda a: np.sum(linalg.solve(a, b) ** 2))(special)
        assert_close(
            detected,
            grad(lambda a: np.sum(linalg.solve(a, b, assume_a="gen") ** 2))(special),
            1e-11,
        )


def test_what_is_not_read_gets_exactly_zero():
    a = positive_definite(3) + np.triu(rng.standard_normal((3, 3)), 1)
    for options, mask in (
        ({"assume_a": "pos", "lower": True}, np.triu),
        ({"assume_a": "lower triangular"}, np.triu),
    ):
        gradient = grad(lambda a, options=options: np.sum(linalg.solve(a, np.ones(3), **options)))(
            a
        )
        assert not mask(gradient, 1).any()
        with_nan = a + np.triu(np.full((3, 3), np.nan), 1)
        unchecked = grad(
            lambda a, options=options: np.sum(
                linalg.solve(a, np.ones(3), check_finite=False, **options)
            )
        )
        assert np.isfinite(unchecked(with_nan)).all()


def test_lists_and_integers():
    assert_close(linalg.solve([[2, 0], [0, 4]], [2, 4]), np.ones(2), 1e-15)
    assert_close(
        grad(lambda b: np.sum(linalg.solve(np.array([[2, 0], [0, 4]]), b)))(np.ones(2)),
        np.array([0.5, 0.25]),
        1e-15,
    )


def test_one_vector_serves_a_batch_of_cholesky_factors():
    for batch in (2, 3):  # 3: the batch must not be taken for the rows
        c = np.linalg.cholesky(np.stack([positive_definite(3) for _ in range(batch)]))
        for b in (rng.standard_normal(3), [1.0, 2.0, 3.0]):
            expected = np.stack([scipy.linalg.cho_solve((x, True), b) for x in c])
            assert_close(linalg.cho_solve((c, True), b), expected, 1e-12)


def test_only_solve_takes_one_number_for_a_matrix_of_any_order():
    one, b = np.ones((1, 1)), np.ones(2)
    assert_close(grad(lambda a: np.sum(linalg.solve(a, b)))(one), -2 * one)
    for function in (linalg.solve_triangular, lambda a, b: linalg.cho_solve((a, False), b)):
        with pytest.raises(ValueError, match="needs 1 rows"):
            grad(lambda a, function=function: np.sum(function(a, b)))(one)


def test_a_number_has_no_inverse_as_a_matrix():
    with pytest.raises(ValueError, match="must be a matrix"):
        linalg.inv(np.array(2.0))


@pytest.mark.parametrize("number", [2 + 1j, -2 - 1j, -3.0])
@pytest.mark.parametrize("assume_a", [None, "sym", "her", "pos", "tridiagonal"])
def test_one_number_divides_whatever_is_assumed_of_it(assume_a, number):
    a, b = np.array([[number]]), np.array([1.5])

    def solve(a):
        return linalg.solve(a, b, assume_a=assume_a)

    assert_close(solve(a), b / number, 1e-15)
    value, tangent = jvp(solve, (a,), (1j * a if isinstance(number, complex) else a,))
    assert_close(value, b / number, 1e-15)
    assert_close(tangent, -b / number * (1j if isinstance(number, complex) else 1), 1e-15)
    assert_close(vmap(solve)(np.stack([a, 2 * a])), np.stack([b / number, b / number / 2]), 1e-15)


@pytest.mark.parametrize(
    ("a", "b"), [(np.eye(2) * 1j, np.ones(2)), (np.eye(2), np.ones(2) * 1j)], ids=["a", "b"]
)
def test_transposed_is_for_real_systems_traced_or_not(a, b):
    for run in (lambda f: f(a, b), lambda f: vjp(f, a, b), lambda f: f(a.tolist(), b.tolist())):
        with pytest.raises(NotImplementedError, match="complex"):
            run(lambda a, b: linalg.solve(a, b, transposed=True))


@pytest.mark.parametrize("n", [1, 2, 8, 9, 63])
def test_small_systems_leave_blas_s_threads_asleep(n, monkeypatch):
    """OpenBLAS wakes them in getrs and trtrs, whatever the order."""
    a, b, names = rng.standard_normal((n, n)) + n * np.eye(n), rng.standard_normal(n), []
    found = lapack.routine
    monkeypatch.setattr(
        lapack, "routine", lambda name, char: names.append(name) or found(name, char)
    )
    value, (a_bar, b_bar) = value_and_grad(lambda a, b: np.sum(linalg.solve(a, b)), (0, 1))(a, b)
    grad(lambda a: np.sum(linalg.solve_triangular(a, b)))(a)
    x, w = np.linalg.solve(a, b), np.linalg.solve(a.T, np.ones(n))
    assert_close((value, a_bar, b_bar), (x.sum(), -np.outer(w, x), w), 1e-11)
    assert names
    assert not {"getrs", "trtrs"} & set(names)
