"""Sessions of Gemini CLI: documents, and lines that amend each other."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.index.index import Index
from memtui_core.readers.agents.gemini.reader import Gemini
from memtui_core.readers.base import START, Retention, Transcript
from memtui_core.readers.records import TitleRecord
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.tools.diffs import diff_of
from support.conversations import assert_grow, jsonl, shown, tool_calls
from support.indexes import build, update
from support.pictures import picture
from support.systems import HOME_VARIABLE

ROOT = "/home/ana/code/shop"
HASH = hashlib.sha256(ROOT.encode()).hexdigest()
ID = "7b0c2f4e-1111-4222-8333-444455556666"
DIFF = (
    "Index: price.py\n===\n--- price.py\tCurrent\n+++ price.py\tProposed\n"
    "@@ -1,2 +1,2 @@\n def price(x):\n-    return x\n+    return round(x, 2)\n"
)


def at(second: int) -> str:
    return f"2026-07-01T09:00:{second:02}.000Z"


def header(**more: Any) -> dict[str, Any]:
    times = {"startTime": at(0), "lastUpdated": at(0)}
    return {"sessionId": ID, "projectHash": HASH, **times, "kind": "main", **more}


def user(number: int, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": f"u{number}", "timestamp": at(number), "type": "user", "content": content, **more}


def gemini(number: int, content: Any = "", **more: Any) -> dict[str, Any]:
    return {"id": f"g{number}", "timestamp": at(number), "type": "gemini", "content": content, **more}


def call(tool_id: str, name: str, arguments: Any, response: Any = None, **more: Any) -> dict[str, Any]:
    result = [] if response is None else [{"functionResponse": {"id": tool_id, "name": name, "response": response}}]
    return {"id": tool_id, "name": name, "args": arguments, "result": result, "status": "success", **more}


MESSAGES = [
    user(1, [{"text": "Round the prices"}]),
    gemini(
        2,
        "I round them.",
        thoughts=[{"subject": "Rounding", "description": "Two digits.", "timestamp": at(2)}],
        tokens={"input": 1000, "output": 20, "cached": 400, "thoughts": 30, "tool": 5, "total": 1055},
        model="gemini-3-pro",
        toolCalls=[
            call("r1", "read_file", {"file_path": f"{ROOT}/src/price.py"}, {"output": "def price(x):"}),
            call(
                "e1",
                "replace",
                {"file_path": f"{ROOT}/src/price.py", "old_string": "return x", "new_string": "return round(x, 2)"},
                {"output": "Successfully modified file"},
                resultDisplay={"fileDiff": DIFF, "fileName": "price.py"},
            ),
            call(
                "s1",
                "run_shell_command",
                {"command": "pytest -q"},
                {"error": "Command failed"},
                status="error",
            ),
            call("s2", "run_shell_command", {"command": "make lint"}, {"output": "Output: E501\nExit Code: 2"}),
            {"name": "glob", "args": {"pattern": "*.py"}, "status": "success", "resultDisplay": "Found 1 file"},
            call("w1", "write_file", {"file_path": "notes.md", "content": "x"}, status="executing"),
        ],
    ),
    {"id": "i1", "timestamp": at(3), "type": "info", "content": "Update available"},
    {"id": "i2", "timestamp": at(4), "type": "info", "content": "Request cancelled."},
    {"id": "i3", "timestamp": at(5), "type": "error", "content": [{"text": "Quota exceeded"}]},
    user(6, [{"text": "And @price.py?"}, {"text": "\n--- Content from referenced files ---"}, {"text": "def price"}]),
    gemini(7, [{"text": "hidden", "thought": True}, {"text": "It is rounded."}], model="gemini-3-flash", tokens=None),
]
CALLS = MESSAGES[1]["toolCalls"]
EXPECTED = [
    (
        "human",
        [
            ("user", "Round the prices"),
            ("thinking", "Rounding\nTwo digits."),
            ("text", "I round them."),
            *((f"tool_call {one['name']}", json.dumps(one["args"], separators=(",", ":"))) for one in CALLS),
            ("tool_result read_file", "def price(x):"),
            ("tool_result replace", "Successfully modified file"),
            ("tool_result run_shell_command!", "Command failed"),
            ("tool_result run_shell_command", "Output: E501\nExit Code: 2"),
            ("tool_result glob", "Found 1 file"),
            ("note meta", "Update available"),
            ("note interrupt", "Request cancelled."),
            ("note error!", "Quota exceeded"),
        ],
    ),
    (
        "human",
        [
            ("user", "And @price.py?"),
            ("note reminder", "\n--- Content from referenced files ---"),
            ("note reminder", "def price"),
            ("thinking", "hidden"),
            ("text", "It is rounded."),
        ],
    ),
]


def home(tmp_path: Path, project: str = HASH) -> Path:
    folder = tmp_path / "home" / ".gemini" / "tmp" / project / "chats"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write(tmp_path: Path, *entries: Any, name: str = "session-2026-07-01T09-00-7b0c2f4e.jsonl") -> Path:
    path = home(tmp_path) / name
    path.write_text(jsonl(entries))
    return path


def index_of(tmp_path: Path) -> Index:
    return build(tmp_path / "data", tmp_path / "home", agent="gemini")


@pytest.mark.parametrize("document", [False, True])
def test_everything_in_a_session(tmp_path: Path, document: bool) -> None:
    if document:
        path = home(tmp_path) / "session-2026-07-01T09-00-7b0c2f4e.json"
        path.write_text(json.dumps(header(summary=" Round prices ", messages=MESSAGES), indent=2))
    else:
        write(tmp_path, header(), *MESSAGES, {"$set": {"summary": " Round prices ", "lastUpdated": at(9)}})
    index = index_of(tmp_path)
    (session,) = index.sessions.all()
    assert shown(index, ID) == EXPECTED
    assert (session.agent, session.session_id, session.cwd, session.project, session.title) == (
        ("gemini", ID, ROOT, "shop", "Round prices")
    )
    assert session.models == ("gemini-3-flash", "gemini-3-pro")
    # The cached tokens are part of the input; those of tool results are not.
    assert (session.input_tokens, session.output_tokens) == (605, 50)
    assert (session.started_at, session.ended_at) == (
        datetime(2026, 7, 1, 9, 0, 1, tzinfo=UTC),
        datetime(2026, 7, 1, 9, 0, 7, tzinfo=UTC),
    )
    assert resume_command(session) == ["gemini", "--resume", ID]
    assert Gemini().start_command("-x") == ["gemini", "--prompt-interactive", "-x"]
    calls = tool_calls(index, ID)
    assert [(one.name, one.family, one.path, one.command, one.exit_code) for one in calls] == [
        ("read_file", "read", f"{ROOT}/src/price.py", "", None),
        ("replace", "edit", f"{ROOT}/src/price.py", "", None),
        ("run_shell_command", "shell", "", "pytest -q", None),
        ("run_shell_command", "shell", "", "make lint", 2),
        ("glob", "search", "", "", None),
        ("write_file", "write", "notes.md", "", None),
    ]
    assert diff_of(calls[1]) == "@@ -1,2 +1,2 @@\n def price(x):\n-    return x\n+    return round(x, 2)"
    assert [one.result is None for one in calls] == [False, False, False, False, False, True]
    assert {(touch.path, touch.kind) for touch in index.files.of_turn(session.key, 1)} >= {("src/price.py", "edited")}


def test_the_summary_of_the_workflow_is_shown_at_the_end(tmp_path: Path) -> None:
    """Also when it changes, and messages follow."""
    entries = [header(), user(1, "Round"), gemini(2, "Rounded.")]
    for workflow, more in (("read_file", []), ("read_file -> replace", [user(3, "Thanks"), gemini(4, "Welcome.")])):
        entries += [*more, {"$set": {"memoryScratchpad": {"version": 1, "workflowSummary": workflow}}}]
        write(tmp_path, *entries)
        index = index_of(tmp_path)
    assert shown(index, ID) == [
        ("human", [("user", "Round"), ("text", "Rounded.")]),
        ("human", [("user", "Thanks"), ("text", "Welcome."), ("note meta", "read_file -> replace")]),
    ]
    assert index.sessions.all()[0].title == "Round"


def test_a_message_with_a_known_id_replaces_the_one_before(tmp_path: Path) -> None:
    first = gemini(2, "I", tokens={"input": 5, "output": 1})
    write(tmp_path, header(), user(1, "Hi"), first, user(3, "More"), first | {"content": "I am done."})
    index = index_of(tmp_path)
    assert shown(index, ID) == [
        ("human", [("user", "Hi"), ("text", "I am done.")]),
        ("human", [("user", "More")]),
    ]
    assert index.sessions.find(ID).input_tokens == 5


@pytest.mark.parametrize("target", ["u3", "gone"])
def test_what_was_taken_back_stays_once(tmp_path: Path, target: str) -> None:
    write(
        tmp_path,
        header(),
        *(user(1, "Hi"), gemini(2, "Hello"), user(3, "Delete all"), gemini(4, "Deleted")),
        {"$rewindTo": target},
        *(user(5, "Keep all"), gemini(6, "Kept")),
    )
    note = "before: Delete all" if target == "u3" else "its start."
    assert shown(index_of(tmp_path), ID) == [
        ("human", [("user", "Hi"), ("text", "Hello")]),
        (
            "human",
            [("user", "Delete all"), ("text", "Deleted"), ("note meta", f"The conversation was taken back to {note}")],
        ),
        ("human", [("user", "Keep all"), ("text", "Kept")]),
    ]


def test_a_compression_adds_its_summary_and_repeats_nothing(tmp_path: Path) -> None:
    asked = gemini(2, "", toolCalls=[call("r1", "read_file", {"file_path": "a.py"}, {"output": "the whole file"})])
    shortened = asked | {"toolCalls": [call("r1", "read_file", {"file_path": "a.py"}, {"output": "[masked]"})]}
    summary = "<state_snapshot>\n<goal>Round</goal>\n</state_snapshot>"
    results = user(9, [{"functionResponse": {"id": "r1", "name": "read_file", "response": {"output": "again"}}}])
    write(
        tmp_path,
        header(),
        *(user(1, "Round the prices"), asked, user(3, "And the discounts")),
        {"$set": {"messages": [user(8, summary), gemini(8, "Got it."), shortened, results, user(3, "And the")]}},
        gemini(10, "Both are rounded."),
    )
    index = index_of(tmp_path)
    assert shown(index, ID) == [
        (
            "human",
            [
                ("user", "Round the prices"),
                ("tool_call read_file", '{"file_path":"a.py"}'),
                ("tool_result read_file", "the whole file"),
            ],
        ),
        ("human", [("user", "And the discounts")]),
        ("compaction", [("user", summary), ("text", "Got it."), ("text", "Both are rounded.")]),
    ]
    (compaction,) = index.compactions.of_session(index.sessions.find(ID).key)
    assert (compaction.turn, compaction.trigger) == (3, None)


def test_a_history_without_other_messages_is_read(tmp_path: Path) -> None:
    parts = [{"text": "I look."}, {"functionCall": {"id": "c1", "name": "glob", "args": {"pattern": "*.py"}}}]
    answered = [{"functionResponse": {"id": "c1", "name": "glob", "response": {"output": "a.py"}}}]
    context = user(0, "<session_context>\nToday is Monday\n</session_context>")
    growing = [context, user(1, "Which files?"), gemini(2, parts)]
    write(
        tmp_path,
        header(),
        {"$set": {"messages": growing}},
        {"$set": {"messages": [*growing, user(3, answered), gemini(4, [{"text": "One."}])]}},
    )
    assert shown(index_of(tmp_path), ID) == [
        (
            "human",
            [
                ("note reminder", "<session_context>\nToday is Monday\n</session_context>"),
                ("user", "Which files?"),
                ("text", "I look."),
                ("tool_call glob", '{"pattern":"*.py"}'),
                ("tool_result glob", "a.py"),
                ("text", "One."),
            ],
        ),
    ]


def test_a_resumed_document_that_became_lines_counts_once(tmp_path: Path) -> None:
    document = home(tmp_path) / "session-2026-07-01T09-00-7b0c2f4e.json"
    document.write_text(json.dumps(header(messages=MESSAGES)))
    first = index_of(tmp_path)
    assert shown(first, ID) == EXPECTED
    write(tmp_path, header(), *MESSAGES, {"$set": {"sessionId": ID}}, user(20, "Thanks"))
    index = index_of(tmp_path)
    assert shown(index, ID) == [*EXPECTED, ("human", [("user", "Thanks")])]
    assert index.sessions.find(ID).input_tokens == 605
    assert {Path(one.path).suffix: one.state for one in index.statistics.sources()} == {".json": "copy", ".jsonl": "ok"}


def test_a_subagent_belongs_to_the_call_that_started_it(tmp_path: Path) -> None:
    arguments = {"agent_name": "codebase_investigator", "prompt": "Find the prices"}
    asked = gemini(2, "", toolCalls=[call("t1", "invoke_agent", arguments, {"output": "In price.py"})])
    named = gemini(3, "", toolCalls=[call("t2", "invoke_agent", {"prompt": "?"}, {"output": "-"}, agentId="child-2")])
    write(tmp_path, header(), user(1, "Where are the prices?"), asked, named)
    chats = home(tmp_path)
    (chats / ID).mkdir()
    for child, prompt in (("child-1", "Find the prices"), ("child-2", "Something else")):
        entries = [header(sessionId=child, kind="subagent", directories=[ROOT]), user(5, prompt), gemini(6, "Here.")]
        (chats / ID / f"{child}.jsonl").write_text(jsonl(entries))
    index = index_of(tmp_path)
    (session,) = index.sessions.all()
    children = index.sessions.subagents(session.key)
    assert sorted((one.session_id, one.parent_tool_id, one.cwd) for one in children) == [
        ("child-1", "t1", ROOT),
        ("child-2", "t2", ROOT),
    ]
    assert shown(index, "child-1") == [("agent", [("user", "Find the prices"), ("text", "Here.")])]
    assert resume_command(children[0]) is None
    assert Gemini().subagent_locations(chats / "session-2026-07-01T09-00-7b0c2f4e.jsonl") == [chats / ID]


@pytest.mark.parametrize("place", ["root file", "list of projects", "hash of a listed project", "files", "nowhere"])
def test_where_a_session_ran(tmp_path: Path, place: str) -> None:
    project = HASH if place == "hash of a listed project" else "shop"
    chats = home(tmp_path, project)
    named = "/home/ana/code/shop/src/a b.py" if place == "files" else "a.py"
    entries = [header(), user(1, "Hi"), gemini(2, "", toolCalls=[call("r", "read_file", {"file_path": named}, {})])]
    (chats / "session-1.jsonl").write_text(jsonl(entries))
    if place == "root file":
        (chats.parent / ".project_root").write_text(f"{ROOT}\n")
    elif place == "list of projects":
        chats.parent.parent.with_name("projects.json").write_text(json.dumps({"projects": {ROOT: "shop", "/x": "x"}}))
    elif place == "hash of a listed project":
        chats.parent.parent.with_name("projects.json").write_text(json.dumps({"projects": {"/x": "x", ROOT: "old"}}))
    (session,) = index_of(tmp_path).sessions.all()
    assert (session.cwd, session.project) == (("", "shop") if place == "nowhere" else (ROOT, "shop"))


def test_commands_and_changed_prompts(tmp_path: Path) -> None:
    write(
        tmp_path,
        header(),
        user(1, "/about"),
        user(2, "/plan the sale"),
        gemini(3, "Planned."),
        user(4, [{"text": "Whole file"}], displayContent=[{"text": "/home/ana is mine"}]),
        user(5, [{"inlineData": {"mimeType": "image/png", "data": "A" * 4000}}]),
    )
    assert shown(index_of(tmp_path), ID) == [
        ("command", [("note command", "/about"), ("user", "/plan the sale"), ("text", "Planned.")]),
        ("human", [("user", "/home/ana is mine"), ("note reminder", "Whole file")]),
        ("human", [("image", "[image/png 3 kB]")]),
    ]


def test_files_that_grow_come_to_the_same(tmp_path: Path) -> None:
    """It takes more than two seconds because an index is made in many steps."""
    entries = [header(), *MESSAGES, {"$rewindTo": "u6"}, user(11, "Again"), MESSAGES[1] | {"content": "Changed"}]
    content = jsonl([*entries, {"$set": {"summary": "Prices"}}, gemini(12, "Done")])
    ids = [f"{number}{ID[1:]}" for number in range(4)]
    files = {home(tmp_path) / f"session-1-{one[:8]}.jsonl": content.replace(ID, one).encode() for one in ids}
    assert_grow(tmp_path, "gemini", files)


def test_a_rewritten_file_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, header(), user(1, "Hi"), gemini(2, "Hello"), user(3, "Bye"))
    index_of(tmp_path)
    path.write_text(jsonl([header(), user(1, "Hi"), gemini(2, "Hello!")]))
    index = index_of(tmp_path)
    update(tmp_path / "fresh", tmp_path / "home", agent="gemini")
    assert shown(index, ID) == [("human", [("user", "Hi"), ("text", "Hello!")])]
    assert picture(tmp_path / "data") == picture(tmp_path / "fresh")


def test_bad_lines_cost_themselves_and_a_bad_document_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, header(), user(1, "Hi"))
    with path.open("a") as file:
        file.write("no JSON\n[]\n" + jsonl([{"type": "radar", "id": "x"}, {"odd": 1}]) + '{"id": "g2", "type": "gem')
    (home(tmp_path) / "session-2-bad.json").write_text('{"sessionId": "b", "projectHash": "c", "messages": [')
    index = index_of(tmp_path)
    assert shown(index, ID) == [("human", [("user", "Hi")])]
    states = {Path(one.path).name: (one.state, one.error) for one in index.statistics.sources()}
    assert states["session-2026-07-01T09-00-7b0c2f4e.jsonl"] == ("waiting", None)
    assert states["session-2-bad.json"][0] == "error"
    assert "session-2-bad.json: not JSON" in str(states["session-2-bad.json"][1])
    rows = index.snapshot.rows("SELECT kind, raw FROM unknown_entries ORDER BY kind")
    assert rows == [("radar", '{"type":"radar","id":"x"}'), ("without a type", '{"odd":1}')]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines ORDER BY line") == [
        (1, "not JSON"),
        (2, "not a JSON object"),
    ]


def test_which_files_it_reads(tmp_path: Path) -> None:
    tmp = tmp_path / ".gemini" / "tmp" / "shop"
    accepted = [
        tmp / "chats" / "session-1.jsonl",
        tmp / "chats" / "session-1.json",
        tmp / "chats" / ID / "child.jsonl",
    ]
    others = [
        tmp / "logs.json",
        tmp / "chats" / "notes.txt",
        tmp / "checkpoints" / "a.json",
        tmp_path / ".tabnine" / "agent" / "tmp" / "shop" / "chats" / "session-1.jsonl",
        tmp_path / ".qwen" / "tmp" / "shop" / "chats" / "session-1.json",
    ]
    # These files do not exist.
    assert [Gemini().accepts(path) for path in accepted + others] == [True] * 3 + [False] * 5
    contents = {
        "copy.jsonl": jsonl([header(), user(1, "Hi")]),
        "full.jsonl": json.dumps(header(messages=[]), indent=2),
        "full.json": json.dumps(header(messages=[])),
        "other.jsonl": jsonl([{"type": "user", "sessionId": ID, "uuid": "1", "projectHash": ""}]),
        "package.json": '{"name": "shop"}',
        "empty.jsonl": "",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    agents = {name: getattr(reader_for(tmp_path / name), "agent", None) for name in contents}
    assert agents == {
        "copy.jsonl": "gemini",
        "full.jsonl": "gemini",
        "full.json": "gemini",
        "other.jsonl": "claude-code",
        "package.json": None,
        "empty.jsonl": "claude-code",
    }


def test_its_location(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    assert Gemini().default_locations({}) == [tmp_path / ".gemini" / "tmp"]
    assert Gemini().default_locations({"GEMINI_CLI_HOME": "/x"}) == [Path("/x/.gemini/tmp")]


@pytest.mark.parametrize(
    ("content", "days"),
    [
        (None, 30),
        ("{", 30),
        ('{"general": {"sessionRetention": {"maxAge": "2w"}}}', 14),
        ('{"general": {"sessionRetention": {"maxAge": "36h"}}}', 1),
        ('{"general": {"sessionRetention": {"maxAge": 5, "enabled": true}}}', 30),
        ('{"general": {"sessionRetention": {"enabled": false}}}', None),
    ],
)
def test_how_long_it_keeps_sessions(tmp_path: Path, content: str | None, days: int | None) -> None:
    location = home(tmp_path).parent.parent
    settings_file = location.with_name("settings.json")
    if content is not None:
        settings_file.write_text(content)
    key = "general.sessionRetention.maxAge"
    expected = None if days is None else Retention("gemini", "Gemini CLI", days, settings_file, key)
    assert Gemini().retention(location) == expected
    assert Gemini().retention(location.parent) is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["user", "g2", ID]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("id", "type", "content", "text", "toolCalls", "args", "result", "functionResponse", "response"),
                    *(
                        "thoughts",
                        "tokens",
                        "messages",
                        "resultDisplay",
                        "fileDiff",
                        "status",
                        "name",
                        "timestamp",
                        "error",
                    ),
                    *(
                        "displayContent",
                        "inlineData",
                        "functionCall",
                        "directories",
                        "agentId",
                        "output",
                        "parts",
                        "model",
                    ),
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=8,
)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(
        st.fixed_dictionaries({"type": st.sampled_from(["user", "gemini", "info"]), "content": VALUES}).flatmap(
            lambda known: st.dictionaries(
                st.sampled_from(["id", "toolCalls", "thoughts", "tokens", "timestamp", "$set", "$rewindTo"]),
                VALUES,
                max_size=4,
            ).map(lambda more: known | more)
        )
        | VALUES,
        max_size=6,
    )
)
def test_no_value_is_an_error(tmp_path_factory: pytest.TempPathFactory, entries: list[Any]) -> None:
    path = tmp_path_factory.mktemp("hostile") / "session-1.jsonl"
    path.write_text(jsonl([header(), *entries]))
    transcript = Transcript("gemini", path, path.stat().st_size, 1)
    reading = Gemini().read(transcript, START)
    records = list(reading)
    again = Gemini().read(transcript, reading.cursor(None))
    assert (again.from_start, [one for one in again if not isinstance(one, TitleRecord)]) == (False, [])
    assert list(Gemini().read(transcript, START)) == records
