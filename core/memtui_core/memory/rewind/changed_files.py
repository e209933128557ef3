"""What has changed on the disk of the files that a session knew at one of its turns.

A file counts as unchanged only if the session knew all of it, for certain, and the disk has the same text. If it knew a
part, a line that is not the same any more proves a change; lines that are the same prove nothing about the others.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path
from stat import S_ISREG
from typing import Final, Literal

from memtui_core.queries.columns import path_label
from memtui_core.queries.file_history import FileContent, file_content_at
from memtui_core.queries.sessions import read_session
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.controls import label, stored
from memtui_core.text.machine_folders import folder_here
from memtui_core.text.paths import home_of, is_absolute
from memtui_core.tools.diffs import counts

_LARGEST: Final = 4_000_000
"""Bytes of the largest file that is compared."""

FileChange = Literal["changed", "deleted", "unknown", "unchanged"]


@dataclass(frozen=True, slots=True)
class FileSince:
    """A file that a session read or wrote, and how it is on the disk now."""

    path: str
    """As the index has it: relative to the project, or absolute."""
    state: FileChange
    """`deleted` if it is not on the disk; `unknown` if what the session knew of it does not tell."""
    added: int = 0
    """Lines that are new since then; 0 unless the session knew the whole file."""
    removed: int = 0
    diff: str = ""
    """From then to now, as a unified diff; empty unless the session knew the whole file, and it has changed."""
    reason: str = ""
    """What the session knew of it, if that is not all."""
    later_turns: tuple[int, ...] = ()
    """The later turns of the same session that edited it."""


def files_since(snapshot: Snapshot, session: int, turn: int) -> list[FileSince]:
    """The files that a session read or wrote up to a turn, the changed ones first. Raises SessionUnknown."""
    record = read_session(snapshot, session)
    rows = snapshot.rows(
        "SELECT m.path, t.number, m.kind FROM file_mentions m JOIN turns t ON t.id = m.turn"
        " WHERE t.session = ? AND m.kind IN ('edited', 'read') AND NOT m.is_dir ORDER BY t.number",
        [session],
    )
    known = dict.fromkeys(path for path, number, _ in rows if number <= turn)
    later: dict[str, set[int]] = defaultdict(set)
    for path, number, kind in rows:
        if number > turn and kind == "edited":
            later[path].add(number)
    folder = stored(record.worktree or "") or stored(record.root)
    has_place = folder_here(stored(record.cwd), stored(record.root), record.worktree) != ""
    is_here = has_place and os.path.isdir(folder)  # noqa: PTH112 (raises for odd paths)
    files = []
    for path in known:
        turns = tuple(sorted(later[path]))
        content = file_content_at(snapshot, session, path, turn)
        if not is_here and not is_absolute(path):
            files.append(FileSince(path, "unknown", reason="its project is not on this disk", later_turns=turns))
        else:
            files.append(_compared(path, content, Path(folder, Path(stored(path)).expanduser()), turns))
    order = ("changed", "deleted", "unknown", "unchanged")
    files = [replace(file, path=_shown(file.path), reason=label(file.reason)) for file in files]
    return sorted(files, key=lambda file: (order.index(file.state), -file.added - file.removed, file.path))


def _shown(path: str) -> str:
    """A path, safe to show, with `~` for the home folder of this user, not for that of another one."""
    return path_label(path) if home_of(path) == Path.home().as_posix() else label(path)


def _compared(path: str, content: FileContent, place: Path, later_turns: tuple[int, ...]) -> FileSince:
    try:
        about = place.stat()
        if not S_ISREG(about.st_mode):
            # A pipe or a device may have no end.
            return FileSince(path, "unknown", reason="it is no file any more", later_turns=later_turns)
        if about.st_size > _LARGEST:
            return FileSince(path, "unknown", reason="it is too large to be compared", later_turns=later_turns)
        now = place.read_text(encoding="utf-8").split("\n")
    except (FileNotFoundError, NotADirectoryError):
        return FileSince(path, "deleted", later_turns=later_turns)
    except (OSError, ValueError):
        return FileSince(path, "unknown", reason="it cannot be read as text", later_turns=later_turns)
    if (text := content.text) is not None:
        then = _without_last_newline(text.split("\n"))
        now = _without_last_newline(now)
        if then == now:
            return FileSince(path, "unchanged", later_turns=later_turns)
        head, *lines = unified_diff(then, now, f"a/{path}", f"b/{path}", lineterm="")
        added, removed = counts("\n".join(lines[1:]))
        return FileSince(path, "changed", added, removed, "\n".join([head, *lines]), later_turns=later_turns)
    return _compared_in_part(path, content, now, later_turns)


def _compared_in_part(path: str, content: FileContent, now: Sequence[str], later_turns: tuple[int, ...]) -> FileSince:
    seen = [line for line in content.lines if line.certain]
    if not seen:
        reason = content.notes[0] if content.notes else "the session saw nothing of it for certain"
        return FileSince(path, "unknown", reason=reason, later_turns=later_turns)
    differ = sum(line.number > len(now) or now[line.number - 1] != line.text for line in seen)
    if differ:
        reason = f"{differ:,} of {len(seen):,} seen lines differ"
        return FileSince(path, "changed", reason=reason, later_turns=later_turns)
    reason = f"{len(seen):,} seen lines are the same" if len(seen) > 1 else "1 seen line is the same"
    return FileSince(path, "unknown", reason=reason, later_turns=later_turns)


def _without_last_newline(lines: list[str]) -> list[str]:
    """The lines of a text, for which it does not matter whether a newline ends the last one: a read does not tell."""
    return lines[:-1] if lines and not lines[-1] else lines
