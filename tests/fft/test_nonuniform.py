"""Non-uniform transforms beyond the laws: accuracy by engine, adjoints, periods, what is not
finite, calls of the engines.
"""

import importlib.util
import sys
import types
from pathlib import Path

import mpmath
import numpy as np
import pytest

from scigrad import MissingKernel, fft, grad, hvp, vjp, vmap
from scigrad.fft import nonuniform_engines as engines
from scigrad.fft.nonuniform_engines import Options
from scigrad.numpy import accelerators
from scigrad.testing import assert_close, gradcheck, load_specs
from scigrad.testing.device import DeviceArray, unwrap, wrap
from scigrad.testing.laws import LAWS

RNG = np.random.default_rng(4)
MODES = {1: (24,), 2: (7, 6), 3: (4, 3, 5)}
SPECS = {spec.name: spec for spec in load_specs(Path(__file__).parent.parent / "specs" / "fft")}


def installed(name):
    return pytest.param(
        getattr(engines, name),
        id=name,
        marks=pytest.mark.skipif(
            importlib.util.find_spec(name) is None, reason=f"{name} is not installed"
        ),
    )


ENGINES = [installed("ducc0"), installed("finufft")]


def ask(engine, monkeypatch):
    """Let one engine do it all, transforms that are summed without one, too."""
    monkeypatch.setattr(engines, "engine", lambda library: engine)
    monkeypatch.setattr(engines, "_few", lambda points, targets: False)


def normal(*shape):
    return RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)


def grid(modes):
    axes = np.meshgrid(*(np.arange(n) - n // 2 for n in modes), indexing="ij")
    return np.stack([k.ravel() for k in axes], axis=-1)


def exact(values, points, targets, isign):
    """sum_j values_j exp(i isign w_k . x_j) with 30 digits."""
    with mpmath.workdps(30):
        return np.array(
            [
                complex(
                    mpmath.fsum(
                        mpmath.mpc(complex(v))
                        * mpmath.expj(isign * mpmath.fdot(map(float, x), map(float, w)))
                        for v, x in zip(values, points, strict=True)
                    )
                )
                for w in targets
            ]
        )


def sums(kind, values, points, targets, options):
    """An engine by the definition, of array functions alone."""
    w = np.asarray(grid(options.modes).astype(points.dtype), like=points) if kind != 3 else targets
    waves = np.exp(1j * options.isign * (points @ w.T))
    return values @ (waves.T if kind == 2 else waves)


# -- accuracy


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("eps", [1e-6, 1e-12])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_error_is_eps(engine, eps, d, monkeypatch):
    ask(engine, monkeypatch)
    x, y, w, k = (
        RNG.uniform(-20, 20, (30, d)),
        RNG.uniform(-4, 4, (30, d)),
        RNG.uniform(-5, 5, (8, d)),
        grid(MODES[d]),
    )
    c, f, several = normal(30), normal(len(k)), 2 if engine is engines.ducc0 else 10
    for isign in (1, -1):
        for found, truth, scale in [
            (fft.nufft1(c, x, MODES[d], eps=eps, isign=isign).ravel(), exact(c, x, k, isign), c),
            (fft.nufft2(f.reshape(MODES[d]), x, eps=eps, isign=isign), exact(f, k, x, isign), f),
            (fft.nufft3(c, y, w, eps=eps, isign=isign), exact(c, y, w, isign), c),
        ]:
            assert np.linalg.norm(found - truth) / np.sqrt(
                len(truth)
            ) < several * eps * np.linalg.norm(scale)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_eps_out_of_reach_is_the_best_there_is(engine, monkeypatch, capfd):
    ask(engine, monkeypatch)
    for single in (False, True):
        x, c = RNG.uniform(-3, 3, (20, 2)), normal(20)
        x, c = (x.astype(np.float32), c.astype(np.complex64)) if single else (x, c)
        found, between = fft.nufft1(c, x, (5, 4), eps=1e-30), fft.nufft3(c, x, x, eps=1e-30)
        assert found.dtype == between.dtype == c.dtype
        truth, size = (
            sums(1, c, x.astype(float), None, Options((5, 4), 1, 0, 0, 1)),
            3e-6 if single else 3e-14,
        )
        np.testing.assert_allclose(found.ravel(), truth, rtol=0, atol=size * np.abs(c).sum())
        truth = sums(3, c, x.astype(float), x.astype(float), Options((), 1, 0, 0, 1))
        np.testing.assert_allclose(between, truth, rtol=0, atol=3 * size * np.abs(c).sum())
    assert capfd.readouterr() == ("", "")


def test_a_few_points_far_apart_are_summed():
    """The grid of an engine grows with the ranges: here to 10^14 points."""
    for d in (1, 2):
        x, w, c = RNG.uniform(-1e5, 1e5, (4, d)), RNG.uniform(-1e9, 1e9, (3, d)), normal(2, 4)
        found = fft.nufft3(c, x, w)
        # the product of doubles in the exponent is rounded
        for row, values in zip(found, c, strict=True):
            np.testing.assert_allclose(
                row, exact(values, x, w, 1), rtol=0, atol=1e-16 * 1e14 * d * 8
            )
        single = fft.nufft3(
            c.astype(np.complex64), (x / 1e3).astype(np.float32), (w / 1e6).astype(np.float32)
        )
        assert single.dtype == np.complex64
        truth = exact(
            c[0].astype(np.complex64), (x / 1e3).astype(np.float32), (w / 1e6).astype(np.float32), 1
        )
        np.testing.assert_allclose(single[0], truth, rtol=0, atol=1e-5)
    x, w, c = RNG.uniform(-3, 3, (2000, 1)), RNG.uniform(-5000, 5000, (3000, 1)), normal(2000)
    few = np.arange(0, 3000, 1000)
    found = fft.nufft3(c, x, w, eps=1e-12)  # by an engine
    np.testing.assert_allclose(
        found[few], fft.nufft3(c, x, w[few]), rtol=0, atol=1e-10 * np.abs(c).sum()
    )
    g, f = (
        vjp(lambda x: fft.nufft3(c[:5], x, w[:9]), x[:5])[1](normal(9))[0],
        fft.nufft3(c, x, w[:9]),
    )
    assert (g.shape, f.shape) == ((5, 1), (9,))


def test_equidistant_points_give_the_fast_fourier_transform():
    for n in (8, 9):
        x, c = 2 * np.pi * np.arange(n) / n, normal(n)
        np.testing.assert_allclose(
            fft.nufft1(c, x, n, isign=-1, modeord=1, eps=1e-13), fft.fft(c), rtol=0, atol=1e-12
        )
        np.testing.assert_allclose(
            fft.nufft1(c, x, n, isign=-1, eps=1e-13), fft.fftshift(fft.fft(c)), rtol=0, atol=1e-12
        )
        np.testing.assert_allclose(
            fft.nufft2(c, x, isign=1, modeord=1, eps=1e-13), n * fft.ifft(c), rtol=0, atol=1e-12
        )


@pytest.mark.parametrize("d", [1, 2, 3])
def test_types_1_and_2_are_adjoint_and_type_3_is_its_own(d):
    x, w, c, f, g = (
        RNG.uniform(-3, 3, (40, d)),
        RNG.uniform(-5, 5, (9, d)),
        normal(40),
        normal(*MODES[d]),
        normal(9),
    )
    for eps in (1e-6, 1e-12):
        left, right = (
            np.vdot(f, fft.nufft1(c, x, MODES[d], eps=eps)),
            np.vdot(fft.nufft2(f, x, eps=eps), c),
        )
        assert abs(left - right) < eps * np.linalg.norm(c) * np.linalg.norm(f) * np.sqrt(f.size)
        left, right = (
            np.vdot(g, fft.nufft3(c, x, w, eps=eps)),
            np.vdot(fft.nufft3(g, w, x, eps=eps, isign=-1), c),
        )
        assert abs(left - right) < eps * np.linalg.norm(c) * np.linalg.norm(g) * 10


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("dtype", "size"), [(np.complex64, 2.0**-100), (np.complex128, 2.0**-700)])
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("kind", [1, 2, 3])
def test_vectors_of_any_size_are_transformed_beside_ordinary_ones(
    engine, dtype, size, d, kind, monkeypatch
):
    ask(engine, monkeypatch)
    x, w = (RNG.uniform(-3, 3, (n, d)).astype(dtype(0).real.dtype) for n in (20, 9))
    values = normal(20 if kind != 2 else np.prod(MODES[d])).astype(dtype)
    run = {
        1: lambda v: fft.nufft1(v, x, MODES[d]),
        2: lambda v: fft.nufft2(v, x),
        3: lambda v: fft.nufft3(v, x, w),
    }[kind]
    shape = MODES[d] if kind == 2 else (20,)
    found = run(np.stack([values, values * size, values * 0]).reshape((3, *shape)))
    assert_close(found[0], found[1] / size, 1e-6)
    assert not np.any(found[2])


def test_points_have_the_period_of_the_waves():
    x, c = RNG.uniform(-np.pi, np.pi, (30, 2)), normal(30)
    far = x + 2 * np.pi * RNG.integers(-1000, 1000, (30, 2))
    for moved, tolerance in ((far, 1e-10), (x + 2e6 * np.pi, 1e-7)):
        np.testing.assert_allclose(
            fft.nufft1(c, moved, (8, 9), eps=1e-13),
            fft.nufft1(c, x, (8, 9), eps=1e-13),
            atol=tolerance,
        )
        f = normal(8, 9)
        np.testing.assert_allclose(
            fft.nufft2(f, moved, eps=1e-13), fft.nufft2(f, x, eps=1e-13), atol=tolerance
        )
    assert np.isfinite(fft.nufft1(c, x * 1e290, (8, 9))).all()


# -- derivatives


def fit(data):
    """The distance of a type 2 transform from data, of coefficients and points: what a trajectory
    is corrected by.
    """
    return lambda f, x: np.sum(np.abs(fft.nufft2(f, x, eps=1e-13) - data) ** 2)


def test_gradient_and_hessian_of_a_fit_in_coefficients_and_points():
    f, x, data = normal(5, 4), RNG.uniform(-3, 3, (6, 2)), normal(6)
    loss = fit(data)
    assert gradcheck(loss, f, x)
    t, h = RNG.standard_normal(x.shape), 1e-4
    slope = grad(loss, 1)
    found = hvp(lambda x: loss(f, x), (x,), (t,))[1]
    expected = (
        8 * (slope(f, x + h * t) - slope(f, x - h * t))
        - slope(f, x + 2 * h * t)
        + slope(f, x - 2 * h * t)
    ) / (12 * h)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())


def test_derivatives_in_outer_and_inner_points_of_type_3():
    for d in (3, 2):
        c, x, w = normal(4), RNG.standard_normal((4, d)), RNG.standard_normal((3, d))
        assert gradcheck(lambda c, x, w: np.abs(fft.nufft3(c, x, w, eps=1e-13)) ** 2, c, x, w)
    assert gradcheck(
        grad(lambda x, w: np.sum(np.abs(fft.nufft3(c, x, w, eps=1e-13)) ** 2), (0, 1)), x, w
    )


def test_cotangents_of_shared_points_are_summed_over_the_batch():
    c, x = normal(3, 5), RNG.standard_normal(5)
    g = vjp(lambda x: fft.nufft1(c, x, 4, eps=1e-13), x)[1](np.ones((3, 4)))[0]
    rows = [vjp(lambda x, c=c: fft.nufft1(c, x, 4, eps=1e-13), x)[1](np.ones(4))[0] for c in c]
    np.testing.assert_allclose(g, np.sum(rows, axis=0), atol=1e-11)


def test_vectors_at_the_same_points_are_one_call_and_so_is_a_gradient(monkeypatch):
    calls, own = [], engines.engine("numpy")
    monkeypatch.setattr(
        engines, "engine", lambda library: lambda *a: calls.append(a[1].shape) or own(*a)
    )
    c, x = normal(3, 5), RNG.standard_normal((5, 2))
    vmap(lambda c: fft.nufft1(c, x, (4, 4)))(c)
    assert calls == [(3, 5)]
    calls.clear()
    grad(lambda x: np.sum(np.abs(fft.nufft1(c[0], x, (4, 4))) ** 2))(x)
    assert calls == [(1, 5), (2, 16)]  # forward; both coordinates of i k g
    calls.clear()
    # two sets of points: two calls
    vmap(lambda c, x: fft.nufft1(c, x, 4), in_axes=(0, 1))(normal(2, 5), x)
    assert calls == [(1, 5), (1, 5)]


# -- what is not finite, and types


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_depends_on_a_number_that_is_not_finite_is_nan(engine, bad, monkeypatch):
    ask(engine, monkeypatch)
    x, c, w = RNG.standard_normal((5, 2)), normal(2, 5), RNG.standard_normal((3, 2))
    x[1, 0] = bad
    assert np.isnan(fft.nufft1(c, x, (3, 4))).all()
    assert np.isnan(fft.nufft3(c, x, w)).all()
    assert np.array_equal(np.isnan(fft.nufft2(normal(3, 4), x)), np.arange(5) == 1)
    assert np.array_equal(np.isnan(fft.nufft3(normal(3), w, x)), np.arange(5) == 1)
    c[0, 2] = bad
    assert np.array_equal(
        np.isnan(fft.nufft1(c, w[:, [0, 0]][[0, 1, 2, 0, 1]], (3, 4))).all(axis=(1, 2)),
        [True, False],
    )


def test_precision_follows_the_arrays():
    c, x = np.ones(3, np.float32), np.ones(3, np.float32)
    assert fft.nufft1(c, x, 4).dtype == fft.nufft1(c.astype(np.float16), x, 4).dtype == np.complex64
    assert (
        fft.nufft1(c, x.astype(float), 4).dtype
        == fft.nufft1(np.arange(3), x, 4).dtype
        == np.complex128
    )
    assert fft.nufft1([1, 2, 3], [0.1, 0.2, 0.3], 4).dtype == np.complex128
    with pytest.raises(TypeError, match="up to double precision"):
        fft.nufft1(c.astype(np.longdouble), x, 4)


# -- engines


def test_workers_are_scipy_s():
    with fft.set_workers(2):
        assert engines.threads(None) == 2
    assert engines.threads(None) == 1
    assert engines.threads(3) == 3
    assert engines.threads(-1) >= 1


def test_without_an_engine_the_ways_out_are_named(monkeypatch):
    monkeypatch.setattr(engines, "accelerator", lambda name: None)
    monkeypatch.setattr(engines, "why_not", lambda name: engines.ABSENT)
    with pytest.raises(MissingKernel, match="pip install ducc0 or finufft"):
        engines.engine.__wrapped__("numpy")
    with pytest.raises(MissingKernel, match="pip install cufinufft; or move the data"):
        engines.engine.__wrapped__("cupy")
    x = DeviceArray(np.ones(3))
    with pytest.raises(MissingKernel, match="none is known"):
        fft.nufft1(x, x, 4)


@pytest.mark.parametrize("name", ["fft.nufft1", "fft.nufft2", "fft.nufft3"])
@pytest.mark.parametrize("law", ["values", "adjoint"])
def test_rules_stay_on_the_device_that_has_an_engine(name, law, monkeypatch):
    def on_device(kind, values, points, targets, options):
        if options.modeord == 1:  # the sums are in the other order
            values = (
                wrap(shifted(unwrap(values), options.modes, np.fft.fftshift))
                if kind == 2
                else values
            )
        found = sums(kind, values, points, targets, options)
        return (
            wrap(shifted(unwrap(found), options.modes, np.fft.ifftshift))
            if (kind, options.modeord) == (1, 1)
            else found
        )

    monkeypatch.setattr(engines, "engine", lambda library: on_device)
    LAWS[law](SPECS[name], "device")


def shifted(f, modes, shift):
    return shift(f.reshape(-1, *modes), axes=range(1, len(modes) + 1)).reshape(f.shape)


@pytest.mark.skipif(
    importlib.util.find_spec("finufft") is None,
    reason="finufft is not installed: its interface is cuFINUFFT's",
)
def test_cufinufft_is_called_on_the_current_stream(monkeypatch):
    import finufft

    streams = []

    def plan(*args, gpu_stream, **options):
        streams.append(gpu_stream)
        return finufft.Plan(*args, **options)

    stream = types.SimpleNamespace(ptr=7)
    cupy = types.SimpleNamespace(cuda=types.SimpleNamespace(get_current_stream=lambda: stream))
    monkeypatch.setattr(accelerators, "_modules", {})  # whatever was asked for before
    monkeypatch.setattr(accelerators, "_reasons", {})
    monkeypatch.setitem(sys.modules, "cufinufft", types.SimpleNamespace(Plan=plan))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    x, w, options = (
        RNG.standard_normal((5, 3)),
        RNG.standard_normal((4, 3)),
        Options((3, 4, 2), 1, 1e-12, 1, None),
    )
    for kind, values, targets in (
        (1, normal(2, 5), None),
        (2, normal(2, 24), None),
        (3, normal(2, 5), w),
    ):
        found, truth = (
            f(kind, values, x, targets, options) for f in (engines.cufinufft, engines.ducc0)
        )
        np.testing.assert_allclose(found, truth, atol=1e-10)
    assert streams == [7, 7, 7]


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, np.float16])
def test_strengths_of_small_dtypes_spoil_no_derivative(kind):
    f, x = np.ones(300, kind), np.array([0.3, 2.0, 5.5])
    expected = grad(lambda x: np.sum(np.real(fft.nufft2(f.astype(float), x))))(x)
    assert_close(grad(lambda x: np.sum(np.real(fft.nufft2(f, x))))(x), expected, 1e-6)
