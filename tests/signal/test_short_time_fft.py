"""ShortTimeFFT: SciPy's values, which it computes segment by segment, and derivatives in signals,
transforms and windows.
"""

import itertools
import pickle
import re

import numpy as np
import pytest
import scipy.signal

from scigrad import grad, jvp, signal, vmap
from scigrad.testing import assert_close, gradcheck, make_array, to_host

RNG = np.random.default_rng(5)
X = RNG.normal(size=(2, 40))
WIN = np.hanning(12) + 0.1
MODES = ("onesided", "twosided", "centered", "onesided2X")


def both(win=WIN, hop=5, **options):
    return (
        module.ShortTimeFFT(win.copy(), hop, 10.0, **options) for module in (signal, scipy.signal)
    )


@pytest.mark.parametrize(
    ("mode", "shift", "mfft"), [*itertools.product(MODES, (0, 3, None), (12, 17))]
)
def test_values(mode, shift, mfft):
    ours, theirs = both(fft_mode=mode, phase_shift=shift, mfft=mfft, scale_to="psd")
    for padding in ("zeros", "edge", "even", "odd"):
        assert_close(ours.stft(X, padding=padding), theirs.stft(X, padding=padding), 1e-12)
    part = {"p0": 1, "p1": 5, "k_offset": 2, "axis": 0}
    assert_close(
        ours.stft_detrend(X.T, "linear", **part), theirs.stft_detrend(X.T, "linear", **part), 1e-12
    )
    trend = lambda x: x - x.mean(axis=-1, keepdims=True)  # noqa: E731
    assert_close(ours.stft_detrend(X, trend), theirs.stft_detrend(X, trend), 1e-12)
    assert_close(ours.spectrogram(X, 2 * X), theirs.spectrogram(X, 2 * X), 1e-12)
    Z = theirs.stft(X)
    for bounds in ((0, None), (0, 40), (-2, 30)):
        assert_close(ours.istft(Z, *bounds), theirs.istft(Z, *bounds), 1e-12)
    turned = np.moveaxis(Z, (1, 2), (2, 0))
    assert_close(
        ours.istft(turned, 0, 40, f_axis=2, t_axis=0),
        theirs.istft(turned, 0, 40, f_axis=2, t_axis=0),
        1e-12,
    )


def test_round_trip():
    ours, _ = both()
    assert_close(ours.istft(ours.stft(X), 0, 40), X, 1e-13)


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.stft_detrend(X[0], detr=np.nan),
        lambda t: t.stft(X[0, :5]),
        lambda t: t.stft(X[0] * 1j),
    ],
    ids=["trend", "short", "complex"],
)
def test_refusals_begin_with_scipy_s_words(call):
    ours, theirs = both()
    with pytest.raises(ValueError) as expected:
        call(theirs)
    with pytest.raises(ValueError, match=re.escape(str(expected.value)[:25])):
        call(ours)


def test_a_mode_that_is_none_is_refused_by_transforms_too():
    transform, _ = both()
    transform._fft_mode = "invalid"
    for call in (transform._fft_func, transform._ifft_func):
        with pytest.raises(RuntimeError, match="none of"):
            call(X[..., : len(WIN)])


@pytest.mark.parametrize(("length", "hop"), [(6, 1), (5, 2), (8, 5)])
def test_samples_before_the_first_are_zero(length, hop):
    """SciPy takes slices from the end of the transform for them."""
    transform = signal.ShortTimeFFT(np.hanning(length + 2)[1:-1] + 0.3, hop, 1.0)
    whole = np.pad(X, [*[(0, 0)] * (X.ndim - 1), (-transform.k_min, 0)])
    for start in range(transform.k_min, 3):
        expected = whole[..., start - transform.k_min : 30 - transform.k_min]
        assert_close(transform.istft(transform.stft(X), start, 30), expected, 1e-12)


def test_other_constructors():
    for make in (
        lambda m: m.ShortTimeFFT.from_window("hann", 1.0, 8, 4),
        lambda m: m.ShortTimeFFT.from_dual(np.ones(8), 4, 1.0),
        lambda m: m.ShortTimeFFT.from_win_equals_dual(
            np.hanning(8) + 0.1, 4, 1.0, scale_to="unitary"
        ),
    ):
        ours, theirs = make(signal), make(scipy.signal)
        assert isinstance(ours, scipy.signal.ShortTimeFFT)
        assert_close(
            (ours.win, ours.dual_win, ours.stft(X)),
            (theirs.win, theirs.dual_win, theirs.stft(X)),
            1e-12,
        )


@pytest.mark.parametrize("scale", [None, "magnitude", "psd"])
def test_derivatives(scale):
    def make(win, dual=None):
        return signal.ShortTimeFFT(win, 5, 10.0, scale_to=scale, dual_win=dual)

    gradcheck(lambda x, win: make(win).stft(x), X[0, :20], WIN)
    Z = make(WIN).stft(X[0])
    gradcheck(lambda Z, win: make(win).istft(Z), Z, WIN)
    gradcheck(lambda win, dual: make(win, dual).istft(Z), WIN, WIN[::-1].copy())


def test_batches_of_signals():
    ours, _ = both()
    assert_close(vmap(ours.stft)(X), ours.stft(X))
    power = vmap(grad(lambda x: np.sum(ours.spectrogram(x))))(X)
    assert_close(power, grad(lambda x: np.sum(ours.spectrogram(x)))(X))


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.stft(X + 0j),
        lambda t: t.stft(X, padding="free"),
        lambda t: t.stft(X[:, :3]),
        lambda t: t.stft_detrend(X, 1.0),
        lambda t: t.istft(np.ones((7, 1))),
        lambda t: t.istft(np.ones((3, 9))),
        lambda t: t.istft(np.ones((7, 9)), f_axis=1),
        lambda t: t.istft(np.ones((7, 9)), 0, 1000),
    ],
)
def test_errors_are_scipy_s(call):
    for transform in both():
        with pytest.raises(ValueError):
            call(transform)


@pytest.mark.parametrize("options", [{}, {"scale_to": "psd"}, {"scale_to": "magnitude"}])
def test_sampling_frequency(options):
    x, win = np.sin(np.arange(32.0)), np.hanning(10)[1:-1]

    def power(fs, module=signal):
        transform = module.ShortTimeFFT(win, 4, fs=fs, **options)
        return transform.delta_t * np.sum(abs(transform.stft(x)) ** 2)

    assert jvp(power, (2.0,), (1.0,))[0] == pytest.approx(power(2.0, scipy.signal), rel=1e-12)
    expected = (power(2.0 + 1e-5, scipy.signal) - power(2.0 - 1e-5, scipy.signal)) / 2e-5
    assert grad(power)(2.0) == pytest.approx(expected, rel=1e-8)


CONSTRUCTORS = {
    "window": lambda win: signal.ShortTimeFFT(
        win, 5, 10.0, fft_mode="onesided2X", scale_to="psd", phase_shift=3
    ),
    "dual window": lambda win: signal.ShortTimeFFT(
        win, 5, 10.0, fft_mode="centered", dual_win=win[::-1]
    ),
    "from_window": lambda win: signal.ShortTimeFFT.from_window("hann", 10.0, 12, 7),
    "from_dual": lambda win: signal.ShortTimeFFT.from_dual(win, 5, 10.0, scale_to="magnitude"),
    "from_win_equals_dual": lambda win: signal.ShortTimeFFT.from_win_equals_dual(
        win, 5, 10.0, scale_to="unitary"
    ),
}


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_devices(device, name):
    """All methods, with the window where the signal is: values and gradients are those of the
    host.
    """

    def everything(x, win):
        transform = CONSTRUCTORS[name](win)
        transforms = [
            transform.stft(x, padding=padding) for padding in ("zeros", "edge", "even", "odd")
        ]
        detrended = [
            transform.stft_detrend(x, trend) for trend in ("linear", lambda v: v - v[..., :1])
        ]
        powers = [transform.spectrogram(x), transform.spectrogram(x, 2 * x, "constant")]
        places = (
            transform.t(40),
            transform.f,
            transform.extent(40),
            transform.lower_border_end,
            transform.upper_border_begin(40),
        )
        return [
            *transforms,
            *detrended,
            *powers,
            transform.istft(transforms[0], 0, 40),
            places,
            transform.invertible,
        ]

    def loss(x, win):
        transform = CONSTRUCTORS[name](win)
        return np.sum(transform.spectrogram(x)) + np.sum(
            abs(transform.istft(2 * transform.stft(x), 0, 40)) ** 3
        )

    x, win = make_array((X, WIN), device)
    found = everything(x, win)
    assert type(found[0]) is type(x)
    assert_close(to_host(found), everything(X, WIN), 1e-12)
    # from_win_equals_dual reads its window number by number
    by = (0,) if name == "from_win_equals_dual" else (0, 1)
    gradient = grad(loss, by, allow_constant=True)  # from_window has its own window
    assert_close(to_host(gradient(x, win)), gradient(X, WIN), 1e-12)


@pytest.mark.parametrize("window", ["hann_periodic", ("kaiser", 5.0), "array"])
def test_inverse_does_not_wait_for_a_device(window, monkeypatch):
    """A named window is tested on the host; one that lies on the device is not tested."""
    given = np.kaiser(8, 5.0) if window == "array" else window
    (z,) = make_array((scipy.signal.stft(X, nperseg=8, window=given)[2],), "device")
    monkeypatch.setattr(type(z), "get", None)
    found = signal.istft(
        z, nperseg=8, window=make_array(given, "device") if window == "array" else window
    )[1]
    monkeypatch.undo()
    assert_close(to_host(found), X, 1e-12)


def test_inverse_warns_of_its_window(device):
    z = make_array(np.ones((5, 4), complex), device)
    with pytest.warns(UserWarning, match="NOLA"):
        signal.istft(z, window="hann", nperseg=8, noverlap=0, boundary=False)


def test_transforms_can_be_pickled():
    transform = signal.ShortTimeFFT(np.hanning(8), 4, 2.0, mfft=16)
    again = pickle.loads(pickle.dumps(transform))
    assert type(again) is type(transform)
    np.testing.assert_array_equal(again.stft(np.arange(20.0)), transform.stft(np.arange(20.0)))
