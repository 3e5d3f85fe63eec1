"""Measure the rounding error of the transforms up to length 2^22: docs/fft_accuracy.md and
docs/fft_accuracy.svg.

python docs/generate/fft_accuracy.py

The truth is SciPy's transform in 80-bit long double, of the same numbers; mpmath's, for short
lengths, is in reference_data/fft. The error is ||y - truth|| / ||truth|| (2-norms) in units of eps,
for normally distributed samples. Rounding errors that are independent add up to eps sqrt(log2 n)
(J. C. Schatzman, SIAM J. Sci. Comput. 17 (1996) 1150-1166); a worst case grows as log n.
"""

from pathlib import Path

import numpy as np
import scipy.fft

from scigrad import fft

DOCS = Path(__file__).resolve().parents[1]
LENGTHS = [2**k for k in range(2, 23)]
OTHERS = [3**12, 10**6, 9973, 31_991, 100_003, 1_000_003]
COLUMNS = {
    "fft": (fft.fft, np.complex128),
    "rfft": (fft.rfft, np.float64),
    "dct": (fft.dct, np.float64),
    "scipy.fft.fft": (scipy.fft.fft, np.complex128),
    "fft, single": (fft.fft, np.complex64),
    "dct, single": (fft.dct, np.float32),
}
WIDE = {"c": np.clongdouble, "f": np.longdouble}


def error(function, dtype, n):
    """In units of eps of the dtype."""
    draw = np.random.default_rng(n)
    x = draw.standard_normal(n)
    x = (x + 1j * draw.standard_normal(n) if np.dtype(dtype).kind == "c" else x).astype(dtype)
    truth = getattr(scipy.fft, function.__name__)(x.astype(WIDE[x.dtype.kind]))
    # the norms in long double too
    return float(np.linalg.norm(function(x) - truth) / np.linalg.norm(truth) / np.finfo(dtype).eps)


def measured(lengths):
    return {n: [error(function, dtype, n) for function, dtype in COLUMNS.values()] for n in lengths}


def growth(table):
    """The c of c sqrt(log2 n), by least squares, and the largest error as a multiple of that."""
    roots = np.sqrt(np.log2(list(table)))
    errors = np.array(list(table.values()))
    c = roots @ errors / (roots @ roots)
    return c, (errors / (roots[:, None] * c)).max(axis=0)


def rows(table):
    return [
        f"| {label(n)} | {' | '.join(f'{e:.2f}' for e in errors)} |" for n, errors in table.items()
    ]


def label(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}"


def page(powers, others):
    c, worst = growth(powers)
    head = [f"| length | {' | '.join(COLUMNS)} |", f"| --- |{' ---: |' * len(COLUMNS)}"]
    text = " ".join((__doc__ or "").split("\n\n")[2].split())
    return "\n".join(
        [
            "# Rounding errors of the transforms",
            "",
            "Written by `docs/generate/fft_accuracy.py`. " + text,
            "",
            "![error against length](fft_accuracy.svg)",
            "",
            *head,
            *rows(powers),
            f"| c, of c sqrt(log2 n) | {' | '.join(f'{v:.2f}' for v in c)} |",
            f"| largest error / (c sqrt(log2 n)) | {' | '.join(f'{v:.2f}' for v in worst)} |",
            "",
            (
                "Other lengths; long primes go through Bluestein's algorithm, two transforms of "
                "more than twice the length:"
            ),
            "",
            *head,
            *rows(others),
            "",
        ]
    )


def picture(powers):
    """The errors against log2 n, by hand: an SVG that needs no library and changes only with the
    numbers.
    """
    colors = ("#1b6ca8", "#c8553d", "#3a7d44", "#888888", "#7b4f9d", "#c49a00")
    c, _ = growth(powers)
    top = 1.1 * max(max(errors) for errors in powers.values())

    def place(n, e):
        return f"{60 + 600 * (np.log2(n) - 2) / 20:.1f},{330 - 290 * e / top:.1f}"

    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 380" font-family="sans-serif" font-size="13">',
             '<rect width="820" height="380" fill="white"/><path d="M60 30V330H665" fill="none" stroke="black"/>']  # fmt: skip
    for k in range(2, 23, 4):
        lines.append(f'<text x="{60 + 30 * (k - 2)}" y="350" text-anchor="middle">2^{k}</text>')
    for e in np.arange(0, top, 0.25):
        lines.append(f'<text x="52" y="{334 - 290 * e / top:.1f}" text-anchor="end">{e:g}</text>')
    for i, (name, color) in enumerate(zip(COLUMNS, colors, strict=True)):
        points = " ".join(place(n, errors[i]) for n, errors in powers.items())
        fit = " ".join(place(n, c[i] * np.sqrt(np.log2(n))) for n in powers)
        lines += [
            f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>',
            f'<polyline points="{fit}" fill="none" stroke="{color}" stroke-dasharray="3 4"/>',
            f'<text x="680" y="{60 + 22 * i}" fill="{color}">{name}</text>',
        ]
    lines += ['<text x="360" y="372" text-anchor="middle">length; dotted: c sqrt(log2 n)</text>',
              '<text x="60" y="20">relative error (2-norm), in eps of the precision</text></svg>',
              ""]  # fmt: skip
    return "\n".join(lines)


if __name__ == "__main__":
    powers = measured(LENGTHS)
    (DOCS / "fft_accuracy.md").write_text(page(powers, measured(OTHERS)))
    (DOCS / "fft_accuracy.svg").write_text(picture(powers))
