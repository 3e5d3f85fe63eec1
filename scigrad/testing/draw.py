"""Random inputs for samples: seeded, of one dtype, and well conditioned unless stated otherwise."""

import functools
import zlib
from typing import Any

import numpy as np


def normal(
    rng: np.random.Generator, *shape: int, is_complex: bool = False, dtype: Any = None
) -> Any:
    """Return standard normal numbers; for a complex dtype both parts are."""
    x: Any = rng.standard_normal(shape)
    if is_complex or (dtype is not None and np.dtype(dtype).kind == "c"):
        x = x + 1j * rng.standard_normal(shape)
    return x if dtype is None else x.astype(dtype)


def with_spectrum(rng: np.random.Generator, w: Any, is_complex: bool = False) -> Any:
    """Return a Hermitian matrix with given eigenvalues."""
    q = np.linalg.qr(normal(rng, len(w), len(w), is_complex=is_complex))[0]
    a = (q * np.array(w)) @ q.conj().T
    return (a + a.conj().T) / 2


@functools.cache
def _seed(name: str, dtype: Any) -> np.random.SeedSequence:
    """Return what default_rng makes of a name and a dtype, which laws ask for again and again."""
    return np.random.SeedSequence(zlib.crc32(f"{name} {dtype}".encode()))


class Draw:
    """Generator of random arrays of one dtype, equal for equal names and dtypes.

    Parameters
    ----------
    name : str
        Name from which the generator is seeded.
    dtype : dtype, optional
        Type of the arrays, real or complex.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad.testing import Draw
    >>> draw = Draw("example", np.complex128)
    >>> draw.array(2, 3).shape, draw.positive_definite(2).dtype
    ((2, 3), dtype('complex128'))
    """

    dtype: Any
    is_complex: bool
    real_dtype: Any
    rng: Any

    def __init__(self, name: str, dtype: Any = np.float64) -> None:
        self.dtype = np.dtype(dtype)
        self.is_complex = self.dtype.kind == "c"
        self.real_dtype = np.real(np.zeros(1, self.dtype)).dtype
        self.rng = np.random.Generator(np.random.PCG64(_seed(name, self.dtype)))

    def array(self, *shape: int) -> np.ndarray:
        """Return standard normal numbers, complex if dtype is."""
        return np.asarray(normal(self.rng, *shape, dtype=self.dtype))  # an array without axes too

    def real(self, *shape: int) -> np.ndarray:
        """Return real standard normal numbers, whatever dtype is."""
        return np.asarray(self.rng.standard_normal(shape), self.real_dtype)

    def uniform(self, low: float, high: float, *shape: int) -> np.ndarray:
        """Return real numbers between low and high."""
        return np.asarray(self.rng.uniform(low, high, shape), self.real_dtype)

    def positive(self, *shape: int) -> np.ndarray:
        """Return real numbers between 0.5 and 2."""
        return self.uniform(0.5, 2.0, *shape)

    def integers(self, low: int, high: int, *shape: int) -> np.ndarray:
        """Return integers from low to high - 1."""
        return self.rng.integers(low, high, shape)

    def unitary(self, n: int, batch: tuple[int, ...] = ()) -> np.ndarray:
        """Return an orthogonal matrix, or a unitary one if dtype is complex."""
        return np.linalg.qr(self.array(*batch, n, n))[0].astype(self.dtype)

    def well_conditioned(self, n: int, batch: tuple[int, ...] = ()) -> np.ndarray:
        """Return a square matrix with singular values between 1 and 2."""
        s = np.linspace(1, 2, n, dtype=self.real_dtype)
        return (self.unitary(n, batch) * s) @ self.unitary(n, batch)

    def hermitian(self, n: int, batch: tuple[int, ...] = ()) -> np.ndarray:
        """Return a symmetric or Hermitian matrix with eigenvalues 1, 2, ..., n."""
        return self._from_spectrum(np.arange(1, n + 1), n, batch)

    def positive_definite(self, n: int, batch: tuple[int, ...] = ()) -> np.ndarray:
        """Return a symmetric or Hermitian matrix with eigenvalues between 1 and 2."""
        return self._from_spectrum(np.linspace(1, 2, n), n, batch)

    def _from_spectrum(self, w: Any, n: int, batch: tuple[int, ...]) -> np.ndarray:
        v = self.unitary(n, batch)
        a = (v * np.asarray(w, self.real_dtype)) @ np.conj(np.swapaxes(v, -1, -2))
        return (a + np.conj(np.swapaxes(a, -1, -2))) / 2

    def like(self, x: Any) -> Any:
        """Return a random direction in the space of x: its shape, realness and dtype."""
        x = np.asarray(x)
        t = self.rng.standard_normal(x.shape)
        if x.dtype.kind == "c":
            t = t + 1j * self.rng.standard_normal(x.shape)
        return np.asarray(t, x.dtype)
