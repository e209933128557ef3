"""The files that a turn edited, read or mentioned.

They are taken from the input of tool calls, which holds whole paths and whole commands, and from the `@` mentions of
the person; never from summary lines, which are cut.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from memtui_core.model import Block, TouchKind
from memtui_core.text.paths import at_mentions, is_folder_like, is_path_like, normalize
from memtui_core.tools.call import ToolCall
from memtui_core.tools.families import LISTINGS, Family, family_of
from memtui_core.tools.pairing import paired
from memtui_core.tools.shell.files import files_in

_KINDS: dict[Family, TouchKind] = {"read": "read", "edit": "edited", "write": "edited"}
_STRENGTH: dict[TouchKind, int] = {"mentioned": 0, "read": 1, "edited": 2}


@dataclass(frozen=True, slots=True)
class Mention:
    """A file or folder that a turn touched by one tool."""

    path: str
    """Relative to the project's root, with forward slashes."""
    tool: str
    """The tool's name; `mention` for an `@` of the person."""
    kind: TouchKind
    is_dir: bool = False


def mentions_of(
    turn_blocks: Iterable[Block],
    user_text: str,
    *,
    cwd: str,
    root: str,
    worktrees: Sequence[str] = (),
    known: Collection[str] = (),
) -> list[Mention]:
    """The mentions of a turn, one for each path and tool, in the order of their first occurrence.

    Folders as in `paths.normalize`; `known` holds relative paths that are files of the project whatever their name,
    beside those that the turn itself read or wrote. A call whose result is an error did not do what it says and counts
    as a mention; of several calls the strongest kind counts. Never raises.
    """
    folders = _Folders(cwd, root, worktrees)
    calls = _calls(turn_blocks)
    own = (path for written in _done(calls) if (path := folders.relative(written)) and not is_path_like(path))
    files = _Files(folders, {*known, *own})
    mentions: dict[tuple[str, str], Mention] = {}
    for touch in [*_asked(user_text, files), *(touch for call in calls for touch in _touches(call, files))]:
        path = folders.relative(touch.path)
        if path is None:
            continue
        before = mentions.get((path, touch.tool))
        if before is None or _STRENGTH[touch.kind] > _STRENGTH[before.kind]:
            mentions[path, touch.tool] = Mention(path, touch.tool, touch.kind, touch.is_dir)
    return list(mentions.values())


def used_files(mentions: Iterable[Mention], turn_blocks: Iterable[Block]) -> set[str]:
    """Those paths of a turn that are files though their names do not tell: a tool read or wrote them, and said so."""
    odd = {one.path for one in mentions if family_of(one.tool) in _KINDS and not is_path_like(one.path)}
    if not odd:
        return odd
    done = ["/" + path.replace("\\", "/") for path in _done(_calls(turn_blocks))]
    return {path for path in odd if any(written.endswith("/" + path) for written in done)}


@dataclass(frozen=True, slots=True)
class _Folders:
    """The folders that paths are relative to, as `paths.normalize` takes them."""

    cwd: str
    root: str
    worktrees: Sequence[str]

    def relative(self, path: str) -> str | None:
        return normalize(path, self.cwd, self.root, self.worktrees)


@dataclass(frozen=True, slots=True)
class _Files:
    """The files that are known, found by a path in any of its forms."""

    folders: _Folders
    paths: Collection[str]

    def __contains__(self, path: object) -> bool:
        return bool(self.paths) and isinstance(path, str) and self.folders.relative(path) in self.paths


def _asked(text: str, files: _Files) -> Iterator[Mention]:
    for path in at_mentions(text, files):
        yield Mention(path, "mention", "mentioned", path.endswith("/"))


def _calls(blocks: Iterable[Block]) -> list[ToolCall]:
    return [call for call in paired(blocks) if _may_touch(call)]


def _may_touch(call: ToolCall) -> bool:
    """Whether a call may name files: its input is parsed only then."""
    is_silent = call.name.lower() == "glob" or family_of(call.name) in {"task", "plan", "web"}
    return not is_silent and call.may_name_files


def _done(calls: Iterable[ToolCall]) -> Iterator[str]:
    """The files, as written, that calls read or wrote; one without a result may yet fail."""
    done = (call for call in calls if call.result is not None and not call.is_error)
    return (path for call in done if family_of(call.name) in _KINDS for path in call.paths)


def _touches(call: ToolCall, files: _Files) -> Iterator[Mention]:
    """What a call touched, by the paths as they were written; a call that failed did not do what it says."""
    tool, path = call.name, call.path
    kind: TouchKind = "mentioned" if call.is_error else _KINDS.get(call.family, "mentioned")
    if call.family == "shell":
        for file in files_in(call.command, files):
            yield Mention(file.path, tool, "edited" if file.use == "written" and not call.is_error else "mentioned")
    elif family_of(tool) in _KINDS:
        for written in call.paths:
            yield Mention(written, tool, kind)
    elif is_path_like(path, files):
        # A search in one file shows its lines.
        is_shown = call.family == "search" and tool.lower() not in LISTINGS and not call.is_error
        yield Mention(path, tool, "read" if is_shown else kind)
    elif path and (call.family == "search" or is_folder_like(path)):
        yield Mention(path, tool, "mentioned", True)
