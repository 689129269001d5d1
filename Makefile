# `make site` and `make test` are all a newcomer needs; each sets up .venv by itself.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
export NO_MKDOCS_2_WARNING := 1
export PYTHONPATH :=

.DEFAULT_GOAL := help
.PHONY: help site test test-croissant test-engine test-warehouse lint types pytest fuzz bench faults serve load fit readme lock clean parity

help:  ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; found $$($(PYTHON) --version). Try: make PYTHON=python3.12 …"; exit 1; }
	@echo "setting up .venv (once)"
	@[ -x $(BIN)/python ] || $(PYTHON) -m venv .venv
	@if command -v uv >/dev/null; then \
	  uv pip sync --quiet --python $(BIN)/python --compile-bytecode --require-hashes requirements.lock; \
	else \
	  $(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock; \
	fi
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip >/dev/null
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

site: .venv/ready  ## load, fit and build the site into build/site
	@$(BIN)/rigbook load
	@$(BIN)/rigbook fit
	@$(BIN)/rigbook site

load: .venv/ready  ## data/ -> build/rigbook.duckdb
	@$(BIN)/rigbook load

fit: load  ## build/rigbook.duckdb -> build/model.json
	@$(BIN)/rigbook fit

serve: .venv/ready  ## look at build/site on http://127.0.0.1:8000 (ONLY=slug: that page anew first)
	@[ -z '$(ONLY)' ] || { $(BIN)/rigbook load && $(BIN)/rigbook site --only '$(ONLY)'; }
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site 8000

test: lint types pytest  ## everything that must hold: lint, types, tests

lint: .venv/ready
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/zizmor --offline --no-progress --quiet --persona pedantic .github
	@$(BIN)/actionlint -no-color -shellcheck $(BIN)/shellcheck .github/workflows/*.yml
	@$(BIN)/shellcheck --severity=warning .ci/run tests/engine/build.sh
	@$(BIN)/codespell
	@$(BIN)/cog --check README.md || { echo "README.md: a shown answer is old; run \`make readme\`"; exit 1; }
	@$(BIN)/rigbook check

types: .venv/ready
	@$(BIN)/mypy

pytest: .venv/ready
	@$(BIN)/python -m pytest -m 'not croissant and not engine and not postgres'

test-engine: .venv/ready  ## build a real llama-server once, outside the checkout, and test against it
	@bin=$$(PYTHON=$(CURDIR)/$(BIN)/python tests/engine/build.sh) \
	  && PATH="$$bin:$$PATH" $(BIN)/python -m pytest -m engine

parity: .venv/ready  ## hold the predictor page against predict on 10,000 rigs
	@PYTHONPATH=.:site $(BIN)/python tests/predictor_grid.py 10000

build/lake/ready:
	@$(PYTHON) -m venv build/lake
	@build/lake/bin/pip install --quiet duckdb==1.5.5 duckdb-extensions==1.5.5 \
	  duckdb-extension-ducklake==1.5.5 duckdb-extension-postgres-scanner==1.5.5 \
	  importlib_resources polars pydantic
	@touch $@

test-warehouse: .venv/ready build/lake/ready  ## four loaders at once on a PostgreSQL of their own (needs postgresql)
	@RIGBOOK_LAKE_PYTHON=$(CURDIR)/build/lake/bin/python $(BIN)/python -m pytest -m postgres

build/croissant/ready:
	@$(PYTHON) -m venv build/croissant
	@build/croissant/bin/pip install --quiet mlcroissant==1.1.1 pyarrow
	@touch $@

test-croissant: .venv/ready build/croissant/ready  ## the data set as its format's own reader sees it (half a GB of packages)
	@RIGBOOK_CROISSANT_PYTHON=$(CURDIR)/build/croissant/bin/python $(BIN)/python -m pytest -m croissant

readme: .venv/ready  ## write the answers, figures and picture of README.md anew
	@$(BIN)/python -c 'from pathlib import Path; from sitegen.cover import write_cover; write_cover(Path("models/fitted/model.json"), Path("site/docs/assets"))'
	@$(BIN)/cog -r README.md

fuzz: .venv/ready  ## damage texts for each reader, 60 s a reader
	@PYTHONPATH=. $(BIN)/python benchmarks/reader_fuzz.py 60

bench: .venv/ready  ## speed and size, in ratios measured in one run (benchmarks/)
	@PYTHONPATH=.:site $(BIN)/python -m benchmarks.run

faults: .venv/ready  ## break what can break, a hundred kills included (half an hour)
	@$(BIN)/python -m benchmarks.faults

lock:  ## pin every dependency by hash (needs uv)
	uv lock --quiet
	uv export --quiet --all-groups --all-extras --no-emit-project --no-header -o requirements.lock

clean:  ## remove what was built (not .venv)
	rm -rf build site/docs/results
