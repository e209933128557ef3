"""Which characters of a text are marked: the words of the query as the index matched them, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.model import Span
from memtui_core.search.query_parser import parse
from memtui_core.store.lexicon import Matcher, matcher_of
from memtui_core.store.lexicon.query import content_words, read_clauses

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=400)


def marked(text: str, spans: Sequence[Span]) -> str:
    """The text with its spans in brackets."""
    for span in reversed(spans):
        text = f"{text[: span.start]}[{text[span.start : span.end]}]{text[span.end :]}"
    return text


def shown(text: str, query: str, *, live: bool = False) -> str:
    """A text as both a snippet and an opened turn mark it."""
    asked = parse(query)
    of_snippet = Matcher(read_clauses(asked, live=live).clauses).spans(text)
    assert matcher_of(content_words(asked), prefix=live and asked.last_is_prefix).spans(text) == of_snippet
    return marked(text, of_snippet)


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("Retry the upload, then RETRY.", "retry", "[Retry] the upload, then [RETRY]."),
        ("call retryUpload now", "upload", "call retry[Upload] now"),
        ("call retryUpload now", "retryupload", "call [retryUpload] now"),
        ("call retry_upload now", "retryUpload", "call [retry_upload] now"),
        ("a reload, an upload", "load", "a reload, an upload"),
        ("parseHTTPHeader v2", "http header v2", "parse[HTTP][Header] [v2]"),
        ("set api_key to the api key", "api_key", "set [api_key] to the [api key]"),
        ("in src/pricing.ts: pricing", "src/pricing.ts", "in [src/pricing.ts]: pricing"),
        ("C++ and c", "C++", "[C++] and c"),
        ("only c here", "C++", "only [c] here"),
        ("we decided; deciding is hard", "what did we decide?", "we [decided]; [deciding] is hard"),
        ("it's what it is", "it's", "[it's] what it is"),
        ("un café à Łódź", "CAFE lodz", "un [café] à [Łódź]"),
        ("全文検索して、検索", "検索", "全文[検索]して、[検索]"),
        ("DuckDBを使う", "duckdb", "[DuckDB]を使う"),
        ("İstanbul, ISTANBUL", "istanbul", "[İstanbul], [ISTANBUL]"),
        ("the exact\n phrase, phrase", '"exact phrase"', "the [exact\n phrase], phrase"),
        ("nothing to see", "absent", "nothing to see"),
    ],
)
def test_words_are_marked_as_the_index_finds_them(text: str, query: str, expected: str) -> None:
    assert shown(text, query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("how to store the topic", "The [topic] of the [store] is how to go to a topical customer"),
        ("to", "The topic of the store is how [to] go [to] a topical customer"),
        ("to be", "The topic of the store is how [to] go [to] a topical customer"),
        ('"to go" store', "The topic of the [store] is how [to go] to a topical customer"),
    ],
)
def test_stop_words_are_marked_only_where_there_is_nothing_else_and_never_in_a_word(query: str, expected: str) -> None:
    assert shown("The topic of the store is how to go to a topical customer", query) == expected


def test_the_last_word_is_a_prefix_while_live() -> None:
    text = "retryUploads uploader preupload"
    assert shown(text, "upl", live=True) == "retry[Uploads] [uploader] preupload"
    assert shown(text, "upl", live=False) == text
    assert shown(text, "upl ", live=True) == text
    assert shown("to a topic, into", "upload to", live=True) == "to a topic, into"


def test_a_match_at_the_end_of_a_very_long_text_is_marked() -> None:
    text = "word " * 1_000_000 + "needle"
    assert matcher_of(["needle"]).spans(text) == [Span(5_000_000, 5_000_006)]


def test_a_match_on_the_border_of_two_stretches_is_marked_once() -> None:
    matcher = matcher_of(["needle"])
    for border in (2_048, 2_048 + 8_192):
        for before in range(border - 8, border + 2):
            assert matcher.spans("x" * before + " needle word") == [Span(before + 1, before + 7)]


def test_words_and_phrases_are_taken_as_typed() -> None:
    text = "The retry of retryUpload: exact phrase, phrase"
    assert marked(text, matcher_of(["exact phrase", "retry", "--"]).spans(text)) == (
        "The [retry] of [retry]Upload: [exact phrase], phrase"
    )
    assert matcher_of([]).spans(text) == []


def test_of_matches_at_one_place_the_longest_is_marked() -> None:
    assert matcher_of(["exact", "exact phrase"]).spans("exact phrase") == [Span(0, 12)]


def test_no_more_than_5000_places_are_marked() -> None:
    assert matcher_of(["a1"]).spans("a1 " * 6000) == [Span(start, start + 2) for start in range(0, 15_000, 3)]


def test_clauses_in_are_those_that_stand_in_the_text_however_far() -> None:
    matcher = matcher_of(["retry", "upload", "absent"])
    assert matcher.clauses_in("retryUpload") == {0, 1}
    assert matcher.clauses_in("upload " * 50_000 + "retries") == {0, 1}
    assert matcher.clauses_in("preupload") == set()


@given(ANY_TEXT, ANY_TEXT, st.booleans())
def test_any_text_and_query_give_spans_that_do_not_overlap_and_hold_no_white_space_at_their_ends(
    text: str, query: str, live: bool
) -> None:
    last = 0
    for span in Matcher(read_clauses(parse(query), live=live).clauses).spans(text):
        assert last <= span.start < span.end <= len(text)
        assert text[span.start : span.end].strip() == text[span.start : span.end]
        last = span.end


@given(st.lists(st.sampled_from(["alpha", "beta", "x" * 90, "ß", "検索", "\n", "a_b"]), max_size=200))
def test_a_word_that_is_there_is_marked_wherever_it_stands(words: list[str]) -> None:
    text = " ".join([*words, "needle", *words])
    assert [text[span.start : span.end] for span in matcher_of(["needle"]).spans(text)] == ["needle"]
