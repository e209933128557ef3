"""The bench of search quality: what it asks, and how it counts."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench.quality import calls, comparing, measure, names, prose
from bench.quality.__main__ import alone, difference, made_questions, main, run, table
from bench.quality.comparing import Change, changes, in_both, saved
from bench.quality.measure import FIGURES, Answer, Estimate, Row, estimate, ranks, row, rows, shows_answer
from bench.quality.questions import HAND_WRITTEN, KINDS, MADE, Place, Question, half_of, hand_written, spread
from bench.quality.texts import Texts, identifiers
from memtui_core.index.index import Index
from memtui_core.model import BlockKind, Passage, Source
from support.indexes import build, update
from support.model_process import FOLDER
from support.transcripts import SESSION, Script

Figures = dict[str, float | None]

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
    return made_questions(samples)


def places(data: Path) -> set[Place]:
    index = Index.open(data)
    sessions = index.sessions.all()
    for session in sessions:
        sessions += index.sessions.subagents(session.key)
    return {(session.session_id, turn.line) for session in sessions for turn in index.sessions.turns(session.key)}


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
    assert made_questions(sample_index) == asked


def test_every_answer_is_a_turn_of_the_index(samples: Path, asked: list[Question]) -> None:
    answers = {place for question in asked for place in question.answers | question.aside}
    assert answers - places(samples) == set()
    assert {question.kind for question in asked} == set(KINDS)
    assert len({(question.kind, question.text) for question in asked}) == len(asked)


def test_no_kind_has_more_questions_than_asked_for(samples: Path) -> None:
    made = [question.kind for question in made_questions(samples, 2) if question.kind in MADE]
    assert made == [kind for kind in MADE for _ in range(2)]


def test_a_file_is_asked_for_by_its_name_and_answered_by_its_edits(two_tasks: Path) -> None:
    assert names.files(Texts(two_tasks), 10) == [Question("file", "lexer.py", frozenset({(SESSION, 0)}))]


def test_an_identifier_of_a_tool_call_is_answered_by_the_turns_that_hold_it(two_tasks: Path) -> None:
    texts = Texts(two_tasks)
    found = names.identifiers(texts, texts.words(), 10)
    answers = frozenset({(SESSION, 0)})
    assert {question.text for question in found} == {"splitQuoted", "--keep-marks"}
    assert {question.answers for question in found} == {answers}


def test_a_path_is_asked_for_whole_or_shortened_and_answered_by_its_edits(tmp_path: Path) -> None:
    script = Script()
    # Which of them are shortened, and how, is decided by their text.
    for number, name in enumerate(["shop/a.py", "shop/b.py", "shop/a.css", "shop/db/c.py", "shop/db/d.py", "e.py"]):
        script.user(f"Task {number}")
        script.calls("Edit", {"file_path": f"{script.cwd}/src/{name}", "old_string": "a", "new_string": "b"})
        script.result("done")
    script.calls("Read", {"file_path": f"{script.cwd}/src/shop/read.py"}, "t9")
    script.calls("Edit", {"file_path": "/etc/other/place.conf", "old_string": "a", "new_string": "b"}, "t10")
    update(tmp_path / "data", script.write(tmp_path / "source"))
    found = {question.text: question.answers for question in names.paths(Texts(tmp_path / "data"), 10)}
    assert found == {
        # Of two files without an extension both answer.
        "src/shop/a": {(SESSION, 0), (SESSION, 6)},
        "src/shop/a.css": {(SESSION, 6)},
        "src/shop/b.py": {(SESSION, 3)},
        "src/shop/c.py": {(SESSION, 9)},
        "src/shop/db/d.py": {(SESSION, 12)},
        "src/e": {(SESSION, 15)},
    }


def test_commits_and_pull_requests_are_asked_for_by_subject_and_whole(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the totals")
    script.calls("Bash", {"command": "git add . && git commit -qm 'Round totals once'"})
    script.result("ok")
    script.user("And the taxes")
    script.calls("Bash", {"command": 'git commit -m "$(cat <<\'EOF\'\nRound "all" taxes\n\nNot each of them.\nEOF\n)"'})
    script.result("ok")
    script.user("Open it")
    script.calls("Bash", {"command": "git commit -m 'This commit was refused'"}, "t2")
    script.result("Exit code 1\nhook failed", "t2", error=True)
    script.calls(
        "Bash", {"command": "git commit -m wip; gh pr create --title 'Round everything once' --body Why"}, "t3"
    )
    script.result("ok", "t3")
    update(tmp_path / "data", script.write(tmp_path / "source"))
    found = {question.text: question.answers for question in calls.commits(Texts(tmp_path / "data"), 10)}
    assert found == {
        "Round totals once": {(SESSION, 0)},
        'Round "all" taxes': {(SESSION, 3)},
        'Round "all" taxes Not each of them.': {(SESSION, 3)},
        "Round everything once": {(SESSION, 6)},
        "Round everything once Why": {(SESSION, 6)},
    }


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git commit -m 'One' -m 'Two'", ["One\n\nTwo"]),
        ("cd x && git -C y commit --message='It is' -q", ["It is"]),
        ('git commit -am "Cost \\$5 of \\`x\\`"', ["Cost $5 of `x`"]),
        ("git commit -q -F - <<'EOF' && git push\nIt's one\n\nBody\nEOF\ngit status", ["It's one\n\nBody"]),
        ("GH_REPO=a/b gh pr create --draft --title One --body-file - <<EOF\nBody\nEOF", ["One\n\nBody"]),
        ("git commit --amend --no-edit; git log -m x; gh pr create --fill; echo git commit -m no", []),
        ("bash -c \"git commit -m 'In a shell'\"", ["In a shell"]),
    ],
)
def test_messages_are_read_from_options_and_here_documents(command: str, expected: list[str]) -> None:
    assert list(calls.messages(command)) == expected


def test_an_error_is_asked_for_by_the_line_that_tells_of_it_if_few_turns_hold_it(tmp_path: Path) -> None:
    script = Script()
    rare, common = "TypeError: refund() takes no key", "error: the lock file is old"

    def fails(output: str) -> None:
        script.calls("Bash", {"command": "make"}, f"t{script.count}")
        script.result(f"Exit code 1\n{output}", f"t{script.count - 1}", error=True)

    script.user("Build it")
    fails(f"building the whole shop\n  {rare}\nerror: later lines do not count")
    for number in range(4):
        script.user(f"Try again {number}")
        fails(common)
    script.user(f"What is this: '{rare}'?")
    script.says("A mistake of ours.")
    script.calls("Bash", {"command": "grep error"}, "t90")
    script.result("error: this command did not fail", "t90")
    script.calls("Edit", {"file_path": "a.py", "old_string": "a", "new_string": "b"}, "t91")
    script.result("error: no such text in the file", "t91", error=True)
    update(tmp_path / "data", script.write(tmp_path / "source"))
    assert calls.errors(Texts(tmp_path / "data"), 10) == [
        Question("tool error", rare, frozenset({(SESSION, 0), (SESSION, 15)}))
    ]


def test_a_few_questions_are_about_sessions_of_all_agents(tmp_path: Path) -> None:
    folder = SAMPLES.parent
    update(tmp_path, SAMPLES, folder / "codex", folder / "gemini", agent=None)
    texts = Texts(tmp_path)
    asked = names.files(texts, 3)
    assert {texts.agents[question.session] for question in asked} == {"claude-code", "codex", "gemini"}


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
        ([("s", 1)], (1, 1)),
        ([("t", 2), ("s", 2), ("t", 1), ("s", 1)], (4, 2)),
        ([("s", 9), ("s", 1)], (1, 1)),
        ([("t", number) for number in range(20, 29)] + [("s", 4), ("s", 1)], (None, 10)),
        ([("t", number) for number in range(20, 30)] + [("s", 1)], (None, None)),
        ([], (None, None)),
    ],
)
def test_ranks_are_those_of_the_first_turn_that_answers_and_of_its_session_without_those_aside(
    hits: list[Place], expected: tuple[int | None, int | None]
) -> None:
    question = Question("file", "x", frozenset({("s", 1), ("s", 3)}), frozenset({("s", 9)}))
    assert ranks(question, hits) == expected


def test_the_figures_of_an_answer_count_its_ranks_and_a_passage_only_where_the_turn_was_found() -> None:
    def figures(answer: Answer) -> Figures:
        return {name: figure(answer) for name, figure in FIGURES.items()}

    assert figures(Answer("file", "x", "s", 6, 4, shown=True)) == {
        "turn hit@1": 0.0,
        "turn hit@5": 0.0,
        "turn MRR@10": 1 / 6,
        "turn hit@10": 1.0,
        "session hit@1": 0.0,
        "session hit@5": 1.0,
        "session MRR@10": 0.25,
        "passage": 1.0,
    }
    assert figures(Answer("file", "x", "s", None, 1)) == {
        "turn hit@1": 0.0,
        "turn hit@5": 0.0,
        "turn MRR@10": 0.0,
        "turn hit@10": 0.0,
        "session hit@1": 1.0,
        "session hit@5": 1.0,
        "session MRR@10": 1.0,
        "passage": None,
    }


def test_a_standard_error_takes_the_questions_about_a_session_together() -> None:
    # Residuals of 0.5 and -0.5: a session of both has 0 in sum, and two of one kind each have 1.
    mixed = [("s", 1.0), ("s", 0.0), ("t", 1.0), ("t", 0.0)]
    alike = [("s", 1.0), ("s", 1.0), ("t", 0.0), ("t", 0.0), ("u", None)]
    assert estimate(mixed) == Estimate(0.5, 0.0)
    assert estimate(alike) == Estimate(0.5, 0.5)
    # With one question a session it is the usual standard error of a mean.
    assert estimate([("s", 1.0), ("t", 0.0), ("u", 0.0), ("v", 1.0)]) == Estimate(0.5, (1 / 12) ** 0.5)
    assert estimate([("s", 1.0), ("s", 0.0)]) == Estimate(0.5, None)
    assert estimate([("s", None)]) == Estimate(None, None)


def test_rows_have_the_kinds_in_order_and_all_questions_at_the_end() -> None:
    one, other = Answer("vague", "x", "s", 1, 1), Answer("file", "y", "t")
    assert rows({"paths": [one, other]}) == [
        row("file", "paths", [other]),
        row("vague", "paths", [one]),
        row("overall", "paths", [one, other]),
    ]
    found = row("overall", "paths", [one, other])
    assert (found.questions, found.sessions, found.figures["turn hit@1"]) == (2, 2, Estimate(0.5, 0.5))


def test_a_passage_answers_when_it_was_said_and_holds_half_of_the_words_of_the_best_place(tmp_path: Path) -> None:
    script = Script()
    script.user("Paint the tokenizer of the dashboard green")
    script.calls("Bash", {"command": "paint tokenizer dashboard"})
    script.result("painted tokenizer dashboard green footer")
    script.says("First much is to be said about other things. " * 8 + "The footer is green.")
    index = build(tmp_path / "data", script.write(tmp_path / "source"))
    query = "paint the tokenizer dashboard green footer"
    [hit] = index.search(query, 1).hits
    blocks = {block.kind: block for block in index.sessions.blocks(hit.session, 1, 1)[1]}

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


def test_engines_are_asked_alone_and_together(two_tasks: Path) -> None:
    index = Index.open(two_tasks)
    file = Question("file", "lexer.py", frozenset({(SESSION, 0)}))
    vague = Question("vague", "calmer palette", frozenset({(SESSION, 4)}))
    found = {
        engine: [measure.ask(index, question, measure.ENGINES[engine]) for question in (file, vague)]
        for engine in ("paths", "fused")
    }
    assert found == {
        # The call on a file was not said.
        "paths": [Answer("file", "lexer.py", SESSION, 1, 1), Answer("vague", "calmer palette", SESSION)],
        "fused": [
            Answer("file", "lexer.py", SESSION, 1, 1),
            Answer("vague", "calmer palette", SESSION, 1, 1, shown=True),
        ],
    }


def test_the_halves_share_the_questions_out_and_without_vectors_no_engine_by_meaning_is_measured(samples: Path) -> None:
    found = {half: run(samples, half, 3) for half in ("tune", "report", None)}
    asked = [half_of(question.session) for question in made_questions(samples, 3)]
    counts = {half: len(answers["fused"]) for half, answers in found.items()}
    assert counts == {"tune": asked.count("tune"), "report": asked.count("report"), None: len(asked)}
    # Without vectors the engine by meaning is left out.
    assert set(found[None]) == {"lexicon", "paths", "fused"}


def test_the_tables_have_a_line_a_kind_and_the_figures_of_all_engines_or_of_each() -> None:
    figures = dict.fromkeys(FIGURES, Estimate(0.5, 0.125)) | {"passage": Estimate(None, None)}
    better = dict.fromkeys(FIGURES, Estimate(1.0, None))
    found = [Row("file", "lexicon", 2, 2, figures), Row("file", "fused", 2, 1, better)]
    assert table(found).splitlines() == [
        "kind         asked sessions      turn hit@1      turn hit@5     turn MRR@10"
        "   session hit@1   session hit@5  session MRR@10         passage",
        "file             2        2" + "    0.500 ±0.125" * 6 + "               -",
        "file             2        1" + "           1.000" * 7,
    ]
    assert alone(found).splitlines() == [
        "                     lexicon           fused",
        "kind           MRR@10 hit@10   MRR@10 hit@10",
        "file            0.500   0.50    1.000   1.00",
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


def test_the_default_run_asks_about_the_sample_sessions_of_all_agents_and_compares_with_a_saved_run(
    run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An indexer in a process of its own reads all sample sessions and gives them vectors, which takes 4 s."""
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(map(str, (TESTS / "support" / "cached_vectors", TESTS, *sys.path)))
    )
    monkeypatch.setenv(FOLDER, str(run_folder))
    before, after = tmp_path / "before", tmp_path / "after"
    worse = [Answer("other words", "sums wrong by one penny", "79831d11-70fd-4c81-b000-d3db562861c0")]
    comparing.save(before, worse)
    monkeypatch.setattr(
        sys, "argv", ["bench.quality", "--most", "1", "--save", str(after), "--compare", str(before), "--json"]
    )
    main()
    output = capsys.readouterr()
    found = json.loads(output.out)
    asked = {one["kind"]: one["questions"] for one in found["rows"] if one["engine"] == "fused"}
    assert asked == {**dict.fromkeys(MADE, 1), "other words": 15, "vague": 5, "overall": 27}
    assert {one["engine"] for one in found["rows"]} == set(measure.ENGINES)
    assert sum(found["asked"].values()) == 27
    assert "Both runs asked 1 of 27 questions; these are compared." in output.err
    assert {(one["kind"], one["questions"]) for one in found["changes"]} == {("other words", 1), ("overall", 1)}
    assert len(saved(after)) == 27


def asked_twice(sessions: int, better: int) -> tuple[list[Answer], list[Answer]]:
    """Two questions about each session, one found by both versions, one by the newer one in some sessions."""
    before = [Answer("file", f"{place}{number}", place, 1, 1) for place in "stuvwxyz"[:sessions] for number in "ab"]
    before = [replace(one, turn_rank=None) if one.text.endswith("b") else one for one in before]
    gained = {f"{place}b" for place in "stuvwxyz"[:better]}
    return before, [replace(one, turn_rank=1) if one.text in gained else one for one in before]


def test_a_change_is_real_when_the_sessions_that_are_drawn_agree_on_it() -> None:
    found = {better: {one.figure: one for one in changes(*asked_twice(8, better))[:8]} for better in (0, 1, 8)}
    same = Change("file", "turn hit@1", 16, 8, 0.5, 0.5, 0.0, 0.0)
    assert found[0]["turn hit@1"] == same
    # One session of eight is not drawn in a third of the draws, and three times in one of fifty.
    assert found[1]["turn hit@1"] == replace(same, after=0.5625, high=0.1875)
    assert found[8]["turn hit@1"] == replace(same, after=1.0, low=0.5, high=0.5)
    assert [found[better]["turn hit@1"].is_real for better in (0, 1, 8)] == [False, False, True]
    assert found[8]["session hit@1"] == replace(same, figure="session hit@1", before=1.0, after=1.0)
    assert found[0].keys() == FIGURES.keys()


def test_nothing_is_real_of_five_sessions_and_nothing_is_said_of_a_figure_without_answers() -> None:
    before, after = asked_twice(5, 5)
    [change] = [one for one in changes(before, after) if one.figure == "turn hit@1" and one.kind == "overall"]
    assert (change.low, change.high, change.is_real) == (0.5, 0.5, False)
    lost = [replace(one, turn_rank=None) for one in before]
    assert "passage" not in {one.figure for one in changes(before, lost)}
    assert changes([], []) == []


def test_the_differences_have_a_line_a_kind_with_intervals_and_stars() -> None:
    found = [
        Change("file", "turn hit@1", 16, 8, 0.5, 1.0, 0.25, 0.75),
        Change("file", "turn hit@5", 16, 8, 0.5, 0.25, -0.5, 0.0),
    ]
    assert difference(found, ["turn hit@1", "turn hit@5", "passage"]).splitlines() == [
        "kind         asked sessions"
        + "                  turn hit@1                  turn hit@5                     passage",
        "file            16        8"
        + "     +0.500 [+0.250 +0.750]*     -0.250 [-0.500 +0.000]                           -",
    ]


def test_answers_are_saved_and_compared_where_both_runs_asked_the_question(tmp_path: Path) -> None:
    before, after = asked_twice(2, 1)
    comparing.save(tmp_path / "run", before)
    assert saved(tmp_path / "run") == before
    more = [Answer("file", "new", "s"), *reversed(after)]
    assert in_both(before[1:], more) == (before[:0:-1], after[:0:-1])


def test_a_file_that_holds_no_answers_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run"
    path.write_text('{"kind": "file"}\n', "utf-8")
    monkeypatch.setattr(sys, "argv", ["bench.quality", "--compare", str(path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert f"{path} holds no saved answers" in capsys.readouterr().err


@pytest.mark.parametrize(("path", "counts"), [(HAND_WRITTEN[0], (100, 28)), (HAND_WRITTEN[1], (20, 5))])
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
