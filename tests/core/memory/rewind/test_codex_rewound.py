"""Rollouts of Codex that are taken back to one of their turns."""

from __future__ import annotations

import re
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from memtui_core.errors import MemtuiError, NothingBefore
from memtui_core.index.index import Index
from memtui_core.memory.rewind.rewound import Rewound
from memtui_core.system.compression import zstd
from support.indexes import build, update
from support.rollouts import OTHER, THREAD, Rollout

NOW = datetime(2026, 7, 2, 12, tzinfo=UTC)


def orchard(*, event_first: bool = True) -> Rollout:
    """Three turns, with a compaction before the third."""
    rollout = Rollout(session_id=THREAD)
    for number, tree in enumerate(("apples", "pears", "plums")):
        if number == 2:
            rollout.add("compacted", message="Apples and pears are planted.")
            rollout.event("context_compacted")
        rollout.event("task_started", turn_id=f"t{number}")
        rollout.turn(f"t{number}")
        rollout.item("message", role="developer", content=[{"type": "input_text", "text": f"rules {number}"}])
        rollout.user(f"Plant {tree}")
        rollout.shell("ls", tree)
        text = f"Planted {tree}."
        if event_first:
            rollout.event("agent_message", message=text)
            rollout.answer_item(text)
        else:
            rollout.answer_item(text)
            rollout.event("agent_message", message=text)
        rollout.event("task_complete", turn_id=f"t{number}", last_agent_message=text)
        rollout.event("thread_name_updated", thread_id=THREAD, thread_name="An orchard")
    return rollout


def rewound(index: Index, home: Path, turn: int, *, before: bool = False) -> Rewound:
    session = index.sessions.find(THREAD)
    return index.handoffs.rewound(session.key, turn, {"CODEX_HOME": str(home)}, NOW, before=before)


def lines(made: Rewound) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in made.file.content.splitlines()]


@pytest.mark.parametrize("event_first", [True, False])
def test_a_rollout_ends_after_a_turn_or_before_it(tmp_path: Path, event_first: bool) -> None:
    rollout = orchard(event_first=event_first)
    rollout.write(tmp_path / "codex")
    names = [number for number, line in enumerate(rollout.lines) if b"thread_name_updated" in line]
    with closing(build(tmp_path / "data", tmp_path / "codex", agent="codex")) as index:
        kept = {
            (turn, before): rewound(index, tmp_path / "codex", turn, before=before).file.content.splitlines()
            for turn, before in [(1, False), (2, True), (2, False), (3, True), (3, False), (4, True), (4, False)]
        }
    own = [line for number, line in enumerate(rollout.lines) if number and number not in names]
    # A turn is 10 lines without the name; the compaction, which is turn 3, has two more, an event the second.
    ends = {turn: turn * len(own[:-2]) // 3 for turn in (1, 2, 3)}
    assert ends == {1: 10, 2: 20, 3: 30}
    assert {place: content[1:-1] for place, content in kept.items()} == {
        (1, False): own[:10],
        (2, True): own[:10],
        (2, False): own[:20],
        (3, True): own[:20],
        (3, False): own[:21],
        (4, True): own[:22],
        (4, False): own,
    }


def test_a_rollout_is_described_as_a_fork_with_its_own_name(tmp_path: Path) -> None:
    orchard().write(tmp_path / "codex")
    with closing(build(tmp_path / "data", tmp_path / "codex", agent="codex")) as index:
        made = rewound(index, tmp_path / "codex", 1)
    first, *_, last = lines(made)
    payload = {"id": made.session_id, "timestamp": "2026-07-02T12:00:00.000Z", "cwd": "/home/ana/code/shop"}
    payload |= {"cli_version": "0.142.0", "source": "cli", "session_id": made.session_id, "forked_from_id": THREAD}
    assert first == {"timestamp": "2026-07-02T12:00:00.000Z", "type": "session_meta", "payload": payload}
    assert last["payload"] == {
        "type": "thread_name_updated",
        "thread_id": made.session_id,
        "thread_name": "An orchard (up to turn 1)",
    }
    local = NOW.astimezone()
    assert made.file.path == tmp_path / "codex" / "sessions" / f"{local:%Y/%m/%d}" / (
        f"rollout-{local:%Y-%m-%dT%H-%M-%S}-{made.session_id}.jsonl"
    )
    assert made.command == ["codex", "resume", made.session_id]


def test_calls_without_a_result_get_one(tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.user("Plant apples")
    rollout.shell("ls")
    rollout.call("exec_command", {"cmd": "plant"})
    rollout.custom("apply_patch", "*** Begin Patch")
    rollout.item("web_search_call", id="w1", action={"query": "apples"})
    rollout.write(tmp_path / "codex")
    with closing(build(tmp_path / "data", tmp_path / "codex", agent="codex")) as index:
        made = rewound(index, tmp_path / "codex", 1)
    assert [line["payload"] for line in lines(made)[-3:-1]] == [
        {"type": "function_call_output", "call_id": "call_2", "output": "aborted"},
        {"type": "custom_tool_call_output", "call_id": "call_3", "output": "aborted"},
    ]


def test_a_rewound_rollout_is_a_fork_of_which_the_index_has_what_is_new(tmp_path: Path) -> None:
    home, data = tmp_path / "codex", tmp_path / "data"
    orchard().write(home)
    with closing(build(data, home, agent="codex")) as index:
        made = rewound(index, home, 2)
    made.write()
    update(data, home, agent="codex")
    with closing(Index.open(data)) as index:
        assert [(one.session_id, one.turns) for one in index.sessions.all()] == [(THREAD, 4)]
    more = Rollout(made.session_id, meta=False)
    more.event("task_started", turn_id="n1")
    more.turn("n1")
    more.user("Plant quinces")
    more.answer("Quinces are planted.")
    with made.file.path.open("ab") as file:
        file.write(more.content)
    for folder in (data, tmp_path / "again"):
        update(folder, home, agent="codex")
        with closing(Index.open(folder)) as index:
            found = {one.session_id: (one.forked_from, one.turns) for one in index.sessions.all()}
        assert found == {THREAD: (None, 4), made.session_id: (THREAD, 1)}


def test_a_compressed_rollout_and_one_that_repeats_its_description(tmp_path: Path) -> None:
    rollout = orchard()
    rollout.add("session_meta", id=OTHER)
    rollout.add("session_meta", id=THREAD)
    rollout.event("task_started", turn_id="t9")
    rollout.user("Plant figs")
    rollout.answer("Figs.")
    path = rollout.write(tmp_path / "codex")
    path.with_name(f"{path.name}.zst").write_bytes(zstd.compress(path.read_bytes()))
    path.unlink()
    with closing(build(tmp_path / "data", tmp_path / "codex", agent="codex")) as index:
        made = rewound(index, tmp_path / "codex", 5)
    assert [line["payload"]["id"] for line in lines(made) if line["type"] == "session_meta"] == [made.session_id, OTHER]
    assert made.file.path.suffix == ".jsonl"


def test_what_cannot_be_rewound(tmp_path: Path) -> None:
    home = tmp_path / "codex"
    orchard().write(home)
    old = Rollout(OTHER, meta=False)
    old.raw({"id": OTHER, "timestamp": old.time(), "instructions": None})
    old.raw({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Plant"}]})
    old.raw({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Planted"}]})
    old.write(home)
    with closing(build(tmp_path / "data", home, agent="codex")) as index:
        with pytest.raises(NothingBefore, match="nothing before this turn"):
            rewound(index, home, 1, before=True)
        key = index.sessions.find(OTHER).key
        message = "memtui cannot write a session of Codex that goes on from there"
        with pytest.raises(MemtuiError, match=re.escape(message)):
            index.handoffs.rewound(key, 1, {"CODEX_HOME": str(home)}, NOW)
