# Every target sets up what it needs in .venv; nothing else is touched.
PYTHON ?= python3
PIP = .venv/bin/pip --disable-pip-version-check --quiet install --constraint constraints.txt

unexport PYTHONDONTWRITEBYTECODE  # each of the many processes would compile all modules again

.PHONY: run test test-fast faults check format size docs bench clean

run: .venv/run.stamp  ## the main job: the five papers, run again at quick scale
	.venv/bin/ludus paper all
	@echo "Here ludus is .venv/bin/ludus; after '. .venv/bin/activate' it is ludus."

test: .venv/dev.stamp  ## all tests
	.venv/bin/python -m pytest -n 2 --dist worksteal

faults: .venv/dev.stamp  ## the tests of kills, damaged files and hostile input at full size: hours
	.venv/bin/python -m pytest -n 2 --dist worksteal tests/faults --full

check: .venv/dev.stamp  ## format, lint, types, import contract, fast tests
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports --no-cache
	.venv/bin/python -m pytest -n 2 --dist worksteal -m "not slow"

format: .venv/dev.stamp  ## let ruff mend what it can
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

size: .venv/dev.stamp  ## modules, lines and parameters of the source against their limits
	.venv/bin/python -m pytest -q -s tests/test_size.py

docs: .venv/dev.stamp  ## the documentation as a site that opens from disk
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict --quiet
	@echo "Open site/index.html."

bench: .venv/bench.stamp  ## speed beside the peers
	.venv/bin/python -m bench
	.venv/bin/python -m bench.latency --moves
	.venv/bin/python -m bench.searches
	.venv/bin/python -m bench.solving
	.venv/bin/python -m bench.proofs
	.venv/bin/python -m bench.browser
	.venv/bin/python -m bench.columns
	.venv/bin/python -m bench.book
	.venv/bin/python -m bench.tournament
	.venv/bin/python -m bench.ratings
	.venv/bin/python -m bench.cluster
	.venv/bin/python -m bench.canonical
	.venv/bin/python -m bench.symmetric
	.venv/bin/python -m bench.tablebases
	.venv/bin/python -m bench.learning_tables
	.venv/bin/python -m bench.learning_weights
	.venv/bin/python -m bench.learning_td
	.venv/bin/python -m bench.learning_dqn
	.venv/bin/python -m bench.learning_alphazero
	.venv/bin/python -m bench.serving
	.venv/bin/python -m bench.adapters

clean:
	rm -rf .venv .mypy_cache .ruff_cache .hypothesis site

.venv/bin/pip:
	$(PYTHON) -m venv .venv

.venv/run.stamp: pyproject.toml constraints.txt | .venv/bin/pip
	$(PIP) --editable .
	touch $@

.venv/dev.stamp: pyproject.toml constraints.txt | .venv/bin/pip
	$(PIP) --editable '.[dev]'
	touch $@

.venv/bench.stamp: pyproject.toml constraints.txt | .venv/bin/pip
	$(PIP) --editable '.[bench]'
	touch $@
