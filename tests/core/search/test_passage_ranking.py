"""A sentence finds the turn in which one passage answers it, not the one that has its words somewhere."""

from __future__ import annotations

import pytest

from memtui_core.index.index import Index
from memtui_core.model import Passage
from memtui_core.search.fusion import is_sentence, rank_of_passage
from memtui_core.search.passages.ranking import TurnPassages
from memtui_core.search.query_parser import parse
from support.indexes import build
from support.transcripts import Script

FILLER = (
    "Nothing of this matters here, and it goes on for a while so that the words are far apart from each other. " * 4
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    script = Script()
    script.user("Look at the queue")
    script.says(f"The deploy is done. {FILLER} A worker was added. {FILLER} It is slow. {FILLER} The queue is empty.")
    script.user("And now?")
    script.says(f"{FILLER} After the deploy the queue is slow because a worker waits for a lock. {FILLER}")
    script.user("Write the notes")
    script.says(FILLER)
    folder = tmp_path_factory.mktemp("ranking")
    return build(folder / "data", script.write(folder / "src"))


def turns(index: Index, query: str, *, grouped: bool = False) -> list[int]:
    return [hit.turn for hit in index.search(query, grouped=grouped).hits]


def test_words_in_one_passage_stand_before_the_same_words_in_several(index: Index) -> None:
    assert turns(index, "deploy queue slow worker") == [2, 1]
    assert index.search("deploy queue slow worker").hits[0].snippet.startswith("After the deploy the queue is slow")


def test_scores_fall_in_the_order_of_the_hits(index: Index) -> None:
    scores = [hit.score for hit in index.search("deploy queue slow worker notes").hits]
    assert (len(scores), scores) == (3, sorted(scores, reverse=True))


def test_groups_of_hits_have_the_same_order(index: Index) -> None:
    assert turns(index, "deploy queue slow worker", grouped=True) == [2, 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("deploy queue slow", True),
        ("why is it slow", True),
        ("queue slow", False),
        ("deploy retry_upload slow", False),
        ("why is retry_upload so slow", True),
        ("fix(queue): deploy retry_upload", False),
        ("deploy src/a.py slow", False),
        ('deploy "the queue" is slow', False),
        ("deploy queue slow -worker", False),
    ],
)
def test_a_sentence_has_three_words_and_hardly_a_name(text: str, expected: bool) -> None:
    assert is_sentence(parse(text)) == expected


@pytest.mark.parametrize(
    ("text", "source", "rank"),
    [
        ("deploy queue slow", "user", 1.0),
        ("why is it slow", "user", 0.93),
        ("the queue is slow?", "user", 0.93),
        ("Why is it slow", "assistant", 1.0),
    ],
)
def test_a_prompt_answers_a_question_less_often_than_the_agent(text: str, source: str, rank: float) -> None:
    passage = Passage(0, 0, 4, source, "text")  # type: ignore[arg-type]
    assert rank_of_passage(parse(text), 1.0, TurnPassages((passage,), score=1.0)) == pytest.approx(rank)


def test_a_turn_without_a_passage_keeps_its_own_score() -> None:
    assert rank_of_passage(parse("why is it slow"), 1.0, TurnPassages()) == pytest.approx(0.65)
