"""Random sketches of matrices. The sketch is constant, so its application is linear."""

from __future__ import annotations

import inspect

import numpy as np

from scigrad.autodiff_rules import linear, shape_of
from scigrad.autodiff_rules.backends import library

from ..foundation.lapack import host
from ..foundation.matrices import as_matrix
from .construction import is_plain


def clarkson_woodruff_transform(input_matrix, sketch_size, *random, **named):
    """A sketch s a of few rows with |s a x| close to |a x|: each row of a is added to one row of the result, or subtracted.

    Parameters
    ----------
    input_matrix : (..., n, d)
    sketch_size : how many rows the result has
    rng : numpy.random.Generator, or what makes one
    seed : SciPy's older name; see there

    Returns
    -------
    sketch : (..., sketch_size, d), with the same random numbers as SciPy's; single precision stays so

    Linear in the matrix: the cotangent is s^T g. A number as rng makes the same sketch at each call; None a new one.
    See scipy.linalg.clarkson_woodruff_transform.
    """
    if is_plain(input_matrix) and (type(input_matrix) is not np.ndarray or input_matrix.dtype.char not in "fF"):
        return host("clarkson_woodruff_transform")(input_matrix, sketch_size, *random, **named)
    a = as_matrix("clarkson_woodruff_transform", "input_matrix", input_matrix, square=False)
    from scipy.sparse import eye_array

    s = host("clarkson_woodruff_transform")(eye_array(shape_of(a)[-2], format="csc"), sketch_size, *random, **named)
    return _sketched(a, s, False)


clarkson_woodruff_transform.__signature__ = inspect.Signature([  # type: ignore[attr-defined]
    inspect.Parameter("input_matrix", inspect.Parameter.POSITIONAL_OR_KEYWORD),
    inspect.Parameter("sketch_size", inspect.Parameter.POSITIONAL_OR_KEYWORD),
    inspect.Parameter("rng", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None),
    inspect.Parameter("seed", inspect.Parameter.KEYWORD_ONLY, default=None),
])  # fmt: skip


@linear("a")
def _sketched(a, s, adjoint):
    """s a, or s^T a, for a sparse s on the host."""
    s = s.T if adjoint else s
    if library(a) != "numpy":
        return np.asarray(s.toarray(), a.dtype, like=a) @ a
    flat = np.moveaxis(a, -2, 0)
    product = (s @ flat.reshape((a.shape[-2], flat[:1].size))).astype(a.dtype, copy=False)
    return np.moveaxis(product.reshape((s.shape[0], *flat.shape[1:])), 0, -2)


_sketched.adjoint(lambda call, g: _sketched(g, call.s, not call.adjoint))
_sketched.batch_leading(a=2)


__all__ = ["clarkson_woodruff_transform"]
