"""The eigenvalues alpha / beta of a (block) triangular pair s, p.

Of a block [[a, b], [c, d]] of s over [[e, f], [0, g]] of p they are those of the quotient s p^-1 = [[u, v], [w, x]],
(u + x) / 2 +- i sqrt(-v w - ((u - x) / 2)^2), over beta = sqrt|e g|. LAPACK scales both, alpha and beta, by a number that it
chooses to avoid overflow; a loss must not depend on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant, differentiable, materialize, shape_of

from ..foundation.gauge import refuse
from ..foundation.matrices import frobenius, is_complex, on_diagonal


def eigenvalues(s: Any, p: Any) -> tuple[Any, Any]:
    """alpha (complex) and beta of a form."""
    own, beta = (np.diagonal(x, axis1=-2, axis2=-1) for x in (s, p))
    if is_complex(s) or shape_of(s)[-1] < 2:
        return own + 0j, beta
    coupled = _coupled(s)
    a, d = own[..., :-1], own[..., 1:]
    b, c, f = np.diagonal(s, 1, -2, -1), np.diagonal(s, -1, -2, -1), np.diagonal(p, 1, -2, -1)
    e, g = (np.where(coupled, x, 1) for x in (beta[..., :-1], beta[..., 1:]))
    roots = np.sqrt(np.abs(e)), np.sqrt(np.abs(g))
    by_e, by_g = np.sign(e) * (roots[1] / roots[0]), np.sign(g) * (roots[0] / roots[1])
    u, w, v, x = a * by_e, c * by_e, (b - a * (f / e)) * by_g, (d - c * (f / e)) * by_g  # times beta
    half = np.where(coupled, (u - x) / 2, 0)
    size = np.sqrt(np.where(coupled, np.abs(v), 1)) * np.sqrt(np.where(coupled, np.abs(w), 1))
    root = np.sqrt(size - half) * np.sqrt(size + half)
    both = roots[0] * roots[1]
    upper, lower = (np.where(coupled, (u + x) / 2 + sign * 1j * root, 0) for sign in (1, -1))
    first, second = _padded(coupled, (0, 1)), _padded(coupled, (1, 0))
    alpha = np.where(first, _padded(upper, (0, 1)), np.where(second, _padded(lower, (1, 0)), own))
    return alpha, np.where(first, _padded(both, (0, 1)), np.where(second, _padded(both, (1, 0)), beta))


def _padded(x: Any, by: tuple[int, int]) -> Any:
    return np.pad(x, [(0, 0)] * (len(shape_of(x)) - 1) + [by])


@constant
def _coupled(s):
    return np.diagonal(s, -1, -2, -1) != 0


@constant
def in_blocks(s):
    """Return which eigenvalues belong to 2 x 2 blocks."""
    coupled = np.diagonal(s, -1, -2, -1) != 0
    return _padded(coupled, (0, 1)) | _padded(coupled, (1, 0)) if s.shape[-1] else coupled


_coupled.batch_leading(s=2)
in_blocks.batch_leading(s=2)


# LAPACK's alpha and beta of a block are c times ours. To a change of their common scale the derivatives are blind: a tangent is
# made orthogonal to (alpha, beta), and a cotangent has to be.
@differentiable("alpha", "beta")
def as_found(alpha, beta, found_alpha, found_beta, scaled, gauge, function):
    """The values found for alpha and beta, with the derivatives of alpha and beta, up to their scale where `scaled`."""
    del alpha, beta, scaled, gauge, function  # for the rules
    return found_alpha, found_beta


as_found.batch_leading(alpha=1, beta=1, found_alpha=1, found_beta=1, scaled=1)


@as_found.jvp
def _(call, t):
    c = _ratio(call)
    alpha, beta = (materialize(x, y) * c for x, y in zip(t, call.out, strict=False))
    along = _along(call, alpha, beta)
    unit_alpha, unit_beta = _unit(call)
    return alpha - along * unit_alpha, beta - along * unit_beta


@as_found.vjp
def _(call, g):
    alpha, beta = (materialize(x, y) for x, y in zip(g, call.out, strict=True))
    along = _along(call, alpha, beta)
    if call.gauge == "check":
        norm = frobenius(alpha[..., None, :]) + frobenius(beta[..., None, :])
        diagonal, text = on_diagonal(along), SCALE.replace("FUNCTION", call.function)
        refuse(diagonal, diagonal == diagonal, norm, text, lambda i, j: f"alpha[{i}] and beta[{i}]")
    unit_alpha, unit_beta = _unit(call)
    c = _ratio(call)
    return {"alpha": (alpha - along * unit_alpha) * c, "beta": (beta - along * unit_beta) * c}


def _ratio(call: Any) -> Any:
    """c, which is not constant where the tangents of the values found are made orthogonal to them."""
    return np.where(call.scaled, np.real(call.out[1]) / np.where(call.scaled, np.real(call.beta), 1), 1)


def _unit(call: Any) -> tuple[Any, Any]:
    """(alpha, beta) in units of its length."""
    alpha, beta = call.out
    size = np.hypot(np.abs(np.where(call.scaled, alpha, 1)), np.abs(beta))
    return alpha / size, beta / size


def _along(call: Any, alpha: Any, beta: Any) -> Any:
    """The component along (alpha, beta) of a tangent or cotangent, where that is open."""
    unit_alpha, unit_beta = _unit(call)
    inner = np.real(np.conjugate(unit_alpha) * alpha) + np.real(np.conjugate(unit_beta) * beta)
    return np.where(call.scaled & (call.gauge != "trust"), inner, 0)


SCALE = (
    "FUNCTION: the loss depends on the common scale of {what}, which belong to a pair of complex eigenvalues in the real form. "
    "The algorithm chooses it, so it has no derivative. Write it with alpha / beta, or pass gauge='project' to drop that part."
)

__all__ = ["as_found", "eigenvalues", "in_blocks"]
