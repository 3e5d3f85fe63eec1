"""Elementwise functions that are ufuncs in scipy.special, with all options of a ufunc on plain arrays."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from inspect import Parameter, Signature, signature
from typing import Any

import numpy as np

from scigrad.autodiff_rules import MissingKernel, backends, kernel
from scigrad.autodiff_rules.declare import Elementwise
from scigrad.autodiff_rules.docstrings import completed_by
from scigrad.autodiff_rules.trace import innermost

from .documentation import arguments, ufunc_options


class Ufunc(Elementwise):
    """Elementwise function whose kernel has the same name in scipy.special.

    On plain arrays `out=`, `where=`, `dtype=` and other options are passed to the library's ufunc. On traced arrays calls with
    options go to NumPy's protocol, which answers them or raises with the spelling that works.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == self.arity:
            return self.short(*args)
        if innermost([*args, *kwargs.values()]) is None:
            return library_values(self.__name__, *args, **kwargs)
        return _on_host(self.__name__)(*args, **kwargs)


_OPTIONS = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True, "signature": None}


def ufunc(function: Any) -> Ufunc:
    """Declare an elementwise function of one argument whose kernel is the ufunc of that name in scipy.special.

    Its docstring needs a summary, a formula and an example; what ufuncs share is added to it.
    """
    parameters = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in signature(function).parameters]
    parameters.append(Parameter("out", Parameter.POSITIONAL_OR_KEYWORD, default=None))
    parameters.extend(Parameter(name, Parameter.KEYWORD_ONLY, default=value) for name, value in _OPTIONS.items())
    function.__signature__ = Signature(parameters)  # shown by help(), and what __call__ takes
    return Ufunc(completed_by(arguments, ufunc_options)(function))


def library_values(name: str, *args: Any, instead: Mapping[str, Callable[..., Any]] | None = None, **kwargs: Any) -> Any:
    """Call the ufunc `name` of the library that owns the arguments; a refusal of complex numbers names them."""
    try:
        if len(args) == 1 and type(args[0]) is np.ndarray and not kwargs:
            return _on_host(name)(*args)
        return kernel(f"special.{name}", instead)(*args, **kwargs)
    except TypeError as error:
        for x in args:
            dtype = getattr(x, "dtype", None)
            if isinstance(x, complex) if dtype is None else dtype.kind == "c":
                given = "a complex number" if dtype is None else f"{dtype} of shape {x.shape}"
                raise _refused(name, given, backends.library(*args)) from error
        raise


@functools.cache
def _on_host(name: str) -> Any:
    return getattr(importlib.import_module("scipy.special"), name)


def _refused(name: str, given: str, library: str) -> Exception:
    if library != "numpy" and "D->D" in _on_host(name).types:
        return MissingKernel(f"special.{name}: {library} has no kernel for complex numbers, and x is {given}. Move the data to "
                             "the host explicitly (cupy.asnumpy(x)), or take real and imaginary parts apart.")  # fmt: skip
    advice = _COMPLEX.get(name, "if the imaginary part is zero, pass numpy.real(x)")
    return TypeError(f"{name} is a function of real numbers, as in SciPy, but x is {given}; {advice}.")


_COMPLEX = {"gammaln": "loggamma is the analytic logarithm of the gamma function for complex numbers"}

__all__ = ["Ufunc", "library_values", "ufunc"]
