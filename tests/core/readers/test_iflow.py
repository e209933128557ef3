"""Sessions of iFlow CLI in a real index."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from memtui_core.readers import registry
from memtui_core.readers.agents.iflow.reader import IFlow
from memtui_core.readers.records import Message
from memtui_core.tools.diffs import diff_of
from support.conversations import shown, tool_calls
from support.indexes import build, update
from support.line_files import damaged, encoded, read_as_it_grows, records_of, write_lines
from support.pictures import turn_counts
from support.systems import HOME_VARIABLE

START = datetime(2026, 2, 1, 9, 0, tzinfo=UTC)
SESSION = "session-22222222-aaaa-4aaa-8aaa-000000000001"
CWD = "/home/ana/code/shop"
Entry = dict[str, Any]
HUNK = "@@ -7,1 +7,1 @@\n-prices = []\n+prices = {}"
DIFF = f"Index: prices.py\n=====\n--- prices.py\tCurrent\n+++ prices.py\tProposed\n{HUNK}\n"


class Script:
    """Collects the entries of one session."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def _add(self, kind: str, message: Entry, **fields: Any) -> None:
        number = len(self.entries)
        at = (START + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        head = {"uuid": f"u{number}", "parentUuid": None, "sessionId": SESSION, "timestamp": at, "type": kind}
        self.entries.append({**head, "isSidechain": False, "userType": "external", "message": message, **fields})

    def user(self, content: Any, **fields: Any) -> None:
        about = {"cwd": CWD, "gitBranch": "prices", "version": "1.0.0"}
        self._add("user", {"role": "user", "content": content}, **{**about, **fields})

    def result(self, tool_id: str, name: str, response: Any, display: Any, status: str = "success") -> None:
        answer = {"functionResponse": {"id": tool_id, "name": name, "response": response}}
        content = {"callId": tool_id, "responseParts": answer, "resultDisplay": display}
        part = {"tool_use_id": tool_id, "type": "tool_result", "content": content}
        self.user([part], toolUseResult={"toolName": name, "status": status, "timestamp": 1769936400000})

    def assistant(self, *parts: Any, usage: tuple[int, int] = (0, 0)) -> None:
        content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
        tokens = {"input_tokens": usage[0], "output_tokens": usage[1]}
        body = {"id": f"r{len(self.entries)}", "role": "assistant", "content": content, "model": "glm-4.7"}
        self._add("assistant", {**body, "usage": tokens})

    def write(self, folder: Path) -> Path:
        return write_lines(folder / "projects" / "-home-ana-code-shop" / f"{SESSION}.jsonl", self.entries)


def call(tool_id: str, name: str, **arguments: Any) -> Entry:
    return {"type": "tool_use", "id": tool_id, "name": name, "input": arguments}


def whole_session() -> Script:
    script = Script()
    script.user("Please round the prices")
    read = call("t1", "read_file", absolute_path=f"{CWD}/prices.py")
    edit = call("t2", "replace", file_path=f"{CWD}/prices.py", old_string="[]", new_string="{}")
    run = call("t3", "run_shell_command", command="pytest")
    script.assistant("I will look.", read)
    script.assistant(read, edit)
    script.assistant(edit, run, usage=(16, 2))
    script.result("t1", "read_file", {"output": "prices = []"}, "Read all 1 lines from prices.py")
    script.result("t2", "replace", {"output": "File modified"}, {"fileDiff": DIFF, "fileName": "prices.py"})
    script.result("t3", "run_shell_command", {"error": "1 failed"}, "1 failed", status="error")
    script.assistant("Rounded to cents.")
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 400}}
    script.user([{"type": "text", "text": "What is in the picture?"}, image])
    script.user("The user has opened prices.py", isMeta=True)
    task = call("t4", "task", subagent_type="explore", description="Look", prompt="Find a cat")
    script.assistant({"type": "thinking", "thinking": "Four legs."}, task, {"type": "hologram"})
    compact = {"functionResponse": {"id": "t4", "name": "task", "response": {"output": "A cat"}}}
    script.user([{"tool_use_id": "t4", "type": "tool_result", "content": compact}])
    script.assistant("A cat.")
    return script


def test_a_session_with_everything(tmp_path: Path) -> None:
    whole_session().write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "projects", agent=None)
    session = index.sessions.find(SESSION)
    assert (session.agent, session.project, session.cwd, session.title) == (
        *("iflow", "shop", CWD),
        "Please round the prices",
    )
    assert (session.version, session.branch, session.models) == ("1.0.0", "prices", ("glm-4.7",))
    assert (session.turns, session.tool_calls, session.started_at) == (2, 4, START)
    read, edit, run, task = tool_calls(index, SESSION)
    assert shown(index, SESSION) == [
        (
            "human",
            [
                ("user", "Please round the prices"),
                ("text", "I will look."),
                ("tool_call read_file", read.block.text),
                ("tool_call replace", edit.block.text),
                ("tool_call run_shell_command", '{"command":"pytest"}'),
                ("tool_result read_file", "prices = []"),
                ("tool_result replace", "File modified"),
                ("tool_result run_shell_command!", "1 failed"),
                ("text", "Rounded to cents."),
            ],
        ),
        (
            "human",
            [
                ("user", "What is in the picture?"),
                ("image", "[image/png 1 kB]"),
                ("note meta", "The user has opened prices.py"),
                ("thinking", "Four legs."),
                ("tool_call task", task.block.text),
                ("note meta", '{"type":"hologram"}'),
                ("tool_result task", "A cat"),
                ("text", "A cat."),
            ],
        ),
    ]
    assert [one.family for one in (read, edit, run, task)] == ["read", "edit", "shell", "task"]
    assert (read.path, diff_of(edit)) == (f"{CWD}/prices.py", HUNK)
    rows = index.snapshot.rows("SELECT input_tokens, output_tokens FROM turns ORDER BY number")
    assert rows == [(16, 2), (0, 0)]
    assert index.snapshot.rows("SELECT tool_id, agent_type, description FROM agent_calls") == [
        ("t4", "explore", "Look")
    ]
    assert registry.resume_command(session) == ["iflow", "--resume", SESSION]
    assert IFlow().start_command("Go") == ["iflow", "-i", "Go"]


def test_results_in_other_forms_and_unknown_entries(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    contents = [
        {"responseParts": [{"functionResponse": {"id": "a", "response": {"output": "listed"}}}]},
        {"callId": "b", "resultDisplay": "shown only"},
        "a text",
        [{"type": "text", "text": "a part"}],
        {"mood": "good"},
    ]
    for number, content in enumerate(contents):
        script.user([{"type": "tool_result", "tool_use_id": f"t{number}", "content": content}])
    script.user([{"type": "tool_result", "tool_use_id": "t9", "is_error": True, "content": "refused"}])
    script.entries += [{"type": "weather", "sessionId": SESSION}, {"type": "user", "message": "no object"}]
    script.user("<local-command-stdout>done</local-command-stdout>")
    script.user("<command-name>/init</command-name>")
    script.assistant("I wrote IFLOW.md.")
    script.write(tmp_path)
    index = build(tmp_path / "data", tmp_path / "projects", agent=None)
    assert shown(index, SESSION) == [
        (
            "human",
            [
                ("user", "Round the prices"),
                *(("tool_result", text) for text in ("listed", "shown only", "a text", "a part", '{"mood":"good"}')),
                ("tool_result!", "refused"),
                ("note unknown", "user\nno object"),
                ("note command", "done"),
            ],
        ),
        ("command", [("user", "/init"), ("text", "I wrote IFLOW.md.")]),
    ]
    rows = index.snapshot.rows("SELECT line, kind FROM unknown_entries ORDER BY line")
    assert rows == [(7, "weather"), (8, "user")]


def test_a_file_that_grows_is_read_as_if_at_once(tmp_path: Path) -> None:
    """It takes more than two seconds because two indexes are made in many steps."""
    script = whole_session()
    path = script.write(tmp_path)
    content = encoded(script.entries)
    lines = [position + 1 for position, byte in enumerate(content) if byte == 10]
    cuts = sorted({30, *lines[:-1:2], *(position - 9 for position in lines[2::4])})
    held = read_as_it_grows("iflow", tmp_path / "projects", {path: (content, cuts)}, tmp_path)
    assert turn_counts(held) == {(SESSION, ""): 2}


def test_a_bad_line_half_a_line_and_a_rewritten_file(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices")
    path = script.write(tmp_path)
    update(tmp_path / "data", path, agent="iflow")
    other = Script()
    other.user("Double the prices")
    other.assistant("Doubled.")
    path.write_bytes(encoded(other.entries[:1]) + b"{\n" + encoded(other.entries[1:])[:-5])
    index = build(tmp_path / "data", path, agent="iflow")
    assert shown(index, SESSION) == [("human", [("user", "Double the prices")])]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(1, "not JSON")]
    assert [source.state for source in index.statistics.sources()] == ["waiting"]


@settings(deadline=None, max_examples=150)
@given(entries=damaged(whole_session().entries))
def test_values_of_wrong_types_count_as_absent(entries: list[Entry], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write_lines(tmp_path_factory.getbasetemp() / "damaged" / "iflow.jsonl", entries)
    messages = [record for record in records_of(IFlow(), path) if isinstance(record, Message)]
    assert messages[-1].blocks[-1].text == "A cat."
    assert all(isinstance(block.text, str) for message in messages for block in message.blocks)


def test_which_files_are_sessions(tmp_path: Path) -> None:
    entries = whole_session().entries
    copied = write_lines(tmp_path / "copy.jsonl", entries)
    paths = [Path(f"/home/ana/.iflow/projects/-x/{SESSION}.jsonl"), copied]
    of_claude = write_lines(tmp_path / f"{SESSION}.jsonl", [{**entries[0], "sessionId": SESSION[8:]}])
    samples = sorted((Path(__file__).parents[3] / "sample_sessions").rglob("*.jsonl"))
    assert [reader.agent for path in paths if (reader := registry.reader_for(path))] == ["iflow", "iflow"]
    assert (reader := registry.reader_for(of_claude)) is not None
    assert reader.agent == "claude-code"
    others = [of_claude, paths[0].with_name("logs.jsonl"), paths[0].with_suffix(".json"), *samples]
    assert [path for path in others if IFlow().accepts(path)] == []
    assert len(samples) > 20


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    assert IFlow().default_locations({}) == [Path("/home/ana/.iflow/projects")]
