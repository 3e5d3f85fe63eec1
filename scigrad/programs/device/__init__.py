"""Programs of arrays on a device: few kernels in place of many calls."""

from .choice import program_of

__all__ = ["program_of"]
