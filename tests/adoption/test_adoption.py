"""Packages that are adopted: what they compute with traced values; nothing else changes."""

import copy
import gc
import importlib.machinery
import pickle
import subprocess
import sys
import threading
from importlib import import_module, reload

import numpy as np
import pytest

import scigrad
from scigrad import TracedValueError, adopt, grad, jit, unadopt, vmap
from scigrad.testing import gradcheck

COLLECTING = """
    import math
    import numpy as np

    def collected(x):
        out = np.zeros(3)
        for i in range(3):
            out[i] = math.sin(i * x)
        return float(np.dot(np.array([x, 1.0, x]), out))
    """


def test_a_package_that_is_imported_later(write):
    write(later=COLLECTING)
    adopt("later")
    gradcheck(import_module("later").collected, 0.7)


def test_a_package_that_was_imported_before(write):
    write(before=COLLECTING)
    collected = import_module("before").collected
    with pytest.raises(TracedValueError):
        grad(collected)(0.7)
    adopt("before")
    gradcheck(collected, 0.7)


def test_after_it_all_is_as_before(write):
    write(restored=COLLECTING)
    module = import_module("restored")
    code, finders = module.collected.__code__, [*sys.meta_path]
    with adopt("restored"):
        assert module.collected.__code__ != code
    assert module.collected.__code__ == code
    assert sys.meta_path == finders
    with pytest.raises(TracedValueError):
        grad(module.collected)(0.7)
    adopt("restored")
    gradcheck(module.collected, 0.7)


def test_modules_that_were_imported_meanwhile_are_given_back(write):
    write(meanwhile=COLLECTING)
    with adopt("meanwhile"):
        module = import_module("meanwhile")
        gradcheck(module.collected, 0.7)
    with pytest.raises(TracedValueError):
        grad(module.collected)(0.7)
    assert "__scigrad" not in str(module.collected.__code__.co_names)


def test_adoptions_nest(write):
    write(nested=COLLECTING)
    with adopt("nested"):
        with adopt("nested"):
            pass
        gradcheck(import_module("nested").collected, 0.7)
    with pytest.raises(TracedValueError):
        grad(import_module("nested").collected)(0.7)


def test_within_a_transform(write):
    write(within=COLLECTING)

    def f(x):
        with adopt("within"):
            return import_module("within").collected(x)

    gradcheck(f, 0.7)


def test_all_transforms(write):
    write(transformed=COLLECTING)
    adopt("transformed")
    f, x = import_module("transformed").collected, np.array([0.2, 0.7])
    expected = [grad(f)(0.2), grad(f)(0.7)]
    np.testing.assert_allclose(vmap(grad(f))(x), expected)
    program = jit(grad(f))
    np.testing.assert_allclose([program(0.2), program(0.7)], expected)


def test_plain_calls_are_the_packages_own(write):
    write(plain=COLLECTING)
    f = import_module("plain").collected
    values = [f(x) for x in (0.1, 2, np.float32(3.0))]
    adopt("plain")
    again = [f(x) for x in (0.1, 2, np.float32(3.0))]
    assert values == again
    assert [*map(type, values)] == [*map(type, again)]


def test_a_part_of_a_package(write):
    write(
        halves__in____init__="",
        halves__in__one=COLLECTING,
        halves__in__other=COLLECTING,
    )
    adopt("halves.one")
    gradcheck(import_module("halves.one").collected, 0.7)
    with pytest.raises(TracedValueError):
        grad(import_module("halves.other").collected)(0.7)


def test_namespace_packages(write):
    write(spread__in__module=COLLECTING)
    adopt("spread")
    gradcheck(import_module("spread.module").collected, 0.7)


def test_threads(write):
    write(threads=COLLECTING)
    adopt("threads")
    f, found = import_module("threads").collected, {}

    def differentiate(x):
        found[x] = grad(f)(x)

    def compute(x):
        found[x] = [f(x) for _ in range(200)]

    expected = grad(f)(0.5), f(0.25)
    running = [
        threading.Thread(target=t, args=(x,)) for t, x in ((differentiate, 0.5), (compute, 0.25))
    ]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert found[0.5] == expected[0]
    assert set(found[0.25]) == {expected[1]}


def test_classes_and_pickles_are_the_same(write):
    write(
        classes="""
            import numpy as np

            class Model:
                def __init__(self, a):
                    self.a = np.array([a, 1.0])

                def __call__(self, x):
                    return np.array([x, 2.0]) @ self.a
            """
    )
    module = import_module("classes")
    kind, model = module.Model, module.Model(3.0)
    text = pickle.dumps(model)
    with adopt("classes"):
        assert module.Model is kind
        assert grad(model)(0.7) == 3.0
        assert isinstance(pickle.loads(text), kind)
        assert grad(lambda a: kind(a)(2.0))(3.0) == 2.0
        assert copy.deepcopy(model)(1.0) == model(1.0)
    assert pickle.dumps(model) == text


def test_classes_that_have_new_code_when_they_are_reloaded(write):
    folder = write(changing="def f(x):\n    return [x, x * x][0]\n")
    adopt("changing")
    module = import_module("changing")
    assert grad(module.f)(3.0) == 1.0
    (folder / "changing.py").write_text("def f(x):\n    return [x, x * x * x][1]\n")
    assert grad(reload(module).f)(3.0) == 27.0
    unadopt("changing")
    assert module.f(3.0) == 27.0
    assert "__scigrad__" not in module.f.__code__.co_names


def test_what_was_changed_since_its_import_is_left_alone(write):
    folder = write(edited="import math\n\ndef f(x):\n    return math.sin(x)\n")
    module = import_module("edited")
    (folder / "edited.py").write_text("import math\n\ndef f(x):\n    return math.cos(1.0 * x)\n")
    adopt("edited")
    assert module.f(0.0) == 0.0
    with pytest.raises(TracedValueError):
        grad(module.f)(0.7)


def test_what_has_no_source_or_is_not_there_is_refused(write):
    write(sourced=COLLECTING)
    with pytest.raises(ModuleNotFoundError, match="Did you mean 'colorsys'"):
        adopt("colorsis")
    with pytest.raises(ImportError, match="has no source"):
        adopt("_heapq")
    with pytest.raises(ValueError, match="stand in"):
        adopt("numpy")
    with pytest.raises(ValueError, match="implicit"):
        adopt("sourced", "scipy.optimize")
    with pytest.raises(TracedValueError):  # not the first of them either
        grad(import_module("sourced").collected)(0.7)


def test_other_packages_are_left_alone(write):
    write(asked=COLLECTING, unasked=COLLECTING)
    adopt("asked")
    assert "__scigrad__" not in import_module("unasked").collected.__code__.co_names
    assert type(import_module("unasked").__loader__) is importlib.machinery.SourceFileLoader


def test_functions_that_memory_was_frozen_with(write):
    write(frozen=COLLECTING)
    f = import_module("frozen").collected
    gc.freeze()
    try:
        adopt("frozen")
        gradcheck(f, 0.7)
    finally:
        gc.unfreeze()


def test_the_text_of_an_adoption_tells_what_was_replaced(write):
    write(told=COLLECTING)
    adoption = adopt("told")
    assert "nothing yet" not in str(adoption) or "told: 0 modules" in str(adoption)
    grad(import_module("told").collected)(0.7)
    assert "told: 1 module" in str(adoption)
    assert "math.sin" in str(adoption)
    assert "numpy.zeros" in str(adoption)


def test_bytecode_is_kept(write):
    folder = write(stored=COLLECTING)
    run = "import scigrad; scigrad.adopt('stored'); import stored; print(stored.collected(0.7))"
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", run], cwd=folder, capture_output=True, text=True, check=True,
            env={"PYTHONPATH": f"{scigrad.__path__[0]}/.."},
        )  # fmt: skip
        cached = [*(folder / "__pycache__").glob("stored.*.opt-scigrad*.pyc")]
        assert len(cached) == 1
        assert float(done.stdout) == import_module("stored").collected(0.7)
    damaged = cached[0].read_bytes()[:30]
    cached[0].write_bytes(damaged)
    adopt("stored")
    gradcheck(import_module("stored").collected, 0.7)


def test_writes_are_checked_meanwhile(write):
    write(
        filling="""
            import numpy as np

            def f(x, w):
                y = np.sum(w * x)
                w[:] = 2.0
                return y + np.sum(w * x)
            """
    )
    f = import_module("filling").f
    with adopt("filling"), pytest.raises(ValueError, match="read-only"):
        grad(f)(np.ones(3), np.ones(3))


@pytest.mark.fills_arrays
def test_writes_are_not_checked_if_not_asked_for(write):
    write(
        filling="""
            import numpy as np

            def f(x, w):
                y = np.sum(w * x)
                w[:] = 2.0
                return y
            """
    )
    with adopt("filling", check_writes=False):
        np.testing.assert_array_equal(
            grad(import_module("filling").f)(np.ones(3), np.ones(3)), np.ones(3)
        )
