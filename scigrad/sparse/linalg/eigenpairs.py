"""eigsh, eigs, lobpcg, svds: some eigenvalues and eigenvectors, singular values and vectors."""

from functools import partial
from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import MissingRule, kernel, stop_gradient
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.typing import Array, ArrayLike, Gauge, Operator, Seed, SparseLike

from ..array.pattern import identity, is_sparse
from .eigenpair_rule import both_sides, eigenpairs
from .factorization import factorized
from .implicit_rule import as_working_dtype, require_host
from .operators import apply_operator, call_with_constants


def _solve_eigenproblem(name: str, **options: Any) -> Any:
    A, M, options["v0"] = options.pop("A"), options.pop("M"), stop_gradient(options["v0"])
    require_host(f"sparse.linalg.{name}", A, M, **options)
    solver, vectors = (
        partial(call_with_constants, name, kernel(f"sparse.linalg.{name}")),
        options.pop("return_eigenvectors"),
    )
    gauge = options.pop("gauge", None)
    # SciPy's values alone are zeros for a real A and a complex sigma
    needed = (
        name == "eigs"
        and np.iscomplexobj(options["sigma"])
        and np.isrealobj(np.empty(0, getattr(A, "dtype", complex)))
    )

    def run(A: Any, M: Any, vectors: bool = True, **other: Any) -> Any:
        if name == "eigsh" and options["sigma"] is not None and options["OPinv"] is None:
            other["OPinv"] = _shifted_inverse(A, M, options["sigma"])
        found = solver(A, M=M, **options | other, return_eigenvectors=vectors or needed)
        # vectors of equal eigenvalues are not orthogonal
        if name == "eigsh" and vectors and found[1].dtype.kind == "c":
            order = np.argsort(found[0])  # ARPACK's for complex matrices is by luck
            values, found = found[0][order], found[1][:, order]
            factor = np.linalg.cholesky(found.conj().T @ apply_operator(M, found))
            return values, np.linalg.solve(factor, found.conj().T).conj().T
        return found[0] if needed and not vectors else found

    if not holds_traced((A, M)):
        return run(A, M, vectors)
    if options.get("mode", "normal") != "normal":
        raise MissingRule(
            f"{name}: the mode {options['mode']!r} has no derivative rule; mode='normal' with "
            "sigma has."
        )
    hermitian = name if name == "eigsh" else ""
    return eigenpairs(
        run, as_working_dtype(A), M, hermitian=hermitian, vectors=vectors, rough=True, gauge=gauge
    )


def _shifted_inverse(A: Any, M: Any, sigma: Any) -> Any:
    """Return (A - sigma M)^-1 of sparse arrays, factored in symmetric mode where the pattern allows
    it, which SciPy does not.
    """
    if not is_sparse(A) or not (M is None or is_sparse(M)) or A.shape[0] != A.shape[1]:
        return None
    shifted = A - sigma * (identity(A.shape[0], "numpy") if M is None else M) if sigma else A
    return kernel("sparse.linalg.LinearOperator")(
        A.shape, factorized(shifted.tocsc()), dtype=A.dtype
    )


def eigsh(
    A: SparseLike | ArrayLike | Operator,
    k: int = 6,
    M: SparseLike | ArrayLike | Operator | None = None,
    sigma: float | None = None,
    which: str = "LM",
    v0: ArrayLike | None = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: Operator | None = None,
    OPinv: Operator | None = None,
    mode: str = "normal",
    rng: np.random.Generator | int | None = None,
    *,
    gauge: str | None = None,
) -> tuple[Array, Array]:
    """Find k eigenvalues and eigenvectors of a Hermitian matrix.

    As `scipy.sparse.linalg.eigsh`, but vectors of equal eigenvalues of a complex matrix are
    orthogonal too.

    Parameters
    ----------
    A : (n, n) sparse array, array_like or LinearOperator
        Hermitian matrix; its derivative is that of a function of all its entries.
    k : int, optional
        Number of eigenvalues.
    M : (n, n) sparse array, array_like or LinearOperator, optional
        Hermitian positive definite matrix of the problem ``A v = w M v``, by default the identity.
    sigma : float, optional
        Number near which eigenvalues are sought, by solving with ``A - sigma M``, a constant.
    which : {"LM", "SM", "LA", "SA", "BE"}, optional
        Which eigenvalues: those of largest or smallest magnitude, the largest, the smallest, or
        both ends (`sigma`: of ``1 / (w - sigma)``).
    v0, ncv, maxiter, tol : optional
        Start, dimension, limit of iterations and tolerance of ARPACK.
    return_eigenvectors : bool, optional
        Whether to return eigenvectors too.
    Minv, OPinv : LinearOperator, optional
        Inverses of `M` and of ``A - sigma M``.
    mode : {"normal", "buckling", "cayley"}, optional
        Transformation with `sigma`; derivatives exist for "normal".
    rng : optional
        Generator of ARPACK's start.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on the phase of a vector or on the basis of equal
        eigenvalues, as in `linalg.eigh`.

    Returns
    -------
    w : (k,) ndarray
        Eigenvalues.
    v : (n, k) ndarray
        Eigenvectors. Only with `return_eigenvectors`.

    Raises
    ------
    ArpackNoConvergence
        If ARPACK does not converge.
    GaugeError
        If a wanted eigenvalue is equal to one that is left out, and in the cases of `gauge`.

    Notes
    -----
    Differentiable in the values of the matrices and in the parameters of a `linear_operator`, to
    any order, by one linear system for each pair: factored for arrays, solved by `gmres` for
    operators. A set with an eigenvalue that is one outside too has no derivative (GaugeError; the
    set is computed roughly from another start to find out). Equal eigenvalues within the set of a
    Hermitian matrix, and equal singular values, follow the rules of `linalg.eigh`: losses that do
    not depend on the basis, such as ``v f(w) v^H``, have their exact derivative, others none in
    reverse mode, and forward mode chooses the basis that is adapted to its direction. Values count
    as equal within the residuals of the pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.diag([1.0, 2.0, 3.0]))
    >>> print(
    ...     grad(lambda A: sparse.linalg.eigsh(A, k=1, return_eigenvectors=False).sum())(A)
    ...     .trace()
    ...     .round(6)
    ... )
    1.0
    """
    return _solve_eigenproblem(
        "eigsh",
        A=A,
        k=k,
        M=M,
        sigma=sigma,
        which=which,
        v0=v0,
        ncv=ncv,
        maxiter=maxiter,
        tol=tol,
        return_eigenvectors=return_eigenvectors,
        Minv=Minv,
        OPinv=OPinv,
        mode=mode,
        rng=rng,
        gauge=gauge,
    )


def eigs(
    A: SparseLike | ArrayLike | Operator,
    k: int = 6,
    M: SparseLike | ArrayLike | Operator | None = None,
    sigma: float | None = None,
    which: Literal["LM", "SM", "LR", "SR", "LI", "SI"] = "LM",
    v0: ArrayLike | None = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: Operator | None = None,
    OPinv: Operator | None = None,
    OPpart: Literal["r", "i"] | None = None,
    rng: Seed = None,
) -> tuple[Array, Array]:
    """Find k eigenvalues and eigenvectors of a square matrix.

    As `scipy.sparse.linalg.eigs`.

    Parameters
    ----------
    A : (n, n) sparse array, array_like or LinearOperator
        Matrix.
    k : int, optional
        Number of eigenvalues.
    M : (n, n) sparse array, array_like or LinearOperator, optional
        Hermitian positive definite matrix of the problem ``A v = w M v``, by default the identity.
    sigma : float, optional
        Number near which eigenvalues are sought, by solving with ``A - sigma M``, a constant.
    which : {"LM", "SM", "LR", "SR", "LI", "SI"}, optional
        Which eigenvalues: those of largest or smallest magnitude, real or imaginary part.
    v0, ncv, maxiter, tol : optional
        Start, dimension, limit of iterations and tolerance of ARPACK.
    return_eigenvectors : bool, optional
        Whether to return eigenvectors too.
    Minv, OPinv : LinearOperator, optional
        Inverses of `M` and of ``A - sigma M``.
    OPpart : {"r", "i"}, optional
        Part of the inverse that is used for a real `A` and a complex `sigma`.
    rng : optional
        Generator of ARPACK's start.

    Returns
    -------
    w : (k,) ndarray
        Eigenvalues.
    v : (n, k) ndarray
        Eigenvectors. Only with `return_eigenvectors`.

    Raises
    ------
    GaugeError
        If a wanted eigenvalue is equal to one that is left out, or eigenvalues within the set
        are equal.

    Notes
    -----
    The derivative of vectors of `eigs` is the one without a change of phase: of a loss that depends
    on the phase, which is arbitrary, that part is dropped.

    Differentiable in the values of the matrices and in the parameters of a `linear_operator`, to
    any order, by one linear system for each pair: factored for arrays, solved by `gmres` for
    operators. A set with an eigenvalue that is one outside too has no derivative (GaugeError; the
    set is computed roughly from another start to find out). Equal eigenvalues within the set of a
    Hermitian matrix, and equal singular values, follow the rules of `linalg.eigh`: losses that do
    not depend on the basis, such as ``v f(w) v^H``, have their exact derivative, others none in
    reverse mode, and forward mode chooses the basis that is adapted to its direction. Values count
    as equal within the residuals of the pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.diag([1.0, 2.0, 3.0, 4.0]))
    >>> print(
    ...     grad(lambda A: sparse.linalg.eigs(A, k=1, return_eigenvectors=False).real.sum())(A)
    ...     .trace()
    ...     .round(6)
    ... )
    1.0
    """
    return _solve_eigenproblem(
        "eigs",
        A=A,
        k=k,
        M=M,
        sigma=sigma,
        which=which,
        v0=v0,
        ncv=ncv,
        maxiter=maxiter,
        tol=tol,
        return_eigenvectors=return_eigenvectors,
        Minv=Minv,
        OPinv=OPinv,
        OPpart=OPpart,
        rng=rng,
    )


def lobpcg(
    A: SparseLike | ArrayLike | Operator,
    X: Array,
    B: SparseLike | ArrayLike | Operator | None = None,
    M: SparseLike | ArrayLike | Operator | None = None,
    Y: Array | None = None,
    tol: float | None = None,
    maxiter: int | None = None,
    largest: bool = True,
    verbosityLevel: int = 0,
    retLambdaHistory: bool = False,
    retResidualNormsHistory: bool = False,
    restartControl: int = 20,
    *,
    gauge: Gauge | None = None,
) -> tuple[Array, Array]:
    """Find the largest or smallest eigenpairs of a Hermitian matrix by the method LOBPCG.

    As `scipy.sparse.linalg.lobpcg`.

    Parameters
    ----------
    A : (n, n) sparse array, array_like or LinearOperator
        Hermitian matrix; its derivative is that of a function of all its entries.
    X : (n, k) ndarray
        First guess of the eigenvectors, a constant.
    B : (n, n) sparse array, array_like or LinearOperator, optional
        Hermitian positive definite matrix of the problem ``A v = w B v``.
    M : (n, n) sparse array, array_like or LinearOperator, optional
        Preconditioner, a constant.
    Y : (n, l) ndarray, optional
        Constraints, to which eigenvectors are orthogonal; not with derivatives.
    tol : float, optional
        Tolerance of the residuals, by default ``n sqrt(eps)``.
    maxiter : int, optional
        Maximum number of iterations, by default 20.
    largest : bool, optional
        Whether to find the largest eigenvalues.
    verbosityLevel : int, optional
        Amount of output.
    retLambdaHistory, retResidualNormsHistory : bool, optional
        Whether to return histories; not with derivatives.
    restartControl : int, optional
        The iteration restarts when the residuals are ``2**restartControl`` times the smallest ones
        so far.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on the phase of a vector or on the basis of equal
        eigenvalues, as in `linalg.eigh`.

    Returns
    -------
    w : (k,) ndarray
        Eigenvalues.
    v : (n, k) ndarray
        Eigenvectors.

    Raises
    ------
    MissingRule
        If a derivative is taken with constraints or histories.

    Notes
    -----
    Differentiable in the values of the matrices and in the parameters of a `linear_operator`, to
    any order, by one linear system for each pair: factored for arrays, solved by `gmres` for
    operators. A set with an eigenvalue that is one outside too has no derivative (GaugeError; the
    set is computed roughly from another start to find out). Equal eigenvalues within the set of a
    Hermitian matrix, and equal singular values, follow the rules of `linalg.eigh`: losses that do
    not depend on the basis, such as ``v f(w) v^H``, have their exact derivative, others none in
    reverse mode, and forward mode chooses the basis that is adapted to its direction. Values count
    as equal within the residuals of the pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.diag(np.arange(1.0, 21.0)))
    >>> X = np.eye(20)[:, -1:] + 0.01
    >>> print(grad(lambda A: sparse.linalg.lobpcg(A, X, tol=1e-4)[0].sum())(A).trace().round(6))
    1.0
    """
    options, run = (
        dict(
            A=A,
            X=X,
            B=B,
            M=M,
            Y=Y,
            tol=tol,
            maxiter=maxiter,
            largest=largest,
            verbosityLevel=verbosityLevel,
            retLambdaHistory=retLambdaHistory,
            retResidualNormsHistory=retResidualNormsHistory,
            restartControl=restartControl,
            gauge=gauge,
        ),
        partial(call_with_constants, "lobpcg", kernel("sparse.linalg.lobpcg")),
    )
    del options["gauge"]
    require_host("sparse.linalg.lobpcg", A, X, B, tol=tol)
    if not holds_traced((A, B, X)):
        return run(**options)
    if Y is not None or retLambdaHistory or retResidualNormsHistory:
        raise MissingRule(
            "lobpcg: constraints Y and histories have no derivative rule; leave them out under a "
            "transform."
        )
    put = lambda A, B, X: run(**options | {"A": A, "B": B, "X": X})  # noqa: E731
    return eigenpairs(put, as_working_dtype(A), B, X, hermitian="lobpcg", gauge=gauge)


def svds(
    A: SparseLike | ArrayLike | Operator,
    k: int = 6,
    ncv: int | None = None,
    tol: float = 0,
    which: Literal["LM", "SM"] = "LM",
    v0: Array | None = None,
    maxiter: int | None = None,
    return_singular_vectors: bool | Literal["u", "vh"] = True,
    solver: Literal["arpack", "propack", "lobpcg"] = "arpack",
    rng: Seed = None,
    options: dict[str, Any] | None = None,
    *,
    random_state: Seed = None,
    gauge: Gauge | None = None,
) -> tuple[Array, Array, Array]:
    """Find k singular values and vectors of a matrix.

    As `scipy.sparse.linalg.svds`.

    Parameters
    ----------
    A : (m, n) sparse array, array_like or LinearOperator
        Matrix.
    k : int, optional
        Number of singular values.
    ncv : int, optional
        Dimension of the subspace of ARPACK.
    tol : float, optional
        Tolerance of the method; 0 is the machine precision.
    which : {"LM", "SM"}, optional
        Whether to find the largest or the smallest.
    v0 : ndarray, optional
        Start vector.
    maxiter : int, optional
        Maximum number of iterations.
    return_singular_vectors : {True, False, "u", "vh"}, optional
        Which vectors to return.
    solver : {"arpack", "propack", "lobpcg"}, optional
        Method.
    rng : optional
        Generator of ARPACK's start.
    options : dict, optional
        Options of the method.
    random_state : optional
        Older name of `rng`.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on the phase of a vector or on the basis of equal
        eigenvalues, as in `linalg.eigh`.

    Returns
    -------
    u : (m, k) ndarray
        Left singular vectors.
    s : (k,) ndarray
        Singular values.
    vh : (k, n) ndarray
        Adjoints of the right singular vectors.

    Raises
    ------
    ArpackNoConvergence
        If ARPACK does not converge.
    GaugeError
        If a wanted eigenvalue is equal to one that is left out, and in the cases of `gauge`.

    Notes
    -----
    Singular values are eigenvalues of ``[[0, A], [A^H, 0]]``; those that are 0 have no derivative.

    Differentiable in the values of the matrices and in the parameters of a `linear_operator`, to
    any order, by one linear system for each pair: factored for arrays, solved by `gmres` for
    operators. A set with an eigenvalue that is one outside too has no derivative (GaugeError; the
    set is computed roughly from another start to find out). Equal eigenvalues within the set of a
    Hermitian matrix, and equal singular values, follow the rules of `linalg.eigh`: losses that do
    not depend on the basis, such as ``v f(w) v^H``, have their exact derivative, others none in
    reverse mode, and forward mode chooses the basis that is adapted to its direction. Values count
    as equal within the residuals of the pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.diag([1.0, 2.0, 3.0]))
    >>> print(grad(lambda A: sparse.linalg.svds(A, k=1)[1].sum())(A).trace().round(6))
    1.0
    """
    seeds = {"rng": rng, "random_state": random_state}
    return _solve_svds(
        A,
        return_singular_vectors,
        gauge,
        k=k,
        ncv=ncv,
        tol=tol,
        which=which,
        v0=stop_gradient(v0),
        maxiter=maxiter,
        solver=solver,
        options=options,
        **{name: seed for name, seed in seeds.items() if seed is not None},
    )


def _solve_svds(A: Any, wanted: Any, gauge: Any, **given: Any) -> Any:
    run = kernel("sparse.linalg.svds")
    require_host("sparse.linalg.svds", A, tol=given["tol"])
    if not holds_traced(A):
        return call_with_constants("svds", run, A, return_singular_vectors=wanted, **given)
    if wanted not in (True, False, "u", "vh"):
        raise ValueError(
            f"`return_singular_vectors` must be in (True, False, 'vh', 'u'), and is not: {wanted!r}"
        )

    def plain(A: Any, _: Any, vectors: bool = True, **other: Any) -> Any:
        # PROPACK starts on the left, the other solvers on the shorter side.
        propack = other and given["solver"] == "propack"
        start = {"v0": np.resize(other["v0"], A.shape[0])} if propack else {}
        u, s, vh = call_with_constants(
            "svds", run, A, return_singular_vectors=True, **given | other | start
        )
        return (s, np.concatenate([u, vh.conj().T]) / np.sqrt(s.dtype.type(2))) if vectors else s

    found = eigenpairs(
        plain,
        as_working_dtype(A),
        None,
        hermitian="svds",
        vectors=bool(wanted),
        built=both_sides,
        rough=True,
        gauge=gauge,
    )
    if wanted is False:
        return found
    s, both = found
    root, m = np.sqrt(s.dtype.type(2)), A.shape[0]
    u, vh = both[:m] * root, both[m:].conj().T * root
    return u if wanted != "vh" else None, s, vh if wanted != "u" else None


__all__ = ["eigs", "eigsh", "lobpcg", "svds"]
