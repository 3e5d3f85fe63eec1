"""Equal eigenvalues and singular values in the wanted set, of a graph with symmetries."""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from scigrad import GaugeError, grad, hessian, jvp, sparse, vmap
from scigrad.testing import assert_close


def periodic(kind):
    """The Laplacian of a torus of 4 x 6 points with the eigenvalues 8, 7, 7, 6, 6, 5, ...; a
    complex one is turned by phases.
    """
    rings = [
        scipy.sparse.diags_array(
            [-1.0, -1, 2, -1, -1], offsets=[1 - n, -1, 0, 1, n - 1], shape=(n, n)
        )
        for n in (4, 6)
    ]
    a = scipy.sparse.csc_array(scipy.sparse.kronsum(*rings))
    turn = scipy.sparse.diags_array(np.exp(1j * np.cos(np.arange(24.0))))
    return a if kind == "real" else scipy.sparse.csc_array(turn @ a @ turn.conj())


def direction(kind, a):
    """A change of the weights of the edges that lifts the symmetry."""
    rows, columns = a.nonzero()
    weights = np.cos(0.7 * (rows + columns) + 0.3 * (rows - columns) ** 2)
    change = weights if kind == "real" else weights + 0.5j * np.sin(rows - columns)
    return scipy.sparse.csc_array((change, (rows, columns)), shape=a.shape)


def along(f, a, b, step=1e-3):
    """f' and f'' of f(a + t b) at t = 0, by differences of sixth order of values from
    numpy.linalg.eigh.
    """
    t = step * np.arange(-3, 4)
    f = np.array([f(*np.linalg.eigh((a + x * b).toarray())) for x in t])
    return (f @ [-1, 9, -45, 0, 45, -9, 1]) / (60 * step), (
        f @ [2, -27, 270, -490, 270, -27, 2]
    ) / (180 * step**2)


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("find", ["eigsh", "near a number", "operator", "lobpcg"])
def test_functions_of_a_set_with_equal_values_have_both_derivatives(kind, find):
    a = periodic(kind)
    b, weight, k = (
        direction(kind, a),
        np.cos(np.arange(576.0)).reshape(24, 24),
        3 if find == "lobpcg" else 5,
    )

    def pairs(a):
        if find == "lobpcg":
            return sparse.linalg.lobpcg(
                a, np.cos(np.arange(24.0 * k) ** 2).reshape(24, k), tol=1e-8, maxiter=300
            )
        if find == "operator":
            a = sparse.linalg.linear_operator(lambda v, a: a @ v, a, shape=a.shape)
        return sparse.linalg.eigsh(
            a, k, **({"sigma": 8.1} if find == "near a number" else {"which": "LA"})
        )

    def function(w, v):
        return np.sum(weight * np.real((v * np.exp(w / 4)) @ v.conj().T))

    def loss(t):
        return function(*pairs(a + t * b))

    slope, _ = along(lambda w, v: function(w[-k:], v[:, -k:]), a, b)
    assert_close(grad(loss)(0.0), slope, rtol=1e-6)
    assert_close(jvp(loss, (0.0,), (1.0,))[1], slope, rtol=1e-6)
    if find == "eigsh":
        entries = grad(lambda a: function(*pairs(a)))(a)
        assert_close(np.sum((entries.conj() * b).data).real, slope, rtol=1e-6)
        assert_close(vmap(grad(loss))(np.zeros(2)), np.stack([slope, slope]), rtol=1e-6)
        with pytest.raises(
            GaugeError, match="second derivatives through the vectors of equal eigenvalues"
        ):
            hessian(loss)(0.0)


@pytest.mark.parametrize("kind", ["real", "complex"])
def test_functions_of_equal_values_alone_have_second_derivatives(kind):
    a = periodic(kind)
    b = direction(kind, a)
    slope, curvature = along(lambda w, v: np.sum(np.exp(w[-5:] / 4)), a, b)
    for vectors in (True, False):

        def loss(t, vectors=vectors):
            found = sparse.linalg.eigsh(a + t * b, 5, which="LA", return_eigenvectors=vectors)
            return np.sum(np.exp((found[0] if vectors else found) / 4))

        assert_close(grad(loss)(0.0), slope, rtol=1e-8)
        assert_close(hessian(loss)(0.0), curvature, rtol=1e-6)


@pytest.mark.parametrize("kind", ["real", "complex"])
def test_functions_of_equal_singular_values_have_both_derivatives(kind):
    a = periodic(kind)[:, :20]
    a = scipy.sparse.csc_array(
        (a @ scipy.sparse.diags_array(1 / scipy.sparse.linalg.norm(a, axis=0))).toarray()
    )
    # each singular value is there twice, at least
    a = scipy.sparse.block_diag([a, a], format="csc")
    b = direction(kind, a)
    weight = np.cos(np.arange(48 * 40.0)).reshape(48, 40)
    s = np.linalg.svd(a.toarray())[1]
    k = next(k for k in range(3, 12) if s[k - 1] - s[k] > 1e-3)

    def function(u, s, vh):
        return np.sum(weight * np.real((u * np.exp(s)) @ vh))

    def exact(t):
        u, s, vh = np.linalg.svd((a + t * b).toarray())
        return function(u[:, :k], s[:k], vh[:k])

    def loss(t):
        return function(*sparse.linalg.svds(a + t * b, k))

    t = 1e-3 * np.arange(-3, 4)
    slope = np.array([exact(x) for x in t]) @ [-1, 9, -45, 0, 45, -9, 1] / 0.06
    assert_close(grad(loss)(0.0), slope, rtol=1e-6)
    assert_close(jvp(loss, (0.0,), (1.0,))[1], slope, rtol=1e-6)


@pytest.mark.parametrize("sigma", [None, 8.1])
def test_vectors_of_equal_values_of_a_complex_matrix_are_orthogonal(sigma):
    a, k = periodic("complex"), 5
    for m in (None, scipy.sparse.csc_array(4 * scipy.sparse.eye_array(24))):
        shift = sigma if m is None or sigma is None else sigma / 4
        w, v = sparse.linalg.eigsh(a, k, M=m, which="LM", sigma=shift)
        assert_close(
            v.conj().T @ (v if m is None else m @ v), np.eye(k).astype(complex), rtol=1e-10
        )
        assert_close(a @ v, (v if m is None else m @ v) * w, rtol=1e-10)


def test_a_loss_that_depends_on_the_phase_of_a_complex_vector_is_refused():
    a = periodic("complex")
    b = direction("complex", a)

    def lowest(t, gauge=None):
        return sparse.linalg.eigsh(a + t * b, 1, which="SA", gauge=gauge)[1]

    with pytest.raises(
        GaugeError, match=r"^sparse\.linalg\.eigsh: the loss depends on the phase of"
    ):
        grad(lambda t: np.sum(np.real(lowest(t))))(0.0)
    assert np.isfinite(grad(lambda t: np.sum(np.real(lowest(t, "project"))))(0.0))
