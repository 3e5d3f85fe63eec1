"""Partial fractions."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def roots(draw):
    p = np.array([0.4, 1.3, 0.5, -0.7, 1.2], draw.dtype)
    for rtype in ("min", "max", "avg"):
        yield rtype, (p,), {"rtype": rtype, "tol": 0.4}
    if draw.is_complex:
        yield (
            "complex",
            (p + np.array([0.3j, 0, 0.3j, 0, 0]).astype(draw.dtype),),
            {"rtype": "max", "tol": 0.4},
        )


def root_errors(draw):
    yield "choice", (np.ones(2), 1e-3, "best"), {}, ValueError, "rtype"


def fractions(draw):
    if draw.is_complex:
        return
    a = np.array([2.0, 1.5, 1.0, 0.9], draw.dtype)  # one real pole and a pair
    yield "proper", (draw.array(2), a), {}
    yield "improper", (draw.array(5), a), {}


def with_triple(draw):
    yield from fractions(draw)
    if not draw.is_complex:
        triple = np.poly([0.5, 0.5, 0.5, -0.8])
        yield "a triple pole", (draw.array(3), triple.astype(draw.dtype), 0.01), {}


def fraction_errors(draw):
    yield "zero", (np.ones(2), np.zeros(2)), {}, ValueError, "is zero"


def expansions(draw):
    yield "simple poles", (draw.array(3), np.array([0.4, 1.3, -0.7], draw.dtype), draw.array(2)), {}
    yield "without polynomial", (draw.array(2), np.array([0.4, 1.3], draw.dtype), []), {}


def with_double(draw):
    yield from expansions(draw)
    yield (
        "a double pole",
        (draw.array(3), np.array([0.4, 0.4, -0.7], draw.dtype), draw.array(1)),
        {},
    )


def spec(name, samples, **given):
    return OpSpec(
        function=getattr(signal, name),
        reference=getattr(scipy.signal, name),
        samples=samples,
        **given,
    )


BATCH = {
    ("batching", "any"): "how often roots occur may differ between the elements of a batch: refused"
}
SHAPES = {("shapes", "any"): "how often roots occur depends on the data"}

DROPPED = {
    (law, "numpy"): "numpy.polymul drops coefficients that are 0" for law in ("extreme", "narrow")
}

specs = [
    spec("unique_roots", roots, error_samples=root_errors, known_failures=BATCH | SHAPES),
    spec(
        "residue",
        with_triple,
        gradient_samples=fractions,
        error_samples=fraction_errors,
        known_failures=BATCH | SHAPES,
    ),
    spec(
        "residuez",
        with_triple,
        gradient_samples=fractions,
        error_samples=fraction_errors,
        known_failures=BATCH | SHAPES,
    ),
    spec("invres", with_double, gradient_samples=expansions, known_failures=BATCH | SHAPES),
    spec(
        "invresz", with_double, gradient_samples=expansions, known_failures=BATCH | SHAPES | DROPPED
    ),
]
