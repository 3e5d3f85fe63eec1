"""Systems of linear equations in programs of CuPy arrays: their values and derivatives are those of
NumPy's arrays, and they fail as eager calls do.
"""

import itertools
import threading

import numpy as np
import pytest

from scigrad import hessian, jit, linalg, value_and_grad, vmap
from scigrad.programs.device.flags import Flags
from scigrad.programs.program import Doubt
from scigrad.programs.tape import DifferentBranch
from scigrad.testing import assert_close, to_host

cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
pytestmark = pytest.mark.fills_arrays  # under check_writes functions run as they are

RNG = np.random.default_rng(0)
# orders in registers of a part of a warp, in a block's memory, and of the vendor's libraries
SHAPES = [(1,), (2,), (5,), (32,), (40,), (200,), (3, 4), (2, 3, 5), (3, 33)]
TOLERANCES = {"f": 2e-3, "F": 2e-3, "d": 1e-11, "D": 1e-11}


def draw(shape, dtype):
    x = RNG.standard_normal(shape)
    return (x + 1j * RNG.standard_normal(shape) if dtype in "FD" else x).astype(dtype)


def regular(shape, dtype):
    """Return matrices (..., n, n) that are far from singular, in an order that asks for pivots."""
    *batch, n = shape
    a = draw((*batch, n, n), dtype) / n**0.5 + 3 * np.eye(n)
    return np.roll(a, 1, axis=-2).astype(dtype)


def positive(shape, dtype):
    a = regular(shape, dtype)
    return (a @ a.conj().swapaxes(-1, -2) / 4).astype(dtype)


def size(x):
    return np.sum(np.abs(x) ** 2)


def cho_solution(a, b):
    return linalg.cho_solve(linalg.cho_factor(a, lower=True), b)


FUNCTIONS = {
    "solve": (lambda a, b: size(linalg.solve(a, b)), regular),
    "adjoint": (lambda a, b: size(linalg.solve(np.conjugate(a.mT), b)), regular),
    "inv": (lambda a, b: size(linalg.inv(a) @ b), regular),
    "cho_solve": (lambda a, b: size(cho_solution(a, b)), positive),
    "cholesky": (lambda a, b: size(linalg.cholesky(a) @ b), positive),
    "lower": (lambda a, b: size(linalg.solve_triangular(a, b, lower=True)), positive),
    "upper": (lambda a, b: size(linalg.solve_triangular(a, b, trans=2)), positive),
}


def check(function, args, others, rtol):
    """Compare a program at the recorded point and at another one with NumPy's arrays."""
    program = jit(value_and_grad(function, (0, 1)))
    for given in (args, others, args):
        found = to_host(program(*map(cupy.asarray, given)))
        assert_close(found, value_and_grad(function, (0, 1))(*given), rtol)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    ("dtype", "shape"),
    [("d", shape) for shape in SHAPES]
    + [(dtype, shape) for dtype in "fFD" for shape in [(5,), (200,), (3, 33)]],
    ids=str,
)
def test_values_and_gradients(dtype, shape, name):
    function, matrices = FUNCTIONS[name]
    args, others = (
        (matrices(shape, dtype), draw((*shape, 1 + shape[-1] % 3), dtype)) for _ in range(2)
    )
    check(function, args, others, TOLERANCES[dtype])


def test_vectors_complex_right_sides_and_shared_matrices():
    solve = FUNCTIONS["solve"][0]
    for a, b in [
        (regular((5,), "d"), draw((5,), "d")),
        (regular((5,), "d"), draw((5, 2), "D")),
        (regular((5,), "d"), draw((4, 5, 2), "d")),
        (regular((4, 5), "d"), draw((5, 2), "d")),
        (regular((4, 5), "f"), draw((5, 2), "d")),
    ]:
        check(solve, (a, b), (a + 0.1, b - 1), 1e-6)


def test_other_strides_at_the_second_call():
    function = FUNCTIONS["solve"][0]
    program = jit(value_and_grad(function, (0, 1)))
    a, b = regular((3, 40), "D"), draw((3, 40, 6), "D")
    expected = value_and_grad(function, (0, 1))(a, b)
    given = cupy.asarray(a), cupy.asarray(b)
    turned = [cupy.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2) for x in given]
    spread = [cupy.repeat(x, 2, axis=-1)[..., ::2] for x in given]
    for arguments in (given, turned, spread, [x[::-1][::-1] for x in given]):
        assert_close(to_host(program(*arguments)), expected, 1e-11)


@pytest.mark.parametrize("n", [4, 40])
def test_batches_and_second_derivatives(n):
    a, b = regular((n,), "d"), draw((3, n), "d")

    def loss(a, b):
        return np.sum(np.sin(linalg.solve(a, b)))

    batch = vmap(value_and_grad(loss, (0, 1)), in_axes=(None, 0))
    assert_close(to_host(jit(batch)(cupy.asarray(a), cupy.asarray(b))), batch(a, b), 1e-11)
    second = hessian(loss, 1)
    found = to_host(jit(second)(cupy.asarray(a), cupy.asarray(b[0])))
    assert_close(found, second(a, b[0]), 1e-10)


def singular(shape):
    a = regular(shape, "d")
    a[..., -1, :] = a[..., 0, :] = 0
    return a


FAILING = [
    (name, shape, singular if matrices is regular else lambda shape: -positive(shape, "d"))
    for (name, (_, matrices)), shape in itertools.product(
        FUNCTIONS.items(), [(4,), (40,), (200,), (3, 4), (3, 40)]
    )
    if name not in ("lower", "upper")
]
FAILING += [(name, shape, singular) for name in ("lower", "upper") for shape in [(4,), (200,)]]


@pytest.mark.parametrize(
    ("name", "shape", "failing"), FAILING, ids=[f"{name}{shape}" for name, shape, _ in FAILING]
)
def test_what_fails_raises_as_eager_calls_do(name, shape, failing):
    function, matrices = FUNCTIONS[name]
    gradient = value_and_grad(function, (0, 1))
    program, b = jit(gradient), cupy.asarray(draw((*shape, 2), "d"))
    good, bad = cupy.asarray(matrices(shape, "d")), cupy.asarray(failing(shape))
    expected = to_host(program(good, b))
    with pytest.raises(np.linalg.LinAlgError) as eager:
        gradient(bad, b)
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError) as raised:
            program(bad, b)
        assert str(raised.value) == str(eager.value)
        assert_close(to_host(program(good, b)), expected, 0)  # the flags are 0 again


@pytest.mark.parametrize("name", ["solve", "inv", "lower"])
@pytest.mark.parametrize("shape", [(4,), (40,), (200,)], ids=str)
def test_nan_passes_on_and_marks_all_of_a_solution(name, shape):
    function, matrices = FUNCTIONS[name]
    program = jit(lambda a, b: function(a, b))
    a, b = cupy.asarray(matrices(shape, "d")), cupy.asarray(draw((*shape, 2), "d"))
    assert np.isfinite(to_host(program(a, b)))
    a[1, 0] = np.nan
    assert np.isnan(to_host(program(a, b)))


@pytest.mark.parametrize("on_fail", ["nan", "info"])
@pytest.mark.parametrize("shape", [(3, 4), (3, 40)], ids=str)
def test_marks_of_single_matrices(shape, on_fail):
    a, b = regular(shape, "d"), draw((*shape, 2), "d")
    a[1] = singular(shape)[1]
    a[2, 0, 1] = np.nan
    found = to_host(
        jit(lambda a, b: linalg.solve(a, b, on_fail=on_fail))(*map(cupy.asarray, (a, b)))
    )
    x, info = found if on_fail == "info" else (found, None)
    assert_close(x[0], np.linalg.solve(a[0], b[0]), 1e-11)
    assert np.isnan(x[1:]).all()
    assert info is None or info.tolist() == [0, 1, -1]


def test_streams_and_threads_do_not_share_flags():
    program = jit(FUNCTIONS["solve"][0])
    good, bad = regular((5,), "d"), singular((5,))
    b = cupy.asarray(draw((5, 1), "d"))
    good, bad = cupy.asarray(good), cupy.asarray(bad)
    expected = float(program(good, b))
    cupy.cuda.Device().synchronize()
    outcomes = []

    def run(a, count):
        with cupy.cuda.Stream(non_blocking=True):
            for _ in range(count):
                try:
                    outcomes.append(float(program(a, b)) == expected)
                except np.linalg.LinAlgError:
                    outcomes.append(a is bad)

    threads = [threading.Thread(target=run, args=(a, 20)) for a in (good, bad, good)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 60
    assert all(outcomes)


def run_with(flags, *actions):
    with flags() as run:
        for act in actions:
            act(run)


def set_flag(place):
    def act(run):
        run.pointer()
        run.flags[place] = 1

    return act


def note(codes):
    return lambda run: run.note_failures(codes)


def fail(run):
    raise ZeroDivisionError


def test_flags_raise_once_and_are_reset():
    flags = Flags()
    for actions, error in [
        ([set_flag(0)], Doubt),
        ([set_flag(1)], DifferentBranch),
        ([set_flag(0), set_flag(1)], DifferentBranch),
        ([set_flag(0), fail], ZeroDivisionError),
        ([note(cupy.arange(3)[:2]), note(cupy.zeros(2, np.int64))], Doubt),
    ]:
        with pytest.raises(error):
            run_with(flags, *actions)
        run_with(flags, note(cupy.zeros(0, np.int64)), note(cupy.zeros((3, 2), bool).T))
