"""Arrays inside of objects of other libraries: their derivatives are right, or refused by name;
never are they taken as constant.

astropy, pandas, pint, uncertainties and xarray are of the extra `test-foreign`.
"""

import types

import numpy as np
import pytest

from scigrad import (
    TracedValueError,
    checkpoint,
    custom_rule,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linalg,
    linearize,
    signal,
    special,
    stop_gradient,
    value_and_grad,
    vjp,
    vmap,
)  # fmt: skip
from scigrad import numpy as snp
from scigrad.testing import assert_close

reason = "pip install '.[test-foreign]'"
units = pytest.importorskip("astropy.units", reason=reason)
pd = pytest.importorskip("pandas", reason=reason)
pint = pytest.importorskip("pint", reason=reason)
unumpy = pytest.importorskip("uncertainties.unumpy", reason=reason)
xr = pytest.importorskip("xarray", reason=reason)

X = np.array([1.0, 2.0, 3.0])
BATCH = np.stack([X, 10 * X])
DATA, SERIES, UNIT = xr.DataArray(X, dims="t"), pd.Series(X), pint.UnitRegistry().meter
UNCERTAIN = unumpy.uarray(X, [0.1, 0.1, 0.1])


def objects(items):
    """An array of dtype object, which takes traced values without a word."""
    out = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        out[i] = item
    return out


def plain(weights):
    return lambda v: np.sum(weights * v)


# Functions of a vector, and the function without the other library.
RIGHT = {
    "xarray: array * x": (lambda v: np.sum(DATA * v), plain(X)),
    "xarray: x * array": (lambda v: np.sum(v * DATA), plain(X)),
    "xarray: multiply": (lambda v: np.sum(np.multiply(v, DATA)), plain(X)),
    "xarray: x inside": (lambda v: np.sin(DATA.copy(data=v)).sum(), lambda v: np.sum(np.sin(v))),
    "xarray: dot": (lambda v: xr.dot(DATA, DATA.copy(data=v)), plain(X)),
    "xarray: variable": (lambda v: xr.Variable("t", v).sum(), plain(1.0)),
    "xarray: item": (lambda v: (DATA * v).sum().item(), plain(X)),
    "pandas: as index and condition": (
        lambda v: np.sum(v[SERIES > 1]) + np.sum(np.where(SERIES > 2, v, 0)),
        plain([0, 1, 2]),
    ),
    "pandas: dot": (lambda v: np.dot(v, SERIES), plain(X)),
    "pandas: elements": (lambda v: SERIES.map(lambda k: k * v[0]).sum(), plain([6, 0, 0])),
    "pint: x * unit": (lambda v: np.sum((v * UNIT).magnitude), plain(1.0)),
    "pint: quantity * x": (lambda v: ((X * UNIT) * v).sum().magnitude, plain(X)),
    "pint: x * quantity": (lambda v: np.multiply(v, X * UNIT).sum().magnitude, plain(X)),
    "objects": (lambda v: np.sum(objects(v)), plain(1.0)),
    "objects beside numbers": (lambda v: objects(v) @ X, plain(X)),
}
REFUSED = {
    "astropy: quantity * x": (
        lambda v: np.sum((2 * units.m * v).value),
        "astropy's Quantity cannot be combined",
    ),
    "astropy: x * quantity": (
        lambda v: np.sum((v * (2 * units.m)).value),
        "astropy's Quantity cannot be combined",
    ),
    "astropy: function": (
        lambda v: np.exp(2 * units.one * v),
        "astropy's Quantity cannot be combined",
    ),
    "astropy: dot": (lambda v: np.dot(X * units.m, v), "astropy's Quantity cannot be combined"),
    "astropy: x inside": (
        lambda v: units.Quantity(v, "m"),
        "cannot take a traced",
    ),
    "xarray: dataset": (
        lambda v: xr.Dataset({"a": ("t", v)}).sum(),
        r"a Dataset that holds a traced value \(x\._vari",
    ),
    "xarray: values": (
        lambda v: np.sum((DATA * v).values),
        "cannot take a traced",
    ),
    "pandas: series * x": (
        lambda v: np.sum(SERIES * v),
        r"pandas's Series cannot be combined.*series.to_numpy",
    ),
    "pandas: x * frame": (
        lambda v: np.sum(v * SERIES.to_frame().T),
        "pandas's DataFrame cannot be combined",
    ),
    "astropy: x * unit": (lambda v: np.sum((v * units.m).value), r"unit\.to\(other_unit\)"),
    "astropy: unit * x": (
        lambda v: np.sum((units.m * v).value),
        "astropy's IrreducibleUnit cannot be combined",
    ),
    "pandas: elements": (
        lambda v: SERIES.map(lambda k: k * v[0]),
        r"a Series that holds a traced value \(x\[0\]\)",
    ),
    "pint: quantity": (
        lambda v: np.sum(v * UNIT),
        r"a Quantity that holds a traced value \(x\._magnitude\)",
    ),
    "uncertainties: sum": (lambda v: np.sum(UNCERTAIN * v), "Python objects"),
    "uncertainties: elements": (lambda v: (v * UNCERTAIN)[0], "Python objects"),
    "objects: product": (
        lambda v: np.sum(v * objects(v)),
        "^sum of a traced array and Python objects",
    ),
    "objects: dot": (lambda v: np.dot(v, objects(v)), "Python objects"),
    "objects: einsum": (lambda v: np.einsum("i,i->", v, objects(v)), "Python objects"),
    "objects: concatenate": (lambda v: snp.sum(snp.concatenate([v, objects(v)])), "Python objects"),
    "objects: where": (lambda v: np.sum(np.where(v > 1, v, objects(v))), "Python objects"),
    "objects of an inner transform": (
        lambda v: grad(lambda w: np.dot(v, objects(w)))(v) @ v,
        "Python objects",
    ),
}
TRANSFORMS = {
    "grad": lambda f: grad(f)(X),
    "value_and_grad": lambda f: value_and_grad(f)(X),
    "jvp": lambda f: jvp(f, (X,), (X,)),
    "vjp": lambda f: vjp(f, X)[1](2.0),
    "linearize": lambda f: linearize(f, X)[1](X),
    "jacobian": lambda f: (jacobian(f)(X), jacfwd(f)(X), jacrev(f)(X)),
    "hessian": lambda f: (hessian(lambda v: f(v) ** 2)(X), hvp(lambda v: f(v) ** 2, (X,), (X,))),
    "vmap": lambda f: vmap(f)(BATCH),
    "vmap of grad": lambda f: vmap(grad(f))(BATCH),
    "checkpoint": lambda f: grad(checkpoint(f))(X),
    "auxiliary data": lambda f: grad(lambda v: (np.sum(v), f(v)), has_aux=True)(X),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize(("f", "expected"), RIGHT.values(), ids=RIGHT)
def test_derivatives_through_other_libraries(f, expected, transform):
    assert_close(transform(f), transform(expected))


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize(("f", "text"), REFUSED.values(), ids=REFUSED)
def test_what_would_lose_a_derivative_is_refused(f, text, transform):
    with pytest.raises(
        (TracedValueError, TypeError), match=None if transform is TRANSFORMS["checkpoint"] else text
    ):
        transform(f)  # a checkpoint sees plain arrays and refuses the result alone


class Model:
    def __init__(self, state):
        self.state = [state]


def test_objects_with_a_traced_value_inside_are_refused():
    text = r"a Model that holds a traced value \(x\.state\[0\]\)"
    for call in (
        lambda: grad(lambda v: (np.sum(v), Model(2 * v)), has_aux=True)(X),
        lambda: jvp(lambda v: (np.sum(v), {"model": Model(2 * v)}), (X,), (X,), has_aux=True),
        lambda: vmap(lambda v: Model(2 * v))(BATCH),
    ):
        with pytest.raises(TracedValueError, match=text):
            call()
    with pytest.raises(TypeError, match="returned a Model, which is neither an array nor a number"):
        grad(lambda v: checkpoint(Model)(v).state[0][0])(X)  # was 0: a checkpoint sees plain arrays
    kept = Model(X)
    assert grad(lambda v: (np.sum(v), kept), has_aux=True)(X)[1] is kept
    outer = grad(
        lambda v: grad(lambda w: (np.sum(w * w), Model(v)), has_aux=True)(v)[1].state[0] @ v
    )
    assert_close(outer(X), 2 * (X + X) - 2 * X + 0 * X)  # an outer transform goes on


def test_what_is_stopped_inside_of_an_array_with_labels():
    assert_close(grad(lambda v: np.sum(stop_gradient(DATA.copy(data=v)) * v))(X), X)
    with pytest.raises(TracedValueError, match="a Model that holds a traced value"):
        grad(lambda v: np.sum(stop_gradient(Model(v)).state[0] * v))(X)


def test_a_namespace_is_a_container():
    found, aux = grad(
        lambda p: (np.sum(p.a * p.b), types.SimpleNamespace(c=2 * p.a)), has_aux=True
    )(types.SimpleNamespace(a=X, b=2.0))
    assert_close((found.a, found.b, aux.c), (np.full(3, 2.0), 6.0, 2 * X))


def test_stated_rules_of_a_function_of_another_library():
    f = custom_rule(
        lambda v: DATA * v, jvp=lambda args, out, t: t[0] * X, vjp=lambda args, out, g: (g * X,)
    )
    assert_close(jvp(f, (X,), (X,)), (X * X, X * X))
    assert_close(hessian(lambda v: np.sum(f(v) ** 2))(X), np.diag(2 * X * X))


@pytest.mark.parametrize(
    "given",
    [DATA, SERIES, SERIES.to_frame(), X * units.m, X * UNIT],
    ids=["DataArray", "Series", "DataFrame", "astropy", "pint"],
)
def test_arguments_of_other_libraries_are_refused_by_name(given):
    kind = type(given).__name__
    for call in (
        lambda: grad(np.sum)(given),
        lambda: jvp(np.sin, (given,), (given,)),
        lambda: jvp(np.sin, (X,), (given,)),
        lambda: vjp(np.sin, X)[1](given),
        lambda: vmap(np.sin)(given),
        lambda: jvp(lambda v: given, (X,), (X,)),
    ):
        with pytest.raises((TypeError, ValueError), match=kind):
            call()


MATRIX = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
KINDS = {
    "DataFrame": (pd.DataFrame(MATRIX), SERIES),
    "DataArray": (xr.DataArray(MATRIX), DATA),
    "memoryview": (memoryview(MATRIX), memoryview(X)),
    "quantity": (MATRIX * units.m, X * units.m),  # SciPy drops the units, too
}
OF_MATRICES = [
    "inv", "det", "eigh", "eig", "eigvalsh", "eigvals", "svd", "svdvals", "qr", "rq", "lu",
    "lu_factor", "cholesky", "cho_factor", "pinv", "norm", "expm", "logm", "sqrtm", "schur",
    "hessenberg", "polar", "null_space", "orth", "cond", "ldl",
]  # fmt: skip
OF_SYSTEMS = ["solve", "lstsq", "solve_triangular"]


@pytest.mark.parametrize(("a", "b"), KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("name", [*OF_MATRICES, *OF_SYSTEMS])
def test_linalg_takes_frames_arrays_with_labels_quantities_and_memoryviews(name, a, b):
    function, (right, given) = (
        getattr(linalg, name),
        ((X,), (b,)) if name in OF_SYSTEMS else ((), ()),
    )
    for found, wanted in zip(
        _flat(function(a, *given)), _flat(function(MATRIX, *right)), strict=True
    ):
        assert type(found).__module__ in ("numpy", "builtins")
        # plain arrays of NumPy's may take a shorter way
        np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(
    ("a", "b"), [KINDS["DataFrame"], KINDS["DataArray"]], ids=["pandas", "xarray"]
)
def test_other_functions_take_frames_and_arrays_with_labels(a, b):
    calls = (
        lambda a, b: linalg.solve_continuous_are(a, a, a, a),
        lambda a, b: linalg.solve_discrete_are(a, a, a, a),
        lambda a, b: linalg.khatri_rao(a, a),
        lambda a, b: linalg.diagsvd(b, 3, 4),
        lambda a, b: linalg.tensorsolve(a, b),
        lambda a, b: signal.lfilter([1.0], [1.0, 0.5], b),
        lambda a, b: snp.stack([b, b]),
    )
    for call in calls:
        np.testing.assert_allclose(call(a, b), call(MATRIX, X), rtol=1e-12, atol=1e-14)


def test_values_of_ours_follow_labels_as_those_of_scipy_do():
    a, x = np.array([0.5, 1.5]), np.array([2.0, 3.0, 0.5])
    found = special.hyperu(xr.DataArray(a, dims="a"), 1.0, xr.DataArray(x, dims="x"))
    assert found.dims == ("a", "x")
    np.testing.assert_array_equal(found.data, special.hyperu(a[:, None], 1.0, x))
    found = special.hyperu(pd.Series(a, [0, 1]), 1.0, pd.Series(x[:2], [1, 0]))
    assert list(found.index) == [0, 1]
    np.testing.assert_array_equal(found.to_numpy(), special.hyperu(a, 1.0, x[1::-1]))


def _flat(out):
    return out if isinstance(out, tuple) else (out,)
