"""Which passages of a turn answer a query, and in which order."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.index.index import Index
from memtui_core.model import Hit, Passage
from memtui_core.search.passages.ranking import NearestChunk, PassageFinder, TouchedFile, TurnPassages
from memtui_core.search.passages.searched_turn import MAX_LENGTH, SearchedBlock, SearchedTurn
from memtui_core.search.query_parser import parse
from memtui_core.store.lexicon import Matcher
from memtui_core.store.lexicon.fields import searched_text, shown_text, source_of
from memtui_core.store.lexicon.query import read_clauses
from memtui_core.text.controls import plain
from support.indexes import build
from support.transcripts import Script

FILLER = "The weather of the coast was calm and nobody went out to sea. "


def evidence(query: str, *blocks: tuple[str, str], rarity: tuple[float, ...] = (), **others: Any) -> TurnPassages:
    """What a turn of blocks, each a source and a text, holds of a query; the numbers of the blocks count from 0."""
    sources = others.pop("sources", None)
    finder = PassageFinder(Matcher(read_clauses(parse(query)).clauses), rarity, sources)
    texts = SearchedTurn(SearchedBlock(number, source, text) for number, (source, text) in enumerate(blocks))  # type: ignore[arg-type]
    return finder.find(texts, **others)


def found(query: str, *blocks: tuple[str, str], **others: Any) -> list[str]:
    """The texts of the passages, the best first."""
    return [passage.text for passage in evidence(query, *blocks, **others).passages]


def first_block(query: str, *blocks: tuple[str, str], **others: Any) -> int:
    """The number of the block of the best passage."""
    return evidence(query, *blocks, **others).passages[0].block


# What is worth more


@pytest.mark.parametrize(
    "order",
    [
        ("assistant", "thinking", "tool call", "note", "tool output"),
        ("tool output", "note", "tool call", "thinking", "assistant"),
    ],
)
def test_what_was_said_comes_before_what_tools_printed_with_the_same_words(order: tuple[str, ...]) -> None:
    blocks = [(source, "The upload was retried without a limit.") for source in order]
    sources = [passage.source for passage in evidence("upload limit", *blocks).passages]
    assert sources == ["assistant", "thinking", "tool call", "note", "tool output"]


def test_person_and_agent_count_the_same_the_earlier_one_comes_first() -> None:
    blocks = ("assistant", "The upload has a limit."), ("user", "Is the upload at its limit?")
    assert found("upload", *blocks) == [blocks[0][1], blocks[1][1]]
    assert found("upload", *blocks[::-1]) == [blocks[1][1], blocks[0][1]]


def test_prose_comes_before_code_with_the_same_words() -> None:
    code = "for (i = 0; i < limit; i++) { upload(parts[i], {retry: 3}); }"
    prose = "An upload stops at the limit."
    assert found("upload limit", ("assistant", f"{code}\n\n{FILLER * 5}\n\n{prose}"))[0] == prose
    assert found("upload limit", ("assistant", code)) == [code]


def test_sentences_come_before_imports() -> None:
    imports = 'import (\n    4→"fmt"\n    5→"runtime"\n)'
    said = "Every command of the runtime hangs for a moment."
    assert first_block("runtime fmt hangs", ("tool output", imports), ("user", said)) == 1


@pytest.mark.parametrize(
    "message",
    [
        "error: could not compile `memory` due to 2 previous errors",
        "E   AssertionError: assert [1, 2] == [1, 3]",
        "java.lang.IllegalStateException: Cannot deserialize value of type LocalDate from String",
    ],
)
def test_a_message_that_only_a_tool_printed_is_the_passage_of_a_query_that_is_this_message(message: str) -> None:
    output = f"{FILLER * 8}\n{message}\n{FILLER * 8}"
    said = ("user", "Why does it not compile? There is an error."), ("assistant", "An assertion on the date fails.")
    [best, *_] = evidence(message, *said, ("tool output", output)).passages
    assert (best.source, message in best.text) == ("tool output", True)


def test_the_rarer_word_decides_between_two_places() -> None:
    blocks = ("user", "Look at the upload."), ("assistant", "It waits for the mutex.")
    assert first_block("upload mutex", *blocks, rarity=(0.2, 0.9)) == 1
    assert first_block("upload mutex", *blocks, rarity=(0.9, 0.2)) == 0


def test_a_rare_word_that_a_tool_printed_comes_before_a_common_one_that_was_said() -> None:
    blocks = ("user", "Look at the upload."), ("tool output", "thread waits for the mutex")
    assert first_block("upload mutex", *blocks, rarity=(0.1, 0.9)) == 1


def test_more_words_together_are_worth_more_than_the_same_ones_apart() -> None:
    apart = f"An upload was made.\n\n{FILLER * 6}\n\nIt has a limit.\n\n{FILLER * 6}\n\n"
    together = "The upload reached its limit."
    assert found("upload limit", ("assistant", apart + together))[0] == together


def test_of_the_same_words_those_nearer_to_each_other_are_worth_more() -> None:
    far = "An upload of a very large file that somebody sent on a Monday morning has a limit."
    near = "It has an upload limit."
    assert found("upload limit", ("assistant", f"{far}\n\n{FILLER * 6}\n\n{near}")) == [near, far]


# Meaning


def test_without_words_the_nearest_chunk_is_the_passage() -> None:
    text = f"{FILLER * 5}Colours of the theme are green. {FILLER * 5}"
    place = text.index("Colours")
    near = NearestChunk(0.5, ((0, place, len(text)),))
    [best, *_] = evidence("how it looks", ("assistant", text), chunk=near).passages
    assert (best.first, best.text[:31]) == (place, "Colours of the theme are green.")


def test_the_nearest_chunk_wins_where_words_say_little() -> None:
    chunk = "Colours of the theme are green."
    blocks = ("user", "Change something."), ("assistant", chunk)
    near = NearestChunk(1.0, ((1, 0, len(chunk)),))
    assert first_block("change appearance", *blocks, rarity=(0.1, 1.0), chunk=near) == 1
    assert first_block("change appearance", *blocks, rarity=(1.0, 0.1), chunk=near) == 0
    # The nearer it is the more it counts.
    assert first_block("change appearance", *blocks, rarity=(0.3, 0.7), chunk=near) == 1
    assert first_block("change appearance", *blocks, rarity=(0.3, 0.7), chunk=NearestChunk(0.1, near.ranges)) == 0


def test_a_place_in_the_nearest_chunk_beats_an_equal_one_elsewhere() -> None:
    blocks = ("assistant", "The upload has a limit."), ("assistant", "A limit is set for each upload.")
    assert first_block("upload limit", *blocks) == 0
    for block, (_, text) in enumerate(blocks):
        assert first_block("upload limit", *blocks, chunk=NearestChunk(0.5, ((block, 0, len(text)),))) == block


def test_of_a_chunk_the_longest_part_is_what_it_is_about() -> None:
    blocks = ("user", "Thanks."), ("assistant", "Colours of the theme are green and the fonts are large.")
    near = NearestChunk(0.5, ((0, 0, 7), (1, 0, 55)))
    assert found("how it looks", *blocks, chunk=near) == [blocks[1][1]]


# Files


EDIT = (
    "tool call",
    searched_text("tool_call", "Edit", json.dumps({"file_path": "/home/ana/shop/src/a.py", "new": "x"})),
)
READ = ("tool call", searched_text("tool_call", "Read", json.dumps({"file_path": "/home/ana/shop/src/a.py"})))


def touching(path: str, *blocks: tuple[str, str], tools: tuple[str, ...] = ("Edit",), worth: float = 1.5) -> list[int]:
    """The blocks of the passages for a query that is the path."""
    return [one.block for one in evidence(path, *blocks, file=TouchedFile(path, tools, worth)).passages]


def test_the_call_that_did_what_the_hit_says_comes_first() -> None:
    blocks = ("user", "Please change src/a.py"), READ, EDIT
    assert touching("src/a.py", *blocks)[0] == 2
    assert touching("src/a.py", *blocks, tools=("Read",))[0] == 1
    assert touching("src/a.py", *blocks[::-1])[0] == 0


@pytest.mark.parametrize(
    "written",
    [
        "/home/ana/shop/src/a.py",
        "/home/ana/shop/.worktrees/retry/src/a.py",
        "src/a.py",
        "./src/a.py",
        "../shop/src/A.py",
        "C:\\code\\shop\\src\\a.py",
        "a.py",
    ],
)
def test_a_call_may_name_the_file_in_any_way(written: str) -> None:
    call = searched_text("tool_call", "Edit", json.dumps({"file_path": written, "new_string": "x"}))
    elsewhere = "lib/a.py" if "src" in written else "src/data.py"
    other = searched_text("tool_call", "Edit", json.dumps({"file_path": f"/home/ana/shop/{elsewhere}"}))
    blocks = ("user", "Do it"), ("tool output", "src/a.py changed"), ("tool call", other), ("tool call", call)
    assert touching("src/a.py", *blocks)[0] == 3


def test_capitals_of_a_path_do_not_count() -> None:
    blocks = ("tool call", "Edit lib/App.py"), ("tool call", "Edit SRC/App.py")
    assert touching("src/App.py", *blocks)[0] == 1


def test_a_longer_name_is_not_the_file() -> None:
    for written in ("src/data.py", "src/a.pyi", "my-src/my-a.py", "lib_a.py"):
        call = searched_text("tool_call", "Edit", json.dumps({"file_path": written}))
        blocks = ("tool call", call), ("tool call", "Edit lib/x/a.py\n1\n2")
        assert touching("a.py", *blocks)[0] == 1, written


def test_a_file_that_the_person_mentioned_is_where_it_was_mentioned() -> None:
    blocks = ("tool call", "Grep a.py\nlib"), ("user", "Look at @src/a.py and tell me")
    touch = TouchedFile("src/a.py", ("mention",))
    assert [first_block(query, *blocks, file=touch) for query in ("src/a.py", "absent")] == [1, 1]


def test_a_file_that_no_call_names_is_where_a_tool_names_it() -> None:
    blocks = (
        ("user", "Format all"),
        ("tool call", "Bash make format"),
        ("tool output", f"{FILLER * 5}\nreformatted src/a.py"),
    )
    [best, *_] = evidence("src/a.py", *blocks, file=TouchedFile("src/a.py", ("Bash",))).passages
    assert (best.block, best.text) == (2, "reformatted src/a.py")


def test_far_in_a_long_call_the_place_that_names_the_file_is_the_passage() -> None:
    call = f"Bash {FILLER * 10}\ncat src/a.py | head\n{FILLER * 10}"
    [best, *_] = evidence("src/a.py", ("tool call", call), file=TouchedFile("src/a.py", ())).passages
    assert best.text.startswith("cat src/a.py | head")


def test_beside_words_a_file_counts_less() -> None:
    blocks = ("user", "Why does the upload retry?"), EDIT
    assert first_block("why upload retry a.py", *blocks, file=TouchedFile("src/a.py", ("Edit",), 0.4)) == 0
    assert first_block("why upload retry a.py", *blocks, file=TouchedFile("src/a.py", ("Edit",), 1.5)) == 1


# Where a passage begins and ends


def test_a_passage_begins_with_its_sentence_and_ends_with_one() -> None:
    before = "Something else was said first. "
    sentence = "The upload of a part has a limit of three."
    assert found("limit", ("assistant", before + sentence)) == [sentence]
    longer = f"{before}{sentence} {FILLER * 10}"
    [passage] = found("limit", ("assistant", longer))
    assert passage == f"{sentence} {FILLER * 3}".rstrip()


def test_a_passage_begins_with_its_line() -> None:
    output = "1 passed\n  2 failed: upload\n3 skipped"
    assert found("failed", ("tool output", output)) == ["2 failed: upload\n3 skipped"]
    assert found("passed", ("tool output", "  \n " + output)) == [output]


def test_a_sentence_that_began_long_before_is_entered_at_a_word() -> None:
    text = "word " * 100 + "needle " + "word " * 100
    [passage] = evidence("needle", ("assistant", text)).passages
    assert (passage.first % 5, text[passage.first - 1]) == (0, " ")
    assert passage.text.split()[-1] == "word"
    assert 0 < passage.text.index("needle") <= MAX_LENGTH // 4


def test_a_passage_holds_all_words_of_its_place() -> None:
    text = "A" + "a" * 90 + " upload " + "b" * 160 + " limit and more " + "c" * 200
    [passage, *_] = found("upload limit", ("assistant", text))
    assert "upload" in passage
    assert "limit" in passage


def test_a_passage_ends_with_its_paragraph_unless_that_is_as_short_as_a_heading() -> None:
    heading, paragraph = "# The upload", "It was retried without a limit, and each part was sent three times over."
    text = f"{heading}\n\n{paragraph}\n \n\nThis is about something else."
    assert found("upload", ("assistant", text)) == [f"{heading}\n\n{paragraph}"]
    assert found("retried", ("assistant", text)) == [paragraph]


def test_a_version_or_a_decimal_ends_no_sentence() -> None:
    text = "We use Python 3.11 for the upload since May."
    assert found("upload", ("assistant", text)) == [text]


def test_text_without_spaces_is_found_and_begins_with_its_sentence() -> None:
    text = "最初の文です。" * 30 + "全文検索を使う。" + "最後の文です。" * 60
    [passage, *_] = found("検索", ("assistant", text))
    assert passage.startswith("全文検索を使う。")
    assert passage.endswith("。")
    assert len(passage) <= MAX_LENGTH


# Bounds


def test_the_best_twelve_are_kept() -> None:
    blocks = [("assistant", f"Upload {number} failed.") for number in range(20)]
    passages = evidence("upload", *blocks).passages
    assert [passage.block for passage in passages] == list(range(12))


def test_no_passage_overlaps_a_better_one() -> None:
    text = "Colours of the theme are green."
    near, touch = NearestChunk(0.5, ((0, 0, len(text)),)), TouchedFile("theme", ())
    assert found("colours", ("assistant", text), chunk=near, file=touch) == [text]
    often = ("upload " + "x" * 123 + " ") * 10
    passages = sorted(evidence("upload", ("assistant", often)).passages, key=lambda passage: passage.first)
    assert len(passages) > 2
    assert all(one.last <= other.first for one, other in pairwise(passages))


def test_what_is_worth_little_beside_the_best_is_left_out() -> None:
    blocks = ("user", "The upload of the mutex hangs."), ("assistant", "An upload."), ("tool output", "upload")
    assert found("upload mutex", *blocks, rarity=(0.5, 0.5)) == [blocks[0][1], blocks[1][1]]


def test_without_any_evidence_the_beginning_of_what_was_said_is_shown() -> None:
    blocks = ("tool output", "1 passed"), ("thinking", "Hm."), ("assistant", "Done.\n"), ("user", "Thanks")
    assert found("absent", *blocks) == ["Done.\n"]
    assert found("absent", *blocks[:2]) == ["1 passed"]
    assert found("absent", ("user", "\n" * 500 + " Thanks")) == ["Thanks"]
    assert evidence("absent", ("user", " \n ")) == TurnPassages()
    assert evidence("absent") == TurnPassages()


def test_only_the_sources_asked_for_have_passages() -> None:
    blocks = ("user", "An upload."), ("assistant", "The upload."), ("tool output", "upload")
    for source in ("user", "assistant", "tool output"):
        one = evidence("upload", *blocks, sources={source})
        assert [passage.source for passage in one.passages] == [source]
    near = NearestChunk(1.0, ((1, 0, 10),))
    assert first_block("upload", *blocks, sources={"tool output"}, chunk=near) == 2
    assert evidence("upload", *blocks, sources=set()).clauses == frozenset()


def test_the_clauses_that_were_found_are_told() -> None:
    blocks = ("user", "An upload."), ("tool output", f"{FILLER * 100} mutex")
    assert evidence("upload mutex absent", *blocks).clauses == {0, 1}
    assert evidence("upload mutex absent", *blocks, sources={"user"}).clauses == {0}


@pytest.mark.parametrize("before", [1_000, 20_001, 99_000, 150_000, 199_990, 210_000, 400_000])
def test_a_word_is_found_however_far_in_a_turn_it_stands(before: int) -> None:
    for source in ("assistant", "tool output"):
        [passage] = evidence("needle", ("user", "Look"), (source, "x " * (before // 2) + "\nneedle here")).passages
        assert (passage.source, passage.text) == (source, "needle here")


def test_a_turn_of_very_many_matches_is_cut_at_the_same_place_each_time() -> None:
    text = "upload limit " * 20_000
    once = evidence("upload limit", ("tool output", text))
    assert once == evidence("upload limit", ("tool output", text))
    assert once.passages[0].first == 0


SOURCES = ("user", "assistant", "thinking", "tool call", "tool output", "note")
KINDS = ("user", "text", "thinking", "tool_call", "tool_result", "note")
WORDS = st.sampled_from(
    ["upload", "limit", "検索", "src/a.py", "the", ".", "\n\n", "e\u0301", "İ", "{", "7", " ", "x" * 60]
)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=300),
    st.lists(WORDS, max_size=80).map(" ".join),
    st.lists(WORDS, max_size=80).map("".join),
)
QUERIES = st.one_of(st.text(max_size=30), st.lists(WORDS, max_size=4).map(" ".join))


@given(
    st.lists(st.tuples(st.sampled_from(KINDS), TEXTS), max_size=6),
    QUERIES,
    st.booleans(),
    st.one_of(st.none(), st.sets(st.sampled_from(SOURCES))),
    st.one_of(st.none(), st.lists(st.tuples(st.integers(0, 6), st.integers(0, 400), st.integers(0, 400)), max_size=3)),
    st.one_of(st.none(), st.sampled_from(["src/a.py", "İ/ß.py", "limit"])),
)
def test_any_turn_and_query_give_passages_that_are_ranked_and_do_not_overlap(
    blocks: list[tuple[str, str]],
    query: str,
    live: bool,
    sources: set[str] | None,
    ranges: list[tuple[int, int, int]] | None,
    path: str | None,
) -> None:
    texts = {number: searched_text(kind, "Edit", text) for number, (kind, text) in enumerate(blocks)}
    asked = read_clauses(parse(query), live=live).clauses
    # A range lies in its block, as in what makes them.
    inside = [(n, a, min(b, len(texts[n]))) for n, a, b in ranges or () if n in texts and a < min(b, len(texts[n]))]
    near = None if ranges is None else NearestChunk(0.7, tuple(inside))
    touch = None if path is None else TouchedFile(path, ("Edit",))

    def find() -> TurnPassages:
        whole = [
            SearchedBlock(number, source, texts[number])
            for number, (kind, _) in enumerate(blocks)
            if (source := source_of(kind, None)) is not None
        ]
        finder = PassageFinder(Matcher(asked), (), sources)  # type: ignore[arg-type]
        return finder.find(SearchedTurn(whole), near, touch)

    once = find()
    assert once == find()
    assert once.clauses <= set(range(len(asked)))
    assert (0 < len(once.passages) <= 12) == any(text.strip() for text in texts.values())
    for place, passage in enumerate(once.passages):
        text = texts[passage.block]
        assert 0 <= passage.first < passage.last <= min(len(text), passage.first + MAX_LENGTH)
        assert passage.text == text[passage.first : passage.last]
        assert passage.source == source_of(blocks[passage.block][0], None)
        for other in once.passages[:place]:
            assert passage.block != other.block or passage.last <= other.first or other.last <= passage.first


# The text of a block


def test_a_call_is_read_without_its_json() -> None:
    arguments = json.dumps({"file_path": "a.py", "edits": [{"old": "x", "all": True, "count": 2}, None]})
    assert searched_text("tool_call", "Edit", arguments) == "Edit a.py\nx\n2"
    assert searched_text("tool_call", None, "not JSON") == " not JSON"
    assert searched_text("text", None, '{"a": 1}') == '{"a": 1}'


def test_an_accented_letter_is_one_character() -> None:
    assert searched_text("text", None, "cafe\u0301") == "café"
    assert searched_text("tool_call", "Read", '{"file_path": "cafe\u0301.py"}') == "Read café.py"


def test_a_result_is_shown_without_line_numbers() -> None:
    text = "   12→import a\n   13\tb = 7\n8 → c"
    assert shown_text("tool output", text) == "import a\nb = 7\n8 → c"
    assert shown_text("assistant", text) == text


def test_notes_of_the_program_are_not_searched() -> None:
    assert [source_of("note", tool) for tool in ("meta", "reminder", "command", None)] == [
        *("aside", "aside", "note", "note")
    ]
    assert source_of("image", None) is None


# Through an index


def hits(folder: Path, script: Script, query: str, **others: Any) -> tuple[Hit, ...]:
    """The hits of a query in one session."""
    index = build(folder / "data", script.write(folder / "src"))
    return index.search(query, **others).hits


def held(index: Index, hit: Hit, passage: Passage) -> str:
    """The characters of a passage, from the block as a screen reads it."""
    block = index.sessions.blocks(hit.session, hit.turn, hit.turn)[hit.turn][passage.block]
    return searched_text(block.kind, block.tool, block.text)[passage.first : passage.last]


def test_a_message_far_in_a_tool_result_is_found_and_shown(tmp_path: Path) -> None:
    script = Script()
    places = {"zebra": 0, "heron": 19_999, "walrus": 20_100, "giraffe": 99_999, "otter": 150_000}
    for animal, before in places.items():
        script.user("Run the tests")
        script.calls("Bash", {"command": "make test"}, animal)
        script.result("ok " * (before // 3) + f"\nsegmentation fault in {animal}\n" + "ok " * 1000, animal)
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    for turn, animal in enumerate(places, 1):
        [hit] = index.search(f'"fault in {animal}"').hits
        hit = index.search(f"segmentation {animal}").hits[0]
        assert (hit.turn, hit.why) == (turn, (f"words: segmentation, {animal}",))
        shown = f"segmentation fault in {animal}"
        assert (hit.passages[0].source, hit.snippet[: len(shown)]) == ("tool output", shown)
        assert held(index, hit, hit.passages[0]) == hit.passages[0].text


def everywhere() -> Script:
    """A turn that says zebra in each kind of text."""
    script = Script()
    script.user("Where is the zebra?")
    script.thinks("The zebra may be in a file.")
    script.calls("Grep", {"pattern": "zebra", "path": "/home/ana/code/shop"})
    script.result("src/zoo.py: zebra = 1")
    script.says("One zebra stands in the zoo.")
    return script


def test_in_restricts_the_passages(tmp_path: Path) -> None:
    expected = {
        "zebra": ["user", "assistant", "thinking", "tool call"],
        "zebra in:user": ["user"],
        "zebra in:assistant": ["assistant"],
        "zebra in:thinking": ["thinking"],
        "zebra in:tool": ["tool call", "tool output"],
        "zebra in:user in:thinking": ["user", "thinking"],
    }
    index = build(tmp_path / "data", everywhere().write(tmp_path / "src"))
    found = {}
    for query in expected:
        [hit] = index.search(query).hits
        found[query] = [passage.source for passage in hit.passages]
        assert hit.why == ("words: zebra",)
        assert [held(index, hit, passage) for passage in hit.passages] == [passage.text for passage in hit.passages]
    assert found == expected


def test_a_title_that_was_asked_for_is_the_reason_and_the_turn_is_shown_from_its_beginning(tmp_path: Path) -> None:
    script = everywhere()
    script.raw({"type": "custom-title", "customTitle": "Giraffes", "sessionId": script.session_id})
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    for query in ("giraffes", "giraffe in:title"):
        [hit] = index.search(query).hits
        assert (hit.why, hit.snippet) == ((f"title: {query.split()[0]}",), "Where is the zebra?")


def test_words_of_text_and_title_are_told_apart(tmp_path: Path) -> None:
    script = everywhere()
    script.raw({"type": "custom-title", "customTitle": "Giraffes and a zebra", "sessionId": script.session_id})
    [hit] = hits(tmp_path, script, "zoo giraffes zebra absent")
    assert hit.why == ("words: zoo, zebra", "title: giraffes")


def test_what_is_notable_is_what_query_and_snippet_do_not_say(tmp_path: Path) -> None:
    script = everywhere()
    script.raw({"type": "custom-title", "customTitle": "Giraffes", "sessionId": script.session_id})
    script.calls("Write", {"file_path": "/home/ana/code/shop/src/upload.py", "content": "a = 1"}, "t2")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    expected: dict[str, tuple[str, ...]] = {
        "zebra": (),
        "zebra in:thinking": ("in thinking",),
        "zebra in:tool": ("in a tool call",),
        '"zebra = 1"': ("in a tool result",),
        "giraffes": ("in the title",),
        "zebra zoo": (),
        "zebra zoo absent": ("2 of 3 words",),
        "giraffes zebra absent": ("2 of 3 words",),
    }
    assert {query: index.search(query).hits[0].notable for query in expected} == expected
    assert index.search("file:upload.py").hits[0].notable == ("edited src/upload.py",)


def test_a_snippet_has_no_markup_and_its_matches_are_marked_where_they_stand_then(tmp_path: Path) -> None:
    script = Script()
    script.user("How?")
    script.says("Use **only** the `zebra` of [the *zoo*](https://zoo.example/heron), no **zebra**.")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    [hit] = index.search("zebra").hits
    assert hit.snippet == "Use only the zebra of the zoo, no zebra."
    assert [hit.snippet[span.start : span.end] for span in hit.spans] == ["zebra", "zebra"]
    [by_address] = index.search("heron").hits
    assert [by_address.snippet[span.start : span.end] for span in by_address.spans] == ["heron"]


def test_a_snippet_that_ends_within_a_sentence_or_a_line_says_that_it_goes_on(tmp_path: Path) -> None:
    script = Script()
    words = "the hinge of the gate " * 9
    script.user(f"A zebra opens {words}and verifies the Git ancestry of the whole herd")
    script.says(f"A heron opens {words}and it is done. Then it goes on and on, {words}")
    script.says(f"A panda opens {words}\n\nIt is another paragraph, {words}")
    script.calls("Bash", {"command": "run"})
    script.result(f"lemur {'x' * 150}\n{'y' * 150}")
    script.calls("Bash", {"command": "run"})
    script.result(f"tapir {'x' * 150} {'y' * 150}")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    expected = {
        "zebra": "and verifies the Git…",
        "heron": "and it is done.",
        "panda": "the hinge of the gate",
        "lemur": "xxx",
        "tapir": "xxx…",
    }
    shown = {query: index.search(query).hits[0].snippet for query in expected}
    assert {query: text[-len(expected[query]) :] for query, text in shown.items()} == expected
    assert all(len(text) <= 240 for text in shown.values())


def test_a_title_has_no_markup(tmp_path: Path) -> None:
    script = Script()
    script.user("**Fix** the `zebra` of [the zoo](https://zoo.example)")
    [hit] = hits(tmp_path, script, "zebra")
    assert hit.title == "Fix the zebra of the zoo"


def test_a_summary_is_found_like_what_was_said(tmp_path: Path) -> None:
    script = Script()
    script.user("Fix the upload")
    script.compacts("Summary: the zebra was painted green.")
    script.says("I go on.")
    [hit] = hits(tmp_path, script, "painted zebra")
    assert (hit.role, hit.passages[0].source) == ("compaction_summary", "user")
    assert hit.snippet == "Summary: the zebra was painted green."


def test_a_prompt_that_was_queued_while_the_agent_worked_is_found(tmp_path: Path) -> None:
    script = Script()
    script.user("Fix the upload")
    script.calls("Bash", {"command": "make"})
    script.result("done")
    queued = {"type": "queued_command", "prompt": "and paint the zebra", "commandMode": "prompt"}
    script.entry("attachment", attachment={**queued, "origin": {"kind": "human"}})
    script.says("It is green now.")
    [hit] = hits(tmp_path, script, "zebra")
    assert (hit.turn, hit.snippet, hit.passages[0].source) == (2, "and paint the zebra", "user")


def test_a_prompt_with_an_image_is_found_by_its_text(tmp_path: Path) -> None:
    script = Script()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    script.user([image, {"type": "text", "text": "What is this zebra?"}])
    script.user([image])
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    [hit] = index.search("zebra").hits
    assert (hit.snippet, held(index, hit, hit.passages[0])) == ("What is this zebra?", "What is this zebra?")
    # A turn that is an image alone has nothing to show.
    assert [(one.turn, one.snippet, one.passages) for one in index.search("has:image").hits if one.turn == 2] == [
        (2, "", ())
    ]


def test_chinese_and_japanese_are_found(tmp_path: Path) -> None:
    script = Script()
    script.user("最初の質問です。全文検索はどう動きますか。")
    script.says("DuckDBを使う。" * 100)
    [hit] = hits(tmp_path, script, "全文検索")
    assert (hit.snippet, hit.why) == ("全文検索はどう動きますか。", ("words: 全文検索",))
    assert [hit.snippet[span.start : span.end] for span in hit.spans] == ["全文検索"]


def test_accents_that_stand_apart_are_found_where_they_are(tmp_path: Path) -> None:
    script = Script()
    script.user("re\u0301sume\u0301 " * 30 + "\nThe cafe\u0301 opens at nine.")
    script.calls("Read", {"file_path": "/home/ana/code/shop/cafe\u0301.py"})
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    [hit] = index.search("café opens").hits
    assert hit.snippet == "The café opens at nine."
    assert [held(index, hit, passage) for passage in hit.passages] == [passage.text for passage in hit.passages]


def test_a_snippet_is_one_line_without_signs_that_a_terminal_obeys(tmp_path: Path) -> None:
    script = Script()
    script.user("zebra\t\x1b[2Jis \u202ehere\u200b\r\n\n  and \x9dthere " + "so " * 100)
    [hit] = hits(tmp_path, script, "zebra")
    assert hit.snippet.startswith("zebra is here\u200b and \ufffdthere so so")
    assert plain(hit.snippet) == hit.snippet
    assert len(hit.snippet) <= 240


def test_the_edit_is_the_passage_of_a_path_and_the_sentence_that_of_a_question_with_a_path(tmp_path: Path) -> None:
    script = Script()
    script.user("Why does the upload in src/upload.py retry forever?")
    script.calls("Read", {"file_path": "/home/ana/code/shop/src/upload.py"}, "t1")
    script.result("   1→def upload(): retry()", "t1")
    script.calls("Edit", {"file_path": "/home/ana/code/shop/src/upload.py", "old_string": "a", "new_string": "b"}, "t2")
    script.result("done", "t2")
    script.says("src/upload.py has a limit now.")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    for query in ("src/upload.py", "upload.py", "/home/ana/code/shop/src/upload.py"):
        [hit] = index.search(query).hits
        assert (hit.why[0], hit.snippet) == ("edited src/upload.py", "Edit /home/ana/code/shop/src/upload.py a b")
    [hit] = index.search("file:src/upload.py").hits
    assert hit.snippet == "Edit /home/ana/code/shop/src/upload.py a b"
    [hit] = index.search("why does src/upload.py retry forever").hits
    assert hit.snippet == "Why does the upload in src/upload.py retry forever?"
    assert hit.why == ("edited src/upload.py", "words: src/upload.py, retry, forever")


def test_a_file_in_a_worktree_is_shown_by_its_call(tmp_path: Path) -> None:
    script = Script(cwd="/home/ana/code/shop/.claude/worktrees/retry")
    script.user("Go on")
    script.calls("Write", {"file_path": f"{script.cwd}/src/upload.py", "content": "x = 1"})
    script.result("done")
    [hit] = hits(tmp_path, script, "src/upload.py")
    assert hit.why[0] == "edited src/upload.py"
    assert hit.snippet == "Write /home/ana/code/shop/.claude/worktrees/retry/src/upload.py x = 1"


def test_line_numbers_of_a_file_are_not_shown(tmp_path: Path) -> None:
    script = Script()
    script.user("Look")
    script.calls("Read", {"file_path": "/home/ana/code/shop/zoo.py"})
    script.result("     1→first = 1\n     2→zebra = 2\n     3→last = 3")
    [hit] = hits(tmp_path, script, "zebra")
    assert hit.snippet == "zebra = 2 last = 3"
