from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.errors import SourceUnreadable
from memtui_core.model import Block
from memtui_core.readers.agents.claude_code.transcript import is_noise
from memtui_core.readers.base import Reading
from memtui_core.readers.conversion.user_text import UserText, classify, command_line
from memtui_core.readers.formats.jsonl import decode
from memtui_core.readers.records import BadLine, BoundaryRecord, Message, PrRecord, TitleRank, TitleRecord
from support.transcripts import START, Script, opened, parse

PR = {
    "type": "pr-link",
    "sessionId": "s",
    "prNumber": 14,
    "prUrl": "https://github.com/acme/shop/pull/14",
    "prRepository": "acme/shop",
    "timestamp": "2026-11-01T09:00:00Z",
}


def messages(script: Script, tmp_path: Path) -> list[Message]:
    return parse(script.write(tmp_path)).messages


@pytest.mark.spec("S0.1")
def test_tool_use_with_no_fields_parses_without_summary(tmp_path: Path) -> None:
    script = Script()
    script.assistant([{"type": "tool_use"}])
    (message,) = messages(script, tmp_path)
    assert (message.tool_summary, [block.kind for block in message.blocks]) == ([], ["tool_call"])


@pytest.mark.spec("S0.14")
def test_only_assistant_messages_have_a_summary(tmp_path: Path) -> None:
    script = Script()
    script.user(
        [{"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "a"}}, {"type": "text", "text": "hi"}]
    )
    script.result("ok")
    script.assistant("plain text")
    assert [message.tool_summary for message in messages(script, tmp_path)] == [[], [], []]


@pytest.mark.spec("S0.15")
def test_a_message_has_an_empty_summary_by_default() -> None:
    assert Message(0, 0, "human", "user").tool_summary == []


@pytest.mark.spec("S0.13")
def test_tool_summary_keeps_order_and_duplicates(tmp_path: Path) -> None:
    script = Script()
    read = {"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": "a"}}
    script.assistant([read, {"type": "tool_use", "name": None}, {**read, "id": "2"}])
    assert messages(script, tmp_path)[0].tool_summary == ["Read a", "Read a"]


@pytest.mark.spec("S0.22")
def test_thinking_and_text_are_blocks_and_unknown_ones_are_left_out(tmp_path: Path) -> None:
    script = Script()
    script.assistant(
        [
            {"type": "thinking", "thinking": "A"},
            {"type": "text", "text": "B"},
            {"type": "server_tool_use", "id": "x", "name": "web_search", "input": {"query": "q"}},
            {"type": "hologram", "data": 1},
        ]
    )
    (message,) = messages(script, tmp_path)
    assert message.text == ""
    assert [(block.kind, block.text) for block in message.blocks] == [
        ("thinking", "A"),
        ("text", "B"),
        ("tool_call", '{"query":"q"}'),
    ]


@pytest.mark.spec("S2.2")
def test_a_pr_link_line_is_no_message(tmp_path: Path) -> None:
    script = Script()
    script.raw(PR)
    result = parse(script.write(tmp_path))
    at = datetime(2026, 11, 1, 9, tzinfo=UTC)
    assert result.messages == []
    assert result.pr_links == [PrRecord(0, 14, "https://github.com/acme/shop/pull/14", "acme/shop", at)]


@pytest.mark.spec("S2.3")
def test_lines_are_physical_and_count_from_zero(tmp_path: Path) -> None:
    script = Script()
    script.user("one")
    script.raw(PR)
    script.says("two")
    script.lines.append(b"")
    script.lines.append(b"{broken")
    script.user("three")
    result = parse(script.write(tmp_path))
    assert [message.line for message in result.messages] == [0, 2, 5]
    assert [link.line for link in result.pr_links] == [1]
    assert result.bad_lines == [BadLine(4, "not JSON")]


@pytest.mark.spec("S2.4")
@pytest.mark.parametrize("missing", ["sessionId", "prNumber", "prUrl", "prRepository", "timestamp"])
def test_an_incomplete_pr_link_is_ignored(missing: str, tmp_path: Path) -> None:
    script = Script()
    script.raw({key: value for key, value in PR.items() if key != missing})
    script.user("goes on")
    result = parse(script.write(tmp_path))
    assert (result.pr_links, result.bad_lines, len(result.messages)) == ([], [], 1)


@pytest.mark.spec("S2.4")
@pytest.mark.parametrize(("number", "expected"), [("14", [14]), (14, [14]), (0, []), (-3, []), ("x", []), (True, [])])
def test_pr_numbers(number: object, expected: list[int], tmp_path: Path) -> None:
    script = Script()
    script.raw({**PR, "prNumber": number})
    assert [link.number for link in parse(script.write(tmp_path)).pr_links] == expected


@pytest.mark.spec("S2.8")
@pytest.mark.parametrize("tail", [" that ran out of context.", " to save space"])
def test_both_variants_of_the_compaction_prefix(tail: str) -> None:
    text = f"This session is being continued from a previous conversation{tail}"
    assert classify(text).kind == "compaction"


@pytest.mark.spec("S2.9")
def test_only_user_text_that_starts_with_the_prefix(tmp_path: Path) -> None:
    prefix = "This session is being continued from a previous conversation that ran out of context."
    script = Script()
    script.user(prefix)
    script.says(prefix)
    script.user(f"Look: {prefix}")
    script.user(f" {prefix}")
    script.user([{"type": "text", "text": prefix}, {"type": "text", "text": "more"}])
    script.user("A summary in other words", isCompactSummary=True)
    flags = [message.kind == "compaction" for message in messages(script, tmp_path)]
    assert flags == [True, False, False, False, True, True]


def test_a_compaction_boundary_tells_its_trigger_and_tokens(tmp_path: Path) -> None:
    script = Script()
    script.compacts("Summary: we did things.", tokens=155_000)
    (boundary,) = parse(script.write(tmp_path)).boundaries
    assert boundary == BoundaryRecord(0, datetime(2026, 11, 1, 9, tzinfo=UTC), "auto", 155_000)


@pytest.mark.parametrize(
    ("text", "kind", "label", "said"),
    [
        ("<command-message>review is running…</command-message>\n<command-name>/review</command-name>"
         "\n<command-args>--deep src</command-args>", "command", "command", "/review --deep src"),
        ("<command-name>/clear</command-name>\n<command-args></command-args>", "command", "command", "/clear"),
        ("<local-command-stdout>\x1b[2mCompacted\x1b[22m</local-command-stdout>", "note", "command", "Compacted"),
        ("<local-command-caveat>Caveat: local</local-command-caveat>", "note", "meta", "Caveat: local"),
        ("<bash-input>git status</bash-input>", "note", "shell", "! git status"),
        ("<bash-stdout>clean</bash-stdout>", "note", "shell", "clean"),
        ("[Request interrupted by user for tool use]", "note", "interrupt",
         "[Request interrupted by user for tool use]"),
        ("<system-reminder>\nBe brief.\n</system-reminder>", "note", "reminder",
         "<system-reminder>\nBe brief.\n</system-reminder>"),
        ("<task-notification>\n<task-id>b1</task-id>\n</task-notification>", "note", "notification",
         "<task-notification>\n<task-id>b1</task-id>\n</task-notification>"),
        ('<teammate-message teammate_id="lead">\nTake the tests.\n</teammate-message>', "agent", "", "Take the tests."),
        ("Please fix <system-reminder>x</system-reminder> it", "human", "", "Please fix  it"),
        ("plain words", "human", "", "plain words"),
    ],
)  # fmt: skip
def test_what_stands_in_a_user_text(text: str, kind: str, label: str, said: str) -> None:
    part = classify(text)
    assert (part.kind, part.label, part.text) == (kind, label, said)


def test_a_command_without_a_name_is_its_message() -> None:
    assert command_line("<command-message>init</command-message>") == "init"


def test_meta_machine_and_sidechain_text_never_pose_as_human(tmp_path: Path) -> None:
    script = Script()
    script.user("typed", origin={"kind": "human"}, promptSource="typed")
    script.user("expanded skill", isMeta=True)
    script.user("<task-notification>done</task-notification>", origin={"kind": "task-notification"})
    script.user("from the system", promptSource="system")
    script.user("do the search", isSidechain=True)
    kinds = [(message.kind, message.text) for message in messages(script, tmp_path)]
    assert kinds == [("human", "typed"), ("note", ""), ("note", ""), ("note", ""), ("agent", "do the search")]


def test_a_message_of_a_sidechain_names_its_agent_and_its_place(tmp_path: Path) -> None:
    script = Script()
    script.user("go")
    script.says("Looked.", isSidechain=True, agentId="a1")
    identities = [(m.uuid, m.parent_uuid, m.sidechain, m.agent_id) for m in messages(script, tmp_path)]
    assert identities == [("e0", None, False, None), ("e1", "e0", True, "a1")]


def test_a_sidechain_and_an_unknown_entry_are_the_same_when_reading_continues(tmp_path: Path) -> None:
    script = Script()
    script.entry("hologram", text="seen from afar", sessionId=None)
    script.user("go")
    script.user("do the search", isSidechain=True)
    script.user("go on")
    script.says("Looked.", isSidechain=True)
    path = script.write(tmp_path)
    path.write_bytes(b'{"type":"mode","sessionId":"s"}\n' + path.read_bytes())
    reading = opened(path)
    whole = list(reading)
    found = [record for record in whole if isinstance(record, Message)]
    assert [(one.kind, bool(one.branch)) for one in found] == [
        ("note", False),
        ("human", False),
        ("agent", True),
        ("human", False),
        ("assistant", True),
    ]
    assert found[2].branch == found[4].branch
    for message in found:
        rest = list(opened(path, reading.cursor(message)))
        assert rest == [record for record in whole if record.line >= message.line]


def test_system_entries_that_tell_something_are_notes(tmp_path: Path) -> None:
    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
    script = Script()
    script.entry("system", subtype="away_summary", content="You fixed the upload.")
    script.entry("system", subtype="api_error", content=f"Refused: {secret}", isSidechain=True)
    script.entry("system", subtype="api_error", content={"status": 529}, retryAttempt=2, maxRetries=10)
    script.entry("system", subtype="informational", content="\x1b[1mSaved\x1b[0m")
    script.entry("system", subtype="local_command", content="<command-name>/cost</command-name>")
    script.entry("system", subtype="informational", content=" ")
    script.entry("system", subtype="turn_duration", content="12 s")
    found = messages(script, tmp_path)
    assert [(m.kind, m.role, m.text, m.uuid, m.sidechain) for m in found] == [
        ("note", "system", "", f"e{number}", number == 1) for number in range(5)
    ]
    assert [[(b.kind, b.text, b.tool, b.is_error, b.at) for b in m.blocks] for m in found] == [
        [("note", text, label, label == "error", START + timedelta(seconds=10 * number))]
        for number, (text, label) in enumerate(
            [
                ("You fixed the upload.", "recap"),
                ("Refused: [redacted:github-token]", "error"),
                ("API error, attempt 2 of 10", "error"),
                ("Saved", "meta"),
                ("/cost", "command"),
            ]
        )
    ]


def test_images_and_documents_have_a_placeholder(tmp_path: Path) -> None:
    script = Script()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 4000}}
    script.user([{"type": "text", "text": "see"}, image])
    script.result([{"type": "text", "text": "shot"}, image], error=True)
    first, second = messages(script, tmp_path)
    assert [(block.kind, block.text) for block in first.blocks] == [("user", "see"), ("image", "[image/png 3 kB]")]
    assert [(b.kind, b.text, b.is_error) for b in second.blocks] == [("tool_result", "shot\n[image/png 3 kB]", True)]


def test_a_tool_that_the_service_runs_has_its_result_in_the_same_message(tmp_path: Path) -> None:
    script = Script()
    call = {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {"query": "retry"}}
    result = {"type": "web_search_tool_result", "tool_use_id": "srv1", "content": [{"type": "text", "text": "found"}]}
    script.assistant([call, result])
    (message,) = messages(script, tmp_path)
    assert message.blocks == [
        Block(0, 0, "tool_call", '{"query":"retry"}', "web_search", "srv1", at=START),
        Block(0, 0, "tool_result", "found", None, "srv1", at=START),
    ]


def test_titles_in_order_of_trust(tmp_path: Path) -> None:
    script = Script()
    script.raw({"type": "summary", "summary": "Old", "leafUuid": "x"})
    script.raw({"type": "ai-title", "aiTitle": "Made", "sessionId": "s"})
    script.raw({"type": "custom-title", "customTitle": "Mine", "sessionId": "s"})
    script.raw({"type": "agent-name", "agentName": "", "sessionId": "s"})
    assert parse(script.write(tmp_path)).titles == [
        TitleRecord(0, TitleRank.SUMMARY, "Old", "x"),
        TitleRecord(1, TitleRank.AI, "Made"),
        TitleRecord(2, TitleRank.CUSTOM, "Mine"),
    ]


def test_a_prompt_typed_while_busy_is_told_once(tmp_path: Path) -> None:
    script = Script()
    script.raw(
        {
            "type": "queue-operation",
            "operation": "enqueue",
            "content": "check again",
            "timestamp": "2026-11-01T09:00:00Z",
        }
    )
    script.raw({"type": "queue-operation", "operation": "remove", "timestamp": "2026-11-01T09:01:00Z"})
    script.raw({"type": "queue-operation", "operation": "enqueue", "content": "and this"})
    script.raw({"type": "queue-operation", "operation": "dequeue"})
    script.user("and this")
    script.raw({"type": "queue-operation", "operation": "enqueue", "content": "taken back"})
    script.raw({"type": "queue-operation", "operation": "popAll"})
    script.raw({"type": "queue-operation", "operation": "remove"})
    assert [(m.kind, m.text, m.line) for m in messages(script, tmp_path)] == [
        ("human", "check again", 1),
        ("human", "and this", 4),
    ]


def test_a_queued_prompt_with_the_words_of_an_answer_is_kept(tmp_path: Path) -> None:
    script = Script()
    script.raw({"type": "queue-operation", "operation": "enqueue", "content": "continue"})
    script.says("continue")
    script.raw({"type": "queue-operation", "operation": "remove"})
    assert [(m.kind, m.text, m.line) for m in messages(script, tmp_path)] == [
        ("assistant", "", 1),
        ("human", "continue", 2),
    ]


def test_a_queued_command_attachment_is_a_prompt(tmp_path: Path) -> None:
    script = Script()
    queued = {"type": "queued_command", "prompt": "use main", "commandMode": "prompt", "origin": {"kind": "human"}}
    script.raw({"type": "queue-operation", "operation": "enqueue", "content": "use main"})
    script.entry("attachment", attachment={"type": "hook_success", "content": "x"})
    script.raw({"type": "queue-operation", "operation": "remove", "content": "use main"})
    script.entry("attachment", attachment=queued)
    script.entry("attachment", attachment={**queued, "origin": {"kind": "task-notification"}})
    assert [(m.kind, m.text, m.line) for m in messages(script, tmp_path)] == [("human", "use main", 3)]


def test_two_entries_on_one_line_are_both_read() -> None:
    assert decode(b'{"type":"a"}{"type":"b"}') == ([{"type": "a"}, {"type": "b"}], None)
    assert decode(b'{"type":"a"} trailing') == ([{"type": "a"}], "text after the entry is not JSON")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", ([], None)),
        (b"   ", ([], None)),
        (b"42", ([], "not a JSON object")),
        (b'"text"', ([], "not a JSON object")),
        (b"[1]", ([], "not a JSON object")),
        (b"\x00\x00", ([], "not JSON")),
        (b'{"a": "\\ud83d"}', ([{"a": "\ufffd"}], None)),
        (b'{"a": "\\ud83d\\ude00"}', ([{"a": "\U0001f600"}], None)),
        (b'{"a": "caf\xe9"}', ([{"a": "caf\ufffd"}], None)),
        (b'\xef\xbb\xbf{"a": 1}', ([{"a": 1}], None)),
        (b"[" * 100_000, ([], "not JSON")),
    ],
)
def test_decode_never_loses_more_than_the_line(raw: bytes, expected: object) -> None:
    assert decode(raw) == expected


def where(reading: Reading) -> tuple[int, int]:
    """The byte and the line at which reading goes on."""
    cursor = reading.cursor(None)
    return cursor.position, cursor.line


def test_a_half_last_line_waits(tmp_path: Path) -> None:
    script = Script()
    script.user("one")
    path = tmp_path / "s.jsonl"
    path.write_bytes(script.bytes() + b'{"type":"user","mess')
    reader = opened(path)
    assert [record.text for record in reader if isinstance(record, Message)] == ["one"]
    assert (reader.waiting, where(reader)) == (True, (len(script.bytes()), 1))


def test_a_whole_last_line_without_newline_is_read(tmp_path: Path) -> None:
    script = Script()
    script.user("one")
    path = tmp_path / "s.jsonl"
    path.write_bytes(script.bytes()[:-1])
    reader = opened(path)
    assert [record.text for record in reader if isinstance(record, Message)] == ["one"]
    assert (reader.waiting, where(reader)) == (False, (0, 0))


def test_progress_is_skipped_before_decoding_and_its_look_alike_is_not() -> None:
    progress = {"type": "progress", "data": {"type": "bash_progress", "output": "x"}, "parentToolUseID": "t"}
    assert is_noise(orjson.dumps(progress))
    quoted = {"type": "user", "message": {"content": '"type":"progress","data":{"type":"x"},"parentToolUseID":"t"'}}
    assert not is_noise(orjson.dumps(quoted))


def test_a_prompt_on_the_line_of_an_entry_that_is_skipped_is_read(tmp_path: Path) -> None:
    script = Script()
    script.user("one")
    snapshot = orjson.dumps({"type": "file-history-snapshot", "messageId": "m", "snapshot": {"files": "}{"}})
    assert is_noise(snapshot)
    path = tmp_path / "s.jsonl"
    path.write_bytes(snapshot + b"\n" + snapshot + script.bytes())
    records = [record for record in opened(path) if not isinstance(record, TitleRecord)]
    assert [(record.line, record.text) for record in records if isinstance(record, Message)] == [(1, "one")]
    assert len(records) == 1


def test_a_missing_file_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable, match="No such file"):
        list(opened(tmp_path / "none.jsonl"))


GOOD = orjson.dumps({"type": "user", "uuid": "z", "message": {"role": "user", "content": "still read"}})
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
KEYS = ("type", "message", "content", "uuid", "timestamp", "attachment", "toolUseResult", "origin", "subtype", "prompt")
TYPES = (
    "user",
    "assistant",
    "system",
    "attachment",
    "queue-operation",
    "pr-link",
    "summary",
    "tool_use",
    "tool_result",
)
entry_like = st.fixed_dictionaries({}, optional={key: json_values | st.sampled_from(TYPES) for key in KEYS})


@given(junk=st.lists(st.binary(max_size=60).map(lambda b: b.replace(b"\n", b" ")), max_size=5))
def test_any_bytes_cost_no_more_than_their_line(junk: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("junk") / "s.jsonl"
    path.write_bytes(b"\n".join([*junk, GOOD, b""]))
    assert "still read" in [message.text for message in parse(path).messages]


@given(entry=entry_like, kind=st.sampled_from(TYPES), content=json_values | st.lists(entry_like, max_size=3))
def test_any_json_entry_is_survived(
    entry: dict[str, object], kind: str, content: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("odd") / "s.jsonl"
    odd = {**entry, "type": kind, "message": {"role": kind, "content": content}}
    try:
        line = orjson.dumps(odd)
    except orjson.JSONEncodeError:
        line = b"{}"
    path.write_bytes(line + b"\n" + GOOD + b"\n")
    assert parse(path).messages[-1].text == "still read"


def test_the_output_of_a_command_has_no_escape_sequences() -> None:
    output = "<local-command-stdout>\x1b]0;title\x07\x1b[1mdone\x1b[0m in 3 s\x1b(B</local-command-stdout>"
    assert classify(output) == UserText("note", "done in 3 s", "command")
