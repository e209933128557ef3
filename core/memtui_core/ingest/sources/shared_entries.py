"""Entries that are in several transcripts, such as copies and forks of a session, are stored once, for their owner.

`claims` says which of two transcripts owns what both have. If a transcript that is read later turns out to be the
owner, it displaces the former one: that is read again without the shared entries.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Final, Protocol

from memtui_core.errors import SourceUnreadable
from memtui_core.ingest.discover import COPY, KnownSource, known_sources, sources_with, transcript_of
from memtui_core.ingest.sources.claims import Claim, claim_of_transcript, named_origin, newcomer_owns
from memtui_core.ingest.sources.entries import EntryKey, Owner, entry_key
from memtui_core.ingest.sources.removal import remove_turns
from memtui_core.ingest.sources.rows import mark_unread
from memtui_core.readers.base import START, Reading, Transcript
from memtui_core.readers.records import Message
from memtui_core.readers.registry import reader_of
from memtui_core.store.tables import BIG

if TYPE_CHECKING:
    from memtui_core.ingest.sources.batch import Batch
    from memtui_core.store.work.database import WorkDatabase

FORGOTTEN_OWNER: Final = Owner(-1, -1)
"""Stands for the source and the session of entries that were forgotten."""
_FORKS_TO_REREAD: Final = """
SELECT DISTINCT k.id, s.agent, s.session_id FROM (SELECT DISTINCT session FROM turns WHERE source = $1) o
    JOIN sessions origin ON origin.key = o.session
    JOIN sessions s ON s.forked_from = origin.session_id AND s.agent = origin.agent
    JOIN forks f ON f.session = s.key
    JOIN sources k ON k.session = s.key
WHERE k.id <> $1
    AND (SELECT min(b.line) FROM blocks b JOIN turns t ON t.id = b.turn
        WHERE t.source = $1 AND b.at_time > f.until) >= $2
"""
"""For a source ($1) that was read from a line on ($2): the sources of its forks, if the first entry of the source that
the fork does not have is in one of these lines, with the agent and the id of the session."""
_FORKS_OF: Final = """
SELECT DISTINCT k.id, s.agent, s.session_id FROM sources o JOIN sessions origin ON origin.key = o.session
    JOIN sessions s ON s.forked_from = origin.session_id AND s.agent = origin.agent
    JOIN forks f ON f.session = s.key
    JOIN sources k ON k.session = s.key
WHERE list_contains($1, o.id)
"""
"""The sources of the sessions that repeat those of some sources ($1), with the agent and the id of the session."""


class ForeignEntries(Protocol):
    """Tells which entries of a transcript are foreign, which means that they belong to other sources."""

    displaced: list[int]
    """Sources whose shared entries belong to this one now, so that they must be read again."""
    may_displace: bool
    """Whether shared entries that are found from now on may displace other sources."""

    @property
    def until(self) -> datetime | None:
        """The time of the last foreign entry."""

    @property
    def origin(self) -> int | None:
        """The session to which the last foreign entry belongs; None if there is none."""

    def find(self, messages: Sequence[Message]) -> Collection[int]:
        """The foreign ones of some messages, by the Python id of the message."""


class ForeignOrigin:
    """Finds the session that a transcript goes on from: the one of its last foreign entry."""

    def __init__(self) -> None:
        self.session: int | None = None
        """None if there are no foreign entries, or only forgotten ones."""
        self.until: datetime | None = None
        """The time of the last foreign entry."""

    def add(self, messages: Sequence[Message], sessions: Mapping[int, int]) -> None:
        """Add messages; `sessions` are those of the foreign ones, by the Python id of the message."""
        foreign = [message for message in messages if id(message) in sessions]
        kept = [sessions[id(message)] for message in foreign if sessions[id(message)] != FORGOTTEN_OWNER.session]
        self.session = kept[-1] if kept else self.session
        times = [message.at for message in foreign if message.at is not None]
        self.until = max([*times, *([self.until] if self.until else [])], default=None)


class ContentlessRecords:
    """Finds the foreign ones of the records without content, such as counts of tokens.

    They are not stored as entries: each belongs to the owner of the entry before it.
    """

    def __init__(self, session: int | None = None) -> None:
        self._session = session
        """The session of the last entry if that is foreign, otherwise None."""

    def add_to(self, sessions: dict[int, int], messages: Sequence[Message]) -> None:
        """Add foreign records without content to the sessions of foreign messages, by the Python id of a message."""
        for message in messages:
            if message.blocks:
                self._session = sessions.get(id(message))
            elif self._session is not None:
                sessions.setdefault(id(message), self._session)


class SharedEntries:
    """The foreign entries of one source, found by the index and the batch.

    With `may_displace`, the source displaces others if their shared entries are its own; that is decided when the first
    shared entries are read. For a copy that is continued, `copied_session` is the session that owns its entries so far.
    """

    def __init__(
        self,
        batch: Batch,
        source: int,
        transcript: Transcript,
        *,
        may_displace: bool,
        copied_session: int | None = None,
    ) -> None:
        self.displaced: list[int] = []
        self._contentless = ContentlessRecords(copied_session)
        self._batch = batch
        self._transcript = transcript
        self._source = source
        self.may_displace = may_displace
        self._origin = ForeignOrigin()

    def find(self, messages: Sequence[Message]) -> Collection[int]:
        """The messages that belong to other sources, by the Python id of the message."""
        owners = self._owned_by_others(messages)
        if owners and self.may_displace:
            # Whether they belong to the new transcript depends on all entries of it.
            newcomer = claim_of_transcript(self._transcript)
            rivals = owned_by_others(self._batch, newcomer.entries, self._source)
            self.displaced = displace_owners(self._batch, newcomer, rivals.values())
            owners = self._owned_by_others(messages)
            self.may_displace = False
        sessions = {number: owner.session for number, owner in owners.items()}
        self._contentless.add_to(sessions, messages)
        self._origin.add(messages, sessions)
        return sessions

    @property
    def until(self) -> datetime | None:
        """The time of the last foreign entry."""
        return self._origin.until

    @property
    def origin(self) -> int | None:
        """The session to which the last foreign entry belongs; None if there is none."""
        return self._origin.session

    def _owned_by_others(self, messages: Sequence[Message]) -> dict[int, Owner]:
        keys = {id(message): key for message in messages if (key := entry_key(message)) is not None}
        owners = owned_by_others(self._batch, list(keys.values()), self._source)
        return {number: owners[key] for number, key in keys.items() if key in owners} if owners else {}


def owned_by_others(batch: Batch, keys: Collection[EntryKey], source: int) -> dict[EntryKey, Owner]:
    """The owners of those entries that belong to other sources already."""
    pending, uncertain = batch.owners_in_memory(keys, source)
    stored = _owners(batch.work, uncertain, source) if uncertain and batch.work.may_have("blocks") else {}
    owners = {key: owner for key, owner in (pending | stored).items() if owner.source != source}
    return owners | dict.fromkeys(batch.forgotten_among(keys) - owners.keys(), FORGOTTEN_OWNER)


def displace_owners(batch: Batch, newcomer: Claim, owners: Iterable[Owner]) -> list[int]:
    """Remove the turns of sources whose shared entries belong to a new transcript instead, and return these sources.

    `owners` are the owners of the shared entries so far.
    """
    batch.write_finished()
    rivals = sorted({owner.source for owner in owners} - {FORGOTTEN_OWNER.source})
    displaced = [rival for rival in rivals if newcomer_owns(batch, newcomer, rival)]
    mark_unread(batch.work, unsettled(batch, displaced))
    for rival in displaced:
        remove_source(batch, rival)
    return displaced


def remove_source(batch: Batch, source: int) -> None:
    """Remove all turns of a source, which must be read again."""
    mark_unread(batch.work, [source])
    batch.sessions.recount(remove_turns(batch.work, source, 0))
    batch.mark_uncertain(source)


def copies_of(work: WorkDatabase, source: KnownSource) -> dict[str, int]:
    """The copies of a source, all of whose entries are in it or in another source of its session: ids by name."""
    query = "SELECT path, id FROM sources WHERE session = ? AND state = ? AND id <> ?"
    return dict(work.connection.execute(query, [source.session, COPY, source.id]).fetchall())


def copies_to_reread(work: WorkDatabase, source: KnownSource) -> set[int]:
    """The copies of a source that are another session, so that they may own the shared entries now.

    What names its origin stays a fork of it.
    """
    copies = copies_of(work, source)
    if not copies:
        return set()
    session_id = work.scalar("SELECT session_id FROM sessions WHERE key = ?", [source.session])
    return {
        copy.id
        for copy in known_sources(work, copies).values()
        if (begun := _begun(copy)) is not None
        and begun.identity().session_id != session_id
        and begun.facts.forked_from is None
    }


def unsettled(batch: Batch, displaced: Collection[int]) -> set[int]:
    """The sources that repeat displaced ones without naming their origin, which may be another one now."""
    work = batch.work
    found = _without_name(batch, _FORKS_OF, sorted(displaced)) if displaced else set()
    for source in sources_with(work, displaced):
        found |= copies_to_reread(work, source)
    return found - {*displaced}


def forks_to_reread(batch: Batch, source: int, lines: int) -> set[int]:
    """The forks that may own the entries shared with a source, after the source was read from a line on.

    The first entry of the source that a fork does not have decides: these are the forks for which that entry is new.
    """
    return _without_name(batch, _FORKS_TO_REREAD, source, lines)


def _without_name(batch: Batch, query: str, *parameters: object) -> set[int]:
    """The sources of a query whose sessions name no origin; what names its origin stays a fork of it."""
    forks = batch.work.connection.execute(query, parameters).fetchall()
    return {fork for fork, *session in forks if named_origin(batch, *session) is None}


def _begun(source: KnownSource) -> Reading | None:
    """A source that is read as far as its first message; None if it cannot be read."""
    reader, transcript = reader_of(source.agent), transcript_of(source)
    if reader is None or transcript is None:
        return None
    reading = reader.read(transcript, START)
    with suppress(SourceUnreadable):
        next((record for record in reading if isinstance(record, Message)), None)
    return reading


def _owners(work: WorkDatabase, keys: Sequence[EntryKey], source: int) -> dict[EntryKey, Owner]:
    """The owners of those entries that the work database has, except `source`."""
    times = [at for _, at in keys]
    # With bounds for the time, DuckDB reads only row groups with such times.
    bounds = (
        f"b.at_time BETWEEN make_timestamp({min(times)}) AND make_timestamp({max(times)})" if all(times) else "TRUE"
    )
    from memtui_core.store.work.connection import arrow_table

    work.connection.register("candidates", arrow_table({"entry": BIG, "moment": BIG}, list(zip(*keys, strict=True))))
    try:
        rows = work.connection.execute(
            "SELECT DISTINCT b.entry, coalesce(epoch_us(b.at_time), 0), t.source, t.session"
            " FROM blocks b JOIN candidates w ON b.entry = w.entry AND coalesce(epoch_us(b.at_time), 0) = w.moment"
            f" JOIN turns t ON t.id = b.turn WHERE t.source <> ? AND {bounds}",
            [source],
        ).fetchall()
    finally:
        work.connection.unregister("candidates")
    return {(entry, at): Owner(owner, session) for entry, at, owner, session in sorted(rows)}
