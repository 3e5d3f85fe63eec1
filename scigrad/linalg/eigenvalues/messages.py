"""Messages about losses and directions for which a decomposition has no derivative, or one with few digits."""

from __future__ import annotations


def text(template: str, function: str, **words: str) -> str:
    values, forms, instead = _WORDS[function]
    return template.format(function=function, values=values, forms=forms, instead=instead, what="{what}", **words)


_WORDS = {
    "eigh": ("eigenvalues", "v f(w) v^H, |v|^2, a projector", "linalg.funm_herm has all derivatives of v f(w) v^H"),
    "eig": ("eigenvalues", "v f(w) v^-1, |v|^2", "functions of the matrix (expm, sqrtm, a power) have all derivatives"),
    "svd": ("singular values", "u f(s) v^H, v f(s) v^H, |u|^2, a projector", "polar has those of u v^H"),
}
REVERSE = (
    "{function}: the loss depends on {what}, which the matrix does not determine, so it has no derivative here. Write it with "
    "quantities that do not depend on the choice ({forms}), fix the phase with canonical=True, or say what you mean: "
    "gauge='project' drops that part of the derivative."
)
FORWARD = (
    "{function}: this derivative depends on {what}: it was asked for in a direction that separates them, after the vectors had "
    "been chosen for another one (linearize, or two directions at once). Use jvp, hvp, or reverse mode for a gradient."
)
SECOND = (
    "{function}: second derivatives through vectors of equal {values}, or of nearly equal ones (closer than sqrt(eps)), are not "
    "determined by the first-order rule. The first derivative is available, so are second derivatives of functions of the "
    "{values} alone by forward over reverse mode (hvp, hessian); {instead}."
)
UNEVEN = (
    "{function}: a second derivative was asked for of a loss that weighs the equal eigenvalues {i} and {j} differently, as one "
    "of the smallest alone does (singular values are eigenvalues of [[0, a], [a^H, 0]]). The gradient is the mean of one-sided "
    "slopes; there is no second derivative. Use a symmetric function of the equal ones, a sum or a smooth minimum (logsumexp)."
)
LOST = (
    "{function}: two {values} differ by {gap} of {scale}, and the derivative is that of their vectors: {lost}. Reverse mode "
    "loses none of them for a loss that does not depend on the basis between them ({forms}); {instead}."
)
