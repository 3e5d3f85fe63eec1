"""fft, ifft, rfft, irfft and dct: sums over the definition, lengths 1 to 64 and primes (which
kernels treat apart).

Samples are eighths of small integers, so that they are exact in single precision and take little
room.
"""

from __future__ import annotations

import mpmath as mp
import numpy as np
import scipy.fft
from recording import DIGITS, Record, array_call, exact

LENGTHS = (*range(1, 65), 67, 71, 73, 79, 83, 89, 97)
LONG_PRIMES = (251, 1009)
# fewer: the inverse runs the same code with another sign
INVERSE_LENGTHS = (*range(1, 18), 31, 32, 33, 64, 97)
COSINE_LENGTHS = (2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 64)


def eighths(random: np.random.Generator, n: int, complex_values: bool = False) -> np.ndarray:
    x = random.integers(-16, 17, n) / 8
    return x + 1j * eighths(random, n) if complex_values else x


def transform(x: np.ndarray, sign: int) -> list[mp.mpc]:
    """sum_j x_j exp(sign 2 pi i j k / n)."""
    n = len(x)
    roots = [mp.expjpi(mp.mpf(2 * sign * j) / n) for j in range(n)]
    values = [exact(v) for v in x]
    return [mp.fsum(v * roots[j * k % n] for j, v in enumerate(values)) for k in range(n)]


def cosine(x: np.ndarray, kind: int) -> list[mp.mpf]:
    """The unnormalized DCT of types 1 to 4, as scipy.fft.dct defines it."""
    n, v = len(x), [exact(u) for u in x]
    if kind == 1:
        inner = range(1, n - 1)
        return [
            v[0]
            + (-1) ** k * v[-1]
            + 2 * mp.fsum(v[j] * mp.cospi(mp.mpf(j * k) / (n - 1)) for j in inner)
            for k in range(n)
        ]
    if kind == 2:
        return [
            2 * mp.fsum(v[j] * mp.cospi(mp.mpf((2 * j + 1) * k) / (2 * n)) for j in range(n))
            for k in range(n)
        ]
    if kind == 3:
        return [
            v[0]
            + 2 * mp.fsum(v[j] * mp.cospi(mp.mpf((2 * k + 1) * j) / (2 * n)) for j in range(1, n))
            for k in range(n)
        ]
    return [
        2 * mp.fsum(v[j] * mp.cospi(mp.mpf((2 * j + 1) * (2 * k + 1)) / (4 * n)) for j in range(n))
        for k in range(n)
    ]


def records() -> list[Record]:
    random = np.random.default_rng(11)
    found = []
    with mp.workdps(DIGITS):
        for n in LENGTHS:
            found += fourier(random, n)
        for n in LONG_PRIMES:
            z = eighths(random, n, complex_values=True)
            found.append(array_call("fft", f"complex, n={n}", scipy.fft.fft, transform(z, -1), z))
        for n in COSINE_LENGTHS:
            x = eighths(random, n)
            found += [
                array_call("dct", f"type {k}, n={n}", scipy.fft.dct, cosine(x, k), x, type=k)
                for k in (1, 2, 3, 4)
            ]
    return found


def fourier(random: np.random.Generator, n: int) -> list[Record]:
    x, z = eighths(random, n), eighths(random, n, complex_values=True)
    half = z[: n // 2 + 1].copy()
    half[0] = half[0].real
    if n % 2 == 0:
        half[-1] = half[-1].real
    whole = np.concatenate([half, np.conj(half[1 : (n + 1) // 2][::-1])])
    return [
        array_call("fft", f"complex, n={n}", scipy.fft.fft, transform(z, -1), z),
        *(
            [
                array_call(
                    "ifft", f"complex, n={n}", scipy.fft.ifft, [v / n for v in transform(z, 1)], z
                )
            ]
            if n in INVERSE_LENGTHS
            else []
        ),
        array_call("rfft", f"real, n={n}", scipy.fft.rfft, transform(x, -1)[: n // 2 + 1], x),
        array_call(
            "irfft", f"n={n}", scipy.fft.irfft, [v.real / n for v in transform(whole, 1)], half, n=n
        ),
    ]
