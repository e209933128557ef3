"""What is found out about a turn when it is stored, so that a query need not read its texts.

A fact is a row of the table `facts`, about the block `seq` of its turn:

| kind | name | number | text |
|---|---|---|---|
| `commit`: git said that the call made it | start of its id, or empty | 1: it replaced the last one | its subject |
| `failure`: the call failed | its `command_key`, or its tool | `ErrorText.key` of its error, or 0 | its error |
| `pass`: the command of the call passed | its command | 0 | empty |
| `edit`: the call changed a file | as the agent wrote its path; empty: may have, unknown which | 0 | empty |
| `denied`: the user rejected the call | its command or tool | 0 | what the user said |
| `decision`: see `decided` | `Decision.way` | 1: it says what shall not be | the quote, and what belongs to it |
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from memtui_core.model import Block
from memtui_core.store.archive.session_rows import WorkRows
from memtui_core.store.tables import key_condition
from memtui_core.tools.pairing import paired
from memtui_core.tools.shell.git_commits import COMMITS, commits_made

if TYPE_CHECKING:
    from memtui_core.store.work.database import WorkDatabase

RULES: Final = "4"
"""Another text for other rules: the facts of all stored turns are then made anew."""
_KEY: Final = "facts_by"
"""The key in the table `meta` for the rules by which the facts of an index were made."""
_MOST_TURNS: Final = 2000
"""Most turns whose texts are in memory at once,"""
_MOST_BYTES: Final = 16_000_000
"""and most bytes of these, unless one turn has more."""


def facts_of(session: int, turn: int, blocks: Sequence[Block]) -> list[tuple[Any, ...]]:
    """The rows of `facts` of a turn, from its blocks as they are stored."""
    # An indexer that finds nothing new need not load what reads the output of commands.
    from memtui_core.ingest.turns.run_facts import run_facts

    made = (*_commits(blocks), *run_facts(blocks), *_decisions(blocks))
    return [(session, turn, *fact) for fact in made]


def _commits(blocks: Sequence[Block]) -> Iterator[tuple[Any, ...]]:
    if not any(block.kind == "tool_call" and all(word in block.text for word in COMMITS) for block in blocks):
        return
    for call in paired(blocks):
        if call.result is None or not call.command:
            continue
        for commit in commits_made(call.command, call.result.text, failed=call.is_error or bool(call.exit_code)):
            yield call.seq, "commit", commit.id, int(commit.amends), commit.subject


def _decisions(blocks: Sequence[Block]) -> Iterator[tuple[Any, ...]]:
    # An indexer that finds nothing new does not need the rules.
    from memtui_core.compaction.statements.decided import decisions_of

    for one in decisions_of(blocks):
        yield one.seq, "decision", one.way, int(one.excludes), one.text


def _parts(turns: Iterable[int], sizes: Mapping[int, int]) -> Iterator[list[int]]:
    """The turns in parts that are small enough, given the bytes of each that has any."""
    part: list[int] = []
    used = 0
    for turn in turns:
        size = sizes.get(turn, 0)
        if part and (used + size > _MOST_BYTES or len(part) == _MOST_TURNS):
            yield part
            part, used = [], 0
        part.append(turn)
        used += size
    if part:
        yield part


class StoredFacts:
    """Makes the facts of turns that are stored already."""

    def __init__(self, work: WorkDatabase) -> None:
        self._work = work
        self._is_new = not work.may_have("turns")
        self._is_current = work.scalar("SELECT value FROM meta WHERE key = ?", [_KEY]) == RULES

    @property
    def is_due(self) -> bool:
        """Whether there are turns whose facts were made by other rules, or none yet."""
        return not self._is_current and self._work.may_have("turns")

    def catch_up(self) -> None:
        """Make the facts of all turns, unless they were all read by this process, and record the rules."""
        with self._work.transaction():
            if not self._is_new:
                self._make(turn for (turn,) in self._work.connection.execute("SELECT id FROM turns").fetchall())
            self._work.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [_KEY, RULES])
        self._is_current = True

    def make(self, turns: Collection[int]) -> None:
        """Make the facts of some turns anew, in one transaction."""
        with self._work.transaction():
            self._make(turns)

    def _make(self, turns: Iterable[int]) -> None:
        from memtui_core.queries.turns import blocks_of_turns

        ordered = sorted(turns)
        sizes = "sum(strlen(text) + coalesce(strlen(detail), 0))::BIGINT"
        rows = self._work.connection.execute(
            f"SELECT turn, {sizes} FROM blocks WHERE {key_condition('turn', ordered)} GROUP BY turn"
        )
        for part in _parts(ordered, dict(rows.fetchall())):
            sessions = self._work.connection.execute(
                f"SELECT id, session FROM turns WHERE {key_condition('id', part)}"
            ).fetchall()
            blocks = blocks_of_turns(WorkRows(self._work), part)
            self._work.drop("facts", part)
            self._work.put(
                "facts", [row for turn, session in sessions for row in facts_of(session, turn, blocks[turn])]
            )
