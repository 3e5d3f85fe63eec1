"""The sign of a matrix on a device, by Newton's iteration.

    x <- (m x + x^-1 / m) / 2     with factors m that accelerate it (Higham 2008, Functions of Matrices, section 5.5)

Its derivative is the iteration differentiated, e <- (m e - x^-1 e x^-1 / m) / 2, with the inverses of the value; the limit
does not depend on m. All steps are array functions and run on a device, which is synchronized once a step for the test of
convergence.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import namespace_of

from ..foundation import failures
from ..foundation.factors import device_inverse
from ..foundation.failures import to_host
from ..foundation.matrices import largest

_STEPS = 30  # for eigenvalues down to 1e-8 of their size from the axis; rounding drives one on the axis off, but later
_SLOW = 1e-2  # a relative change from which Newton's iteration converges by itself
_DONE = 1e-9  # a step that changes so little leaves an error of its square


class SignSteps(NamedTuple):
    """The inverse and the number m of each step, and which matrices did not converge."""

    shape: tuple[int, ...]
    inverses: tuple[Any, ...]
    scales: tuple[Any, ...]
    failed: Any

    def reshaped(self, shape: tuple[int, ...]) -> SignSteps:
        inverses = tuple(x.reshape(shape) for x in self.inverses)
        scales = tuple(x.reshape((*shape[:-2], 1, 1)) for x in self.scales)
        return SignSteps(shape, inverses, scales, self.failed.reshape(shape[:-2]))


class Sign:
    """Sign, with the interface of frechet.py. A matrix whose sign is not defined raises, or with `mark` has the sign NaN.

    The error names `function` and its argument, one of `parts` x `parts` blocks.
    """

    def __init__(self, function: str, mark: bool, why: str, parts: int = 1) -> None:
        self.function = function
        self.mark = mark
        self.why = why
        self.parts = parts

    def evaluate(self, a: Any) -> tuple[Any, SignSteps]:
        inverses, scales, last = [], [], np.inf
        x, change = a, namespace_of(a).full((*a.shape[:-2], 1, 1), np.inf)
        if a.size == 0:
            return a.copy(), SignSteps(a.shape, (), (), np.zeros(a.shape[:-2], bool, like=a))
        singular = False
        for _ in range(_STEPS):
            inverse, _ = device_inverse(x)
            if not inverses:  # an eigenvalue that is 0 up to rounding would get a sign too
                singular = ~(_norm(x) * _norm(inverse) * np.finfo(a.dtype).eps * a.shape[-1] < 1)
            with np.errstate(invalid="ignore", divide="ignore"):
                scale = np.where(change > _SLOW, np.sqrt(_norm(inverse) / _norm(x)), 1).astype(np.real(x[..., :0]).dtype)
                new = (scale * x + inverse / scale) / 2
                change = _norm(new - x) / _norm(new)
            inverses.append(inverse)
            scales.append(scale)
            x = new
            worst = np.nan_to_num(to_host(change)).max()
            if worst <= _DONE or (worst <= _SLOW and worst > last / 2):
                break
            last = worst
        failed = (singular | ~(change <= _SLOW))[..., 0, 0]
        if not self.mark:
            self._refuse(a, failed)
        return failures.marked_nan(x, failed, 2), SignSteps(a.shape, tuple(inverses), tuple(scales), failed)

    def _refuse(self, a: Any, failed: Any) -> None:
        codes = np.asarray(to_host(failed & ~failures.not_finite(a)))
        if codes.any():
            where = f" at batch index {tuple(int(i) for i in np.argwhere(codes)[0])}" if codes.ndim else ""
            shape = (*a.shape[:-2], *(n // self.parts for n in a.shape[-2:]))
            raise np.linalg.LinAlgError(
                f"{self.function}: argument 'A' of shape {shape}: {self.why}{where}, where the function is not smooth. Keep away "
                "from such matrices, for instance by adding a small multiple of the identity; on_fail='nan' or 'info' gives NaN."
            )

    def derivative(self, a: Any, e: Any, factors: SignSteps) -> Any:
        for inverse, scale in zip(factors.inverses, factors.scales, strict=True):
            e = (scale * e - inverse @ e @ inverse / scale) / 2
        shape = np.broadcast_shapes(a.shape, e.shape)
        e = np.broadcast_to(e, shape)
        return failures.marked_nan(e, np.broadcast_to(factors.failed, shape[:-2]), 2) if self.mark else e


def _norm(x: Any) -> Any:
    return largest(np.abs(x).sum(axis=-2, keepdims=True), (-2, -1), True)


__all__ = ["Sign", "SignSteps"]
