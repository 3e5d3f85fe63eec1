"""The code of modules, as Python compiles it and with twin bodies, and the import of the latter.

Bytecode with twin bodies lies beside Python's own in `__pycache__`, under a name that changes with
what writes it.
"""

import functools
import marshal
import sys
import zlib
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from . import twin_bodies

_MARK = f"scigrad{zlib.crc32(Path(twin_bodies.__file__).read_bytes()):x}"
_SIZE_OF_HEADER = 16


class TwinLoader(SourceFileLoader):
    """Loader of a module whose functions have two bodies."""

    def __init__(self, fullname: str, path: str, names: dict[str, Any]) -> None:
        super().__init__(fullname, path)
        self._names = names

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(self._names)
        super().exec_module(module)

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        cached = cache_from_source(path, optimization=_MARK)
        header = self._header(path)
        code = _read(cached, header)
        if code is None or code.co_filename != path:
            tree = twin_bodies.with_twin_bodies(self.get_data(path), path)
            code = compile(tree, path, "exec", dont_inherit=True)
            if not sys.dont_write_bytecode:
                self.set_data(cached, header + marshal.dumps(code))
        return code

    def _header(self, path: str) -> bytes:
        stats = self.path_stats(path)
        numbers = (0, int(stats["mtime"]), stats["size"])
        return MAGIC_NUMBER + b"".join((n & 0xFFFFFFFF).to_bytes(4, "little") for n in numbers)


def _read(path: str, header: bytes) -> CodeType | None:
    """Return the code in a file, None if there is none or it was made from another source."""
    try:
        data = memoryview(Path(path).read_bytes())
        return marshal.loads(data[_SIZE_OF_HEADER:]) if data[:_SIZE_OF_HEADER] == header else None
    except (OSError, EOFError, ValueError, TypeError):
        return None


class _FollowedLoader(SourceFileLoader):
    """Loader of a module after which something is done."""

    def __init__(self, fullname: str, path: str, follow: Callable[[], None]) -> None:
        super().__init__(fullname, path)
        self._follow = follow

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        self._follow()


class TwinFinder:
    """Finder of modules that are adopted; where they lie, the other finders say.

    `after` has what is done after the import of some other modules.
    """

    def __init__(self, is_adopted: Callable[[str], bool], names: dict[str, Any]) -> None:
        self._is_adopted, self._names = is_adopted, names
        self.after: dict[str, Callable[[], None]] = {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in self.after and not self._is_adopted(name):
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        found = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            path = spec.loader.path
            spec.loader = (
                _FollowedLoader(name, path, self.after[name])
                if name in self.after
                else TwinLoader(name, path, self._names)
            )
        return spec


class Codes:
    """The functions of a module by what they are compiled to, with and without twin bodies."""

    def __init__(self, name: str, path: str) -> None:
        plain = SourceFileLoader(name, path).get_code(name)
        twin = TwinLoader(name, path, {}).get_code(name)
        self.plain = {_place(code): code for code in _functions(plain)}
        # In a function with two bodies those inside of the written one stand last.
        self.twin = {_place(code): code for code in _functions(twin)}

    def exchange(self, code: CodeType, to_twin: bool) -> CodeType | None:
        """Return what a function's code becomes, None where there is nothing or where the function
        is not the one that stands in the source.
        """
        plain, twin = self.plain.get(_place(code)), self.twin.get(_place(code))
        if plain is None or twin is None or plain.co_freevars != twin.co_freevars:
            return None
        if to_twin:
            return twin if code == plain else None
        return plain


def _functions(module: CodeType | None) -> Iterator[CodeType]:
    waiting = [module]
    for code in waiting:
        inside = [x for x in getattr(code, "co_consts", ()) if isinstance(x, CodeType)]
        yield from inside
        waiting += inside


def _place(code: CodeType) -> tuple[Any, ...]:
    """Return where a function stands: two lambdas of a line by where their bodies end."""
    is_lambda = code.co_name == "<lambda>"
    ends = ((line or 0, column or 0) for _, line, _, column in code.co_positions() if is_lambda)
    return code.co_qualname, code.co_firstlineno, max(ends, default=None)


def codes_of(name: str, path: str) -> Codes:
    """Return the functions of a module, read anew when its file has changed."""
    return _read_codes(name, path, Path(path).stat().st_mtime_ns)


@functools.lru_cache(1000)
def _read_codes(*place: Any) -> Codes:
    return Codes(*place[:2])
