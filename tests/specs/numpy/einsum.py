"""einsum."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec

EINSUM = {
    "product": ("ij,jk->ik", (2, 3), (3, 2)),
    "implicit": ("ij,jk", (2, 3), (3, 2)),
    "implicit transpose": ("ba", (2, 3)),
    "batch": ("...ij,...jk->...ik", (2, 2, 3), (3, 2)),
    "ellipsis implicit": ("...,...", (2, 3), (3,)),
    "ellipsis summed": ("i...->...", (2, 3)),
    "ellipsis last": ("ij...,j->i...", (2, 3, 2), (3,)),
    "diagonal": ("ii->i", (3, 3)),
    "trace": ("ii", (3, 3)),
    "triple diagonal": ("iii->i", (2, 2, 2)),
    "diagonal of one of two": ("iij,jk->ki", (2, 2, 3), (3, 2)),
    "sum": ("ij->", (2, 3)),
    "an index of one operand alone": ("ij,k->i", (2, 3), (2,)),
    "three operands": ("ij,ij,i->j", (2, 3), (2, 3), (2,)),
    "outer": ("i,j->ij", (2,), (3,)),
    "elementwise": ("ij,ij->ij", (2, 3), (2, 3)),
    "length 1 broadcast": ("ij,ij->ij", (1, 3), (2, 3)),
    "length 1 summed": ("ij,j->i", (2, 3), (1,)),
    "numbers": (",->", (), ()),
    "spaces": (" i j , j -> i ", (2, 3), (3,)),
}


def einsum_samples(draw):
    for name, (subscripts, *shapes) in EINSUM.items():
        yield name, (subscripts, *(draw.array(*shape) for shape in shapes)), {}
    a, b, c = draw.array(2, 3), draw.array(3, 2), draw.array(2)
    yield "lists", (a, [0, 1], b, [1, 2], [2, 0]), {}
    yield "lists, implicit", (a, [0, 1], b, [1, 2]), {}
    yield "lists with ellipsis", (a, [Ellipsis, 1], b, [1, 5], [Ellipsis, 5]), {}
    yield "optimized", ("ij,jk,k->i", a, b, c), {"optimize": True}
    yield "optimized greedily", ("ij,jk,k", a, b, c), {"optimize": "greedy"}
    if draw.is_complex:
        yield "real and complex", ("ij,jk->ik", draw.real(2, 3), b), {}


def einsum_errors(draw):
    yield "operands", ("ij,jk", np.ones((2, 2))), {}, ValueError, "operand"
    yield "axes", ("ijk", np.ones((2, 2))), {}, ValueError, "operand"
    yield "lengths", ("ij,jk", np.ones((2, 3)), np.ones((2, 3))), {}, ValueError, "broadcast"


def spec(name, samples, errors=None):
    return OpSpec(
        function=getattr(snp, name),
        reference=getattr(np, name),
        samples=samples,
        error_samples=errors,
    )


specs = [
    spec("einsum", einsum_samples, einsum_errors),
]
