"""The conversation of a session as texts, from which another agent can resume it.

Tool calls become lines in the assistant's text, because another agent has other tools. The last turns are complete; if
all turns are too long together, the hand-off of the earlier ones is the first text.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from memtui_core.memory.handoff.model import HandoffOptions
from memtui_core.memory.handoff.session import DEFAULT, handoff
from memtui_core.model import Block, Session, Turn
from memtui_core.queries.sessions import read_session
from memtui_core.queries.turns import read_blocks, read_turns
from memtui_core.readers.new_session import NewMessage, NewSession
from memtui_core.readers.registry import reader_of
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.controls import stored
from memtui_core.text.machine_folders import folder_here, own_folders
from memtui_core.tools.pairing import paired
from memtui_core.tools.summary import headline

MOST_CHARACTERS: Final = 300_000
"""Characters of all turns, about 75,000 tokens, which leaves room for new ones in the context of current models."""
_WITHOUT_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)


def conversation(
    snapshot: Snapshot,
    session: int,
    *,
    first: int | None = None,
    last: int | None = None,
    options: HandoffOptions = DEFAULT,
    most_characters: int = MOST_CHARACTERS,
) -> NewSession | None:
    """The turns `first` to `last` of a session (by its key) under a new id; None if they have no texts.

    Raises SessionUnknown.
    """
    record = read_session(snapshot, session)
    turns = [turn for turn in read_turns(snapshot, session) if (first or 1) <= turn.number <= (last or turn.number)]
    messages: list[NewMessage] = []
    characters, begin = 0, last or 0
    for turn in reversed(turns):
        texts = _messages_of(snapshot, record, turn)
        characters += sum(len(message.text) for message in texts)
        if messages and characters > most_characters:
            break
        messages[:0], begin = texts, turn.number
    if not messages:
        return None
    reader = reader_of(record.agent)
    lead = (
        f"This conversation was begun in {reader.name if reader else record.agent}, in session {record.session_id}."
        " Lines in brackets are its tool calls, without their results."
    )
    if turns[0].number < begin:
        summary_only = replace(options, tool_context=False)
        earlier = handoff(snapshot, session, first=turns[0].number, last=begin - 1, options=summary_only)
        lead += f" What was before:\n\n{earlier.text()}"
    messages.insert(0, NewMessage("user", lead, messages[0].at))
    folder = folder_here(stored(record.cwd), stored(record.root), record.worktree)
    return NewSession(str(uuid.uuid4()), record.title, folder, record.branch, tuple(_merged(messages)))


def _messages_of(snapshot: Snapshot, session: Session, turn: Turn) -> list[NewMessage]:
    """The texts of a turn: that of its prompt, and what the assistant said and did."""
    blocks: Sequence[Block] = read_blocks(snapshot, session.key, turn.number, turn.number).get(turn.number, [])
    calls = {call.seq: call for call in paired(blocks)}
    said = []
    for block in blocks:
        if block.kind == "text":
            said.append(block.text)
        elif block.kind == "tool_call" and block.seq in calls:
            said.append(f"[{headline(calls[block.seq], own_folders(session.root, session.worktree)[0])}]")
    begin = turn.started_at or session.started_at or _WITHOUT_TIME
    texts = (("user", turn.user_text, begin), ("assistant", "\n\n".join(said), turn.ended_at or begin))
    return [NewMessage("user" if role == "user" else "assistant", text, at) for role, text, at in texts if text.strip()]


def _merged(messages: list[NewMessage]) -> list[NewMessage]:
    """The messages, with consecutive ones of the same role as one: agents expect the roles to alternate."""
    merged = messages[:1]
    for message in messages[1:]:
        before = merged[-1]
        if message.role == before.role:
            merged[-1] = replace(before, text=f"{before.text}\n\n{message.text}", at=message.at)
        else:
            merged.append(message)
    return merged
