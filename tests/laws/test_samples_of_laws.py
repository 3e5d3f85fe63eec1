"""Which samples show a law: every option and every argument, in as few samples as say so."""

import dataclasses

import pytest

import scigrad.numpy as snp
from scigrad import stop_gradient
from scigrad.testing import OpSpec, laws
from scigrad.testing.cases import (
    alternating,
    arguments_alone,
    one_if_composed,
    one_of_each_call,
    shown_of_whole,
)


def names(spec, dtype=float):
    return [case.name for case in spec.cases(dtype, True)]


def test_second_order_of_a_composition_is_shown_where_it_calls_most():
    def composed(x, how):
        if how == "short":
            return snp.sin(x)
        inner = snp.cos(x) if how == "long" else stop_gradient(snp.cos(x))
        return snp.sin(x) * inner

    def of(*ways):
        samples = lambda draw: ((how, (draw.array(3), how), {}) for how in ways)  # noqa: E731
        return OpSpec(function=composed, samples=samples)

    for dtype in (float, complex):
        assert names(one_if_composed(of("short", "long", "short")), dtype) == ["long"]
    laws.second_order(of("short", "long", "short"), "numpy")
    with pytest.raises(AssertionError):
        laws.second_order(of("short", "wrong", "short"), "numpy")


def test_one_sample_of_each_call_has_every_option():
    def sums(draw):
        for n in (2, 3, 0):
            for axis in (0, 1):
                yield f"{n} {axis}", (draw.array(n, n), axis), {}
        yield "number", (draw.array()[()], 0), {}

    def add_up(x, axis):
        return snp.sum(x, axis) if snp.ndim(x) else snp.sin(x)

    add_up.__name__ = "sum"  # a function with a rule of its own, not a composition
    spec = OpSpec(function=add_up, samples=sums)
    assert names(one_of_each_call(spec)) == ["3 0", "3 1", "number"]
    composed = OpSpec(function=lambda x, axis: snp.sin(x) if axis else snp.cos(x), samples=sums)
    assert len(names(one_of_each_call(composed))) == 1


def test_numbers_are_other_samples_of_one_call():
    def some(draw):
        for name, shape in (("number", ()), ("vector", (3,)), ("matrix", (2, 2)), ("empty", (0,))):
            yield name, (draw.array(*shape)[()],), {}

    spec = OpSpec(function=snp.sin, samples=some)
    assert names(one_of_each_call(spec)) == ["matrix"]
    assert names(one_of_each_call(spec, numbers=True)) == ["number", "matrix"]


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_arguments_in_turns_are_all_shown(count):
    def three(draw):
        for name in range(count if not draw.is_complex else 0):
            yield str(name), (draw.array(2), draw.array(), draw.array(3)), {}

    spec = OpSpec(function=lambda *x: sum(map(snp.sum, x)), samples=three)
    alone = arguments_alone(dataclasses.replace(spec, whole=spec))
    shown = [list(alone(case.args)) for case in spec.cases(float)]
    assert {k for some in shown for k in some} == {0, 1, 2}
    assert sum(map(len, shown)) == max(count, 3)


def test_samples_are_known_among_all():
    def three(draw):
        yield from ((name, (draw.array(3),), {}) for name in "abc")

    half = alternating(OpSpec(function=snp.sin, samples=three))
    assert (names(half), names(half, complex)) == (["b"], ["a", "c"])
    assert list(shown_of_whole(half)) == [False, True, False, True, False, True]


@pytest.mark.parametrize("law", laws.LAWS)
def test_no_law_is_left_without_a_sample(law):
    def both(draw):
        yield "vector", (draw.array(3),), {}

    for function in (snp.sin, lambda x: snp.sin(x) + 1):
        spec = OpSpec(function=function, samples=both)
        chosen = laws.fewer_samples(spec)(law, "numpy")
        assert names(chosen) or names(chosen, complex)
