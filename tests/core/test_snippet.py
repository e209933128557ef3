from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.lexicon import Snippet, find_spans, make
from memtui_core.model import Span
from memtui_core.query import parse

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=400)


def marked(text: str, spans: Sequence[Span]) -> str:
    """The text with its spans in brackets."""
    for span in reversed(spans):
        text = f"{text[: span.start]}[{text[span.start : span.end]}]{text[span.end :]}"
    return text


def shown(text: str, query: str, width: int = 240, *, live: bool = False) -> str:
    snippet = make({"user": text}, parse(query), width, live=live)
    return marked(snippet.text, snippet.spans)


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
        ("the exact\n phrase, phrase", '"exact phrase"', "the [exact phrase], phrase"),
        ("nothing to see", "absent", "nothing to see"),
    ],
)
def test_words_are_marked_as_the_index_finds_them(text: str, query: str, expected: str) -> None:
    assert shown(text, query) == expected


def test_the_last_word_is_a_prefix_while_live() -> None:
    text = "retryUploads uploader preupload"
    assert shown(text, "upl", live=True) == "retry[Uploads] [uploader] preupload"
    assert shown(text, "upl", live=False) == text
    assert shown(text, "upl ", live=True) == text


def test_white_space_and_control_signs_are_one_space() -> None:
    assert shown("a\t\tb\r\n\n  c\x1b[31m red\x00word", "red") == "a b c [31m [red] word"


def test_the_window_with_the_most_terms_wins_then_the_earlier_one() -> None:
    filler = "lorem ipsum dolor " * 40
    text = f"alpha one {filler} alpha two beta {filler} beta alpha three"
    assert shown(text, "alpha beta", 40) == "…dolor [alpha] two [beta] lorem ipsum…"
    assert shown(text, "alpha", 30) == "[alpha] one lorem ipsum dolor…"


def test_the_best_field_gives_the_snippet_the_earlier_one_on_a_tie() -> None:
    texts = {"user": "only alpha", "assistant": "alpha and beta", "output": "beta and alpha"}
    query = parse("alpha beta")
    assert make(texts, query) == Snippet("alpha and beta", (Span(0, 5), Span(10, 14)), "assistant")
    assert make({"user": " ", "title": "A title"}, query) == Snippet("A title", (), "title")
    assert make({"user": ""}, query) == Snippet("")


def test_a_match_at_the_end_of_a_very_long_text_is_found() -> None:
    text = "word " * 1_000_000 + "needle"
    assert shown(text, "needle", 30) == "…" + "word " * 4 + "[needle]"


def test_a_match_on_the_border_of_two_stretches_is_marked_once() -> None:
    for before in range(8180, 8195):
        assert find_spans("x" * before + " needle word", ["needle"]) == [Span(before + 1, before + 7)]


def test_find_spans_takes_words_and_phrases_as_typed() -> None:
    text = "The retry of retryUpload: exact phrase, phrase"
    assert marked(text, find_spans(text, ["exact phrase", "retry", "--"])) == (
        "The [retry] of [retry]Upload: [exact phrase], phrase"
    )
    assert find_spans(text, []) == []


def test_of_matches_at_one_place_the_longest_is_marked() -> None:
    assert find_spans("exact phrase", ["exact", "exact phrase"]) == [Span(0, 12)]


@given(ANY_TEXT, ANY_TEXT, st.integers(20, 300), st.booleans())
def test_any_text_and_query_give_one_line_with_spans_inside(text: str, query: str, width: int, live: bool) -> None:
    snippet = make({"user": text}, parse(query), width, live=live)
    assert len(snippet.text) <= width
    assert len(snippet.text.splitlines()) <= 1
    last = 0
    for span in snippet.spans:
        assert last <= span.start < span.end <= len(snippet.text)
        last = span.end


@given(
    st.lists(st.sampled_from(["alpha", "beta", "x" * 90, "ß", "検索", "\n", "a_b"]), max_size=200), st.integers(30, 99)
)
def test_a_word_that_is_there_is_in_the_snippet(words: list[str], width: int) -> None:
    snippet = make({"user": " ".join([*words, "needle", *words])}, parse("needle"), width)
    assert [snippet.text[span.start : span.end] for span in snippet.spans] == ["needle"]
