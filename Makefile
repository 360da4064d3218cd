# taicam: every target makes its own virtual environment when there is none.
#
#   make run     the main job on the bundled sample: pictures -> tiles -> score -> display, ledger
#   make test    lint, types, import contract, every test this machine can run (what it cannot is named)
#   make help    the rest

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.DEFAULT_GOAL := help
.PHONY: help run serve test lint format unit coverage fuzz bench learn-demo evaluate screenshots sample train-env dev-env wheel clean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Three environments in one folder, each a superset of the one before; a stamp says which stands.
$(VENV)/bin/python:
	@echo "Making a virtual environment in $(VENV) ..."
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(VENV)/bin/python pyproject.toml
	@echo "Installing taicam (about a minute) ..."
	$(PIP) --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml
	@echo "Installing taicam with its test tools ..."
	$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.run

$(VENV)/.train: $(VENV)/bin/python pyproject.toml
	@echo "Installing the training chain (gigabytes) ..."
	$(PIP) --editable '.[dev,train]'
	@touch $@ $(VENV)/.dev $(VENV)/.run

dev-env: $(VENV)/.dev ## the virtual environment for `make test`
train-env: $(VENV)/.train ## the same with the training chain (several gigabytes)

run: $(VENV)/.run ## read, score and record the bundled sample, end to end
	$(BIN)/taicam run --source sample --data data/sample

serve: $(VENV)/.run ## the appliance on the first camera
	$(BIN)/taicam run

format: $(VENV)/.dev ## put the code into the house style
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format --quiet .

lint: $(VENV)/.dev ## ruff, strict types, import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The oracles and fuzz of scoring run without coverage, which would only slow them: the rest must cover it whole.
unit: $(VENV)/.dev ## the tests alone
	$(BIN)/python -m pytest -n 2 --dist loadfile tests/scoring --ignore-glob='*oracle.py' --cov=scoring --cov-report=
	$(BIN)/coverage report --include='scoring/*' --skip-covered --show-missing --fail-under=100
	$(BIN)/python -m pytest -n 2 --dist loadfile tests/device tests/e2e tests/taicam tests/vision tests/scoring/test_*oracle.py

coverage: $(VENV)/.dev ## line and branch coverage of every package
	$(BIN)/python -m pytest --cov --cov-report=term:skip-covered

test: lint unit ## lint and every test

fuzz: $(VENV)/.dev ## 200,000 torn, flipped and random inputs at every machine codec
	$(BIN)/python tests/device/fuzz.py --cases 200000

bench: $(VENV)/.dev ## speeds, as ratios side by side in one run
	$(BIN)/python benchmarks/scoring_speed.py
	$(BIN)/python benchmarks/vision_speed.py
	$(BIN)/python benchmarks/learning_speed.py

learn-demo: $(VENV)/.train ## the learning loop end to end: capture, correct, enrol, retrain, promote, roll back
	$(BIN)/python -m taicam.learn_demo

DATA ?= ../shared/data/real
evaluate: $(VENV)/.run ## the detector on labelled photos it was not trained on (DATA=DIR, a YOLO data set)
	$(BIN)/taicam evaluate shipped --data $(DATA) --split test

screenshots: $(VENV)/.dev ## every page and the console again, into docs/pictures
	$(BIN)/python -m taicam.web.screenshots --out docs/pictures

sample: $(VENV)/.dev ## the bundled sample again
	$(BIN)/python -m vision.training.render.sample --out taicam/sample

wheel: $(VENV)/.dev ## build the distributable wheel
	$(PIP) build
	$(BIN)/python -m build --wheel --outdir dist

clean: ## remove what the targets made
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage htmlcov runs
