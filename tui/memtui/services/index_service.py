"""The only place that calls the core from threads.

The core is imported late, in the first of these threads: DuckDB would hold up the first paint.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.message import Message

from memtui import clock, messages
from memtui.target import Target
from memtui_core.errors import IndexMissing, MemtuiError, ModelUnavailable
from memtui_core.model import Project, SearchResult, Session
from memtui_core.queries.rows import CompactionRow, FileRow
from memtui_core.store.files import DataDir
from memtui_core.store.presence import Presence
from memtui_core.system import locations
from memtui_core.system.failures import failure_text

if TYPE_CHECKING:
    from memtui.services.preload import IndexPreload
    from memtui_core.export import Format
    from memtui_core.index import Index
    from memtui_core.store.reader import Snapshot

FIRST_BLOCKS = 20
"""Turns round the one to show whose blocks come with the session, so that its first screen needs no second answer."""
SLOW = 100.0
"""Milliseconds from which on a search is answered in two steps."""
FIRST_HITS = 30
"""Hits of a search while it is typed: a screen full."""

Post = Callable[[Message], object]


class _GivenUp(Exception):
    """A newer query waits."""


class IndexService:
    """Answers the screen's questions from the index; every method may block and belongs in a thread.

    Answers go out by `post`, which may be called from any thread.
    """

    def __init__(self, data_dir: Path, post: Post, opening: IndexPreload | None = None) -> None:
        self._data_dir = data_dir
        self._presence = Presence(DataDir(data_dir))
        self._post = post
        self._begun = opening
        self._index: Index | None = None
        self._opening = threading.Lock()
        self._here = locations.current_folder()
        self.handoff_options: Mapping[str, Any] = {}
        """Fields of `HandoffOptions` that the person has set."""
        self.wanted = ""
        """The query typed last."""
        self._unavailable = ""
        """Why the model cannot be loaded, once that was said."""
        self._took = 0.0
        """Milliseconds of the last whole search."""

    @property
    def snapshot(self) -> Snapshot | None:
        """What answers now; None before there is an index."""
        return self._index.snapshot if self._index is not None else None

    def changed(self, seen: object) -> object:
        """What tells one state of the index from another: two small files. Cheap enough for the screen's own thread."""
        self._presence.note()
        stamps: list[tuple[int, int, int] | None] = []
        for name in ("snapshots/CURRENT", "progress.json"):
            try:
                stat = (self._data_dir / name).stat()
            except OSError:
                stamps.append(None)
            else:
                stamps.append((stat.st_mtime_ns, stat.st_size, stat.st_ino))
        return None if stamps == seen else stamps

    def refresh(self, force: bool = False) -> None:
        """Take the newest snapshot, if there is one."""
        from memtui_core.index import Index
        from memtui_core.store.progress import read_progress

        self._post(messages.Progressed(read_progress(self._data_dir)))
        with self._opening:
            try:
                if self._index is None:
                    self._index = self._first() or Index.open(self._data_dir)
                elif not self._index.refresh() and not force:
                    return
            except IndexMissing:
                self._post(messages.IndexAbsent())
                return
            except Exception as error:
                self._post(messages.IndexUnreadable(failure_text(error, self._data_dir)))
                return
        self._post(messages.IndexChanged(self._index.projects(), self._index.stats()))

    def sessions(self, project: Project) -> None:
        """The sessions of a project."""
        index = self._opened()
        self._post(messages.SessionsLoaded(project, index.sessions(project)))

    def children(self, session: int) -> None:
        """The subagents and compactions of a session."""
        index = self._opened()
        self._post(messages.ChildrenLoaded(session, index.children(session), index.compactions(session)))

    def open(self, target: Target) -> None:
        """A session with the blocks of its first screen."""
        index = self._opened()
        turns = index.turns(target.session)
        first = target.turn or 1
        blocks = index.blocks(target.session, first - 2, first + FIRST_BLOCKS) if turns else {}
        self._post(messages.SessionLoaded(target, index.session(target.session), turns, blocks))

    def grow(self, shown: Session) -> None:
        """The newest heads of the session that is shown, if it is not as it was."""
        index = self._opened()
        session = index.session(shown.key)
        if session != shown:
            self._post(messages.SessionGrown(session, index.turns(session.key)))

    def blocks(self, session: int, first: int, last: int) -> None:
        """Blocks of a range of turns."""
        self._post(messages.BlocksLoaded(session, self._opened().blocks(session, first, last)))

    def turn(self, session: int, number: int) -> None:
        """One turn in full."""
        index = self._opened()
        found = index.whole_turn(session, number)
        if found is not None:
            self._post(messages.TurnLoaded(index.session(session), found, index.touches(session, number)))

    def export(self, session: int, number: int | None, as_format: Format) -> None:
        """Write a session, or one turn of it, to a new file in the current folder."""
        from memtui_core.export import file_name, render

        index = self._opened()
        whole, heads = index.session(session), index.turns(session)
        heads = [turn for turn in heads if number in (None, turn.number)]
        if not heads:
            return
        blocks = index.blocks(session, heads[0].number, heads[-1].number)
        turns = [replace(turn, blocks=blocks[turn.number]) for turn in heads]
        self.write(file_name(whole, turns, as_format), render(whole, turns, as_format))

    def write(self, name: str, text: str) -> None:
        """Write a text to a new file in the current folder."""
        from memtui_core.export import write

        target = Path(self._here or Path.home()) / name
        try:
            path = write(target, text)
        except OSError as error:
            raise MemtuiError(f"{target} cannot be written: {error.strerror or error}.") from error
        self._post(messages.Exported(path))

    def keep(self, name: str, text: str) -> Path:
        """Keep a text for an agent that starts now, in place of the one before. Raises OSError."""
        path = self._data_dir / "handoffs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def handoff(self, key: int, first: int | None, last: int | None) -> None:
        """What a session did in some of its turns, to be handed on."""
        from memtui_core.handoff import HandoffOptions

        index = self._opened()
        session = index.session(key)
        made = index.handoff(key, first, last, HandoffOptions(**self.handoff_options))
        name = f"handoff-{session.session_id[:8]}.md"
        self._post(messages.HandoffMade(made, session.title, session.cwd or session.root, name))

    def file_handoff(self, path: str, root: str) -> None:
        """What became of a file, to be handed on."""
        from memtui_core.handoff import HandoffOptions

        made = self._opened().file_handoff(path, root, HandoffOptions(**self.handoff_options))
        self._post(messages.HandoffMade(made, path, root, f"handoff-{path.rpartition('/')[2]}.md"))

    def files(self, pattern: str) -> None:
        """The files that a pattern leaves."""
        found = self._opened().find_files(pattern)
        self._post(messages.FilesLoaded(pattern, found.rows, found.note))

    def timeline(self, file: FileRow) -> None:
        """Who touched a file."""
        self._post(messages.TimelineLoaded(file, self._opened().timeline(file)))

    def content(self, session: int, path: str, turn: int) -> None:
        """What a session knew of a file after a turn."""
        index = self._opened()
        self._post(messages.ContentLoaded(index.session(session), turn, index.known_at(session, path, turn)))

    def compactions(self, pattern: str) -> None:
        """The compactions that a pattern leaves."""
        self._post(messages.CompactionsLoaded(pattern, self._opened().all_compactions(pattern)))

    def share_kept(self, row: CompactionRow) -> None:
        """How much of what it replaced a summary kept."""
        share = self._opened().review(row.session, row.turn).share_kept if row.turn is not None else None
        self._post(messages.ShareCounted(row, share))

    def review(self, session: int, turn: int) -> None:
        """One compaction in review."""
        index = self._opened()
        self._post(messages.ReviewMade(index.review(session, turn), index.turns(session)))

    def pull_requests(self) -> None:
        """Pull requests with their sessions."""
        self._post(messages.PullRequestsLoaded(self._opened().pull_requests()))

    def statistics(self, days: int | None, root: str | None = None) -> None:
        """How much was done on the last days, or ever, in one project or in all."""
        self._post(messages.StatisticsLoaded(self._opened().statistics(root, days, clock.now()), root))

    def load_model(self) -> None:
        """Load what searching by meaning needs, the vectors of a newer snapshot too; says when it begins to work."""
        index = self._opened()
        before = index.by_meaning
        try:
            loaded = index.load_model()
        except ModelUnavailable as error:
            if str(error) != self._unavailable:
                self._unavailable = str(error)
                self._post(messages.ModelMissing(self._unavailable))
            return
        if loaded:
            index.hold_vectors()
        if index.by_meaning and not before:
            self._post(messages.ModelLoaded())

    def filter_values(self) -> None:
        """What the filters of a query may be completed with."""
        self._post(messages.ValuesLoaded(self._opened().filter_values()))

    def search(self, text: str, limit: int) -> None:
        """The best hits of a query; where that takes long, those by words and paths at once.

        A query that is not `wanted` any more by then is given up.
        """
        index = self._opened()

        def still() -> None:
            if self.wanted != text:
                raise _GivenUp

        def early(found: Callable[[], SearchResult]) -> None:
            if self._took > SLOW:
                self._say_found(found())

        with suppress(_GivenUp):
            result = index.search(text, limit, live=True, here=self._here, early=early, still=still)
            self._took = result.elapsed_ms
            self._say_found(result)

    def _say_found(self, result: SearchResult) -> None:
        """Pass on an answer, with a note when none is found by meaning; the status line says when only some are."""
        from memtui_core.search.vector_coverage import WORDS

        gap = self._opened().meaning_gap(result.query)
        if gap is not None and gap.reason:
            result = replace(result, note="; ".join(filter(None, (result.note, gap.told(WORDS)))))
        self._post(messages.SearchDone(result))

    def _first(self) -> Index | None:
        """What was begun at the start of the program, once."""
        begun, self._begun = self._begun, None
        return begun.index() if begun is not None else None

    def _opened(self) -> Index:
        if self._index is None:
            raise IndexMissing("The index is not ready yet.")
        return self._index
