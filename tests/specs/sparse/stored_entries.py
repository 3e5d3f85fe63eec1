"""sampled_matmul, softmax and log_softmax."""

import numpy as np
import scipy.sparse
import scipy.special

from scigrad import sparse
from scigrad.testing import OpSpec

PATTERN = np.array([[1.0, 0, 1, 1], [0, 0, 0, 0], [1, 1, 0, 1]])
TWICE = np.array([2, 0, 0, 0, 2]), np.array([1, 3, 0, 3, 1])  # two places stored twice


def array(draw, form="csr", family="array"):
    return getattr(scipy.sparse, f"{form}_{family}")(
        (PATTERN * (draw.array(3, 4) + 3)).astype(draw.dtype)
    )


def twice(draw):
    return scipy.sparse.coo_array((draw.array(5), TWICE), shape=(3, 4))


def products(draw):
    for form in ("csr", "csc", "coo"):
        yield (
            form,
            (scipy.sparse.csr_array(PATTERN).asformat(form), draw.array(3, 2), draw.array(2, 4)),
            {},
        )
    yield "vectors", (scipy.sparse.csr_array(PATTERN), draw.array(3, 1), draw.array(1, 4)), {}
    yield (
        "one real factor",
        (scipy.sparse.csr_matrix(PATTERN), draw.array(3, 2), draw.real(2, 4)),
        {},
    )
    yield (
        "a place twice",
        (scipy.sparse.coo_array((np.ones(5), TWICE), (3, 4)), draw.array(3, 2), draw.array(2, 4)),
        {},
    )
    yield "values do not matter", (array(draw), draw.array(3, 2), draw.array(2, 4)), {}


def wrong_products(draw):
    yield "factors", (array(draw), draw.array(3, 2), draw.array(3, 4)), {}, ValueError, "do not fit"
    yield "pattern", (array(draw), draw.array(4, 2), draw.array(2, 4)), {}, ValueError, "do not fit"
    yield "vector", (array(draw), draw.array(3), draw.array(1, 4)), {}, ValueError, "do not fit"


def product(pattern, x, y):
    marks = scipy.sparse.coo_array(pattern)
    rows, cols = np.unique(np.stack(marks.coords), axis=1)
    return scipy.sparse.coo_array(
        ((np.asarray(x) @ y)[rows, cols], (rows, cols)), shape=marks.shape
    ).asformat(pattern.format)


def distributions(draw):
    if draw.dtype not in (np.float32, np.float64):
        return
    for form in ("csr", "csc", "coo"):
        yield form, (array(draw, form),), {}
        yield f"{form}, columns", (array(draw, form), 0), {}
    yield "all", (array(draw), None), {}
    yield "older class", (array(draw, "csc", "matrix"), -2), {}
    yield "a place twice", (twice(draw), 1), {}
    yield "exponentials that overflow", (shifted(draw, 800),), {}
    cube = scipy.sparse.coo_array(
        (draw.array(4), ([0, 1, 1, 0], [2, 0, 1, 2], [0, 1, 0, 1])), shape=(2, 3, 2)
    )
    yield "cube", (cube, (0, 2)), {}


def shifted(draw, by):
    a = array(draw)
    a.data += by if a.dtype == np.float64 else by // 8
    return a


def wrong_distributions(draw):
    yield "complex", (array(draw) * 1j,), {}, ValueError, "complex"
    yield "axis", (array(draw), 2), {}, ValueError, "axis out of range"


def reference(function):
    def of_dense(A, axis=-1):
        marks = A.tocoo(copy=True)
        marks.sum_duplicates()
        dense = np.full(A.shape, -np.inf, np.result_type(A.dtype, np.float32))
        dense[tuple(marks.coords)] = marks.data
        with np.errstate(invalid="ignore"):  # a row without entries has nothing but -inf
            found = function(dense, axis=axis)
        return type(marks)((found[tuple(marks.coords)], marks.coords), shape=A.shape).asformat(
            A.format
        )

    return of_dense


specs = [
    OpSpec(
        function=sparse.sampled_matmul,
        reference=product,
        samples=products,
        error_samples=wrong_products,
    ),
    *(
        OpSpec(
            function=getattr(sparse, name),
            reference=reference(getattr(scipy.special, name)),
            samples=distributions,
            error_samples=wrong_distributions,
        )
        for name in ("softmax", "log_softmax")
    ),
]
