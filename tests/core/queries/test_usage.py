"""What sessions used: tokens with those of subagents, their cost, and time without pauses."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui_core.export.as_json import as_json
from memtui_core.export.contents import Contents
from memtui_core.index.index import Index
from memtui_core.index.statistics import Cost, ModelUse, Prices, SessionUsage
from memtui_core.queries.statistics.prices import Price
from support.indexes import build
from support.transcripts import SESSION, START, Script

DAY = date(2026, 2, 15)
PRICES = Prices({"claude-opus-4-5": Price(1_000_000, 10_000_000, 0, 0, DAY)})
"""An input token costs a dollar, an output token ten."""


class Timed(Script):
    """A transcript whose next entry has the time `minutes` after the start."""

    minutes = 0.0

    def entry(self, kind: str, **fields: Any) -> dict[str, Any]:
        at = (START + timedelta(minutes=self.minutes)).isoformat().replace("+00:00", "Z")
        return super().entry(kind, **{"timestamp": at, **fields})


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """A session of two turns that starts a subagent, which starts another one; a pause in each turn, and between."""
    script = Timed()
    script.user("Fix the upload")
    script.minutes = 4
    script.calls("Task", {"description": "Find", "prompt": "Look."}, "t1")
    # The longest pause that counts.
    script.minutes = 14
    script.result("found", "t1", toolUseResult={"agentId": "a1", "status": "completed"})
    script.minutes = 15
    script.says("Fixed.")
    # Written when the user had been away for a while: nobody worked until then.
    script.minutes = 19
    script.entry("system", subtype="away_summary", content="You fixed the upload.")
    script.minutes = 300
    script.user("Push it")
    script.model = "unlisted"
    script.minutes = 302
    script.calls("Bash", {"command": "git push"}, "t2")
    # The user was asked for a permission, and came back after eleven minutes.
    script.minutes = 313
    script.result("pushed", "t2")
    script.says("Pushed.")
    script.write(tmp_path / "claude")
    for agent, prefix in (("a1", "c"), ("a2", "d")):
        child = Timed(prefix=prefix)
        child.minutes = 5
        child.user("Look.", isSidechain=True, agentId=agent)
        child.says("There.", isSidechain=True, agentId=agent)
        child.write(tmp_path / "claude", f"{SESSION}/subagents/agent-{agent}.jsonl")
    return build(tmp_path / "data", tmp_path / "claude")


def test_a_session_used_what_its_subagents_used_and_worked_in_its_turns_without_pauses(index: Index) -> None:
    [session] = index.sessions.all()
    usage = index.statistics.of_sessions([session.key])
    assert usage == {
        session.key: SessionUsage(
            (ModelUse("claude-opus-4-5", 1, 20, 10, 0, 0), ModelUse("unlisted", 1, 20, 10, 0, 0)),
            2,
            (ModelUse("claude-opus-4-5", 2, 20, 10, 0, 0),),
            timedelta(minutes=313),
            timedelta(minutes=15 + 2),
        )
    }
    assert (usage[session.key].input_tokens, usage[session.key].output_tokens) == (60, 30)
    assert usage[session.key].cost(PRICES) == Cost(40.0 + 200.0, 4, 3, ("unlisted",), (DAY,))


def test_a_turn_tells_how_long_the_agent_worked_without_pauses_and_the_recap(index: Index) -> None:
    [session] = index.sessions.all()
    told = [(turn.active, turn.ended_at) for turn in index.sessions.turns(session.key)]
    assert told == [
        (timedelta(minutes=15), START + timedelta(minutes=19)),
        # The last entry has the time of the one before it.
        (timedelta(minutes=2), START + timedelta(minutes=313)),
    ]
    assert [turn.active for turn in index.sessions.whole_turns(session.key, 1, 2)] == [active for active, _ in told]
    objects = json.loads(
        as_json(session, index.sessions.whole_turns(session.key, 1, 2), Contents(thinking=False, tools=False))
    )
    assert [turn["active_seconds"] for turn in objects["turns"]] == [900.0, 120.0]
    children = index.sessions.subagents(session.key)
    assert [turn.active for child in children for turn in index.sessions.turns(child.key)] == [timedelta()] * 2


def test_the_times_of_turns_add_up_to_that_of_their_session(sample_index: Path) -> None:
    index = Index.open(sample_index)
    keys = [session.key for session in index.sessions.all()]
    used = {key: usage.active for key, usage in index.statistics.of_sessions(keys).items()}
    turns = {key: [turn.active for turn in index.sessions.turns(key) if turn.active is not None] for key in keys}
    assert len(keys) > 10
    assert {key: sum(own, timedelta()) if own else None for key, own in turns.items()} == used


def test_a_subagent_used_its_own_tokens(index: Index) -> None:
    [session] = index.sessions.all()
    children = index.sessions.subagents(session.key)
    own = SessionUsage((ModelUse("claude-opus-4-5", 1, 10, 5, 0, 0),), 0, (), timedelta(), timedelta())
    assert index.statistics.of_sessions([child.key for child in children]) == {child.key: own for child in children}


def test_what_is_read_anew_is_the_input_with_what_is_written_to_the_cache() -> None:
    usage = SessionUsage((ModelUse("a", 1, 3, 5, 700, 90),), 1, (ModelUse("b", 1, 4, 6, 800, 10),))
    assert (usage.new_tokens, usage.cache_read_tokens, usage.cache_write_tokens) == (107, 1500, 100)


def test_a_session_without_times_or_tokens_has_none(tmp_path: Path) -> None:
    script = Script()
    script.entry("user", message={"role": "user", "content": "Hello"}, timestamp=None)
    script.write(tmp_path / "claude")
    index = build(tmp_path / "data", tmp_path / "claude")
    [session] = index.sessions.all()
    [usage] = index.statistics.of_sessions([session.key]).values()
    assert usage == SessionUsage((), 0, (), None, None)
    assert usage.cost(PRICES) == Cost(None, 0, 0, (), ())
    assert [turn.active for turn in index.sessions.turns(session.key)] == [None]
    assert index.statistics.of_sessions([]) == {}
