"""Filters, convolution, spectra and designs against SciPy, PyTorch and JAX where they have the
function.

Long signals have 10^6 samples. SciPy's own function is under every name that is not said otherwise;
what it computes as well by another name, for scale, is shown without a ratio.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .harness import Bar, Run, Subject
from .import_time import fresh
from .recursive_filter import jax_lfilter

Build = Callable[[], Run]
BUDGET = 3.0  # seconds for a subject: five rounds of the slowest, hundreds of the quick ones
random = np.random.default_rng(0)
LONG, TAPS = random.standard_normal(1_000_000), random.standard_normal(10_000)
OTHER, WEIGHTS = random.standard_normal(LONG.size), random.standard_normal(LONG.size)
IMAGE, PATCH = random.standard_normal((1024, 1024)), random.standard_normal((31, 31))


def ours(name: str, *args: Any, **options: Any) -> Build:
    def build() -> Run:
        from scigrad import signal

        function = getattr(signal, name)
        return lambda: function(*args, **options)

    return build


def scipys(name: str, *args: Any, **options: Any) -> Build:
    def build() -> Run:
        import scipy.signal

        function = getattr(scipy.signal, name)
        return lambda: function(*args, **options)

    return build


def jaxs(name: str, *args: Any, **options: Any) -> Build:
    def build() -> Run:
        import jax

        arrays = tuple(map(jax.numpy.asarray, args))
        function = jax.jit(lambda *x: getattr(jax.scipy.signal, name)(*x, **options))
        return lambda: jax.block_until_ready(function(*arrays))

    return build


def last(result: Any) -> np.ndarray:
    """Return the array of a result, whose frequencies and times come before it."""
    return np.asarray(result[-1] if isinstance(result, (tuple, list)) else result)


def agree(results: dict[str, Any]) -> None:
    first, *others = (last(result) for result in results.values())
    for name, value in zip(list(results)[1:], others, strict=True):
        np.testing.assert_allclose(
            value, first, rtol=0, atol=1e-9 * np.abs(first).max(), err_msg=name
        )


def subject(
    title: str,
    ratio: float,
    contenders: dict[str, Build],
    information: dict[str, Build] | None = None,
    **more: Any,
) -> Subject:
    """One comparison: ours and the peers, each of which the bar holds for, and what is shown for
    scale.
    """
    rest = information or {}
    bars = tuple(Bar(name, ratio=ratio) for name in contenders if name != "scigrad")
    return Subject(
        title=title,
        ours="scigrad",
        contenders=contenders | rest,
        bars=bars,
        information=tuple(rest),
        **({"check": agree, "budget": BUDGET} | more),
    )


def called(
    title: str, ratio: float, name: str, *args: Any, notes: str = "", **options: Any
) -> Subject:
    """The same call of ours and of SciPy's."""
    return subject(
        title,
        ratio,
        {"scigrad": ours(name, *args, **options), "scipy": scipys(name, *args, **options)},
        notes=notes,
    )


# -- recursive filters

LOOP = (
    "A loop that Numba compiles for each order, with the states in registers; the values are "
    "SciPy's to the last bit. Time of the processor, in ns a sample (SciPy's): `lfilter` of order "
    "4 3.4 (6.7), 8 3.6 (7.9), 12 4.6 (10.7); `sosfilt` of 2 sections 4.1 (7.6), 4 4.5 (7.9), 6 "
    "6.9 (9.8). Without Numba it is SciPy's loop."
)
SHORT = (
    "By hand, in NumPy and SciPy's loop, 44 µs: two recursions 29, three correlations with the "
    "adjoint 9. Of 153 µs recording and calling the rules takes the rest, of which JAX's compiled "
    "program has nothing."
)


@functools.cache
def design(order: int, output: str) -> Any:
    import scipy.signal

    return scipy.signal.butter(order, 0.4, output=output)


def gradient_of_lfilter(samples: int, ratio: float) -> Subject:
    x, g, (b, a) = LONG[:samples], WEIGHTS[:samples], design(4, "ba")

    def scigrad() -> Run:
        from scigrad import signal, value_and_grad

        f = value_and_grad(lambda b, a, x: signal.lfilter(b, a, x) @ g, argnums=(0, 1, 2))
        return lambda: f(b, a, x)

    def jax_jitted() -> Run:
        import jax
        import jax.numpy as jnp

        weights, arrays = jnp.asarray(g), tuple(map(jnp.asarray, (b, a, x)))
        f = jax.jit(
            jax.value_and_grad(lambda b, a, x: jax_lfilter(b, a, x) @ weights, argnums=(0, 1, 2))
        )
        return lambda: jax.block_until_ready(f(*arrays))

    def check(results: dict[str, Any]) -> None:
        for name, (value, slopes) in results.items():
            np.testing.assert_allclose(value, results["scigrad"][0], rtol=1e-8, err_msg=name)
            for slope, right in zip(slopes, results["scigrad"][1], strict=True):
                np.testing.assert_allclose(
                    slope, right, rtol=1e-6, atol=1e-8 * np.abs(right).max(), err_msg=name
                )

    title = f"lfilter, {samples:,} samples, order 4: value and gradient by b, a and x"
    notes = SHORT if samples < 10_000 else ""
    return subject(
        title, ratio, {"scigrad": scigrad, "jax, jitted": jax_jitted}, check=check, notes=notes
    )


# -- convolution


def torch_convolution() -> Run:
    import torch

    x, h = torch.from_numpy(LONG), torch.from_numpy(TAPS)
    return lambda: torch_product(torch, x, h).numpy()


def torch_product(torch: Any, x: Any, h: Any) -> Any:
    from scipy.fft import next_fast_len

    n = len(x) + len(h) - 1
    size = next_fast_len(n, True)
    return torch.fft.irfft(torch.fft.rfft(x, size) * torch.fft.rfft(h, size), size)[:n]


def gradient_of_convolution() -> Subject:
    w = random.standard_normal(LONG.size + TAPS.size - 1)
    builders = {
        "scigrad": _products_by_scigrad,
        "torch": _products_by_torch,
        "jax, jitted": _products_by_jax,
    }
    return subject(
        "fftconvolve, 10^6 with 10^4: value and gradient by both",
        0.4,
        {name: functools.partial(build, w) for name, build in builders.items()},
        check=_agree_on_slopes,
    )


def _products_by_scigrad(w: Any) -> Run:
    from scigrad import signal, value_and_grad

    f = value_and_grad(lambda x, h: signal.fftconvolve(x, h) @ w, argnums=(0, 1))
    return lambda: f(LONG, TAPS)


def _products_by_torch(w: Any) -> Run:
    import torch

    weights = torch.from_numpy(w)

    def run() -> Any:
        x, h = (torch.from_numpy(v).requires_grad_() for v in (LONG, TAPS))
        value = torch_product(torch, x, h) @ weights
        return value.detach().numpy(), [v.numpy() for v in torch.autograd.grad(value, (x, h))]

    return run


def _products_by_jax(w: Any) -> Run:
    import jax

    weights, arrays = jax.numpy.asarray(w), tuple(map(jax.numpy.asarray, (LONG, TAPS)))
    f = jax.jit(
        jax.value_and_grad(
            lambda x, h: jax.scipy.signal.fftconvolve(x, h) @ weights, argnums=(0, 1)
        )
    )
    return lambda: jax.block_until_ready(f(*arrays))


def _agree_on_slopes(results: dict[str, Any]) -> None:
    for name, (_, slopes) in results.items():
        for slope, right in zip(slopes, results["scigrad"][1], strict=True):
            np.testing.assert_allclose(
                slope, right, rtol=0, atol=1e-9 * np.abs(right).max(), err_msg=name
            )


# -- spectra

SEGMENTS = {"nperseg": 1024}


@functools.cache
def transformed() -> Any:
    import scipy.signal

    return scipy.signal.stft(LONG, **SEGMENTS)[-1]


def torch_stft() -> Run:
    import torch

    x, window = torch.from_numpy(LONG), torch.hann_window(1024, dtype=torch.float64)
    missing = -LONG.size % 512

    def run() -> Any:
        padded = torch.nn.functional.pad(x, (512, 512 + missing))
        return (
            torch.stft(padded, 1024, 512, window=window, center=False, return_complex=True)
            / window.sum()
        ).numpy()

    return run


def sliding(library: str) -> Build:
    def build() -> Run:
        from importlib import import_module

        import scipy.signal

        window = scipy.signal.windows.hann(256, sym=False)
        transform = import_module(f"{library}.signal").ShortTimeFFT(window, 128, 1.0)
        return lambda: transform.stft(LONG)

    return build


FIRST = (
    "import numpy as np; from scigrad import grad, signal; x = np.ones(100); b, a = np.ones(3), "
    "np.array([1.0, 0.2, 0.1]); start = time.perf_counter(); grad(lambda b: signal.lfilter(b, a, "
    "x).sum())(b)"
)


def filters() -> dict[str, Subject]:
    given, sections = design(8, "ba"), design(8, "sos")
    return {
        "lfilter": called(
            "lfilter, 10^6 samples, order 8", 0.6, "lfilter", *given, LONG, notes=LOOP
        ),
        "sosfilt": called(
            "sosfilt, 10^6 samples, order 8", 0.9, "sosfilt", sections, LONG, notes=LOOP
        ),
        "lfilter_gradient": gradient_of_lfilter(1_000_000, 0.5),
        "lfilter_gradient_short": gradient_of_lfilter(2_000, 1.0),
        "lfilter_first": Subject(
            title="the first gradient of lfilter in a process",
            ours="scigrad",
            contenders={"scigrad": fresh(FIRST), "nothing": fresh("start = time.perf_counter()")},
            bars=(Bar("nothing", extra=0.2),),
            budget=BUDGET,
        ),
    }


def convolutions() -> dict[str, Subject]:
    return {
        "fftconvolve": subject(
            "fftconvolve, 10^6 with 10^4",
            0.65,
            {
                "scigrad": ours("fftconvolve", LONG, TAPS),
                "scipy": scipys("fftconvolve", LONG, TAPS),
                "torch": torch_convolution,
                "jax, jitted": jaxs("fftconvolve", LONG, TAPS),
            },
            {"scipy, oaconvolve": scipys("oaconvolve", LONG, TAPS)},
        ),
        "fftconvolve_gradient": gradient_of_convolution(),
        "convolve2d": subject(
            "convolve2d, 1024^2 with 31^2",
            1.0,
            {
                "scigrad": ours("convolve2d", IMAGE, PATCH),
                "scipy, oaconvolve": scipys("oaconvolve", IMAGE, PATCH),
            },
        ),
    }


def spectra() -> dict[str, Subject]:
    return {
        "stft": subject(
            "stft, 10^6 samples",
            1.6,
            {
                "scigrad": ours("stft", LONG, **SEGMENTS),
                "scipy": scipys("stft", LONG, **SEGMENTS),
                "torch": torch_stft,
                "jax, jitted": jaxs("stft", LONG, **SEGMENTS),
            },
        ),
        "istft": subject(
            "istft, 10^6 samples",
            0.5,
            # JAX adds the segments by a scatter, which takes two seconds.
            {
                "scigrad": ours("istft", transformed(), **SEGMENTS),
                "scipy": scipys("istft", transformed(), **SEGMENTS),
            },
        ),
        "short_time_fft": subject(
            "ShortTimeFFT.stft, 10^6 samples, segments of 256",
            0.05,
            {"scigrad": sliding("scigrad"), "scipy": sliding("scipy")},
        ),
        "welch": subject(
            "welch, 10^6 samples",
            1.2,
            {
                "scigrad": ours("welch", LONG, **SEGMENTS),
                "jax, jitted": jaxs("welch", LONG, **SEGMENTS),
                "scipy": scipys("welch", LONG, **SEGMENTS),
            },
        ),
        "csd": called("csd, 10^6 samples", 0.4, "csd", LONG, OTHER, **SEGMENTS),
    }


def rates_and_designs() -> dict[str, Subject]:
    return {
        "hilbert": called("hilbert, 10^6 samples", 0.9, "hilbert", LONG),
        "resample_poly": called(
            "resample_poly, 10^6 samples by 3/2", 0.8, "resample_poly", LONG, 3, 2
        ),
        "butter": called("butter, order 8", 1.0, "butter", 8, 0.2),
        "firwin": called("firwin, 101 taps", 1.0, "firwin", 101, 0.2),
    }


SUBJECTS = filters() | convolutions() | spectra() | rates_and_designs()
