"""The commits of sessions in the app, where lists show them, and the turns behind one: real git, real sessions."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Static

from memtui.screens.choice import ChoiceScreen
from memtui.screens.dialog import DialogBox
from memtui.views.files.file_timeline import FileTimeline
from memtui.views.files.touch_view import TouchView
from memtui.views.pull_requests.commit_list import CommitList
from memtui.views.pull_requests.pr_list import PrList
from memtui.widgets.option_list import ChoiceList
from memtui.widgets.row_list import RowList
from support.repositories import Repository
from support.screens import app_on, is_shown, notices, settled, transcript
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


# -- in lists ------------------------------------------------------------------------------------------------------

PULL = "https://github.com/ana/shop/pull/{}\n"


def made(commit: str, subject: str) -> str:
    """What git prints of a commit; of none only that one was made."""
    return f"[main {commit}] {subject}\n 1 file changed" if commit else "1 file changed"


@pytest.fixture
def pulls(tmp_path: Path) -> Repository:
    """A pull request of two sessions with commits, and a newer one of a session without any."""
    repository = Repository(tmp_path)
    first = repository.session().writes("notes.md", LINES)
    first.runs("git commit -am 'Write notes'", result=made("1a2b3c4", "Write notes"))
    first.runs("git commit -am 'Write more'", result=made("1a2b3c5", "Write more"))
    first.turn("Ask").runs("gh pr create --title Notes --body ''", result=PULL.format(41))
    second = repository.session(OTHER_SESSION, day=1).edits("notes.md", "number 2", "number two")
    second.turn("Go on").runs("git commit -qm 'Say two'", result="")
    second.runs("gh pr view 41", result=PULL.format(41))
    link = {"prNumber": 41, "prUrl": PULL.format(41).strip(), "prRepository": "ana/shop"}
    second.script.raw({"type": "pr-link", **link, "sessionId": OTHER_SESSION, "timestamp": "2026-11-02T10:00:00Z"})
    third = repository.session(THIRD, day=2).runs("gh pr create --title Plans --body ''", result=PULL.format(42))
    repository.index(first, second, third)
    return repository


THIRD = "33333333-3333-4333-8333-333333333333"


def listed(pilot: Pilot[None], kind: type[RowList]) -> list[str]:
    """The rows of a list without runs of blanks; none if it is not shown."""
    rows = pilot.app.screen.query_one(kind)
    return [" ".join(str(row.prompt).split()) for row in rows.options] if is_shown(rows) else []


def focused(pilot: Pilot[None]) -> type[Widget]:
    return type(pilot.app.focused or Widget())


async def test_a_pull_request_has_the_commits_of_its_sessions(pulls: Repository) -> None:
    async with app_on(pulls.folder / "data").run_test(size=(200, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "4")
        assert [row.split(" #")[0] for row in listed(pilot, PrList)] == ["Plans created", "▸ Notes created"]
        assert listed(pilot, CommitList) == []
        await press(pilot, "tab")
        assert focused(pilot) is not CommitList
        await press(pilot, "4", "j")
        commits = pilot.app.screen.query_one(CommitList)
        assert (str(commits.border_title), str(commits.border_subtitle)) == ("commits of its sessions", "3")
        both = ["18 d Say two 22222222:2", "1a2b3c5 19 d Write more 11111111:1", "1a2b3c4 19 d Write notes 11111111:1"]
        assert listed(pilot, CommitList) == both
        # What is chosen shows the session of the pull request until the user goes to a commit.
        assert session_id(pilot) == OTHER_SESSION
        await press(pilot, "space", "j", "j")
        assert (str(commits.border_title), listed(pilot, CommitList)) == ("commits of its session", both[1:])
        await press(pilot, "tab", "j")
        assert (focused(pilot), session_id(pilot)) == (CommitList, SESSION)
        await press(pilot, "k", "up")
        assert focused(pilot) is PrList
        await press(pilot, "tab", "escape")
        assert focused(pilot) is PrList
        # Folded, it is the pull request again.
        await press(pilot, "h")
        assert (str(commits.border_title), listed(pilot, CommitList)) == ("commits of its sessions", both)
        await press(pilot, "tab", "enter")
        assert (transcript(pilot).has_focus, session_id(pilot), transcript(pilot).number) == (True, OTHER_SESSION, 2)
        await press(pilot, "4", "k")
        assert listed(pilot, CommitList) == []


def session_id(pilot: Pilot[None]) -> str:
    """The id of the session in the transcript."""
    session = transcript(pilot).session
    return session.session_id if session is not None else ""


@pytest.mark.parametrize("width", [80, 60])
async def test_the_history_of_a_file_names_the_commits_of_its_turns(pulls: Repository, width: int) -> None:
    async with app_on(pulls.folder / "data").run_test(size=(width, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "enter")
        told = " ◇ 1a2b3c5 +1" if width == 80 else ""
        assert listed(pilot, FileTimeline) == ["✎ turn 1 +1 −1 go on 19 d", f"✎ turn 1 +4 −0 go on{told} 20 d"]
        text = pilot.app.screen.query_one(TouchView)
        assert "commit" not in text.text
        await press(pilot, "j")
        # In the order in which they were made; nothing is said of what is in them.
        assert text.text.splitlines()[:3] == ["1a2b3c4 Write notes", "1a2b3c5 Write more", ""]
