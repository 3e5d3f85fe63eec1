"""Large arrays of the host in blocks: here small arrays are large, and blocks have few elements."""

import tracemalloc

import numpy as np
import pytest

from scigrad import jit, special, value_and_grad, vmap
from scigrad.programs import block_loop, blocks, parts
from scigrad.testing import assert_close

pytestmark = pytest.mark.fills_arrays  # under check_writes functions run as they are
RNG = np.random.default_rng(8)


@pytest.fixture
def small_blocks(monkeypatch):
    for module in (blocks, parts):
        monkeypatch.setattr(module, "LARGE", 20)
    monkeypatch.setattr(block_loop, "_MOST", 14)
    monkeypatch.setattr(block_loop, "_FEWEST", 1)


def loops_of(jitted, *args):
    """Return the names of loops over blocks."""
    return [name for name in jitted.report(*args).calls if name.startswith("blocks of")]


def run(jitted, x):
    """Return what the program of a function returns; a call would hide that it fails."""
    jitted(x)
    (signature,) = [one for one in jitted.signatures.values() if one.programs]
    return signature.programs[0]([x])  # an error here is one of the program


def standardized(x):
    return (x - np.mean(x, axis=-1, keepdims=True)) / np.std(x, axis=-1, keepdims=True)


FUNCTIONS = {
    "chain": lambda x: np.sum(np.sin(np.sin(x) * 1.1 + 0.5) * 1.1),
    "sums of products": lambda x: np.sum(x * np.exp(x)) + np.sum((x - np.mean(x)) ** 2),
    "all axes": lambda x: np.sum(special.softmax(x) ** 2) + special.logsumexp(2 * x),
    "rows": lambda x: np.sum(special.softmax(x, axis=-1) ** 2 * np.arange(x.shape[-1])),
    "rows without axis": lambda x: np.sum(special.logsumexp(x, axis=-1) ** 2),
    "columns": lambda x: np.sum(special.logsumexp(x, axis=0, keepdims=True) * np.sum(x**2, axis=0)),
    "standardized": lambda x: np.sum(standardized(x) ** 3),
    "largest": lambda x: np.sum(np.max(np.exp(x), axis=-1) * np.min(x * x)),
    "branches": lambda x: np.sum(np.where(np.abs(x) < 1, x * x / 2, np.abs(x) - 0.5)),
    "broadcast": lambda x: np.sum(np.tanh(x * np.arange(x.shape[-1]) + x[..., :1] + x[:1]) ** 2),
    "read again": lambda x: np.sum((x * 2 - np.sum(x * 2)) * np.sum(np.exp(x * 2) + x)),
    "complex": lambda x: np.sum(np.abs(np.exp(1j * x) + x) ** 2 * np.cos(x)),
    "constants": lambda x: np.sum(np.cos(x) ** 2 * np.linspace(1, 2, x.size).reshape(x.shape)),
    "conversions": lambda x: np.sum((x > 0).astype(np.float32) * x) * np.sum(x < 0.5),
}


@pytest.mark.parametrize("shape", [(30,), (9, 5), (2, 4, 7), (2, 30), (1, 1, 25)], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_programs_in_blocks(small_blocks, name, shape):
    f = value_and_grad(FUNCTIONS[name])
    for dtype, digits in ((float, 1e-13), (np.float32, 1e-5))[: 2 if shape == (9, 5) else 1]:
        program, x = jit(f), np.random.default_rng(8).normal(size=shape).astype(dtype)
        for point in (x, np.asfortranarray(2 * x)[::-1]):
            given = point.copy()
            found, expected = run(program, point), f(point)
            assert [y.dtype for y in found] == [y.dtype for y in expected]
            assert_close(found, expected, digits)
            assert (point == given).all()
        assert loops_of(program, x)


def test_batches_in_blocks(small_blocks):
    f = value_and_grad(lambda x: np.sum(special.softmax(x) ** 2) * special.logsumexp(x))
    x = RNG.normal(size=(4, 11))
    assert_close(jit(vmap(f))(x), vmap(f)(x), 1e-13)
    assert_close(vmap(jit(f))(x), vmap(f)(x), 1e-13)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("value", [-np.inf, np.inf, np.nan])
def test_infinite_elements_in_blocks(small_blocks, axis, value):
    def f(x):
        total, slope = value_and_grad(lambda x: np.sum(special.logsumexp(x, axis=axis)))(x)
        return total, slope, special.softmax(x, axis=axis)

    some, every = RNG.normal(size=(5, 6)), np.full((5, 6), value)
    some[1] = some[:, 2] = value
    with np.errstate(all="ignore"):
        for x in (some, every):
            assert_close(run(jit(f), x), f(x), 1e-14)


def test_small_terms_of_a_sum_keep_their_digits(small_blocks):
    x = np.full(50, -50.0)
    x[20] = 0.0
    program = jit(special.logsumexp)
    assert_close(program(x), special.logsumexp(x), 1e-14)
    assert 0 < program(x) < 1e-19


def test_results_are_of_their_own(small_blocks):
    def f(x):
        y = np.exp(x)
        z = y / np.sum(y)
        return z, z - np.sum(z * z), np.reshape(y, (5, 6))

    program, x = jit(f), RNG.normal(size=30)
    first = run(program, x)
    program(2 * x)
    assert_close(tuple(first), f(x), 1e-14)
    for i, y in enumerate(first):
        assert not any(np.shares_memory(y, other) for other in first[:i])


def test_views_of_blocks_are_not_overwritten(small_blocks):
    def f(x):
        y = np.exp(1j * x) ** 2
        real = np.real(y)
        length = np.abs(y + x)
        z = np.exp(1j * (x + 1))
        return z, real * length

    x = RNG.normal(size=30)
    assert_close(run(jit(f), x), f(x), 1e-14)


def test_arrays_with_views_are_not_overwritten(small_blocks):
    def f(x):
        y = np.exp(1j * x)
        x = x * np.abs(np.sum(y))
        real = np.real(y)
        z = np.exp(1j * x)
        return z, real * np.abs(z)

    x = RNG.normal(size=30)
    assert_close(run(jit(f), x), f(x), 1e-14)


def test_calls_that_use_all_rows(small_blocks):
    def f(x):
        y = np.exp(x)
        return y - np.sum(y, axis=1), y @ y + x

    x = RNG.normal(size=(5, 5))
    assert_close(run(jit(f), x), f(x), 1e-14)


def test_warnings_are_those_of_the_function(small_blocks):
    f = jit(lambda x: np.log(x) * 2 + np.sum(x))
    f(np.ones(40))
    with pytest.warns(RuntimeWarning, match="divide by zero") as warned:
        assert np.isneginf(f(np.zeros(40))).all()
    assert len(warned) == 1


def test_temporaries_are_blocks():
    f = jit(value_and_grad(lambda x: np.sum(special.softmax(np.tanh(x * 2) + x) ** 2)))
    x = RNG.normal(size=300_000)
    f(x)
    tracemalloc.start()
    try:
        f(x)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    report = f.report(x)
    assert report.bytes < 2 * x.nbytes
    assert peak < 3 * x.nbytes + report.bytes
