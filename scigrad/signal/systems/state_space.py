"""State space: conversions to and from polynomials, discrete time, feedback that places poles."""

from typing import Any

import scigrad.numpy as np
from scigrad.linalg import expm, solve
from scigrad.numpy import asarray
from scigrad.numpy.devices import place_beside
from scigrad.typing import Array, ArrayLike, System

from ..filters.recursive_response import ones
from ..forms.conversions import leading_zeros, normalize, tf2zpk, zpk2tf
from ..foundation.composition import floating, refuse_if, scipy_composition


@scipy_composition(own=True)
def abcd_normalize(
    A: ArrayLike | None = None,
    B: ArrayLike | None = None,
    C: ArrayLike | None = None,
    D: ArrayLike | None = None,
) -> tuple[Array, Array, Array, Array]:
    """Return the matrices of a system as arrays with two axes, zeros for those that are not given.

    Parameters
    ----------
    A : (n, n) array_like
        State matrix.
    B : (n, p) array_like
        Input matrix.
    C : (q, n) array_like
        Output matrix.
    D : (q, p) array_like
        Feedthrough matrix.

    Returns
    -------
    A : (n, n) ndarray
        State matrix.
    B : (n, p) ndarray
        Input matrix.
    C : (q, n) ndarray
        Output matrix.
    D : (q, p) ndarray
        Feedthrough matrix.

    Raises
    ------
    ValueError
        If the number of states, inputs or outputs is not determined, or the shapes do not fit.

    Notes
    -----
    This is `scipy.signal.abcd_normalize`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda b: signal.abcd_normalize(np.eye(2), b, np.eye(2))[1][1, 0])(np.ones((2, 1)))
    ... )
    [[0.]
     [1.]]
    """
    for name, others, which in (
        ("n", (A, B, C), "A = B = C"),
        ("p", (B, D), "B = D"),
        ("q", (C, D), "C = D"),
    ):
        refuse_if(
            all(M is None for M in others),
            f"Dimension {name} is undefined for parameters {which} = None!",
        )
    given = [M for M in (A, B, C, D) if M is not None]
    like = floating(*given)[0]
    nothing = place_beside(np.zeros((0, 0)), like)
    blocks = [nothing if M is None else np.atleast_2d(asarray(M)) for M in (A, B, C, D)]
    a, b, c, d = blocks
    n, p, q = (
        a.shape[0] or b.shape[0] or c.shape[1],
        b.shape[1] or d.shape[1],
        c.shape[0] or d.shape[0],
    )
    expected = {"A": (n, n), "B": (n, p), "C": (q, n), "D": (q, p)}
    pairs = zip(expected.values(), blocks, strict=True)
    matrices = [M if M.size else place_beside(np.zeros(shape), like) for shape, M in pairs]
    for (name, shape), M in zip(expected.items(), matrices, strict=True):
        refuse_if(M.shape != shape, f"Parameter {name} has shape {M.shape} but should be {shape}!")
    a, b, c, d = matrices
    return a, b, c, d


@scipy_composition()
def tf2ss(num: ArrayLike, den: ArrayLike) -> tuple[Array, Array, Array, Array]:
    """Return the controller canonical form of a rational function.

    Parameters
    ----------
    num, den : (k,) array_like
        Numerator, or a row for each output, and denominator.

    Returns
    -------
    A : (n, n) ndarray
        State matrix.
    B : (n, p) ndarray
        Input matrix.
    C : (q, n) ndarray
        Output matrix.
    D : (q, p) ndarray
        Feedthrough matrix.

    Raises
    ------
    ValueError
        If the numerator is longer than the denominator.

    Notes
    -----
    This is `scipy.signal.tf2ss`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda a: signal.tf2ss([1.0], a)[0][0, 1])(np.array([2.0, 4.0, 6.0])))
    [ 1.5  0.  -0.5]
    """
    b, a = normalize(num, den)
    b = b[None] if b.ndim == 1 else b
    order, extra = a.shape[0] - 1, a.shape[0] - b.shape[1]
    refuse_if(extra < 0, "Improper transfer function. `num` is longer than `den`.")
    b = np.pad(b, ((0, 0), (extra, 0)))
    D = b[:, :1]
    if order == 0:
        return *(place_beside(np.zeros(shape), D) for shape in ((1, 1), (1, 1), (D.shape[0], 1))), D
    A = np.concatenate([-a[None, 1:], place_beside(np.eye(order - 1, order), a)], axis=0)
    return A, place_beside(np.eye(order, 1), a), b[:, 1:] - D * a[1:], D


def _characteristic_polynomial(A: Any) -> tuple[Any, list[Any]]:
    """Return the characteristic polynomial and the matrix coefficients of adj(s - A), by Faddeev
    and LeVerrier's recursion.
    """
    n, one = A.shape[0], ones(A, ())
    identity = place_beside(np.eye(n), A)
    coefficients, matrices = [one], []
    product = 0 * A
    for k in range(1, n + 1):
        matrices.append(product + coefficients[-1] * identity)
        product = A @ matrices[-1]
        coefficients.append(-np.trace(product) / k)
    return np.stack(coefficients), matrices


@scipy_composition()
def ss2tf(
    A: ArrayLike, B: ArrayLike, C: ArrayLike, D: ArrayLike, input: int = 0
) -> tuple[Array, Array]:
    """Return the transfer functions from one input to all outputs.

    Parameters
    ----------
    A : (n, n) array_like
        State matrix.
    B : (n, p) array_like
        Input matrix.
    C : (q, n) array_like
        Output matrix.
    D : (q, p) array_like
        Feedthrough matrix.
    input : int, optional
        Number of the input.

    Returns
    -------
    num : (q, n + 1) ndarray
        Numerators, a row for each output.
    den : (n + 1,) ndarray
        Denominator.

    Raises
    ------
    ValueError
        If there is no such input, or the shapes do not fit.

    Notes
    -----
    Under a transform the polynomials come from Faddeev and LeVerrier's recursion, which is smooth
    where eigenvalues are repeated, and loses digits for more than about 15 states.

    This is `scipy.signal.ss2tf`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda A: signal.ss2tf(A, np.eye(2, 1), np.eye(1, 2), 0.0)[1][2])(
    ...         np.array([[1.0, 2.0], [3.0, 4.0]])
    ...     )
    ... )
    [[ 4. -3.]
     [-2.  1.]]
    """
    A, B, C, D = abcd_normalize(A, B, C, D)
    refuse_if(input >= D.shape[1], "System does not have the input specified.")
    A, B, C, D = floating(A, B[:, input : input + 1], C, D[:, input : input + 1])
    den, matrices = _characteristic_polynomial(A)
    rows = [0 * D, *(C @ M @ B for M in matrices)]
    return np.concatenate(rows, axis=1) + D * den, den


@scipy_composition()
def zpk2ss(z: ArrayLike, p: ArrayLike, k: float) -> tuple[Array, Array, Array, Array]:
    """Return the controller canonical form of a system given by zeros, poles and gain.

    Parameters
    ----------
    z, p : (k,) array_like
        Zeros and poles.
    k : float
        Gain.

    Returns
    -------
    A : (n, n) ndarray
        State matrix.
    B : (n, p) ndarray
        Input matrix.
    C : (q, n) ndarray
        Output matrix.
    D : (q, p) ndarray
        Feedthrough matrix.

    Notes
    -----
    This is `scipy.signal.zpk2ss`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda p: signal.zpk2ss([], p, 1.0)[0][0, 1])(np.array([2.0, 3.0])))
    [-3. -2.]
    """
    return tf2ss(*zpk2tf(z, p, k))


@scipy_composition()
def ss2zpk(
    A: ArrayLike, B: ArrayLike, C: ArrayLike, D: ArrayLike, input: int = 0
) -> tuple[Array, Array, float]:
    """Return zeros, poles and gain from one input to the output.

    Parameters
    ----------
    A : (n, n) array_like
        State matrix.
    B : (n, p) array_like
        Input matrix.
    C : (q, n) array_like
        Output matrix.
    D : (q, p) array_like
        Feedthrough matrix.
    input : int, optional
        Number of the input.

    Returns
    -------
    z : (m,) ndarray
        Zeros.
    p : (n,) ndarray
        Poles.
    k : float
        Gain.

    Notes
    -----
    A multiple root has no derivative: the result is infinite.

    This is `scipy.signal.ss2zpk`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> A = np.array([[1.0, 2.0], [0.0, 4.0]])
    >>> print(
    ...     grad(lambda A: signal.ss2zpk(A, [[0.0], [1.0]], [[1.0, 0.0]], 1.0)[1][0].real)(A).round(
    ...         6
    ...     )
    ... )
    [[0.       0.      ]
     [0.666667 1.      ]]
    """
    return tf2zpk(*ss2tf(A, B, C, D, input))


_GENERALIZED = {
    "bilinear": 0.5,
    "tustin": 0.5,
    "euler": 0.0,
    "forward_diff": 0.0,
    "backward_diff": 1.0,
}


@scipy_composition()
def cont2discrete(
    system: System, dt: float, method: str = "zoh", alpha: float | None = None
) -> System:
    """Change a continuous system into a discrete one.

    Parameters
    ----------
    system : tuple or lti
        ``(num, den)``, ``(zeros, poles, gain)``, ``(A, B, C, D)`` or a continuous system.
    dt : float
        Time between samples.
    method : {"zoh", "foh", "impulse", "gbt", "bilinear", "euler", "backward_diff"}, optional
        Input between samples (constant, linear, pulses), or the rule of integration.
    alpha : float, optional
        Weight of the end of the step, for the generalized bilinear transform "gbt".

    Returns
    -------
    tuple or dlti
        Discrete system in the same form, followed by `dt`.

    Raises
    ------
    ValueError
        If the form, the method or `alpha` is invalid.

    Notes
    -----
    This is `scipy.signal.cont2discrete`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> system = lambda a: ([[a]], [[1.0]], [[1.0]], [[0.0]])
    >>> print(
    ...     grad(lambda a: signal.cont2discrete(system(a), 0.5)[0][0, 0])(-1.0).round(6)
    ... )  # exp(a/2)/2
    0.303265
    """
    given: Any = system
    if hasattr(given, "to_discrete"):
        return given.to_discrete(dt, method, alpha)
    if len(system) == 2:
        return *ss2tf(*cont2discrete(tf2ss(*system), dt, method, alpha)[:4]), dt
    if len(system) == 3:
        return *ss2zpk(*cont2discrete(zpk2ss(*system), dt, method, alpha)[:4]), dt
    refuse_if(
        len(system) != 4,
        "First argument must either be a tuple of 2 (tf), 3 (zpk), or 4 (ss) arrays.",
    )
    refuse_if(
        method == "gbt" and (alpha is None or alpha < 0 or alpha > 1),
        f"{alpha=} has to lie within the interval [0,1]",
    )
    method, alpha = ("gbt", _GENERALIZED[method]) if method in _GENERALIZED else (method, alpha)
    refuse_if(method not in _DISCRETE, f"Unknown transformation method '{method}'")
    return *_DISCRETE[method](*floating(*abcd_normalize(*system)), dt, alpha), dt


def _generalized(A: Any, B: Any, C: Any, D: Any, dt: Any, alpha: Any) -> Any:
    identity = place_beside(np.eye(A.shape[0]), A)
    step = identity - alpha * dt * A
    b = solve(step, dt * B)
    return (
        solve(step, identity + (1 - alpha) * dt * A),
        b,
        solve(step.T, C.T).T,
        D + alpha * (C @ b),
    )


def discretize_hold(A: Any, B: Any, dt: Any, linear: bool = False) -> list[Any]:
    """Return exp(A dt) and the integrals of the response to a constant input and, if `linear`, to
    one that rises to 1.
    """
    n, p = B.shape
    rows = [np.concatenate([A * dt, B * dt], axis=1), np.zeros_like(A * dt, shape=(p, n + p))]
    block = np.pad(np.concatenate(rows, axis=0), (0, p if linear else 0))
    if linear:
        block = block + place_beside(np.pad(np.eye(p), ((n, p), (n + p, 0))), block)
    states = expm(block)[:n]
    return [states[:, :n], *(states[:, n + i * p : n + (i + 1) * p] for i in range(1 + linear))]


def _held(A: Any, B: Any, C: Any, D: Any, dt: Any, _: Any) -> Any:
    return *discretize_hold(A, B, dt), C, D


def _first_order(A: Any, B: Any, C: Any, D: Any, dt: Any, _: Any) -> Any:
    a, constant, rising = discretize_hold(A, B, dt, linear=True)
    return a, constant - rising + a @ rising, C, D + C @ rising


def _impulses(A: Any, B: Any, C: Any, D: Any, dt: Any, _: Any) -> Any:
    refuse_if(
        leading_zeros(np.reshape(D, (-1,)), 1e-8) < D.size,
        "Impulse method is only applicable to strictly proper systems",
    )
    a = expm(A * dt)
    return a, a @ B * dt, C, C @ B * dt


_DISCRETE: dict[str, Any] = {
    "gbt": _generalized,
    "zoh": _held,
    "foh": _first_order,
    "impulse": _impulses,
}


__all__ = ["abcd_normalize", "cont2discrete", "ss2tf", "ss2zpk", "tf2ss", "zpk2ss"]
