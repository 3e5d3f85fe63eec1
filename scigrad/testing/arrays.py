"""Arrays of every backend, and their comparison."""

from typing import Any

import numpy as np
import optree

import scigrad.numpy  # noqa: F401  (operators and methods of traced values)
from scigrad.autodiff_rules import Space, backends, namespace_of, raw
from scigrad.autodiff_rules.containers import NAMESPACE, flatten
from scigrad.autodiff_rules.trace import as_scalar

BACKENDS = ("numpy", "device", "cupy")


def make_array(x: Any, backend: str = "numpy") -> Any:
    """Return a container of NumPy arrays with its arrays on a backend.

    Parameters
    ----------
    x : array_like or container
        NumPy arrays; numbers and strings in it remain.
    backend : {"numpy", "device", "cupy"}, optional
        Library of the result. "device" is a stand-in that refuses to become a host array, so that
        hidden copies are found without a GPU.

    Returns
    -------
    container
        Container of the same structure.

    Raises
    ------
    ValueError
        If the backend is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad.testing import make_array, to_host
    >>> x = make_array({"a": np.ones(2)}, "device")
    >>> type(x["a"]).__name__, to_host(x)
    ('DeviceArray', {'a': array([1., 1.])})
    """
    if backend == "numpy":
        return x
    if backend not in BACKENDS:
        raise ValueError(f"backend must be one of {BACKENDS}, not {backend!r}")
    leaves, tree = flatten(x)
    return tree.unflatten(
        [_on(leaf, backend) if isinstance(leaf, np.ndarray) else leaf for leaf in leaves]
    )


def _on(x: np.ndarray, backend: str) -> Any:
    if backend == "cupy":
        return backends.namespace("cupy").asarray(x)
    from .device import DeviceArray

    return DeviceArray(x)


def beside(x: Any, *arrays: Any) -> Any:
    """Return a host array or number on the device of the first of the arrays that has one; a number
    if it has no axes.
    """
    home = namespace_of(*arrays)
    return as_scalar(x) if home is np else home.asarray(x)


def to_host(x: Any) -> Any:
    """Return a container of arrays of any backend with NumPy arrays.

    Parameters
    ----------
    x : array_like or container
        Arrays of any backend.

    Returns
    -------
    container
        Container of the same structure.

    Raises
    ------
    ValueError
        If the backend is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad.testing import make_array, to_host
    >>> to_host(make_array(np.ones(2), "device"))
    array([1., 1.])
    """
    leaves, tree = flatten(x)
    return tree.unflatten(
        [leaf.get() if hasattr(leaf, "get") and hasattr(leaf, "dtype") else leaf for leaf in leaves]
    )


def assert_close(
    actual: Any, expected: Any, rtol: float = 1e-9, what: str = "result", floor: float = 0.0
) -> None:
    """Raise AssertionError unless two containers agree.

    They agree if their structures (tuples and lists are alike), shapes, nan and infinities are
    equal and numbers differ by at most `rtol` times the largest expected number of their array, or
    `floor`. Sparse arrays are compared as matrices, whatever the order of their values.

    Parameters
    ----------
    actual, expected : array_like or container
        Results and their true values.
    rtol : float, optional
        Relative error allowed.
    what : str, optional
        Name of the result in the message.
    floor : float, optional
        Absolute error allowed.

    Raises
    ------
    AssertionError
        If the containers differ; the message names the place of the largest error.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad.testing import assert_close
    >>> assert_close((np.ones(2), 3.0), [np.ones(2) + 1e-12, 3.0])
    """
    if _is_row_of_arrays(actual) and _is_row_of_arrays(expected):  # the most frequent case
        found, wanted = actual, expected
        if len(found) != len(wanted):
            raise AssertionError(f"{what}: {len(found)} arrays instead of {len(wanted)}")
    else:
        found, wanted = _leaves_at_equal_places(actual, expected, what)
    for i, (a, e) in enumerate(zip(found, wanted, strict=True)):
        _assert_leaf(
            np.asarray(raw(a)),
            np.asarray(raw(e)),
            rtol,
            what if len(found) == 1 else f"{what}[{i}]",
            floor,
        )


def _is_row_of_arrays(container: Any) -> bool:
    return type(container) is tuple and all(type(x) is np.ndarray for x in container)


def _leaves_at_equal_places(actual: Any, expected: Any, what: str) -> tuple[list[Any], list[Any]]:
    """Return the leaves, on the host, of two containers of one structure; raise if it is not."""
    actual, expected = dense(to_host(actual)), dense(to_host(expected))
    found, tree = flatten(actual)
    wanted, other = flatten(expected)
    if _places(actual) != _places(expected):
        raise AssertionError(f"{what}: structure {tree} instead of {other}")
    return found, wanted


def dense(container: Any) -> Any:
    """Return a container with dense arrays in place of its sparse ones."""
    flatten(container)  # from here on the types in it are known
    return optree.tree_map(
        lambda x: x.toarray() if _is_sparse(x) else x,
        container,
        is_leaf=_is_sparse,
        namespace=NAMESPACE,
    )


def _is_sparse(x: Any) -> bool:
    return hasattr(x, "tocsr")


def _places(container: Any) -> Any:
    """Return the paths of the leaves of a container: the keys and positions that lead to each."""
    return optree.tree_paths(container, namespace=NAMESPACE)


def _assert_leaf(a: np.ndarray, e: np.ndarray, rtol: float, what: str, floor: float) -> None:
    if a.shape != e.shape:
        raise AssertionError(f"{what}: shape {a.shape} instead of {e.shape}")
    if e.dtype.kind not in "fc" and a.dtype.kind not in "fc":
        if not np.array_equal(a, e):
            raise AssertionError(f"{what}: {a!r} instead of {e!r}")
        return
    finite = np.isfinite(e)
    numbers: Any = ... if finite.all() else finite
    if numbers is finite and not np.array_equal(a[~finite], e[~finite], equal_nan=True):
        raise AssertionError(
            f"{what}: {a[~finite]} instead of {e[~finite]} where the truth is not finite"
        )
    scale = np.max(np.abs(e[numbers]), initial=0.0)
    error = np.max(np.abs(a[numbers] - e[numbers]), initial=0.0)
    if not error <= max(rtol * scale, floor):
        place = np.unravel_index(
            int(np.argmax(np.where(finite, np.abs(a - np.where(finite, e, 0)), 0))), e.shape
        )
        raise AssertionError(
            f"{what}: off by {error:.3g} (relative {error / scale if scale else np.inf:.2e} > "
            f"{rtol:.1e}) at {tuple(map(int, place))}: {a[place]} instead of {e[place]}"
        )


def assert_space(x: Any, expected: Space, what: str) -> None:
    """Raise AssertionError unless an array has the shape and dtype of a space."""
    found = Space(np.shape(x), np.result_type(x) if not hasattr(x, "dtype") else x.dtype)
    if (found.shape, found.dtype) != (expected.shape, expected.dtype):
        raise AssertionError(
            f"{what}: {found.shape} {found.dtype} instead of {expected.shape} {expected.dtype}"
        )
