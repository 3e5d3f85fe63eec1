"""Elliptic filters of steep edges, whose moduli are close to 1, against mpmath."""

import mpmath
import numpy as np
import pytest

from scigrad import signal, vjp


def halves(order, rp, rs):
    """Zeros and poles in the upper half plane by their definition in elliptic functions, poles left
    of the imaginary axis.
    """
    with mpmath.workdps(50):
        eps2 = mpmath.mpf(10) ** (mpmath.mpf(rp) / 10) - 1
        k1 = mpmath.sqrt(eps2 / (mpmath.mpf(10) ** (mpmath.mpf(rs) / 10) - 1))
        k = mpmath.kfrom(q=mpmath.root(mpmath.qfrom(k=k1), order))
        quarter = mpmath.ellipk(k**2)
        shift = (
            mpmath.ellipf(mpmath.atan(1 / mpmath.sqrt(eps2)), 1 - k1**2)
            * quarter
            / (order * mpmath.ellipk(k1**2))
        )
        places = [quarter * j / order for j in range(1 - order % 2, order, 2)]
        zeros = [1j / (k * mpmath.ellipfun("sn", u, k=k)) for u in places if u]
        poles = [1j * mpmath.ellipfun("sn", u + 1j * shift, k=k) for u in places]
        return np.array(zeros, complex), np.array(poles, complex)


def upper(roots):
    """Roots in the upper half plane, or on the real axis, by their imaginary parts."""
    roots = roots[roots.imag > -1e-14]
    return roots[np.argsort(roots.imag)]


@pytest.mark.parametrize(
    ("order", "rp", "rs"),
    [(4, 1.0, 40.0), (8, 3.0, 5.0), (12, 3.0, 10.0), (13, 0.1, 5.0), (20, 0.1, 10.0)],
)
def test_zeros_and_poles_keep_their_digits_where_the_edge_is_steep(order, rp, rs):
    found = vjp(lambda rp: signal.ellipap(order, rp, rs), rp)[0]
    for roots, expected in zip(found[:2], halves(order, rp, rs), strict=True):
        np.testing.assert_allclose(upper(roots), upper(expected), rtol=1e-9)
