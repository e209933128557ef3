"""`memtui told`: what the agents of a session got to read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.agents.hooks.reminder_text import NOTICE
from memtui.cli.agents.told import told
from memtui_core.store.marks.reminder_log import ReminderLog
from support.indexes import update
from support.transcripts import OTHER_SESSION, SESSION, START, Script


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two sessions; the first one, and its subagent, were reminded of the other."""
    script, other = Script(), Script(OTHER_SESSION, prefix="f")
    script.user("go on")
    other.user("Paint the\nbuttons")
    update(tmp_path / "data", script.write(tmp_path / "src"), other.write(tmp_path / "src"))
    log = ReminderLog(tmp_path / "data", START.timestamp)
    cited = [f"{OTHER_SESSION}:1", "gone:2"]
    log.record(SESSION, event="PreToolUse", references=cited, text=f"{NOTICE}\n\n## Past context for a.py\n\n> Paint\n")
    log.record(SESSION, "a1", event="UserPromptSubmit", keys=["gone:2"], references=["gone:2"])
    return tmp_path / "data"


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(told, [*arguments, "--data-dir", str(data)])


def test_each_text_is_printed_with_when_and_why_it_was_given(data: Path) -> None:
    at = START.astimezone().strftime("%Y-%m-%d %H:%M")
    assert run(data, SESSION[:6]).stdout == (
        f"with a file · {at}\n  ## Past context for a.py\n\n  > Paint\n\n"
        f"with a prompt, to a subagent · {at}\n  The text is not kept any more.\n\n"
    )


def test_as_json(data: Path) -> None:
    at = START.strftime("%Y-%m-%dT%H:%M:%SZ")
    gone = {"session_id": "gone", "turn": 2, "about": ""}
    assert json.loads(run(data, SESSION, "--json").stdout) == [
        {
            "at": at,
            "event": "PreToolUse",
            "agent_id": "",
            "cited": [{"session_id": OTHER_SESSION, "turn": 1, "about": "Paint the buttons"}, gone],
            "text": f"{NOTICE}\n\n## Past context for a.py\n\n> Paint\n",
        },
        {"at": at, "event": "UserPromptSubmit", "agent_id": "a1", "cited": [gone], "text": ""},
    ]


def test_a_session_that_got_nothing(data: Path) -> None:
    result = run(data, OTHER_SESSION)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("memtui has told this session nothing.")
    assert run(data, OTHER_SESSION, "--json").stdout.strip() == "[]"
    assert run(data, "zebra").exit_code == 1
