"""The first minute on a card: one small call of each kind, so that whatever is wrong with the
installation shows at once.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def rows(names: set[str], _small: bool) -> Iterator[dict[str, Any]]:
    """Yield what each call said, but for those that were made before."""
    for name, call in CALLS.items():
        if name not in names:
            yield {"name": name, **_outcome(call)}


def _outcome(call: Callable[[], tuple[Any, Any]]) -> dict[str, Any]:
    try:
        found, expected = call()
        np.testing.assert_allclose(found.get(), expected, rtol=1e-6, atol=1e-9)
    except Exception as error:  # whatever it is belongs into the report
        return {"passed": False, "text": f"{type(error).__name__}: {error}"[:800]}
    return {"passed": True, "text": ""}


def _point() -> tuple[Any, np.ndarray]:
    import cupy

    x = np.linspace(0.5, 2.0, 16).reshape(4, 4) + 4 * np.eye(4)
    return cupy.asarray(x), x


def _kernel() -> tuple[Any, Any]:
    x, host = _point()
    return x * x + 1, host * host + 1


def _solve() -> tuple[Any, Any]:
    from scigrad import linalg

    x, host = _point()
    return linalg.solve(x, x[0]), np.linalg.solve(host, host[0])


def _eigenvalues() -> tuple[Any, Any]:
    from scigrad import linalg

    x, host = _point()
    return linalg.eigvalsh(x @ x.T), np.linalg.eigvalsh(host @ host.T)


def _transform() -> tuple[Any, Any]:
    from scigrad import fft

    x, host = _point()
    return fft.rfft(x), np.fft.rfft(host)


def _special() -> tuple[Any, Any]:
    import scipy.special

    from scigrad import special

    x, host = _point()
    return special.i0e(x), scipy.special.i0e(host)


def _filter() -> tuple[Any, Any]:
    import cupy
    import scipy.signal

    from scigrad import signal

    x, host = _point()
    b, a = np.array([1.0, 0.5]), np.array([1.0, -0.3])
    return signal.lfilter(cupy.asarray(b), cupy.asarray(a), x), scipy.signal.lfilter(b, a, host)


def _sparse() -> tuple[Any, Any]:
    from cupyx.scipy.sparse import csr_matrix

    from scigrad.sparse import linalg

    x, host = _point()
    return linalg.spsolve(csr_matrix(x), x[0]), np.linalg.solve(host, host[0])


def _gradient() -> tuple[Any, Any]:
    from scigrad import grad, linalg

    x, host = _point()
    return grad(lambda a: linalg.slogdet(a)[1])(x), np.linalg.inv(host).T


CALLS = {
    "a kernel of CuPy's": _kernel,
    "solve": _solve,
    "eigvalsh": _eigenvalues,
    "rfft": _transform,
    "i0e": _special,
    "lfilter": _filter,
    "spsolve": _sparse,
    "gradient of slogdet": _gradient,
}
