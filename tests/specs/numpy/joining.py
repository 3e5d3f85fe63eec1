"""Arrays joined and split, and those of at least some number of axes."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def concatenate_samples(draw):
    yield "rows", ((draw.array(2, 3), draw.array(1, 3)),), {}
    yield "columns", ([draw.array(2, 3), draw.array(2, 1), draw.array(2, 0)],), {"axis": 1}
    yield "last", ([draw.array(1, 2, 1), draw.array(1, 2, 2)], -1), {}
    yield "flattened", ([draw.array(2, 2), draw.array(3)],), {"axis": None}
    yield "the same twice", ([draw.array(3)] * 2,), {}
    if draw.real_dtype == np.float64:  # these would make double precision of single
        yield "numbers in a list", ([draw.array(3), [1, 2]],), {}
        yield "integers beside", ([draw.array(3), np.arange(2)],), {}
    yield (
        "dtype",
        ([draw.array(2), draw.array(2)],),
        {"dtype": np.result_type(draw.dtype, np.complex64)},
    )
    if draw.is_complex:
        yield "real and complex", ([draw.real(2), draw.array(2)],), {}


def concatenate_errors(draw):
    yield "shapes", ([np.ones((2, 3)), np.ones((2, 2))],), {}, ValueError, "must match exactly"
    yield "axis", ([np.ones(3)], 1), {}, np.exceptions.AxisError, "out of bounds"
    yield "casting", ([np.ones(3) * 1j],), {"dtype": float}, TypeError, "Cannot cast"


def stack_samples(draw):
    yield "front", ([draw.array(3), draw.array(3)],), {}
    yield "last", ([draw.array(2, 3), draw.array(2, 3)],), {"axis": -1}
    yield "middle", ([draw.array(2, 3)], 1), {}
    yield "numbers", ([draw.array(), draw.array()],), {}
    if draw.real_dtype == np.float64:
        yield "Python numbers", ([draw.array(), 2.0, draw.array()],), {}
    yield (
        "dtype",
        ([draw.array(2), draw.array(2)],),
        {"dtype": np.result_type(draw.dtype, np.complex64)},
    )


def stack_errors(draw):
    yield "shapes", ([np.ones(2), np.ones(3)],), {}, ValueError, "same shape"


def side_by_side(draw):
    yield "vectors", ([draw.array(3), draw.array(3)],), {}
    yield "matrices", ([draw.array(2, 2), draw.array(2, 2)],), {}


def columns(draw):
    yield from side_by_side(draw)
    yield "vector and matrix", ([draw.array(2), draw.array(2, 2)],), {}


def append_samples(draw):
    yield "flattened", (draw.array(2, 2), draw.array(3)), {}
    yield "rows", (draw.array(2, 3), draw.array(1, 3)), {"axis": 0}


def block_samples(draw):
    yield (
        "matrix",
        ([[draw.array(2, 2), draw.array(2, 1)], [draw.array(1, 2), draw.array(1, 1)]],),
        {},
    )
    yield "row", ([draw.array(2), draw.array(3)],), {}
    yield (
        "fewer axes",
        ([[draw.array(2, 1), np.zeros((2, 1), draw.dtype)], [draw.array(1), draw.array()]],),
        {},
    )
    if draw.real_dtype == np.float64:
        yield "numbers", ([[draw.array(1, 2)], [1, draw.array()]],), {}
    yield "no list", (draw.array(2),), {}


def block_errors(draw):
    yield "depths", ([np.ones(2), [np.ones(2)]],), {}, ValueError, "depth"
    yield "tuple", ((np.ones(2),),), {}, TypeError, "tuple"


def split_samples(draw):
    yield "sections", (draw.array(4, 2), 2), {}
    yield "positions", (draw.array(2, 5), [1, 3]), {"axis": 1}
    yield "positions beyond", (draw.array(3), [1, 1, 7]), {}


def array_split_samples(draw):
    yield from split_samples(draw)
    yield "not even", (draw.array(5), 3), {}


def split_errors(draw):
    yield "uneven", (np.ones(5), 2), {}, ValueError, "equal division"


def along(*shape):
    def samples(draw):
        yield "sections", (draw.array(*shape), 2), {}
        yield "positions", (draw.array(*shape), [1]), {}

    return samples


def too_few_axes(draw):
    yield "number of axes", (np.ones(()), 2), {}, ValueError, "only works on arrays"


def unstack_samples(draw):
    yield "rows", (draw.array(2, 3),), {}
    yield "last", (draw.array(2, 3),), {"axis": -1}


def meshgrid_samples(draw):
    x, y, z = draw.array(3), draw.array(2), draw.array(1)
    yield "plane", (x, y), {}
    yield "space", (x, y, z), {"indexing": "ij"}
    yield "sparse", (x, y, z), {"sparse": True}
    yield "views", (x, y), {"copy": False}
    yield "one", (x,), {}


def meshgrid_errors(draw):
    yield "indexing", (np.ones(2), np.ones(2)), {"indexing": "yx"}, ValueError, "'xy' and 'ij'"


def spec(name, samples, errors=None):
    return OpSpec(
        function=getattr(snp, name),
        reference=getattr(np, name),
        samples=samples,
        error_samples=errors,
    )


def atleast_samples(draw):
    for shape in ((), (2,), (2, 3), (2, 1, 2)):
        yield f"{len(shape)} axes", (draw.array(*shape),), {}
    yield "several", (draw.array(), draw.array(2)), {}


specs = [
    spec("concatenate", concatenate_samples, concatenate_errors),
    spec("stack", stack_samples, stack_errors),
    spec("vstack", side_by_side),
    spec("hstack", side_by_side),
    spec("dstack", side_by_side),
    spec("column_stack", columns),
    spec("append", append_samples),
    spec("block", block_samples, block_errors),
    spec("split", split_samples, split_errors),
    spec("array_split", array_split_samples),
    spec("hsplit", along(3, 2), too_few_axes),
    spec("vsplit", along(2, 3), too_few_axes),
    spec("dsplit", along(1, 2, 4), too_few_axes),
    spec("unstack", unstack_samples),
    spec("meshgrid", meshgrid_samples, meshgrid_errors),
    *(spec(f"atleast_{n}d", atleast_samples) for n in (1, 2, 3)),
]
