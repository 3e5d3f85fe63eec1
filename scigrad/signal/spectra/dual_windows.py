"""Windows by which a short-time Fourier transform is inverted."""

from typing import Any

import scigrad.numpy as np
from scigrad.typing import Array, Value

from ..foundation.composition import floating, refuse_if, scipy_composition


def _fold_window(w: Any, hop: int) -> Any:
    """Return the sum of the copies of a window that are shifted by multiples of the hop, at the
    samples of the window.
    """
    n = w.shape[0]
    shifts = [k for k in range(-(n // hop) * hop, n, hop) if abs(k) < n]
    return sum(np.pad(w[max(-k, 0) : n - max(k, 0)], (max(k, 0), max(-k, 0))) for k in shifts)


def canonical_dual(win: Any, hop: int) -> Any:
    refuse_if(
        hop > win.shape[0],
        f"{hop=} is larger than window length of {win.shape[0]} => STFT not invertible!",
    )
    refuse_if(
        win.dtype.kind not in "fc",
        f"Parameter 'win' cannot be of integer type, but {win.dtype=} => STFT not invertible!",
    )
    total = _fold_window(np.real(win) ** 2 + np.imag(win) ** 2, hop)
    refuse_if(
        ~(total >= np.finfo(win.dtype).resolution * np.max(total)),
        "Short-time Fourier Transform not invertible!",
    )
    return win / total


@scipy_composition()
def closest_STFT_dual_window(
    win: Array, hop: int, desired_dual: Array | None = None, *, scaled: bool = True
) -> tuple[Array, float]:
    """Return the dual window that is closest to a desired one.

    Parameters
    ----------
    win : (n,) ndarray
        Window.
    hop : int
        Samples between segments.
    desired_dual : (n,) ndarray, optional
        Desired window, by default 1.
    scaled : bool, optional
        Whether to be closest up to a factor.

    Returns
    -------
    dual_win : (n,) ndarray
        Dual window.
    alpha : float
        Factor, 1 if `scaled` is False.

    Raises
    ------
    ValueError
        If the shapes, the hop or the values are invalid, or the transform has no inverse.

    Notes
    -----
    This is `scipy.signal.closest_STFT_dual_window`, differentiable in all float arguments, to any
    order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> w = np.array([1.0, 2.0, 2.0, 1.0])
    >>> print(grad(lambda w: signal.closest_STFT_dual_window(w, 2)[0][0])(w).round(6))
    [-0.088889 -0.022222 -0.088889 -0.022222]
    """
    win, desired = floating(win, win * 0 + 1 if desired_dual is None else desired_dual)
    refuse_if(
        win.ndim != 1 or win.shape != desired.shape,
        f"`win`, `desired_dual` are not 1d of equal length: {win.shape}",
    )
    refuse_if(
        int(hop) != hop or not 1 <= hop <= win.shape[0],
        f"Parameter {hop=} is not an integer between 1 and {len(win)}!",
    )
    dual = canonical_dual(win, hop)
    projected = dual * _fold_window(np.conj(win) * desired, hop)
    if not scaled:
        return dual + desired - projected, 1.0
    square = np.sum(np.real(projected) ** 2 + np.imag(projected) ** 2)
    refuse_if(
        ~(square > np.finfo(win.dtype).resolution),
        "The closest dual window is too small. Set `scaled` to False.",
    )
    alpha = np.sum(np.conj(projected) * dual) / square
    out: Value = dual + alpha * (desired - projected), alpha
    return out


__all__ = ["closest_STFT_dual_window"]
