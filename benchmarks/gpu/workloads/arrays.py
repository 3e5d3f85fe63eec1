"""Array functions and Fourier transforms."""

from typing import Any

import numpy as np

from . import Arrays, Workload, normal, uniform

SMALL = 1000


def _line(size: int, dtype: str = "d", scale: float = 1.0) -> Arrays:
    return lambda small: ((scale * normal(min(size, SMALL) if small else size)).astype(dtype),)


def chain(lib: Any, x: Any) -> Any:
    return lib.np.sum(lib.np.sin(x) * lib.np.exp(-x * x))


def _chain_by_hand(lib: Any, x: Any) -> Any:
    xp = lib.np
    s, e = xp.sin(x), xp.exp(-x * x)
    return xp.sum(s * e), e * (xp.cos(x) - 2 * x * s)


def chain30(lib: Any, x: Any) -> Any:
    y = x
    for _ in range(9):
        y = lib.np.sin(y) * 0.9 + x
    return lib.np.log(lib.np.sum(y * y))


def _chain30_by_hand(lib: Any, x: Any) -> Any:
    xp, ys, y = lib.np, [], x
    for _ in range(9):
        ys.append(y)
        y = xp.sin(y) * 0.9 + x
    total = xp.sum(y * y)
    g, slope = 2 * y / total, xp.zeros_like(x)
    for y in reversed(ys):
        slope += g
        g = g * 0.9 * xp.cos(y)
    return xp.log(total), slope + g


def logsumexp(lib: Any, x: Any) -> Any:
    return lib.np.sum(lib.special.logsumexp(x, -1) ** 2)


def _logsumexp_by_hand(lib: Any, x: Any) -> Any:
    xp = lib.np
    most = x.max(-1, keepdims=True)
    e = xp.exp(x - most)
    total = e.sum(-1, keepdims=True)
    y = xp.log(total) + most
    return xp.sum(y * y), e * (2 * y / total)


def softmax(lib: Any, x: Any, w: Any) -> Any:
    return lib.np.sum(lib.special.softmax(x, -1) * w)


def _softmax_by_hand(lib: Any, x: Any, w: Any) -> Any:
    xp = lib.np
    e = xp.exp(x - x.max(-1, keepdims=True))
    y = e / e.sum(-1, keepdims=True)
    product = y * w
    return product.sum(), product - y * product.sum(-1, keepdims=True)


def _rows(dtype: str, weighted: bool = False) -> Arrays:
    def arrays(small: bool) -> Any:
        x = 5 * normal(*((20, 50) if small else (10_000, 1000)))
        return tuple(a.astype(dtype) for a in ((x, abs(x)) if weighted else (x,)))

    return arrays


def product(lib: Any, x: Any, y: Any, w: Any) -> Any:
    return lib.np.sum((x @ y) * w)


def _matrices(n: int, dtype: str) -> Arrays:
    def arrays(small: bool) -> Any:
        shape = (30, 30) if small else (n, n)
        return [normal(*shape, seed=i, dtype=dtype) for i in range(3)]

    return arrays


def gather(lib: Any, x: Any, i: Any, w: Any) -> Any:
    return lib.np.sum(x[i] ** 2 * w)


def _gather_by_hand(lib: Any, x: Any, i: Any, w: Any) -> Any:
    y = x[i]
    z = y * w
    slope = lib.np.zeros_like(x)
    lib.np.add.at(slope, i, 2 * z)
    return lib.np.sum(y * z), slope


def _gathered(small: bool) -> Any:
    # The graph keeps copies of what has 1 kB or less.
    n, m = (SMALL, 200) if small else (10**7, 10**6)
    return normal(m), np.random.default_rng(1).integers(0, m, n), uniform(0, 1, n)


def cumsum(lib: Any, x: Any, w: Any) -> Any:
    return lib.np.sum(lib.np.cumsum(x, 0) ** 2 * w)


def _cumsum_by_hand(lib: Any, x: Any, w: Any) -> Any:
    xp = lib.np
    y = xp.cumsum(x)
    return xp.sum(y * y * w), xp.cumsum((2 * y * w)[::-1])[::-1]


def _weighted(n: int) -> Arrays:
    def arrays(small: bool) -> Any:
        size = min(n, SMALL) if small else n
        return normal(size), uniform(0, 1, size)

    return arrays


def power(name: str) -> Any:
    """Return the weighted sum of the squares of a transform's absolute values."""

    def loss(lib: Any, x: Any, w: Any) -> Any:
        return lib.np.sum(lib.np.abs(getattr(lib.fft, name)(x)) ** 2 * w)

    return loss


def _power_by_hand(name: str, real: bool) -> Any:
    def ideal(lib: Any, x: Any, w: Any) -> Any:
        f = getattr(lib.fft, name)(x)
        value = lib.np.sum((f.real**2 + f.imag**2) * w)
        f *= w
        f *= 2
        if real:
            f[1 : (x.size + 1) // 2] *= 0.5
            return value, lib.fft.irfft(f, x.size, norm="forward")
        return value, getattr(lib.fft, "i" + name)(f, norm="forward")

    return ideal


def _signal(shape: tuple[int, ...], dtype: str) -> Arrays:
    def arrays(small: bool) -> Any:
        own = tuple(min(n, 256 if len(shape) == 1 else 16) for n in shape) if small else shape
        out = (own[0] // 2 + 1,) if dtype in "fd" else own
        return normal(*own, dtype=dtype), uniform(0, 1, *out, dtype=np.dtype(dtype).char.lower())

    return arrays


def cosine(lib: Any, x: Any, w: Any) -> Any:
    return lib.np.sum(lib.fft.dctn(x, norm="ortho") ** 2 * w)


def _cosine_by_hand(lib: Any, x: Any, w: Any) -> Any:
    y = lib.fft.dctn(x, norm="ortho")
    z = y * w
    return lib.np.sum(y * z), lib.fft.idctn(2 * z, norm="ortho")


def _plane(small: bool) -> Any:
    n = 16 if small else 2048
    return normal(n, n), uniform(0, 1, n, n)


def of_eight(lib: Any, x: Any, w: Any) -> Any:
    """Return the gradients of 100,000 functions of 8 numbers, added up: `vmap(grad(f))`."""
    from scigrad import grad, vmap

    xp = lib.np
    slopes = grad(lambda x: xp.log(1.0 + xp.sum(xp.exp(w @ x))) + xp.sin(x[0]) * xp.sum(x * x))
    return vmap(slopes)(x)


def _of_eight_by_hand(lib: Any, x: Any, w: Any) -> Any:
    xp = lib.np
    e = xp.exp(x @ w.T)
    slope = (e @ w) / (1 + e.sum(1, keepdims=True)) + 2 * xp.sin(x[:, :1]) * x
    slope[:, 0] += xp.cos(x[:, 0]) * xp.sum(x * x, 1)
    return slope


def rosenbrock(lib: Any, x: Any) -> Any:
    from scigrad import hessian

    xp = lib.np
    return hessian(lambda x: xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))(x)


def _rosenbrock_by_hand(lib: Any, x: Any) -> Any:
    xp = lib.np
    d = xp.zeros(x.size)
    d[:-1] = 1200 * x[:-1] ** 2 - 400 * x[1:] + 2
    d[1:] += 200
    off = xp.diag(-400 * x[:-1], 1)
    return xp.diag(d) + off + off.T


_FFTS = {
    "fft 2^22": ("fft", (2**22,), "D"), "fft 2^22, single": ("fft", (2**22,), "F"),
    "fft2 4096, single": ("fft2", (4096, 4096), "F"),
    "rfft 2^24": ("rfft", (2**24,), "d"), "rfft 2^24, single": ("rfft", (2**24,), "f"),
    "fft 256": ("fft", (256,), "D"), "fft 1000003": ("fft", (1000003,), "D"),
}  # fmt: skip
_BY_ROWS = "10,000 x 1,000, along rows"
WORKLOADS = {
    "chain": Workload("sum(sin(x) exp(-x^2)), 1e7", chain, _line(10**7), 1, _chain_by_hand),
    "chain, single": Workload("1e7", chain, _line(10**7, "f"), 1, _chain_by_hand),
    "chain 100": Workload("100 numbers", chain, _line(100), 1, _chain_by_hand),
    "chain30": Workload("30 operations on 1e6", chain30, _line(10**6), 1, _chain30_by_hand),
    "chain30, single": Workload("1e6", chain30, _line(10**6, "f"), 1, _chain30_by_hand),
    "chain30 10": Workload("30 operations on 10", chain30, _line(10), 1, _chain30_by_hand),
    "logsumexp": Workload("1e7", logsumexp, _line(10**7, "d", 5.0), 1, _logsumexp_by_hand),
    "logsumexp rows": Workload(_BY_ROWS, logsumexp, _rows("f"), 1, _logsumexp_by_hand),
    "softmax rows": Workload(_BY_ROWS, softmax, _rows("f", True), 1, _softmax_by_hand),
    **{
        name: Workload(
            "sum((x y) w)", product, _matrices(n, dtype), 2,
            lambda lib, x, y, w: (lib.np.sum((x @ y) * w), w @ y.T, x.T @ w),
        )
        for name, n, dtype in (("matmul 2000", 2000, "d"), ("matmul 4000, single", 4000, "f"))
    },
    "gather": Workload("sum(x[i]^2 w), 1e7 of 1e6", gather, _gathered, 1, _gather_by_hand),
    "cumsum": Workload("sum(cumsum(x)^2 w), 1e7", cumsum, _weighted(10**7), 1, _cumsum_by_hand),
    **{
        name: Workload(
            "weighted power", power(function), _signal(shape, dtype), 1,
            _power_by_hand(function, function == "rfft"),
        )
        for name, (function, shape, dtype) in _FFTS.items()
    },
    "dctn 2048": Workload(
        "sum(dctn(x)^2 w)", cosine, _plane, 1, _cosine_by_hand, peers=("jax",)
    ),
    "vmap(grad)": Workload(
        "1e5 times 8 numbers", of_eight,
        lambda small: (normal(50 if small else 10**5, 8), normal(8, 8)), 0, _of_eight_by_hand,
        peers=(), raw=None,
    ),
    "hessian": Workload(
        "Rosenbrock's function of 100", rosenbrock,
        lambda small: (uniform(-1.5, 1.5, 10 if small else 100),), 0, _rosenbrock_by_hand,
        peers=(), raw=None,
    ),
}  # fmt: skip
