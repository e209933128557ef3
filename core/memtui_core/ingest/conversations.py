"""The conversations in one transcript: that of its session, and those of subagents inside the transcript."""

from __future__ import annotations

from collections.abc import Iterator

from memtui_core.ingest.turns import TurnBuilder, TurnDraft
from memtui_core.readers.records import Message

MAIN = ""
"""The name of the conversation of the session itself. The name of another one is the subagent's session id."""


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
        """Whether `last` can be undone: there is one conversation, and no command waits for its next entry."""
        return not self._branches and not self.main.holds_back

    def reopen(self, draft: TurnDraft) -> None:
        """Go on with the turn that `last` gave."""
        self.main.reopen(draft)
