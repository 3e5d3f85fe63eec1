"""Elementwise functions with a derivative: every one real, and complex where NumPy takes complex
numbers.
"""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def around(draw, center, radius, *shape):
    """Numbers within a radius of a center, complex if the samples are."""
    x = draw.uniform(-radius, radius, *shape)
    if draw.is_complex:
        x = 0.6 * (x + 1j * draw.uniform(-radius, radius, *shape))
    return (center + x).astype(draw.dtype)


def unary(name, center=0.0, radius=1.0, holomorphic=True):
    """A function of one variable, on numbers near a center where it is smooth."""

    def samples(draw):
        if draw.is_complex and not holomorphic:
            return
        yield "matrix", (around(draw, center, radius, 2, 3),), {}
        yield "number", (around(draw, center, radius),), {}
        yield "empty", (around(draw, center, radius, 0, 2),), {}

    def complex_numbers(draw):
        yield "complex", (np.ones(2, complex),), {}, TypeError, "not supported|complex"

    errors = None if holomorphic else complex_numbers
    return OpSpec(
        function=getattr(snp, name),
        reference=getattr(np, name),
        samples=samples,
        error_samples=errors,
    )


def binary(name, first=(0.0, 1.0), second=(0.0, 1.0), holomorphic=True, more=None, **options):
    """A function of two variables: equal shapes, broadcasting, numbers, and more samples."""

    def samples(draw):
        if draw.is_complex and not holomorphic:
            return
        yield "equal shapes", (around(draw, *first, 4), around(draw, *second, 4)), {}
        yield "broadcast", (around(draw, *first, 3, 1), around(draw, *second, 2)), {}
        yield "array and number", (around(draw, *first, 2, 2), around(draw, *second)), {}
        yield "a Python number", (around(draw, *first, 3), float(second[0] + 0.4 * second[1])), {}
        yield (
            "Python number first",
            (float(first[0] + 0.4 * first[1]), around(draw, *second, 3)),
            {},
        )
        if more is not None:
            yield from more(draw)

    return OpSpec(
        function=getattr(snp, name), reference=getattr(np, name), samples=samples, **options
    )


def real_only(name, *args):
    return unary(name, *args, holomorphic=False)


_UNARY = [
    unary("negative"),
    unary("positive"),
    unary("square"),
    unary("reciprocal", 2.0),
    unary("sqrt", 2.0),
    unary("exp"),
    unary("exp2"),
    unary("expm1"),
    unary("log", 2.0),
    unary("log2", 2.0),
    unary("log10", 2.0),
    unary("log1p", 1.0),
    unary("sin"),
    unary("cos"),
    unary("tan"),
    unary("arcsin", 0.0, 0.9),
    unary("arccos", 0.0, 0.9),
    unary("arctan"),
    unary("sinh"),
    unary("cosh"),
    unary("tanh"),
    unary("arcsinh"),
    unary("arccosh", 3.0),
    unary("arctanh", 0.0, 0.9),
    unary("sinc"),
    real_only("cbrt", 2.0),
    real_only("fabs", 2.0),
    real_only("deg2rad", 0.0, 90.0),
    real_only("radians", 0.0, 90.0),
    real_only("rad2deg"),
    real_only("degrees"),
    unary("conjugate"),
    unary("real"),
    unary("imag"),
    unary("angle", 2.0),
    unary("absolute", 2.0),
    unary("sign", 2.0),
]


def powers(draw):
    """Constant exponents for which x**(y - 1) may not exist, and a negative base."""
    x = around(draw, 2.0, 1.0, 3)
    for exponent in (0, 1, 2, 3, -2):
        yield f"exponent {exponent}", (x, exponent), {}
    yield "exponents", (x, np.array([0, 1, 3], np.int8)), {}
    if not draw.is_complex:
        yield "negative base", (-x, np.array([0, 2, 3], np.int8)), {}
    yield from mixed(draw)


def mixed(draw):
    """Real numbers beside complex ones: the cotangent of a real argument is real."""
    if draw.is_complex:
        yield "real and complex", (draw.positive(3), draw.array(3)), {}
        yield "complex and real", (2 + 0.3 * draw.array(2, 1), draw.positive(3)), {}


_ALWAYS_DOUBLE = {
    ("single_precision", "any"): "float_power is the power in double precision, whatever comes in"
}

_BINARY = [
    binary("add", more=mixed),
    binary("subtract", more=mixed),
    binary("multiply", more=mixed),
    binary("divide", (0.0, 1.0), (2.0, 1.0), more=mixed),
    binary("power", (2.0, 1.0), (0.5, 2.0), more=powers),
    binary("float_power", (2.0, 1.0), (0.5, 2.0), known_failures=_ALWAYS_DOUBLE),
    binary("hypot", (2.0, 1.0), (2.0, 1.0), False),
    binary("arctan2", (1.0, 0.9), (2.0, 1.0), False),
    binary("logaddexp", (0.0, 2.0), (0.0, 2.0), False),
    binary("logaddexp2", (0.0, 2.0), (0.0, 2.0), False),
    binary("remainder", (7.3, 0.1), (2.0, 0.05), False),
    binary("fmod", (-7.3, 0.1), (2.0, 0.05), False),
    binary("maximum", (0.0, 1.0), (2.5, 1.0)),
    binary("minimum", (0.0, 1.0), (2.5, 1.0)),
    binary("fmax", (0.0, 1.0), (2.5, 1.0)),
    binary("fmin", (0.0, 1.0), (2.5, 1.0)),
    binary("copysign", (2.0, 1.0), (-2.0, 1.0), False),
]


# -- samples of their own


def where_samples(draw):
    mask = np.array([True, False, True])
    yield "arrays", (mask, draw.array(3), draw.array(3)), {}
    yield "broadcast", (mask, draw.array(2, 1), draw.array()), {}
    yield "a Python number", (mask, draw.array(3), 0.0), {}
    yield "condition broadcast", (np.array([[True], [False]]), draw.array(3), draw.array(1, 3)), {}


def clip_samples(draw):
    if not draw.is_complex:
        x = np.array([[-1.5, -0.2, 0.3], [0.1, 0.8, 2.0]], draw.dtype)
        yield "both", (x, -0.5, 0.5), {}
        yield "arrays", (x, draw.uniform(-0.9, -0.4, 3), draw.uniform(0.4, 0.7, 2, 1)), {}
        yield "from below", (x, -0.5, None), {}
        yield "from above", (x, None, 0.5), {}
        yield "keywords", (x,), {"min": -0.5, "max": 0.5}


def nan_to_num_samples(draw):
    yield "finite", (draw.array(2, 2),), {}
    yield "options", (draw.array(2),), {"copy": True, "nan": 1.0, "posinf": 2.0, "neginf": -2.0}


def select_samples(draw):
    a, b = np.array([True, False, False]), np.array([True, True, False])
    yield "arrays", ([a, b], [draw.array(3), draw.array(3)]), {}
    yield "default", ([a, b], [draw.array(3), draw.array(2, 3)], draw.array(3)), {}


def choose_samples(draw):
    yield "vectors", (np.array([1, 0, 2]), [draw.array(3), draw.array(3), draw.array(3)]), {}
    yield "broadcast", (np.array([[0], [1]]), [draw.array(2), draw.array(2, 1)]), {}
    yield "wrap", (np.array([-1, 3, 0]), [draw.array(3), draw.array(3)]), {"mode": "wrap"}
    yield "clip", (np.array([-1, 3, 0]), [draw.array(3), draw.array(3)]), {"mode": "clip"}


def heaviside_samples(draw):
    if not draw.is_complex:
        yield "steps", (np.array([-1.0, 2.0, 0.5], draw.dtype), draw.real(3)), {}


def ldexp_samples(draw):
    if not draw.is_complex:
        yield "powers of two", (draw.real(3), np.array([0, 2, -3])), {}


def one_array(*centers):
    def samples(draw):
        if not draw.is_complex:
            for i, center in enumerate(centers):
                yield f"case {i}", (around(draw, center, 0.3, 2, 2),), {}

    return samples


def divmod_samples(draw):
    if not draw.is_complex:
        yield "broadcast", (around(draw, 7.3, 0.1, 3, 1), around(draw, -2.0, 0.05, 2)), {}


specs = [
    *_UNARY,
    *_BINARY,
    OpSpec(function=snp.where, reference=np.where, samples=where_samples),
    OpSpec(function=snp.clip, reference=np.clip, samples=clip_samples),
    OpSpec(function=snp.nan_to_num, reference=np.nan_to_num, samples=nan_to_num_samples),
    OpSpec(function=snp.select, reference=np.select, samples=select_samples),
    OpSpec(function=snp.choose, reference=np.choose, samples=choose_samples),
    OpSpec(function=snp.heaviside, reference=np.heaviside, samples=heaviside_samples),
    OpSpec(function=snp.ldexp, reference=np.ldexp, samples=ldexp_samples),
    OpSpec(function=snp.divmod, reference=np.divmod, samples=divmod_samples),
    OpSpec(function=snp.modf, reference=np.modf, samples=one_array(1.5, -2.5)),
    OpSpec(function=snp.frexp, reference=np.frexp, samples=one_array(1.5, -2.6)),
    OpSpec(function=snp.real_if_close, reference=np.real_if_close, samples=one_array(1.0)),
]
