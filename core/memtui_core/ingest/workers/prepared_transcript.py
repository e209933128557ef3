"""Prepare a new transcript: make all its rows and documents of the lexicon without the index, with ids of their own.

This is most of the work of indexing, and other processes can do it. What depends on other transcripts is done when the
result is merged (see `merging`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from typing import Any, Final

from memtui_core.ingest.discover import Pending
from memtui_core.ingest.sources.claims import Claim
from memtui_core.ingest.sources.entries import EntryKey, entry_key
from memtui_core.ingest.sources.shared_entries import ContentlessRecords, ForeignOrigin
from memtui_core.ingest.sources.source_ingest import Outcome, SourceIngest
from memtui_core.ingest.turns.grouping import MAIN
from memtui_core.ingest.turns.sessions import SessionRow, SessionTable
from memtui_core.model import Block
from memtui_core.readers.base import START, Identity, Transcript
from memtui_core.readers.exclusions import KEEP_ALL, Exclusions, RetentionRules
from memtui_core.readers.records import Message
from memtui_core.readers.registry import reader_of
from memtui_core.store.lexicon.fields import TurnDoc, turn_document
from memtui_core.store.tables import COLUMNS, TableRows
from memtui_core.tools.mentions import Mention, used_files

LARGEST: Final = 16_000_000
"""Bytes of the largest transcript that is prepared: all its rows are in memory at once."""
OWN_SOURCE: Final = 0
"""The id of the transcript's source in its rows."""
NO_FOREIGN_ENTRIES: Final[Mapping[EntryKey, int]] = {}


@dataclass(slots=True)
class PreparedSource:
    """The rows of one transcript. Sessions, turns and the source have ids of their own, from 0 or 1 on."""

    tables: dict[str, TableRows]
    sessions: list[SessionRow]
    """In the order of their keys."""
    main: int | None
    """The key of the session of the main conversation; None if there is no such session."""
    claim: Claim
    """The properties that decide whether entries that it shares with other transcripts belong to it."""
    entries: list[EntryKey]
    """The keys of all entries that have one."""
    origin: int | None
    """The session in the index to which the last foreign entry belongs; None if there is none."""
    until: datetime | None
    """The time of the last foreign entry."""
    owned: list[tuple[EntryKey, int]]
    """The keys of the stored entries, with their sessions."""
    files: dict[str, set[str]]
    """By the root of a project: files that its turns have used and that cannot be recognized by their names."""
    possible: dict[int, str]
    """By turn: words that may name other such files, see `PossibleFiles`."""
    documents: list[TurnDoc]
    characters: int
    turns: int
    blocks: int
    to_link: bool
    """Whether it contains titles of other sessions, or calls that started them."""


@dataclass(slots=True)
class _CollectedFiles:
    """Collects the files that the turns of one transcript have used; a `KnownFiles`."""

    files: dict[str, set[str]] = field(default_factory=dict)
    possible: dict[int, str] = field(default_factory=dict)

    def of(self, root: str) -> Collection[str]:
        return self.files.get(root, ())

    def learn(self, root: str, mentions: Sequence[Mention], blocks: Sequence[Block]) -> None:
        if used := used_files(mentions, blocks):
            self.files.setdefault(root, set()).update(used)

    def add_possible(self, turn: int, words: str) -> None:
        self.possible[turn] = words


class _CollectedRows:
    """A `RowSink` for one transcript of which nothing is stored; many of its methods have nothing to do."""

    number = 0

    def __init__(self) -> None:
        self.sessions = SessionTable()
        self.project_files = _CollectedFiles()
        self.characters = 0
        self.tables: dict[str, TableRows] = {}
        self.owned: list[tuple[EntryKey, int]] = []
        self._next_ids = {"turns": 0, "sources": OWN_SOURCE}

    def next_id(self, table: str) -> int:
        self._next_ids[table] += 1
        return self._next_ids[table] - 1

    def put(self, table: str, *row: Any) -> None:
        self.tables.setdefault(table, TableRows()).append(row)

    def drop(self, table: str, key: int) -> None:
        """Nothing is stored."""

    def drop_existing(self, table: str, key: int) -> None:
        """Nothing is stored."""

    def add_entry(self, key: EntryKey, source: int, session: int) -> None:
        self.owned.append((key, session))

    def is_forgotten(self, agent: str, identity: Identity) -> bool:
        """Not known here: `merging` asks the index."""
        return False

    def fork(self, session: SessionRow, origin: int, until: datetime | None) -> None:
        """Not possible here: sessions of other transcripts are not known. `merging` does it."""

    def end_fork(self, session: SessionRow) -> None:
        """Not needed: a transcript that was read before is not prepared."""

    def flush_large(self) -> None:
        """Not needed: a transcript that does not fit into memory is not prepared."""


class _CollectedEntries:
    """The `ForeignEntries` of a prepared transcript: those that the caller names. Collects the keys of all entries."""

    def __init__(self, foreign: Mapping[EntryKey, int]) -> None:
        self.displaced: list[int] = []
        self.may_displace = False
        self.keys: list[EntryKey] = []
        self.claimed: set[EntryKey] = set()
        """The keys of entries with content."""
        self._foreign = foreign
        self._origin = ForeignOrigin()
        self._contentless = ContentlessRecords()

    def find(self, messages: Sequence[Message]) -> Collection[int]:
        found: dict[int, int] = {}
        for message in messages:
            if (key := entry_key(message)) is not None:
                self.keys.append(key)
                if message.blocks:
                    self.claimed.add(key)
                if key in self._foreign:
                    found[id(message)] = self._foreign[key]
        self._contentless.add_to(found, messages)
        self._origin.add(messages, found)
        return found

    @property
    def until(self) -> datetime | None:
        return self._origin.until

    @property
    def origin(self) -> int | None:
        return self._origin.session


def prepare(
    transcript: Transcript,
    exclusions: Exclusions,
    foreign: Mapping[EntryKey, int] = NO_FOREIGN_ENTRIES,
    machine: str = "",
    retention: RetentionRules = KEEP_ALL,
) -> PreparedSource:
    """Prepare a transcript of which nothing is stored. Raises what reading it raises, and SessionExcluded.

    `foreign` are the entries that belong to other transcripts, with their sessions in the index; they are left out.
    `machine` is the other machine from which the transcript was copied.
    """
    reader = reader_of(transcript.agent)
    if reader is None:
        raise LookupError(f"no reader of {transcript.agent}")
    rows, entries, outcome = _CollectedRows(), _CollectedEntries(foreign), Outcome()
    reading = reader.read(transcript, START)
    source = SourceIngest(
        rows,
        rows.next_id("sources"),
        Pending(transcript, None),
        reading,
        entries,
        outcome,
        lambda: False,
        exclusions,
        machine=machine,
        retention=retention,
    )
    source.run()
    return PreparedSource(
        rows.tables,
        list(rows.sessions.rows.values()),
        source.session_of(MAIN),
        Claim(
            transcript.agent,
            reading.identity().session_id,
            transcript.name,
            entries.claimed,
            transcript.size,
            reading.facts.forked_from,
        ),
        entries.keys,
        entries.origin,
        entries.until,
        rows.owned,
        rows.project_files.files,
        rows.project_files.possible,
        _documents(rows),
        rows.characters,
        outcome.turns,
        outcome.blocks,
        outcome.to_link,
    )


def _documents(rows: _CollectedRows) -> list[TurnDoc]:
    """The documents of the turns of visible sessions."""
    blocks = _Runs(rows.tables, "blocks", "kind", "text", "tool")
    paths = _Runs(rows.tables, "file_mentions", "path")
    documents = []
    turns = _columns(rows.tables, "turns", "id", "session", "started_at", "kind", "user_text", "number")
    for turn, key, at, kind, text, number in zip(*turns, strict=True):
        session = rows.sessions[key]
        if session.hidden:
            continue
        columns = (turn, key, round((at or 0) / 1_000_000), kind, text, session.title if number == 1 else "")
        document = turn_document(columns, blocks.of(turn), sorted({path for (path,) in paths.of(turn)}))
        documents.append(document.analyzed())
    return documents


class _Runs:
    """Some columns of a table in which the rows of each turn follow each other."""

    def __init__(self, rows: dict[str, TableRows], table: str, *columns: str) -> None:
        self._columns = _columns(rows, table, *columns)
        [turns] = _columns(rows, table, "turn")
        counts = Counter(turns)
        ends = accumulate(counts.values())
        self._places = {turn: slice(end - counts[turn], end) for turn, end in zip(counts, ends, strict=True)}

    def of(self, turn: int) -> Iterator[tuple[Any, ...]]:
        """The values of the rows of a turn, row by row."""
        place = self._places.get(turn, slice(0))
        return zip(*(values[place] for values in self._columns), strict=True)


def _columns(rows: dict[str, TableRows], table: str, *columns: str) -> list[list[Any]]:
    """Some columns of a table."""
    names = list(COLUMNS[table])
    found = rows[table].columns if table in rows else [[] for _ in names]
    return [found[names.index(column)] for column in columns]
