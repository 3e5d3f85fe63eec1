"""Sums, products, quotients, powers and remainders, element by element: every one real, and complex
where NumPy takes complex numbers.
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
    unary("negative"),
    unary("positive"),
    unary("square"),
    unary("reciprocal", 2.0),
    unary("sqrt", 2.0),
    real_only("cbrt", 2.0),
    real_only("deg2rad", 0.0, 90.0),
    real_only("radians", 0.0, 90.0),
    real_only("rad2deg"),
    real_only("degrees"),
    binary("add", more=mixed),
    binary("subtract", more=mixed),
    binary("multiply", more=mixed),
    binary("divide", (0.0, 1.0), (2.0, 1.0), more=mixed),
    binary("power", (2.0, 1.0), (0.5, 2.0), more=powers),
    binary("float_power", (2.0, 1.0), (0.5, 2.0), known_failures=_ALWAYS_DOUBLE),
    binary("hypot", (2.0, 1.0), (2.0, 1.0), False),
    binary("remainder", (7.3, 0.1), (2.0, 0.05), False),
    binary("fmod", (-7.3, 0.1), (2.0, 0.05), False),
    OpSpec(function=snp.divmod, reference=np.divmod, samples=divmod_samples),
    OpSpec(function=snp.modf, reference=np.modf, samples=one_array(1.5, -2.5)),
]
