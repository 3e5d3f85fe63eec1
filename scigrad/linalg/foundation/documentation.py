"""Text that the docstrings of this room share: options that mean the same in every function."""

from __future__ import annotations

from scigrad.autodiff_rules.docstrings import completed_by


def options() -> None:
    """Describe the options of factorisations and solvers; functions take from here what their signature has.

    Parameters
    ----------
    overwrite_a, overwrite_b, overwrite_ab, overwrite_a_band, overwrite_c : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    overwrite_qr, overwrite_qru, overwrite_qruv : bool, optional
        Whether the memory of the arguments may be overwritten. Ignored inside a transform.
    lwork : int, optional
        Size of the work array of LAPACK. Ignored inside a transform, for batches and on a GPU.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on what the matrix leaves open. "check", the default, raises GaugeError; "project"
        drops that part of the cotangent and reads nothing back from a GPU; "trust" does neither.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or NaN and the output `info`.
    """


completed = completed_by(options)

__all__ = ["completed", "options"]
