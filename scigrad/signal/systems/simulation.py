"""Responses of linear systems: to inputs, pulses and steps over time, and over frequency."""

from typing import Any

import scigrad.numpy as np
from scigrad.linalg import expm
from scigrad.numpy.devices import on_host, place_beside
from scigrad.typing import Array, ArrayLike, System, Value

from ..forms.conversions import normalize
from ..foundation.composition import anywhere, floating, number, refuse_if, vectors
from .responses import freqs, freqs_zpk, freqz, freqz_zpk
from .state_recurrence import recurrence
from .state_space import abcd_normalize, discretize_hold, ss2tf, tf2ss, zpk2ss


def _check_system_form(system: Any, discrete: bool, name: str) -> tuple[Any, Any]:
    """Return the parts of a system, or the system if it is of a class of its own, and the time
    between samples.
    """
    if isinstance(system, (tuple, list)):
        return (tuple(system[:-1]), system[-1]) if discrete else (tuple(system), None)
    if (system.dt is not None) != discrete:
        raise AttributeError(
            f"{name} can only be used with {'discrete' if discrete else 'continuous'}-time systems."
        )
    return system, system.dt


def _state_space(system: Any) -> Any:
    if hasattr(system, "to_ss"):
        system = system if hasattr(system, "A") else system.to_ss()
        return floating(system.A, system.B, system.C, system.D)
    refuse_if(
        len(system) not in (2, 3, 4),
        "`system` needs to be an instance of `lti` or have 2, 3 or 4 arguments.",
    )
    return floating(*{2: tf2ss, 3: zpk2ss, 4: abcd_normalize}[len(system)](*system))


def _in_precision_of(A: Any, t: Any) -> Any:
    """Return times as a vector, in the precision of the system."""
    return vectors(t)[0].astype(np.real(A).dtype)


def _column(u: Any, count: int, inputs: int) -> Any:
    (u,) = vectors(u)
    u = u[:, None] if u.ndim == 1 else u
    refuse_if(u.shape[0] != count, "U must have the same number of rows as elements in T.")
    refuse_if(u.shape[1] != inputs, "System does not define that many inputs.")
    return u


def lsim(
    system: tuple[Any, ...] | System,
    U: ArrayLike,
    T: ArrayLike,
    X0: ArrayLike | None = None,
    interp: bool = True,
) -> tuple[Array, Array, Array]:
    """Return the response of a continuous system to an input.

    Parameters
    ----------
    system : tuple, lti or dlti
        System, or a tuple ``(num, den)``, ``(zeros, poles, gain)`` or ``(A, B, C, D)``. The tuple
        of a discrete system has the sampling interval as its last element.
    U : (n, p) array_like
        Input at each time, a column for each input; without axis of inputs if there is one.
    T : (n,) array_like, optional
        Times, at equal distances. By default times that the slowest pole determines; they are
        constant then.
    X0 : (m,) array_like, optional
        Initial state, by default 0.
    interp : bool, optional
        Whether the input is linear between samples, or constant.

    Returns
    -------
    T : (n,) ndarray
        Times.
    yout : (n,) or (n, q) ndarray
        Response.
    xout : (n,) or (n, m) ndarray
        States.

    Raises
    ------
    AttributeError
        If the system is discrete where a continuous one is needed, or the other way round.
    ValueError
        If the shapes or the times do not fit.

    Notes
    -----
    This is `scipy.signal.lsim`, differentiable in the system and all other float arguments, to
    any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> t = np.linspace(0.0, 1.0, 5)
    >>> print(
    ...     grad(lambda u: signal.lsim(([1.0], [1.0, 0.0]), u, t)[1][-1])(np.ones(5))
    ... )  # an integral, by trapezoids
    [0.125 0.25  0.25  0.25  0.125]
    """
    system, _ = _check_system_form(system, False, "lsim")
    A, B, C, D = _state_space(system)
    T = _in_precision_of(A, T)
    refuse_if(T.ndim != 1, "T must be a rank-1 array.")
    steps = np.diff(T)
    refuse_if(T[0] < 0, "Initial time must be nonnegative")
    refuse_if(
        T.shape[0] > 1 and anywhere(~np.isclose(steps, steps[0])),
        "Time steps are not equally spaced.",
    )
    first = expm(A * T[0]) @ _initial_state(A, X0)
    silent = U is None or (isinstance(U, (int, float)) and U == 0)
    u = None if silent else _column(U, T.shape[0], B.shape[1])
    x = first[None]
    if T.shape[0] > 1:
        x = recurrence(*_steps(A, B, steps[0], u, first, T.shape[0] - 1, interp))
    y = x @ C.T if u is None else x @ C.T + u @ D.T
    return T, np.squeeze(y), np.squeeze(x)


def _initial_state(A: Any, x0: Any) -> Any:
    """Return the initial state, 0 if none is given; a number is that of all states."""
    rest = place_beside(np.zeros(A.shape[0]), A)
    return rest if x0 is None else np.broadcast_to(np.reshape(floating(x0)[0], (-1,)), rest.shape)


def _steps(A: Any, B: Any, dt: Any, u: Any, first: Any, count: int, interp: bool) -> Any:
    """Return the matrix of a step, and the initial state followed by what the input adds in each
    step.
    """
    if u is None:
        return expm(A * dt), np.concatenate(
            [first[None], place_beside(np.zeros((count, A.shape[0])), first)]
        )
    a, constant, *rising = discretize_hold(A, B, dt, interp)
    added = (
        u[:-1] @ (constant - rising[0]).T + u[1:] @ rising[0].T if interp else u[:-1] @ constant.T
    )
    return a, np.concatenate([first[None], added])


def _default_times(A: Any, count: Any) -> Any:
    """Return times up to seven decays of the slowest pole."""
    slowest = np.min(abs(np.real(np.linalg.eigvals(on_host(number(A, "The default of T"))))))
    return place_beside(
        np.linspace(0.0, 7 / (slowest if slowest else 1.0), 100 if count is None else count), A
    )


def impulse(
    system: tuple[Any, ...] | System,
    X0: ArrayLike | None = None,
    T: ArrayLike | None = None,
    N: int | None = None,
) -> tuple[Array, Array]:
    """Return the response of a continuous system to a pulse.

    Parameters
    ----------
    system : tuple, lti or dlti
        System, or a tuple ``(num, den)``, ``(zeros, poles, gain)`` or ``(A, B, C, D)``. The tuple
        of a discrete system has the sampling interval as its last element.
    X0 : (m,) array_like, optional
        Initial state, by default 0.
    T : (n,) array_like, optional
        Times, at equal distances. By default times that the slowest pole determines; they are
        constant then.
    N : int, optional
        Number of times.

    Returns
    -------
    T : (n,) ndarray
        Times.
    yout : (n,) ndarray
        Response.

    Raises
    ------
    AttributeError
        If the system is discrete where a continuous one is needed, or the other way round.
    ValueError
        If the shapes or the times do not fit.

    Notes
    -----
    This is `scipy.signal.impulse`, differentiable in the system and all other float arguments, to
    any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda a: signal.impulse(([1.0], [1.0, a]), T=[0.0, 1.0])[1][1])(2.0).round(6)
    ... )  # -exp(-a)
    -0.135335
    """
    system, _ = _check_system_form(system, False, "impulse")
    A, B, C, D = _state_space(system)
    start = np.reshape(np.squeeze(B if X0 is None else B + floating(X0)[0]), (-1,))
    return lsim((A, B, C, D), None, _default_times(A, N) if T is None else T, start, interp=False)[
        :2
    ]


def step(
    system: tuple[Any, ...] | System,
    X0: ArrayLike | None = None,
    T: ArrayLike | None = None,
    N: int | None = None,
) -> tuple[Array, Array]:
    """Return the response of a continuous system to a step.

    Parameters
    ----------
    system : tuple, lti or dlti
        System, or a tuple ``(num, den)``, ``(zeros, poles, gain)`` or ``(A, B, C, D)``. The tuple
        of a discrete system has the sampling interval as its last element.
    X0 : (m,) array_like, optional
        Initial state, by default 0.
    T : (n,) array_like, optional
        Times, at equal distances. By default times that the slowest pole determines; they are
        constant then.
    N : int, optional
        Number of times.

    Returns
    -------
    T : (n,) ndarray
        Times.
    yout : (n,) ndarray
        Response.

    Raises
    ------
    AttributeError
        If the system is discrete where a continuous one is needed, or the other way round.
    ValueError
        If the shapes or the times do not fit.

    Notes
    -----
    This is `scipy.signal.step`, differentiable in the system and all other float arguments, to
    any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda a: signal.step(([1.0], [1.0, a]), T=[0.0, 1.0])[1][1])(2.0).round(6))
    -0.148499
    """
    system, _ = _check_system_form(system, False, "step")
    parts = _state_space(system)
    times = _default_times(parts[0], N) if T is None else _in_precision_of(parts[0], T)
    return lsim(
        tuple(parts), place_beside(np.ones(times.shape), parts[0]), times, X0, interp=False
    )[:2]


def dlsim(
    system: tuple[Any, ...] | System,
    u: ArrayLike,
    t: ArrayLike | None = None,
    x0: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """Return the response of a discrete system to an input.

    Parameters
    ----------
    system : tuple, lti or dlti
        System, or a tuple ``(num, den)``, ``(zeros, poles, gain)`` or ``(A, B, C, D)``. The tuple
        of a discrete system has the sampling interval as its last element.
    u : (n, p) array_like
        Input at each time, a column for each input; without axis of inputs if there is one.
    t : (n,) array_like, optional
        Times, at equal distances. By default times that the slowest pole determines; they are
        constant then.
    x0 : (m,) array_like, optional
        Initial state, by default 0.

    Returns
    -------
    tout : (n,) ndarray
        Times.
    yout : (n, q) ndarray
        Response.
    xout : (n, m) ndarray
        States, only if the system is given by its state space.

    Raises
    ------
    AttributeError
        If the system is discrete where a continuous one is needed, or the other way round.
    ValueError
        If the shapes or the times do not fit.

    Notes
    -----
    This is `scipy.signal.dlsim`, differentiable in the system and all other float arguments, to
    any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda u: signal.dlsim(([1.0], [1.0, -0.5], 1.0), u)[1][3, 0])(np.ones(4)))
    [0.25 0.5  1.   0.  ]
    """
    system, dt = _check_system_form(system, True, "dlsim")
    in_states = hasattr(system, "A") or (isinstance(system, tuple) and len(system) == 4)
    A, B, C, D = _state_space(system)
    (u,) = floating(u)
    u = np.reshape(u, (-1, 1)) if u.ndim < 2 else u
    count = u.shape[0] if t is None else int(np.floor(on_host(number(t[-1] / dt, "dlsim")))) + 1
    stop = (count - 1) * dt if t is None else t[-1]
    times = _in_precision_of(A, place_beside(np.linspace(0.0, 1.0, count), A) * stop)
    if t is not None:
        t = _in_precision_of(A, t)
        u = np.stack(
            [np.interp(times, t, u[:, i]).astype(u.dtype) for i in range(u.shape[1])], axis=1
        )
    x = recurrence(A, np.concatenate([_initial_state(A, x0)[None], u[:-1] @ B.T]))
    y = x @ C.T + u @ D.T
    out: Value = (times, y, x) if in_states else (times, y)
    return out


def _each_input(system: Any, name: str, x0: Any, t: Any, n: Any, pulse: bool) -> Any:
    """Return the times and the responses to a pulse or a step at each input."""
    system, dt = _check_system_form(system, True, name)
    parts = _state_space(system)
    count = parts[1].shape[1]
    if t is None:
        t = place_beside(np.arange(100 if n is None else n), parts[0]) * dt
    inputs = np.eye(count)[:, None, :] * (
        np.arange(np.shape(t)[0])[:, None] < (1 if pulse else np.inf)
    )
    runs = [dlsim((*parts, dt), place_beside(u, parts[0]), t, x0) for u in inputs]
    return runs[0][0], tuple(run[1] for run in runs)


def dimpulse(
    system: tuple[Any, ...] | System,
    x0: ArrayLike | None = None,
    t: ArrayLike | None = None,
    n: int | None = None,
) -> Any:
    """Return the responses of a discrete system to a pulse at each input.

    Parameters
    ----------
    system : tuple, lti or dlti
        System, or a tuple ``(num, den)``, ``(zeros, poles, gain)`` or ``(A, B, C, D)``. The tuple
        of a discrete system has the sampling interval as its last element.
    x0 : (m,) array_like, optional
        Initial state, by default 0.
    t : (n,) array_like, optional
        Times, at equal distances. By default times that the slowest pole determines; they are
        constant then.
    n : int, optional
        Number of times.

    Returns
    -------
    tout : (n,) ndarray
        Times.
    yout : tuple of (n, q) ndarray
        Responses, one for each input.

    Raises
    ------
    AttributeError
        If the system is discrete where a continuous one is needed, or the other way round.
    ValueError
        If the shapes or the times do not fit.

    Notes
    -----
    This is `scipy.signal.dimpulse`, differentiable in the system and all other float arguments, to
    any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda a: signal.dimpulse(([1.0], [1.0, -a], 1.0), n=4)[1][0][3, 0])(0.5)
    ... )  # of a^2
    1.0
    """
    return _each_input(system, "dimpulse", x0, t, n, True)


def dstep(
    system: tuple[Any, ...] | System,
    x0: ArrayLike | None = None,
    t: ArrayLike | None = None,
    n: int | None = None,
) -> Any:
    """Return the responses of a discrete system to a step at each input.

    Parameters
    ----------
    system : tuple, lti or dlti
        System, or a tuple ``(num, den)``, ``(zeros, poles, gain)`` or ``(A, B, C, D)``. The tuple
        of a discrete system has the sampling interval as its last element.
    x0 : (m,) array_like, optional
        Initial state, by default 0.
    t : (n,) array_like, optional
        Times, at equal distances. By default times that the slowest pole determines; they are
        constant then.
    n : int, optional
        Number of times.

    Returns
    -------
    tout : (n,) ndarray
        Times.
    yout : tuple of (n, q) ndarray
        Responses, one for each input.

    Raises
    ------
    AttributeError
        If the system is discrete where a continuous one is needed, or the other way round.
    ValueError
        If the shapes or the times do not fit.

    Notes
    -----
    This is `scipy.signal.dstep`, differentiable in the system and all other float arguments, to
    any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda a: signal.dstep(([1.0], [1.0, -a], 1.0), n=4)[1][0][3, 0])(0.5)
    ... )  # of 1 + a + a^2
    2.0
    """
    return _each_input(system, "dstep", x0, t, n, False)


def _one_to_one(system: Any, name: str) -> tuple[Any, ...]:
    """Return (num, den) or (zeros, poles, gain) of a system with one input and one output."""
    for parts in (("num", "den"), ("A", "B", "C", "D"), ("zeros", "poles", "gain")):
        if all(hasattr(system, part) for part in parts):
            system = tuple(getattr(system, part) for part in parts)
            break
    if len(system) == 4:
        num, den = ss2tf(*system)
        system = (num[0] if num.shape[0] == 1 == abcd_normalize(*system)[3].shape[1] else num), den
    elif len(system) == 2:
        system = normalize(*system)
    refuse_if(
        len(system) not in (2, 3),
        "`system` needs to be an instance of `lti` or have 2, 3 or 4 arguments.",
    )
    refuse_if(
        np.ndim(system[0]) > 1, f"{name}() requires a SISO (single input, single output) system."
    )
    return system


def freqresp(
    system: tuple[Any, ...] | System, w: ArrayLike | None = None, n: int = 10000
) -> tuple[Array, Array]:
    """Return the frequency response of a continuous system.

    Parameters
    ----------
    system : tuple, lti or dlti
        System, or a tuple ``(num, den)``, ``(zeros, poles, gain)`` or ``(A, B, C, D)``. The tuple
        of a discrete system has the sampling interval as its last element.
    w : array_like, optional
        Angular frequencies. By default frequencies that the zeros and poles determine; they are
        constant then.
    n : int, optional
        Number of frequencies.

    Returns
    -------
    w : ndarray
        Angular frequencies.
    H : ndarray
        Response.

    Raises
    ------
    AttributeError
        If the system is discrete where a continuous one is needed, or the other way round.
    ValueError
        If the shapes or the times do not fit.

    Notes
    -----
    This is `scipy.signal.freqresp`, differentiable in the system and all other float arguments, to
    any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda a: abs(signal.freqresp(([1.0], [1.0, a]), [1.0])[1][0]))(1.0).round(6))
    -0.353553
    """
    parts = _one_to_one(_check_system_form(system, False, "freqresp")[0], "freqresp")
    return (freqs if len(parts) == 2 else freqs_zpk)(*parts, worN=n if w is None else w)


def dfreqresp(
    system: tuple[Any, ...] | System,
    w: ArrayLike | None = None,
    n: int = 10000,
    whole: bool = False,
) -> tuple[Array, Array]:
    """Return the frequency response of a discrete system, at angles per sample.

    Parameters
    ----------
    system : tuple, lti or dlti
        System, or a tuple ``(num, den)``, ``(zeros, poles, gain)`` or ``(A, B, C, D)``. The tuple
        of a discrete system has the sampling interval as its last element.
    w : array_like, optional
        Angular frequencies. By default frequencies that the zeros and poles determine; they are
        constant then.
    n : int, optional
        Number of frequencies.
    whole : bool, optional
        Whether the frequencies go around the whole circle.

    Returns
    -------
    w : ndarray
        Angular frequencies.
    H : ndarray
        Response.

    Raises
    ------
    AttributeError
        If the system is discrete where a continuous one is needed, or the other way round.
    ValueError
        If the shapes or the times do not fit.

    Notes
    -----
    This is `scipy.signal.dfreqresp`, differentiable in the system and all other float arguments, to
    any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda a: abs(signal.dfreqresp(([1.0], [1.0, a], 1.0), [1.0])[1][0]))(0.5).round(6)
    ... )
    -0.43428
    """
    parts = _one_to_one(_check_system_form(system, True, "dfreqresp")[0], "dfreqresp")
    frequencies = n if w is None else w
    if len(parts) == 3:
        return freqz_zpk(*parts, worN=frequencies, whole=whole)
    order = max(part.shape[0] for part in parts)
    num, den = (np.pad(part, (order - part.shape[0], 0)) for part in parts)
    return freqz(num, den, worN=frequencies, whole=whole)


def _magnitude_and_phase(h: Any) -> tuple[Any, Any]:
    return 20 * np.log10(abs(h)), np.unwrap(np.angle(h)) * (180 / np.pi)


def bode(
    system: tuple[Any, ...] | System, w: ArrayLike | None = None, n: int = 100
) -> tuple[Array, Array, Array]:
    """Return magnitude and phase of the frequency response of a continuous system.

    Parameters
    ----------
    system : tuple, lti or dlti
        System, or a tuple ``(num, den)``, ``(zeros, poles, gain)`` or ``(A, B, C, D)``. The tuple
        of a discrete system has the sampling interval as its last element.
    w : array_like, optional
        Angular frequencies. By default frequencies that the zeros and poles determine; they are
        constant then.
    n : int, optional
        Number of frequencies.

    Returns
    -------
    w : ndarray
        Angular frequencies.
    mag : ndarray
        Magnitude in dB.
    phase : ndarray
        Phase in degrees, without jumps.

    Raises
    ------
    AttributeError
        If the system is discrete where a continuous one is needed, or the other way round.
    ValueError
        If the shapes or the times do not fit.

    Notes
    -----
    This is `scipy.signal.bode`, differentiable in the system and all other float arguments, to
    any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda a: signal.bode(([1.0], [1.0, a]), [1.0])[1][0])(1.0).round(6))
    -4.342945
    """
    w, h = freqresp(system, w, n)
    return w, *_magnitude_and_phase(h)


def dbode(
    system: tuple[Any, ...] | System, w: ArrayLike | None = None, n: int = 100
) -> tuple[Array, Array, Array]:
    """Return magnitude and phase of the frequency response of a discrete system.

    The frequencies are those per time.

    Parameters
    ----------
    system : tuple, lti or dlti
        System, or a tuple ``(num, den)``, ``(zeros, poles, gain)`` or ``(A, B, C, D)``. The tuple
        of a discrete system has the sampling interval as its last element.
    w : array_like, optional
        Angular frequencies. By default frequencies that the zeros and poles determine; they are
        constant then.
    n : int, optional
        Number of frequencies.

    Returns
    -------
    w : ndarray
        Angular frequencies.
    mag : ndarray
        Magnitude in dB.
    phase : ndarray
        Phase in degrees, without jumps.

    Raises
    ------
    AttributeError
        If the system is discrete where a continuous one is needed, or the other way round.
    ValueError
        If the shapes or the times do not fit.

    Notes
    -----
    This is `scipy.signal.dbode`, differentiable in the system and all other float arguments, to
    any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda a: signal.dbode(([1.0], [1.0, a], 0.1), [1.0])[1][0])(0.5).round(6))
    -5.047165
    """
    angles, h = dfreqresp(system, w, n)
    return angles / _check_system_form(system, True, "dbode")[1], *_magnitude_and_phase(h)


__all__ = [
    "bode",
    "dbode",
    "dfreqresp",
    "dimpulse",
    "dlsim",
    "dstep",
    "freqresp",
    "impulse",
    "lsim",
    "step",
]
