"""The bench of search quality: what it asks, and how it counts."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench.quality import known_items, measure, names, prose
from bench.quality.__main__ import main, run, table
from bench.quality.answering import shows_answer
from bench.quality.measure import Answer, Row, rank, rows, score
from bench.quality.questions import HAND_WRITTEN, KINDS, Place, Question, half_of, hand_written, spread
from bench.quality.texts import Texts, identifiers
from memtui_core.index import Index
from memtui_core.model import BlockKind, Passage, Source
from support.indexes import build, update
from support.transcripts import SESSION, Script

TESTS = Path(__file__).parents[1]
SAMPLES = TESTS.parent / "sample_sessions" / "projects"


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of an index of the sample sessions in reverse order, without vectors; read only."""
    data = tmp_path_factory.mktemp("samples")
    update(data, *sorted(SAMPLES.iterdir(), reverse=True))
    return data


@pytest.fixture(scope="module")
def asked(samples: Path) -> list[Question]:
    """All questions about them."""
    return known_items.make(samples)


def places(data: Path) -> set[Place]:
    index = Index.open(data)
    sessions = index.sessions()
    for session in sessions:
        sessions += index.subagents(session.key)
    return {(session.session_id, turn.line) for session in sessions for turn in index.turns(session.key)}


@pytest.fixture(scope="module")
def two_tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of a session with an edit, another task, and a summary of both; read only."""
    folder = tmp_path_factory.mktemp("two_tasks")
    script = Script()
    script.user("Please make the tokenizer handle nested quotation marks without crashing")
    script.calls(
        "Edit", {"file_path": "/home/ana/code/shop/src/lexer.py", "new_string": "def splitQuoted(): --keep-marks"}
    )
    script.result("done")
    script.says("The tokenizer keeps nested quotation marks now.")
    script.user("Choose a calmer palette for the dashboard header")
    script.says("The palette is pastel; contrast stays accessible.")
    script.compacts(
        'Summary:\n- Fixed "nested quotation marks" in the tokenizer: no crashing.\n'
        "- Changed the palette, and the tokenizer too."
    )
    script.user("Go on with the footer")
    script.says("The footer is next.")
    update(folder / "data", script.write(folder / "source"))
    return folder / "data"


def test_the_same_questions_come_from_the_same_transcripts_in_any_order(
    asked: list[Question], sample_index: Path
) -> None:
    assert known_items.make(sample_index) == asked


def test_every_answer_is_a_turn_of_the_index(samples: Path, asked: list[Question]) -> None:
    answers = {place for question in asked for place in question.answers | question.aside}
    assert answers - places(samples) == set()
    assert {question.kind for question in asked} == set(KINDS)
    assert len({(question.kind, question.text) for question in asked}) == len(asked)


def test_no_kind_has_more_questions_than_asked_for(samples: Path) -> None:
    made = [question.kind for question in known_items.make(samples, 2) if question.kind in KINDS[:4]]
    assert made == [kind for kind in KINDS[:4] for _ in range(2)]


def test_a_file_is_asked_for_by_its_name_and_answered_by_its_edits(two_tasks: Path) -> None:
    assert names.files(Texts(two_tasks), 10) == [Question("file", "lexer.py", frozenset({(SESSION, 0)}))]


def test_an_identifier_of_a_tool_call_is_answered_by_the_turns_that_hold_it(two_tasks: Path) -> None:
    texts = Texts(two_tasks)
    found = names.identifiers(texts, texts.words(), 10)
    answers = frozenset({(SESSION, 0)})
    assert {question.text for question in found} == {"splitQuoted", "--keep-marks"}
    assert {question.answers for question in found} == {answers}


def test_a_paraphrase_is_half_of_the_words_of_a_request_and_two_later_ones(two_tasks: Path) -> None:
    texts = Texts(two_tasks)
    found = {min(one.answers): one.text.split() for one in prose.paraphrases(texts, texts.words(), 10)}
    first = ["Please", "make", "the", "tokenizer", "handle", "nested", "quotation", "marks", "without", "crashing"]
    assert set(found) == {(SESSION, 0), (SESSION, 4)}
    asked, later = found[SESSION, 0][:-2], found[SESSION, 0][-2:]
    assert asked == [word for word in first if word in asked]
    assert len(asked) == len(first) // 2
    assert not set(later) & set(first)


def test_a_sentence_of_a_summary_is_answered_by_the_turn_it_tells_of_when_one_is_ahead(two_tasks: Path) -> None:
    texts = Texts(two_tasks)
    summary = [head.place for head in texts.heads if head.kind == "compaction"]
    sentence = "Fixed nested quotation marks in the tokenizer no crashing"
    expected = Question("compaction", sentence, frozenset({(SESSION, 0)}), frozenset(summary))
    assert prose.compactions(texts, texts.words(), 10) == [expected]


def test_identifiers_are_names_and_flags_but_not_parts_of_paths() -> None:
    call = {
        "command": "run --dry-run src/my_tool.py other_file.py",
        "edits": [{"new": "parseLine(max_width, a_b, x1_2_3_4)"}],
    }
    assert list(identifiers(json.dumps(call))) == ["--dry-run", "parseLine", "max_width"]
    assert list(identifiers("not JSON but lineCount")) == ["lineCount"]


def test_a_long_session_is_asked_about_no_more_than_the_others() -> None:
    items = [("a", 1), ("a", 2), ("a", 3), ("b", 4)]
    found = spread(items, lambda item: item[0], str, 3)
    assert sorted(session for session, _ in found) == ["a", "a", "b"]
    assert {session for session, _ in found[:2]} == {"a", "b"}


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        ([("s", 1)], 1),
        ([("s", 2), ("t", 1), ("s", 1)], 3),
        ([("s", 9), ("s", 1)], 1),
        ([("s", number) for number in range(20, 30)] + [("s", 1)], None),
        ([], None),
    ],
)
def test_rank_is_that_of_the_first_turn_that_answers_without_those_aside(
    hits: list[Place], expected: int | None
) -> None:
    question = Question("file", "x", frozenset({("s", 1), ("s", 3)}), frozenset({("s", 9)}))
    assert rank(question, hits) == expected


def test_score_is_the_mean_of_reciprocal_ranks_and_the_shares_found_and_of_those_shown() -> None:
    answers = [Answer(1, shown=True), Answer(4), Answer(None), Answer(None)]
    assert score("file", "paths", answers) == Row("file", "paths", 4, 0.3125, 0.5, 0.5)
    assert score("file", "paths", [Answer(None)]) == Row("file", "paths", 1, 0.0, 0.0, 0.0)
    assert score("file", "paths", []) == Row("file", "paths", 0, 0.0, 0.0, 0.0)


def test_a_passage_answers_when_it_was_said_and_holds_half_of_the_words_of_the_best_place(tmp_path: Path) -> None:
    script = Script()
    script.user("Paint the tokenizer of the dashboard green")
    script.calls("Bash", {"command": "paint tokenizer dashboard"})
    script.result("painted tokenizer dashboard green footer")
    script.says("First much is to be said about other things. " * 8 + "The footer is green.")
    index = build(tmp_path / "data", script.write(tmp_path / "source"))
    query = "paint the tokenizer dashboard green footer"
    [hit] = index.search(query, 1).hits
    blocks = {block.kind: block for block in index.blocks(hit.session, 1, 1)[1]}

    def shown(kind: BlockKind, source: Source, text: str, asked: str = query) -> bool:
        block = blocks[kind]
        first = block.text.find(text)
        return shows_answer(index, replace(hit, passages=(Passage(block.seq, first, first, source, text),)), asked)

    # The best place that was said holds four of the five words.
    assert shown("user", "user", "Paint the tokenizer of the dashboard green")
    assert shown("text", "assistant", "The footer is green.")
    assert not shown("text", "assistant", "The footer")
    assert not shown("tool_result", "tool output", "painted tokenizer dashboard green footer")
    assert not shows_answer(index, replace(hit, passages=()), query)
    # Where nothing was said of it, what was said may stand for the turn.
    assert shown("user", "user", "Paint the", "giraffe")
    assert shows_answer(index, hit, query)


def test_engines_are_measured_alone_and_together(two_tasks: Path) -> None:
    index = Index.open(two_tasks)
    answer = frozenset({(SESSION, 0)})
    questions = [Question("file", "lexer.py", answer), Question("vague", "calmer palette", frozenset({(SESSION, 4)}))]
    assert rows(index, questions, ["paths", measure.FUSED]) == [
        # The call on a file was not said.
        Row("file", "paths", 1, 1.0, 1.0, 0.0),
        Row("file", "fused", 1, 1.0, 1.0, 0.0),
        Row("vague", "paths", 1, 0.0, 0.0, 0.0),
        Row("vague", "fused", 1, 1.0, 1.0, 1.0),
        Row("overall", "paths", 2, 0.5, 0.5, 0.0),
        Row("overall", "fused", 2, 1.0, 1.0, 0.5),
    ]


def test_the_halves_share_the_questions_out_and_without_vectors_no_engine_by_meaning_is_measured(samples: Path) -> None:
    found = {half: run(samples, half, 3) for half in ("tune", "report", None)}
    asked = [half_of(min(question.answers)[0]) for question in known_items.make(samples, 3)]
    counts = {half: rows[-1].questions for half, rows in found.items()}
    assert counts == {"tune": asked.count("tune"), "report": asked.count("report"), None: len(asked)}
    # Without vectors the engine by meaning is left out.
    assert {row.engine for row in found[None]} == {"lexicon", "paths", "fused"}


def test_the_table_has_a_line_a_kind_and_a_column_an_engine() -> None:
    found = [Row("file", "lexicon", 2, 0.5, 1.0, 0.5), Row("file", "fused", 2, 1.0, 1.0, 0.25)]
    assert table(found).splitlines() == [
        "                           lexicon           fused",
        "kind         asked   MRR@10   R@10   MRR@10   R@10  passage",
        "file             2    0.500   1.00    1.000   1.00     0.25",
    ]


def test_questions_by_hand_are_asked_where_their_turns_are_indexed(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    entries = [
        {"question": "where is it", "session": "s", "lines": [1, 2], "vague": True},
        {"question": "colours of the header", "session": "s", "lines": [1], "vague": False},
        {"question": "not here", "session": "t", "lines": [1], "vague": False},
    ]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
    assert hand_written({("s", 1), ("s", 2)}, [path]) == [
        Question("vague", "where is it", frozenset({("s", 1), ("s", 2)})),
        Question("other words", "colours of the header", frozenset({("s", 1)})),
    ]


def test_the_default_run_asks_the_questions_by_hand_about_the_sample_sessions(
    run_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An indexer in a process of its own reads all sample sessions and gives them vectors."""
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(map(str, (TESTS / "support" / "cached_vectors", TESTS, *sys.path)))
    )
    monkeypatch.setenv("MODEL_FOLDER", str(run_folder))
    monkeypatch.setattr(sys, "argv", ["bench.quality", "--most", "1"])
    main()
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    asked = {" ".join(row[:-10]): int(row[-10]) for row in rows[2:]}
    assert asked == {
        "file": 1,
        "identifier": 1,
        "paraphrase": 1,
        "compaction": 1,
        "other words": 15,
        "vague": 5,
        "overall": 24,
    }


@pytest.mark.parametrize(("path", "counts"), [(HAND_WRITTEN[0], (60, 20)), (HAND_WRITTEN[1], (20, 5))])
def test_every_question_by_hand_is_well_formed(path: Path, counts: tuple[int, int]) -> None:
    entries = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert (len(entries), sum(entry["vague"] for entry in entries)) == counts
    assert len({entry["question"] for entry in entries}) == len(entries)
    for entry in entries:
        assert list(entry) == ["question", "session", "lines", "vague"]
        assert 3 <= len(entry["question"].split()) <= 9
        assert entry["session"]
        assert entry["lines"] == sorted({int(line) for line in entry["lines"]})
        assert entry["lines"][0] >= 0
        assert isinstance(entry["vague"], bool)
