"""Specs of elementwise functions, stated by the domain of each argument."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .draw import Draw
from .opspec import OpSpec


def over(
    function: Callable[..., Any],
    *domains: Any,
    plane: bool = False,
    ends: tuple[Any, ...] = (),
    **fields: Any,
) -> OpSpec:
    """Make the spec of an elementwise function.

    Parameters
    ----------
    function : callable
        Function of as many arguments as there are domains.
    *domains : tuple or list
        For each argument an interval (low, high) that it is drawn from, or a list of integers that
        it takes, not to vary.
    plane : bool, optional
        Whether the last argument may be complex: then imaginary parts are drawn from (-1, 1).
    ends : tuple, optional
        Arguments for which values are compared, but not derivatives.
    **fields : optional
        Other fields of the spec; `reference` is the function of the same name in scipy.special if
        none is given.

    Returns
    -------
    OpSpec
        Spec with a vector, a broadcast pair of shapes, numbers and an empty array; complex numbers
        for a function of real ones are an error.
    """

    def samples(draw: Draw) -> Iterator[Any]:
        if draw.is_complex and not plane:
            return
        count = len(domains)
        yield "vector", _draw_domains(draw, domains, *[(4,)] * count), {}
        yield "numbers", _draw_domains(draw, domains, *[()] * count), {}
        yield "empty", _draw_domains(draw, domains, *[(0,)] * count), {}
        if count > 1:
            yield "broadcast", _draw_domains(draw, domains, (2, 1), *[(3,)] * (count - 1)), {}

    def values(draw: Draw) -> Iterator[Any]:
        yield from samples(draw)
        if ends and not draw.is_complex:
            yield (
                "ends",
                tuple(
                    np.asarray(x, draw.dtype if np.asarray(x).dtype.kind == "f" else np.int16)
                    for x in ends
                ),
                {},
            )

    def complex_input(draw: Draw) -> Iterator[Any]:
        yield (
            "complex",
            (*[[1]] * (len(domains) - 1), draw.real(1) + 1j),
            {},
            TypeError,
            "is a function of real numbers.*numpy.real",
        )

    import scipy.special

    fields.setdefault("reference", getattr(scipy.special, function.__name__, None))
    fields.setdefault("error_samples", None if plane else complex_input)
    return OpSpec(function=function, samples=values, gradient_samples=samples, **fields)


def _draw_domains(
    draw: Draw, domains: tuple[Any, ...], *shapes: tuple[int, ...]
) -> tuple[Any, ...]:
    args = []
    for domain, shape in zip(domains, shapes, strict=True):
        if isinstance(domain, list):  # int16 goes with float32
            args.append(np.resize(np.array(domain, np.int16), shape)[()])
        else:
            args.append(draw.uniform(*domain, *shape)[()])
    if draw.is_complex:
        args[-1] = (args[-1] + 1j * draw.uniform(-1, 1, *shapes[-1])).astype(draw.dtype)[()]
    return tuple(args)


__all__ = ["over"]
