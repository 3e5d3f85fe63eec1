"""overwrite_a=True outside of transforms is SciPy's; under one no argument is written into, traced
or not.
"""

import inspect
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from scigrad import checkpoint, grad, jvp, vmap
from scigrad import linalg as room

linalg: Any = room
rng = np.random.default_rng(3)
N = 4
A = np.asfortranarray(rng.standard_normal((N, N)) + 5 * np.eye(N))
S = np.asfortranarray(A + A.T)
B = rng.standard_normal((N, 2))
BAND = np.asfortranarray(np.array([[0.0, 1, 1, 1], [5, 6, 7, 8]]))  # upper form: two diagonals
Q, R = (np.asfortranarray(x) for x in scipy.linalg.qr(A))

# what each function is called with
CALLS = {
    "cho_factor": (S,),
    "cho_solve": ((np.tril(S), True), np.asfortranarray(B)),
    "cho_solve_banded": ((BAND, False), np.asfortranarray(B)),
    "cholesky": (S,),
    "cholesky_banded": (BAND,),
    "det": (A,),
    "eig": (A, S),
    "eig_banded": (BAND,),
    "eigh": (S, S),
    "eigvals": (A,),
    "eigvals_banded": (BAND,),
    "eigvalsh": (S, S),
    "hessenberg": (A,),
    "inv": (A,),
    "ldl": (S,),
    "lstsq": (A, np.asfortranarray(B)),
    "lu": (A,),
    "lu_factor": (A,),
    "lu_solve": ((A, np.arange(N)), np.asfortranarray(B)),
    "matrix_balance": (A,),
    "null_space": (A,),
    "ordqz": (A, S),
    "qr": (A,),
    "qr_delete": (Q, R, 1),
    "qr_insert": (Q, R, np.ones(N), 1),
    "qr_multiply": (A, np.asfortranarray(A)),
    "qr_update": (Q, R, np.ones(N), np.ones(N)),
    "qz": (A, S),
    "rq": (A,),
    "schur": (A,),
    "solve": (A, np.asfortranarray(B)),
    "solve_banded": ((0, 1), BAND, np.asfortranarray(B)),
    "solve_triangular": (A, np.asfortranarray(B)),
    "solveh_banded": (BAND, np.asfortranarray(B)),
    "svd": (A,),
    "svdvals": (A,),
}


def flags(function):
    return {
        name: True
        for name in inspect.signature(function).parameters
        if name.startswith("overwrite_")
    }


def copies(x):
    return (
        tuple(map(copies, x))
        if isinstance(x, tuple)
        else x.copy("K")
        if isinstance(x, np.ndarray)
        else x
    )


def leaves(x):
    return (
        [leaf for item in x for leaf in leaves(item)] if isinstance(x, tuple) else [np.asarray(x)]
    )


def test_every_function_that_may_overwrite_is_here():
    assert set(CALLS) == {
        name
        for name in linalg.__all__
        if inspect.isfunction(f := getattr(linalg, name)) and flags(f)
    }


def recorded(f, x):
    return grad(lambda x: (f(), np.sum(x))[1])(x)


TRANSFORMS = {
    "grad": recorded,
    "jvp": lambda f, x: jvp(lambda x: (f(), x)[1], (x,), (x,)),
    "vmap": lambda f, x: vmap(lambda x: (f(), x)[1])(x),
    "checkpoint": lambda f, x: grad(checkpoint(lambda x: (f(), np.sum(x))[1]))(x),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_overwritten_under_a_transform(name, transform):
    function, arguments = getattr(linalg, name), copies(CALLS[name])
    TRANSFORMS[transform](lambda: function(*arguments, **flags(function)), np.ones(3))
    for found, expected in zip(leaves(arguments), leaves(CALLS[name]), strict=True):
        assert np.array_equal(found, expected)


def test_a_gradient_reads_what_a_later_call_was_allowed_to_overwrite():
    k = A.copy("K")

    def loss(x):
        y = k @ x
        return np.sum(y * linalg.lu_solve(linalg.lu_factor(k, overwrite_a=True), np.ones(N)))

    assert np.allclose(grad(loss)(np.ones(N)), A.T @ np.linalg.solve(A, np.ones(N)), rtol=1e-12)


def test_a_traced_argument_is_not_overwritten():
    a, b = S.copy("K"), np.ones(N)
    grad(lambda a: np.sum(linalg.solve(a, b, overwrite_a=True, overwrite_b=True)))(a)
    grad(lambda a: np.sum(linalg.cholesky(a, overwrite_a=True)))(a)
    grad(lambda a: np.sum(linalg.inv(a, overwrite_a=True)))(a)
    assert np.array_equal(a, S)
    assert np.array_equal(b, np.ones(N))


# cho_factor and null_space never use the permission
@pytest.mark.parametrize("name", sorted(set(CALLS) - {"cho_factor", "null_space"}))
def test_outside_of_transforms_what_scipy_overwrites_is_overwritten(name):
    function, ours, theirs = getattr(linalg, name), copies(CALLS[name]), copies(CALLS[name])
    function(*ours, **flags(function))
    # eigvals has one more since 1.18
    getattr(scipy.linalg, name)(*theirs, **flags(getattr(scipy.linalg, name)))
    for found, expected in zip(leaves(ours), leaves(theirs), strict=True):
        assert np.array_equal(found, expected, equal_nan=True)
