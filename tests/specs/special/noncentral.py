"""Noncentral distributions; the inverses against roots of SciPy's distribution functions, whose own
root search is too coarse.
"""

import numpy as np
import scipy.special
from scipy.optimize import brentq

from scigrad import special
from scigrad.testing.domains import over

A, X, NC, U = (2.5, 5), (1, 4), (0.5, 2), (0.3, 0.7)


def root(cdf, position):
    """The argument of a distribution function of SciPy's for which it has a value, which is given
    in its place.
    """

    def solved(*args):
        others = args[:position], args[position + 1 :]
        return brentq(
            lambda x: cdf(*others[0], x, *others[1]) - args[position],
            1e-3,
            30,
            xtol=1e-13,
            rtol=1e-14,
        )

    return np.vectorize(solved, otypes=[float])


def inverse(name, cdf, position, *domains, **fields):
    reference = root(getattr(scipy.special, cdf), position)
    return over(getattr(special, name), *domains, reference=reference, **fields)


specs = [
    over(special.chndtr, X, A, NC), over(special.ncfdtr, A, A, NC, X),
    over(special.nctdtr, A, NC, X),
    inverse("chndtrix", "chndtr", 0, U, A, NC), inverse("chndtridf", "chndtr", 1, (3, 4), U, NC),
    inverse("chndtrinc", "chndtr", 2, (3, 4), (2, 3), (0.2, 0.3)),
    inverse("ncfdtri", "ncfdtr", 3, A, A, NC, U),
    inverse("ncfdtridfn", "ncfdtr", 0, (0.25, 0.3), (4, 5), (0.5, 0.7), (0.55, 0.6)),
    inverse("ncfdtridfd", "ncfdtr", 1, (2, 3), (0.5, 0.55), (0.5, 1), (1.4, 1.6)),
    inverse("ncfdtrinc", "ncfdtr", 2, A, A, (0.2, 0.4), (1.5, 2)),
    inverse("nctdtrit", "nctdtr", 2, A, (1, 2), U),
    # finite differences of a root search are noisy
    inverse("nctdtridf", "nctdtr", 0, (0.6, 0.65), (0.6, 0.7), (1.2, 1.3), tolerance=1e-8),
    inverse("nctdtrinc", "nctdtr", 1, A, (0.2, 0.4), (1.5, 2)),
]  # fmt: skip
