"""What the user adds to sessions and turns: pins, titles, tags, notes and archives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memtui_core.errors import BadAnnotation, NoteUnknown
from memtui_core.model import Annotations, Session, UserNote
from memtui_core.queries.sessions import read_session
from memtui_core.queries.sources import SourceRow
from memtui_core.queries.turns import read_turns
from memtui_core.store.marks.annotation_log import AnnotationLog, NewAnnotation, annotation_log
from memtui_core.store.marks.annotation_records import (
    MAX_NOTE,
    MAX_NOTES,
    MAX_TAG,
    MAX_TAGS,
    MAX_TITLE,
    AnnotationKind,
    AnnotationRecord,
    AnnotationTarget,
    checked_note,
    checked_tag,
    checked_title,
)
from memtui_core.store.marks.snapshot_annotations import NONE, turn_of
from memtui_core.text.controls import stored

if TYPE_CHECKING:
    from memtui_core.index.index import Index

__all__ = ["MAX_NOTE", "MAX_TAG", "MAX_TITLE", "Annotated", "AnnotationRecord", "SessionAnnotations", "UserNote"]


class Annotated(NamedTuple):
    """A session or a turn to which the user has added something."""

    session: Session
    turn: int
    """Its number; 0 for the session itself."""
    annotations: Annotations


class SessionAnnotations:
    """Reads and writes annotations; any thread may call it, and what was written counts at once, in every process.

    `session` is the key of a session, `turn` the number of one of its turns, or 0 for the session itself. Subagents
    have annotations of their own. `by` says with what something was written. Methods that write raise MemtuiError if
    the log cannot be written, SessionUnknown, and BadAnnotation for a turn that the session does not have; they change
    nothing and return False if everything is as requested.
    """

    def __init__(self, index: Index) -> None:
        self._index = index

    @property
    def stamp(self) -> object:
        """A value that changes when any process has written; it costs the `stat` of a file."""
        return self._index.snapshot.annotations.stamp

    def health(self) -> list[SourceRow]:
        """The files of the log with lines that are no records, as rows of the list of sources."""
        self._log.records()
        return [
            SourceRow(
                str(path), "memtui", (), "partial", self._log.lines(path),
                tuple((number - 1, reason) for number, reason in skipped), None,
            )
            for path, skipped in self._log.skipped.items()
        ]  # fmt: skip

    def of(self, session: int, turn: int = 0) -> Annotations:
        """The annotations of a session or of a turn itself."""
        snapshot = self._index.snapshot_of(session)
        current = snapshot.annotations.current
        if not turn:
            return current.sessions.get(session, NONE)
        found = (key for key, place in current.places.items() if place == (session, turn))
        return next((current.turns[key] for key in found if key in current.turns), NONE)

    def all(self) -> list[Annotated]:
        """All sessions and turns with annotations, the last used session first, each session before its turns."""
        snapshot = self._index.snapshot
        current = snapshot.annotations.current
        found = [(key, 0, own) for key, own in current.sessions.items()]
        found += [(*current.places[turn], own) for turn, own in current.turns.items()]
        sessions = {key: read_session(snapshot, key) for key, _, _ in found}
        rows = [Annotated(sessions[key], turn, own) for key, turn, own in found]
        return sorted(rows, key=lambda row: (-_seconds(row.session.ended_at), row.session.key, row.turn))

    def tags(self) -> list[str]:
        """All tags, the most used first."""
        snapshot = self._index.snapshot
        current = snapshot.annotations.current
        own = (*current.sessions.values(), *current.turns.values())
        counts = Counter(tag for one in own for tag in one.tags)
        return sorted(counts, key=lambda tag: (-counts[tag], tag))

    def archived(self) -> int:
        """How many sessions are archived, subagents not counted."""
        snapshot = self._index.snapshot
        return sum(one.archived for one in snapshot.annotations.current.sessions.values())

    def history(self, session: int | None = None) -> list[AnnotationRecord]:
        """The records of the log, of one session or of all, the oldest first: also titles and notes of before."""
        records = self._log.records()
        if session is None:
            return records
        target = self._target(session, 0)
        return [record for record in records if record.target[:2] == target[:2]]

    def pin(self, session: int, turn: int = 0, *, pinned: bool = True, by: str = "") -> bool:
        """Pin a session or a turn, or take the pin away."""
        return self._set(session, turn, "pinned" if pinned else "unpinned", self.of(session, turn).pinned != pinned, by)

    def archive(self, session: int, *, archived: bool = True, by: str = "") -> bool:
        """Leave a session out of lists and searches, or take it back."""
        kind: AnnotationKind = "archived" if archived else "unarchived"
        return self._set(session, 0, kind, self.of(session).archived != archived, by)

    def rename(self, session: int, title: str, *, by: str = "") -> bool:
        """Give a session a title of the user; an empty one takes it away. Raises BadAnnotation."""
        title = checked_title(title)
        return self._set(session, 0, "renamed", self.of(session).title != title, by, title)

    def tag(self, session: int, tags: Iterable[str], turn: int = 0, *, by: str = "") -> bool:
        """Add tags. Raises BadAnnotation."""
        requested = [checked_tag(tag) for tag in tags]
        known = self.of(session, turn).tags
        missing = [tag for tag in dict.fromkeys(requested) if tag not in known]
        if len(known) + len(missing) > MAX_TAGS:
            raise BadAnnotation(f"A session or turn has at most {MAX_TAGS} tags.")
        target = self._target(session, turn)
        return self._append(lambda records: [NewAnnotation("tagged", target, tag) for tag in missing], by)

    def untag(self, session: int, tags: Iterable[str], turn: int = 0, *, by: str = "") -> bool:
        """Take tags away; those that it does not have are ignored. Raises BadAnnotation."""
        unwanted = {checked_tag(tag) for tag in tags}

        def removed(records: Sequence[AnnotationRecord]) -> Iterable[NewAnnotation]:
            own = [one for one in self._of_target(records, session, turn) if one.kind == "tagged"]
            for tag in dict.fromkeys(one.text for one in own if one.text in unwanted):
                yield NewAnnotation("untagged", target, tag, tuple(one.id for one in own if one.text == tag))

        target = self._target(session, turn)
        return self._append(removed, by)

    def set_tags(self, session: int, tags: Iterable[str], turn: int = 0, *, by: str = "") -> bool:
        """Make these the tags. Raises BadAnnotation."""
        requested = [checked_tag(tag) for tag in tags]
        unwanted = [tag for tag in self.of(session, turn).tags if tag not in requested]
        removed = self.untag(session, unwanted, turn, by=by)
        return self.tag(session, requested, turn, by=by) or removed

    def add_note(self, session: int, text: str, turn: int = 0, *, by: str = "") -> bool:
        """Add a note. Raises BadAnnotation."""
        text = checked_note(text)
        if len(self.of(session, turn).notes) >= MAX_NOTES:
            raise BadAnnotation(f"A session or turn has at most {MAX_NOTES} notes.")
        return self._set(session, turn, "noted", True, by, text)

    def change_note(self, note_id: str, text: str, *, by: str = "") -> bool:
        """Give a note another text; the beginning of its id is enough. Raises BadAnnotation and NoteUnknown."""
        text = checked_note(text)

        def changed(records: Sequence[AnnotationRecord]) -> Iterable[NewAnnotation]:
            note = _note(self._allowed(records), note_id)
            if note.text != text:
                yield NewAnnotation("noted", note.target, text, (note.id,), note.since or note.at)

        return self._append(changed, by)

    def remove_note(self, note_id: str, *, by: str = "") -> bool:
        """Remove a note; the beginning of its id is enough. Raises NoteUnknown."""

        def removed(records: Sequence[AnnotationRecord]) -> Iterable[NewAnnotation]:
            note = _note(self._allowed(records), note_id)
            return [NewAnnotation("note_removed", note.target, replaces=(note.id,))]

        return self._append(removed, by)

    def merge(self, path: Path) -> int:
        """Add what another log has and this one has not, such as that of another machine; how many records."""
        return self._log.merge_log(path)

    @property
    def _log(self) -> AnnotationLog:
        return annotation_log(self._index.data.path)

    def _set(self, session: int, turn: int, kind: AnnotationKind, needed: bool, by: str, text: str = "") -> bool:
        target = self._target(session, turn)
        return self._append(lambda records: [NewAnnotation(kind, target, text)] if needed else [], by)

    def _append(self, make: Callable[[Sequence[AnnotationRecord]], Iterable[NewAnnotation]], by: str) -> bool:
        return self._log.append(make, by) > 0

    def _target(self, session: int, turn: int) -> AnnotationTarget:
        found = self._index.sessions.get(session)
        if not turn:
            return AnnotationTarget(stored(found.agent), stored(found.session_id))
        for one in read_turns(self._index.snapshot_of(session), session):
            if one.number == turn:
                return AnnotationTarget(stored(found.agent), stored(found.session_id), turn, one.started_at)
        raise BadAnnotation(f"{found.session_id} has no turn {turn}; it has {found.turns}.")

    def _allowed(self, records: Sequence[AnnotationRecord]) -> Sequence[AnnotationRecord]:
        """The records of which an index of some projects may tell: those of its sessions."""
        snapshot = self._index.snapshot
        if snapshot.roots is None:
            return records
        known = set(snapshot.rows("SELECT agent, session_id FROM sessions"))
        return [record for record in records if record.target[:2] in known]

    def _of_target(self, records: Sequence[AnnotationRecord], session: int, turn: int) -> Iterable[AnnotationRecord]:
        """The records of a session or turn that count."""
        target = self._target(session, turn)
        replaced = _replaced(records)
        turns = [(one.id, one.number, one.started_at) for one in read_turns(self._index.snapshot_of(session), session)]
        for record in records:
            if record.target[:2] != target[:2] or record.id in replaced:
                continue
            found = turn_of(record.target, turns) if record.target.turn else None
            if (found[1] if found is not None else 0) == turn:
                yield record


def _note(records: Sequence[AnnotationRecord], note_id: str) -> AnnotationRecord:
    """The note with an id, or the only one whose id begins so. Raises NoteUnknown."""
    replaced = _replaced(records)
    notes = [one for one in records if one.kind == "noted" and one.id not in replaced and one.text]
    found = [one for one in notes if one.id == note_id] or [
        one for one in notes if note_id and one.id.startswith(note_id)
    ]
    if len(found) != 1:
        count = f"{len(found)} notes have an id" if found else "There is no note whose id"
        raise NoteUnknown(f"{count} that begins with {note_id!r}." if found else f"{count} begins with {note_id!r}.")
    return found[0]


def _replaced(records: Collection[AnnotationRecord]) -> set[str]:
    return {record_id for record in records for record_id in record.replaces}


def _seconds(at: datetime | None) -> float:
    return at.timestamp() if at is not None else 0.0
