"""Sylvester's equation a x + x b = q, and the one primitive behind the linear matrix equations of this room.

Inside, the second matrix is c = b^H: a x + x c^H = q. Then Lyapunov's equation has c = a, and one Schur decomposition serves
both sides (Bartels and Stewart, Communications of the ACM 15 (1972) 820-826). The adjoint equation, a^H x + x c = q, is solved
with the same forms, so value, gradient and Hessian-vector product take one decomposition of each matrix.

On a device that has no Schur decomposition the equation is the linear system of order m n that it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import differentiable, raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.call_stack import warn

from ..foundation import factors as systems
from ..foundation import failures
from ..foundation.batches import each
from ..foundation.lapack import host, routine
from ..foundation.matrices import as_matrix, identity, is_complex, mH, refuse_nonfinite, same_precision


class Schur(NamedTuple):
    """u t u^H for each matrix of a batch; info is not 0 where there is none."""

    shape: tuple[int, ...]
    t: Any
    u: Any
    info: Any

    def fitting(self, shape: tuple[int, ...]) -> Schur | None:
        """These forms for a batch of a shape; vmap may have put axes of length 1 between the batch and the matrix."""
        if self.shape == shape:
            return self
        if [n for n in self.shape if n != 1] != [n for n in shape if n != 1] or self.shape[-1] != shape[-1]:
            return None
        return Schur(shape, self.t.reshape(shape), self.u.reshape(shape), self.info.reshape(shape[:-2]))


class Pair(NamedTuple):
    """Factors of a and c: their Schur forms, or on a device the factored system of order m n."""

    a: Any
    c: Any
    system: Any = None


def schur_forms(function: str, name: str, a: Any, on_fail: str) -> Schur:
    """The forms of concrete host matrices: real and quasi-triangular of real ones."""
    one = lambda a: tuple(host("schur")(a, check_finite=False))  # noqa: E731
    (t, u), info = each(function, one, a, on_fail=on_fail, argument=name)
    return Schur(a.shape, t, u, np.asarray(info))


def decomposed(function: str, a: Any, c: Any, on_fail: str) -> Pair:
    """Return the factors of concrete matrices a and c; c may be a itself."""
    if library(a) != "numpy":
        return Pair(None, None, systems.factorize(function, _system(a, c), on_fail="nan"))
    forms = schur_forms(function, "a", a, on_fail)
    return Pair(forms, forms if c is a else schur_forms(function, "b", c, on_fail))


def _system(a: Any, c: Any) -> Any:
    """The matrix of x -> a x + x c^H, for the elements of x row by row."""
    m, n = a.shape[-1], c.shape[-1]
    left = a[..., :, None, :, None] * identity(n, a)[:, None, :]
    right = identity(m, a)[:, None, :, None] * np.conjugate(c)[..., None, :, None, :]
    total = left + right
    return total.reshape((*total.shape[:-4], m * n, m * n))


# -- the primitive


@differentiable("a", "c", "q")
def sylvester(a, c, q, *, pair=None, adjoint=False, singular="keep", function="solve_sylvester"):
    """x with a x + x c^H = q, or a^H x + x c = q, and info: 1 where the equation is singular. There `singular` selects "raise",
    "warn", "nan", or nothing; without an exception x is the solution of a nearby equation."""
    pair = _fitting(pair, a, c) or decomposed(function, a, c, "raise")
    if pair.system is not None:
        x, info = _by_system(pair.system, a, c, q, adjoint)
    elif is_complex(q) and not is_complex(a):
        (x, info), (y, _) = (_by_forms(pair, part, adjoint) for part in (q.real, q.imag))
        x = x + 1j * y
    else:
        x, info = _by_forms(pair, q.astype(a.dtype, copy=False), adjoint)
    if singular in ("raise", "warn"):
        _tell(function, a.shape, failures.to_host(info) > 0, singular)
    return failures.marked_nan(x, info, 2) if singular == "nan" else x, info


sylvester.batch_leading(a=2, c=2, q=2)


def _fitting(pair: Pair | None, a: Any, c: Any) -> Pair | None:
    if pair is None:
        return None
    if pair.system is not None:
        return pair if systems.fitting(pair.system, _system(a, c)) is not None else None
    forms = pair.a.fitting(a.shape), pair.c.fitting(c.shape)
    return None if None in forms else Pair(*forms)


def _by_forms(pair: Pair, q: Any, adjoint: bool) -> tuple[Any, Any]:
    r, u, s, v = pair.a.t, pair.a.u, pair.c.t, pair.c.u
    f = mH(u) @ q @ v
    lead = np.broadcast_shapes(f.shape[:-2], r.shape[:-2], s.shape[:-2])
    r, s = (np.broadcast_to(t, (*lead, *t.shape[-2:])) for t in (r, s))
    y, codes = np.empty((*lead, *f.shape[-2:]), f.dtype), np.zeros(lead, np.intp)
    trsyl, sides = routine("trsyl", f.dtype.char), {"trana": "C"} if adjoint else {"tranb": "C"}
    for index in np.ndindex(lead if f.size else (0,)):
        y[index], scale, codes[index] = trsyl(r[index], s[index], f[index], **sides)
        if scale != 1:  # the right-hand side was multiplied by it, so that nothing overflows on the way
            y[index] /= scale
    failed = pair.a.info | pair.c.info  # -1 stays -1
    return u @ y @ mH(v), np.where(failed != 0, np.where(failed < 0, -1, 2), codes)[()]


def _by_system(factors: systems.Factors, a: Any, c: Any, q: Any, adjoint: bool) -> tuple[Any, Any]:
    whole = _system(a, c)
    elements = q.reshape((*q.shape[:-2], q.shape[-2] * q.shape[-1], 1))
    x = systems.apply(systems.fitting(factors, whole) or factors, whole, elements, adjoint)
    x = x.reshape((*x.shape[:-2], *q.shape[-2:]))
    return x, systems.failure_codes(whole, x, factors)


def _tell(function: str, shape: tuple[int, ...], info: Any, singular: str) -> None:
    if singular == "raise":
        failures.raise_first(function, "a", shape, info, lambda _: ("common eigenvalue", "an eigenvalue of a is one of -b"))
    elif np.any(info):
        index = tuple(int(i) for i in np.argwhere(info)[0]) if np.ndim(info) else ()
        where = f" at batch index {index}" if index else ""
        pair = "product is very close to or exactly 1" if "discrete" in function else "sum is very close to or exactly zero"
        warn(
            f'{function}: Input "a" has an eigenvalue pair whose {pair}{where}. The solution is '
            "obtained via perturbing the coefficients.",
            RuntimeWarning,
        )


def _again(call: Any, q: Any, adjoint: bool) -> Any:
    singular = "nan" if call.singular == "nan" else "keep"
    return sylvester(call.a, call.c, q, pair=call.pair, adjoint=adjoint, singular=singular, function=call.function)[0]


# a x + x c^H = q  =>  a x' + x' c^H = q' - a' x - x c'^H   (a^H, c for a, c^H when adjoint)
@sylvester.jvp
def _(call, t):
    x, info = call.out
    da, dc = (mH(t.a), t.c) if call.adjoint else (t.a, mH(t.c))
    return _again(call, t.q - da @ x - x @ dc, call.adjoint), np.zeros_like(info)


# a^H w + w c = g  =>  q_bar = w,  a_bar = -w x^H,  c_bar = -w^H x   (the adjoints of both when adjoint)
@sylvester.vjp
def _(call, g):
    x, w = call.out[0], _again(call, g[0], not call.adjoint)
    if call.adjoint:
        return {"q": w, "a": lambda: -(x @ mH(w)), "c": lambda: -(mH(x) @ w)}
    return {"q": w, "a": lambda: -(w @ mH(x)), "c": lambda: -(mH(w) @ x)}


# -- the public function


def solve_sylvester(a, b, q, *, on_fail="raise"):
    """Solve Sylvester's equation a x + x b = q.

    Parameters
    ----------
    a : (..., m, m) array_like
        Matrix, or batch of matrices.
    b : (..., n, n) array_like
        Matrix, or batch of matrices.
    q : (..., m, n) array_like
        Right-hand side. Batch axes broadcast.

    Returns
    -------
    x : (..., m, n) ndarray
        Solution.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, 1 where the equation is singular, 2 where there is no Schur form, -1 for NaN in `a` or
        `b`.

    Raises
    ------
    ValueError
        If shapes do not fit, or `a` or `b` holds NaN or infinity.
    numpy.linalg.LinAlgError
        If `a` and `-b` have a common eigenvalue, where SciPy solves a nearby equation.

    Notes
    -----
    With w from ``a^H w + w b^H = g``: ``q_bar = w``, ``a_bar = -w x^H`` and ``b_bar = -x^H w``, in the Schur forms that the value
    was computed with. On a GPU a linear system of order m n is solved. See `scipy.linalg.solve_sylvester`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a, b, q = np.diag([1.0, 3.0]), np.eye(1), np.ones((2, 1))
    >>> print(grad(lambda a: np.sum(linalg.solve_sylvester(a, b, q)))(a))
    [[-0.25   -0.125 ]
     [-0.125  -0.0625]]
    """
    failures.check_policy("solve_sylvester", on_fail)
    a, b = as_matrix("solve_sylvester", "a", a), as_matrix("solve_sylvester", "b", b)
    q = as_matrix("solve_sylvester", "q", q, square=False)
    if shape_of(q)[-2:] != (shape_of(a)[-1], shape_of(b)[-1]):
        raise ValueError(
            f"solve_sylvester: incompatible shapes: 'a' is {shape_of(a)} and 'b' {shape_of(b)}, so 'q' must be "
            f"(..., {shape_of(a)[-1]}, {shape_of(b)[-1]}), but has shape {shape_of(q)}."
        )
    refuse_nonfinite("solve_sylvester", on_fail == "raise", a=a, b=b)
    return equation("solve_sylvester", a, mH(b), q, on_fail, "raise")


def equation(function: str, a: Any, c: Any, q: Any, on_fail: str, singular: str) -> Any:
    """x with a x + x c^H = q for checked arguments; with on_fail="raise" `singular` is the treatment of singular equations."""
    same = c is a
    a, c, q = same_precision(a, c, q)
    if is_complex(a) != is_complex(c):
        a, c = (x.astype("F" if x.dtype.char in "fF" else "D") for x in (a, c))
    if library(raw(a)) != "numpy":  # there one system holds both, of one batch
        lead = np.broadcast_shapes(shape_of(a)[:-2], shape_of(c)[:-2])
        a, c = (np.broadcast_to(x, (*lead, *shape_of(x)[-2:])) for x in (a, c))
    c = a if same else c
    pair = decomposed(function, raw(a), raw(a) if same else raw(c), on_fail)
    x, info = sylvester(a, c, q, pair=pair, singular=singular if on_fail == "raise" else "nan", function=function)
    return (x, info) if on_fail == "info" else x


__all__ = ["solve_sylvester"]
