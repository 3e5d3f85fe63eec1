"""jvp, vjp, grad and other transforms of functions of nested containers."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec

import numpy as np

from scigrad.typing import Value

from . import backends
from .boxes import Dual, Running, constant_levels, note_outer
from .masked import fill_absent
from .messages import errors, explanations
from .messages.dependence import warn_of_constants
from .recording import (
    Arguments,
    Recording,
    call_explained,
    cast_to_space,
    flat_output,
    gradient,
    make_transform,
    split_aux,
    strip,
    unmasked_first,
    unshare,
    value_and_gradient,
)
from .spaces import is_inexact, materialize, shape_of, space, zeros
from .trace import ZERO, Zero, apart, own, running
from .vectorize import vmap

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
    allow_constant: bool = False,
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
    allow_constant : bool, optional
        Whether no `DoesNotDependWarning` tells of a result that does not depend on an argument, so
        that the derivative is 0.
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
    if program := getattr(f, "under_jvp", None):
        return program(primals, tangents, has_aux, allow_constant)(*primals, *tangents, **kwargs)
    arguments = Arguments("jvp", primals, None)
    directions = arguments.matching("a tangent", tangents)
    with Running() as level:
        boxes = [Dual(x, level, t) for x, t in zip(arguments.leaves, directions, strict=True)]
        out, aux = split_aux(call_explained(f, arguments.call_with(boxes), kwargs), has_aux)
        arguments.look()
        leaves, tree = flat_output(out)
        aux = strip(level, aux) if has_aux else None
        is_meant = allow_constant or level in constant_levels
    varies = [own(Dual, level, x) for x in leaves]
    if not is_meant and True not in varies and any(map(is_inexact, leaves)):
        warn_of_constants(f, arguments)
    pairs = [
        (x._value, x._tangent) if is_own else (x, ZERO)
        for x, is_own in zip(leaves, varies, strict=True)
    ]
    values = [apart(x, level) for x, _ in pairs]
    if running:
        note_outer(values)
    parts = [zeros(x) if t is ZERO else apart(fill_absent(t), level) for x, t in pairs]
    found = unshare(values + parts, *arguments.leaves, *directions)
    result = tree.unflatten(found[: len(values)]), tree.unflatten(found[len(values) :])
    return (*result, aux) if has_aux else result


# -- reverse mode
# --------------------------------------------------------------------------------------------------


def vjp(f: Function, *primals: Any, argnums: int | Sequence[int] | None = None,
    has_aux: bool = False, keep: bool = True, allow_constant: bool = False,
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
    allow_constant : bool, optional
        Whether no `DoesNotDependWarning` tells of a result that does not depend on an argument, so
        that the derivative is 0.
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
        found = current.pull(seeds)
        if not allow_constant and Zero in map(type, found):
            warn_of_constants(f, arguments, current, found)
        if not keep:
            current.nodes.clear()
        return arguments.rebuild(found, *leaves)

    return (out, pullback, aux) if has_aux else (out, pullback)


def value_and_grad(
    f: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    *,
    has_aux: bool = False,
    convention: str = "adjoint",
    allow_constant: bool = False,
) -> Callable[P, tuple[Any, Any]]:
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
    allow_constant : bool, optional
        Whether no `DoesNotDependWarning` tells of a result that does not depend on an argument, so
        that the derivative is 0.

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
    return _by_reverse_mode(value_and_gradient, f, argnums, has_aux, convention, allow_constant)


def grad(
    f: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    *,
    has_aux: bool = False,
    convention: str = "adjoint",
    allow_constant: bool = False,
) -> Callable[P, Any]:
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
    allow_constant : bool, optional
        Whether no `DoesNotDependWarning` tells of a result that does not depend on an argument, so
        that the derivative is 0.

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
    return _by_reverse_mode(gradient, f, argnums, has_aux, convention, allow_constant)


def _by_reverse_mode(
    apply: Function, f: Function, argnums: Any, has_aux: bool, convention: str, allow: bool
) -> Function:
    explanations.check_argnums(argnums)
    if convention not in ("adjoint", "jax"):
        raise ValueError(f'convention must be "adjoint" or "jax", not {convention!r}')
    return make_transform(apply, f, argnums, has_aux, convention, allow)


def linearize(
    f: Function, *primals: Any, allow_constant: bool = False, **kwargs: Any
) -> tuple[Any, Function]:
    """Return the value of a function and its derivative at that point as a linear map.

    The map does not evaluate f again.

    Parameters
    ----------
    f : callable
        Function of containers of arrays that returns a container of arrays.
    *primals : array_like or container
        Point.
    allow_constant : bool, optional
        Whether no `DoesNotDependWarning` tells of a result that does not depend on an argument, so
        that the derivative is 0.
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
    if not allow_constant and not any(recording.nodes):
        warn_of_constants(f, arguments, recording)

    def pushforward(*tangents: Any) -> Any:
        directions = arguments.matching("a tangent", tangents)
        return recording.tree.unflatten(unshare(recording.push(directions), *directions))

    return recording.out, pushforward


def hvp(
    f: Function,
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    allow_constant: bool = False,
    **kwargs: Any,
) -> tuple[Any, Any]:
    """Return the gradient of a function and a Hessian-vector product.

    The derivative of the gradient in a direction, forward over reverse mode.

    Parameters
    ----------
    f : callable
        Function that returns one real number.
    primals, tangents : tuple of array_like or containers
        Point and direction, of the same structure, shapes and realness.
    allow_constant : bool, optional
        Whether no `DoesNotDependWarning` tells of a result that does not depend on an argument, so
        that the derivative is 0.
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
    # errors name the function that the user called
    Arguments("hvp", primals, None).matching("a tangent", tangents)
    numbers = range(len(primals)) if len(primals) != 1 else 0
    return jvp(grad(f, numbers), primals, tangents, allow_constant=allow_constant, **kwargs)


# -- Jacobians and Hessians: the pushforward or pullback of one recording, vectorized over a basis


def jacobian(f: Callable[P, Any], argnums: int | Sequence[int] = 0, *,
    complex_mode: str | None = None, chunk_size: int | str | None = None,
             allow_constant: bool = False) -> Callable[P, Any]:  # fmt: skip
    """Return a function that computes the Jacobian, by the mode that needs fewer passes.

    Parameters
    ----------
    f : callable
        Function of containers of arrays that returns a container of arrays.
    argnums : int or sequence of ints, optional
        Positional arguments to differentiate.
    complex_mode : {"holomorphic", "wirtinger", "real"}, optional
        Form of the result, required for complex input. "holomorphic": one complex matrix df/dz, for
        which the Cauchy-Riemann equations are verified. "wirtinger": the pair (df/dz, df/dconj(z)).
        "real": the real block matrix of shape (2, *out, 2, *in), where axis 0 is (Re, Im) of the
        output and the axis in the middle (Re, Im) of the input.
    chunk_size : int or "auto", optional
        Number of columns or rows that are computed together, by default all. It bounds the memory
        beside the result, which is that of the function itself for each of them; "auto" is the
        square root of their number.
    allow_constant : bool, optional
        Whether no `DoesNotDependWarning` tells of a result that does not depend on an argument, so
        that the derivative is 0.

    Returns
    -------
    callable
        Function of the arguments of f. Its result has the structure of the output and in it that of
        the input; each leaf has the shape (*out.shape, *in.shape).

    Raises
    ------
    TypeError
        If the input is complex and there is no `complex_mode`, or an output is made of integers or
        bools.
    ValueError
        If `complex_mode` is "holomorphic" for a function that is not.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import jacobian
    >>> print(jacobian(lambda x: x * np.sum(x))(np.array([1.0, 2.0])))
    [[4. 1.]
     [2. 5.]]
    >>> print(jacobian(lambda z: z**2, complex_mode="holomorphic")(np.array([1j])))
    [[0.+2.j]]
    """
    if complex_mode not in _METHODS:
        raise ValueError(
            f'complex_mode must be "real", "wirtinger" or "holomorphic", not {complex_mode!r}'
        )
    return _jacobian("jacobian", f, argnums, allow_constant, chunk_size, _METHODS[complex_mode])


def jacfwd(
    f: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    *,
    chunk_size: int | str | None = None,
    allow_constant: bool = False,
) -> Callable[P, Any]:
    """Return a function that computes the Jacobian in forward mode, a column at a time.

    For functions with few inputs; see `jacobian`.

    Parameters
    ----------
    f : callable
        Function of containers of arrays that returns a container of arrays.
    argnums : int or sequence of ints, optional
        Positional arguments to differentiate.
    chunk_size : int or "auto", optional
        Number of columns or rows that are computed together, by default all. It bounds the memory
        beside the result, which is that of the function itself for each of them; "auto" is the
        square root of their number.
    allow_constant : bool, optional
        Whether no `DoesNotDependWarning` tells of a result that does not depend on an argument, so
        that the derivative is 0.

    Returns
    -------
    callable
        Function of the arguments of f. Its result has the structure of the output and in it that of
        the input; each leaf has the shape (*out.shape, *in.shape).

    Raises
    ------
    TypeError
        If the input is complex, or an output is made of integers or bools.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import jacfwd
    >>> print(jacfwd(lambda x: x * np.sum(x))(np.array([1.0, 2.0])))
    [[4. 1.]
     [2. 5.]]
    """
    return _jacobian("jacfwd", f, argnums, allow_constant, chunk_size, _jacobian_columns)


def jacrev(
    f: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    *,
    chunk_size: int | str | None = None,
    allow_constant: bool = False,
) -> Callable[P, Any]:
    """Return a function that computes the Jacobian in reverse mode, a row at a time.

    For functions with few outputs; see `jacobian`.

    Parameters
    ----------
    f : callable
        Function of containers of arrays that returns a container of arrays.
    argnums : int or sequence of ints, optional
        Positional arguments to differentiate.
    chunk_size : int or "auto", optional
        Number of columns or rows that are computed together, by default all. It bounds the memory
        beside the result, which is that of the function itself for each of them; "auto" is the
        square root of their number.
    allow_constant : bool, optional
        Whether no `DoesNotDependWarning` tells of a result that does not depend on an argument, so
        that the derivative is 0.

    Returns
    -------
    callable
        Function of the arguments of f. Its result has the structure of the output and in it that of
        the input; each leaf has the shape (*out.shape, *in.shape).

    Raises
    ------
    TypeError
        If the input is complex, or an output is made of integers or bools.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import jacrev
    >>> print(jacrev(lambda x: x * np.sum(x))(np.array([1.0, 2.0])))
    [[4. 1.]
     [2. 5.]]
    """
    return _jacobian("jacrev", f, argnums, allow_constant, chunk_size, _rows)


def hessian(
    f: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    *,
    chunk_size: int | str | None = None,
    allow_constant: bool = False,
) -> Callable[P, Any]:
    """Return a function that computes the Hessian of a real function, forward over reverse mode.

    Parameters
    ----------
    f : callable
        Function that returns one real number.
    argnums : int or sequence of ints, optional
        Positional arguments to differentiate.
    chunk_size : int or "auto", optional
        Number of columns or rows that are computed together, by default all. It bounds the memory
        beside the result, which is that of the function itself for each of them; "auto" is the
        square root of their number.
    allow_constant : bool, optional
        Whether no `DoesNotDependWarning` tells of a result that does not depend on an argument, so
        that the derivative is 0.

    Returns
    -------
    callable
        Function of the arguments of f. Each leaf of its result has the shape (*x.shape, *y.shape);
        a sequence of argnums gives a block for each pair.

    Raises
    ------
    TypeError
        If the input is complex, or the value is not a real scalar.

    Notes
    -----
    For complex input take the Hessian of the real coordinates:
    ``hessian(lambda re, im: f(re + 1j * im), argnums=(0, 1))``.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import hessian
    >>> print(hessian(lambda x: x[0] ** 3 * x[1])(np.array([1.0, 2.0])))
    [[12.  3.]
     [ 3.  0.]]
    """
    return _jacobian(
        "hessian", grad(f, argnums), argnums, allow_constant, chunk_size, _jacobian_columns
    )


def _jacobian(
    transform: str, f: Function, argnums: Any, allow_constant: bool, chunk: Any, method: Any
) -> Any:
    explanations.check_argnums(argnums)
    if chunk not in (None, "auto") and not (isinstance(chunk, int) and chunk >= 1):
        raise ValueError(f'chunk_size must be at least 1, or "auto", not {chunk!r}')

    return make_transform(_jacobian_matrix, f, transform, argnums, allow_constant, chunk, method)


def _jacobian_matrix(
    f: Function,
    transform: str,
    argnums: Any,
    allow_constant: bool,
    chunk: Any,
    method: Any,
    args: Any,
    kwargs: dict[str, Any],
) -> Any:
    arguments = Arguments(transform, args, argnums)
    if not isinstance(method, functools.partial) and any(
        space(x).dtype.kind == "c" for x in arguments.leaves
    ):
        raise errors.complex_input_needs_mode(transform)
    recording = errors.varying(transform, Recording(f, arguments, kwargs))
    if not allow_constant and (len(arguments.numbers) > 1 or not any(recording.nodes)):
        warn_of_constants(f, arguments, recording)
    blocks = unmasked_first(  # blocks[output][input]
        functools.partial(method, recording, arguments.leaves, chunk),
        [*recording.values, *arguments.leaves],
    )
    return recording.tree.unflatten([arguments.rebuild(row) for row in blocks])


def _cheaper(recording: Recording, inputs: list[Any], chunk: Any) -> list[list[Any]]:
    into = sum(space(x).size for x in inputs)
    out = sum(space(y).size * (2 if space(y).dtype.kind == "c" else 1) for y in recording.values)
    first, second = (_rows, _jacobian_columns) if out < into else (_jacobian_columns, _rows)
    try:
        return first(recording, inputs, chunk)
    except errors.MissingRule:  # a function inside has a rule for one mode alone
        return second(recording, inputs, chunk)


def _chunks(apply: Function, x: Any, chunk: Any, factor: complex = 1) -> list[Any]:
    """Apply a function, which returns a list of arrays, under vmap over the basis of the space of x
    times a factor.

    No more than a chunk of the basis exists at once; its axis comes first. Functions without a
    batching rule are run for one vector at a time.
    """
    s = space(x)
    # the derivative by a number of the host, which has no batch, may be on a device
    if not s.shape:
        return [v[None] for v in unshare(apply(zeros(x) + s.dtype.type(factor)))]
    step = (
        s.size if chunk is None else math.isqrt(s.size) if chunk == "auto" else min(chunk, s.size)
    )
    parts = []
    for start in range(0, max(s.size, 1), max(step, 1)):
        basis = backends.namespace(s.library).eye(
            min(step, s.size - start), s.size, start, dtype=s.dtype
        )
        vectors = (basis * s.dtype.type(factor)).reshape(basis.shape[0], *s.shape)
        parts.append(vmap(apply, fallback="loop")(vectors))
    return [
        np.concatenate(column) if len(parts) > 1 else column[0]
        for column in zip(*parts, strict=True)
    ]


def _jacobian_columns(
    recording: Recording, inputs: list[Any], chunk: Any, factor: complex = 1
) -> list[list[Any]]:
    blocks: list[list[Any]] = [[] for _ in recording.values]
    for i, x in enumerate(inputs):

        def push(t: Any, i: int = i) -> list[Any]:
            try:
                return _alone(recording.push, i, t, inputs, recording.values)
            except errors.GaugeError:
                # the run chose a basis before it knew the direction; one that knows it may go on
                return jvp(
                    lambda v: recording.run([*inputs[:i], v, *inputs[i + 1 :]]), (inputs[i],), (t,)
                )[1]

        for row, columns in zip(blocks, _chunks(push, x, chunk, factor), strict=True):
            row.append(np.moveaxis(columns, 0, -1).reshape((*columns.shape[1:], *shape_of(x))))
    return blocks


def _rows(recording: Recording, inputs: list[Any], chunk: Any) -> list[list[Any]]:
    blocks = []
    for i, y in enumerate(recording.values):

        def pull(g: Any, i: int = i) -> list[Any]:
            return _alone(recording.pull, i, g, recording.values, inputs)

        rows = _chunks(pull, y, chunk)
        # pulling 1 and i back through a real input gives Re and Im of the row
        if space(y).dtype.kind == "c":
            rows = [re + 1j * im for re, im in zip(rows, _chunks(pull, y, chunk, 1j), strict=True)]
        blocks.append(
            [row.reshape((*shape_of(y), *shape_of(x))) for row, x in zip(rows, inputs, strict=True)]
        )
    return blocks


def _alone(apply: Function, i: int, v: Any, given: list[Any], found: list[Any]) -> list[Any]:
    """Return what a linear map finds for item i alone, with zeros for what is absent."""
    return list(map(materialize, apply([v if j == i else ZERO for j in range(len(given))]), found))


def _complex_columns(
    combine: Function, recording: Recording, inputs: list[Any], chunk: Any
) -> list[list[Any]]:
    if any(space(x).dtype.kind != "c" for x in inputs):
        raise TypeError(
            "complex_mode is for complex inputs; leave it out for real ones (or convert them)"
        )
    along_real, along_imag = (
        _jacobian_columns(recording, inputs, chunk, factor) for factor in (1, 1j)
    )
    return [
        [combine(a, b, shape_of(y)) for a, b in zip(re, im, strict=True)]
        for re, im, y in zip(along_real, along_imag, recording.values, strict=True)
    ]


def _wirtinger(a: Any, b: Any, out: Value) -> tuple[Any, Any]:
    return (a - 1j * b) / 2, (a + 1j * b) / 2


def _holomorphic(a: Any, b: Any, out: Value) -> Any:
    dz, dconj = _wirtinger(a, b, out)
    scale, error = (np.max(np.abs(d), initial=0) for d in (dz, dconj))
    if bool(error > np.sqrt(np.finfo(space(a).dtype).eps) * scale):
        raise errors.not_holomorphic(float(error / scale) if scale else float("inf"))
    return dz


def _real(a: Any, b: Any, out: tuple[int, ...]) -> Any:
    return np.stack(
        [
            np.stack([np.real(a), np.real(b)], axis=len(out)),
            np.stack([np.imag(a), np.imag(b)], axis=len(out)),
        ]
    )


_METHODS = {None: _cheaper} | {
    combine.__name__[1:]: functools.partial(_complex_columns, combine)
    for combine in (_real, _wirtinger, _holomorphic)
}
