"""Chats of Cursor: transcripts of lines and of text, and the database of the editor."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.index.index import Index
from memtui_core.readers.agents.cursor.reader import CursorAgent
from memtui_core.readers.base import START, Transcript
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.tools.diffs import diff_of
from support.conversations import assert_grow, jsonl, shown, tool_calls
from support.indexes import build, update
from support.pictures import picture
from support.systems import HOME_VARIABLE

ROOT = "/home/ana/code/shop-api"
ID = "5a5a5a5a-1111-4222-8333-444455556666"
CHILD = "6b6b6b6b-1111-4222-8333-444455556666"
EDITOR = ".config/Cursor/User/globalStorage"


def entry(role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return {"role": role, "message": {"content": content}, **more}


def use(name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "name": name, "input": arguments, **more}


PROMPT = (
    "<timestamp>Sunday, Jul 26, 2026, 1:06 PM (UTC+3)</timestamp>\n<open_and_recently_viewed_files>\nprice.py\n"
    "</open_and_recently_viewed_files>\n<user_query>\nRound the prices\n</user_query>"
)
CONTEXT = "<open_and_recently_viewed_files>\nprice.py\n</open_and_recently_viewed_files>"
EDIT = {"path": f"{ROOT}/price.py", "old_string": "return x", "new_string": "return round(x, 2)"}
FAILED = [{"type": "text", "text": "1 failed"}]
ENTRIES = [
    entry("user", PROMPT),
    entry(
        "assistant",
        {"type": "thinking", "thinking": "Two digits."},
        "I round them.",
        use("StrReplace", EDIT),
        use("Shell", {"command": "pytest"}),
    ),
    entry("user", {"type": "tool_result", "tool_use_id": "x1", "content": "Edited"}),
    entry(
        "user",
        {"type": "tool_result", "name": "Shell", "content": [{"type": "text", "text": "1 failed"}], "is_error": True},
    ),
    entry("assistant", "Done.", model="composer-3"),
    {"type": "turn_ended", "status": "success"},
    entry("user", "Go on"),
    entry("assistant", use("Read", {"path": "price.py"}, id="r1"), {"type": "radar", "text": "?"}),
    {"type": "weather"},
]
EXPECTED = [
    (
        "human",
        [
            ("user", "Round the prices"),
            ("note reminder", CONTEXT),
            ("thinking", "Two digits."),
            ("text", "I round them."),
            ("tool_call StrReplace", json.dumps(EDIT, separators=(",", ":"))),
            ("tool_call Shell", '{"command":"pytest"}'),
            ("tool_result StrReplace", "Edited"),
            ("tool_result Shell!", "1 failed"),
            ("text", "Done."),
        ],
    ),
    ("human", [("user", "Go on"), ("tool_call Read", '{"path":"price.py"}')]),
]


def chat_folder(tmp_path: Path, chat: str = ID) -> Path:
    folder = tmp_path / "home" / ".cursor" / "projects" / "home-ana-code-shop" / "agent-transcripts" / chat
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write(tmp_path: Path, *entries: Any, chat: str = ID) -> Path:
    path = chat_folder(tmp_path, chat) / f"{chat}.jsonl"
    path.write_text(jsonl(entries))
    return path


def know_chat(tmp_path: Path, chat: str = ID) -> None:
    folder = tmp_path / "home" / ".cursor" / "chats" / "0123456789abcdef" / chat
    folder.mkdir(parents=True)
    (folder / "meta.json").write_text(json.dumps({"cwd": ROOT, "title": "Prices"}))


def index_of(tmp_path: Path) -> Index:
    return build(tmp_path / "data", tmp_path / "home", agent="cursor")


def test_everything_in_a_transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, *ENTRIES)
    know_chat(tmp_path)
    index = index_of(tmp_path)
    (session,) = index.sessions.all()
    assert shown(index, ID) == EXPECTED
    assert (session.agent, session.cwd, session.project, session.title) == ("cursor", ROOT, "shop-api", "Prices")
    assert session.models == ("composer-3",)
    # A prompt without a time has that of the one before.
    assert {turn.started_at for turn in index.sessions.turns(session.key)} == {datetime(2026, 7, 26, 10, 6, tzinfo=UTC)}
    edit, shell, read = tool_calls(index, ID)
    assert diff_of(edit) == "@@ -1,1 +1,1 @@\n-return x\n+return round(x, 2)"
    assert (edit.path, shell.command, read.family, read.result) == (f"{ROOT}/price.py", "pytest", "read", None)
    assert index.snapshot.rows("SELECT line, kind FROM unknown_entries ORDER BY line") == [(7, "radar"), (8, "weather")]
    monkeypatch.setenv("CURSOR_CONFIG_DIR", str(tmp_path / "home" / ".cursor"))
    assert resume_command(session) == ["cursor-agent", "--resume", ID]
    # A chat of the editor cannot be resumed in the terminal.
    assert (CursorAgent().resume_command(CHILD), CursorAgent().resume_command("../x")) == (None, None)
    assert CursorAgent().start_command("Hi") == ["cursor-agent", "Hi"]


def test_a_folder_names_the_project_if_nothing_else_does(tmp_path: Path) -> None:
    write(tmp_path, entry("user", "Hi"))
    (session,) = index_of(tmp_path).sessions.all()
    assert (session.project, session.cwd, session.title) == ("shop", "", "Hi")


def test_a_subagent_belongs_to_its_call(tmp_path: Path) -> None:
    task = {"subagent_type": "explore", "description": "Look", "prompt": "Find the prices"}
    path = write(tmp_path, entry("user", "Where?"), entry("assistant", use("Task", task)))
    folder = chat_folder(tmp_path) / "subagents"
    folder.mkdir()
    child = [entry("user", "<user_query>\nFind the prices\n</user_query>"), entry("assistant", "Here.")]
    (folder / f"{CHILD}.jsonl").write_text(jsonl(child))
    index = index_of(tmp_path)
    (session,) = index.sessions.all()
    (started,) = index.sessions.subagents(session.key)
    assert (started.session_id, started.parent_tool_id, started.title) == (CHILD, "call-1", "Look")
    assert shown(index, CHILD) == [("agent", [("user", "Find the prices"), ("text", "Here.")])]
    assert CursorAgent().subagent_locations(path) == [folder]


def test_transcripts_that_grow_come_to_the_same(tmp_path: Path) -> None:
    """It takes more than two seconds because an index is made in many steps."""
    late = entry("user", {"type": "tool_result", "tool_use_id": "other", "content": "def price"}, "And now?")
    content = jsonl([*ENTRIES, late, *ENTRIES]).encode()
    chats = [f"{number}{ID[1:]}" for number in range(4)]
    assert_grow(tmp_path, "cursor", {chat_folder(tmp_path, chat) / f"{chat}.jsonl": content for chat in chats})


def test_a_transcript_of_text(tmp_path: Path) -> None:
    path = chat_folder(tmp_path).with_suffix(".txt")
    path.write_text(
        "user:\n<user_query>\nRound the prices\n</user_query>\n\nassistant:\n[Thinking] Two digits.\nOr three.\n"
        "I round.\n[Tool call] Shell\n  command: make\n  make test\n  description: Test\n\n[Tool result] Shell\nok\n\n"
        "assistant:\nDone.\n\nuser:\nThanks\n"
    )
    index = index_of(tmp_path)
    assert shown(index, ID) == [
        (
            "human",
            [
                ("user", "Round the prices"),
                ("thinking", "Two digits.\nOr three.\nI round."),
                ("tool_call Shell", '{"command":"make\\n  make test","description":"Test"}'),
                ("tool_result Shell", "ok"),
                ("text", "Done."),
            ],
        ),
        ("human", [("user", "Thanks")]),
    ]


def test_bad_lines_cost_themselves(tmp_path: Path) -> None:
    path = write(tmp_path, entry("user", "Hi"))
    with path.open("a") as file:
        file.write("no JSON\n" + jsonl([entry("assistant", "Hello")]) + '{"role": "assis')
    index = index_of(tmp_path)
    assert shown(index, ID) == [("human", [("user", "Hi"), ("text", "Hello")])]
    assert [one.state for one in index.statistics.sources()] == ["waiting"]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(1, "not JSON")]


class Editor:
    """The database of the editor."""

    def __init__(self, tmp_path: Path, *, wal: bool = False) -> None:
        self.path = tmp_path / "home" / EDITOR / "state.vscdb"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(self.path, isolation_level=None)
        if wal:
            self.connection.execute("PRAGMA journal_mode = wal")
            self.connection.execute("PRAGMA wal_autocheckpoint = 0")
        self.connection.execute("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        self.connection.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        self.updated = 1_782_810_000_000

    def put(self, key: str, value: Any) -> None:
        text = json.dumps(value).encode()
        self.connection.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", [key, text])

    def chat(self, *bubbles: dict[str, Any], chat: str = ID, **more: Any) -> None:
        self.updated += 1000
        headers = [{"bubbleId": f"b{number}", "type": bubble.get("type")} for number, bubble in enumerate(bubbles)]
        about = {"composerId": chat, "lastUpdatedAt": self.updated, "fullConversationHeadersOnly": headers}
        place = {"workspaceIdentifier": {"uri": {"fsPath": ROOT}}}
        self.put(f"composerData:{chat}", about | place | more)
        for number, bubble in enumerate(bubbles):
            self.put(f"bubbleId:{chat}:b{number}", {"bubbleId": f"b{number}", "createdAt": time(number), **bubble})


def time(number: int) -> str:
    return f"2026-07-01T09:00:{number:02}.000Z"


def tool(name: str, params: Any, **more: Any) -> dict[str, Any]:
    return {"type": 2, "toolFormerData": {"name": name, "params": json.dumps(params), "status": "completed", **more}}


CHANGES = [
    {"type": "unchanged", "content": "def price(x):", "originalLineNumber": 7, "modifiedLineNumber": 7},
    {"type": "removed", "content": "    return x", "originalLineNumber": 8},
    {"type": "added", "content": "    return round(x, 2)", "modifiedLineNumber": 8},
    {"type": "added", "content": "# End", "modifiedLineNumber": 30},
]
BUBBLES = [
    {"type": 1, "text": "Round the prices", "images": [{"mimeType": "image/png", "data": "A" * 4000}]},
    {"type": 2, "text": "", "thinking": {"text": "Two digits."}, "tokenCount": {"inputTokens": 0, "outputTokens": 0}},
    {
        "type": 2,
        "text": "I round them.",
        "tokenCount": {"inputTokens": 9, "outputTokens": 4},
        "modelInfo": {"modelName": "m2"},
    },
    tool(
        "edit_file_v2",
        {"relativeWorkspacePath": f"{ROOT}/price.py"},
        toolCallId="t1",
        result='{"afterContentId": "x"}',
        additionalData={"precomputedDiff": {"lines": CHANGES}},
    ),
    tool(
        "run_terminal_command_v2",
        {"command": "pytest"},
        toolCallId="t2",
        result='{"output": "1 failed", "exitCode": 1}',
    ),
    tool(
        "read_file_v2", {}, rawArgs='{"path": "a.py"}', error='{"modelVisibleErrorMessage": "No file"}', status="error"
    ),
    tool("grep_search", {"pattern": "price"}, toolCallId="t4", status="loading"),
    {"type": 1, "text": "Continue on your own", "isSimulatedMsg": True},
    {"type": 1, "text": "Go on"},
    {"type": 9, "text": "?"},
]
IN_EDITOR = [
    (
        "human",
        [
            ("user", "Round the prices"),
            ("image", "[image/png 3 kB]"),
            ("thinking", "Two digits."),
            ("text", "I round them."),
            ("tool_call edit_file_v2", '{"relativeWorkspacePath":"/home/ana/code/shop-api/price.py"}'),
            ("tool_result edit_file_v2", '{"afterContentId": "x"}'),
            ("tool_call run_terminal_command_v2", '{"command":"pytest"}'),
            ("tool_result run_terminal_command_v2", "Exit code: 1\n1 failed"),
            ("tool_call read_file_v2", '{"path":"a.py"}'),
            ("tool_result read_file_v2!", "No file"),
            ("tool_call grep_search", '{"pattern":"price"}'),
            ("note meta", "Continue on your own"),
        ],
    ),
    ("human", [("user", "Go on")]),
]


def test_everything_in_a_chat_of_the_editor(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    branches = [{"branches": [{"branchName": "prices"}]}]
    editor.chat(*BUBBLES, name="Rounding", modelConfig={"modelName": "m1"}, trackedGitRepos=branches)
    editor.chat(chat="empty-state-draft")
    index = index_of(tmp_path)
    (session,) = index.sessions.all()
    assert shown(index, ID) == IN_EDITOR
    assert (session.agent, session.session_id, session.cwd, session.title) == ("cursor", ID, ROOT, "Rounding")
    assert (session.branch, session.models) == ("prices", ("m1", "m2"))
    assert (session.input_tokens, session.output_tokens, resume_command(session)) == (9, 4, None)
    assert session.started_at == datetime(2026, 7, 1, 9, 0, tzinfo=UTC)
    edit, shell, read, _ = tool_calls(index, ID)
    assert diff_of(edit) == (
        "@@ -7,2 +7,2 @@\n def price(x):\n-    return x\n+    return round(x, 2)\n@@ -9,0 +30,1 @@\n+# End"
    )
    assert (shell.command, shell.exit_code, read.is_error) == ("pytest", 1, True)
    assert ("price.py", "edited") in {(touch.path, touch.kind) for touch in index.files.of_turn(session.key, 1)}
    assert index.snapshot.rows("SELECT kind FROM unknown_entries") == [("bubble",)]


def test_a_message_that_failed_is_no_call(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    failed = {"type": 2, "toolFormerData": {"additionalData": {"status": "error"}}}
    editor.chat({"type": 1, "text": "Go"}, failed, {**failed, "text": "Sorry."}, tool("list_dir", {"path": "a"}))
    assert shown(index_of(tmp_path), ID) == [
        (
            "human",
            [
                ("user", "Go"),
                ("text", "Sorry."),
                ("tool_call list_dir", '{"path":"a"}'),
                ("tool_result list_dir", ""),
            ],
        )
    ]


def test_times_of_messages_without_one(tmp_path: Path) -> None:
    """They have the time of the message before, and the first ones that of the chat."""
    editor = Editor(tmp_path)
    times: list[Any] = [None, 5.5, time(30), None]
    said = [{"type": 1, "text": str(number), "createdAt": at} for number, at in enumerate(times)]
    said.append({"type": 1, "text": "4", "createdAt": None, "timingInfo": {"clientStartTime": 1_782_900_000_000}})
    editor.chat(*said, createdAt=1_782_896_000_000)
    index = index_of(tmp_path)
    (session,) = index.sessions.all()
    began = datetime(2026, 7, 1, 8, 53, 20, tzinfo=UTC)
    later = datetime(2026, 7, 1, 9, 0, 30, tzinfo=UTC)
    last = datetime(2026, 7, 1, 10, 0, tzinfo=UTC)
    assert [turn.started_at for turn in index.sessions.turns(session.key)] == [began, began, later, later, last]


def test_diffs_in_the_results_of_edits(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    chunks = [
        {"diffString": "+new", "oldStart": 1, "newStart": 1, "linesAdded": 1},
        {"diffString": "@@ -4,2 +5,2 @@\n same\n-old\n+newer"},
        {"diffString": " only context", "oldStart": 9, "newStart": 9},
    ]
    before = "".join(f"line {number}\n" for number in range(4000))
    after = before.replace("line 2000\n", "line two thousand\n")
    for name, content in {"a": before, "b": after, "c": "one\ntwo\n"}.items():
        editor.put(f"composer.content.{name}", content)
        editor.connection.execute(
            "UPDATE cursorDiskKV SET value = ? WHERE key = ?", [content.encode(), f"composer.content.{name}"]
        )
    changed = {"beforeContentId": "composer.content.a", "afterContentId": "composer.content.b"}
    results = [
        {"diff": {"chunks": chunks}},
        changed,
        {"afterContentId": "composer.content.c"},
        {"afterContentId": "composer.content.gone"},
    ]
    editor.chat(
        {"type": 1, "text": "Go"},
        *(tool("edit_file_v2", {"relativeWorkspacePath": "a.py"}, result=json.dumps(result)) for result in results),
    )
    assert [diff_of(call) for call in tool_calls(index_of(tmp_path), ID)] == [
        "@@ -0,0 +1,1 @@\n+new\n@@ -4,2 +5,2 @@\n same\n-old\n+newer",
        "@@ -1998,7 +1998,7 @@\n line 1997\n line 1998\n line 1999\n-line 2000\n+line two thousand\n"
        " line 2001\n line 2002\n line 2003",
        "@@ -0,0 +1,2 @@\n+one\n+two",
        "",
    ]


def test_the_folder_of_a_chat_that_does_not_name_it(tmp_path: Path) -> None:
    """By the lists of the workspaces, or else by the files of the chat."""
    editor = Editor(tmp_path)
    folders = {"w1": "file:///home/ana/code/shop%20api", "w2": "file:///c%3A/code/site", "w3": "vscode-remote://x/y"}
    for name, address in folders.items():
        folder = editor.path.parent.parent / "workspaceStorage" / name
        folder.mkdir(parents=True)
        (folder / "workspace.json").write_text(json.dumps({"folder": address}))
    (folder / "workspace.json").with_name("broken").mkdir()
    with closing(sqlite3.connect(editor.path.parent.parent / "workspaceStorage/w1/state.vscdb")) as listed:
        listed.execute("CREATE TABLE ItemTable (key TEXT, value BLOB)")
        chats = json.dumps({"allComposers": [{"composerId": "listed"}, 7]})
        listed.execute("INSERT INTO ItemTable VALUES ('composer.composerData', ?)", [chats])
        listed.commit()
    headers = {"allComposers": [{"composerId": "header", "workspaceIdentifier": {"id": "w2"}}]}
    editor.connection.execute(
        "INSERT INTO ItemTable VALUES ('composer.composerHeaders', ?)", [json.dumps(headers).encode()]
    )
    files: dict[str, list[Any]] = {
        "opened": [{"fsPath": "/home/ana/code/shop api/src/a.ts"}, "file:///home/ana/code/shop%20api/b.ts"],
        "around": [{"path": "/home/ana/code/infra/src/deep/a.ts"}, {"path": "/home/ana/code/infra/b.ts"}],
        "nowhere": ["file:///tmp/a.ts", {"scheme": "git", "path": "/home/ana/code/infra/b.ts"}, 5],
    }
    for chat, uris in files.items():
        context = {"fileSelections": [{"uri": uri} for uri in uris[:1]]}
        blocks = [{"uri": uri} for uri in uris[1:]]
        editor.chat(
            {"type": 1, "text": "Hi", "context": context},
            {"type": 2, "text": "Hm", "codeBlocks": blocks},
            chat=chat,
            workspaceIdentifier=None,
        )
    editor.chat({"type": 1, "text": "Hi"}, chat="listed", workspaceIdentifier=None)
    editor.chat({"type": 1, "text": "Hi"}, chat="header", workspaceIdentifier={})
    editor.chat({"type": 1, "text": "Hi"}, chat="named", workspaceIdentifier={"id": "w2"})
    assert {session.session_id: session.cwd for session in index_of(tmp_path).sessions.all()} == {
        "opened": "/home/ana/code/shop api",
        "around": "/home/ana/code/infra",
        "nowhere": "",
        "listed": "/home/ana/code/shop api",
        "header": "c:/code/site",
        "named": "c:/code/site",
    }


def test_a_copy_of_the_database_anywhere(tmp_path: Path) -> None:
    """Recognized by its tables: other editors have databases of the same name."""
    editor = Editor(tmp_path)
    editor.chat(*BUBBLES)
    editor.connection.close()
    places = ["backup/state.vscdb", "backup/state.vscdb.backup", "my-cursor.vscdb"]
    for place in places:
        path = tmp_path / "other" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(editor.path.read_bytes())
    foreign = tmp_path / "other" / "Code" / "state.vscdb"
    foreign.parent.mkdir()
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE ItemTable (key TEXT, value BLOB)")
    broken = tmp_path / "other" / "state.vscdb"
    broken.write_text("not a database")
    paths = [*(tmp_path / "other" / place for place in places), foreign, broken]
    assert [getattr(reader_for(path), "agent", None) for path in paths] == ["cursor"] * 3 + [None] * 2
    index = build(tmp_path / "data", tmp_path / "other", agent=None)
    assert [(session.session_id, session.agent) for session in index.sessions.all()] == [(ID, "cursor")]
    assert shown(index, ID) == IN_EDITOR


def test_a_subagent_in_the_editor(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    more = {"subagentComposerId": CHILD}
    params = {"description": "Look", "prompt": "Find the prices", "subagentType": "explore"}
    task = tool("task_v2", params, toolCallId="t1", additionalData=more, result=json.dumps({"agentId": CHILD}))
    editor.chat({"type": 1, "text": "Where?"}, task, subagentComposerIds=[CHILD])
    editor.chat({"type": 1, "text": "Find the prices"}, {"type": 2, "text": "Here."}, chat=CHILD)
    index = index_of(tmp_path)
    (session,) = index.sessions.all()
    (started,) = index.sessions.subagents(session.key)
    assert (started.session_id, started.parent_tool_id, started.title) == (CHILD, "t1", "Look")
    assert shown(index, CHILD) == [("agent", [("user", "Find the prices"), ("text", "Here.")])]


def test_a_chat_in_both_places_counts_once(tmp_path: Path) -> None:
    said = [entry("user", "Round the prices"), entry("assistant", "I round them."), entry("user", "Why?")]
    write(tmp_path, *said)
    index = index_of(tmp_path)
    assert shown(index, ID) == [
        ("human", [("user", "Round the prices"), ("text", "I round them.")]),
        ("human", [("user", "Why?")]),
    ]
    editor = Editor(tmp_path)
    editor.chat(*BUBBLES)
    # The transcript is read again when it grows.
    write(tmp_path, *said, entry("user", "Go on"))
    index = index_of(tmp_path)
    assert shown(index, ID) == IN_EDITOR
    update(tmp_path / "fresh", tmp_path / "home", agent="cursor")
    assert shown(Index.open(tmp_path / "fresh"), ID) == IN_EDITOR


def test_only_a_changed_chat_is_read_again(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    editor.chat(*BUBBLES)
    editor.chat({"type": 1, "text": "Hi"}, chat=CHILD)
    index_of(tmp_path)
    editor.put("history.entries", {"x": 1})
    assert update(tmp_path / "data", tmp_path / "home", agent="cursor").files_read == 0
    editor.chat({"type": 1, "text": "Hi"}, {"type": 2, "text": "Hello"}, chat=CHILD)
    assert update(tmp_path / "data", tmp_path / "home", agent="cursor").files_read == 1
    index = Index.open(tmp_path / "data")
    assert (shown(index, ID), shown(index, CHILD)) == (
        IN_EDITOR,
        [("human", [("user", "Hi"), ("text", "Hello")])],
    )
    update(tmp_path / "fresh", tmp_path / "home", agent="cursor")
    assert picture(tmp_path / "data") == picture(tmp_path / "fresh")


def test_a_deleted_chat_stays_readable(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    editor.chat(*BUBBLES)
    index_of(tmp_path)
    editor.connection.execute("DELETE FROM cursorDiskKV")
    index = index_of(tmp_path)
    assert (shown(index, ID), index.sessions.find(ID).gone) == (IN_EDITOR, True)


@pytest.mark.parametrize("state", ["committed", "uncommitted", "locked", "empty log"])
def test_a_database_in_use_is_read_and_not_touched(tmp_path: Path, state: str) -> None:
    editor = Editor(tmp_path, wal=state != "locked")
    editor.chat(*BUBBLES)
    if state in {"uncommitted", "empty log"}:
        editor.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if state == "uncommitted":
        editor.connection.execute("BEGIN IMMEDIATE")
        editor.chat({"type": 1, "text": "Hi"}, chat=CHILD)
    elif state == "locked":
        editor.connection.execute("BEGIN EXCLUSIVE")
    folder = editor.path.parent
    before = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}
    index = index_of(tmp_path)
    assert [one.session_id for one in index.sessions.all()] == [ID]
    assert shown(index, ID) == IN_EDITOR
    assert {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")} == before
    assert update(tmp_path / "data", tmp_path / "home", agent="cursor").files_read == 0


def test_an_empty_log_is_no_change(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    editor.chat(*BUBBLES)
    editor.connection.close()
    index_of(tmp_path)
    editor.path.with_name("state.vscdb-wal").touch()
    assert update(tmp_path / "data", tmp_path / "home", agent="cursor").files_read == 0
    assert sorted(path.name for path in editor.path.parent.iterdir()) == ["state.vscdb", "state.vscdb-wal"]


def test_databases_of_other_versions(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    editor.connection.execute("ALTER TABLE cursorDiskKV ADD COLUMN newer INTEGER")
    editor.connection.execute("CREATE TABLE composerHeaders (composerId TEXT, value TEXT)")
    old = {
        "composerId": "old",
        "createdAt": 5,
        "conversation": [{"type": 1, "text": "Hi"}, 7, {"type": 2, "text": "Hello"}],
    }
    rows = [
        ("composerData:old", json.dumps(old)),
        ("composerData:broken", "{"),
        ("composerData:list", "[1]"),
        ("composerData:none", None),
        (
            f"composerData:{ID}",
            json.dumps({"fullConversationHeadersOnly": [{"bubbleId": "a"}, {"bubbleId": "b"}, 7, {}]}),
        ),
        (f"bubbleId:{ID}:a", '{"type": 1, "text": "Only this"}'),
        (f"bubbleId:{ID}:b", "{"),
        (f"bubbleId:{ID}:unused", '{"type": 1, "text": "Not shown"}'),
    ]
    editor.connection.executemany("INSERT INTO cursorDiskKV (key, value) VALUES (?, ?)", rows)
    index = index_of(tmp_path)
    assert {one.session_id for one in index.sessions.all()} == {"old", ID}
    assert shown(index, "old") == [("human", [("user", "Hi"), ("text", "Hello")])]
    assert shown(index, ID) == [("human", [("user", "Only this")])]
    assert index.snapshot.rows("SELECT count(*) FROM bad_lines") == [(2,)]


@pytest.mark.parametrize("table", ["cursorDiskKV (key TEXT)", "cursorDiskKV (value BLOB)", "other (key, value)"])
def test_a_database_without_the_columns_has_no_chats(tmp_path: Path, table: str) -> None:
    path = tmp_path / "home" / EDITOR / "state.vscdb"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE {table}")
    write(tmp_path, entry("user", "Hi"))
    index = index_of(tmp_path)
    assert [one.session_id for one in index.sessions.all()] == [ID]
    assert [one.state for one in index.statistics.sources()] == ["ok"]


@pytest.mark.parametrize("content", [b"not a database, though long enough to be read as one" * 20, b""])
def test_a_broken_database_costs_only_itself(tmp_path: Path, content: bytes) -> None:
    write(tmp_path, entry("user", "Hi"))
    path = tmp_path / "home" / EDITOR / "state.vscdb"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with closing(sqlite3.connect(tmp_path / "x.db")) as other:
        other.execute("CREATE TABLE ItemTable (key, value)")
    index = index_of(tmp_path)
    assert [one.session_id for one in index.sessions.all()] == [ID]
    assert [one.state for one in index.statistics.sources() if one.path == str(path)] == (["error"] if content else [])


def test_which_files_it_reads(tmp_path: Path) -> None:
    folder = tmp_path / ".cursor" / "projects" / "x"
    chats = folder / "agent-transcripts"
    accepted = [chats / f"{ID}.jsonl", chats / ID / f"{ID}.txt", chats / ID / "subagents" / "a.jsonl"]
    accepted += [tmp_path / EDITOR / name for name in ("state.vscdb", "state.vscdb-wal", "state.vscdb-shm")]
    others = [folder / "terminals" / "1.txt", tmp_path / ".config/Code/User/globalStorage/state.vscdb"]
    assert [CursorAgent().accepts(path) for path in accepted + others] == [True] * 6 + [False] * 2
    copy, claude = tmp_path / "copy.jsonl", tmp_path / "claude.jsonl"
    copy.write_text(jsonl(ENTRIES))
    claude.write_text(jsonl([{"type": "user", "uuid": "1", "message": {"role": "user", "content": []}}]))
    assert [getattr(reader_for(path), "agent", None) for path in (copy, claude)] == ["cursor", "claude-code"]


def test_its_locations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    database = tmp_path / EDITOR / "state.vscdb"
    assert CursorAgent().default_locations({}) == [tmp_path / ".cursor" / "projects", database]
    assert CursorAgent().default_locations({"CURSOR_CONFIG_DIR": "/c"})[0] == Path("/c/projects")


KEYS = [
    *("role", "message", "content", "type", "text", "thinking", "name", "input", "id", "tool_use_id", "timestamp"),
    *("toolFormerData", "params", "rawArgs", "result", "error", "additionalData", "precomputedDiff", "lines", "status"),
    *("createdAt", "tokenCount", "bubbleId", "images", "tool", "modelInfo", "originalLineNumber", "subagentComposerId"),
]
TEXTS = ["user", "assistant", "text", "tool_use", "tool_result", "added", "{}", "<user_query>", "</user_query>"]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=8,
)
BUBBLE = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6)
PART = st.fixed_dictionaries({"type": st.sampled_from(TEXTS[2:5]), "text": VALUES, "content": VALUES})
LINE = st.fixed_dictionaries(
    {
        "role": st.sampled_from(TEXTS[:2]),
        "message": st.fixed_dictionaries({"content": st.lists(PART | VALUES, max_size=4)}),
    }
)


@settings(deadline=None, max_examples=100)
@given(st.lists(LINE | VALUES, max_size=5))
def test_no_value_in_a_transcript_is_an_error(tmp_path_factory: pytest.TempPathFactory, entries: list[Any]) -> None:
    path = tmp_path_factory.mktemp("hostile") / "a.jsonl"
    path.write_text(jsonl(entries))
    transcript = Transcript("cursor", path, path.stat().st_size, 1)
    records = list(CursorAgent().read(transcript, START))
    assert list(CursorAgent().read(transcript, START)) == records


@settings(deadline=None, max_examples=25)
@given(
    st.lists(
        st.tuples(st.sampled_from([1, 2]), st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6)),
        min_size=1,
        max_size=5,
    ),
    st.dictionaries(st.sampled_from(["name", "modelConfig", "workspaceIdentifier", "trackedGitRepos"]), VALUES),
)
def test_no_value_in_the_database_is_an_error(
    tmp_path_factory: pytest.TempPathFactory, bubbles: list[tuple[int, dict[str, Any]]], about: dict[str, Any]
) -> None:
    editor = Editor(tmp_path_factory.mktemp("hostile"))
    editor.chat(*({**bubble, "type": kind, "bubbleId": "x"} for kind, bubble in bubbles), **about)
    editor.connection.close()
    transcript = Transcript("cursor", editor.path, 1, 1, ID)
    reading = CursorAgent().read(transcript, START)
    records = list(reading)
    assert reading.lines == len(bubbles)
    assert list(CursorAgent().read(transcript, START)) == records
