"""Doctests are collected from modules that Python has imported, not pytest.

With --import-mode=importlib pytest executes a module that is not in sys.modules itself, and then
makes it an attribute of its package. Where a package names a function as its module, as
scigrad.special.gamma is named, that replaces the function by the module, and what the first
execution declared by a second set. Which doctests fail then depends on what is collected first.
Once the package has been imported pytest finds the module and leaves both alone.
"""

import contextlib
from importlib import import_module
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).parent


def pytest_collect_file(file_path: Path) -> None:
    folders = file_path.parent.relative_to(ROOT).parts if ROOT in file_path.parents else ()
    if folders[:1] == ("scigrad",) and file_path.suffix == ".py":
        import_module(".".join(folders))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """A test, or the code that it runs, that writes into an array which a graph keeps fails at that
    line. As a fixture of 31,000 tests this would take pytest several seconds; so do reports that a
    test was set up and taken down, which say nothing where they passed.
    """
    from scigrad import check_writes

    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    with contextlib.nullcontext() if item.get_closest_marker("fills_arrays") else check_writes():
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    for report in reports:
        if report.when == "call" or not report.passed:
            hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
