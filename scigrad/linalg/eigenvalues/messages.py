"""Texts of errors and warnings about eigenvalues, eigenvectors and singular vectors."""


def text(template: str, function: str, **words: str) -> str:
    values, forms, instead = _WORDS.get(function, _WORDS["eigh"])
    return template.format(
        function=function, values=values, forms=forms, instead=instead, what="{what}", **words
    )


_WORDS = {
    "eigh": (
        "eigenvalues",
        "v f(w) v^H, |v|^2, a projector",
        "linalg.funm_herm has all derivatives of v f(w) v^H",
    ),
    "eig": (
        "eigenvalues",
        "v f(w) v^-1, |v|^2",
        "functions of the matrix (expm, sqrtm, a power) have all derivatives",
    ),
    "svd": (
        "singular values",
        "u f(s) v^H, v f(s) v^H, |u|^2, a projector",
        "polar has those of u v^H",
    ),
}


REVERSE = (
    "{function}: the loss depends on {what}, which the matrix does not determine, so it has no "
    "derivative here. Write it with quantities that do not depend on the choice ({forms}), fix a "
    "phase that is open (in linalg: canonical=True), or say what you mean: gauge='project' drops "
    "that part of the derivative."
)


FORWARD = (
    "{function}: this derivative depends on {what}: the vectors were fixed for one direction, and "
    "this tangent separates them in another one (linearize, or two directions at once). Compute "
    "one direction at a time (jvp, hvp), or use reverse mode for a gradient."
)


SECOND = (
    "{function}: the first-order rule does not determine second derivatives through the vectors "
    "of equal {values}, or of nearly equal ones (closer than sqrt(eps)). First derivatives are "
    "right, and second derivatives of functions of the {values} alone are by forward over reverse "
    "mode (hvp, hessian). Otherwise, {instead}."
)


UNEVEN = (
    "{function}: a second derivative was asked for of a loss that weighs the equal eigenvalues "
    "{i} and {j} differently, as one of the smallest alone does (singular values are eigenvalues "
    "of [[0, a], [a^H, 0]]). The gradient is the mean of one-sided slopes; there is no second "
    "derivative. Use a symmetric function of the equal ones, a sum or a smooth minimum "
    "(logsumexp)."
)


LOST = (
    "{function}: two {values} differ by {gap} of {scale}, so the derivative of their vectors loses "
    "about {lost} digits. Reverse mode loses none of them for a loss that does not depend on the "
    "basis between them ({forms}); {instead}."
)


SCALE = (
    "eig: the loss depends on the scale of a pair of homogeneous eigenvalues (alpha, beta), which "
    "the matrices do not determine ({what}). Write it with alpha / beta or another quantity that "
    "does not depend on it, or pass gauge='project'."
)


JOINED = (
    "eig: the matrix plus a small multiple of this tangent is defective, as I + e [[0, 1], [0, 0]] "
    "is, and its eigenvectors have no derivative. Functions of the matrix (expm, a power, det) do."
)
