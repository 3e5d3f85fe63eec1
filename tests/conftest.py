"""Options of the suite, random numbers that no other test changes, and the record of which law
passed (docs/coverage.md).
"""

import functools
import gc
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

# Records of functions, which tests/laws/test_laws.py imports.
collect_ignore = ["specs"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--backend",
        default="host",
        choices=("host", "cupy"),
        help="host: NumPy and the stand-in device; cupy: the laws on a GPU",
    )
    parser.addoption(
        "--coverage-record",
        default=None,
        help="write which law passed for which function to this JSON file",
    )
    parser.addoption(
        "--rooms", default="", help="the laws of these rooms alone, such as linalg,fft"
    )
    parser.addoption("--laws", default="", help="these laws alone, such as values,adjoint")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Compile the machine of `jit` before there are workers, each of which would take 17 s for it
    at the same time: they find it on the disk.
    """
    from scigrad.programs.machine import machine

    machine()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect without looking for garbage among the tests, which all stay: neither now nor while
    they run. What tests leave is looked for seldom, which saves a twentieth of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000)
        gc.enable()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "device" in metafunc.fixturenames:  # the backend of a test that is the same on all
        metafunc.parametrize(
            "device",
            ("numpy", "device") if metafunc.config.getoption("--backend") == "host" else ("cupy",),
        )


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Each test draws the same numbers, whatever ran before it in its process: the workers share
    the tests out anew each time.
    """
    for generator in _generators(getattr(item, "module", None)):
        seed = zlib.crc32(item.name.encode())
        generator.bit_generator.state = np.random.default_rng(seed).bit_generator.state


@functools.cache
def _generators(module: ModuleType | None) -> list[np.random.Generator]:
    names = vars(module) if module else {}
    return [x for x in names.values() if isinstance(x, np.random.Generator)]


@pytest.fixture
def cluster():
    """A client of Dask's with two processes, which counts those that hold a part of what it has
    computed.
    """
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as processes,
        distributed.Client(processes) as client,
    ):
        client.wait_for_workers(2, timeout=60)
        client.holders = lambda computed: len(
            {worker for workers in client.who_has(computed).values() for worker in workers}
        )
        yield client


def pytest_itemcollected(item: pytest.Item) -> None:
    """Have the report of a law say which it is."""
    if held := getattr(item, "callspec", None) and item.callspec.params.get("held"):
        item.user_properties.append(("law", f"{held.spec.name} {held.law} {held.backend}"))


_outcomes: dict[str, str] = {}
WORSE = ("skipped", "passed", "known failure", "failed")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Runs in the process that collects all workers' reports."""
    label = dict(report.user_properties).get("law")
    if label is not None and (report.when == "call" or report.outcome == "skipped"):
        outcome = "known failure" if hasattr(report, "wasxfail") else report.outcome
        # two specs may share a function
        _outcomes[label] = max(outcome, _outcomes.get(label, outcome), key=WORSE.index)


def pytest_sessionfinish(session: pytest.Session) -> None:
    target = session.config.getoption("--coverage-record")
    if target and not hasattr(session.config, "workerinput"):
        Path(target).write_text(json.dumps(dict(sorted(_outcomes.items())), indent=0) + "\n")
