"""Sparse arrays by blocks, by diagonals, as lists of rows, as dictionaries. Their texts are made in construction.py."""

from __future__ import annotations

from typing import Any

from .construction import Sparse


class Blocks(Sparse):
    """Base of the classes with blocks."""

    def __new__(  # pyright: ignore[reportIncompatibleMethodOverride]
        cls, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, blocksize: Any = None, *, maxprint: Any = None
    ) -> Any:
        return cls._made(arg1, shape, dtype, copy, blocksize=blocksize, maxprint=maxprint)


class bsr_array(Blocks): ...


class dia_array(Sparse): ...


class lil_array(Sparse): ...


class dok_array(Sparse): ...


__all__ = ["bsr_array", "dia_array", "dok_array", "lil_array"]
