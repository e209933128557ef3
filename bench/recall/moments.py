"""Requests that lead a session to a file which an earlier session of the project had edited.

The request is the last one that the session was given before it, or a subagent of its, touched the file: a person's
prompt, a slash command, or what another agent told it. Only the first touch of a file counts: after it the file is
known. A session, its subagents and what they were forked from are one: what they did is before the agent already.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import chain, zip_longest
from pathlib import Path

from bench.quality.questions import half_of, spread
from memtui_core.queries.columns import utc
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot

LONGEST = 300
"""Characters of a request that an agent passes on as a query."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One request, and who could have told of the file that it leads to."""

    session: str
    turn: int
    at: datetime
    """The minute in which it was made, in UTC: filters know no seconds. What was done since does not count."""
    root: str
    request: str
    """What was asked, whole."""
    path: str
    """The first such file by its name, of those in the first turn that touched one."""
    files: int
    """How many such files it led to."""
    answers: frozenset[str]
    """Ids of the sessions whose edits of the file were over by then, and of those that these are subagents of."""
    others: int
    """Sessions of the project that had begun by then, without subagents and the own one."""

    @property
    def query(self) -> str:
        """The request on one line, cut after the last word that ends within LONGEST characters."""
        line = " ".join(self.request.split())
        if len(line) <= LONGEST:
            return line
        return line[: LONGEST + 1].rpartition(" ")[0] or line[:LONGEST]

    @property
    def half(self) -> str:
        """`tune` or `report`, by its session."""
        return half_of(self.session)


@dataclass(frozen=True, slots=True)
class _Touch:
    session: int
    at: datetime
    path: str


@dataclass(frozen=True, slots=True)
class _Request:
    turn: int
    at: datetime
    text: str


def moments(data_dir: Path) -> list[Moment]:
    """All moments of an index, one for each request, in the order of time."""
    sessions = _Sessions(Snapshot(DataDir(data_dir)))
    known: set[tuple[int, str]] = set()
    found: dict[tuple[int, int], list[tuple[str, frozenset[str]]]] = {}
    made: dict[tuple[int, int], _Request] = {}
    for touch in sessions.touches:
        top = sessions.top(touch.session)
        if (top, touch.path) in known:
            continue
        known.add((top, touch.path))
        request = sessions.request(top, touch.at)
        if request is None:
            continue
        answers = sessions.edited(touch, request.at.replace(second=0, microsecond=0))
        if answers:
            made[top, request.turn] = request
            found.setdefault((top, request.turn), []).append((touch.path, answers))
    return [sessions.moment(key, made[key, turn], files) for (key, turn), files in found.items()]


def chosen(found: Sequence[Moment], most: int) -> list[Moment]:
    """At most `most` moments, of each project one in turn and there of each session; the same ones each time."""
    by_root: dict[str, list[Moment]] = {}
    for moment in found:
        by_root.setdefault(moment.root, []).append(moment)
    columns = [
        spread(of_root, lambda one: one.session, lambda one: f"{one.session}:{one.turn}", len(of_root))
        for of_root in spread(by_root.values(), lambda some: some[0].root, lambda some: some[0].root, len(by_root))
    ]
    mixed = chain.from_iterable(zip_longest(*columns))
    return [one for one in mixed if one is not None][:most]


class _Sessions:
    """The sessions of a snapshot, and what they touched and were asked."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        rows = snapshot.rows(
            "SELECT s.key, s.session_id, s.root, s.parent, s.forked_from, min(t.started_at) FROM sessions s"
            " JOIN turns t ON t.session = s.key WHERE NOT s.hidden AND s.root <> '' GROUP BY ALL"
        )
        self._ids = {key: session_id for key, session_id, *_ in rows}
        self._roots = {key: root for key, _, root, *_ in rows}
        self._parents = {key: parent for key, _, _, parent, *_ in rows if parent in self._ids}
        self._begun = {key: utc(at) for key, *_, at in rows}
        keys = {session_id: key for key, session_id in self._ids.items()}
        self._forked = {key: keys[origin] for key, _, _, _, origin, _ in rows if origin in keys}

    @cached_property
    def touches(self) -> list[_Touch]:
        """Every file that a turn edited or read, in the order of time."""
        rows = self._snapshot.rows(
            "SELECT m.session, t.started_at, m.path FROM file_mentions m JOIN turns t ON t.id = m.turn"
            " WHERE NOT m.is_dir AND m.kind IN ('edited', 'read') AND t.started_at IS NOT NULL"
            " ORDER BY t.started_at, t.id, m.line, m.path"
        )
        return [_Touch(key, at, path) for key, moment, path in rows if key in self._ids and (at := utc(moment))]

    @cached_property
    def _edits(self) -> dict[tuple[str, str], list[tuple[int, datetime]]]:
        """The sessions that edited a file of a project, and when that turn of theirs was over."""
        rows = self._snapshot.rows(
            "SELECT m.session, m.path, coalesce(t.ended_at, t.started_at) AS over FROM file_mentions m"
            " JOIN turns t ON t.id = m.turn WHERE NOT m.is_dir AND m.kind = 'edited' AND over IS NOT NULL"
        )
        found: dict[tuple[str, str], list[tuple[int, datetime]]] = {}
        for key, path, over in rows:
            if key in self._ids and (at := utc(over)):
                found.setdefault((self._roots[key], path), []).append((key, at))
        return found

    @cached_property
    def _requests(self) -> dict[int, list[_Request]]:
        rows = self._snapshot.rows(
            "SELECT session, number, started_at, user_text FROM turns WHERE kind IN ('human', 'command', 'agent')"
            " AND started_at IS NOT NULL AND user_text <> '' ORDER BY session, started_at, number"
        )
        found: dict[int, list[_Request]] = {}
        for key, number, moment, text in rows:
            if at := utc(moment):
                found.setdefault(key, []).append(_Request(number, at, text))
        return found

    def top(self, key: int) -> int:
        """The session in which a subagent works; any other is its own."""
        while key in self._parents:
            key = self._parents[key]
        return key

    def request(self, top: int, at: datetime) -> _Request | None:
        """The last request that a session was given by then."""
        asked = self._requests.get(top, [])
        place = bisect_right(asked, at, key=lambda one: one.at)
        return asked[place - 1] if place else None

    def edited(self, touch: _Touch, at: datetime) -> frozenset[str]:
        """The other sessions of the project that had edited a file by then, and those that they are subagents of."""
        own = self._family(touch.session)
        found: set[str] = set()
        for session, over in self._edits.get((self._roots[touch.session], touch.path), ()):
            if over < at and self._family(session) != own:
                found |= {self._ids[session], self._ids[self.top(session)]}
        return frozenset(found)

    def moment(self, key: int, request: _Request, files: Sequence[tuple[str, frozenset[str]]]) -> Moment:
        """A request and the files that it led to, each with who edited it."""
        at, root, own = request.at.replace(second=0, microsecond=0), self._roots[key], self._family(key)
        others = [
            other
            for other, begun in self._begun.items()
            if begun and begun < at and self._roots[other] == root and other not in self._parents
        ]
        path, answers = files[0]
        return Moment(
            self._ids[key], request.turn, at, root, request.text, path, len(files), answers,
            sum(self._family(other) != own for other in others),
        )  # fmt: skip

    def _family(self, key: int) -> int:
        """A number that a session shares with its subagents and what they were forked from."""
        seen = {key}
        while (above := self._parents.get(key, self._forked.get(key))) is not None and above not in seen:
            seen.add(above)
            key = above
        return key
