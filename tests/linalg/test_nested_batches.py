"""Batches at two levels: matrices mapped over, and for each of them cotangents mapped over, as
jacrev under vmap has them. What a rule computes of both has to keep apart which axis is whose.
"""

from pathlib import Path

import numpy as np
import pytest

from scigrad import vjp, vmap
from scigrad.testing import assert_close
from scigrad.testing.laws import varying
from scigrad.testing.opspec import load_specs

SPECS = [
    spec
    for spec in load_specs(Path(__file__).parent.parent / "specs" / "linalg")
    if spec.differentiable
]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_cotangents_mapped_over_within_a_batch(spec):
    for case in (*spec.cases(np.float64, True)[:1], *spec.cases(np.complex128, True)[:3]):
        f, x = varying(spec, case)
        if x:
            check(f, x, max(1e-9, spec.tolerance), case.name)


def check(f, x, tolerance, name):
    points = [
        tuple(np.asarray(scale, np.real(v).dtype) * v for v in map(np.asarray, x))
        for scale in (1.0, 0.96)
    ]
    cotangents = tuple(
        np.multiply.outer([1.0, 0.5, -2.0], np.ones_like(y)).astype(y.dtype) for y in vjp(f, *x)[0]
    )

    def pulled(*x):
        return vmap(vjp(f, *x)[1])(cotangents)

    found = vmap(pulled)(*(np.stack(column) for column in zip(*points, strict=True)))
    expected = [pulled(*point) for point in points]
    assert_close(
        found, tuple(np.stack(column) for column in zip(*expected, strict=True)), tolerance, name
    )
