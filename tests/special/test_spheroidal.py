"""Spheroidal and Mathieu functions where SciPy's would end the process, and with the characteristic
value given.
"""

import numpy as np
import pytest
import scipy.special

from scigrad import MissingRule, grad, special

KINDS = ["pro_ang1", "obl_ang1", "pro_rad1", "obl_rad1", "pro_rad2", "obl_rad2"]


@pytest.mark.parametrize("name", KINDS)
def test_a_given_characteristic_value(name):
    plain, given = getattr(special, name), getattr(special, f"{name}_cv")
    c, x = 3.2, 0.35 if "ang" in name else 4.3
    cv = getattr(special, f"{name[:3]}_cv")(1, 2, c)
    np.testing.assert_array_equal(
        given(1, 2, c, cv, x), getattr(scipy.special, f"{name}_cv")(1, 2, c, cv, x)
    )
    for output in (0, 1):
        slope = grad(lambda x, i=output: given(1, 2, c, cv, x)[i])
        assert slope(x) == pytest.approx(
            grad(lambda x, i=output: plain(1, 2, c, x)[i])(x), rel=1e-10
        )
        assert grad(slope)(x) == pytest.approx(
            grad(grad(lambda x, i=output: plain(1, 2, c, x)[i]))(x), rel=1e-9
        )
    with pytest.raises(MissingRule, match="cv"):
        grad(lambda cv: given(1, 2, c, cv, x)[0])(cv)


@pytest.mark.parametrize(
    "name", [f"{kind}{end}" for kind in KINDS for end in ("", "_cv")] + ["pro_cv", "obl_cv"]
)
@pytest.mark.parametrize("c", [np.nan, np.inf, 1e150, -1e3, 97.0])
def test_coefficients_beyond_the_tables_of_scipy_are_nan(name, c):
    function = getattr(special, name)
    args = (
        (2, 5, c)
        if name in ("pro_cv", "obl_cv")
        else (2, 5, c, 30.0, 4.0)
        if name.endswith("cv")
        else (2, 5, c, 4.0)
    )
    for kind in (np.float64, np.float32):
        with np.errstate(all="ignore"):
            assert np.isnan(function(*args[:2], *map(kind, args[2:]))).all()


@pytest.mark.parametrize(
    "name", ["a", "b", "cem", "sem", "modcem1", "modcem2", "modsem1", "modsem2"]
)
@pytest.mark.parametrize("q", [np.nan, np.inf, -np.inf, 1e150])
def test_mathieu_functions_of_what_ends_the_process_are_nan(name, q):
    args = (2, q) if len(name) == 1 else (2, q, 0.5)
    assert np.isnan(getattr(special, f"mathieu_{name}")(*args)).all()
    assert np.isnan(getattr(special, f"mathieu_{name}")(np.nan, *args[1:])).all()
