"""The conversations in one file: its own, and the inline sidechains of older versions.

Before subagents had files of their own their entries stood in the main file, marked `isSidechain`, several of them
interleaved. Each begins at an entry whose parent is not a sidechain; the others follow by `parentUuid`.
"""

from __future__ import annotations

from collections.abc import Iterator

from memtui_core.ingest.turns import TurnBuilder, TurnDraft
from memtui_core.readers.records import Message

MAIN = ""
"""Name of the file's own conversation; a sidechain's is the session id of its subagent."""


class Streams:
    """Sorts the messages of one file into conversations and builds the turns of each."""

    def __init__(self, segment: int, one_stream: bool) -> None:
        self.main = TurnBuilder(segment)
        self._one = one_stream
        self._side: dict[str, TurnBuilder] = {}
        self._stream_of: dict[str, str] = {}
        self._latest: str | None = None

    def add(self, message: Message) -> Iterator[tuple[str, TurnDraft]]:
        """Take a message; the turn that it completed with the name of its conversation."""
        name = MAIN if self._one or not message.sidechain else self._sidechain(message)
        builder = self.main if name == MAIN else self._side.setdefault(name, TurnBuilder())
        done = builder.add(message)
        if done is not None:
            yield name, done

    def boundary(self) -> Iterator[tuple[str, TurnDraft]]:
        """A compaction of the file's own conversation."""
        done = self.main.boundary()
        if done is not None:
            yield MAIN, done

    def last(self) -> Iterator[tuple[str, TurnDraft]]:
        """The turns still open at the end, the file's own first."""
        for name, builder in [(MAIN, self.main), *self._side.items()]:
            done = builder.last()
            if done is not None:
                yield name, done

    @property
    def can_reopen(self) -> bool:
        """Whether `last` can be undone: there is one conversation, and nothing in it waits to be told apart."""
        return not self._side and not self.main.holds_back

    def reopen(self, draft: TurnDraft) -> None:
        """Go on with the turn that `last` gave."""
        self.main.reopen(draft)

    def _sidechain(self, message: Message) -> str:
        parent = self._stream_of.get(message.parent_uuid or "")
        if message.agent_id:
            name = f"agent-{message.agent_id}"
        elif parent is not None:
            name = parent
        elif message.kind == "agent" or self._latest is None:
            name = f"agent-{(message.uuid or str(message.line))[:8]}"
        else:
            name = self._latest
        if message.uuid:
            self._stream_of[message.uuid] = name
        self._latest = name
        return name
