from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtui_core.search.query_parser import parse
from memtui_core.store.lexicon import Lexicon, LexiconWriter
from memtui_core.store.lexicon.query import content_words, read_clauses
from memtui_core.store.lexicon.tokens import bigrams, compounds, fold, forms, part_tokens, parts, words
from support.turn_docs import doc, index, texts_of, turns

HOSTILE = ["src/pricing.ts", "C++", "what did we decide?", "it's", "open-mem", "AND", '"', "*", "", "--include-file"]
FIELDS = {"user", "assistant", "thinking", "tool call", "tool output", "title", "path", "note"}


SMALL = [
    doc(1, "please look at src/pricing.ts"),
    doc(2, "src is a folder; pricing is hard; ts is short"),
    doc(3, "rewrite the parser in C++"),
    doc(4, "a c b"),
    doc(5, assistant="we decided to keep the queue"),
    doc(6, assistant="it's the open-mem project AND more"),
    doc(7, call="run with --include-file config.toml"),
    doc(8, output="nothing of note"),
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Lexicon:
    return index(tmp_path_factory.mktemp("small"), *SMALL)


@pytest.mark.spec("S3.7")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("src/pricing.ts", [1]),
        ("C++", [3, 4]),
        ("what did we decide?", [5]),
        ("it's", [6]),
        ("open-mem", [6]),
        ("AND", [6]),
        ('"', []),
        ("*", []),
        ("", []),
        ("--include-file", [7]),
    ],
)
def test_hostile_queries_find_what_they_say(small: Lexicon, query: str, expected: list[int]) -> None:
    assert turns(small, query) == expected


@pytest.mark.spec("S3.7")
@given(st.text(st.characters(exclude_categories=()), max_size=60), st.booleans())
def test_no_query_raises(small: Lexicon, query: str, live: bool) -> None:
    hits = small.search(parse(query), 5, live=live)
    assert len(hits) <= 5
    assert all(set(hit.fields(texts_of(SMALL[hit.turn - 1]))) <= FIELDS for hit in hits)


@pytest.mark.spec("S3.7")
@given(st.text(alphabet="srcpi/._-+#\"*:' 検索\u0301ﬁß", max_size=30), st.booleans())
def test_no_mix_of_signs_raises(small: Lexicon, query: str, live: bool) -> None:
    hits = small.search(
        parse(query),
        5,
        live=live,
        fields=["user"],
        sessions=[1],
        read_texts=lambda turns, _: {turn: texts_of(SMALL[turn - 1]) for turn in turns},
    )
    for hit in hits:
        assert "user" in hit.fields(texts_of(SMALL[hit.turn - 1]))


@pytest.mark.spec("S3.7")
@pytest.mark.parametrize("query", HOSTILE)
def test_excluding_a_hostile_word_does_not_raise(small: Lexicon, query: str) -> None:
    assert turns(small, f"queue -{query}")[:1] == [5]


def test_identifiers_are_found_whole_in_parts_and_while_typing(tmp_path: Path) -> None:
    lexicon = index(tmp_path, doc(1, "call retryUpload twice"), doc(2, "a retry upload"), doc(3, "reload"))
    assert turns(lexicon, "retryupload") == [1]
    assert turns(lexicon, "RetryUpload") == [1, 2]
    assert turns(lexicon, "upload") == [2, 1]
    assert turns(lexicon, "load") == []
    assert turns(lexicon, "retryUp", live=True) == [1]
    assert turns(lexicon, "retryUp") == []


def test_an_identifier_stands_before_its_words(tmp_path: Path) -> None:
    lexicon = index(
        tmp_path, doc(1, "the api key, the api key"), doc(2, "set api_key in the settings of the app"), doc(3, "apiKey")
    )
    assert turns(lexicon, "api_key") == [2, 1, 3]
    assert turns(lexicon, "apiKey")[0] == 3


def test_parts_of_a_path_are_a_phrase(tmp_path: Path) -> None:
    lexicon = index(tmp_path, doc(1, paths="src/net/upload.py"), doc(2, paths="src/upload.py net"))
    assert turns(lexicon, "net/upload.py") == [1]
    assert turns(lexicon, "net/upl", live=True) == [1]


def test_scripts_without_spaces_are_found_inside_a_sentence(tmp_path: Path) -> None:
    lexicon = index(
        tmp_path,
        doc(1, "全文検索してください"),
        doc(2, "DuckDBを使う"),
        doc(3, "索検"),
        doc(4, "한국어를 쓴다"),
        doc(5, "ใช้ภาษาไทย"),
    )
    assert turns(lexicon, "検索") == [1]
    assert sorted(turns(lexicon, "索")) == [1, 3]
    assert turns(lexicon, "い") == [1]
    assert turns(lexicon, "検索して") == [1]
    assert turns(lexicon, "duckdb") == [2]
    assert turns(lexicon, "DuckDBを使う") == [2]
    assert turns(lexicon, "국어") == [4]
    assert turns(lexicon, "ภาษา") == [5]
    [hit] = lexicon.search(parse("検索"), 5)
    assert (hit.turn, hit.fields({"user": "全文検索"})) == (1, ("user",))


def test_phrases_are_exact(tmp_path: Path) -> None:
    lexicon = index(tmp_path, doc(1, "retry the upload"), doc(2, "the upload will retry"), doc(3, "Retry\nthe upload"))
    assert turns(lexicon, '"retry the upload"') == [1, 3]
    assert turns(lexicon, '"the upload will"') == [2]
    assert turns(lexicon, '"upload the"') == []


def test_excluded_words_and_phrases_are_out(tmp_path: Path) -> None:
    lexicon = index(tmp_path, doc(1, "upload part"), doc(2, "upload all parts"), doc(3, "upload 検索する"))
    assert sorted(turns(lexicon, "upload -part")) == [2, 3]
    assert turns(lexicon, 'upload -"all parts" -検索') == [1]
    assert turns(lexicon, "-upload") == []


def test_accents_and_case_do_not_count(tmp_path: Path) -> None:
    lexicon = index(tmp_path, doc(1, "Un CAFÉ à Łódź"), doc(2, "cafe\u0301"), doc(3, "İstanbul Straße ＡＢＣ"))
    assert sorted(turns(lexicon, "café")) == [1, 2]
    assert sorted(turns(lexicon, "cafe\u0301")) == [1, 2]
    assert turns(lexicon, "lodz") == [1]
    assert turns(lexicon, "istanbul strasse abc") == [3]


def test_all_terms_stand_before_some(tmp_path: Path) -> None:
    lexicon = index(
        tmp_path,
        doc(1, "backoff backoff backoff"),
        doc(2, output="a long output in which retry and then backoff stand among many other words " * 5),
        doc(3, "retry"),
    )
    hits = lexicon.search(parse("retry backoff"), 10)
    assert hits[0].turn == 2
    assert {hit.turn for hit in hits[1:]} == {1, 3}
    assert hits[1].score <= 0.6 * hits[0].score
    assert turns(lexicon, "retry backoff", 1) == [2]


def test_without_that_order_a_long_turn_with_every_word_does_not_lead(tmp_path: Path) -> None:
    lexicon = index(
        tmp_path,
        doc(1, output=f"retry {'many other words ' * 300} backoff {'many other words ' * 300} limit"),
        doc(2, "The backoff has a limit."),
        *(doc(turn, "something else") for turn in range(3, 9)),
    )
    query = parse("retry backoff limit")
    orders = [[hit.turn for hit in lexicon.search(query, 10, every_first=first)] for first in (True, False)]
    assert orders == [[1, 2], [2, 1]]


@pytest.mark.parametrize("query", ["HTTP 400", "answered HTTP 400 again"])
def test_words_near_each_other_in_the_order_of_the_query_stand_before_scattered_ones(
    query: str, tmp_path: Path
) -> None:
    lexicon = index(
        tmp_path,
        doc(1, "400 pages were answered again, and some of them over plain HTTP from there"),
        doc(2, "pages were answered again, and some of them plain HTTP code 400 over from there"),
        doc(3, "pages were answered again, and some of them plain 400 code HTTP over from there"),
    )
    assert turns(lexicon, query)[0] == 2


def test_stop_words_do_not_decide(tmp_path: Path) -> None:
    lexicon = index(tmp_path, doc(1, "what did we do about that?"), doc(2, assistant="The queue was decided on."))
    assert turns(lexicon, "what did we decide about that?") == [2]
    assert turns(lexicon, "what did we") == [1]


def test_other_forms_of_a_word_stand_behind_the_word(tmp_path: Path) -> None:
    lexicon = index(tmp_path, doc(1, "retries"), doc(2, "retry"), doc(3, "retrying"), doc(4, "retrospect"))
    assert turns(lexicon, "retry")[0] == 2
    assert sorted(turns(lexicon, "retry")) == [1, 2, 3]


def test_a_match_in_tool_output_counts_less_than_in_the_answer(tmp_path: Path) -> None:
    lexicon = index(tmp_path, doc(1, output="backoff here"), doc(2, assistant="backoff here"), doc(3, "other"))
    assert turns(lexicon, "backoff") == [2, 1]


def test_equal_scores_are_ordered_by_age_then_by_turn(tmp_path: Path) -> None:
    same = [doc(turn, "same words", at=at) for turn, at in ((4, 50), (3, 50), (1, 99), (2, 10))]
    assert turns(index(tmp_path / "a", *same), "same") == [1, 3, 4, 2]
    assert turns(index(tmp_path / "b", *reversed(same)), "same words", 3) == [1, 3, 4]


def test_a_hit_says_where_the_words_stand_the_fields_with_most_of_them_first(tmp_path: Path) -> None:
    turn = doc(7, "Retry it", title="Uploads", call="Edit\nsrc/retry.py", notes="/r\u00e9try re\u0301try")
    lexicon = index(tmp_path, turn)
    [hit] = lexicon.search(parse("retry"), 5)
    assert (hit.turn, hit.fields(texts_of(turn))) == (7, ("user", "tool call", "note"))
    [hit] = lexicon.search(parse("retry edit"), 5)
    assert hit.fields(texts_of(turn)) == ("tool call", "user", "note")
    assert hit.fields({"notes": "re\u0301try"}) == ("note",)


def test_a_word_is_rarer_the_fewer_turns_hold_it(tmp_path: Path) -> None:
    mail = {turn: "mail" if turn <= 5 else "" for turn in range(1, 20)}
    docs = [doc(turn, "the upload", assistant=mail[turn], output=mail[turn]) for turn in mail]
    lexicon = index(tmp_path, *docs, doc(20, "全文検索", thinking="zebra"))

    def rarity(query: str) -> list[float]:
        return [round(one, 2) for one in lexicon.rarity(read_clauses(parse(query)).clauses)]

    # Of the 21 documents one is the index's own: log(22 / (documents + 1)) / log(22), at least 0.1.
    assert rarity("upload mail zebra absent") == [0.1, 0.42, 0.78, 1.0]
    assert rarity('"mail zebra"') == [0.78]
    assert rarity("検索 言語") == [0.78, 1.0]
    assert Lexicon(tmp_path / "none").rarity(read_clauses(parse("upload zebra")).clauses) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Retry (src/Upload.py), what's-new C++", ["retry", "src/upload.py", "what's-new", "c++"]),
        ('"Exact  phrase" --include-file', ["exact phrase", "--include-file"]),
        ("DuckDBを使う retryUpload api_key Café", ["duckdb", "を使う", "retryupload", "api_key", "cafe"]),
    ],
)
def test_a_clause_is_called_as_a_person_writes_it(query: str, expected: list[str]) -> None:
    assert [clause.label for clause in read_clauses(parse(query)).clauses] == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("what did we decide about the queue", ("decide", "queue")),
        ('why "to be" broken', ("to be", "broken")),
        ("to be or not to be", ("to", "be", "or", "not", "to", "be")),
        ("the C++ code of src/the.py", ("C++", "code", "src/the.py")),
        ("検索 の", ("検索", "の")),
        ("-upload", ()),
        ("", ()),
    ],
)
def test_content_words_are_those_that_say_something(query: str, expected: tuple[str, ...]) -> None:
    assert content_words(parse(query)) == expected


def test_only_the_fields_asked_for_count(tmp_path: Path) -> None:
    docs = [doc(1, "retryUpload 検索", output="x"), doc(2, "x", output="retryUpload 検索")]
    lexicon = index(tmp_path, *docs)
    for query in ("retryupload", "upload", "検索", "retryUpload 検索"):
        hits = lexicon.search(
            parse(query),
            5,
            fields=["output"],
            read_texts=lambda turns, _: {turn: texts_of(docs[turn - 1]) for turn in turns},
        )
        assert [hit.turn for hit in hits] == [2]


def test_texts_are_read_only_of_turns_of_which_the_fields_do_not_tell(tmp_path: Path) -> None:
    docs = [
        doc(1, "retry the upload", output="mail"),
        doc(2, "mail", output="retry the upload"),
        doc(3, "mail", output="retryUpload"),
        doc(4, "retryUpload mail", output="x"),
    ]
    lexicon = index(tmp_path, *docs)
    read: list[list[int]] = []

    def read_texts(turns: Sequence[int], fields: Collection[str]) -> dict[int, dict[str, str]]:
        assert set(fields) == {"output"}
        read.append(sorted(turns))
        return {turn: texts_of(docs[turn - 1]) for turn in turns}

    def found(query: str) -> list[int]:
        return sorted(hit.turn for hit in lexicon.search(parse(query), 5, fields=["output"], read_texts=read_texts))

    assert (found("mail"), read) == ([1], [])
    assert (found('"the upload"'), read) == ([2], [])
    assert (found("upload"), read) == ([2, 3], [[3, 4]])
    assert (found("nothing"), read) == ([], [[3, 4]])
    assert [hit.turn for hit in lexicon.search(parse("upload"), 5, fields=["output"])] == [2]


@pytest.mark.spec("S4.20")
def test_sessions_are_filtered_before_the_limit(tmp_path: Path) -> None:
    near = [doc(turn, "upload " * 9, session=1) for turn in range(1, 151)]
    lexicon = index(tmp_path, *near, doc(200, "much else and one upload", session=2))
    query = parse("upload")
    assert [hit.turn for hit in lexicon.search(query, 3, sessions=[2, 99])] == [200]
    assert [hit.turn for hit in lexicon.search(query, 3, turns=[200])] == [200]
    assert lexicon.search(query, 3, sessions=[]) == []
    assert len(lexicon.search(query, 3)) == 3
    assert lexicon.search(query, 0) == []


@pytest.fixture(scope="module")
def any_text(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LexiconWriter, Path]]:
    folder = tmp_path_factory.mktemp("any")
    writer = LexiconWriter(folder)
    yield writer, folder
    writer.close()


@example("⑴")
@example("Ʀ")
@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_any_text_can_be_indexed_and_each_of_its_words_found(any_text: tuple[LexiconWriter, Path], text: str) -> None:
    writer, folder = any_text
    writer.put(doc(1, text, output=text))
    writer.commit(1)
    wanted = words(text.split()[0]) if text.split() else []
    found = turns(Lexicon(folder), " ".join(wanted)) if wanted else [1]
    assert found == [1]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("retryUpload and api_key", ["retryUpload", "api_key"]),
        ("HTTPServer HTTP Server", ["HTTPServer"]),
        ("__init__ utf8 C++ C# x", ["__init__", "utf8", "C++", "C#"]),
        ("MAX_RETRIES of Plain words", ["MAX_RETRIES"]),
    ],
)
def test_names_of_several_parts_are_found_in_text(text: str, names: list[str]) -> None:
    assert compounds(text) == names


def test_names_are_taken_apart() -> None:
    assert parts("parseHTTPHeader_v2") == ("parse", "http", "header", "v", "2")
    assert part_tokens(["parseHTTPHeader_v2 parseHTTPHeader_v2", "C++"]) == "c++ header http parse parsehttpheader_v2"


def test_numbers_in_circles_brackets_or_with_a_dot_are_numbers() -> None:
    assert words("① ⑳ ⑴ ⒇ ⒈ ⒛") == ["1", "20", "1", "20", "1", "20"]


def test_runs_become_pairs_and_a_last_character() -> None:
    assert [bigrams("検索機"), bigrams("検")] == [["検索", "索機", "機"], ["検"]]


@given(st.text(max_size=100))
def test_folding_keeps_every_place(text: str) -> None:
    assert len(fold(text)) == len(text)


@pytest.mark.parametrize(
    ("word", "other"),
    [("decide", "decided"), ("decided", "decide"), ("retry", "retries"), ("retries", "retry"), ("stop", "stopped")],
)
def test_forms_of_a_word(word: str, other: str) -> None:
    assert other in forms(word)
    assert word not in forms(word)


@settings(deadline=None)
@given(st.text(alphabet="abzABZ09_+#.-é字 \n", max_size=40))
def test_names_are_found_as_by_a_search_from_each_word_on(text: str) -> None:
    name = re.compile(
        r"(?a)\b(?:(?:[A-Z]++[a-z]*+|[a-z]++)(?:[A-Z0-9_]\w*+|\+\+|#(?!\w))|[A-Z]{2,}+[a-z]\w*+|_++[A-Za-z]\w*+)"
    )
    assert compounds(text) == name.findall(text)
