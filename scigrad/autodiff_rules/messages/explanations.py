"""Refusals of traced values, which name the function that met one; errors of other libraries that
they replace.
"""

import re
import sys
import traceback
from types import FrameType
from typing import Any

from . import advice, callers, errors

_TEXTS_OF_NUMPY = (
    "setting an array element with a sequence.", "Error setting single item of array.",
    "Iterator operand is flagged as writeable, but is an object which cannot be written back to"
    " via WRITEBACKIFCOPY",
)  # fmt: skip
# our own refusal goes to stderr
_TEXT_OF_MINPACK = "Result from function call is not a proper array of floats."
_TEXTS_OF_CUPY = (
    "Unsupported type <class 'scigrad.",
    "_ndarray_base, got ",
    "a cupy.ndarray",
    "only supports cupy.ndarray",
)


def not_intercepted(function: Any) -> errors.MissingRule:
    culprit = callers.find_called_function()
    if culprit is not None:
        return errors.MissingRule(not_for_traced(culprit))
    name, home = getattr(function, "__name__", str(function)), callers.public_home(function)
    room = "numpy" if home == "numpy" else home.removeprefix("numpy.").removeprefix("scipy.")
    return errors.MissingRule(
        f"{home}.{name} has no rule for a traced value. {advice.instead(f'{room}.{name}')}. "
        "stop_gradient(x) drops the derivative.".lstrip(".")
    )


def _met_in_a_library(
    frame: FrameType | None = None, kind: type | None = None
) -> errors.TracedValueError | None:
    """Return the refusal that names what the user called, if a frame is inside of a library but
    NumPy's and SciPy's, and that of an array of a kind.
    """
    library, name = callers.find_library_call(frame)
    if not name or (kind is not None and f"{kind.__module__}.".startswith(f"{library}.")):
        return None
    adopted = f', or scigrad.adopt("{library}")' if library not in sys.stdlib_module_names else ""
    return errors.TracedValueError(
        f"{library}'s {name} cannot take a traced value: its derivative would be lost. To look at "
        "it, pass scigrad.stop_gradient(x); to differentiate what the function computes, state a "
        f"rule with scigrad.custom_rule{adopted}."
    )


def beside_other_array(kind: type) -> errors.TracedValueError:
    """Return the refusal of an array of another kind beside a traced one, which a library may have
    made.
    """
    return _met_in_a_library(kind=kind) or errors.other_arithmetic(kind)


def traced_into_plain_array(frame: FrameType | None = None) -> errors.TracedValueError:
    kind = callers.other_arithmetic(frame)
    if (found := _met_in_a_library(frame, kind)) is not None:
        return found
    culprit = callers.find_called_function(frame) or callers.find_written(frame)
    if kind is not None and (culprit is None or culprit.startswith("numpy.")):
        return errors.other_arithmetic(kind)
    own = callers.own_call(frame)[0] if culprit == "numpy.asarray" else ""
    text = f"{own} takes no list of traced values. {advice.LISTS}." if own else advice.CAUSES
    return errors.TracedValueError(not_for_traced(culprit) if culprit and not own else text)


def traced_sparse_into_plain_array(frame: FrameType | None = None) -> errors.TracedValueError:
    culprit = callers.find_called_function(frame)
    return errors.TracedValueError(
        "a traced sparse array cannot become a plain array: its derivative would be lost. The "
        "cause may be a function for plain arrays (np.linalg.norm, scipy.sparse.kron): use "
        "methods (A.sum(), A.sqrt(), abs(A)), operators or scigrad.sparse."
        if culprit is None or culprit.startswith("numpy.")
        else not_for_traced(culprit)
    )


def no_concrete_scalar(kind: str) -> errors.TracedValueError:
    if (found := _met_in_a_library()) is not None:
        return found
    culprit = callers.find_called_function() or callers.find_written()
    if culprit not in (None, callers.STORED):
        return errors.TracedValueError(not_for_traced(culprit))
    if kind in ("operator.index", "int"):
        return errors.TracedValueError(
            "a traced value cannot be an index, a count or a length, which have no derivative and "
            "are the same for a whole batch. Pass a plain integer as a separate argument, or "
            "int(scigrad.stop_gradient(x))."
        )
    return errors.TracedValueError(
        f"{kind}(x) of a traced value would drop its derivative. Leave {kind}() out: x can be "
        f"used as a number. Its plain value, to print it, is {kind}(scigrad.stop_gradient(x))."
    )


def not_for_traced(called: str) -> str:
    if called in advice.OPERATIONS:
        return f"{called}: {advice.OPERATIONS[called]}. stop_gradient(x) drops the derivative."
    path = called.removeprefix("scipy.")
    # numpy.linalg.norm is that of scigrad.linalg
    path = path.removeprefix("numpy.") if path.count(".") > 1 else path
    text, why = advice.instead(path), "the derivative would be lost"
    if called.startswith("numpy."):
        why = "it would become a plain NumPy array, and the derivative would be lost"
        # an array would have reached our function: this is a list, which ours refuses too
        own = path.startswith(("linalg.", "fft."))
        text = (
            advice.LISTS
            if own
            else f"{text}, or {advice.STACKED}"
            if text.startswith("Use scigrad.numpy.")
            else text
        )
    elif path.startswith("fft."):
        text += ", or scipy.fft.set_backend(scigrad.fft)"
    return (
        f"{called} cannot take a traced value: {why}. {text}. stop_gradient(x) drops the "
        "derivative."
    )


def not_a_function(given: Any) -> TypeError:
    return TypeError(
        f"the argument of a transform has to be a function, not a {type(given).__name__}: "
        "grad(f)(x) is the gradient of f at x."
    )


def check_argnums(argnums: Any) -> None:
    """Refuse a point in the place of the numbers of arguments: grad(f, x)."""
    if not all(
        hasattr(n, "__index__") and not getattr(n, "shape", ())
        for n in (argnums if isinstance(argnums, (tuple, list, range, set)) else (argnums,))
    ):
        raise TypeError(
            "the second argument of a transform, argnums, is the number of an argument of f or a "
            f"tuple of such, not {argnums!r}. At a point x the gradient is grad(f)(x)."
        )


# -- errors of other libraries


def explanation(error: Exception, args: Any) -> Exception | None:
    """Return the error that replaces one of NumPy's or SciPy's, raised in a function of traced
    values, or None.

    NumPy hides the refusal of float(x) behind "setting an array element with a sequence", and SciPy
    misreads its argument.
    """
    return _of_a_traced_value(error) or _of_a_container(error, args)


def _of_a_container(error: Exception, args: Any) -> Exception | None:
    """Return the error where a list of numbers, which is a container of as many arrays, was used as
    an array.
    """
    kinds = {type(x).__name__ for x in args if isinstance(x, (list, tuple))}
    if not isinstance(error, (TypeError, AttributeError)) or not any(
        f"'{kind}'" in str(error) for kind in kinds
    ):
        return None
    return TypeError(
        f"{error}. An argument of the function is a list or tuple, a container of separate "
        "arrays; pass numpy.array(x)."
    )


def _of_the_word(text: str, inside: FrameType) -> Exception | None:
    """Return the error that replaces one whose text has the name of traced values, or None."""
    if not re.search(r"\bTraced\b", text):
        return None
    why = _met_in_a_library(inside)
    if text.startswith("unhashable"):
        return errors.TracedValueError(advice.HASH)
    return errors.TracedValueError(f"{why or advice.WORD} It failed with: {text}")


def _of_a_traced_value(error: Exception) -> Exception | None:
    text, refused = str(error), isinstance(error.__cause__, errors.TracedValueError)
    if isinstance(error, SystemError) and refused:
        # SciPy's brentq calls f once more with the refusal pending
        return errors.TracedValueError(str(error.__cause__))
    # frames of compiled code have none around them
    *_, inside = (frame for frame, _ in traceback.walk_tb(error.__traceback__) if frame.f_back)
    if isinstance(error, AttributeError) and hasattr(type(error.obj), "_interpret"):
        if (error.name or "").startswith("__array") and (found := _met_in_a_library(inside)):
            return found
        known = advice.ATTRIBUTES.get(error.name or "", "It has the attributes of numpy.ndarray")
        return AttributeError(
            f"a traced array has no attribute {error.name!r}. {known}.",
            name=error.name,
            obj=error.obj,
        )
    hidden = text == _TEXT_OF_MINPACK  # MINPACK has an exception class of its own
    if isinstance(error, errors.TracedValueError) or not (
        hidden or isinstance(error, (TypeError, ValueError, AttributeError))
    ):
        return None
    if text.startswith("operand 'SparseArray' does not support ufuncs"):
        return errors.sparse_beside_traced()
    if any(part in text for part in _TEXTS_OF_CUPY):
        return errors.TracedValueError(
            "a function of CuPy's takes no traced value. Call that of numpy or scigrad, which "
            "take CuPy's arrays too: numpy.sin(x) for cupy.sin(x), scigrad.fft.fft(x) for "
            f"cupy.fft.fft(x). It failed with: {text}"
        )
    if text in _TEXTS_OF_NUMPY or (type(error) is TypeError and text.endswith("not Traced")):
        own = text == _TEXTS_OF_NUMPY[0] and not refused  # the program raised it itself
        return None if own else traced_into_plain_array(inside)
    culprit = callers.find_called_function(inside, holding_traced=not hidden)
    if culprit is None:
        return _of_the_word(text, inside)
    kind = callers.other_arithmetic(inside) if culprit.startswith("numpy.") else None
    if kind is not None:
        return errors.other_arithmetic(kind)
    return errors.TracedValueError(f"{not_for_traced(culprit)} It failed with: {text}")
