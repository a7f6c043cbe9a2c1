# PYTHON       the interpreter that makes .venv, 3.11 or newer:  make test PYTHON=python3.12
# TORCH_INDEX  a further index for PyTorch. Without a GPU, its CPU build spares you several GB of CUDA:
#              make test TORCH_INDEX=https://download.pytorch.org/whl/cpu
# ARGS         further words for pytest:  make test ARGS="-k floors"

PYTHON ?= python3
TORCH_INDEX ?=
ARGS ?=

BIN := .venv/bin
# Without --no-compile pip compiles every file that it installs; few of them are ever imported.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --no-compile -c constraints.txt
EDITABLE := --config-settings editable_mode=compat

# Torch and OpenMP threads that wait for each other on a few shared cores cost far more than they give.
ONE_THREAD := OMP_NUM_THREADS=1 MKL_NUM_THREADS=1

# The tests start many processes; without bytecode on disk each would compile every file anew.
BYTECODE := PYTHONDONTWRITEBYTECODE=

PYTEST = $(BYTECODE) $(ONE_THREAD) $(BIN)/pytest -n 2 --dist worksteal

# Never the links theorems, verify and figures: their files are read under boundkit.
TYPED := boundkit tests
LINTED := $(TYPED) $(wildcard benchmarks) docs/pages.py docs/conf.py docs/_ext

.PHONY: help demo lecture gallery test test-all verify attack lint docs pages bench clean distclean
.DEFAULT_GOAL := help

help:
	@echo "make demo       verify a bound on a simulated federated run, and draw both"
	@echo "make lecture    write the lecture to out/lecture: a site that opens from disk"
	@echo "make gallery    draw every figure into out/gallery"
	@echo "make test       run the tests, less those that are marked slow"
	@echo "make test-all   run all tests: every theorem in every family, which takes far longer"
	@echo "make verify     verify every theorem on its default test problems, quickly"
	@echo "make attack     search for the worst instance of every theorem, and judge its mutants; resumes"
	@echo "make lint       check style and types"
	@echo "make docs       build the documentation in out/docs/html; a warning is an error"
	@echo "make pages      put the mutants that make attack judged into the record of the documentation"
	@echo "make bench      time the engines against named baselines"
	@echo "make clean      remove what runs and tools left behind"
	@echo "make distclean  the same, and .venv"
	@echo
	@echo "make demo and make verify need 325 MB in .venv and half a minute, all others 2 GB (5 GB with CUDA)"
	@echo "and 2 to 4 minutes."
	@echo "Each works alone on a fresh machine with Python 3.11 or newer (with venv), make and git."
	@echo "No GPU? TORCH_INDEX=https://download.pytorch.org/whl/cpu takes the small build of PyTorch."

demo: .venv/.demo
	$(BIN)/boundkit verify fedavg_nonconvex_partial examples/hundred_clients.json --engine step \
	    --replicas 100 --out out/demo --plot out/demo/bound_against_run.png

lecture: .venv/.ok
	$(BIN)/boundkit lecture out/lecture

gallery: .venv/.ok
	$(BIN)/boundkit figure --all --out out/gallery

verify: .venv/.demo
	$(ONE_THREAD) $(BIN)/boundkit verify --all --quick --out out/all > /dev/null

# Both end with 1 where something stands that should not: the second is wanted in any case.
attack: .venv/.ok
	$(ONE_THREAD) $(BIN)/boundkit attack search --all --out out/falsify; status=$$?; \
	    $(ONE_THREAD) $(BIN)/boundkit attack mutants --all --out out/mutants && exit $$status

docs: .venv/.ok
	$(ONE_THREAD) MPLBACKEND=Agg $(BIN)/sphinx-build -W --keep-going -n -q -j 2 -d out/docs/pages docs out/docs/html
	@echo "open out/docs/html/index.html"

test: .venv/.ok
	$(PYTEST) -m "not slow" $(ARGS)

test-all: .venv/.ok
	$(PYTEST) $(ARGS)

lint: .venv/.ok
	$(BIN)/ruff check $(LINTED)
	$(BIN)/ruff format --check $(LINTED)
	$(BIN)/mypy $(TYPED)

pages: .venv/.ok
	$(BIN)/python docs/pages.py out/mutants

bench: .venv/.ok
	$(ONE_THREAD) $(BIN)/python benchmarks/quadratic.py
	$(ONE_THREAD) $(BIN)/python benchmarks/algorithms.py
	$(ONE_THREAD) $(BIN)/python benchmarks/predict.py
	$(ONE_THREAD) $(BIN)/python benchmarks/network.py
	$(ONE_THREAD) $(BIN)/python benchmarks/falsify.py
	$(ONE_THREAD) $(BIN)/python benchmarks/scaling.py
	$(BIN)/python benchmarks/commands.py

clean:
	rm -rf out build dist *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find boundkit tests $(wildcard benchmarks) -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean
	rm -rf .venv

# Two stamps: .venv/.demo is what the demo needs, and .venv/.ok is that and what all other tasks need. A stamp
# is made last: the next make resumes an installation that stopped half-way.
.venv/.demo: pyproject.toml constraints.txt
	@command -v "$(PYTHON)" > /dev/null || \
	    { echo "boundkit needs Python 3.11 or newer, and $(PYTHON) is not here: name one with PYTHON=..." >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "boundkit needs Python 3.11 or newer, and $(PYTHON) is older: name a newer one with PYTHON=..." >&2; exit 1; }
	@rm -f $@
	"$(PYTHON)" -m venv .venv
	$(PIP) $(EDITABLE) -e '.[figures]'
	@touch $@

# Torch is installed first, so that its index serves torch and its dependencies, and nothing else.
.venv/.ok: .venv/.demo
	@rm -f $@
	$(PIP) 'pip>=25.1'  # the first that knows groups of dependencies
	$(PIP) $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) torch
	$(PIP) $(EDITABLE) -e '.[all]' --group dev
	@touch $@
