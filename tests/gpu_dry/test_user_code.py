"""Programs of users, written with plain NumPy and SciPy's names, on CuPy's arrays: values and
gradients as on the host.
"""

import cupy
import cupyx.scipy.special
import numpy as np
import pytest

import scigrad.numpy as snp
from scigrad import (
    MissingKernel,
    TracedValueError,
    fft,
    grad,
    hessian,
    hvp,
    jvp,
    linalg,
    on_host,
    signal,
    sparse,
    special,
    value_and_grad,
    vmap,
)
from scigrad.testing import assert_close, make_array

X = np.random.default_rng(0).uniform(0.5, 1.5, (4, 4)) + 4 * np.eye(4)
B, A = np.array([1.0, 0.5]), np.array([1.0, -0.3])

PROGRAMS = {
    "plain numpy": lambda x: np.sum(np.sin(x) * np.exp(-(x**2))) + np.max(x) + np.linalg.norm(x),
    "log-likelihood of a normal distribution": lambda x: (
        0.5 * linalg.slogdet(x @ x.T)[1] + (linalg.solve(x @ x.T, x[0]) * x[0]).sum()
    ),
    "power of a spectrum": lambda x: (
        abs(fft.rfft(x, axis=-1)) ** 2 * np.arange(3.0, like=x)
    ).sum(),
    "entropy": lambda x: special.entr(x / x.sum()).sum() + special.gammaln(x).sum(),
    "filtered signal": lambda x: (
        signal.lfilter(*(np.asarray(c, like=x) for c in (B, A)), x) ** 2
    ).sum(),
    "eigenvalues": lambda x: np.log(linalg.eigvalsh(x @ x.T)).sum(),
    "assembled by index": lambda x: (
        (x[np.array([0, 2])] * x[1:3, ::-1]).sum() + np.where(x > 1, x, 0 * x).sum()
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_those_of_the_host(name):
    program = PROGRAMS[name]
    found = grad(program)(cupy.asarray(X))
    assert type(found) is cupy.ndarray
    assert_close(found, grad(program)(X))


def test_other_transforms():
    x = cupy.asarray(X)
    loss = PROGRAMS["entropy"]
    assert_close(jvp(loss, (x,), (x,))[1], jvp(loss, (X,), (X,))[1])
    assert_close(
        vmap(grad(lambda row: special.entr(row).sum()))(x),
        grad(lambda row: special.entr(row).sum())(X),
    )
    assert_close(
        hessian(lambda v: (np.sin(v) * v[::-1]).sum())(x[0]),
        hessian(lambda v: (np.sin(v) * v[::-1]).sum())(X[0]),
    )


# -- the program of the README, and the three problems of the demo, in small


def readme(b, a):
    x = linalg.solve(a, b)
    power = snp.abs(fft.fft(x)) ** 2
    return snp.sum(special.j0(power)) + snp.log(x @ x)


def groundwater(log_k, first, second, rim, measured):
    """Heads in a row of cells whose conductivities are unknown, by finite volumes and a sparse
    solve.
    """
    k = np.exp(log_k)
    through, outward = 2 * k[first] * k[second] / (k[first] + k[second]), 2 * k[rim]
    values = np.concatenate([through, through, -through, -through, outward])
    places = (
        np.concatenate([first, second, first, second, rim]),
        np.concatenate([first, second, second, first, rim]),
    )
    matrix = sparse.coo_array((values, places), shape=(k.size, k.size))
    return np.sum((sparse.linalg.spsolve(matrix.tocsc(), np.ones_like(measured)) - measured) ** 2)


def phase_retrieval(field, masks, measured):
    return np.sum(
        (np.abs(fft.fftn(masks * field, s=(8, 8), axes=(1, 2), norm="ortho")) - measured) ** 2
    )


def ecg_filter(parameters, heard, clean):
    b0, b1, b2, u, v = parameters.T
    a2 = np.tanh(u)
    rows = np.stack([b0, b1, b2, np.ones_like(b0), a2 * np.tanh(v), a2], axis=1)
    return np.mean((signal.sosfilt(rows, heard) - clean) ** 2)


DRAW = np.random.default_rng(1)
CELLS = np.arange(9)
EXAMPLES = {
    readme: (
        np.array([1.0, 2.0, 3.0]),
        np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]]),
    ),
    groundwater: (
        DRAW.standard_normal(9),
        CELLS[:-1],
        CELLS[1:],
        CELLS[[0, -1]],
        DRAW.standard_normal(9),
    ),
    phase_retrieval: (
        DRAW.standard_normal((4, 4)) + 1j,
        DRAW.integers(0, 2, (3, 4, 4)) * 1.0,
        DRAW.uniform(size=(3, 8, 8)),
    ),
    ecg_filter: (DRAW.uniform(-1, 1, (2, 5)), DRAW.standard_normal(70), DRAW.standard_normal(70)),
}


@pytest.mark.parametrize("loss", EXAMPLES, ids=lambda loss: loss.__name__)
def test_the_examples_run_on_the_device(loss):
    host, device = EXAMPLES[loss], make_array(EXAMPLES[loss], "cupy")
    value, slope = value_and_grad(loss)(*device)
    assert type(slope) is cupy.ndarray
    assert_close((value, slope), value_and_grad(loss)(*host))


def test_second_derivatives_of_the_readme():
    b, a = make_array(EXAMPLES[readme], "cupy")
    product = hvp(lambda b: readme(b, a), (b,), (b,))[1]
    assert_close(product, hessian(lambda b: readme(b, a))(b) @ b)
    assert_close(grad(special.jv)(cupy.asarray(2.5), cupy.asarray(3.0)), -0.192038043, 1e-8)


def test_a_class_of_the_user_derived_from_an_array_of_the_device():
    class Field(cupy.ndarray):
        pass

    x = cupy.asarray([1.0, 2.0, 3.0])
    assert_close(special.jv(1, x.view(Field)), special.jv(1, x))
    assert_close(
        grad(lambda x: (special.jv(1, x) * x).sum())(x.view(Field)),
        grad(lambda x: (special.jv(1, x) * x).sum())(x),
    )


def test_results_of_special_functions_are_written_where_the_user_says():
    x, out = cupy.asarray([1.0, 2.0, 3.0]), cupy.empty(3)
    assert special.jv(1, x, out=out) is out
    assert_close(out, special.jv(1, x))


def test_formats_that_the_device_does_not_make_are_named():
    from cupyx.scipy.sparse import diags

    x = cupy.asarray([1.0, 2.0])

    def loss(a):
        return np.sum((a @ x) ** 2)

    with pytest.raises(MissingKernel, match=r"format dia.*tocsr"):
        grad(loss)(diags([x], [0], format="dia"))
    assert_close(grad(loss)(diags([x], [0], format="csr")).data, 2 * x**3)


def test_harmonics_of_orders_beyond_the_degree_vanish():
    for n, m in ((1, 2), (1, -2), (0, 1), (2, 1)):
        found = special.sph_harm_y(
            cupy.asarray(n), cupy.asarray(m), cupy.asarray([0.3, 0.7]), cupy.asarray([0.7, 2.0])
        )
        assert_close(
            found,
            special.sph_harm_y(n, m, np.array([0.3, 0.7]), np.array([0.7, 2.0])),
            floor=1e-300,
        )


CUPYS = {
    "ufunc": lambda x: cupy.sin(x).sum(),
    "function": lambda x: cupy.stack([x, x]).sum(),
    "transform": lambda x: abs(cupy.fft.fft(x)).sum(),
    "solve": lambda x: cupy.linalg.solve(cupy.eye(3), x).sum(),
    "special": lambda x: cupyx.scipy.special.erf(x).sum(),
    "product": lambda x: cupy.ones(3).dot(x),
    "in place": lambda x: cupy.zeros(3).__iadd__(x).sum(),
}


@pytest.mark.parametrize("name", CUPYS)
def test_functions_of_cupy_are_replaced_by_those_that_take_traced_values(name):
    with pytest.raises(TracedValueError, match=r"of numpy or scigrad"):
        grad(CUPYS[name])(cupy.asarray([1.0, 2.0, 3.0]))


NUMBER, ROW = np.array(2.0), [1.0, 2.0, 4.0]
OPTIONS = {
    "full_like": lambda x: snp.full_like(x, NUMBER * 1) * x,
    "inner": lambda x: snp.inner(np.array(3.0), x),
    "dot": lambda x: snp.dot(np.array(3.0), x),
    "interp": lambda x: snp.interp(np.array(1.5), x, x**2),
    "diff": lambda x: snp.diff(x, prepend=np.array(3.0)),
    "cheby2": lambda x: signal.cheby2(2, np.array(40.0), x[0] / 4)[0],
    "welch": lambda x: signal.welch(x, fs=np.array(2.0), nperseg=3)[1],
    "symiirorder2": lambda x: signal.symiirorder2(snp.tile(x, 20), np.array(0.5), np.array(0.3)),
    "cont2discrete": lambda x: signal.cont2discrete(
        (snp.diag(x), x[:, None], x[None], x[:1, None]), np.array(0.1)
    )[0],
    "pinv": lambda x: linalg.pinv(snp.diag(x), atol=np.array(1e-3)),
    "trapezoid": lambda x: snp.trapezoid(x, ROW),
    "gradient": lambda x: snp.gradient(x, ROW),
    "average": lambda x: snp.average(x, weights=ROW),
    "isin": lambda x: snp.isin(x, ROW) * x,
    "toeplitz": lambda x: linalg.toeplitz(x, ROW),
    "hankel": lambda x: linalg.hankel(ROW, x),
    "allclose": lambda x: snp.allclose(x, ROW) * x,
    "cov": lambda x: snp.cov(x, aweights=ROW),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_numbers_of_the_host_and_lists_stand_beside_arrays_of_the_device(name):
    program, x = OPTIONS[name], np.array([1.0, 1.5, 2.5])
    assert_close(program(cupy.asarray(x)), program(x))
    assert_close(
        grad(lambda x: program(x).sum())(cupy.asarray(x)),
        grad(lambda x: program(x).sum())(x),
        floor=1e-12,
    )


def test_a_matrix_of_the_device_is_sparse_on_the_host_too():
    a = np.diag(np.arange(1.0, 9)) + np.full((8, 8), 0.1)
    host, device = (sparse.csr_array(m) for m in (a, cupy.asarray(a)))

    def largest(a):
        return sparse.linalg.eigsh(a, 1, return_eigenvectors=False).sum()

    with on_host("sparse.linalg.eigsh"):
        assert_close(grad(largest)(device).toarray(), grad(largest)(host).toarray())
        assert_close(jvp(largest, (device,), (device,))[1], jvp(largest, (host,), (host,))[1])
    assert_close(
        grad(lambda a: a.max())(sparse.coo_array(device)).toarray(),
        grad(lambda a: a.max())(host).toarray(),
    )
