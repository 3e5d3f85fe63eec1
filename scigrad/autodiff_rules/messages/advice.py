"""Alternatives to functions that take no traced value, by the path of the function."""

import sys
from importlib import import_module

import numpy as np

from . import callers

STACKED = (
    "make an array of a list first: numpy.stack([x, y]), of nested lists numpy.block([[x, "
    "y], [z, w]])"
)
LISTS = f"Use scigrad.numpy.array of the list, or {STACKED}"
_NONE = (
    "scigrad has no rule for {name}: write it with functions that have rules, or state its "
    "rule with scigrad.custom_rule"
)
_SOLUTION = (
    "Use scigrad.implicit(equation, solve, linear_solve): solve runs SciPy's function on plain "
    "arrays, and the equation that its "
    'result fulfils (of a minimum: gradient = 0) gives the derivative; vmap(f, fallback="loop") '
    "calls solve for each element"
)
_STEPS = (
    "Write a method of fixed steps with NumPy, such as that of Runge and Kutta, or state a "
    "rule with scigrad.custom_rule"
)
_OUTPUT = (
    "Start from out = scigrad.numpy.zeros((n, m)), or collect the elements "
    "in a list for numpy.stack"
)
_SPLINE = (
    "Use numpy.interp for linear interpolation; other interpolation at plain points is a matrix "
    "times the values y: scipy.interpolate.make_interp_spline(x, numpy.eye(n))(points) @ y"
)

_PLAIN = "Pass scigrad.stop_gradient(x), the plain value"
HASH = (
    "a traced value has no hash, as an array has none: it can be no key of a dict, no element of a "
    "set and no argument of a function with functools.lru_cache. What was kept for another call "
    "would have no derivative; call the function itself, f.__wrapped__(x), or keep results outside "
    "of the transform."
)
WORD = (
    "a traced value, the argument of a function while it is differentiated, met a function that "
    "takes plain numbers. Its plain value is scigrad.stop_gradient(x)."
)

# Advice for functions that have no namesake in our room of the same name; after the last dot, * is
# any name.
_INSTEAD = {
    "integrate.trapezoid": "Use scigrad.numpy.trapezoid",
    "integrate.simpson": (
        "Use its weights: w = scipy.integrate.simpson(numpy.eye(y.size), x=x), and w @ y"
    ),
    "integrate.quad": (
        "Use a fixed rule: nodes, weights = scipy.special.roots_legendre(n), and "
        "weights @ f(nodes) on [-1, 1]"
    ),
    "integrate.cumulative_trapezoid": "Use numpy.cumsum((y[1:] + y[:-1]) / 2 * numpy.diff(x))",
    "integrate.odeint": _STEPS,
    "integrate.solve_ivp": _STEPS,
    "interpolate.*": _SPLINE,
    "sparse.linalg.LinearOperator": (
        "Use scigrad.sparse.linalg.linear_operator(f, *params, shape=(m, n))"
    ),
    "sparse.linalg.SuperLU.solve": "Use scigrad.sparse.linalg.splu",
    "optimize.rosen": (
        "Write it out: numpy.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)"
    ),
    "optimize.approx_fprime": "Use scigrad.grad, or scigrad.jacobian",
    "optimize.*": _SOLUTION,
    "statistics.fmean": "Use numpy.mean",
    "statistics.stdev": "Use numpy.std(x, ddof=1)",
    "statistics.variance": "Use numpy.var(x, ddof=1)",
    "math.lgamma": "Use scigrad.special.gammaln",
    "math.comb": "Use scigrad.special.binom",
    "special.comb": "Use scigrad.special.binom",
    "special.factorial": "Use scigrad.special.gamma(x + 1)",
    "special.perm": "Use scigrad.special.poch(n - k + 1, k)",
    "stats.tmean": "Use numpy.mean",
    "stats.norm.logpdf": (
        "Use -(x - mean) ** 2 / (2 * scale**2) - numpy.log(scale * numpy.sqrt(2 * numpy.pi))"
    ),
    "stats.norm.*": (
        "Write it with NumPy and scigrad.special, such as scigrad.special.erfc(-x / "
        "numpy.sqrt(2)) / 2 for the cdf"
    ),
    "numpy.arange": "Use x + step * numpy.arange(n), where the number n of elements is a plain one",
    "numpy.kaiser": 'Use scigrad.signal.get_window(("kaiser", beta), n, fftbins=False)',
    "numpy.poly1d": (
        "Write the polynomial first, p * 2.0: a NumPy number on its left makes a plain array of it"
    ),
    "numpy.nditer": "Write for value in x.ravel()",
    "numpy.vectorize": "Use scigrad.vmap(f), or f itself where it takes arrays",
    "numpy.fromiter": "Use numpy.stack(list(items))",
    "numpy.r_": "Use scigrad.numpy.r_, or numpy.concatenate([x, y])",
    "numpy.c_": "Use scigrad.numpy.c_, or numpy.column_stack([x, y])",
    **dict.fromkeys(
        (
            "testing.*",
            *(f"numpy.{name}" for name in ("save", "savez", "savez_compressed", "savetxt")),
        ),
        _PLAIN,
    ),
    "ndarray.fill": _OUTPUT,
    "numpy.ndarray": _OUTPUT,
    "random.*": (
        "Draw plain numbers and compute with them: mean + scale * "
        "numpy.random.default_rng().normal(size=n)"
    ),
    "polynomial.Polynomial": (
        "Use numpy.poly1d or numpy.polyval, which have the highest power first: coefficients[::-1]"
    ),
    "polynomial.polynomial.polyval": "Use numpy.polyval(coefficients[::-1], x)",
}

# Advice for attributes that arrays of JAX and torch have.
ATTRIBUTES = {
    "at": (
        "x.at[i].set(v) is scigrad.numpy.set_at(x, i, v), x.at[i].add(v) is "
        "scigrad.numpy.add_at(x, i, v)"
    ),
    **dict.fromkeys(("detach", "numpy"), "scigrad.stop_gradient(x) is the plain value"),
}
_SCALARS = {f"numpy.{kind.__name__}" for kind in np.sctypeDict.values()}  # float64(x) and its kind

# Advice for operations on a plain array.
OPERATIONS = {
    callers.STORED: (
        f"a plain NumPy array cannot hold a traced value: its derivative would be lost. {_OUTPUT}"
    ),
    callers.INDEXED: (
        "a traced value cannot be the index of a plain array. Under vmap use "
        "scigrad.numpy.take(a, i, axis)"
    ),
}
CAUSES = (
    "a traced value cannot become a plain NumPy array: its derivative would be lost. The usual "
    "causes:\n"
    "  a list of traced values: scigrad.numpy.array([x, y]), numpy.stack([x, y])\n"
    f"  out[i] = x: {_OUTPUT.lower()}\n"
    "  numpy.asarray(x): leave it out, x is an array already\n"
    "  a.dot(x), and other methods of a plain array: numpy.dot(a, x), for a matrix "
    "numpy.dot(numpy.asarray(a), x)\n"
    "  a function of another library: scigrad's function of that name, or scigrad.custom_rule\n"
    "stop_gradient(x) drops the derivative."
)


def ours(path: str) -> str | None:
    """Return our function of a path such as "linalg.solve", or None."""
    room, _, name = path.rpartition(".")
    try:
        module = import_module(f"scigrad.{room}")
    except ModuleNotFoundError:
        return None
    found = getattr(module, name, None)
    theirs = [getattr(sys.modules.get(home), name, None) for home in (room, f"scipy.{room}")]
    # not what it passes on
    return None if found is None or any(found is other for other in theirs) else f"scigrad.{path}"


def instead(path: str) -> str:
    """Return what to write instead of a function or class, such as "linalg.solve" or
    "sparse.csr_array.dot".
    """
    top, *rest = path.split(".")
    if rest[-1].startswith("__") and top != "sparse":  # the name of the class says more
        path = ".".join([top, *rest[:-1]] if rest[1:] else ["numpy", top])
    room, _, name = path.rpartition(".")
    if path in _INSTEAD:
        return _INSTEAD[path]
    other = ours(path) or (
        ours(f"numpy.{name}") or ours(f"special.{name}")
        if top in ("math", "cmath", "statistics")
        else None
    )
    if other is not None:
        return f"Use {other}"
    if top == "ndarray" and ours(f"numpy.{name}"):
        return f"Use numpy.{name}(a, x), or scigrad.numpy.{name}(a, x) if x is a list"
    if path in _SCALARS:
        return f"Use x.astype({path})"
    if top == "sparse" and rest[0].endswith(("_array", "_matrix")):
        kind = ours(f"sparse.{rest[0].partition('_')[0]}_array") or "scigrad.sparse.coo_array"
        called = rest[1:] and name != "__matmul__"
        return (
            f"Use {'an operator, A @ x or A * x, or make the array with ' if called else ''}{kind}"
        )
    return _INSTEAD.get(f"{room}.*") or _INSTEAD.get(f"{top}.*") or _NONE.format(name=name)
