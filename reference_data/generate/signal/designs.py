"""Filter designs from their definitions, with derivatives by frequencies and ripples.

A recursive prototype is defined by |H(i w)|^2 = 1/(1 + eps^2 F(w)^2) with F = w^N, a Chebyshev
polynomial or an elliptic rational function: its poles are the roots on the left. Bessel filters
come from the reverse Bessel polynomials. The digital filter is the prototype at S(z), the change of
the band after the bilinear transform, multiplied out. Coefficients are numerator and denominator in
one vector.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import mpmath as mp
import numpy as np
import scipy.signal
from recording import Record, array_call, exact, number

WORKING = 80
Polynomial = list[Any]  # from the highest power


def product(a: Polynomial, b: Polynomial) -> Polynomial:
    out = [mp.mpf(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return out


def total(a: Polynomial, b: Polynomial) -> Polynomial:
    n = max(len(a), len(b))
    a, b = ([mp.mpf(0)] * (n - len(c)) + c for c in (a, b))
    return [x + y for x, y in zip(a, b, strict=True)]


def times(a: Polynomial, factor: Any) -> Polynomial:
    return [x * factor for x in a]


def power(a: Polynomial, n: int) -> Polynomial:
    out = [mp.mpf(1)]
    for _ in range(n):
        out = product(out, a)
    return out


def left_half(c: Polynomial) -> list[Any]:
    """Return the roots on the left of the imaginary axis."""
    while abs(c[0]) < mp.mpf(10) ** -60:
        c = c[1:]
    return [root for root in mp.polyroots(c, maxsteps=500, extraprec=400) if mp.re(root) < 0]


def at_imaginary(c: Polynomial) -> Polynomial:
    """Return the polynomial in s = i w of one in w."""
    n = len(c) - 1
    return [x / mp.mpc(0, 1) ** (n - k) for k, x in enumerate(c)]


def chebyshev(n: int) -> Polynomial:
    before, now = [mp.mpf(1)], [mp.mpf(1), mp.mpf(0)]
    for _ in range(n - 1):
        before, now = now, total(times(product(now, [mp.mpf(1), mp.mpf(0)]), 2), times(before, -1))
    return now if n else before


Prototype = tuple[list[Any], list[Any], Any]  # zeros, poles, gain


def of_ratio(
    above: Polynomial, below: Polynomial, eps2: Any, at_zero: Any, zeros: list[Any]
) -> Prototype:
    """Return the prototype with F = above/below, the response `at_zero` at frequency 0 and given
    zeros.
    """
    poles = left_half(
        at_imaginary(total(product(below, below), times(product(above, above), eps2)))
    )
    gain = at_zero * mp.re(mp.fprod(-p for p in poles) / mp.fprod(-z for z in zeros))
    return zeros, poles, gain


def ripple(decibels: Any) -> Any:
    return mp.mpf(10) ** (decibels / 10) - 1


def butter(n: int) -> Prototype:
    return of_ratio([mp.mpf(1)] + [mp.mpf(0)] * n, [mp.mpf(1)], mp.mpf(1), mp.mpf(1), [])


def cheby1(n: int, rp: Any) -> Prototype:
    eps2 = ripple(rp)
    return of_ratio(chebyshev(n), [mp.mpf(1)], eps2, 1 if n % 2 else 1 / mp.sqrt(1 + eps2), [])


def cheby2(n: int, rs: Any) -> Prototype:
    inverse = chebyshev(n)[::-1]  # w^N T_N(1/w)
    zeros = [
        mp.mpc(0, 1) / mp.cos(mp.pi * (2 * k + 1) / (2 * n)) for k in range(n) if 2 * k + 1 != n
    ]
    return of_ratio([mp.mpf(1)] + [mp.mpf(0)] * n, inverse, ripple(rs), mp.mpf(1), zeros)


def ellip(n: int, rp: Any, rs: Any) -> Prototype:
    """F(w) = w^(N mod 2) prod (w^2 - c^2)/(1 - (k c w)^2), c = cd((2 j - 1) K/N, k), divided by its
    value at 1; the modulus k from the degree equation K'/K = (1/N) K1'/K1, that of
    eps^2/(10^(rs/10) - 1).
    """
    eps2, m1 = ripple(rp), ripple(rp) / ripple(rs)
    q = mp.exp(-mp.pi * mp.ellipk(1 - m1) / mp.ellipk(m1) / n)
    m = mp.mfrom(q=q)
    above, below, zeros = ([mp.mpf(1), mp.mpf(0)] if n % 2 else [mp.mpf(1)]), [mp.mpf(1)], []
    for j in range(1, n // 2 + 1):
        u = mp.ellipk(m) * mp.mpf(2 * j - 1) / n
        c = mp.ellipfun("cd", u, m=m)
        above = product(above, [mp.mpf(1), mp.mpf(0), -c * c])
        below = product(below, [-m * c * c, mp.mpf(0), mp.mpf(1)])
        zeros += [mp.mpc(0, sign) / (mp.sqrt(m) * c) for sign in (1, -1)]
    above = times(above, mp.fsum(below) / mp.fsum(above))
    return of_ratio(above, below, eps2, 1 if n % 2 else 1 / mp.sqrt(1 + eps2), zeros)


def bessel(n: int, norm: str) -> Prototype:
    theta = [
        mp.factorial(2 * n - k) / (mp.mpf(2) ** (n - k) * mp.factorial(k) * mp.factorial(n - k))
        for k in range(n, -1, -1)
    ]
    scale = theta[-1] ** (mp.mpf(1) / n) if norm == "phase" else mp.mpf(1)
    poles = [root / scale for root in mp.polyroots(theta, maxsteps=500, extraprec=400)]
    return [], poles, mp.re(mp.fprod(-p for p in poles))


def digital(prototype: Prototype, band: str, edges: list[Any]) -> list[Any]:
    """Return the coefficients of the digital filter; `edges` are tangents of half the angles, of a
    band also its width.
    """
    above, below = [mp.mpf(1), mp.mpf(-1)], [mp.mpf(1), mp.mpf(1)]  # s = (z - 1)/(z + 1)
    if band.startswith("band"):
        square, width = edges
        numerator = total(product(above, above), times(product(below, below), square))
        above, below = numerator, times(product(above, below), width)
    else:
        below = times(below, edges[0])
    if band in ("highpass", "bandstop"):
        above, below = below, above
    zeros, poles, gain = prototype
    b, a = times(power(below, len(poles) - len(zeros)), gain), [mp.mpf(1)]
    for roots, is_zero in ((zeros, True), (poles, False)):
        for root in roots:
            factor = total(above, times(below, -root))
            b, a = (product(b, factor), a) if is_zero else (b, product(a, factor))
    return [mp.re(c / a[0]) for c in (*b, *a)]


def tangents(Wn: tuple[Any, ...]) -> list[Any]:
    t = [mp.tan(mp.pi / 2 * w) for w in Wn]
    return t if len(t) == 1 else [t[0] * t[1], t[1] - t[0]]


def resonance(w0: Any, quality: Any, band: str) -> list[Any]:
    """Return the filter of second order whose band around w0 has the width w0/quality: tan(w2/2) -
    tan(w1/2) is tan((w2 - w1)/2) (1 + tan(w1/2) tan(w2/2)), and the product is tan(w0/2)^2.
    """
    square = mp.tan(mp.pi * w0 / 2) ** 2
    width = mp.tan(mp.pi * w0 / quality / 2) * (1 + square)
    return digital(([], [mp.mpf(-1)], mp.mpf(1)), band, [square, width])


def firwin(taps: int, cutoff: Any, beta: Any) -> list[Any]:
    half = mp.mpf(taps - 1) / 2
    h = []
    for n in range(taps):
        window = mp.besseli(0, beta * mp.sqrt(1 - ((n - half) / half) ** 2)) / mp.besseli(0, beta)
        h.append(cutoff * mp.sinc(mp.pi * cutoff * (n - half)) * window)
    return [x / mp.fsum(h) for x in h]


def firls(taps: int, edges: tuple[Any, ...], desired: tuple[Any, ...]) -> list[Any]:
    """Solve the normal equations of sum of integrals (sum_k c_k cos(pi k f) - d(f))^2, integrals by
    quadrature.
    """
    count = taps // 2 + 1
    matrix, right = mp.zeros(count), mp.zeros(count, 1)
    for i, (low, high) in enumerate(pairwise(edges)):
        if i % 2:
            continue
        slope = (desired[i + 1] - desired[i]) / (high - low)
        for j in range(count):
            for k in range(count):
                matrix[j, k] += mp.quad(
                    lambda f, j=j, k=k: mp.cos(mp.pi * j * f) * mp.cos(mp.pi * k * f), [low, high]
                )
            line = lambda f, j=j, i=i, low=low, slope=slope: (  # noqa: E731
                (desired[i] + slope * (f - low)) * mp.cos(mp.pi * j * f)
            )
            right[j] += mp.quad(line, [low, high])
    c = list(mp.lu_solve(matrix, right))
    return [x / 2 for x in c[:0:-1]] + [c[0]] + [x / 2 for x in c[1:]]


# -- records


def derivative(f: Callable[..., list[Any]], at: list[Any], i: int, order: int) -> np.ndarray:
    """Return the derivative of all components by the i-th argument, by mpmath's differences; each
    point is computed once.
    """
    remembered = cache(lambda x, _: f(*at[:i], x, *at[i + 1 :]))  # `diff` raises the precision
    count = len(remembered(at[i], mp.mp.prec))
    return np.array(
        [
            number(mp.diff(lambda x, k=k: remembered(x, mp.mp.prec)[k], at[i], order))
            for k in range(count)
        ]
    )


def record(
    function: str,
    case: str,
    kernel: Callable[..., Any],
    f: Callable[..., list[Any]],
    *values: float,
    **options: Any,
) -> Record:
    arguments = [exact(np.float64(v)) for v in values]
    made = array_call(
        function, case, kernel, f(*arguments), *(np.array(v) for v in values), **options
    )
    made.first, made.second = (
        tuple(derivative(f, arguments, i, n) for i in range(len(values))) for n in (1, 2)
    )
    return made


def recursive(
    function: str, n: int, band: str, ripples: tuple[float, ...], Wn: tuple[float, ...], **more: Any
) -> Record:
    """One design; its arguments are the ripples and the frequencies."""
    count = len(ripples)
    family = {
        "butter": butter,
        "cheby1": cheby1,
        "cheby2": cheby2,
        "ellip": ellip,
        "bessel": bessel,
    }[function]

    def truth(*values: Any) -> list[Any]:
        return digital(family(n, *values[:count], *more.values()), band, tangents(values[count:]))

    def kernel(*values: Any, **options: Any) -> Any:
        edges = np.stack(values[count:])
        return np.concatenate(
            getattr(scipy.signal, function)(
                n, *values[:count], edges if len(Wn) > 1 else edges[0], **options
            )
        )

    made = record(
        function,
        f"{band}, order {n}" + "".join(f", {v}" for v in more.values()),
        kernel,
        truth,
        *ripples,
        *Wn,
        btype=band,
        **more,
    )
    made.options["N"] = n
    return made


def records() -> list[Record]:
    low, pass_band = (0.3125,), (0.25, 0.40625)
    with mp.workdps(WORKING):
        found = [
            recursive("butter", n, band, (), low)
            for n, band in ((1, "lowpass"), (5, "lowpass"), (4, "highpass"))
        ]
        found += [
            recursive("butter", 8, "lowpass", (), (0.0625,)),
            recursive("bessel", 4, "lowpass", (), low, norm="delay"),
        ]
        found += [recursive("bessel", 5, "highpass", (), low, norm="phase")]
        for name, ripples in (
            ("butter", ()),
            ("cheby1", (0.5,)),
            ("cheby2", (40.0,)),
            ("ellip", (0.5, 40.0)),
        ):
            found += [
                recursive(name, 3, "bandpass", ripples, pass_band),
                recursive(name, 2, "bandstop", ripples, pass_band),
            ]
            found += [recursive(name, n, "lowpass", ripples, low) for n in (4, 5) if ripples]
        for name, band in (("iirnotch", "bandstop"), ("iirpeak", "bandpass")):
            kernel = lambda w0, Q, name=name: np.concatenate(getattr(scipy.signal, name)(w0, Q))  # noqa: E731
            found += [
                record(
                    name,
                    f"w0 = {w0}, Q = {Q}",
                    kernel,
                    lambda w0, Q, band=band: resonance(w0, Q, band),
                    w0,
                    Q,
                )
                for w0, Q in ((0.25, 30.0), (0.75, 2.0))
            ]
        for taps, beta in ((8, 5.0), (21, 8.5)):
            kernel = lambda cutoff, beta, numtaps: scipy.signal.firwin(  # noqa: E731
                numtaps, cutoff, window=("kaiser", float(beta))
            )
            truth = lambda cutoff, beta, taps=taps: firwin(taps, cutoff, beta)  # noqa: E731
            found.append(
                record("firwin", f"{taps} taps, Kaiser", kernel, truth, 0.3125, beta, numtaps=taps)
            )
        kernel = lambda *v, numtaps: scipy.signal.firls(numtaps, [0, v[0], v[1], 1], v[2:])  # noqa: E731
        truth = lambda *v: firls(7, (mp.mpf(0), *v[:2], mp.mpf(1)), v[2:])  # noqa: E731
        found.append(
            record("firls", "7 taps", kernel, truth, 0.25, 0.5, 1.0, 0.75, 0.25, 0.0, numtaps=7)
        )
    return found
