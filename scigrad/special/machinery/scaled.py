"""Functions that SciPy scales by the exponential of a real part: they are not holomorphic."""

import functools
from collections.abc import Callable
from typing import Any

from scigrad.autodiff_rules import elementwise
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.numpy.arithmetic import widen

from .ufuncs import LibraryValues, Ufunc, read_arguments, ufunc, without_warnings


class Scaled(Ufunc):
    """Function g(..., z) = h(..., z) exp(-size(z)) with h holomorphic and a real size, the real or
    imaginary part or its like.

    Traced, it is a function of z and of the size, holomorphic in z: the chain rule then adds the
    Wirtinger derivatives.
    """

    apart: Callable[..., Any]
    size: Callable[[Any], Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != self.arity or not holds_traced(args):
            return super().__call__(*args, **kwargs)
        *before, z = read_arguments(*args)
        return self.apart(*before, z, self.size(z))


def scaled_row(
    size: Callable[[Any], Any], *partials: Any, by_size: tuple[bool, ...] = (True,)
) -> Any:
    """Declare a ufunc of SciPy's of this kind, by the partials of h, scaled as g is.

    Parameters
    ----------
    size : callable
        Real exponent, a function of z.
    *partials : callable
        For each argument a function of g, the arguments and the output; for several outputs a tuple
        of such for each.
    by_size : tuple of bool, optional
        Whether the outputs are scaled by exp(-size).
    """

    def state(function: Any) -> Any:
        library = LibraryValues(function)
        declared = ufunc(library, len(by_size), Scaled)
        form = (
            (lambda z, size: library(z))
            if declared.arity == 1
            else lambda v, z, size: library(v, z)
        )
        apart = elementwise(outputs=len(by_size))(form)
        apart.__name__ = declared.__name__  # the one that errors are about

        @apart.partials
        def _(call: Any) -> Any:
            *args, size, outs = call[:-1]
            many = len(by_size) > 1
            rows = []
            for of_output, out, is_scaled in zip(
                partials if many else [partials], outs if many else [outs], by_size, strict=True
            ):
                given = (lambda *at: apart(*at, size), *(widen(x, out) for x in args), outs)
                rows.append(
                    (
                        *(functools.partial(without_warnings(p), *given) for p in of_output),
                        -out if is_scaled else 0.0,
                    )
                )
            return tuple(rows) if many else rows[0]

        declared.apart, declared.size = apart, size
        return declared

    return state
