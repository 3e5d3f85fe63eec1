"""Second and third derivatives of even functions of a modulus at 0, where f(|x|) is smooth and |x|
is not.
"""

import itertools
import warnings
from typing import Any

import mpmath
import numpy as np
import pytest

import scigrad as sg
from scigrad import grad, hessian, hvp, jacfwd, jacrev, jvp, linalg, special, vmap
from scigrad.numpy import kinks

S3, S5 = np.sqrt(3.0), np.sqrt(5.0)

# Functions of r, and their second derivative at 0.
EVEN: dict[str, tuple[Any, float]] = {
    "exp(-r * r)": (lambda r: np.exp(-r * r), -2.0),
    "exp(-0.5 * r * r)": (lambda r: np.exp(-0.5 * r * r), -1.0),
    "exp(-r**2)": (lambda r: np.exp(-(r**2)), -2.0),
    "r / 2 * r": (lambda r: r / 2 * r, 1.0),
    "r * w * r": (lambda r: r * 3.0 * r, 6.0),
    "conj(r) * r": (lambda r: np.conj(r) * r, 2.0),
    "prod": (lambda r: np.prod(np.stack([r, r])), 2.0),
    "einsum": (lambda r: np.einsum("i,i->", r[None], r[None]), 2.0),
    "vdot": (lambda r: np.vdot(r[None], r[None]), 2.0),
    "square of a sum": (lambda r: (r + 2 * r) ** 2, 18.0),
    "Matern 3/2": (lambda r: (1 + S3 * r) * np.exp(-S3 * r), -3.0),
    "Matern 5/2": (lambda r: (1 + S5 * r + S5 * r * S5 * r / 3) * np.exp(-S5 * r), -5 / 3),
    "rational quadratic": (lambda r: (1 + r * r / 4) ** -2.0, -1.0),
    "periodic": (lambda r: np.exp(-2 * np.sin(np.pi * r / 1.7) ** 2), -4 * np.pi**2 / 1.7**2),
    "cos": (np.cos, -1.0),
    "cosh": (np.cosh, 1.0),
    "j0": (special.j0, -0.5),
    "sinc": (np.sinc, -np.pi**2 / 3),
    "log cosh": (lambda r: np.log(np.cosh(r)), 1.0),
    "pseudo-Huber": (lambda r: np.sqrt(1 + r * r) - 1, 1.0),
    "log(1 + r**2)": (lambda r: np.log1p(r**2), 2.0),
    "r * sin(r)": (lambda r: r * np.sin(r), 2.0),
    "r * tanh(r)": (lambda r: r * np.tanh(r), 2.0),
    "r**3, whose third derivative jumps": (lambda r: r**3, 0.0),
    "r**4": (lambda r: r**4, 0.0),
}  # fmt: skip

MODULI: dict[str, Any] = {
    "norm": linalg.norm,
    "numpy's norm": np.linalg.norm,
    "norm along an axis": lambda d: linalg.norm(d[:, None], axis=0)[0],
    "hypot": lambda d: np.hypot(d[0], d[1]),
    "abs of complex numbers": lambda d: np.abs(d[0] + 1j * d[1]),
    "norm of moduli": lambda d: linalg.norm(np.abs(d)),
    "hypot of a hypot": lambda d: np.hypot(np.hypot(d[0], 0.0), -d[1]),
    "std": lambda d: np.sqrt(2.0) * np.std(np.stack([d[0], -d[0], d[1], -d[1]])),
    "a norm in a checkpoint": sg.checkpoint(linalg.norm),
    "a part of a checkpoint's results": lambda d: (
        sg.checkpoint(lambda y: {"y": y, "r": linalg.norm(y)})(2 * d)["r"] / 2
    ),
    "a modulus of a modulus": lambda d: np.abs(-2 * linalg.norm(d)) / 2,
}


def second_derivatives(f: Any, x: np.ndarray) -> Any:
    """d/dx d/dy of -f(x - y) in every combination of modes, and Hessians of f: all are the Hessian
    of f at 0.
    """

    def k(x: Any, y: Any) -> Any:
        return f(x - y)

    for outer, inner in itertools.product((jacfwd, jacrev), repeat=2):
        yield f"{outer.__name__}({inner.__name__})", -outer(inner(k, 0), 1)(x, x)
    yield "jacfwd(grad)", -jacfwd(grad(k, 0), 1)(x, x)
    yield "jacrev(grad)", -jacrev(grad(k, 0), 1)(x, x)
    yield "hessian", hessian(lambda x: f(x - 0.3))(x)
    yield "hvp", np.stack([hvp(lambda v: f(v - x), (x,), (t,))[1] for t in np.eye(x.size)])
    yield (
        "jvp of jvp",
        np.array([[_twice(f, x, s, t) for s in np.eye(x.size)] for t in np.eye(x.size)]),
    )
    yield "vmap(hessian)", vmap(hessian(lambda v: f(v - x)))(np.stack([x, x + 1]))[0]


def _twice(f: Any, x: np.ndarray, s: Any, t: Any) -> Any:
    return jvp(lambda v: jvp(lambda v: f(v - x), (v,), (s,))[1], (x,), (t,))[1]


PAIRS = [
    *((name, "norm") for name in EVEN),
    *itertools.product(("exp(-r * r)", "Matern 5/2", "cos"), list(MODULI)[1:]),
]


@pytest.mark.parametrize(("name", "modulus"), PAIRS)
def test_an_even_function_of_a_modulus_is_smooth(name: str, modulus: str) -> None:
    (f, truth), x = EVEN[name], np.full(2, 0.3)
    for mode, found in second_derivatives(lambda d: f(MODULI[modulus](d)), x):
        np.testing.assert_allclose(found, truth * np.eye(2), rtol=1e-11, atol=1e-13, err_msg=mode)


TERMS = [
    (lambda r, a: np.cos(a * r), lambda r, a: mpmath.cos(a * r)),
    (lambda r, a: np.exp(-a * r) * (1 + a * r), lambda r, a: mpmath.exp(-a * r) * (1 + a * r)),
    (lambda r, a: r * np.arctan(a * r), lambda r, a: r * mpmath.atan(a * r)),
    (lambda r, a: special.j0(a * r), lambda r, a: mpmath.besselj(0, a * r)),
    (lambda r, a: np.sqrt(1 + a * r * r), lambda r, a: mpmath.sqrt(1 + a * r * r)),
    (lambda r, a: np.sinh(r) * np.sin(a * r), lambda r, a: mpmath.sinh(r) * mpmath.sin(a * r)),
]


@pytest.mark.parametrize("seed", range(8))
def test_random_even_functions(seed: int) -> None:
    """Sums and products of even functions, of moduli of linear functions A x: the Hessian at 0 is
    f''(0) A^T A, by mpmath.
    """
    rng = np.random.default_rng(seed)
    chosen = [
        (TERMS[i], a)
        for i, a in zip(rng.integers(len(TERMS), size=3), rng.uniform(0.3, 2, 3), strict=True)
    ]
    matrix = rng.standard_normal((3, 2))

    def f(r: Any, which: int) -> Any:
        first, second, third = (term[which](r, a) for term, a in chosen)
        return (first + 1) * (second + 2) - third * third * first

    truth = float(mpmath.diff(lambda r: f(r, 1), 0, 2)) * matrix.T @ matrix
    for mode, found in second_derivatives(lambda d: f(linalg.norm(matrix @ d), 0), np.full(2, 0.3)):
        np.testing.assert_allclose(found, truth, rtol=1e-9, atol=1e-9, err_msg=mode)


def distances(x: Any) -> Any:
    points = x.reshape(3, 2)
    return linalg.norm(points[:, None] - points[None], axis=-1)


WEIGHTS = np.arange(1.0, 10).reshape(3, 3)
SMOOTH: dict[str, tuple[Any, Any]] = {
    "only some are 0": (
        lambda x: np.sum(np.cosh(np.abs(x)) * WEIGHTS[0, :2]),
        lambda x: np.sum(np.cosh(x) * WEIGHTS[0, :2]),
    ),
    "with other factors": (
        lambda x: np.cos(np.abs(x[0])) * np.exp(x[1]) * (1 + x[0]),
        lambda x: np.cos(x[0]) * np.exp(x[1]) * (1 + x[0]),
    ),
    "several moduli": (
        lambda x: (
            np.cos(np.hypot(x[0], x[1])) * np.cosh(np.abs(x[1])) + np.sum(np.abs(x) * np.abs(x))
        ),
        lambda x: _cosine(x @ x) * np.cosh(x[1]) + x @ x,
    ),
    "two calls": (
        lambda x: (
            linalg.norm(x - 0.0) * linalg.norm(x - 0.0)
            + np.hypot(x[0], x[1]) * np.hypot(x[0], x[1])
        ),
        lambda x: 2 * (x @ x),
    ),
    "a spectrum": (
        lambda x: np.sum(np.cosh(np.abs(np.fft.fft(x)))),
        lambda x: np.cosh(x[0] + x[1]) + np.cosh(x[0] - x[1]),
    ),
    "a norm of even functions": (
        lambda x: linalg.norm(np.cosh(np.abs(x))),
        lambda x: np.sqrt(np.sum(np.cosh(x) ** 2)),
    ),
    "of another variable": (
        lambda x: np.exp(-np.abs(x[0]) * np.abs(x[0]) * np.exp(x[1])),
        lambda x: np.exp(-x[0] * x[0] * np.exp(x[1])),
    ),
    "through a solver": (
        lambda x: np.sum(linalg.solve(np.array([[2.0, 1], [1, 3]]), np.cosh(np.abs(x))) ** 2),
        lambda x: np.sum(linalg.solve(np.array([[2.0, 1], [1, 3]]), np.cosh(x)) ** 2),
    ),
    "written into an array": (
        lambda x: np.sum(np.cosh(_written(x))),
        lambda x: np.cosh(x[0]) + np.cosh(x[1]),
    ),
    "checkpointed": (
        lambda x: np.sum(sg.checkpoint(lambda r: np.cosh(2 * r))(np.abs(x))),
        lambda x: np.sum(np.cosh(2 * x)),
    ),
    "mapped": (
        lambda x: np.sum(vmap(lambda v: np.cosh(np.abs(v)))(x)),
        lambda x: np.sum(np.cosh(x)),
    ),
}


def _cosine(s: Any) -> Any:
    """cos(sqrt(s))."""
    return 1 - s / 2 * (1 - s / 12 * (1 - s / 30 * (1 - s / 56 * (1 - s / 90 * (1 - s / 132)))))


def _written(x: Any) -> Any:
    y = 1.0 * x
    y[0] = np.abs(x[0])
    return y


@pytest.mark.parametrize("point", [[0.0, 0.0], [0.0, 0.4], [-0.3, 0.2]])
@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_to_the_third_order(name: str, point: list[float]) -> None:
    (kinked, smooth), x = SMOOTH[name], np.array(point)
    np.testing.assert_allclose(grad(kinked)(x), grad(smooth)(x), rtol=1e-12, atol=1e-13)
    second, third = hessian(smooth)(x), jacfwd(hessian(smooth))(x)
    for outer, inner in itertools.product((jacfwd, jacrev), repeat=2):
        np.testing.assert_allclose(outer(inner(kinked))(x), second, rtol=1e-11, atol=1e-12)
        mode = jacfwd if outer is inner else jacrev
        np.testing.assert_allclose(mode(outer(inner(kinked)))(x), third, rtol=1e-10, atol=1e-11)
    batch = np.stack([x, x + 0.1, 0 * x])
    np.testing.assert_allclose(
        vmap(hessian(kinked))(batch), vmap(hessian(smooth))(batch), rtol=1e-11, atol=1e-12
    )


@pytest.mark.parametrize("points", [[0.0, 0, 0.7, 0.7, 0.1, 0.4], [1.0] * 6, [1.0, 1, 1, 1, 0, 0]])
def test_matrices_of_distances(points: list[float]) -> None:
    """Kernels of several points, some equal: the diagonal is 0 whatever they are."""
    x = np.array(points)

    def squares(x: Any) -> Any:
        return np.sum((x.reshape(3, 1, 2) - x.reshape(1, 3, 2)) ** 2, axis=-1)

    truth = hessian(lambda x: np.sum(WEIGHTS * np.exp(-squares(x))))(x)
    found = hessian(lambda x: np.sum(WEIGHTS * np.exp(-distances(x) * distances(x))))(x)
    np.testing.assert_allclose(found, truth, rtol=1e-11, atol=1e-12)
    if np.ptp(x) == 0:  # (1 + r) exp(-r) = 1 - r^2 / 2 + ...
        found = jacrev(
            jacrev(lambda x: np.sum(WEIGHTS * (1 + distances(x)) * np.exp(-distances(x))))
        )(x)
        np.testing.assert_allclose(found, truth / 2, rtol=1e-11, atol=1e-12)


def test_single_precision_stays() -> None:
    x = np.zeros(2, np.float32)
    found = hessian(lambda x: np.cos(linalg.norm(x)))(x)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, -np.eye(2))


def test_slopes_that_cancel_between_two_calls() -> None:
    for outer, inner in itertools.product((jacfwd, jacrev), repeat=2):
        found = outer(inner(lambda x: (1 + linalg.norm(x)) * np.exp(-linalg.norm(x))))(np.zeros(2))
        np.testing.assert_allclose(found, -np.eye(2), atol=1e-15)


# -- points without a second derivative

ODD: dict[str, tuple[Any, Any]] = {  # and what is given with the warning: the part that is even
    "norm": (linalg.norm, 0),
    "hypot": (lambda x: np.hypot(x[0], x[1]), 0),
    "abs of complex numbers": (lambda x: np.abs(x[0] + 1j * x[1]), 0),
    "exp(-norm)": (lambda x: np.exp(-linalg.norm(x)), 1),
    "exp(-abs)": (lambda x: np.sum(np.exp(-np.abs(x))), 1),
    "two moduli": (lambda x: np.abs(x[0]) * np.abs(x[1]), 0),
    "two moduli of an array": (lambda x: np.sum(np.abs(x)) ** 2, 0),
    "a quadratic form": (lambda x: np.abs(x) @ np.array([[0.0, 1], [1, 0]]) @ np.abs(x), 0),
    "in proportion": (lambda x: linalg.norm(x) * linalg.norm(2 * x), 0),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize(
    "mode",
    list(itertools.product((jacfwd, jacrev), repeat=2)),
    ids=lambda mode: " of ".join(f.__name__ for f in mode),
)
def test_a_second_derivative_that_does_not_exist_is_said(mode: Any, name: str) -> None:
    f, even = ODD[name]
    np.testing.assert_array_equal(grad(f)(np.zeros(2)), 0)
    with pytest.warns(
        RuntimeWarning, match=r"second derivative was asked for where (abs|norm|hypot).* is 0"
    ) as found:
        second = mode[0](mode[1](f))(np.zeros(2))
    np.testing.assert_allclose(second, even * np.eye(2), atol=1e-15)
    assert found[0].filename == __file__


def test_a_kink_that_is_meant_is_silent() -> None:
    """A penalty c |x| has the second derivative 0 on both sides, and a direction that leaves |x| as
    it is has one.
    """
    x = np.array([0.0, 0.5])
    for f in (
        lambda x: np.sum(np.abs(x) * [1.0, 2.0]),
        lambda x: np.abs(x[0]) * np.exp(2.0) + x[1],
    ):
        for outer, inner in itertools.product((jacfwd, jacrev), repeat=2):
            np.testing.assert_array_equal(outer(inner(f))(x), np.zeros((2, 2)))
    along = np.array([0.0, 1.0])
    np.testing.assert_allclose(
        hvp(lambda x: np.exp(x[1] - np.abs(x[0])), (x,), (along,))[1], [0, np.exp(0.5)]
    )


def test_fourth_derivatives_are_not_promised() -> None:
    with pytest.warns(RuntimeWarning, match=r"to the third order.*linalg.radial"):
        jacfwd(jacfwd(hessian(lambda x: np.cos(linalg.norm(x)))))(np.zeros(2))


# -- what it costs


def test_values_without_zeros_take_no_infinitesimal(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError(
            "an infinitesimal where nothing is 0, or where nothing is differentiated twice"
        )

    monkeypatch.setattr(kinks.Kink, "_lifted", refuse)
    x = np.array([0.3, -0.7])
    hessian(
        lambda x: np.cos(linalg.norm(x)) + np.sum(np.abs(x)) + np.hypot(x[0], x[1]) + np.std(x)
    )(x)
    grad(lambda x: np.cos(linalg.norm(x)) + np.sum(np.abs(x)) + np.hypot(x[0], x[1]) + np.std(x))(
        np.zeros(2)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vmap(grad(lambda x: np.exp(-linalg.norm(x))))(np.zeros((3, 2)))


def test_debugging_aids_see_through_it() -> None:
    with sg.debug_nans(), sg.check_writes():
        np.testing.assert_allclose(
            hessian(lambda x: np.cos(linalg.norm(x)))(np.zeros(2)), -np.eye(2)
        )
