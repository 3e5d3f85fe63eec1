"""`jit`: what a function does to its arrays, recorded once and run in one piece."""

from .control import cond, fori_loop, scan, switch, while_loop
from .function import jit

__all__ = ["cond", "fori_loop", "jit", "scan", "switch", "while_loop"]
