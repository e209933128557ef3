PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

# Tests and the processes that they start compile each module once.
unexport PYTHONDONTWRITEBYTECODE

# The test files in folders called AREA, and those with AREA in their names.
AREA_FILES = $(or $(shell find tests -name 'test_*.py' -path '*$(AREA)*'),$(error no folder or file of tests is called $(AREA)))
# Without the notice of its successor, which every build would print: mkdocs.yml has the reasons.
SITE := NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: run dist lock test test-core test-tui lint check format snapshots samples pictures cast tables docs plugins try-agents spec bench bench-install bench-large bench-growth bench-huge bench-embedding bench-vectors bench-cold bench-recall bench-blame bench-told bench-decisions bench-review bench-secrets bench-agents bench-live bench-team quality fuzz kills soak mutants clean

run: $(VENV)/.installed ## open memtui on your sessions, or on the sample sessions if there are none
	$(BIN)/memtui --or-demo

test: $(VENV)/.test ## the whole test suite, or AREA=search: the folders and files of that name
	$(PYTEST) $(if $(AREA),$(AREA_FILES))

test-core: $(VENV)/.test ## the tests of the library
	$(PYTEST) tests/core

test-tui: $(VENV)/.test ## the tests of the app, the commands, the MCP server and the hooks
	$(PYTEST) tests/tui

lint: $(VENV)/.lint ## every checker
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 core tui team
	$(BIN)/mypy --platform darwin core tui team
	$(BIN)/lint-imports
	$(SITE)

check: test lint ## both

format: $(VENV)/.lint
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

snapshots: $(VENV)/.test ## draw the snapshots anew; look at each before you keep it
	$(BIN)/python -m pytest tests/tui/test_snapshots.py --snapshot-update

samples: $(VENV)/.test ## write the sample sessions anew
	$(BIN)/python tools/make_samples.py

pictures: $(VENV)/.test ## every screen in three sizes, dark and light, in docs/screens/, or those of NAMES="help palette"
	$(BIN)/python -m tools.make_pictures $(NAMES)

cast: $(VENV)/.test ## half a minute with the app as an animated picture, docs/demo-cast.svg
	$(BIN)/python -m tools.make_cast

tables: $(VENV)/.installed ## what is made of declarations: parts of the documents, the manual page, and what a shell completes
	$(BIN)/python -m tools.docs_tables
	$(BIN)/python -m tools.man_page
	$(BIN)/python -m tools.shell_files

docs: $(VENV)/.docs ## the site of docs/, in build/site; `python -m http.server -d build/site` shows it
	$(SITE)

plugins: $(VENV)/.installed ## the plugins for agents, in plugins/, from what is declared
	$(BIN)/python -m tools.make_plugins

try-agents: $(VENV)/.installed ## memtui in the programs of agents from npm, with a model that only calls tools, or in AGENTS="codex pi"; Linux
	$(BIN)/python -m tools.try_agents $(if $(AGENTS),--agents $(AGENTS))

spec: $(VENV)/.installed ## which tests prove each requirement, in docs/spec.md
	$(BIN)/python tools/make_spec.py

dist: $(VENV)/.dist ## build the wheel and the sdist, install each by pip, pipx and uv, and try them; all tests of the sdist with TESTS=tests
	PYTHONPATH=tests:. $(BIN)/python -m tools.make_dist $(if $(TESTS),--tests $(TESTS))

lock: $(VENV)/.dist ## every dependency with its hashes, in packaging/requirements.txt
	$(BIN)/python -m tools.make_lock

bench: $(VENV)/.test ## speed, memory and coverage, on the sample sessions or on SOURCE=folder
	$(BIN)/python -m bench $(if $(SOURCE),--source $(SOURCE))

quality: $(VENV)/.test ## how well questions are answered, on the sample sessions or on SOURCE="folder another"
	$(BIN)/python -m bench.quality $(foreach folder,$(SOURCE),--source $(folder))

bench-install: $(VENV)/.dist ## cold installs by pip, pipx and uv: of the wheel in dist/, or of PACKAGES="memtui harlequin"
	$(BIN)/python -m bench.installing $(PACKAGES)

bench-vectors: $(VENV)/.test ## ways to the nearest vectors, with their recall
	$(BIN)/python -m bench.vectors

bench-large: $(VENV)/.test ## typing with 100,000 turns indexed; takes a quarter of an hour
	$(BIN)/python -m bench.large

bench-growth: $(VENV)/.test ## indexing, refresh, append and search beside 0.1 and 1 GB of invented transcripts, or GIGABYTES="0.1 1 5"; beside another program with BESIDE="command {source} {data}"
	$(BIN)/python -m bench.growth $(if $(GIGABYTES),--gigabytes $(GIGABYTES)) $(if $(BESIDE),--beside '$(BESIDE)')

bench-huge: $(VENV)/.test ## memory and time of one huge transcript and of many tiny ones; of the full size with MEGABYTES=4000 FILES=200000
	$(BIN)/python -m bench.huge --megabytes $(or $(MEGABYTES),100) --files $(or $(FILES),5000)

bench-embedding: $(VENV)/.test ## from turns to vectors beside bare onnxruntime, on the sample sessions or on SOURCE=folder
	$(BIN)/python -m bench.embedding $(if $(SOURCE),--source $(SOURCE))

bench-explorer: $(VENV)/.test ## the app's start and its keys beside bare Textual apps; takes four minutes on a quiet machine
	$(BIN)/python -m bench.explorer $(if $(SOURCE),--source $(SOURCE))

bench-cold: $(VENV)/.test ## cold commands and hooks beside python -c pass, and what a waiting app and indexer take; Linux
	$(BIN)/python -m bench.cold $(if $(SOURCE),--source $(SOURCE))

bench-review: $(VENV)/.test ## how well reviews of compactions tell what was lost, on SOURCE=folder; without it how fast they open
	$(BIN)/python -m bench.review $(if $(SOURCE),--source $(SOURCE),--times)

bench-agents: $(VENV)/.test ## what the transcripts of each agent contain beside what memtui has of them, of the samples or of AGENTS="codex=folder pi=folder"
	$(BIN)/python -m bench.agents $(AGENTS)

bench-secrets: $(VENV)/.test ## how many invented secrets are replaced, and what else
	$(BIN)/python -m bench.secrets

bench-recall: $(VENV)/.test ## how often agents are reminded of earlier work on a file, on the sample sessions or on SOURCE=folder
	$(BIN)/python -m bench.recall $(if $(SOURCE),--source $(SOURCE))

bench-blame: $(VENV)/.test ## how many lines are claimed for the turn that wrote them, and how many claims are right, on the sample sessions or on SOURCE=folder
	$(BIN)/python -m bench.blame $(if $(SOURCE),--source $(SOURCE))

bench-decisions: $(VENV)/.test ## what counts as a decision, and how many of the sentences that were read are some, on the sample sessions or on SOURCE=folder
	$(BIN)/python -m bench.decisions $(if $(SOURCE),--source $(SOURCE))

bench-told: $(VENV)/.test ## how much of what sessions open again stands in the digest and in what comes after a compaction, on the sample sessions or on SOURCE=folder
	$(BIN)/python -m bench.told $(if $(SOURCE),--source $(SOURCE))

bench-live: $(VENV)/.test ## what is written, and how soon it is found, while transcripts grow beside 0.1, 1 and 5 GB of history; Linux, half an hour
	$(BIN)/python -m bench.live $(if $(SOURCE),--source $(SOURCE))

bench-team: $(VENV)/.test ## a team's server: pushing, searching and its size, with 0.1 million turns or TURNS="100000 1000000"; Linux
	$(BIN)/python -m bench.team $(if $(TURNS),--turns $(TURNS))

fuzz: $(VENV)/.test ## a million mutated inputs of readers, queries, rendering and redaction, or INPUTS=20000, by SEED
	nice -n 19 $(BIN)/python -m bench.fuzz --inputs $(or $(INPUTS),1000000) $(if $(SEED),--seed $(SEED)) --minutes 600

kills: $(VENV)/.test ## the process that writes an index is killed 200 times, and once at each named step; on the sample sessions or on SOURCE=folder; Linux
	$(BIN)/python -m bench.kills $(if $(SOURCE),--source $(SOURCE)) $(if $(N),--kills $(N))

soak: $(VENV)/.test ## app, MCP clients and growing sessions for ten MINUTES: memory, files and disk must stay flat; Linux
	$(BIN)/python -m bench.soak $(if $(SOURCE),--source $(SOURCE)) $(if $(MINUTES),--minutes $(MINUTES))

mutants: $(VENV)/.mutation ## how many small changes of the core no test notices; N changes in each area, by SEED, for at most MINUTES
	nice -n 19 $(BIN)/python -m bench.mutants $(if $(N),--most $(N)) $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES))

clean:
	rm -rf $(VENV)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group test
	@touch $@

$(VENV)/.lint: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --group lint
	@touch $@

$(VENV)/.dist: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --group dist
	@touch $@

$(VENV)/.docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

$(VENV)/.mutation: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --group mutation
	@touch $@
