# Two commands matter: `make demo` shows the thing, `make test` checks all of it.
# Needs Python 3.11 or newer, make and git; the rest is installed into .venv from pinned, hashed files.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check --no-input
CORES := $(shell nproc 2>/dev/null || echo 2)
# One more than there are processors: some tests wait for a process or a server.
PROCESSES := $(shell echo $$(( $(CORES) + 1 )))
PYTEST_ARGS ?= -m "not slow"
ARGS ?=
TYPED ?= src scripts $(filter-out packages/simonides-minilm/src packages/simonides-integrations/src packages/simonides-js/src,$(wildcard packages/*/src))

# Asked for by name, only that Python will do; otherwise the first of these that is new enough.
PYTHONS := $(if $(filter file,$(origin PYTHON)),$(PYTHON) python3.14 python3.13 python3.12 python3.11,$(PYTHON))
LOCAL_PACKAGES := $(patsubst %/pyproject.toml,./%,$(wildcard packages/*/pyproject.toml))

# What is installed depends on these and on where the checkout lies; another sum installs again.
KEY_FILES := pyproject.toml $(wildcard requirements/*.txt packages/*/pyproject.toml)
KEY := $(shell (echo "$(CURDIR)"; cat $(KEY_FILES)) | cksum | tr -d ' ')
RUNTIME := $(VENV)/.runtime-$(KEY)
DEV := $(VENV)/.dev-$(KEY)

headline = printf '\n== %s\n' "$(1)"

# Hundreds of short processes are started: without bytecode on disk each compiles the sources anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test test-all format lint types layers unit pythons integrations with-frameworks with-google-adk js dist with-twine image-steps ratio bench crash postgres valkey lock clean

help: ## Show what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS='	' read -r name text; do printf '  make %-8s %s\n' "$$name" "$$text"; done

demo: $(RUNTIME) ## Install the runtime and run the demo
	@$(BIN)/simonides demo $(ARGS)

test: lint types layers unit ## Run what must pass before a change lands: format, lint, types, layers, tests
	@$(call headline,all checks passed)

test-all: TYPED =
test-all: lint types layers ## Run every check at full depth, and the tests of every Python found: before a release
	@$(PIP) install --no-compile --require-hashes -r requirements/deep.txt
	@$(MAKE) --no-print-directory unit HYPOTHESIS_PROFILE=deep PYTEST_ARGS=
	@$(MAKE) --no-print-directory pythons integrations
	@if node -e 'process.exit(parseInt(process.versions.node) < 20)' 2>/dev/null; then $(MAKE) --no-print-directory js; \
	else $(call headline,skipped: make js needs Node 20 or newer); fi

format: $(DEV) ## Format the code and mend what ruff can mend
	@$(BIN)/ruff format
	@$(BIN)/ruff check --fix

lint: $(DEV) ## Check format and lint
	@$(call headline,format: ruff format --check)
	@$(BIN)/ruff format --check
	@$(call headline,lint: ruff check)
	@$(BIN)/ruff check

types: $(DEV) ## Check types of the code; TYPED= checks the tests, too
	@$(call headline,types: mypy --strict)
	@$(BIN)/mypy -n $(CORES) $(TYPED)

layers: $(DEV) ## Check who imports whom
	@$(call headline,layers: lint-imports)
	@$(BIN)/lint-imports --no-logo --no-cache

unit: $(DEV) ## Run the tests; PYTEST_ARGS='tests/unit/text -x' runs some
	@$(call headline,tests: scripts/run_tests.py)
	@$(BIN)/python scripts/run_tests.py $(PROCESSES) $(PYTEST_ARGS)

# The Pythons found that are new enough, oldest first; each has an environment of its own.
FOUND = $(shell for python in /usr/bin/python3 $(HOME)/.pyenv/versions/*/bin/python3; do \
	"$$python" -c 'import sys; v = sys.version_info[:3]; v < (3, 11) or print("%03d%03d%03d" % v, "%d.%d.%d" % v, sys.executable)' 2>/dev/null; \
	done | sort -u -k2,2 | sort | tr ' ' '=')
OF_PYTHONS ?= $(FOUND)
PYTHONS_ARGS ?= tests/unit tests/contract

pythons: ## Run the unit and contract tests on every Python found
	@for one in $(OF_PYTHONS); do \
		version=$$(echo $$one | cut -d= -f2); python=$$(echo $$one | cut -d= -f3); \
		printf '\n== python %s\n' "$$version"; \
		$(MAKE) --no-print-directory unit PYTHON="$$python" VENV="build/pythons/$$version" PYTEST_ARGS="$(PYTHONS_ARGS)" || exit 1; \
	done

integrations: ## Check simonides-integrations against every framework, with the suites they publish
	@$(MAKE) --no-print-directory with-frameworks VENV=build/integrations
	@$(MAKE) --no-print-directory with-google-adk VENV=build/google-adk

# In an environment of its own: the suites bring plugins that would be loaded in every test run.
WITH_SUITES = $(BIN)/python -m pytest -n 2 -o asyncio_mode=auto -o asyncio_default_fixture_loop_scope=function
with-frameworks: $(DEV) ## Do that in VENV, which gets the frameworks
	@$(PIP) install --no-compile --require-hashes -r requirements/integrations.txt
	@$(call headline,types: mypy --strict)
	@$(BIN)/mypy packages/simonides-integrations/src
	@$(call headline,tests: pytest tests/unit/integrations)
	@$(WITH_SUITES) tests/unit/integrations
	@$(WITH_SUITES) -k integrations tests/docs/test_examples.py

with-google-adk: ## Check the memory service of Google ADK in VENV: its pins are not those of dev.txt
	$(call install,requirements/google-adk.txt,--no-compile)
	@$(call headline,tests: pytest tests/unit/integrations/test_google_adk.py)
	@$(BIN)/python -m pytest tests/unit/integrations/test_google_adk.py

JS := packages/simonides-js
js: $(RUNTIME) ## Generate the TypeScript client anew, build it and test it against a server; needs Node 20 and npm
	@$(call headline,typescript client: $(JS))
	@cd $(JS) && npm ci --silent
	@$(BIN)/python scripts/typescript_client.py
	@cd $(JS) && npm run --silent build && SIMONIDES="$(abspath $(BIN)/simonides)" npm test --silent

dist: ## Build the packages for publishing into dist/, twice and alike, and check them
	@$(MAKE) --no-print-directory with-twine VENV=build/release

with-twine: $(DEV) ## Do that in VENV, which gets twine
	@$(PIP) install --no-compile --require-hashes -r requirements/release.txt
	@$(BIN)/python scripts/release.py

bench: $(RUNTIME) ## Measure speed and quality; ARGS are handed on
	@$(BIN)/simonides bench $(ARGS)

crash: $(RUNTIME) ## Try power cuts, kills, failing disks and bad clients for half an hour; ARGS are handed on
	@$(BIN)/simonides bench crash --minutes 30 $(ARGS)

postgres: $(DEV) ## Run an empty PostgreSQL with pgvector until Ctrl-C, and print its address
	@exec $(BIN)/python -m simonides_bench.testing.servers postgres

valkey: $(DEV) ## Run an empty Valkey until Ctrl-C, and print its address
	@exec $(BIN)/python -m simonides_bench.testing.servers valkey

image-steps: $(DEV) ## Go through deploy/Containerfile without a container builder, and use what comes out
	@$(BIN)/python scripts/image_steps.py $(ARGS)

ratio: ## Count lines of tests per line of code
	@code=$$(find src packages/simonides-bench packages/simonides-formats packages/simonides-postgres -name '*.py' -exec cat {} + | grep -c '[^[:space:]]'); \
	tests=$$(find tests -name '*.py' -exec cat {} + | grep -c '[^[:space:]]'); \
	echo "$$tests $$code" | awk '{ printf "%d lines of tests / %d lines of code = %.2f (aim: 1.2 to 1.8)\n", $$1, $$2, $$1 / $$2 }'

LOCK := $(BIN)/uv pip compile --quiet --system-certs --no-config --universal --python-version 3.11 --generate-hashes \
	--custom-compile-command 'make lock' --excludes requirements/excludes.in

MODEL := packages/simonides-minilm/make

lock: $(DEV) ## Pin the requirements anew; ARGS=--upgrade takes newer versions
	@$(LOCK) $(ARGS) requirements/uv.in -o requirements/uv.txt
	@$(LOCK) $(ARGS) --extra local --extra documents --extra exports --extra calendars --extra watch --extra terminal --extra server --extra mcp --extra openai --extra redis pyproject.toml packages/simonides-formats/pyproject.toml packages/simonides-postgres/pyproject.toml requirements/runtime.in -o requirements/runtime.txt
	@$(LOCK) $(ARGS) --extra local --extra multilingual --extra documents --extra exports --extra calendars --extra watch --extra terminal --extra hnsw --extra openai --extra anthropic --extra server --extra mcp --extra completion --extra redis pyproject.toml packages/simonides-formats/pyproject.toml packages/simonides-postgres/pyproject.toml requirements/runtime.in requirements/dev.in -o requirements/dev.txt
	@$(LOCK) $(ARGS) requirements/deep.in -o requirements/deep.txt
	@$(LOCK) $(ARGS) requirements/integrations.in -o requirements/integrations.txt
	@$(LOCK) $(ARGS) --extra local pyproject.toml requirements/google-adk.in -o requirements/google-adk.txt
	@$(LOCK) $(ARGS) requirements/release.in -o requirements/release.txt
	@$(LOCK) $(ARGS) -c requirements/dev.txt $(MODEL)/requirements.in -o $(MODEL)/requirements.txt

clean: ## Remove .venv, caches and built files
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf $(addprefix $(JS)/,node_modules build dist)
	find src tests packages -name __pycache__ -type d -prune -exec rm -rf {} +

# A new Python environment, unless a whole one that was made at this place is already there.
define make_venv
if grep -qs "$(CURDIR)/$(BIN)/" $(BIN)/pip && $(BIN)/python -m pip --version >/dev/null 2>&1; then exit 0; fi; \
for python in $(PYTHONS); do \
  if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
    "$$python" -m venv --clear $(VENV) && exit 0; \
    echo "$$python cannot make $(VENV): where Python comes in parts, install its venv part (python3-venv)." >&2; exit 1; \
  fi; \
done; \
echo "Python 3.11 or newer is needed; none of these is: $(PYTHONS)." >&2; \
echo "Install one, or name it: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)" >&2; exit 1
endef

# uv installs ten times as fast as pip, but reads none of its settings: pip does it where these name an
# index or a proxy, where this machine has no uv, and where uv fails.
define fetch
{ [ -x $(BIN)/uv ] && ! $(BIN)/python -m pip config list | grep -qE '\.(index-url|no-index|proxy)=' \
  && $(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python $(1); } || $(PIP) install $(1)
endef

# $(1) is the file of requirements: it must be whole, each package of the very bytes that were pinned.
# $(2) are options; most modules of the tools are never imported and need not be compiled.
define install
@$(call headline,install: $(1) into $(VENV))
@$(make_venv)
@rm -f $(VENV)/.runtime-* $(VENV)/.dev-*
@$(PIP) install --only-binary :all: --require-hashes -r requirements/uv.txt || true
@$(call fetch,$(2) --require-hashes -r $(1))
@$(call fetch,--no-build-isolation --no-deps $(addprefix -e ,$(LOCAL_PACKAGES)) -e .)
@$(BIN)/python -m compileall -q -j 2 src packages/*/src
endef

$(RUNTIME):
	$(call install,requirements/runtime.txt,--compile)
	@touch $@

$(DEV):
	$(call install,requirements/dev.txt,--no-compile)
	@touch $(RUNTIME) $@
