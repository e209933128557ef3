"""What each turn did to a file: the list over all sessions, and the tool calls of one turn with their changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from memtui_core.model import Block, FileTouch, TouchKind
from memtui_core.queries.file_history.content import (
    IsFile,
    blocks_until,
    concerns,
    effective_calls,
    names_by_session,
    names_of,
)
from memtui_core.queries.file_history.hunks import DiffHunk, change_hunks, line_counts
from memtui_core.queries.file_history.lines import FileContent
from memtui_core.queries.file_history.state import FileState
from memtui_core.queries.files import FileRow, file_timeline, is_file
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.controls import stored
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import paired
from memtui_core.tools.vocabulary import vocabulary

_Copy = tuple[int, int, str]
"""The key of a session, the number of a turn, and the path of the file in the index: a worktree has its own copy."""
_UNKNOWN = FileContent("", (), None, ())


@dataclass(frozen=True, slots=True)
class TurnTouch:
    """All edits of a file in one turn, or all reads, or all mentions."""

    touch: FileTouch
    """The touch of the first tool."""
    tools: tuple[str, ...]
    counts: tuple[int, int] | None = None
    """The lines that the edits added and removed; None if the transcript does not show them."""

    @property
    def kind(self) -> TouchKind:
        """Whether the turn edited, read or mentioned the file."""
        return self.touch.kind


@dataclass(frozen=True, slots=True)
class TouchCall:
    """A tool call that touched a file, with the changes that it made to it."""

    call: ToolCall
    hunks: tuple[DiffHunk, ...] = ()
    """Empty for a read or a mention, and if the transcript does not show the changes."""


@dataclass(frozen=True, slots=True)
class TouchDetails:
    """The tool calls of a touch, and the user's prompt if that names the file."""

    calls: tuple[TouchCall, ...]
    prompt: str = ""


def file_history(snapshot: Snapshot, file: FileRow) -> list[TurnTouch]:
    """What the turns of all sessions did to a file, the newest first; in a turn edits, then reads, then mentions."""
    groups: dict[tuple[_Copy, TouchKind], list[FileTouch]] = defaultdict(list)
    for touch in file_timeline(snapshot, file):
        groups[(touch.session, touch.turn, stored(touch.path)), touch.kind].append(touch)
    counts = _line_counts(snapshot, file)
    return [
        TurnTouch(touches[0], tuple(touch.tool for touch in touches), counts.get(key) if kind == "edited" else None)
        for (key, kind), touches in groups.items()
    ]


def _line_counts(snapshot: Snapshot, file: FileRow) -> dict[_Copy, tuple[int, int]]:
    """The lines that were added and removed in each turn whose edits are in the transcript."""
    where, parameters = is_file(snapshot, file)
    rows = snapshot.rows(
        "WITH edited AS (SELECT DISTINCT m.session, m.turn, m.tool, m.path FROM file_mentions m"
        f"  JOIN sessions s ON s.key = m.session WHERE {where}"
        f"  AND NOT s.hidden AND {edits_shown('m')})"
        " SELECT e.path, e.session, t.number, b.seq, b.kind, b.tool, b.tool_id, b.is_error, b.detail,"
        "  CASE b.kind WHEN 'tool_call' THEN b.text ELSE '' END"
        " FROM edited e JOIN turns t ON t.id = e.turn JOIN blocks b ON b.turn = e.turn"
        " WHERE b.kind IN ('tool_call', 'tool_result') AND b.tool = e.tool ORDER BY t.id, b.seq",
        parameters,
    )
    blocks: dict[_Copy, list[Block]] = defaultdict(list)
    sessions: dict[str, set[int]] = defaultdict(set)
    for path, session, number, seq, kind, tool, tool_id, is_error, detail, text in rows:
        sessions[path].add(session)
        blocks[session, number, path].append(Block(seq, 0, kind, text, tool, tool_id, is_error, detail=detail))
    names = {path: names_by_session(snapshot, own, path) for path, own in sessions.items()}
    counts: dict[_Copy, tuple[int, int]] = {}
    for (session, number, path), own in blocks.items():
        calls = [call for call in paired(own) if not call.is_error]
        hunks = [hunk for call in calls for hunk in _hunks(call, names[path][session], _UNKNOWN)]
        if hunks:
            counts[session, number, path] = line_counts(hunks)
    return counts


def edits_shown(mention: str) -> str:
    """The SQL condition that a file mention is an edit that the tool call may show: one of a shell only names files."""
    words = vocabulary()
    shells = ", ".join(f"'{name}'" for name in sorted(words.shells.difference(words.names.reading_shells)))
    return f"{mention}.kind = 'edited' AND NOT {mention}.is_dir AND lower({mention}.tool) NOT IN ({shells})"


def edited_lines(call: ToolCall) -> tuple[int, int]:
    """The lines that the edits of a call added and removed, as far as the call shows them."""
    paths = dict.fromkeys(edit.path for edit in call.edits)
    return line_counts(hunk for path in paths for hunk in _hunks(call, partial(str.__eq__, path), _UNKNOWN))


def touch_details(snapshot: Snapshot, turn_touch: TurnTouch) -> TouchDetails:
    """The tool calls of a turn that edited, read or mentioned a file. Raises SessionUnknown."""
    touch = turn_touch.touch
    is_file = names_of(snapshot, touch.session, touch.path)
    belongs = partial(_BELONGS[touch.kind], is_file)
    file, calls = FileState(), []
    for call in effective_calls(blocks_until(snapshot, touch.session, touch.path, touch.turn)):
        if call.turn == touch.turn and call.name in turn_touch.tools and belongs(call):
            hunks = _hunks(call, is_file, file.content(touch.path)) if touch.kind == "edited" else ()
            calls.append(TouchCall(call, hunks))
        if concerns(call, is_file):
            file.apply(call, [edit for edit in call.edits if is_file(edit.path)])
    return TouchDetails(tuple(calls), _prompt(snapshot, touch) if "mention" in turn_touch.tools else "")


def _hunks(call: ToolCall, is_file: IsFile, before: FileContent) -> tuple[DiffHunk, ...]:
    edits = [edit for edit in call.edits if is_file(edit.path)]
    return change_hunks(call, edits, before) if edits else ()


def _edits(is_file: IsFile, call: ToolCall) -> bool:
    return not call.is_error and any(is_file(edit.path) for edit in call.edits)


def _reads(is_file: IsFile, call: ToolCall) -> bool:
    if call.is_error or call.family != "shell":
        return not call.is_error and is_file(call.path)
    return any(file.use == "shown" and is_file(file.path) for file in call.files_in_command(_Names(is_file)))


def _mentions(is_file: IsFile, call: ToolCall) -> bool:
    if call.family == "shell":
        return any(is_file(file.path) for file in call.files_in_command(_Names(is_file)))
    return any(map(is_file, call.paths))


_BELONGS: dict[TouchKind, Callable[[IsFile, ToolCall], bool]] = {
    "edited": _edits,
    "read": _reads,
    "mentioned": _mentions,
}


class _Names:
    """The names of a file, as a container."""

    def __init__(self, is_file: IsFile) -> None:
        self._is_file = is_file

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._is_file(name)


def _prompt(snapshot: Snapshot, touch: FileTouch) -> str:
    rows: Sequence[tuple[str]] = snapshot.rows(
        "SELECT user_text FROM turns WHERE session = ? AND number = ?", [touch.session, touch.turn]
    )
    return rows[0][0] if rows else ""
