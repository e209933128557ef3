"""Tasks of Cline's extension and of Roo Code, and sessions of Cline's program for the terminal."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.errors import SourceUnreadable
from memtui_core.index.index import Index
from memtui_core.readers.agents.cline.reader import Cline
from memtui_core.readers.agents.roo.reader import Roo
from memtui_core.readers.base import START, Transcript
from memtui_core.readers.registry import reader_for, resume_command
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.edits import Edit
from support.conversations import shown, tool_calls
from support.indexes import build, update
from support.pictures import picture
from support.systems import HOME_VARIABLE

ROOT = "/home/ana/code/shop"
TASK = "1782810000000"
STARTED = datetime(2026, 6, 30, 9, 0, tzinfo=UTC)
STORAGE = ".config/Code/User/globalStorage"
DETAILS = (
    "<environment_details>\n# Current Time\n6/30/2026, 11:05:06 AM (Europe/Berlin, UTC+2:00)\n\n"
    f"# Current Working Directory ({ROOT}) Files\nprice.py\n</environment_details>"
)
BLOCKS = "------- SEARCH\nreturn x\n=======\nreturn round(x, 2)\n+++++++ REPLACE\n"


def user(*parts: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": [_part(part) for part in parts], **more}


def assistant(*parts: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [_part(part) for part in parts], **more}


def _part(part: Any) -> Any:
    return {"type": "text", "text": part} if isinstance(part, str) else part


def use(tool_id: str, name: str, arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": tool_id, "name": name, "input": arguments}


def result(tool_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": tool_id, "content": content, **more}


RESUMED = "[TASK RESUMPTION] Interrupted."
NATIVE = [
    user("<task>\nRound the prices\n</task>", DETAILS),
    assistant(
        {"type": "thinking", "thinking": "Two digits."},
        "I round them.",
        use("t1", "replace_in_file", {"path": "price.py", "diff": BLOCKS}),
        use("t2", "execute_command", {"command": "pytest"}),
        modelInfo={"modelId": "sonnet-5"},
        metrics={"tokens": {"prompt": 100, "completion": 20, "cached": 30}},
        ts=1782810400000,
    ),
    user(result("t1", "Saved"), result("t2", [{"type": "text", "text": "Error executing command"}]), DETAILS),
    assistant(use("t3", "attempt_completion", {"result": "Rounded.", "command": "make"}), ts=1782810500000),
    user(result("t3", "[attempt_completion] Result:\n<feedback>\nThe discounts, too\n</feedback>")),
    assistant("Yes.", {"type": "redacted_thinking", "data": "x"}, {"type": "radar"}),
]
EXPECTED = [
    (
        "human",
        [
            ("user", "Round the prices"),
            ("note reminder", DETAILS),
            ("thinking", "Two digits."),
            ("text", "I round them."),
            (
                "tool_call replace_in_file",
                json.dumps({"path": "price.py", "diff": BLOCKS}, separators=(",", ":")),
            ),
            ("tool_call execute_command", '{"command":"pytest"}'),
            ("tool_result replace_in_file", "Saved"),
            ("tool_result execute_command!", "Error executing command"),
            ("note reminder", DETAILS),
            ("text", "Rounded."),
            ("tool_call attempt_completion", '{"command":"make"}'),
        ],
    ),
    (
        "human",
        [
            ("user", "The discounts, too"),
            ("tool_result", "[attempt_completion] Result:\n<feedback>\nThe discounts, too\n</feedback>"),
            ("text", "Yes."),
        ],
    ),
]


def task_folder(tmp_path: Path, task: str = TASK, extension: str = "saoudrizwan.claude-dev") -> Path:
    folder = tmp_path / "home" / STORAGE / extension / "tasks" / task
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def write_task(folder: Path, messages: Any, **files: Any) -> None:
    (folder / "api_conversation_history.json").write_text(json.dumps(messages))
    for name, value in files.items():
        (folder / f"{name}.json").write_text(json.dumps(value))


def index_of(tmp_path: Path, agent: str = "cline") -> Index:
    return build(tmp_path / "data", tmp_path / "home", agent=agent)


def test_everything_in_a_task(tmp_path: Path) -> None:
    folder = task_folder(tmp_path)
    environments = [{"cline_version": "3.50.0"}]
    write_task(folder, NATIVE, task_metadata={"environment_history": environments})
    index = index_of(tmp_path)
    (session,) = index.sessions.all()
    assert shown(index, TASK) == EXPECTED
    assert (session.agent, session.session_id, session.cwd, session.project) == ("cline", TASK, ROOT, "shop")
    assert (session.title, session.version, session.models) == ("Round the prices", "3.50.0", ("sonnet-5",))
    assert (session.input_tokens, session.output_tokens) == (100, 20)
    # The time is that which the editor shows, then those of the messages.
    assert [turn.started_at for turn in index.sessions.turns(session.key)] == [
        datetime(2026, 6, 30, 9, 5, 6, tzinfo=UTC),
        datetime(2026, 6, 30, 9, 8, 20, tzinfo=UTC),
    ]
    assert resume_command(session) is None
    edit, command, _ = tool_calls(index, TASK)
    assert edit.edits == (Edit("price.py", "replace", "return x", "return round(x, 2)"),)
    assert diff_of(edit) == "@@ -1,1 +1,1 @@\n-return x\n+return round(x, 2)"
    assert (edit.path, command.command) == ("price.py", "pytest")
    assert index.snapshot.rows("SELECT kind FROM unknown_entries") == [("radar",)]


def test_calls_in_the_text_of_older_versions(tmp_path: Path) -> None:
    content = "<b>\n</content>\n</b>"
    write_task(
        task_folder(tmp_path),
        [
            user("<task>\nWrite it\n</task>"),
            assistant(
                "<thinking>\nA page.\n</thinking>\n\nI write it.\n"
                f"<write_to_file>\n<path>a.html</path>\n<content>\n{content}\n</content>\n</write_to_file>\nThen:"
            ),
            user("[write_to_file for 'a.html'] Result:", "Saved to a.html.", "It is shown.", DETAILS),
            assistant("<execute_command><command>cat a.html</command></execute_command>"),
            user("[execute_command for 'cat a.html'] Result:\nThe user denied this operation."),
            assistant("<attempt_completion><result>\nWritten.\n</result></attempt_completion>"),
            user("[ERROR] You did not use a tool in your previous response!"),
            user(f"{RESUMED}\n<user_message>\nGo on\n</user_message>"),
            assistant("<read_file><path>a.h"),
        ],
    )
    index = index_of(tmp_path)
    assert shown(index, TASK) == [
        (
            "human",
            [
                ("user", "Write it"),
                ("thinking", "A page."),
                ("text", "I write it."),
                ("tool_call write_to_file", json.dumps({"path": "a.html", "content": content}, separators=(",", ":"))),
                ("text", "Then:"),
                ("tool_result write_to_file", "Saved to a.html.\nIt is shown."),
                ("note reminder", DETAILS),
                ("tool_call execute_command", '{"command":"cat a.html"}'),
                ("tool_result execute_command!", "The user denied this operation."),
                ("text", "Written."),
                ("tool_call attempt_completion", "{}"),
                ("note error!", "[ERROR] You did not use a tool in your previous response!"),
            ],
        ),
        (
            "human",
            [
                ("user", "Go on"),
                ("note meta", "[TASK RESUMPTION] Interrupted."),
                ("tool_call read_file", '{"path":"a.h"}'),
            ],
        ),
    ]
    write, run, *_ = tool_calls(index, TASK)
    assert (write.edits, run.rejected) == ((Edit("a.html", "write", "", content),), True)


def test_results_of_native_calls_in_texts(tmp_path: Path) -> None:
    """Each result is a text in the order of the calls; a question may run over lines, and its answer is the user's."""
    other = DETAILS.replace(ROOT, f"{ROOT}/web")
    question = {"question": "Which rounding?\n\n1. Half up\n2. Half even", "options": ["1", "2"]}
    asked = f"[ask_followup_question for '{question['question']}'] Result:\n<answer>\nHalf even, please\n</answer>"
    write_task(
        task_folder(tmp_path),
        [
            user("<task>\nRound\n</task>", "# task_progress List (Optional)\n\nWrite one.", DETAILS),
            assistant(
                use("c1", "read_file", {"path": "a.ts"}),
                use("c2", "read_file", {"path": "b.ts"}),
                use("c3", "use_subagents", {"prompt_1": "Look"}),
            ),
            user(
                "[read_file for 'a.ts'] Result:\nalpha <answer>no</answer>",
                "[read_file for 'b.ts'] Result:\nError executing read_file",
                "[subagents] Result:\nFound.",
                "# TODO LIST UPDATE REQUIRED - You MUST include it",
                other,
            ),
            assistant("One thing.", use("c4", "ask_followup_question", question)),
            user(asked, other),
            assistant(use("c5", "write_to_file", {"path": "c.ts", "content": "x"})),
            user("[write_to_file for 'c.ts'] Result:\nSaved", result("gone", "late")),
        ],
    )
    index = index_of(tmp_path)
    (session,) = index.sessions.all()
    shown_turns = shown(index, TASK)
    assert [[block for block in blocks if not block[0].startswith("note")] for _, blocks in shown_turns] == [
        [
            ("user", "Round"),
            ("tool_call read_file", '{"path":"a.ts"}'),
            ("tool_call read_file", '{"path":"b.ts"}'),
            ("tool_call use_subagents", '{"prompt_1":"Look"}'),
            ("tool_result read_file", "alpha <answer>no</answer>"),
            ("tool_result read_file!", "Error executing read_file"),
            ("tool_result use_subagents", "Found."),
            ("text", "One thing."),
            ("text", question["question"]),
            ("tool_call ask_followup_question", '{"options":["1","2"]}'),
        ],
        [
            ("user", "Half even, please"),
            ("tool_result", "<answer>\nHalf even, please\n</answer>"),
            ("tool_call write_to_file", f'{{"path":"{ROOT}/web/c.ts","content":"x"}}'),
            ("tool_result", "late"),
            ("tool_result write_to_file", "Saved"),
        ],
    ]
    assert [call.result.text if call.result else None for call in tool_calls(index, TASK)] == [
        "alpha <answer>no</answer>",
        "Error executing read_file",
        "Found.",
        "<answer>\nHalf even, please\n</answer>",
        "Saved",
    ]
    # The state of the editor shows another folder from the second message of the user on.
    assert session.cwd == ROOT
    rows = index.snapshot.rows("SELECT path FROM file_mentions WHERE tool = 'write_to_file'")
    assert rows == [("web/c.ts",)]


def test_what_other_files_know_of_a_task(tmp_path: Path) -> None:
    folder = task_folder(tmp_path)
    requests = [
        {"type": "say", "say": "api_req_started", "text": json.dumps({"tokensIn": 5, "tokensOut": 6, "cacheReads": 7})},
        {"type": "say", "say": "text", "text": "{}"},
        {"type": "say", "say": "api_req_started", "text": json.dumps({"tokensIn": 50, "tokensOut": 60})},
        {"type": "say", "say": "api_req_started", "text": "no JSON"},
    ]
    uses = [{"ts": 1, "model_id": "opus-5"}, {"ts": 2, "model_id": "opus-5"}]
    write_task(folder, [user("Hi"), assistant("Hello")], ui_messages=requests, task_metadata={"model_usage": uses})
    state = folder.parent.parent / "state"
    state.mkdir()
    tasks = [{"id": "1"}, {"id": TASK, "cwdOnTaskInitialization": "/home/ana/code/site"}]
    (state / "taskHistory.json").write_text(json.dumps(tasks))
    (session,) = index_of(tmp_path).sessions.all()
    assert (session.cwd, session.models, session.started_at) == ("/home/ana/code/site", ("opus-5",), STARTED)
    assert (session.input_tokens, session.output_tokens) == (55, 66)


def session_folder(tmp_path: Path, name: str = "s1") -> Path:
    folder = tmp_path / "home" / ".cline" / "data" / "sessions" / name
    folder.mkdir(parents=True)
    return folder


def write_session(folder: Path, messages: list[Any], about: dict[str, Any], agent: str = "") -> None:
    content = {"version": 1, "agent": agent or "lead", "sessionId": folder.name, "messages": messages}
    (folder / f"{agent or folder.name}.messages.json").write_text(json.dumps(content))
    if about:
        (folder / f"{folder.name}.json").write_text(json.dumps(about))


def test_everything_in_a_session_of_the_terminal(tmp_path: Path) -> None:
    folder = session_folder(tmp_path)
    arguments = {"commands": '["make lint", "pytest"]'}
    outputs = [
        {"query": "make lint", "result": "clean", "success": True},
        {"query": "pytest", "result": "1 failed", "error": "Command exited with code 1", "success": False},
    ]
    edit = {"command": "str_replace", "path": "a.py", "old_text": "x", "new_text": "y"}
    messages = [
        user("Lint it", id="m1", ts=1782810000000),
        assistant(
            use("c1", "run_commands", arguments),
            use("c2", "editor", edit),
            use("c3", "spawn_agent", {"task": "Find the prices"}),
            id="m2",
            ts=1782810001000,
            modelInfo={"id": "glm-5"},
            metrics={"inputTokens": 10, "outputTokens": 2, "cacheReadTokens": 3, "cacheWriteTokens": 4},
        ),
        user(result("c1", outputs), result("c2", "Edited"), result("c3", "Found"), id="m3", ts=1782810002000),
        assistant("Linted.", id="m4", ts=1782810005000),
    ]
    about = {"cwd": ROOT, "model": "x", "messages_path": "/gone/s1.messages.json", "metadata": {"title": "Lint"}}
    write_session(folder, messages, about)
    write_session(folder, [user("Find the prices"), assistant("Here.")], {}, agent="agent-7")
    summary = {"id": "k", "role": "user", "content": "-", "ts": 1782810003000}
    summary["metadata"] = {"kind": "compaction_summary", "summary": "Linted so far."}
    (folder / "s1.compaction.json").write_text(json.dumps({"messages": [summary, messages[0]]}))
    index = index_of(tmp_path)
    (session,) = index.sessions.all()
    assert shown(index, "s1") == [
        (
            "human",
            [
                ("user", "Lint it"),
                ("tool_call run_commands", json.dumps(arguments, separators=(",", ":"))),
                ("tool_call editor", json.dumps(edit, separators=(",", ":"))),
                ("tool_call spawn_agent", '{"task":"Find the prices"}'),
                ("tool_result run_commands!", "clean\n1 failed\nCommand exited with code 1"),
                ("tool_result editor", "Edited"),
                ("tool_result spawn_agent", "Found"),
            ],
        ),
        ("compaction", [("user", "Linted so far."), ("text", "Linted.")]),
    ]
    assert (session.title, session.cwd, session.models) == ("Lint", ROOT, ("glm-5", "x"))
    assert (session.input_tokens, session.output_tokens, session.compactions) == (10, 2, 1)
    assert resume_command(session) == ["cline", "--id", "s1"]
    assert Cline().start_command("Hi") == ["cline", "Hi"]
    run, edited, _ = tool_calls(index, "s1")
    assert (run.command, run.exit_code) == ("make lint\npytest", 1)
    assert edited.edits == (Edit("a.py", "replace", "x", "y"),)
    (child,) = index.sessions.subagents(session.key)
    assert (child.session_id, child.parent_tool_id, child.cwd) == ("agent-7", "c3", ROOT)
    assert shown(index, "agent-7") == [("agent", [("user", "Find the prices"), ("text", "Here.")])]


def test_a_task_of_roo_code(tmp_path: Path) -> None:
    extension = "rooveterinaryinc.roo-cline"
    ask = use("n1", "new_task", {"mode": "code", "message": "Round the discounts"})
    summary = user("Rounded so far.", isSummary=True, condenseId="k", ts=1782810300000)
    reasoning = {"role": "assistant", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]}
    marker = user("[12 messages hidden]", isTruncationMarker=True)
    messages = [
        user("Round the prices", condenseParent="k"),
        assistant(ask),
        summary,
        reasoning,
        assistant("On."),
        marker,
    ]
    about = {"id": TASK, "workspace": ROOT, "task": "Round the prices"}
    write_task(task_folder(tmp_path, extension=extension), messages, history_item=about)
    child = task_folder(tmp_path, "0199-child", extension)
    old = [
        {"role": "user", "content": "<task>\nRound the discounts\n</task>"},
        {"role": "assistant", "content": "Yes."},
    ]
    (child / "claude_messages.json").write_text(json.dumps(old))
    (child / "history_item.json").write_text(json.dumps({"id": "0199-child", "parentTaskId": TASK}))
    index = index_of(tmp_path, "roo")
    (session,) = index.sessions.all()
    assert (session.agent, session.cwd, session.compactions) == ("roo", ROOT, 1)
    assert shown(index, TASK) == [
        (
            "human",
            [("user", "Round the prices"), ("tool_call new_task", json.dumps(ask["input"], separators=(",", ":")))],
        ),
        (
            "compaction",
            [("user", "Rounded so far."), ("thinking", "Hm."), ("text", "On."), ("note meta", "[12 messages hidden]")],
        ),
    ]
    (started,) = index.sessions.subagents(session.key)
    assert (started.session_id, started.parent_tool_id) == ("0199-child", "n1")
    assert shown(index, "0199-child") == [("agent", [("user", "Round the discounts"), ("text", "Yes.")])]
    assert (resume_command(session), Roo().start_command("Hi")) == (None, None)


def test_positions_in_the_blocks_of_roo_code(tmp_path: Path) -> None:
    diff = "<<<<<<< SEARCH\n:start_line:12\n-------\na\n-------\n=======\nb\n>>>>>>> REPLACE\nx\n<<<<<<< SEARCH\nc\n"
    write_task(task_folder(tmp_path), [user("Hi"), assistant(use("1", "apply_diff", {"path": "a", "diff": diff}))])
    assert [one.edits for one in tool_calls(index_of(tmp_path), TASK)] == [(Edit("a", "replace", "a\n-------", "b"),)]


def test_a_conversation_that_is_rewritten(tmp_path: Path) -> None:
    folder = task_folder(tmp_path)
    for count in (1, 3, 4, 6):
        write_task(folder, NATIVE[:count])
        index_of(tmp_path)
    index = index_of(tmp_path)
    assert shown(index, TASK) == EXPECTED
    update(tmp_path / "fresh", tmp_path / "home", agent="cline")
    assert picture(tmp_path / "data") == picture(tmp_path / "fresh")
    write_task(folder, [*NATIVE[:3], assistant("Other.")])
    assert shown(index_of(tmp_path), TASK) == [("human", [*EXPECTED[0][1][:9], ("text", "Other.")])]


def test_a_broken_conversation_keeps_what_was_read(tmp_path: Path) -> None:
    errors = {"[{": "not JSON", '{"a": 1}': "not a list of messages", '[]} {"value": []': "not JSON", "": "not JSON"}
    tasks = {f"{TASK[:-1]}{number}": content for number, content in enumerate(errors)}
    for task in tasks:
        write_task(task_folder(tmp_path, task), NATIVE)
    index_of(tmp_path)
    for task, content in tasks.items():
        (task_folder(tmp_path, task) / "api_conversation_history.json").write_text(content)
    index = index_of(tmp_path)
    assert {task: shown(index, task) for task in tasks} == dict.fromkeys(tasks, EXPECTED)
    states = {
        tasks[Path(source.path).name]: (source.state, str(source.error).rpartition(": ")[2])
        for source in index.statistics.sources()
    }
    assert states == {content: ("error", error) for content, error in errors.items()}


def test_bad_messages_cost_themselves(tmp_path: Path) -> None:
    write_task(task_folder(tmp_path), [7, user("Hi"), {"role": "radar"}, assistant("Hello \ud800")], ui_messages="{")
    index = index_of(tmp_path)
    assert shown(index, TASK) == [("human", [("user", "Hi"), ("text", "Hello �")])]
    assert index.snapshot.rows("SELECT line, reason FROM bad_lines") == [(0, "not a JSON object")]
    assert index.snapshot.rows("SELECT line, kind FROM unknown_entries") == [(2, "radar")]


def test_a_deleted_task_stays_readable(tmp_path: Path) -> None:
    folder = task_folder(tmp_path)
    write_task(folder, NATIVE)
    index_of(tmp_path)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    index = index_of(tmp_path)
    assert (shown(index, TASK), index.sessions.find(TASK).gone) == (EXPECTED, True)


def test_which_files_belong_to_which_agent(tmp_path: Path) -> None:
    names = ("api_conversation_history.json", "ui_messages.json", "task_metadata.json", "settings.json")
    extensions = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code")
    tasks = [tmp_path / "globalStorage" / extension / "tasks" / "1" for extension in extensions]
    sessions = tmp_path / ".cline" / "data" / "sessions" / "s1"
    paths = [task / name for task in tasks for name in names]
    paths += [sessions / name for name in ("s1.json", "s1.messages.json", "a.messages.json", "s1.log", "other.json")]
    # None of these files exists.
    assert [getattr(reader_for(path), "agent", None) for path in paths] == [
        *("cline", "cline", "cline", None),
        *("roo", "roo", "roo", None),
        *(None,) * 4,
        *("cline", "cline", "cline", None, None),
    ]
    loose = tmp_path / "copy" / "tasks" / "1" / "api_conversation_history.json"
    assert getattr(reader_for(loose), "agent", None) == "cline"
    loose.parent.mkdir(parents=True)
    (loose.parent / "history_item.json").write_text("{}")
    assert getattr(reader_for(loose), "agent", None) == "roo"


def test_their_locations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    tasks = tmp_path / STORAGE / "saoudrizwan.claude-dev" / "tasks"
    data = tmp_path / ".cline" / "data"
    assert Cline().default_locations({}) == [data / "sessions", data / "tasks", tasks]
    other = tmp_path / ".config" / "Cursor" / "User" / "globalStorage" / "rooveterinaryinc.roo-cline" / "tasks"
    other.mkdir(parents=True)
    assert Roo().default_locations({}) == [other]
    homes = [{"CLINE_DIR": "/c"}, {"CLINE_DIR": "/c", "CLINE_DATA_DIR": "/d"}, {"CLINE_SESSION_DATA_DIR": "/s"}]
    assert [Cline().default_locations(environ)[:2] for environ in homes] == [
        [Path("/c/data/sessions"), Path("/c/data/tasks")],
        [Path("/d/sessions"), Path("/d/tasks")],
        [Path("/s"), data / "tasks"],
    ]


KEYS = [
    *("role", "content", "type", "text", "thinking", "id", "name", "input", "tool_use_id", "is_error", "ts"),
    *("metrics", "tokens", "modelInfo", "isSummary", "metadata", "summary", "query", "success", "error", "result"),
]
TEXTS = ["user", "assistant", "text", "tool_use", "tool_result", "<task>", "[read_file] Result:", "<read_file><path>"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=8,
)
PARTS = st.lists(
    st.fixed_dictionaries({"type": st.sampled_from(TEXTS[2:5]), "text": VALUES, "content": VALUES}) | VALUES,
    max_size=4,
)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.fixed_dictionaries({"role": st.sampled_from(TEXTS[:3]), "content": PARTS}) | VALUES, max_size=5), VALUES
)
def test_no_value_is_an_error(tmp_path_factory: pytest.TempPathFactory, messages: list[Any], other: Any) -> None:
    folder = tmp_path_factory.mktemp("tasks") / "tasks" / "1"
    folder.mkdir(parents=True)
    write_task(folder, messages, ui_messages=other, task_metadata=other, history_item=other)
    transcript = Transcript("cline", folder, 1, 1)
    reading = Cline().read(transcript, START)
    records = list(reading)
    again = Cline().read(transcript, reading.cursor(None))
    assert (again.from_start, list(again)) == (False, [])
    assert list(Cline().read(transcript, START)) == records


def test_a_task_without_a_conversation(tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable, match="no conversation"):
        Cline().read(Transcript("cline", tmp_path, 1, 1), START)
