"""The files that a turn edited, read or mentioned.

They are taken from the input of tool calls, which contains complete paths and commands, and from the `@` mentions of
the user; never from summary lines, which are cut.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from memtui_core.model import Block, TouchKind
from memtui_core.text.paths import at_mentions, is_folder_like, is_path_like, stored_path
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import paired
from memtui_core.tools.shell.files import ShellFile
from memtui_core.tools.vocabulary import Family, vocabulary

_KINDS: dict[Family, TouchKind] = {"read": "read", "edit": "edited", "write": "edited"}
_STRENGTH: dict[TouchKind, int] = {"mentioned": 0, "read": 1, "edited": 2}


@dataclass(frozen=True, slots=True)
class Mention:
    """A file or folder that a turn touched by one tool."""

    path: str
    """Relative to the project's root, with forward slashes; absolute for a file outside of the project."""
    tool: str
    """The tool's name; `mention` for an `@` of the user."""
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
    possible: set[str] | None = None,
) -> list[Mention]:
    """The mentions of a turn, one for each path and tool, in the order of their first occurrence.

    Folders as in `paths.normalize`; `known` are relative paths of files of the project that cannot be recognized by
    their names; files that the turn itself read or wrote are added to them. A failed call counts only as a mention; of
    several calls the strongest kind counts. Never raises.

    The words that `known` decides about are added to `possible`: no other file could have made more mentions.
    """
    folders = _Folders(cwd, root, worktrees)
    calls = _calls(turn_blocks)
    used = (path for written in _used_paths(calls) if (path := folders.stored(written)) and not is_path_like(path))
    files = _KnownFiles(folders, {*known, *used}, set() if possible is None else possible)
    mentions: dict[tuple[str, str], Mention] = {}
    of_calls = (mention for call in calls for mention in _call_mentions(call, files))
    for mention in [*_prompt_mentions(user_text, files), *of_calls]:
        path = folders.stored(mention.path)
        if path is None:
            continue
        before = mentions.get((path, mention.tool))
        if before is None or _STRENGTH[mention.kind] > _STRENGTH[before.kind]:
            mentions[path, mention.tool] = Mention(path, mention.tool, mention.kind, mention.is_dir)
    return list(mentions.values())


def used_files(mentions: Iterable[Mention], turn_blocks: Iterable[Block]) -> set[str]:
    """The files that a turn read or wrote successfully and that cannot be recognized by their names."""
    unusual = {
        mention.path
        for mention in mentions
        if vocabulary().family_of(mention.tool) in _KINDS and not is_path_like(mention.path)
    }
    if not unusual:
        return unusual
    used = ["/" + path.replace("\\", "/") for path in _used_paths(_calls(turn_blocks))]
    return {path for path in unusual if any(written.endswith("/" + path) for written in used)}


@dataclass(frozen=True, slots=True)
class _Folders:
    """The folders that paths are relative to, as `paths.normalize` takes them."""

    cwd: str
    root: str
    worktrees: Sequence[str]

    def stored(self, path: str) -> str | None:
        return stored_path(path, self.cwd, self.root, self.worktrees)


@dataclass(frozen=True, slots=True)
class _KnownFiles:
    """The known files of a project, looked up by a path in any form."""

    folders: _Folders
    paths: Collection[str]
    possible: set[str]
    """Every path that was looked up."""

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str):
            return False
        self.possible.add(path)
        return bool(self.paths) and self.folders.stored(path) in self.paths


def _prompt_mentions(text: str, files: _KnownFiles) -> Iterator[Mention]:
    for path in at_mentions(text, files):
        yield Mention(path, "mention", "mentioned", path.endswith("/"))


def _calls(blocks: Iterable[Block]) -> list[ToolCall]:
    return [call for call in paired(blocks) if _may_touch(call)]


def _may_touch(call: ToolCall) -> bool:
    """Whether a call may touch files, so that its input must be parsed."""
    words = vocabulary()
    is_silent = call.name.lower() in words.names.quiet_listings or words.family_of(call.name) in {"task", "plan", "web"}
    return not is_silent and call.may_name_files


def _used_paths(calls: Iterable[ToolCall]) -> Iterator[str]:
    """The paths, as written, of files that calls read or wrote; a call without a result may still fail."""
    successful = (call for call in calls if call.result is not None and not call.is_error)
    return (path for call in successful if vocabulary().family_of(call.name) in _KINDS for path in call.paths)


def _use_of(call: ToolCall, file: ShellFile) -> TouchKind:
    """How a shell command touches a file."""
    if call.is_error or file.use == "named":
        return "mentioned"
    if file.use == "shown":
        return "read" if call.name.lower() in vocabulary().names.reading_shells else "mentioned"
    return "edited"


def _call_mentions(call: ToolCall, files: _KnownFiles) -> Iterator[Mention]:
    """The mentions of a call, with the paths as written; the files of a failed call are only mentioned."""
    tool, path = call.name, call.path
    kind: TouchKind = "mentioned" if call.is_error else _KINDS.get(call.family, "mentioned")
    if call.family == "shell":
        for edit in call.edits if call.patch else ():
            yield Mention(edit.path, tool, "mentioned" if call.is_error else "edited")
        for file in call.files_in_command(files):
            yield Mention(file.path, tool, _use_of(call, file))
    elif vocabulary().family_of(tool) in _KINDS or call.patch:
        for written in call.paths:
            yield Mention(written, tool, kind)
    else:
        # Some agents search in several files at once.
        for part in path.split(";") if call.family == "search" else [path]:
            if is_path_like(part, files):
                # A search in files returns their lines.
                is_listing = tool.lower() in vocabulary().names.listings
                is_read = call.family == "search" and not is_listing and not call.is_error
                yield Mention(part, tool, "read" if is_read else kind)
            elif part and (call.family == "search" or is_folder_like(part)):
                yield Mention(part, tool, "mentioned", True)
