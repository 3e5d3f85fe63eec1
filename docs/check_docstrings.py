"""Hold the docstrings of all public functions and classes to numpydoc's format.

    python docs/check_docstrings.py                   # what `make lint` runs
    python docs/check_docstrings.py linalg.solve fft  # functions whose names begin so

The choice of checks is explained in pyproject.toml, [tool.numpydoc_validation]. In the rooms of
SciPy's an example takes a derivative (EX02), and a description says what a parameter is (PR11).
"""

import importlib
import inspect
import re
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import ERROR_MSGS, Validator, validate

DOCS = Path(__file__).resolve().parent
ROOMS = (
    "scigrad", "scigrad.numpy", "scigrad.linalg", "scigrad.linalg.manifolds", "scigrad.fft",
    "scigrad.special", "scigrad.sparse", "scigrad.sparse.linalg", "scigrad.sparse.csgraph",
    "scigrad.signal", "scigrad.signal.windows", "scigrad.optimize", "scigrad.testing",
)  # fmt: skip
SCIPYS = {"linalg", "fft", "special", "sparse", "signal", "optimize"}
TRANSFORMS = re.compile(r"\b(grad|value_and_grad|jvp|vjp|jacobian|jacfwd|jacrev|hessian|hvp)\(")
EMPTY = {
    "Argument.", "Array.", "Degree.", "Degree, order or count.", "Order.", "Parameter.",
    "Parameters.", "Real argument.", "Real or complex argument.", "Value.", "Values.",
}  # fmt: skip
UFUNC_OPTIONS = {"out", "where", "casting", "order", "dtype", "subok", "signature"}


def public() -> Iterator[tuple[str, Any]]:
    """Yield each function or class that is ours, once, with its name; names of NumPy have the
    documentation of NumPy.
    """
    seen = set()
    for room in ROOMS:
        module = importlib.import_module(room)
        for name in module.__all__:
            value = getattr(module, name)
            ours = callable(value) and getattr(value, "__module__", "").startswith("scigrad")
            if (
                ours
                and id(value) not in seen
                and not (room == "scigrad.numpy" and hasattr(np, name))
            ):
                seen.add(id(value))
                yield f"{room}.{name}".removeprefix("scigrad."), value


class Public(Validator):
    """numpydoc's validator, to which a function with derivative rules is a function."""

    def __init__(self, obj_name: Any) -> None:
        super().__init__(get_doc_object(obj_name))

    @property
    def is_function_or_method(self) -> bool:
        return callable(self.obj) and not inspect.isclass(self.obj)

    @property
    def method_source(self) -> str:
        return textwrap.dedent(inspect.getsource(self.code_obj))

    @property
    def signature_parameters(self) -> tuple[str, ...]:
        """The options that every ufunc takes are documented by NumPy."""
        left_out = (
            UFUNC_OPTIONS - set(self.doc_parameters) if type(self.obj).__name__ == "Ufunc" else ()
        )
        names = super().signature_parameters
        if "cls" in self.doc_parameters:  # numpydoc takes it for the class of a method
            names = ("cls", *names)
        return tuple(name for name in names if name not in left_out)


def counted() -> set[str]:
    """Return the codes of the checks that count."""
    settings = tomllib.loads((DOCS.parent / "pyproject.toml").read_text())["tool"][
        "numpydoc_validation"
    ]["checks"]
    return set(ERROR_MSGS) - set(settings)  # "all", but for the others


def faults(value: Any, codes: set[str]) -> list[str]:
    """Return the faults of one docstring. Exceptions need a summary only."""
    if inspect.isclass(value) and issubclass(value, BaseException):
        codes = {code for code in codes if code[:2] in ("GL", "SS")}
    found = [f"{code} {text}" for code, text in validate(value, Public)["errors"] if code in codes]
    found += empty_descriptions(value)
    return found + ["EX02 No example takes a derivative"] * (not takes_a_derivative(value))


def empty_descriptions(value: Any) -> list[str]:
    """Return the parameters whose description repeats what their name and type say already."""
    described = get_doc_object(value)["Parameters"]
    return [f"PR11 {p.name}: {' '.join(p.desc)}" for p in described if " ".join(p.desc) in EMPTY]


def takes_a_derivative(value: Any) -> bool:
    """Return whether the examples of a function in a room of SciPy's differentiate it. Constants
    and classes need not, nor a function whose docstring says "not differentiable".
    """
    if (
        inspect.isclass(value)
        or getattr(value, "is_constant", False)
        or value.__module__.split(".")[1] not in SCIPYS
    ):
        return True
    text = value.__doc__ or ""
    return (
        "not differentiable" in text
        or TRANSFORMS.search(text.partition("Examples\n")[2]) is not None
    )


def main(beginnings: tuple[str, ...]) -> int:
    codes = counted()
    found = {name: faults(value, codes) for name, value in public() if name.startswith(beginnings)}
    faulty = {name: texts for name, texts in found.items() if texts}
    for name, texts in sorted(faulty.items()):
        print(name, *texts, sep="\n    ")
    print(f"{len(found) - len(faulty)} of {len(found)} docstrings follow numpydoc's format.")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:]) or ("",)))
