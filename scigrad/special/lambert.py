"""The Wright omega function (DLMF 4.13)."""

from __future__ import annotations

from .ufuncs import row


@row(lambda z, out: out / (1 + out))
def wrightomega(z):
    """Compute the Wright omega function.

    The solution w of ``w + log(w) = z``, real or complex. The derivative is ``w/(1 + w)``.

    At 0.5: 0.766248608, derivative 0.433828287.
    """


__all__ = ["wrightomega"]
