"""The sessions and turns behind a pull request: who made it, who named it, and who wrote its commits.

What transcripts say of it is in the index; its commits are those that a repository on this disk names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from memtui_core.errors import NothingSelected
from memtui_core.memory.blame.commit_origin import origin_of_commit
from memtui_core.memory.blame.git import Git
from memtui_core.memory.blame.request_names import turns_naming
from memtui_core.memory.blame.values import CommitOrigin, RequestOrigin, RequestTurn
from memtui_core.memory.blame.writing_sessions import writing_sessions
from memtui_core.queries.pull_requests import PrRow, PullRequest, pull_requests, told_facts
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.system.projects import remote_address, repository_key
from memtui_core.text.controls import stored
from memtui_core.text.machine_folders import machine_of

_MOST_COMMITS: Final = 40
"""Commits of a pull request of which the turns are looked for, the oldest."""


@dataclass(slots=True)
class _Evidence:
    """What a turn has to do with the pull request."""

    at: datetime | None = None
    opened: bool = False
    named: bool = False
    made: list[str] = field(default_factory=list)
    lines: int = 0
    files: dict[str, None] = field(default_factory=dict)


_Turns = defaultdict[tuple[int, int], _Evidence]


def origin_of_request(snapshot: Snapshot, number: int, folder: Path, repository: str = "") -> RequestOrigin:
    """The turns behind a pull request of a repository (`owner/name`), or of that which contains a folder.

    Without `repository` and a folder in one, it is the only pull request with that number that sessions name. Raises
    NothingSelected if there is none, or several.
    """
    top = Git(folder).top()
    here = repository_key(remote_address(top.as_posix())) if top is not None else ""
    known = _known(snapshot, number, repository, here)
    places = [top] if top is not None and (known is None or _is_of(known, here)) and not repository else []
    places += _roots(snapshot, known) if known is not None else []
    found_by, commits, place = _commits(places, number, known)
    if known is None and not commits:
        raise NothingSelected(f"No session names a pull request #{number}, and no repository here does.")
    read = [origin_of_commit(snapshot, place, commit) for commit in commits[:_MOST_COMMITS]]
    turns: _Turns = defaultdict(_Evidence)
    if known is not None:
        _told(snapshot, known, turns)
    for origin in read:
        _wrote(origin, turns)
    return RequestOrigin(
        number,
        known.repository if known is not None else here.partition("/")[2],
        known.url if known is not None else "",
        known.story.title if known is not None else "",
        known.story.state or "" if known is not None else "",
        found_by,
        here if top is not None and not places and not repository else None,
        tuple(commits),
        len(commits) - len(read),
        sum(origin.added for origin in read),
        sum(origin.claimed for origin in read),
        tuple(_ordered(snapshot, turns)),
    )


def _known(snapshot: Snapshot, number: int, repository: str, here: str) -> PullRequest | None:
    """The pull request that is meant, as sessions name it; None if none does. Raises NothingSelected for several."""
    named = [request for request in pull_requests(snapshot) if request.number == number]
    if repository:
        named = [request for request in named if request.repository.casefold() == repository.casefold()]
        if not named:
            raise NothingSelected(f"No session names a pull request #{number} of {repository}.")
    elif own := [request for request in named if here and _is_of(request, here)]:
        named = own
    if len(named) > 1:
        names = ", ".join(f"{request.repository}#{number}" for request in named)
        raise NothingSelected(f"There are several pull requests #{number}: {names}. Name one of them.")
    return named[0] if named else None


def _is_of(request: PullRequest, here: str) -> bool:
    """Whether a pull request is one of a repository, by the key of that."""
    return repository_key(stored(request.url).partition("/pull/")[0]) == here


def _roots(snapshot: Snapshot, request: PullRequest) -> list[Path]:
    """The folders on this disk of the projects of its sessions that are the repository of the pull request."""
    rows = snapshot.rows(
        f"SELECT DISTINCT root FROM sessions WHERE {key_condition('key', [row.session for row in request.sessions])}"
        " ORDER BY root"
    )
    roots = [root for (root,) in rows if root and not machine_of(root)]
    return [Path(root).expanduser() for root in roots if _is_of(request, repository_key(remote_address(root)))]


def _commits(places: Iterable[Path], number: int, request: PullRequest | None) -> tuple[str, list[str], Path]:
    """What names the commits of a pull request in the first place that has them, the commits, and the place."""
    branches = [row.branch for row in request.sessions if row.branch] if request is not None else []
    for place in places:
        found_by, commits = Git(place).request_commits(number, stored(branches[-1]) if branches else "")
        if commits:
            return found_by, commits, place
    return "", [], Path()


def _told(snapshot: Snapshot, request: PullRequest, turns: _Turns) -> None:
    """What the transcripts say: which turn made the pull request, and which named it."""
    for row in request.sessions:
        if row.turn is not None:
            _link(turns, row)
    for session, number in turns_naming(snapshot, request):
        turns[session, number].named = True
    for url, _, fact, source in told_facts(snapshot, request.number):
        if url == stored(request.url) and fact.is_new:
            turns[source.session, source.turn].opened = True


def _link(turns: _Turns, row: PrRow) -> None:
    assert row.turn is not None
    evidence = turns[row.session, row.turn]
    evidence.named = True
    evidence.at = row.at


def _wrote(origin: CommitOrigin, turns: _Turns) -> None:
    """What turns have to do with one of the commits."""
    for turn in origin.turns:
        evidence = turns[turn.session.key, turn.turn]
        evidence.at = evidence.at or turn.at
        evidence.lines += turn.lines
        evidence.files |= dict.fromkeys(turn.files)
        if {"made", "same changes"} & set(turn.proofs):
            evidence.made.append(origin.facts.id)


def _ordered(snapshot: Snapshot, turns: _Turns) -> Iterable[RequestTurn]:
    sessions = {one.key: one for one in writing_sessions(snapshot, {session for session, _ in turns})}
    began = {
        (session, number): at.replace(tzinfo=UTC)
        for session, number, at in snapshot.rows(
            "SELECT session, number, credible(started_at) AS at FROM turns"
            f" WHERE {key_condition('session', sessions)} AND credible(started_at) IS NOT NULL"
        )
    }
    found = [
        RequestTurn(
            sessions[key],
            number,
            own.at or began.get((key, number)),
            own.opened,
            own.named,
            tuple(own.made),
            own.lines,
            tuple(own.files),
        )
        for (key, number), own in turns.items()
        if key in sessions
    ]
    return sorted(found, key=lambda turn: (turn.at or datetime.max.replace(tzinfo=UTC), turn.session.key, turn.turn))
