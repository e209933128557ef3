from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.render.clean import LONGEST_LINE, clean
from memtui.render.markdown.blocks import markdown_rows, pieces
from memtui.render.markdown.code import language_of
from memtui.render.markdown.tables import share
from memtui.render.marks import count, mark, match_position, pattern
from memtui.render.options import RenderOptions, ThinkingLevel, ToolsLevel
from memtui.render.rows import Row, row, wrap
from memtui.render.tools.diff import changes_between, from_patch
from memtui.render.turns.copying import copied, turn_text
from memtui.render.turns.parts import parts
from memtui_core.model import Block, BlockKind, Turn, TurnKind

START = datetime(2026, 2, 13, 14, 2, 11, tzinfo=UTC)


def block(seq: int, kind: BlockKind, text: str, tool: str | None = None, **more: Any) -> Block:
    return Block(seq, seq, kind, text, tool, **more)


def turn(blocks: Sequence[Block], kind: TurnKind = "human", user: str = "Go on.", **more: Any) -> Turn:
    values: dict[str, Any] = {
        "id": 1,
        "session": 1,
        "number": 5,
        "line": 0,
        "end_line": len(blocks),
        "kind": kind,
        "segment": 0,
        "user_text": user,
        "tool_summary": tuple(b.tool or "" for b in blocks if b.kind == "tool_call"),
        "started_at": START,
        # The last entry is a recap, an hour later.
        "ended_at": START + timedelta(hours=1),
        "active": timedelta(seconds=48),
        "output_tokens": 3100,
        "errors": sum(b.is_error for b in blocks),
        "blocks": tuple(blocks),
    }
    return Turn(**(values | more))


def drawn(
    turn: Turn,
    tools: ToolsLevel = "summary",
    thinking: ThinkingLevel = "line",
    flipped: Sequence[int] = (),
    width: int = 72,
    root: str = "/home/ann/shop",
) -> list[str]:
    options = RenderOptions("claude", 1, root, tools, thinking)
    made = parts(turn, turn.blocks, options, flipped, last=True)
    return [line.text.rstrip() for part in made for line in wrap(part.rows(width), width, part.indent)]


def called(name: str, result: str | None = "ok", *, error: bool = False, detail: object = None, **args: Any) -> Turn:
    blocks = [block(0, "user", "Go on."), block(1, "tool_call", json.dumps(args), name, tool_id="a")]
    if result is not None:
        packed = json.dumps(detail) if detail else None
        blocks.append(block(2, "tool_result", result, name, tool_id="a", is_error=error, detail=packed))
    return turn(blocks)


def under_head(turn: Turn, tools: ToolsLevel = "short", **more: Any) -> list[str]:
    """What is drawn from the line of the first call on."""
    lines = drawn(turn, tools, **more)
    return lines[next(i for i, line in enumerate(lines) if line.lstrip()[:1] in {"▸", "▾", "✗"}) :]


def texts(rows: Sequence[Row], width: int = 40) -> list[str]:
    return [line.text.rstrip() for line in wrap(rows, width)]


# rows


def test_words_wrap_and_blanks_at_the_break_are_gone() -> None:
    assert texts([row("one two three four")], 9) == ["one two", "three", "four"]


def test_a_word_that_is_too_long_is_broken() -> None:
    assert texts([row("abcdefghijklm no")], 10) == ["abcdefghij", "klm no"]


def test_ideographs_take_two_cells_and_break_anywhere() -> None:
    assert texts([row("漢字漢字漢字 abc")], 9) == ["漢字漢字", "漢字 abc"]


def test_a_family_is_never_torn_apart() -> None:
    family = "👨‍👩‍👧"
    assert texts([row(family * 5)], 8) == [family * 4, family]


def test_a_row_that_does_not_wrap_says_that_it_was_cut() -> None:
    assert texts([Row((("0123456789", ""),), wrap="none")], 8) == ["0123456…"]


def test_continued_lines_stand_behind_the_rest_prefix() -> None:
    bullet = Row((("one two three", ""),), first=(("• ", "bullet"),), rest=(("  ", ""),))
    assert [line.text for line in wrap([bullet], 10, 1)] == [" • one two", "   three"]


@given(st.text(), st.integers(8, 60), st.one_of(st.none(), st.integers(0, 70)))
def test_wrapped_lines_fit_and_lose_only_blanks(text: str, width: int, hang: int | None) -> None:
    shown = clean(text).replace("\n", " ")
    lines = wrap([Row(((shown, ""),), hang=hang)], width)
    assert all(cell_len(line.text) <= width for line in lines)
    assert "".join(line.text[line.lead :] for line in lines).replace(" ", "") == shown.replace(" ", "")
    assert all(shown[line.start :].startswith(line.text[line.lead :]) for line in lines)
    assert all(not line.text[: line.lead].strip() for line in lines)


@given(st.text("ab.-/ 漢字"), st.integers(8, 30))
def test_a_word_is_broken_only_if_it_is_longer_than_a_line(text: str, width: int) -> None:
    lines = wrap([Row(((text, ""),), hang=0)], width)
    for line, following in pairwise(lines):
        before, after = text[: line.start + len(line.text)], text[following.start :]
        if len(before) + len(after) < len(text) or before.endswith(" "):
            continue  # It ends at a blank.
        left, right = re.search(r"[^ ]*$", before), re.match(r"[^ ]*", after)
        assert left is not None
        assert right is not None
        ideographs = cell_len(left[0][-1] + right[0][0]) > 2
        assert ideographs or cell_len(left[0] + right[0]) > width


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("- one two three", 9, ["- one two", "  three"]),
        ("  10. one two three", 13, ["  10. one two", "      three"]),
        ("> - [x] done and gone", 16, ["> - [x] done and", "        gone"]),
        ("    return first or second", 18, ["    return first", "    or second"]),
        ("# what it is for", 10, ["# what it", "  is for"]),
        ("see src/memtui/render/rows.py", 16, ["see", "src/memtui/", "render/rows.py"]),
        ("a_very_long_identifier", 12, ["a_very_long_", "identifier"]),
        ("https://e.org/aaaaaaaaaaaaaaaaaa", 20, ["https://e.org/", "aaaaaaaaaaaaaaaaaa"]),
        ("漢字、漢字。 abc", 9, ["漢字、漢", "字。 abc"]),
        ("漢字漢字。漢字", 8, ["漢字漢", "字。漢字"]),
        ("- 漢字漢字漢字", 8, ["- 漢字漢", "  字漢字"]),
        ("one  two  three", 9, ["one  two", "three"]),
    ],
)
def test_wrapped_lines_hang_and_words_stay_whole(text: str, width: int, lines: list[str]) -> None:
    assert texts([row(text)], width) == lines


def test_what_is_found_and_copied_is_the_text_before_it_was_wrapped() -> None:
    text = "    - a  list   item that is  long"
    lines = wrap([row(text)], 14)
    assert [line.text.rstrip() for line in lines] == ["    - a  list", "      item", "      that is", "      long"]
    assert copied([(line, 0, len(line.text)) for line in lines], 0) == text
    assert match_position([row(text)], pattern(["item that"]) or re.compile(""), 0) == (0, 16)


# clean


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07", "red link"),
        ("10 %\r20 %\r100 %\nnext\r\n", "100 %\nnext\n"),
        ("a\tb", "a   b"),
        ("bell\x07 nul\x00", "bell␇ nul␀"),
        ("ab\bc", "ac"),
        ("left\u202eright\u2028x", "leftright x"),
        ("half \ud83d!", "half \ufffd!"),
        ("漢字 ok", "漢字 ok"),
    ],
)
def test_control_characters_cannot_break_the_screen(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@given(st.text(st.characters(codec=None)))
def test_cleaned_text_has_newlines_only_and_can_be_written(text: str) -> None:
    cleaned = clean(text)
    assert not any((ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 for c in cleaned)
    cleaned.encode()


def test_an_endless_line_is_cut_and_says_how_much_is_missing() -> None:
    lines = drawn(turn([block(0, "user", "x" * 2_000_000)], output_tokens=0), width=120)
    assert lines[-1].endswith("x … 1,996,000 more characters")
    assert len(lines) < 2 + LONGEST_LINE // 80


# markdown


def test_markdown_blocks() -> None:
    source = (
        "# Title\n\nSome *em* and `code`,\nnext [line](https://x.org).\n\n- a\n  - b\n- c\n\n3. x\n4. y\n\n"
        "> quoted\n\n```py\nx = 1\n\ny\n```\n\n| a | bb |\n|---|--:|\n| 1 | 漢 |\n"
    )
    assert texts(markdown_rows(source, 40)) == [
        "Title",
        "",
        "Some em and code,",
        "next line (https://x.org).",
        "",
        "• a",
        "  • b",
        "• c",
        "",
        "3. x",
        "4. y",
        "",
        "▎ quoted",
        "",
        "│ x = 1",
        "│",
        "│ y",
        "",
        "a  bb",
        "─  ──",
        "1  漢",
    ]


def test_tags_in_markdown_are_text() -> None:
    assert texts(markdown_rows("<b>no</b> & <thing>\n\n<div>", 40)) == ["<b>no</b> & <thing>", "", "<div>"]


def test_a_long_text_is_laid_out_in_pieces_that_leave_code_whole() -> None:
    code = "```\n" + "\n\n".join(["line"] * 2000) + "\n```"
    source = "\n\n".join(["para " * 50] * 20) + "\n\n" + code
    cut = pieces(source)
    assert "\n".join(cut) == source
    assert len(cut) > 2
    assert sum("```" in piece for piece in cut) == 1


def test_the_widest_columns_give_way_first() -> None:
    assert share([4, 40, 10], 30) == [4, 16, 10]
    assert sum(share([50, 50], 21)) == 21
    assert share([3, 3], 80) == [3, 3]


# marks


def test_words_are_found_at_the_start_of_words_and_of_parts_of_identifiers() -> None:
    search = pattern(["retry", "slow net"])
    assert search is not None
    text = "Retry doRetry pre_retry retrying entry-retry aretry slow\n  network"
    assert [match[0] for match in search.finditer(text)] == [
        "Retry",
        "Retry",
        "retry",
        "retry",
        "retry",
        "slow\n  net",
    ]


def test_ideographs_are_found_anywhere() -> None:
    search = pattern(["字"])
    assert search is not None
    assert count([row("漢字漢字")], search) == 2


def test_hostile_words_are_text() -> None:
    for word in ("C++", "*", "(", "[a", "\\", '"', "it's"):
        search = pattern([word])
        assert search is not None
        assert search.search(f"x {word} y")
    assert pattern(["", "  "]) is None


def test_matches_are_marked_across_styles() -> None:
    search = pattern(["retrying"])
    assert search is not None
    spans = mark([Row((("now ", ""), ("retry", "strong"), ("ing", "")))], search, 0)[0].spans
    assert spans == (("now ", ""), ("retry", "strong match current"), ("ing", "match current"))


# diff


def test_a_patch_has_the_numbers_of_the_file() -> None:
    patch = [{"oldStart": 4, "newStart": 4, "lines": [" a", "-b", "+c", "+d", " e", "\\ No newline at end of file"]}]
    assert [(c.number, c.sign, c.text) for c in from_patch(patch)] == [
        (4, " ", "a"),
        (5, "-", "b"),
        (5, "+", "c"),
        (6, "+", "d"),
        (7, " ", "e"),
    ]


@pytest.mark.parametrize("odd", [None, 3, "x", [1], [{"lines": 2}], [{"lines": [None], "oldStart": "x"}]])
def test_an_odd_patch_is_no_patch(odd: Any) -> None:
    assert from_patch(odd) == []


def test_the_difference_of_two_texts_has_no_numbers() -> None:
    assert [(c.sign, c.text, c.number) for c in changes_between("a\nb", "a\nc")] == [
        (" ", "a", None),
        ("-", "b", None),
        ("+", "c", None),
    ]


# tools


@pytest.mark.spec("S5.3")
@pytest.mark.parametrize("number", ["{:6d}→", "{}\t"])
def test_a_read_is_code_with_its_line_numbers(number: str) -> None:
    lines = ["", "x = 10", "\tx = 11", ""]
    result = "\n".join(number.format(n) + line for n, line in enumerate(lines, 9))
    assert under_head(called("Read", f"{result}\n\n7 more\n", file_path="/home/ann/shop/src/a.py")) == [
        "    ▾ Read  src/a.py · lines 9–12",
        "       9",
        "      10 x = 10",
        "      11     x = 11",
        "      12",
        "",
        "         7 more",
    ]


def test_a_read_of_nothing_has_no_lines() -> None:
    assert under_head(called("Read", "\n", file_path="a.py"))[1:] == []


@pytest.mark.spec("S5.3")
def test_an_edit_is_a_diff_with_line_numbers() -> None:
    patch = [{"oldStart": 41, "newStart": 41, "lines": ["-for _ in range(3):", "+for wait in backoff(5):", " post()"]}]
    edit = called(
        "Edit", detail={"patch": patch}, file_path="/home/ann/shop/src/upload.py", old_string="", new_string=""
    )
    assert under_head(edit) == [
        "    ▾ Edit  src/upload.py  +1 −1",
        "      41 − for _ in range(3):",
        "      41 + for wait in backoff(5):",
        "      42   post()",
    ]


def test_several_edits_without_a_patch_are_compared() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "", "new_string": "c"}]
    assert under_head(called("MultiEdit", file_path="x.py", edits=edits)) == [
        "    ▾ MultiEdit  x.py  +2 −1",
        "      − a",
        "      + b",
        "      ⋯",
        "      + c",
    ]


def test_a_written_file_is_all_additions() -> None:
    assert under_head(called("Write", file_path="x.py", content="a\nb\n")) == [
        "    ▾ Write  x.py  +2",
        "      1 + a",
        "      2 + b",
    ]


def test_a_failed_edit_says_why() -> None:
    failed = called(
        "Edit", "String to replace not found.", error=True, file_path="x.py", old_string="a", new_string="b"
    )
    assert under_head(failed) == [
        f"    {'✗ Edit  x.py':<63}error",
        "      − a",
        "      + b",
        "      String to replace not found.",
    ]


@pytest.mark.spec("S5.3")
def test_a_command_shows_the_beginning_and_the_end_of_its_output() -> None:
    output = "Exit code 1\n" + "\n".join(f"line {n}" for n in range(1, 1500))
    shown = [
        "      $ pytest -q",
        "        echo done",
        "      line 1",
        "      line 2",
        "      line 3",
        "      line 4",
        "      … 1,491 lines",
        "      line 1496",
        "      line 1497",
        "      line 1498",
        "      line 1499",
    ]
    assert under_head(called("Bash", output, command="pytest -q\necho done"))[1:] == shown
    # Of a failed command the end alone, with all of the command.
    long_command = "\n".join(f"step {n}" for n in range(5))
    failed = under_head(called("Bash", output, error=True, command=long_command))
    assert failed == [
        f"    {'✗ Bash  step 0 …':<62}exit 1",
        "      $ step 0",
        *(f"        step {n}" for n in range(1, 5)),
        "      … 1,491 lines",
        *(f"      line {n}" for n in range(1492, 1500)),
    ]


def test_full_shows_all_of_an_output() -> None:
    output = "\n".join(f"line {n}" for n in range(300))
    assert len(under_head(called("Bash", output, command="x"), "full")) == 301


def test_unknown_tools_show_their_input_as_keys_and_values() -> None:
    tool = called("mcp__hub__open", "{}", title="Up", labels=["bug", {"a": 1}], body="two\nlines", draft=False, n=None)
    assert under_head(tool, "full") == [
        "    ▾ hub: open  Up",
        "      title: Up",
        "      labels:",
        "        - bug",
        "        - a: 1",
        "      body:",
        "        two",
        "        lines",
        "      draft: false",
        "      n: null",
        "      {}",
    ]


def test_todos_tasks_and_pages() -> None:
    todos = [{"content": "Find", "status": "completed"}, {"content": "Fix", "status": "in_progress"}]
    assert under_head(called("TodoWrite", todos=todos)) == [
        "    ▾ TodoWrite  ☑ Find, ◐ Fix · 1/2 done",
        "      ☑ Find",
        "      ◐ Fix",
    ]
    assert under_head(called("Task", "**Two**.", description="Find", prompt="Look *now*.")) == [
        "    ▾ Task  Find",
        "      Look now.",
        "      ◌ Two.",
    ]
    assert under_head(called("WebFetch", "Wait **long**.", url="https://x.org", prompt="How long?")) == [
        "    ▾ WebFetch  https://x.org",
        "      How long?",
        "      Wait long.",
    ]
    assert under_head(called("Grep", "a.py:1\nb.py:2", pattern="retry", path="/home/ann/shop/src")) == [
        "    ▾ Grep  retry in src · 2 lines",
        "      a.py:1",
        "      b.py:2",
    ]


def test_other_agents_tools_are_known() -> None:
    assert under_head(called("shell", "hi", command=["bash", "-lc", "echo hi"])) == [
        "    ▾ shell  echo hi",
        "      hi",
    ]
    assert under_head(called("Bash", "ok", command="cd '/home/a b' && make test"))[0] == "    ▾ Bash  make test"
    assert under_head(called("Bash", "ok", command="cd src"))[0] == "    ▾ Bash  cd src"
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"
    assert under_head(called("apply_patch", patchText=patch))[0] == "    ▾ apply_patch  a.py  +1 −1"
    two = patch.replace("*** End", "*** Add File: b.py\n+z\n*** End")
    assert under_head(called("apply_patch", patchText=two))[0] == "    ▾ apply_patch  a.py and 1 more  +2 −1"
    assert under_head(called("TaskCreate", "Task #1 created", subject="Fix it", description="x " * 50))[0] == (
        "    ▾ TaskCreate  ☐ #1 Fix it"
    )
    assert under_head(called("edit", filePath="a.py", oldString="x", newString="y"))[0] == "    ▾ edit  a.py  +1 −1"


@pytest.mark.parametrize("bad", ["[]", "not json", '{"command": 5, "file_path": ["x"]}', '"text"', "", "null"])
@pytest.mark.parametrize(
    "tool", ["Bash", "Read", "Edit", "Write", "TodoWrite", "Task", "Grep", "apply_patch", "Odd", None]
)
@pytest.mark.parametrize("level", ["summary", "short", "full"])
def test_no_input_breaks_a_tool(tool: str | None, bad: str, level: ToolsLevel) -> None:
    blocks = [
        block(0, "tool_call", bad, tool, tool_id="a"),
        block(1, "tool_result", "", tool, tool_id="a", detail="{nope"),
    ]
    assert drawn(turn(blocks), level)


@pytest.mark.spec("S5.3")
def test_calls_keep_their_results_when_they_are_answered_in_another_order() -> None:
    blocks = [
        block(0, "tool_call", '{"command": "one"}', "Bash", tool_id="a"),
        block(1, "tool_call", '{"command": "two"}', "Bash", tool_id="b"),
        block(2, "tool_result", "second", "Bash", tool_id="b"),
        block(3, "tool_result", "first", "Bash", tool_id="a"),
    ]
    assert under_head(turn(blocks)) == [
        "    ▾ Bash  one",
        "      first",
        "",
        "    ▾ Bash  two",
        "      second",
    ]


def test_a_call_without_result_and_a_result_without_call_are_told() -> None:
    blocks = [block(0, "tool_call", '{"command": "sleep 9"}', "Bash", tool_id="a"), block(1, "tool_result", "x")]
    assert under_head(turn(blocks)) == [
        f"    {'▾ Bash  sleep 9':<59}no result",
        "",
        f"    {'▾ tool':<42}call not in the transcript",
        "      x",
    ]


# turns


def _many_calls(failed: int) -> Turn:
    blocks = [block(0, "user", "Go on.")]
    for n in range(10):
        blocks.append(block(1 + 2 * n, "tool_call", json.dumps({"file_path": f"{n}.py"}), "Read", tool_id=str(n)))
        blocks.append(block(2 + 2 * n, "tool_result", "x", "Read", tool_id=str(n), is_error=n == failed))
    return turn(blocks)


def test_a_run_of_looks_is_one_line_and_a_failed_one_ends_it() -> None:
    assert under_head(_many_calls(9), "summary", width=60) == [
        "    ▸ Read 9 files  0.py, 1.py, 2.py, 3.py, 4.py, 5.py, …",
        f"    {'✗ Read  9.py':<51}error",
        "      x",
    ]


def test_a_turn_has_two_heads_and_its_blocks_in_file_order() -> None:
    blocks = [
        block(0, "user", "The upload fails.\nCan we retry?"),
        block(1, "thinking", "One.\nTwo.\n"),
        block(2, "text", "I'll **retry**."),
        block(3, "tool_call", '{"file_path": "a.py"}', "Read", tool_id="a"),
        block(4, "tool_result", "x\ny", "Read", tool_id="a"),
        block(5, "note", "/compact", "command"),
        block(6, "note", "[Request interrupted by user for tool use]", "interrupt"),
        block(7, "note", "! ls -la", "shell"),
        block(8, "note", "be quiet", "reminder"),
        block(9, "image", "[image/png 12 kB]"),
        block(10, "text", "Done."),
    ]
    assert drawn(turn(blocks)) == [
        "5 ● you  14:02",
        "    The upload fails.",
        "    Can we retry?",
        "",
        "  ○ claude  14:02 · 48 s · 1 tool · 3.1k tok",
        "    ▸ thinking (2 lines)",
        "    I'll retry.",
        "    ▸ Read  a.py · 2 lines",
        "    ⌁ /compact",
        "    ⎋ interrupted for tool use",
        "    ! ls -la",
        "    [image/png 12 kB]",
        "",
        "    Done.",
    ]
    assert "    · reminder: be quiet" in drawn(turn(blocks), "short")


def test_thinking_can_be_hidden_or_shown_in_full() -> None:
    blocks = [block(0, "thinking", "One.\nTwo.\n"), block(1, "text", "Yes.")]
    assert drawn(turn(blocks, user=""), thinking="hidden")[2:] == ["  ○ claude  14:02 · 48 s · 3.1k tok", "    Yes."]
    assert drawn(turn(blocks, user=""), thinking="full")[3:] == [
        "    ▾ thinking (2 lines)",
        "      One.",
        "      Two.",
        "",
        "    Yes.",
    ]
    assert drawn(turn(blocks, user=""), thinking="hidden", flipped=[0])[3] == "    ▾ thinking (2 lines)"


def test_a_compaction_is_a_rule_over_the_whole_width_with_a_folded_summary() -> None:
    text = "\n\n".join(f"{n}. Point" for n in range(1, 40))
    lines = drawn(turn([block(0, "user", text)], "compaction", output_tokens=0), width=40)
    assert lines[0] == "5 ⧉ compacted 14:02 · summary ──────────"
    assert len(lines) == 14
    assert lines[-1] == "    ▸ … 65 lines"
    assert drawn(turn([block(0, "user", text)], "compaction", output_tokens=0), "full")[-1] == "    39. Point"


def test_commands_prompts_of_agents_and_openings() -> None:
    said = [block(0, "user", "/review --deep")]
    assert drawn(turn(said, "command"))[:2] == ["5 ● you  14:02", "    ❯ /review --deep"]
    prompt = [block(0, "user", "Find *all*.")]
    assert drawn(turn(prompt, "agent"))[:2] == ["5 ◌ prompt by the parent agent  14:02", "    Find all."]
    assert drawn(turn([block(0, "text", "Hi.")], "opening", user=""))[0] == "5 ○ claude  14:02 · 48 s · 3.1k tok"


def test_a_long_prompt_is_laid_out_in_parts_and_looks_like_one() -> None:
    """A diff that lasts from one part to the next, after blank lines at the end of a part."""
    said = [
        "Apply",
        *[""] * 9000,
        "- this:",
        "@@ -0,0 +1,900 @@",
        *(f"+- line {n} of a list" for n in range(900)),
        "now",
    ]
    made = turn([block(0, "user", "\n".join(["", *said, ""]))])
    shown = parts(made, made.blocks, RenderOptions(), last=True)[1:]
    rows = [row for part in shown for row in part.rows(72)]
    assert len(shown) == 4
    assert [row.text for row in rows] == said
    assert [row.spans[0][1] for row in rows[9001:]] == [
        "prompted",
        "prompted muted",
        *["prompted added"] * 900,
        "prompted",
    ]


def test_a_head_says_how_far_the_turn_has_come() -> None:
    call, stop = (
        block(1, "tool_call", "{}", "Bash", tool_id="a"),
        block(2, "note", "[Request interrupted]", "interrupt"),
    )
    asked = block(0, "user", "Go on.")
    of_agent = " · 48 s · 1 tool · 3.1k tok"
    for blocks, you, agent in (
        ([asked, call, stop], "", f"{of_agent} · interrupted"),
        ([asked, stop], " · interrupted", None),
        ([asked], " · unanswered", None),
        ([asked, call], "", of_agent),
    ):
        heads = [line for line in drawn(turn(blocks, provisional=True)) if "14:02" in line]
        expected = [f"5 ● you  14:02{you}", *([f"  ○ claude  14:02{agent}"] if agent is not None else [])]
        assert heads == expected


@pytest.mark.parametrize("active", [None, timedelta()])
def test_a_head_tells_no_time_that_is_not_known(active: timedelta | None) -> None:
    assert drawn(turn([block(0, "text", "Hi.")], "opening", user="", active=active))[0] == (
        "5 ○ claude  14:02 · 3.1k tok"
    )


def test_without_blocks_the_head_and_the_prompt_show() -> None:
    head = turn([], user="Why?", output_tokens=10)
    made = parts(head, None, RenderOptions("claude", 3), last=True)
    assert [line.text for part in made for line in wrap(part.rows(60), 60, part.indent)] == [
        "  5 ● you  14:02",
        "      Why?",
        "",
        "    ○ claude  14:02 · 48 s · 10 tok",
        "      …",
    ]


def test_a_new_day_is_named() -> None:
    made = parts(turn([block(0, "user", "Hi")]), (), RenderOptions(), new_day=True)
    assert made[0].rows(60)[0].text == "5 ● you  13 Feb 2026 14:02"


def test_what_was_wrapped_is_copied_as_one_line() -> None:
    lines = wrap([row("one two three four"), Row((("x = 1", ""),), first=(("12 ", "gutter"),))], 12, 4)
    assert [line.text for line in lines] == ["    one two", "    three", "    four", "    12 x = 1"]
    pieces_of = [(line, 0, len(line.text)) for line in lines]
    assert copied(pieces_of, 4) == "one two three four\nx = 1"
    assert copied([(lines[0], 8, 11), *pieces_of[1:2]], 4) == "two three"


def test_a_copied_turn_is_what_was_said_and_done() -> None:
    done = called("Bash", "hi", command="echo hi")
    said = turn([*done.blocks, block(3, "text", "**Done.**")])
    assert turn_text(said, said.blocks, RenderOptions()) == "Go on.\n\n▸ Bash  echo hi\n\n**Done.**"


def test_languages_go_by_the_name_of_the_file() -> None:
    assert [language_of(p) for p in ("a/b.py", "C:\\x\\y.rs", "Makefile", "x.unknown", "")] == [
        "python",
        "rust",
        "make",
        "",
        "",
    ]


# diffs in the output of commands and in fences

PRINTED = (
    "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n same\n-    old value\n+    new value\n- item"
)


def styles_of(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """The text of each row with the style of its beginning."""
    return [(row.text, row.spans[0][1] if row.spans else "") for row in rows]


def test_a_diff_that_a_command_printed_is_coloured() -> None:
    shown = called("Bash", PRINTED, command="git show")
    options = RenderOptions("claude", 1, "", "full")
    rows = [row for part in parts(shown, shown.blocks, options, last=True) for row in part.rows(72)]
    assert styles_of(rows)[-8:] == [
        ("diff --git a/a.py b/a.py", "output strong"),
        ("--- a/a.py", "output strong"),
        ("+++ b/a.py", "output strong"),
        ("@@ -1,2 +1,2 @@", "output muted"),
        (" same", "output"),
        ("-    old value", "output removed"),
        ("+    new value", "output added"),
        ("- item", "output"),
    ]
    assert texts(rows[-3:], 12) == ["  -    old", "       value", "  +    new", "       value", "  - item"]


def test_a_diff_in_a_fence_is_coloured() -> None:
    rows = markdown_rows(f"```\n{PRINTED}\n```\n\n```diff\n-a\n+b\n c\n```\n\n```\n-a\n+b\n```", 40)
    assert styles_of(rows)[4:8] == [
        (" same", ""),
        ("-    old value", "removed"),
        ("+    new value", "added"),
        ("- item", ""),
    ]
    assert styles_of(rows)[9:12] == [("-a", "removed"), ("+b", "added"), (" c", "")]
    assert styles_of(rows)[13:] == [("-a", ""), ("+b", "")]


def test_a_diff_without_a_fence_is_a_diff_and_no_markdown() -> None:
    rows = markdown_rows(f"- **apply**\n{PRINTED} of it\n\n- *then* test", 40)
    assert [(row.first, row.text) for row in rows] == [
        ((("• ", "bullet"),), "apply"),
        ((), ""),
        *(((("│ ", "bar"),), line) for line in f"{PRINTED} of it".split("\n")),
        ((), ""),
        ((("• ", "bullet"),), "then test"),
    ]
    assert [row.spans[0][1] for row in rows[2:10]] == [*["strong"] * 3, "muted", "", "removed", "added", "removed"]
    quoted = markdown_rows("```\n@@ -1 +1 @@\n```\nsee\n--- a\n+++ b\n- one", 40)
    assert [row.text for row in quoted] == ["@@ -1 +1 @@", "", "see", "--- a", "+++ b", "", "one"]


def test_a_diff_is_in_one_piece_however_long_it_is() -> None:
    words, diff = "Some words.\n" * 200, "@@ -1,900 +1,900 @@\n" + "-a\n\n+b\n" * 300
    assert pieces(f"{words}\n{diff}\n{words}\n# End") == [words, diff, words, "# End"]
