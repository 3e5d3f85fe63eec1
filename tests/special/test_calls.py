"""How the functions are called: as SciPy's ufuncs on plain arrays, through SciPy's own names on
traced ones.
"""

import warnings

import numpy as np
import pytest
import scipy.special

from scigrad import MissingRule, TracedValueError, grad, special, vjp
from scigrad.special.machinery.ufuncs import inverse, row

X = np.array([0.5, 1.5, 2.5])


def test_a_row_has_no_body():
    with pytest.raises(TypeError, match="twice: the body"):

        @row(lambda x, out: 2.0)
        def twice(x):
            """Return 2 x."""
            return 2 * x


def test_out_and_where_on_plain_arrays():
    out = np.full(3, 7.0)
    assert special.gammaln(X, out=out, where=X > 1) is out
    np.testing.assert_array_equal(out, [7.0, *scipy.special.gammaln(X[1:])])
    assert special.erf(X, out) is out
    np.testing.assert_array_equal(out, scipy.special.erf(X))
    assert special.j0(X, dtype=np.float32).dtype == np.float32


def test_out_of_a_traced_call_is_refused():
    with pytest.raises(TracedValueError):
        grad(lambda x: np.sum(special.gammaln(x, out=np.zeros(3))))(X)
    with pytest.raises(TracedValueError):
        grad(
            lambda x: (
                np.sum(special.gammaln(X, out=x))
                if special.gammaln(x, where=X > 1) is None
                else 0.0
            )
        )(X)


NAMES = [
    name for name in special.__all__ if isinstance(getattr(scipy.special, name, None), np.ufunc)
]


def last(outputs):
    return outputs[-1] if isinstance(outputs, tuple) else outputs


@pytest.mark.parametrize("name", NAMES)
def test_scipy_s_own_ufunc_on_a_traced_array(name):
    theirs, ours, x = getattr(scipy.special, name), getattr(special, name), X / 3
    first = [np.int16(2)] * (theirs.nin - 1)
    with np.errstate(all="ignore"):  # the point is outside of the domain of some functions
        found, expected = (
            grad(lambda x, f=f: np.sum(np.real(last(f(*first, x))) * x))(x) for f in (theirs, ours)
        )
    np.testing.assert_array_equal(found, expected)
    for attribute in ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)
    out = np.zeros(3, last(ours(*first, x)).dtype)
    others = (None,) * (theirs.nout - 1)
    assert last(ours(*first, x, out=(*others, out), where=x > 0.2)) is out
    np.testing.assert_array_equal(out, np.where(x > 0.2, last(ours(*first, x)), 0))
    if theirs.nin == 2:
        np.testing.assert_array_equal(
            ours.outer(np.int16([1, 2]), x), theirs.outer(np.int16([1, 2]), x)
        )


def test_scipy_s_functions_that_we_have_not_and_that_are_no_ufuncs():
    with pytest.raises(MissingRule, match="_log1pmx"):
        grad(lambda x: np.sum(scipy.special._ufuncs._log1pmx(x)))(X / 3)
    with pytest.raises(TracedValueError, match=r"Use scigrad\.special\.logsumexp"):
        grad(lambda x: scipy.special.logsumexp(x))(X)


def test_scalars_and_lists():
    assert special.gammaln(4) == scipy.special.gammaln(4)
    assert isinstance(special.i0e(2.0), np.float64)
    np.testing.assert_array_equal(special.expit([0.0, 1.0]), scipy.special.expit([0.0, 1.0]))
    assert special.logsumexp([1.0, 2.0]) == scipy.special.logsumexp([1.0, 2.0])
    assert special.polygamma(1, 2) == pytest.approx(scipy.special.polygamma(1, 2), rel=1e-15)


@pytest.mark.parametrize(
    "function", [lambda z: special.ive(1.0, z), lambda z: special.legendre_p(2, z)[0], special.k0e]
)
def test_lists_of_traced_numbers(function):
    found = grad(lambda x: np.sum(function([x, x * x])))(0.5)
    assert found == pytest.approx(grad(lambda x: np.sum(function(np.stack([x, x * x]))))(0.5))


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int64, np.uint8, np.bool_])
def test_polygamma_of_integers_is_double(kind):
    for n in (0, 1, np.array([1, 2])):
        found = special.polygamma(n, kind(1))
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, scipy.special.polygamma(n, 1.0), rtol=1e-14)


def test_out_of_zeta():
    out = np.zeros(3)
    assert special.zeta(1 + X, 1.2, out) is out
    np.testing.assert_array_equal(out, scipy.special.zeta(1 + X, 1.2))
    with pytest.raises(TracedValueError):
        grad(lambda x: np.sum(special.zeta(1 + x, 1.2, out)))(X)


FOR_PLAIN_ARGUMENTS = {
    "comb": (0.0, 2),
    "ellip_normal": (0.0, 15.0, 1, 1),
    "factorial": (0.0,),
    "factorial2": (0.0,),
    "factorialk": (0.0, 3),
    "gegenbauer": (2, 0.0),
    "genlaguerre": (2, 0.0),
    "jacobi": (2, 0.0, 1.0),
    "lmbda": (2, 0.0),
    "lqmn": (2, 2, 0.0),
    "lqn": (2, 0.0),
    "mathieu_even_coef": (2, 0.0),
    "mathieu_odd_coef": (2, 0.0),
    "obl_cv_seq": (0, 3, 0.0),
    "pbdn_seq": (2, 0.0),
    "pbdv_seq": (2, 0.0),
    "pbvv_seq": (2, 0.0),
    "perm": (0.0, 2),
    "pro_cv_seq": (0, 3, 0.0),
    "riccati_jn": (2, 0.0),
    "riccati_yn": (2, 0.0),
    "sh_jacobi": (2, 0.0, 1.0),
}


@pytest.mark.parametrize("name", FOR_PLAIN_ARGUMENTS)
def test_scipys_own_functions_refuse_traced_arguments(name):
    """Traced at the place of 0.0, where SciPy's function depends on a real number."""
    args = FOR_PLAIN_ARGUMENTS[name]
    with pytest.raises(
        (MissingRule, TracedValueError), match=rf"scipy\.special\.{name} cannot take a traced value"
    ):
        grad(
            lambda x: getattr(special, name)(
                *(x if v == 0.0 and isinstance(v, float) else v for v in args)
            )
        )(1.5)


def test_polygamma_is_not_differentiable_in_its_order():
    with pytest.raises(MissingRule, match="argument 'n'"):
        grad(lambda n: special.polygamma(n, 2.0))(1.0)


@pytest.mark.parametrize(
    "n", [-1, -12, 1.5, np.nan, np.array([-1, 0, 1, 3]), np.array([0.0, 2.5, 1.0, np.inf])]
)
def test_polygamma_of_other_orders_is_nan_as_in_scipy(n):
    x = np.array([0.5, 2.0, 3.0, 4.0])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(
            special.polygamma(n, x), scipy.special.polygamma(n, x), rtol=1e-14
        )


@pytest.mark.parametrize("n", [np.int64(2), np.array([1, 2]), np.float32(2)])
def test_polygamma_promotes_the_dtypes_of_its_arguments(n):
    for x in (np.float32([2, 3]), np.array([2, 3])):
        assert special.polygamma(n, x).dtype == scipy.special.polygamma(n, x).dtype


def test_log_sum_exp_as_composed_for_the_gpu():
    from scigrad.special.log_sum_exp import _shifted

    rng = np.random.default_rng(5)
    for a in (
        rng.standard_normal((2, 3)) + 800,
        rng.standard_normal((2, 3)) * (5 + 9j),
        np.array([[-np.inf, 1.0, np.inf]]),
    ):
        for b in (None, np.array([1.0, 0.0, 2.0])):
            for axis in (None, 1, (0, 1)):
                for sign in (False, True):
                    with np.errstate(all="ignore"):
                        found = _shifted(a, axis, b, True, sign)
                        truth = scipy.special.logsumexp(a, axis, b, True, sign)
                    for f, t in zip(found, truth, strict=True) if sign else ((found, truth),):
                        np.testing.assert_allclose(f, t, rtol=1e-13)


def test_wrong_numbers_of_arguments_raise_as_ufuncs_do():
    for args in ((), (X, X, X)):
        with pytest.raises(TypeError, match="positional arguments"):
            special.gammaln(*args)


def test_products_with_bessel_functions_keep_both_terms():
    found = grad(lambda x: x * special.j0(x))(1.3)  # a library that detaches j0 silently says 0.620
    assert found == pytest.approx(scipy.special.j0(1.3) - 1.3 * scipy.special.j1(1.3), rel=1e-15)


def test_what_is_no_number_is_refused_as_in_scipy():
    for x in (None, "text"):
        with pytest.raises(TypeError):
            scipy.special.polygamma(1, x)
        with pytest.raises(TypeError, match="x must be real or complex"):
            special.polygamma(1, x)


def test_sinc_of_an_array_without_axes_is_a_number_when_recorded_too():
    assert (
        type(vjp(special.sinc, np.array(0.3))[0]) is type(special.sinc(np.array(0.3))) is np.float64
    )


def test_an_empty_sum_is_a_number():
    assert (
        type(special.logsumexp(np.zeros(0)))
        is type(scipy.special.logsumexp(np.zeros(0)))
        is np.float64
    )


def test_the_inverse_of_a_declared_function_has_its_partials_from_it():
    @inverse(special.hyp0f1, 1)
    def gammaincinv(v, p):  # the name of any ufunc of SciPy's; values are not asked for
        """Solve hyp0f1(v, z) = p for z."""

    v, z = 1.3, 0.7
    p, slope_v, slope_z = (
        special.hyp0f1(v, z),
        grad(special.hyp0f1, 0)(v, z),
        grad(special.hyp0f1, 1)(v, z),
    )
    by_v, by_p = (partial(v, p, z) for partial in gammaincinv.closed)
    np.testing.assert_allclose([by_v, by_p], [-slope_v / slope_z, 1 / slope_z], rtol=1e-13)


def test_options_of_ufuncs_with_values_of_our_own():
    x = np.array([-7 + 1e-9, 2.0])
    out = np.zeros(2)
    assert special.psi(x, out=out) is out
    np.testing.assert_array_equal(out, special.psi(x))
    np.testing.assert_array_equal(special.psi(x, np.zeros(2), where=[True, False]), [out[0], 0])


@pytest.mark.parametrize(
    ("name", "first"),
    [("jv", (2,)), ("betainc", (1, 2)), ("gdtr", (1, 2)), ("eval_legendre", (3,))],
)
def test_a_positional_out_in_single_precision_is_filled(name, first):
    x, out = np.array([0.1, 0.5, 0.9], np.float32), np.zeros(3, np.float32)
    f = getattr(special, name)
    assert f(*first, x, out) is out
    np.testing.assert_array_equal(out, f(*first, x))
    again, double = np.zeros(3, np.float32), np.zeros(3)
    assert f(*first, x, out=again) is again
    assert f(*first, x, out=double) is double
    np.testing.assert_array_equal(again, out)
    np.testing.assert_allclose(double, out, rtol=1e-6)


def test_some_of_several_outs():
    x, out = X.astype(np.float32), np.zeros(3, np.float32)
    first, second, *_ = special.airy(x, None, out)
    assert second is out
    np.testing.assert_array_equal([first, out], special.airy(x)[:2])
    assert first.dtype == np.float32


def test_options_of_ufuncs_with_values_of_our_own_are_judged_as_scipy_does():
    x = X.astype(np.float32)
    np.testing.assert_array_equal(special.gammaln(x, dtype=np.float64), special.gammaln(X))
    assert special.gammaln(X, dtype=np.float32).dtype == np.float32
    for options in ({"foo": 1}, {"dtype": int}, {"dtype": np.float32, "casting": "safe"}):
        with pytest.raises(TypeError, match="gammaln"):
            special.gammaln(X, **options)
    with pytest.raises(TypeError, match="both a positional and keyword"):
        special.gammaln(X, X, out=X)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_log_sum_exp_of_a_plain_vector(kind):
    """It has a short way of its own, and SciPy's digits: those of small terms beside a large one
    too.
    """
    rng = np.random.default_rng(6)
    for a in (
        [0, -40],
        [700, 700, -700],
        [-np.inf, 1],
        [-np.inf, -np.inf],
        [np.inf, 1],
        [np.nan, 1],
        [5],
        rng.standard_normal(100) * 30,
    ):
        a = np.array(a, kind)
        for given in ({}, {"axis": 0}, {"axis": -1}):
            found, truth = special.logsumexp(a, **given), scipy.special.logsumexp(a, **given)
            assert type(found) is type(truth)
            np.testing.assert_allclose(found, truth, rtol=2 * np.finfo(kind).eps)
    np.testing.assert_allclose(
        special.logsumexp(a.reshape(4, 25).T), scipy.special.logsumexp(a), rtol=1e-6
    )
    with pytest.raises(ValueError, match="axis"):
        special.logsumexp(a, axis=1)


UFUNCS = sorted(
    name for name in dir(scipy.special) if isinstance(getattr(scipy.special, name), np.ufunc)
)


@pytest.mark.parametrize("name", UFUNCS)
def test_nan_in_nan_out(name):
    """SciPy's test of the same; ours are not found by it, as they are no instances of
    numpy.ufunc.
    """
    theirs, ours = getattr(scipy.special, name), getattr(special, name)
    args = (np.array([np.nan]),) * theirs.nin
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            theirs(*args)
        except TypeError:  # an argument has to be an integer
            with pytest.raises(TypeError):
                ours(*args)
            return
        for found in (ours(*args), vjp(ours, *args)[0]):
            assert np.isnan(found).all()
