"""Who imports whom, and what is loaded when."""

import ast
import subprocess
import sys
from importlib import import_module

import pytest
from parsed_sources import CORE, LIBRARY, ROOMS, ROOT, imports, parsed, part, report, shown

# What a part of the package may import of the others. Parts that are not named here (testing, demo)
# stand on top of all.
MAY_IMPORT = {
    CORE: set(),
    "numpy": {CORE},
    "fft": {CORE, "numpy"},
    "linalg": {CORE, "numpy"},
    "host": {CORE, "numpy"},
    "special": {CORE, "numpy", "host"},
    "sparse": {CORE, "numpy", "linalg"},
    "signal": {CORE, "numpy", "host", "fft", "linalg", "sparse", "special"},
    "optimize": {CORE, "numpy", "linalg"},
}


# The families of a room: each may import those before it.
FAMILIES = {
    "linalg": (
        "foundation",
        "structured",
        "systems",
        "eigenvalues",
        "singular_values",
        "schur_forms",
        "unitary",
        "functions",
        "equations",
        "manifolds",
    ),
    "signal": ("foundation", "filters", "forms", "design", "systems", "spectra"),
}


CORE_MAY_LOAD = {"numpy", "optree"} | set(sys.stdlib_module_names)


# The base of a class is SciPy's, or all functions run SciPy's.
LOADED_WHEN_ASKED_FOR = ("scigrad/signal/spectra/short_time_fft.py", "scigrad/optimize/")


NEVER_AT_MODULE_LEVEL = {"cupy", "cupyx", "numba", "dask", "torch", "jax"}


HEAVY = {
    f"scipy.{name}"
    for name in (
        "fft",
        "integrate",
        "interpolate",
        "linalg",
        "optimize",
        "signal",
        "sparse",
        "special",
        "stats",
    )
}


def starts_with(module: str, prefixes: set[str]) -> bool:
    return any(module == prefix or module.startswith(prefix + ".") for prefix in prefixes)


def test_imports_run_one_way():
    faults = []
    for path in LIBRARY:
        home = part(path)
        for line, module in imports(path, deep=True):
            names = module.split(".")
            if home not in MAY_IMPORT or names[0] != "scigrad" or len(names) < 2:
                continue
            other = names[1]
            if other not in MAY_IMPORT[home] | {home, "typing"}:
                faults.append(f"{shown(path)}:{line} imports {module}")
    report(
        faults, "rooms -> numpy -> autodiff_rules; sparse may use linalg, signal all other rooms:"
    )


@pytest.mark.parametrize("room", FAMILIES)
def test_families_import_one_way(room):
    families, faults = FAMILIES[room], []
    for path in LIBRARY:
        home = path.parent.name
        if part(path) != room or home not in families:
            continue
        for line, module in imports(path, deep=True):
            family = module.removeprefix(f"scigrad.{room}.").split(".")[0]
            if family in families and families.index(family) > families.index(home):
                faults.append(f"{shown(path)}:{line} imports {module}")
    report(faults, f"{room}: {' <- '.join(families)}:")


def test_the_core_knows_only_numpy_and_optree():
    faults = [
        f"{shown(path)}:{line} imports {module}"
        for path in LIBRARY
        if part(path) == CORE
        for line, module in imports(path, deep=False)
        if module.split(".")[0] not in CORE_MAY_LOAD | {"scigrad"}
    ]
    report(faults, "scigrad/autodiff_rules loads only NumPy, optree and the standard library:")


def test_nothing_heavy_is_imported_at_module_level():
    faults = [
        f"{shown(path)}:{line} imports {module}"
        for path in LIBRARY
        if not shown(path).startswith(LOADED_WHEN_ASKED_FOR)
        for line, module in imports(path, deep=False)
        # the demo is a program: it uses all that it imports
        if starts_with(
            module, NEVER_AT_MODULE_LEVEL if part(path) == "demo" else NEVER_AT_MODULE_LEVEL | HEAVY
        )
    ]
    report(faults, "import these inside the function that needs them, or ask `kernel(...)`:")


def loaded_by(statement: str, libraries: set[str]) -> list[str]:
    """Which modules of these libraries a fresh interpreter has loaded after a statement."""
    code = (
        f"import sys; {statement}; print(*{{'.'.join(name.split('.')[:2]) for name in "
        "sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return sorted(name for name in done.stdout.split() if name.split(".")[0] in libraries)


def test_importing_scigrad_loads_nothing_heavy():
    report(
        loaded_by("import scigrad", NEVER_AT_MODULE_LEVEL | {"scipy"}), "`import scigrad` loads:"
    )


def test_transforms_load_no_part_of_scipy():
    report(loaded_by("import scigrad; scigrad.grad", {"scipy"}), "`scigrad.grad` loads:")


def test_modules_that_are_loaded_late_have_the_names_that_are_asked_of_them():
    faults = [
        f"{shown(path)}:{node.lineno} {ast.unparse(node)}"
        for path in LIBRARY
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute)
        and ast.unparse(node.value).startswith("import_module('scigrad")
        and not hasattr(import_module(ast.literal_eval(node.value.args[0])), node.attr)
    ]
    report(faults, "no checker of types sees these names, which do not exist:")


def test_no_root_folder_shadows_a_module():
    taken = set(sys.stdlib_module_names) | {"numpy", "scipy", *ROOMS}
    faults = [
        path.name
        for path in ROOT.iterdir()
        if path.stem in taken
        and (path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py"))))
    ]
    report(
        faults,
        "an interpreter started in the repository would find these instead of the real modules:",
    )
