"""Sessions of Codex: what a rollout contains, and that nothing is lost or doubled."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from memtui_core.model import Session, SessionEnd, Turn
from memtui_core.readers import registry
from memtui_core.readers.agents.codex.reader import Codex
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.pairing import paired
from support.indexes import build, whole_turns
from support.rollouts import CHILD, CWD, OTHER, THREAD, Rollout

Said = list[tuple[str, str]]


def indexed(tmp_path: Path, *rollouts: Rollout) -> Index:
    for rollout in rollouts:
        rollout.write(tmp_path / "codex")
    return build(tmp_path / "data", tmp_path / "codex", agent="codex")


def said(index: Index, session: str = THREAD) -> list[Said]:
    return [blocks for _, blocks in whole_turns(index, session)]


def turns(index: Index, session: str = THREAD) -> list[Turn]:
    return index.sessions.turns(index.sessions.find(session).key)


PATCH = "*** Begin Patch\n*** Update File: src/price.py\n@@\n-old = 1\n+new = 1\n*** End Patch"
DIFF = "@@ -7,3 +7,3 @@\n a\n-old = 1\n+new = 1\n b\n"


@pytest.fixture
def whole() -> Rollout:
    """A session with everything."""
    rollout = Rollout(git={"branch": "main"})
    rollout.item("message", role="developer", content=[{"type": "input_text", "text": "<permissions instructions>"}])
    rollout.user_item("# AGENTS.md instructions for /x\n\nBe kind", "<environment_context>\n</environment_context>")
    rollout.event("task_started", turn_id="t1")
    rollout.user("Round the prices")
    rollout.turn()
    rollout.think("**Looking**", "**Deciding**")
    rollout.answer("I look first.")
    rollout.shell("sed -n '1,9p' src/price.py", "a\nold = 1\nb\n")
    rollout.shell("pytest", "1 failed\n", code=1)
    call = rollout.custom("apply_patch", PATCH)
    changes = {f"{CWD}/src/price.py": {"type": "update", "unified_diff": DIFF, "move_path": None}}
    rollout.event("patch_apply_end", call_id=call, success=True, changes=changes)
    rollout.output(call, "Success. Updated the following files:\nM src/price.py\n", "custom_tool_call_output")
    rollout.tokens(110, 60, 40, 10)
    rollout.tokens(110, 60, 40, 10)
    rollout.answer("Rounded.")
    rollout.tokens(230, 20, 90, 10)
    rollout.event("task_complete", turn_id="t1", last_agent_message="Rounded.")
    rollout.event("thread_name_updated", thread_id=THREAD, thread_name="Rounding of prices")
    rollout.user("Thanks")
    rollout.turn("t2", "gpt-5.6")
    rollout.answer("Sure.")
    return rollout


def test_a_session_with_everything(tmp_path: Path, whole: Rollout) -> None:
    index = indexed(tmp_path, whole)
    session = index.sessions.find(THREAD)
    assert replace(session, key=0) == Session(
        0, THREAD, "codex", None, None, "shop", CWD, CWD, "main", "0.142.0", ("gpt-5.5", "gpt-5.6"),
        "Rounding of prices", session.started_at, session.ended_at, 2, 3, 80, 20,
        end=SessionEnd(session.key, "clean", 2, 29, session.ended_at, ""),
    )  # fmt: skip
    first, second = said(index)
    assert [kind for kind, _ in first] == [
        *("user", "thinking", "thinking", "text"),
        *("tool_call", "tool_result", "tool_call", "tool_result", "tool_call", "tool_result", "text"),
    ]
    assert [text for kind, text in first if kind in {"user", "thinking", "text"}] == [
        *("Round the prices", "**Looking**", "**Deciding**", "I look first.", "Rounded."),
    ]
    assert second == [("user", "Thanks"), ("text", "Sure.")]
    assert registry.resume_command(session) == ["codex", "resume", THREAD]
    assert Codex().start_command("Hello") == ["codex", "Hello"]


def test_its_calls_have_results_errors_and_diffs(tmp_path: Path, whole: Rollout) -> None:
    index = indexed(tmp_path, whole)
    [turn, _] = turns(index)
    assert (turn.errors, turn.input_tokens, turn.output_tokens) == (1, 80, 20)
    calls = paired(index.sessions.blocks(turn.session, 1, 1)[1])
    assert [(call.name, call.exit_code, call.is_error) for call in calls] == [
        ("exec_command", 0, False),
        ("exec_command", 1, True),
        ("apply_patch", None, False),
    ]
    assert calls[0].command == "sed -n '1,9p' src/price.py"
    assert calls[2].paths == ("src/price.py",)
    assert diff_of(calls[2]) == "@@ -7,3 +7,3 @@\n a\n-old = 1\n+new = 1\n b"
    kinds = {(touch.path, touch.kind, touch.tool) for touch in index.files.of_turn(turn.session, 1)}
    assert kinds == {("src/price.py", "read", "exec_command"), ("src/price.py", "edited", "apply_patch")}
    [file] = index.files.find("price.py").rows
    details = [(one.touch.kind, index.files.touch_details(one)) for one in index.files.history(file)]
    assert sorted((kind, [made.call.name for made in detail.calls]) for kind, detail in details) == [
        ("edited", ["apply_patch"]),
        ("read", ["exec_command"]),
    ]


@pytest.mark.parametrize("patches", [1, 2])
def test_the_diff_of_a_patch_that_a_script_applied(tmp_path: Path, patches: int) -> None:
    rollout = Rollout()
    rollout.user("Round the prices")
    call = rollout.custom("exec", f"text(await tools.apply_patch({json.dumps(PATCH)}))")
    changes = {f"{CWD}/src/price.py": {"type": "update", "unified_diff": DIFF}}
    for number in range(patches):
        rollout.finished("FileChange", id=f"exec-{number}", changes=changes, status="completed")
    rollout.output(call, [{"type": "input_text", "text": "Script completed"}], "custom_tool_call_output")
    index = indexed(tmp_path, rollout)
    [made] = paired(index.sessions.blocks(index.sessions.find(THREAD).key, 1, 1)[1])
    [file] = index.files.find("price.py").rows
    assert [touch.counts for touch in index.files.history(file)] == [(1, 1)]
    assert diff_of(made) == ("@@ -7,3 +7,3 @@\n a\n-old = 1\n+new = 1\n b" if patches == 1 else PATCH)


def test_a_patch_that_failed_is_an_error(tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.user("Round the prices")
    call = rollout.custom("apply_patch", PATCH)
    rollout.event("patch_apply_end", call_id=call, success=False, changes={})
    rollout.output(call, "No such line", "custom_tool_call_output")
    index = indexed(tmp_path, rollout)
    assert [turn.errors for turn in turns(index)] == [1]


@pytest.mark.parametrize("streams", ["items", "events", "finished", "both", "all", "events first"])
def test_each_text_counts_once_whatever_a_version_writes(tmp_path: Path, streams: str) -> None:
    rollout = Rollout()

    def write(text: str, role: str) -> None:
        item, event = ("user", "user_message") if role == "user" else ("assistant", "agent_message")
        kind, part = ("UserMessage", "text") if role == "user" else ("AgentMessage", "Text")
        parts = [{"type": "input_text", "text": text}]
        writers = {
            "items": lambda: rollout.item("message", role=item, content=parts),
            "events": lambda: rollout.event(event, message=text),
            "finished": lambda: rollout.finished(kind, content=[{"type": part, "text": text}]),
        }
        chosen = {
            "both": ["items", "events"],
            "all": ["items", "finished", "events"],
            "events first": ["events", "items"],
        }.get(streams, [streams])
        for name in chosen:
            writers[name]()

    for _ in range(2):
        write("Go on", "user")
        write("Done", "assistant")
        write("Done", "assistant")
    index = indexed(tmp_path, rollout)
    assert said(index) == [[("user", "Go on"), ("text", "Done"), ("text", "Done")]] * 2


def test_tokens_that_a_resumed_session_reports_again_do_not_count(tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.tokens(900, 500, 300, 100)
    rollout.user("Go on")
    rollout.tokens(901, 500, 301, 100)
    rollout.answer("Done")
    rollout.tokens(950, 40, 5, 5)
    index = indexed(tmp_path, rollout)
    assert [(turn.kind, turn.input_tokens, turn.output_tokens) for turn in turns(index)] == [("human", 40, 5)]


def test_a_text_that_only_the_end_of_a_turn_names_is_not_lost(tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.user("One")
    rollout.answer("First.")
    rollout.event("task_complete", last_agent_message="First.")
    rollout.user("Two")
    rollout.event("task_complete", last_agent_message="Second.")
    rollout.user("Three")
    rollout.answer("Third.")
    rollout.user("A word in between")
    rollout.event("task_complete", last_agent_message="Third.")
    index = indexed(tmp_path, rollout)
    assert said(index) == [
        [("user", "One"), ("text", "First.")],
        [("user", "Two"), ("text", "Second.")],
        [("user", "Three"), ("text", "Third.")],
        [("user", "A word in between")],
    ]


def test_parts_that_events_leave_out_do_not_double_a_text(tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.user("Plan it")
    cited = "It is so.\n<oai-mem-citation>MEMORY.md:1</oai-mem-citation>"
    rollout.event("agent_message", message="It is so.")
    rollout.answer_item(cited)
    rollout.answer_item("<proposed_plan>\n1. Round\n</proposed_plan>")
    rollout.finished("Plan", text="1. Round")
    index = indexed(tmp_path, rollout)
    assert said(index) == [
        [("user", "Plan it"), ("text", "It is so."), ("text", "<proposed_plan>\n1. Round\n</proposed_plan>")]
    ]


def test_a_plan_is_shown_once_in_any_order(tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.user("Plan it")
    rollout.finished("Plan", text="1. Round")
    rollout.answer_item("Here:\n<proposed_plan>\n1.  Round\n</proposed_plan>\nShall I?")
    rollout.answer_item("<proposed_plan>1. Round</proposed_plan>")
    rollout.user("Again")
    rollout.answer_item("<proposed_plan>1. Round</proposed_plan>")
    rollout.finished("Plan", text="1. Round")
    assert said(indexed(tmp_path, rollout)) == [
        [("user", "Plan it"), ("text", "1. Round"), ("text", "Here:\n\nShall I?")],
        [("user", "Again"), ("text", "<proposed_plan>1. Round</proposed_plan>")],
    ]


RAN = {"chunk_id": "a1", "wall_time_seconds": 0.1, "exit_code": 1, "output": 'say "no"\n1 failed\n'}
FINE = {"output": "src/price.py\n", "exit_code": 0}
HEAD = "Script completed\nWall time 4.0 seconds\nOutput:\n"


@pytest.mark.parametrize(
    ("output", "shown", "failed"),
    [
        ([HEAD, json.dumps([RAN, FINE])], f'{HEAD}Exit code: 1\nsay "no"\n1 failed\nsrc/price.py', True),
        (HEAD + json.dumps(FINE), f"{HEAD}src/price.py", False),
        ([json.dumps(FINE) + "\n" + json.dumps({"output": "b\n"})], "src/price.py\nb", False),
        (
            [json.dumps({"tests": RAN, "status": "fulfilled", "count": 2})],
            'tests:\nExit code: 1\nsay "no"\n1 failed\nstatus: fulfilled\ncount: 2',
            True,
        ),
        # Of a long output the middle is left out.
        (
            '[{"exit_code": 2, "output": "a\\n…9 tokens truncated…\\tb\\\\n"',
            '[{"exit_code": 2, "output": "a\n…9 tokens truncated…\tb\\n"',
            True,
        ),
        (["[1, 2]"], "[1, 2]", False),
        (['{"exit_code": 7}'], '{"exit_code": 7}', False),
        (["{broken", "plain"], "{broken\nplain", False),
        (['{"output": [], "exit_code": true, "x": null}'], "x: {}", False),
    ],
)
def test_the_output_of_a_script(tmp_path: Path, output: Any, shown: str, failed: bool) -> None:
    """Scripts print the results of their tools as JSON."""
    rollout = Rollout()
    rollout.user("Test it")
    call = rollout.custom("exec", 'text(await tools.exec_command({cmd: "pytest"}))')
    parts = [{"type": "input_text", "text": text} for text in output] if isinstance(output, list) else output
    rollout.output(call, parts, "custom_tool_call_output")
    # What a command printed is not taken apart.
    rollout.output(rollout.call("exec_command", {"cmd": "cat a.json"}), json.dumps([RAN]))
    index = indexed(tmp_path, rollout)
    [script, printed] = paired(index.sessions.blocks(turns(index)[0].session, 1, 1)[1])
    assert script.result is not None
    assert printed.result is not None
    assert (script.result.text, script.is_error) == (shown, failed)
    assert (printed.result.text, printed.is_error) == (json.dumps([RAN]), False)


def test_reviews_have_titles_of_their_own(tmp_path: Path) -> None:
    """Their prompts are all the same; a review within a session does not name it."""
    finding = {"title": "[P1] Round before adding", "body": "Else"}
    answers: dict[str, dict[str, Any]] = {
        THREAD: {"findings": [finding], "overall_correctness": "patch is incorrect"},
        OTHER: {
            "findings": [],
            "overall_correctness": "patch is correct",
            "overall_explanation": "All is well. Go on.",
        },
        CHILD: {"findings": [finding]},
    }
    rollouts = []
    for thread, answer in answers.items():
        rollout = Rollout(thread)
        rollout.user("Review the current code changes and provide findings.")
        rollout.answer(json.dumps(answer))
        rollout.user("And now?")
        rollout.answer(json.dumps({"findings": [{"title": "Later"}], "overall_correctness": "patch is incorrect"}))
        rollouts.append(rollout)
    index = indexed(tmp_path, *rollouts)
    assert {session.session_id: session.title for session in index.sessions.all()} == {
        THREAD: "Review: Round before adding",
        OTHER: "Review: All is well.",
        CHILD: "Review the current code changes and provide findings.",
    }


def test_texts_of_programs_are_no_prompts(tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.user("# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nFix <b>this</b>")
    rollout.user_item("<turn_aborted>\nThe user interrupted.\n</turn_aborted>")
    rollout.event("turn_aborted", reason="interrupted")
    rollout.user_item('<subagent_notification>\n{"agent": "a"}\n</subagent_notification>')
    rollout.user_item("<user_shell_command>\nls\n</user_shell_command>", "<some_new_context>x</some_new_context>")
    rollout.add(
        "response_item",
        type="message",
        role="user",
        content=[{"type": "input_text", "text": "A text of a plugin"}, {"type": "input_text", "text": "My own"}],
        internal_chat_message_metadata_passthrough={"content_item_kinds": ["plugin.text", "user.text"]},
    )
    rollout.event("thread_rolled_back", num_turns=1)
    rollout.user_item("<my_tag> is not closed")
    index = indexed(tmp_path, rollout)
    blocks = index.sessions.blocks(index.sessions.find(THREAD).key, 1, 3)
    assert [(block.kind, block.tool, block.text) for turn in (1, 2, 3) for block in blocks[turn]] == [
        ("note", "meta", "# Context from my IDE setup:\n\n## Active file: a.py"),
        ("user", None, "Fix <b>this</b>"),
        ("note", "interrupt", "The user interrupted."),
        ("note", "notification", '<subagent_notification>\n{"agent": "a"}\n</subagent_notification>'),
        ("note", "shell", "ls"),
        ("note", "meta", "x"),
        ("note", "meta", "A text of a plugin"),
        ("user", None, "My own"),
        ("note", "meta", "The user took back 1 turn"),
        ("user", None, "<my_tag> is not closed"),
    ]


def test_images_are_placeholders(tmp_path: Path) -> None:
    rollout = Rollout()
    image = {"type": "input_image", "image_url": "data:image/png;base64," + "A" * 4000}
    parts = [{"type": "input_text", "text": text} for text in ("See", "<image name=[Image #1]>", "</image>")]
    rollout.item("message", role="user", content=[parts[0], parts[1], image, parts[2]])
    rollout.event("user_message", message="See", images=[])
    call = rollout.call("view_image", {"path": "a.png"})
    rollout.output(call, [{"type": "input_text", "text": "shown"}, image])
    index = indexed(tmp_path, rollout)
    assert said(index) == [
        [
            ("user", "See"),
            ("image", "[image/png 3 kB]"),
            ("tool_call", '{"path":"a.png"}'),
            ("tool_result", "shown\n[image/png 3 kB]"),
        ]
    ]


@pytest.mark.parametrize(
    ("output", "text", "is_error"),
    [
        ('{"output":"no\\n","metadata":{"exit_code":2}}', "no\n", True),
        ('{"output":"yes","metadata":{"exit_code":0}}', "yes", False),
        ("Exit code: 1\nWall time: 0.1 seconds\nOutput:\n", "Exit code: 1\nWall time: 0.1 seconds\nOutput:\n", True),
        ("a\n" * 300 + "Process exited with code 1", "a\n" * 300 + "Process exited with code 1", False),
        ({"content": "refused", "success": False}, "refused", True),
        ({"type": "input_text", "text": "one"}, "one", False),
        ([{"text": "Script failed\n", "type": "input_text"}, "x"], "Script failed\nx", True),
        (None, "", False),
        (7, "7", False),
    ],
)  # fmt: skip
def test_outputs_of_all_versions(tmp_path: Path, output: Any, text: str, is_error: bool) -> None:
    rollout = Rollout()
    rollout.user("Run it")
    rollout.output(rollout.call("shell", {"command": ["bash", "-lc", "make"]}), output)
    index = indexed(tmp_path, rollout)
    [call] = paired(index.sessions.blocks(index.sessions.find(THREAD).key, 1, 1)[1])
    assert call.result is not None
    assert (call.command, call.result.text, call.is_error) == ("make", text, is_error)


def test_all_kinds_of_calls(tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.user("Do it")
    action = {"type": "exec", "command": ["ls", "-l"], "working_directory": "/tmp"}
    rollout.item("local_shell_call", call_id="l", status="completed", action=action)
    rollout.output("l", "a.py")
    rollout.item("web_search_call", id="w", status="completed", action={"type": "search", "query": "rounding"})
    rollout.event("web_search_end", call_id="w", query="rounding")
    rollout.item("function_call", name="get", namespace="mcp__tracker__", arguments="{}", call_id="m")
    rollout.item("tool_search_call", call_id="s", arguments={"query": "x"})
    rollout.item("tool_search_output", call_id="s", tools=[{"name": "one"}, {"name": "two"}])
    rollout.item("image_generation_call", id="i", status="completed", revised_prompt="A cat", result="A" * 4000)
    rollout.item("custom_tool_call", name="shell", input='{"command":["pwd"]}', call_id="j")
    rollout.item("function_call", name="odd", arguments="not JSON", call_id="o")
    rollout.item("ghost_snapshot", ghost_commit={})
    index = indexed(tmp_path, rollout)
    blocks = index.sessions.blocks(index.sessions.find(THREAD).key, 1, 1)[1]
    assert [(block.kind, block.tool, block.tool_id, block.text) for block in blocks[1:]] == [
        ("tool_call", "local_shell", "l", '{"command":["ls","-l"],"workdir":"/tmp"}'),
        ("tool_result", "local_shell", "l", "a.py"),
        ("tool_call", "web_search", "w", '{"type":"search","query":"rounding"}'),
        ("tool_result", "web_search", "w", ""),
        ("tool_call", "mcp__tracker__get", "m", "{}"),
        ("tool_call", "tool_search", "s", '{"query":"x"}'),
        ("tool_result", "tool_search", "s", "one\ntwo"),
        ("tool_call", "image_generation", "i", '{"prompt":"A cat"}'),
        ("image", None, None, "[image/png 3 kB]"),
        ("tool_result", "image_generation", "i", ""),
        ("tool_call", "shell", "j", '{"command":["pwd"]}'),
        ("tool_call", "odd", "o", '{"arguments":"not JSON"}'),
    ]


def test_subagents_are_sessions_that_belong_to_their_calls(tmp_path: Path) -> None:
    parent = Rollout()
    parent.user("Review it")
    old = parent.call("spawn_agent", {"agent_type": "explorer", "message": "gAAAencrypted"})
    parent.output(old, f'{{"agent_id":"{OTHER}","nickname":"Kepler"}}')
    new = parent.call("spawn_agent", {"agent_type": "reviewer", "task_name": "price_review", "message": "gAAA"})
    parent.event("sub_agent_activity", event_id=new, agent_thread_id=CHILD, agent_path="/root/r", kind="started")
    parent.output(new, '{"task_name":"/root/price_review"}')
    text = "Message Type: FINAL_ANSWER\nSender: /root/price_review\nPayload:\nAll good"
    parent.item("agent_message", author="/root/r", content=[{"type": "input_text", "text": text}])
    first = Rollout(OTHER, source={"subagent": {"thread_spawn": {"parent_thread_id": THREAD, "depth": 1}}})
    first.user("Look at prices")
    first.answer("Seen.")
    second = Rollout(CHILD, parent_thread_id=THREAD, session_id=THREAD, thread_source="subagent", agent_role="reviewer")
    task = "Message Type: NEW_TASK\nPayload:\nReview the prices"
    second.item("agent_message", author="/root", content=[{"type": "input_text", "text": task}])
    second.answer("All good")
    index = indexed(tmp_path, parent, first, second)
    key = index.sessions.find(THREAD).key
    children = index.sessions.subagents(key)
    assert {(one.session_id, one.parent_tool_id, one.title) for one in children} == {
        (OTHER, old, "Look at prices"),
        (CHILD, new, "price_review"),
    }
    assert [turn.kind for child in children for turn in index.sessions.turns(child.key)] == ["agent", "agent"]
    assert said(index)[0][-1] == ("note", text)
    assert said(index, CHILD) == [[("user", task), ("text", "All good")]]
    assert registry.resume_command(children[0]) is None


def test_helpers_that_judge_a_session_are_hidden(tmp_path: Path) -> None:
    parent, judge = Rollout(), Rollout(CHILD, source={"subagent": {"other": "guardian"}}, parent_thread_id=THREAD)
    parent.user("Go")
    judge.user("The following is the history")
    index = indexed(tmp_path, parent, judge)
    assert [session.session_id for session in index.sessions.all()] == [THREAD]
    assert index.sessions.subagents(index.sessions.find(THREAD).key) == []


def test_a_subagent_of_a_subagent_belongs_to_the_session_of_the_user(tmp_path: Path) -> None:
    parent, child = Rollout(), Rollout(CHILD, source={"subagent": {"thread_spawn": {"parent_thread_id": THREAD}}})
    grandchild = Rollout(OTHER, session_id=THREAD, parent_thread_id=CHILD, source={"subagent": {"thread_spawn": {}}})
    for rollout in (parent, child, grandchild):
        rollout.user("Go")
    index = indexed(tmp_path, parent, child, grandchild)
    assert {one.session_id for one in index.sessions.subagents(index.sessions.find(THREAD).key)} == {CHILD, OTHER}


SUMMARY = "Another language model started to solve this problem and produced a summary.\n\nPrices are rounded."


COMPACTIONS: list[tuple[dict[str, Any], Said]] = [
    ({"message": "Prices are rounded."}, [("user", "Prices are rounded.")]),
    (
        {
            "message": "",
            "replacement_history": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Round the prices"}]},
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": SUMMARY}]},
            ],
        },
        [("user", SUMMARY)],
    ),
    (
        {"message": "", "replacement_history": [{"type": "compaction", "encrypted_content": "gAAA"}]},
        [("note", "Compacted. The summary is encrypted: only the model can read it.")],
    ),
    *(
        (entry, [("note", "Compacted. The transcript has no summary.")])
        for entry in ({"message": ""}, {"replacement_history": [{"type": "compaction", "encrypted_content": ""}]})
    ),
]
"""What is written at a compaction, and how the turn after it begins."""


def test_a_compaction_is_a_boundary_and_its_summary(tmp_path: Path) -> None:
    cases = {
        f"{THREAD[:-1]}{number}": case for number, case in enumerate(itertools.product(COMPACTIONS, [True, False]))
    }
    rollouts = []
    for thread, ((compacted, _), event_first) in cases.items():
        rollout = Rollout(thread)
        rollout.user("Round the prices")
        rollout.answer("Begun.")
        rollout.tokens(1000, 900, 50, 50)
        if event_first:
            rollout.event("context_compacted")
        rollout.add("compacted", **compacted)
        if not event_first:
            rollout.event("context_compacted")
        rollout.finished("ContextCompaction", id="c")
        rollout.tokens(1000, 900, 50, 50)
        rollout.answer("Going on.")
        rollouts.append(rollout)
    index = indexed(tmp_path, *rollouts)
    assert {thread: said(index, thread) for thread in cases} == {
        thread: [[("user", "Round the prices"), ("text", "Begun.")], [*opens, ("text", "Going on.")]]
        for thread, ((_, opens), _) in cases.items()
    }
    for thread in cases:
        [compaction] = index.compactions.of_session(index.sessions.find(thread).key)
        assert (compaction.trigger, compaction.tokens_before) == (None, 1000), thread
        assert [turn.segment for turn in turns(index, thread)] == [0, 1], thread


def test_the_first_versions_are_read(tmp_path: Path) -> None:
    rollout = Rollout(meta=False)
    header = {"id": THREAD, "timestamp": "2025-05-07T17:24:21.123Z", "instructions": None, "git": {"branch": "old"}}
    rollout.raw(header)
    rollout.raw({"record_type": "state"})
    rollout.raw({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Round"}]})
    rollout.raw({"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "Hm"}]})
    shell = {"name": "shell", "arguments": '{"command":["bash","-lc","ls"]}', "call_id": "c"}
    rollout.raw({"type": "function_call", **shell})
    rollout.raw(
        {"type": "function_call_output", "call_id": "c", "output": '{"output":"a.py","metadata":{"exit_code":0}}'}
    )
    rollout.raw({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]})
    (tmp_path / "codex").mkdir()
    (tmp_path / "codex" / "any.jsonl").write_bytes(rollout.content)
    index = build(tmp_path / "data", tmp_path / "codex", agent=None)
    session = index.sessions.find(THREAD)
    assert (session.agent, session.branch) == ("codex", "old")
    assert said(index) == [
        [
            ("user", "Round"),
            ("thinking", "Hm"),
            ("tool_call", '{"command":["bash","-lc","ls"]}'),
            ("tool_result", "a.py"),
            ("text", "Done."),
        ]
    ]


def test_unknown_entries_are_kept_and_known_ones_without_text_are_not(tmp_path: Path) -> None:
    rollout = Rollout()
    rollout.user("Go")
    rollout.add("hologram", text="new")
    rollout.item("telepathy", text="newer")
    rollout.event("applause", text="newest")
    rollout.event("exec_command_end", call_id="x", exit_code=0)
    rollout.add("world_state", full=True)
    index = indexed(tmp_path, rollout)
    rows = index.snapshot.rows("SELECT kind, line FROM unknown_entries ORDER BY line")
    assert rows == [("hologram", 3), ("response_item/telepathy", 4), ("event_msg/applause", 5)]
    assert said(index) == [[("user", "Go")]]
