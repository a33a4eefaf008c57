# make demo   build .venv and run the main job: simulate, judge, report
# make test   build .venv and run all tests; SELECT="-m public_data" runs those that need the public data sets
SHELL := /bin/bash
VENV ?= .venv
# The first Python that isn't the environment's own, which may be active while it is rebuilt, and that can make one.
# The system's comes first: it is built to be fast, one that pyenv builds is a fifth slower.
PYTHON ?= $(shell for p in {/usr/bin/,}python3.1{1,2,3} python3; do type -ap $$p; done | grep -v '/$(VENV)/' | \
    while read p; do $$p -c 'import ensurepip, venv' 2> /dev/null && echo $$p && break; done)
BIN := $(VENV)/bin
RUNS := $(VENV)/.runs
STAMP := $(VENV)/.built
# What is never imported is not compiled: that would take a quarter of the set-up.
PIP = $(BIN)/python -m pip install -qq --no-compile --disable-pip-version-check
# Where a CPU wheel of torch is to be had; empty: wherever pip looks by default.
TORCH_INDEX ?=
# Processes that share the tests: one more than two processors, for tests wait for servers and browsers as well.
WORKERS ?= 3
# Threads of a process wait for each other in loops: with all processors busy, a small matrix takes 60 times its processor time.
ONE_THREAD := ANTHROKIT_THREADS=1 OMP_NUM_THREADS=1
# Further arguments of pytest for make test.
SELECT ?=
NOTEBOOKS := $(shell find nbs -name '*.ipynb' -not -path '*/.ipynb_checkpoints/*' -not -path '*/_*')
export PYTHONWARNINGS := ignore::DeprecationWarning
export GOMP_SPINCOUNT ?= 0
# Each module is compiled once, when it is first imported, even where the environment turns that off.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-fast lint notebooks outputs readme figures pictures docs clean

demo: $(RUNS)
	$(BIN)/anthrokit demo

test: $(STAMP)
	$(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(SELECT)

# Unit tests and notebooks.
test-fast: $(STAMP)
	$(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not slow" $(SELECT) \
	    tests/unit tests/test_frozen.py tests/test_notebooks.py

# .venv is made again whenever its sources change: first what anthrokit runs with, then the tools, the
# embedded models and oTree's environment, so that no test needs the network. Every file is checked against the hashes in
# the lock files (.ci/lock writes them), but for torch's, whose wheel depends on the machine.
$(RUNS): requirements.lock requirements-run.lock settings.ini setup.py
	@test -n "$(PYTHON)" || { echo "anthrokit needs Python 3.11 or newer"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "anthrokit needs Python 3.11 or newer; $(PYTHON) is older (make PYTHON=...)"; exit 1; }
	@echo "Setting up $(VENV), once: one to two minutes"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --upgrade pip
	@$(PIP) --no-deps --require-hashes -r requirements-run.lock
	@$(PIP) $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) "$$(sed -n 's/^# \(torch==\)/\1/p' requirements-run.lock)"
	@PYTHONWARNINGS=ignore $(PIP) --no-deps --no-build-isolation --editable .
	@touch $(RUNS)

$(STAMP): $(RUNS)
	@$(PIP) --no-deps --require-hashes -r requirements.lock
	@$(BIN)/python -c "from anthrokit.models.embedded import fetch_model; from anthrokit.study.server import otree_python; \
	    fetch_model('smollm2-135m-instruct'), fetch_model('all-minilm-l6-v2'), otree_python()" > /dev/null
	@touch $(STAMP)

# The module files from the notebooks, the notebooks clean, the tutorials' pictures, the README from its notebook.
notebooks: $(STAMP)
	$(BIN)/nbdev_export
	$(BIN)/python docs/subpackages.py
	$(BIN)/nbdev_clean
	$(BIN)/python docs/opening.py
	$(MAKE) readme

# Run notebooks and save their outputs; by default all but the papers'.
outputs: $(STAMP)
	$(BIN)/python docs/outputs.py $(NOTEBOOKS)
	$(BIN)/nbdev_clean

readme: $(STAMP)
	$(BIN)/jupyter nbconvert --log-level=ERROR --to markdown --output-dir . --output README.md nbs/index.ipynb
	sed -i -E 's#\]\(([0-9a-z_/]+\.ipynb)#](nbs/\1#g; s#\]\(\.\./#](#g' README.md

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports --no-cache

figures: $(STAMP)
	for notebook in nbs/papers/*.ipynb; do $(BIN)/jupyter nbconvert --log-level=ERROR --to notebook --execute --stdout $$notebook > /dev/null || exit 1; done

# The pictures of the panels, from a real browser.
pictures: $(STAMP)
	ANTHROKIT_SCREENSHOTS=$(CURDIR)/figures/panels $(BIN)/python -m pytest tests/browser/test_panels.py -k pictures

# The documentation site in _docs, without any other program; `quarto render` builds it too.
docs: $(STAMP)
	$(BIN)/smalldocs check .
	$(BIN)/smalldocs render --quiet --strict .

clean:
	rm -rf $(VENV) build dist *.egg-info _proc _docs chapters index.ipynb .pytest_cache .ruff_cache
