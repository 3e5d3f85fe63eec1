"""eigh, eigvalsh. Eigenvectors are compared with canonical=True: without it their signs are the
algorithm's. What the laws cannot say (equal eigenvalues, gauges) is in tests/linalg/test_eigen.py.
"""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def lopsided(draw, n, lower=True, batch=(), make="hermitian"):
    """A Hermitian matrix whose other triangle holds something else."""
    a = getattr(draw, make)(n, batch)
    return (
        np.tril(a) + np.triu(draw.array(*batch, n, n), 1)
        if lower
        else np.triu(a) + np.tril(draw.array(*batch, n, n), -1)
    )


def definite(draw, n, lower=True, batch=()):
    return lopsided(draw, n, lower, batch, "positive_definite")


def canonical_eigh(a, b=None, *, canonical=False, on_fail=None, **options):
    """SciPy's eigh, its eigenvectors turned so that the first of their largest components is
    positive.
    """
    found = scipy.linalg.eigh(a, b, **options)
    if not canonical or isinstance(found, np.ndarray):
        return found
    w, v = found
    size = np.abs(v)
    first = np.argmax(size >= 0.99 * size.max(axis=-2, keepdims=True), axis=-2)
    lead = np.take_along_axis(v, first[..., None, :], axis=-2)
    return w, v * np.conj(lead / np.abs(lead))


def value_only(draw):
    for lower in (True, False):
        yield (
            f"eigenvalues, lower={lower}",
            (lopsided(draw, 3, lower),),
            {"eigvals_only": True, "lower": lower},
        )
    for kind in (1, 2, 3):
        yield (
            f"eigenvalues of a pair, type {kind}",
            (lopsided(draw, 3), definite(draw, 3)),
            {"eigvals_only": True, "type": kind},
        )
    yield (
        "some eigenvalues",
        (lopsided(draw, 4),),
        {"eigvals_only": True, "subset_by_index": (1, 2)},
    )


def gradient_samples(draw):
    yield from value_only(draw)
    for lower in (True, False):
        yield f"lower={lower}", (lopsided(draw, 3, lower),), {"lower": lower, "canonical": True}
    for kind in (1, 2, 3):
        pair = lopsided(draw, 3, False), definite(draw, 3, False)
        yield f"pair, type {kind}", pair, {"type": kind, "lower": False, "canonical": True}
    yield "by index", (lopsided(draw, 3),), {"subset_by_index": (1, 1), "canonical": True}
    yield (
        "pair, by index",
        (lopsided(draw, 3), definite(draw, 3)),
        {"subset_by_index": (0, 1), "canonical": True},
    )
    yield "batch", (lopsided(draw, 2, True, (2,)),), {"canonical": True}
    yield (
        "batch of pairs that broadcasts",
        (lopsided(draw, 2, True, (2,)), definite(draw, 2)),
        {"canonical": True},
    )
    yield "on_fail=info", (lopsided(draw, 2),), {"on_fail": "info", "eigvals_only": True}
    yield (
        "another driver",
        (lopsided(draw, 3),),
        {"driver": "evd", "canonical": True, "check_finite": False},
    )


def value_samples(draw):
    yield from (row for row in gradient_samples(draw) if "on_fail" not in row[2])
    yield "by value", (lopsided(draw, 4),), {"subset_by_value": (1.5, 3.5), "canonical": True}
    yield (
        "pair, by a driver",
        (lopsided(draw, 3), definite(draw, 3)),
        {"driver": "gvd", "canonical": True},
    )
    yield (
        "some, by a driver",
        (lopsided(draw, 3),),
        {"driver": "evx", "subset_by_index": (0, 1), "canonical": True},
    )
    yield "equal eigenvalues", (np.eye(3, dtype=draw.dtype),), {"eigvals_only": True}
    yield "one number", (draw.hermitian(1),), {}
    yield "empty", (draw.array(0, 0),), {}


def errors(draw):
    a, b = draw.hermitian(3), draw.positive_definite(3)
    yield "not square", (draw.array(2, 3),), {}, ValueError, "(?i)square"
    yield "NaN", (a * np.nan,), {}, ValueError, "infs or NaNs"
    yield "orders differ", (a, draw.positive_definite(2)), {}, ValueError, "wrong b dimensions"
    yield "unknown driver", (a,), {"driver": "qr"}, ValueError, "qr.*unknown"
    yield "driver for pairs", (a,), {"driver": "gvd"}, ValueError, "requires input b array"
    yield "driver for one", (a, b), {"driver": "evd"}, ValueError, "does not accept input b array"
    yield "unknown type", (a, b), {"type": 4}, ValueError, "type.* 1, 2, and 3"
    yield from subset_errors(a)
    yield "unknown gauge", (np.stack([a, a]),), {"gauge": "fix"}, ValueError, "gauge must be one of"
    indefinite = b - 3 * np.diag([0, 1, 0])
    yield (
        "b is indefinite",
        (a, indefinite),
        {},
        LinAlgError,
        r"eig(vals)?h: argument 'b'.*not positive definite.*order 2",
    )


def subset_errors(a):
    yield (
        "two subsets",
        (a,),
        {"subset_by_index": (0, 1), "subset_by_value": (0, 1)},
        ValueError,
        "(?i)either index or value",
    )
    yield (
        "subset out of range",
        (a,),
        {"subset_by_index": (1, 3)},
        ValueError,
        "indices are not valid",
    )
    yield "empty interval", (a,), {"subset_by_value": (2, 1)}, ValueError, "bounds are not valid"
    yield (
        "driver without subsets",
        (a,),
        {"driver": "evd", "subset_by_index": (0, 1)},
        ValueError,
        "cannot compute subsets",
    )
    several = np.stack([np.eye(3), 9 * np.eye(3)])
    yield (
        "by value in a batch",
        (several,),
        {"subset_by_value": (0, 2)},
        ValueError,
        "use subset_by_index",
    )


def eigvalsh_samples(draw):
    yield "eigenvalues", (lopsided(draw, 3),), {}
    yield "upper triangle", (lopsided(draw, 3, False),), {"lower": False, "check_finite": False}
    yield "pair", (lopsided(draw, 3), definite(draw, 3)), {"type": 2}
    yield "some", (lopsided(draw, 4),), {"subset_by_index": (0, 2)}
    yield "batch", (lopsided(draw, 2, True, (3,)),), {}


def eigvalsh_value_samples(draw):
    yield from eigvalsh_samples(draw)
    yield "by value", (lopsided(draw, 4),), {"subset_by_value": (1.5, 9)}
    yield "a driver", (lopsided(draw, 4),), {"driver": "ev"}


specs = [
    OpSpec(
        function=linalg.eigh,
        reference=canonical_eigh,
        samples=value_samples,
        gradient_samples=gradient_samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.hermitian(n),), {}),
    ),
    OpSpec(
        function=linalg.eigvalsh,
        reference=scipy.linalg.eigvalsh,
        samples=eigvalsh_value_samples,
        gradient_samples=eigvalsh_samples,
        error_samples=lambda draw: (row for row in errors(draw) if "gauge" not in row[2]),
        size=lambda draw, n: ((draw.hermitian(n),), {}),
    ),
]
