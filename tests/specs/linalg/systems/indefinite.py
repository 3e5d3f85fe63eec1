"""ldl, ldl_factor, ldl_solve."""

import functools

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.autodiff_rules import raw
from scigrad.linalg.foundation.lapack import routine
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def indefinite(draw, n, batch=(), conjugate=True, lower=True, unread=True):
    """A matrix with pivots of order 1 and 2, far from a tie; what is not read holds something
    else.
    """
    a = 0.2 * draw.array(*batch, n, n)
    diagonal, beside = (
        np.array([0.1, 0.3, 4.0, 1.0, 0.2])[:n],
        np.array([3.0, 0.2, 0.1, 0.3])[: n - 1],
    )
    beside = beside * (1 + 0.5j if draw.is_complex else 1)
    a = np.tril(a, -1) + np.diag(beside, -1)
    other = np.conj(a) if conjugate else a
    a = a + np.swapaxes(other, -1, -2) + np.diag(diagonal)  # its diagonal is real
    if unread:
        rubbish = np.triu(draw.array(n, n), 1)
        a = np.tril(a) + rubbish if lower else np.triu(a) + rubbish.T
    return a.astype(draw.dtype)


def options(draw):
    for lower in (True, False):
        for hermitian in (True, False) if draw.is_complex else (True,):
            yield {"lower": lower, "hermitian": hermitian}


def samples(draw):
    for chosen in options(draw):
        for n in (2, 3, 4):
            yield (
                f"{n}, {chosen}",
                (indefinite(draw, n, (), chosen["hermitian"], chosen["lower"]),),
                chosen,
            )
    symmetric = {"hermitian": not draw.is_complex}
    yield "batch", (indefinite(draw, 3, (2,), not draw.is_complex),), symmetric
    yield (
        "not checked",
        (indefinite(draw, 3, (), not draw.is_complex),),
        {"check_finite": False, **symmetric},
    )
    yield "one number", (draw.array(1, 1),), symmetric


def symmetric_samples(draw):
    yield from (case for case in samples(draw) if not (draw.is_complex and case[2]["hermitian"]))


def hermitian_samples(draw):
    if draw.is_complex:
        yield from (case for case in samples(draw) if case[2]["hermitian"])
        yield "batch", (indefinite(draw, 3, (2,)),), {}
        yield "positive definite", (draw.positive_definite(3),), {}


def values(draw):
    yield from samples(draw)
    yield "empty", (draw.array(0, 0),), {}
    yield "larger", (draw.hermitian(20) - 9.7 * np.eye(20),), {}


def errors(draw):
    yield "not square", (draw.array(2, 3),), {}, ValueError, "square"
    yield "NaN", (draw.array(2, 2) * np.nan,), {}, ValueError, "infs or NaNs"


def factor_errors(draw):
    yield from errors(draw)
    yield (
        "unknown policy",
        (draw.array(2, 2),),
        {"on_fail": "ignore"},
        ValueError,
        "on_fail must be one of",
    )


def by_lapack(a, lower=True, hermitian=False, check_finite=True, on_fail="raise"):
    """LAPACK's own storage, without what it leaves in the other triangle."""
    if a.ndim > 2:
        pairs = [by_lapack(x, lower, hermitian) for x in a]
        return np.stack([p[0] for p in pairs]), np.stack([p[1] for p in pairs])
    name = "hetrf" if hermitian and a.dtype.kind == "c" else "sytrf"
    ld, pivots, _ = routine(name, a.dtype.char)(a, lower=lower)
    return np.tril(ld) if lower else np.triu(ld), pivots


def factor_samples(draw):
    for chosen in options(draw):
        yield f"{chosen}", (indefinite(draw, 4, (), chosen["hermitian"], chosen["lower"]),), chosen
    yield "batch", (indefinite(draw, 3, (2,), False),), {}
    yield (
        "positive definite",
        (draw.positive_definite(3),),
        {"hermitian": True, "check_finite": False},
    )


def factor_gradient_samples(draw):
    yield from factor_samples(draw)
    yield "on_fail=nan", (indefinite(draw, 3, (2,), False),), {"on_fail": "nan"}
    yield "on_fail=info", (indefinite(draw, 2, (), False),), {"on_fail": "info"}


def solve_samples(draw):
    for chosen in options(draw):
        ld, pivots = linalg.ldl_factor(
            indefinite(draw, 4, (), chosen["hermitian"], chosen["lower"]), **chosen
        )
        ld = ld + (
            np.triu(draw.array(4, 4), 1) if chosen["lower"] else np.tril(draw.array(4, 4), -1)
        )
        yield f"vector, {chosen}", (ld, pivots, draw.array(4)), chosen
        yield f"matrix, {chosen}", (ld, pivots, draw.array(4, 2)), chosen
    pair = linalg.ldl_factor(indefinite(draw, 3, (2,), False))
    yield "batch", (*pair, draw.array(2, 3, 1)), {}
    yield "batch, one vector", (*pair, draw.array(3)), {"check_finite": False}
    yield "real matrix, any b", (*linalg.ldl_factor(indefinite(draw, 3).real), draw.array(3)), {}


def solve_gradient_samples(draw):
    yield from solve_samples(draw)
    pair = linalg.ldl_factor(indefinite(draw, 3, (2,), False))
    for policy in ("nan", "info"):
        yield f"on_fail={policy}", (*pair, draw.array(3)), {"on_fail": policy}


def solved_by_lapack(ld, pivots, b, hermitian=False, lower=True, check_finite=True):
    if ld.ndim > 2:
        rows = np.broadcast_to(b, (len(ld), *b.shape)) if b.ndim == 1 else b
        return np.stack(
            [solved_by_lapack(*row, hermitian, lower) for row in zip(ld, pivots, rows, strict=True)]
        )
    char = np.result_type(ld, b).char
    columns = (b if b.ndim > 1 else b[:, None]).astype(char)
    x = routine("hetrs" if hermitian and char in "FD" else "sytrs", char)(
        ld.astype(char), pivots, columns, lower=lower
    )[0]
    return x.reshape(b.shape)


def real_diagonal(function):
    """A function of Hermitian matrices, kept to those whose diagonal is real: SciPy warns of
    others, and of their neighbors.
    """

    @functools.wraps(function)
    def run(a, **options):
        if (
            a.dtype.kind == "c"
            and options.get("hermitian", True)
            and isinstance(raw(a), np.ndarray)
        ):
            a = np.where(np.eye(a.shape[-1], dtype=bool), np.real(a), a).astype(a.dtype)
        return function(a, **options)

    return run


def solve_values(draw):
    yield from solve_samples(draw)
    yield (
        "no right-hand side",
        (*linalg.ldl_factor(indefinite(draw, 3, (), False)), draw.array(3, 0)),
        {},
    )


def solve_errors(draw):
    ld, pivots = linalg.ldl_factor(draw.positive_definite(3))
    yield "rows do not fit", (ld, pivots, draw.array(2)), {}, ValueError, "incompatible shapes"
    yield "NaN", (ld, pivots, draw.array(3) * np.nan), {}, ValueError, "infs or NaNs"
    yield "singular", (0 * ld, pivots, draw.array(3)), {}, LinAlgError, "ldl_solve.*singular"


specs = [
    OpSpec(
        function=linalg.ldl,
        reference=scipy.linalg.ldl,
        samples=values,
        gradient_samples=symmetric_samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.hermitian(n) - (n / 2 + 0.3) * np.eye(n),), {}),
    ),
    OpSpec(
        function=real_diagonal(linalg.ldl), reference=scipy.linalg.ldl, samples=hermitian_samples
    ),
    OpSpec(
        function=linalg.ldl_factor,
        reference=by_lapack,
        samples=factor_samples,
        gradient_samples=factor_gradient_samples,
        error_samples=factor_errors,
        size=lambda draw, n: ((draw.hermitian(n) - (n / 2 + 0.3) * np.eye(n),), {}),
    ),
    OpSpec(
        function=linalg.ldl_solve,
        reference=solved_by_lapack,
        samples=solve_values,
        gradient_samples=solve_gradient_samples,
        error_samples=solve_errors,
        size=lambda draw, n: ((*linalg.ldl_factor(draw.positive_definite(n)), draw.array(n)), {}),
    ),
]
