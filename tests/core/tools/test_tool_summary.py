from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.tools.summary import cut, first_line, summarize
from memtui_core.tools.turn_text import is_bookkeeping, tools_line, turn_text

FAMILY = "👨‍👩‍👧‍👦"


def summaries(calls: list[dict[str, Any]]) -> list[str]:
    lines = (summarize(call.get("name"), call.get("input")) for call in calls)
    return [line for line in lines if line is not None]


@pytest.mark.spec("S0.0")
def test_the_summary_is_of_the_s0_form() -> None:
    assert summarize("Edit", {"file_path": "ci.yml"}) == "Edit ci.yml"
    assert summarize("Bash", {"command": "cargo test", "description": "Test"}) == "Bash: cargo test"


@pytest.mark.spec("S0.1")
def test_call_without_fields_gives_nothing() -> None:
    assert summaries([{"type": "tool_use"}]) == []


@pytest.mark.spec("S0.2")
@pytest.mark.parametrize(
    ("name", "path", "line"),
    [
        ("Read", "src/main.rs", "Read src/main.rs"),
        ("Edit", "ci.yml", "Edit ci.yml"),
        ("Write", "a b.md", "Write a b.md"),
        ("Read", "x" * 300, "Read " + "x" * 300),
    ],
)
def test_file_tools_show_the_whole_path(name: str, path: str, line: str) -> None:
    assert summarize(name, {"file_path": path}) == line


@pytest.mark.spec("S0.3")
@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("cargo test", "Bash: cargo test"),
        ("x" * 60, "Bash: " + "x" * 60),
        ("x" * 61, "Bash: " + "x" * 60),
    ],
)
def test_bash_first_line_cut_to_60(command: str, line: str) -> None:
    assert summarize("Bash", {"command": command}) == line


@pytest.mark.spec("S0.4")
@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("echo a\necho b", "Bash: echo a"),
        ("echo a\r\necho b", "Bash: echo a"),
        ("echo a\recho b", "Bash: echo a"),
        ("x" * 70 + "\n" + "y" * 70, "Bash: " + "x" * 60),
    ],
)
def test_first_line_then_cut(command: str, line: str) -> None:
    assert summarize("Bash", {"command": command}) == line


@pytest.mark.spec("S0.5")
@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("가" * 61, "Bash: " + "가" * 60),
        ("x" * 57 + FAMILY, "Bash: " + "x" * 57),
        ("x" * 53 + FAMILY + "y", "Bash: " + "x" * 53 + FAMILY),
        ("x" * 59 + "क्ष", "Bash: " + "x" * 59),
        ("x" * 59 + "e\u0301", "Bash: " + "x" * 59),
        ("x" * 59 + "🇩🇪", "Bash: " + "x" * 59),
        ("x" * 58 + "🇩🇪🇫🇷", "Bash: " + "x" * 58 + "🇩🇪"),
        ("x" * 59 + "👍🏽", "Bash: " + "x" * 59),
        ("x" * 59 + "\u1112\u1161\u11ab", "Bash: " + "x" * 59),
    ],
)
def test_no_cluster_is_cut_in_half(command: str, line: str) -> None:
    assert summarize("Bash", {"command": command}) == line


@pytest.mark.spec("S0.5")
@pytest.mark.parametrize(
    ("command", "line"), [("\nls", "Bash: ls"), (" \r\n\t\nls -l\n", "Bash: ls -l"), ("\n \n", "Bash")]
)
def test_first_line_that_is_not_blank(command: str, line: str) -> None:
    assert summarize("Bash", {"command": command}) == line


@pytest.mark.spec("S0.5")
def test_cluster_longer_than_the_cut_is_cut() -> None:
    assert cut("e" + "\u0301" * 80, 60) == "e" + "\u0301" * 59


@pytest.mark.spec("S0.6")
@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"pattern": "TODO", "path": "src/"}, "Grep TODO in src/"),
        ({"pattern": "TODO"}, "Grep TODO"),
        ({"path": "src/"}, "Grep"),
        ({"pattern": "", "path": "src/"}, "Grep"),
    ],
)
def test_grep(fields: dict[str, str], line: str) -> None:
    assert summarize("Grep", fields) == line


@pytest.mark.spec("S0.7")
def test_glob_shows_its_pattern_only() -> None:
    assert summarize("Glob", {"pattern": "**/*.rs", "path": "x"}) == "Glob **/*.rs"


@pytest.mark.spec("S0.8")
@pytest.mark.parametrize("name", ["Task", "Agent"])
def test_task_and_its_newer_name(name: str) -> None:
    assert summarize(name, {"description": "Check CI", "prompt": "…"}) == "Task: Check CI"
    assert summarize(name, {}) == name


@pytest.mark.spec("S0.9")
@pytest.mark.parametrize("name", ["WebFetch", "mcp__x__y", "MultiEdit", "NotebookEdit", "TodoWrite"])
def test_other_tools_by_name(name: str) -> None:
    assert summarize(name, {"url": "https://a.b", "file_path": "a", "notebook_path": "b"}) == name


@pytest.mark.spec("S0.10")
@pytest.mark.parametrize("name", [None, "", 5, ["Read"]])
def test_call_without_a_name_is_skipped(name: object) -> None:
    assert summarize(name, {"file_path": "a"}) is None
    assert summaries([{"input": {}}, {"name": "Read", "input": {"file_path": "a"}}]) == ["Read a"]


@pytest.mark.spec("S0.11")
@pytest.mark.parametrize("name", ["Read", "Bash", "Grep", "Glob", "Task"])
def test_call_without_input_is_its_name(name: str) -> None:
    assert summarize(name, None) == name


@pytest.mark.spec("S0.12")
@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("Read", {"offset": 3}),
        ("Bash", {"description": "x"}),
        ("Read", {"file_path": 5}),
        ("Read", {"file_path": ""}),
        ("Bash", {"command": ""}),
        ("Read", ["a"]),
        ("Read", "a"),
    ],
)
def test_missing_or_wrong_field_is_the_name(name: str, fields: object) -> None:
    assert summarize(name, fields) == name


@pytest.mark.spec("S0.13")
def test_order_and_duplicates_are_kept() -> None:
    read = {"name": "Read", "input": {"file_path": "a"}}
    edit = {"name": "Edit", "input": {"file_path": "b"}}
    assert summaries([read, edit, read]) == ["Read a", "Edit b", "Read a"]


@pytest.mark.spec("S0.16")
def test_turn_text() -> None:
    assert tools_line(["Edit a", "Bash: cargo test"]) == "\n\n[Tools] Edit a | Bash: cargo test"
    assert turn_text("q", "done", ["Edit a", "Bash: cargo test"], "next") == (
        "[User] q\n\n[Assistant] done\n\n[Tools] Edit a | Bash: cargo test\n\n[User] next"
    )


@pytest.mark.spec("S0.17")
def test_no_tools_no_line() -> None:
    assert tools_line([]) == ""
    assert turn_text("q", "done", [], None) == "[User] q\n\n[Assistant] done"
    assert turn_text("q", "done", [], "") == "[User] q\n\n[Assistant] done\n\n[User] "


@pytest.mark.spec("S0.18")
def test_assistant_that_only_calls_tools() -> None:
    assert turn_text("q", "", ["Read a"], None) == "[User] q\n\n[Tools] Read a"


@pytest.mark.spec("S0.21")
def test_bookkeeping_is_named_and_still_summarized() -> None:
    tools = ["TaskCreate", "TaskUpdate", "TodoWrite", "AskUserQuestion", "ExitPlanMode"]
    others = ["Read", "Edit", "Write", "Bash", "Grep", "Glob", "Task", "Agent", "Skill"]
    assert [tool for tool in (*tools, *others) if is_bookkeeping(tool)] == tools
    assert [summarize(name, {}) for name in tools] == tools


names = st.one_of(st.none(), st.integers(), st.text(), st.sampled_from(["Read", "Bash", "Grep", "Glob", "Task"]))
fields = st.dictionaries(
    st.sampled_from(["file_path", "command", "pattern", "path", "description"]),
    st.one_of(st.none(), st.integers(), st.text(), st.lists(st.text())),
)


@given(names, st.one_of(st.none(), st.text(), st.lists(st.integers()), fields))
def test_any_call_has_a_line_or_none(name: object, tool_input: object) -> None:
    line = summarize(name, tool_input)
    assert line is None if not isinstance(name, str) or not name else line is not None and line.startswith(name)


@given(st.text(), st.integers(1, 80))
def test_cut_is_a_prefix_within_the_length(text: str, length: int) -> None:
    kept = cut(text, length)
    assert text.startswith(kept)
    assert len(kept) <= length
    assert kept or not text


@given(st.text())
def test_first_line_is_one_line(text: str) -> None:
    line = first_line(text)
    assert "\n" not in line
    assert "\r" not in line
    assert bool(line.strip()) == bool(text.strip())
