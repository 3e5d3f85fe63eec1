"""Linear algebra."""

from typing import Any

import numpy as np

from . import Arrays, Workload, normal, uniform

_SMALL = 130  # the order of matrices whose graphs keep vectors: shorter ones would be copied


def _near_one(n: int, dtype: str = "d") -> np.ndarray:
    return (0.5 / n**0.5) * normal(n, n, seed=4, dtype=dtype) + np.eye(n, dtype=dtype)


def _systems(n: int, tiny: int, dtype: str = "d", count: int = 0) -> Arrays:
    def arrays(small: bool) -> Any:
        size, batch = tiny if small else n, (min(count, 20) if small else count,) if count else ()
        a = normal(*batch, size, size, dtype=dtype) + size * np.eye(size)
        b = normal(*batch, size, *([1] if count else []), seed=1, dtype=dtype)
        return a.astype(dtype), b

    return arrays


def solve(lib: Any, a: Any, b: Any) -> Any:
    return lib.np.sum(lib.np.abs(lib.linalg.solve(a, b)) ** 2)


def _solve_by_hand(lib: Any, a: Any, b: Any) -> Any:
    xp = lib.np
    if a.ndim == 2:
        factors = lib.linalg.lu_factor(a, check_finite=False)
        x = lib.linalg.lu_solve(factors, b, check_finite=False)
        trans = 2 if a.dtype.kind == "c" else 1
        w = lib.linalg.lu_solve(factors, 2 * x, trans=trans, check_finite=False)
        return xp.vdot(x, x).real, xp.multiply.outer(-w, x.conj()), w
    x = lib.linalg.solve(a, b)
    w = lib.linalg.solve(a.swapaxes(-1, -2), 2 * x)
    return xp.sum(x * x), -w * x.swapaxes(-1, -2), w


def likelihood(lib: Any, t: Any, distances: Any, y: Any, eye: Any) -> Any:
    xp = lib.np
    kernel = xp.exp(2 * t[1] - distances * (0.5 * xp.exp(-2 * t[0]))) + xp.exp(2 * t[2]) * eye
    c = lib.linalg.cholesky(kernel)
    z = lib.linalg.solve_triangular(c, y, lower=True, check_finite=False)
    return 0.5 * (z @ z) + xp.sum(xp.log(xp.diagonal(c)))


def likelihood_by_factor(lib: Any, t: Any, distances: Any, y: Any, eye: Any) -> Any:
    """The same in SciPy's words: a factor, and solutions with it."""
    xp = lib.np
    kernel = xp.exp(2 * t[1] - distances * (0.5 * xp.exp(-2 * t[0]))) + xp.exp(2 * t[2]) * eye
    c, lower = lib.linalg.cho_factor(kernel, lower=True)
    return 0.5 * (y @ lib.linalg.cho_solve((c, lower), y)) + xp.sum(xp.log(xp.diagonal(c)))


def _likelihood_by_hand(lib: Any, t: Any, distances: Any, y: Any, eye: Any) -> Any:
    xp = lib.np
    scale = xp.exp(-2 * t[0])
    e = xp.exp(2 * t[1] - distances * (0.5 * scale))
    c = lib.linalg.cholesky(e + xp.exp(2 * t[2]) * eye)
    inverse = lib.linalg.solve_triangular(c, eye, lower=True, check_finite=False)
    alpha = inverse.T @ (inverse @ y)
    g = 0.5 * (inverse.T @ inverse - xp.multiply.outer(alpha, alpha))
    ge = g * e
    slopes = xp.sum(ge * distances) * scale, 2 * xp.sum(ge), 2 * xp.exp(2 * t[2]) * xp.trace(g)
    return 0.5 * (y @ alpha) + xp.sum(xp.log(xp.diagonal(c))), xp.stack(slopes)


def _process(dtype: str) -> Arrays:
    def arrays(small: bool) -> Any:
        n = _SMALL if small else 2000
        p = uniform(0, 3, n, 3, seed=3)
        q = np.sum(p * p, 1)
        distances = np.maximum(q[:, None] + q - 2 * p @ p.T, 0)
        np.fill_diagonal(distances, 0)
        y = np.sin(p.sum(1)) + 0.3 * normal(n, seed=4)
        given = np.array([-0.3, 0.1, -1.0]), distances, y, np.eye(n)
        return [x.astype(dtype) for x in given]

    return arrays


def _inverse_by_hand(lib: Any, a: Any, w: Any) -> Any:
    inverse = lib.linalg.inv(a)
    return lib.np.sum(inverse * w), -(inverse.T @ w @ inverse.T)


def _determinant_by_hand(lib: Any, a: Any) -> Any:
    xp = lib.np
    lu, p = lib.linalg.lu_factor(a, check_finite=False)
    odd = xp.count_nonzero(p != xp.arange(len(p))) % 2
    d = xp.prod(xp.diagonal(lu)) * (1 - 2 * odd)
    return d, d * lib.linalg.lu_solve((lu, p), xp.eye(len(p)), trans=1, check_finite=False)


def _logarithm_by_hand(lib: Any, a: Any) -> Any:
    xp = lib.np
    lu, p = lib.linalg.lu_factor(a, check_finite=False)
    value = xp.sum(xp.log(xp.abs(xp.diagonal(lu))))
    return value, lib.linalg.lu_solve((lu, p), xp.eye(len(p)), trans=1, check_finite=False)


def log_determinant(lib: Any, a: Any) -> Any:
    return lib.np.linalg.slogdet(a)[1]


def eigensystem(lib: Any, a: Any, c: Any, w: Any) -> Any:
    e, v = lib.linalg.eigh(a)
    return lib.np.sum(e * c) + lib.np.sum(v * v * w)


def _eigensystem_by_hand(lib: Any, a: Any, c: Any, w: Any) -> Any:
    xp = lib.np
    e, v = lib.linalg.eigh(a)
    vt, eye = v.swapaxes(-1, -2), xp.eye(a.shape[-1])
    m = (vt @ (2 * v * w)) / (e[..., None, :] - e[..., :, None] + eye)
    return xp.sum(e * c) + xp.sum(v * v * w), v @ (m * (1 - eye) + eye * c) @ vt


def eigenvalues(lib: Any, a: Any, c: Any) -> Any:
    return lib.np.sum(lib.linalg.eigvalsh(a) * c)


def _eigenvalues_by_hand(lib: Any, a: Any, c: Any) -> Any:
    e, v = lib.linalg.eigh(a)
    return lib.np.sum(e * c), (v * c) @ v.T


def _symmetric(n: int, count: int = 0) -> Arrays:
    def arrays(small: bool) -> Any:
        size, batch = (
            _SMALL if small and not count else n,
            (5 if small else count,) if count else (),
        )
        a = normal(*batch, size, size, seed=4)
        return a + a.swapaxes(-1, -2), normal(size, seed=5), normal(size, size, seed=6)

    return arrays


def singular_vectors(lib: Any, a: Any, c: Any, w: Any, z: Any) -> Any:
    xp = lib.np
    u, s, vh = lib.linalg.svd(a, full_matrices=False)
    return xp.sum(s * c) + xp.sum(u * u * w) + xp.sum(vh * vh * z)


def _singular_vectors_by_hand(lib: Any, a: Any, c: Any, w: Any, z: Any) -> Any:
    xp = lib.np
    u, s, vh = lib.linalg.svd(a, full_matrices=False)
    ut, vt, eye = u.T @ (2 * u * w), vh @ (2 * vh * z).T, xp.eye(len(s))
    e = s[None, :] ** 2 - s[:, None] ** 2 + eye
    f, g = (ut - ut.T) / e, (vt - vt.T) / e
    value = xp.sum(s * c) + xp.sum(u * u * w) + xp.sum(vh * vh * z)
    return value, u @ (f * s[None, :] + s[:, None] * g + eye * c) @ vh


def singular_values(lib: Any, a: Any, c: Any) -> Any:
    return lib.np.sum(lib.linalg.svdvals(a) * c)


def _singular_values_by_hand(lib: Any, a: Any, c: Any) -> Any:
    u, s, vh = lib.linalg.svd(a, full_matrices=False)
    return lib.np.sum(s * c), (u * c) @ vh


def orthogonal(lib: Any, a: Any, w: Any, z: Any) -> Any:
    q, r = lib.linalg.qr(a)
    return lib.np.sum(q * q * w) + lib.np.sum(r * r * z)


def _orthogonal_by_hand(lib: Any, a: Any, w: Any, z: Any) -> Any:
    xp = lib.np
    q, r = lib.linalg.qr(a)
    gq, gr = 2 * q * w, 2 * r * z
    m = r @ xp.triu(gr).T - gq.T @ q
    m = xp.tril(m) + xp.tril(m, -1).T
    slope = lib.linalg.solve_triangular(r, (gq + q @ m).T, check_finite=False).T
    return xp.sum(q * q * w) + xp.sum(r * r * z), slope


def exponential(lib: Any, a: Any, w: Any) -> Any:
    return lib.np.sum(lib.linalg.expm(a) * w)


def _exponential_by_hand(lib: Any, a: Any, w: Any) -> Any:
    """By the exponential of a matrix of blocks, which has the derivative at the transpose."""
    n = len(a)
    block = lib.np.zeros((2 * n, 2 * n))
    block[:n, :n] = block[n:, n:] = a.T
    block[:n, n:] = w
    e = lib.linalg.expm(block)
    return lib.np.sum(e[:n, :n].T * w), e[:n, n:]


def least_squares(lib: Any, a: Any, b: Any) -> Any:
    return lib.np.sum(lib.linalg.lstsq(a, b)[0] ** 2)


def _least_squares_raw(lib: Any, a: Any, b: Any) -> Any:
    return lib.np.sum(lib.linalg.lstsq(a, b, rcond=None)[0] ** 2)


def _least_squares_by_hand(lib: Any, a: Any, b: Any) -> Any:
    xp, triangle = lib.np, lib.linalg.solve_triangular
    q, r = lib.linalg.qr(a)
    x = triangle(r, q.T @ b, check_finite=False)
    v = triangle(r, triangle(r, 2 * x, trans=1, check_finite=False), check_finite=False)
    gb = a @ v
    return xp.sum(x * x), xp.multiply.outer(b - a @ x, v) - xp.multiply.outer(gb, x), gb


def square_root(lib: Any, a: Any, w: Any) -> Any:
    return lib.np.sum(lib.linalg.sqrtm(a).real * w)


def logarithm(lib: Any, a: Any, w: Any) -> Any:
    return lib.np.sum(lib.linalg.logm(a).real * w)


def _definite(small: bool) -> Any:
    n = 8 if small else 100
    m = normal(n, n, seed=14)
    return m @ m.T / n + np.eye(n) + 0.1 / n**0.5 * normal(n, n, seed=15), normal(n, n, seed=16)


def readme(lib: Any, a: Any, b: Any) -> Any:
    """The loss of the README."""
    xp = lib.np
    x = lib.linalg.solve(a, b)
    return xp.sum(lib.special.j0(xp.abs(lib.fft.fft(x)) ** 2)) + xp.log(x @ x)


def _two(n: int, near_one: bool = True, more: int = 1) -> Arrays:
    """Return a matrix and weights of its order."""

    def arrays(small: bool) -> Any:
        size = 12 if small else n
        a = _near_one(size) if near_one else normal(size, size, seed=5)
        return a, *(normal(size, size, seed=6 + i) for i in range(more))

    return arrays


def _with_values(n: int, more: int) -> Arrays:
    def arrays(small: bool) -> Any:
        size = _SMALL if small else n
        weights = [normal(size, size, seed=7 + i) for i in range(more)]
        return normal(size, size, seed=5), normal(size, seed=6), *weights

    return arrays


_SYSTEMS = {
    "solve 100": _systems(100, 10), "solve 1000": _systems(1000, 12),
    "solve 1000, complex": _systems(1000, 12, "D"), "solve 4000": _systems(4000, 15),
    "solve 4000, single": _systems(4000, 15, "f"),
    "10,000 solves of 16": _systems(16, 16, "d", 10_000),
    "10,000 solves of 16, single": _systems(16, 16, "f", 10_000),
}  # fmt: skip
_JAX = ("jax",)
WORKLOADS = {
    **{
        name: Workload("sum(solve(a, b)^2)", solve, arrays, 2, _solve_by_hand)
        for name, arrays in _SYSTEMS.items()
    },
    "GP": Workload(
        "likelihood of 2,000 points", likelihood_by_factor, _process("d"), 1, _likelihood_by_hand,
        _JAX, raw=likelihood,
    ),
    "GP, single": Workload(
        "likelihood of 2,000 points", likelihood_by_factor, _process("f"), 1, _likelihood_by_hand,
        _JAX, raw=likelihood,
    ),
    "inv 1000": Workload(
        "sum(inv(a) w)", lambda lib, a, w: lib.np.sum(lib.linalg.inv(a) * w), _two(1000), 1,
        _inverse_by_hand,
    ),
    "det 1000": Workload(
        "det(a)", lambda lib, a: lib.linalg.det(a), _two(1000, more=0), 1, _determinant_by_hand
    ),
    "slogdet 1000": Workload(
        "logarithm of abs(det(a))", log_determinant, _two(1000, more=0), 1, _logarithm_by_hand, _JAX
    ),
    **{
        name: Workload("by values and vectors", eigensystem, arrays, 1, _eigensystem_by_hand)
        for name, arrays in {
            "eigh 500": _symmetric(500), "eigh 2000": _symmetric(2000),
            "1,000 eigh of 16": _symmetric(16, 1000),
        }.items()
    },
    "eigvalsh 1000": Workload(
        "sum(c eigvalsh(a))", eigenvalues, lambda small: _symmetric(1000)(small)[:2], 1,
        _eigenvalues_by_hand,
    ),
    "svd 500": Workload(
        "by values and vectors", singular_vectors, _with_values(500, 2), 1,
        _singular_vectors_by_hand,
    ),
    "svdvals 500": Workload(
        "sum(c svdvals(a))", singular_values, _with_values(500, 0), 1, _singular_values_by_hand,
        ("torch",), raw=lambda lib, a, c: lib.np.sum(lib.linalg.svd(a, compute_uv=False) * c),
    ),
    "qr 1000": Workload("by both factors", orthogonal, _two(1000, more=2), 1, _orthogonal_by_hand),
    "expm 200": Workload("sum(expm(a) w)", exponential, _two(200), 1, _exponential_by_hand, _JAX),
    "1,000 expm of 8": Workload(
        "sum(expm(a) w)", exponential,
        lambda small: (0.5 * normal(5 if small else 1000, 8, 8), normal(8, 8, seed=12)), 1, None,
        _JAX, raw=None,
    ),
    "lstsq 2000 x 200": Workload(
        "sum(lstsq(a, b)^2)", least_squares,
        lambda small: (normal(m := 200 if small else 2000, _SMALL if small else 200), normal(m)),
        2, _least_squares_by_hand, _JAX, raw=_least_squares_raw,
    ),
    "sqrtm 100": Workload("sum(sqrtm(a) w)", square_root, _definite, 1, None, (), raw=None),
    "logm 100": Workload("sum(logm(a) w)", logarithm, _definite, 1, None, (), raw=None),
    "README": Workload("solve, fft, j0 of 1,000", readme, _systems(1000, 12), 2, None, ()),
}  # fmt: skip
