# The words of this project; everything happens inside .venv, which the first of them makes.
#
#   make demo       one call in detail and a 10 s load, with a daemon of its own
#   make test       every test, scaled to minutes       make test-full  the long sizes too
#   make check      format, lint, types, import rules   make run        the daemon, foreground
#   make setup      the environment, nothing else       make clean      remove all that is made

.DEFAULT_GOAL := demo
.PHONY: setup setup-dev demo test test-full check run clean

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
EXAMPLE := etc/examples/extension_dialing.json
FLOW := etc/examples/flows/extension_dialing.json
SCRIPTS := bin/tsvc bin/tsvcd bin/run_test
SOURCES := tsvc tests setup.py $(SCRIPTS)

# Vectors that are not part of this repository; tests that need them skip without.
VECTORS := $(wildcard ../shared/vectors)
ifneq ($(VECTORS),)
export TSVC_VECTORS ?= $(abspath $(VECTORS))
endif

setup: $(VENV)/.installed

setup-dev: $(VENV)/.installed-dev

demo: setup
	$(BIN)/python -m tsvc.cli.demo $(EXAMPLE) --flow $(FLOW)

test: setup-dev
	$(BIN)/python -m pytest -m "not slow" -rs

# The sizes that issues and docs state, where make test plays fewer.
test-full: export TSVC_MODEL_CALLS ?= 20000
test-full: export TSVC_KILLS ?= 20
test-full: setup-dev
	$(BIN)/python -m pytest -rs

check: setup-dev
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports

run: setup
	TSVC_SERVICE_STATE_DIR=build/state $(BIN)/tsvcd -c etc/tsvc.toml

clean:
	rm -rf $(VENV) build dist *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The first Python on the PATH that is new enough; PYTHON=... chooses another one.
$(VENV)/bin/python:
	@found="$(PYTHON)"; \
	for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	  if [ -z "$$found" ] && "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	  then found="$$name"; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "tsvc needs Python 3.11 or newer; on Debian: apt-get install python3 python3-venv" >&2; \
	  exit 1; \
	fi; \
	if ! "$$found" -c 'import venv, ensurepip' 2>/dev/null; then \
	  echo "$$found has no venv module; on Debian: apt-get install python3-venv" >&2; \
	  exit 1; \
	fi; \
	"$$found" -m venv $(VENV)

$(VENV)/.installed: requirements.txt setup.py | $(VENV)/bin/python
	$(PIP) install -r requirements.txt
	$(PIP) install --no-deps -e .
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.installed
	$(PIP) install -r requirements-dev.txt
	@touch $@
