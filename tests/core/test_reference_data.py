"""The reference data is what its provenance says, and agrees with identities that did not make
it.
"""

import hashlib
import re

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.special

from scigrad.testing.reference import folder, load, subjects


def test_provenance_lists_every_file_with_its_checksum():
    page = (folder() / "PROVENANCE.md").read_text()
    rows = dict(re.findall(r"^\| `([^`]+\.npz)` \|.*`([0-9a-f]{64})` \|$", page, re.MULTILINE))
    assert {f"{subject}.npz" for subject in subjects()} == set(rows)
    for name, digest in rows.items():
        assert hashlib.sha256((folder() / name).read_bytes()).hexdigest() == digest, name
        assert (folder() / "generate" / name.replace(".npz", ".py")).exists()
    # A third of it are whole transforms of all lengths to 64: no shorter record tells one wrong
    # output from another.
    assert sum((folder() / name).stat().st_size for name in rows) < 500_000


@pytest.mark.parametrize(
    "subject",
    ["special/gamma", "special/error_functions", "special/bessel", "special/bessel_modified"],
)
def test_elementwise_records_agree_with_scipy(subject):
    for record in load(subject):
        kernel = getattr(scipy.special, record.function)
        with np.errstate(all="ignore"):
            actual = kernel(*record.arguments)
        scale = np.spacing(abs(record.value)) * np.maximum(record.ulp["float64"], 1)
        ordinary = np.isfinite(record.value) & np.isfinite(record.ulp["float64"])
        error = abs(actual[ordinary] - record.value[ordinary])
        # another build of SciPy may round otherwise
        assert (error <= 4 * scale[ordinary] + 1e-300).all(), record.label


def test_derivatives_satisfy_the_differential_equations():
    for record in load("special/bessel"):  # DLMF 10.2.1
        x, y, d, dd = *record.arguments, record.value, *record.first, *record.second
        order = int(record.function[1])
        moderate = abs(x) < 1e7
        residual = (x * x * dd + x * d + (x * x - order**2) * y)[moderate]
        assert (abs(residual) <= 1e-15 * (1 + x * x)[moderate]).all()
    for record in load("special/error_functions"):  # erf'' = -2 z erf', DLMF 7.10.1
        z, d, dd = *record.arguments, *record.first, *record.second
        np.testing.assert_allclose(dd, -2 * z * d, rtol=1e-14, atol=1e-300)
    # the recurrence psi'(x + 1) = psi'(x) - 1/x^2, by SciPy's polygamma
    for record in load("special/gamma"):
        if record.function == "digamma" and record.case == "real":
            x, d = record.arguments[0], record.first[0]
            positive = x > 0
            np.testing.assert_allclose(
                d[positive], scipy.special.polygamma(1, x[positive]), rtol=1e-13
            )


def test_limits_and_kinks():
    j1 = load("special/bessel", "j1")[0]
    assert (j1.value[0], j1.first[0][0], j1.second[0][0]) == (0.0, 0.5, 0.0)
    i0e, i1e = (load("special/bessel_modified", name)[0] for name in ("i0e", "i1e"))
    assert (i0e.arguments[0][0], i0e.value[0], i0e.first[0][0]) == (0.0, 1.0, 0.0)
    assert (i1e.value[0], i1e.first[0][0]) == (0.0, 0.5)
    assert np.isnan(i0e.second[0][0])


def test_array_records_agree_with_scipy():
    for record in load("fft/fourier"):
        actual = getattr(scipy.fft, record.function)(*record.arguments, **record.options)
        np.testing.assert_allclose(
            actual, record.value, rtol=0, atol=1e-14 * abs(record.value).max(), err_msg=record.label
        )
    for record in load("linalg/solve"):
        a, b = record.arguments
        bound = 1e-15 * (
            1
            + np.linalg.norm(a, np.inf)
            * np.linalg.norm(record.value, np.inf)
            / np.linalg.norm(b, np.inf)
        )
        assert np.linalg.norm(a @ record.value - b, np.inf) <= len(b) * bound * np.linalg.norm(
            b, np.inf
        ), record.label
    for record in load("linalg/eigen"):
        atol = 1e-14 * abs(record.value).max()
        found = scipy.linalg.eigvalsh(*record.arguments)
        np.testing.assert_allclose(found, record.value, rtol=0, atol=atol, err_msg=record.label)
    for record in load("special/logistic", "logsumexp"):
        softmax = record.first[0]
        assert softmax.shape == record.arguments[0].shape
        assert abs(softmax.sum() - 1) < 1e-15


def test_unknown_subject_names_the_known_ones():
    with pytest.raises(FileNotFoundError, match="special/bessel"):
        load("special/nonsense")
