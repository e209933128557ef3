"""What agents were told: kept for the user, not told again, and gone with what was forgotten."""

from __future__ import annotations

import json
import os
from itertools import count
from pathlib import Path

import pytest

from memtui_core.store.marks import reminder_log
from memtui_core.store.marks.reminder_log import MAX_AGE, ReminderLog, SentReminder


@pytest.fixture
def log(tmp_path: Path) -> ReminderLog:
    """A log whose clock goes on by a second with each record."""
    seconds = count(1_800_000_000)
    return ReminderLog(tmp_path, lambda: next(seconds))


def test_a_conversation_has_keys_until_it_loses_its_context(log: ReminderLog) -> None:
    log.record("s", keys=["file a.py", "x:1"], references=["x:1", "y:2"], event="PreToolUse", text="about a.py")
    log.record("s", "a1", keys=["x:3"], text="to the subagent")
    assert (log.keys("s"), log.keys("s", "a1"), log.keys("other")) == ({"file a.py", "x:1"}, {"x:3"}, set())
    log.clear("s")
    assert (log.keys("s"), log.keys("s", "a1")) == (set(), {"x:3"})
    log.record("s", keys=["x:1"], text="again")
    assert log.keys("s") == {"x:1"}


def test_what_was_told_stays_in_order_and_notes_of_hooks_are_no_part_of_it(log: ReminderLog) -> None:
    log.record("s", keys=["compacted 7"])
    log.record("s", references=["x:1"], event="UserPromptSubmit", text="one\n\u2028two")
    log.record("s", "a1", event="SubagentStart", text="files")
    log.clear("s")
    log.record("s", references=["x:1"], event="PreToolUse", text="three")
    log.record("s")
    log.record("", text="to nobody")
    first = SentReminder(1_800_000_001, "UserPromptSubmit", "", ("x:1",), "one\n\u2028two")
    agents = SentReminder(1_800_000_002, "SubagentStart", "a1", (), "files")
    last = SentReminder(1_800_000_003, "PreToolUse", "", ("x:1",), "three")
    assert log.reminders("s") == [first, agents, last]
    assert log.reminders("agent-a1") == [agents]
    assert log.reminders("") == log.reminders("agent-") == log.reminders("other") == []


def test_a_line_that_was_not_written_whole_costs_that_line(log: ReminderLog, tmp_path: Path) -> None:
    log.record("s", keys=["x:1"], text="one")
    broken = b'{"at": 1, "text": "ha\n7\n{"at": "soon", "text": "t", "references": 7, "keys": [1, "z:1"]}\n\xff\n'
    with (tmp_path / "told" / "s").open("ab") as file:
        file.write(broken)
    log.record("s", keys=["x:2"], text="two")
    assert [reminder.text for reminder in log.reminders("s")] == ["one", "two"]
    assert log.keys("s") == {"x:1", "x:2", "z:1"}


def test_a_full_file_takes_no_more_texts_and_then_nothing(log: ReminderLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reminder_log, "_MAX_TEXTS", 100)
    monkeypatch.setattr(reminder_log, "_MAX_BYTES", 300)
    log.record("s", keys=["x:1"], text="t" * 100)
    log.record("s", keys=["x:2"], references=["x:2"], text="t" * 100)
    log.record("s", text="t" * 100)
    assert [(one.references, len(one.text)) for one in log.reminders("s")] == [((), 100), (("x:2",), 0), ((), 0)]
    log.record("s", keys=["x:3"], text="t")
    assert log.keys("s") == {"x:1", "x:2"}


def test_what_is_old_by_any_clock_is_deleted(tmp_path: Path) -> None:
    now = 1_800_000_000.0
    log = ReminderLog(tmp_path, lambda: now)
    ages = {"old": MAX_AGE + 1, "young": MAX_AGE - 1, "ahead": 1 - MAX_AGE, "future": -MAX_AGE - 1}
    for name, age in ages.items():
        log.record(name, keys=["key"])
        os.utime(tmp_path / "told" / name, (now - age,) * 2)
    log.remove_old()
    assert sorted(path.name for path in (tmp_path / "told").iterdir()) == ["ahead", "young"]


def test_a_session_cannot_name_a_file_elsewhere(tmp_path: Path) -> None:
    log = ReminderLog(tmp_path / "data")
    log.record("../../x/..", keys=["key"])
    assert [path.name for path in (tmp_path / "data" / "told").iterdir()] == ["x"]
    assert (log.keys("../../x/.."), log.keys("")) == ({"key"}, set())
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.spec("S6.6")
def test_what_is_forgotten_is_gone_from_what_was_told(log: ReminderLog, tmp_path: Path) -> None:
    log.record("s", keys=["gone:2"], references=["x:1", "gone:2"], text="cites it")
    log.record("s", "a1", references=["x:1"], text="does not")
    log.record("gone", references=["x:1"], text="own")
    log.record("gone", "a2", text="of its subagent")
    log.record("parent", "a3", text="of a forgotten subagent")
    log.forget(["gone", "agent-a3"])
    assert [(one.agent, one.text) for one in log.reminders("s")] == [("", ""), ("a1", "does not")]
    assert log.keys("s") == {"gone:2"}, "it is still not told again"
    assert sorted(path.name for path in (tmp_path / "told").iterdir()) == ["+removals", "s", "s.a1"]
    log.remove_texts()
    assert [(one.agent, one.text, one.references) for one in log.reminders("s")] == [
        ("", "", ("x:1", "gone:2")),
        ("a1", "", ("x:1",)),
    ]
    assert all(
        not json.loads(line).get("text")
        for path in (tmp_path / "told").iterdir()
        for line in path.read_text("utf-8").splitlines()
    )


def test_what_a_hook_appends_while_texts_are_removed_stays(log: ReminderLog, tmp_path: Path) -> None:
    log.record("s", keys=["x:1"], references=["gone:1"], text="cites it: ü\u2028")
    with (tmp_path / "told" / "s").open("ab") as hook:
        log.forget(["gone"])
        hook.write(b'{"at": 7, "keys": ["x:2"], "text": "of another hook"}\n{"at": 8, "te')
    assert log.keys("s") == {"x:1", "x:2"}
    log.remove_texts()
    assert [one.text for one in log.reminders("s")] == ["", ""]
    assert log.keys("s") == {"x:1", "x:2"}


@pytest.mark.parametrize("way", ["forget", "remove_texts"])
@pytest.mark.parametrize("is_first", [False, True])
def test_a_text_of_what_a_hook_read_before_it_was_forgotten_does_not_stay(
    tmp_path: Path, way: str, is_first: bool
) -> None:
    """Its keys stay, and a hook that begins later keeps its text."""
    if not is_first:
        ReminderLog(tmp_path).record("s", keys=["x:1"], text="before")
    hook, own = ReminderLog(tmp_path), ReminderLog(tmp_path)
    if way == "forget":
        ReminderLog(tmp_path).forget(["gone"])
    else:
        ReminderLog(tmp_path).remove_texts()
    hook.record("s", keys=["x:2"], references=["gone:1"], text="cites \ud800 it")
    own.record("gone", keys=["x:3"], text="to the forgotten one")
    ReminderLog(tmp_path).record("s", keys=["x:4"], text="after")
    expected = ([] if is_first else ["before" if way == "forget" else ""]) + ["", "after"]
    assert [one.text for one in ReminderLog(tmp_path).reminders("s")] == expected
    assert ReminderLog(tmp_path).keys("s") == {"x:2", "x:4"} | (set() if is_first else {"x:1"})
    assert [one.text for one in ReminderLog(tmp_path).reminders("gone")] == [""]


def test_a_removed_text_leaves_no_byte_of_it_and_all_else_in_its_place(log: ReminderLog, tmp_path: Path) -> None:
    path = tmp_path / "told" / "s"
    for text in ("a", "long " * 300, "ü"):
        log.record("s", keys=[text[:4]], references=["gone:1"], text=text)
        log.record("s", keys=["note"])
    with path.open("ab") as file:
        file.write(b'{"text":"q","references":["gone:1"],"at":1e2}')
    before = path.read_bytes()
    log.forget(["gone"])
    after = path.read_bytes()
    assert [len(line) for line in after.split(b"\n")] == [len(line) for line in before.split(b"\n")]
    assert after.split(b"\n")[1] == before.split(b"\n")[1]
    assert log.keys("s") == {"a", "long", "ü", "note"}
    assert b'"text": "' not in after
    assert {one.text for one in log.reminders("s")} == {""}
