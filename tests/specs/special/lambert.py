"""The Wright omega function."""

from scigrad import special
from scigrad.testing.domains import over

specs = [over(special.wrightomega, (-3, 3), plane=True)]
