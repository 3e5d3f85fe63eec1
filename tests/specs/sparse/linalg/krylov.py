"""Iterative solvers. Their records, operators and refusals are in
tests/sparse/test_krylov.py.
"""

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from scigrad import sparse
from scigrad.testing import OpSpec


def general(draw, n):
    return (2 * np.eye(n) + 0.3 * draw.array(n, n)).astype(draw.dtype)


def samples(method):
    def draw_samples(draw):
        single = draw.dtype.itemsize == 4 * (1 + draw.is_complex)
        options = {"rtol": 1e-5 if single else 1e-14 if method == "cg" else 1e-12}
        if method == "minres" and draw.is_complex:
            return  # SciPy's takes real numbers only
        matrix = (
            draw.positive_definite if method in ("cg", "minres") else lambda n: general(draw, n)
        )
        b = draw.array(4)
        yield "dense", (matrix(4), b), options
        yield "sparse", (scipy.sparse.csr_array(matrix(4)), b), options
        yield "first guess", (matrix(4), b, draw.array(4)), options
        if method == "qmr":
            yield (
                "preconditioned",
                (matrix(4), b),
                options | {"M1": np.diag(draw.positive(4)), "M2": general(draw, 4)},
            )
        elif method != "tfqmr":
            # SciPy's does not solve A x = b then: tests/sparse/test_krylov.py
            yield "preconditioned", (matrix(4), b), options | {"M": np.diag(draw.positive(4))}
        yield "column", (matrix(3), draw.array(3, 1)), options
        if method == "cg":
            yield "right-hand side 0", (matrix(3), 0 * draw.array(3)), options
        if method == "minres":
            yield "shifted", (matrix(4), b), options | {"shift": 0.3}
        if method == "gmres":
            yield "restarted", (matrix(4), b), options | {"restart": 3}

    return draw_samples


def errors(method):
    def draw_errors(draw):
        yield "not square", (np.ones((3, 2)), np.ones(3)), {}, ValueError, "expected square matrix"
        yield "too short", (np.eye(3), np.ones(2)), {}, ValueError, "incompatible"
        if method != "minres":
            yield "tolerance", (np.eye(3), np.ones(3)), {"atol": -1.0}, ValueError, "invalid atol"

    return draw_errors


def poisson(draw, n):
    line = scipy.sparse.diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    beside = scipy.sparse.diags_array([-1.0, -1.0], offsets=[-1, 1], shape=(n, n))
    both = scipy.sparse.kron(scipy.sparse.eye_array(n), line) + scipy.sparse.kron(
        beside, scipy.sparse.eye_array(n)
    )
    return (both.tocsc(), draw.array(n * n)), {}


def spec(method, failures):
    def reference(*args, **options):
        matrices = {
            name: scipy.sparse.linalg.aslinearoperator(options[name])
            for name in ("M1", "M2")
            if name in options
        }
        return getattr(scipy.sparse.linalg, method)(*args, **options | matrices)

    return OpSpec(
        function=getattr(sparse.linalg, method),
        reference=reference,
        samples=samples(method),
        error_samples=errors(method),
        size=poisson,
        known_failures=failures,
    )


OVERFLOW = "squares of residuals under- and overflow, in SciPy's too"
KNOWN = {
    "cg": {
        ("extreme", "numpy"): OVERFLOW,
        (
            "narrow",
            "numpy",
        ): "where the method breaks down SciPy's x is NaN, ours is the last one before",
    }
}
METHODS = ("bicg", "bicgstab", "cg", "cgs", "gcrotmk", "gmres", "lgmres", "minres", "qmr", "tfqmr")

specs = [spec(method, KNOWN.get(method, {})) for method in METHODS]
