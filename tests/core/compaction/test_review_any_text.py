"""Reviews of any texts: nothing raises, and what is kept is there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtui_core.compaction import STATEMENT_KINDS, Review, linked_sentences, linked_turns
from memtui_core.compaction.build import build_items, build_review
from memtui_core.compaction.coverage import Coverage
from memtui_core.compaction.facts.commands import parts_of
from memtui_core.compaction.facts.recurring_names import recurring_names
from memtui_core.compaction.facts.retention import SummaryMatcher
from memtui_core.compaction.facts.segment import SegmentFact, segment_facts, urls_in
from memtui_core.compaction.history import Boundary
from memtui_core.compaction.outline import outline, summary_body
from memtui_core.compaction.statements.extraction import ENTRY_MARK
from memtui_core.compaction.statements.phrases import decisions, requests
from memtui_core.compaction.words import without_code
from memtui_core.model import Block, Turn
from memtui_core.text.controls import one_line, plain
from memtui_core.tools.results.failures import error_line
from memtui_core.tools.shell.commands import programs_run
from memtui_core.tools.shell.files import files_in


def turn(number: int, blocks: list[Block], kind: str = "human") -> Turn:
    numbered = tuple(replace(block, seq=seq, line=number * 100 + seq) for seq, block in enumerate(blocks))
    opening = blocks[0].text if blocks and blocks[0].kind == "user" else ""
    head = Turn(number, 1, number, number * 100, number * 100 + 99, kind, 0, opening, (), None, None)  # type: ignore[arg-type]
    return replace(head, blocks=numbered)


@pytest.mark.spec("S5.6")
def test_names_recur_when_said_once_and_used_often() -> None:
    texts = [
        Block(0, 0, "text", "`flushCart` GitHub v1.2.3 well-known"),
        *[call("flushCart GitHub parts") for _ in range(3)],
    ]
    assert [(fact.text, fact.times) for fact in recurring_names([turn(1, texts)], ())] == [("flushCart", 4)]
    assert list(recurring_names([turn(1, texts)], ["src/flush_cart.py"])) == []
    assert list(recurring_names([turn(1, texts[1:])], ())) == []


@pytest.mark.spec("S5.6")
def test_a_file_that_is_only_named_is_a_file() -> None:
    said = [Block(0, 0, "text", "`windows.Dockerfile`, `script/run_all.sh`, `core.exportVariable` and `flushCart`")]
    calls = [call("windows.Dockerfile script/run_all.sh core.exportVariable flushCart") for _ in range(3)]
    assert [(fact.kind, fact.text, fact.turns) for fact in recurring_names([turn(1, said), turn(2, calls)], ())] == [
        ("identifier", "core.exportVariable", (1, 2)),
        ("identifier", "flushCart", (1, 2)),
        ("file", "script/run_all.sh", (1, 2)),
        ("file", "windows.Dockerfile", (1, 2)),
    ]


def call(text: str, tool: str = "Task") -> Block:
    return Block(0, 0, "tool_call", text, tool, "t")


TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            [
                *(
                    "src/a.py",
                    "b/a.py",
                    "`runAll`",
                    "\n",
                    "\n- ",
                    ". ",
                    "Never ",
                    "do it",
                    "https://x.example/a",
                    "error: bad",
                ),
                *(
                    "git commit -m x",
                    "make lint",
                    " instead of ",
                    "```\n",
                    "'",
                    '"',
                    "<<EOF",
                    "1. Goal:",
                    "**B**:",
                    "(",
                    "\\",
                ),
            ]
        ),
        max_size=40,
    ).map("".join),
)
BLOCKS = st.lists(
    st.one_of(
        st.builds(lambda text: Block(0, 0, "user", text), TEXTS),
        st.builds(lambda text: Block(0, 0, "text", text), TEXTS),
        st.builds(lambda text, tool: call(text, tool), TEXTS, st.sampled_from(["Bash", "Edit", "X"])),
        st.builds(lambda text: call('{"command": ' + _json(text) + "}", "Bash"), TEXTS),
        st.builds(
            lambda text, tool: call('{"file_path": ' + _json(text) + "}", tool),
            TEXTS,
            st.sampled_from(["Edit", "Read"]),
        ),
        st.builds(lambda text, bad: Block(0, 0, "tool_result", text, "Bash", "t", bad), TEXTS, st.booleans()),
    ),
    max_size=8,
)


def _json(text: str) -> str:
    import json

    return json.dumps(text)


def of(summary: str, before: list[Turn], after: list[Turn]) -> Review:
    boundary = Boundary(1, 1, "s", "t", 1, 9, 900, None, "auto", 1)
    opening = turn(9, [Block(0, 0, "user", summary)], "compaction")
    items = build_items(before, opening.user_text, 1, lambda path: path or None)
    return build_review(boundary, before, [opening, *after], items, lambda path: path or None)


@pytest.mark.spec("S5.6")
@given(TEXTS, st.lists(BLOCKS, max_size=3), BLOCKS)
@example("src/a.py", [[call('{"file_path": "src/a.py"}', "Edit")]], [])
@example("py`run`\n`run", [[call('{"file_path": "0/py`run`\\n`run"}', "Edit")]], [])
@example("0", [[Block(0, 0, "text", "INSTEAD OF:00:10:01:02:\n- 03")]], [])
@example("000", [[Block(0, 0, "user", "00\r ")]], [])
@settings(max_examples=150)
def test_what_is_kept_is_in_the_summary_and_nothing_is_both(
    summary: str, before: list[list[Block]], after: list[Block]
) -> None:
    turns = [turn(number, blocks) for number, blocks in enumerate(before, 1)]
    found = of(summary, turns, [turn(10, after)])
    both = {(item.kind, item.text, item.line) for item in found.lost} & {
        (item.kind, item.text, item.line) for item in found.kept
    }
    assert not both
    assert summary or not (found.kept or found.lost)
    raw_texts = [block.text for turn in turns for block in turn.blocks]
    # A sentence before a carriage return or backspace is quoted, although a terminal would overwrite it.
    texts = [one_line(text) for raw in raw_texts for text in (raw, raw.translate({8: " ", 13: " "}))]
    for item in found.lost:
        if item.kind in STATEMENT_KINDS and item.kind not in {"contradiction", "check"}:
            # A line is quoted with the list below it; the marker of an entry is not part of it.
            parts = [part.strip() for part in item.text.split(ENTRY_MARK)]
            assert any(all(part in text for part in parts) for text in texts)
    facts = segment_facts(turns, lambda path: path or None)
    assert len({("file" if f.kind in {"edited", "read"} else f.kind, f.key) for f in facts}) == len(facts)
    # A path is shown on one line, also one with a line break in its name.
    text = summary_body(summary).replace("\n", " ")
    for item in found.kept:
        if item.kind in {"edited", "read"} and item.text.isprintable() and len(item.text) < 150:
            folder, _, name = item.text.rstrip("/").rpartition("/")
            assert name in text or folder.rpartition("/")[2] in text
        if item.kind == "url":
            assert item.text.partition("://")[2].partition("#")[0].rstrip("/") in text
    for span in found.sentences:
        assert summary[span.start : span.end] == summary[span.start : span.end].strip() != ""
        assert {score.turn for score in linked_turns(found, span)} <= {1, 2, 3}
    for number in (1, 2, 3, 9):
        assert set(linked_sentences(found, number)) <= set(found.sentences)


@pytest.mark.spec("S5.6")
@given(st.text() | TEXTS)
@settings(max_examples=100)
def test_any_text_is_taken_apart(text: str) -> None:
    parts = parts_of(programs_run(text))
    assert len(set(parts)) == len(parts)
    shown = [file for file in files_in(text) if file.use == "shown"]
    assert not shown or any(name in text for name in ("cat", "head", "tail", "less", "nl", "bat", "sed"))
    assert error_line(text) in {line.strip() for line in plain(text.replace("\\n", "\n")).split("\n")} | {""}
    assert all(asked in text and asked == asked.strip() != "" for asked in requests(text))
    assert all(decided in without_code(text) for decided in decisions(text, True))
    summary = SummaryMatcher(Coverage(text, {}))
    for url in urls_in(text):
        assert url in text
        assert summary.keeps(SegmentFact("url", url, url, 0, 1))
    for section in outline(text):
        assert 0 <= section.span.start < section.span.end <= len(text)
