"""What an agent is told by its hooks, over real indexes, and that nothing ever keeps it from going on."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st
from watchfiles import watch

from memtui.agents.hooks import run as run_module
from memtui.agents.hooks.background_index import index_transcript
from memtui.agents.hooks.compaction_reminder import compaction_reminder, expect_summary, record_compaction_reminder
from memtui.agents.hooks.hook_call import HookCall, parse
from memtui.agents.hooks.hook_log import log_warning
from memtui.agents.hooks.process import parse_arguments
from memtui.agents.hooks.prompt_reminder import is_trivial, prompt_reminder
from memtui.agents.hooks.reminder_text import MAX_LENGTH, NOTICE, age, reminder, shortened
from memtui.agents.hooks.run import hook_output
from memtui_core.index.index import Index
from memtui_core.memory import compaction_brief
from memtui_core.memory.compaction_brief import MAX_BYTES, BriefItem, brief_text
from memtui_core.memory.recall.file_reminders import SnapshotConnection, turns_of_file
from memtui_core.memory.recall.recalled_turn import RecalledTurn
from memtui_core.memory.recall.similar_turns import RecallScope
from memtui_core.queries.current_project import project_at
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.reminder_log import ReminderLog
from memtui_core.store.marks.review_marks import ReviewMarks, row_key
from support.indexes import embed, review, update
from support.shop_and_blog import ROOT, edit, shop_and_blog
from support.transcripts import OTHER_SESSION, SESSION, START, Script

PROMPT = "why does the upload of pictures fail on slow networks"
HOOK = (
    "from memtui.agents.hooks import run; run.TIMEOUTS, run.DEFAULT_TIMEOUT = {}, 60.0;"
    " from memtui.cli.agents.hook import hook; hook()"
)
"""The command, with the time that a busy machine may need."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sessions of a shop and one of a blog, with vectors."""
    folder = tmp_path_factory.mktemp("hooks")
    update(folder / "data", *shop_and_blog(folder / "src"))
    embed(folder / "data")
    return folder / "data"


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    """A copy of the index, to be written into."""
    return Path(shutil.copytree(built, tmp_path / "data"))


@pytest.fixture(scope="module")
def built_edit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session that edited `src/a.py`, without vectors."""
    folder = tmp_path_factory.mktemp("edit")
    script = Script()
    script.user("about the upload")
    edit(script, "src/a.py", 1)
    update(folder / "data", script.write(folder / "src"))
    return folder / "data"


@pytest.fixture
def edited(built_edit: Path, tmp_path: Path) -> Path:
    """A copy of that index, to be written into."""
    return Path(shutil.copytree(built_edit, tmp_path / "data"))


def ask(folder: Path, event: str, **fields: Any) -> str:
    """What the agent reads."""
    value = {"session_id": "99", "cwd": ROOT, "hook_event_name": event, **fields}
    said = hook_output(event, json.dumps(value).encode(), folder)
    if not said:
        return ""
    output = json.loads(said)
    assert output == {
        "hookSpecificOutput": {
            "hookEventName": event,
            "additionalContext": output["hookSpecificOutput"]["additionalContext"],
        }
    }
    return re.sub(r" · (just now|\d+ \w+ ago) · ", " · AGE · ", output["hookSpecificOutput"]["additionalContext"])


def opens(folder: Path, path: str, **fields: Any) -> str:
    return ask(folder, "PreToolUse", tool_name="Edit", tool_input={"file_path": path}, **fields)


def log(folder: Path) -> list[str]:
    """The log without its times and processes."""
    path = folder / "memtui.log"
    text = path.read_text() if path.exists() else ""
    begins = re.compile(r"^\S+Z WARNING memtui\.hooks\[\d+\] ")
    return [begins.sub("", line) for line in text.splitlines()]


def cited(text: str) -> list[str]:
    """First digit of the session and turn of every memory."""
    return [f"{session}:{turn}" for session, turn in re.findall(r"^\[(.)[^:]*:(\d+) ", text, re.MULTILINE)]


@pytest.mark.spec("S4.22")
def test_a_file_calls_to_mind_the_turns_that_touched_it(data: Path) -> None:
    assert opens(data, f"{ROOT}/src/theme.py") == (
        f"{NOTICE}\n\n## Past context for src/theme.py\n\n"
        f"### Memory 1\n[{SESSION}:2 · AGE · Why does the upload of pictures fail on slow networks? · edited"
        " src/theme.py]\n> [User] Paint the buttons green\n> [Assistant] They are green.\n> ## Painted\n\n"
        f"### Memory 2\n[{OTHER_SESSION}:1 · AGE · Write an invoice for March · edited src/theme.py]\n"
        "> [User] Write an invoice for March\n\n"
    )
    assert log(data) == []


@pytest.mark.spec("S4.22")
@pytest.mark.parametrize(
    "fields",
    [
        {"tool_name": "Read", "tool_input": {"file_path": "/etc/hosts"}},
        {"tool_name": "Read", "tool_input": {"file_path": f"{ROOT}/src/new.py"}},
        {"tool_name": "Bash", "tool_input": {"command": "cat src/theme.py", "file_path": "src/theme.py"}},
        {"tool_name": "Read", "tool_input": {"file_path": f"{ROOT}/src/theme.py"}, "cwd": "/home/ana/other"},
        {"tool_name": "Read", "tool_input": {"file_path": f"{ROOT}/src/theme.py"}, "cwd": ""},
        {"tool_name": "Read", "tool_input": None},
        {"tool_name": "Read", "tool_input": {"file_path": 7}},
    ],
)
def test_nothing_is_said_of_other_files(data: Path, fields: dict[str, Any]) -> None:
    assert ask(data, "PreToolUse", **fields) == ""
    assert log(data) == []


@pytest.mark.spec("S4.22")
def test_a_patch_calls_its_first_file_to_mind(data: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: src/theme.py\n@@\n-a\n+b\n*** Add File: src/b.py\n+c\n*** End Patch\n"
    said = ask(data, "PreToolUse", tool_name="apply_patch", tool_input={"command": patch})
    assert said == opens(data, f"{ROOT}/src/theme.py", session_id="98")
    assert parse("PreToolUse", b'{"tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch"}}').file == ""


def test_the_answer_names_the_event_as_the_agent_does(data: Path) -> None:
    value = {"session_id": "97", "cwd": ROOT, "hook_event_name": "AfterTool", "tool_name": "read_file"}
    call = {**value, "tool_input": {"file_path": f"{ROOT}/src/theme.py"}}
    output = json.loads(hook_output("PreToolUse", json.dumps(call).encode(), data))
    assert output["hookSpecificOutput"]["hookEventName"] == "AfterTool"
    assert "## Past context for src/theme.py" in output["hookSpecificOutput"]["additionalContext"]


def test_a_notebook_is_a_file(tmp_path: Path) -> None:
    script = Script()
    script.user("plot it")
    script.calls("NotebookEdit", {"notebook_path": f"{ROOT}/n.ipynb", "new_source": "1"})
    script.result("done")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    asked = {"tool_name": "NotebookEdit", "tool_input": {"notebook_path": f"{ROOT}/n.ipynb"}}
    assert cited(ask(tmp_path / "data", "PreToolUse", **asked)) == ["1:1"]


@pytest.mark.spec("S4.13")
def test_what_the_asker_has_before_it_is_no_memory(data: Path) -> None:
    assert cited(opens(data, f"{ROOT}/src/theme.py", session_id=SESSION)) == ["2:1"]
    assert cited(ask(data, "UserPromptSubmit", prompt=PROMPT, session_id=SESSION)) == []


@pytest.mark.spec("S4.13")
def test_what_a_compaction_took_away_is_a_memory_again(tmp_path: Path) -> None:
    script = Script()
    script.user("before")
    edit(script, "src/a.py", 1)
    script.compacts()
    script.user("after")
    edit(script, "src/a.py", 2)
    data = tmp_path / "data"
    update(data, script.write(tmp_path / "src"))
    asked = {"tool_name": "Read", "tool_input": {"file_path": f"{ROOT}/src/a.py"}, "prompt": "and now src/a.py again"}
    for event in EVENTS:
        # Each has a folder of its own: nothing is told twice.
        folder = shutil.copytree(data, tmp_path / event)
        assert cited(ask(folder, event, **asked, session_id=SESSION)) == ["1:1"], event
        assert sorted(cited(ask(folder, event, **asked))) == ["1:1", "1:3"], event


def test_a_subagent_has_not_its_parents_turns_before_it(data: Path) -> None:
    asked = opens(data, f"{ROOT}/src/theme.py", session_id=SESSION, agent_id="a1")
    assert cited(asked) == ["1:2", "2:1"]
    assert parse("Stop", b'{"session_id": "s", "agent_id": "a1"}').conversation_id == "agent-a1"
    assert HookCall("Stop", "s").conversation_id == "s"


@pytest.mark.parametrize("asker", ["", "db9cde85-9adb-4762-985f-42e87f989d54"])
def test_the_hook_of_a_file_finds_what_recall_finds(sample_index: Path, asker: str) -> None:
    """Every file is asked about in every folder, and each answer is several queries of DuckDB."""
    index, snapshot = Index.open(sample_index), SnapshotConnection(sample_index)
    folders = ["/home/ana/code/shop-api", "/home/ana/code/shop-api-worktrees/retry", "/home/ana/code/site/x", "/", ""]
    compared = 0
    for folder in folders:
        here = index.sessions.project_at(folder)
        boundary = (
            max((c.line for c in index.compactions.of_session(index.sessions.find(asker).key)), default=None)
            if asker
            else 0
        )
        for row in index.files.find().rows:
            for file in (f"{row.root}/{row.path}", row.path):
                memories = index.recall.for_file(file, 3, RecallScope(asker, boundary, here)) if here else []
                path, turns = turns_of_file(snapshot, file, project_at(snapshot, folder), asker, 3)
                assert [(turn.session_id, turn.turn, turn.line, turn.started_at, turn.title) for turn in turns] == [
                    (memory.session_id, memory.turn, memory.line, memory.started_at, memory.title)
                    for memory in memories
                ]
                assert not turns or path == (here and here.relative(file))
                compared += len(turns)
    assert compared > 50


@pytest.mark.spec("S4.23")
def test_a_subagent_is_told_the_recent_files(data: Path) -> None:
    assert ask(data, "SubagentStart", session_id=SESSION, agent_id="a1") == (
        f"{NOTICE}\n\nFiles recently touched in this session:\n- src/theme.py\n- src/upload.py\n"
    )
    assert ask(data, "SubagentStart", session_id="unknown") == ""


@pytest.mark.spec("S4.21")
def test_a_prompt_calls_to_mind_the_turns_near_to_it(data: Path) -> None:
    text = ask(data, "UserPromptSubmit", prompt=PROMPT)
    distance = re.findall(r"distance: (0\.\d{4})", text)
    assert text == (
        f"{NOTICE}\n\n## Relevant past context\n\n### Memory 1 (distance: {distance[0]})\n"
        f"[{SESSION}:1 · AGE · Why does the upload of pictures fail on slow networks?]\n"
        "> [User] Why does the upload of pictures fail on slow networks?\n> [Assistant] The client gives up after ten"
        " seconds; the upload needs a longer time limit.\n> [User] Paint the buttons green\n\n"
    )
    assert ask(data, "UserPromptSubmit", prompt="qwertz qwertz qwertz") == ""


def test_another_project_is_not_recalled(data: Path) -> None:
    assert cited(ask(data, "UserPromptSubmit", prompt=PROMPT, cwd="/home/ana/code/blog/posts")) == ["3:1"]
    assert ask(data, "UserPromptSubmit", prompt=PROMPT, cwd="/home/ana/other") == ""


@pytest.mark.spec("S4.26")
def test_without_vectors_the_files_of_a_prompt_are_found(edited: Path) -> None:
    assert cited(ask(edited, "UserPromptSubmit", prompt="what is in src/a.py?")) == ["1:1"]


def test_a_file_of_the_same_name_elsewhere_is_no_reminder(edited: Path) -> None:
    assert ask(edited, "UserPromptSubmit", prompt="what is in lib/a.py?") == ""
    assert opens(edited, f"{ROOT}/lib/a.py") == ""
    assert cited(opens(edited, f"{ROOT}/src/a.py")) == ["1:1"]


@pytest.mark.parametrize(
    ("prompt", "trivial"),
    [
        ("", True),
        ("ok", True),
        ("go on", True),
        ("  \n ", True),
        ("/compact keep the numbers of the bench", True),
        ("/plugin:review this and that", True),
        ("fix the upload", False),
        ("/home/ana/a.py fails when empty", False),
        ("なぜ失敗する", False),
        ("はい", True),
    ],
)
def test_trivial_prompts_are_not_looked_up(prompt: str, trivial: bool) -> None:
    assert is_trivial(prompt) is trivial


def test_a_trivial_prompt_does_not_even_open_the_index(tmp_path: Path) -> None:
    assert ask(tmp_path / "none", "UserPromptSubmit", prompt="go on") == ""
    assert not (tmp_path / "none").exists()


def test_nothing_is_told_twice_before_a_compaction(data: Path) -> None:
    path = f"{ROOT}/src/theme.py"
    transcript = data / "t.jsonl"
    assert opens(data, path) != ""
    assert opens(data, path) == ""
    assert opens(data, path, agent_id="a1") != ""
    assert opens(data, path, session_id="98") != ""
    assert ask(data, "UserPromptSubmit", prompt=PROMPT) != ""
    assert ask(data, "UserPromptSubmit", prompt=PROMPT) == ""
    ask(data, "PreCompact", transcript_path=str(transcript))
    assert (opens(data, path) != "", opens(data, path, agent_id="a1")) == (True, "")
    ask(data, "SessionEnd", transcript_path=str(transcript))
    assert opens(data, path) == "", "the session may be resumed, with what it was told before it"


def test_a_turn_is_cited_once_whatever_calls_it_to_mind(edited: Path) -> None:
    asked = {"prompt": "what is in src/a.py?"}
    for first, then in (("1", "2"), ("2", "1")):
        session = {"session_id": f"9{first}"}
        told = {
            "1": lambda one=session: opens(edited, f"{ROOT}/src/a.py", **one),
            "2": lambda one=session: ask(edited, "UserPromptSubmit", **asked, **one),
        }
        assert (cited(told[first]()), told[then]()) == (["1:1"], ""), first


def test_what_was_told_is_kept_with_its_text(data: Path) -> None:
    texts = [
        opens(data, f"{ROOT}/src/theme.py"),
        ask(data, "SubagentStart", session_id="99", agent_id="a1"),
        opens(data, f"{ROOT}/src/theme.py", agent_id="a1"),
        ask(data, "UserPromptSubmit", prompt=PROMPT),
    ]
    found = ReminderLog(data).reminders("99")
    assert [(one.event, one.agent, one.references) for one in found] == [
        ("PreToolUse", "", (f"{SESSION}:2", f"{OTHER_SESSION}:1")),
        ("PreToolUse", "a1", (f"{SESSION}:2", f"{OTHER_SESSION}:1")),
        ("UserPromptSubmit", "", (f"{SESSION}:1",)),
    ]
    without_age = [re.sub(r" · (just now|\d+ \w+ ago) · ", " · AGE · ", one.text) for one in found]
    assert without_age == [text for text in texts if text]


def compacted(folder: Path) -> tuple[Script, Path]:
    """A session that is about to be compacted, indexed in `data`."""
    script = Script()
    script.user("Never round the prices of the shop")
    edit(script, "src/price.py", 1)
    script.says("We decided to keep the tills, because the old ones cannot be repaired.")
    transcript = script.write(folder / "src")
    update(folder / "data", transcript)
    expect_summary(HookCall("PreCompact", SESSION, transcript=str(transcript)), folder / "data")
    return script, transcript


EVENTS = ("PreToolUse", "UserPromptSubmit")
FILES = "## Files that were opened before the last compaction and that its summary does not name\n\n- src/price.py\n\n"
LACKS = (
    f"{NOTICE}\n\n## What the summary of the last compaction lacks\n\n"
    f"- the user said: Never round the prices of the shop [{SESSION}:1]\n\n{FILES}"
)


@pytest.mark.spec("S5.6")
def test_after_a_compaction_the_agent_learns_once_what_its_summary_lacks(tmp_path: Path) -> None:
    script, transcript = compacted(tmp_path)
    # Each event has a copy of the index, and what was told there stays in it when it takes a newer one.
    asking = {event: shutil.copytree(tmp_path / "data", tmp_path / event) for event in EVENTS}
    asked = {"session_id": SESSION, "prompt": "go on", "tool_name": "Read", "tool_input": {"file_path": f"{ROOT}/x.py"}}

    def compact(summary: str) -> None:
        script.compacts(summary)
        update(tmp_path / "data", script.write(tmp_path / "src"))
        for data in asking.values():
            shutil.copytree(tmp_path / "data", data, ignore=shutil.ignore_patterns("told"), dirs_exist_ok=True)

    for event, data in asking.items():
        assert ask(data, event, **asked) == "", event
    compact("The shop is open.")
    for event, data in asking.items():
        assert ask(data, event, **asked, agent_id="a1") == "", event
        assert ask(data, event, **{**asked, "session_id": OTHER_SESSION}) == "", event
        assert [ask(data, event, **asked) for _ in range(2)] == [LACKS, ""], event
        ReminderLog(data).clear(SESSION)
        expect_summary(HookCall("PreCompact", SESSION, transcript=str(transcript)), data)
        assert ask(data, event, **asked) == "", f"{event}: the summary of the second compaction is not written yet"
    compact(
        "Never round the prices of the shop in src/price.py. The tills stay, because the old ones cannot be repaired."
    )
    for event, data in asking.items():
        assert ask(data, event, **asked) == "", f"{event}: the second summary lacks nothing"
        assert "sent what the summary lacks" in ReminderLog(data).keys(SESSION), "it is looked up once"
        assert log(data) == [], event


@pytest.fixture(scope="module")
def built_summary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session whose compaction left everything out of its summary."""
    folder = tmp_path_factory.mktemp("summary")
    script, _ = compacted(folder)
    script.compacts("The shop is open.")
    update(folder / "data", script.write(folder / "src"))
    return folder / "data"


@pytest.fixture
def summed_up(built_summary: Path, tmp_path: Path) -> Path:
    """A copy of that index, to be written into."""
    return Path(shutil.copytree(built_summary, tmp_path / "data"))


@pytest.mark.spec("S5.6")
def test_what_a_summary_lacks_and_memories_share_the_room(summed_up: Path) -> None:
    lack, *memories = opens(summed_up, f"{ROOT}/src/price.py", session_id=SESSION).split(f"{NOTICE}\n\n")[1:]
    assert (f"{NOTICE}\n\n{lack}", [memory.split("\n")[0] for memory in memories]) == (
        LACKS,
        ["## Past context for src/price.py"],
    )
    long = [RecalledTurn(SESSION, number, 1, None, "t", "x" * 500) for number in range(9)]
    whole, rest = (len(re.findall("### Memory", reminder("h", long, 600, used=used))) for used in (0, 2000))
    assert (whole, rest) == (6, 3)


@pytest.mark.spec("S5.6")
def test_a_hook_reviews_a_short_session_and_leaves_a_long_one_to_the_indexer(
    summed_up: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Index.open(summed_up).snapshot.rows("SELECT * FROM reviews") == []
    characters = Index.open(summed_up).snapshot.rows(
        "SELECT sum(length(text)) FROM blocks JOIN turns t ON t.id = turn WHERE t.kind <> 'compaction'"
    )[0][0]
    path = f"{ROOT}/src/other.py"
    monkeypatch.setattr(compaction_brief, "_LONGEST_MADE", characters - 1)
    assert [opens(summed_up, path, session_id=SESSION) for _ in range(2)] == ["", ""]
    review(summed_up)
    assert opens(summed_up, path, session_id=SESSION) == LACKS
    ReminderLog(summed_up).clear(SESSION)
    expect_summary(HookCall("PreCompact", SESSION, transcript=__file__), summed_up)
    assert opens(summed_up, path, session_id=SESSION) == "", "that compaction is not read yet"


@pytest.mark.spec("S5.6")
def test_what_a_summary_lacks_is_said_though_the_memories_fail(
    summed_up: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> str:
        raise OSError("unlucky")

    with monkeypatch.context() as patched:
        patched.setattr(run_module, "file_reminder", fails)
        assert opens(summed_up, f"{ROOT}/src/price.py", session_id=SESSION) == LACKS
    assert log(summed_up) == ["PreToolUse OSError: unlucky"]
    assert "Memory 1" in opens(summed_up, f"{ROOT}/src/price.py", session_id=SESSION)


@pytest.mark.spec("S5.6")
def test_memories_that_find_no_room_come_with_another_prompt(tmp_path: Path) -> None:
    script = Script()
    for number in range(8):
        script.user(f"turn {number} " + "x" * 700)
        edit(script, "src/a.py", number)
    data = tmp_path / "data"
    update(data, script.write(tmp_path / "src"))
    prompt = HookCall("UserPromptSubmit", "99", cwd=ROOT, prompt="what became of src/a.py?")
    found = [cited(prompt_reminder(prompt, data, used)) for used in (2000, 0, 0)]
    assert [len(turns) for turns in found] == [2, 4, 2]
    assert sorted(turn for turns in found for turn in turns) == [f"1:{number}" for number in range(1, 9)]


@pytest.mark.spec("S5.6")
def test_what_a_summary_lacks_is_told_in_two_kilobytes_and_whole_items() -> None:
    items = [BriefItem("rule", f"Never {'é' * 278} {number}", SESSION, number) for number in range(9)]
    details = [BriefItem("read", "src/a.py", SESSION, 1)]
    lines = brief_text([*details, *items]).split("\n")
    assert lines == [f"- the user said: Never {'é' * 278} {number} [{SESSION}:{number}]" for number in range(3)]
    assert len("\n".join(lines).encode()) <= MAX_BYTES < len("\n".join([*lines, lines[0]]).encode())
    assert brief_text(details) == ""


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize("kind", ["contradiction", "check", "correction", "rule", "answer", "requirement"])
def test_an_agent_is_told_only_what_surely_matters(kind: str) -> None:
    others = ("assumption", "question", "caveat", "finding", "rejected", "request", "decision", "open", "conclusion")
    items = [BriefItem(one, f"The {one}", SESSION, 1) for one in (*others, kind)]
    assert re.fullmatch(rf"- [a-z ]+: The {kind} \[{SESSION}:1\]", brief_text(items))
    known = {row_key(SESSION, f"The  {kind}\n")}
    assert (brief_text(items, known), brief_text(items, {row_key(OTHER_SESSION, f"The {kind}")}) != "") == ("", True)


@pytest.mark.spec("S5.6")
def test_rows_that_the_user_sent_are_told_once_and_only_to_their_session(summed_up: Path) -> None:
    path = f"{ROOT}/src/price.py"
    index = Index.open(summed_up)
    [review] = index.compactions.reviews()
    index.compactions.set_known(review.main[0], known=True)
    index.compactions.send(review, review.main[:1])
    row = f"- the user said: Never round the prices of the shop [{SESSION}:1]"
    sent = f"{NOTICE}\n\n{FILES}## What the user chose from the review of the compaction\n\n{row}\n\n"
    for asked in ({"session_id": OTHER_SESSION}, {"session_id": SESSION, "agent_id": "a1"}):
        assert row not in opens(summed_up, path, **asked)
    told = [opens(summed_up, path, session_id=SESSION) for _ in range(2)]
    assert (told[0].startswith(sent), told[1]) == (True, "")
    assert "lacks" not in told[0], "the only row that the summary lacks is known"


@pytest.mark.spec("S5.6")
def test_a_row_that_is_sent_while_a_hook_answers_comes_with_the_next_call(tmp_path: Path) -> None:
    marks = ReviewMarks(tmp_path)
    call = HookCall("PreToolUse", SESSION)
    marks.send(SESSION, "- the user said: Never round the prices [1:2]")
    text = compaction_reminder(call, tmp_path)
    marks.send(SESSION, "- the user said: Never [1:2]")
    record_compaction_reminder(call, tmp_path, text, ReminderLog(tmp_path))
    assert marks.waiting(SESSION) == ("- the user said: Never [1:2]",)


@pytest.mark.spec("S5.6")
def test_rows_that_are_sent_do_not_take_the_place_of_what_the_summary_lacks(tmp_path: Path) -> None:
    script, _ = compacted(tmp_path)
    data = tmp_path / "data"
    ReviewMarks(data).send(SESSION, "- rule: Pay it [1:2]")
    assert "Pay it" in opens(data, f"{ROOT}/x.py", session_id=SESSION)
    script.compacts("The shop is open.")
    update(data, script.write(tmp_path / "src"))
    assert opens(data, f"{ROOT}/y.py", session_id=SESSION) == LACKS


def test_what_was_told_takes_nobodys_place(tmp_path: Path) -> None:
    script = Script()
    for number in range(8):
        script.user(f"turn {number}")
        edit(script, "src/a.py", number)
    data = tmp_path / "data"
    update(data, script.write(tmp_path / "src"))
    found = [cited(ask(data, "UserPromptSubmit", prompt="what became of src/a.py?")) for _ in range(3)]
    assert found == [["1:8", "1:7", "1:6", "1:5", "1:4"], ["1:3", "1:2", "1:1"], []]


def test_the_end_of_a_session_clears_away_what_is_old(tmp_path: Path) -> None:
    for name in ("ended", "forgotten", "running"):
        ReminderLog(tmp_path).record(name, keys=["key"])
    os.utime(tmp_path / "told" / "forgotten", (0, 0))
    hook_output("SessionEnd", b'{"session_id": "ended"}', tmp_path)
    assert sorted(path.name for path in (tmp_path / "told").iterdir()) == ["ended", "running"]


BAD = [
    (b"", "PreToolUse", "BadCall: no JSON: JSONDecodeError"),
    (b"{", "Stop", "BadCall: no JSON: JSONDecodeError"),
    (b'"\xff"', "Stop", "BadCall: no JSON: UnicodeDecodeError"),
    (b"[" * 100_000, "Stop", "BadCall: no JSON: RecursionError"),
    (b"[]", "PreToolUse", "BadCall: no JSON object"),
    (b"{}", "Zebra", "BadCall: unknown event 'Zebra'"),
    (b"{}", "", "BadCall: unknown event ''"),
    (b'{"transcript_path": "/nonexistent.jsonl"}', "Stop", "ValueError: no transcript"),
    (b'{"transcript_path": "relative.jsonl"}', "Stop", "ValueError: no transcript"),
]


@pytest.mark.parametrize(("given", "event", "reason"), BAD)
def test_trouble_is_noted_and_not_told(tmp_path: Path, given: bytes, event: str, reason: str) -> None:
    assert hook_output(event, given, tmp_path / "data") == ""
    assert log(tmp_path / "data") == [f"{event or '-'} {reason}"]


def test_without_an_index_nothing_is_said(tmp_path: Path) -> None:
    for event in ("UserPromptSubmit", "SubagentStart"):
        assert ask(tmp_path, event, prompt="why does it fail here") == ""
    assert opens(tmp_path, f"{ROOT}/a.py") == ""
    assert [line.split(":")[0] for line in log(tmp_path)] == [
        "UserPromptSubmit IndexMissing",
        "SubagentStart IndexMissing",
        "PreToolUse IndexMissing",
    ]


def test_a_damaged_index_is_noted_in_one_line_each(data: Path) -> None:
    for snapshot in DataDir(data).snapshots.glob("*.duckdb"):
        snapshot.write_bytes(b"no database\n" * 1000)
    shutil.rmtree(DataDir(data).touched)
    assert opens(data, f"{ROOT}/src/theme.py") == ""
    assert ask(data, "UserPromptSubmit", prompt=PROMPT) == ""
    assert [line.split(":")[0] for line in log(data)] == ["PreToolUse IndexBroken", "UserPromptSubmit IndexBroken"]


def test_a_data_folder_that_cannot_be_written_keeps_nobody(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    assert hook_output("Stop", b"{", tmp_path / "data") == ""


def test_a_note_is_one_short_line(tmp_path: Path) -> None:
    log_warning(tmp_path, "", f"a\n\tb {500 * 'x'}")
    assert log(tmp_path) == [f"- a b {396 * 'x'}"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["Stop"], ("Stop", None)),
        (["Stop", "--data-dir", "/a b"], ("Stop", "/a b")),
        (["--data-dir=/a", "Stop"], ("Stop", "/a")),
        (["--data-dir"], ("", None)),
        (["--zebra", "Stop", "x"], ("Stop", None)),
        ([], ("", None)),
    ],
)
def test_arguments_never_are_wrong(arguments: list[str], expected: tuple[str, str | None]) -> None:
    assert parse_arguments(arguments) == expected


texts = st.text(max_size=3000) | st.builds(lambda one, many: one * many, st.text(max_size=5), st.integers(0, 3000))
items = st.builds(
    RecalledTurn,
    texts,
    st.integers(1, 9999),
    st.just(1),
    st.none() | st.just(START),
    texts,
    texts,
    st.none() | st.floats(0, 0.45),
    st.tuples() | st.tuples(texts),
    texts,
)


@given(texts, st.lists(items, max_size=6), st.integers(1, 2000))
def test_a_text_is_bounded_and_no_line_of_a_transcript_looks_like_ours(
    heading: str, found: list[RecalledTurn], each: int
) -> None:
    text = reminder(heading, found, each)
    assert len(text) <= MAX_LENGTH
    lines = text.split("\n")
    assert all(not line or line.startswith(("> ", "[", "### Memory ", "## ")) for line in lines[1:])
    assert text == "" or text.startswith(f"{NOTICE}\n\n## ")
    assert reminder(heading, [], each) == ""


@given(texts, st.integers(1, 500))
def test_a_shortened_text_is_no_longer_than_asked(text: str, most: int) -> None:
    for whole in (text, f"{text}\n\n[Assistant] {text}"):
        assert len(shortened(whole, most)) <= most


def test_a_long_prompt_leaves_room_for_its_answer() -> None:
    assert shortened("u" * 100 + "\n\n[Assistant] " + "a" * 100, 50) == "u" * 19 + "…\n\n[Assistant] " + "a" * 15 + "…"


def test_ages() -> None:
    from datetime import timedelta

    spans = {30: "just now", 60: "1 minute ago", 7200: "2 hours ago", 86400: "1 day ago", 5_000_000: "57 days ago"}
    assert {seconds: age(START, START + timedelta(seconds=seconds)) for seconds in spans} == spans
    assert (age(None), age(START, START - timedelta(days=1))) == ("", "just now")


def run(folder: Path, code: str, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", code, *arguments, "--data-dir", str(folder)]
    return subprocess.run(command, input=given, capture_output=True, timeout=60, check=False)


def call(**fields: Any) -> bytes:
    return json.dumps({"session_id": "99", "cwd": ROOT, **fields}).encode()


def test_the_command_answers_on_standard_output(data: Path) -> None:
    given = call(tool_name="Edit", tool_input={"file_path": f"{ROOT}/src/upload.py"}, hook_event_name="PreToolUse")
    done = run(data, HOOK, "PreToolUse", given=given)
    assert (done.returncode, done.stderr) == (0, b"")
    assert cited(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) == ["1:2"]
    assert run(data, HOOK, given=given.replace(b'"99"', b'"98"')).stdout == done.stdout
    done = run(data, HOOK, "UserPromptSubmit", given=call(prompt=PROMPT))
    assert (done.returncode, done.stderr) == (0, b"")
    assert cited(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) == ["1:1"]


@pytest.mark.parametrize("arguments", [["PreToolUse"], ["Zebra"], [], ["--zebra"], ["Stop", "x", "y"]])
def test_the_command_never_fails(tmp_path: Path, arguments: list[str]) -> None:
    done = run(tmp_path, HOOK, *arguments, given=b"{broken")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(log(tmp_path)) == 1


def test_a_call_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    code = "import sys; from memtui.agents.hooks import run; run.DEFAULT_TIMEOUT = 0.2; run.main(sys.argv[1:])"
    command = [sys.executable, "-c", code, "Stop", "--data-dir", str(tmp_path)]
    # Its standard input stays open: it would wait for ever.
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.wait(30) == 0
        assert child.stdout is not None
        assert child.stdout.read() == b""
    assert log(tmp_path) == ["Stop no answer within 0.2 seconds"]


def test_what_answers_before_a_tool_loads_next_to_nothing(data: Path) -> None:
    given = call(tool_name="Edit", tool_input={"file_path": f"{ROOT}/src/upload.py"})
    code = f"""
import sys
from pathlib import Path
from memtui.agents.hooks.run import hook_output
assert hook_output("PreToolUse", {given!r}, Path(sys.argv[-1]))
print(*{{name.split(".")[0] for name, module in sys.modules.items() if module}})
"""
    packages = set(run(data, code).stdout.decode().split())
    heavy = {"duckdb", "_duckdb", "orjson", "click", "textual", "rich", "numpy", "tantivy", "onnxruntime"}
    heavy |= {"subprocess", "arro3", "pandas", "dataclasses", "inspect", "hashlib", "logging"}
    assert packages & heavy == set()
    assert packages >= {"memtui", "memtui_core"}
    shutil.rmtree(DataDir(data).touched)
    ReminderLog(data).forget(["99"])
    packages = set(run(data, code).stdout.decode().split())
    assert packages & (heavy - {"_duckdb", "orjson", "dataclasses", "inspect"}) == set()
    assert "_duckdb" in packages


def turns(folder: Path) -> list[tuple[str, int]]:
    index = Index.open(folder)
    return sorted((session.session_id, session.turns) for session in index.sessions.all())


def test_a_transcript_is_indexed_with_its_subagents(tmp_path: Path) -> None:
    script, agent, other = Script(), Script(prefix="f"), Script(OTHER_SESSION, prefix="g")
    for one in (script, agent, other):
        one.user("find it")
    path = script.write(tmp_path / "src")
    agent.write(tmp_path / "src" / SESSION / "subagents", "agent-a1.jsonl")
    other.write(tmp_path / "src")
    assert index_transcript(tmp_path / "data", path)
    assert [Path(row.path).name for row in Index.open(tmp_path / "data").statistics.sources()] == [
        f"{SESSION}.jsonl",
        "agent-a1.jsonl",
    ]
    script.user("and again")
    script.write(tmp_path / "src")
    assert index_transcript(tmp_path / "data", path)
    assert (SESSION, 2) in turns(tmp_path / "data")


def test_vectors_are_made_where_the_index_has_some(data: Path, tmp_path: Path) -> None:
    script = Script("4" + OTHER_SESSION[1:], prefix="h")
    script.user("The lamp in the cellar is broken")
    path = script.write(tmp_path / "src")
    for folder, count in ((data, 1), (tmp_path / "plain", 0)):
        before = Index.open(folder).statistics.of_index() if folder.exists() else None
        assert index_transcript(folder, path)
        assert (
            Index.open(folder).statistics.of_index().embedded_turns == (before.embedded_turns if before else 0) + count
        )


def test_a_second_indexer_does_nothing(data: Path, tmp_path: Path) -> None:
    path = Script("4" + OTHER_SESSION[1:]).write(tmp_path / "src")
    before = turns(data)
    with FileLock(DataDir(data).lock):
        assert not index_transcript(data, path)
    assert turns(data) == before


def test_the_end_of_a_turn_is_indexed_in_the_background(tmp_path: Path) -> None:
    script = Script()
    script.user("remember this turn")
    path = script.write(tmp_path / "src")
    data = tmp_path / "data"
    data.mkdir()
    done = run(data, HOOK, "Stop", given=call(transcript_path=str(path)))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    for count, _ in enumerate(watch(data, rust_timeout=100, yield_on_timeout=True, raise_interrupt=False)):
        if DataDir(data).current.exists():
            break
        assert count < 600
    assert turns(data) == [(SESSION, 1)]
    # Until it ends, it holds the folder.
    with FileLock(DataDir(data).lock, timeout=60):
        assert log(data) == []


@pytest.mark.spec("S5.6")
def test_the_hooks_around_a_compaction_make_the_reminder_known(tmp_path: Path) -> None:
    script = Script()
    script.user("Never round the prices of the shop")
    path, data = script.write(tmp_path / "src"), tmp_path / "data"
    data.mkdir()
    for event, known in (("PreCompact", 1), ("SessionStart", 3)):
        given = call(session_id=SESSION, transcript_path=str(path), source="compact")
        done = run(data, HOOK, event, given=given)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        for count, _ in enumerate(watch(data, rust_timeout=100, yield_on_timeout=True, raise_interrupt=False)):
            if DataDir(data).current.exists() and turns(data) == [(SESSION, known)]:
                break
            assert count < 600
        # Until it ends, the background process holds the folder.
        with FileLock(DataDir(data).lock, timeout=60):
            pass
        if event == "PreCompact":
            script.user("Say the rest")
            script.compacts("The shop is open.")
            script.write(tmp_path / "src")
    assert Index.open(data).snapshot.rows("SELECT line FROM reviews") == [(2,)]
    assert LACKS.split(" [")[0] in ask(data, "UserPromptSubmit", session_id=SESSION, prompt="go on")
