"""The conversations in one transcript: its own, and those of subagents that stand in between."""

from __future__ import annotations

from collections.abc import Iterator

from memtui_core.ingest.turns import TurnBuilder, TurnDraft
from memtui_core.readers.records import Message

MAIN = ""
"""Name of the transcript's own conversation; that of a subagent is the session id of the subagent."""


class Conversations:
    """Sorts the messages of one transcript into conversations and builds the turns of each."""

    def __init__(self) -> None:
        self.main = TurnBuilder()
        self._branches: dict[str, TurnBuilder] = {}

    def add(self, message: Message) -> Iterator[tuple[str, TurnDraft]]:
        """Take a message; the turn that it completed with the name of its conversation."""
        name = message.branch
        builder = self.main if name == MAIN else self._branches.setdefault(name, TurnBuilder())
        done = builder.add(message)
        if done is not None:
            yield name, done

    def boundary(self) -> Iterator[tuple[str, TurnDraft]]:
        """A compaction of the transcript's own conversation."""
        done = self.main.boundary()
        if done is not None:
            yield MAIN, done

    def last(self) -> Iterator[tuple[str, TurnDraft]]:
        """The turns still open at the end, the transcript's own first."""
        for name, builder in [(MAIN, self.main), *self._branches.items()]:
            done = builder.last()
            if done is not None:
                yield name, done

    @property
    def can_reopen(self) -> bool:
        """Whether `last` can be undone: there is one conversation, and nothing in it waits to be told apart."""
        return not self._branches and not self.main.holds_back

    def reopen(self, draft: TurnDraft) -> None:
        """Go on with the turn that `last` gave."""
        self.main.reopen(draft)
