"""Non-uniform discrete Fourier transforms of types 1, 2 and 3 in one to three dimensions (Dutt and
Rokhlin 1993).

Each is a sum of plane waves, linear in what it sums and smooth in where it is taken:

    type 1   f(k) = sum_j c_j exp(i s k . x_j)     from points x_j to the integer modes k of a grid
    type 2   c_j  = sum_k f(k) exp(i s k . x_j)    from modes to points
    type 3   f_k  = sum_j c_j exp(i s w_k . x_j)   from points x_j to targets w_k

with the sign s = isign. The adjoint of type 1 is type 2 with the opposite sign, and that of type 3
is type 3 with points and targets exchanged. A derivative in x brings down i s k, so that it is a
transform again, here of c_j dx_j or of i s k f(k):

    d f(k)  = i s k . sum_j c_j dx_j exp(...)
    x_bar_j = Re conj(c_j) sum_k conj(i s k) g(k) exp(- ...)

    d c_j   = dx_j . sum_k i s k f(k) exp(...)
    x_bar_j = Re conj(sum_k i s k f(k) exp(...)) g_j
"""

import math
from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import ZERO, backends, differentiable, raw
from scigrad.numpy.call_stack import call_as_step
from scigrad.typing import Array, ArrayLike, Axes

from .nonuniform_arguments import arrays_of, options_of, shapes_of
from .nonuniform_engines import transform_nonuniform

# The primitives: modes are one axis (in C order), points (..., m, d), leading axes broadcast; `o`
# are the engine's Options.


@differentiable("c", "points", core={"c": 1, "points": 2})
def from_points(c, points, o):
    """Transform by type 1: strengths (..., m) to modes (..., k)."""
    backends.check_devices("nufft1", ("c", "points"), (c, points))
    return transform_nonuniform(1, c, points, None, o)


@differentiable("f", "points", core={"f": 1, "points": 2})
def to_points(f, points, o):
    """Transform by type 2: modes (..., k) to values at points (..., m)."""
    backends.check_devices("nufft2", ("f", "points"), (f, points))
    return transform_nonuniform(2, f, points, None, o)


@differentiable("c", "points", "targets", core={"c": 1, "points": 2, "targets": 2})
def between_points(c, points, targets, o):
    """Transform by type 3: strengths (..., m) at points to values (..., k) at targets."""
    backends.check_devices("nufft3", ("c", "points", "targets"), (c, points, targets))
    return transform_nonuniform(3, c, points, targets, o)


# In the rules the coordinates of a vector are one more axis of the batch, the last: d transforms at
# the same points, in one call.


@from_points.jvp
def _(call, t):
    total = ZERO if t.c is ZERO else from_points(t.c, call.points, call.o)
    if t.points is ZERO:
        return total
    moved = from_points(_by_coordinate(call.c, t.points), _shared(call.points), call.o)
    return total + np.sum(moved * _frequency_slopes(call.o, moved), axis=-2)


@from_points.vjp
def _(call, g):
    def points():
        slopes = to_points(_gradient(g, call.o.opposite), _shared(call.points), call.o.opposite)
        return _pair_slopes(call.c, slopes)

    return {"c": lambda: to_points(g, call.points, call.o.opposite), "points": points}


@to_points.jvp
def _(call, t):
    total = ZERO if t.f is ZERO else to_points(t.f, call.points, call.o)
    if t.points is ZERO:
        return total
    slopes = to_points(_gradient(call.f, call.o), _shared(call.points), call.o)
    return total + np.sum(np.swapaxes(slopes, -1, -2) * t.points, axis=-1)


@to_points.vjp
def _(call, g):
    def points():
        return _pair_slopes(g, to_points(_gradient(call.f, call.o), _shared(call.points), call.o))

    return {"f": lambda: from_points(g, call.points, call.o.opposite), "points": points}


@between_points.jvp
def _(call, t):
    x, w, o = call.points, call.targets, call.o
    total = ZERO if t.c is ZERO else between_points(t.c, x, w, o)
    if t.points is not ZERO:
        moved = between_points(_by_coordinate(call.c, t.points), _shared(x), _shared(w), o)
        total = total + 1j * o.isign * np.sum(np.swapaxes(moved, -1, -2) * w, axis=-1)
    if t.targets is not ZERO:
        slopes = between_points(_by_coordinate(call.c, x), _shared(x), _shared(w), o)
        total = total + 1j * o.isign * np.sum(np.swapaxes(slopes, -1, -2) * t.targets, axis=-1)
    return total


@between_points.vjp
def _(call, g):
    x, w, o, back = call.points, call.targets, call.o, call.o.opposite

    def points():
        return _pair_slopes(
            call.c,
            between_points(_by_coordinate(g, w), _shared(w), _shared(x), back) * (1j * back.isign),
        )

    def targets():
        return _pair_slopes(
            g, between_points(_by_coordinate(call.c, x), _shared(x), _shared(w), o) * (1j * o.isign)
        )

    return {"c": lambda: between_points(g, w, x, back), "points": points, "targets": targets}


def _shared(points: Any) -> Any:
    """Return the same points for every coordinate."""
    return points[..., None, :, :]


def _by_coordinate(values: Any, vectors: Any) -> Any:
    """Return values_j times each coordinate of vectors_j, (..., d, m)."""
    return values[..., None, :] * np.swapaxes(vectors, -1, -2)


def _pair_slopes(values: Any, slopes: Any) -> Any:
    """Return Re conj(values_j) slopes_j for each coordinate, (..., m, d)."""
    return np.swapaxes(np.real(np.conj(values)[..., None, :] * slopes), -1, -2)


def _gradient(f: Any, o: Any) -> Any:
    """Return i s k f(k) for each coordinate of k, (..., d, k)."""
    return f[..., None, :] * _frequency_slopes(o, f)


def _frequency_slopes(o: Any, like: Any) -> Any:
    """Return i s k, (d, k), in the precision and on the device of an array."""
    coordinates = []
    for a, n in enumerate(o.modes):
        k = np.arange(n, like=raw(like)) - n // 2
        if o.modeord == 1:  # 0, 1, ..., -2, -1
            k = np.roll(k, -(n // 2))
        k = k.reshape((n, *(1,) * (len(o.modes) - a - 1))).astype(like.dtype.char.lower())
        coordinates.append(np.broadcast_to(k, o.modes).reshape(math.prod(o.modes)))
    return np.stack(coordinates) * (1j * o.isign)


# -- the public functions


def nufft1(
    c: ArrayLike,
    points: ArrayLike,
    modes: Axes,
    *,
    eps: float = 1e-6,
    isign: Literal[1, -1] = 1,
    modeord: Literal[0, 1] = 0,
    workers: int | None = None,
) -> Array:
    """Compute the non-uniform Fourier transform of type 1, from points to modes.

    ``f(k) = sum_j c_j exp(i isign k . x_j)`` for the integer modes k of a grid.

    Parameters
    ----------
    c : (..., m) array_like
        Strengths, real or complex.
    points : (..., m, d) array_like
        Points x_j in radians, d = 1, 2 or 3; or a tuple of d arrays (..., m), or (m,) for d = 1.
        The waves have the period 2 pi.
    modes : int or sequence of d ints
        Number of modes on each axis.
    eps : float, optional
        Relative error. It is raised to the engine's limit in the precision of the arrays (ducc0:
        about 1e-14 in double, 1e-6 in single precision).
    isign : {1, -1}, optional
        Sign in the exponent.
    modeord : {0, 1}, optional
        Order of the modes: 0 for -n//2, ..., (n-1)//2; 1 for that of `fft`, 0, 1, ..., -1.
    workers : int, optional
        Number of threads on the CPU.

    Returns
    -------
    (..., *modes) ndarray
        Complex amplitudes of the modes.

    Raises
    ------
    TypeError
        If the points are complex, or an array is not one of numbers in single or double precision.
    ValueError
        If shapes or options do not fit each other.
    MissingKernel
        If no engine is installed (ducc0 or finufft; cufinufft for CuPy arrays).

    Notes
    -----
    Linear in the strengths or modes and differentiable in points and targets, to any order; the
    relative error of a derivative is `eps` too. Leading axes broadcast: transforms at the same
    points are one call of the engine, sets of points are run in a loop. A point that is not finite
    gives nan. Names and signs are those of finufft.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> x = np.array([0.0, 0.5])
    >>> print(
    ...     grad(lambda x: np.abs(fft.nufft1(np.ones(2), x, 3, eps=1e-12)[2]) ** 2)(x).round(9)
    ... )  # 2 + 2 cos(x_0 - x_1)
    [ 0.95885108 -0.95885108]
    """
    c, points = arrays_of("nufft1", c=c, points=points)
    o = options_of("nufft1", modes, eps, isign, modeord, workers)
    shapes_of("nufft1", ("c", c), points, len(o.modes))
    f = from_points(c, points, o)
    return f.reshape((*f.shape[:-1], *o.modes))


def nufft2(
    f: ArrayLike,
    points: ArrayLike,
    *,
    eps: float = 1e-6,
    isign: Literal[1, -1] = -1,
    modeord: Literal[0, 1] = 0,
    workers: int | None = None,
) -> Array:
    """Compute the non-uniform Fourier transform of type 2, from modes to points.

    ``c_j = sum_k f(k) exp(i isign k . x_j)``. With the default signs this is the adjoint of
    `nufft1`.

    Parameters
    ----------
    f : (..., n_1, ..., n_d) array_like
        Amplitudes of the modes, real or complex.
    points : (..., m, d) array_like
        Points x_j in radians, d = 1, 2 or 3; or a tuple of d arrays (..., m), or (m,) for d = 1.
        The waves have the period 2 pi.
    eps : float, optional
        Relative error. It is raised to the engine's limit in the precision of the arrays (ducc0:
        about 1e-14 in double, 1e-6 in single precision).
    isign : {1, -1}, optional
        Sign in the exponent.
    modeord : {0, 1}, optional
        Order of the modes: 0 for -n//2, ..., (n-1)//2; 1 for that of `fft`, 0, 1, ..., -1.
    workers : int, optional
        Number of threads on the CPU.

    Returns
    -------
    (..., m) ndarray
        Complex values at the points.

    Raises
    ------
    TypeError
        If the points are complex, or an array is not one of numbers in single or double precision.
    ValueError
        If shapes or options do not fit each other.
    MissingKernel
        If no engine is installed (ducc0 or finufft; cufinufft for CuPy arrays).

    Notes
    -----
    Linear in the strengths or modes and differentiable in points and targets, to any order; the
    relative error of a derivative is `eps` too. Leading axes broadcast: transforms at the same
    points are one call of the engine, sets of points are run in a loop. A point that is not finite
    gives nan. Names and signs are those of finufft.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> f = np.array([0.0, 0.0, 1.0])  # the mode exp(-i x)
    >>> print(
    ...     grad(lambda x: np.real(fft.nufft2(f, x, eps=1e-12)[0]))(np.array([0.5])).round(9)
    ... )  # -sin(x)
    [-0.47942554]
    """
    f, points = arrays_of("nufft2", f=f, points=points)
    d = points.shape[-1]
    o = options_of("nufft2", f.shape[-d:], eps, isign, modeord, workers)
    shapes_of("nufft2", ("f", f), points, d, modes=True)
    return to_points(f.reshape((*f.shape[:-d], math.prod(o.modes))), points, o)


def nufft3(
    c: ArrayLike,
    points: ArrayLike,
    targets: ArrayLike,
    *,
    eps: float = 1e-6,
    isign: Literal[1, -1] = 1,
    workers: int | None = None,
) -> Array:
    """Compute the non-uniform Fourier transform of type 3, from points to points.

    ``f_k = sum_j c_j exp(i isign w_k . x_j)``.

    Parameters
    ----------
    c : (..., m) array_like
        Strengths, real or complex.
    points : (..., m, d) array_like
        Points x_j, d = 1, 2 or 3; or a tuple of d arrays (..., m), or (m,) for d = 1.
    targets : (..., k, d) array_like
        Frequencies w_k; or a tuple of d arrays (..., k), or (k,) for d = 1.
    eps : float, optional
        Relative error. It is raised to the engine's limit in the precision of the arrays (ducc0:
        about 1e-14 in double, 1e-6 in single precision).
    isign : {1, -1}, optional
        Sign in the exponent.
    workers : int, optional
        Number of threads on the CPU.

    Returns
    -------
    (..., k) ndarray
        Complex values at the targets.

    Raises
    ------
    TypeError
        If the points are complex, or an array is not one of numbers in single or double precision.
    ValueError
        If shapes or options do not fit each other.
    MissingKernel
        If no engine is installed (ducc0 or finufft; cufinufft for CuPy arrays).

    Notes
    -----
    Time and memory grow with the product of the ranges of points and targets; where the product of
    their numbers is smaller, the definition is summed directly.

    Linear in the strengths or modes and differentiable in points and targets, to any order; the
    relative error of a derivative is `eps` too. Leading axes broadcast: transforms at the same
    points are one call of the engine, sets of points are run in a loop. A point that is not finite
    gives nan. Names and signs are those of finufft.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> c, x = np.ones(1), np.array([2.0])
    >>> print(
    ...     grad(lambda w: np.real(fft.nufft3(c, x, w, eps=1e-12)[0]))(np.array([0.5])).round(9)
    ... )  # -2 sin(2 w)
    [-1.68294197]
    """
    c, points, targets = arrays_of("nufft3", c=c, points=points, targets=targets)
    o = options_of("nufft3", (), eps, isign, 0, workers)
    shapes_of("nufft3", ("c", c), points, points.shape[-1], targets=targets)
    return between_points(c, points, targets, o)


def nufft(
    x: ArrayLike,
    points: ArrayLike,
    type: Literal[1, 2, 3] = 1,
    *,
    modes: Axes | None = None,
    targets: ArrayLike | None = None,
    eps: float = 1e-6,
    isign: Literal[1, -1] | None = None,
    modeord: Literal[0, 1] = 0,
    workers: int | None = None,
) -> Array:
    """Compute a non-uniform Fourier transform of type 1, 2 or 3.

    ``nufft1(x, points, modes)``, ``nufft2(x, points)`` or ``nufft3(x, points, targets)``.

    Parameters
    ----------
    x : array_like
        Strengths, or amplitudes of modes for type 2.
    points : (..., m, d) array_like
        Points x_j in radians, d = 1, 2 or 3; or a tuple of d arrays (..., m), or (m,) for d = 1.
        The waves have the period 2 pi.
    type : {1, 2, 3}, optional
        Type of the transform.
    modes : int or sequence of d ints, optional
        Number of modes on each axis, for type 1 only.
    targets : (..., k, d) array_like, optional
        Frequencies, for type 3 only.
    eps : float, optional
        Relative error. It is raised to the engine's limit in the precision of the arrays (ducc0:
        about 1e-14 in double, 1e-6 in single precision).
    isign : {1, -1}, optional
        Sign in the exponent; by default that of the type, -1 for type 2 and 1 for the others.
    modeord : {0, 1}, optional
        Order of the modes: 0 for -n//2, ..., (n-1)//2; 1 for that of `fft`, 0, 1, ..., -1.
    workers : int, optional
        Number of threads on the CPU.

    Returns
    -------
    ndarray
        Complex transform.

    Raises
    ------
    ValueError
        If `modes` or `targets` is missing or given to a type that has none, or shapes or options do
        not fit each other.
    TypeError
        If the points are complex, or an array is not one of numbers in single or double precision.

    Notes
    -----
    Linear in the strengths or modes and differentiable in points and targets, to any order; the
    relative error of a derivative is `eps` too. Leading axes broadcast: transforms at the same
    points are one call of the engine, sets of points are run in a loop. A point that is not finite
    gives nan. Names and signs are those of finufft.

    Time and memory grow with the product of the ranges of points and targets; where the product of
    their numbers is smaller, the definition is summed directly.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> x = np.array([0.0, 0.5])
    >>> print(
    ...     grad(lambda c: np.abs(fft.nufft(c, x, 1, modes=3, eps=1e-12)[1]) ** 2)(
    ...         np.array([1.0, 2.0])
    ...     ).round(9)
    ... )  # 2 sum(c)
    [6. 6.]
    """
    if type not in (1, 2, 3):
        raise ValueError(f"nufft: type must be 1, 2 or 3, not {type!r}.")
    given = {"modes": modes is not None, "targets": targets is not None}
    needed = {"modes": type == 1, "targets": type == 3}
    for name in given:
        if given[name] != needed[name]:
            raise ValueError(
                f"nufft: a transform of type {type} {'needs' if needed[name] else 'has no'} "
                f"{name}=."
            )
    isign = (1, -1, 1)[type - 1] if isign is None else isign
    if type == 3:
        return nufft3(x, points, targets, eps=eps, isign=isign, workers=workers)
    options = {"eps": eps, "isign": isign, "modeord": modeord, "workers": workers}
    if type == 1:
        return call_as_step(nufft1, x, points, modes, **options)
    return call_as_step(nufft2, x, points, **options)


__all__ = ["nufft", "nufft1", "nufft2", "nufft3"]
