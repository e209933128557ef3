"""The files that a turn edited, read or mentioned (SPEC S4.1-S4.10, S4.24).

They are taken from the input of tool calls, which holds whole paths and whole commands, and from the `@` mentions of
the person; never from summary lines, which are cut (SPEC S0.0).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from memtui_core.model import Block, TouchKind
from memtui_core.text.paths import at_mentions, is_folder_like, is_path_like, normalize
from memtui_core.tools.shell.files import paths_in

_KINDS: dict[str, TouchKind] = {
    "edit": "edited",
    "write": "edited",
    "multiedit": "edited",
    "notebookedit": "edited",
    "read": "read",
    "notebookread": "read",
}
_SHELLS = frozenset({"bash", "shell"})
_SEARCHES = frozenset({"grep", "ls"})
_SILENT = frozenset({"glob", "task", "agent", "todowrite", "webfetch", "websearch"})
"""Tools whose input names no single file: not worth a parse."""
_FIELDS = ("file_path", "filePath", "notebook_path", "path", "filename")
_HAS_FIELD = re.compile("|".join(f'"{name}"' for name in _FIELDS))
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
    blocks = list(turn_blocks)
    failed = {block.tool_id for block in blocks if block.kind == "tool_result" and block.is_error and block.tool_id}
    home = _Home(cwd, root, worktrees)
    calls = _calls(blocks)
    own = (path for written in _done(calls, blocks) if (path := home.relative(written)) and not is_path_like(path))
    files = _Files(home, {*known, *own})
    found: dict[tuple[str, str], Mention] = {}
    for touch in [*_asked(user_text, files), *(touch for call in calls for touch in _touches(call, files))]:
        path = home.relative(touch.path)
        if path is None:
            continue
        kind: TouchKind = "mentioned" if touch.call in failed else touch.kind
        before = found.get((path, touch.tool))
        if before is None or _STRENGTH[kind] > _STRENGTH[before.kind]:
            found[path, touch.tool] = Mention(path, touch.tool, kind, touch.is_dir)
    return list(found.values())


def files_shown(mentions: Iterable[Mention], turn_blocks: Iterable[Block]) -> set[str]:
    """Those paths of a turn that are files though their names do not tell: a tool read or wrote them, and said so."""
    odd = {one.path for one in mentions if one.tool.lower() in _KINDS and not is_path_like(one.path)}
    if not odd:
        return odd
    blocks = list(turn_blocks)
    done = ["/" + path.replace("\\", "/") for path in _done(_calls(blocks), blocks)]
    return {path for path in odd if any(written.endswith("/" + path) for written in done)}


@dataclass(frozen=True, slots=True)
class _Home:
    """The folders that paths are relative to, as `paths.normalize` takes them."""

    cwd: str
    root: str
    worktrees: Sequence[str]

    def relative(self, path: str) -> str | None:
        return normalize(path, self.cwd, self.root, self.worktrees)


@dataclass(frozen=True, slots=True)
class _Files:
    """The files that are known, found by a path in any of its forms."""

    home: _Home
    paths: Collection[str]

    def __contains__(self, path: object) -> bool:
        return bool(self.paths) and isinstance(path, str) and self.home.relative(path) in self.paths


@dataclass(frozen=True, slots=True)
class _Call:
    """A call and its input."""

    block: Block
    fields: dict[str, Any]

    @property
    def name(self) -> str:
        return (self.block.tool or "").lower()

    @property
    def id(self) -> str | None:
        return self.block.tool_id

    @property
    def path(self) -> str:
        values = (self.fields.get(key) for key in _FIELDS)
        return next((value for value in values if isinstance(value, str) and value), "")

    @property
    def file(self) -> str:
        """The file that it reads or writes; empty for a call that does neither."""
        return self.path if self.name in _KINDS else ""


@dataclass(frozen=True, slots=True)
class _Touch:
    """A path as it was written, and the call that wrote it."""

    path: str
    tool: str
    kind: TouchKind = "mentioned"
    is_dir: bool = False
    call: str | None = None


def _asked(text: str, files: _Files) -> Iterator[_Touch]:
    for path in at_mentions(text, files):
        yield _Touch(path, "mention", is_dir=path.endswith("/"))


def _may_touch(block: Block) -> bool:
    """Whether a block is a call that may name files: its input is parsed only then."""
    name = (block.tool or "").lower() if block.kind == "tool_call" else ""
    return bool(name) and name not in _SILENT and (name in _SHELLS or _HAS_FIELD.search(block.text) is not None)


def _calls(blocks: Iterable[Block]) -> list[_Call]:
    return [_Call(block, _input(block.text)) for block in blocks if _may_touch(block)]


def _done(calls: Iterable[_Call], blocks: Iterable[Block]) -> Iterator[str]:
    """The files, as written, that calls read or wrote; one without a result may yet fail."""
    done = {block.tool_id for block in blocks if block.kind == "tool_result" and not block.is_error}
    return (call.file for call in calls if call.id in done and call.file)


def _touches(call: _Call, files: _Files) -> Iterator[_Touch]:
    name, tool, path = call.name, call.block.tool or "", call.path
    if name in _SHELLS:
        command = call.fields.get("command")
        if isinstance(command, str):
            for named in paths_in(command, files):
                yield _Touch(named, tool, call=call.id)
    elif not path:
        return
    elif name in _KINDS:
        yield _Touch(path, tool, _KINDS[name], call=call.id)
    elif is_path_like(path, files):
        # A search in one file shows its lines.
        yield _Touch(path, tool, "read" if name == "grep" else "mentioned", call=call.id)
    elif name in _SEARCHES or is_folder_like(path):
        yield _Touch(path, tool, is_dir=True, call=call.id)


def _input(text: str) -> dict[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}
