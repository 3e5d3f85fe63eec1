"""The decorators that declare a function with derivative rules.

    @elementwise                 y[i] = f(x[i], ...): one partial derivative for each argument
    @linear("x")                 linear in x (jointly, if several are named): only the adjoint is
                                 stated
    @differentiable("a", "b")    anything else: a forward rule, and a reverse rule where its
                                 transpose does not serve

and two special cases: `@multilinear("a", "b")` (a product: linear in each argument by itself, so
that the forward rule follows from the product rule) and `@constant` (a derivative that is zero
wherever it exists).
"""

from collections.abc import Callable, Mapping
from typing import Any

from .declare import Differentiable, Linear, Multilinear
from .partials import Constant, Elementwise
from .primitive import Rule

Core = Mapping[str, int] | None


def elementwise(kernel: Any = None, *, outputs: int = 1) -> Any:
    """Declare a function that acts element by element, ``y[i] = f(x[i], ...)``.

    Its partial derivatives are stated with ``@f.partials``.

    Parameters
    ----------
    kernel : callable or ufunc
        Function of one or more arrays.
    outputs : int, optional
        Number of outputs; a function with several returns a tuple.

    Returns
    -------
    Elementwise
        Function with derivatives of all orders and batching; a decorator if there is no kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import elementwise, grad
    >>> @elementwise
    ... def square(x):
    ...     return x * x
    >>> @square.partials
    ... def _(call):
    ...     return (lambda: 2 * call.x,)
    >>> print(grad(square)(3.0))
    6.0
    """
    return (
        Elementwise(kernel, outputs)
        if kernel is not None
        else lambda kernel: Elementwise(kernel, outputs)
    )


def constant(kernel: Any = None, *, data_dependent_shape: bool = False, core: Core = None) -> Any:
    """Declare a function whose derivative is zero wherever it exists.

    Parameters
    ----------
    kernel : callable or ufunc
        Function of arrays.
    data_dependent_shape : bool, optional
        Whether the values of the arguments decide on the shape of the result, as the number of
        peaks does. Such a function is refused under vmap. Let it return positions, and take the
        values at them by indexing, which is differentiable.
    core : dict, optional
        As for `linear`.

    Returns
    -------
    Constant
        Function through which no derivative passes; a decorator if there is no kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import constant, grad
    >>> @constant
    ... def step(x):
    ...     return np.heaviside(x, 1.0)
    >>> print(grad(lambda x: x * step(x))(3.0))
    1.0
    """
    if kernel is None:
        return lambda kernel: constant(kernel, data_dependent_shape=data_dependent_shape, core=core)
    return Constant(kernel, data_dependent_shape).over_leading(core)


def linear(
    *arguments: str,
    saves: bool = False,
    core: Core = None,
    drops: bool = False,
    fills: bool = False,
) -> Callable[[Rule], Linear]:
    """Declare a function that is linear in some of its arguments together.

    Its adjoint is stated with ``@f.adjoint``; forward mode is the function itself.

    Parameters
    ----------
    *arguments : str
        Names of the arguments.
    saves : bool, optional
        Whether the kernel returns its output and data that the rules may use again.
    core : dict, optional
        Number of core axes of each array argument of a kernel that broadcasts over the axes before
        them. It is what `vmap` needs.
    drops, fills : bool, optional
        Whether elements of the arguments are left out, as an index does, and whether zeros are put
        between those that remain. No derivative passes there, not even one that is infinite times
        0.

    Returns
    -------
    callable
        Decorator.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linear
    >>> @linear("x")
    ... def total(x):
    ...     return np.sum(x, axis=-1)
    >>> @total.adjoint
    ... def _(call, g):
    ...     return np.broadcast_to(g[..., None], call.x.shape)
    >>> print(grad(total)(np.array([1.0, 2.0])))
    [1. 1.]
    """

    def declare(kernel: Rule) -> Linear:
        function = Linear(kernel, arguments, saves).over_leading(core)
        function.drops, function.fills = drops, fills
        return function

    return declare


def differentiable(
    *arguments: str, saves: bool = False, core: Core = None
) -> Callable[[Rule], Differentiable]:
    """Declare a function that is differentiable in some of its arguments.

    Its rules are stated with ``@f.jvp`` and ``@f.vjp``; without `vjp` the transpose of `jvp` is
    taken.

    Parameters
    ----------
    *arguments : str
        Names of the arguments.
    saves : bool, optional
        Whether the kernel returns its output and data that the rules may use again.
    core : dict, optional
        Number of core axes of each array argument of a kernel that broadcasts over the axes before
        them. It is what `vmap` needs.

    Returns
    -------
    callable
        Decorator.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import differentiable, grad
    >>> @differentiable("x")
    ... def norm(x):
    ...     return np.sqrt(np.sum(x * x))
    >>> @norm.jvp
    ... def _(call, t):
    ...     return np.sum(call.x * t.x) / call.out
    >>> print(grad(norm)(np.array([3.0, 4.0])))
    [0.6 0.8]
    """
    return lambda kernel: Differentiable(kernel, arguments, saves).over_leading(core)


def multilinear(*arguments: str, core: Core = None) -> Callable[[Rule], Multilinear]:
    """Declare a product, a function that is linear in each of some arguments by itself.

    Its cotangents are stated with ``@f.vjp``; forward mode follows from the product rule.

    Parameters
    ----------
    *arguments : str
        Names of the arguments.
    core : dict, optional
        Number of core axes of each array argument of a kernel that broadcasts over the axes before
        them. It is what `vmap` needs.

    Returns
    -------
    callable
        Decorator.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, multilinear
    >>> @multilinear("x", "y")
    ... def product(x, y):
    ...     return x * y
    >>> @product.vjp
    ... def _(call, g):
    ...     return {"x": g * np.conj(call.y), "y": g * np.conj(call.x)}
    >>> print(*grad(product, (0, 1))(3.0, 4.0))
    4.0 3.0
    """
    return lambda kernel: Multilinear(kernel, arguments).over_leading(core)
