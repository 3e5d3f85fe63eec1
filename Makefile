# `make demo` and `make test` need nothing but Python >= 3.11 and this file: what they use is installed into .venv first, and
# again when pyproject.toml has changed. The demo installs its own packages alone; a test adds the rest, or all at once.

PYTHON ?= python3
WORKERS ?= 2
VENV := .venv
PEERS := .venv-peers
DRY := $(or $(CUPY_ON_CPU_VENV),.venv-cupy)
RUN := $(VENV)/bin/python
# Python compiles a module when it is first imported, which is a tenth of what is installed, and keeps it also where the
# environment forbids that: processes that tests start share it.
INSTALL := $(RUN) -m pip install --no-compile --editable
export PYTHONDONTWRITEBYTECODE :=
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1
PYTEST := $(ONE_THREAD) $(RUN) -m pytest

.PHONY: demo test test-all lint fix types check bench bench-peers scipy-suite gpu gpu-dry gpu-wheels docs clean

# One thread: SciPy's optimizer solves systems of 20 equations, for which BLAS would wake all its threads each time.
demo: $(VENV)/demo
	$(ONE_THREAD) $(RUN) -m scigrad demo

test: $(VENV)/installed
	$(PYTEST) -n $(WORKERS)

test-all: $(VENV)/installed
	$(PYTEST) -n $(WORKERS) -m ""

lint: $(VENV)/installed
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/codespell
	$(RUN) docs/check_docstrings.py

fix: $(VENV)/installed
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .
	$(RUN) docs/generate/contents.py

types: $(VENV)/installed
	$(VENV)/bin/pyright --pythonpath $(RUN)

# Pyright shares two cores with the tests, which would leave one idle while it runs by itself.
check: $(VENV)/installed
	$(MAKE) --no-print-directory -j3 lint types test

# With SciPy and NumPy alone. bench-peers keeps the samples and writes benchmarks/RESULTS.md, whole or for some subjects: ARGS="transforms".
bench: $(VENV)/installed
	$(RUN) -m benchmarks

bench-peers: $(PEERS)/installed
	$(PEERS)/bin/python -m benchmarks $(ARGS)

# SciPy's own tests with our functions in its place; writes docs/scipy_suite.md. Three runs a room, of half a minute each.
scipy-suite: $(VENV)/installed
	$(ONE_THREAD) $(RUN) -m scigrad.testing.scipy_suite --workers $(WORKERS) --write

# With the interpreter at hand if it has what is needed, with our own environment otherwise. Processes share the card, as many as
# half of the cores or as `make gpu ARGS="--workers 14"` says; ARGS="--budget 540" ends before 9 minutes are over, and the same
# command continues it. Where there is no GPU the program exits with 3; make shows that as "Error 3" and,
# as for every failed command, exits with 2 itself.
gpu:
	@if $(PYTHON) -c 'import cupy, optree, pytest, pytest_timeout, scipy' 2>/dev/null; then $(PYTHON) -m benchmarks.gpu $(ARGS); \
	else $(MAKE) --no-print-directory $(VENV)/installed && $(RUN) -m benchmarks.gpu $(ARGS); fi

# What a machine with CuPy, but without a network, may lack: `pip install --no-index --no-deps --target build/site .wheels/*.whl`
# there, and `PYTHONPATH=build/site:. python3 -m benchmarks.gpu`. GPU_PYTHON is its version.
GPU_PYTHON ?= 3.12
gpu-wheels:
	$(PYTHON) -m pip download --no-deps --only-binary=:all: --python-version $(GPU_PYTHON) --implementation cp --dest .wheels \
	    $(foreach tag,_2_28 _2_27 _2_17 2014 1,--platform manylinux$(tag)_x86_64) optree ducc0 pytest-timeout

# The laws with real CuPy on the CPU (tests/gpu_dry/README.md), or `make gpu-dry TESTS="tests/laws -k solve"`.
gpu-dry: $(DRY)/installed
	$(ONE_THREAD) PYTHONPATH=tests/gpu_dry:. $(DRY)/bin/python -m pytest -n $(WORKERS) -p cupy_on_cpu --backend cupy \
	    --timeout-method=signal $(or $(TESTS),tests/laws tests/gpu_dry)

docs: $(VENV)/installed
	mkdir -p build
	$(PYTEST) -n $(WORKERS) tests/laws -q --coverage-record build/coverage.json
	$(RUN) docs/generate/coverage.py build/coverage.json docs/coverage.md

clean:
	rm -rf build dist .pytest_cache .ruff_cache .hypothesis
	find scigrad tests benchmarks docs -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/demo: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) '.[demo]'
	touch $@

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) '.[test,demo]'
	touch $(VENV)/demo $@

$(DRY)/installed: pyproject.toml
	$(PYTHON) -m venv $(DRY)
	$(DRY)/bin/python -m pip install --editable '.[test,gpu-dry]'
	touch $@

$(PEERS)/installed: pyproject.toml
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install torch==2.13.0 jax jax-finufft finufft autograd pyfftw casadi pytensor --editable ".[fast]"
	-$(PEERS)/bin/python -m pip install mkl_fft mkl-service  # Intel's machines only, and not all of them
	touch $@
