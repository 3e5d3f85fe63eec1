"""The interface of all maps from parameters to points, with checks of shapes and of points to
invert.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, shape_of
from scigrad.typing import Array, ArrayLike

from ..foundation.matrices import as_array, is_host


class Chart:
    """Smooth map from real vectors of `size` elements to arrays of a `shape`, with a right
    inverse.
    """

    size: int
    shape: tuple[int, ...]

    def __call__(self, parameters: Any) -> Any:
        """Return the points of parameters.

        Parameters
        ----------
        parameters : (..., size) array_like
            Real numbers.

        Returns
        -------
        (..., *shape) ndarray
            Points on the manifold.

        Raises
        ------
        ValueError
            If the parameters are complex or of another length.
        """
        p = as_array(repr(self), "parameters", parameters)
        if shape_of(p)[-1:] != (self.size,) or p.dtype.kind == "c":
            raise ValueError(
                f"{self!r} takes real parameters (..., {self.size}), not {p.dtype} of shape "
                f"{shape_of(p)}."
            )
        return self.point(p)

    def inverse(self, point: ArrayLike) -> Array:
        """Return parameters of points.

        Parameters
        ----------
        point : (..., *shape) array_like
            Points on the manifold.

        Returns
        -------
        (..., size) ndarray
            Parameters, for which the map returns the points.

        Raises
        ------
        ValueError
            If the shape is another, or the map does not reach a point (checked for plain arrays on
            the host only).
        """
        q = as_array(repr(self), "point", point)
        if shape_of(q)[-len(self.shape) :] != self.shape:
            wanted = ", ".join(map(str, self.shape))
            raise ValueError(
                f"{self!r} makes points (..., {wanted}), but this one has shape {shape_of(q)}."
            )
        if not is_host(q):
            return self.parameters(q)
        with np.errstate(all="ignore"):
            p = self.parameters(q)
            error = np.abs(self.point(p) - q)
        limit = 10 * np.sqrt(np.finfo(q.dtype).eps) * np.maximum(np.abs(q).max(initial=0), 1)
        if not (error <= limit).all():
            raise ValueError(
                f"{self!r}: the point does not lie on the manifold, or not where this map "
                "reaches; the point of the parameters found differs by "
                f"{float(np.max(error)):.3g}. {self.advice}"
            )
        return p

    advice = "Project it first."

    def point(self, p: Any) -> Any:
        """Return the points of checked parameters."""
        raise NotImplementedError

    def parameters(self, q: Any) -> Any:
        """Return the parameters of checked points."""
        raise NotImplementedError

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.named)
        return f"{type(self).__name__}({settings})"

    named: tuple[str, ...] = ()


class Entries:
    """Free entries of an m x n matrix as real numbers, twice as many if they are complex; all other
    entries are 0.
    """

    count: int
    index: tuple[Any, Any]
    is_complex: bool
    places: Any
    size: int

    def __init__(self, shape: tuple[int, int], index: tuple[Any, Any], is_complex: bool) -> None:
        self.index, self.count, self.is_complex = index, len(index[0]), is_complex
        self.places = np.zeros(shape, int)
        self.places[index] = np.arange(self.count) + 1
        self.size = self.count * (1 + is_complex)

    def matrix(self, p: Any) -> Any:
        values = (
            p[..., : self.count] + 1j * p[..., self.count : self.size]
            if self.is_complex
            else p[..., : self.count]
        )
        return np.concatenate(
            [np.zeros((*shape_of(p)[:-1], 1), values.dtype, like=raw(p)), values], axis=-1
        )[..., self.places]

    def numbers(self, matrix: Any) -> Any:
        values = matrix[..., *self.index]
        return (
            np.concatenate([np.real(values), np.imag(values)], axis=-1)
            if self.is_complex
            else np.real(values)
        )


__all__ = ["Chart", "Entries"]
