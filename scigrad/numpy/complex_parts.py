"""Real and imaginary part, conjugate, modulus, angle, sign.

None of them is holomorphic: as maps of the real plane they obey the one law Re<g, jvp(t)> =
Re<vjp(g), t>.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import differentiable, linear
from scigrad.typing import Array, ArrayLike, Out, UnaryUfunc

from .comparison import step
from .composition import describe_ufunc, numpy_composition
from .devices import one_kernel
from .kinks import Kinked
from .missing_derivatives import some
from .selection import where
from .ties import tie_slopes
from .views import mark_view, put_back

__all__ = [
    "abs",
    "absolute",
    "angle",
    "conj",
    "conjugate",
    "fabs",
    "imag",
    "real",
    "real_if_close",
    "sign",
]


def _is_complex(x: Any) -> bool:
    return x.dtype.kind == "c"


# -- parts


@numpy_composition(np.real, linear=True)
def real(val: ArrayLike) -> Array:
    """Return the real part."""
    return mark_view(_real(val), val, real) if _is_complex(val) else val


@linear("z")
def _real(z):
    return np.real(z)


_real.adjoint(lambda call, g: g)
_real.over_leading({"z": 0})


@numpy_composition(np.imag, linear=True)
def imag(val: ArrayLike) -> Array:
    """Return the imaginary part."""
    # the imaginary part of a real array is no part of it, and read-only in NumPy
    return mark_view(_imag(val), val, imag, overlaps=not _is_complex(val))


@linear("z")
def _imag(z):
    return np.imag(z)


@_imag.adjoint
def _(call, g):
    return 1j * g if _is_complex(call.z) else 0 * g  # Re(g Im t) = Re(conj(i g) t)


_imag.over_leading({"z": 0})

put_back[real] = lambda z, new: new + 1j * _imag(z)
put_back[imag] = lambda z, new: _real(z) + 1j * new

conj: Any = linear("x")(np.conjugate)
conjugate: UnaryUfunc = conj
conj.adjoint(lambda call, g: conj(g))
conj.over_leading({"x": 0})


# -- modulus and phase


class _Modulus(Kinked):
    def _lifted(self, out: Array, values: Any) -> Any:
        """Return |x| to first order: the larger of x and -x for real 0 + e s, which is smooth
        unless s is 0.
        """
        (x,) = values
        decided = np.logical_and(x == 0, not _is_complex(x) and tie_slopes(x)[0] != 0)
        if not some(decided):
            return super()._lifted(out, values)
        return np.where(decided, np.maximum(x, -x), self.evaluate((np.where(decided, 1, x),))[0])


absolute: UnaryUfunc = describe_ufunc(
    "At 0 the derivative is 0, the subgradient of smallest norm; even functions of |x| are smooth "
    "there."
)(_Modulus(np.absolute, ("x",)))
abs: UnaryUfunc = absolute


@absolute.jvp
def _(call, t):
    return np.real(conj(sign(call.x)) * t.x)


@absolute.vjp
def _(call, g):
    if type(call.x).__module__ == "cupy":
        return {"x": _times_sign(g, call.x)}
    return {"x": g * sign(call.x)}  # 0 at 0: the subgradient of smallest norm


@one_kernel
def _times_sign(g: Any, x: Any) -> Any:
    return g * sign(x)


absolute.over_leading({"x": 0})


@numpy_composition(np.fabs)
def fabs(x: ArrayLike, /, out: Out | None = None) -> Array:
    """Return the absolute value of real numbers."""
    if _is_complex(x):
        raise TypeError("fabs is a function of real numbers; use abs(x) for complex ones")
    return absolute(x)


@numpy_composition(np.sign)
def sign(x: ArrayLike, /, out: Out | None = None) -> Array:
    """Return x / |x|, and 0 at 0: constant for real x, the phase of complex x."""
    return _phase(x) if _is_complex(x) else _sign(x)


_sign = step(np.sign)
_sign.decides = True


@differentiable("x")
def _phase(x):
    # CuPy's sign of a complex number is that of its real part. In NumPy one infinite part counts
    # alone. Division by a subnormal length overflows.
    small = np.absolute(x) < np.finfo(x.dtype).tiny
    z: Any = np.where(small, np.where(small, x, 0) * 2.0**100, x)
    length = np.absolute(z)
    infinite = np.isinf(z.real) != np.isinf(z.imag)
    z = np.where(
        infinite,
        np.where(np.isinf(z.real), np.sign(z.real), 1j * np.sign(z.imag)).astype(z.dtype),
        z,
    )
    return z / np.where(infinite | (length == 0), 1, length)


def _turned(call: Any, t: Any) -> Any:
    # s = z / |z|  =>  s' = (t - s Re(conj(s) t)) / |z|, the part of t across s: a symmetric map, so
    # its own adjoint
    length = absolute(call.x)
    across = t - call.out * np.real(conj(call.out) * t)
    return across / where(length == 0, 1, length) * (length != 0)


_phase.jvp(lambda call, t: _turned(call, t.x))
_phase.vjp(lambda call, g: {"x": _turned(call, g)})
_phase.over_leading({"x": 0})


@numpy_composition(np.angle)
def angle(z: ArrayLike, deg: int = False) -> Array:
    """Return the argument of a complex number, in (-pi, pi]."""
    out = np.arctan2(imag(z), real(z))
    return np.rad2deg(out) if deg else out


@numpy_composition(np.real_if_close)
def real_if_close(a: ArrayLike, tol: int = 100) -> Array:
    """Return the real part if all imaginary parts are negligible, else the array itself."""
    if not _is_complex(a):
        return a
    limit = tol * np.finfo(a.dtype).eps if tol > 1 else tol
    return real(a) if np.all(absolute(imag(a)) < limit) else a
