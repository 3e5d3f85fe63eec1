"""Feedback that places the poles of a system."""

from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import MissingRule, differentiable, kernel, register_container
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.linalg import solve
from scigrad.numpy.devices import on_host, place_beside
from scigrad.typing import ArrayLike

from ..foundation.composition import floating, number


class FullStateFeedback:
    """Result of `place_poles`: the gain, the poles, and how the algorithm ended."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)


register_container(FullStateFeedback, varying=("gain_matrix",))


@differentiable("A", "B", "poles")
def _chosen(A: Any, B: Any, poles: Any, gain: Any) -> Any:  # noqa: ARG001
    """Return the gain of several inputs, one of many that place the poles."""
    return gain


@_chosen.jvp
def _(call: Any, t: Any) -> Any:  # noqa: ARG001
    raise MissingRule(
        "place_poles: no derivative for several inputs, whose gain the poles do not determine."
    )


def place_poles(
    A: ArrayLike,
    B: ArrayLike,
    poles: ArrayLike,
    method: str = "YT",
    rtol: float = 1e-3,
    maxiter: int = 30,
) -> object:
    """Return a gain K such that ``A - B K`` has given eigenvalues.

    Parameters
    ----------
    A : (n, n) array_like
        State matrix.
    B : (n, p) array_like
        Input matrix.
    poles : (n,) array_like
        Eigenvalues; complex ones in pairs.
    method : {"YT", "KNV0"}, optional
        Algorithm for several inputs.
    rtol : float, optional
        Relative change of the determinant of the eigenvectors at which it ends.
    maxiter : int, optional
        Most iterations.

    Returns
    -------
    object
        `gain_matrix`, `computed_poles`, `requested_poles`, `X`, `rtol` and `nb_iter`, as in SciPy.

    Raises
    ------
    ValueError
        If the shapes, the poles or the method are invalid.
    MissingRule
        If the gain of several inputs is differentiated: the poles do not determine it.

    Notes
    -----
    Differentiable for one input, by Ackermann's formula, to any order; all but `gain_matrix` is
    constant.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> A, B = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]])
    >>> print(
    ...     grad(lambda p: signal.place_poles(A, B, p).gain_matrix[0, 0])(
    ...         np.array([-1.0, -2.0])
    ...     ).round(6)
    ... )
    [-2. -1.]
    """
    if not holds_traced((A, B, poles)):
        return kernel("signal.place_poles")(A, B, poles, method, rtol, maxiter)
    A, B, poles = floating(A, B, poles)
    found = kernel("signal.place_poles")(
        *(on_host(number(v, "place_poles")) for v in (A, B, poles)), method, rtol, maxiter
    )
    if B.shape[1] != 1:
        return FullStateFeedback(
            **{
                **vars(found),
                "gain_matrix": _chosen(A, B, poles, place_beside(found.gain_matrix, A)),
            }
        )
    n, vectors, total = A.shape[0], [B[:, 0]], place_beside(np.eye(A.shape[0]), A)
    for i in range(n):  # the characteristic polynomial of the poles at A
        vectors.append(A @ vectors[-1])
        total = total @ (A - poles[i] * place_beside(np.eye(n), A))
    last = solve(np.stack(vectors[:n], axis=1).T, place_beside(np.eye(n)[-1], A))
    return FullStateFeedback(**{**vars(found), "gain_matrix": (last @ np.real(total))[None]})


__all__ = ["place_poles"]
