"""Integrals with two and more outputs."""

from scigrad import special
from scigrad.testing.domains import over

X = (0.3, 4)

specs = [
    over(special.itairy, (0.3, 2), tolerance=1e-4),  # SciPy's values have six digits
    *(over(f, X, plane=True) for f in (special.fresnel, special.sici, special.shichi)),
    *(
        over(f, X)
        for f in (
            special.modfresnelp,
            special.modfresnelm,
            special.itj0y0,
            special.it2j0y0,
            special.iti0k0,
        )
    ),
    *(over(f, X) for f in (special.it2i0k0,)),
]
