"""One file into the store: read from its cursor, as one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice

from memtui_core.errors import SourceUnreadable
from memtui_core.ingest import copies, sessions
from memtui_core.ingest.discover import HEAD_BYTES, Pending, head_hash
from memtui_core.ingest.drafts import Placed, Rows
from memtui_core.ingest.forget import forget_turns
from memtui_core.ingest.identity import hashed
from memtui_core.ingest.streams import MAIN, Streams
from memtui_core.readers.claude_code import ClaudeCodeReader
from memtui_core.readers.records import BadLine, BoundaryRecord, Message, PrRecord, Record, TitleRank, TitleRecord
from memtui_core.store.work import Work
from memtui_core.turns import TurnDraft

CHUNK = 500
"""Records between two looks at whether to stop, and in one look for entries that other files hold."""


class Stopped(Exception):
    """The person asked to stop: what was read of this file is rolled back."""


@dataclass(slots=True)
class Outcome:
    """What reading a file came to."""

    turns: int = 0
    blocks: int = 0
    displaced: list[int] = field(default_factory=list)
    """Sources that lost entries to this one and must be read again."""
    retitled: set[int] = field(default_factory=set)
    """Sessions whose name changed."""


def ingest_source(work: Work, pending: Pending, stopped: Callable[[], bool]) -> Outcome:
    """Bring one file up to date. Raises Stopped; a file that cannot be read is recorded, not raised."""
    outcome = Outcome()
    with work.transaction():
        source = _SourceIngest(work, pending, outcome, stopped)
        try:
            source.run()
        except SourceUnreadable as error:
            source.record_error(str(error))
    return outcome


class _SourceIngest:
    def __init__(self, work: Work, pending: Pending, outcome: Outcome, stopped: Callable[[], bool]) -> None:
        self.work, self.file, self.outcome, self.stopped = work, pending.file, outcome, stopped
        self.known, self.settled = pending.known, pending.settled
        self.fresh = self.known is None or not self._same_head()
        self.id = self.known.id if self.known else work.next_id("sources")
        self.start = (0, 0) if self.fresh or self.known is None else (self.known.offset, self.known.line)
        self.reader = ClaudeCodeReader(self.file.path, *self.start)
        self.rows = Rows(work)
        self.next_turn = work.next_id("turns")
        self.keys: dict[str, int] = {}
        self.numbers: dict[str, int] = {}
        self.roots: dict[str, str] = {}
        self.records = 0
        self.titles: dict[int, tuple[TitleRank, str]] = {}
        self.boundary_open = False
        self.origins: Counter[int] = Counter()
        self.boundaries: list[tuple[BoundaryRecord, int]] = []

    def _same_head(self) -> bool:
        known = self.known
        if known is None or self.file.size < known.size:
            return False
        try:
            return head_hash(self.file.path, known.head_size) == known.head_hash
        except OSError:
            return False

    def run(self) -> None:
        segment = 0
        if self.known is not None:
            segment = forget_turns(self.work, self.id, self.start[1], self.work.batch)
            last_segment = self.work.scalar("SELECT coalesce(max(segment), 0) FROM turns WHERE source = ?", [self.id])
            self.boundary_open = segment > int(last_segment)
        streams = Streams(segment, sessions.is_agent_file(self.file.path))
        records = iter(self.reader)
        while chunk := list(islice(records, CHUNK)):
            if self.stopped():
                raise Stopped
            self._take(streams, chunk)
            self.records += len(chunk)
        last = dict(streams.last())
        for name, draft in last.items():
            self._store(name, draft, provisional=name == MAIN)
        self.rows.flush()
        self._finish(last.get(MAIN))

    def _take(self, streams: Streams, chunk: list[Record]) -> None:
        copied = self._copied([record for record in chunk if isinstance(record, Message)])
        for record in chunk:
            if isinstance(record, Message):
                if id(record) not in copied:
                    self._message(streams, record)
            elif isinstance(record, BoundaryRecord):
                self._boundary(streams, record)
            elif isinstance(record, TitleRecord):
                self._title(record)
            elif isinstance(record, PrRecord):
                self._pr_link(record)
            else:
                self.rows.put("bad_lines", self.id, record.line, record.reason)

    def _copied(self, messages: list[Message]) -> Collection[int]:
        """Which messages count elsewhere; at the start of a file, first settle whose they are."""
        copied = copies.repeated(self.work, messages, self.id)
        if copied and self.fresh and self.records == 0 and not self.settled:
            rivals = {owner.source for owner in copied.values()}
            self.outcome.displaced = copies.displaced(self.work, self.file.path, rivals)
            for source in self.outcome.displaced:
                forget_turns(self.work, source, 0, self.work.batch)
            copied = copies.repeated(self.work, messages, self.id)
        self.origins.update(owner.session for owner in copied.values())
        return copied

    def _message(self, streams: Streams, message: Message) -> None:
        if message.kind == "compaction" and not message.sidechain and not self.boundary_open:
            self._boundary(streams, BoundaryRecord(message.line, message.at, None, None))
        self.boundary_open = self.boundary_open and message.kind != "compaction"
        self._store_all(streams.add(message))

    def _boundary(self, streams: Streams, record: BoundaryRecord) -> None:
        """A summary without a boundary line makes one of its own: the oldest versions wrote none."""
        self._store_all(streams.boundary())
        self.boundary_open = True
        self.boundaries.append((record, streams.main.segment))

    def _store_all(self, turns: Iterator[tuple[str, TurnDraft]]) -> None:
        for name, draft in turns:
            self._store(name, draft, provisional=False)

    def _store(self, name: str, draft: TurnDraft, *, provisional: bool) -> None:
        session = self._session(name)
        number = self.numbers.get(name)
        if number is None:
            query = "SELECT coalesce(max(number), 0) FROM turns WHERE session = ?"
            number = int(self.work.scalar(query, [session]))
        self.numbers[name] = number = number + 1
        placed = Placed(self.next_turn, session, self.id, number, self.roots[name], provisional, self.work.batch)
        self.next_turn += 1
        self.rows.put_turn(draft, placed, self.reader.facts)
        if draft.kind in {"human", "command", "agent"} and draft.user_text.strip():
            self._retitle(session, TitleRank.FIRST_PROMPT, draft.user_text)

    def _session(self, name: str = MAIN) -> int:
        if name not in self.keys:
            own, parent = sessions.identify(self.file.path, self.reader.facts)
            session_id, parent_id = (own, parent) if name == MAIN else (name, own)
            key = sessions.find_or_make(
                self.work, self.file.agent, session_id, parent_id, self.file.path, self.reader.facts
            )
            self.keys[name] = key
            self.roots[name] = str(self.work.scalar("SELECT root FROM sessions WHERE key = ?", [key]))
        return self.keys[name]

    def _title(self, record: TitleRecord) -> None:
        if record.leaf is not None:
            self.rows.put("titles", self.id, hashed(record.leaf), record.text)
        else:
            self._retitle(self._session(), record.rank, record.text)

    def _retitle(self, session: int, rank: TitleRank, text: str) -> None:
        """Session-level lines repeat by the hundred: only the one that holds in the end is written."""
        best, _ = self.titles.get(session, (TitleRank.NONE, ""))
        if rank > best or (rank == best and rank != TitleRank.FIRST_PROMPT):
            self.titles[session] = (rank, text)

    def _pr_link(self, record: PrRecord) -> None:
        """SPEC S2.5, S2.6: the first row of a number holds, whether or not the session has turns."""
        self.work.connection.execute(
            "INSERT INTO pr_links VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [
                self._session(),
                record.number,
                record.url,
                record.repository,
                record.at.replace(tzinfo=None),
                record.line,
            ],
        )

    def _finish(self, last: TurnDraft | None) -> None:
        self.outcome.turns, self.outcome.blocks = self.rows.turns, self.rows.blocks
        for boundary, segment in self.boundaries:
            at = boundary.at.replace(tzinfo=None) if boundary.at else None
            self.work.connection.execute(
                "INSERT INTO compactions VALUES (?, ?, ?, ?, ?, ?, ?)",
                [self._session(), self.id, boundary.line, segment, at, boundary.trigger, boundary.tokens_before],
            )
        for session, (rank, text) in self.titles.items():
            if sessions.set_title(self.work, session, rank, text):
                self.outcome.retitled.add(session)
        if MAIN in self.keys:
            sessions.refresh_facts(self.work, self.keys[MAIN], self.reader.facts)
            for origin, _ in self.origins.most_common(1):
                if origin != self.keys[MAIN]:
                    copies.mark_fork(self.work, self.keys[MAIN], origin)
        offset, line = (last.offset, last.messages[0].line) if last else self.reader.whole
        self.record(*self._state(), offset=offset, line=line)

    def _state(self) -> tuple[str, int, str | None]:
        lines = self.reader.lines
        bad, held = self.work.connection.execute(
            "SELECT (SELECT count(*) FROM bad_lines WHERE source = ?), (SELECT count(*) FROM turns WHERE source = ?)",
            [self.id, self.id],
        ).fetchall()[0]
        if self.file.size == 0:
            return "empty", 0, "the file is empty"
        if bad and bad == lines:
            return "error", lines, "no line could be read"
        if not self.reader.facts.session_id and not held and not bad and not self.reader.waiting:
            return "ignored", lines, "no entry of a format that memtui reads"
        if self.origins and not held:
            return "copy", lines, "every entry is in another file"
        return ("waiting" if self.reader.waiting else "partial" if bad else "ok"), lines, None

    def record_error(self, reason: str) -> None:
        """Keep what was known of the file and say why it could not be read."""
        self.record("error", self.known.line if self.known else 0, reason, offset=self.start[0], line=self.start[1])

    def record(self, state: str, lines: int, error: str | None, *, offset: int = 0, line: int = 0) -> None:
        """Write the row of the source."""
        head_size = min(HEAD_BYTES, self.file.size)
        try:
            head = head_hash(self.file.path, head_size)
        except OSError:
            head, head_size = "", 0
        origin = next((session for session, _ in self.origins.most_common(1)), None)
        session = self.keys.get(MAIN) or (self.known.session if self.known else None) or origin
        if self.known is not None:
            self.work.connection.execute("DELETE FROM sources WHERE id = ?", [self.id])
        self.work.connection.execute(
            "INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, now()::TIMESTAMP)",
            [self.id, str(self.file.path), self.file.agent, state, session, self.file.size, self.file.mtime]
            + [offset, line, lines, head, head_size, error],
        )
