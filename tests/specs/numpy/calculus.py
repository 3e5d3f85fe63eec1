"""Differences, integrals, slopes and interpolation of samples."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def diff_samples(draw):
    yield "last axis", (draw.array(2, 4),), {}
    yield "twice", (draw.array(4, 2), 2), {"axis": 0}
    yield "not at all", (draw.array(3), 0), {}
    yield "more often than there are elements", (draw.array(2, 2), 3), {}
    yield "ends", (draw.array(2, 3), 1, 1, draw.array(2, 1), draw.array()), {}
    yield "ends of rows", (draw.array(2, 3), 2, 0, draw.array(1, 3), draw.array(2, 3)), {}


def diff_errors(draw):
    yield "order", (np.ones(3), -1), {}, ValueError, "non-negative"
    yield "number", (np.ones(()),), {}, ValueError, "at least one dimension"


def ediff1d_samples(draw):
    yield "matrix", (draw.array(2, 3),), {}
    yield "ends", (draw.array(3), draw.array(2), draw.array()), {}


def unwrap_samples(draw):
    p = np.array([[3.1, -4.0, 2.0], [0.1, 9.0, 1.0]], draw.dtype) if not draw.is_complex else None
    if p is not None:
        yield "last axis", (p,), {}
        yield "axis", (p, None, 0), {}
        yield "discontinuity", (p,), {"discont": 4.0}
        yield "period", (p,), {"period": 1.7}


def trapezoid_samples(draw):
    yield "even", (draw.array(2, 4),), {"dx": 0.3}
    yield "abscissae", (draw.array(4, 2), draw.array(4)), {"axis": 0}
    yield "abscissae of every row", (draw.array(2, 3), draw.array(2, 3)), {}
    yield "one sample", (draw.array(2, 1),), {}
    if draw.is_complex:
        yield "real abscissae", (draw.array(3), draw.real(3)), {}


def gradient_samples(draw):
    for order in (1, 2):
        yield f"unit spacing, edge order {order}", (draw.array(4),), {"edge_order": order}
        yield f"every axis, edge order {order}", (draw.array(3, 4),), {"edge_order": order}
        yield (
            f"spacing, edge order {order}",
            (draw.array(3, 3), 0.7),
            {"edge_order": order, "axis": 1},
        )
        x = np.array([0.0, 0.5, 1.7, 2.0], draw.real_dtype)
        spacing = draw.positive()
        yield (
            f"coordinates, edge order {order}",
            (draw.array(3, 4), spacing, x),
            {"edge_order": order},
        )
    yield "two axes of three", (draw.array(2, 2, 3), 0.5, 2.0), {"axis": (0, -1)}


def gradient_errors(draw):
    yield "too short", (np.ones(1),), {}, ValueError, "too small"
    yield "edge order", (np.ones(4),), {"edge_order": 3}, ValueError, "edge_order"
    yield "coordinates", (np.ones(4), np.ones(3)), {}, ValueError, "distances must match"
    yield "number of spacings", (np.ones((3, 3)), 1.0, 1.0, 1.0), {}, TypeError, "invalid number"


XP = np.array([0.0, 1.0, 2.5, 4.0])


def interp_samples(draw):
    xp = XP.astype(draw.real_dtype)
    x = np.array([[-1.0, 0.2, 1.7], [3.9, 5.0, 0.6]], draw.real_dtype)
    yield "with both ends", (x, xp, draw.array(4)), {}
    yield "values outside", (x, xp, draw.array(4), draw.array()[()], draw.array()[()]), {}
    yield "left", (x, xp, draw.array(4)), {"left": 2.0}
    yield "period", (x, xp, draw.array(4)), {"period": 3.3}
    yield "a number", (x[0, 1], xp, draw.array(4)), {}
    yield "one sample", (x[0], xp[:1], draw.array(1)), {}


def interp_errors(draw):
    yield "lengths", (0.5, np.arange(3.0), np.ones(2)), {}, ValueError, "same length"
    yield "empty", (0.5, np.ones(0), np.ones(0)), {}, ValueError, "empty"
    yield "period", (0.5, np.ones(2), np.ones(2)), {"period": 0}, ValueError, "non-zero"


_UNORDERED = "coordinates that hold NaN are in no order, so that the value depends on the search"
_PRODUCT = (
    "numpy.gradient multiplies distances, which under- and overflow, before it divides "
    "by the product"
)


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


specs = [
    spec("diff", diff_samples, diff_errors),
    spec("ediff1d", ediff1d_samples),
    spec("unwrap", unwrap_samples),
    spec("trapezoid", trapezoid_samples),
    spec(
        "gradient",
        gradient_samples,
        gradient_errors,
        known_failures={("extreme", "numpy"): _PRODUCT},
    ),
    spec(
        "interp",
        interp_samples,
        interp_errors,
        known_failures=double_precision("interp") | {("missing", "any"): _UNORDERED},
    ),
]
