"""Streams of blocks against the whole signal."""

import wave

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from scigrad import grad, signal
from scigrad.signal import stream

X = np.random.default_rng(0).normal(size=(2, 1000))
CUTS = ([], [1, 2, 3, 7, 400], [500], list(range(50, 1000, 50)))
B, A = signal.butter(3, 0.2)
SOS = signal.butter(5, 0.3, output="sos")


def blocks(x, cuts):
    return iter(np.split(x, cuts, axis=-1))


@pytest.mark.parametrize("cuts", CUTS)
def test_filters(cuts):
    assert_array_equal(
        np.concatenate([*stream.lfilter(B, A, blocks(X, cuts))], axis=-1), signal.lfilter(B, A, X)
    )
    assert_array_equal(
        np.concatenate([*stream.sosfilt(SOS, blocks(X, cuts))], axis=-1), signal.sosfilt(SOS, X)
    )


@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize("noverlap", [None, 0, 60])
def test_spectra(cuts, noverlap):
    parts = [*stream.stft(blocks(X, cuts), 10.0, nperseg=64, noverlap=noverlap)]
    f, t, z = signal.stft(X, 10.0, nperseg=64, noverlap=noverlap, boundary=None, padded=False)
    assert_array_equal(parts[0][0], f)
    assert_allclose(np.concatenate([part[1] for part in parts]), t, rtol=1e-14)
    assert_allclose(np.concatenate([part[2] for part in parts], axis=-1), z, atol=1e-15)
    found = stream.welch(blocks(X, cuts), 10.0, nperseg=64, noverlap=noverlap)[1]
    assert_allclose(found, signal.welch(X, 10.0, nperseg=64, noverlap=noverlap)[1], rtol=1e-13)


@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize(("up", "down"), [(1, 2), (2, 1), (3, 2), (160, 147), (4, 4)])
def test_resampling(cuts, up, down):
    found = np.concatenate([*stream.resample_poly(blocks(X, cuts), up, down)], axis=-1)
    assert_allclose(found, signal.resample_poly(X, up, down, axis=-1), atol=1e-14)


def test_gradients_pass_through_the_state():
    def loss(run):
        return lambda b: np.sum(np.concatenate(run(b), axis=-1) ** 2)

    expected = grad(loss(lambda b: [signal.lfilter(b, A, X)]))(B)
    assert_allclose(
        grad(loss(lambda b: [*stream.lfilter(b, A, blocks(X, [300, 301]))]))(B),
        expected,
        rtol=1e-11,
    )


@pytest.mark.parametrize("option", [{"average": "median"}, {"axis": 0}])
def test_options_that_blocks_cannot_have(option):
    with pytest.raises(ValueError, match=str([*option])[1:-1]):
        stream.welch(blocks(X, [300]), **option)


def test_no_segment():
    with pytest.raises(ValueError, match="shorter than a segment"):
        stream.welch(blocks(X[:, :50], [20]))


@pytest.fixture(params=["threads", pytest.param("two processes", marks=pytest.mark.slow)])
def compute(request):
    """dask.compute by threads, or by a cluster of two processes."""
    dask = pytest.importorskip("dask", reason="dask is not installed")
    if request.param == "threads":
        yield lambda *lazy: dask.compute(*lazy, scheduler="threads")
        return
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        yield dask.compute


@pytest.mark.filterwarnings("default")  # what dask.distributed warns of is its own
def test_filters_of_dask_arrays(compute):
    da = pytest.importorskip("dask.array", reason="dask is not installed")
    x, state = da.from_array(X, chunks=(1, 300)), np.random.default_rng(1).normal(size=(2, 3))
    lazy = stream.lfilter(B, A, x), stream.sosfilt(SOS, x), stream.lfilter(B, A, x, state)
    whole = signal.lfilter(B, A, X), signal.sosfilt(SOS, X), signal.lfilter(B, A, X, zi=state)[0]
    for y, found, expected in zip(lazy, compute(*lazy), whole, strict=True):
        assert isinstance(y, da.Array)
        assert (y.shape, y.dtype) == (expected.shape, expected.dtype)
        assert_array_equal(found, expected)


@pytest.mark.filterwarnings("default")
def test_spectra_and_resampling_of_dask_arrays(compute):
    da = pytest.importorskip("dask.array", reason="dask is not installed")
    x, options = da.from_array(X, chunks=(1, 300)), {"nperseg": 64, "noverlap": 40}
    f, t, z = stream.stft(x, 10.0, **options)
    power, resampled = stream.welch(x, 10.0, **options)[1], stream.resample_poly(x, 3, 2)
    expected = signal.stft(X, 10.0, boundary=None, padded=False, **options)
    whole = expected[2], signal.welch(X, 10.0, **options)[1], signal.resample_poly(X, 3, 2, axis=-1)
    assert_array_equal(f, expected[0])
    assert_allclose(t, expected[1], rtol=1e-14)
    for y, found, right in zip(
        (z, power, resampled), compute(z, power, resampled), whole, strict=True
    ):
        assert isinstance(y, da.Array)
        assert (y.shape, y.dtype) == (right.shape, right.dtype)
        assert_allclose(found, right, rtol=1e-12, atol=1e-14)


def test_blocks_of_a_file(tmp_path):
    soundfile = pytest.importorskip("soundfile", reason="soundfile is not installed")
    with wave.open(str(tmp_path / "noise.wav"), "wb") as file:
        file.setparams((2, 2, 8000, 0, "NONE", ""))
        samples = np.round(5000 * X).astype("<i2")
        file.writeframes(samples.T.tobytes())
    blocks = (block.T for block in soundfile.blocks(tmp_path / "noise.wav", blocksize=300))
    found = np.concatenate([*stream.lfilter(B, A, blocks)], axis=-1)
    assert_array_equal(found, signal.lfilter(B, A, samples / 2**15))
