"""One file into the store: read from its cursor, as one transaction."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from memtui_core.errors import SourceUnreadable
from memtui_core.ingest import copies, sessions
from memtui_core.ingest.batch import Batch
from memtui_core.ingest.discover import HEAD_BYTES, Pending, head_hash
from memtui_core.ingest.drafts import Placed, Written, grow_turn, put_turn
from memtui_core.ingest.forget import forget_turns
from memtui_core.ingest.identity import hashed, microseconds
from memtui_core.ingest.sessions import SessionRow
from memtui_core.ingest.streams import MAIN, Streams
from memtui_core.ingest.turns import TurnDraft
from memtui_core.readers.claude_code import ClaudeCodeReader
from memtui_core.readers.records import BoundaryRecord, Message, PrRecord, Record, TitleRank, TitleRecord
from memtui_core.system.failures import is_of_machine

_log = logging.getLogger(__name__)
MOST_LIVE = 16
"""Files whose open turn is remembered; of others the last turn is read again."""
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
    changed: list[int] = field(default_factory=list)
    """Turns that were written, or that more came to."""

    to_link: bool = False
    """It says something of other sessions: what it calls them, or which call started them."""


@dataclass(frozen=True, slots=True)
class _Growing:
    """A turn that is not complete, as it stands in the store."""

    draft: TurnDraft
    turn: Placed
    written: Written


def ingest_source(batch: Batch, pending: Pending, stopped: Callable[[], bool], live: LiveSources) -> Outcome:
    """Bring one file up to date. Raises Stopped; a file that cannot be read is recorded, not raised.

    A file that was read before by this process, and only grew, goes on from there.
    """
    outcome = Outcome()
    source = live.take(pending)
    batch.begin(alone=pending.known is not None and source is None)
    try:
        if source is None:
            source = SourceIngest(batch, pending, outcome, stopped)
            source.begin()
        else:
            source.go_on(pending, outcome, stopped)
        try:
            source.run()
        except SourceUnreadable as error:
            _log.warning("%s: %s", pending.file.path, error)
            source.record_error(str(error))
    except Exception as error:
        batch.abandon()
        if isinstance(error, Stopped) or is_of_machine(error):
            raise
        _record_failure(batch, pending, outcome, error)
    except BaseException:
        batch.abandon()
        raise
    else:
        live.keep(source)
    batch.finish()
    return outcome


def _record_failure(batch: Batch, pending: Pending, outcome: Outcome, error: Exception) -> None:
    """A fault of ours costs the file that brought it out, not those behind it."""
    _log.error("%s", pending.file.path, exc_info=error)
    outcome.turns = outcome.blocks = 0
    outcome.changed.clear()
    batch.begin(alone=pending.known is not None)
    source = SourceIngest(batch, pending, outcome, lambda: False)
    source.record_error(f"memtui failed on this file: {type(error).__name__}: {error}".splitlines()[0])


class LiveSources:
    """The files read last by this process that may grow, with what is known of their open turns."""

    def __init__(self) -> None:
        self._sources: dict[str, SourceIngest] = {}

    def take(self, pending: Pending) -> SourceIngest | None:
        """The file as it was left, if all that happened to it since is that it grew."""
        source = self._sources.pop(str(pending.file.path), None)
        return source if source is not None and source.only_grew(pending) else None

    def keep(self, source: SourceIngest) -> None:
        """A file was read; those that did not grow for longest are forgotten."""
        if source.can_go_on:
            self._sources[str(source.file.path)] = source
        if len(self._sources) > MOST_LIVE:
            del self._sources[min(self._sources, key=lambda path: self._sources[path].file.mtime)]

    def clear(self) -> None:
        """Turns were changed behind their back."""
        self._sources.clear()


class SourceIngest:
    """One file on its way into the store."""

    def __init__(self, batch: Batch, pending: Pending, outcome: Outcome, stopped: Callable[[], bool]) -> None:
        self.batch, self.work, self.file = batch, batch.work, pending.file
        self.outcome, self.stopped = outcome, stopped
        self.known, self.settled = pending.known, pending.settled
        self.fresh = self.known is None or not _same_head(pending)
        self.id = self.known.id if self.known else batch.next_id("sources")
        self.start = (0, 0) if self.fresh or self.known is None else (self.known.offset, self.known.line)
        self.reader = ClaudeCodeReader(self.file.path, *self.start)
        self.streams = Streams(0, sessions.is_agent_file(self.file.path))
        self.rows: dict[str, SessionRow] = {}
        self.records = 0
        self.held = self.bad = 0
        """Turns and bad lines of this source that stand in the store or wait."""
        self.titles: dict[int, tuple[TitleRank, str]] = {}
        self.boundary_open = False
        self.origins: Counter[int] = Counter()
        self.cursor = self.start
        """Byte offset and line from which a process that knows nothing of the file reads on."""
        self.can_go_on = False
        """Whether what is appended to the file can be read without reading its last turn again."""
        self.growing: _Growing | None = None
        """The last turn, which stands in the store and is not complete."""

    def begin(self) -> None:
        """Take out what will be read again, and go on where that begins."""
        if self.known is None:
            return
        touched = forget_turns(self.work, self.id, self.start[1])
        self.batch.sessions.recount(touched)
        segment, last_segment, self.held, self.bad = self.work.connection.execute(
            "SELECT (SELECT count(*) FROM compactions WHERE source = $id),"
            " (SELECT coalesce(max(segment), 0) FROM turns WHERE source = $id),"
            " (SELECT count(*) FROM turns WHERE source = $id), (SELECT count(*) FROM bad_lines WHERE source = $id)",
            {"id": self.id},
        ).fetchall()[0]
        self.streams.main.segment = segment
        self.boundary_open = segment > last_segment

    def only_grew(self, pending: Pending) -> bool:
        """Whether the file is what was read of it, and more."""
        known = pending.known
        return (
            known is not None
            and (known.id, known.offset, known.line) == (self.id, *self.cursor)
            and pending.file.size >= self.reader.whole[0]
            and _same_head(pending)
        )

    def go_on(self, pending: Pending, outcome: Outcome, stopped: Callable[[], bool]) -> None:
        """Go on with what was appended."""
        self.file, self.known, self.fresh = pending.file, pending.known, False
        self.outcome, self.stopped = outcome, stopped
        self.reader.go_on()

    def run(self) -> None:
        """Read to the end of the file. Raises Stopped and SourceUnreadable."""
        self.can_go_on = False
        records = iter(self.reader)
        while chunk := list(islice(records, CHUNK)):
            if self.stopped():
                raise Stopped
            self._take(self.streams, chunk)
            self.records += len(chunk)
            self.batch.spill()
        can_reopen = self.streams.can_reopen and self.reader.at_border
        last = dict(self.streams.last())
        for name, draft in last.items():
            self._store(name, draft, provisional=name == MAIN)
        draft_of_main = last.get(MAIN)
        self._finish(draft_of_main)
        # The notes before the first prompt become a part of that prompt's turn.
        self.can_go_on = can_reopen and (draft_of_main is None or draft_of_main.kind != "opening")
        if self.can_go_on and draft_of_main is not None:
            self.streams.reopen(draft_of_main)

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
                self.bad += 1
                self.batch.put("bad_lines", self.id, record.line, record.reason)

    def _copied(self, messages: list[Message]) -> Collection[int]:
        """Which messages count elsewhere; at the start of a file, first settle whose they are."""
        copied = copies.repeated(self.batch, messages, self.id)
        if copied and self.fresh and self.records == 0 and not self.settled:
            self.batch.write_finished()
            rivals = {owner.source for owner in copied.values()}
            self.outcome.displaced = copies.displaced(self.work, self.file.path, rivals)
            for source in self.outcome.displaced:
                self.batch.sessions.recount(forget_turns(self.work, source, 0))
            copied = copies.repeated(self.batch, messages, self.id)
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
        session, segment = self._session().key, streams.main.segment
        self.batch.put(
            "compactions", session, self.id, record.line, segment, microseconds(record.at), record.trigger,
            record.tokens_before,
        )  # fmt: skip

    def _store_all(self, turns: Iterator[tuple[str, TurnDraft]]) -> None:
        for name, draft in turns:
            self._store(name, draft, provisional=False)

    def _store(self, name: str, draft: TurnDraft, *, provisional: bool) -> None:
        session = self._session(name)
        growing, facts = self.growing, self.reader.facts
        if growing is not None and draft is growing.draft:
            turn = replace(growing.turn, root=session.root, provisional=provisional)
            written = grow_turn(self.batch, draft, turn, facts, growing.written)
            self.outcome.blocks += written.blocks - growing.written.blocks
        else:
            number = self.batch.sessions.next_number(session.key)
            turn = Placed(self.batch.next_id("turns"), session.key, self.id, number, session.root, provisional)
            written = put_turn(self.batch, draft, turn, facts)
            self.outcome.blocks += written.blocks
            self.held += 1
        before = growing.written.agent_calls if growing is not None and draft is growing.draft else []
        self.outcome.to_link = self.outcome.to_link or written.agent_calls != before
        self.outcome.turns += 1
        self.outcome.changed.append(turn.id)
        if name == MAIN:
            self.growing = _Growing(draft, turn, written) if provisional else None
        if draft.kind in {"human", "command", "agent"} and draft.user_text.strip():
            self._retitle(session.key, TitleRank.FIRST_PROMPT, draft.user_text)

    def _session(self, name: str = MAIN) -> SessionRow:
        if name not in self.rows or not self.rows[name].cwd:
            facts, path = self.reader.facts, self.file.path
            own, parent = sessions.identify(path, facts)
            ids = (own, parent) if name == MAIN else (name, own)
            self.rows[name] = self.batch.sessions.find_or_make(self.file.agent, *ids, path, facts)
        return self.rows[name]

    def _title(self, record: TitleRecord) -> None:
        if record.leaf is not None:
            self.outcome.to_link = True
            self.batch.put("titles", self.id, hashed(record.leaf), record.text)
        else:
            self._retitle(self._session().key, record.rank, record.text)

    def _retitle(self, session: int, rank: TitleRank, text: str) -> None:
        """Session-level lines repeat by the hundred: only the one that holds in the end is written."""
        best, _ = self.titles.get(session, (TitleRank.NONE, ""))
        if rank > best or (rank == best and rank != TitleRank.FIRST_PROMPT):
            self.titles[session] = (rank, text)

    def _pr_link(self, record: PrRecord) -> None:
        """A session may have a pull request and no turns."""
        key = self._session().key
        self.batch.put(
            "pr_links", key, record.number, record.url, record.repository, microseconds(record.at), record.line
        )

    def _finish(self, last: TurnDraft | None) -> None:
        for key, (rank, text) in self.titles.items():
            if self.batch.sessions[key].name(rank, text):
                self.outcome.retitled.add(key)
        if (row := self.rows.get(MAIN)) is not None:
            session = self.batch.sessions[row.key]
            session.branch = self.reader.facts.branch or session.branch
            session.version = self.reader.facts.version or session.version
            origin = self._origin()
            if origin is not None and origin != session.key:
                session.forked_from = self.batch.sessions[origin].session_id
        offset, line = (last.offset, last.messages[0].line) if last else self.reader.whole
        self.record(*self._state(), offset=offset, line=line)

    def _origin(self) -> int | None:
        """The session that holds most of the entries which count elsewhere."""
        return next((session for session, _ in self.origins.most_common(1)), None)

    def _state(self) -> tuple[str, int, str | None]:
        lines = self.reader.lines
        if self.file.size == 0:
            return "empty", 0, "the file is empty"
        if self.bad and self.bad == lines:
            return "error", lines, "no line could be read"
        if not self.reader.facts.session_id and not self.held and not self.bad and not self.reader.waiting:
            return "ignored", lines, "no entry of a format that memtui reads"
        if self.origins and not self.held:
            return "copy", lines, "every entry is in another file"
        return ("waiting" if self.reader.waiting else "partial" if self.bad else "ok"), lines, None

    def record_error(self, reason: str) -> None:
        """Keep what was known of the file and say why it could not be read."""
        offset, line = self.cursor
        self.record("error", self.known.line if self.known else 0, reason, offset=offset, line=line)

    def record(self, state: str, lines: int, error: str | None, *, offset: int = 0, line: int = 0) -> None:
        """Write the row of the source."""
        self.cursor = (offset, line)
        head_size = min(HEAD_BYTES, self.file.size)
        try:
            head = head_hash(self.file.path, head_size)
        except OSError:
            head, head_size = "", 0
        session = self.rows[MAIN].key if MAIN in self.rows else self.known.session if self.known else self._origin()
        if self.known is not None:
            self.batch.drop("sources", self.id)
        self.batch.put(
            "sources", self.id, str(self.file.path), self.file.agent, state, session, self.file.size, self.file.mtime,
            offset, line, lines, head, head_size, error, time.time_ns() // 1000, None,
        )  # fmt: skip


def _same_head(pending: Pending) -> bool:
    """Whether a file begins as it did when it was read."""
    known = pending.known
    if known is None or pending.file.size < known.size:
        return False
    try:
        return head_hash(pending.file.path, known.head_size) == known.head_hash
    except OSError:
        return False
