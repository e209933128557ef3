"""Sessions are linked to the pull requests that they made, also by an agent that has no record for that."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from support.indexes import build, update
from support.rollouts import THREAD, Rollout
from support.transcripts import SESSION, Script


def url(number: int) -> str:
    return f"https://github.com/ana/shop/pull/{number}"


def made(data: Path) -> list[tuple[int, str, str, int | None]]:
    """The number, address, repository and turn of each link."""
    return sorted((row.number, row.url, row.repository, row.turn) for row in Index.open(data).pull_requests.all())


def worked() -> Rollout:
    """A session in which two pull requests are made, and others are only seen, or not made."""
    rollout = Rollout(THREAD)
    rollout.user("Round the prices")
    rollout.shell("git push && gh pr create --fill", f"To github.com\n{url(7)}\n")
    rollout.answer("Made.")
    rollout.user("And the taxes")
    rollout.shell("gh pr view 3 --json url,state,isDraft", f'{{"url":"{url(3)}","state":"OPEN","isDraft":true}}')
    rollout.shell("gh pr create --title Taxes", f'a pull request for branch "taxes" already exists:\n{url(4)}', 1)
    rollout.shell("gh pr create --title Taxes -d", url(5), 1)
    rollout.shell("echo gh pr create", url(6))
    rollout.shell("gh pr create --title Taxes -d", url(8))
    rollout.answer("Made.")
    return rollout


LINKS = [(7, url(7), "ana/shop", 1), (8, url(8), "ana/shop", 2)]


def test_a_pull_request_that_a_call_made_is_linked(tmp_path: Path) -> None:
    data = tmp_path / "data"
    update(data, worked().write(tmp_path / "src"), agent="codex")
    assert made(data) == LINKS


def test_a_link_comes_with_the_turn_that_grows_and_only_once(tmp_path: Path) -> None:
    data, script = tmp_path / "data", Script()
    script.user("Round the prices")
    script.calls("Bash", {"command": "gh pr create --fill"}, "t1")
    source = script.write(tmp_path / "src")
    update(data, source)
    assert made(data) == []
    script.result(url(7), "t1")
    script.write(tmp_path / "src")
    update(data, source)
    link = {"prNumber": 7, "prUrl": url(7), "prRepository": "ana/shop", "sessionId": SESSION}
    script.raw({"type": "pr-link", **link, "timestamp": "2026-11-01T10:00:00Z"})
    script.says("Made.")
    script.write(tmp_path / "src")
    update(data, source)
    assert made(data) == [(7, url(7), "ana/shop", 1)]


def test_the_links_are_added_once_to_an_older_index(tmp_path: Path) -> None:
    """Also of a session whose transcript is gone, with the time of the call."""
    data, rollout = tmp_path / "data", worked()
    source = rollout.write(tmp_path / "src")
    index = build(data, source, agent="codex")
    expected = index.pull_requests.links()
    assert all(isinstance(link.at, datetime) and link.at.tzinfo == UTC for link in expected)
    with Indexer(data) as indexer:
        work = indexer.work
        work.begin_batch()
        with work.transaction():
            work.drop("pr_links", {row[0] for row in work.rows("pr_links", "TRUE", [])})
            work.connection.execute("DELETE FROM meta WHERE key = 'created_links'")
        indexer.publish()
    source.unlink()
    assert made(data) == []
    for snapshots in (1, 0):
        with Indexer(data) as indexer:
            list(indexer.update([Location("codex", source.parent)]))
            assert (indexer.counts.files_read, indexer.counts.snapshots) == (0, snapshots)
        assert Index.open(data).pull_requests.links() == expected
