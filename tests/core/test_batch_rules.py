"""A batch rule ends in a call of a primitive, one level down: what it hands back is as traced as
what that call gives.
"""

import contextlib
import gc
import itertools
from pathlib import Path

import numpy as np

import scigrad
from scigrad import grad, linalg, stop_gradient, vjp, vmap
from scigrad.autodiff_rules.boxes import Recorded
from scigrad.autodiff_rules.containers import flatten, map_leaves, plan
from scigrad.autodiff_rules.primitive import Primitive
from scigrad.autodiff_rules.spaces import is_inexact, zeros
from scigrad.autodiff_rules.trace import innermost
from scigrad.testing import assert_close, load_specs
from scigrad.testing.laws import varying

SPECS = load_specs(Path(__file__).parent.parent / "specs")
X = np.array([0.3, 0.5, 0.7])
REFUSALS = (scigrad.MissingRule, scigrad.GaugeError, scigrad.TracedValueError)
# Not reached from the samples of the specs: these take integers, are constant, copy between
# devices, or are called at degenerate points only.
NOT_REACHED = {
    "assignment._last", "assignment._set_rows", "index_analysis.positions", "ties.sort_with_ties",
    "degenerate_eigenvalues.forward_only", "svd_rules._under_vmap",
    "qr_rules.mark_undetermined", "loops.call_library", "on_host._fetched", "on_host._sent",
}  # fmt: skip


def name(primitive):
    return f"{primitive.__module__.rpartition('.')[2]}.{primitive.__name__}"


def with_own_batch_rule():
    """All primitives of all rooms, inside of modules and closures, whose batch rule is written by
    hand: the others, declared by the axes of their kernel, call themselves.

    Calls that an error or a graph of another test keeps alive (OverLeaves) have no rule of their
    own.
    """
    assert all(
        hasattr(scigrad, room) for room in ("fft", "linalg", "numpy", "signal", "sparse", "special")
    )
    gc.unfreeze()  # what was there when the tests had been collected is hidden
    found = [
        x
        for x in gc.get_objects()
        if issubclass(type(x), Primitive)  # a weak reference would be asked for what it refers to
        and getattr(x, "batch_rule", None) is not None
        and x.__module__.startswith("scigrad")
    ]
    gc.freeze()
    by_axes = Primitive.over_leading.__qualname__, Primitive.batch_axis.__qualname__
    return [p for p in found if not getattr(p.batch_rule, "__qualname__", "").startswith(by_axes)]


def watched(primitive, rule, seen, wrong):
    """A batch rule that notes when a recording runs below it, and whether it hands back what is
    recorded.
    """

    def check(call, batched):
        result = rule(call, batched)
        values = [
            v for given in call[:-2] for v in (given if isinstance(given, tuple) else (given,))
        ]
        outs = [x for x in flatten(result[0])[0] if is_inexact(x)]
        boxes = plan(values).boxes
        if boxes and type(innermost(values, boxes)) is Recorded:
            seen.add(name(primitive))
            if outs and any(type(x) is Recorded for x in outs) is primitive.is_constant:
                wrong.add(name(primitive))
        return result

    return check


def with_cotangents(f):
    """f together with the pullback of ones, so that what rules call is reached too."""

    def both(*args):
        out, pullback = vjp(f, *args)
        return out, pullback(map_leaves(lambda y: zeros(y) + 1, out))

    return both


def first_samples_first():
    """Real samples, which reach every rule: the first of each spec, then the second, ..., as
    functions of what varies.
    """
    columns = ([(spec, case) for case in spec.cases(np.float64, gradient=True)] for spec in SPECS)
    for row in itertools.zip_longest(*columns):
        for spec, case in filter(None, row):
            f, x = varying(spec, case)
            if x:
                yield f, x


def test_every_batch_rule_hands_on_what_is_recorded_below(monkeypatch):
    seen, wrong = set(), set()
    own = with_own_batch_rule()
    assert {"fft", "linalg", "numpy", "sparse", "special"} <= {
        p.__module__.split(".")[1] for p in own
    }
    for p in own:
        monkeypatch.setattr(p, "batch_rule", watched(p, p.batch_rule, seen, wrong))
    vjp(vmap(lambda x: stop_gradient(x) * x), X)
    for f, x in first_samples_first():
        with contextlib.suppress(*REFUSALS):
            vjp(vmap(with_cotangents(f)), *(np.stack([v, v]) for v in x))
        if set(map(name, own)) - seen <= NOT_REACHED:
            break
    else:
        raise AssertionError(f"no sample reaches {set(map(name, own)) - seen - NOT_REACHED}")
    assert not wrong


def test_stop_gradient_under_vmap_under_grad():
    assert_close(grad(lambda x: np.sum(vmap(lambda t: stop_gradient(t) * t)(x)))(X), X)
    assert_close(grad(lambda x: np.sum(vmap(lambda t: t - stop_gradient(t))(x)))(X), np.ones(3))


def test_cossin_alone_under_vmap_under_grad():
    def turned(t):
        return np.block([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])

    def angles(t):
        return linalg.cossin(turned(t), 1, 1, True, compute_u=False, compute_vh=False)[1][0]

    assert_close(grad(lambda t: np.sum(vmap(angles)(t)))(X), np.ones(3))
    assert_close(vmap(grad(angles))(X), np.ones(3))
