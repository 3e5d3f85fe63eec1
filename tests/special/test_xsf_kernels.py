"""The table of kernels from xsf: what it has a row for, and which loop is taken. What they compute:
tests/gpu_dry.
"""

import csv
import string
from pathlib import Path

import numpy as np
import pytest
import scipy.special

from scigrad import MissingKernel, special
from scigrad.special.machinery import xsf_kernels
from scigrad.special.machinery.ufuncs import Ufunc
from scigrad.testing import make_array
from scigrad.testing.cupy_table import MODULES

# Ufuncs of SciPy's that neither CuPy nor the headers in its wheel have: SciPy's are by Boost,
# cdflib, Carlson, newer headers; the header's hyp1f1 is wrong by many orders for large arguments.
NEITHER = {
    "bdtrik", "bdtrin", "btdtria", "btdtrib", "chdtriv", "chndtr", "chndtridf", "chndtrinc",
    "chndtrix", "elliprc", "elliprf", "elliprg", "elliprj", "fdtridfd", "hyp0f1", "hyp1f1",
    "it2struve0", "itmodstruve0", "itstruve0", "kolmogi", "kolmogorov", "modstruve", "nbdtrik",
    "nbdtrin", "ncfdtr", "ncfdtri", "ncfdtridfd", "ncfdtridfn", "ncfdtrinc", "nctdtr", "nctdtridf",
    "nctdtrinc", "nctdtrit", "pdtrik", "smirnov", "smirnovi", "stdtr", "stdtridf", "stdtrit",
    "struve", "wrightomega",
}  # fmt: skip


def test_every_ufunc_has_a_kernel_or_is_named_here():
    names = {
        name for name in dir(scipy.special) if isinstance(getattr(scipy.special, name), np.ufunc)
    }
    lacking = {name for name in names if name not in MODULES["cupyx.scipy.special"]}
    assert lacking == NEITHER
    assert {name for name in names if isinstance(getattr(special, name), Ufunc)} >= NEITHER


def test_rows_are_sorted_and_their_loops_are_those_of_scipy():
    table = xsf_kernels.rows()
    with (xsf_kernels._HERE / "xsf_kernels.csv").open(newline="") as file:
        names = [row["name"] for row in csv.DictReader(file)]
    assert names == sorted(names)
    for name, rows in table.items():
        theirs = getattr(getattr(scipy.special, name), "types", None)
        for row in rows:
            fields = {
                int(field)
                for _, field, _, _ in string.Formatter().parse(row.expression)
                if field is not None
            }
            for loop in row.loops:
                inputs, _, outputs = loop.partition("->")
                assert fields == set(range(len(inputs))), row
                assert all(f"out{i}" in row.expression for i in range(len(outputs))) == (
                    len(outputs) > 1
                )
                assert theirs is None or loop in theirs or loop.replace("l", "d") in theirs, (
                    name,
                    loop,
                )


@pytest.mark.parametrize(
    ("name", "kinds", "real_elsewhere", "loop"),
    [
        ("jv", "dd", False, "dd->d"), ("jv", "lf", False, "dd->d"), ("jv", "dF", False, "dD->D"),
        ("jv", "Dd", False, None), ("wofz", "d", False, "D->D"), ("erf", "d", True, None),
        ("erf", "F", True, "D->D"), ("expi", "i", True, "d->d"),
        ("eval_legendre", "ld", False, "ld->d"), ("eval_legendre", "lD", False, "lD->D"),
        ("eval_legendre", "dd", False, "dd->d"),
    ],
)  # fmt: skip
def test_the_first_loop_that_fits_is_taken(name, kinds, real_elsewhere, loop):
    found = xsf_kernels.loop_for(name, [np.dtype(kind) for kind in kinds], real_elsewhere)
    assert (found and found[1]) == loop


def test_the_compiler_is_told_to_be_quick_where_it_can():
    # NVRTC 12.8 takes it for an error
    for version, told in (((12, 8), False), ((12, 9), True), ((13, 0), True)):
        _, options = xsf_kernels.preamble(
            xsf_kernels.rows()["jv"][0], Path("include"), "14.2.0", version
        )
        assert ("-Ofc=min" in options) == told


def test_a_function_without_a_kernel_names_on_host():
    with pytest.raises(
        MissingKernel, match=r"special.bdtrik: .* has no such function.*with scigrad.on_host"
    ):
        special.bdtrik(make_array(np.array([0.4]), "device"), 5.0, 0.3)
