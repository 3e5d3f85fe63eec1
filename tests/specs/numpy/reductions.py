"""Sums, products, means and variances: every option, empty arrays, numbers."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec

MASK = np.array([[True, False, True], [True, True, False], [True, True, True]])


def samples_of(*options, empty=True, number=True, dtype=True):
    """A matrix reduced over one axis, several, all; kept dimensions; and whatever further options
    the function has.
    """

    def samples(draw):
        x = draw.array(3, 3)
        yield "all", (x,), {}
        yield "axis", (x,), {"axis": 1}
        yield "axes", (draw.array(2, 3, 2),), {"axis": (0, -1)}
        yield "keepdims", (x,), {"axis": 0, "keepdims": True}
        yield "all, keepdims", (x,), {"keepdims": True}
        if number:
            yield "number", (draw.array(),), {}
        if empty:
            yield "empty", (draw.array(0, 2),), {"axis": 0}
            yield "empty rows", (draw.array(0, 2),), {"axis": 1}
        for option in options:
            yield ", ".join(option), (x,), option
        if dtype:
            yield "dtype", (x,), {"dtype": np.result_type(draw.dtype, np.complex64)}

    return samples


WHERE = {"axis": 0, "where": MASK}


def prod_samples(draw):
    yield from samples_of({"initial": 2.0}, WHERE, {"where": MASK, "initial": 0.5})(draw)
    x = draw.array(5)
    x[1] = 0
    yield "a zero", (x,), {}


def nan_samples(*options):
    def samples(draw):
        x = draw.array(3, 3)
        yield "no NaN", (x,), {"axis": 0}
        yield "all", (x,), {}
        for option in options:
            yield ", ".join(option), (x,), option

    return samples


def average_samples(draw):
    x = draw.array(3, 3)
    yield "no weights", (x,), {"axis": 1}
    yield "positional weights", (x, None, draw.positive(3, 3)), {}
    yield "along an axis", (x, 1, draw.positive(3)), {"keepdims": True}
    yield "axes in another order", (draw.array(2, 3, 2), (2, 0), draw.positive(2, 2)), {}
    yield "with the sum", (x, 0, draw.positive(3)), {"returned": True}


def average_errors(draw):
    x = np.ones((2, 3))
    yield "shape", (x, None, np.ones(3)), {}, TypeError, "Axis must be specified"
    yield "length", (x, 0, np.ones(3)), {}, ValueError, "consistent with"
    yield "zero sum", (x, 0, np.zeros(2)), {}, ZeroDivisionError, "sum to zero"


def variance_samples(draw):
    spread = {"axis": 1, "ddof": 1}
    yield from samples_of(spread, {"correction": 1}, WHERE, empty=False, number=False)(draw)
    x = draw.array(3, 3)
    yield "given mean", (x,), {"axis": 1, "mean": np.asarray(np.mean(x, axis=1, keepdims=True))}


def axis_errors(draw):
    yield "axis", (np.ones((2, 3)),), {"axis": 2}, np.exceptions.AxisError, "out of bounds"
    yield "repeated axis", (np.ones((2, 3)),), {"axis": (0, 0)}, ValueError, "duplicate"


def spec(name, samples, **options):
    return OpSpec(
        function=getattr(snp, name), reference=getattr(np, name), samples=samples, **options
    )


specs = [
    spec(
        "sum",
        samples_of({"initial": 2.0}, WHERE, {"where": MASK, "initial": 0.5}),
        error_samples=axis_errors,
    ),
    spec("prod", prod_samples),
    spec("mean", samples_of(WHERE, empty=False), error_samples=axis_errors),
    spec("var", variance_samples),
    spec("std", variance_samples),
    spec("average", average_samples, error_samples=average_errors),
    spec("nansum", nan_samples({"keepdims": True}, WHERE, {"initial": 1.0})),
    spec("nanprod", nan_samples({"keepdims": True}, WHERE, {"initial": 1.0})),
    spec("nanmean", nan_samples({"keepdims": True}, WHERE)),
    spec("nanvar", nan_samples({"keepdims": True}, {"ddof": 1}, WHERE)),
    spec("nanstd", nan_samples({"keepdims": True}, {"ddof": 1}, WHERE)),
]
