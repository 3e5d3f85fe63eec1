"""Under a transform nobody waits for a factorization: what failed is raised at the end."""

import threading

import cupy
import cupy_on_cpu
import numpy as np
import pytest

from scigrad import GaugeError, grad, jit, linalg, value_and_grad, vmap

SINGULAR = cupy.asarray([[1.0, 2.0], [2.0, 4.0]])
REGULAR = cupy.asarray([[2.0, 1.0], [1.0, 3.0]])
ONES = cupy.ones(2)
WHERE = r"solve: argument 'a' of shape \(2, 2\) is singular"


def solved(a):
    return np.sum(linalg.solve(a, ONES))


def waits_of(call):
    call()
    before = cupy_on_cpu.counters()["synchronizations"]
    call()
    return cupy_on_cpu.counters()["synchronizations"] - before


@pytest.mark.parametrize(
    "call", [solved, grad(solved), value_and_grad(solved), grad(lambda a: grad(solved)(a)[0, 0])]
)
def test_a_singular_matrix_is_named(call):
    with pytest.raises(np.linalg.LinAlgError, match=WHERE):
        call(SINGULAR)
    call(REGULAR)  # nothing is left over


def test_the_place_in_a_batch_is_named():
    with pytest.raises(np.linalg.LinAlgError, match="at batch index"):
        vmap(grad(solved))(cupy.stack([REGULAR, SINGULAR]))


def test_the_public_function_is_named():
    factor = lambda a: np.sum(linalg.cho_factor(a)[0])  # noqa: E731
    with pytest.raises(np.linalg.LinAlgError, match=r"^cho_factor: .* not positive definite"):
        grad(factor)(-REGULAR)


def test_the_first_failure_is_raised():
    def loss(a):
        return np.sum(linalg.cholesky(a)) + solved(a)

    with pytest.raises(np.linalg.LinAlgError, match=r"^cholesky: "):
        grad(loss)(SINGULAR)


def test_many_solutions_are_one_wait():
    def loss(a):
        return sum(solved(a + i * ONES) for i in range(20))

    assert waits_of(lambda: grad(loss)(REGULAR)) == 1


def test_a_value_that_the_host_asks_for_is_no_result_of_a_failure():
    def loss(a):
        x = linalg.solve(a, ONES)
        return np.sum(linalg.lstsq(a, x)[0])  # looks at the rank

    with pytest.raises(np.linalg.LinAlgError, match=WHERE):
        grad(loss)(SINGULAR)


def test_a_failure_is_raised_in_the_place_of_what_follows_from_it():
    def loss(a):
        solved(a)
        raise ValueError("not finite")

    with pytest.raises(np.linalg.LinAlgError, match=WHERE) as caught:
        grad(loss)(SINGULAR)
    assert str(caught.value.__context__) == "not finite"
    with pytest.raises(ValueError, match="not finite"):
        grad(loss)(REGULAR)


def test_a_phase_is_refused():
    a = REGULAR + 1j * cupy.asarray([[0.0, 1.0], [-1.0, 0.0]])
    with pytest.raises(GaugeError, match="phase of eigenvector 0"):
        grad(lambda a: np.real(linalg.eigh(a)[1][1, 0] * (1 + 2j)))(a)


def test_more_checks_than_are_kept():
    def loss(a):
        return sum(solved(a if i == 3 else a + i * ONES * ONES) for i in range(100))

    with pytest.raises(np.linalg.LinAlgError, match=WHERE):
        grad(loss)(SINGULAR)


def test_another_stream():
    def loss(a):
        with cupy.cuda.Stream():
            return solved(a)

    with pytest.raises(np.linalg.LinAlgError, match=WHERE):
        grad(loss)(SINGULAR)


def test_threads_have_their_own():
    inside, ended, raised = threading.Event(), threading.Event(), []

    def loss(a):
        found = solved(a)
        inside.set()
        ended.wait(30)
        return found

    def other():
        try:
            grad(loss)(SINGULAR)
        except np.linalg.LinAlgError:
            raised.append(True)

    thread = threading.Thread(target=other)
    thread.start()
    inside.wait(30)
    assert np.isfinite(grad(solved)(REGULAR)).all()
    ended.set()
    thread.join()
    assert raised


def test_a_program_goes_on_by_itself_where_it_asks_for_info():

    def loss(a):
        factor, info = linalg.cholesky(a, lower=True, on_fail="info")
        shifted = linalg.cholesky(a + 10 * cupy.eye(2), lower=True)
        return np.sum(np.where(info == 0, factor, shifted))

    assert np.isfinite(grad(loss)(-REGULAR)).all()


@pytest.mark.parametrize("transform", [grad, lambda f: jit(grad(f))])
def test_the_derivative_of_a_logarithm_says_what_is_singular(transform):
    logarithm = lambda a: linalg.slogdet(a)[1]  # noqa: E731
    with pytest.raises(np.linalg.LinAlgError, match=r"^slogdet: the logarithm of .* singular: "):
        transform(logarithm)(SINGULAR)
    np.testing.assert_allclose(transform(logarithm)(REGULAR).get() * 5, [[3, -1], [-1, 2]])
