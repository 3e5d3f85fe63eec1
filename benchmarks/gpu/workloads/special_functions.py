"""Special functions: sums of values, by some of the arguments. By hand: the kernel of the value,
that of the derivative, and a sum.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from . import Arrays, Workload, uniform


class Case(NamedTuple):
    """A function, numbers before its arrays, their ranges (first those of what varies), in which
    order it takes them, and by how many there are derivatives; whether PyTorch has these.
    """

    name: str
    ranges: Sequence[tuple[float, float]]
    by: int = 1
    order: Sequence[int] = (0,)
    before: tuple[float, ...] = ()
    count: int = 10**7
    dtype: str = "d"
    torch: bool = False


_SHAPE = (0.5, 20.0)
CASES = {
    "gammaln": Case("gammaln", [(0.1, 50)], torch=True),
    "gammaln, single": Case("gammaln", [(0.1, 50)], dtype="f", torch=True),
    "digamma": Case("digamma", [(0.1, 50)], torch=True),
    "erf": Case("erf", [(-4, 4)], torch=True),
    "erf, single": Case("erf", [(-4, 4)], dtype="f", torch=True),
    "erfinv": Case("erfinv", [(-0.95, 0.95)], torch=True),
    "i0e": Case("i0e", [(-30, 30)], torch=True),
    "i0e, single": Case("i0e", [(-30, 30)], dtype="f", torch=True),
    "j0": Case("j0", [(0, 50)]),
    "j0, single": Case("j0", [(0, 50)], dtype="f"),
    "gammainc by x": Case("gammainc", [(0.1, 30), _SHAPE], 1, (1, 0), torch=True),
    "gammainc by both": Case("gammainc", [_SHAPE, (0.1, 30)], 2, (0, 1), count=10**6),
    "betainc by x": Case("betainc", [(0.01, 0.99), _SHAPE, _SHAPE], 1, (1, 2, 0)),
    "betainc by all": Case("betainc", [_SHAPE, _SHAPE, (0.05, 0.95)], 3, (0, 1, 2), count=10**5),
    "ndtr": Case("ndtr", [(-10, 5)], torch=True),
    "log_ndtr": Case("log_ndtr", [(-10, 5)], torch=True),
    "log_ndtr, single": Case("log_ndtr", [(-10, 5)], dtype="f", torch=True),
    "jv": Case("jv", [(0.1, 50)], before=(2.5,)),
    "jv by order": Case("jv", [(0.5, 10), (0.5, 50)], 2, (0, 1), count=10**5),
    "kv": Case("kv", [(0.01, 30)], before=(1.5,)),
    "zeta by q": Case("zeta", [(0.5, 10), (1.5, 10)], 1, (1, 0), torch=True),
    "zeta by both": Case("zeta", [(1.5, 10), (0.5, 10)], 2, (0, 1), count=10**6),
    "hyp2f1": Case("hyp2f1", [(-0.9, 0.9)], before=(0.5, 1.5, 2.5), count=10**5),
}
# derivatives that CuPy has kernels for
_BY_HAND = {
    "gammaln": lambda lib, x, y: lib.special.digamma(x),
    "digamma": lambda lib, x, y: lib.special.zeta(2, x),
    "erf": lambda lib, x, y: 1.1283791670955126 * lib.np.exp(-x * x),
    "erfinv": lambda lib, x, y: 0.8862269254527579 * lib.np.exp(y * y),
    "i0e": lambda lib, x, y: lib.special.i1e(x) - lib.np.sign(x) * y,
    "j0": lambda lib, x, y: -lib.special.j1(x),
    "ndtr": lambda lib, x, y: 0.3989422804014327 * lib.np.exp(-0.5 * x * x),
    "log_ndtr": lambda lib, x, y: 0.3989422804014327 * lib.np.exp(-0.5 * x * x - y),
}


def _loss(case: Case) -> Any:
    def loss(lib: Any, *given: Any) -> Any:
        function = getattr(lib.special, case.name)
        return lib.np.sum(function(*case.before, *[given[i] for i in case.order]))

    return loss


def _ideal(case: Case) -> Any:
    slope = _BY_HAND.get(case.name)
    if slope is None:
        return None

    def ideal(lib: Any, x: Any) -> Any:
        y = getattr(lib.special, case.name)(x)
        return lib.np.sum(y), slope(lib, x, y)

    return ideal


def _arrays(case: Case) -> Arrays:
    def arrays(small: bool) -> Any:
        n = 1000 if small else case.count
        return [uniform(*ends, n, seed=i, dtype=case.dtype) for i, ends in enumerate(case.ranges)]

    return arrays


WORKLOADS = {
    name: Workload(
        f"{case.count:.0e} values", _loss(case), _arrays(case), case.by, _ideal(case),
        peers=("torch", "jax") if case.torch else (),
        raw=None if case.name in ("jv", "kv", "hyp2f1") else "loss",
    )
    for name, case in CASES.items()
}  # fmt: skip
