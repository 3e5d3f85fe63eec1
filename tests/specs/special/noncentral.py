"""Noncentral distributions; SciPy's root searches are too noisy for tighter finite differences."""

from scigrad import special
from scigrad.testing.domains import over

A, X, NC, U = (2.5, 5), (1, 4), (0.5, 2), (0.3, 0.7)

specs = [
    over(special.chndtr, X, A, NC), over(special.chndtrix, U, A, NC, tolerance=1e-6),
    over(special.chndtridf, (3, 4), U, NC, tolerance=1e-6), over(special.chndtrinc, (3, 4), (2, 3), (0.2, 0.3), tolerance=1e-6),
    over(special.ncfdtr, A, A, NC, X, tolerance=1e-8), over(special.ncfdtri, A, A, NC, U, tolerance=1e-6),
    over(special.nctdtr, A, NC, X, tolerance=1e-8), over(special.nctdtrit, A, NC, U, tolerance=1e-6),
]  # fmt: skip
