"""Transforms of functions inside each other, for every transform: vmap along any axis, over
gradients and Hessians, and back.
"""

import numpy as np
import pytest

from scigrad import fft, grad, hessian, hvp, jacfwd, jacrev, jvp, linearize, vjp, vmap

RANDOM = np.random.default_rng(0)
POINTS = RANDOM.uniform(-3, 3, (6, 2))
X = RANDOM.standard_normal((3, 4))
ONE_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
CASES = {
    **{
        f"{name} {options}": (name, options)
        for name in ONE_AXIS
        for options in ({"n": 3}, {"axis": 0, "n": 5, "norm": "ortho"})
    },
    **{
        f"{name}{end}": (name + end, {"s": (4, 3), "axes": (1, 0)})
        for name in ONE_AXIS
        for end in "2n"
    },
    **{
        f"{name} {type}": (name, {"type": type, "axis": type % 2, "n": 3})
        for name in ("dct", "idct", "dst", "idst")
        for type in (1, 2, 3, 4)
    },
    **{
        f"{name}n": (f"{name}n", {"s": (2, 5), "norm": "ortho"})
        for name in ("dct", "idct", "dst", "idst")
    },
    "fftshift": ("fftshift", {"axes": 0}),
    "ifftshift": ("ifftshift", {}),
    "fht": ("fht", {"dln": 0.3, "mu": 0.5, "offset": 0.1, "bias": 0.2}),
    "nufft2": ("nufft2", {"points": POINTS, "eps": 1e-13}),
}


def close(found, truth):
    np.testing.assert_allclose(found, truth, rtol=0, atol=1e-10 * (1 + np.abs(truth).max()))


@pytest.mark.parametrize("case", CASES)
def test_nestings(case):
    name, options = CASES[case]

    def f(x):
        return getattr(fft, name)(x, **options)

    weights = RANDOM.random(f(X).shape)

    def loss(x):
        return np.sum(np.abs(f(x)) ** 4 * weights)

    curvature = hessian(loss)(X)
    for other in (jacfwd(jacfwd(loss)), jacrev(jacfwd(loss)), jacrev(grad(loss))):
        close(other(X), curvature)
    t, batch = RANDOM.standard_normal(X.shape), np.stack([X, 2 * X - 1, X / 2])
    close(hvp(loss, (X,), (t,))[1], np.tensordot(curvature, t))
    close(jvp(grad(loss), (X,), (t,))[1], np.tensordot(curvature, t))
    for axis in (0, 1, -1):
        close(
            vmap(f, in_axes=axis, out_axes=axis)(np.moveaxis(batch, 0, axis)),
            np.stack([f(x) for x in batch], axis),
        )
    close(
        vmap(vmap(f))(np.stack([batch, -batch])),
        np.stack([[f(x) for x in batch], [f(-x) for x in batch]]),
    )
    close(vmap(grad(loss))(batch), np.stack([grad(loss)(x) for x in batch]))
    close(vmap(hessian(loss))(batch), np.stack([hessian(loss)(x) for x in batch]))
    close(
        grad(lambda b: np.sum(np.abs(vmap(f)(b)) ** 4 * weights))(batch),
        np.stack([grad(loss)(x) for x in batch]),
    )
    y, push = linearize(f, X)
    close(push(t), f(t))
    close(vjp(lambda t: jvp(f, (X,), (t,))[1], X)[1](y)[0], vjp(f, X)[1](y)[0])
    assert vmap(f)(batch[:0]).shape == (0, *y.shape)
