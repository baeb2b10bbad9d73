# Everything runs in the checkout's own virtual environment. GNU make 3.81 (macOS) is enough.

# Least branch coverage, in percent.
COVERAGE_CORE := 100
COVERAGE_PLAN := 100
COVERAGE_ALL := 90

# Test processes that run side by side.
WORKERS ?= 2

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PACKAGES := runtime planner
TYPED := $(wildcard runtime planner tests benchmarks)
PYTEST := $(BIN)/python -m pytest --quiet --numprocesses $(WORKERS)

# $(call step,NAME,COMMAND): quiet if it passes; its output and its name if it fails.
step = @printf '== %s\n' '$(1)'; output=$$($(2) 2>&1) || \
	{ printf '%s\n\nFAILED: %s\n' "$$output" '$(1)' >&2; exit 1; }
# $(call watch,NAME,COMMAND): the same for long commands, whose output is shown as it comes.
watch = @printf '== %s\n' '$(1)'; $(2) || { printf '\nFAILED: %s\n' '$(1)' >&2; exit 1; }

.DEFAULT_GOAL := help
.PHONY: help setup demo test check fix properties bench clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

setup: $(STAMP) ## Make the virtual environment and install everything in it

$(STAMP): pyproject.toml .ci/setup
	@./.ci/setup $(VENV)
	@touch $@

demo: $(STAMP) ## Run the market brief offline; ASK=1 asks you its question
	@$(BIN)/turntree run scenarios/market_brief.yaml --offline $(if $(filter 1,$(ASK)),--ask)

test: check ## Run the whole gate: check, tests, docs, coverage
	@rm -f .coverage .coverage.*
	$(call watch,tests,$(PYTEST) --cov --cov-report=)
	$(call step,coverage of runtime/core,$(call coverage,runtime/core/*,$(COVERAGE_CORE)))
	$(call step,coverage of planner/plan,$(call coverage,planner/plan/*,$(COVERAGE_PLAN)))
	$(call step,coverage of everything,$(BIN)/coverage report --fail-under=$(COVERAGE_ALL))
	@echo '== all passed'

coverage = $(BIN)/coverage report --include="$(1)" --fail-under=$(2)

check: $(STAMP) ## Run the static part of the gate: format, lint, types, floors
	$(call step,format,$(BIN)/ruff format --check .)
	$(call step,lint,$(BIN)/ruff check .)
	$(call step,async lint,$(BIN)/flake8-async --enable ASYNC $$(find $(PACKAGES) -name '*.py'))
	$(call step,types,$(BIN)/mypy $(TYPED))
	$(call step,floors,$(BIN)/lint-imports)

fix: $(STAMP) ## Format, and repair what the linter can
	$(call step,lint,$(BIN)/ruff check --fix .)
	$(call step,format,$(BIN)/ruff format .)

properties: export TURNTREE_PROPERTIES := large
properties: $(STAMP) ## Run the tests with the large property profile
	$(call watch,large properties,$(PYTEST) tests)

bench: $(STAMP) ## Measure; not part of the gate
	@$(BIN)/python -m benchmarks

clean: ## Remove caches and reports; the virtual environment stays
	@rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage .coverage.*
	@find $(TYPED) -type d -name __pycache__ -prune -exec rm -rf {} +
