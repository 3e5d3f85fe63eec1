"""Repeated eigenvalues, operators with parameters, options and refusals of the functions that find
some eigenpairs.
"""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from scigrad import (
    GaugeError,
    MissingRule,
    TracedValueError,
    grad,
    hessian,
    jvp,
    linalg,
    sparse,
    vmap,
)
from scigrad.testing import assert_close

DRAW = np.random.default_rng(2)
N = 8
Q = np.linalg.qr(DRAW.normal(size=(N, N)))[0]
W = np.array([1.0, 2.0, 3.0, 3.0, 4.0, 6.0, 9.0, 9.0])
REPEATED = Q @ np.diag(W) @ Q.T
TANGENT = DRAW.normal(size=(N, N))
TANGENT = TANGENT + TANGENT.T


def test_repeated_eigenvalues_outside_of_the_wanted_set():
    def partial(a):
        w, v = sparse.linalg.eigsh(a, k=1, which="SA")
        return (v * np.exp(-w)) @ v.T

    def dense(a):
        w, v = linalg.eigh(a)
        return (v[:, :1] * np.exp(-w[:1])) @ v[:, :1].T

    assert_close(
        jvp(partial, (REPEATED,), (TANGENT,))[1], jvp(dense, (REPEATED,), (TANGENT,))[1], rtol=1e-8
    )


def test_repeated_eigenvalues_inside_of_the_wanted_set():
    def total(a):
        return np.sum(np.exp(-sparse.linalg.eigsh(a, k=3, return_eigenvectors=False)))

    expected = -(Q[:, 5:] * np.exp(-W[5:])) @ Q[:, 5:].T
    assert_close(grad(total)(REPEATED), expected, rtol=1e-8)
    with pytest.raises(
        GaugeError, match=r"^sparse\.linalg\.eigsh: the loss depends on the choice of"
    ):
        grad(lambda a: np.sum(sparse.linalg.eigsh(a, k=3)[1]))(REPEATED)
    with pytest.raises(GaugeError, match=r"^eigs: eigenvalues of the wanted set are equal"):
        grad(lambda a: np.sum(sparse.linalg.eigs(a, k=3)[1].real ** 2))(REPEATED)
    projected = grad(lambda a: np.sum(sparse.linalg.eigsh(a, k=3, gauge="project")[1]))(REPEATED)
    assert np.all(np.isfinite(projected))


def test_values_of_repeated_pairs_whose_vectors_are_not_used():
    w = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 9.0, 9.0])
    a = Q @ np.diag(w) @ Q.T
    projector = Q[:, 6:] @ Q[:, 6:].T
    for b in (a, scipy.sparse.csc_array(a)):
        of_eigsh = grad(lambda s, b=b: np.sum(sparse.linalg.eigsh(s * b, k=3)[0] ** 2))(1.0)
        assert_close(of_eigsh, 2 * (w[5:] ** 2).sum(), rtol=1e-9)
        assert_close(
            grad(lambda s, b=b: np.sum(sparse.linalg.svds(s * b, k=3)[1]))(1.0),
            w[5:].sum(),
            rtol=1e-9,
        )
    assert_close(grad(lambda a: np.sum(sparse.linalg.eigsh(a, k=2)[0]))(a), projector, rtol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csc_array])
def test_the_slope_of_one_of_equal_values_is_the_mean_of_theirs(form):
    w = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 9.0, 9.0])
    a, projector = form(Q @ np.diag(w) @ Q.T), Q[:, 6:] @ Q[:, 6:].T
    for find in (
        lambda a: sparse.linalg.eigsh(a, 3, return_eigenvectors=False)[-1],
        lambda a: sparse.linalg.svds(a, 3, return_singular_vectors=False)[-1],
        lambda a: sparse.linalg.eigsh(a, 3)[0][-1],
    ):
        found = grad(find)(a)
        assert_close(found if form is np.asarray else found.toarray(), projector / 2, rtol=1e-9)
        # in a direction, of each of them one
        one_sided = np.linalg.eigvalsh(Q[:, 6:].T @ TANGENT @ Q[:, 6:])
        assert abs(jvp(find, (a,), (form(TANGENT),))[1] - one_sided).min() < 1e-9


@pytest.mark.parametrize("vectors", [True, False])
@pytest.mark.parametrize("find", ["eigsh", "eigs", "svds"])
def test_a_set_that_cuts_a_multiple_eigenvalue_has_no_derivative(find, vectors):
    names = {"svds": {"return_singular_vectors": vectors}}.get(
        find, {"return_eigenvectors": vectors}
    )

    def loss(a):
        found = getattr(sparse.linalg, find)(a, k=3 if find != "eigs" else 4, which="LM", **names)
        return np.sum(np.real(found if not vectors else found[1] if find == "svds" else found[0]))

    w = np.array([1.0, 2.0, 3.0, 4.0, 4.0, 5.0 if find == "eigs" else 3.5, 6.0, 9.0])
    with pytest.raises(GaugeError, match="equal to one that is left out"):
        grad(loss)(Q @ np.diag(w) @ Q.T)


def test_the_second_matrix_varies_too():
    m = np.eye(N) + 0.1 * TANGENT @ TANGENT.T / N

    def loss(w, v):
        return np.sum(w**2) + np.sum((v @ np.diag(w) @ v.T) ** 2)

    def partial(m):
        return loss(*sparse.linalg.eigsh(np.diag(np.arange(1.0, N + 1)), k=2, M=(m + m.T) / 2))

    def dense(m):
        w, v = linalg.eigh(np.diag(np.arange(1.0, N + 1)), (m + m.T) / 2)
        return loss(w[-2:], v[:, -2:])

    assert_close(grad(partial)(m), grad(dense)(m), rtol=1e-8)


def ring(weights):
    def apply(v, weights):
        flux = weights * (np.roll(v, -1) - v)
        return np.arange(N) * v + np.roll(flux, 1) - flux

    return sparse.linalg.linear_operator(apply, weights, shape=(N, N))


@pytest.mark.parametrize("find", [
    lambda a: sparse.linalg.eigsh(a, k=2, return_eigenvectors=False),
    lambda a: np.sort(sparse.linalg.eigs(a, k=2)[0].real),
    lambda a: np.sort(sparse.linalg.svds(a, k=2)[1]),
    lambda a: sparse.linalg.eigsh(a, k=2)[1][0] ** 2,
])  # fmt: skip
def test_operators_with_parameters(find):
    weights = DRAW.uniform(0.2, 0.4, N)

    def dense(weights):
        return np.stack([ring(weights) @ column for column in np.eye(N)], axis=-1)

    found, expected = (
        grad(lambda w, of=of: np.sum(find(of(w)) * [1.0, 2.0]))(weights) for of in (ring, dense)
    )
    assert_close(found, expected, rtol=1e-8)


def test_second_derivatives_of_eigenvalues_by_shift_and_inversion():
    a = scipy.sparse.csc_array(
        np.diag(np.arange(1.0, N + 1))
        + np.diag(np.full(N - 1, 0.3), 1)
        + np.diag(np.full(N - 1, 0.3), -1)
    )

    def lowest(t):
        return sparse.linalg.eigsh(
            sparse.csc_array((t * a.data, a.indices, a.indptr)) + scipy.sparse.eye_array(N) * t**2,
            k=1,
            sigma=0,
        )[0][0]

    w = np.linalg.eigvalsh(a.toarray())[0]
    assert_close(grad(lowest)(1.5), w + 3.0, rtol=1e-9)
    assert_close(hessian(lowest)(1.5), 2.0, rtol=1e-7)


def test_what_has_no_rule_is_refused():
    a = scipy.sparse.csc_array(REPEATED)
    x = np.eye(N)[:, :2]
    for loss, text in (
        (lambda a: sparse.linalg.eigsh(a, k=2, sigma=2.5, mode="cayley")[0].sum(), "mode 'cayley'"),
        (lambda a: sparse.linalg.lobpcg(a, x, Y=np.eye(N)[:, 2:3])[0].sum(), "constraints Y"),
        (lambda a: sparse.linalg.lobpcg(a, x, retLambdaHistory=True)[0].sum(), "histories"),
    ):
        with pytest.raises(MissingRule, match=text):
            grad(loss)(a)
    with pytest.raises(ValueError, match="`return_singular_vectors` must be in"):
        grad(lambda a: sparse.linalg.svds(a, k=2, return_singular_vectors="v")[1].sum())(a)


def test_a_large_array_is_never_densified():
    n = 50_000
    diagonal = np.append(1.0, np.full(n - 1, 5.0))
    a = scipy.sparse.diags_array(
        [np.full(n - 1, -1.0), diagonal, np.full(n - 1, -1.0)], offsets=[-1, 0, 1], format="csc"
    )
    found = grad(lambda a: sparse.linalg.eigsh(a, k=1, sigma=0.0, return_eigenvectors=False)[0])(a)
    assert_close(found.trace(), 1.0, rtol=1e-6)


@pytest.mark.parametrize("sigma", [None, 0.3, 0.3 + 0.2j])
@pytest.mark.parametrize(("find", "which"), [
    *(("eigsh", which) for which in ("LM", "SM", "LA", "SA", "BE")),
    *(("eigs", which) for which in ("LM", "SM", "LR", "SR", "LI", "SI")),
])  # fmt: skip
def test_values_alone_have_one_order_under_a_transform_and_outside(find, which, sigma):
    real = np.random.default_rng(0).normal(size=(12, 12))
    for a in (real, real + 1j * real.T):
        a = a + a.conj().T if find == "eigsh" else a
        if find == "eigsh" and (
            isinstance(sigma, complex) or (which == "BE" and a.dtype == complex)
        ):
            continue
        for k in (2, 3, 4):
            options = {
                "k": k,
                "which": which,
                "sigma": sigma,
                "v0": np.ones(12),
                "return_eigenvectors": False,
            }

            def found(a, options=options):
                return getattr(sparse.linalg, find)(a, **options)

            plain = found(a)
            value, tangent = jvp(found, (a,), (a,))
            assert_close(value, plain, rtol=1e-8)
            assert_close(tangent, plain, rtol=1e-6)
            exact = np.linalg.eigvals(a)
            assert abs(plain[:, None] - exact).min(axis=-1).max() < 1e-8


@pytest.mark.parametrize("vectors", [True, False])
def test_a_cut_double_eigenvalue_is_seen_from_another_start(vectors):
    line = scipy.sparse.diags_array([-1.0, 2, -1], offsets=[-1, 0, 1], shape=(6, 6))
    square = scipy.sparse.csc_array(scipy.sparse.kronsum(line, line))

    def lowest(a):
        found = sparse.linalg.eigsh(
            a, 2, which="SA", v0=np.ones(36) + np.eye(36)[1], return_eigenvectors=vectors
        )
        return np.sum(found[0] if vectors else found)

    with pytest.raises(GaugeError, match="equal to one that is left out"):
        grad(lowest)(square)


def test_svds_takes_the_older_name_of_its_generator():
    a = scipy.sparse.csc_array(REPEATED)
    assert_close(sparse.linalg.svds(a, k=1, random_state=0)[1], np.array([9.0]), rtol=1e-9)
    assert_close(
        jvp(
            lambda t: sparse.linalg.svds(t * a, 2, return_singular_vectors=False, random_state=0),
            (1.0,),
            (1.0,),
        )[1],
        np.array([9.0, 9.0]),
        rtol=1e-9,
    )


def test_arrays_made_by_operations_are_factored_one_by_one_under_vmap():
    K = scipy.sparse.csr_array(np.diag([1.0, 2.0, 3.0, 4.0]))
    M = scipy.sparse.csr_array(np.diag([2.0] * 4) + np.diag([0.1] * 3, 1) + np.diag([0.1] * 3, -1))

    def lowest(data):
        half = sparse.csr_array((data, M.indices, M.indptr), shape=M.shape)
        return sparse.linalg.eigsh(K, 2, M=half + half.T)[0]

    batch = np.stack([M.data, 1.5 * M.data])
    assert_close(vmap(lowest)(batch), np.stack([lowest(data) for data in batch]), rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("eigsh", {"k": 1}),
        ("eigs", {"k": 1}),
        ("svds", {"k": 1}),
        ("lobpcg", {"X": np.eye(6)[:, :1], "tol": 1e-3}),
        ("onenormest", {}),
        ("expm_multiply", {"B": np.ones(6), "traceA": 1.0}),
        ("funm_multiply_krylov", {"f": linalg.expm, "b": np.ones(6)}),
    ],
)
def test_operators_that_close_over_a_traced_value_are_refused_with_the_way_to_pass_it(
    name, options
):
    def loss(s):
        def product(v):
            # a copy: ARPACK's work array must not be kept
            return s * np.arange(1.0, 7.0) * v.flatten()

        A = sparse.linalg.LinearOperator((6, 6), matvec=product, rmatvec=product, dtype=float)
        return np.sum(getattr(sparse.linalg, name)(A=A, **options)[0])

    with pytest.raises(TracedValueError, match=rf"^sparse\.linalg\.{name}: .*linear_operator"):
        grad(loss)(2.0)


@pytest.mark.parametrize(("name", "option", "call"), [
    ("eigsh", "sigma", lambda s: sparse.linalg.eigsh(REPEATED, 2, sigma=s)[0]),
    ("eigs", "sigma", lambda s: sparse.linalg.eigs(s * REPEATED, 2, sigma=s)[0]),
    ("eigsh", "tol", lambda s: sparse.linalg.eigsh(s * REPEATED, 2, tol=s)[0]),
    ("svds", "tol", lambda s: sparse.linalg.svds(s * REPEATED, 2, tol=s)[1]),
    ("lobpcg", "tol", lambda s: sparse.linalg.lobpcg(s * REPEATED, np.eye(N)[:, :1], tol=s)[0]),
    ("cg", "rtol", lambda s: sparse.linalg.cg(s * REPEATED, W, rtol=s)[0]),
    ("gmres", "adjoint_rtol", lambda s: sparse.linalg.gmres(s * REPEATED, W, adjoint_rtol=s)[0]),
    ("minres", "shift", lambda s: sparse.linalg.minres(REPEATED, W, shift=s)[0]),
    ("lsqr", "atol", lambda s: sparse.linalg.lsqr(s * REPEATED, W, atol=s)[0]),
])  # fmt: skip
def test_traced_options_are_refused_with_the_way_to_pass_them(name, option, call):
    for run in (
        lambda: grad(lambda s: np.sum(np.abs(call(s))))(0.5),
        lambda: vmap(call)(np.array([0.5, 0.6])),
    ):
        with pytest.raises(
            MissingRule,
            match=rf"^sparse.linalg.{name}: {option} is traced.*stop_gradient\({option}\)",
        ):
            run()


@pytest.mark.parametrize("solver", ["arpack", "propack"])
@pytest.mark.parametrize("shape", [(9, 6), (6, 9)])
def test_singular_vectors_of_a_matrix_that_is_not_square(solver, shape):
    dense = np.where(
        np.random.default_rng(3).uniform(size=shape) < 0.7,
        np.random.default_rng(4).normal(size=shape),
        0,
    )
    a, tangent = (
        scipy.sparse.csr_array(dense),
        scipy.sparse.csr_array(0.3 * np.cos(dense) * (dense != 0)),
    )

    def best(a, svd):
        u, s, vh = svd(a)
        return (u * s) @ vh

    found = jvp(
        lambda a: best(a, lambda a: sparse.linalg.svds(a, 2, solver=solver, rng=0)),
        (a,),
        (tangent,),
    )
    first = lambda a: [x[..., :2].T if k == 2 else x[..., :2] for k, x in enumerate(_svd(a))]  # noqa: E731
    expected = jvp(lambda a: best(a, first), (dense,), (tangent.toarray(),))
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other, rtol=1e-7)


def _svd(a):
    u, s, vh = linalg.svd(a, full_matrices=False)
    return u, s, vh.T


def test_krylov_s_method_is_mapped_over_the_factor_alone():
    a, b = scipy.sparse.csr_array(np.diag([1.0, 2.0, 3.0]) + np.eye(3, k=1)), np.ones(3)
    times = np.array([0.3, 0.7])
    found = vmap(lambda t: sparse.linalg.funm_multiply_krylov(linalg.expm, a, b, t=t))(times)
    assert_close(found, np.stack([linalg.expm(t * a.toarray()) @ b for t in times]), rtol=1e-10)


@pytest.mark.filterwarnings("ignore:invalid value|divide by zero|overflow:RuntimeWarning")
@pytest.mark.parametrize("name", ["eigs", "eigsh"])
def test_pairs_of_a_multiple_of_the_identity_are_refused(name):
    a = scipy.sparse.csr_array(2 * np.eye(5))
    with pytest.raises(GaugeError, match="equal to one that is left out"):
        jvp(lambda a: getattr(sparse.linalg, name)(a, 1, v0=np.ones(5))[0], (a,), (a,))


def test_krylov_s_method_without_a_subspace_is_refused():
    a = scipy.sparse.csr_array(np.eye(3))
    with pytest.raises(ValueError, match="max_restarts is not positive"):
        grad(
            lambda a: np.sum(
                sparse.linalg.funm_multiply_krylov(linalg.expm, a, np.ones(3), max_restarts=0)
            )
        )(a)
