"""Maxima, medians and quantiles of numbers that all differ."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec

METHODS = (
    "linear", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
    "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased", "lower",
    "higher", "midpoint", "nearest",
)  # fmt: skip


def different(draw, *shape):
    """Well separated numbers in random order."""
    size = int(np.prod(shape))
    x = draw.rng.permutation(size) + draw.uniform(-0.3, 0.3, size)
    if draw.is_complex:
        x = x + 1j * draw.real(size)
    return x.reshape(shape).astype(draw.dtype)


def reduced(draw):
    yield "all", (different(draw, 2, 3),), {}
    yield "axis", (different(draw, 2, 3),), {"axis": 1}
    yield "axes", (different(draw, 2, 2, 2),), {"axis": (0, 2)}
    yield "keepdims", (different(draw, 2, 3),), {"axis": 0, "keepdims": True}
    yield "all, keepdims", (different(draw, 2, 3),), {"keepdims": True}


def extremes(draw):
    mask = np.array([[True, False, True], [False, True, True]])
    yield from reduced(draw)
    yield "number", (different(draw),), {}
    yield "initial", (different(draw, 2, 3),), {"initial": 1.6, "axis": 1}
    yield "where", (different(draw, 2, 3),), {"initial": 2.6, "where": mask, "axis": 0}


def real(samples):
    return lambda draw: () if draw.is_complex else samples(draw)


def quantiles(draw):
    for method in METHODS:
        yield method, (different(draw, 5),), {"q": 0.37, "method": method}
    yield "several", (different(draw, 2, 4),), {"q": np.array([0.1, 0.55], draw.dtype), "axis": 1}
    yield (
        "table of q",
        (different(draw, 3, 2),),
        {"q": np.array([[0.2], [0.9]], draw.dtype), "axis": 0, "keepdims": True},
    )
    yield "axes", (different(draw, 2, 2, 2),), {"q": 0.4, "axis": (0, -1)}
    yield "ends", (different(draw, 4),), {"q": np.array([0.0, 1.0], draw.dtype)}
    yield "differentiable q", (different(draw, 4), np.array([0.2, 0.6], draw.dtype)), {}


def weighted(draw):
    weights = draw.positive(5)
    yield (
        "weights",
        (different(draw, 5),),
        {"q": 0.45, "method": "inverted_cdf", "weights": weights},
    )
    yield (
        "weights of an axis",
        (different(draw, 2, 5),),
        {"q": 0.3, "axis": 1, "method": "inverted_cdf", "weights": weights},
    )


def quantiles_and_weights(draw):
    yield from quantiles(draw)
    yield from weighted(draw)


def percentiles(samples):
    def scaled(draw):
        for name, (x, *q), options in samples(draw):
            yield (
                name,
                (x, *(100 * v for v in q)),
                {k: 100 * v if k == "q" else v for k, v in options.items()},
            )

    return scaled


def quantile_errors(draw):
    x = np.arange(4.0)
    yield "range", (x, 1.5), {}, ValueError, "range"
    yield "method", (x, 0.5), {"method": "none"}, ValueError, "not a valid method"
    yield "complex", (x + 0j, 0.5), {}, TypeError, "real numbers"


def spec(name, samples, **options):
    return OpSpec(
        function=getattr(snp, name), reference=getattr(np, name), samples=samples, **options
    )


specs = [
    spec("max", extremes),
    spec("min", extremes),
    spec("ptp", reduced),
    spec("nanmax", extremes),
    spec("nanmin", extremes),
    spec("median", reduced),
    spec("nanmedian", real(reduced)),
    spec("quantile", real(quantiles_and_weights), error_samples=quantile_errors),
    spec("percentile", real(percentiles(quantiles_and_weights))),
    spec("nanquantile", real(quantiles)),
    spec("nanpercentile", real(percentiles(quantiles))),
]
