"""Lists of traced values, wherever lists of numbers are taken: linalg and fft."""

import numpy as np
import pytest

from scigrad import fft, grad, linalg, value_and_grad
from scigrad.testing import assert_close

SQUARE = [
    linalg.det,
    linalg.inv,
    linalg.expm,
    linalg.sqrtm,
    linalg.cosm,
    linalg.tanhm,
    linalg.signm,
    linalg.logm,
    linalg.eigvalsh,
    linalg.cholesky,
    linalg.norm,
    linalg.svdvals,
    lambda a: linalg.funm(a, np.exp),
    lambda a: linalg.matrix_power(a, 3),
    lambda a: linalg.solve(a, [1.0, 2.0]),
    lambda a: linalg.solve([[2.0, 0.0], [1.0, 3.0]], a[0]),
    lambda a: linalg.qr(a)[1],
    lambda a: linalg.lu(a)[2],
    lambda a: linalg.eigh(a)[0],
    lambda a: linalg.diagsvd(a[0], 2, 3),
]
TRANSFORMS = [
    fft.fft,
    fft.ifft2,
    fft.rfft,
    fft.irfftn,
    fft.hfft,
    fft.dct,
    fft.dstn,
    lambda a: fft.fht(a, 0.1, 0.5),
    lambda a: fft.nufft1(a[0], [0.1, 2.0], 4),
]


@pytest.mark.parametrize("function", SQUARE + TRANSFORMS)
def test_lists_of_traced_values_are_arrays(function):
    a, weights = np.array([[3.0, 0.4], [0.4, 2.0]]), np.arange(1, 5).reshape(2, 2) / 8

    def loss(found):
        return np.sum(np.abs(found) ** 2)

    value, expected = value_and_grad(lambda t: loss(function(a + t * weights)))(0.5)
    found = value_and_grad(
        lambda t: loss(
            function(
                [
                    [x + t * w for x, w in zip(*rows, strict=True)]
                    for rows in zip(a, weights, strict=True)
                ]
            )
        )
    )
    assert_close(found(0.5), (value, expected), 1e-10)


def test_numpy_s_transforms_take_an_axis_twice():
    x = np.arange(12.0).reshape(3, 4)
    for options in ({"axes": (0, -2)}, {"axes": (1, 0, 1), "s": (5, 2, 3)}):
        expected = np.fft.fftn(x, **options)
        value, found = value_and_grad(
            lambda x, o=options, w=expected: np.sum(np.real(np.conj(w) * np.fft.fftn(x, **o)))
        )(x)
        assert_close((value, np.sum(found * x)), (np.sum(np.abs(expected) ** 2),) * 2, 1e-12)


def test_out_of_multi_dot_is_refused():
    with pytest.raises(TypeError, match="out="):
        grad(lambda out: np.sum(np.linalg.multi_dot([np.eye(2), np.eye(2)], out=out)))(
            np.ones((2, 2))
        )
