"""What is said where SciPy meets a traced value: the function as the user called it, and what to
use instead.
"""

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg
import scipy.special
import scipy.stats

import scigrad
from scigrad import TracedValueError, grad

X = np.array([1.0, 2.0, 3.0, 4.0])
EYE = scipy.sparse.csc_array(np.eye(4))


def under_grad(use):
    return grad(lambda x: np.sum(use(x)))(X)


def stored(kind, x):
    a = getattr(scipy.sparse, kind)((4, 4))
    a[0, 1] = x[0]
    return a.sum()


def filled(x):
    a = EYE.copy()
    a.data = x
    return a


def diagonal(x):
    return scigrad.sparse.csc_array((x, (range(4), range(4))), shape=(4, 4))


SCIPY = {
    "scipy.linalg.solve": (lambda x: scipy.linalg.solve(np.eye(4), x), "Use scigrad.linalg.solve"),
    "scipy.linalg.cho_factor": (
        lambda x: scipy.linalg.cho_factor(x[0] * np.eye(4)),
        "Use scigrad.linalg.cho_factor",
    ),
    "scipy.linalg.lstsq": (lambda x: scipy.linalg.lstsq(np.eye(4), x), "Use scigrad.linalg.lstsq"),
    "scipy.signal.lfilter": (
        lambda x: scipy.signal.lfilter([1.0], [1.0, 0.5], x),
        "Use scigrad.signal.lfilter",
    ),
    "scipy.signal.firwin": (lambda x: scipy.signal.firwin(5, x[0]), "Use scigrad.signal.firwin"),
    "scipy.special.logsumexp": (scipy.special.logsumexp, "Use scigrad.special.logsumexp"),
    "scipy.fft.dct": (
        scipy.fft.dct,
        r"Use scigrad.fft.dct, or scipy.fft.set_backend\(scigrad.fft\)",
    ),
    "scipy.sparse.csr_array": (
        lambda x: scipy.sparse.csr_array((x, range(4), range(5))),
        "Use scigrad.sparse.csr_array",
    ),
    "scipy.sparse.coo_array": (
        lambda x: scipy.sparse.coo_array((x, (range(4), range(4)))),
        "Use scigrad.sparse.coo_array",
    ),
    "scipy.sparse.diags_array": (
        lambda x: scipy.sparse.diags_array(x),
        "Use scigrad.sparse.diags_array",
    ),
    "scipy.sparse.linalg.spsolve": (
        lambda x: scipy.sparse.linalg.spsolve(EYE, x),
        "Use scigrad.sparse.linalg.spsolve",
    ),
    "scipy.sparse.linalg.cg": (
        lambda x: scipy.sparse.linalg.cg(EYE, x),
        "Use scigrad.sparse.linalg.cg",
    ),
    "scipy.sparse.csr_matrix": (
        lambda x: scipy.sparse.csr_matrix((x, (range(4), range(4)))),
        "Use scigrad.sparse.csr_matrix",
    ),
    "scipy.sparse.dok_array.__setitem__": (
        lambda x: stored("dok_array", x),
        "scigrad.sparse.dok_array",
    ),
    "scipy.sparse.lil_matrix.__setitem__": (
        lambda x: stored("lil_matrix", x),
        "scigrad.sparse.lil_array",
    ),
    "scipy.sparse.kron": (lambda x: scipy.sparse.kron(EYE, x[None]), "Use scigrad.sparse.kron"),
    "scipy.sparse.csc_array.multiply": (
        lambda x: EYE.multiply(x),
        r"Use an operator, A @ x or A \* x",
    ),
    "scipy.integrate.trapezoid": (scipy.integrate.trapezoid, "Use scigrad.numpy.trapezoid"),
    "scipy.integrate.cumulative_trapezoid": (
        scipy.integrate.cumulative_trapezoid,
        r"numpy\.cumsum",
    ),
    "scipy.integrate.romb": (
        lambda x: scipy.integrate.romb(np.concatenate([x, x[:1]])),
        "scigrad has no rule for romb",
    ),
    "scipy.sparse.csc_array.__matmul__": (
        lambda x: filled(x) @ np.ones(4),
        r"lost\. Use scigrad.sparse.csc_array",
    ),
    "scipy.integrate.simpson": (scipy.integrate.simpson, "its weights.*w @ y"),
    "scipy.interpolate.interp1d": (lambda x: scipy.interpolate.interp1d(X, x)(1.5), "numpy.interp"),
    "scipy.interpolate.interp1d.__call__": (
        scipy.interpolate.interp1d(np.arange(9.0), np.arange(9.0)),
        "numpy.interp",
    ),
    "scipy.signal.convolve": (lambda x: scipy.signal.convolve(x, x), "Use scigrad.signal.convolve"),
    "scipy.special.spherical_jn": (
        lambda x: scipy.special.spherical_jn(1, x),
        r"Use scigrad\.special\.spherical_jn",
    ),
    "scipy.special.comb": (lambda x: scipy.special.comb(x, 2), "scigrad.special.binom"),
    "scipy.stats.tmean": (scipy.stats.tmean, "Use numpy.mean"),
    "scipy.integrate.quad": (
        lambda x: scipy.integrate.quad(lambda t: x[0] * t, 0, 1),
        "roots_legendre",
    ),
    "scipy.integrate.solve_ivp": (
        lambda x: scipy.integrate.solve_ivp(lambda t, y: -y, (0, 1), x),
        "Runge and Kutta",
    ),
    "scipy.optimize.minimize": (
        lambda x: scipy.optimize.minimize(lambda y: np.sum((y - x) ** 2), X).x,
        r"Use scigrad\.optimize\.minimize",
    ),
    "scipy.optimize.fsolve": (
        lambda x: scipy.optimize.fsolve(lambda y: y - x, X),
        r"Use scigrad\.optimize\.fsolve",
    ),
    "scipy.optimize.root": (
        lambda x: scipy.optimize.root(lambda y: y - x, X).x,
        r"Use scigrad\.optimize\.root",
    ),
    "scipy.stats.norm.pdf": (scipy.stats.norm.pdf, "with NumPy and scigrad.special"),
    "scipy.stats.norm.logpdf": (scipy.stats.norm.logpdf, r"numpy\.log\(scale"),
    "scipy.optimize.rosen": (scipy.optimize.rosen, r"Write it out: numpy\.sum\(100"),
}


@pytest.mark.parametrize(
    ("name", "use", "advice"), [(name, *row) for name, row in SCIPY.items()], ids=SCIPY.keys()
)
def test_a_function_of_scipy_s_is_named_with_what_to_use_instead(name, use, advice):
    with pytest.raises(TracedValueError, match=f"(?s)^{name} cannot take a traced value.*{advice}"):
        under_grad(use)


@pytest.mark.parametrize(("name", "advice"), [
    ("spsolve", "Use scigrad.sparse.linalg.spsolve"), ("splu", "Use scigrad.sparse.linalg.splu"),
    ("cg", "Use scigrad.sparse.linalg.cg"), ("eigsh", "Use scigrad.sparse.linalg.eigsh"),
])  # fmt: skip
def test_a_traced_sparse_array_in_a_function_of_scipy_s(name, advice):
    rest = {"splu": (), "eigsh": (1,)}.get(name, (X,))
    with pytest.raises(
        TracedValueError, match=f"^scipy.sparse.linalg.{name} cannot take a traced value.*{advice}"
    ):
        under_grad(lambda x: getattr(scipy.sparse.linalg, name)(diagonal(x), *rest))


def test_a_method_in_c_is_named_under_another_name_too():
    with pytest.raises(
        TracedValueError, match=r"^scipy\.sparse\.linalg\.SuperLU\.solve cannot take"
    ):
        under_grad(scipy.sparse.linalg.splu(EYE).solve)
