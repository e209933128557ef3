"""How sessions ended, read from the index that the real indexer made of transcripts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memtui_core.model import EndKind, SessionEnd, SessionState
from memtui_core.queries.activity.endings import asked_in
from support.indexes import build
from support.transcripts import OTHER_SESSION, SESSION, START, Script

Written = Callable[[Script], None]
QUESTIONS = {"questions": [{"question": "Round up?", "options": []}, {"question": "And down?", "options": []}]}
STEP = timedelta(seconds=10)
"""Between two entries."""


def asked(script: Script) -> None:
    script.user("Fix the upload")


def answered(script: Script) -> None:
    asked(script)
    script.says("Fixed.")


def runs(script: Script) -> None:
    asked(script)
    script.calls("Bash", {"command": "pytest -q"})


def has_result(script: Script) -> None:
    runs(script)
    script.result("2 passed")


def offers(script: Script) -> None:
    asked(script)
    script.says("Done.\n\nWant me to commit it? I would name it `fix: upload`.")


def asks_by_tool(script: Script) -> None:
    asked(script)
    script.calls("AskUserQuestion", QUESTIONS)


def proposes(script: Script) -> None:
    asked(script)
    script.calls("ExitPlanMode", {"plan": "# Retry\n\n1. Count the attempts"})


def asks_one_question(script: Script) -> None:
    asked(script)
    script.calls("ask_followup_question", {"question": "Round down", "options": ["Yes"]})


def concludes(script: Script) -> None:
    asked(script)
    script.calls("attempt_completion", {"result": "Fixed. Anything else?"})


def was_told(script: Script) -> None:
    asks_by_tool(script)
    script.result('"Round up?"="Yes"')


def interrupted(script: Script) -> None:
    runs(script)
    script.result("The user doesn't want to proceed", error=True)
    script.user("[Request interrupted by user for tool use]")
    script.user("<command-name>/model</command-name>")


def fails(script: Script) -> None:
    runs(script)
    script.result("2 passed")
    script.says("API Error: 500\nInternal server error", isApiErrorMessage=True)


def goes_on_after_an_error(script: Script) -> None:
    fails(script)
    script.user("continue")
    script.says("Fixed.")


def compacted(script: Script) -> None:
    answered(script)
    script.compacts("All done.")


def of(folder: Path, write: Written) -> tuple[SessionEnd, datetime]:
    """How the session ended that a function writes, and when."""
    script = Script()
    write(script)
    script.write(folder / "claude")
    index = build(folder / "data", folder / "claude")
    [session] = index.sessions.all()
    return index.sessions.ends([session.key])[session.key], START + STEP * (script.count - 1)


@pytest.mark.parametrize(
    ("write", "kind", "line", "quote"),
    [
        (asked, "unanswered", 0, "Fix the upload"),
        (answered, "clean", 1, ""),
        (runs, "stopped", 1, "Bash: pytest -q"),
        (has_result, "stopped", 2, "Bash: pytest -q"),
        (offers, "question", 1, "Want me to commit it?"),
        (asks_by_tool, "question", 1, "Round up?"),
        (asks_one_question, "question", 1, "Round down"),
        (concludes, "clean", 1, ""),
        (proposes, "question", 1, "# Retry 1. Count the attempts"),
        (was_told, "stopped", 2, "AskUserQuestion"),
        (interrupted, "interrupted", 3, "Fix the upload"),
        (fails, "error", 3, "API Error: 500 Internal server error"),
        (goes_on_after_an_error, "clean", 5, ""),
        (compacted, "unknown", 3, ""),
    ],
)
def test_the_last_entry_tells_how_a_session_ended(
    tmp_path: Path, write: Written, kind: EndKind, line: int, quote: str
) -> None:
    end, _ = of(tmp_path, write)
    assert (end.kind, end.line, end.quote) == (kind, line, quote)


@pytest.mark.parametrize(
    ("write", "states"),
    [
        (asked, ["running", "ended", "ended", "ended", "ended"]),
        (has_result, ["running", "ended", "ended", "ended", "ended"]),
        (answered, ["ended", "ended", "ended", "ended", "ended"]),
        (offers, ["waiting", "waiting", "waiting", "ended", "ended"]),
        (asks_by_tool, ["waiting", "waiting", "waiting", "ended", "ended"]),
        (interrupted, ["ended", "ended", "ended", "ended", "ended"]),
        (fails, ["failed", "failed", "failed", "failed", "failed"]),
    ],
)
def test_a_session_runs_for_minutes_waits_for_days_and_has_failed_for_good(
    tmp_path: Path, write: Written, states: list[SessionState]
) -> None:
    end, last = of(tmp_path, write)
    ages = [timedelta(minutes=5) - STEP, timedelta(minutes=5), timedelta(days=3) - STEP, timedelta(days=3)]
    # A clock that is days behind the transcript says nothing.
    assert [end.state(last + age) for age in (*ages, timedelta(days=-2))] == states


def test_the_unfinished_sessions_are_those_that_run_wait_or_have_failed(tmp_path: Path) -> None:
    for digit, write in enumerate((has_result, offers, fails, answered, interrupted)):
        script = Script(f"{digit}{SESSION[1:]}", prefix=f"{digit}-")
        write(script)
        script.write(tmp_path / "claude")
    index = build(tmp_path / "data", tmp_path / "claude")
    ids = {session.key: session.session_id[0] for session in index.sessions.all()}

    def states(now: datetime) -> dict[str, SessionState]:
        return {ids[key]: end.state(now) for key, end in index.sessions.unfinished(now).items()}

    soon, day, week = (START + timedelta(minutes=minutes) for minutes in (2, 60 * 24, 60 * 24 * 7))
    assert states(soon) == {"0": "running", "1": "waiting", "2": "failed"}
    assert states(day) == {"1": "waiting", "2": "failed"}
    assert states(week) == {"2": "failed"}
    # An earlier time is answered by itself, whatever was asked before.
    assert states(soon) == {"0": "running", "1": "waiting", "2": "failed"}


def test_a_session_runs_while_its_subagent_writes_and_what_a_subagent_asks_is_no_question_to_the_user(
    tmp_path: Path,
) -> None:
    parent, child = Script(), Script(prefix="c")
    asked(parent)
    parent.calls("Task", {"description": "Find retries", "prompt": "Look."})
    parent.write(tmp_path / "claude")
    child.count = 100
    child.user("Look.", isSidechain=True, agentId="a1")
    child.says("What would you like me to find?", isSidechain=True, agentId="a1")
    child.write(tmp_path / "claude", f"{SESSION}/subagents/agent-a1.jsonl")
    index = build(tmp_path / "data", tmp_path / "claude")
    [session] = index.sessions.all()
    [subagent] = index.sessions.subagents(session.key)
    ends, last = index.sessions.ends([session.key, subagent.key]), START + 101 * STEP
    assert ends == {
        session.key: SessionEnd(session.key, "stopped", 1, 1, last, "Task: Find retries"),
        subagent.key: SessionEnd(subagent.key, "clean", 1, 1, last, ""),
    }
    assert ends[session.key].state(last + timedelta(minutes=4)) == "running"
    assert list(index.sessions.unfinished(last)) == [session.key]


def test_nothing_is_said_of_a_session_of_which_only_prompts_are_known_or_that_is_not_there(tmp_path: Path) -> None:
    script = Script(OTHER_SESSION)
    answered(script)
    script.write(tmp_path / ".claude" / "projects" / "p")
    prompt = b'{"display": "Fix it", "timestamp": 1790000000000, "project": "/home/ana/shop", "sessionId": "%s"}\n'
    (tmp_path / ".claude" / "history.jsonl").write_bytes(prompt % SESSION.encode())
    index = build(tmp_path / "data", tmp_path / ".claude")
    session = index.sessions.find(SESSION)
    assert session.only_prompts
    end = index.sessions.ends([session.key, 999])
    assert {key: (one.kind, one.quote) for key, one in end.items()} == {session.key: ("unknown", "")}


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Which one?", "Which one?"),
        ("I lean B.\n\nDo you want A, or B?", "Do you want A, or B?"),
        ("**Should I push it?**", "Should I push it?"),
        ("Want me to add that? I can do it now.", "Want me to add that?"),
        ("よろしいですか？", "よろしいですか？"),
        ("直しました。続けますか？", "続けますか？"),
        ("It answers *why isn't this in CI?* and lint passes.", ""),
        ("Why did it fail? A lock was held.", ""),
        ("Shall I go on?\n\nAll tests pass.", ""),
        ("```sh\ngit push?\n```", ""),
        ("| a | b? |", ""),
        ("Fixed.", ""),
        ("", ""),
    ],
)
def test_a_text_asks_the_user_with_its_last_sentences(text: str, question: str) -> None:
    assert asked_in(text) == question
