"""Packages that are adopted, and the functions that have second bodies because of that."""

import difflib
import gc
import importlib.metadata
import sys
import threading
from collections import Counter
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from types import FunctionType
from typing import Any, cast

from scigrad.autodiff_rules.graph import always_checked
from scigrad.autodiff_rules.trace import running

from . import math_functions  # noqa: F401  fills the table
from .modules import TwinFinder, TwinLoader, codes_of
from .numba_functions import COMPILER, replace_functions, restore_functions
from .number_types import int_is_constant as constant_in
from .scipy_functions import NEVER, belongs, give_twin_bodies
from .stand_ins import met, stand_in, table
from .twin_bodies import LOOKUP, RUNNING

_OWN = ("numpy", "scigrad", "numba", "math", "cmath", "builtins")
NAMES = {LOOKUP: stand_in, RUNNING: running}

_adopted: Counter[str] = Counter()  # how often a package is adopted
_parts: set[str] = set()  # modules of SciPy's that a transform met
_lock = threading.RLock()


def _is_adopted(module: str) -> bool:
    return belongs(module, _adopted) and not belongs(module, NEVER)


_finder = TwinFinder(_is_adopted, NAMES)
_finder.after[COMPILER] = replace_functions


class Adoption:
    """Packages that are adopted, until the end of a ``with`` block or `unadopt`.

    ``print(adoption)`` tells which modules have second bodies, and which functions others have
    stood in for so far.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def __enter__(self) -> "Adoption":
        return self

    def __exit__(self, *_: object) -> None:
        _give_back(Counter(self.names))

    def __repr__(self) -> str:
        return "\n".join(_describe(self.names))


def adopt(*names: str, int_is_constant: bool = False, check_writes: bool = True) -> Adoption:
    """Let the functions of other packages take traced values, without a change to their source.

    What is written with NumPy and SciPy for plain arrays can be differentiated then: functions that
    collect results by ``out = np.zeros(n); out[i] = x``, call ``np.array([x, y])``, ``math.sin(x)``
    or ``float(x)``, ask ``isinstance(x, np.ndarray)``, or call SciPy's functions. It does not
    matter whether the packages are imported already. As long as no transform runs they compute what
    they computed before, in the same time.

    Parameters
    ----------
    *names : str
        Packages or modules, such as ``"control"``; packages that call each other together.
    int_is_constant : bool, optional
        Whether ``int(x)`` of a traced value is a constant in these packages: a number of terms, a
        place in a table. Otherwise it is refused, because a result may depend on it (a cache with
        the key ``int(1e6 * x)`` has results of other values).
    check_writes : bool, optional
        Whether all transforms run as inside of `check_writes` meanwhile: a package that fills a
        plain work array again, of which a derivative needs what it held before, is refused.

    Returns
    -------
    Adoption
        A context at whose end the packages are given back, if it is used as one. Its text tells
        what was replaced.

    Raises
    ------
    ModuleNotFoundError
        If there is no package of a name.
    ImportError
        If a module has no source in Python.
    ValueError
        If the functions of a package are those that stand in for others (NumPy), or if executing
        them would give the derivative zero: `scipy.optimize` only compares values.

    See Also
    --------
    unadopt : The end of it.

    Notes
    -----
    Functions are given a second body, which runs while a transform runs: docs/adopt.md.

    Examples
    --------
    The standard library has no NumPy in it, but `math`:

    >>> import colorsys
    >>> from scigrad import adopt, grad
    >>> lightness = lambda red: colorsys.rgb_to_hls(red, 0.5, 0.1)[1]
    >>> with adopt("colorsys"):
    ...     print(grad(lightness)(0.8))
    0.5
    """
    for name in names:
        _check_name(name)
    with _lock:
        new = {name for name in names if name not in _adopted}
        _adopted.update(names)
        if int_is_constant:
            constant_in.update(names)
        if check_writes:
            always_checked.update(names)
        if _finder not in sys.meta_path:
            sys.meta_path.insert(0, _finder)
        replace_functions()
        _exchange(_modules(new), to_twin=True)
    return Adoption(names)


def unadopt(*names: str) -> None:
    """Undo `adopt`: functions have the bodies again that they were written with.

    Parameters
    ----------
    *names : str
        Packages; all that are adopted, if there is none.

    Examples
    --------
    >>> from scigrad import adopt, unadopt
    >>> adoption = adopt("colorsys")
    >>> unadopt("colorsys")
    """
    _give_back(Counter({name: _adopted[name] for name in names or tuple(_adopted)}))


def _give_back(times: Counter[str]) -> None:
    with _lock:
        gone = {name for name in times if name in _adopted and times[name] >= _adopted[name]}
        _adopted.subtract({name: times[name] for name in times if name in _adopted})
        modules = _modules(gone)
        for name in gone:
            del _adopted[name]
            constant_in.discard(name)
            always_checked.discard(name)
        if gone and not _adopted:
            sys.meta_path.remove(_finder)
            restore_functions()
            modules |= _modules(_parts)
            _parts.clear()
        _exchange({m: path for m, path in modules.items() if not _is_adopted(m)}, to_twin=False)


def _check_name(name: str) -> None:
    """Refuse what cannot be adopted."""
    root = name.partition(".")[0]
    if belongs(name, NEVER):
        raise ValueError(
            f"{name!r} is not adopted: its solvers compare values, and the derivative of what they "
            "return would be zero. scigrad.implicit differentiates the solution of an equation."
        )
    if root in _OWN or name == "scipy":
        raise ValueError(f"{name!r} is not adopted: functions of scigrad stand in for its own")
    try:
        spec = find_spec(name)
    except (ModuleNotFoundError, ValueError):  # no such parent; a module without a spec
        spec = None
    if spec is None:
        known = {*importlib.metadata.packages_distributions(), *sys.stdlib_module_names}
        near = difflib.get_close_matches(name, known, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ModuleNotFoundError(f"there is no package {name!r} to adopt.{hint}", name=name)
    if spec.submodule_search_locations is None and not isinstance(spec.loader, SourceFileLoader):
        raise ImportError(f"{name!r} has no source in Python that could be adopted", name=name)


# -- functions that live


def _modules(names: Any) -> dict[str, str]:
    """Return the loaded modules of packages that have a source, and its path."""
    found = {}
    for name, module in [*sys.modules.items()]:
        loader = getattr(getattr(module, "__spec__", None), "loader", None)
        if type(loader) in (SourceFileLoader, TwinLoader) and belongs(name, names):
            found[name] = cast("SourceFileLoader", loader).path
    return {name: path for name, path in found.items() if not belongs(name, NEVER)}


def _exchange(modules: dict[str, str], to_twin: bool) -> None:
    """Let the functions of some modules have two bodies, or the written one alone again.

    They are found where they are in memory, whatever wraps or holds them.
    """
    names = {path: name for name, path in modules.items()}
    is_frozen = gc.get_freeze_count() > 0
    if is_frozen:
        gc.unfreeze()  # frozen objects are in no list
    living = gc.get_objects() if names else []
    if is_frozen:
        gc.freeze()
    for f in living:
        if type(f) is FunctionType and f.__code__.co_filename in names:
            path = f.__code__.co_filename
            code = codes_of(names[path], path).exchange(f.__code__, to_twin)
            if code is not None:
                f.__globals__.update(NAMES if to_twin else {})
                f.__code__ = code


def _adopt_part(module: str) -> None:
    with _lock:
        if module not in _parts and not _is_adopted(module):
            _parts.add(module)
            _exchange(_modules({module}), to_twin=True)


give_twin_bodies.append(_adopt_part)


def _describe(names: tuple[str, ...]) -> Any:
    for name in names:
        modules = _modules({name})
        compiled = _find_compiled(name)
        yield f"{name}: {len(modules)} modules with second bodies, {len(compiled)} compiled"
    found = (table[key] for key in met)
    stood = sorted({_title(original) for original, other in found if other is not original})
    yield f"stood in for: {', '.join(stood) or 'nothing yet'}"


def _find_compiled(package: str) -> list[str]:
    """Return the loaded modules of a package that have no source."""
    return [name for name in [*sys.modules] if belongs(name, {package}) and not _modules({name})]


def _title(original: Any) -> str:
    home = (getattr(original, "__module__", None) or "numpy").partition("._")[0]
    name = getattr(original, "__name__", type(original).__name__)
    return name if home == "builtins" else f"{home}.{name}"
