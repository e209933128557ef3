"""What a row of the list of hits shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memtui.browse.search.hit_list import hit_rows
from memtui.browse.search.hit_row import HitRow, line_columns, title_matches_and_passage
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
        "notable": ("in thinking",), "score": 1.0, "group": group,
    }  # fmt: skip
    return Hit(**{**values, **fields})


def lines(row: HitRow, width: int) -> list[str]:
    """The lines of a row as a block."""
    return [line.rstrip() for line in row.block(NOW, width).plain.split("\n")]


def head(title: str, right: str, width: int = 60) -> str:
    """The first line of a block: a title, and the project and age at the right end."""
    return title + right.rjust(width - len(title))


def passage(text: str, source: Source = "assistant") -> Passage:
    """A passage with a text."""
    return Passage(1, 0, len(text), source, text)


def test_a_hit_has_its_title_its_passage_and_its_facts() -> None:
    assert lines(HitRow(hit("Fix it", "Retry the upload", "upload"), more=3), 60) == [
        head("Fix it  +3", "shop    2 d"),
        "  Retry the upload",
        "  in thinking",
    ]


def test_a_hit_of_which_there_is_nothing_more_to_say_has_no_line_for_it() -> None:
    row = HitRow(hit("Fix it", "Retry the upload", notable=()))
    assert lines(row, 60) == [head("Fix it", "shop    2 d"), "  Retry the upload"]


@pytest.mark.parametrize("width", [40, 60, 78, 120])
def test_project_and_age_are_whole_beside_the_longest_title(width: int) -> None:
    row = HitRow(hit(LONG[:100], "a", project="flutter-docker-image"), more=12)
    first = lines(row, width)[0]
    assert len(first) == width
    assert first.endswith(f"{'flutter-docker-image' if width >= 60 else 'flutter-dock…'}    2 d")
    assert "…  +12  " in first


def line(row: HitRow, width: int, *, shows_project: bool = True) -> str:
    """A row as one line, which has exactly the width."""
    shown = row.line(NOW, line_columns(width, shows_project=shows_project))
    assert shown.cell_length == width
    return shown.plain


def test_a_line_of_a_hit_begins_with_its_first_match_and_ends_with_its_age() -> None:
    row = HitRow(hit("Fix it " * 9, f"{LONG[:60]} and then the retry of all", "retry"), more=3)
    shown = row.line(NOW, line_columns(78, shows_project=False))
    assert shown.plain == line(row, 78, shows_project=False)
    assert shown.plain == "…be tried again and then the retry of all   Fix it Fix it Fix it Fi… +3    2 d"
    (span,) = [span for span in shown.spans if "underline" in str(span.style)]
    assert shown.plain[span.start : span.end] == "retry"
    below = HitRow(hit("Fix it", "Retry the upload"), below=True)
    assert (
        line(below, 78, shows_project=False)
        == "└ Retry the upload                          turn 5 · in thinking           2 d"
    )
    assert line(replace(below, is_repeated=True), 78).startswith("└ the same passage  ")


def test_a_line_has_a_project_where_several_are_and_there_is_room() -> None:
    row = HitRow(hit("Fix it", "Retry the upload"))
    end = f"Fix it{'':25}shop                2 d"
    assert line(row, 100) == f"Retry the upload{'':30}{end}"
    assert "shop" not in line(row, 100, shows_project=False)
    assert line(row, 76).endswith(f"Fix it{'':17}shop            2 d")
    assert "shop" not in line(row, 75)


def test_the_passage_has_more_of_a_line_than_the_title() -> None:
    for width in (40, 66, 78, 96, 140, 196):
        columns = line_columns(width, shows_project=True)
        assert columns.passage > columns.title >= 12
        assert line(HitRow(hit(LONG, f"So: {LONG}"), more=12), width).count("…") == 2


def test_lines_of_one_title_have_the_time_in_the_room_of_the_title() -> None:
    title = "Review the Flutter image"
    hits = [hit(title, "a", session=n, group=n) for n in (1, 2)] + [hit("Test it", "b", session=3, group=3)]
    assert [line(row, 66) for row in hit_rows(hits, ())] == [
        f"a{'':36}Review…          19 Nov 09:00",
        f"a{'':36}Review…          19 Nov 09:00",
        f"b{'':36}Test it                   2 d",
    ]


def test_titles_of_lines_are_told_apart_and_their_matches_are_marked() -> None:
    titles = ("Distill automation brings the errors", "Distill automation brings the uploads")
    hits = [hit(title, f"{title}. Go on", title.split()[-1], session=n, group=n) for n, title in enumerate(titles)]
    shown = [row.line(NOW, line_columns(66, shows_project=True)) for row in hit_rows(hits, ())]
    assert [each.plain[37:59].rstrip() for each in shown] == ["Distill … errors", "Distill … uploads"]
    marked = [[each.plain[span.start : span.end] for span in each.spans if "underline" in str(span.style)]
              for each in shown]  # fmt: skip
    assert marked == [["errors"], ["uploads"]]


def test_a_line_without_a_passage_has_what_else_is_to_say_or_a_longer_title() -> None:
    title = "Review the Flutter image and the logs"
    assert line(HitRow(hit(title, title)), 66) == f"in thinking{'':26}Review the Flutter im…    2 d"
    assert line(HitRow(hit(title, title, notable=())), 66) == f"{title}{'':24}  2 d"


def test_a_snippet_that_is_the_beginning_of_the_title_is_not_repeated() -> None:
    for title in ("Review the Flutter image and the logs", "Review the Flutter image"):
        assert line(HitRow(hit(title, "Review the Flutter image…")), 66).startswith("in thinking  ")


def test_another_hit_of_the_session_has_its_turn() -> None:
    assert lines(HitRow(hit("Fix it", "Retry the upload", "upload"), below=True), 60) == [
        head("  └ turn 5 · in thinking", "2 d"),
        "    Retry the upload",
    ]


@pytest.mark.parametrize(("width", "height"), [(50, 3), (61, 3), (78, 2), (120, 2), (160, 2)])
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
    assert lines(HitRow(hit("Fix it", "Fix it")), 60) == [head("Fix it", "shop    2 d"), "  in thinking"]


def test_hits_of_one_title_have_the_time() -> None:
    hits = [hit("Fix it", "a"), hit("Fix it", "b", session=2, group=2), hit("Test it", "c", session=3, group=3)]
    assert [lines(row, 60)[0] for row in hit_rows(hits, ())] == [
        head("Fix it", "shop  19 Nov 09:00"),
        head("Fix it", "shop  19 Nov 09:00"),
        head("Test it", "shop    2 d"),
    ]


def test_the_labels_of_agents_tell_hits_of_several_agents_apart() -> None:
    agents = ["claude-code", "codex", "claude-code"]
    hits = [hit("Fix it", "a", session=n, group=n, agent=agent) for n, agent in enumerate(agents)]
    assert [lines(row, 60)[0].partition("  ")[0] for row in hit_rows(hits, (), shows_agent=True)] == [
        "cc Fix it",
        "cx Fix it",
        "cc Fix it",
    ]
    # The index decides, not what was found so far.
    assert [lines(row, 60)[0].partition("  ")[0] for row in hit_rows(hits[:1], (), shows_agent=True)] == ["cc Fix it"]
    assert [lines(row, 60)[0].partition("  ")[0] for row in hit_rows(hits, ())] == ["Fix it"] * 3


def test_the_same_passage_is_shown_once_in_a_group() -> None:
    hits = [hit("Fix it", "a"), hit("Fix it", "a", session=2), hit("Fix it", "b", session=3), hit("Fix it", "b")]
    best = [head("Fix it  +3", "shop    2 d"), "  a", "  in thinking"]
    other = head("  └ turn 5 · in thinking", "19 Nov 09:00")
    assert [lines(row, 60) for row in hit_rows(hits, ())] == [best]
    assert [lines(row, 60) for row in hit_rows(hits, {1})] == [
        [head("Fix it", "shop    2 d"), *best[1:]],
        [other],
        [other, "    b"],
        [other],
    ]


def test_the_path_of_a_hit_keeps_its_file_name() -> None:
    path = "core/memtui_core/search/very/deep/folders/vector_search.py"
    found = hit("Fix it", "a", path=path, notable=(f"edited {path}", "meaning 62 %"))
    assert lines(HitRow(found), 100)[-1] == f"  edited {path} · meaning 62 %"
    assert lines(HitRow(found), 60)[-1] == "  edited core/…/deep/folders/vector_search.py · meaning 62 %"
    assert lines(HitRow(found, below=True), 64)[0] == head(
        "  └ turn 5 · edited …/vector_search.py · meaning 62 %", "2 d", 64
    )


def test_a_hit_of_a_session_that_waits_says_what_it_asks() -> None:
    end = SessionEnd(1, "question", 5, 9, NOW - timedelta(hours=1), "Keep the old client?")
    asked = hit("Fix it", "Fix it", notable=(), end=end)
    assert lines(HitRow(asked), 60) == [head("? Fix it", "shop    2 d", 60), "  Keep the old client?"]
    failed = replace(asked, end=replace(end, kind="error", quote="API Error: 529"))
    assert lines(HitRow(failed), 60) == [head("✗ Fix it", "shop    2 d", 60), "  API Error: 529"]
    # A passage of the query comes first, and what has ended says nothing.
    found = replace(asked, snippet="Retry the upload")
    assert lines(HitRow(found), 60) == [head("? Fix it", "shop    2 d", 60), "  Retry the upload"]
    ended = replace(asked, end=replace(end, at=NOW - timedelta(days=3)))
    assert lines(HitRow(ended), 60) == [head("Fix it", "shop    2 d", 60)]
