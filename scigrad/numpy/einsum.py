"""einsum, in all of NumPy's forms.

A traced call is first made canonical: explicit letters instead of an ellipsis, an explicit output,
diagonals taken, and indices that occur only once summed. Then every letter of an operand occurs in
the output or in another operand, so that the cotangent of an operand is the einsum of the output's
cotangent with the other operands, conjugated.
"""

import functools
import string
from typing import Any

import numpy as np

from scigrad.autodiff_rules import multilinear, shape_of
from scigrad.typing import ArrayLike

from .composition import numpy_composition
from .joining import assemble
from .products import absorbing, conjugate
from .shaping import broadcast_to
from .views import blank

__all__ = ["einsum", "einsum_path"]

_LETTERS = string.ascii_letters


@numpy_composition(np.einsum)
@absorbing
def einsum(*operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    """Sum products by Einstein's convention, see `numpy.einsum`.

    `out`, `dtype`, `order` and `casting` are for plain arrays; `optimize` is passed on to the
    derivatives too.
    """
    if dtype is not None or order != "K" or casting != "safe":
        raise TypeError(
            "einsum: dtype=, order= and casting= are not available with traced arrays; convert "
            "the result: .astype(dtype)."
        )
    subscripts, arrays = _as_letters(operands)
    inputs, output = _explicit(subscripts, tuple(len(shape_of(a)) for a in arrays))
    given = arrays[0]
    for i, letters in enumerate(inputs):
        diagonals, lonely, left = _simpler(
            letters, "".join((*inputs[:i], *inputs[i + 1 :], output))
        )
        for axis1, axis2 in diagonals:
            arrays[i] = np.diagonal(arrays[i], axis1=axis1, axis2=axis2)
        if lonely:
            arrays[i] = np.sum(
                arrays[i], axis=lonely, dtype=np.result_type(*(a.dtype for a in arrays))
            )
            given = None
        inputs = (*inputs[:i], left, *inputs[i + 1 :])
    if len(arrays) == 1 and output and given is not None:
        # NumPy returns a view of one array without a sum
        return np.transpose(arrays[0], [inputs[0].index(letter) for letter in output])
    return _einsum(*arrays, subscripts=f"{','.join(inputs)}->{output}", optimize=optimize)


@numpy_composition(np.einsum_path, constant=True)
def einsum_path(*operands: ArrayLike, optimize: Any = "greedy", einsum_call: bool = False) -> Any:
    """Return the order of the multiplications, see `numpy.einsum_path`; it depends on the shapes
    only.
    """
    subscripts, arrays = _as_letters(operands)
    return np.einsum_path(
        subscripts,
        *(blank(shape_of(a)) for a in arrays),
        optimize=optimize,
        einsum_call=einsum_call,
    )


def _as_letters(operands: Any) -> tuple[str, list[Any]]:
    """Return subscripts and arrays from einsum("ij,jk", a, b) or einsum(a, [0, 1], b, [1, 2], [0,
    2]).
    """
    if isinstance(operands[0], str):
        return operands[0].replace(" ", ""), [assemble(a) for a in operands[1:]]
    paired = operands if len(operands) % 2 == 0 else operands[:-1]
    lists = [_sublist(entry) for entry in paired[1::2]]
    subscripts = ",".join(lists)
    if len(operands) % 2:
        subscripts += "->" + _sublist(operands[-1])
    return subscripts, [assemble(a) for a in paired[0::2]]


def _sublist(entries: Any) -> str:
    return "".join("..." if n is Ellipsis else _LETTERS[n] for n in entries)


@functools.lru_cache(maxsize=1024)
def _explicit(subscripts: str, ranks: tuple[int, ...]) -> tuple[tuple[str, ...], str]:
    """Return inputs and output with letters for the axes of an ellipsis, and NumPy's default for an
    absent output.
    """
    left, arrow, output = subscripts.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(ranks):
        raise ValueError(f"einsum: {len(inputs)} terms in '{subscripts}' for {len(ranks)} operands")
    free = [letter for letter in _LETTERS if letter not in subscripts]
    counts = [rank - len(term.replace("...", "")) for term, rank in zip(inputs, ranks, strict=True)]
    for term, rank, count in zip(inputs, ranks, counts, strict=True):
        if count < 0 or (count and "..." not in term):
            raise ValueError(
                f"einsum: '{term}' in '{subscripts}' does not fit an operand of {rank} axes"
            )
    spread = free[: max(counts, default=0)]
    terms = tuple(
        t.replace("...", "".join(spread[len(spread) - n :]))
        for t, n in zip(inputs, counts, strict=True)
    )
    if arrow:
        return terms, output.replace("...", "".join(spread))
    own = left.replace("...", "").replace(",", "")
    return terms, "".join(spread) + "".join(
        sorted(letter for letter in set(own) if own.count(letter) == 1)
    )


@functools.lru_cache(maxsize=1024)
def _simpler(letters: str, elsewhere: str) -> tuple[list[tuple[int, int]], tuple[int, ...], str]:
    """Return the pairs of axes to take diagonals of, in order; the axes to sum after that; the
    remaining letters.
    """
    diagonals = []
    while len(set(letters)) < len(letters):
        letter = next(x for x in letters if letters.count(x) > 1)
        first = letters.index(letter)
        second = letters.index(letter, first + 1)
        diagonals.append((first, second))
        letters = letters[:first] + letters[first + 1 : second] + letters[second + 1 :] + letter
    lonely = tuple(n for n, letter in enumerate(letters) if letter not in elsewhere)
    return diagonals, lonely, "".join(letter for letter in letters if letter in elsewhere)


@multilinear("operands")
def _einsum(*operands, subscripts, optimize):
    return np.einsum(subscripts, *operands, optimize=optimize)


@_einsum.vjp
def _(call, g):
    left, output = call.subscripts.split("->")
    inputs = left.split(",")
    return {
        "operands": [
            lambda i=i: _operand_cotangent(call, g, inputs, output, i) for i in range(len(inputs))
        ]
    }


def _operand_cotangent(call: Any, g: Any, inputs: list[str], output: str, i: int) -> Any:
    others = [conjugate(a) for k, a in enumerate(call.operands) if k != i]
    terms = [output, *(t for k, t in enumerate(inputs) if k != i)]
    found = _einsum(
        g, *others, subscripts=f"{','.join(terms)}->{inputs[i]}", optimize=call.optimize
    )
    # Axes of length 1 in all the others were broadcast against this operand.
    return broadcast_to(found, np.broadcast_shapes(shape_of(found), shape_of(call.operands[i])))


@_einsum.batched
def _(call, batched):
    left, output = call.subscripts.split("->")
    letter = next((x for x in _LETTERS if x not in call.subscripts), None)
    if letter is None:
        raise ValueError("einsum: more than 52 different indices, with those of vmap")
    terms = [
        letter + t if own else t for t, own in zip(left.split(","), batched.operands, strict=True)
    ]
    return _einsum(
        *call.operands, subscripts=f"{','.join(terms)}->{letter}{output}", optimize=call.optimize
    )
