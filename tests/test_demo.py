"""The demonstration, on small sizes of its three problems: right gradients, misfit down to the
noise, a picture.
"""

import subprocess
import sys
from functools import partial

import numpy as np
import pytest

for name in ("matplotlib", "pywt", "PIL", "rich"):
    pytest.importorskip(name, reason="the demo's own dependencies: pip install 'scigrad[demo]'")

from scigrad import stop_gradient, value_and_grad  # noqa: E402
from scigrad.__main__ import main  # noqa: E402
from scigrad.demo import ecg_filter, groundwater, phase_retrieval  # noqa: E402
from scigrad.demo.descent import descend, gradient_check  # noqa: E402
from scigrad.sparse.linalg import factors  # noqa: E402
from scigrad.sparse.linalg.factors import superlu  # noqa: E402


def assert_solved(outcome, by_factor):
    first, last = outcome.descent.misfit[0], outcome.descent.misfit[-1]
    assert outcome.gradient_error < 1e-7
    assert last < 1.1 * outcome.noise_level
    assert first > by_factor * last
    with open(outcome.picture, "rb") as picture:
        assert picture.read(8) == b"\x89PNG\r\n\x1a\n"


def test_groundwater_finds_the_rock(tmp_path):
    outcome = groundwater.demonstrate(tmp_path, coarsening=8, wells_a_side=10)
    assert_solved(outcome, by_factor=50)
    site = groundwater.survey(coarsening=8, wells_a_side=10)
    found, truth = (
        groundwater.log_k_from(outcome.descent.x, site),
        groundwater.plausible_log_k(site),
    )
    assert np.corrcoef(found.ravel(), truth.ravel())[0, 1] > 0.75


def test_groundwater_factorizes_once_for_value_and_gradient(monkeypatch):
    site = groundwater.survey(coarsening=8, wells_a_side=10)
    loss = partial(groundwater.objective, site=site, measured=np.zeros(site.wells.size))
    weights = np.zeros([columns.shape[1] for columns in groundwater.bumps(site)])
    factorizations = []
    monkeypatch.setattr(
        factors,
        "superlu",
        lambda *given: factorizations.append(superlu(*given)) or factorizations[-1],
    )
    value_and_grad(loss)(weights)
    assert len(factorizations) == 1


def test_phase_retrieval_finds_the_photograph_up_to_one_phase(tmp_path):
    outcome = phase_retrieval.demonstrate(tmp_path, size=48)
    assert_solved(outcome, by_factor=100)
    truth = phase_retrieval.field_of(phase_retrieval.read_photograph(48))
    found = phase_retrieval.without_global_phase(outcome.descent.x, truth)
    assert np.linalg.norm(found - truth) < 0.04 * np.linalg.norm(truth)


def test_ecg_filter_puts_its_zeros_on_the_hum_and_stays_stable(tmp_path):
    outcome = ecg_filter.demonstrate(tmp_path)
    assert_solved(outcome, by_factor=30)
    cascade = ecg_filter.sections(outcome.descent.x)
    zeros = (
        np.sort([np.abs(np.angle(np.roots(section[:3])[0])) for section in cascade])
        * ecg_filter.RATE
        / (2 * np.pi)
    )
    np.testing.assert_allclose(zeros, [50.0, 150.0], atol=0.1)
    assert max(np.abs(np.roots(section[3:])).max() for section in cascade) < 1


def test_the_design_of_two_notches_finds_the_hum():
    clean = ecg_filter.read_heartbeat()
    loss = partial(
        ecg_filter.objective,
        heard=clean + ecg_filter.hum(clean.size),
        clean=clean,
        filter_of=ecg_filter.notches,
    )
    assert gradient_check(loss, ecg_filter.first_notches(), step=1e-4) < 1e-7
    descent = descend(
        loss, ecg_filter.first_notches(), steps=200, misfit=lambda _, value: np.sqrt(value)
    )
    frequencies, qualities = ecg_filter.notch_design(descent.x)
    np.testing.assert_allclose(frequencies, [50.0, 150.0], atol=0.02)
    assert (qualities > 20).all()
    assert descent.misfit[-1] < descent.misfit[0] / 20


def test_the_gradient_check_sees_a_forgotten_term_and_nan():
    def forgetful(x):
        return np.sum(x**2) + 0.001 * np.sum(stop_gradient(x) ** 3)

    x = np.linspace(-1.0, 2.0, 7)
    assert gradient_check(lambda x: np.sum(x**2) + 0.001 * np.sum(x**3), x) < 1e-10
    assert gradient_check(forgetful, x) > 1e-5
    assert np.isnan(gradient_check(lambda x: np.sum(x) * np.nan, x))


def test_info_names_versions_and_devices(capsys):
    assert main(["info"]) == 0
    shown = capsys.readouterr().out
    for word in ("scigrad", "Python", "numpy", "scipy", "optree", "CPU", "GPU"):
        assert word in shown


def test_the_command_line_loads_nothing_heavy():
    code = (
        "import sys, scigrad.__main__; print({'numpy', 'scipy', 'matplotlib', 'rich', "
        "'numba'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "set()"


def test_the_demo_names_what_is_missing(monkeypatch, capsys):
    monkeypatch.setattr("scigrad.__main__.installed", lambda name: name != "rich")
    assert main(["demo"]) == 2
    assert "scigrad[demo]" in capsys.readouterr().err


def test_an_unknown_problem_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["demo", "earthquakes"])
    assert "groundwater" in capsys.readouterr().err
