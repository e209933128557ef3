"""The digest at the start of a session, from the file that the real indexer writes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.agents.hooks.hook_call import HookCall
from memtui.agents.hooks.reminder_text import NOTICE
from memtui.agents.hooks.run import hook_output
from memtui.agents.hooks.session_digest import MAX_BYTES, session_digest
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.writing.digest_file import RULES, write_digests
from memtui_core.readers.locations import Location
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.reminder_log import ReminderLog
from memtui_core.store.marks.tombstones import SessionIdentity
from support.indexes import update
from support.shop_and_blog import BLOG_SESSION, ROOT
from support.transcripts import OTHER_SESSION, SESSION, START, Script

LATER = START + timedelta(days=3)
TEST, LINT = "pytest tests/test_upload.py", "ruff check ."


def runs(script: Script, command: str, number: int, error: str = "") -> None:
    """A command of the agent, and how it ended."""
    script.calls("Bash", {"command": command}, f"t{number}")
    script.result(error or "1 passed", f"t{number}", error=bool(error))


def sessions(folder: Path) -> list[Path]:
    """A session that ended with a question, one after it with checks, and one of another project."""
    asked, checked, blog = Script(), Script(OTHER_SESSION, prefix="f"), Script(BLOG_SESSION, "/home/ana/code/blog", "g")
    asked.user("Fix the upload of pictures")
    asked.says("It is fixed.\n\nShall I raise the limit to 60 seconds?")
    checked.count = 8640
    checked.user("Round the prices of the shop")
    runs(checked, LINT, 1, "Exit code 1\nsrc/a.py:1:1: F401 unused import")
    runs(checked, TEST, 2, "Exit code 1\nE   AssertionError: 3 != 4\n1 failed")
    runs(checked, "ruff check src", 3)
    checked.says("They are rounded.")
    checked.user("No, don't round the prices, use cents instead.")
    checked.says("The prices are in cents.")
    blog.user("Write about the shop")
    blog.says("Written.")
    return [script.write(folder / str(place)) for place, script in enumerate((asked, checked, blog))]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Their index."""
    folder = tmp_path_factory.mktemp("digest")
    update(folder / "data", *sessions(folder / "src"))
    return folder / "data"


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    """A copy of the index, to be written into."""
    return Path(shutil.copytree(built, tmp_path / "data"))


def digest(folder: Path, now: datetime = LATER, **fields: str) -> str:
    """What the agent of a new session reads."""
    call = HookCall("SessionStart", "99", cwd=f"{ROOT}/src", source="startup")
    return session_digest(call._replace(**fields), folder, now)


WHOLE = f"""{NOTICE}

## Last sessions of this project

- 1 day ago · Round the prices of the shop [{OTHER_SESSION}:2]
- 2 days ago · Fix the upload of pictures · asked: "Shall I raise the limit to 60 seconds?" [{SESSION}:1]

## Checks whose last run failed

- 1 day ago · `{TEST}` · "E AssertionError: 3 != 4" [{OTHER_SESSION}:1]

## What the user decided last

- 1 day ago · said "No, don't round the prices, use cents instead." [{OTHER_SESSION}:2]
"""


def test_a_session_begins_with_what_was_done_last_and_what_is_open(data: Path) -> None:
    assert digest(data) == WHOLE
    assert digest(data, session="98", cwd="/home/ana/code/blog").count("\n- ") == 1


@pytest.mark.parametrize("fields", [{"cwd": "/home/ana/other"}, {"cwd": ""}, {"agent": "a1"}])
def test_nothing_is_said_elsewhere_and_to_subagents(data: Path, fields: dict[str, Any]) -> None:
    assert digest(data, **fields) == ""
    assert not DataDir(data).reminders.exists()


def test_nothing_is_said_without_a_history(tmp_path: Path) -> None:
    assert digest(tmp_path / "none") == ""
    assert not (tmp_path / "none").exists()


def test_what_stands_in_the_digest_does_not_come_again(data: Path) -> None:
    assert digest(data) == WHOLE
    assert digest(data, source="resume") == ""
    [reminder] = ReminderLog(data).reminders("99")
    assert (reminder.event, reminder.text) == ("SessionStart", WHOLE)
    assert reminder.references == (f"{OTHER_SESSION}:2", f"{OTHER_SESSION}:1", f"{SESSION}:1")
    asked = {"session_id": "99", "cwd": ROOT, "prompt": "what about src/a.py and the upload of pictures?"}
    assert hook_output("UserPromptSubmit", json.dumps(asked).encode(), data) == ""
    ReminderLog(data).clear("99")
    assert digest(data, source="clear") == WHOLE


def test_a_session_is_not_told_of_itself(data: Path) -> None:
    assert digest(data, session=OTHER_SESSION).count("\n- ") == 1
    assert f"[{OTHER_SESSION}:" not in digest(data, session=OTHER_SESSION, source="clear")


def test_after_a_compaction_what_the_summary_lacks_comes_instead(data: Path) -> None:
    call = {"session_id": "99", "cwd": ROOT, "source": "compact", "transcript_path": str(data / "none.jsonl")}
    assert hook_output("SessionStart", json.dumps(call).encode(), data) == ""
    call["source"] = "startup"
    output = json.loads(hook_output("SessionStart", json.dumps(call).encode(), data))["hookSpecificOutput"]
    assert output["hookEventName"] == "SessionStart"
    assert output["additionalContext"].startswith(f"{NOTICE}\n\n## Last sessions of this project\n")


def test_the_settings_turn_it_off(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "config.toml"
    monkeypatch.setenv("MEMTUI_CONFIG", str(settings))
    for text, said in (("[hooks]\ndigest = false\n", False), ('theme = "nord"\n', True), ("# digest\n", True)):
        settings.write_text(text)
        assert bool(digest(data, session=text)) is said, text


def test_a_check_that_passed_later_in_any_form_is_done(tmp_path: Path) -> None:
    script = Script()
    script.user("Test it")
    runs(script, TEST, 1, "Exit code 1\nE   AssertionError: 3 != 4\n1 failed")
    runs(script, "make-coffee", 2, "Exit code 1\nError: no beans")
    script.says("It fails.")
    data = tmp_path / "data"
    update(data, script.write(tmp_path / "src"))
    assert ["`" + TEST + "`" in digest(data, session="1"), "coffee" in digest(data, session="2")] == [True, False]
    other = Script(OTHER_SESSION, prefix="f")
    other.count = 100
    other.user("Test all")
    runs(other, "pytest", 1)
    update(data, other.write(tmp_path / "src"))
    assert "## Checks" not in digest(data, session="3")
    assert OTHER_SESSION in digest(data, session="4"), "the file is of the last run"


def test_a_session_that_is_not_done_may_run(tmp_path: Path) -> None:
    script = Script()
    script.user("Paint it")
    data = tmp_path / "data"
    update(data, script.write(tmp_path / "src"))
    assert 'Paint it · runs now: "Paint it"' in digest(data, START + timedelta(minutes=4), session="1")
    assert 'Paint it · no answer to: "Paint it"' in digest(data, START + timedelta(minutes=6), session="2")


def test_forgotten_and_archived_sessions_are_left_out(data: Path) -> None:
    index = Index.open(data)
    for archived in (True, False, True):
        index.annotations.archive(index.sessions.find(SESSION).key, archived=archived)
        write_digests(DataDir(data))
        assert (f"[{SESSION}:1]" in digest(data, session=f"1{archived}")) != archived
        ReminderLog(data).clear(f"1{archived}")
    with Indexer(data) as indexer:
        indexer.forgetting.forget([SessionIdentity("claude-code", OTHER_SESSION)])
        assert not DataDir(data).digest.exists()
    assert list(json.loads(DataDir(data).digest.read_bytes())["projects"]) == ["/home/ana/code/blog"]


def test_only_projects_in_which_something_changed_are_read_again(data: Path, tmp_path: Path) -> None:
    path = DataDir(data).digest
    content = json.loads(path.read_bytes())
    content["projects"]["/home/ana/code/blog"]["sessions"][0]["title"] = "kept"
    content["projects"][ROOT]["sessions"][0]["title"] = "replaced"
    path.write_text(json.dumps(content))
    script = Script("4" + OTHER_SESSION[1:], prefix="h")
    script.user("Go on")
    with Indexer(data) as indexer:
        list(indexer.update([Location("claude-code", script.write(tmp_path / "more"))]))
    titles = {root: one["sessions"][0]["title"] for root, one in json.loads(path.read_bytes())["projects"].items()}
    assert titles == {ROOT: "Round the prices of the shop", "/home/ana/code/blog": "kept"}
    before = path.stat().st_mtime_ns
    write_digests(DataDir(data))
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"rules": "%s", "batch": 9, "archived": [], "projects": {"a": 1}}' % RULES.encode()]
)
def test_a_broken_file_is_written_anew(data: Path, content: bytes) -> None:
    path = DataDir(data).digest
    path.write_bytes(content)
    call = {"session_id": "99", "cwd": ROOT, "source": "startup"}
    assert hook_output("SessionStart", json.dumps(call).encode(), data) == ""
    write_digests(DataDir(data))
    assert digest(data) == WHOLE


@pytest.mark.parametrize(
    ("way", "quote", "about", "said"),
    [
        ("said", "Use cents", "", 'said "Use cents"'),
        ("answer", "Cents", "Which unit?", 'chose "Cents" · about "Which unit?"'),
        ("rejected", "Not now", "Bash: git push", 'refused "Bash: git push" · said "Not now"'),
        ("rejected", "", "Bash: git push", 'refused "Bash: git push"'),
        ("plan", "Round all", "", 'approved the plan "Round all"'),
    ],
)
def test_what_the_user_decided_is_said_as_they_did(data: Path, way: str, quote: str, about: str, said: str) -> None:
    path = DataDir(data).digest
    content = json.loads(path.read_bytes())
    content["projects"][ROOT]["decisions"][0] |= {"way": way, "quote": quote, "about": about}
    path.write_text(json.dumps(content))
    assert digest(data).splitlines()[-1] == f"- 1 day ago · {said} [{OTHER_SESSION}:2]"


texts = st.text(max_size=400)
rows = st.fixed_dictionaries(
    {
        "id": texts, "turn": st.integers(1, 9999), "at": st.floats(0, 2e9), "title": texts, "quote": texts,
        "kind": st.sampled_from(["question", "clean", "error", "new"]), "runs_until": st.just(0.0),
        "command": texts, "error": texts, "way": st.sampled_from(["said", "answer", "new"]), "about": texts,
        "files": st.lists(texts, max_size=9),
    }
)  # fmt: skip


@given(st.lists(rows, max_size=6), st.lists(rows, max_size=6), st.lists(rows, max_size=6))
def test_it_is_short_and_no_text_of_a_transcript_begins_a_line(
    tmp_path_factory: pytest.TempPathFactory, last: list[Any], failed: list[Any], decided: list[Any]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    project = {"at": 0.0, "folders": [["", ""]], "sessions": last, "failures": failed, "decisions": decided}
    (folder / "digest.json").write_text(json.dumps({"projects": {ROOT: project}}))
    text = digest(folder)
    assert len(text.encode()) <= MAX_BYTES
    assert all(not line or line.startswith(("- ", "## ")) for line in text.split("\n")[1:])


def test_it_loads_next_to_nothing(data: Path) -> None:
    given = json.dumps({"session_id": "99", "cwd": ROOT, "source": "startup"}).encode()
    code = f"""
import sys
from pathlib import Path
from memtui.agents.hooks.run import hook_output
assert hook_output("SessionStart", {given!r}, Path({str(data)!r}))
print(*{{name for name, module in sys.modules.items() if module}})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    loaded = set(done.stdout.split())
    heavy = {"_duckdb", "duckdb", "click", "textual", "rich", "numpy", "logging", "orjson", "memtui_core.model"}
    assert loaded & heavy == set()
