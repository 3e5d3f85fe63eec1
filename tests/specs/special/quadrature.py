"""Nodes and weights of Gauss's quadrature in their real parameters."""

import scipy.special

from scigrad import special
from scigrad.testing import OpSpec


def rule(*domains):
    def samples(draw):
        if not draw.is_complex:
            for n in (1, 2, 5):
                yield (
                    f"n={n}",
                    (n, *(draw.uniform(*domain)[()] for domain in domains)),
                    {"mu": n == 2},
                )

    return samples


def spec(name, *domains, **failures):
    failures = {(law, "any"): reason for law, reason in failures.items()}
    reference = getattr(scipy.special, name)
    return OpSpec(
        function=getattr(special, name),
        reference=reference,
        samples=rule(*domains),
        known_failures=failures,
    )


specs = [
    spec("roots_jacobi", (-0.5, 2), (-0.5, 2)),
    spec(
        "roots_gegenbauer",
        (0.6, 2),
        extreme="SciPy's weights are not finite for alpha near 0; ours are",
    ),
    spec("roots_genlaguerre", (-0.5, 2)),
    spec("roots_sh_jacobi", (2, 3), (0.6, 1.8)),
]
