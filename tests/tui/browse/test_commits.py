"""The commits of a session in the app, and the turns behind one: real git, real sessions."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.screens.choice import ChoiceScreen
from memtui.screens.dialog import DialogBox
from memtui.widgets.option_list import ChoiceList
from support.repositories import Repository
from support.screens import app_on, notices, settled, transcript
from support.transcripts import OTHER_SESSION, SESSION

LINES = "".join(f"This is line number {number}.\n" for number in range(4))


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    """A session that wrote a file, and one that changed a line and committed both, then something else."""
    repository = Repository(tmp_path)
    (repository.root / ".git").rmdir()
    repository.git("init", "-q")
    first = repository.session().writes("notes.md", LINES)
    changed = LINES.replace("number 2", "number two")
    repository.write("notes.md", changed)
    said = repository.commit("Write notes")
    second = repository.session(OTHER_SESSION, day=1)
    second.edits("notes.md", "This is line number 2.", "This is line number two.")
    second.turn("Commit").runs("git add -A && git commit -m 'Write notes'", result=said)
    repository.write("more.md", "More.\n")
    second.turn("And").runs("git add -A && git commit -m 'Add more'", result=repository.commit("Add more"))
    repository.index(first, second)
    return repository


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when the one before has had its effect."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def choices(pilot: Pilot[None]) -> tuple[str, list[str]]:
    """The title of the dialog, and its rows without runs of blanks."""
    assert isinstance(pilot.app.screen, ChoiceScreen)
    rows = pilot.app.screen.query_one(ChoiceList).options
    return pilot.app.screen.query_one(DialogBox).title, [" ".join(str(row.prompt).split()) for row in rows]


async def test_a_commit_of_a_session_leads_to_the_turns_behind_it(shop: Repository) -> None:
    more, notes = (shop.git("rev-parse", name).strip() for name in ("HEAD", "HEAD~1"))
    async with app_on(shop.folder / "data").run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "C")
        assert choices(pilot) == (
            "commits of the session",
            [f"1 {more[:7]} 18 d turn 3 Add more", f"2 {notes[:7]} 18 d turn 2 Write notes"],
        )
        await press(pilot, "j", "enter")
        assert choices(pilot) == (
            f"{notes[:10]}  Write notes",
            [
                "1 11111111:1 19 d claude wrote 3 lines 1 file go on",
                "2 22222222:1 18 d claude wrote 1 line 1 file go on",
                "3 22222222:2 18 d claude made it go on",
            ],
        )
        facts = str(pilot.app.screen.query_one(Static).content)
        assert facts.endswith(" · AUTHOR@shop · 4 lines added, 4 of them by edits of sessions")
        await press(pilot, "1")
        session = transcript(pilot).session
        assert (transcript(pilot).has_focus, session and session.session_id) == (True, SESSION)


async def test_without_the_repository_a_commit_leads_to_the_turn_that_made_it(shop: Repository) -> None:
    (shop.root / ".git").rename(shop.folder / "away")
    async with app_on(shop.folder / "data").run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "C", "2")
        session = transcript(pilot).session
        assert (session and session.session_id, transcript(pilot).number) == (OTHER_SESSION, 2)
        assert notices(pilot) == ["The commit is not in a repository on this disk: here it was made."]


async def test_commits_that_were_amended_later_are_listed_and_say_so(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    calls = repository.session().runs("git commit -am 'Add notes'", result="[main aaaaaaa] Add notes")
    calls.runs("git commit --amend --no-edit", result="[main bbbbbbb] Add notes")
    calls.turn("More").runs("git commit --amend -m 'Add all notes'", result="[main ccccccc] Add all notes")
    calls.runs("git commit -am 'Add prices'", result="[main ddddddd] Add prices")
    repository.index(calls)
    async with app_on(tmp_path / "data").run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "C")
        assert choices(pilot)[1] == [
            "1 ddddddd 19 d turn 2 Add prices",
            "2 ccccccc 19 d turn 2 Add all notes",
            "3 bbbbbbb 19 d turn 1 amended later · Add notes",
            "4 aaaaaaa 19 d turn 1 amended later · Add notes",
        ]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("git status", ""),
        ("git log; echo git commit -q", ""),
        (
            "git commit -q -F message; git status",
            ": git prints nothing of one with -q, and nothing that came after it proves one",
        ),
    ],
)
async def test_a_session_without_commits_says_so(tmp_path: Path, command: str, why: str) -> None:
    repository = Repository(tmp_path)
    repository.index(repository.session().writes("notes.md", LINES).runs(command, result=""))
    async with app_on(tmp_path / "data").run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "C")
        assert notices(pilot) == [f"No commit of this session is known{why}."]
