"""Linear systems as objects: a transfer function, zeros and poles, or state space, in continuous or
discrete time.

To the transforms they are containers: their arrays vary, the time between samples is constant.
"""

import copy
from types import GenericAlias
from typing import TYPE_CHECKING, Any

import scigrad.numpy as np
from scigrad.autodiff_rules import register_container
from scigrad.linalg import block_diag
from scigrad.numpy import asarray

from ..forms.conversions import normalize, tf2zpk, zpk2tf
from ..foundation.composition import refuse_if
from . import simulation
from .state_space import abcd_normalize, cont2discrete, ss2tf, ss2zpk, tf2ss, zpk2ss


class LinearTimeInvariant:
    """Linear system of any form, in continuous time (`dt` is None) or discrete time."""

    # lti[float] stands in annotations, as SciPy's classes do.
    __class_getitem__: Any = classmethod(GenericAlias)
    dt: Any = None
    _parts: tuple[str, ...] = ()
    _axes = 1  # that the arrays have at least
    _form: Any = None  # the class of its form

    def __new__(cls, *system: Any, dt: Any = None) -> Any:
        if cls._form is None:
            raise NotImplementedError(
                "The LinearTimeInvariant class is not meant to be used directly, but `lti` or "
                "`dlti`."
            )
        if len(system) == 1 and isinstance(system[0], LinearTimeInvariant):
            return system[0]._as(cls._form)
        return object.__new__(_CLASSES[cls._form][dt is not None] if cls is cls._form else cls)

    def __init__(self, *system: Any, dt: Any = None) -> None:
        if isinstance(system[0], LinearTimeInvariant):
            return
        if dt is not None or isinstance(self, dlti):
            self.dt = True if dt is None else dt
        for name, value in zip(self._parts, self._normalized(*system), strict=True):
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._parts and name != "gain":
            value = asarray(value)
            value = (
                np.reshape(value, (1,) * (self._axes - value.ndim) + value.shape)
                if value.ndim < self._axes
                else value
            )
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        parts = [repr(getattr(self, name)) for name in self._parts]
        return "\n".join(
            [f"{type(self).__name__}(", *(f"{part}," for part in parts), f"dt: {self.dt!r}", ")"]
        )

    @staticmethod
    def _normalized(*system: Any) -> Any:
        return system

    def _values(self) -> list[Any]:
        return [getattr(self, name) for name in self._parts]

    @property
    def _time(self) -> dict[str, Any]:
        return {} if self.dt is None else {"dt": self.dt}

    def _as(self, form: Any, **kwargs: Any) -> Any:
        if form is self._form:
            return copy.copy(self)
        return form(*_CONVERSIONS[self._form, form](*self._values(), **kwargs), **self._time)

    def to_tf(self, **kwargs: Any) -> Any:
        """Return the system by numerator and denominator, one in state space from one `input`."""
        return self._as(TransferFunction, **kwargs)

    def to_zpk(self, **kwargs: Any) -> Any:
        """Return the system by zeros, poles and gain, one in state space from one `input`."""
        return self._as(ZerosPolesGain, **kwargs)

    def to_ss(self) -> Any:
        """Return the system in state space."""
        return self._as(StateSpace)

    def _size(self, axis: int) -> int:
        first = getattr(self, self._parts[0])
        return first.shape[axis] if first.ndim > 1 else 1

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    zeros: Any = property(lambda self: self.to_zpk().zeros, doc="Zeros.")
    poles: Any = property(lambda self: self.to_zpk().poles, doc="Poles.")
    outputs: property = property(lambda self: self._size(0), doc="Number of outputs.")
    inputs: property = property(lambda self: self._size(1), doc="Number of inputs.")


class lti(LinearTimeInvariant):
    """Linear system in continuous time.

    Parameters
    ----------
    *system : arguments
        ``num, den``; ``zeros, poles, gain``; or ``A, B, C, D``.
    dt : None
        Time between samples, which a continuous system does not have.

    Raises
    ------
    ValueError
        If there are not 2, 3 or 4 arguments.

    Notes
    -----
    This is `scipy.signal.lti`. To the transforms a system is a container of its arrays.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda a: signal.lti([1.0], [1.0, a]).step(T=[0.0, 1.0])[1][1])(2.0).round(6))
    -0.148499
    """

    def __new__(cls, *system: Any, dt: Any = None) -> Any:
        return LinearTimeInvariant.__new__(
            _by_length(system) if cls is lti else cls, *system, dt=dt
        )

    impulse, step, output = simulation.impulse, simulation.step, simulation.lsim
    bode, freqresp = simulation.bode, simulation.freqresp

    def to_discrete(self, dt: Any, method: str = "zoh", alpha: Any = None) -> Any:
        """Return the system in discrete time."""
        return self._form(*cont2discrete(tuple(self._values()), dt, method, alpha)[:-1], dt=dt)


class dlti(LinearTimeInvariant):
    """Linear system in discrete time.

    Parameters
    ----------
    *system : arguments
        ``num, den``; ``zeros, poles, gain``; or ``A, B, C, D``.
    dt : float, optional
        Time between samples, by default True for unspecified.

    Raises
    ------
    ValueError
        If there are not 2, 3 or 4 arguments.

    Notes
    -----
    This is `scipy.signal.dlti`. To the transforms a system is a container of its arrays.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda a: signal.dlti([1.0], [1.0, -a]).step(n=4)[1][0][3, 0])(0.5))
    2.0
    """

    def __new__(cls, *system: Any, dt: Any = True) -> Any:
        return LinearTimeInvariant.__new__(
            _by_length(system) if cls is dlti else cls, *system, dt=dt
        )

    impulse, step, output = simulation.dimpulse, simulation.dstep, simulation.dlsim
    bode, freqresp = simulation.dbode, simulation.dfreqresp


def _by_length(system: tuple[Any, ...]) -> Any:
    forms = {2: TransferFunction, 3: ZerosPolesGain, 4: StateSpace}
    refuse_if(
        len(system) not in forms,
        "`system` needs to be an instance of `lti` or `dlti` or have 2, 3 or 4 arguments.",
    )
    return forms[len(system)]


class TransferFunction(LinearTimeInvariant):
    """Linear system given by numerator and denominator.

    Parameters
    ----------
    *system : arguments
        The parts, or a system of any form.
    dt : float, optional
        Time between samples, for a discrete system.

    Notes
    -----
    This is `scipy.signal.TransferFunction`. To the transforms a system is a container of its
    arrays; `dt` is constant.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda a: signal.TransferFunction([1.0], [1.0, a]).poles[0].real)(2.0))
    -1.0
    """

    _parts = ("num", "den")
    _normalized: Any = staticmethod(normalize)


class ZerosPolesGain(LinearTimeInvariant):
    """Linear system given by zeros, poles and gain.

    Parameters
    ----------
    *system : arguments
        The parts, or a system of any form.
    dt : float, optional
        Time between samples, for a discrete system.

    Notes
    -----
    This is `scipy.signal.ZerosPolesGain`. To the transforms a system is a container of its arrays;
    `dt` is constant.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda p: signal.ZerosPolesGain([], [p], 1.0).to_tf().den[1])(-2.0))
    -1.0
    """

    _parts = ("zeros", "poles", "gain")
    zeros = poles = None


class StateSpace(LinearTimeInvariant):
    """Linear system in state space.

    ``x' = A x + B u, y = C x + D u``. Systems are added (in parallel), multiplied (in series) and
    scaled by matrices.

    Parameters
    ----------
    *system : arguments
        The parts, or a system of any form.
    dt : float, optional
        Time between samples, for a discrete system.

    Notes
    -----
    This is `scipy.signal.StateSpace`. To the transforms a system is a container of its arrays; `dt`
    is constant.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda a: signal.StateSpace([[a]], [[1.0]], [[1.0]], [[1.0]]).to_tf().den[1])(-2.0)
    ... )
    -1.0
    """

    _parts, _axes = ("A", "B", "C", "D"), 2
    __array_priority__: float = 100.0
    __array_ufunc__ = None
    _normalized: Any = staticmethod(abcd_normalize)
    inputs: property = property(lambda self: self.B.shape[-1], doc="Number of inputs.")
    outputs: property = property(lambda self: self.C.shape[0], doc="Number of outputs.")

    def _with(self, *matrices: Any) -> Any:
        dtype = np.result_type(*(M.dtype for M in matrices))
        return StateSpace(*(M.astype(dtype) for M in matrices), **self._time)

    def _joins(self, other: Any, verb: str) -> bool:
        """Return whether the other one is a system too, of the same time."""
        if not isinstance(other, StateSpace):
            return False
        if type(other) is not type(self) or self.dt != other.dt:
            raise TypeError(
                f"Cannot {verb} {type(self)} and {type(other)}, or systems with different `dt`."
            )
        return True

    def __mul__(self, other: Any) -> Any:
        if not _is_operand(other):
            return NotImplemented
        A, B, C, D = self._values()
        if not self._joins(other, "multiply"):
            return self._with(A, _cascade(B, other), C, _cascade(D, other))
        A2, B2, C2, D2 = other._values()
        above, below = np.concatenate([A, B @ C2], axis=1), np.pad(A2, ((0, 0), (A.shape[0], 0)))
        B, C = np.concatenate([B @ D2, B2]), np.concatenate([C, D @ C2], axis=1)
        return self._with(np.concatenate([above, below]), B, C, D @ D2)

    def __rmul__(self, other: Any) -> Any:
        if not _is_operand(other) or isinstance(other, StateSpace):
            return NotImplemented
        return self._with(self.A, self.B, _cascade(other, self.C), _cascade(other, self.D))

    def __neg__(self) -> Any:
        return self._with(self.A, self.B, -self.C, -self.D)

    def __add__(self, other: Any) -> Any:
        if not _is_operand(other):
            return NotImplemented
        A, B, C, D = self._values()
        if self._joins(other, "add"):
            joined = np.concatenate([B, other.B]), np.concatenate([C, other.C], axis=1), D + other.D
            return self._with(block_diag(A, other.A), *joined)
        other = np.atleast_2d(other)
        refuse_if(
            other.shape != D.shape,
            f"Cannot add systems with incompatible dimensions ({D.shape} and {other.shape})",
        )
        return self._with(A, B, C, D + other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + (-other) if _is_operand(other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -self + other if _is_operand(other) else NotImplemented

    def __truediv__(self, other: Any) -> Any:
        if not _is_operand(other) or isinstance(other, StateSpace):
            return NotImplemented
        refuse_if(getattr(other, "ndim", 0), "Cannot divide StateSpace by non-scalar numpy arrays")
        return self * (1 / other)


def _is_operand(x: Any) -> bool:
    return isinstance(x, (StateSpace, int, float, complex)) or hasattr(x, "dtype")


def _cascade(x: Any, y: Any) -> Any:
    return x * y if np.ndim(x) == 0 or np.ndim(y) == 0 else x @ y


_CONVERSIONS: dict[Any, Any] = {
    (TransferFunction, ZerosPolesGain): tf2zpk,
    (TransferFunction, StateSpace): tf2ss,
    (ZerosPolesGain, TransferFunction): zpk2tf,
    (ZerosPolesGain, StateSpace): zpk2ss,
    (StateSpace, TransferFunction): ss2tf,
    (StateSpace, ZerosPolesGain): ss2zpk,
}


class TransferFunctionContinuous(TransferFunction, lti):
    __doc__ = TransferFunction.__doc__


class TransferFunctionDiscrete(TransferFunction, dlti):
    __doc__ = TransferFunction.__doc__


class ZerosPolesGainContinuous(ZerosPolesGain, lti):
    __doc__ = ZerosPolesGain.__doc__


class ZerosPolesGainDiscrete(ZerosPolesGain, dlti):
    __doc__ = ZerosPolesGain.__doc__


class StateSpaceContinuous(StateSpace, lti):
    __doc__ = StateSpace.__doc__


class StateSpaceDiscrete(StateSpace, dlti):
    __doc__ = StateSpace.__doc__


_CLASSES: dict[Any, tuple[Any, Any]] = {
    TransferFunction: (TransferFunctionContinuous, TransferFunctionDiscrete),
    ZerosPolesGain: (ZerosPolesGainContinuous, ZerosPolesGainDiscrete),
    StateSpace: (StateSpaceContinuous, StateSpaceDiscrete),
}
for _form, _classes in _CLASSES.items():
    _form._form = _form
    for _class in _classes:
        register_container(_class, varying=_form._parts)
del _form, _classes, _class

__all__ = ["StateSpace", "TransferFunction", "ZerosPolesGain", "dlti", "lti"]
