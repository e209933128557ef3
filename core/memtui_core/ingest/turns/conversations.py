"""The conversations in one transcript: that of its session, and those of subagents inside the transcript."""

from __future__ import annotations

from collections.abc import Iterator

from memtui_core.ingest.turns.grouping import TurnBuilder, TurnDraft
from memtui_core.readers.records import Message

MAIN = ""
"""The name of the conversation of the session itself. The name of another one is the subagent's session id."""


class Conversations:
    """Sorts the messages of one transcript into conversations and builds the turns of each."""

    def __init__(self) -> None:
        self.main = TurnBuilder()
        self._branches: dict[str, TurnBuilder] = {}

    def add(self, message: Message) -> Iterator[tuple[str, TurnDraft]]:
        """Add a message, and yield the turn that it completes, if any, with the name of its conversation."""
        name = message.branch
        builder = self.main if name == MAIN else self._branches.setdefault(name, TurnBuilder())
        done = builder.add(message)
        if done is not None:
            yield name, done

    def boundary(self) -> Iterator[tuple[str, TurnDraft]]:
        """Start a new segment at a compaction of the main conversation, and yield the turn that it completes."""
        done = self.main.boundary()
        if done is not None:
            yield MAIN, done

    def last(self) -> Iterator[tuple[str, TurnDraft]]:
        """The turns that are not complete at the end of the transcript, that of the main conversation first."""
        for name, builder in [(MAIN, self.main), *self._branches.items()]:
            done = builder.last()
            if done is not None:
                yield name, done

    @property
    def can_reopen(self) -> bool:
        """Whether `reopen` can undo `last`: there is one conversation, and its last entry is no command."""
        return not self._branches and not self.main.is_undecided

    def reopen(self, draft: TurnDraft) -> None:
        """Continue the turn that `last` returned."""
        self.main.reopen(draft)
