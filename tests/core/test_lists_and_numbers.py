"""Array functions read lists of traced values, and Python's numbers, as NumPy reads lists and
numbers.
"""

import numpy as np
import pytest

import scigrad.numpy as snp
from scigrad import grad, jvp, linalg
from scigrad.testing import assert_close

X = np.array([0.3, -0.5, 0.7, 1.1])

# Calls of each function with a vector v of four elements, a 2 x 2 matrix m, or both.
CALLS = {
    "abs": lambda v, m: snp.abs(v),
    "angle": lambda v, m: snp.angle(v),
    "broadcast_to": lambda v, m: snp.broadcast_to(v, (2, 4)),
    "clip": lambda v, m: snp.clip(v, 0, 1),
    "conj": lambda v, m: snp.conj(v),
    "cross": lambda v, m: snp.cross(v[:3], [1, 2, 3]),
    "diag": lambda v, m: snp.diag(v),
    "diagonal": lambda v, m: snp.diagonal(m),
    "dot": lambda v, m: snp.dot(v, [1, 2, 3, 4]),
    "dot, second": lambda v, m: snp.dot(np.ones((2, 4)), v),
    "expand_dims": lambda v, m: snp.expand_dims(v, 0),
    "flip": lambda v, m: snp.flip(v),
    "inner": lambda v, m: snp.inner(v, [1, 2, 3, 4]),
    "interp": lambda v, m: snp.interp(v, X, v),
    "kron": lambda v, m: snp.kron(v, [1, 2]),
    "matmul": lambda v, m: snp.matmul(m, m),
    "maximum": lambda v, m: snp.maximum(v, 0),
    "moveaxis": lambda v, m: snp.moveaxis(m, 0, 1),
    "norm": lambda v, m: linalg.norm(v),
    "ravel": lambda v, m: snp.ravel(m),
    "real": lambda v, m: snp.real(v),
    "reshape": lambda v, m: snp.reshape(v, (2, 2)),
    "roll": lambda v, m: snp.roll(v, 1),
    "rot90": lambda v, m: snp.rot90(m),
    "select": lambda v, m: snp.select([X > 0], [v], 0),
    "sort": lambda v, m: snp.sort(v),
    "squeeze": lambda v, m: snp.squeeze(v),
    "sum": lambda v, m: snp.sum(m, axis=0),
    "sum, by name": lambda v, m: snp.sum(a=v),
    "swapaxes": lambda v, m: snp.swapaxes(m, 0, 1),
    "take": lambda v, m: snp.take(v, [0, 0]),
    "tile": lambda v, m: snp.tile(v, 2),
    "trace": lambda v, m: snp.trace(m),
    "transpose": lambda v, m: snp.transpose(m),
    "tril": lambda v, m: snp.tril(m),
    "where": lambda v, m: snp.where(X > 0, v, 0),
    "zeros_like": lambda v, m: v + snp.zeros_like(v),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_list_of_traced_values_is_an_array(name):
    def of_array(x):
        return snp.sum(snp.sin(CALLS[name](x, snp.reshape(x, (2, 2)))))

    def of_lists(x):
        parts = [x[0], x[1], x[2], x[3]]
        return snp.sum(
            snp.sin(
                CALLS[name](
                    parts if name != "zeros_like" else snp.array(parts), [parts[:2], parts[2:]]
                )
            )
        )

    assert_close(of_array(X), of_lists(X))
    assert_close(grad(of_lists)(X), grad(of_array)(X))


UNARY = (
    "abs", "angle", "any", "argmax", "atleast_1d", "average", "copy", "cumprod", "cumsum",
    "diagflat", "imag", "max", "mean", "median", "min", "nan_to_num", "nansum", "prod", "ptp",
    "ravel", "real", "round", "sign", "sinc", "size", "sort", "squeeze", "std", "sum", "transpose",
    "var", "zeros_like",
)  # fmt: skip
OF_NUMBERS = {name: getattr(snp, name) for name in UNARY} | {
    "append": lambda x: snp.append(x, 3.0),
    "convolve": lambda x: snp.convolve(x, 3.0),
    "dot": lambda x: snp.dot(x, 3.0),
    "einsum": lambda x: snp.einsum("->", x),
    "expand_dims": lambda x: snp.expand_dims(x, 0),
    "hstack": lambda x: snp.hstack([x, 1.0]),
    "inner": lambda x: snp.inner(3.0, x),
    "interp": lambda x: snp.interp(x, [0.0, 3.0], [1.0, 2.0]),
    "kron": lambda x: snp.kron(x, 3.0),
    "norm": linalg.norm,
    "outer": lambda x: snp.outer(x, 3.0),
    "polyval": lambda x: snp.polyval([1.0, 2.0], x),
    "repeat": lambda x: snp.repeat(x, 2),
    "reshape": lambda x: snp.reshape(x, 1),
    "roll": lambda x: snp.roll(x, 1),
    "stack": lambda x: snp.stack([x, x]),
    "tile": lambda x: snp.tile(x, 2),
    "where": lambda x: snp.where(True, x, 0.0),
}


def outcome(function, number):
    """Return value, tangent and gradient, or what is raised."""
    try:
        out, tangent = jvp(function, (number,), (type(number)(1),), allow_constant=True)
        return (
            out,
            tangent,
            grad(lambda x: snp.sum(function(x)), allow_constant=True)(number)
            if np.asarray(out).dtype.kind == "f"
            else None,
        )
    except (TypeError, ValueError) as error:
        return type(error)


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_a_python_number_is_an_array_without_axes(name):
    found, expected = outcome(OF_NUMBERS[name], 2.0), outcome(OF_NUMBERS[name], np.float64(2.0))
    if isinstance(expected, type):
        assert found is expected
    else:
        assert not isinstance(found, type), found
        for x, y in zip(found, expected, strict=True):
            assert x is y is None or np.array_equal(x, y)
