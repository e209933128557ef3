"""The filter `re:`: turns with a text that a regular expression matches."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.index.search import matcher_of
from memtui_core.memory.observations.search import ObservationSearch
from memtui_core.memory.observations.store import Observations
from memtui_core.model import Hit
from support.indexes import build
from support.transcripts import OTHER_SESSION, Script

LONG = "x = 1\n" * 5000


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Session 1 has three turns, session 2 one."""
    folder = tmp_path_factory.mktemp("expressions")
    first, second = Script(), Script(OTHER_SESSION, prefix="f")
    first.user("The request timed out again\nError 502 at the gateway")
    first.says("I raise the **timeout**.")
    first.calls("Bash", {"command": 'grep "retry_count" src', "description": "Look"})
    first.result(f"{LONG}src/a.py: retry_count = 3", "t1")
    first.user("Retries: five, please")
    first.thinks("Maybe 502 is retried already.")
    first.says("Done.")
    first.user("Größe \U0001f600 prüfen, then TimeOut")
    second.user("Another session with error 404")
    return build(folder / "data", first.write(folder / "src"), second.write(folder / "src"))


def found(index: Index, query: str) -> list[tuple[str, int]]:
    return sorted((hit.session_id[:1], hit.turn) for hit in index.search(query).hits)


def test_it_leaves_turns_with_a_text_that_matches(index: Index) -> None:
    cases = {
        're:"time(d )?out"': [("1", 1), ("1", 3)],
        "re:retry_count": [("1", 1)],
        're:"grep .retry"': [("1", 1)],
        "re:^error": [("1", 1)],
        "re:gateway$": [("1", 1)],
        're:"again.error"': [],
        're:"(?s)again.error"': [("1", 1)],
        "re:502": [("1", 1), ("1", 2)],
        "re:502 in:thinking": [("1", 2)],
        "re:502 in:user": [("1", 1)],
        "re:502 in:tool": [],
        "-re:502": [("1", 3), ("2", 1)],
        r"re:error\s\d+ session:2222": [("2", 1)],
        "re:timed re:gateway": [("1", 1)],
        "re:timed re:five": [],
        "re:größe": [("1", 3)],
        "re:request in:title": [("1", 1), ("1", 2), ("1", 3)],
        "gateway re:raise": [("1", 1)],
        "five re:raise": [],
    }
    assert {query: found(index, query) for query in cases} == cases


def test_small_letters_match_capitals_unless_there_is_one(index: Index) -> None:
    cases = {
        "re:timeout": [("1", 1), ("1", 3)],
        "re:TimeOut": [("1", 3)],
        "re:(?i)TimeOut": [("1", 1), ("1", 3)],
        "re:(?-i)error": [("2", 1)],
        r"re:\Serror": [],
        r"re:\Sime\Sut": [("1", 1), ("1", 3)],
        r"re:gr\x{F6}\x{DF}e": [("1", 3)],
        r"re:gr\xF6\xDFe": [("1", 3)],
        "re:(?P<Size>größe)": [("1", 3)],
        "re:(?<Size>größe)": [("1", 3)],
        "re:(?P<Size>Größe)": [("1", 3)],
        "re:(?P<size>GRöße)": [],
    }
    assert {query: found(index, query) for query in cases} == cases


def marked(hit: Hit) -> list[str]:
    return [hit.snippet[span.start : span.end] for span in hit.spans]


def test_the_matching_text_is_the_passage_and_is_marked(index: Index) -> None:
    cases = {
        're:"time(d )?out"': ["TimeOut", "timed out"],
        # Behind what is read of a long result at first.
        're:"retry_count = \\d"': ["retry_count = 3"],
        "re:prüfen": ["prüfen"],
        # Not to the end of another text of the turn.
        're:"(?s)the request.*a"': ["The request timed out again Error 502 at the gatewa"],
        "five re:ret\\w+s": ["Retries", "five"],
    }
    assert {query: [text for hit in index.search(query).hits for text in marked(hit)] for query in cases} == cases
    hit = index.search('re:"retry_count = \\d"').hits[0]
    assert (hit.passages[0].source, hit.notable) == ("tool output", ("in a tool result",))


def test_an_opened_turn_is_marked_by_the_words_of_the_result(index: Index) -> None:
    result = index.search("five re:ret\\w+s")
    text = "No five retries\nretries 502"
    spans = matcher_of(result.words).spans(text)
    assert [text[span.start : span.end] for span in spans] == ["five", "retries", "retries"]
    assert [(one.start, one.end) for one in matcher_of(("re:^ret",)).spans(text)] == [(16, 19)]
    assert matcher_of(("re:(",)).clauses == matcher_of(("re:(", "re:(")).clauses


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("re:(", "re:( is no regular expression of RE2: missing ): ("),
        ("five re:[", "re:[ is no regular expression of RE2: missing ]: ["),
        ("re:a*", "re:a* matches an empty text"),
        (r"re:(a)\1", r"re:(a)\1 is no regular expression of RE2: invalid escape sequence: \1"),
        ("five re:\udcff", "re:\udcff is no text of UTF-8"),
        ('re:"tim', ""),
        ("re:", ""),
    ],
)
def test_what_is_no_expression_is_said_and_left_out(index: Index, query: str, note: str) -> None:
    result = index.search(query, live=True)
    assert (result.note, [hit.turn for hit in result.hits if "five" in query]) == (note, [2] if "five" in query else [])


def test_an_expression_that_backtracks_elsewhere_takes_no_longer(index: Index) -> None:
    """Of Python's engine the first would take years; a wrong engine fails by the time limit of the run."""
    assert found(index, "re:(x+x+)+y") == []
    assert found(index, "re:(=|.=)+$") == []


def test_observations_are_left_by_their_texts(tmp_path: Path) -> None:
    observations = Observations(tmp_path)
    for title, facts in (("Retries are five", ["says the Meeting"]), ("The gateway answers 502", ["twice"])):
        observations.save("s1", type="change", title=title, narrative="n", facts=facts)
    search = ObservationSearch(observations)
    queries = (r"re:5\d2", "-re:502", "re:meet", "re:meet re:five", "re:zebra")
    assert {query: [hit.observation.content.title for hit in search.search(query).hits] for query in queries} == {
        r"re:5\d2": ["The gateway answers 502"],
        "-re:502": ["Retries are five"],
        "re:meet": ["Retries are five"],
        "re:meet re:five": ["Retries are five"],
        "re:zebra": [],
    }
