"""Ingest one transcript: read it from its cursor, and add its turns and other records as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from memtui_core.ingest.discover import COPY, PROMPTS, WAITING, Pending
from memtui_core.ingest.sources.entries import hashed, microseconds
from memtui_core.ingest.sources.rows import RowSink, put_source
from memtui_core.ingest.sources.shared_entries import ForeignEntries
from memtui_core.ingest.turns.grouping import MAIN, Conversations, TurnDraft
from memtui_core.ingest.turns.long_blocks import bound_blocks
from memtui_core.ingest.turns.rows import StoredTurn, TurnPosition, grow_turn, put_turn
from memtui_core.ingest.turns.sessions import SessionRow, Titles, level_of
from memtui_core.readers.base import START, Reading
from memtui_core.readers.exclusions import KEEP_ALL, Exclusions, RetentionRules
from memtui_core.readers.records import BoundaryRecord, Message, PrRecord, Record, TitleRank, TitleRecord, UnknownEntry
from memtui_core.system.projects import locate_project
from memtui_core.text.machine_folders import folder_of

CHUNK = 500
"""The number of records that are read before cancellation is checked, and whose owners are looked up together."""


class SessionExcluded(Exception):
    """The settings exclude the session: the changes of this transcript are rolled back."""


class SessionForgotten(Exception):
    """The user has forgotten the session: the changes of this transcript are rolled back."""


class Stopped(Exception):
    """Ingesting was cancelled: the changes of this transcript are rolled back."""


@dataclass(slots=True)
class Outcome:
    """The result of ingesting a transcript."""

    turns: int = 0
    blocks: int = 0
    displaced: list[int] = field(default_factory=list)
    """Sources whose shared entries belong to this one now, so that they must be read again."""
    needs_full_read: bool = False
    """Whether it must be read again from the start to find the owners of its entries: it was a copy and has entries of
    its own now, or it was none and got entries of another source."""
    retitled: set[int] = field(default_factory=set)
    """Sessions whose title changed."""
    changed: list[int] = field(default_factory=list)
    """The ids of new and extended turns."""
    to_link: bool = False
    """Whether it contains titles of other sessions, or calls that started them."""
    has_more: bool = False
    """Whether only a piece of it was read."""


@dataclass(frozen=True, slots=True)
class _OpenTurn:
    """A turn that may still grow, and what is stored of it."""

    draft: TurnDraft
    turn: TurnPosition
    stored: StoredTurn


@dataclass(frozen=True, slots=True)
class StoredState:
    """What is stored of a transcript before the entry at which reading continues."""

    turns: int = 0
    bad_lines: int = 0
    segment: int = 0
    """The number of compactions."""
    is_boundary_open: bool = False
    """Whether the last entry was the boundary of a compaction, so that its summary follows."""


NOTHING_STORED: Final = StoredState()


class SourceIngest:
    """Reads one transcript by `reading`, and adds its rows to `sink` as those of the source with the id `source`.

    `shared` tells which entries belong to other sources, `outcome` gets the result, and `stored` is what the index has.
    `machine` is the other machine from which the transcript was copied.
    """

    def __init__(
        self,
        sink: RowSink,
        source: int,
        pending: Pending,
        reading: Reading,
        shared: ForeignEntries,
        outcome: Outcome,
        stopped: Callable[[], bool],
        exclusions: Exclusions,
        stored: StoredState = NOTHING_STORED,
        machine: str = "",
        retention: RetentionRules = KEEP_ALL,
    ) -> None:
        self.transcript = pending.transcript
        self.id = source
        self.cursor = pending.cursor
        """Where reading continues if this object is gone: at the start of the last turn."""
        self.can_continue = False
        """Whether `resume` may be called: new entries need no second reading of the last turn."""
        self._sink = sink
        self._outcome, self._stopped, self._exclusions = outcome, stopped, exclusions
        self._known = pending.known
        self._is_continued = False
        """Whether this is another piece of the same pass over the transcript."""
        self._machine = machine
        self._retention = retention
        self._reading, self._shared = reading, shared
        self._conversations = Conversations()
        self._conversations.main.segment = stored.segment
        self._sessions: dict[str, SessionRow] = {}
        self._turns, self._bad = stored.turns, stored.bad_lines
        """The number of turns and of bad lines of this source, in the index and in the sink."""
        self._titles = Titles()
        self._boundary_open = stored.is_boundary_open
        self._open_turn: _OpenTurn | None = None
        """The last turn, which was stored and is not complete."""

    def resume(self, pending: Pending, outcome: Outcome, stopped: Callable[[], bool]) -> bool:
        """Prepare to read appended entries; False if that is not possible, because other parts have changed too."""
        known = pending.known
        if known is None or (known.id, pending.cursor) != (self.id, self.cursor):
            return False
        if not self._reading.resume(pending.transcript):
            return False
        self.transcript, self._known = pending.transcript, known
        self._outcome, self._stopped = outcome, stopped
        self._is_continued = pending.is_continued
        # If new entries are shared, all of it is read again.
        self._shared.may_displace = self._shared.may_displace and pending.is_continued
        return True

    @property
    def session_id(self) -> str:
        """The id of the session of the main conversation, as far as it is read."""
        return self._reading.identity().session_id

    @property
    def named_origin(self) -> str | None:
        """The session that the transcript names as the one that it repeats, as far as it is read."""
        return self._reading.facts.forked_from

    def session_of(self, name: str) -> int | None:
        """The key of the session of a conversation; None if it has none yet."""
        row = self._sessions.get(name)
        return row.key if row is not None else None

    def run(self) -> None:
        """Read to the end. Raises Stopped, SessionExcluded, SessionForgotten and SourceUnreadable."""
        self.can_continue = False
        known = self._known if self.cursor != START and not self._is_continued else None
        records = iter(self._reading)
        while chunk := list(islice(records, CHUNK)):
            if self._stopped():
                raise Stopped
            foreign = self._ingest(chunk)
            if known is not None and not known.is_copy:
                self._outcome.needs_full_read |= any(message.line >= known.complete_lines for message in foreign)
            self._sink.flush_large()
        can_reopen = self._conversations.can_reopen and self._reading.can_continue
        last = dict(self._conversations.last())
        for name, draft in last.items():
            # If there are only prompts, nothing tells whether the last one was answered.
            self._store(name, draft, provisional=name == MAIN and not self.transcript.prompts_only)
        draft_of_main = last.get(MAIN)
        self._finish(draft_of_main)
        self._outcome.needs_full_read |= known is not None and known.is_copy and self._turns > 0
        # Notes before the first prompt will become a part of its turn.
        self.can_continue = can_reopen and (draft_of_main is None or draft_of_main.kind != "opening")
        if self.can_continue and draft_of_main is not None:
            self._conversations.reopen(draft_of_main)

    def _ingest(self, chunk: list[Record]) -> list[Message]:
        """Store records, except those that belong to other sources, which are returned."""
        messages = [record for record in chunk if isinstance(record, Message)]
        shared = self._shared.find(messages)
        self._outcome.displaced = self._shared.displaced
        for record in chunk:
            if isinstance(record, Message):
                if id(record) not in shared:
                    self._message(record)
            elif isinstance(record, BoundaryRecord):
                self._boundary(record)
            elif isinstance(record, TitleRecord):
                self._title(record)
            elif isinstance(record, PrRecord):
                self._pr_link(record)
            elif isinstance(record, UnknownEntry):
                self._sink.put("unknown_entries", self.id, record.line, record.kind, self._raw(record))
            else:
                self._bad += 1
                self._sink.put("bad_lines", self.id, record.line, record.reason)
        return [message for message in messages if id(message) in shared]

    def _raw(self, entry: UnknownEntry) -> str:
        """The text of an unknown entry, if everything of the session is kept."""
        if not self._retention:
            return entry.raw
        facts, identity = self._reading.facts, self._reading.identity(MAIN)
        if not facts.cwd:
            # Nothing tells yet how much of the session is kept.
            return ""
        place = locate_project(facts.cwd, identity.folder, facts.repository, self._machine)
        return entry.raw if self._retention.level_of(place.name, facts.cwd, folder_of(place.root)) == "full" else ""

    def _message(self, message: Message) -> None:
        bound_blocks(message)
        if message.kind == "compaction" and not message.sidechain and not self._boundary_open:
            self._boundary(BoundaryRecord(message.line, message.at, None, None))
        self._boundary_open = self._boundary_open and message.kind != "compaction"
        self._store_all(self._conversations.add(message))

    def _boundary(self, record: BoundaryRecord) -> None:
        """Store a compaction. The oldest versions wrote a summary without a boundary: the summary is the boundary."""
        self._store_all(self._conversations.boundary())
        self._boundary_open = True
        session, segment = self._session().key, self._conversations.main.segment
        self._sink.put(
            "compactions", session, self.id, record.line, segment, microseconds(record.at), record.trigger,
            record.tokens_before,
        )  # fmt: skip

    def _store_all(self, turns: Iterator[tuple[str, TurnDraft]]) -> None:
        for name, draft in turns:
            self._store(name, draft, provisional=False)

    def _store(self, name: str, draft: TurnDraft, *, provisional: bool) -> None:
        if draft.is_unknown or (name != MAIN and self._is_forgotten(name)):
            return
        session = self._session(name)
        growing, facts = self._open_turn, self._reading.facts
        if growing is not None and draft is growing.draft:
            turn = replace(growing.turn, root=session.root, worktree=session.worktree, provisional=provisional)
            stored = grow_turn(self._sink, draft, turn, facts, growing.stored)
            self._outcome.blocks += stored.blocks - growing.stored.blocks
        else:
            number = self._sink.sessions.next_number(session.key, self.id)
            turn = TurnPosition(
                self._sink.next_id("turns"), session.key, self.id, number, session.root, session.worktree, provisional,
                level_of(self._retention, session),
            )  # fmt: skip
            stored = put_turn(self._sink, draft, turn, facts)
            self._outcome.blocks += stored.blocks
            self._turns += 1
        before = growing.stored.agent_calls if growing is not None and draft is growing.draft else []
        self._outcome.to_link = self._outcome.to_link or stored.agent_calls != before
        self._outcome.turns += 1
        self._outcome.changed.append(turn.id)
        if name == MAIN:
            self._open_turn = _OpenTurn(draft, turn, stored) if provisional else None
        if draft.kind in {"human", "command", "agent"} and draft.user_text.strip():
            self._titles.offer(session.key, TitleRank.FIRST_PROMPT, draft.user_text)

    def _session(self, name: str = MAIN) -> SessionRow:
        if name not in self._sessions or not self._sessions[name].cwd:
            agent, facts = self.transcript.agent, self._reading.facts
            identity = self._reading.identity(name)
            if self._is_forgotten(name):
                raise SessionForgotten
            if self._exclusions:
                place = locate_project(facts.cwd, identity.folder, facts.repository, self._machine)
                if self._exclusions.excludes_session(agent, place.name, facts.cwd, folder_of(place.root)):
                    raise SessionExcluded
            self._sessions[name] = self._sink.sessions.find_or_create(agent, identity, facts, self._machine)
        return self._sessions[name]

    def _is_forgotten(self, name: str) -> bool:
        return self._sink.is_forgotten(self.transcript.agent, self._reading.identity(name))

    def _title(self, record: TitleRecord) -> None:
        if record.leaf is not None:
            self._outcome.to_link = True
            self._sink.put("titles", self.id, hashed(record.leaf), record.text)
        else:
            self._titles.offer(self._session().key, record.rank, record.text)

    def _pr_link(self, record: PrRecord) -> None:
        """Store a pull request, also of a session without turns."""
        key = self._session().key
        self._sink.put(
            "pr_links", key, record.number, record.url, record.repository, microseconds(record.at), record.line
        )

    def _finish(self, last: TurnDraft | None) -> None:
        self._outcome.retitled |= self._titles.apply(self._sink.sessions)
        if (row := self._sessions.get(MAIN)) is not None:
            session = self._sink.sessions[row.key]
            session.branch = self._reading.facts.branch or session.branch
            session.version = self._reading.facts.version or session.version
            origin, stated = self._shared.origin, self._reading.facts.forked_from
            if origin is None and self._known is not None and self.cursor == START:
                # What it has shared with another session may be its own now.
                self._sink.end_fork(session)
            if origin is not None:
                self._sink.fork(session, origin, self._shared.until)
            # The entries may be those of another fork, as long as the session that it names is not read.
            session.forked_from = stated or session.forked_from
        self.cursor = self._reading.cursor(last.messages[0] if last else None)
        # Readers of other packages need not have it.
        self._outcome.has_more = getattr(self._reading, "has_more", False)
        self._put_row(*self._state())

    def _state(self) -> tuple[str, int, str | None]:
        lines = self._reading.lines
        if self.transcript.size == 0:
            return "empty", 0, "the file is empty"
        if self._bad and self._bad == lines:
            return "error", lines, "no line could be read"
        if not self._reading.facts.session_id and not self._turns and not self._bad and not self._reading.waiting:
            return "ignored", lines, "no entry of a format that memtui reads"
        if self._shared.origin is not None and not self._turns:
            return COPY, lines, "every entry is in another file"
        if self.transcript.prompts_only and not self._bad:
            return PROMPTS, lines, None
        return (WAITING if self._reading.waiting else "partial" if self._bad else "ok"), lines, None

    def record_error(self, reason: str) -> None:
        """Store the reason why the transcript cannot be read; its turns are kept."""
        self._put_row("error", self._known.cursor.line if self._known else 0, reason)

    def _put_row(self, state: str, lines: int, error: str | None) -> None:
        main, known = self._sessions.get(MAIN), self._known
        session = main.key if main is not None else self._shared.origin
        if session is None and known is not None:
            session = known.session
        if known is not None:
            self._sink.drop("sources", self.id)
        transcript = self.transcript
        # The next run finds that the file is larger, if this one dies before the next piece.
        size = min(transcript.until, transcript.size) if self._outcome.has_more else transcript.size
        put_source(
            self._sink, self.id, transcript.name, transcript.agent, state, size=size,
            mtime=transcript.mtime, session=session, cursor=self.cursor, lines=lines, error=error,
        )  # fmt: skip
