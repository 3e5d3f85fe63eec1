"""tril, triu, find, permute_dims, swapaxes, expand_dims."""

import numpy as np
import scipy.sparse

from scigrad import sparse
from scigrad.testing import OpSpec

PATTERN = np.array([[1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 1]])
UNSORTED = np.array([2, 0, 0, 1, 2]), np.array([1, 3, 0, 2, 3])
TWICE = np.array([2, 0, 0, 0, 2]), np.array([1, 3, 0, 3, 1])


def array(draw, form="csr", family="array"):
    return getattr(scipy.sparse, f"{form}_{family}")(
        (PATTERN * (draw.array(3, 4) + 3)).astype(draw.dtype)
    )


def coo(draw, places):
    return scipy.sparse.coo_array((draw.array(5) + 3, places), shape=(3, 4))


def cube(draw):
    return scipy.sparse.coo_array(
        (draw.array(4), ([0, 1, 1, 0], [2, 0, 1, 2], [0, 1, 0, 1])), shape=(2, 3, 2)
    )


def triangles(draw):
    for form in ("csr", "csc"):
        yield form, (array(draw, form),), {}
    yield "unsorted", (coo(draw, UNSORTED), 1), {}
    yield "a place twice", (coo(draw, TWICE), -1, "csr"), {}
    yield "older class", (array(draw, "csr", "matrix"),), {}


def found(draw):
    for form in ("csr", "csc"):
        yield form, (array(draw, form),), {}
    yield "unsorted", (coo(draw, UNSORTED),), {}
    yield "a place twice", (coo(draw, TWICE),), {}


def permuted(draw):
    yield "matrix", (array(draw),), {}
    yield "coo", (coo(draw, UNSORTED),), {}
    yield "cube", (cube(draw),), {"axes": (1, 2, 0)}
    yield "cube, reversed", (cube(draw),), {}


def swapped(draw):
    yield "matrix", (array(draw), 0, 1), {}
    yield "cube", (cube(draw), 0, -1), {}
    yield "by columns", (array(draw, "csc"), 1, 0), {}


def expanded(draw):
    yield "matrix", (array(draw),), {}
    yield "cube", (cube(draw),), {"axis": -1}


def permuted_reference(A, axes=None):
    return scipy.sparse.permute_dims(A, axes, copy=True)  # SciPy changes A without copy


def axis_errors(draw):
    yield "axis", (array(draw), 0, 5), {}, ValueError, "axis|axes|bound"


def permute_errors(draw):
    yield "axes", (array(draw),), {"axes": (0, 0)}, ValueError, "axes|axis|repeated"


specs = [
    OpSpec(function=sparse.tril, reference=scipy.sparse.tril, samples=triangles),
    OpSpec(function=sparse.triu, reference=scipy.sparse.triu, samples=triangles),
    OpSpec(
        function=sparse.find,
        reference=scipy.sparse.find,
        samples=found,
        known_failures={("shapes", "any"): "how many entries are not 0 depends on the values"},
    ),
    OpSpec(
        function=sparse.permute_dims,
        reference=permuted_reference,
        samples=permuted,
        error_samples=permute_errors,
    ),
    OpSpec(
        function=sparse.swapaxes,
        reference=scipy.sparse.swapaxes,
        samples=swapped,
        error_samples=axis_errors,
    ),
    OpSpec(function=sparse.expand_dims, reference=scipy.sparse.expand_dims, samples=expanded),
]
