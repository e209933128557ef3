"""Group the messages of a transcript into conversations, and those of each conversation into turns.

One conversation is that of the session, the others are those of subagents inside the transcript. A turn begins with a
prompt and ends before the next one. Summaries of compactions, slash commands that the agent answers and prompts of a
parent agent begin turns too; the kind of the turn tells them apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from memtui_core.model import Block, TurnKind
from memtui_core.readers.conversion.unknown_notes import LABEL as UNKNOWN
from memtui_core.readers.records import OPENS_TURN, AgentCall, Message, Usage

_TURN_KINDS: dict[str, TurnKind] = {
    "human": "human",
    "command": "command",
    "agent": "agent",
    "compaction": "compaction",
}


@dataclass(slots=True)
class TurnDraft:
    """A turn that is being put together; `offset` is where its first entry starts, in the unit of the reader."""

    line: int
    offset: int
    kind: TurnKind
    segment: int
    user_text: str = ""
    end_line: int = 0
    messages: list[Message] = field(default_factory=list)

    def blocks(self) -> list[Block]:
        """All blocks, numbered; a tool result gets the name of its call."""
        names: dict[str, str] = {}
        blocks: list[Block] = []
        for message in self.messages:
            for block in message.blocks:
                tool = block.tool
                if block.kind == "tool_call" and block.tool_id and tool:
                    names[block.tool_id] = tool
                elif block.kind == "tool_result" and block.tool_id:
                    tool = names.get(block.tool_id)
                blocks.append(_numbered(block, len(blocks), tool))
        return blocks

    @property
    def is_unknown(self) -> bool:
        """Whether it consists of texts of unknown entries only, without a prompt: the file may be no transcript."""
        labels = {block.tool for message in self.messages for block in message.blocks}
        return self.kind == "opening" and labels == {UNKNOWN}

    def tool_summary(self) -> list[str]:
        """The summary lines of the tool calls in order, including duplicates."""
        return [entry for message in self.messages for entry in message.tool_summary]

    def models(self) -> list[str]:
        """The models that answered, in order of appearance."""
        return list(dict.fromkeys(message.model for message in self.messages if message.model))

    def usage(self) -> Usage:
        """The tokens of the turn: each API message counts once, by its last entry, which has the final numbers."""
        last: dict[str, Usage] = {}
        for index, message in enumerate(self.messages):
            if message.usage is not None:
                last[message.message_id or f"line {index}"] = message.usage
        total = Usage()
        for usage in last.values():
            total.input += usage.input
            total.output += usage.output
            total.cache_read += usage.cache_read
            total.cache_write += usage.cache_write
        return total

    def agent_calls(self) -> list[AgentCall]:
        """The subagents started in this turn. Calls and results have the same tool id; one call may start several."""
        joined: dict[str, list[AgentCall]] = {}
        for message in self.messages:
            for call in message.agent_calls:
                started = joined.setdefault(call.tool_id, [AgentCall(call.tool_id)])
                same = (one for one in started if call.agent_id is None or one.agent_id in (None, call.agent_id))
                if (known := next(same, None)) is None:
                    started.append(known := AgentCall(call.tool_id))
                for name in ("agent_id", "agent_type", "description", "prompt"):
                    setattr(known, name, getattr(known, name) or getattr(call, name))
        return [call for started in joined.values() for call in started]


def _numbered(block: Block, seq: int, tool: str | None) -> Block:
    """The block with its number and tool; `dataclasses.replace` takes twice as long."""
    return Block(seq, block.line, block.kind, block.text, tool, block.tool_id, block.is_error, block.at, block.detail)


class TurnBuilder:
    """Groups the messages of one conversation, in file order, and returns each turn when it is complete."""

    def __init__(self) -> None:
        self.segment = 0
        self._open: TurnDraft | None = None
        self._undecided: list[Message] = []
        """A command and the notes after it, until the next message shows whether the agent answers it."""

    def add(self, message: Message) -> TurnDraft | None:
        """Add a message, and return the turn that it completes, if any."""
        if self._undecided:
            return self._after_command(message)
        if message.kind == "command":
            self._undecided = [message]
            return None
        return self._put(message)

    def boundary(self) -> TurnDraft | None:
        """Start a new segment at a compaction, and return the turn that it completes, if any."""
        self._release()
        done, self._open = self._open, None
        self.segment += 1
        return done

    def last(self) -> TurnDraft | None:
        """The turn that is not complete at the end of the transcript, if any."""
        self._release()
        done, self._open = self._open, None
        return done

    @property
    def is_undecided(self) -> bool:
        """Whether the last message is a command, of which the next message tells whether it begins a turn."""
        return bool(self._undecided)

    def reopen(self, draft: TurnDraft) -> None:
        """Continue the turn that `last` returned."""
        self._open = draft

    def _after_command(self, message: Message) -> TurnDraft | None:
        """Add the message after a command. A command begins a turn only if the agent answers it; `/clear` is a note."""
        if message.kind == "note" and not _is_command_output(message):
            self._undecided.append(message)
            return None
        if message.kind in {"assistant", "results"}:
            undecided, self._undecided = self._undecided, []
            done = self._put(undecided[0])
            for other in [*undecided[1:], message]:
                self._put(other)
            return done
        self._release()
        return self.add(message)

    def _release(self) -> None:
        undecided, self._undecided = self._undecided, []
        for message in undecided:
            self._put(_as_note(message) if message.kind == "command" else message)

    def _put(self, message: Message) -> TurnDraft | None:
        done = None
        if message.kind in OPENS_TURN:
            before = self._open
            self._open = TurnDraft(message.line, message.offset, _TURN_KINDS[message.kind], self.segment, message.text)
            if before is not None and before.kind == "opening" and all(m.kind == "note" for m in before.messages):
                self._open.offset, self._open.messages = before.offset, before.messages
            else:
                done = before
        elif self._open is None:
            self._open = TurnDraft(message.line, message.offset, "opening", self.segment)
        self._open.messages.append(message)
        self._open.end_line = message.line
        return done


def build(messages: Iterable[Message]) -> list[TurnDraft]:
    """All turns of a conversation without compactions."""
    builder = TurnBuilder()
    turns = [turn for message in messages if (turn := builder.add(message)) is not None]
    last = builder.last()
    return [*turns, last] if last is not None else turns


def _is_command_output(message: Message) -> bool:
    return any(block.tool == "command" for block in message.blocks)


def _as_note(message: Message) -> Message:
    note = Block(0, message.line, "note", message.text, "command", at=message.at)
    blocks = [note, *(block for block in message.blocks if block.kind != "user")]
    return replace(message, kind="note", blocks=blocks)


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
