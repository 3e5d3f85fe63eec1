"""Transforms of Dask arrays: values, blocks, laziness, errors; by threads and by a cluster of two
processes.
"""

import numpy as np
import pytest
import scipy.fft

from scigrad import eval_shape, fft, grad, jvp, vmap

da = pytest.importorskip("dask.array", reason="dask is not installed")

RNG = np.random.default_rng(6)
CUBE = RNG.standard_normal((12, 10, 8))
SEVERAL = ("fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn", "dctn", "idctn", "dstn", "idstn")
TWO = ("fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2")
ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "idct", "dst", "idst")
CHUNKS = [(3, 4, 5), (12, 2, 8), (2, 10, 8), (12, 10, 8), (1, 1, 1)]


def check(name, x, chunks, *args, **kwargs):
    found = getattr(fft, name)(da.from_array(x, chunks=chunks), *args, **kwargs)
    assert isinstance(found, da.Array)
    truth = getattr(scipy.fft, name)(x, *args, **kwargs)
    assert (found.shape, found.dtype) == (truth.shape, truth.dtype)
    value = found.compute(scheduler="threads")
    assert (value.shape, value.dtype) == (truth.shape, truth.dtype)
    np.testing.assert_allclose(
        value,
        truth,
        rtol=0,
        atol=(1e-13 if x.dtype.itemsize > 8 - 1 else 1e-5) * np.abs(truth).max(),
    )


@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
@pytest.mark.parametrize("name", SEVERAL)
def test_several_axes(name, chunks):
    x = CUBE[:4, :3, :2] if chunks == (1, 1, 1) else CUBE  # a task for each block
    check(name, x, chunks)
    check(name, x, chunks, s=(7, 14), axes=(2, 0), norm="ortho")


@pytest.mark.parametrize("name", [*TWO, *ONE])
def test_two_axes_and_one(name):
    check(name, CUBE, (3, 4, 5))
    where = {"s": (5, 13), "axes": (0, 1)} if name in TWO else {"n": 7, "axis": 1}
    check(name, CUBE, (3, 4, 5), norm="forward", **where)


def test_options_types_and_precision():
    for type in (1, 3, 4):
        check("dctn", CUBE, (3, 4, 5), type, norm="ortho", orthogonalize=False)
        check("dst", CUBE, (3, 4, 5), type, norm="forward", orthogonalize=True, workers=2)
    check("fftn", CUBE.astype(np.float32), (3, 4, 5))
    check("dctn", CUBE.astype(np.float32), (3, 4, 5))
    check("fftn", CUBE + 1j, (3, 4, 5), axes=(0,))
    check("rfftn", np.arange(24).reshape(4, 6), (2, 3))
    check("irfftn", CUBE + 1j, (3, 4, 5), axes=(2, 0))


def test_nothing_is_computed_before_it_is_asked_for():
    def fail(block):
        raise RuntimeError("computed")

    x = da.zeros((8, 8), chunks=4).map_blocks(fail, dtype=float, meta=np.zeros((0, 0)))
    y = fft.fftn(x) * 2
    with pytest.raises(RuntimeError, match="computed"):
        y.compute(scheduler="synchronous")


def test_blocks_do_not_outgrow_those_of_the_array():
    x = da.zeros((256, 256, 256), chunks=64)
    for transform in (fft.fftn, fft.rfftn, fft.dctn):
        y = transform(x)
        assert np.prod([max(sizes) for sizes in y.chunks]) * y.dtype.itemsize <= 1.05 * 64**3 * 16
    slabs = fft.fftn(da.zeros((64, 64, 64), chunks=(4, 64, 64)))  # two axes at once, one rechunking
    assert slabs.numblocks[0] == 1
    line = fft.fft(da.zeros(1000, chunks=10))  # one line cannot be split
    assert line.numblocks == (1,)


def test_errors_are_scipy_s():
    x = da.zeros((4, 6), chunks=2)
    with pytest.raises(ValueError, match="axes and shape arguments have to be of the same length"):
        fft.fftn(x, (2, 2), (0,))
    with pytest.raises(ValueError, match="all axes must be unique"):
        fft.fftn(x, axes=(0, 0))
    with pytest.raises(ValueError, match="at least 1 axis"):
        fft.fftn(x, axes=())
    with pytest.raises(ValueError, match=r"exceeds dimensionality.*\(4, 6\)"):
        fft.fftn(x, axes=(0, 2))
    with pytest.raises(IndexError, match="out of range"):
        fft.fft(x, axis=2)
    with pytest.raises(ValueError, match=r"invalid number of data points \(0\)"):
        fft.fftn(x, (0, 3))
    with pytest.raises(ValueError, match="Invalid norm"):
        fft.fftn(x, norm="unit")
    with pytest.raises(ValueError, match="plan"):
        fft.fftn(x, plan=object())
    with pytest.raises(TypeError, match="rfftn: x must be real"):
        fft.rfftn(x + 1j)
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        fft.fft(x[x > 0])


def test_transforms_of_functions_take_no_dask_array():
    x = da.ones((4, 6), chunks=2)
    for use in (
        lambda: grad(lambda x: np.sum(np.abs(fft.fftn(x)) ** 2))(x),
        lambda: jvp(fft.fftn, (x,), (x,)),
        lambda: vmap(fft.fft)(x),
    ):
        with pytest.raises(
            TypeError,
            match=r"dask's Array cannot be combined with traced "
            r"values.*array.compute\(\).*ifftn\(g, norm='forward'\)",
        ):
            use()
    assert eval_shape(fft.rfftn, x).shape == (4, 4)
    # the adjoint is a transform of Dask arrays itself
    g = da.from_array(CUBE[0] + 1j, chunks=3)
    y = da.from_array(CUBE[1], chunks=4)
    left, right = (g.conj() * fft.fftn(y)).sum(), (fft.ifftn(g, norm="forward").conj() * y).sum()
    np.testing.assert_allclose(left.compute(), right.compute())


def test_shifts_are_lazy_and_non_uniform_transforms_refuse():
    x = da.from_array(CUBE, chunks=5)
    shifted = fft.fftshift(x, (0, 2))
    assert isinstance(shifted, da.Array)
    np.testing.assert_array_equal(shifted.compute(), scipy.fft.fftshift(CUBE, (0, 2)))
    for arrays in ((x[0, 0], CUBE[0, 0]), (CUBE[0, 0], x[0, 0])):
        with pytest.raises(TypeError, match=r"is a Dask array.*blocks of points"):
            fft.nufft1(*arrays, 4)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # what dask.distributed warns of is its own
def test_a_cluster_of_two_processes(cluster):
    x = da.from_array(CUBE, chunks=(3, 4, 5))
    for name in ("fftn", "ifftn", "rfftn", "irfftn", "dctn", "idstn"):
        found = cluster.compute(getattr(fft, name)(x)).result(timeout=120)
        np.testing.assert_allclose(found, getattr(scipy.fft, name)(CUBE), rtol=0, atol=1e-11)
    whole = cluster.persist(fft.fftn(x))
    whole.compute()
    assert cluster.holders(whole) == 2
    spectrum = fft.fftn(da.random.default_rng(0).standard_normal((128, 128, 128), chunks=64))
    energy = (abs(spectrum) ** 2).sum() / 128**3
    np.testing.assert_allclose(energy.compute(), 128**3, rtol=0.01)  # Parseval
