"""Why a line is in a file: the request, what the agent said or thought before the edit, the edit, and the checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memtui_core.compaction.checks.last_runs import Check, last_checks
from memtui_core.memory.blame.values import LineReason, LineWriter
from memtui_core.model import Block, Turn
from memtui_core.queries.file_history.hunks import DiffHunk, change_hunks
from memtui_core.queries.file_history.lines import FileContent
from memtui_core.queries.turns import read_turns, read_whole_turns
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.tools.call import ToolCall
from memtui_core.tools.edits import Edit
from memtui_core.tools.pairing import calls_by_seq
from memtui_core.tools.shell.here_documents import documents_written

_LATER_TURNS: Final = 5
"""Turns after that of the edit in which checks are looked for."""
_ASKED: Final = frozenset({"human", "command", "agent"})
"""The kinds of turns that begin with a prompt."""
_UNKNOWN: Final = FileContent("", (), None, ())


def reason_of(snapshot: Snapshot, writer: LineWriter) -> LineReason:
    """Why a writer wrote: what its transcript says around the edit."""
    turns = read_whole_turns(snapshot, writer.session, writer.turn, writer.turn + _LATER_TURNS)
    turn = turns[0]
    request = _request(snapshot, writer)
    call = calls_by_seq(turn.blocks).get(writer.seq)
    before = [block for block in turn.blocks if block.seq < writer.seq]
    return LineReason(
        request.user_text,
        request.number,
        _last_words(before),
        edit_hunks(call, writer.path) if call is not None else (),
        _next_checks([replace(turn, blocks=turn.blocks[len(before) :]), *turns[1:]]),
    )


def _request(snapshot: Snapshot, writer: LineWriter) -> Turn:
    """The last turn with a prompt until the edit; without one, the turn of the edit."""
    until = [turn for turn in read_turns(snapshot, writer.session) if turn.number <= writer.turn]
    return next((turn for turn in reversed(until) if turn.kind in _ASKED and turn.user_text.strip()), until[-1])


def _last_words(blocks: Sequence[Block]) -> str:
    for kind in ("text", "thinking"):
        words = [block.text.strip() for block in blocks if block.kind == kind and block.text.strip()]
        if words:
            return words[-1]
    return ""


def edit_hunks(call: ToolCall, path: str) -> tuple[DiffHunk, ...]:
    """What a call changed in a file, as far as its input tells."""
    edits = [edit for edit in call.edits if edit.path == path]
    if call.command:
        documents = (document for document in documents_written(call.located_command) if document.path == path)
        edits = [Edit(path, "part" if document.appends else "write", "", document.text) for document in documents]
    return change_hunks(call, edits, _UNKNOWN) if edits else ()


def _next_checks(turns: list[Turn]) -> tuple[Check, ...]:
    """The checks of the first turn that ran any."""
    for turn in turns:
        if checks := last_checks([turn]):
            return tuple(checks)
    return ()
