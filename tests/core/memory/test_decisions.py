"""The list of decisions: which facts it has, in which order, and which later decision may have replaced one."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.memory.decisions.made import LaterDecision
from support.indexes import build, update
from support.transcripts import SESSION, Script

OTHER = "22222222-2222-4222-8222-222222222222"


def said(folder: Path, *prompts: str, again: tuple[str, ...] = (), cwd: str = "/home/ana/code/shop") -> Index:
    """The index of a session with these prompts, and of another one, a day later, with more."""
    script = Script()
    for prompt in prompts:
        script.user(prompt)
        script.says("Done.")
    script.write(folder / "src")
    other = Script(OTHER, cwd, prefix="b")
    other.count = 24 * 360
    for prompt in again:
        other.user(prompt)
        other.says("Done.")
    if again:
        other.write(folder / "src")
    update(folder / "data", folder / "src")
    return Index.open(folder / "data")


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Let's use floats.", "Use Decimal instead of floats."),
        ("Use floats rather than Decimal.", "Let's use Decimal, floats are wrong."),
        ("Don't use Redis for now.", "Let's go with Redis."),
        ("Let's go with Redis.", "We don't want Redis."),
        ("Let's use tabs.", "Let's replace tabs with spaces."),
        ("Plain colours, no themes.", "let's use the themes"),
        ("Let's use the shop table, not the cache.", "rather than the shop table, let's use a file"),
        ("Let's use floats for the tax.", "Don't use floats for the tax."),
    ],
)
def test_a_later_decision_on_the_same_thing_may_replace_one(tmp_path: Path, earlier: str, later: str) -> None:
    newest, oldest = said(tmp_path, earlier, "Go on", later).sessions.decisions()
    assert (newest.quote, newest.later) == (later, None)
    assert (oldest.quote, oldest.later) == (earlier, LaterDecision(newest.session, SESSION, 3, later))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Let's use floats.", "Let's use floats."),
        ("Don't use floats.", "Never use floats."),
        ("Let's use floats.", "Use Decimal instead of strings."),
        ("Let's use floats for the tax.", "Don't use floats for the price."),
        ("Don't use floats in the parser.", "Let's use floats."),
        (
            "Let's use the old table of all the prices by country.",
            "Don't use the old table of all the prices by country.",
        ),
        ("Let's use floats. Don't use floats.", "Go on"),
    ],
)
def test_what_is_not_certainly_opposite_replaces_nothing(tmp_path: Path, earlier: str, later: str) -> None:
    assert [one.later for one in said(tmp_path, earlier, later).sessions.decisions() if one.later is not None] == []


def test_another_session_of_the_project_may_replace_it_and_one_of_another_project_not(tmp_path: Path) -> None:
    again = ("Don't use floats.",)
    newest, oldest = said(tmp_path / "same", "Let's use floats.", again=again).sessions.decisions()
    assert oldest.later == LaterDecision(newest.session, OTHER, 1, "Don't use floats.")
    newest, oldest = said(
        tmp_path / "other", "Let's use floats.", again=again, cwd="/home/ana/blog"
    ).sessions.decisions()
    assert (newest.later, oldest.later) == (None, None)


def test_only_the_first_later_decision_counts(tmp_path: Path) -> None:
    quotes = ("Let's use floats.", "Don't use floats.", "Let's go with floats.")
    third, second, first = said(tmp_path, *quotes).sessions.decisions()
    assert [one.later and one.later.turn for one in (first, second, third)] == [2, 3, None]


@pytest.mark.parametrize(
    ("question", "later"), [("Round half prices up?", [3, 3, None]), ("Shall I proceed?", [None] * 3)]
)
def test_another_answer_to_the_same_telling_question_replaces_the_first(
    tmp_path: Path, question: str, later: list[int | None]
) -> None:
    script = Script()
    asked = (("Half up (Recommended)", 0), ("Half up", 0), ("Half up", 1))
    for number, (first, chosen) in enumerate(asked, 1):
        labels = [first, "Half to even"]
        options = [{"label": label} for label in labels]
        script.user("Ask me again")
        script.calls("AskUserQuestion", {"questions": [{"question": question, "options": options}]}, f"t{number}")
        script.result(f'The user answered: "{question}"="{labels[chosen]}".', f"t{number}")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    assert [one.later and one.later.turn for one in reversed(index.sessions.decisions())] == later


def test_nothing_is_listed_of_what_an_agent_tells_another(tmp_path: Path) -> None:
    script = Script()
    script.user("Let's use floats.", isSidechain=True)
    script.user('<teammate-message teammate_id="lead">Let\'s use Decimal.</teammate-message>')
    script.says("Done.")
    assert build(tmp_path / "data", script.write(tmp_path / "src")).sessions.decisions() == []


def test_archived_sessions_are_left_out(tmp_path: Path) -> None:
    index = said(tmp_path, "Let's use floats.")
    [one] = index.sessions.decisions()
    index.annotations.archive(one.session)
    index.refresh()
    assert index.sessions.decisions() == []
