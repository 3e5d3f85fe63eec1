"""jvp, vjp, grad and other transforms of functions of nested containers."""

from collections.abc import Callable, Sequence
from typing import Any, ParamSpec

from .boxes import Dual, Running
from .masked import fill_absent
from .messages import errors
from .recording import (
    Arguments,
    Recording,
    Transformed,
    call_explained,
    cast_to_space,
    flat_output,
    gradient,
    split_aux,
    strip,
    unshare,
    value_and_gradient,
)
from .spaces import zeros
from .trace import ZERO, apart, own

Function = Callable[..., Any]
Results = tuple[Any, ...]
P = ParamSpec("P")


# -- forward mode
# --------------------------------------------------------------------------------------------------


def jvp(
    f: Function,
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    has_aux: bool = False,
    **kwargs: Any,
) -> Results:
    """Return the value of a function and its derivative in a direction.

    Parameters
    ----------
    f : callable
        Function of containers of arrays that returns a container of arrays.
    primals, tangents : tuple of array_like or containers
        Point and direction, of the same structure, shapes and realness.
    has_aux : bool, optional
        Whether f returns ``(output, auxiliary data)``.
    **kwargs
        Constant keyword arguments of f.

    Returns
    -------
    out : ndarray or container
        Value of f.
    tangent : ndarray or container
        Derivative of f in the direction, of the structure of `out`.
    aux : object
        Auxiliary data, only with `has_aux`.

    Raises
    ------
    TypeError
        If an input is not floating point, or a tangent of a real input is complex.
    ValueError
        If structures or shapes differ.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import jvp
    >>> print(*jvp(np.square, (np.array([1.0, 2.0]),), (np.array([1.0, 0.5]),)))  # x^2 and 2 x t
    [1. 4.] [2. 2.]
    """
    arguments = Arguments("jvp", primals, None)
    directions = arguments.matching("a tangent", tangents)
    with Running() as level:
        boxes = [Dual(x, level, t) for x, t in zip(arguments.leaves, directions, strict=True)]
        out, aux = split_aux(call_explained(f, arguments.call_with(boxes), kwargs), has_aux)
        arguments.look()
        leaves, tree = flat_output(out)
        aux = strip(level, aux) if has_aux else None
    pairs = [(x._value, x._tangent) if own(Dual, level, x) else (x, ZERO) for x in leaves]
    values, parts = (
        [apart(x, level) for x, _ in pairs],
        [zeros(x) if t is ZERO else apart(fill_absent(t), level) for x, t in pairs],
    )
    found = unshare(values + parts, *arguments.leaves, *directions)
    result = tree.unflatten(found[: len(values)]), tree.unflatten(found[len(values) :])
    return (*result, aux) if has_aux else result


# -- reverse mode
# --------------------------------------------------------------------------------------------------


def vjp(f: Function, *primals: Any, argnums: int | Sequence[int] | None = None,
    has_aux: bool = False, keep: bool = True,
        **kwargs: Any) -> Results:  # fmt: skip
    """Return the value of a function and its pullback, the adjoint of the real Jacobian.

    Parameters
    ----------
    f : callable
        Function of containers of arrays that returns a container of arrays.
    *primals : array_like or container
        Point.
    argnums : int or sequence of ints, optional
        Primals to differentiate, by default all.
    has_aux : bool, optional
        Whether f returns ``(output, auxiliary data)``.
    keep : bool, optional
        Whether the pullback may be called again. With False the graph is freed by the first call.
    **kwargs
        Constant keyword arguments of f.

    Returns
    -------
    out : ndarray or container
        Value of f.
    pullback : callable
        Function that maps a cotangent of the structure of `out` to a tuple of cotangents of the
        primals (a single container if `argnums` is an int), each in the shape, realness and dtype
        of its primal.
    aux : object
        Auxiliary data, only with `has_aux`.

    Raises
    ------
    TypeError
        If an input is not floating point, or a cotangent of a real output is complex.
    ValueError
        If structures or shapes differ.
    RuntimeError
        If a pullback made with ``keep=False`` is called twice.

    Notes
    -----
    Convention: ``Re<g, jvp(t)> = Re<pullback(g), t>`` with ``<a, b> = sum(conj(a) b)``.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import vjp
    >>> out, pullback = vjp(np.cumsum, np.array([1.0, 2.0, 3.0]))
    >>> print(out, *pullback(np.array([1.0, 0.0, 10.0])))
    [1. 3. 6.] [11. 10. 10.]
    """
    arguments = Arguments("vjp", primals, argnums, frozen=True)
    recording: Recording | None = Recording(f, arguments, kwargs, has_aux)
    out, aux = recording.out, recording.aux

    def pullback(g: Any) -> Any:
        nonlocal recording
        if recording is None:
            raise errors.consumed_pullback()
        leaves = recording.tree.leaves("the cotangent", g)
        seeds = [
            cast_to_space("a cotangent", c, x)
            for c, x in zip(leaves, recording.values, strict=True)
        ]
        current, recording = recording, recording if keep else None
        found = current.pull(seeds, release=not keep)
        return arguments.rebuild(found, *leaves)

    return (out, pullback, aux) if has_aux else (out, pullback)


def value_and_grad(f: Callable[P, Any], argnums: int | Sequence[int] = 0, *, has_aux: bool = False,
                   convention: str = "adjoint") -> Callable[P, tuple[Any, Any]]:  # fmt: skip
    """Return a function that computes the value and the gradient of a real-valued function.

    Parameters
    ----------
    f : callable
        Function that returns one real number, or a pair ``(number, auxiliary data)`` with
        `has_aux`.
    argnums : int or sequence of ints, optional
        Positional arguments to differentiate. An int gives one container, a sequence a tuple of
        containers.
    has_aux : bool, optional
        Whether f returns auxiliary data.
    convention : {"adjoint", "jax"}, optional
        Gradient with respect to complex arguments: "adjoint" is dL/dRe + i dL/dIm, the direction of
        steepest ascent, as in PyTorch (``z - rate * gradient`` descends); "jax" is its conjugate.

    Returns
    -------
    callable
        Function of the arguments of f that returns ``(value, gradient)``, or
        ``((value, aux), gradient)`` with `has_aux`.

    Raises
    ------
    TypeError
        If the value is complex or not a scalar, or an argument is not floating point.
    ValueError
        If the convention is unknown.

    Notes
    -----
    The graph keeps the plain arrays that f computes with, small ones as copies. If f fills an array
    of more than a kilobyte again after its use (``w[:] = ...``), the derivative raises
    `InPlaceError`: take a new array each time, or pass ``w.copy()``. `check_writes` finds the line,
    and writes to a few elements that are not seen otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import value_and_grad
    >>> print(*value_and_grad(lambda x: np.sum(x**2))(np.array([1.0, 2.0])))
    5.0 [2. 4.]
    """
    return _by_reverse_mode(value_and_gradient, f, argnums, has_aux, convention)


def grad(f: Callable[P, Any], argnums: int | Sequence[int] = 0, *, has_aux: bool = False,
         convention: str = "adjoint") -> Callable[P, Any]:  # fmt: skip
    """Return a function that computes the gradient of a real-valued function.

    Parameters
    ----------
    f : callable
        Function that returns one real number, or a pair ``(number, auxiliary data)`` with
        `has_aux`.
    argnums : int or sequence of ints, optional
        Positional arguments to differentiate. An int gives one container, a sequence a tuple of
        containers.
    has_aux : bool, optional
        Whether f returns auxiliary data.
    convention : {"adjoint", "jax"}, optional
        Gradient with respect to complex arguments: "adjoint" is dL/dRe + i dL/dIm, the direction of
        steepest ascent, as in PyTorch (``z - rate * gradient`` descends); "jax" is its conjugate.

    Returns
    -------
    callable
        Function of the arguments of f that returns the gradient, or ``(gradient, aux)`` with
        `has_aux`. Shape, realness and dtype of each gradient are those of its argument.

    Raises
    ------
    TypeError
        If the value is complex or not a scalar, or an argument is not floating point.
    ValueError
        If the convention is unknown.

    Notes
    -----
    The graph keeps the plain arrays that f computes with, small ones as copies. If f fills an array
    of more than a kilobyte again after its use (``w[:] = ...``), the derivative raises
    `InPlaceError`: take a new array each time, or pass ``w.copy()``. `check_writes` finds the line,
    and writes to a few elements that are not seen otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> print(grad(lambda x: np.sum(np.sin(x) ** 2))(np.array([0.0, np.pi / 4])))
    [0. 1.]
    """
    return _by_reverse_mode(gradient, f, argnums, has_aux, convention)


def _by_reverse_mode(
    apply: Function, f: Function, argnums: Any, has_aux: bool, convention: str
) -> Function:
    if convention not in ("adjoint", "jax"):
        raise ValueError(f'convention must be "adjoint" or "jax", not {convention!r}')
    return Transformed(apply, f, argnums, has_aux, convention)


def linearize(f: Function, *primals: Any, **kwargs: Any) -> tuple[Any, Function]:
    """Return the value of a function and its derivative at that point as a linear map.

    The map does not evaluate f again.

    Parameters
    ----------
    f : callable
        Function of containers of arrays that returns a container of arrays.
    *primals : array_like or container
        Point.
    **kwargs
        Constant keyword arguments of f.

    Returns
    -------
    out : ndarray or container
        Value of f.
    pushforward : callable
        Function of the tangents of the primals that returns the tangent of `out`.

    Raises
    ------
    TypeError
        If an input is not floating point, or a tangent of a real input is complex.
    ValueError
        If structures or shapes differ.

    Notes
    -----
    Convention: ``Re<g, jvp(t)> = Re<pullback(g), t>`` with ``<a, b> = sum(conj(a) b)``.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import linearize
    >>> out, pushforward = linearize(np.square, np.array([1.0, 2.0]))
    >>> print(out, pushforward(np.array([1.0, 0.5])))
    [1. 4.] [2. 2.]
    """
    arguments = Arguments("linearize", primals, None, frozen=True)
    recording = Recording(f, arguments, kwargs)

    def pushforward(*tangents: Any) -> Any:
        directions = arguments.matching("a tangent", tangents)
        return recording.tree.unflatten(unshare(recording.push(directions), *directions))

    return recording.out, pushforward


def hvp(
    f: Function, primals: Sequence[Any], tangents: Sequence[Any], **kwargs: Any
) -> tuple[Any, Any]:
    """Return the gradient of a function and a Hessian-vector product.

    The derivative of the gradient in a direction, forward over reverse mode.

    Parameters
    ----------
    f : callable
        Function that returns one real number.
    primals, tangents : tuple of array_like or containers
        Point and direction, of the same structure, shapes and realness.
    **kwargs
        Constant keyword arguments of f.

    Returns
    -------
    gradient : ndarray or container
        Gradient in the structure of the primals, a tuple if there are several.
    product : ndarray or container
        Product of the Hessian and the tangents, in the same structure.

    Raises
    ------
    TypeError
        If an input is not floating point, or a tangent of a real input is complex.
    ValueError
        If structures or shapes differ.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import hvp
    >>> print(
    ...     *hvp(lambda x: np.sum(x**3), (np.array([1.0, 2.0]),), (np.array([1.0, 1.0]),))
    ... )  # 3 x^2 and 6 x t
    [ 3. 12.] [ 6. 12.]
    """
    numbers = (
        tuple(range(len(primals)))
        if isinstance(primals, (tuple, list)) and len(primals) != 1
        else 0
    )
    # errors name the function that the user called
    Arguments("hvp", primals, None).matching("a tangent", tangents)
    return jvp(grad(f, numbers), primals, tangents, **kwargs)
