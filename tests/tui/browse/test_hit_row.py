"""What a row of the list of hits shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memtui.browse.search.hit_list import hit_rows
from memtui.browse.search.hit_row import HitRow, title_matches_and_passage
from memtui_core.model import Hit, Passage, SessionEnd, Source, Span
from support.screens import NOW

LONG = "The upload fails on slow networks, and can it be tried again without sending any of its parts twice? " * 3


def hit(title: str, snippet: str, *marked: str, session: int = 1, group: int = 1, **fields: Any) -> Hit:
    """A hit with matches of some words in its snippet."""
    starts = [(snippet.index(word), len(word)) for word in marked]
    values: dict[str, Any] = {
        "turn_id": 1, "session": session, "session_id": "s", "agent": "claude-code", "project": "shop", "title": title,
        "turn": 5, "line": 1, "role": "turn", "started_at": NOW - timedelta(days=2), "snippet": snippet,
        "spans": tuple(Span(start, start + length) for start, length in starts), "why": ("words: upload",),
        "score": 1.0, "group": group,
    }  # fmt: skip
    return Hit(**{**values, **fields})


def lines(row: HitRow, width: int) -> list[str]:
    """The lines of a row."""
    return [line.rstrip() for line in row.content(NOW, width).plain.split("\n")]


def passage(text: str, source: Source = "assistant") -> Passage:
    """A passage with a text."""
    return Passage(1, 0, len(text), source, text)


def test_a_hit_has_its_title_its_passage_and_its_facts() -> None:
    assert lines(HitRow(hit("Fix it", "Retry the upload", "upload"), more=3), 60) == [
        "Fix it  +3 more",
        "Retry the upload",
        "shop · 2 d · words: upload",
    ]


def test_another_hit_of_the_session_has_its_turn() -> None:
    assert lines(HitRow(hit("Fix it", "Retry the upload", "upload"), below=True), 60) == [
        "  └ turn 5 · 2 d · words: upload",
        "    Retry the upload",
    ]


@pytest.mark.parametrize(("width", "height"), [(50, 3), (61, 3), (76, 2), (120, 2), (160, 2)])
def test_a_passage_has_as_many_words_in_a_narrow_list(width: int, height: int) -> None:
    shown = lines(HitRow(hit("Fix it", LONG[:240])), width)
    assert len(shown) == height + 2
    assert all(len(line) <= width for line in shown)
    words = " ".join(shown[1:-1]).removesuffix("…").split()
    assert LONG.split()[: len(words)] == words or LONG.startswith(" ".join(words))
    assert len(words) >= 23


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (hit("Fix it", "Retry the upload", "upload"), ([], "Retry the upload", [Span(10, 16)])),
        (hit("Fix it", "Fix it. Retry the upload", "Fix", "upload"),
         ([Span(0, 3)], "… Retry the upload", [Span(12, 18)])),
        (hit("… Fix it", "Fix it. Retry", "it"), ([Span(6, 8)], "… Retry", [])),
        (hit("Fix the up…", "Fix the upload", "upload"), ([], "… upload", [Span(2, 8)])),
        (hit("Fix it", "Fix it", "it", passages=(passage("Fix it"), passage("The cause\nis this"))),
         ([Span(4, 6)], "The cause is this", [])),
        (hit("Fix it", "Fix it", passages=(passage("Fix it"), passage("{}", "tool call"))), ([], "", [])),
        (hit("Fix it and test it", "Fix it", passages=(passage("Fix it"),)), ([], "", [])),
        (hit("", "Fix it"), ([], "Fix it", [])),
    ],
)  # fmt: skip
def test_a_passage_never_repeats_the_title(row: Hit, expected: tuple[list[Span], str, list[Span]]) -> None:
    assert title_matches_and_passage(row) == expected


def test_a_hit_of_nothing_but_its_title_has_no_blank_line() -> None:
    assert lines(HitRow(hit("Fix it", "Fix it")), 60) == ["Fix it", "shop · 2 d · words: upload"]


def test_hits_of_one_title_have_the_time() -> None:
    hits = [hit("Fix it", "a"), hit("Fix it", "b", session=2, group=2), hit("Test it", "c", session=3, group=3)]
    assert [lines(row, 60)[-1] for row in hit_rows(hits, ())] == [
        "shop · 19 Nov 09:00 · words: upload",
        "shop · 19 Nov 09:00 · words: upload",
        "shop · 2 d · words: upload",
    ]


def test_the_same_passage_is_shown_once_in_a_group() -> None:
    hits = [hit("Fix it", "a"), hit("Fix it", "a", session=2), hit("Fix it", "b", session=3), hit("Fix it", "b")]
    assert [lines(row, 60) for row in hit_rows(hits, ())] == [["Fix it  +3 more", "a", "shop · 2 d · words: upload"]]
    assert [lines(row, 60) for row in hit_rows(hits, {1})] == [
        ["Fix it", "a", "shop · 2 d · words: upload"],
        ["  └ turn 5 · 19 Nov 09:00 · words: upload"],
        ["  └ turn 5 · 19 Nov 09:00 · words: upload", "    b"],
        ["  └ turn 5 · 19 Nov 09:00 · words: upload"],
    ]


def test_the_path_of_a_hit_keeps_its_file_name() -> None:
    path = "core/memtui_core/search/very/deep/folders/vector_search.py"
    found = hit("Fix it", "a", path=path, why=(f"edited {path}", "words: upload"))
    assert lines(HitRow(found), 100)[-1] == f"shop · 2 d · edited {path} · words: upload"
    assert lines(HitRow(found), 60)[-1] == "shop · 2 d · edited core/…/vector_search.py · words: upload"
    assert lines(HitRow(found, below=True), 40)[0] == "  └ turn 5 · 2 d · edited …/vector_search.py · words: upload"


def test_a_hit_of_a_session_that_waits_says_what_it_asks() -> None:
    end = SessionEnd(1, "question", 5, 9, NOW - timedelta(hours=1), "Keep the old client?")
    asked = hit("Fix it", "Fix it", why=(), end=end)
    assert lines(HitRow(asked), 60) == ["? Fix it", "Keep the old client?", "shop · 2 d"]
    failed = replace(asked, end=replace(end, kind="error", quote="API Error: 529"))
    assert lines(HitRow(failed), 60) == ["✗ Fix it", "API Error: 529", "shop · 2 d"]
    # A passage of the query comes first, and what has ended says nothing.
    found = replace(asked, snippet="Retry the upload")
    assert lines(HitRow(found), 60) == ["? Fix it", "Retry the upload", "shop · 2 d"]
    ended = replace(asked, end=replace(end, at=NOW - timedelta(days=3)))
    assert lines(HitRow(ended), 60) == ["Fix it", "shop · 2 d"]
