"""What was written down, for the screen: asked and changed in threads, and answered by messages.

The core is imported late, as in `workers`.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.message import Message

from memtui import messages
from memtui.views.timeline.model import FORGOTTEN, HERE, TimelinePage, TimelineQuery, TimelineSession
from memtui_core.errors import MemtuiError
from memtui_core.system import locations

if TYPE_CHECKING:
    from memtui_core.memory import Observation, Observations, SessionSummary
    from memtui_core.model import Session
    from memtui_core.store.reader import Snapshot

_STEP = 0.25
"""Seconds after which summaries that are made are told, though others are still to be made."""
_BY_HAND = "memtui"
"""The tool of what a person writes, and the session of what belongs to none."""
_MadeOf = tuple["Session", tuple[str, ...]]


class ObservationService:
    """The observations of a data folder beside the sessions of its index; every thread may ask.

    `snapshot` gives the index, None before there is one. Answers go out by `post`.
    """

    def __init__(
        self, data_dir: Path, post: Callable[[Message], object], snapshot: Callable[[], Snapshot | None]
    ) -> None:
        self._data_dir = data_dir
        self._post = post
        self._snapshot = snapshot
        self._here = locations.current_folder()
        self._lock = threading.Lock()
        self._book: Observations | None = None
        self._summaries: dict[str, tuple[_MadeOf, SessionSummary | None]] = {}
        """By the id of the session, with what they were made of."""
        self.wanted = TimelineQuery()
        """The wish that was told last: an older one is given up."""

    def changed(self, seen: object) -> object:
        """What tells one state of the log from another; None when it is as it was. Cheap: the `stat` of one file."""
        try:
            stat = (self._data_dir / "observations.jsonl").stat()
            state: object = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        except OSError:
            state = ()
        return None if state == seen else state

    # -- reading -----------------------------------------------------------------------------------------------

    def page(self, wish: TimelineQuery) -> None:
        """What a wish lists; sessions at once, their summaries as they are made."""
        snapshot, book = self._snapshot(), self._opened()
        written = book.select()
        sessions = _sessions(snapshot, written)
        root = self._root(snapshot, wish.root, (*(one.root for one in sessions), *(one.root for one in written)))
        sessions = [one for one in sessions if root in (None, one.root)]
        written = [one for one in written if root in (None, one.root)]
        forgotten = book.select(root=root, forgotten=True)
        if wish.kind == FORGOTTEN:
            listed: Sequence[Observation] = sorted(forgotten, key=_forgotten_at, reverse=True)
        else:
            listed = [one for one in written if one.content.type == wish.kind]
        page = TimelinePage(wish, root, (), tuple(listed[: wish.limit]), len(listed), _kinds(written, forgotten))
        if wish.kind:
            of = {one.session_id for one in page.listed}
            shown = [one for one in sessions if one.session_id in of]
            self._post(messages.TimelineRead(replace(page, sessions=tuple(shown))))
            return
        page = replace(page, total=len(sessions))
        for shown in self._summed(snapshot, sessions[: wish.limit]):
            if self.wanted != wish:
                return
            self._post(messages.TimelineRead(replace(page, sessions=tuple(shown))))

    def origin(self, observation: Observation) -> None:
        """Where an observation comes from: the turn in which it was written down, as far as the index knows."""
        from memtui_core.queries import transcripts

        snapshot = self._snapshot()
        session = _session(snapshot, observation.session_id) if snapshot is not None else None
        turn = None
        if session is not None and snapshot is not None:
            turns = transcripts.turns(snapshot, session.key)
            begun = [one.number for one in turns if one.started_at and one.started_at <= observation.created_at]
            turn = begun[-1] if begun else None
        self._post(messages.OriginFound(observation, session, turn))

    def _summed(
        self, snapshot: Snapshot | None, sessions: Sequence[TimelineSession]
    ) -> Iterator[list[TimelineSession]]:
        """The sessions with the summaries that are known, then with those that are made."""
        from memtui_core.memory import summary_of

        shown = [self._known(one) for one in sessions]
        yield shown
        told = time.monotonic()
        missing = [place for place, one in enumerate(shown) if not one.summed]
        for place in missing:
            one = shown[place]
            assert snapshot is not None
            assert one.session is not None
            made_of = one.session, _decided(one)
            summary = summary_of(snapshot, one.session.key, one.session_id, made_of[1])
            self._summaries[one.session_id] = made_of, summary
            shown[place] = replace(one, summary=summary, summed=True)
            if time.monotonic() - told > _STEP:
                yield shown
                told = time.monotonic()
        if missing:
            yield shown

    def _known(self, one: TimelineSession) -> TimelineSession:
        """With its summary, if that was made of the same."""
        if one.session is None:
            return replace(one, summed=True)
        made_of, summary = self._summaries.get(one.session_id, (None, None))
        return replace(one, summary=summary, summed=True) if made_of == (one.session, _decided(one)) else one

    # -- writing -----------------------------------------------------------------------------------------------

    def save(self, session_id: str, root: str, given: Mapping[str, Any]) -> Observation:
        """Write an observation of a session, or of none. Raises BadObservation, and MemtuiError."""
        from memtui_core.memory import root_of

        home = root or root_of(self._snapshot(), self._here)
        return self._opened().save(session_id or _BY_HAND, home, tool_name=_BY_HAND, **given)

    def edit(self, observation: Observation, given: Mapping[str, Any]) -> Observation:
        """Write a new revision. Raises BadObservation, and MemtuiError."""
        return self._opened().edit(observation.id, **given)

    def forget(self, observation: Observation) -> None:
        """Forget an observation; it can be restored."""
        self._post(messages.NoteMoved(self._opened().forget(observation.id)))

    def restore(self, observation: Observation | None, root: str | None) -> None:
        """Restore an observation; None is the one that was forgotten last in a project, or in all."""
        if observation is None:
            forgotten = self._opened().select(root=root, forgotten=True)
            observation = max(forgotten, key=_forgotten_at, default=None)
        if observation is None:
            raise MemtuiError("Nothing is forgotten.")
        self._post(messages.NoteMoved(self._opened().restore(observation.id)))

    # -- what it is made of --------------------------------------------------------------------------------------

    def _opened(self) -> Observations:
        from memtui_core.memory import Observations

        with self._lock:
            if self._book is None:
                self._book = Observations(self._data_dir)
            return self._book

    def _root(self, snapshot: Snapshot | None, wanted: str | None, roots: Sequence[str]) -> str | None:
        from memtui_core.memory import root_of

        if wanted != HERE:
            return wanted
        home = root_of(snapshot, self._here)
        return home if home and home in roots else None


def _sessions(snapshot: Snapshot | None, written: Sequence[Observation]) -> list[TimelineSession]:
    """Every session of the index, and every other one in which something was written down; newest first."""
    from memtui_core.queries import transcripts

    notes: dict[str, list[Observation]] = {}
    for one in reversed(written):
        notes.setdefault(one.session_id, []).append(one)
    known = {one.session_id: one for one in transcripts.sessions(snapshot)} if snapshot is not None else {}
    for name in notes.keys() - known.keys():
        if snapshot is not None and (session := _session(snapshot, name)) is not None:
            known[name] = session
    found = [
        TimelineSession(name, one.root, one.ended_at or one.started_at, one, tuple(notes.get(name, ())))
        for name, one in known.items()
    ]
    for name in notes.keys() - known.keys():
        last = notes[name][-1]
        found.append(TimelineSession(name, last.root, last.created_at, None, tuple(notes[name])))
    return sorted(found, key=lambda one: (-one.at.timestamp() if one.at else 0.0, one.session_id))


def _decided(one: TimelineSession) -> tuple[str, ...]:
    """What stands among the key decisions because it was written down."""
    return tuple(each.content.title for each in one.observations if each.content.type == "decision")


def _session(snapshot: Snapshot, session_id: str) -> Session | None:
    """A session by its whole id, a subagent's too."""
    from memtui_core.queries import transcripts

    rows = snapshot.rows("SELECT key FROM sessions WHERE session_id = ? AND NOT hidden LIMIT 1", [session_id])
    return transcripts.session(snapshot, rows[0][0]) if rows else None


def _kinds(written: Sequence[Observation], forgotten: Sequence[Observation]) -> tuple[tuple[str, int], ...]:
    from memtui_core.memory import TYPES

    counts = Counter(one.content.type for one in written)
    kinds = [(kind, counts[kind]) for kind in TYPES if counts[kind]]
    return (*kinds, (FORGOTTEN, len(forgotten))) if forgotten else tuple(kinds)


def _forgotten_at(one: Observation) -> datetime:
    assert one.forgotten_at is not None
    return one.forgotten_at
