"""Functions that no device library has are refused there, and computed on the host where the user
says so.
"""

import numpy as np
import pytest

import scigrad
from scigrad import MissingKernel, grad, jvp, linalg, on_host, special, vmap
from scigrad.testing import assert_close, device, make_array, to_host

N = 20
A = np.random.default_rng(0).standard_normal((N, N))
H = A + A.T


def loss(a):
    return (linalg.schur(a)[0] ** 2).sum()  # the Frobenius norm, whatever the form


@pytest.mark.parametrize(
    "call",
    [
        lambda a: linalg.schur(a),
        lambda a: linalg.qz(a, a),
        lambda a: linalg.ordqz(a, a),
        lambda a: linalg.ldl(a),
        lambda a: linalg.ldl_factor(a),
        lambda a: linalg.ldl_solve(a, a[0].astype("i"), a),
        lambda a: linalg.matrix_balance(a),
        lambda a: linalg.hessenberg(a),
        lambda a: linalg.qr(a, pivoting=True),
        lambda a: linalg.rsf2csf(a, a),
        lambda a: linalg.cossin(a, 1, 1),
    ],
)
@pytest.mark.parametrize("n", [2, N])
def test_what_no_device_library_has_is_refused_before_anything_is_launched(call, n):
    before = device.sync_count
    with pytest.raises(MissingKernel, match=r"no such function.*on_host\('linalg\."):
        call(make_array(H[:n, :n], "device"))
    assert device.sync_count == before


def test_values_and_derivatives_are_those_of_the_host():
    a = make_array(A, "device")
    with on_host("linalg.schur"):
        found = linalg.schur(a)
        gradient = grad(loss)(a)
        tangent = jvp(loss, (a,), (a,))[1]
        second = jvp(grad(loss), (a,), (a,))[1]
    for x in (*found, gradient, tangent, second):
        assert type(x) is device.DeviceArray
    assert_close(found, linalg.schur(A))
    assert_close(gradient, 2 * A)
    assert_close(tangent, 2 * (A**2).sum())
    assert_close(second, 2 * A, 1e-7)


def test_the_context_ends():
    a = make_array(A, "device")
    with on_host("linalg.schur"):
        linalg.schur(a)
    with pytest.raises(MissingKernel):
        linalg.schur(a)


def test_the_room_has_its_own_function_after_the_last_context():
    own = linalg.schur
    with on_host("linalg.schur"):
        with on_host("linalg.schur"):
            linalg.schur(make_array(A, "device"))
        linalg.schur(make_array(A, "device"))
    assert linalg.schur is own


def test_a_name_that_was_imported_before_is_told_to_be_called_by_its_room():
    from scigrad.linalg import schur

    with (
        on_host("linalg.schur"),
        pytest.raises(MissingKernel, match=r"calls by the room, linalg.schur\(\.\.\.\)"),
    ):
        schur(make_array(A, "device"))


def test_a_function_without_a_kernel_is_computed_there_too():
    x = make_array(np.array([0.5, 1.0]), "device")
    with pytest.raises(MissingKernel):
        special.wrightomega(x)
    with on_host("special.wrightomega", "linalg.schur"):
        found = special.wrightomega(x)
        slope = grad(lambda x: special.wrightomega(x).sum())(x)
        each = vmap(special.wrightomega)(x)
    expected = special.wrightomega(to_host(x))
    assert_close(found, expected)
    assert_close(slope, expected / (1 + expected))
    assert_close(each, expected)


def test_host_arrays_go_the_usual_way():
    with on_host("linalg.schur"):
        assert_close(linalg.schur(A)[0].shape, (N, N))


def test_an_unknown_name_is_an_error():
    with pytest.raises(AttributeError), on_host("linalg.shcur"):
        pass
    assert "on_host" in dir(scigrad)
