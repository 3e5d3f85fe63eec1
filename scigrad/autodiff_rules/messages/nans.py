"""Where NaN arises: under `debug_nans` every value, tangent and cotangent of a transform is looked
at.
"""

import contextlib
import sys
from collections.abc import Generator
from contextvars import ContextVar
from typing import Any, cast

import numpy as np

from ..backends import library
from ..boxes import Dual, Recorded
from ..containers import flatten
from ..graph import node_serials, watchers
from ..masked import fill_absent
from ..trace import ZERO, raw
from . import callers

_debugging: ContextVar[bool] = ContextVar("debugging", default=False)
_plain_recorded, _plain_dual = Recorded.__init__, Dual.__init__
# serial number of a node -> the function of ours that the program called, and the line
_places: dict[int, tuple[str, str]] = {}


@contextlib.contextmanager
def debug_nans() -> Generator[None, None, None]:
    """Raise FloatingPointError where a value or a derivative becomes NaN.

    The error names the function, the argument, the device and the line of the program: of the call
    itself for a value or a tangent, and of the call that a cotangent belongs to, which reverse mode
    computes later. Calls that no transform such as `grad` or `jvp` follows are not checked. A GPU
    is synchronized after every call.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import debug_nans, grad
    >>> with np.errstate(divide="ignore", invalid="ignore"), debug_nans():
    ...     grad(lambda x: np.sqrt(x) * 0.0)(0.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    FloatingPointError: the cotangent of 'x' in sqrt is NaN, on the host. It was called here: ...
    """
    token = _debugging.set(True)
    Recorded.__init__, Dual.__init__ = _recorded, _dual
    watchers.append(_passed)
    try:
        yield
    finally:
        watchers.pop()
        _debugging.reset(token)
        if not watchers:
            Recorded.__init__, Dual.__init__ = _plain_recorded, _plain_dual
            _places.clear()


def _recorded(self: Recorded, value: Any, level: int, node: Any) -> None:
    _plain_recorded(self, value, level, node)
    if _debugging.get():
        _places.update(dict.fromkeys(node_serials(node), _inspect_results(value=value)))


def _dual(self: Dual, value: Any, level: int, tangent: Any) -> None:
    _plain_dual(self, value, level, tangent)
    if _debugging.get():
        _inspect_results(value=value, tangent=tangent)


def _inspect_results(**results: Any) -> tuple[str, str]:
    """Look at what a call has computed; return the function of ours that the program called, and
    the line.
    """
    frame, primitive = sys._getframe(2), None  # pyright: ignore[reportPrivateUsage]
    function = callers.own_name("")
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in (
        "scigrad",
        "numpy",
        "scipy",
    ):
        primitive = primitive or frame.f_locals.get("primitive")
        frame = frame.f_back
    place = f"{frame.f_code.co_filename}, line {frame.f_lineno}, in {frame.f_code.co_name}"
    for kind, x in results.items():
        _refuse_nan(kind, "of", getattr(primitive, "__name__", "an input"), x, (function, place))
    return function, place


def _passed(serial: int, primitive: Any, kept: Any, parents: Any, found: Any) -> None:
    """Look at the cotangents of the parents that a call has passed on, or at the tangent of its
    result, which has no parent.
    """
    if _debugging.get() and hasattr(primitive, "__name__"):
        for node, x in found:
            position = next((i for i, parent in parents if parent is node), None)
            kind = (
                "tangent"
                if position is None
                else f"cotangent of '{primitive.name_of(position, primitive.count(kept))}'"
            )
            _refuse_nan(
                kind,
                "in",
                primitive.__name__,
                x,
                _places.get(serial, ("", "in a call with several results")),
            )


def _refuse_nan(kind: str, of: str, primitive: str, value: Any, called: tuple[str, str]) -> None:
    """Refuse a value with NaN, in the words of the function that the program called where a step of
    it is at work.
    """
    (function, place), step = called, primitive.strip("_")
    what = (
        f"the {kind} {of} {step}"
        if function in ("", step)
        else f"a {kind.partition(' ')[0]} inside of {function}"
    )
    for x in map(fill_absent, flatten(value)[0]) if value is not ZERO else ():
        bad, where = cast("Any", np.any(raw(x) != raw(x))), library(raw(x))
        if bad if where == "numpy" else bad.get():
            raise FloatingPointError(
                f"{what} is NaN, on {where.replace('numpy', 'the host')}. It was called here: "
                f"{place}"
            )
