"""Names of scipy.linalg without an array to differentiate: SciPy's own objects, imported when one is first asked for."""

NAMES = (
    "LinAlgWarning", "dft", "find_best_blas_type", "get_blas_funcs", "get_lapack_funcs", "hadamard", "helmert", "hilbert",
    "invhilbert", "invpascal", "pascal",
)  # fmt: skip

__all__ = ["NAMES"]
