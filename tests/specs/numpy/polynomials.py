"""Polynomials: values, derivatives, sums, products, quotients."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def polyval_samples(draw):
    yield "cubic", (draw.array(4), draw.array(2, 3)), {}
    yield "constant", (draw.array(1), draw.array(2)), {}
    yield "at a number", (draw.array(3), draw.array()), {}
    yield "no coefficients", (draw.array(0), draw.array(2)), {}
    if draw.is_complex:
        yield "real and complex", (draw.real(3), draw.array(2)), {}
        yield "complex and real", (draw.array(3), draw.real(2)), {}


def polyder_samples(draw):
    yield "once", (draw.array(4),), {}
    yield "twice", (draw.array(4), 2), {}
    yield "not at all", (draw.array(2), 0), {}
    yield "of a constant", (draw.array(1),), {}


def polyint_samples(draw):
    yield "once", (draw.array(3),), {}
    yield "constants", (draw.array(3), 2, draw.array(2)), {}
    yield "one constant for all", (draw.array(2), 2, draw.array()), {}


def order_errors(draw):
    yield "order", (np.ones(3), -1), {}, ValueError, "must be positive"


def two_polynomials(draw):
    yield "of one degree", (draw.array(3), draw.array(3)), {}
    yield "the first longer", (draw.array(4), draw.array(2)), {}
    yield "the second longer", (draw.array(1), draw.array(3)), {}


def leading_zeros(draw):
    yield from two_polynomials(draw)
    yield (
        "leading zeros",
        (np.concatenate([np.zeros(2, draw.dtype), draw.array(2)]), draw.array(2)),
        {},
    )


def polydiv_samples(draw):
    yield "with a remainder", (draw.array(4), draw.array(3)), {}
    # the remainders of other divisions are rounding errors
    yield "by a number", (draw.array(3), np.array([2], draw.dtype)), {}
    yield "by a longer one", (draw.array(2), draw.array(3)), {}


def double_precision(name):
    return {
        ("single_precision", "any"): f"numpy.{name} computes in double precision, whatever comes in"
    }


def spec(name, samples, errors=None, **options):
    return OpSpec(
        function=getattr(snp, name),
        reference=getattr(np, name),
        samples=samples,
        error_samples=errors,
        **options,
    )


_SHAPE = "the length of the remainder depends on the values: a batch has no single answer"
_VALUES_DECIDE = {
    ("batching", "any"): _SHAPE,
    ("shapes", "any"): _SHAPE,
    ("single_precision", "any"): "numpy.polydiv takes for a zero what double precision calls one",
}


specs = [
    spec("polyval", polyval_samples),
    spec("polyder", polyder_samples, order_errors, known_failures=double_precision("polyder")),
    spec("polyint", polyint_samples, order_errors, known_failures=double_precision("polyint")),
    spec("polyadd", two_polynomials),
    spec("polysub", two_polynomials),
    spec("polymul", leading_zeros, gradient_samples=two_polynomials),
    spec("polydiv", polydiv_samples, known_failures=_VALUES_DECIDE),
]
