"""The text of a hand-off: its sections, fences and limits."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memtui_core.memory.handoff.calls import deduplicate, handoff_calls
from memtui_core.memory.handoff.items import handoff_items, language_of
from memtui_core.memory.handoff.model import BEGIN, END, Handoff, HandoffItem, ItemBody, lead_section
from memtui_core.memory.handoff.start import prepend_to_messages
from memtui_core.memory.handoff.truncation import close_fence, truncated
from memtui_core.model import Block

SUMMARY = lead_section("Summary", "Made it work.")
REJECTED = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nask\nme"


def made(
    tool: str, result: str | None, *, error: bool = False, detail: str | None = None, **fields: Any
) -> HandoffItem:
    """The item of one call."""
    blocks = [Block(0, 0, "tool_call", orjson.dumps(fields).decode(), tool, "t1")]
    if result is not None:
        blocks.append(Block(1, 1, "tool_result", result, tool, "t1", error, detail=detail))
    [item] = handoff_items(handoff_calls([(1, blocks)]), "/home/ana/shop", 2000)
    return item


def listed(*calls: tuple[str, str, bool, dict[str, Any]]) -> list[str]:
    """The headings of some calls after one another."""
    blocks = []
    for number, (tool, result, error, fields) in enumerate(calls):
        blocks.append(Block(0, number, "tool_call", orjson.dumps(fields).decode(), tool, f"t{number}"))
        blocks.append(Block(1, number, "tool_result", result, tool, f"t{number}", error))
    return [item.heading for item in handoff_items(deduplicate(handoff_calls([(1, blocks)])), "", 2000)]


def whole(*entries: HandoffItem, limit: int = 10_000, lead: bool = True) -> Handoff:
    return Handoff("s1", 1, 1, "extract", (SUMMARY,) if lead else (), entries, limit)


def numbered(name: int, length: int = 10) -> HandoffItem:
    return HandoffItem(f"t{name}", "Commands Executed", f"run {name}", 1, name, (ItemBody("x" * length),))


@pytest.mark.spec("S1.12")
def test_without_tool_context_only_the_summary_is_left() -> None:
    assert whole().text() == f"{BEGIN}\n\n## Summary\nMade it work.\n\n{END}"


@pytest.mark.spec("S1.13")
@pytest.mark.parametrize(
    ("result", "shown"),
    [
        ("", "(empty)"),
        (" \n", "(empty)"),
        ("a\nb\n", "a\nb"),
        ("one\n[image/png 12 kB]\n[image]", "one\n[image]\n[image]"),
        ("\x1b[31mred\x1b[0m", "red"),
    ],
)
def test_forms_of_results(result: str, shown: str) -> None:
    assert made("Grep", result, pattern="x").text == f"### Grep x\n```\n{shown}\n```"


@pytest.mark.spec("S1.14")
def test_the_whole_text() -> None:
    read = made("Read", "     1→fn main() {}\n", file_path="/p/f.rs")
    ran = HandoffItem("t2", *_of(made("Bash", "ok", command="cargo test")))
    assert prepend_to_messages([{"role": "user", "content": "Go on"}], whole(read, ran).text()) == (
        [
            {
                "role": "user",
                "content": "[CONTEXT FROM PREVIOUS SESSION]\n\n## Summary\nMade it work.\n\n"
                "## Files Read\n### /p/f.rs\n```rust\nfn main() {}\n```\n\n"
                "## Commands Executed\n### cargo test\n```\nok\n```\n\n"
                "[/CONTEXT FROM PREVIOUS SESSION]\n\nGo on",
            }
        ],
        True,
    )


def test_the_size_of_the_results_counts_what_is_included() -> None:
    one, two = numbered(1), numbered(2, 100)
    handoff = whole(one, two)
    assert (handoff.result_chars(), handoff.result_chars({"t2"})) == (len(one.text) + len(two.text), len(one.text))
    assert replace(handoff, limit=len(two.text) + 5).result_chars() == len(two.text)
    assert replace(handoff, limit=0).result_chars() == 0


def test_the_lines_at_which_sections_and_results_begin() -> None:
    calls = [made("Bash", "## Commands Executed\n### make", command="make"), made("Bash", "2", command="make")]
    calls += [made("Bash", None, command="sleep 1"), made("Bash", None, command="sleep 2")]
    handoff = whole(*(replace(item, id=f"t{number}") for number, item in enumerate(calls)))
    assert starts(handoff) == {
        "Summary": (2, "## Summary"),
        "Commands Executed": (5, "## Commands Executed"),
        "t0": (6, "### make"),
        "t1": (12, "### make"),
        "Interrupted Calls": (17, "## Interrupted Calls"),
        "t2": (18, "- Bash: sleep 1 — no result"),
        "t3": (19, "- Bash: sleep 2 — no result"),
    }
    assert starts(replace(handoff, limit=60), "t2") == {
        "Summary": (2, "## Summary"),
        "Commands Executed": (7, "## Commands Executed"),
        "t1": (8, "### make"),
        "Interrupted Calls": (13, "## Interrupted Calls"),
        "t3": (14, "- Bash: sleep 2 — no result"),
    }
    assert starts(whole(lead=False)) == {}


def starts(handoff: Handoff, *without: str) -> dict[str, tuple[int, str]]:
    """For each section and result, the line at which it begins, by its number and as a text."""
    lines = handoff.text(without).split("\n")
    return {name: (number, lines[number]) for name, number in handoff.starts(without).items()}


def _of(item: HandoffItem) -> tuple[Any, ...]:
    return item.title, item.heading, item.turn, item.line, item.bodies, item.notes, item.longest


@pytest.mark.spec("S1.14")
def test_the_sections_stand_in_one_order_and_empty_ones_not_at_all() -> None:
    given_items = [
        made("Bash", None, command="sleep 100"),
        made("Grep", "a:1", pattern="TODO", path="src/"),
        made("Write", "ok", file_path="/p/a.py", content="x = 1\n"),
        made("Read", "     1→a", file_path="/p/b"),
    ]
    entries = [HandoffItem(f"t{n}", *_of(item)) for n, item in enumerate(given_items)]
    sections = whole(*entries, lead=False).sections()
    assert [(section.title, section.text, section.ids) for section in sections] == [
        ("Files Read", "## Files Read\n### /p/b\n```\na\n```", ("t3",)),
        ("Files Changed", "## Files Changed\n### /p/a.py\n```python\nx = 1\n```", ("t2",)),
        ("Other Results", "## Other Results\n### Grep TODO in src/\n```\na:1\n```", ("t1",)),
        ("Interrupted Calls", "## Interrupted Calls\n- Bash: sleep 100 — no result", ("t0",)),
    ]
    assert [(section.chars, section.tokens) for section in sections[:1]] == [(32, 8)]


@pytest.mark.spec("S1.14")
def test_nothing_at_all_has_no_wrapper() -> None:
    assert (whole(lead=False).text(), whole(numbered(1), limit=0, lead=False).text()) == ("", "")


def test_each_result_can_be_left_out() -> None:
    handoff = whole(numbered(1), numbered(2), numbered(3))
    assert handoff.text({"t2"}) == whole(numbered(1), numbered(3)).text()
    assert handoff.text({"t1", "t2", "t3"}) == whole().text()


def test_no_text_ends_the_context_before_its_end() -> None:
    text = whole(made("Bash", f"{END}\n{BEGIN}", command="cat x")).text()
    assert (text.count(END), text.count(BEGIN), text.endswith(END)) == (1, 1, True)
    assert "\n[ /CONTEXT FROM PREVIOUS SESSION]\n[ CONTEXT FROM PREVIOUS SESSION]\n" in text


@pytest.mark.spec("S1.15")
@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("/p/f.rs", "rust"), ("a.py", "python"), ("a.ts", "typescript"), ("a.tsx", "tsx"), ("a.js", "javascript"),
        ("a.json", "json"), ("a.toml", "toml"), ("a.yaml", "yaml"), ("a.YML", "yaml"), ("a.md", "markdown"),
        ("a.sh", "bash"), ("a.sql", "sql"), ("a.html", "html"), ("a.css", "css"), ("a.go", "go"), ("a.java", "java"),
        ("a.c", "c"), ("a.cpp", "cpp"), ("a.rb", "ruby"), ("a.kt", "kotlin"), ("a.swift", "swift"),
        ("a.xyz", ""), ("Makefile", ""), ("C:\\p.d\\f.rs", "rust"), ("a.py/b", ""), (".md", ""),
    ],
)  # fmt: skip
def test_the_language_of_a_fence(path: str, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.spec("S1.15")
def test_a_fence_is_longer_than_those_in_it() -> None:
    assert made("Read", "a\n```\nb\n````", file_path="/a.md").text == "### /a.md\n`````markdown\na\n```\nb\n````\n`````"


@pytest.mark.spec("S1.16")
@pytest.mark.parametrize(
    ("result", "shown"),
    [
        ("     1→a\n     2→b", "a\nb"),
        ("1\ta\n2\tb\n", "a\nb"),
        ("     9→a\n    10→\n    11→  b", "a\n\n  b"),
        ("     1→a\n\n<system-reminder>\nBe careful.\n</system-reminder>\n", "a"),
        ("a\n<system-reminder>x</system-reminder>\n<system-reminder>y</system-reminder>", "a"),
        ("     1→a\n     2→<system-reminder>x</system-reminder>", "a\n<system-reminder>x</system-reminder>"),
        ("a <system-reminder>x</system-reminder>", "a <system-reminder>x</system-reminder>"),
        ("<system-reminder>The contents are empty.</system-reminder>", "(empty)"),
        ("     1→a\n… cut", "a\n… cut"),
    ],
)
def test_a_read_shows_what_the_file_held(result: str, shown: str) -> None:
    assert made("Read", result, file_path="/a").text == f"### /a\n```\n{shown}\n```"


@pytest.mark.spec("S1.7")
def test_a_read_before_a_later_edit_says_so() -> None:
    read, edit = ("Read", "1\ta", False, {"file_path": "/a"}), ("Edit", "ok", False, {"file_path": "/a"})
    failed = ("Edit", "no", True, {"file_path": "/a"})
    assert listed(read, edit) == ["/a (before edit)", "/a"]
    assert listed(edit, read) == ["/a", "/a"]
    assert listed(read, failed) == ["/a", "/a (error)"]


@pytest.mark.spec("S1.6")
def test_the_last_change_says_how_many_there_were() -> None:
    edit = ("Edit", "ok", False, {"file_path": "/a"})
    assert listed(edit) == ["/a"]
    assert listed(edit, edit, edit) == ["/a (last of 3)"]


@pytest.mark.spec("S1.9")
@pytest.mark.parametrize(
    ("asked", "result", "label"),
    [
        ({"offset": 10, "limit": 5}, "", " (lines 10-14)"),
        ({"offset": 10, "limit": 5}, "    10→a\n    11→b", " (lines 10-11)"),
        ({"limit": 1}, "", " (line 1)"),
        ({"offset": 10}, "    10→a\n    11→b", " (lines 10-11)"),
        ({"offset": 10}, "none", " (from line 10)"),
        ({"pages": "1-3"}, "none", " (pages 1-3)"),
        ({}, "    10→a", ""),
    ],
)
def test_the_range_of_a_read_stands_in_its_heading(asked: dict[str, Any], result: str, label: str) -> None:
    assert made("Read", result, file_path="/p/f.rs", **asked).heading == f"/p/f.rs{label}"


@pytest.mark.spec("S1.10")
def test_a_call_without_a_result_is_one_line() -> None:
    assert made("Bash", None, command="sleep 100").text == "- Bash: sleep 100 — no result"


@pytest.mark.spec("S1.11")
def test_errors_and_refusals_say_so() -> None:
    assert made("Edit", "No match.", error=True, file_path="/a").text == "### /a (error)\n```\nNo match.\n```"
    assert made("Read", REJECTED, error=True, file_path="/a").text == "- Read /a — rejected by the user: ask me"


def test_an_edit_shows_its_difference_and_a_long_command_stands_in_a_fence() -> None:
    patch = '{"patch":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-a","+b"]}]}'
    assert made("Edit", "ok", detail=patch, file_path="/a").text == "### /a\n```diff\n@@ -1,1 +1,1 @@\n-a\n+b\n```"
    edit = made("Edit", "ok", file_path="/a", old_string="a", new_string="b")
    assert edit.text == "### /a\n```diff\n@@ -1,1 +1,1 @@\n-a\n+b\n```"
    ran = made("Bash", "ok", command="cd a\nmake")
    assert ran.text == "### cd a make\n```bash\ncd a\nmake\n```\n```\nok\n```"


@pytest.mark.spec("S1.17")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x" * 2000, "x" * 2000),
        ("x" * 2001, "x" * 2000 + "\n[… 1 character omitted]"),
        ("x" * 2500, "x" * 2000 + "\n[… 500 characters omitted]"),
    ],
)
def test_a_long_result_is_cut(text: str, shown: str) -> None:
    assert truncated(text, 2000) == shown


@pytest.mark.spec("S1.17")
def test_a_command_keeps_both_ends_of_its_output() -> None:
    assert truncated("a" * 1500 + "b" * 1500, 2000, keep_end=True) == (
        "a" * 1000 + "\n[… 1000 characters omitted]\n" + "b" * 1000
    )
    ran, read = made("Bash", "a" * 2000 + "!", command="x"), made("Read", "a" * 2000 + "!", file_path="/a")
    assert ran.text.endswith("a\n[… 1 character omitted]\n" + "a" * 999 + "!\n```")
    assert read.text.endswith("a\n[… 1 character omitted]\n```")


@pytest.mark.spec("S1.18")
def test_the_newest_results_that_fit_are_kept_in_order() -> None:
    one = numbered(1).chars
    handoff = whole(numbered(1), numbered(2), numbered(3), limit=2 * one)
    assert [section.ids for section in handoff.sections()] == [(), ("t2", "t3")]
    assert "\n\n… 1 older tool result omitted\n\n## Commands Executed\n### run 2\n" in handoff.text()
    assert "… 2 older tool results omitted" in whole(*handoff.items, limit=2 * one - 1).text()
    # Room that one leaves is taken by an older one.
    assert [section.ids for section in handoff.sections({"t3"})] == [(), ("t1", "t2")]


@pytest.mark.spec("S1.18")
def test_a_limit_of_0_has_no_tools() -> None:
    assert whole(numbered(1), limit=0).text() == whole().text()


@pytest.mark.spec("S1.18")
def test_a_single_result_over_the_limit_is_cut() -> None:
    handoff = whole(numbered(1), numbered(2, 500), limit=100)
    assert handoff.sections()[1].text == (
        "## Commands Executed\n### run 2\n```\n" + "x" * 56 + "\n[… 444 characters omitted]\n```"
    )
    assert handoff.omitted() == 1


@pytest.mark.spec("S1.20")
def test_a_context_goes_into_the_first_thing_a_person_says() -> None:
    greeting = {"role": "assistant", "content": "Hi"}
    text, image = {"type": "text", "text": "Go on"}, {"type": "image", "source": {}}
    cases: list[tuple[Any, Any]] = [
        ("Go on", "C\n\nGo on"),
        ([image, text, text], [image, {"type": "text", "text": "C\n\nGo on"}, text]),
        ([image], [{"type": "text", "text": "C"}, image]),
        ([], [{"type": "text", "text": "C"}]),
    ]
    for content, changed in cases:
        messages = [greeting, {"role": "user", "content": content}, {"role": "user", "content": "later"}]
        before = orjson.dumps(messages)
        expected = [greeting, {"role": "user", "content": changed}, {"role": "user", "content": "later"}]
        assert prepend_to_messages(messages, "C") == (expected, True)
        assert orjson.dumps(messages) == before


@pytest.mark.spec("S1.20")
def test_without_a_person_nothing_changes() -> None:
    for messages in ([], [{"role": "assistant", "content": "Hi"}], [{"role": "user"}]):
        assert prepend_to_messages(messages, "C") == (messages, False)
    assert prepend_to_messages([{"role": "user", "content": "x"}], "") == ([{"role": "user", "content": "x"}], True)


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("a", "a"),
        ("```\na\n```", "```\na\n```"),
        ("```py\na", "```py\na\n```"),
        ("~~~\n```\na", "~~~\n```\na\n~~~"),
        ("````\n```\na", "````\n```\na\n````"),
        ("```a```", "```a```"),
        ("```\n``` no end", "```\n``` no end\n```"),
    ],
)
def test_a_fence_that_is_left_open_is_closed(text: str, ended: str) -> None:
    assert close_fence(text) == ended


FENCED = st.lists(st.sampled_from(["```", "````", "~~~", "`", "\n", "a", "x" * 40, "py"]), max_size=12).map("".join)


@st.composite
def handoffs(draw: st.DrawFn) -> Handoff:
    titles: Any = st.sampled_from(["Files Read", "Commands Executed", "Interrupted Calls"])
    entries = [
        HandoffItem(
            f"t{n}", draw(titles), f"run {n}", 1, n, (ItemBody(draw(FENCED), "py", draw(st.booleans())),), (), 30
        )
        for n in range(draw(st.integers(0, 5)))
    ]
    lead = (lead_section("Summary", draw(FENCED)),)
    return Handoff("s1", 1, 1, "extract", lead, tuple(entries), draw(st.integers(0, 300)))


@given(handoffs())
def test_every_fence_is_closed(handoff: Handoff) -> None:
    tokens = MarkdownIt().parse(handoff.text())
    headings = [after.content for token, after in pairwise(tokens) if token.tag == "h2"]
    assert headings[::2] == [section.title for section in handoff.sections()]
    assert tokens[-2].content == END


@pytest.mark.spec("S1.18")
@given(handoffs())
def test_the_limit_holds_but_for_marks(handoff: Handoff) -> None:
    sections = handoff.sections()[1:]
    ids = [name for section in sections for name in section.ids]
    shown = sum(len(section.text) - len(f"## {section.title}\n") for section in sections)
    if len(ids) > 1:
        assert shown <= handoff.limit + 2 * len(ids)
    elif ids:
        marks = len("### run 1\n`````py\n\n[… 100 characters omitted]\n\n`````")
        assert shown <= handoff.limit + marks
    newest = [item.id for item in handoff.items][len(handoff.items) - len(ids) :]
    assert sorted(ids) == newest


@pytest.mark.spec("S1.21")
@given(handoffs())
def test_the_same_hand_off_has_the_same_text(handoff: Handoff) -> None:
    assert handoff.text() == handoff.text(()) == handoff.text({"none"})
