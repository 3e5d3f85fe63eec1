"""Write docs/where_we_differ.md: the functions of special that have other values than SciPy's, as
they are declared, and what is known of sparse.

python -P docs/generate/where_we_differ.py     without this folder's coverage.py, which is not the one that Numba asks for

The declarations are `corrected`, `guarded` and `inverse(..., polished=True)` in
scigrad/special/machinery/ufuncs.py. Of a function that is corrected the page has one call: the one of many,
with arguments of two digits, in which SciPy's value differs most from ours.
tests/special/test_where_we_differ.py holds the page to the declarations and to mpmath.
"""

import ast
import inspect
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import scipy.special

from scigrad import special

PAGE = Path(__file__).resolve().parents[1] / "where_we_differ.md"
HEAD = """# Where values differ from SciPy's

Written by `docs/generate/where_we_differ.py` from the declarations in `scigrad/special`. Everywhere else values of special
functions are those of SciPy's compiled functions, or of CuPy's; in large arrays some come from polynomials that
[are as accurate](special_accuracy.md). Arguments in single precision are computed in double where SciPy's loop for single
precision loses digits (`in_double`), and the result is in single precision.

## Values with more digits

For real arguments on the host where the condition holds. One call of each: that of many in which SciPy's value is farthest from
ours; the truth is mpmath's. Of several outputs the number after the call counts, from 0.

| function | where | call | SciPy's | ours | truth |
| --- | --- | --- | --- | --- | --- |
"""
GUARDED = """
## nan where SciPy's function ends the process or is wrong

| function | values are computed where | and not where |
| --- | --- | --- |
"""
SOLVERS = """
## Sparse systems that SciPy says are solved

What SciPy returns as a solution, with `info` 0, does not solve the system in these cases of `sparse.linalg`. Ours does, or `info`
is -1:

- an initial guess x0 for which the residual is larger than for 0: it is left out (digits are lost otherwise; `gcrotmk` goes to nan);
- `minres` with x0 and `shift`, which SciPy leaves out of the residual of x0; complex numbers are refused, of which SciPy's drops the
  imaginary parts; a least-squares solution of a singular system has `info` -1;
- `tfqmr` with a preconditioner, which SciPy multiplies from the wrong side;
- `bicg`, `bicgstab` and other methods whose residual has drifted away from that of x, by more than 1000 times the tolerance;
- `qmr` with one of `M1` and `M2` (SciPy's raises an AttributeError);
- `lsqr` and `lsmr` with x0 and a small right-hand side, and with a negative `damp`, of which the square counts;
- `expm_multiply` for a range of t that does not begin at or after 0 and at least double its first t: SciPy's values are wrong or
  uninitialised memory.
"""
POLISHED = """
## Searches that are continued

SciPy's search for the argument of a distribution function ends at four to eight digits. Two Newton steps follow it here: NAMES.
"""


def _noncentral_f(dfn: Any, dfd: Any, nc: Any, f: Any) -> Any:
    """Return the distribution function for a small nc: the first terms of a mixture."""
    x = dfn * f / (dfn * f + dfd)
    parts = [mp.betainc(dfn / 2 + j, dfd / 2, 0, x, regularized=True) for j in (0, 1)]
    return parts[0] + nc / 2 * (parts[1] - parts[0])


_THIRD, _FIRST = mp.expjpi(mp.mpf(3) / 4), mp.expjpi(mp.mpf(1) / 4)


def _kelvin(x: Any) -> list[Any]:
    of_j, of_k = x * _THIRD, x * _FIRST
    return [
        mp.besselj(0, of_j),
        mp.besselk(0, of_k),
        -_THIRD * mp.besselj(1, of_j),
        -_FIRST * mp.besselk(1, of_k),
    ]


def _fresnel(x: Any) -> list[Any]:
    integral = mp.sqrt(mp.pi) / 2 * _FIRST * mp.erfc(x / _FIRST)
    return [integral, mp.exp(-1j * (x * x + mp.pi / 4)) * integral / mp.sqrt(mp.pi)]


def _integrals(x: Any) -> list[Any]:
    # the power series of I0 term by term, as for Struve's function
    below = x * x / 8 * mp.hyper([1, 1], [2, 2, 2], x * x / 4)
    # mpmath's tolerance is absolute: the integrand is scaled to size 1
    scaled = mp.quad(lambda t: mp.exp(x) * mp.besselk(0, t) / t, [x, x + 4, x + 16, x + 80])
    return [below, mp.exp(-x) * scaled]


TRUTH: dict[str, Callable[..., list[Any]]] = {
    "betaln": lambda a, b: [mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)],
    "binom": lambda x, y: [mp.binomial(x, y)],
    "eval_chebyu": lambda n, x: [mp.chebyu(n, x)],
    "hyp0f1": lambda b, x: [mp.hyp0f1(b, x)],
    "hyp2f1": lambda a, b, c, x: [mp.hyp2f1(a, b, c, x)],
    "hyperu": lambda a, b, x: [mp.hyperu(a, b, x)],
    "inv_boxcox1p": lambda y, lmbda: [mp.expm1(mp.log1p(lmbda * y) / lmbda)],
    "it2i0k0": _integrals,
    "itstruve0": lambda x: [x * x / mp.pi * mp.hyper([1, 1], [2, 1.5, 1.5], -x * x / 4)],
    "kelvin": _kelvin,
    "modfresnelm": lambda x: [mp.conj(y) for y in _fresnel(x)],
    "modfresnelp": _fresnel,
    "eval_chebyc": lambda n, x: [2 * mp.chebyt(n, x / 2)],
    "eval_chebys": lambda n, x: [mp.chebyu(n, x / 2)],
    "eval_chebyt": lambda n, x: [mp.chebyt(n, x)],
    "eval_gegenbauer": lambda n, alpha, x: [mp.gegenbauer(n, alpha, x)],
    "eval_genlaguerre": lambda n, alpha, x: [mp.laguerre(n, alpha, x)],
    "eval_jacobi": lambda n, a, b, x: [mp.jacobi(n, a, b, x)],
    "eval_laguerre": lambda n, x: [mp.laguerre(n, 0, x)],
    "eval_legendre": lambda n, x: [mp.legendre(n, x)],
    "eval_sh_chebyt": lambda n, x: [mp.chebyt(n, 2 * x - 1)],
    "eval_sh_chebyu": lambda n, x: [mp.chebyu(n, 2 * x - 1)],
    "eval_sh_jacobi": lambda n, p, q, x: [
        mp.jacobi(n, p - q, q - 1, 2 * x - 1) / mp.binomial(2 * n + p - 1, n)
    ],
    "eval_sh_legendre": lambda n, x: [mp.legendre(n, 2 * x - 1)],
    "iv": lambda v, z: [mp.besseli(v, z)],
    "ncfdtr": lambda dfn, dfd, nc, f: [_noncentral_f(*map(mp.mpf, (dfn, dfd, nc, f)))],
    "pbdv": lambda v, x: [mp.pcfd(v, x), mp.diff(lambda x: mp.pcfd(v, x), x)],
    "pbvv": lambda v, x: [mp.pcfv(-v - 0.5, x), mp.diff(lambda x: mp.pcfv(-v - 0.5, x), x)],
} | {
    f"{kind}{part}{slope}": lambda x, i=2 * bool(slope) + (kind == "k"), of=mp.im if part == "ei" else mp.re: [
        of(_kelvin(x)[i])
    ]
    for kind in "bk"
    for part in ("er", "ei")
    for slope in ("", "p")
}


# These points show a difference where none of those that are drawn does.
SHOWN = {"iv": ((0.1, 1e-290), 0)}


def declared() -> Iterator[tuple[str, Any]]:
    """Yield the name and the kernel of each function of special that has one of ours on the
    host.
    """
    for name in sorted(special.__all__):
        if (
            own := getattr(getattr(getattr(special, name), "kernel", None), "own", None)
        ) is not None:
            yield name, own


class WithNumbers(ast.NodeTransformer):
    """Puts the numbers that an expression refers to in the places of their names."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = {
            name: value for name, value in values.items() if isinstance(value, (int, float))
        }

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(self.values[node.id]) if node.id in self.values else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = self.visit(node.test)
        return (
            self.visit(node.body if test.value else node.orelse)
            if isinstance(test, ast.Constant)
            else node
        )


def condition(predicate: Any) -> str:
    """Return what a predicate returns as it is written, or its docstring if there is more to it
    than one expression.
    """
    code, used = predicate.__code__, inspect.getclosurevars(predicate)
    written = WithNumbers({**used.globals, **used.nonlocals})
    spots = {
        (line, column) for line, _, column, _ in code.co_positions() if line and column is not None
    }
    for node in ast.walk(ast.parse(Path(code.co_filename).read_text())):
        if isinstance(node, ast.FunctionDef) and (node.name, node.lineno) == (
            code.co_name,
            code.co_firstlineno,
        ):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            if len(body) > 1:
                text = " ".join((ast.get_docstring(node) or "").split()).removeprefix(
                    "Return where "
                )
                return text[0].upper() + text[1:]
            return f"`{ast.unparse(written.visit(body[0])).removeprefix('return ')}`"
        if isinstance(node, ast.Lambda) and (node.body.lineno, node.body.col_offset) in spots:
            return f"`{ast.unparse(written.visit(node.body))}`"
    raise LookupError(f"{code.co_filename}, line {code.co_firstlineno}: no such predicate")


def _drawn(lossy: Any, count: int, decades: float) -> Any:
    """Return `count` arguments of two digits, between 0.1 and a power of ten, for which the condition
    holds.
    """
    draw = np.random.default_rng(0)
    drawn = draw.choice([-1, 1], (count, 3000), p=[0.3, 0.7]) * 10 ** draw.uniform(
        *sorted((-1, decades)), (count, 3000)
    )
    places = 1 - np.floor(np.log10(abs(drawn))).astype(int)
    args = np.array(
        [
            [round(float(x), int(n)) for x, n in zip(*row, strict=True)]
            for row in zip(drawn, places, strict=True)
        ]
    )
    return args[:, np.broadcast_to(lossy(*args), args.shape[1:])]


def farthest(name: str, lossy: Any) -> tuple[tuple[float, ...], int]:
    """Return the arguments, and the number of the output, of the call in which SciPy's value
    differs most from ours.
    """
    if name in SHOWN:
        return SHOWN[name]
    with np.errstate(all="ignore"):
        # the smallest for which it is
        count = getattr(special, name).arity
        drawn = (_drawn(lossy, count, decades) for decades in (1.8, 6, -16, -300))
        args = next(args for args in drawn if args.size)
        ours, theirs = (
            np.array(outputs(f, args))
            for f in (getattr(special, name), getattr(scipy.special, name))
        )
        far = abs(ours - theirs) / abs(ours)
        usable = np.isfinite(far) & (abs(ours) > 1e-30) & (abs(ours) < 1e30)
    output, place = np.unravel_index(np.argmax(np.where(usable, far, -1)), far.shape)
    return tuple(map(float, args[:, place])), int(output)


def outputs(function: Any, args: Any) -> list[Any]:
    """Return the outputs of a function, which may be one."""
    found = function(*args)
    return [*found] if isinstance(found, (tuple, list)) else [found]


def numbers(name: str, args: tuple[float, ...], output: int) -> list[complex]:
    """Return SciPy's value, ours, and the truth."""
    with mp.workdps(30):
        truth = complex(TRUTH[name](*map(mp.mpf, args))[output])
    return [
        *(complex(outputs(getattr(room, name), args)[output]) for room in (scipy.special, special)),
        truth,
    ]


def shown(x: complex) -> str:
    return (
        f"{x.real:.15g}"
        if x.imag == 0
        else f"{x.real:.15g} {'-' if math.copysign(1, x.imag) < 0 else '+'} {abs(x.imag):.15g}i"
    )


def page() -> str:
    more, guarded, polished = [], [], []
    for name, own in declared():
        lossy, safe = getattr(own, "lossy", None), getattr(own, "safe", None)
        if safe is not None:
            guarded.append(
                f"| `{name}` | {condition(safe)} | {condition(lossy) if lossy else ''} |"
            )
        elif lossy is not None:
            args, output = farthest(name, lossy)
            call = f"{name}({', '.join(map(repr, args))})" + (
                f", {output}" if len(TRUTH[name](*args)) > 1 else ""
            )
            cells = [
                f"`{name}`",
                condition(lossy).replace("|", "\\|"),
                f"`{call}`",
                *map(shown, numbers(name, args, output)),
            ]
            more.append(f"| {' | '.join(cells)} |")
        else:
            polished.append(f"`{name}`")
    table = "\n".join(more) + "\n" + GUARDED + "\n".join(guarded) + "\n"
    return HEAD + table + SOLVERS + POLISHED.replace("NAMES", ", ".join(polished))


if __name__ == "__main__":
    PAGE.write_text(page())
