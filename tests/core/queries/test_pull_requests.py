"""Titles and states of pull requests, as far as their own sessions say them."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.index.pull_requests import PrSource, PrStory
from support.indexes import build
from support.transcripts import OTHER_SESSION, SESSION, Script

THIRD = "33333333-3333-4333-8333-333333333333"
REPOSITORY = "ana/shop"


def url(number: int) -> str:
    return f"https://github.com/{REPOSITORY}/pull/{number}"


def runs(script: Script, command: str, output: str, *, error: bool = False) -> None:
    """A turn in which a command is run."""
    script.count += 10
    script.user("go on")
    tool_id = f"t{script.count}"
    script.calls("Bash", {"command": command}, tool_id)
    script.result(output, tool_id, error=error)


def links(script: Script, number: int, hour: int = 10) -> None:
    script.raw({"type": "pr-link", "prNumber": number, "prUrl": url(number), "prRepository": REPOSITORY,
                "sessionId": script.session_id, "timestamp": f"2026-11-01T{hour}:00:00Z"})  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A session that makes pull requests, a later one that merges one of them, and one that is not linked to any."""
    folder = tmp_path_factory.mktemp("prs")
    first, second, third = Script(), Script(OTHER_SESSION, prefix="f"), Script(THIRD, prefix="g")
    runs(first, "gh pr create --draft --title 'Retry uploads'", url(7))
    links(first, 7)
    runs(first, "gh pr view 7 --json state", '{"state":"OPEN"}')
    runs(first, "gh pr create --fill", url(8))
    links(first, 8)
    runs(first, "git log --oneline", "abc1234 Something else (#8)\nabc1235 Retry uploads (#9)")
    runs(first, "gh pr create --title 'Cut prices \x1b[31m'", url(9))
    links(first, 9)
    links(first, 10)
    runs(first, "gh pr view 10 -R ana/other --json state", '{"state":"MERGED"}')
    first.count += 10
    first.user("merge it")
    first.calls("Bash", {"command": "gh pr merge 10 --squash"}, "unanswered")
    second.count = 1_000
    runs(second, "gh pr edit 7 --title 'Retry all uploads'", url(7))
    links(second, 7, 12)
    runs(second, "git pull", "Updating abc\n    Retry all uploads (#7)\n    Cut prices (#9)")
    runs(second, "gh pr view 7 --json state,isDraft", '{"state":"OPEN","isDraft":true}')
    third.count = 2_000
    runs(third, "gh pr merge 9 --squash", "✓ Squashed and merged pull request #9 (Cut prices)")
    runs(third, "gh pr merge 8", "", error=True)
    return build(
        folder / "data", *(script.write(folder / f"src/{script.session_id}") for script in (first, second, third))
    )


def test_titles_and_states_come_from_the_sessions_of_a_pull_request_with_the_turn_that_says_them(index: Index) -> None:
    one, two = (index.sessions.find(session).key for session in (SESSION, OTHER_SESSION))

    def at(session: int, turn: int) -> PrSource:
        return PrSource(session, SESSION if session == one else OTHER_SESSION, turn)

    known = {pull_request.number: pull_request for pull_request in index.pull_requests.known()}
    assert {number: pull_request.story for number, pull_request in known.items()} == {
        # A commit with its title proves that it was merged; what was seen before a change of the title is not lost.
        7: PrStory("Retry all uploads", at(two, 2), "merged", at(two, 2)),
        # The commit that names it may be any.
        8: PrStory("", None, "created", at(one, 3)),
        # Another session says more, but it may be of another repository.
        9: PrStory("Cut prices", at(one, 5), "created", at(one, 5)),
        10: PrStory(),
    }
    assert [[row.session for row in known[number].sessions] for number in (7, 8)] == [[two, one], [one]]
    assert known[7].last == known[7].sessions[0]
    assert [row.url for row in index.pull_requests.all()] == [url(7), url(7), url(10), url(9), url(8)]


def test_links_tell_the_same_of_one_number_and_of_one_session(index: Index) -> None:
    def told(number: int | None, session: str | None) -> list[tuple[object, ...]]:
        key = index.sessions.find(session).key if session else None
        return [
            (link.number, link.session_id, link.pr_title, link.pr_title_turn, link.state, link.state_turn)
            for link in index.pull_requests.links(number, key)
        ]

    merged = ("Retry all uploads", f"{OTHER_SESSION}:2", "merged", f"{OTHER_SESSION}:2")
    assert told(7, None) == [(7, SESSION, *merged), (7, OTHER_SESSION, *merged)]
    assert told(None, OTHER_SESSION) == [(7, OTHER_SESSION, *merged)]
    assert told(10, None) == [(10, SESSION, "", "", None, "")]
    assert told(11, None) == told(None, THIRD) == []
    assert [link.state for link in index.pull_requests.links()] == ["merged", "merged", "created", "created", None]


def test_an_index_without_pull_requests_has_none(tmp_path: Path) -> None:
    script = Script()
    script.user("hello")
    assert build(tmp_path / "data", script.write(tmp_path / "src")).pull_requests.known() == []
