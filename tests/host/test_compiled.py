"""Polynomials in pieces: the values of SciPy's functions and the truth, with SciPy's messages, for
large arrays alone.
"""

import subprocess
import sys

import numpy as np
import pytest
import scipy.special

from scigrad import fft, grad, special
from scigrad.host import compiled
from scigrad.host.compiled import LARGE, faster
from scigrad.special import error_functions, logistic
from scigrad.special.gamma_incomplete import shape_derivative
from scigrad.testing.reference import load

pytest.importorskip("numba")
PUBLIC = ["erf", "erfinv", "expit", "gammaln", "i0e", "i1e", "j0", "j1", "log_ndtr", "ndtr", "psi"]
PLAIN = {
    "exp": np.exp,
    "gaussian": lambda x: 2 / np.sqrt(np.pi) * np.exp(-x * x),
    "logistic_density": lambda x: scipy.special.expit(x) * scipy.special.expit(-x),
}
EDGES = np.array(
    [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        5e-324,
        -5e-324,
        2.3e-308,
        1e-300,
        -1e-300,
        1e300,
        -1e300,
        1.7e308,
        -1.7e308,
        1,
        -1,
        2,
        1 - 1e-16,
        -1 + 1e-16,
        1 + 3e-16,
        709,
        709.5,
        -708,
        -708.5,
        -745,
        -746,
    ]
)


def wide():
    """Numbers of all sizes and signs, dense about the edges of the pieces."""
    random = np.random.default_rng(0)
    sizes = 10 ** random.uniform(-20, 5, LARGE // 2)
    ends = np.ravel(
        [np.nextafter(edge, [-np.inf, edge, np.inf]) for edge in np.arange(-40, 40, 1 / 128)]
    )
    near = np.concatenate([random.uniform(low, -low, LARGE // 4) for low in (-1.0, -8.0, -40.0)])
    return np.concatenate([EDGES, sizes, -sizes, 1 - sizes[sizes < 1], ends, near])


def of(name):
    own = {
        "exp": np.exp,
        "gaussian": error_functions.gaussian,
        "logistic_density": logistic.logistic_density,
    }
    return own.get(name) or getattr(special, name)


def test_the_tables_are_those_of_these_functions():
    assert sorted(compiled.tables()) == sorted([*PUBLIC, *PLAIN])


@pytest.mark.parametrize("name", [*PUBLIC, *PLAIN])
def test_values_are_those_of_scipy(name):
    x, reference = wide(), PLAIN.get(name) or getattr(scipy.special, name)
    if name == "psi":
        x = x[~(x < 0)]  # there ours is more accurate: reflection formula
    with np.errstate(all="ignore"):
        expected = reference(x)
        inside = {"gaussian": abs(x) < 26, "logistic_density": abs(x) < 700}.get(name, x == x)
    kernel = faster(of(name), x)
    assert kernel.func is compiled._piecewise_values
    with np.errstate(all="raise" if name in PUBLIC else "ignore"):
        found = kernel(x) if name == "exp" else of(name)(x)
    if name != "i1e":  # an odd function, but SciPy's of -0.0 is 0.0
        np.testing.assert_array_equal(np.signbit(found[x == 0]), np.signbit(expected[x == 0]))
    # SciPy's lose the digits of values near a root
    size = 1.0 if name in ("j0", "j1", "gammaln", "psi") else 1e-308
    np.testing.assert_allclose(
        found[inside], expected[inside], rtol=2e-14 if name in PLAIN else 1e-14, atol=4e-15 * size
    )


@pytest.mark.parametrize("name", PUBLIC)
def test_errors_are_a_few_units_in_the_last_place(name):
    """But for large arguments, where SciPy's functions compute."""
    seen = 0
    for record in load("special/regions", {"psi": "digamma"}.get(name, name)):
        x, truth = record.arguments[0], record.value
        known = ~np.isnan(np.concatenate([polynomials(name, x[i : i + 1]) for i in range(x.size)]))
        found = of(name)(np.resize(x, LARGE))[: x.size]
        error = np.abs(found - truth) / np.spacing(np.abs(truth))
        assert np.all(error[known] <= 2.0), (record.case, error)
        assert (
            np.array_equal(found[~known], getattr(scipy.special, name)(x[~known])) or name == "psi"
        )
        seen += known.sum()
    assert seen >= 16


def polynomials(name, x):
    """The values of the pieces, and nan elsewhere."""
    return compiled._piecewise_values(lambda x: np.nan * x, *compiled.tables()[name], x)


def test_messages_are_scipys():
    x = np.linspace(0.5, 3, LARGE)
    x[7] = 0.0
    with (
        special.errstate(all="raise"),
        pytest.raises(special.SpecialFunctionError, match="singularity"),
    ):
        special.gammaln(x)
    with special.errstate(all="ignore"):
        assert special.gammaln(x)[7] == np.inf


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_arrays_of_every_layout(workers):
    x = np.linspace(-3, 3, 4 * LARGE)
    frozen = x.copy()
    frozen.flags.writeable = False
    unaligned = np.frombuffer(bytearray(b"a" + x.tobytes()), np.float64, offset=1)
    fortran = np.asfortranarray(x.reshape(512, -1))
    assert special.erf(fortran).flags.f_contiguous
    with fft.set_workers(workers):
        expected = special.erf(x)
        for given in (x.reshape(8, 16, -1), frozen, unaligned, x[::-1][::-1]):
            np.testing.assert_array_equal(special.erf(given), expected.reshape(given.shape))
        for given in (fortran, x[::2], x.astype(">f8"), x.astype(np.float32)):
            np.testing.assert_array_equal(special.erf(given), scipy.special.erf(given))


def test_small_arrays_and_options_are_scipys():
    x = np.linspace(-3, 3, LARGE)
    np.testing.assert_array_equal(special.erf(x[1:]), scipy.special.erf(x[1:]))
    np.testing.assert_array_equal(special.erf(x, out=np.empty(LARGE)), scipy.special.erf(x))
    assert not np.array_equal(special.erf(x), scipy.special.erf(x))  # last digits differ
    assert special.erf(x).dtype == np.float64
    assert faster(np.exp, x, x) is np.exp


@pytest.mark.parametrize("name", ["gaussian", "logistic_density"])
def test_derivatives_of_the_densities(name):
    x = np.linspace(-6, 6, LARGE)
    slope, by_differences = (
        grad(lambda x: np.sum(of(name)(x)))(x),
        np.gradient(of(name)(x), x, edge_order=2),
    )
    np.testing.assert_allclose(slope, by_differences, rtol=1e-6, atol=1e-7)


def test_logsumexp():
    x = np.random.default_rng(0).standard_normal(3 * LARGE + 5)
    x[[3, LARGE]] = -np.inf, -800
    np.testing.assert_allclose(special.logsumexp(x), scipy.special.logsumexp(x), rtol=1e-15)
    far = np.full(LARGE, -60.0)
    far[LARGE // 2] = 0.0
    np.testing.assert_allclose(special.logsumexp(far), scipy.special.logsumexp(far), rtol=1e-14)


def test_integrals_of_the_incomplete_gamma_function():
    """Compiled for many elements, as they are for few; 0, infinity, nan and huge numbers beside the
    others.
    """
    random = np.random.default_rng(0)
    a, x = 10 ** random.uniform(-3, 6, (2, 6000))
    x[::2] = a[::2] + random.standard_normal(3000) * np.sqrt(a[::2])
    x = np.abs(x)
    a[:10], x[:10] = (
        [0, 1, np.inf, 1, np.nan, 1, -1, 1, 1e300, 1e-300],
        [1, 0, 1, np.inf, 1, np.nan, 1, -1, 1e300, 1e-300],
    )
    many, few = (
        shape_derivative(1, a, x),
        np.concatenate(
            [shape_derivative(1, a[i : i + 1000], x[i : i + 1000]) for i in range(0, 6000, 1000)]
        ),
    )
    np.testing.assert_allclose(many, few, rtol=1e-10, atol=1e-14 * np.nanmax(abs(few)))
    assert not np.array_equal(many, few, equal_nan=True)  # last digits differ


@pytest.mark.parametrize(
    ("before", "used"), [("import sys; sys.modules['numba'] = None", False), ("", True)]
)
def test_without_numba_and_before_it_is_needed(before, used):
    program = f"""{before}
import sys, numpy as np, scipy.special
from scigrad import special
special.erf(np.ones({LARGE} - 1))
assert not sys.modules.get("numba")
x = np.linspace(-3, 3, {LARGE})
assert np.array_equal(special.erf(x), scipy.special.erf(x)) is {not used}
assert np.allclose(special.logsumexp(x), scipy.special.logsumexp(x), rtol=1e-14)
assert bool(sys.modules.get("numba")) is {used}
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_machine_without_a_folder_for_compiled_code(monkeypatch):
    import numba

    def njit(*args, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: f"compiled {function.__name__}"

    monkeypatch.setattr(numba, "njit", njit)
    assert compiled.compile_loop.__wrapped__(compiled._pieces) == "compiled _pieces"
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    assert compiled.numba() is None
