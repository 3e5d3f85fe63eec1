"""eigh_tridiagonal, eig_banded and their eigenvalues. Eigenvectors are compared with
canonical=True.
"""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def turned(v):
    """Eigenvectors whose first of the largest components is positive."""
    size = np.abs(v)
    first = np.argmax(size >= 0.99 * size.max(axis=-2, keepdims=True), axis=-2)
    lead = np.take_along_axis(v, first[..., None, :], axis=-2)
    return v * np.conj(lead / np.abs(lead))


def canonical(function):
    def reference(*args, canonical=False, on_fail=None, **options):
        found = function(*args, **options)
        return (found[0], turned(found[1])) if canonical else found

    return reference


def diagonals(draw, n=4, batch=()):
    """With eigenvalues near 1, 3, 5, ..."""
    return 2.0 * np.arange(n, dtype=draw.real_dtype) + 1 + draw.uniform(
        0, 0.3, *batch, n
    ), draw.uniform(0.3, 0.8, *batch, n - 1)


def tridiagonal_gradients(draw):
    if draw.is_complex:
        return
    yield "all", diagonals(draw), {"canonical": True}
    yield "eigenvalues", diagonals(draw), {"eigvals_only": True, "check_finite": False}
    yield "by index", diagonals(draw), {"select": "i", "select_range": (1, 2), "canonical": True}
    yield (
        "eigenvalues by index",
        diagonals(draw),
        {"select": "i", "select_range": (0, 1), "eigvals_only": True},
    )
    yield "batch", diagonals(draw, 3, (2,)), {"canonical": True}
    yield (
        "batch that broadcasts",
        (diagonals(draw, 3, (2,))[0], diagonals(draw, 3)[1]),
        {"eigvals_only": True},
    )


def tridiagonal_values(draw):
    yield from tridiagonal_gradients(draw)
    if not draw.is_complex:
        yield "driver", diagonals(draw), {"lapack_driver": "stemr", "canonical": True}
        yield (
            "by value",
            diagonals(draw),
            {"select": "v", "select_range": (2.0, 6.0), "canonical": True},
        )
        yield (
            "tolerance",
            diagonals(draw),
            {"select": "v", "select_range": (2.0, 6.0), "tol": 1e-14, "eigvals_only": True},
        )
        yield "sterf", diagonals(draw), {"lapack_driver": "sterf", "eigvals_only": True}
        yield "one number", (draw.real(1), draw.real(0)), {}


def tridiagonal_errors(draw):
    d, e = diagonals(draw)
    yield "lengths", (d, d), {}, ValueError, "one more element"
    yield "complex", (d, e + 0j), {}, TypeError, "real"
    yield "NaN", (d * np.nan, e), {}, ValueError, "infs or NaNs"
    yield "select", (d, e), {"select": "x"}, ValueError, "invalid argument for select"
    yield "range", (d, e), {"select": "i", "select_range": (0, 9)}, ValueError, "out of bounds"
    yield (
        "order of the range",
        (d, e),
        {"select": "v", "select_range": (2, 1)},
        ValueError,
        "nondecreasing",
    )
    yield "no integers", (d, e), {"select": "i", "select_range": (0.0, 1.0)}, ValueError, "integers"
    yield "driver", (d, e), {"lapack_driver": "foo"}, ValueError, "lapack_driver"
    yield (
        "driver for all",
        (d, e),
        {"lapack_driver": "stev", "select": "i", "select_range": (0, 1)},
        ValueError,
        "select == ",
    )
    yield (
        "by value in a batch",
        (np.stack([d, d + 9]), e),
        {"select": "v", "select_range": (0, 2)},
        ValueError,
        "select='i'",
    )


def only_values(samples):
    def chosen(draw):
        for name, args, kwargs, *rest in samples(draw):
            if kwargs.get("lapack_driver") != "sterf" or kwargs.get("eigvals_only"):
                yield (
                    name,
                    args,
                    {k: v for k, v in kwargs.items() if k not in ("eigvals_only", "canonical")},
                    *rest,
                )

    return chosen


def band(draw, rows=3, n=4, lower=False, batch=()):
    """A band with eigenvalues near 2, 4, 6, ..., and something in its corners."""
    ab = 0.3 * draw.array(*batch, rows, n)
    ab[..., 0 if lower else rows - 1, :] += 2 * np.arange(1, n + 1)
    return ab


def banded_gradients(draw):
    for lower in (False, True):
        yield f"lower={lower}", (band(draw, lower=lower),), {"lower": lower, "canonical": True}
    yield "eigenvalues", (band(draw),), {"eigvals_only": True, "check_finite": False}
    yield "diagonal", (band(draw, 1),), {"eigvals_only": True}
    yield "wide", (band(draw, 3, 3),), {"canonical": True}
    yield "by index", (band(draw),), {"select": "i", "select_range": (1, 2), "canonical": True}
    yield "batch", (band(draw, 2, 3, batch=(2,)),), {"canonical": True}
    yield "on_fail=nan", (band(draw, 2, 3),), {"on_fail": "nan", "canonical": True}


def banded_values(draw):
    yield from banded_gradients(draw)
    yield (
        "by value",
        (band(draw),),
        {"select": "v", "select_range": (3.0, 7.0), "max_ev": 4, "canonical": True},
    )
    yield "one number", (band(draw, 1, 1),), {"canonical": True}
    yield "empty", (draw.array(1, 0),), {"eigvals_only": True}


def banded_value_samples(samples):
    def chosen(draw):
        for name, args, kwargs, *rest in samples(draw):
            yield (
                name,
                args,
                {
                    k: v
                    for k, v in kwargs.items()
                    if k not in ("eigvals_only", "canonical", "max_ev")
                },
                *rest,
            )

    return chosen


def banded_errors(draw):
    ab = band(draw)
    yield "vector", (ab[0],), {}, ValueError, "(?i)2-D"
    yield "NaN", (ab * np.nan,), {}, ValueError, "infs or NaNs"
    yield "select", (ab,), {"select": "x"}, ValueError, "invalid argument for select"
    yield "range", (ab,), {"select": "i", "select_range": (0, 9)}, ValueError, "out of bounds"
    yield "unknown policy", (ab,), {"on_fail": "skip"}, ValueError, "on_fail must be one of"


def without_policy(function):
    return lambda *args, on_fail=None, **options: function(*args, **options)


specs = [
    OpSpec(
        function=linalg.eigh_tridiagonal,
        reference=canonical(scipy.linalg.eigh_tridiagonal),
        samples=tridiagonal_values,
        gradient_samples=tridiagonal_gradients,
        error_samples=tridiagonal_errors,
        size=lambda draw, n: (diagonals(draw, n), {}),
    ),
    OpSpec(
        function=linalg.eigvalsh_tridiagonal,
        reference=scipy.linalg.eigvalsh_tridiagonal,
        samples=only_values(tridiagonal_values),
        gradient_samples=only_values(tridiagonal_gradients),
        error_samples=only_values(tridiagonal_errors),
        size=lambda draw, n: (diagonals(draw, n), {}),
    ),
    OpSpec(
        function=linalg.eig_banded,
        reference=canonical(scipy.linalg.eig_banded),
        samples=banded_values,
        gradient_samples=banded_gradients,
        error_samples=banded_errors,
        size=lambda draw, n: ((band(draw, 4, n),), {}),
    ),
    OpSpec(
        function=linalg.eigvals_banded,
        reference=without_policy(scipy.linalg.eigvals_banded),
        samples=banded_value_samples(banded_values),
        gradient_samples=banded_value_samples(banded_gradients),
        error_samples=banded_errors,
        size=lambda draw, n: ((band(draw, 4, n),), {}),
    ),
]
