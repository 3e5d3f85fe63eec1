"""scigrad.math and scigrad.cmath against Python's own functions: values, errors and derivatives."""

import cmath
import math

import mpmath
import numpy as np
import pytest

import scigrad.cmath
import scigrad.math
from scigrad import TracedValueError, grad, jit, jvp, vjp, vmap
from scigrad.testing import gradcheck

ANY = "asinh atan cos cosh sin sinh tan tanh erf erfc exp exp2 expm1 degrees radians fabs cbrt"
LOGARITHMS = ("sqrt", "log", "log10", "log2", "gamma", "lgamma")
POINTS = {  # name: arguments, each of which varies
    **{name: [(0.3,), (-0.7,)] for name in ("acos", "asin", "atanh")},
    **{name: [(0.3,), (2.7,), (41.5,)] for name in LOGARITHMS},
    **{name: [(0.3,), (-1.2,), (2.6,)] for name in ANY.split()},
    **{name: [(0.3, 1.2), (-0.4, -2.0)] for name in ("atan2", "hypot", "copysign")},
    **{name: [(7.3, 2.0), (-7.3, 2.0), (6.9, -2.0), (3.1, 2.0)] for name in ("fmod", "remainder")},
    "acosh": [(1.3,)], "log1p": [(-0.4,), (2.0,)], "pow": [(1.3, 2.2), (0.4, -1.5)],
    "frexp": [(5.3,), (-0.01,)], "modf": [(5.3,), (-2.6,)],
}  # fmt: skip
OTHERS = ("cbrt", "degrees", "frexp", "radians")  # mpmath has others, or none
OF_LISTS = {
    "fsum": lambda m, x, y: m.fsum(a for a in [x, 1e17, y, -1e17]),
    "prod": lambda m, x, y: m.prod([x, y, 3.0], start=2),
    "hypot": lambda m, x, y: m.hypot(x, y, 0.5, x),
    "dist": lambda m, x, y: m.dist([x, y, 1.0], (0.2, 0.5, x)),
    "log": lambda m, x, y: m.log(x, y),
    "ldexp": lambda m, x, y: m.ldexp(x, -3) * y,
}
CONSTANT = ["ceil", "floor", "isfinite", "isinf", "isnan", "trunc", "ulp"]
OF_INTEGERS = ["comb", "factorial", "gcd", "isqrt", "lcm", "perm"]
RATIONAL = "isclose", "nextafter"
COMPLEX = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log", "log10",
           "sin", "sinh", "sqrt", "tan", "tanh"]  # fmt: skip


def traced(f, *x):
    """The value and the tangent of f."""
    return jvp(f, x, tuple(1.0 for _ in x), allow_constant=True)


def first(value):
    return value[0] if isinstance(value, tuple) else value


def test_all_names_are_there():
    covered = {
        *POINTS,
        *OF_LISTS,
        *CONSTANT,
        *OF_INTEGERS,
        *RATIONAL,
        "e",
        "inf",
        "nan",
        "pi",
        "tau",
    }
    for ours, original in ((scigrad.math, math), (scigrad.cmath, cmath)):
        names = {name for name in dir(original) if name[0] != "_"}
        assert names - set(ours.__all__) <= {"fma", "sumprod"}  # later Pythons have these
        assert all(getattr(ours, name) is not None for name in ours.__all__)
    assert set(scigrad.math.__all__) == covered


@pytest.mark.parametrize("name", [*POINTS, *CONSTANT])
def test_plain_numbers_are_python_s_own(name):
    ours, original = getattr(scigrad.math, name), getattr(math, name)
    for x in POINTS.get(name, [(2.5,), (-0.5,)]):
        assert repr(ours(*x)) == repr(original(*x))
        assert type(ours(*x)) is type(original(*x))
    with pytest.raises(TypeError):
        ours("text")


@pytest.mark.parametrize("name", POINTS)
def test_values_and_derivatives(name):
    ours, original = getattr(scigrad.math, name), getattr(math, name)
    for x in POINTS[name]:
        value = traced(lambda *x: first(ours(*x)), *x)[0]
        np.testing.assert_allclose(value, first(original(*x)), rtol=4e-16 * 4)
        gradcheck(lambda *x: first(ours(*x)), *x)
        in_mpmath = getattr(mpmath, {"gamma": "gamma", "lgamma": "loggamma"}.get(name, name), None)
        if in_mpmath is not None and len(x) == 1 and name not in OTHERS:
            np.testing.assert_allclose(
                grad(ours)(*x), float(mpmath.diff(in_mpmath, *x).real), 1e-12
            )
        if name != "frexp":
            batch = vmap(lambda *x: first(ours(*x)))(*(np.full(2, v) for v in x))
            np.testing.assert_allclose(batch, first(original(*x)), rtol=1e-14)
            np.testing.assert_allclose(jit(ours)(*x)[0] if name == "modf" else jit(ours)(*x), value)


@pytest.mark.parametrize("name", OF_LISTS)
def test_functions_of_several_numbers(name):
    def f(x, y):
        return OF_LISTS[name](scigrad.math, x, y)

    np.testing.assert_allclose(traced(f, 0.7, 1.9)[0], OF_LISTS[name](math, 0.7, 1.9), 1e-15)
    assert OF_LISTS[name](scigrad.math, 0.7, 1.9) == OF_LISTS[name](math, 0.7, 1.9)
    if name == "fsum":  # differences lose what is added to 1e17
        assert vjp(f, 0.7, 1.9)[1](1.0) == (1.0, 1.0)
    else:
        gradcheck(f, 0.7, 1.9)


def test_fsum_is_exact_for_traced_numbers():
    assert traced(lambda x: scigrad.math.fsum([1e20, x, -1e20]), 1.0) == (1.0, 1.0)
    assert sum([1e20, 1.0, -1e20]) == 0.0
    batch = np.array([1.0, 2.0])
    sums = jvp(vmap(lambda x: scigrad.math.fsum([1e20, x, -1e20])), (batch,), (batch,))
    np.testing.assert_array_equal(sums, [batch, batch])


@pytest.mark.parametrize("name", COMPLEX)
@pytest.mark.parametrize("x", [0.3 + 0.4j, -1.2 - 0.1j, 0.6, -2.5, complex(-2.0, -0.0), 2.0 + 0j])
def test_complex_functions(name, x):
    ours, original = getattr(scigrad.cmath, name), getattr(cmath, name)
    if name == "atanh" and x in (1, -1):
        return
    assert repr(ours(x)) == repr(original(x))
    value = traced(ours, x)[0]
    np.testing.assert_allclose(value, original(x), rtol=1e-14, atol=1e-15)
    assert type(value) is np.complex128
    step = 1e-6 if isinstance(x, float) else 1e-6j
    on_cut = name in ("acos", "acosh", "asin", "atanh", "log", "log10", "sqrt", "asinh", "atan")
    if not on_cut or abs(complex(x).imag) > 1e-3:
        found = jvp(ours, (x,), (step / 1e-6,))[1]
        slope = (original(x + step) - original(x - step)) / 2e-6
        np.testing.assert_allclose(found, slope, rtol=1e-8, atol=1e-9)


def test_polar_coordinates():
    z = -0.6 + 0.8j
    for name in ("phase", "polar"):
        np.testing.assert_allclose(
            traced(getattr(scigrad.cmath, name), z)[0], getattr(cmath, name)(z)
        )
    gradcheck(scigrad.cmath.phase, z)
    gradcheck(scigrad.cmath.polar, z)
    gradcheck(scigrad.cmath.rect, 1.3, 0.4)
    gradcheck(lambda z: scigrad.cmath.log(z, 2.5), z)
    assert scigrad.cmath.rect(1.3, 0.4) == cmath.rect(1.3, 0.4)


@pytest.mark.parametrize("x", [2.5, -0.5, -0.0, 3.0, 1e300])
@pytest.mark.parametrize("name", CONSTANT)
def test_functions_without_a_derivative(name, x):
    ours, original, found = getattr(scigrad.math, name), getattr(math, name), []
    grad(lambda x: found.append(ours(x)) or x)(x)
    assert found == [original(x)]
    assert type(found[0]) is type(original(x)) or name == "ulp"


def test_questions_of_numbers():
    answers = []

    def f(x):
        answers.append(
            [
                scigrad.math.isclose(x, 1.0 + 1e-10),
                scigrad.math.isclose(x, 1.1, rel_tol=0.2),
                scigrad.math.isclose(x, math.inf),
                scigrad.math.isclose(1e-12, 0 * x, abs_tol=1e-9),
                scigrad.cmath.isclose(x + 1j, 1 + 1j),
                scigrad.cmath.isnan(x + 1j),
                scigrad.math.nextafter(x, 2.0) == math.nextafter(1.0, 2.0),
            ]
        )
        return x

    grad(f)(1.0)
    assert answers == [[True, True, False, True, True, False, True]]


ERRORS = {
    "sqrt": (-1.0,), "log": (0.0,), "acos": (2.0,), "atanh": (1.0,), "exp": (1000.0,),
    "gamma": (-1.0,), "lgamma": (0.0,), "pow": (-1.0, 0.5), "fmod": (1.0, 0.0), "cosh": (1e4,),
    "remainder": (1.0, 0.0), "factorial": (2.5,), "gcd": (2.5, 1.0), "comb": (2.5, 1),
    "floor": (math.inf,), "trunc": (math.nan,), "ldexp": (1.0, 5000), "perm": (3.0,),
    "isqrt": (4.0,),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_python_s(name):
    x, rest = ERRORS[name][0], ERRORS[name][1:]
    with pytest.raises((ValueError, OverflowError, TypeError)) as original:
        getattr(math, name)(x, *rest)
    with pytest.raises(original.type) as ours:
        grad(lambda x: first(getattr(scigrad.math, name)(x, *rest)))(x)
    assert str(ours.value) == str(original.value)


def test_arrays_and_batches_are_refused_where_python_needs_a_number():
    with pytest.raises(TypeError, match="scalar"):
        scigrad.math.sin(np.ones(3))
    with pytest.raises(TypeError, match="real number"):
        grad(lambda x: scigrad.math.sin(x))(np.ones(3))
    with pytest.raises(TracedValueError, match="batch"):
        vmap(scigrad.math.isnan)(np.ones(2))
    np.testing.assert_array_equal(vmap(scigrad.math.floor)(np.array([1.5, -0.5])), [1.0, -1.0])
    with pytest.raises(TracedValueError, match=r"math\.factorial"):
        vmap(scigrad.math.factorial)(np.ones(2))


def test_second_order_and_names():
    np.testing.assert_allclose(grad(grad(scigrad.math.sin))(0.4), -math.sin(0.4))
    assert scigrad.math.sin.__name__ == "sin"
    assert scigrad.math.sin.__doc__ == math.sin.__doc__
    assert scigrad.math.pi == math.pi
