# One environment in .venv. A stamp per extra remembers what is installed; a changed pyproject.toml renews it.

PYTHON ?= python3
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
# -qq: errors only.
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --editable

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# The targets share one environment, which pip must not change twice at a time.
.NOTPARALLEL:
.PHONY: help run test check benchmark benchmark-smoke clean

help:
	@echo "make run         look at three models on one data set (examples/first_look.py)"
	@echo "make test        run the tests; ARGS goes to pytest"
	@echo "make check       lint, format, types, layers"
	@echo "make benchmark   measure the speed; ARGS goes to the benchmarks"
	@echo "make clean       remove the environment and everything generated"

run: $(VENV)/.run
	@$(BIN)/python examples/first_look.py

test: $(VENV)/.test
	@$(BIN)/python -m pytest $(ARGS)

check: $(VENV)/.dev
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

benchmark: $(VENV)/.run
	@$(BIN)/python -m benchmarks $(ARGS)

benchmark-smoke: $(VENV)/.run
	@$(BIN)/python -m benchmarks --smoke

clean:
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	rm -f first_look.parquet
	find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(BIN)/python:
	@$(PYTHON) -m venv $(VENV)

# dev contains test, which contains the package itself: the larger stamp sets the smaller ones.
$(VENV)/.run: pyproject.toml | $(BIN)/python
	@echo "Installing metricatlas into $(VENV) ..."
	@$(INSTALL) .
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	@echo "Installing metricatlas and what its tests need into $(VENV) ..."
	@$(INSTALL) ".[test]"
	@touch $(VENV)/.run $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "Installing metricatlas, what its tests need and the tools into $(VENV) ..."
	@$(INSTALL) ".[dev]"
	@touch $(VENV)/.run $(VENV)/.test $@
