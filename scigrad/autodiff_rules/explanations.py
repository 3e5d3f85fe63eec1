"""Errors of NumPy, SciPy and Python that traced values cause, replaced by ours."""

from collections.abc import Callable
from typing import Any

from . import advice, callers, errors

_TEXTS_OF_NUMPY = (
    "setting an array element with a sequence.", "Error setting single item of array.",
    "Iterator operand is flagged as writeable, but is an object which cannot be written back to via WRITEBACKIFCOPY",
)  # fmt: skip
_TEXT_OF_MINPACK = "Result from function call is not a proper array of floats."  # our own refusal goes to stderr
_TEXTS_OF_CUPY = "Unsupported type <class 'scigrad.", "_ndarray_base, got ", "a cupy.ndarray", "only supports cupy.ndarray"
_NAMES_OF_BOXES = ("not Recorded", "not Dual", "not Batched")


def explained(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """Call a transformed function, and replace errors of NumPy and SciPy that traced values cause by ours.

    NumPy hides the refusal of float(x) behind "setting an array element with a sequence", and SciPy misreads its argument.
    """
    try:
        return function(*args, **kwargs)
    except Exception as error:
        found = _explanation(error) or _of_a_container(error, args)
        if found is None:
            raise
        raise found from error


def _of_a_container(error: Exception, args: Any) -> Exception | None:
    """Return the error where a list of numbers, which is a container of as many arrays, was used as an array."""
    kinds = {type(x).__name__ for x in args if isinstance(x, (list, tuple))}
    if not isinstance(error, (TypeError, AttributeError)) or not any(f"'{kind}'" in str(error) for kind in kinds):
        return None
    return TypeError(
        f"{error}. An argument of the function is a list or tuple, a container of separate arrays; pass numpy.array(x)."
    )


def _explanation(error: Exception) -> Exception | None:
    if isinstance(error, SystemError) and isinstance(error.__cause__, errors.TracedValueError):
        return errors.TracedValueError(str(error.__cause__))  # SciPy's brentq calls f once more with the refusal pending
    if isinstance(error, AttributeError) and hasattr(type(error.obj), "_interpret"):
        known = advice.ATTRIBUTES.get(error.name or "", "It has the attributes of numpy.ndarray")
        return AttributeError(f"a traced array has no attribute {error.name!r}. {known}.", name=error.name, obj=error.obj)
    hidden = str(error) == _TEXT_OF_MINPACK  # of an exception class of its own
    if isinstance(error, errors.TracedValueError) or not (hidden or isinstance(error, (TypeError, ValueError, AttributeError))):
        return None
    text, trace = str(error), error.__traceback__
    if text.startswith("operand 'SparseArray' does not support ufuncs"):
        return errors.sparse_beside_traced()
    if any(part in text for part in _TEXTS_OF_CUPY):
        return errors.TracedValueError(
            "a function of CuPy's takes no traced value. Call that of numpy or scigrad, which take CuPy's arrays too: "
            f"numpy.sin(x) for cupy.sin(x), scigrad.fft.fft(x) for cupy.fft.fft(x). It failed with: {text}"
        )
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    inside = trace.tb_frame if trace is not None else None
    if text in _TEXTS_OF_NUMPY or (type(error) is TypeError and text.endswith(_NAMES_OF_BOXES)):
        refused = text == _TEXTS_OF_NUMPY[0] and not isinstance(error.__cause__, errors.TracedValueError)
        return None if refused else errors.traced_into_plain_array(inside)
    culprit = callers.called(inside, holding_traced=not hidden)
    kind = callers.other_arithmetic(inside)
    if kind is not None and culprit is not None and culprit.startswith("numpy."):
        return errors.other_arithmetic(kind)
    return None if culprit is None else errors.TracedValueError(f"{errors.not_for_traced(culprit)} It failed with: {text}")


__all__ = ["explained"]
