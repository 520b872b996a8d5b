# Two commands do all the set-up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
BROWSER := .venv/.browser
# No run of the tests is without an end. At a terminal Ctrl-C reaches them; elsewhere all that they started ends with them.
LIMIT := $(shell command -v timeout >/dev/null && \
  if [ -t 0 ]; then echo timeout --foreground 3600; else echo timeout --kill-after=60 3600; fi)

.DELETE_ON_ERROR:
.PHONY: demo test lint types tests docs format benchmark overhead deep clean

demo: $(READY)
	@$(BIN)/frote demo --force

# Side by side: types and docs take one core, tests all there are.
test: $(READY) $(BROWSER)
	@$(MAKE) --no-print-directory --jobs=4 --output-sync=line tests types docs lint

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
	$(BIN)/python benchmarks/selection.py

overhead: $(READY)
	$(BIN)/python benchmarks/overhead.py

# Hours, in full; goes on where it was stopped. make deep SECONDS=600 takes about so long.
deep: $(READY)
	$(BIN)/python -m campaigns $(if $(SECONDS),--seconds $(SECONDS)) $(CAMPAIGNS)

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
