# Two commands do all the set-up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
BROWSER := .venv/.browser
# No run of the tests is without an end. At a terminal Ctrl-C reaches them; elsewhere all that they started ends with them.
LIMIT := $(shell command -v timeout >/dev/null && \
  if [ -t 0 ]; then echo timeout --foreground 3600; else echo timeout --kill-after=60 3600; fi)
# Two workers and hundreds of processes import the same modules: they are compiled once, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.PHONY: demo test check changed lint types tests docs format benchmark overhead deep laws clean

demo: $(READY)
	@$(BIN)/frote demo --force

# Side by side: types and docs take one core, tests all there are.
test: $(READY) $(BROWSER)
	@$(MAKE) --no-print-directory --jobs=4 --output-sync=line tests types docs lint

# The daily round: lint, types, the order of modules, and the tests of what changed since main, or in the last commit.
check: $(READY)
	@$(MAKE) --no-print-directory --jobs=3 --output-sync=line lint types changed

changed: $(READY)
	$(LIMIT) $(BIN)/pytest -q tests/test_architecture.py $$($(BIN)/python -m tests.changed)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

tests: $(READY) $(BROWSER)
	$(LIMIT) $(BIN)/pytest

docs: $(READY)
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -d build/doctrees docs build/docs

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

benchmark: $(READY)
	$(BIN)/python benchmarks/masks.py
	$(BIN)/python benchmarks/check.py
	$(BIN)/python benchmarks/studio.py
	$(BIN)/python benchmarks/selection.py
	$(BIN)/python benchmarks/scale.py

overhead: $(READY)
	$(BIN)/python benchmarks/overhead.py

# Hours, in full; goes on where it was stopped. make deep SECONDS=600 takes about so long.
deep: $(READY)
	$(BIN)/python -m campaigns $(if $(SECONDS),--seconds $(SECONDS)) $(CAMPAIGNS)
	$(if $(CAMPAIGNS),,$(BIN)/python -m campaigns.mutants $(if $(SECONDS),--seconds $(SECONDS)))

# Every law on all its examples, new ones each time; what is found becomes an @example.
laws: $(READY) $(BROWSER)
	$(BIN)/pytest --hypothesis-profile deep $(TESTS)

$(READY): pyproject.toml experiments/pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
	  --editable '.[dev]' --editable ./experiments
	@touch $@

# Reports are looked at in Debian's Chromium. Where it is missing and cannot be installed, those tests are skipped.
$(BROWSER): $(READY)
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && timeout 180 sh -c \
	  'apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends chromium'; \
	} >/dev/null 2>&1 || echo "Chromium is missing and cannot be installed: tests in a browser are skipped."
	@touch $@

clean:
	rm -rf .venv build .mypy_cache .pytest_cache .ruff_cache .hypothesis
