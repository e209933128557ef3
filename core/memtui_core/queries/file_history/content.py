"""The content of a file at a turn of a session, from the tool calls of the session."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import partial

from memtui_core.errors import SessionUnknown
from memtui_core.model import Block
from memtui_core.queries.file_history.lines import FileContent
from memtui_core.queries.file_history.state import FileState
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.text.controls import stored
from memtui_core.text.machine_folders import own_folders
from memtui_core.text.paths import stored_path, worktree_of
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import paired_turns
from memtui_core.tools.shell.files import REWRITES_HINT, steps
from memtui_core.tools.vocabulary import vocabulary

IsFile = Callable[[str], bool]
"""Tells whether a path, as a session wrote it, names a certain file."""


def file_content_at(snapshot: Snapshot, session: int, path: str, turn: int) -> FileContent:
    """The content of the file `path` of the index at the end of turn `turn` of a session. Raises SessionUnknown."""
    return content_from_calls(blocks_until(snapshot, session, path, turn), names_of(snapshot, session, path), path)


def names_of(snapshot: Snapshot, session: int, path: str) -> IsFile:
    """A function that tells whether a path, as the session wrote it, names the file `path`. Raises SessionUnknown."""
    names = names_by_session(snapshot, [session], path)
    if session not in names:
        raise SessionUnknown(f"There is no session with the key {session}.")
    return names[session]


def names_by_session(snapshot: Snapshot, sessions: Collection[int], path: str) -> dict[int, IsFile]:
    """The same for several sessions, by their keys; unknown sessions are left out."""
    names = session_names(snapshot, sessions)
    known = snapshot.rows(f"SELECT key FROM sessions WHERE {key_condition('key', sessions)}")
    return {session: names(session, path) for (session,) in known}


def session_names(snapshot: Snapshot, sessions: Collection[int]) -> Callable[[int, str], IsFile]:
    """A function that makes the same for one of some sessions, by its key, and any file. Raises KeyError for others."""
    mentions: dict[int, set[str]] = defaultdict(set)
    for session, name in snapshot.rows(
        f"SELECT DISTINCT session, path FROM file_mentions WHERE {key_condition('session', sessions)}"
    ):
        mentions[session].add(name)
    rows = snapshot.rows(f"SELECT key, cwd, root, worktree FROM sessions WHERE {key_condition('key', sessions)}")
    folders = {session: (cwd, *own_folders(root, worktree)) for session, cwd, root, worktree in rows}
    return lambda session, path: partial(_is_file, stored(path), *folders[session], mentions[session])


def _is_file(path: str, cwd: str, root: str, worktree: str | None, mentioned: Collection[str], written: str) -> bool:
    """Whether a path, as a session wrote it, names the file `path`; `mentioned` are all paths of the session."""
    worktrees = [worktree] if worktree else []
    normalized = stored_path(written, cwd, root, worktrees)
    if normalized not in mentioned and (other := worktree_of(written)) is not None and other[0] == root:
        # The session moved to a worktree.
        normalized = stored_path(written, cwd, root, [*worktrees, other[1]])
    return normalized == path


def blocks_until(snapshot: Snapshot, session: int, path: str, turn: int) -> list[tuple[int, list[Block]]]:
    """The tool calls and results of the turns that mention a file, and other commands that may rewrite any file.

    They are those of the turns up to number `turn`, by the number of their turn.
    """
    shells = ", ".join(f"'{name}'" for name in sorted(vocabulary().shells))
    rows = snapshot.rows(
        "SELECT t.number, b.seq, b.line, b.kind, b.text, b.tool, b.tool_id, b.is_error, b.detail FROM blocks b"
        " JOIN turns t ON t.id = b.turn WHERE t.session = ? AND t.number <= ? AND ("
        " (b.kind IN ('tool_call', 'tool_result')"
        "  AND t.id IN (SELECT turn FROM file_mentions WHERE session = ? AND path = ?))"
        f" OR (b.kind = 'tool_call' AND lower(b.tool) IN ({shells}) AND regexp_matches(b.text, ?)))"
        " ORDER BY t.number, b.seq",
        [session, turn, session, stored(path), REWRITES_HINT],
    )
    blocks: dict[int, list[Block]] = {}
    for number, seq, line, kind, text, tool, tool_id, is_error, detail in rows:
        block = Block(seq, line, kind, text, tool, tool_id, is_error, detail=detail)
        blocks.setdefault(number, []).append(block)
    return list(blocks.items())


def content_from_calls(
    blocks_by_turn: Sequence[tuple[int, Sequence[Block]]], is_file: IsFile, path: str = ""
) -> FileContent:
    """The content of the file for which `is_file` is true, after some turns in order; `path` is used as its name only.

    A failed call changed nothing, but a shell command may fail after it changed a file. A result without its call is
    ignored; a call without its result may have been executed or not. Never raises.
    """
    file = FileState()
    for call in effective_calls(blocks_by_turn):
        if concerns(call, is_file):
            file.apply(call, [edit for edit in call.edits if is_file(edit.path)])
    return file.content(path)


def effective_calls(blocks_by_turn: Sequence[tuple[int, Sequence[Block]]]) -> list[ToolCall]:
    """The calls of some turns in the order in which they took effect: that of their results."""
    order = {id(block): index for index, block in enumerate(block for _, blocks in blocks_by_turn for block in blocks)}
    return sorted(paired_turns(blocks_by_turn), key=lambda call: order[id(call.result or call.block)])


def concerns(call: ToolCall, is_file: IsFile) -> bool:
    """Whether a call reads the file, changes it, or may change it."""
    if not call.may_name_files:
        return False
    if call.family == "shell":
        return _may_change(call.located_command, is_file) or any(is_file(edit.path) for edit in call.edits)
    return any(map(is_file, call.paths))


def _may_change(command: str, is_file: IsFile) -> bool:
    """Whether a command names the file and does more than print it, or changes files without naming them."""
    command_steps = list(steps(command))
    is_named = any(is_file(file.path) for step in command_steps for file in step.files)
    return any(step.rewrites or (is_named and not step.keeps_content) for step in command_steps)
