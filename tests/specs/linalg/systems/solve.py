"""solve, solve_triangular, inv."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError
STRUCTURES = (
    None, "general", "diagonal", "tridiagonal", "upper triangular", "lower triangular", "symmetric",
    "hermitian", "positive definite",
)  # fmt: skip


def dominant(draw, n, batch=()):
    """A full matrix whose every part (a triangle, the diagonal, ...) is well-conditioned too; no
    symmetry.
    """
    return (0.4 * draw.array(*batch, n, n) + 3 * np.eye(n)).astype(draw.dtype)


def solve_samples(draw):
    n = 4
    a = dominant(draw, n)
    yield "vector", (a, draw.array(n)), {}
    yield "matrix of right-hand sides", (a, draw.array(n, 2)), {}
    for structure in STRUCTURES:
        yield f"assume_a={structure}", (a, draw.array(n)), {"assume_a": structure}
    for structure in ("sym", "her", "pos"):
        yield f"lower, {structure}", (a, draw.array(n, 1)), {"assume_a": structure, "lower": True}
    yield "banded", (np.tril(np.triu(a, -1), 2), draw.array(n)), {"assume_a": "banded"}
    yield "real matrix, any b", (dominant(draw, 3).real, draw.array(3)), {}
    yield "any matrix, real b", (dominant(draw, 3), draw.real(3, 2)), {"assume_a": "gen"}
    yield "number", (dominant(draw, 1), draw.array(3)), {}
    yield "not checked", (a, draw.array(n)), {"check_finite": False}
    if not draw.is_complex:
        for structure in (None, "gen", "sym", "upper triangular", "tridiagonal", "diagonal"):
            yield (
                f"transposed, {structure}",
                (a, draw.array(n)),
                {"assume_a": structure, "transposed": True},
            )


def solve_value_samples(draw):
    yield from solve_samples(draw)
    a = dominant(draw, 4)
    for name, detected in (
        ("diagonal", np.diag(np.diag(a))),
        ("lower", np.tril(a)),
        ("upper", np.triu(a)),
        ("symmetric", a + a.T),
        ("tridiagonal", np.tril(np.triu(a, -1), 1)),
        ("positive definite", draw.positive_definite(4)),
        ("Hermitian", draw.hermitian(4) - 1.7 * np.eye(4)),
    ):
        yield f"detected: {name}", (detected, draw.array(4)), {}
    yield "batch", (dominant(draw, 3, (2,)), draw.array(2, 3, 2)), {}
    yield "batches that broadcast", (dominant(draw, 3, (2, 1)), draw.array(3, 3, 1)), {}
    yield "batch, one vector", (dominant(draw, 3, (2,)), draw.array(3)), {}
    yield "one matrix, batch of b", (dominant(draw, 3), draw.array(2, 3, 1)), {}
    yield (
        "larger than what is inverted in batches",
        (dominant(draw, 30, (2,)), draw.array(2, 30, 1)),
        {},
    )
    yield (
        "larger, positive definite",
        (draw.positive_definite(30, (2,)), draw.array(30)),
        {"assume_a": "pos"},
    )
    yield "empty", (draw.array(0, 0), draw.array(0, 2)), {}
    yield "empty batch", (draw.array(0, 2, 2), draw.array(0, 2, 1)), {}


def solve_gradient_samples(draw):
    yield from solve_samples(draw)
    yield "batch", (dominant(draw, 3, (2,)), draw.array(2, 3, 2)), {}
    yield "batches that broadcast", (dominant(draw, 2, (2, 1)), draw.array(2, 2, 1)), {}
    yield "batch, one vector", (dominant(draw, 2, (2,)), draw.array(2)), {}
    yield "one matrix, batch of b", (dominant(draw, 2), draw.array(2, 2, 1)), {}
    yield "batch, structure", (dominant(draw, 2, (2,)), draw.array(2, 2, 1)), {"assume_a": "her"}
    yield "on_fail=nan", (dominant(draw, 2, (2,)), draw.array(2, 2, 1)), {"on_fail": "nan"}
    yield "on_fail=info", (dominant(draw, 2), draw.array(2)), {"on_fail": "info"}


def solve_errors(draw):
    a, b = draw.well_conditioned(3), draw.array(3)
    yield "not square", (draw.array(2, 3), b), {}, ValueError, r"square.*\(2, 3\)"
    yield "rows do not fit", (a, draw.array(2)), {}, ValueError, r"(?i)incompatible shapes"
    yield (
        "batch of vectors",
        (draw.well_conditioned(3, (2,)), draw.array(2, 4)),
        {},
        ValueError,
        "(?i)incompatible shapes",
    )
    yield "NaN", (a * np.nan, b), {}, ValueError, "infs or NaNs"
    yield (
        "unknown structure",
        (a, b),
        {"assume_a": "round"},
        ValueError,
        "round.*not a recognized matrix structure",
    )
    yield "unknown policy", (a, b), {"on_fail": "ignore"}, ValueError, "on_fail must be one of"
    yield "transposed complex", (a + 0j, b), {"transposed": True}, NotImplementedError, "complex"
    yield from singular_errors(a, b)
    yield (
        "strings",
        (a, np.array(["x", "y", "z"])),
        {},
        (ValueError, TypeError, DeprecationWarning),
        "",
    )


def singular_errors(a, b):
    singular = np.ones((3, 3))
    yield (
        "singular",
        (singular, b),
        {},
        LinAlgError,
        r"solve: argument 'a' of shape \(3, 3\) is singular.*lstsq.*on_fail",
    )
    yield (
        "singular in a batch",
        (np.stack([a, singular]), b),
        {},
        LinAlgError,
        r"\(2, 3, 3\) is singular at batch index \(1,\)",
    )
    yield (
        "indefinite",
        (-a @ a.T, b),
        {"assume_a": "pos"},
        LinAlgError,
        "not positive definite: its leading minor of order 1",
    )


def triangular_samples(draw):
    a = dominant(draw, 3)
    for trans in (0, 1, 2, "N", "T", "C"):
        for lower in (False, True):
            yield (
                f"trans={trans}, lower={lower}",
                (a, draw.array(3, 2)),
                {"trans": trans, "lower": lower},
            )
    yield "unit diagonal", (0.5 * a, draw.array(3)), {"unit_diagonal": True, "lower": True}
    yield "unit diagonal, adjoint", (0.5 * a, draw.array(3)), {"unit_diagonal": True, "trans": "C"}
    yield "real matrix, any b", (a.real, draw.array(3)), {"trans": "C"}
    yield "batch", (dominant(draw, 2, (2,)), draw.array(2, 2, 1)), {"lower": True, "trans": 1}
    yield "not checked", (a, draw.array(3)), {"check_finite": False}


def triangular_value_samples(draw):
    yield from triangular_samples(draw)
    yield "empty", (draw.array(0, 0), draw.array(0)), {}
    yield "larger batch", (dominant(draw, 30, (2,)), draw.array(2, 30, 1)), {"trans": 2}


def triangular_errors(draw):
    a = dominant(draw, 3)
    yield "not square", (draw.array(2, 3), draw.array(2)), {}, ValueError, "square"
    yield "rows do not fit", (a, draw.array(2)), {}, ValueError, "(?i)incompatible"
    yield "infinity", (a + np.inf, draw.array(3)), {}, ValueError, "infs or NaNs"
    zero = a - np.diag([0, a[1, 1], 0])
    yield (
        "zero on the diagonal",
        (zero, draw.array(3)),
        {},
        LinAlgError,
        "solve_triangular.*singular: diagonal element 2",
    )


def inverse_samples(draw):
    a = dominant(draw, 3)
    for structure in (
        None,
        "general",
        "gen",
        "diagonal",
        "upper triangular",
        "lower triangular",
        "pos",
        "sym",
        "her",
    ):
        yield f"assume_a={structure}", (a,), {"assume_a": structure}
    for structure in ("pos", "sym", "her"):
        yield f"lower, {structure}", (a,), {"assume_a": structure, "lower": True}
    yield "batch", (dominant(draw, 2, (2,)),), {}
    yield "batch, structure", (dominant(draw, 2, (2,)),), {"assume_a": "her", "lower": True}
    yield "one number", (dominant(draw, 1),), {"check_finite": False}


def inverse_value_samples(draw):
    yield from inverse_samples(draw)
    yield "detected: positive definite", (draw.positive_definite(3),), {}
    yield "detected: lower", (np.tril(dominant(draw, 3)),), {}
    yield "larger batch", (dominant(draw, 30, (2,)),), {}
    yield "empty", (draw.array(2, 0, 0),), {}


def inverse_gradient_samples(draw):
    yield from inverse_samples(draw)
    yield "on_fail=info", (dominant(draw, 2, (2,)),), {"on_fail": "info"}


def of_what_is_read(a, assume_a=None, **kwargs):
    """SciPy's inv of the matrix itself: where only a part is assumed to be read, it returns the
    other entries as they are.
    """
    part = {
        "diagonal": lambda x: np.tril(np.triu(x)),
        "upper triangular": np.triu,
        "lower triangular": np.tril,
    }.get(assume_a)
    return scipy.linalg.inv(part(a) if part else a, assume_a=assume_a, **kwargs)


def inverse_errors(draw):
    a = draw.well_conditioned(3)
    yield "not square", (draw.array(2, 3),), {}, ValueError, r"(?i)square.*\(2, 3\)"
    yield "vector", (draw.array(3),), {}, ValueError, "ndim=2|matrix"
    yield "NaN", (a * np.nan,), {}, ValueError, "infs or NaNs"
    yield (
        "singular",
        (np.ones((2, 2)),),
        {},
        LinAlgError,
        r"inv: .*'a' of shape \(2, 2\) is singular: pivot.* 2 is",
    )
    yield "in a batch", (np.stack([a, 0 * a]),), {}, LinAlgError, r"singular at batch index \(1,\)"
    yield "indefinite", (-a @ a.T,), {"assume_a": "pos"}, LinAlgError, "not positive definite"
    yield (
        "unknown structure",
        (a,),
        {"assume_a": "tridiagonal"},
        KeyError,
        "tridiagonal.*not a recognized",
    )


specs = [
    OpSpec(
        function=linalg.solve,
        reference=scipy.linalg.solve,
        samples=solve_value_samples,
        gradient_samples=solve_gradient_samples,
        error_samples=solve_errors,
        size=lambda draw, n: ((draw.well_conditioned(n), draw.array(n)), {}),
    ),
    OpSpec(
        function=linalg.solve_triangular,
        reference=scipy.linalg.solve_triangular,
        samples=triangular_value_samples,
        gradient_samples=triangular_samples,
        error_samples=triangular_errors,
        size=lambda draw, n: ((dominant(draw, n) + n * np.eye(n), draw.array(n)), {}),
    ),
    OpSpec(
        function=linalg.inv,
        reference=of_what_is_read,
        samples=inverse_value_samples,
        gradient_samples=inverse_gradient_samples,
        error_samples=inverse_errors,
        size=lambda draw, n: ((draw.well_conditioned(n),), {}),
    ),
]
