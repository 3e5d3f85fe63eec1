"""Legendre functions of integer order and real degree."""

from scigrad import special
from scigrad.testing.domains import over

specs = [over(special.lpmv, [0, 1, 2], (2.2, 4.7), (-0.8, 0.8))]
