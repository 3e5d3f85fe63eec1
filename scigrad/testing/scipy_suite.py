"""SciPy's own tests of a room, with our functions in SciPy's place: `python -m
scigrad.testing.scipy_suite linalg`.

The tests that SciPy installs run four times, each in a process of its own: as they are; with every
public function that we have under the same name put into `scipy.<room>`; with our functions and
classes handed to whatever a test module imports, where the first way leaves out classes and names
of SciPy's private modules; and with the functions called as a transform calls them, so that our own
rules and kernels answer and not SciPy behind a short cut. A test that SciPy passes and we fail is
named, with its message, in `docs/scipy_suite.md`, which `--write` renews. Exit status: 0 if none is
lost with plain arrays for which `REASONS` has no reason.

This module is the pytest plugin as well: `pytest -p scigrad.testing.scipy_suite --in-place-of-scipy
linalg --pyargs ...`.
"""

import argparse
import builtins
import functools
import importlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "scipy_suite.md"
# seconds for a test: one of special computes with mpmath for minutes, with SciPy's functions as
# with ours
TIME = 900
ROOMS = ("fft", "linalg", "signal", "sparse", "sparse.csgraph", "sparse.linalg", "special")
MEASURED = ("linalg", "fft")
WITHIN = {"signal": ("signal.windows",)}  # public modules of a room that are tested with it
# Tests of something else than the functions that stand in.
BESIDE = {
    "fft": {
        "test_backend::test_backend_call": (
            "how scipy.fft asks registered backends; ours are one: `set_backend(scigrad.fft)`"
        ),
        "test_backend::test_backend_plan": "the same",
        "test_basic::test_multiprocess": (
            "in new processes SciPy's functions are back; ours: tests/fft/test_bad_input.py"
        ),
    },
    "special": {
        "test_cdflib::test_nctdtrinc_gh19896": (
            "pins digits that are 1e-9 to 5e-4 off; ours is the root"
        ),
        "test_cython_special::test_cython_api[pbvv]": (
            "asks for SciPy's values at 10, where they are wrong by 10 to 1e260"
        ),
        "test_cython_special::test_cython_api[modfresnelm]": (
            "asks for SciPy's values at -10, whose imaginary part is wrong"
        ),
        "test_cython_special::test_cython_api[modfresnelp]": "the same",
    },
}
BESIDE["signal"] = {
    **dict.fromkeys(
        (f"test_filter_design.{name}::test_plot" for name in ("TestFreqs", "TestFreqz")),
        "recorded: stores the traced response that `plot` is called with",
    ),
    **dict.fromkeys(
        (
            f"test_spectral.TestCSD::test_{name}_32"
            for name in ("real_onesided_even", "real_onesided_odd", "real_twosided", "complex")
        ),
        "recorded: of a signal with itself, which becomes two arrays",
    ),
    **dict.fromkeys(
        (
            f"test_spectral.TestLombscargle::test_{name}_deprecation"
            for name in ("precenter", "positional_args")
        ),
        "an argument that SciPy has deprecated",
    ),
    "test_signaltools::test_choose_conv_method": "recorded: the result is a text",
    "test_bsplines.TestSepfir2d::test_sepfir2d_strided_3": (
        "SciPy expects it to fail: pins what a loop reads out of bounds"
    ),
}
BESIDE["sparse.csgraph"] = dict.fromkeys(
    (
        f"test_graph_laplacian::test_{name}"
        for name in ("sparse_formats", "symmetric_graph_laplacian")
    ),
    "recorded: copy=False, where the dense graph is not overwritten",
)
_DIGITS = (
    "last digits: traced arrays go another way, and the test wants the same bits, or 0 "
    "where there is rounding"
)
BESIDE["linalg"] = {
    "test_matfuncs.TestLogM::test_al_mohy_higham_2012_experiment_1_funm_log": (
        "asks that `expm(funm(A, log))` miss A; ours is A"
    ),
}
# Why a test is lost that is counted as lost; the others are listed with their message.
_HANDED = "imported: `args`, by which SciPy's operators keep what they are made of"
_COMPLEX = (
    "imported: a complex right side of real factors is solved, so that its size is what "
    "is wrong with it"
)
REASONS = {
    "linalg": {
        "test_decomp::test_gesdd_nan_error_message": (
            "`check_finite=False` lets NaN pass, as the check's message says"
        )
    },
    "sparse.linalg": {
        "test_linsolve.TestFactorized::test_call_with_cast_to_complex_without_umfpack": _COMPLEX,
        "test_linsolve.TestSplu::test_bad_inputs": _COMPLEX,
        "test_linsolve.TestSplu::test_lu_refcount": (
            "imported: whether the permutations refer to the factors"
        ),
        "test_interface.TestLinearOperator::test_matvec": _HANDED,
        "test_interface.TestAsLinearOperator::test_basic": _HANDED,
        "test_interface.TestAsLinearOperator::test_dot": (
            "imported: vmap of functions that multiply a numpy.matrix"
        ),
    },
    "signal": {
        **dict.fromkeys(
            (
                f"test_dltisys.TestTransferFunctionZConversion::test_{name}"
                for name in ("full", "numerator", "denominator")
            ),
            "imported: SciPy's own private functions, which the public ones do without",
        ),
        **dict.fromkeys(
            (f"test_waveforms.Test{name}Waveform::test_dtype" for name in ("Sawtooth", "Square")),
            "single precision stays single",
        ),
        "test_signaltools.TestDecimate::test_complex_fir_dlti": (
            "last digits: `decimate` and `upfirdn` add in different orders"
        ),
        **dict.fromkeys(
            (
                "test_filter_design.TestCheby2::test_fs_param",
                "test_filter_design.TestEllip::test_fs_param",
                "test_fir_filter_design.Testfirwin_2d::test_impulse_response",
                "test_signaltools.TestConvolve::test_convolve_method",
                *(
                    f"test_signaltools.TestConvolve2d::test_{name}"
                    for name in (
                        "boundary_extension_full",
                        "boundary_extension_same",
                        "same_with_boundary",
                    )
                ),
                *(
                    f"test_signaltools.TestCorrelateReal::test_rank3_{name}"
                    for name in ("all", "valid", "same")
                ),
                *(
                    f"test_spectral.TestSTFT::test_roundtrip_{name}"
                    for name in ("nola_not_cola", "scaling")
                ),
            ),
            _DIGITS,
        ),
        "test_signaltools.TestFFTConvolve::test_fft_nan": "no RuntimeWarning for NaN",
        "test_signaltools.TestOrderFilt::test_medfilt_order_filter": (
            "integers beside a recorded domain become floats"
        ),
        "test_spectral.TestSTFT::test_roundtrip_float32": (
            "single precision stays single, beside a class that computes in double"
        ),
    },
}
RUNS = {
    "SciPy": [],
    "ours": ["--in-place-of-scipy", "{room}"],
    "ours, imported": ["--in-place-of-scipy", "{room}", "--imported"],
    "ours, recorded": ["--in-place-of-scipy", "{room}", "--recorded"],
}

# -- the plugin


def pytest_addoption(parser: Any) -> None:
    parser.addoption(
        "--in-place-of-scipy",
        default=None,
        choices=ROOMS,
        help="the room whose functions stand in for SciPy's",
    )
    parser.addoption(
        "--recorded", action="store_true", help="call them on arrays that reverse mode records"
    )
    parser.addoption(
        "--imported", action="store_true", help="hand them to whatever a test module imports"
    )


def pytest_configure(config: Any) -> None:
    room = config.getoption("--in-place-of-scipy")
    if room and config.getoption("--imported"):
        builtins.__import__ = importing(room)
    elif room:
        put_in_place(
            room, recorded if config.getoption("--recorded") else lambda function: function
        )


def put_in_place(room: str, called: Callable[[Any], Any]) -> list[str]:
    """Put our functions into scipy.<room>, wrapped in `called`; return their names."""
    theirs, names, known = importlib.import_module(f"scipy.{room}"), [], _capabilities()
    for name, (here, there) in _pairs(room).items():
        if not isinstance(there, type):
            standing_in = _unless_scipy_asks(called(here), there)
            # pickle looks the function up by these names
            standing_in.__module__, standing_in.__qualname__ = theirs.__name__, name
            if there in known:
                known[standing_in] = known[there]
            setattr(theirs, name, standing_in)
            names.append(name)
    return names


class Proxy(ModuleType):
    """A module of SciPy's as its tests see it: what we have under a public name is ours, wherever
    SciPy defines it.
    """

    def __init__(self, module: ModuleType, ours: dict[int, Any]) -> None:
        object.__setattr__(self, "_proxied", (module, ours))

    def __getattribute__(self, name: str) -> Any:
        module, ours = object.__getattribute__(self, "_proxied")
        value = getattr(module, name)
        is_scipys = isinstance(value, ModuleType) and value.__name__.startswith("scipy.")
        return Proxy(value, ours) if is_scipys else ours.get(id(value), value)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(object.__getattribute__(self, "_proxied")[0], name, value)

    def __dir__(self) -> list[str]:
        return dir(object.__getattribute__(self, "_proxied")[0])


def importing(room: str) -> Callable[..., Any]:
    """Return an `__import__` that gives proxies to the test modules of SciPy, and to all others
    what they ask for.
    """
    ours, known, given = {}, _capabilities(), builtins.__import__
    for here, there in (
        pair for name in (room, *WITHIN.get(room, ())) for pair in _pairs(name).values()
    ):
        ours[id(there)] = here
        if not isinstance(there, type) and there in known:
            known[here] = known[there]

    def imported(name: str, globals: Any = None, *rest: Any, **options: Any) -> Any:
        module, asking = given(name, globals, *rest, **options), (globals or {}).get("__name__", "")
        is_test = asking.startswith("scipy.") and ".tests" in asking
        return (
            Proxy(module, ours)
            if is_test and module.__name__.partition(".")[0] == "scipy"
            else module
        )

    return imported


def _pairs(room: str) -> dict[str, tuple[Any, Any]]:
    """Return our function or class and SciPy's for each public name of a room for which they are
    two.
    """
    theirs, ours = (
        importlib.import_module(f"scipy.{room}"),
        importlib.import_module(f"scigrad.{room}"),
    )
    pairs = {name: (getattr(ours, name), getattr(theirs, name, None)) for name in ours.__all__}
    return {
        name: (here, there)
        for name, (here, there) in pairs.items()
        if callable(there) and here is not there
    }


def _capabilities() -> dict[Any, Any]:
    """Return SciPy's private table of functions and array libraries, by which its tests select what
    they run.
    """
    from scipy._lib import _array_api

    return getattr(_array_api, "xp_capabilities_table", {})


def _unless_scipy_asks(ours: Any, theirs: Any) -> Any:
    """Return our function for the tests, SciPy's for SciPy itself and for our own kernels, which
    call it by the same name.
    """

    @functools.wraps(
        theirs,
        (
            *functools.WRAPPER_ASSIGNMENTS,
            "nin",
            "nout",
            "nargs",
            "ntypes",
            "types",
            "identity",
            "signature",
        ),
    )
    def standing_in(*args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        inside = caller.startswith(("scipy.", "scigrad.")) and ".tests" not in caller
        return (theirs if inside else ours)(*args, **kwargs)

    if not isinstance(theirs, np.ufunc):
        return standing_in
    passing: Any = type("StandingIn", (), {
        "__class__": property(lambda self: np.ufunc),
        "__call__": staticmethod(standing_in),
        "__repr__": lambda self: repr(ours),
        "__reduce__": lambda self: theirs.__name__,  # found by its name, as a ufunc is
    })()  # fmt: skip
    # the tests select what is a ufunc
    passing.__dict__.update(vars(standing_in), __name__=theirs.__name__)
    return passing


def recorded(function: Any) -> Any:
    """Call the function on arrays that vjp records, and return its value; with options of ufuncs it
    is called as it is.
    """
    from scigrad import vjp

    @functools.wraps(function)
    def value(*args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        held = [type(x) is np.ndarray or hasattr(x, "tocsr") for x in given]
        places = [i for i, x in enumerate(given) if held[i] and x.dtype.char in "fdFD"]

        def of_arrays(*arrays: Any) -> Any:
            full = [*given]
            for place, array in zip(places, arrays, strict=True):
                full[place] = array
            return function(*full[: len(args)], **dict(zip(kwargs, full[len(args) :], strict=True)))

        plain = not places or not kwargs.keys().isdisjoint(("out", "dtype"))
        return (
            function(*args, **kwargs) if plain else vjp(of_arrays, *(given[i] for i in places))[0]
        )

    return value


# -- the comparison


def outcomes(room: str, options: list[str], workers: int) -> dict[str, tuple[str, str]]:
    """Return the outcome of each test of SciPy: passed, failed or skipped, and the first line of
    the reason.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "suite.xml"
        plugin = [
            "-p",
            "scigrad.testing.scipy_suite",
            *(option.format(room=room) for option in options),
        ]
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-n",
            str(workers),
            f"--timeout={TIME}",
            f"--junitxml={report}",
            *plugin,
            "--pyargs",
            f"scipy.{room}" + ("" if room == "sparse.linalg" else ".tests"),
        ]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if not report.exists():
            raise RuntimeError(f"pytest wrote no report:\n{(done.stdout + done.stderr)[-2000:]}")
        return dict(_outcome(case) for case in ElementTree.parse(report).iter("testcase"))


def _outcome(case: ElementTree.Element) -> tuple[str, tuple[str, str]]:
    name = f"{case.get('classname', '').rpartition('tests.')[2]}::{case.get('name')}"
    for element, outcome in (("failure", "failed"), ("error", "failed"), ("skipped", "skipped")):
        found = case.find(element)
        if found is not None:
            return name, (outcome, (found.get("message") or "").strip().partition("\n")[0][:160])
    return name, ("passed", "")


def lost(
    room: str, ours: dict[str, tuple[str, str]], theirs: dict[str, tuple[str, str]]
) -> dict[str, str]:
    """Return the tests that SciPy passes and we do not, with the reason."""
    beside = BESIDE.get(room, {})
    counted = (
        name for name in theirs if name not in beside and name.partition("[")[0] not in beside
    )
    passed = [name for name in counted if theirs[name][0] == "passed"]
    missing = ("failed", "the test did not run")
    return {
        name: ours.get(name, missing)[1]
        for name in passed
        if ours.get(name, missing)[0] != "passed"
    }


IMPORTED = (
    (
        '"imported": what a test module imports from SciPy is ours. "ours" puts functions into '
        "`scipy.<room>` under their names,"
    ),
    (
        "which leaves out classes, and what a test takes from a private module "
        "(`scipy.sparse.linalg._expm_multiply`): there SciPy's"
    ),
    "own answered. Here each object is found by its identity, wherever SciPy's tests get it from.",
)


def page(room: str, results: dict[str, dict[str, tuple[str, str]]]) -> str:
    """Return the comparison as Markdown."""
    versions = ", ".join(
        f"{name} {metadata.version(name)}" for name in ("scipy", "numpy", "pytest")
    )
    names = put_in_place(room, lambda function: function)
    lines = [
        f"# SciPy's tests of scipy.{room} with our functions in its place",
        "",
        (
            f"Written by `make scipy-suite`; {versions}. {len(names)} functions stand in: "
            f"{', '.join(names)}."
        ),
        "",
        (
            '"recorded": the same, called on arrays that reverse mode records, where no short cut '
            "leads to SciPy. There nothing"
        ),
        (
            "is overwritten, and one matrix and a batch go through different kernels: last digits "
            "in single precision and signs"
        ),
        "of eigenvectors differ, which some of these tests compare.",
        "",
        *IMPORTED,
        "",
        "| | passed | failed | skipped or expected to fail | lost: SciPy passes, we do not |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for run, found in results.items():
        count = [
            sum(outcome == kind for outcome, _ in found.values())
            for kind in ("passed", "failed", "skipped")
        ]
        lines.append(
            f"| {run} | {' | '.join(map(str, count))} | "
            f"{len(lost(room, found, results['SciPy']))} |"
        )
    for run, found in results.items():
        if gone := lost(room, found, results["SciPy"]):
            lines += ["", f"## Lost: {run}", "", *_by_test(gone, REASONS.get(room, {}))]
    if room in BESIDE:
        lines += [
            "",
            "## Not counted as lost",
            "",
            *(f"- `{test}`: {reason}" for test, reason in BESIDE[room].items()),
        ]
    return "\n".join(lines) + "\n"


def _by_test(gone: dict[str, str], known: dict[str, str]) -> list[str]:
    """Return one line for each test function: the number of its lost cases, and the reason, or the
    message of the first.
    """
    groups: dict[str, list[str]] = {}
    for name, reason in sorted(gone.items()):
        groups.setdefault(name.partition("[")[0], []).append(reason)
    return [
        f"- `{name}`, {len(reasons)}: {known.get(name, reasons[0])}"
        for name, reasons in groups.items()
    ]


def renewed(text: str, rooms: dict[str, str]) -> str:
    """Return the page with the sections of some rooms in place of older ones."""
    title = "# SciPy's tests of scipy."
    sections = {part.partition(" ")[0]: title + part.rstrip() for part in text.split(title)[1:]}
    sections |= {room: section.rstrip() for room, section in rooms.items()}
    return "\n\n".join(sections.values()) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m scigrad.testing.scipy_suite", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "rooms",
        nargs="*",
        metavar="room",
        help=f"one of {', '.join(ROOMS)} ({' and '.join(MEASURED)} if none)",
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true", help=f"renew {PAGE.relative_to(ROOT)}")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.rooms) - set(ROOMS):
        parser.error(f"no room called {', '.join(sorted(unknown))}")
    failed, sections = False, {}
    for room in chosen.rooms or MEASURED:
        results = {run: outcomes(room, options, chosen.workers) for run, options in RUNS.items()}
        sections[room] = page(room, results)
        print(sections[room])
        gone = [
            name
            for run in ("ours", "ours, imported")
            for name in lost(room, results[run], results["SciPy"])
        ]
        failed = failed or any(name.partition("[")[0] not in REASONS.get(room, {}) for name in gone)
    if chosen.write:
        PAGE.write_text(
            renewed(PAGE.read_text("utf-8") if PAGE.exists() else "", sections), "utf-8"
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
