"""qr_insert, qr_delete, qr_update. The factors given have to be factors, so the laws vary the
matrix that they are factors of; the phases on the diagonal of r are the algorithm's, which on a
device is another one, so they see a positive diagonal.
"""

import functools

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def positive(function):
    """An update, its results with a positive diagonal of r."""

    @functools.wraps(function)
    def updated(*args, **options):
        q, r = function(*args, **options)
        d = np.diagonal(r, axis1=-2, axis2=-1)
        phase, k = d / np.abs(d), d.shape[-1]
        return q[..., :k] * phase[..., None, :], r[..., :k, :] / phase[..., None]

    return updated


def of_matrix(function, qr):
    """An update as a function of the matrix."""

    @functools.wraps(function)
    def of_a(a, *args, mode="economic", **options):
        return positive(function)(*qr(a, mode=mode), *args, **options)

    return of_a


def factors(draw, m, n, mode, *batch):
    q, r = np.linalg.qr(draw.array(*batch, m, n), "complete" if mode == "full" else "reduced")
    return {"Q": q, "R": r}


def insert_samples(draw):
    yield "row", (draw.array(3, 2), draw.array(2), 1), {}
    yield "rows", (draw.array(3, 2), draw.array(2, 2), -1), {"which": "row"}
    yield "column", (draw.array(4, 2), draw.array(4), 0), {"which": "col"}
    yield (
        "columns",
        (draw.array(5, 2), draw.array(5, 2), 2),
        {"which": "col", "check_finite": False},
    )
    yield "full, row", (draw.array(2, 3), draw.array(3), 1), {"mode": "full"}
    yield "batch", (draw.array(2, 3, 2), draw.array(1, 2), 1), {}


def insert_values(draw):
    for mode in ("full", "economic"):
        given = factors(draw, 4, 3, mode)
        yield f"{mode}, row", (), {**given, "u": draw.array(3), "k": 2}
        yield f"{mode}, rows", (), {**given, "u": draw.array(2, 3), "k": 0, "which": "row"}
        yield f"{mode}, column", (), {**given, "u": draw.array(4), "k": -1, "which": "col"}
    yield "batch", (), {**factors(draw, 4, 3, "full", 2), "u": draw.array(2, 2, 3), "k": 1}


def insert_errors(draw):
    given = {**factors(draw, 4, 3, "full"), "u": draw.array(3)}
    batch = {name: np.stack([x, x]) for name, x in given.items()}
    yield "k", (), {**given, "k": 5}, ValueError, "'k' is out of bounds"
    yield "k in a batch", (), {**batch, "k": 5}, ValueError, "'k' is out of bounds"
    yield (
        "which",
        (),
        {**given, "k": 0, "which": "diagonal"},
        ValueError,
        "'which' must be either 'row' or 'col'",
    )
    yield (
        "which in a batch",
        (),
        {**batch, "k": 0, "which": "diagonal"},
        ValueError,
        "'which' must be either 'row' or 'col'",
    )
    yield "NaN", (), {**given, "u": given["u"] * np.nan, "k": 0}, ValueError, "infs or NaNs"
    yield (
        "not factors",
        (),
        {**batch, "R": draw.array(2, 2, 2), "k": 0},
        ValueError,
        "not the factors of one matrix|compatible shapes",
    )


def delete_samples(draw):
    yield "row", (draw.array(4, 2), 1), {}
    yield "rows", (draw.array(4, 2), -2, 2), {}
    yield "column", (draw.array(4, 3), 0), {"which": "col"}
    yield "full, column", (draw.array(2, 4), 1), {"which": "col", "mode": "full"}
    yield "full, row", (draw.array(3, 3), 1), {"mode": "full", "check_finite": False}
    yield "batch", (draw.array(2, 3, 2), 0), {}


def delete_values(draw):
    for mode in ("full", "economic"):
        given = factors(draw, 4, 3, mode)
        yield f"{mode}, row", (), {**given, "k": 2}
        yield f"{mode}, columns", (), {**given, "k": 1, "p": 2, "which": "col"}
    yield "batch", (), {**factors(draw, 4, 3, "full", 2), "k": 1}


def delete_errors(draw):
    given = factors(draw, 4, 3, "full")
    batch = {name: np.stack([x, x]) for name, x in given.items()}
    for where, some in (("", given), (" in a batch", batch)):
        yield "k" + where, (), {**some, "k": 4}, ValueError, "'k' is out of bounds"
        yield "p" + where, (), {**some, "k": 3, "p": 2}, ValueError, "'p' is out of range"
        yield (
            "which" + where,
            (),
            {**some, "k": 0, "which": 0},
            ValueError,
            "'which' must be either 'row' or 'col'",
        )


def update_samples(draw):
    yield "rank 1", (draw.array(3, 2), draw.array(3), draw.array(2)), {}
    yield "rank 2", (draw.array(4, 2), draw.array(4, 2), draw.array(2, 2)), {"check_finite": False}
    yield "full", (draw.array(2, 2), draw.array(2), draw.array(2)), {"mode": "full"}
    yield "batch of u", (draw.array(3, 2), draw.array(2, 3, 1), draw.array(2, 1)), {}


def update_values(draw):
    for mode in ("full", "economic"):
        given = factors(draw, 5, 3, mode)
        yield f"{mode}, rank 1", (), {**given, "u": draw.array(5), "v": draw.array(3)}
        yield f"{mode}, rank 2", (), {**given, "u": draw.array(5, 2), "v": draw.array(3, 2)}
    yield (
        "batch",
        (),
        {**factors(draw, 4, 3, "full", 2), "u": draw.array(2, 4, 1), "v": draw.array(2, 3, 1)},
    )


def update_errors(draw):
    given = {**factors(draw, 4, 3, "full", 2), "u": draw.array(2, 4, 1)}
    yield (
        "v of another size",
        (),
        {**given, "v": draw.array(2, 4, 1)},
        ValueError,
        "do not fit a matrix|must equal|same",
    )
    yield (
        "another rank",
        (),
        {**given, "v": draw.array(2, 3, 2)},
        ValueError,
        "do not fit a matrix|must equal|same",
    )


def specs_of(function, reference, samples, values, errors):
    return [
        OpSpec(
            function=positive(function),
            reference=positive(reference),
            samples=values,
            error_samples=errors,
        ),
        OpSpec(
            function=of_matrix(function, linalg.qr),
            reference=of_matrix(reference, scipy.linalg.qr),
            samples=samples,
        ),
    ]


specs = [
    *specs_of(
        linalg.qr_insert, scipy.linalg.qr_insert, insert_samples, insert_values, insert_errors
    ),
    *specs_of(
        linalg.qr_delete, scipy.linalg.qr_delete, delete_samples, delete_values, delete_errors
    ),
    *specs_of(
        linalg.qr_update, scipy.linalg.qr_update, update_samples, update_values, update_errors
    ),
]
