"""Elements reversed, shifted, repeated, inserted, deleted."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def flip_samples(draw):
    yield "all", (draw.array(2, 3),), {}
    yield "one", (draw.array(2, 3), 1), {}
    yield "two", (draw.array(2, 3, 2),), {"axis": (0, -1)}


def matrices(draw):
    yield "matrix", (draw.array(2, 3),), {}
    yield "more axes", (draw.array(2, 3, 2),), {}


def needs_matrix(draw):
    yield "number", (np.ones(()),), {}, ValueError, "must be"


def rot90_samples(draw):
    for k in range(-1, 3):
        yield f"{k} times", (draw.array(2, 3), k), {}
    yield "axes", (draw.array(2, 3, 2),), {"axes": (2, 0)}


def rot90_errors(draw):
    yield "axes", (np.ones((2, 2)), 1, (0, 0)), {}, ValueError, "different"


def roll_samples(draw):
    yield "flattened", (draw.array(2, 3), 2), {}
    yield "axis", (draw.array(2, 3), -1), {"axis": 1}
    yield "axes", (draw.array(2, 3), (1, 2)), {"axis": (0, 1)}
    yield "one shift for two axes", (draw.array(2, 3), 1, (0, -1)), {}
    yield "empty", (draw.array(0, 2), 1), {"axis": 0}


def tile_samples(draw):
    yield "number of times", (draw.array(2, 2), 2), {}
    yield "along axes", (draw.array(1, 3), (2, 1, 2)), {}
    yield "fewer than axes", (draw.array(2, 1, 2), (3,)), {}
    yield "a number", (draw.array(), (2, 2)), {}
    yield "never", (draw.array(2), 0), {}


def repeat_samples(draw):
    yield "flattened", (draw.array(2, 2), 2), {}
    yield "axis", (draw.array(2, 3), 2), {"axis": -1}
    yield "counts", (draw.array(2, 3), [1, 0, 2], 1), {}
    yield "one count", (draw.array(3), [2], 0), {}


def repeat_errors(draw):
    yield "negative", (np.ones(3), -1), {}, ValueError, "negative"


def resize_samples(draw):
    yield "longer", (draw.array(2, 2), (3, 3)), {}
    yield "shorter", (draw.array(2, 2), 3), {}


def insert_samples(draw):
    yield "flattened", (draw.array(2, 3), 1, draw.array()), {}
    yield "column", (draw.array(2, 3), 1, draw.array(2)), {"axis": 1}
    yield "row", (draw.array(2, 3), -1, draw.array(3), 0), {}
    yield "positions", (draw.array(2, 3), [1, 2], draw.array(2, 2)), {"axis": 1}
    yield "positions repeated", (draw.array(4), [0, 0, 2], draw.array(3)), {}
    yield "a slice", (draw.array(2, 3), slice(0, 2), draw.array(2, 1)), {"axis": 1}
    yield "a mask", (draw.array(3), np.array([True, False, True]), draw.array(2)), {}


def delete_samples(draw):
    yield "flattened", (draw.array(2, 3), 1), {}
    yield "positions", (draw.array(2, 3), [0, -1]), {"axis": 1}
    yield "a slice", (draw.array(3, 2), slice(0, 2), 0), {}
    yield "a mask", (draw.array(3), np.array([True, False, True])), {}


def delete_errors(draw):
    yield "position", (np.ones(3), 5), {}, IndexError, "out of bounds"


def trim_samples(draw):
    x = draw.array(6)
    x[[0, 1, 3, 5]] = 0
    yield "both ends", (x,), {}
    yield "front", (x,), {"trim": "f"}
    yield "back", (x,), {"trim": "b"}
    yield "nothing left", (x * 0,), {}
    yield "matrix", (np.pad(draw.array(2, 2), 1),), {}
    yield "one axis", (np.pad(draw.array(2, 2), 1),), {"axis": 1}


def trim_gradient_samples(draw):
    x = 2 + 0.1 * draw.array(4)
    # the number of zeros is a property of the point: nothing varies through it
    yield "no zeros", (x,), {}
    yield "both", (x, "fb"), {}


def spec(name, samples, errors=None, **options):
    return OpSpec(
        function=getattr(snp, name),
        reference=getattr(np, name),
        samples=samples,
        error_samples=errors,
        **options,
    )


_SHAPE = "the shape depends on the values: one batch, or none at all, has no single answer"
_VALUES_DECIDE = {("batching", "any"): _SHAPE, ("shapes", "any"): _SHAPE}

specs = [
    spec("flip", flip_samples),
    spec("fliplr", matrices, needs_matrix),
    spec("flipud", matrices, needs_matrix),
    spec("rot90", rot90_samples, rot90_errors),
    spec("roll", roll_samples),
    spec("tile", tile_samples),
    spec("repeat", repeat_samples, repeat_errors),
    spec("resize", resize_samples),
    spec("insert", insert_samples),
    spec("delete", delete_samples, delete_errors),
    spec(
        "trim_zeros",
        trim_samples,
        gradient_samples=trim_gradient_samples,
        known_failures=_VALUES_DECIDE,
    ),
]
