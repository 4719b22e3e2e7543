# `make help` lists everything. Works with GNU make 4.3 and newer; needs Python 3.11 or newer and nothing else.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?=#         the Python to make the environment with; empty: the first that fits
WORKERS ?= auto#   test processes
TEST_ARGS ?=#      for pytest, as in TEST_ARGS='tests/unit -k scope'
BENCH_ARGS ?=#     for the benchmarks, as in BENCH_ARGS='--pages 1000 --rounds 1'
STORE ?= postgres# of `make chaos`: sqlite, postgres or redis
CHANNEL ?= none#   of `make chaos`: none, rabbitmq or kafka
DEMO_ARGS ?=#      for the demo, as in DEMO_ARGS='--shops 10'

PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
# More than there are cores: many tests wait for servers and processes.
TEST_PROCESSES = $(if $(filter auto,$(WORKERS)),$(shell echo $$(($$(nproc) * 5 / 2))),$(WORKERS))
MADE := $(VENV)/.made-for
RUNTIME := $(VENV)/.installed-runtime
DEVELOPMENT := $(VENV)/.installed-development
WEB := $(BIN)/python scripts/web_build.py

# Where this is set, each of the many processes that tests start would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

# An environment names its own folder in its scripts: after the project was moved or copied it is made anew.
ifneq "$(shell cat $(MADE) 2>/dev/null)" "$(CURDIR)"
.PHONY: $(MADE)
endif

.PHONY: help
help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))
	@echo
	@sed -n 's/^\([A-Z_]*\) ?= *\([a-z]*\)#  *\(.*\)/  \1|\2|\3/p' $(firstword $(MAKEFILE_LIST)) \
	    | awk -F '|' '{printf "%-13s %s%s\n", $$1, $$3, $$2 == "" ? "" : " [" $$2 "]"}'

.PHONY: setup
setup: $(RUNTIME) web ## make .venv with the command .venv/bin/crawlmesh
	@echo "Ready: $(BIN)/crawlmesh"

.PHONY: setup-dev
setup-dev: $(DEVELOPMENT) web ## the same, with the tools for tests and checks
	@echo "Ready: $(BIN)/crawlmesh, with everything for 'make test' and 'make check'"

.PHONY: demo
demo: $(RUNTIME) web ## start a server, serve the bundled demo shop and crawl it
	@$(BIN)/crawlmesh demo $(DEMO_ARGS)

.PHONY: web
web: node ## build the dashboard where its sources changed; CRAWLMESH_WEB=skip leaves it out
	@$(WEB) build

.PHONY: node
node: $(RUNTIME) ## see to a Node.js for the dashboard
	@$(WEB) find-node || { \
	    echo "Installing Node.js for the dashboard …"; \
	    $(PIP) install --quiet --requirement requirements-node.txt; \
	}

# Those of the dashboard run first, unless TEST_ARGS asks for some of the others.
.PHONY: test
test: $(DEVELOPMENT) web ## run all tests
	$(if $(TEST_ARGS),,$(WEB) run test)
	$(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist loadgroup $(TEST_ARGS)

.PHONY: check
check: $(DEVELOPMENT) node ## formatting, lint, types and the layers of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(WEB) run check

.PHONY: format
format: $(DEVELOPMENT) ## format the code and repair what ruff can repair
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: docs
docs: $(RUNTIME) ## make the pages of docs/reference that come from the code
	@for page in settings.md commands.md api.md events.md metrics.md openapi.json; do \
	    $(BIN)/crawlmesh reference $${page%.*} > docs/reference/$$page.new \
	    && mv docs/reference/$$page.new docs/reference/$$page || exit 1; \
	    echo "docs/reference/$$page"; \
	done

.PHONY: coverage
coverage: $(DEVELOPMENT) web ## run all tests in one process and say which lines they miss
	$(BIN)/coverage run -m pytest -n 0 $(TEST_ARGS)
	$(BIN)/coverage report --show-missing --skip-covered

.PHONY: bench-crawl
bench-crawl: $(DEVELOPMENT) ## crawl a generated site beside Scrapy, Crawlee and bare loops
	$(BIN)/python -m benchmarks.crawl $(BENCH_ARGS)

.PHONY: bench-memory
bench-memory: $(DEVELOPMENT) ## memory and speed of a crawl up to 5 million known URLs
	$(BIN)/python -m benchmarks.memory $(BENCH_ARGS)

.PHONY: bench-stores
bench-stores: $(DEVELOPMENT) ## the crawl stores beside scrapy-redis, and a fleet of 64 workers on one Redis
	$(BIN)/python -m benchmarks.stores $(BENCH_ARGS)

.PHONY: bench-cluster
bench-cluster: $(DEVELOPMENT) ## the cluster beside Celery and Procrastinate, and against its own bars
	$(BIN)/python -m benchmarks.cluster $(BENCH_ARGS)

.PHONY: bench-dashboard
bench-dashboard: $(DEVELOPMENT) web ## the dashboard and its interfaces on a cluster with a million tasks
	$(BIN)/python -m benchmarks.dashboard $(BENCH_ARGS)

.PHONY: screenshots
screenshots: $(DEVELOPMENT) web ## take the pictures of the dashboard for the documentation
	$(BIN)/python -m tests.browser.screenshots

.PHONY: chaos
chaos: $(DEVELOPMENT) ## hit masters, workers, stores and brokers of a cluster 100 times and compare with the site
	CHAOS_FAULTS=$${CHAOS_FAULTS:-100} CHAOS_STORE=$(STORE) CHAOS_CHANNEL=$(CHANNEL) \
	    $(BIN)/python -m pytest -n 0 -q tests/chaos/test_cluster.py $(TEST_ARGS)

.PHONY: clean
clean: ## remove the environment and all caches; crawls in .crawlmesh stay
	rm -rf $(VENV) src/crawlmesh/web web/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Keeps an environment that works, whoever made it; replaces one that a kill left half made, or that was copied.
$(MADE):
	@if $(BIN)/pip --version 2>/dev/null | grep -qF "$(CURDIR)/$(VENV)/" \
	    && $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
	    : kept; \
	else \
	    found=; unfit=; \
	    for candidate in $(or $(PYTHON),python3.11 python3.12 python3.13 python3.14 python3 python); do \
	        $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 || continue; \
	        if $$candidate -c 'import venv, ensurepip' 2>/dev/null; then found=$$candidate; break; fi; \
	        unfit=$${unfit:-$$candidate}; \
	    done; \
	    if [ -z "$$found" ] && [ -n "$$unfit" ]; then \
	        version=$$($$unfit -c 'import sys; print("python%d.%d" % sys.version_info[:2])'); \
	        echo "$$unfit cannot make virtual environments: install its venv module" \
	            "(on Debian and Ubuntu: apt-get install $$version-venv) and run make again." >&2; \
	        exit 1; \
	    elif [ -z "$$found" ]; then \
	        echo "No Python 3.11 or newer was found$(if $(PYTHON), under the name $(PYTHON)): install one" \
	            "(on Debian and Ubuntu: apt-get install python3 python3-venv)," \
	            "or name it with make PYTHON=/path/to/python3." >&2; \
	        exit 1; \
	    fi; \
	    echo "Making $(VENV) with $$($$found --version) …"; \
	    $$found -m venv --clear $(VENV) || exit 1; \
	fi
	@echo "$(CURDIR)" > $@

$(RUNTIME): $(MADE) pyproject.toml requirements.txt
	@echo "Installing what Crawlmesh needs …"
	@$(PIP) install --quiet --requirement requirements.txt
	@CRAWLMESH_WEB=skip $(PIP) install --quiet --no-deps --no-build-isolation --editable . # `make web` builds it
	@touch $@

$(DEVELOPMENT): $(RUNTIME) requirements-dev.txt
	@echo "Installing the tools for tests and checks …"
	@$(PIP) install --quiet --requirement requirements-dev.txt
	@touch $@
