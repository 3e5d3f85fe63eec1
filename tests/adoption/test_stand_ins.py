"""Stand-ins of functions that ask no protocol, of types and classes, and of SciPy's."""

import cmath
import math
from importlib import import_module

import numpy as np
import pytest
import scipy.linalg
import scipy.signal

from scigrad import TracedValueError, adopt, grad, vmap
from scigrad import numpy as snp
from scigrad.adoption.stand_ins import stand_in
from scigrad.testing import gradcheck

OF_MATH = (
    "acos acosh asin asinh atan atanh cbrt cos cosh degrees erf erfc exp exp2 expm1 fabs gamma "
    "lgamma log log10 log1p log2 radians sin sinh sqrt tan tanh"
)
OF_CMATH = "acos acosh asin asinh atan atanh cos cosh exp log log10 phase sin sinh sqrt tan tanh"


def real(z):
    return z.real + 2 * z.imag


@pytest.mark.parametrize("name", OF_MATH.split())
def test_functions_of_math(name):
    original = getattr(math, name)
    function, x = stand_in(original), 1.3 if name == "acosh" else 0.4
    slope = (original(x + 1e-5) - original(x - 1e-5)) / 2e-5
    assert grad(function)(x) == pytest.approx(slope, rel=1e-7)
    assert type(function(x)) is float
    assert function(x) == original(x)


@pytest.mark.parametrize("name", OF_CMATH.split())
def test_functions_of_cmath(name):
    original = getattr(cmath, name)
    function, z = stand_in(original), 0.4 + 0.3j
    step = 1e-5
    for direction in (1.0, 1j):
        slope = (original(z + step * direction) - original(z - step * direction)) / (2 * step)
        found = grad(lambda t, d=direction: real(function(z + t * d)))(0.0)
        assert found == pytest.approx(real(slope), rel=1e-7)


@pytest.mark.parametrize(
    "call",
    [
        lambda m, x: m.atan2(x, 2.0) + m.hypot(x, 2.0, x) + m.copysign(x, -1.0) + m.pow(x, 2.5),
        lambda m, x: m.log(x, 3.0) + m.ldexp(x, 3) + m.fmod(3.3, x) + m.remainder(3.3, x),
        lambda m, x: m.fsum([x, x * x]) + m.prod([x, 2.0, x], start=3) + m.dist([x, 1], [0, x]),
        lambda m, x: m.modf(3.7 * x)[0] + m.frexp(3.7 * x)[0] + m.floor(7.7 * x) + m.ceil(x),
        lambda m, x: m.trunc(x) + m.isnan(x) + m.isclose(x, x) + m.isfinite(x) + x,
    ],
)
def test_functions_of_math_with_other_arguments(call):
    class Looked:
        def __getattr__(self, name):
            return stand_in(getattr(math, name))

    assert call(Looked(), 0.7) == call(math, 0.7)
    assert grad(lambda x: call(Looked(), x) + 0 * x)(0.7) == pytest.approx(
        (call(math, 0.7 + 1e-6) - call(math, 0.7 - 1e-6)) / 2e-6, rel=1e-7
    )


@pytest.mark.parametrize(
    ("name", "x", "error"),
    [
        ("sqrt", -1.0, ValueError),
        ("acos", 2.0, ValueError),
        ("log", 0.0, ValueError),
        ("exp", 1000.0, OverflowError),
    ],
)
def test_errors_outside_of_the_domain_are_those_of_math(name, x, error):
    with pytest.raises(error):
        grad(stand_in(getattr(math, name)))(x)


def test_types_of_traced_values(write):
    write(
        kinds="""
            import numbers
            import numpy as np

            def kinds_of(x, n):
                return [
                    isinstance(x, np.ndarray), isinstance(n, float), isinstance(n, numbers.Real),
                    isinstance(n, (int, complex)), type(x) is np.ndarray, type(n).__name__,
                    hasattr(x, "shape"), hasattr(n, "__len__"), np.isscalar(n), np.isscalar(x),
                    hasattr(x, "nothing"), isinstance(x, list), np.iterable(x), np.iterable(n),
                ]
            """
    )
    adopt("kinds")
    kinds_of, found = import_module("kinds").kinds_of, []
    x = np.array([0.5, 2.0])
    grad(lambda x: found.append(kinds_of(x, x[0])) or x.sum())(x)
    vmap(lambda x: found.append(kinds_of(x, x[0])) or x)(x[None])
    assert found[0] == found[1] == kinds_of(x, x[0])


def test_int_is_a_constant_only_if_asked_for(write):
    write(rounding="def f(x):\n    return int(x) * x\n")
    with adopt("rounding"), pytest.raises(TracedValueError, match="int_is_constant"):
        grad(import_module("rounding").f)(2.5)
    with adopt("rounding", int_is_constant=True):
        assert grad(import_module("rounding").f)(2.5) == 2.0
        with pytest.raises(TypeError, match="batch"):
            vmap(import_module("rounding").f)(np.ones(2))


def test_places_of_sparse_arrays_are_integers(write):
    write(
        tables="""
            import numpy as np
            from scipy.sparse import csr_matrix

            def f(x):
                table = np.array([[0.0, 1.0, x], [1.0, 0.0, 2.0]])
                matrix = csr_matrix((table[:, 2], (table[:, 0], table[:, 1])), (2, 2))
                assert isinstance(matrix, csr_matrix)
                return (matrix @ np.array([3.0, 5.0]))[0] * x
            """
    )
    with adopt("tables"), pytest.raises(TracedValueError, match="int_is_constant"):
        grad(import_module("tables").f)(0.7)
    with adopt("tables", int_is_constant=True):
        gradcheck(import_module("tables").f, 0.7)


def test_functions_of_numpy(write):
    write(
        arrays="""
            import numpy as np
            from numpy.lib import scimath

            @np.vectorize
            def each(x, y):
                return x * y if x > 0 else y

            def f(x):
                out = np.linspace(0.0, 1.0, 3).copy()
                out[1] = x
                table = np.ones((2, 2)).astype(complex)
                table[0] = np.r_[x, 1.0]
                y = np.float64(x) * np.complex128(2.0 * x).real + np.asarray([x]).tolist()[0]
                y = y + np.sin([x, 1.0]).sum() + np.add.reduce([x, x]) + scimath.sqrt(-x).imag
                y = y + np.ones(3).dot(np.array([x, 1.0, x])) + np.linalg.norm([x, 1.0])
                y = y + each(out, [x, 1.0, 2.0]).sum() + np.require(np.array([x]))[0]
                y = y + sum(v for _, v in np.ndenumerate(np.array([[x, x]])))
                y = y + np.cross([x, 0, 1], [0, x, 2]).sum()
                return y + table.real.sum() + np.array([x], copy=np._CopyMode.IF_NEEDED)[0]
            """
    )
    plain = import_module("arrays").f(0.7)
    adopt("arrays")
    assert import_module("arrays").f(0.7) == plain
    gradcheck(import_module("arrays").f, 0.7)
    gradcheck(grad(import_module("arrays").f), 0.7)


def test_classes_of_arrays(write):
    write(
        signals="""
            import numpy as np

            class Signal(np.ndarray):
                def __new__(cls, values, rate):
                    self = np.asarray(values).view(cls)
                    self.rate = rate
                    return self

                def __array_finalize__(self, other):
                    self.rate = getattr(other, "rate", None)

                @property
                def energy(self):
                    return np.sum(np.asarray(self) ** 2) / self.rate

            class Made(np.ndarray):
                def __new__(cls, values):
                    return np.ndarray.__new__(cls, values.shape, float, values)

            class Times(Signal):
                def __mul__(self, other):
                    return 2 * other

            def f(x, kind=Signal):
                signal = kind(np.array([x, 1.0, x]), 2.0)
                assert isinstance(signal, Signal) and signal.rate == 2.0
                return signal.energy + signal[0] + np.sum(Made(np.array([x, x])) * 3.0)
            """
    )
    module = import_module("signals")
    plain = module.f(0.7)
    adopt("signals")
    assert module.f(0.7) == plain
    gradcheck(module.f, 0.7)
    with pytest.raises(TracedValueError, match="Times"):
        grad(module.f)(0.7, module.Times)


def test_masked_arrays_without_a_mask(write):
    write(
        masks="""
            import numpy as np

            def f(x, mask=False):
                observed = np.ma.atleast_2d(np.array([1.0, 2.0]))
                y = np.ma.array([x, 2.0 * x], mask=[mask, False]) - np.ma.asarray(observed)
                return y.sum() if not np.any(np.ma.getmask(y)) else 0.0
            """
    )
    adopt("masks")
    gradcheck(import_module("masks").f, 0.7)
    with pytest.raises(TracedValueError, match="MaskedArray"):
        grad(import_module("masks").f)(0.7, True)


def test_functions_and_parts_of_scipy(write):
    write(
        of_scipy="""
            import numpy as np
            import scipy.fft
            import scipy.linalg as sl
            from numpy.polynomial import Polynomial
            from scipy import integrate, optimize, signal, stats

            def of_rooms(x):
                a = np.array([[x, 1.0], [1.0, 3.0]])
                y = sl.solve(a, [1.0, 2.0]).sum() + sl.expm(a).sum()
                y = y + abs(scipy.fft.fft([x, 1.0])).sum()
                system = signal.StateSpace([[-x]], [[1.0]], [[1.0]], [[0.0]])
                assert isinstance(system, signal.lti)
                return y + signal.lfilter([1.0], [1.0, -x], np.ones(4)).sum() + system.A[0, 0]

            def of_parts(x):
                solution = integrate.solve_ivp(lambda t, y: -x * y, (0.0, 1.0), [1.0], rtol=1e-9)
                y = solution.y[0, -1] + Polynomial([x, 1.0, x])(0.5)
                return y + stats.norm.logpdf(x, 0.2, 1.5)

            def with_solver(x):
                return optimize.brentq(lambda t: t**2 - x, 0.0, 2.0)

            def with_comparisons(x):
                return optimize.golden(lambda t: (t - x) ** 2)

            def with_constants(x):
                return x * optimize.brentq(lambda t: t**2 - 2.0, 0.0, 2.0)
            """
    )
    module = import_module("of_scipy")
    adopt("of_scipy")
    gradcheck(module.of_rooms, 0.7)
    gradcheck(module.of_parts, 0.7)
    assert grad(module.with_constants)(0.7) == module.with_constants(1.0)
    assert grad(module.with_solver)(0.7) == pytest.approx(0.5 / np.sqrt(0.7))
    with pytest.raises(TracedValueError, match=r"scipy\.optimize\.golden .*implicit"):
        grad(module.with_comparisons)(0.7)


def test_parts_of_scipy_are_given_back(write):
    import scipy.stats

    code = type(scipy.stats.norm).logpdf.__code__
    write(part="from scipy import stats\n\ndef f(x):\n    return stats.norm.logpdf(x)\n")
    with adopt("part"):
        assert grad(import_module("part").f)(0.7) == pytest.approx(-0.7)
        assert type(scipy.stats.norm).logpdf.__code__ != code
    assert type(scipy.stats.norm).logpdf.__code__ == code


def test_functions_that_numba_compiles(write):
    pytest.importorskip("numba", reason="Numba is optional")
    write(
        compiled="""
            import math
            import numba
            import numpy as np
            from numba import njit

            @njit
            def inner(x):
                return math.sin(x) * x

            @numba.njit(cache=False)
            def outer(x, n=3):
                out = np.zeros(n)
                for i in range(n):
                    out[i] = inner(x * i)
                return out.sum()

            def made():
                @njit
                def local(x):
                    return inner(x) + 1.0
                return local

            @numba.vectorize
            def each(x, y):
                return math.exp(x) * y

            def f(x):
                return outer(x) + made()(x) + outer(x, n=2) + each(x, np.ones(2)).sum()
            """
    )
    adopt("compiled")
    module = import_module("compiled")
    assert module.outer(0.7) == module.outer.py_func(0.7)
    assert module.outer.nopython_signatures
    assert grad(lambda x: module.each(x, 2.0))(0.0) == 2.0
    gradcheck(module.f, 0.7)
    gradcheck(module.outer, 0.7)


def test_originals_and_stand_ins_keep_their_names():
    assert stand_in(np.zeros).__name__ == "zeros"
    assert stand_in(scipy.linalg.solve).__module__.startswith("scigrad")
    assert stand_in(snp.zeros) is snp.zeros
    assert stand_in(scipy.signal.butter) is not scipy.signal.butter
