"""What Goose, Crush, Zed and Kiro write into their databases, as the index shows it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.agents.crush.reader import Crush
from memtui_core.readers.agents.goose.reader import Goose
from memtui_core.readers.agents.kiro.reader import Kiro
from memtui_core.readers.agents.zed.reader import Zed
from memtui_core.readers.locations import Location
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.system.compression import zstd
from memtui_core.tools.call import ToolCall
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.pairing import paired_turns
from support.agent_databases import AgentDatabase, CrushDatabase, GooseDatabase, KiroDatabase, ZedDatabase
from support.databases import Program, made, program
from support.indexes import whole_turns

Open = Callable[[type[AgentDatabase]], tuple[AgentDatabase, Program]]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as stack:

        def start(kind: type[AgentDatabase]) -> tuple[AgentDatabase, Program]:
            database = kind(tmp_path / "home")
            return database, stack.enter_context(program(database.path))

        yield start


def index_of(database: AgentDatabase) -> Index:
    data = database.home.parent / "data"
    with Indexer(data) as indexer:
        for _ in indexer.update([Location(None, database.home)]):
            pass
    return Index.open(data)


def texts(index: Index, session: str = "ses_1") -> list[tuple[str, list[tuple[str, str]]]]:
    """The turns with their kinds, and their blocks without the calls."""
    return [
        (turn.kind, [(kind, text) for kind, text in blocks if kind != "tool_call"])
        for turn, blocks in whole_turns(index, session)
    ]


def calls(index: Index, session: str = "ses_1") -> list[ToolCall]:
    found = index.sessions.find(session)
    return paired_turns(index.sessions.blocks(found.key, 1, found.turns).items())


def outcomes(index: Index) -> list[tuple[Any, ...]]:
    return [(call.name, call.family, call.is_error, call.exit_code) for call in calls(index)]


def unknown(index: Index) -> list[str]:
    return [kind for (kind,) in index.snapshot.rows("SELECT kind FROM unknown_entries ORDER BY line, kind")]


def test_goose(opened: Open) -> None:
    database, process = opened(GooseDatabase)
    totals = {"accumulated_input_tokens": 80, "accumulated_output_tokens": 43}
    database.session(process, "ses_1", name="Prices", user_set_name=1, **totals)
    request = {"status": "success", "value": {"name": "developer__shell", "arguments": {"command": "pytest -q"}}}
    editor = {"command": "str_replace", "path": "prices.py", "old_str": "a", "new_str": "b"}
    edit = {"status": "success", "value": {"name": "developer__text_editor", "arguments": editor}}
    view = {"name": "developer__text_editor", "arguments": {"command": "view", "path": "prices.py"}}
    database.say(process, "ses_1", "user", "Round", {"type": "image", "data": "A" * 4000, "mimeType": "image/png"})
    database.say(
        process,
        "ses_1",
        "assistant",
        {"type": "thinking", "thinking": "Where?", "signature": "x"},
        {"type": "redactedThinking", "data": "x"},
        "I run the tests.",
        {"type": "toolRequest", "id": "c1", "toolCall": request},
        {"type": "toolRequest", "id": "c2", "toolCall": edit},
        {"type": "toolRequest", "id": "c3", "toolCall": view},
    )
    failed = {"status": "success", "value": {"content": [{"type": "text", "text": "1 failed"}], "isError": True}}
    done = {"status": "success", "value": [{"type": "text", "text": "edited"}]}
    database.say(
        process,
        "ses_1",
        "user",
        {"type": "toolResponse", "id": "c1", "toolResult": failed},
        {"type": "toolResponse", "id": "c2", "toolResult": done},
        {"type": "toolResponse", "id": "c3", "toolResult": {"status": "error", "error": "no such file"}},
    )
    database.say(process, "ses_1", "assistant", "Rounded.", {"type": "hologram"})
    database.say(process, "ses_1", "robot", "?")
    index = index_of(database)
    session = index.sessions.find("ses_1")
    assert (session.title, session.models, session.input_tokens, session.output_tokens) == (
        "Prices",
        ("gpt-5",),
        80,
        43,
    )
    assert texts(index) == [
        (
            "human",
            [
                ("user", "Round"),
                ("image", "[image/png 3 kB]"),
                ("thinking", "Where?"),
                ("text", "I run the tests."),
                ("tool_result", "1 failed"),
                ("tool_result", "edited"),
                ("tool_result", "no such file"),
                ("text", "Rounded."),
            ],
        )
    ]
    assert outcomes(index) == [
        ("developer__shell", "shell", True, None),
        ("developer__text_editor", "edit", False, None),
        ("developer__text_editor", "read", True, None),
    ]
    assert diff_of(calls(index)[1]) == "@@ -1,1 +1,1 @@\n-a\n+b"
    assert unknown(index) == ["hologram", "robot"]
    assert resume_command(session) == ["goose", "session", "--resume", "--session-id", "ses_1"]


def test_a_compaction_of_goose(opened: Open) -> None:
    database, process = opened(GooseDatabase)
    database.session(process, "ses_1")
    past = {"userVisible": True, "agentVisible": False}
    unseen = {"userVisible": False, "agentVisible": True}
    database.say(process, "ses_1", "user", "Round the prices", **past)
    database.say(process, "ses_1", "assistant", "Rounded.", **past)
    database.say(process, "ses_1", "user", "The prices were rounded", **unseen)
    database.say(process, "ses_1", "assistant", "I go on without a word about it", **unseen)
    database.say(process, "ses_1", "user", "Thanks", **past)
    assert texts(index_of(database)) == [
        ("human", [("user", "Round the prices"), ("text", "Rounded.")]),
        ("compaction", [("user", "The prices were rounded"), ("note", "I go on without a word about it")]),
        ("human", [("user", "Thanks")]),
    ]
    # The next compaction hides the summary from the agent as well.
    nobody = json.dumps({"userVisible": False, "agentVisible": False})
    process.execute("UPDATE messages SET metadata_json = ? WHERE content_json LIKE '%were rounded%'", [nobody])
    database.say(process, "ses_1", "user", "All is well", **unseen)
    assert [(kind, blocks[0][1]) for kind, blocks in texts(index_of(database))] == [
        ("human", "Round the prices"),
        ("compaction", "The prices were rounded"),
        ("human", "Thanks"),
        ("compaction", "All is well"),
    ]


def test_the_tokens_of_a_session_of_goose_count_once(opened: Open) -> None:
    database, process = opened(GooseDatabase)
    for session, totals in (
        ("ses_1", {"accumulated_input_tokens": 80, "accumulated_output_tokens": 43}),
        ("ses_2", {}),
    ):
        database.session(process, session, **totals)
        for number in range(2):
            database.say(process, session, "user", f"Prompt {number} of {session}")
            database.say(process, session, "assistant", f"Answer {number} of {session}")
    process.execute("""UPDATE messages SET tokens = '{"input": 8, "output": 3}' WHERE role = 'assistant'""")
    index = index_of(database)
    sessions = [index.sessions.find(session) for session in ("ses_1", "ses_2")]
    assert [(session.input_tokens, session.output_tokens) for session in sessions] == [(80, 43), (16, 6)]


def test_a_subagent_of_goose(opened: Open) -> None:
    database, process = opened(GooseDatabase)
    database.session(process, "ses_1")
    database.say(process, "ses_1", "user", "Round the prices")
    database.session(process, "ses_2", parent_session_id="ses_1")
    database.say(process, "ses_2", "user", "Find the prices")
    index = index_of(database)
    assert index.sessions.find("ses_2").parent == index.sessions.find("ses_1").key
    assert texts(index, "ses_2") == [("agent", [("user", "Find the prices")])]


def test_a_file_of_goose(tmp_path: Path) -> None:
    path = tmp_path / "goose" / "sessions" / "20250724_1.jsonl"
    path.parent.mkdir(parents=True)
    about = {"description": "Say hello", "working_dir": "/home/ana/code/site", "message_count": 2}
    said = [("user", "Hello"), ("assistant", "Hello, Ana")]
    lines = [
        {"id": role, "role": role, "created": 1784278801, "content": [{"type": "text", "text": text}]}
        for role, text in said
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in [about, *lines]) + '{"id": "half')
    with Indexer(tmp_path / "data") as indexer:
        for _ in indexer.update([Location(None, tmp_path / "goose")]):
            pass
    index = Index.open(tmp_path / "data")
    assert texts(index, "20250724_1") == [("human", [("user", "Hello"), ("text", "Hello, Ana")])]
    session = index.sessions.find("20250724_1")
    assert (session.title, session.cwd, session.agent) == ("Say hello", "/home/ana/code/site", "goose")
    elsewhere = tmp_path / "copy.jsonl"
    elsewhere.write_bytes(path.read_bytes())
    readers = [reader_for(elsewhere), reader_for(tmp_path / "goose" / "sessions" / "deleted.jsonl")]
    assert [reader.agent if reader else None for reader in readers] == ["goose", "goose"]


def test_crush(opened: Open) -> None:
    database, process = opened(CrushDatabase)
    database.session(process, "ses_1", prompt_tokens=80, completion_tokens=43)
    database.say(process, "ses_1", "user", "Round", {"type": "binary", "data": {"Path": "a", "MIMEType": "image/png"}})
    bash = {"id": "c1", "name": "bash", "input": '{"command":"pytest -q"}', "finished": True}
    edit = {"id": "c2", "name": "edit", "input": '{"file_path":"prices.py","old_string":"a","new_string":"b"}'}
    agent = {"id": "c3", "name": "agent", "input": '{"prompt":"Find the prices"}'}
    database.say(
        process,
        "ses_1",
        "assistant",
        {"type": "reasoning", "data": {"thinking": "Where?"}},
        "I run the tests.",
        *({"type": "tool_call", "data": call} for call in (bash, edit, agent)),
        {"type": "finish", "data": {"reason": "tool_use", "time": 1}},
    )
    results = [
        {"tool_call_id": "c1", "name": "bash", "content": "1 failed", "metadata": '{"exit_code":1}', "is_error": True},
        {"tool_call_id": "c2", "name": "edit", "content": "edited", "metadata": "{}"},
        {"tool_call_id": "c3", "name": "agent", "content": "in prices.py"},
    ]
    database.say(process, "ses_1", "tool", *({"type": "tool_result", "data": result} for result in results))
    canceled = {"type": "finish", "data": {"reason": "canceled", "message": "Stopped"}}
    database.say(process, "ses_1", "assistant", "Rounded.", {"type": "hologram", "data": {}}, canceled)
    shell = {"type": "shell_command", "data": {"command": "ls", "output": "prices.py", "exit_code": 0}}
    bad = {"type": "shell_command", "data": {"command": "cat x", "output": "no file", "exit_code": 1}}
    overloaded = {"type": "finish", "data": {"reason": "error", "message": "Overloaded", "details": "Try again"}}
    database.say(process, "ses_1", "assistant", shell, bad, overloaded)
    database.session(process, "msg_1790000002$$c3", parent_session_id="ses_1", title="New Agent Session")
    database.say(process, "msg_1790000002$$c3", "user", "Find the prices")
    index = index_of(database)
    session = index.sessions.find("ses_1")
    assert (session.cwd, session.input_tokens, session.output_tokens) == (
        (database.path.parent.parent).as_posix(),
        80,
        43,
    )
    assert texts(index) == [
        (
            "human",
            [
                ("user", "Round"),
                ("image", "[image/png]"),
                ("thinking", "Where?"),
                ("text", "I run the tests."),
                ("tool_result", "1 failed"),
                ("tool_result", "edited"),
                ("tool_result", "in prices.py"),
                ("text", "Rounded."),
                ("note", "Stopped"),
                ("note", "$ ls\nprices.py"),
                ("note", "$ cat x\nExit code: 1\nno file"),
                ("note", "Overloaded\nTry again"),
            ],
        )
    ]
    assert outcomes(index) == [
        ("bash", "shell", True, 1),
        ("edit", "edit", False, None),
        ("agent", "task", False, None),
    ]
    assert diff_of(calls(index)[1]) == "@@ -1,1 +1,1 @@\n-a\n+b"
    assert unknown(index) == ["hologram"]
    child = index.sessions.find("msg_1790000002$$c3")
    assert (child.parent, child.parent_tool_id, child.title) == (session.key, "c3", "Find the prices")
    assert resume_command(session) == ["crush", "--session", "ses_1"]


def test_a_compaction_of_crush(opened: Open) -> None:
    database, process = opened(CrushDatabase)
    database.session(process, "ses_1")
    database.say(process, "ses_1", "user", "Round the prices")
    database.say(process, "ses_1", "assistant", "The prices were rounded", is_summary_message=1)
    database.say(process, "ses_1", "user", "Thanks")
    index = index_of(database)
    assert [(kind, blocks[0][1]) for kind, blocks in texts(index)] == [
        ("human", "Round the prices"),
        ("compaction", "The prices were rounded"),
        ("human", "Thanks"),
    ]
    assert index.sessions.find("ses_1").compactions == 1


@pytest.mark.parametrize("clock", [1_790_000_000, 1_790_000_000_000])
def test_times_of_crush_are_seconds_or_milliseconds(opened: Open, clock: int) -> None:
    database, process = opened(CrushDatabase)
    database.clock = clock - 1
    database.session(process, "ses_1")
    database.say(process, "ses_1", "user", "Round the prices")
    started = index_of(database).sessions.find("ses_1").started_at
    assert started is not None
    assert started.isoformat() == "2026-09-21T14:13:20+00:00"


def test_the_projects_of_crush(tmp_path: Path) -> None:
    folder = tmp_path / "crush"
    folder.mkdir()
    projects = [{"path": "/code/a"}, {"path": "/code/b", "data_dir": "/data/b"}, {"path": 1}, "x", {"path": "/code/a"}]
    for value in (projects, {"projects": projects}, {str(number): one for number, one in enumerate(projects)}):
        (folder / "projects.json").write_text(json.dumps(value))
        found = Crush().default_locations({"XDG_DATA_HOME": str(tmp_path)})
        assert [path.as_posix() for path in found] == ["/code/a/.crush/crush.db", "/data/b/crush.db"]
        assert Crush().default_locations({"CRUSH_GLOBAL_DATA": str(folder)}) == found
    (folder / "projects.json").write_text("{")
    assert Crush().default_locations({"CRUSH_GLOBAL_DATA": str(folder)}) == []


def test_zed(opened: Open) -> None:
    database, process = opened(ZedDatabase)
    usage = {"u1790000001": {"input_tokens": 80, "output_tokens": 43, "cache_read_input_tokens": 5}}
    database.session(process, "ses_1", thread={"request_token_usage": usage})
    file = {"File": {"abs_path": "/home/ana/code/shop-api/prices.py"}}
    mention = {"Mention": {"uri": file, "content": "def price(): ..."}}
    database.say(process, "ses_1", "user", "Round", mention, {"Image": {"source": "A" * 4000}})
    terminal = {"id": "c1", "name": "terminal", "input": {"command": "pytest -q", "cd": "shop-api"}}
    edit = {"id": "c2", "name": "edit_file", "input": {"path": "prices.py", "mode": "edit"}}
    agent = {"id": "c3", "name": "spawn_agent", "input": {"label": "Find", "message": "Find the prices"}}
    running = {"id": "c4", "name": "terminal", "input": {"command": "sleep 9"}}
    diff = "@@ -1,1 +1,1 @@\n-a\n+b\n"
    database.say(
        process,
        "ses_1",
        "assistant",
        {"Thinking": {"text": "Where?", "signature": None}},
        {"RedactedThinking": "x"},
        "I run the tests.",
        *({"ToolUse": call} for call in (terminal, edit, agent, running)),
        {"Hologram": {}},
        c1={"tool_use_id": "c1", "is_error": True, "content": [{"Text": "1 failed"}], "output": None},
        c2={"tool_use_id": "c2", "is_error": False, "content": {"Text": "edited"}, "output": {"diff": diff}},
        c3={"tool_use_id": "c3", "is_error": False, "content": [{"Text": "found"}], "output": {"session_id": "ses_2"}},
    )
    database.session(process, "ses_2", parent_id="ses_1", thread={"title": "New Thread"})
    database.say(process, "ses_2", "user", "Find the prices")
    index = index_of(database)
    session = index.sessions.find("ses_1")
    assert (session.models, session.input_tokens, session.output_tokens) == (("gpt-5",), 80, 43)
    assert texts(index) == [
        (
            "human",
            [
                ("user", "Round\n\n@/home/ana/code/shop-api/prices.py"),
                ("note", "def price(): ..."),
                ("image", "[image 3 kB]"),
                ("thinking", "Where?"),
                ("text", "I run the tests."),
                ("tool_result", "1 failed"),
                ("tool_result", "edited"),
                ("tool_result", "found"),
            ],
        )
    ]
    assert outcomes(index) == [
        ("terminal", "shell", True, None),
        ("edit_file", "edit", False, None),
        ("spawn_agent", "task", False, None),
        ("terminal", "shell", False, None),
    ]
    assert diff_of(calls(index)[1]) == "@@ -1,1 +1,1 @@\n-a\n+b"
    assert unknown(index) == ["Hologram"]
    child = index.sessions.find("ses_2")
    assert (child.parent, child.parent_tool_id, child.title) == (session.key, "c3", "Find")
    assert session.ended_at is not None
    assert session.ended_at.isoformat() == "2026-09-21T14:13:22+00:00"
    assert (resume_command(session), Zed().start_command("Hello")) == (None, None)


def test_compressed_and_older_threads_of_zed(opened: Open) -> None:
    database, process = opened(ZedDatabase)
    segments = [{"type": "thinking", "text": "Where?"}, {"type": "text", "text": "Rounded."}]
    answer = {
        "id": 2,
        "role": "assistant",
        "segments": segments,
        "tool_uses": [{"id": "c1", "name": "terminal", "input": {"command": "ls"}}],
        "tool_results": [{"tool_use_id": "c1", "is_error": False, "content": "prices.py"}],
    }
    old = [{"id": 1, "role": "user", "segments": [{"type": "text", "text": "Round the prices"}]}, answer]
    compacted = {"Compaction": {"Summary": "The prices were rounded"}}
    database.session(process, "ses_1", thread={"messages": [*old, "Resume", compacted]}, created_at=None)
    database.session(process, "ses_2", data_type="zstd", data="no frame")
    database.session(process, "ses_3", folder_paths="/b\n/a", folder_paths_order="1,0", thread={"messages": old})
    trees = [5, {"worktree_path": None}, {"worktree_path": "/c"}]
    snapshot = {"messages": old, "initial_project_snapshot": {"worktree_snapshots": trees}}
    database.session(process, "ses_4", folder_paths=None, thread=snapshot)
    index = index_of(database)
    assert texts(index) == [
        (
            "human",
            [("user", "Round the prices"), ("thinking", "Where?"), ("text", "Rounded."), ("tool_result", "prices.py")],
        ),
        ("compaction", [("user", "The prices were rounded")]),
    ]
    assert [index.sessions.find(session).cwd for session in ("ses_3", "ses_4")] == ["/a", "/c"]
    errors = {source.path.rpartition("#")[2]: source.error for source in index.statistics.sources() if source.error}
    assert list(errors) == ["ses_2"]
    assert str(errors["ses_2"]).startswith(f"{database.path}: ses_2: cannot be decompressed: ")


def test_a_compressed_thread_of_zed(tmp_path: Path) -> None:
    thread = json.dumps({"messages": [{"User": {"content": [{"Text": "Round the prices"}]}}], "title": "Prices"})
    frame = zstd.compress(thread.encode(), options={zstd.CompressionParameter.content_size_flag: 0}).hex()
    row = f"INSERT INTO threads (id, data_type, data, updated_at) VALUES ('ses_1', 'zstd', x'{frame}', '2026-09-21')"
    path = made(tmp_path / "home" / "threads.db", f"{ZedDatabase.schema}; {row};")
    with Indexer(tmp_path / "data") as indexer:
        for _ in indexer.update([Location(None, path)]):
            pass
    index = Index.open(tmp_path / "data")
    assert texts(index) == [("human", [("user", "Round the prices")])]
    assert index.sessions.find("ses_1").title == "Prices"


@pytest.mark.parametrize("name", [[], {"a": 1}, 7])
def test_a_tool_of_zed_whose_name_is_no_text_costs_nothing_else(tmp_path: Path, name: object) -> None:
    call = {"ToolUse": {"id": "c1", "name": name, "input": {}}}
    result = {"content": [{"Text": "done"}], "output": {"session_id": "ses_2"}}
    agent = {"Agent": {"content": [call, {"Text": "Rounded."}], "tool_results": {"c1": result}}}
    thread = json.dumps({"messages": [{"User": {"content": [{"Text": "Round the prices"}]}}, agent]})
    row = f"INSERT INTO threads (id, data_type, data, updated_at) VALUES ('ses_1', 'json', '{thread}', '2026-09-21')"
    path = made(tmp_path / "home" / "threads.db", f"{ZedDatabase.schema}; {row};")
    with Indexer(tmp_path / "data") as indexer:
        for _ in indexer.update([Location(None, path)]):
            pass
    index = Index.open(tmp_path / "data")
    shown = [("user", "Round the prices"), ("tool_result", "done"), ("text", "Rounded.")]
    assert texts(index) == [("human", shown)]


def test_kiro(opened: Open) -> None:
    database, process = opened(KiroDatabase)
    database.session(process, "ses_1", model_info={"model_id": "claude-sonnet"})
    database.say(process, "ses_1", "user", "Round the prices")
    bash = {"id": "c1", "name": "execute_bash", "args": {"command": "pytest -q"}}
    write = {"id": "c2", "name": "fs_write", "args": {"command": "create", "path": "a.py", "file_text": "x"}}
    read = {"id": "c3", "name": "fs_read", "args": {"operations": [{"mode": "Line", "path": "prices.py"}]}}
    calls_of = {"ToolUse": {"message_id": "m1", "content": "I run the tests.", "tool_uses": [bash, write, read]}}
    database.say(process, "ses_1", "assistant", calls_of)
    shell = {"Json": {"exit_status": "1", "stdout": "1 failed", "stderr": "warning"}}
    results = [
        {"tool_use_id": "c1", "content": [shell], "status": "Success"},
        {"tool_use_id": "c2", "content": [{"Text": "created"}], "status": "Success"},
        {"tool_use_id": "c3", "content": [{"Text": "no such file"}], "status": "Error"},
    ]
    database.say(process, "ses_1", "user", {"ToolUseResults": {"tool_use_results": results}})
    said = {"message_id": "m2", "content": "Rounded.", "thinking": {"text": "Cents, I think.", "signature": "s"}}
    database.say(process, "ses_1", "assistant", {"Response": said})
    cancelled = {"prompt": "Stop", "tool_use_results": [{"tool_use_id": "c4", "content": [{"Text": "cancelled"}]}]}
    database.say(process, "ses_1", "user", {"CancelledToolUses": cancelled})
    database.say(process, "ses_1", "assistant", {"Hologram": {}})
    index = index_of(database)
    assert texts(index) == [
        (
            "human",
            [
                ("user", "Round the prices"),
                ("text", "I run the tests."),
                ("tool_result", "1 failed\nwarning"),
                ("tool_result", "created"),
                ("tool_result", "no such file"),
                ("thinking", "Cents, I think."),
                ("text", "Rounded."),
            ],
        ),
        ("human", [("user", "Stop"), ("tool_result", "cancelled")]),
    ]
    assert outcomes(index) == [
        ("execute_bash", "shell", True, 1),
        ("fs_write", "write", False, None),
        ("fs_read", "read", True, None),
    ]
    assert [call.path for call in calls(index)] == ["", "a.py", "prices.py"]
    assert unknown(index) == ["Hologram"]
    session = index.sessions.find("ses_1")
    assert (session.models, session.cwd) == (("claude-sonnet",), "/home/ana/code/shop-api")
    assert resume_command(session) == ["kiro-cli", "chat", "--resume-id", "ses_1"]
    assert Kiro().start_command("Hello") == ["kiro-cli", "chat", "Hello"]


def test_older_conversations_of_kiro(opened: Open) -> None:
    database, process = opened(KiroDatabase)
    pair = [{"content": {"Prompt": {"prompt": "Round"}}}, {"Response": {"message_id": "m", "content": "Rounded."}}]
    older = {"conversation_id": "ses_1", "history": [pair], "latest_summary": ["Before, prices were cut", {}]}
    database.insert(process, "conversations", {"key": "/home/ana/code/site", "value": json.dumps(older)})
    database.insert(process, "conversations", {"key": "/broken", "value": "{"})
    for number, session in enumerate(("ses_10", 'sés "2"')):
        other = {"conversation_id": session, "history": [pair], "next_message": "ses_1"}
        database.insert(process, "conversations", {"key": f"/home/ana/code/{number}", "value": json.dumps(other)})
    index = index_of(database)
    folders = {session.session_id: session.cwd for session in index.sessions.all()}
    assert folders == {"ses_1": "/home/ana/code/site", "ses_10": "/home/ana/code/0", 'sés "2"': "/home/ana/code/1"}
    assert texts(index) == [
        ("compaction", [("user", "Before, prices were cut")]),
        ("human", [("user", "Round"), ("text", "Rounded.")]),
    ]
    assert index.sessions.find("ses_1").cwd == "/home/ana/code/site"
    database.session(process, "ses_1")
    database.say(process, "ses_1", "user", "Newer")
    assert texts(index_of(database)) == [("human", [("user", "Newer")])]


def test_default_locations(tmp_path: Path) -> None:
    environ = {"XDG_DATA_HOME": str(tmp_path)}
    assert Goose().default_locations(environ) == [tmp_path / "goose" / "sessions"]
    assert Goose().default_locations({"GOOSE_PATH_ROOT": "/g"}) == [Path("/g/data/sessions")]
    assert Goose().start_command("Hello") == ["goose", "run", "--interactive", "--text", "Hello"]
    assert [path.name for path in Zed().default_locations(environ)] == ["threads.db"]
    assert [path.name for path in Kiro().default_locations(environ)] == ["data.sqlite3"]
    assert reader_for(tmp_path / "other" / "data.sqlite3") is None
    assert reader_for(tmp_path / "other" / "sessions.db") is None
