"""Random compositions: of our functions, and of one whose rule is wrong."""

from pathlib import Path

import numpy as np
import pytest

from scigrad import differentiable, linalg, special, stop_gradient
from scigrad.programs import instructions
from scigrad.testing import fuzz, load_specs
from scigrad.testing.compositions import examples_of
from scigrad.testing.fuzzing import runs_of_programs

MATRIX = np.array([[2.0, 1.0], [0.5, 3.0]])
EXAMPLES = [
    (linalg.expm, (MATRIX,)),
    (linalg.solve, (MATRIX, np.ones(2))),
    (special.j0, (np.array([0.5, 2.0]),)),
]


def square(forward=1.0, reverse=1.0, second=False):
    """x^2 with a derivative that is wrong by a factor, or whose own derivative is lost."""
    square = differentiable("x", core={"x": 1})(lambda x: x * x)
    held = stop_gradient if second else (lambda x: x)
    square.jvp(lambda call, t: 2 * forward * held(call.x) * t.x)
    square.vjp(lambda call, g: {"x": 2 * reverse * held(call.x).conj() * g})
    return square, (np.array([1.0, 2.0]),)


def test_compositions_of_right_rules_pass():
    assert fuzz([*EXAMPLES, square()], count=30).passed == 60


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        ({"reverse": 2.0}, "modes"),
        ({"forward": 2.0, "reverse": 2.0}, "differences"),
        ({"second": True}, "second_order"),
    ],
)
def test_a_wrong_rule_is_found_and_the_composition_reduced(fault, check):
    with pytest.raises(AssertionError, match=f"fails the check of {check}") as raised:
        fuzz([*EXAMPLES, square(**fault)], count=60)
    assert "expm(" not in str(raised.value)
    assert " = <lambda>(" in str(raised.value)


def test_compositions_of_all_functions():
    specs = load_specs(Path(__file__).parent.parent / "specs")
    examples = [spec for spec in specs if spec.differentiable]
    assert len(examples_of(examples)) > 6000
    outcome = fuzz(examples, count=20, seed=5)
    assert outcome.passed > 35, outcome


@pytest.mark.fills_arrays  # under check_writes functions run as they are
def test_random_programs_are_what_jit_makes_of_them():
    found = [result for *_, result in runs_of_programs(range(12), seed=3)]
    assert found.count("passed") > 9, found


@pytest.mark.fills_arrays
def test_a_wrong_program_is_found_and_reduced(monkeypatch):
    machine_sine = instructions.emit_elementwise

    def wrong(program, name, *rest):
        return machine_sine(program, "cos" if name == "sin" else name, *rest)

    monkeypatch.setattr(instructions, "emit_elementwise", wrong)
    faults = [r for *_, r in runs_of_programs(range(6), seed=3) if isinstance(r, tuple)]
    assert faults
    assert all("sin" in str(f) and len(f.lines) < 5 for f, _ in faults)
