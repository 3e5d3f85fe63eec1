"""Jacobians and Hessians: the pushforward or pullback of one recording, vectorized over a basis."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec

import numpy as np

from . import backends
from .messages import errors
from .recording import Arguments, Recording, Transformed, unmasked_first, unshare
from .spaces import materialize, shape_of, space, zeros
from .trace import ZERO
from .transforms import grad, jvp
from .vectorize import vmap

Function = Callable[..., Any]
P = ParamSpec("P")


def jacobian(f: Callable[P, Any], argnums: int | Sequence[int] = 0, *,
    complex_mode: str | None = None,
             chunk_size: int | str | None = None) -> Callable[P, Any]:  # fmt: skip
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
    if complex_mode is None:
        return _jacobian("jacobian", f, argnums, chunk_size, _cheaper)
    modes = {"real": _real_blocks, "wirtinger": _wirtinger, "holomorphic": _holomorphic}
    if complex_mode not in modes:
        raise ValueError(
            f'complex_mode must be "real", "wirtinger" or "holomorphic", not {complex_mode!r}'
        )
    return _jacobian(
        "jacobian", f, argnums, chunk_size, functools.partial(_complex_columns, modes[complex_mode])
    )


def jacfwd(
    f: Callable[P, Any], argnums: int | Sequence[int] = 0, *, chunk_size: int | str | None = None
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
    return _jacobian("jacfwd", f, argnums, chunk_size, _jacobian_columns)


def jacrev(
    f: Callable[P, Any], argnums: int | Sequence[int] = 0, *, chunk_size: int | str | None = None
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
    return _jacobian("jacrev", f, argnums, chunk_size, _rows)


def hessian(
    f: Callable[P, Any], argnums: int | Sequence[int] = 0, *, chunk_size: int | str | None = None
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
    return _jacobian("hessian", grad(f, argnums), argnums, chunk_size, _jacobian_columns)


def _jacobian(transform: str, f: Function, argnums: Any, chunk: Any, method: Any) -> Any:
    if chunk not in (None, "auto") and not (isinstance(chunk, int) and chunk >= 1):
        raise ValueError(f'chunk_size must be at least 1, or "auto", not {chunk!r}')

    return Transformed(_jacobian_matrix, f, transform, argnums, chunk, method)


def _jacobian_matrix(
    f: Function,
    transform: str,
    argnums: Any,
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
    compute = functools.partial(method, recording, arguments.leaves, chunk)
    # blocks[output][input]
    blocks = unmasked_first(compute, [*recording.values, *arguments.leaves])
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


def _wirtinger(a: Any, b: Any, out: Any) -> tuple[Any, Any]:
    return (a - 1j * b) / 2, (a + 1j * b) / 2


def _holomorphic(a: Any, b: Any, out: Any) -> Any:
    dz, dconj = _wirtinger(a, b, out)
    scale, error = (np.max(np.abs(d), initial=0) for d in (dz, dconj))
    if bool(error > np.sqrt(np.finfo(space(a).dtype).eps) * scale):
        raise errors.not_holomorphic(float(error / scale) if scale else float("inf"))
    return dz


def _real_blocks(a: Any, b: Any, out: tuple[int, ...]) -> Any:
    return np.stack(
        [
            np.stack([np.real(a), np.real(b)], axis=len(out)),
            np.stack([np.imag(a), np.imag(b)], axis=len(out)),
        ]
    )
