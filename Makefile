# What people and CI run. Every target creates what it needs, works from any directory
# (make -C path/to/eutaxy test), and is quick when nothing has changed. HACKING.md explains them.

MAKEFLAGS += --no-print-directory --no-builtin-rules
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: help demo docs test test-fast lint format bench peers lock clean

ROOT := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
VENV := $(ROOT)/.venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check --no-input
RUNTIME := $(VENV)/.eutaxy-runtime
DEVELOPMENT := $(VENV)/.eutaxy-development
export PIP_ROOT_USER_ACTION := ignore
# The planted bugs of the examples are found anew each time; their folders stay as they are.
export EUTAXY_SAVE := 0

# An environment whose interpreter has gone (an upgrade of the system) is made again.
$(shell test -x $(BIN)/python || rm -f $(RUNTIME) $(DEVELOPMENT))

help:
	@echo 'make demo       check the example of the README, in TypeScript and in Python'
	@echo 'make test       run all tests (PYTEST="-k words" for some)'
	@echo 'make test-fast  run the tests that start no child process and build nothing'
	@echo 'make conformance  compare the recordings with the real engine again'
	@echo 'make docs       renew the outputs and tables in the documentation'
	@echo 'make lint       formatter, linter, types, layers'
	@echo 'make format     format and fix what can be fixed'
	@echo 'make bench      run the benchmarks'
	@echo 'make peers      run eutaxy beside similar tools (installs them; needs the network)'
	@echo 'make lock       renew requirements-dev.txt'
	@echo 'make clean      remove everything that these targets create'

include $(ROOT)/conformance/conformance.mk

# The environment in two parts, so that a demo need not wait for the tools. Both take the exact
# versions of requirements-dev.txt; the package itself is installed editable.
$(RUNTIME): $(ROOT)/pyproject.toml $(ROOT)/requirements-dev.txt $(ROOT)/tools/make-venv
	@$(ROOT)/tools/make-venv $(VENV)
	@echo 'Installing eutaxy into .venv'
	@$(PIP) install --constraint $(ROOT)/requirements-dev.txt hatchling editables
	@$(PIP) install --constraint $(ROOT)/requirements-dev.txt --no-build-isolation --editable $(ROOT)
	@touch $@

$(DEVELOPMENT): $(RUNTIME)
	@echo 'Installing the tools for development into .venv'
	@$(PIP) install --requirement $(ROOT)/requirements-dev.txt
	@touch $@

# The planted bug is found (exit code 1, VIOLATED) and its correction is not (0, BOUNDED), in both
# languages; any other exit code fails the demo.
demo: $(RUNTIME)
	@cd $(ROOT)/examples/workflow-approval && for expected in $(DEMO); do \
		scenario=$${expected%=*}; code=0; \
		echo "\$$ eutaxy check $$scenario"; echo; \
		$(BIN)/eutaxy check $$scenario || code=$$?; echo; \
		test $$code -eq $${expected#*=} || \
			{ echo "make demo: $$scenario ended with exit code $$code" >&2; exit 1; }; \
	done
DEMO := expenses.sim.ts=1 expenses.fixed.sim.ts=0 python/expenses_sim.py=1 python/expenses_fixed_sim.py=0

# Whole files go to one worker, since their tests share host processes.
PARALLEL := --numprocesses auto --dist loadfile

test: $(DEVELOPMENT)
	@cd $(ROOT) && $(BIN)/python -m pytest $(PARALLEL) $(PYTEST)

test-fast: $(DEVELOPMENT)
	@cd $(ROOT) && $(BIN)/python -m pytest -m 'not slow and not host' $(PARALLEL) $(PYTEST)

docs: $(DEVELOPMENT)
	@$(BIN)/python $(ROOT)/tools/rules_table.py
	@$(BIN)/python $(ROOT)/tools/conformance_table.py
	@$(BIN)/python $(ROOT)/tools/invariants_table.py
	@$(BIN)/python $(ROOT)/tools/docs.py

lint: $(DEVELOPMENT)
	@cd $(ROOT) && $(BIN)/ruff format --check
	@cd $(ROOT) && $(BIN)/ruff check
	@cd $(ROOT) && $(BIN)/mypy
	@cd $(ROOT) && $(BIN)/lint-imports

format: $(DEVELOPMENT)
	@cd $(ROOT) && $(BIN)/ruff check --fix-only
	@cd $(ROOT) && $(BIN)/ruff format

bench: $(DEVELOPMENT)
	@cd $(ROOT) && for benchmark in benchmarks/bench_*.py; do \
		echo "== $$benchmark"; $(BIN)/python $$benchmark || exit 1; \
	done

# What it installs stays outside the project, in the folder for temporary files.
peers: $(RUNTIME)
	@$(BIN)/python $(ROOT)/benchmarks/peers/run.py

lock: $(DEVELOPMENT)
	@$(BIN)/python $(ROOT)/tools/lock.py

clean:
	@cd $(ROOT) && rm -rf .venv build dist .coverage .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache
	@cd $(ROOT) && find src tests tools examples benchmarks -name __pycache__ -prune \
		-exec rm -rf {} + 2>/dev/null || true
