"""Random sketches of matrices. The sketch is constant, so its application is linear."""

from __future__ import annotations

import inspect

import numpy as np

from scigrad.autodiff_rules import linear, shape_of
from scigrad.autodiff_rules.backends import library

from ..foundation.lapack import host
from ..foundation.matrices import as_matrix, is_host


def clarkson_woodruff_transform(input_matrix, sketch_size, *random, **named):
    """Compute a sketch of a matrix with few rows that nearly keeps the norms |a x|.

    Each row of the matrix is added to one randomly chosen row of the result, or subtracted from it.

    Parameters
    ----------
    input_matrix : (..., n, d) array_like
        Matrix, or batch of matrices.
    sketch_size : int
        Number of rows of the result.
    rng : numpy.random.Generator or int, optional
        Generator, or its seed, which makes the same sketch at each call. By default a new sketch at each call.
    seed : optional
        Older name of `rng`, as in SciPy.

    Returns
    -------
    sketch : (..., sketch_size, d) ndarray
        Sketch, with the random numbers of SciPy, in the precision of the matrix.

    Notes
    -----
    Linear in the matrix. See `scipy.linalg.clarkson_woodruff_transform`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.ones((4, 2))
    >>> print(grad(lambda a: np.sum(linalg.clarkson_woodruff_transform(a, 2, rng=0) ** 2))(a))
    [[6. 6.]
     [6. 6.]
     [6. 6.]
     [2. 2.]]
    """
    if is_host(input_matrix) and (type(input_matrix) is not np.ndarray or input_matrix.dtype.char not in "fF"):
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
