# `make help` lists the targets. Everything is made below .venv/ and build/; the home folder is left alone, but for the
# lab's cache of built binaries.

PYTHON ?= python3
# More arguments for a runner, for example: make unit ARGS='-k dotted -x'
ARGS ?=
# LONG=1 makes long tests of those whose worth grows with their length (tests/long.py).
export LONG ?=
# Processes that pytest uses.
WORKERS ?= 2

# What `make test` runs, cheap things first. A part that lands adds its target here.
TEST_STEPS := lint unit parity sanity cluster molecule package site test-interfaces live

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

ROOT := $(CURDIR)
PY := $(ROOT)/.venv/bin/python
TREE := build/tree/ansible_collections/modelops/inference
# The slowest tests are named, so that what takes minutes and finds nothing is seen.
PYTEST := $(PY) -m pytest --durations=30 --durations-min=5
INTERFACES := $(ROOT)/build/environments/interfaces

export PATH := $(ROOT)/.venv/bin:$(PATH)
export PYTHONPATH := $(ROOT)/build/tree
export ANSIBLE_COLLECTIONS_PATH := $(ROOT)/build/tree
export ANSIBLE_HOME := $(ROOT)/build/ansible
export ANSIBLE_REMOTE_TMP := $(ROOT)/build/ansible/tmp
export ANSIBLE_NOCOWS := 1
export RUFF_CACHE_DIR := $(ROOT)/build/ruff

.PHONY: help demo check test test-interfaces test-matrix
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: python ## a real control plane, the example fleet reconciled twice, and what to do next
	@began=$$(date +%s); \
	  $(PY_HOST) tests/tools/side_by_side.py $(PY_HOST) -m tests.lab build -- $(ENVIRONMENT) run; \
	  $(PY) -m tests.tools.tree; \
	  $(PY) -m tests.demo --began $$began $(ARGS)

check: env-test tree ## the inner loop: style, types, import contracts, unit tests, render parity
	@failed=0; $(PY) -m tests.tools.lint --quick || failed=1; \
	  $(PYTEST) -q -n $(WORKERS) $(CHECK_TESTS) $(ARGS) || failed=1; exit $$failed

test: env-test ## everything that CI runs
	@$(PY) -m tests.tools.suite $(TEST_STEPS)

test-interfaces: env-interfaces ## what needs a browser, Java or receptor; what is missing is told and counted
	@$(INTERFACES)/bin/python -m tests.tools.tree
	@PATH="$(INTERFACES)/bin:$$PATH" $(INTERFACES)/bin/python -m pytest tests/interfaces $(ARGS)

test-matrix: env-test tree ## every supported ansible-core
	@$(PY) -m tests.matrix $(ARGS)

.PHONY: lint unit parity sanity cluster molecule live
lint: env-test tree ## every linter: those of `check`, then ansible-lint, documentation, changelog
	@$(PY) -m tests.tools.lint $(ARGS)

unit: env-test tree ## pure functions, tables and properties
	@$(PYTEST) -n $(WORKERS) tests/unit $(ARGS)

parity: env-test tree ## every recorded input rendered and compared with what the real controller sent
	@$(PYTEST) -n $(WORKERS) tests/parity $(ARGS)

sanity: env-test ## ansible-test sanity, all tests, no ignore file
	@$(PY) -m tests.tools.sanity $(ARGS)

cluster: env-test tree ## tests against a real API server: the lab's, or that of LAB_KUBECONFIG
	@$(PYTEST) -n $(WORKERS) tests/cluster $(ARGS)

molecule: env-test tree ## every molecule scenario
	@$(PY) -m tests.tools.molecule $(ARGS)

live: env-test ## a real node, gateway and picker; as root on Linux. ARGS=--keep lets it run for your own hands
	@$(PY) -m tests.live run $(ARGS)

.PHONY: mistakes
mistakes: env-test tree ## thousands of services with a mistake each: what is told at its field. ARGS='--sample 0 --show all'
	@$(PY) -m tests.mistakes $(ARGS)

.PHONY: package site
package: env-test env-release env-installed tree ## the release: tarball, checksum, bill of materials, tried as Galaxy and as a user would
	@$(PY) -m tests.tools.package

site: env-release ## the documentation as a site below build/site/html; a link that leads nowhere is an error
	@build/environments/release/bin/python -m tests.tools.site

.PHONY: bench fuzz fuzz-fit fuzz-pods fuzz-warnings differential docs
bench: env-test tree ## figures against peers; ARGS=all measures everything, ARGS=pages writes docs/performance.md and the costs of docs/scale.md anew
	@$(PY) -m tests.bench $(ARGS)

fuzz: env-test tree ## the long property and differential tests
	@$(PY) -m tests.fuzz $(ARGS)

fuzz-fit: env-test tree ## random clusters, judged by our fit and by the real scheduler
	@$(PY) -m tests.fuzz.fit $(ARGS)

fuzz-warnings: env-test tree ## valid services at random: what is warned about, and whether lines without effect have none. ARGS='--services 500'
	@$(PY) -m tests.fuzz.warnings $(ARGS)

fuzz-pods: env-test tree ## what the API refuses of objects and services spoilt at random, judged by us and by an API server
	@$(PY) -m tests.fuzz.pods $(ARGS)

differential: env-test tree ## KServe's own controller beside the renderer, with inputs at random
	@$(PY) -m tests.differential $(ARGS)

docs: env-test tree ## the documentation of every plugin, as text below build/docs
	@$(PY) -m tests.tools.docs

.PHONY: lab-up lab-down lab-shell
lab-up: env-run ## start a control plane for your own hands
	@$(PY) -m tests.lab up $(ARGS)

lab-down: env-run ## stop it
	@$(PY) -m tests.lab down $(ARGS)

lab-shell: env-run ## a shell whose kubectl and KUBECONFIG are the lab's
	@$(PY) -m tests.lab shell $(ARGS)

.PHONY: clean
clean: ## remove the environment and everything that was built
	rm -rf .venv .ruff_cache build

# ---- what the targets above stand on ----

# Before .venv exists, and so that building the lab need not wait for it.
PY_HOST := $(shell PATH="$(PATH:$(ROOT)/.venv/bin:%=%)" command -v $(PYTHON))
ENVIRONMENT := $(PY_HOST) tests/tools/environment.py
CHECK_TESTS := tests/unit $(wildcard tests/parity)

.PHONY: python env-run env-test env-release env-installed env-interfaces tree
python:
	@[ -n "$(PY_HOST)" ] || { echo "$(PYTHON) was not found: install Python 3.11 or newer, or name one with PYTHON=…"; exit 1; }
	@"$(PY_HOST)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "$(PY_HOST) is $$("$(PY_HOST)" -V 2>&1), but Python 3.11 or newer is needed. Name one: make PYTHON=python3.12 …"; exit 1; }

env-run: python
	@$(ENVIRONMENT) run

env-test: python
	@$(ENVIRONMENT) test

env-release: python
	@$(ENVIRONMENT) release

env-installed: python
	@$(ENVIRONMENT) installed

env-interfaces: python
	@$(ENVIRONMENT) interfaces

tree: env-run
	@$(PY) -m tests.tools.tree
