"""Checks of derivatives, and the laws that every function described by an OpSpec is held to."""

from .arrays import BACKENDS, assert_close, make_array, to_host
from .draw import Draw
from .fuzzing import Outcome, fuzz
from .gradcheck import gradcheck, gradgradcheck
from .opspec import Case, OpSpec, load_specs

__all__ = [
    "BACKENDS", "Case", "Draw", "OpSpec", "Outcome", "assert_close", "fuzz", "gradcheck",
    "gradgradcheck", "load_specs", "make_array", "to_host",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__
