"""Sessions of Claude Code that are taken back to one of their turns."""

from __future__ import annotations

import stat
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest

from memtui_core.errors import MemtuiError, NothingBefore, SourceUnreadable
from memtui_core.index.index import Index
from memtui_core.memory.rewind.rewound import Rewound
from memtui_core.store.archive.transcripts import TranscriptArchive
from memtui_core.store.data_folder import DataDir
from memtui_core.system.systems import IS_WINDOWS
from support.indexes import build, update
from support.transcripts import SESSION, Script

NOW = datetime(2026, 11, 2, tzinfo=UTC)


def home_with(tmp_path: Path, script: Script) -> Path:
    script.write(tmp_path / "claude" / "projects" / "-home-ana-code-shop")
    return tmp_path / "claude"


def orchard() -> Script:
    """Three turns, the second with two calls beside each other, and a fourth after a compaction."""
    script = Script()
    script.raw({"type": "file-history-snapshot", "messageId": "e0", "snapshot": {}})
    script.user("Plant apples")  # e0
    script.says("Apples are planted.")  # e1
    script.user("Plant pears")  # e2
    script.calls("Read", {"file_path": "a"}, "t1", "m3")  # e3
    script.calls("Read", {"file_path": "b"}, "t2", "m3")  # e4
    script.result("a", "t1", parentUuid="e3")  # e5
    script.result("b", "t2", parentUuid="e4")  # e6
    script.says("Pears are planted.")  # e7
    script.raw({"type": "ai-title", "aiTitle": "An orchard", "sessionId": SESSION})
    script.user("Plant plums")  # e8
    script.says("Plums are planted.")  # e9
    script.compacts("Three kinds of trees.")  # e10, e11
    script.lines[-2] = orjson.dumps({**orjson.loads(script.lines[-2]), "parentUuid": None, "logicalParentUuid": "e9"})
    script.user("Plant figs")  # e12
    script.says("Figs are planted.")  # e13
    return script


def rewound(index: Index, home: Path, turn: int, *, before: bool = False) -> Rewound:
    session = index.sessions.find(SESSION)
    environ = {"CLAUDE_CONFIG_DIR": str(home)}
    return index.handoffs.rewound(session.key, turn, environ, NOW, before=before)


def entries(made: Rewound) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in made.file.content.splitlines()]


def uuids(made: Rewound) -> list[str]:
    return [entry["uuid"] for entry in entries(made) if "uuid" in entry]


def names(*numbers: int) -> list[str]:
    return [f"e{number}" for number in numbers]


def test_a_session_ends_after_a_turn_or_before_it(tmp_path: Path) -> None:
    home = home_with(tmp_path, orchard())
    with closing(build(tmp_path / "data", home / "projects")) as index:
        kept = {
            (turn, before): uuids(rewound(index, home, turn, before=before))
            for turn, before in [
                (1, False),
                (2, True),
                (2, False),
                (3, False),
                (4, True),
                (4, False),
                (5, True),
                (5, False),
            ]
        }
    upto = [*range(8)]
    assert kept == {
        (1, False): names(0, 1),
        (2, True): names(0, 1),
        (2, False): names(*upto),
        (3, False): names(*upto, 8, 9),
        # Turn 4 is the summary: before it lies the context that it replaced.
        (4, True): names(*upto, 8, 9),
        (4, False): names(*upto, 8, 9, 10, 11),
        (5, True): names(*upto, 8, 9, 10, 11),
        (5, False): names(*upto, 8, 9, 10, 11, 12, 13),
    }


def test_entries_are_those_of_the_other_session_under_a_new_id(tmp_path: Path) -> None:
    script = Script()
    script.user('say "sessionId":"' + SESSION + '" and \u2713', sessionKind="bg")
    script.says("Said.")
    home = home_with(tmp_path, script)
    with closing(build(tmp_path / "data", home / "projects")) as index:
        made = rewound(index, home, 1)
    first, second, title = made.file.content.splitlines()
    origin = b'{"forkedFrom":{"sessionId":"%s","messageUuid":"e%d"},'
    new, old = made.session_id.encode(), SESSION.encode()
    key = b'"sessionId":"%s"'
    for number, line in enumerate((first, second)):
        expected = script.lines[number].replace(b',"sessionKind":"bg"', b"").replace(key % old, key % new)
        assert line == origin % (old, number) + expected[1:]
    assert orjson.loads(title) == {
        "type": "custom-title",
        "customTitle": f"{made.origin.title} (up to turn 1)",
        "sessionId": made.session_id,
    }
    # What a person wrote about an id is not changed.
    assert SESSION in orjson.loads(first)["message"]["content"]
    assert made.file.path == home / "projects" / "-home-ana-code-shop" / f"{made.session_id}.jsonl"
    assert (made.command, made.folder) == (["claude", "--resume", made.session_id], "/home/ana/code/shop")


def test_branches_that_the_user_left_are_not_copied(tmp_path: Path) -> None:
    script = Script()
    script.user("Plant apples")  # e0
    script.says("Planted.")  # e1
    script.user("Plant cacti")  # e2
    script.says("Cacti are planted.")  # e3
    script.user("Plant pears", parentUuid="e1")  # e4: the user went back
    script.says("Pears are planted.")  # e5
    script.user("a subagent", isSidechain=True, parentUuid="e4")  # e6
    home = home_with(tmp_path, script)
    with closing(build(tmp_path / "data", home / "projects")) as index:
        kept = {
            (turn, before): uuids(rewound(index, home, turn, before=before))
            for turn, before in [(2, False), (3, True), (3, False)]
        }
    assert kept == {(2, False): names(0, 1, 2, 3), (3, True): names(0, 1), (3, False): names(0, 1, 4, 5)}


def test_a_prompt_after_messages_that_a_compaction_kept_comes_after_its_summary(tmp_path: Path) -> None:
    script = Script()
    script.user("Plant apples")  # e0
    script.says("Planted.")  # e1
    script.compacts("Apples.")  # e2, e3
    kept = {"preservedSegment": {"headUuid": "e1", "anchorUuid": "e3", "tailUuid": "e1"}}
    boundary = {**orjson.loads(script.lines[2]), "parentUuid": None, "logicalParentUuid": "e1", "compactMetadata": kept}
    script.lines[2] = orjson.dumps(boundary)
    script.user("Plant pears", parentUuid="e1")  # e4
    script.says("Pears are planted.")  # e5
    home = home_with(tmp_path, script)
    with closing(build(tmp_path / "data", home / "projects")) as index:
        made = {
            (turn, before): uuids(rewound(index, home, turn, before=before))
            for turn, before in [(3, True), (3, False), (2, True)]
        }
    assert made == {(3, True): names(0, 1, 2, 3), (3, False): names(0, 1, 2, 3, 4, 5), (2, True): names(0, 1)}


def test_no_call_is_left_open_at_the_end(tmp_path: Path) -> None:
    script = Script()
    script.user("Plant apples")  # e0
    script.says("I look first.", "m1")  # e1
    script.calls("Read", {"file_path": "a"}, "t1", "m1")  # e2
    script.entry("attachment", attachment={"type": "hook_success", "content": "ok"})  # e3
    script.user("Stop. Plant pears")  # e4
    script.calls("Read", {"file_path": "b"}, "t2", "m2")  # e5
    script.calls("Read", {"file_path": "c"}, "t3", "m2")  # e6
    script.result("c", "t3")  # e7
    home = home_with(tmp_path, script)
    with closing(build(tmp_path / "data", home / "projects")) as index:
        assert uuids(rewound(index, home, 1)) == names(0, 1)
        # The first of two calls beside each other has no result, but the conversation goes on from it.
        assert uuids(rewound(index, home, 2)) == names(0, 1, 2, 3, 4, 5, 6, 7)


def test_the_other_session_stays_as_it_is_and_nothing_is_replaced(tmp_path: Path) -> None:
    home = home_with(tmp_path, orchard())
    transcript = home / "projects" / "-home-ana-code-shop" / f"{SESSION}.jsonl"
    before = sha256(transcript.read_bytes()).digest(), transcript.stat().st_mtime_ns
    with closing(build(tmp_path / "data", home / "projects")) as index:
        made = rewound(index, home, 2)
        assert list(transcript.parent.iterdir()) == [transcript]
        made.write()
        assert made.file.path.read_bytes() == made.file.content
        with pytest.raises(MemtuiError, match="File exists"):
            made.write()
        target = tmp_path / "elsewhere"
        again = rewound(index, home, 2)
        again.file.path.symlink_to(target)
        with pytest.raises(MemtuiError, match="cannot be written"):
            again.write()
    assert not target.exists()
    assert (sha256(transcript.read_bytes()).digest(), transcript.stat().st_mtime_ns) == before
    if not IS_WINDOWS:
        assert stat.S_IMODE(made.file.path.stat().st_mode) == 0o600


def test_a_rewound_session_is_a_fork_of_which_the_index_has_what_is_new(tmp_path: Path) -> None:
    home, data = home_with(tmp_path, orchard()), tmp_path / "data"
    with closing(build(data, home / "projects")) as index:
        made = rewound(index, home, 2)
        made.write()
        turns = index.sessions.turns(index.sessions.find(SESSION).key)
    update(data, home / "projects")
    with closing(Index.open(data)) as index:
        assert [session.session_id for session in index.sessions.all()] == [SESSION]
        assert [replace(turn, id=0) for turn in index.sessions.turns(index.sessions.find(SESSION).key)] == [
            replace(turn, id=0) for turn in turns
        ]
    more = Script(made.session_id, prefix="n")
    more.count = 50
    more.user("Plant quinces", parentUuid="e7")
    more.says("Quinces are planted.")
    with made.file.path.open("ab") as file:
        file.write(more.bytes())
    update(data, home / "projects")
    # The same when both are read at once, whichever is first.
    for folder in (data, tmp_path / "again"):
        update(folder, home / "projects")
        with closing(Index.open(folder)) as index:
            found = {one.session_id: (one.forked_from, one.turns) for one in index.sessions.all()}
            hits = index.search("pears").hits
        assert found == {SESSION: (None, 5), made.session_id: (SESSION, 1)}
        assert {hit.session_id for hit in hits} == {SESSION}


def test_a_rewound_session_can_be_rewound(tmp_path: Path) -> None:
    home, data = home_with(tmp_path, orchard()), tmp_path / "data"
    with closing(build(data, home / "projects")) as index:
        made = rewound(index, home, 2)
        made.write()
    more = Script(made.session_id, prefix="n")
    more.count = 50
    more.user("Plant quinces", parentUuid="e7")
    more.says("Quinces are planted.")
    with made.file.path.open("ab") as file:
        file.write(more.bytes())
    update(data, home / "projects")
    with closing(Index.open(data)) as index:
        key = index.sessions.find(made.session_id).key
        again = index.handoffs.rewound(key, 1, {"CLAUDE_CONFIG_DIR": str(home)}, NOW)
        with pytest.raises(NothingBefore, match=rf"forked: memtui rewind {SESSION}:2 goes on from there\.$"):
            index.handoffs.rewound(key, 1, {"CLAUDE_CONFIG_DIR": str(home)}, NOW, before=True)
    assert uuids(again) == [*names(*range(8)), "n50", "n51"]


def test_a_fork_of_a_fork_takes_no_turns_of_it(tmp_path: Path) -> None:
    home, data = home_with(tmp_path, orchard()), tmp_path / "data"
    with closing(build(data, home / "projects")) as index:
        first = rewound(index, home, 2)
        first.write()
    _goes_on(first, "Plant quinces", parent="e7", count=50, prefix="n")
    update(data, home / "projects")
    with closing(Index.open(data)) as index:
        key = index.sessions.find(first.session_id).key
        second = index.handoffs.rewound(key, 1, {"CLAUDE_CONFIG_DIR": str(home)}, NOW)
        second.write()
    # The fork of the fork goes on before the fork does.
    _goes_on(second, "Plant medlars", parent="n51", count=60, prefix="m")
    _goes_on(first, "Plant figs", parent="n51", count=70, prefix="n")
    for folder in (data, tmp_path / "again"):
        update(folder, home / "projects")
        with closing(Index.open(folder)) as index:
            found = {one.session_id: (one.forked_from, one.turns) for one in index.sessions.all()}
        assert found == {
            SESSION: (None, 5),
            first.session_id: (SESSION, 2),
            second.session_id: (first.session_id, 1),
        }


def _goes_on(made: Rewound, prompt: str, *, parent: str, count: int, prefix: str) -> None:
    more = Script(made.session_id, prefix=prefix)
    more.count = count
    more.user(prompt, parentUuid=parent)
    more.says("It is planted.")
    with made.file.path.open("ab") as file:
        file.write(more.bytes())


def test_what_cannot_be_rewound(tmp_path: Path) -> None:
    home, data = home_with(tmp_path, orchard()), tmp_path / "data"
    transcript = home / "projects" / "-home-ana-code-shop" / f"{SESSION}.jsonl"
    child = Script(prefix="c")
    child.user("look", isSidechain=True, agentId="a1")
    child.write(transcript.with_suffix("") / "subagents", "agent-a1.jsonl")
    with closing(build(data, home / "projects")) as index:
        with pytest.raises(NothingBefore, match="nothing before this turn"):
            rewound(index, home, 1, before=True)
        with pytest.raises(NothingBefore, match="5 turns"):
            rewound(index, home, 6)
        with pytest.raises(MemtuiError, match=r"is a subagent.*memtui handoff agent-a1:1-1 gives"):
            index.handoffs.rewound(index.sessions.find("agent-a1").key, 1, {}, NOW)
        content = transcript.read_bytes()
        transcript.write_bytes(content[:100])
        with pytest.raises(SourceUnreadable, match="has changed since it was indexed"):
            rewound(index, home, 1)
        transcript.unlink()
        with pytest.raises(SourceUnreadable, match="is gone, and the archive does not have it"):
            rewound(index, home, 1)


def test_a_transcript_that_is_gone_is_read_from_the_archive_without_its_secrets(tmp_path: Path) -> None:
    script = orchard()
    script.user("The key is sk-ant-api03-" + "Ab1" * 31 + "-AA")  # e14
    script.says("I keep it.")  # e15
    home, data = home_with(tmp_path, script), tmp_path / "data"
    transcript = home / "projects" / "-home-ana-code-shop" / f"{SESSION}.jsonl"
    with closing(build(data, home / "projects")) as index:
        archive = TranscriptArchive(DataDir(data))
        archive.add(transcript, "claude-code", str(transcript), None)
        archive.flush()
        transcript.unlink()
        made = rewound(index, home, 6)
    assert made.is_archived
    assert uuids(made)[-2:] == names(14, 15)
    assert entries(made)[-3]["message"]["content"].startswith("The key is [redacted:")
    made.write()
    update(data, home / "projects")
    with closing(Index.open(data)) as index:
        assert [(one.session_id, one.turns) for one in index.sessions.all()] == [(SESSION, 6)]


def test_sessions_of_other_agents_are_handed_on_instead(tmp_path: Path) -> None:
    samples = Path(__file__).parents[4] / "sample_sessions"
    with closing(build(tmp_path / "data", samples / "opencode", samples / "pi", agent=None)) as index:
        sessions = [one for one in index.sessions.all() if one.turns]
        said = {}
        for session in sessions:
            with pytest.raises(MemtuiError) as refused:
                index.handoffs.rewound(session.key, 1, {}, NOW)
            said[session.agent] = str(refused.value).replace(session.session_id, "ID")
    handoff = "memtui handoff ID:1-1 gives an agent these turns as a text."
    assert said == {
        "opencode": f"memtui cannot write a session of OpenCode that goes on from there. {handoff}",
        "pi": f"memtui cannot write a session of Pi that goes on from there. {handoff}",
    }
