"""Checks of arguments, and linear maps that build a matrix from the part of the argument that is
read.

Some functions read one triangle of `a` and take the rest for granted (cholesky, eigh, solve with
assume_a="pos"). They are written as function(hermitian(a, lower)): first a linear map that builds
the whole matrix from the part that is read, then a function of whole matrices. The cotangent of `a`
is the adjoint of that map, applied to the cotangent of the whole matrix: it is confined to the
triangle that was read, and entries that are never read get exactly 0. Thus the dot-product law
holds for arbitrary tangents of the full array. This
convention holds for all functions of this room.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import (
    ZERO,
    Traced,
    concrete,
    constant,
    linear,
    namespace_of,
    raw,
    shape_of,
)
from scigrad.autodiff_rules.backends import is_on_device, library, namespace
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.autodiff_rules.spaces import space
from scigrad.autodiff_rules.trace import is_wrapper, take_off_labels
from scigrad.numpy import diagonals
from scigrad.numpy.devices import one_kernel, places_in
from scigrad.numpy.joining import assemble
from scigrad.typing import Array

from . import failures
from .decompositions import most_of, power_of_most

# half is computed in single, long double in double precision
_LAPACK = {"e": "f", "g": "d", "G": "D"}
_SINGLE = "fF"


def is_host(*values: Any) -> bool:
    """Return whether all arguments are plain arrays on the host, so that SciPy can be called."""
    return all(
        type(x) is np.ndarray or (not holds_traced((x,)) and library(x) == "numpy") for x in values
    )


def are_plain(*values: Any) -> bool:
    """Return whether all arguments are plain arrays, on the host or on a card."""
    return all(type(x) is np.ndarray or is_on_device(x) for x in values)


def is_complex(x: Any) -> bool:
    return x.dtype.kind == "c"


def mH(x: Any) -> Any:
    """Return the conjugate transpose of the last two axes."""
    if x is ZERO:
        return x
    return np.conjugate(x).mT if is_complex(x) else x.mT


def identity(n: int, like: Any) -> Any:
    """Return the n x n identity on the device and in the dtype of an array."""
    s = space(like)
    return namespace(s.library).eye(n, dtype=s.dtype)


def place_on_diagonal(d: Any) -> Any:
    """Return diagonal matrices (..., n, n); a product with the identity would make 0 * inf = NaN
    beside the diagonal.
    """
    if is_on_device(d):
        return diagonals.element_on_diagonal(*places_in((d.shape[-1],) * 2, d), d[..., None])
    return np.where(namespace_of(d).eye(shape_of(d)[-1], dtype=bool), d[..., None], 0)


# On a device an index leaves elements out, of which a pass has to look whether they count.


def as_columns(b: Any) -> Any:
    """Return a vector as a matrix of one column."""
    on_host = type(b) is np.ndarray or type(raw(b)) is np.ndarray
    return b[..., None] if on_host else b.reshape((*b.shape, 1))


def as_vectors(x: Any) -> Any:
    """Return matrices of one column as vectors."""
    on_host = type(x) is np.ndarray or type(raw(x)) is np.ndarray
    return x[..., 0] if on_host else x.reshape(x.shape[:-1])


def largest(x: Any, axes: int | tuple[int, ...], keepdims: bool = False) -> Any:
    """Return max |x| over the last axes, 0 if there is nothing. (CuPy's max takes no `initial`.)"""
    if type(x) is not np.ndarray and is_on_device(x) and x.dtype.kind in "fc":
        return most_of(x, axes, keepdims)
    size = np.abs(x)
    empty = 0 in [size.shape[axis] for axis in (axes if isinstance(axes, tuple) else (axes,))]
    return (
        size.sum(axis=axes, keepdims=keepdims) if empty else size.max(axis=axes, keepdims=keepdims)
    )


def column_norm(a: Any) -> Any:
    """Return the 1-norms of matrices, their largest column sums."""
    return largest(np.abs(a).sum(axis=-2), -1)


@constant(core={"a": 2})
def power_of_two(a):
    """Return a power of 2 of the size of the largest element of a matrix, (..., 1, 1), so that
    products stay in range; 1 where there is none.
    """
    if type(a) is not np.ndarray and is_on_device(a):
        return power_of_most(a)
    size = largest(a, (-2, -1), True)
    usable = np.isfinite(size) & (size > 0)
    return np.exp2(np.frexp(np.where(usable, size, 1))[1].astype(np.real(a).dtype) - 1)


def diagonal(a: Any, k: int = 0) -> Any:
    """Return the k-th diagonals of matrices."""
    return np.diagonal(a, k, -2, -1)


def antihermitian(x: Any) -> Any:
    return _antihermitian_element(x, x.mT)


@one_kernel
def _antihermitian_element(x: Any, mirrored: Any) -> Any:
    return (x - (np.conjugate(mirrored) if is_complex(x) else mirrored)) / 2


def is_diagonal(same: Any) -> Any:
    return namespace_of(same).eye(shape_of(same)[-1], dtype=bool)


@constant(core={"x": 2})
def frobenius(x):
    size = largest(x, (-2, -1), True)  # squares alone would overflow
    return size[..., 0, 0] * np.sqrt(_scaled_square(x, size).sum(axis=(-2, -1)))


@one_kernel
def _scaled_square(x: Any, size: Any) -> Any:
    return (np.abs(x) / np.where((size > 0) & (size < np.inf), size, 1)) ** 2


# LAPACK scales a matrix larger or smaller than this, and SciPy 1.17 does not scale its eigenvalues
# back.
_SMALL = {
    single: float(2 * np.sqrt(kind.tiny) / kind.eps)
    for single, kind in ((True, np.finfo("f")), (False, np.finfo("d")))
}


as_float = concrete(float)  # a number that does not widen arrays of single precision


@concrete
def is_moderate(a: Any) -> bool:
    """Return whether SciPy can compute the eigenvalues of all matrices of a batch: in single
    precision up to about 1e12.
    """
    if a.dtype.kind not in "fc":
        return True
    small = _SMALL[a.dtype.char in "fF"]
    sizes = np.abs(a).max(axis=(-2, -1)).ravel().tolist()
    return not any(0 < size < small or 1 / small < size < np.inf for size in sizes)


# -- input


def native(x: Any) -> Any:
    """Return x in the byte order of this machine: some of SciPy's kernels (inv, lu, sqrtm) read
    another one as it stands.
    """
    dtype = getattr(x, "dtype", None)
    return x if dtype is None or dtype.isnative else x.astype(dtype.newbyteorder("="))


@functools.cache
def _is_dressed(kind: type) -> bool:
    """Return whether there is an array inside, as which SciPy takes the object: with labels, units
    or operators of its own.
    """
    own = issubclass(kind, np.ndarray) and kind.__array_ufunc__ is not np.ndarray.__array_ufunc__
    with_operators = issubclass(kind, (np.matrix, np.ma.MaskedArray, memoryview))
    return own or with_operators or is_wrapper(kind)


def undress(function: str, name: str, x: Any) -> Any:
    """Return the array inside of an argument that has one, and other arguments as they are."""
    if type(x) is np.ndarray or not _is_dressed(type(x)):
        return x
    if np.ma.is_masked(x):
        raise ValueError(
            f"{function}: argument '{name}' is a masked array with masked elements, which linear "
            f"algebra does not leave out; pass {name}.filled(value), or the rows and columns "
            "without any."
        )
    x = take_off_labels(x)
    return x if isinstance(x, Traced) else np.asarray(x)


def as_array(function: str, name: str, x: Any) -> Any:
    """Return an argument as an array in a dtype that LAPACK supports."""
    x = undress(function, name, x)
    if type(x) is not np.ndarray and not isinstance(x, Traced):
        x = x if hasattr(x, "dtype") and hasattr(x, "shape") else assemble(x)
        if hasattr(x, "toarray"):
            raise ValueError(
                f"{function}: argument '{name}' is a sparse array; use scigrad.sparse.linalg, or "
                f"pass {name}.toarray()."
            )
        library(raw(x))  # refuses arrays of libraries whose dtypes are not NumPy's
    dtype = x.dtype
    if dtype.char in "fdFD":
        return x if dtype.isnative else native(x)
    if dtype.kind not in "biufc":
        raise ValueError(
            f"{function}: argument '{name}' has dtype {dtype}; it must hold real or complex "
            "numbers."
        )
    return x.astype(_LAPACK.get(dtype.char, "d"))


_RECTANGULAR = {
    **dict.fromkeys(
        ("solve", "lu_solve", "cho_solve", "ldl_solve", "solve_triangular"),
        " For a rectangular system use lstsq.",
    ),
    **dict.fromkeys(("eig", "eigh"), " A rectangular matrix has singular values: svd, svdvals."),
    "inv": " A rectangular matrix has a pseudo-inverse: pinv.",
}


def as_matrix(function: str, name: str, x: Any, square: bool = True, check: bool = False) -> Any:
    """Return an argument as a matrix or a batch of matrices, without NaN and infinities if `check`
    is true.
    """
    x = as_array(function, name, x)
    shape = x.shape
    if len(shape) < 2:
        raise ValueError(
            f"{function}: argument '{name}' must be a matrix (..., m, n), not an array of shape "
            f"{shape}."
        )
    if square and shape[-1] != shape[-2]:
        raise ValueError(
            f"{function}: argument '{name}' must be square, (..., n, n), but has shape "
            f"{shape}.{_RECTANGULAR.get(function, '')}"
        )
    refuse_nonfinite(function, check, **{name: x})
    return x


def check_matrices(
    function: str,
    name: str,
    x: Any,
    check_finite: bool = True,
    on_fail: str = "raise",
    square: bool = True,
) -> Any:
    """Return an argument as matrices, on the host without NaN and infinities, unless matrices that
    fail are to be marked.
    """
    failures.check_policy(function, on_fail)
    return as_matrix(function, name, x, square, check_finite and on_fail == "raise")


def right_hand_sides(function: str, a: Any, b: Any, name: str = "a", axis: int = -1) -> Any:
    """Return b as a matrix with as many rows as a has columns, or rows with axis=-2."""
    shape, rows = shape_of(b), shape_of(a)[axis]
    b = as_columns(b if shape else b[None]) if len(shape) < 2 else b
    if shape_of(b)[-2] != rows:
        raise ValueError(
            f"{function}: incompatible shapes: '{name}' is {shape_of(a)}, so 'b' needs {rows} "
            f"rows, but has shape {shape}. Only a 1-D b is a vector; a batch of vectors is (..., "
            "n, 1)."
        )
    return b


def system(function: str, name: str, a: Any, b: Any, check_finite: bool, on_fail: str = "raise",
    square: bool = True,
           axis: int = -1) -> Any:  # fmt: skip
    """Return the matrices of a system and its right-hand sides as columns, in one precision, and
    whether these were one vector.
    """
    failures.check_policy(function, on_fail)
    a, b = as_matrix(function, name, a, square), as_array(function, "b", b)
    vector, b = len(shape_of(b)) < 2, right_hand_sides(function, a, b, name=name, axis=axis)
    refuse_nonfinite(function, check_finite and on_fail == "raise", **{name: a}, b=b)
    return *same_precision(a, b), vector


def answer(x: Any, vector: bool, on_fail: str, info: Callable[[], Any]) -> Any:
    """Return the solution, as a vector if one was given, and with on_fail="info" what failed."""
    return failures.append_info(as_vectors(x) if vector else x, info, on_fail)


def as_pair(x: Any, wanted: str) -> Any:
    """Return the two items of an argument that has to be a pair; `wanted` names the function and
    the items in the error.
    """
    shape = getattr(x, "shape", None)
    if shape == (2,) or (isinstance(x, (tuple, list)) and len(x) == 2):
        return tuple(x)
    sequence = f"a {type(x).__name__} of {len(x)}" if isinstance(x, (tuple, list)) else repr(x)
    raise ValueError(
        f"{wanted}, not {sequence if shape is None else f'an array of shape {shape}'}."
    )


def same_precision(*arrays: Any) -> tuple[Any, ...]:
    """Return real and complex arrays, all in double precision unless all are single."""
    if len({x.dtype.char in _SINGLE for x in arrays}) == 1:
        return arrays
    return tuple(
        x if x.dtype.char not in _SINGLE else x.astype("D" if is_complex(x) else "d")
        for x in arrays
    )


@concrete
def finite(function: str, name: str, x: Any) -> None:
    """Refuse NaN and infinities in concrete host data, as SciPy's check_finite does."""
    if not np.isfinite(x).all():
        where = failures.first_place(~np.isfinite(x))
        raise ValueError(
            f"{function}: array must not contain infs or NaNs; argument '{name}' of shape "
            f"{x.shape} does, at index {where}. Mask or clean the data; check_finite=False or "
            "on_fail='nan', where the function has them, let it pass."
        )


def refuse_nonfinite(function: str, check: bool, **arrays: Any) -> None:
    """Apply `finite` to arguments, traced or not, if `check` is true. Arrays on a device are not
    checked.
    """
    if not check:
        return
    values = list(map(raw, arrays.values()))
    if is_host(*values):
        for name, x in zip(arrays, values, strict=True):
            finite(function, name, x)


# -- the parts of a matrix that are read


@linear("a", core={"a": 2})
def hermitian(a, lower, conjugate=True):
    """Return the Hermitian (or, without `conjugate`, symmetric) matrix of which `a` holds one
    triangle.
    """
    if type(a) is not np.ndarray and is_on_device(a):
        return _hermitian_element(*places_in(a.shape, a), a, a.mT, lower, conjugate)
    out = np.where(_triangle_mask(a, lower), a, mH(a) if conjugate else a.mT)
    return _with_diagonal(out, np.real(diagonal(a))) if conjugate and is_complex(a) else out


# H = T + T^H + Re D  =>  Re<g, H'> = Re<tri(g + g^H), T'> + <Re diag g, D'>: the other triangle is
# folded onto the one read.
@linear("g", core={"g": 2})
def fold_triangles(g, lower, conjugate=True):
    """Return the cotangent of the triangle that `hermitian` reads, for the cotangent g of its
    result.
    """
    if type(g) is not np.ndarray and is_on_device(g):
        return _folded_element(*places_in(g.shape, g), g, g.mT, lower, conjugate)
    out = np.where(_triangle_mask(g, lower), g + (mH(g) if conjugate else g.mT), 0)
    return _with_diagonal(out, np.real(diagonal(g)) if conjugate else diagonal(g))


def _triangle_mask(a: Any, lower: bool) -> Any:
    """Return the mask of the triangle that is read."""
    home = np if type(a) is np.ndarray else namespace_of(a)
    below = home.tri(a.shape[-1], dtype=bool)
    return below if lower else below.T


def _with_diagonal(out: Array, d: Any) -> Any:
    # one launch, where an assignment takes several
    if type(out) is not np.ndarray and library(out) != "numpy":
        return np.where(is_diagonal(out), d[..., None], out)
    i = np.arange(out.shape[-1], like=out)
    out[..., i, i] = d
    return out


hermitian.adjoint(lambda call, g: fold_triangles(g, call.lower, call.conjugate))
fold_triangles.adjoint(lambda call, g: hermitian(g, call.lower, call.conjugate))


@linear("x", core={"x": 2})
def half_lower(x):
    """Return the lower triangle with half of the real diagonal: X = half_lower(X) + half_lower(X)^H
    for Hermitian X.
    """
    if type(x) is not np.ndarray and is_on_device(x):
        return _half_lower_element(*places_in(x.shape, x), x)
    return _with_diagonal(np.tril(x, -1), np.real(diagonal(x)) / 2)


half_lower.adjoint(lambda call, g: half_lower(g))


# -- the same as functions of the numbers of a row and a column and of elements, for one launch


@one_kernel
def _hermitian_element(i: Any, j: Any, x: Any, mirrored: Any, lower: bool, conjugate: bool) -> Any:
    out = np.where(i >= j if lower else i <= j, x, np.conj(mirrored) if conjugate else mirrored)
    return np.where(i == j, np.real(x), out) if conjugate and is_complex(x) else out


@one_kernel
def _folded_element(i: Any, j: Any, x: Any, mirrored: Any, lower: bool, conjugate: bool) -> Any:
    out = np.where(i > j if lower else i < j, x + (np.conj(mirrored) if conjugate else mirrored), 0)
    return np.where(i == j, np.real(x) if conjugate else x, out)


@one_kernel
def _half_lower_element(i: Any, j: Any, x: Any) -> Any:
    return np.where(i == j, np.real(x) / 2, np.where(i > j, x, 0))


def triangle(a: Any, lower: bool, unit_diagonal: bool = False) -> Any:
    """Return one triangle, with ones on the diagonal if they are not to be read."""
    home = diagonals if is_on_device(a) else np
    if not unit_diagonal:
        return home.tril(a) if lower else home.triu(a)
    return (home.tril(a, -1) if lower else home.triu(a, 1)) + identity(shape_of(a)[-1], a)


# -- text that the docstrings of this room share
