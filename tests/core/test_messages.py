"""What is said where NumPy or SciPy meet a traced value that they cannot take: the cause, and the
name of what to use.
"""

import math
import statistics

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
from scigrad import MissingRule, TracedValueError, grad, vmap

X = np.array([1.0, 2.0, 3.0, 4.0])
EYE = scipy.sparse.csc_array(np.eye(4))


def under_grad(use):
    return grad(lambda x: np.sum(use(x)))(X)


def added_in_place(x):
    y = np.zeros(4)
    y += x
    return y


# -- plain arrays


def stored_in(x, index=0, shape=4):
    out = np.zeros(shape)
    out[index] = x
    return out


def walked(x):
    return [value for value in np.nditer(x)]


class Model:
    matrix = np.eye(4)

    def __init__(self):
        self.own = np.eye(4)


MODEL, LU, RANDOM = Model(), scipy.sparse.linalg.splu(EYE), np.random.default_rng(0)
STORED = (
    r"^out\[i\] = x: a plain NumPy array cannot hold .*zeros\(\(n, m\)\), or "
    r".*numpy\.stack\. stop_gradient"
)
PLAIN = {
    "an element": (lambda x: stored_in(x[0]), STORED),
    "an element of a matrix": (lambda x: stored_in(x[0] * x[1], (0, 1), (2, 2)), STORED),
    "a slice": (lambda x: stored_in(x[0], slice(0, 1)), STORED),
    "a row": (lambda x: stored_in(x, 1, (2, 4)), STORED),
    "fill": (lambda x: np.zeros(4).fill(x[0]), r"^numpy\.ndarray\.fill .*zeros"),
    "dot": (lambda x: np.eye(4).dot(x), r"^numpy\.ndarray\.dot .* Use numpy\.dot\(a, x\)"),
    "dot of an attribute": (
        lambda x: MODEL.own.dot(x),
        r"^numpy\.ndarray\.dot .* Use numpy\.dot\(a, x\)",
    ),
    "dot of a class's attribute": (
        lambda x: MODEL.matrix.dot(x),
        r"^numpy\.ndarray\.dot .* Use numpy\.dot\(a, x\)",
    ),
    "r_": (lambda x: np.r_[x, 1.0], r"^numpy\.r_ .* Use scigrad\.numpy\.r_, or"),
    "c_": (lambda x: np.c_[x, x], r"^numpy\.c_ .* Use scigrad\.numpy\.c_, or"),
    "nditer": (walked, r"^numpy\.nditer .* for value in x\.ravel"),
    "float64": (lambda x: np.float64(x[0]), r"^numpy\.float64 .* Use x\.astype\(numpy\.float64\)"),
    "vectorize": (
        lambda x: np.vectorize(lambda t: t * t)(x),
        r"^numpy\.vectorize.* Use scigrad\.vmap\(f\)",
    ),
    "fromiter": (
        lambda x: np.fromiter((t * t for t in x), float),
        r"^numpy\.fromiter .* numpy\.stack\(list\(items\)\)",
    ),
    "random": (
        lambda x: np.random.normal(x),  # noqa: NPY002
        r"^numpy\.random\.normal .* mean \+ scale \* numpy\.random",
    ),
    "a generator": (
        lambda x: RANDOM.normal(x),
        r"^numpy\.random\.Generator\.normal .* mean \+ scale \* numpy\.random",
    ),
    "a factorization": (
        lambda x: LU.solve(x),
        r"^scipy\.sparse\.linalg\.SuperLU\.solve .* Use scigrad\.sparse\.linalg\.splu",
    ),
    "an index": (
        lambda x: X[x[0]],
        r"^a\[i\]: a traced value cannot be the index .*scigrad\.numpy\.take\(a, i, axis\)",
    ),
    "an index under vmap": (
        lambda x: vmap(lambda i: X[i])(np.arange(4)),
        r"^a\[i\]: a traced value cannot be the index .*take",
    ),
}


@pytest.mark.parametrize(("use", "text"), PLAIN.values(), ids=PLAIN.keys())
def test_an_operation_on_a_plain_array_is_named_with_what_to_write(use, text):
    with pytest.raises(TracedValueError, match=text) as caught:
        under_grad(use)
    assert "usual causes" not in str(caught.value)


def test_where_the_source_is_not_known_the_usual_causes_are_listed():
    def run(body):
        names = {"np": np}
        exec(f"def use(x):\n    y = np.zeros(4)\n    {body}\n    return y", names)
        return names["use"]

    for culprit in (
        "a list of traced values",
        "asarray",
        "numpy.dot",
        "a function of another library",
    ):
        with pytest.raises(TracedValueError, match=f"(?s)The usual causes:.*{culprit}"):
            under_grad(run("y = np.eye(4).dot(x)"))
    with pytest.raises(TracedValueError, match=r"(?s)The usual causes:.*out\[i\] = x: .*zeros"):
        under_grad(run("y[0] = x[0]"))


def test_what_is_advised_for_a_plain_array_does_it():
    def stored(x):
        out = scigrad.numpy.zeros_like(x, shape=(2, 2))
        out[0, 1] = x[0] * x[1]
        return out

    np.testing.assert_array_equal(under_grad(stored), [2, 1, 0, 0])
    np.testing.assert_array_equal(under_grad(lambda x: np.dot(np.eye(4), x)), np.ones(4))
    np.testing.assert_array_equal(under_grad(lambda x: np.column_stack([x, x])), np.full(4, 2))
    np.testing.assert_array_equal(
        under_grad(lambda x: scigrad.numpy.add_at(np.zeros(3), [0, 0], x[:2])), [1, 1, 0, 0]
    )
    np.testing.assert_array_equal(vmap(lambda i: scigrad.numpy.take(X, i))(np.arange(4)), X)
    for dtype, z in ((complex, X), (float, X + 1j)):
        expected = z.view(dtype)
        if dtype is complex:
            found = z[..., 0::2] + 1j * z[..., 1::2]
        else:
            found = np.stack([z.real, z.imag], axis=-1).reshape(*z.shape[:-1], -1)
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(
        TypeError, match=r"x\[\.\.\., ::2\] \+ 1j \* x.*numpy\.stack\(\[z\.real, z\.imag\], -1"
    ):
        under_grad(lambda x: x.view(complex).real)


def test_at_of_a_ufunc_says_what_follows_it():
    with pytest.raises(
        TracedValueError,
        match=r"^numpy\.add\.at: a plain array .* y = scigrad\.numpy\.add_at\(y, indices, values\)",
    ):
        under_grad(lambda x: np.add.at(np.zeros(4), [0, 1], x[:2]))
    with pytest.raises(
        TracedValueError,
        match=r"^numpy\.maximum\.at .* only numpy\.add\.at and numpy\.subtract\.at",
    ):
        under_grad(lambda x: np.maximum.at(x, [0], 1.0))


NUMBERS = {
    "float": (lambda x: float(x[0]), r"^float\(x\) of a traced value .* Leave float\(\) out"),
    "math": (lambda x: math.lgamma(x[0]), r"^math\.lgamma .* Use scigrad\.special\.gammaln"),
    "range": (lambda x: range(x[0]), r"^a traced value cannot be an index, a count or a length"),
}


@pytest.mark.parametrize(("use", "text"), NUMBERS.values(), ids=NUMBERS.keys())
def test_a_plain_number_is_refused_in_the_words_of_its_use(use, text):
    with pytest.raises(TracedValueError, match=text):
        under_grad(use)


@pytest.mark.parametrize(
    "use", [added_in_place, lambda x: np.add(x, 1, out=np.zeros(4))], ids=["+=", "out="]
)
def test_a_plain_array_that_should_receive_a_result_says_so(use):
    with pytest.raises(TracedValueError, match=r"out=y, or y \+= x.*zeros"):
        under_grad(use)


def test_errors_of_the_user_s_own_stay_as_they_are():
    def failing(x):
        raise ValueError("setting an array element with a sequence.")

    with pytest.raises(ValueError, match="setting an array element") as caught:
        grad(failing)(X)
    assert type(caught.value) is ValueError
    with pytest.raises(TypeError, match=r"^mine$") as caught:
        grad(
            lambda x: scipy.optimize.brentq(lambda t: raising(TypeError("mine")), 0.0, 1.0, args=())
        )(X)
    assert type(caught.value) is TypeError


def raising(error):
    raise error


# -- functions of NumPy's and Python's, by name: whether they are written in Python or in C

PAIR = r"numpy\.stack\(\[x, y\]\)"
NUMPY = {
    "numpy.asarray": (np.asarray, "Use scigrad.numpy.asarray"),
    "numpy.array": (lambda x: np.array([x[0], x[1]]), f"Use scigrad.numpy.array.*{PAIR}"),
    "numpy.full": (lambda x: np.full(3, x[0]), "Use scigrad.numpy.full"),
    "numpy.sum": (lambda x: np.sum([x[0], x[1]]), f"Use scigrad.numpy.sum.*{PAIR}"),
    "numpy.sin": (lambda x: np.sin([x[0], x[1]]), PAIR),
    "numpy.linalg.norm": (
        lambda x: np.linalg.norm([x[0], x[1]]),
        f"Use scigrad.numpy.array of the list, or .*{PAIR}",
    ),
    "numpy.arange": (lambda x: np.arange(x[0], 4.0), "numpy.arange\\(n\\)"),
    "numpy.kaiser": (
        lambda x: np.kaiser(4, x[0]),
        r"scigrad.signal.get_window\(\(.kaiser., beta\)",
    ),
    "numpy.poly1d.__array__": (lambda x: np.float64(2) * np.poly1d(x), r"p \* 2\.0"),
    "numpy.polynomial.Polynomial": (lambda x: np.polynomial.Polynomial(x)(2.0), "numpy.polyval"),
    "statistics.mean": (statistics.mean, "Use scigrad.numpy.mean"),
    "statistics.fmean": (statistics.fmean, "Use numpy.mean"),
    "statistics.stdev": (statistics.stdev, "ddof=1"),
}


@pytest.mark.parametrize(
    ("name", "use", "advice"), [(name, *row) for name, row in NUMPY.items()], ids=NUMPY.keys()
)
def test_a_function_of_numpy_s_or_python_s_is_named_with_what_to_use_instead(name, use, advice):
    with pytest.raises(TracedValueError, match=f"(?s)^{name} cannot take a traced value.*{advice}"):
        under_grad(use)


LISTS = {
    "numpy.array": lambda rows: np.array(rows),
    "numpy.stack": lambda rows: np.stack(rows),
    "numpy.linalg.inv": lambda rows: np.linalg.inv(rows),
    "numpy.fft.fft": lambda rows: np.fft.fft(rows),
}


@pytest.mark.parametrize("name", LISTS)
def test_of_nested_lists_the_advice_names_what_takes_them(name):
    def nested(make):
        return lambda x: np.sum(np.abs(LISTS[name](make([[x[0], x[1]], [x[2], -x[3]]])) ** 2))

    x = np.array([1.0, 2.0, 3.0, 4.0])
    with pytest.raises(
        TracedValueError, match=rf"^{name} .*Use scigrad\.numpy\..*nested lists numpy\.block\("
    ) as caught:
        grad(nested(lambda rows: rows))(x)
    assert "asarray" not in str(caught.value)
    # the first two take lists
    advised = name if name in ("numpy.array", "numpy.stack") else "numpy.array of the list"
    assert f"Use scigrad.{advised}, or" in str(caught.value)
    for make in (np.block, scigrad.numpy.array):
        if name not in ("numpy.array", "numpy.stack"):
            np.testing.assert_allclose(
                grad(nested(make))(x),
                grad(nested(lambda rows: np.stack([np.stack(r) for r in rows])))(x),
            )


def test_scipy_s_brentq_goes_on_after_the_refusal_and_fails_with_an_error_of_python_s():
    """Mostly this one; which one depends on what has run before, so brentq itself is not called
    here.
    """

    def pending(x):
        raise SystemError("returned a result with an exception set") from TracedValueError(
            "cannot take a traced value"
        )

    with pytest.raises(TracedValueError, match=r"^cannot take a traced value$"):
        grad(pending)(X)


def test_what_is_advised_in_linalg_does_it():
    h = np.array([[2.0, 0.3], [0.3, 1.0]])

    with pytest.raises(
        TracedValueError, match=r"^funm_herm: .*funm_herm\(f, beta \* a\) .*; linalg.funm follows"
    ):
        grad(lambda b: np.sum(scigrad.linalg.funm_herm(lambda w: np.exp(b * w), h)))(1.5)
    slope = grad(lambda b: np.sum(scigrad.linalg.funm_herm(np.exp, b * h)))(1.5)
    np.testing.assert_allclose(
        grad(lambda b: np.sum(scigrad.linalg.funm(h, lambda w: np.exp(b * w))))(1.5), slope
    )
    with pytest.raises(
        np.linalg.LinAlgError,
        match=r"^eigvals: (?!.*gauge).* only functions of it have derivatives",
    ):
        grad(lambda a: np.sum(scigrad.linalg.eigvals(a).real))(np.array([[1.0, 1.0], [0.0, 1.0]]))


def test_what_is_advised_does_it():
    np.testing.assert_array_equal(
        under_grad(lambda x: scigrad.numpy.sum([x[0], x[1]])), [1, 1, 0, 0]
    )
    np.testing.assert_array_equal(under_grad(lambda x: 2.0 * np.poly1d(x)(1.0)), [2, 2, 2, 2])
    window = under_grad(lambda x: scigrad.signal.get_window(("kaiser", x[0]), 4, fftbins=False))
    step = (np.kaiser(4, 1.001) - np.kaiser(4, 0.999)).sum() / 0.002
    np.testing.assert_allclose(window, [step, 0, 0, 0], rtol=1e-6)
    nodes, weights = scipy.special.roots_legendre(5)
    np.testing.assert_allclose(weights @ nodes**4, 2 / 5)
    weights = scipy.integrate.simpson(np.eye(4), x=X)
    np.testing.assert_allclose(weights @ X**3, scipy.integrate.simpson(X**3, x=X))


def test_number_functions_of_python_s():
    with pytest.raises(TracedValueError, match=r"Use scigrad\.math\.sin"):
        under_grad(lambda x: math.sin(x[0]))


def test_functions_without_a_rule():
    with pytest.raises(
        MissingRule,
        match=r"^numpy\.union1d has no rule for a traced value\. scigrad has no rule for union1d",
    ):
        under_grad(lambda x: np.union1d(x, x))
    with pytest.raises(MissingRule, match=r"^_cosine_cdf has no rule"):
        under_grad(scipy.special._ufuncs._cosine_cdf)
