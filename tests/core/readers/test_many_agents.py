"""The sample sessions of all agents in one index: nothing is lost, and everything works for every agent."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

import bench.agents.__main__ as agents_bench
from bench.agents._compared import SHARES, compared
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from memtui_core.readers.registry import all_readers, label, readers, resume_command, starting_readers
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.pairing import paired

IMPORTED = {"chatgpt", "claude-ai", "generic"}
"""Formats of which the samples have no file, because their files are only read when they are named."""
AGENTS = sorted({reader.agent for reader in all_readers()} - IMPORTED)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many") / "data"
    with Indexer(folder) as indexer:
        for _ in indexer.update([Location(None, samples) for samples in agents_bench.SAMPLES if samples.is_dir()]):
            pass
    return folder


@pytest.fixture
def index(data: Path) -> Index:
    return Index.open(data)


def test_every_sample_is_read_by_the_reader_of_its_agent(index: Index) -> None:
    by_agent = defaultdict(set)
    for source in index.statistics.sources():
        if source.state not in {"ignored", "empty"}:
            folder = next(folder for folder in agents_bench.SAMPLES if folder in Path(source.path).parents)
            by_agent[Path(source.path).relative_to(folder).parts[0]].add(source.agent)
    others = {agents_bench.samples_of(agent).name: {agent} for agent in AGENTS if agent != "claude-code"}
    assert dict(by_agent) == {"projects": {"claude-code"}, **others}
    assert index.sessions.agents() == AGENTS
    assert index.sessions.variety().agents
    assert [source.path for source in index.statistics.sources() if source.state == "error"] == []


@pytest.mark.parametrize("name", AGENTS)
def test_everything_in_the_samples_is_in_the_index(name: str, data: Path) -> None:
    made = compared(name, agents_bench.samples_of(name), data, search=False)
    assert made.shares == dict.fromkeys(SHARES, 1.0)
    assert [difference for difference in made.differences if not difference.reason] == []
    assert min(made.totals["text"], made.shown, made.raw["calls"]) > 0


def test_one_project_of_many_agents_is_one_project(index: Index) -> None:
    roots = defaultdict(set)
    for session in index.sessions.all():
        roots[session.root].add(session.agent)
    assert {root: len(agents) > 3 for root, agents in roots.items() if root.startswith("/home/ana/code/")} == {
        f"/home/ana/code/{name}": True for name in ("infra", "shop-api", "site")
    }
    by_agent = index.sessions.projects("agent")
    assert {project.agent for project in by_agent if project.name == "shop-api"} == roots["/home/ana/code/shop-api"]
    [project] = [project for project in index.sessions.projects() if project.name == "shop-api"]
    assert project.sessions == sum(one.sessions for one in by_agent if one.name == "shop-api")
    for one in by_agent:
        assert {session.agent for session in index.sessions.all(one)} == {one.agent}


def test_a_question_is_answered_from_the_sessions_of_several_agents(index: Index) -> None:
    answers = {hit.agent for hit in index.search("do the backups work", 60).hits}
    assert {"claude-code", "codex", "copilot", "goose"} <= answers
    for agent in AGENTS:
        assert {hit.agent for hit in index.search(f"agent:={agent}", 60).hits} == {agent}
    assert {hit.agent for hit in index.search("the agent:co", 60).hits} == {"codex", "continue", "copilot"}
    assert sorted(index.search.filter_values()["agent"]) == AGENTS


WITHOUT_EDITS = {"roo", "kilo"}
"""Agents whose samples change no file."""


@pytest.mark.parametrize("agent", AGENTS)
def test_edits_have_diffs_and_files_have_histories(agent: str, index: Index) -> None:
    shown = set()
    for session in (session for session in index.sessions.all() if session.agent == agent):
        for turn in index.sessions.whole_turns(session.key, 1, session.turns):
            for call in paired(turn.blocks):
                shows_change = diff_of(call) or any(edit.kind == "write" for edit in call.edits)
                if shows_change and not call.is_error:
                    shown |= set(call.paths)
    assert bool(shown) is (agent not in WITHOUT_EDITS)
    rows = index.snapshot.rows(
        "SELECT DISTINCT m.path, s.root FROM file_mentions m JOIN sessions s ON s.key = m.session"
        " WHERE s.agent = ? AND m.kind = 'edited' ORDER BY ALL",
        [agent],
    )
    assert bool(rows) is (agent not in WITHOUT_EDITS)
    for path, root in rows:
        touches = index.files.touches(path, root)
        assert agent in {index.sessions.get(touch.session).agent for touch in touches.rows if touch.kind == "edited"}


def test_every_agent_has_a_label_and_a_name_of_its_own() -> None:
    made = all_readers()
    assert len({reader.label for reader in made}) == len({reader.name for reader in made}) == len(made)
    assert all(len(reader.label) == 2 for reader in made)
    assert (label("codex"), label("nobody")) == ("cx", "no")


def test_a_session_is_resumed_by_the_agent_that_wrote_it(index: Index) -> None:
    commands = {}
    for session in index.sessions.all():
        if (command := resume_command(session)) is not None:
            assert session.session_id in command
            commands[session.agent] = command[0]
    assert commands["codex"] == "codex"
    assert set(commands) == {reader.agent for reader in readers() if reader.resume_command("x") is not None} - IMPORTED
    assert [reader.agent for reader in starting_readers()][:2] == ["claude-code", "codex"]
