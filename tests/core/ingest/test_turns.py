from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.ingest.turns.grouping import TurnBuilder, TurnDraft, build
from memtui_core.readers.records import AgentCall, Usage
from support.transcripts import Script, parse


def turns(script: Script, tmp_path: Path) -> list[TurnDraft]:
    return build(parse(script.write(tmp_path)).messages)


def shape(drafts: list[TurnDraft]) -> list[tuple[str, int, int, list[str]]]:
    return [(d.kind, d.line, d.end_line, [b.kind for b in d.blocks()]) for d in drafts]


@pytest.mark.spec("S0.19")
def test_one_turn_holds_everything_up_to_the_next_human_text(tmp_path: Path) -> None:
    script = Script()
    script.user("fix it")
    script.says("I will look.", "m")
    script.calls("Read", {"file_path": "a"}, "t1", "m")
    script.result("1→x", "t1")
    script.calls("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, "t2", "m")
    script.result("done", "t2")
    script.user("thanks")
    first, second = turns(script, tmp_path)
    assert first.tool_summary() == ["Read a", "Edit a"]
    assert shape([first, second]) == [
        ("human", 0, 5, ["user", "text", "tool_call", "tool_result", "tool_call", "tool_result"]),
        ("human", 6, 6, ["user"]),
    ]


@pytest.mark.spec("S0.18")
def test_an_assistant_message_with_only_a_tool_call_is_kept(tmp_path: Path) -> None:
    script = Script()
    script.user("q")
    script.calls("Read", {"file_path": "a"})
    (turn,) = turns(script, tmp_path)
    assert (turn.user_text, turn.tool_summary()) == ("q", ["Read a"])


def test_a_result_has_the_name_of_its_call_also_when_parallel(tmp_path: Path) -> None:
    script = Script()
    script.user("q")
    script.calls("Read", {"file_path": "a"}, "t1", "m")
    script.calls("Bash", {"command": "ls"}, "t2", "m")
    script.result("second", "t2")
    script.result("first", "t1")
    (turn,) = turns(script, tmp_path)
    assert [(b.seq, b.kind, b.tool, b.tool_id) for b in turn.blocks()[1:]] == [
        (1, "tool_call", "Read", "t1"),
        (2, "tool_call", "Bash", "t2"),
        (3, "tool_result", "Bash", "t2"),
        (4, "tool_result", "Read", "t1"),
    ]


def test_tokens_count_once_a_message_by_its_last_line(tmp_path: Path) -> None:
    script = Script()
    script.user("q")
    for output in (1, 7):
        usage = {"input_tokens": 3, "output_tokens": output, "cache_read_input_tokens": 100}
        content = [{"type": "text", "text": "a"}]
        script.entry("assistant", message={"id": "m", "model": "opus", "content": content, "usage": usage})
    script.says("b", "n")
    (turn,) = turns(script, tmp_path)
    assert turn.usage() == Usage(input=13, output=12, cache_read=100, cache_write=0)
    assert turn.models() == ["opus", "claude-opus-4-5"]


def test_a_command_that_the_agent_answers_opens_a_turn(tmp_path: Path) -> None:
    script = Script()
    script.user("<command-message>review</command-message><command-name>/review</command-name>")
    script.user("Review the change in these steps", isMeta=True)
    script.says("Reviewed.")
    (turn,) = turns(script, tmp_path)
    assert (turn.kind, turn.user_text, [b.kind for b in turn.blocks()]) == (
        "command",
        "/review",
        ["user", "note", "text"],
    )


def test_a_local_command_is_a_note_in_the_open_turn(tmp_path: Path) -> None:
    script = Script()
    script.user("q")
    script.says("a")
    script.user("<command-name>/model</command-name><command-args>opus</command-args>")
    script.user("<local-command-stdout>Set model</local-command-stdout>")
    script.says("still the same turn")
    (turn,) = turns(script, tmp_path)
    assert [(b.kind, b.text) for b in turn.blocks()] == [
        ("user", "q"),
        ("text", "a"),
        ("note", "/model opus"),
        ("note", "Set model"),
        ("text", "still the same turn"),
    ]


def test_notes_before_the_first_prompt_belong_to_it(tmp_path: Path) -> None:
    script = Script()
    script.user("<command-name>/clear</command-name>")
    script.user("<local-command-stdout></local-command-stdout>")
    script.user("q")
    (turn,) = turns(script, tmp_path)
    assert (turn.kind, turn.line, turn.offset, turn.user_text) == ("human", 2, 0, "q")


def test_an_answer_without_a_prompt_is_an_opening_turn(tmp_path: Path) -> None:
    script = Script()
    script.says("Welcome back.")
    script.user("q")
    assert shape(turns(script, tmp_path)) == [("opening", 0, 0, ["text"]), ("human", 1, 1, ["user"])]


def test_an_interrupt_belongs_to_the_turn_that_it_ended(tmp_path: Path) -> None:
    script = Script()
    script.user("q")
    script.calls("Bash", {"command": "sleep 100"})
    script.user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    (turn,) = turns(script, tmp_path)
    assert [(b.kind, b.tool) for b in turn.blocks()] == [("user", None), ("tool_call", "Bash"), ("note", "interrupt")]


@pytest.mark.spec("S2.15")
def test_a_boundary_completes_the_turn_before_it_and_begins_a_segment(tmp_path: Path) -> None:
    script = Script()
    script.user("q")
    script.says("a")
    script.compacts("We did a.")
    script.says("going on")
    builder = TurnBuilder()
    done = []
    for message in parse(script.write(tmp_path)).messages:
        if message.kind == "compaction":
            done.append(builder.boundary())
        done.append(builder.add(message))
    done.append(builder.last())
    found = [draft for draft in done if draft is not None]
    assert [(d.kind, d.segment, d.line) for d in found] == [("human", 0, 0), ("compaction", 1, 3)]


def test_a_subagent_call_is_known_by_its_id_and_its_agent(tmp_path: Path) -> None:
    script = Script()
    script.user("q")
    arguments = {"subagent_type": "Explore", "description": "Find retries", "prompt": "Look for retries."}
    script.calls("Task", arguments, "t9")
    script.result("found", "t9", toolUseResult={"agentId": "a1b2c3d", "status": "completed", "totalTokens": 900})
    (turn,) = turns(script, tmp_path)
    (call,) = turn.agent_calls()
    assert (call.tool_id, call.agent_id, call.agent_type, call.description, call.prompt) == (
        "t9",
        "a1b2c3d",
        "Explore",
        "Find retries",
        "Look for retries.",
    )


def test_what_neither_call_nor_result_tells_of_a_subagent_is_none(tmp_path: Path) -> None:
    script = Script()
    script.user("q")
    script.calls("Task", {"prompt": "Look for retries."}, "t9")
    script.result("found", "t9", toolUseResult={"agentId": "a1b2c3d"})
    (turn,) = turns(script, tmp_path)
    assert turn.agent_calls() == [AgentCall("t9", "a1b2c3d", None, None, "Look for retries.")]
