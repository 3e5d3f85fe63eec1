"""Our functions and gradients against CuPy's own functions, and PyTorch's gradients where it is
installed, interleaved.
"""

import importlib.util
import statistics
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

REPEATS = 20
Calls = dict[str, Callable[[], Any]]  # "ours", and "cupy" or "torch"


def rows(done: set[str], small: bool) -> Iterator[dict[str, Any]]:
    """Yield the times of each benchmark; one that cannot run is reported, and the others
    continue.
    """
    for name, prepare in BENCHMARKS.items():
        if name in done:
            continue
        try:
            what, calls = prepare(1000 if small else 1)
            yield {"name": name, "what": what, "milliseconds": interleaved(calls)}
        except Exception as error:  # whatever it is belongs into the report
            yield {"name": name, "not_run": f"{type(error).__name__}: {error}"[:800]}


def interleaved(calls: Calls) -> dict[str, list[float]]:
    """Return minimum and median of each call in milliseconds, taken in turn."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(REPEATS + 3):  # the first three compile and fill the memory pool
        for name, call in calls.items():
            elapsed = _milliseconds(call)
            if turn >= 3:
                times[name].append(elapsed)
    return {name: [min(values), statistics.median(values)] for name, values in times.items()}


def _milliseconds(call: Callable[[], Any]) -> float:
    import cupy

    start, stop = cupy.cuda.Event(), cupy.cuda.Event()
    start.record()
    call()
    stop.record()
    stop.synchronize()
    return cupy.cuda.get_elapsed_time(start, stop)


def _normal(*shape: int) -> Any:
    import cupy

    return cupy.asarray(np.random.default_rng(0).standard_normal(shape))


def _with_torch(calls: Calls, loss: Callable[[Any, Any], Any], x: Any) -> Calls:
    """Add the gradient of a loss by PyTorch, on its current stream, which CuPy's events see as the
    null stream.
    """
    if importlib.util.find_spec("torch") is not None:
        import torch

        tensor = torch.as_tensor(x.get(), device="cuda").requires_grad_()
        calls["torch"] = lambda: torch.autograd.grad(loss(torch, tensor), tensor)
    return calls


def _i0e(dtype: str) -> Callable[[int], tuple[str, Calls]]:
    def prepare(divide: int) -> tuple[str, Calls]:
        from cupyx.scipy import special

        from scigrad.special import i0e

        x = abs(_normal(10_000_000 // divide) * 20).astype(dtype)
        return f"{x.size} values, {dtype}", {"ours": lambda: i0e(x), "cupy": lambda: special.i0e(x)}

    return prepare


def _chain(divide: int) -> tuple[str, Calls]:
    import cupy

    import scigrad.numpy as snp
    from scigrad import grad

    x = _normal(10_000_000 // divide)
    gradient = grad(lambda x: (snp.sin(x) * snp.exp(-x * x)).sum())
    calls: Calls = {
        "ours": lambda: gradient(x),
        "cupy": lambda: (cupy.sin(x) * cupy.exp(-x * x)).sum(),
    }
    return f"{x.size} values, gradient", _with_torch(
        calls, lambda t, x: (t.sin(x) * t.exp(-x * x)).sum(), x
    )


def _fft(divide: int) -> tuple[str, Calls]:
    from cupyx.scipy import fft as theirs

    from scigrad import fft

    x = _normal(2**22 // divide) + 0j
    return f"{x.size} complex128", {"ours": lambda: fft.fft(x), "cupy": lambda: theirs.fft(x)}


def _fft_gradient(divide: int) -> tuple[str, Calls]:
    from cupyx.scipy import fft as theirs

    from scigrad import fft, grad

    x = _normal(2**22 // divide) + 0j
    gradient = grad(lambda z: (abs(fft.fft(z)) ** 2).sum())
    calls: Calls = {"ours": lambda: gradient(x), "cupy": lambda: theirs.ifft(theirs.fft(x))}
    return f"{x.size} complex128, gradient of the power", _with_torch(
        calls, lambda t, z: (t.fft.fft(z).abs() ** 2).sum(), x
    )


def _solve(divide: int) -> tuple[str, Calls]:
    import cupy

    from scigrad import linalg

    a, b = (
        _normal(2000 // min(divide, 50), 2000 // min(divide, 50)),
        _normal(2000 // min(divide, 50)),
    )
    return f"{b.size} equations", {
        "ours": lambda: linalg.solve(a, b),
        "cupy": lambda: cupy.linalg.solve(a, b),
    }


def _eigh_gradient(divide: int) -> tuple[str, Calls]:
    import cupy

    from scigrad import grad, linalg

    a = _normal(500 // min(divide, 25), 500 // min(divide, 25))
    a = a + a.T
    gradient = grad(lambda a: (linalg.eigh(a, gauge="trust")[0] ** 2).sum())
    calls: Calls = {"ours": lambda: gradient(a), "cupy": lambda: cupy.linalg.eigh(a)}
    return f"{len(a)} rows, gradient", _with_torch(
        calls, lambda t, a: (t.linalg.eigh(a)[0] ** 2).sum(), a
    )


def _lfilter(gradient: bool) -> Callable[[int], tuple[str, Calls]]:
    def prepare(divide: int) -> tuple[str, Calls]:
        import cupy
        import scipy.signal
        from cupyx.scipy import signal as theirs

        from scigrad import grad, signal

        design: Any = scipy.signal.butter(8, 0.3)
        b, a, x = (*map(cupy.asarray, design), _normal(1_000_000 // divide))
        slopes = grad(lambda b, a, x: (signal.lfilter(b, a, x) ** 2).sum(), argnums=(0, 1, 2))
        ours = (lambda: slopes(b, a, x)) if gradient else (lambda: signal.lfilter(b, a, x))
        what = f"{x.size} samples, order 8" + (", gradient" if gradient else "")
        return what, {"ours": ours, "cupy": lambda: theirs.lfilter(b, a, x)}

    return prepare


def _spsolve(gradient: bool) -> Callable[[int], tuple[str, Calls]]:
    def prepare(divide: int) -> tuple[str, Calls]:
        import cupy
        from cupyx.scipy.sparse.linalg import spsolve as theirs

        from scigrad import grad
        from scigrad.sparse.linalg import spsolve

        a, b = _poisson(100 // min(divide, 10)), cupy.ones((100 // min(divide, 10)) ** 2)
        slopes = grad(lambda a, b: (spsolve(a, b) ** 2).sum(), argnums=(0, 1))
        ours = (lambda: slopes(a, b)) if gradient else (lambda: spsolve(a, b))
        return f"Poisson, {b.size} cells" + (", gradient" if gradient else ""), {
            "ours": ours,
            "cupy": lambda: theirs(a, b),
        }

    return prepare


def _poisson(n: int) -> Any:
    """Return the five-point matrix on n x n cells."""
    import cupyx.scipy.sparse as sparse
    import scipy.sparse

    offsets: Any = (-1, 0, 1)
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=offsets, shape=(n, n))
    eye = scipy.sparse.eye_array(n)
    return sparse.csr_matrix((scipy.sparse.kron(line, eye) + scipy.sparse.kron(eye, line)).tocsr())


BENCHMARKS: dict[str, Callable[[int], tuple[str, Calls]]] = {
    "elementwise chain": _chain,
    "solve": _solve,
    "eigh": _eigh_gradient,
    "fft": _fft,
    "fft gradient": _fft_gradient,
    "i0e float32": _i0e("float32"),
    "i0e float64": _i0e("float64"),
    "lfilter": _lfilter(False),
    "lfilter gradient": _lfilter(True),
    "spsolve": _spsolve(False),
    "spsolve gradient": _spsolve(True),
}
