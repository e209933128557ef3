"""Files that cannot be recognized by their names: `bin/serve`, `.env.local`.

A tool call that read or wrote such a file proves that the project has it. Then a shell command or an `@` with its name
is a mention of it, in earlier turns too. The disk is not asked: a transcript may be older than the files on it, or come
from another machine. Words of turns that may name files are kept, so that no text need be searched when such a file
becomes known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memtui_core.model import Block
from memtui_core.store.tables import key_condition, key_ranges
from memtui_core.system.projects import worktrees_of
from memtui_core.text.machine_folders import MACHINE, own_folders
from memtui_core.text.paths import is_absolute, is_path_like
from memtui_core.tools.mentions import Mention, mentions_of, used_files

if TYPE_CHECKING:
    from memtui_core.store.work.database import WorkDatabase

MOST_CHARACTERS = 8_000_000
"""The most characters that are kept; a megabyte of transcripts has about 20 kB of such words."""
SEPARATOR = "\n"
"""Joins the words of a turn, as no path contains it."""


class PossibleFiles:
    """The words of the turns that were read last."""

    def __init__(self) -> None:
        self._words: dict[int, str] = {}
        self._characters = 0

    def __contains__(self, turn: object) -> bool:
        return turn in self._words

    def add(self, turn: int, words: str) -> None:
        """Set the words of a turn, joined by `SEPARATOR`. If all are too many, those of other turns are dropped."""
        self._characters += len(words) - len(self._words.get(turn, ""))
        self._words[turn] = words
        if self._characters > MOST_CHARACTERS:
            self._words, self._characters = {turn: words}, len(words)

    def naming(self, names: Collection[str], turns: Iterable[int]) -> set[int]:
        """Those of the turns that have a word with one of the names in it; turns that were dropped have no words."""
        words = self._words
        return {turn for turn in turns if (text := words.get(turn)) and any(name in text for name in names)}


PROMPT_KINDS = frozenset({"human", "agent", "command"})
"""Kinds of turns whose text was typed, so that an `@` in it is a mention."""


class _LaterKnown(NamedTuple):
    """Files that were not yet known when the turns from `first_turn` on were read."""

    first_turn: int
    paths: set[str]


_OWN_CWDS: Final = f"SELECT DISTINCT cwd FROM sessions s WHERE {MACHINE.format('s')} = '' ORDER BY 1"
"""The working directories of the sessions of this machine."""


class ProjectFiles:
    """The known files of each project, by its root; files in turns after batch `since` count as new."""

    def __init__(self, work: WorkDatabase, since: int) -> None:
        self._work = work
        self._since = since
        self._files: dict[str, set[str]] | None = None
        self._new: dict[str, set[str]] = {}
        self._unseen: dict[str, _LaterKnown] = {}
        self._possible = PossibleFiles()

    def of(self, root: str) -> Collection[str]:
        """The known files of a project, relative to its root."""
        return self._loaded().get(root, ())

    def learn(self, root: str, mentions: Sequence[Mention], blocks: Sequence[Block]) -> None:
        """Add the files that a turn has read or written, given its mentions and blocks."""
        for path in used_files(mentions, blocks):
            if path not in self.of(root):
                self._loaded().setdefault(root, set()).add(path)
                self._new.setdefault(root, set()).add(path)

    def add_possible(self, turn: int, words: str) -> None:
        """Record the words of a turn that may name files that become known later."""
        self._possible.add(turn, words)

    def merge(self, roots: Collection[str], files: Mapping[str, set[str]], *, first_turn: int) -> None:
        """Add the files that turns, from `first_turn` on, have used; they were prepared without knowing any file."""
        loaded = self._loaded()
        for root in roots:
            known, used = loaded.setdefault(root, set()), files.get(root, set())
            if known:
                # Also files that the prepared turns have used: those before that use did not know them yet.
                self._unseen.setdefault(root, _LaterKnown(first_turn, set())).paths.update(known)
            if new := used - known:
                known.update(new)
                self._new.setdefault(root, set()).update(new)

    def catch_up(self) -> list[int]:
        """Add mentions of files that became known since the last call to stored turns, and return these turns."""
        self._loaded()
        new, self._new = self._new, {}
        unseen, self._unseen = self._unseen, {}
        turns = {turn for root, paths in new.items() if root for turn in self._add_mentions(root, paths, 0)}
        for root, (first_turn, paths) in unseen.items():
            if root:
                turns.update(self._add_mentions(root, paths - new.get(root, set()), first_turn))
        return sorted(turns)

    def _loaded(self) -> dict[str, set[str]]:
        if self._files is None:
            self._files = {}
            # A project has far fewer files than mentions, and most files have a usual name.
            all_names = "SELECT DISTINCT path FROM file_mentions WHERE kind <> 'mentioned' AND NOT is_dir"
            paths = self._rows(all_names) if self._work.may_have("file_mentions") else []
            if not (names := [path for (path,) in paths if not is_path_like(path)]):
                return self._files
            unusual = self._rows(
                "SELECT s.root, m.turn, t.batch, m.path, m.tool FROM file_mentions m JOIN sessions s"
                " ON s.key = m.session JOIN turns t ON t.id = m.turn WHERE m.kind <> 'mentioned' AND NOT m.is_dir"
                " AND list_contains(?, m.path) ORDER BY ALL",
                [names],
            )
            blocks = self._tool_blocks([turn for _, turn, *_ in unusual])
            for root, turn, batch, path, tool in unusual:
                for used in used_files([Mention(path, tool, "read")], blocks.get(turn, [])):
                    self._files.setdefault(root, set()).add(used)
                    if batch > self._since:
                        self._new.setdefault(root, set()).add(used)
        return self._files

    def _add_mentions(self, root: str, paths: Collection[str], first_turn: int) -> Iterator[int]:
        """Add the mentions of some files to the turns of a project from an id on; yields the changed turns."""
        if not paths:
            return
        names = sorted({path.rpartition("/")[2] for path in paths})
        of_root = self._rows(
            "SELECT t.id FROM turns t JOIN sessions s ON s.key = t.session WHERE s.root = ? AND t.id >= ?",
            [root, first_turn],
        )
        named = self._naming(names, [turn for (turn,) in of_root])
        if not named:
            return
        yield from self.add_missing(root, named, paths.__contains__)

    def add_missing(self, root: str, turns: Collection[int], accepts: Callable[[str], bool]) -> Iterator[int]:
        """Add mentions, of the files that `accepts` names, that turns of a project lack; yields the changed turns."""
        trees = worktrees_of([cwd for (cwd,) in self._rows(_OWN_CWDS)], root)
        blocks = self._tool_blocks(turns)
        for turn, session, line, kind, text, cwd, session_worktree in self._rows(
            "SELECT t.id, t.session, t.line, t.kind, t.user_text, s.cwd, s.worktree FROM turns t"
            f" JOIN sessions s ON s.key = t.session WHERE {key_condition('t.id', turns)} ORDER BY t.id"
        ):
            own_root, worktree = own_folders(root, session_worktree)
            prompt = text if text and kind in PROMPT_KINDS else ""
            mentions = mentions_of(
                blocks.get(turn, []),
                prompt,
                cwd=cwd,
                root=own_root,
                worktrees=[*trees, worktree] if worktree else trees,
                known=self.of(root),
                possible=(possible := set[str]()),
            )
            self._possible.add(turn, SEPARATOR.join(possible))
            added = [mention for mention in mentions if accepts(mention.path)]
            if not added:
                continue
            stored = set(self._rows(f"SELECT path, tool FROM file_mentions WHERE {key_condition('turn', [turn])}"))
            rows = [
                (session, turn, line, mention.path, mention.tool, mention.kind, mention.is_dir)
                for mention in added
                if (mention.path, mention.tool) not in stored
            ]
            if rows:
                self._work.put("file_mentions", rows)
                yield turn

    def _naming(self, names: Collection[str], turns: Sequence[int]) -> set[int]:
        """Those of the turns in which a tool call or a prompt may name one of some files."""
        named = self._possible.naming(names, turns)
        for condition in key_ranges("turn", [turn for turn in turns if turn not in self._possible], gap=1_000):
            calls = (
                f"SELECT turn FROM blocks WHERE {condition} AND kind = 'tool_call' AND {_contains_any('text', names)}"
            )
            prompts = (
                f"SELECT turn FROM (SELECT id AS turn, user_text FROM turns) WHERE {condition}"
                f" AND contains(user_text, '@') AND {_contains_any('user_text', names)}"
            )
            named.update(turn for (turn,) in self._rows(f"{calls} UNION ALL {prompts}", [*names, *names]))
        return named

    def _tool_blocks(self, turns: Collection[int]) -> dict[int, list[Block]]:
        """The tool calls and tool results of turns, by the turn."""
        blocks: dict[int, list[Block]] = {}
        statement = " UNION ALL ".join(
            "SELECT turn, seq, line, kind, text, tool, tool_id, is_error FROM blocks"
            f" WHERE {condition} AND kind IN ('tool_call', 'tool_result')"
            for condition in key_ranges("turn", set(turns))
        )
        for turn, *columns in self._rows(f"{statement} ORDER BY turn, seq") if statement else ():
            blocks.setdefault(turn, []).append(Block(*columns))
        return blocks

    def _rows(self, sql: str, parameters: Any = None) -> list[tuple[Any, ...]]:
        return self._work.connection.execute(sql, parameters).fetchall()


def _contains_any(column: str, texts: Collection[str]) -> str:
    """The SQL condition that a column contains one of some texts, which are its parameters."""
    return "(" + " OR ".join([f"contains({column}, ?)"] * len(texts)) + ")"


_TURNS: Final = 500
"""How many turns are looked at in one transaction."""
_KEY: Final = "outside_files"
"""The value in the table `meta`: the last turn that was looked at, or `_ALL`."""
_ALL: Final = "all"


class OutsideFiles:
    """Goes once through all turns that an earlier version stored."""

    def __init__(self, work: WorkDatabase) -> None:
        self._work = work
        done = work.scalar("SELECT value FROM meta WHERE key = ?", [_KEY]) or "0"
        self._is_done = done == _ALL
        self._looked_at = 0 if self._is_done else int(done)
        self._last = 0 if self._is_done else int(work.scalar("SELECT coalesce(max(id), 0) FROM turns"))
        """The last turn that may have been stored by an earlier version."""

    @property
    def is_due(self) -> bool:
        """Whether there are turns to look at."""
        return self._looked_at < self._last

    def mark_new(self) -> None:
        """Record that a new index has no such turns, as soon as it has turns."""
        if not (self._is_done or self.is_due) and self._work.may_have("turns"):
            with self._work.transaction():
                self._record(_ALL)

    def catch_up(self, files: ProjectFiles, stopped: Callable[[], bool]) -> list[int]:
        """Add the missing mentions; the turns that got some. What is done when `stopped` returns True is kept."""
        changed: list[int] = []
        while self.is_due and not stopped():
            last = min(self._looked_at + _TURNS, self._last)
            with self._work.transaction():
                rows = self._work.connection.execute(
                    "SELECT s.root, t.id FROM turns t JOIN sessions s ON s.key = t.session"
                    " WHERE t.id > ? AND t.id <= ? ORDER BY ALL",
                    [self._looked_at, last],
                ).fetchall()
                for root, turns in groupby(rows, key=itemgetter(0)):
                    changed += files.add_missing(root, [turn for _, turn in turns], is_absolute)
                self._record(str(last) if last < self._last else _ALL)
            self._looked_at = last
        return changed

    def _record(self, value: str) -> None:
        self._work.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [_KEY, value])
        self._is_done = value == _ALL
