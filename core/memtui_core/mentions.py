"""The files that a turn edited, read or mentioned (SPEC S4.1-S4.10, S4.24).

They are taken from the input of tool calls, which holds whole paths and whole commands, and from the `@` mentions of
the person. Parsing summary lines is for those who have nothing else (SPEC S0.0).
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from memtui_core.bash_paths import paths_in
from memtui_core.model import Block, TouchKind
from memtui_core.paths import at_mentions, is_folder_like, is_path_like, normalize

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

_CALL = re.compile(r"(\w+)\((.*)", re.DOTALL)
_PLAIN = re.compile(r"(\w+):? (.+)", re.DOTALL)
_VALUE = re.compile(r'(?:^|[\s,])(\w+)="((?:[^"\\]|\\.)*+)', re.DOTALL)


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
    known: Container[str] = (),
) -> list[Mention]:
    """The mentions of a turn, one for each path and tool, in the order of their first occurrence.

    Folders as in `paths.normalize`; `known` holds relative paths that are files of the project whatever their name. A
    call whose result is an error did not do what it says and counts as a mention; of several calls the strongest kind
    counts. Never raises.
    """
    blocks = list(turn_blocks)
    failed = {block.tool_id for block in blocks if block.kind == "tool_result" and block.is_error and block.tool_id}
    found: dict[tuple[str, str], Mention] = {}
    for touch in [*_asked(user_text), *_called(blocks, known)]:
        path = normalize(touch.path, cwd, root, worktrees)
        if path is None:
            continue
        kind: TouchKind = "mentioned" if touch.call in failed else touch.kind
        before = found.get((path, touch.tool))
        if before is None or _STRENGTH[kind] > _STRENGTH[before.kind]:
            found[path, touch.tool] = Mention(path, touch.tool, kind, touch.is_dir)
    return list(found.values())


def summary_mentions(
    summary: str,
    *,
    cwd: str,
    root: str,
    worktrees: Sequence[str] = (),
    known: Container[str] = (),
) -> list[tuple[str, str]]:
    """The (path, tool) pairs of a summary line, `Read src/a.rs` or `Read(src/a.rs)`; a folder keeps its slash.

    For lines of which the call is lost: a line may be cut, the input of the call never is (SPEC S0.0, S4.8, S4.10).
    """
    tool, raw = _parsed(summary, known)
    pairs = []
    for path in raw:
        plain = normalize(path, cwd, root, worktrees)
        if plain is not None:
            pairs.append((plain + "/" if path.endswith("/") else plain, tool))
    return list(dict.fromkeys(pairs))


@dataclass(frozen=True, slots=True)
class _Touch:
    """A path as it was written, and the call that wrote it."""

    path: str
    tool: str
    kind: TouchKind = "mentioned"
    is_dir: bool = False
    call: str | None = None


def _asked(text: str) -> Iterator[_Touch]:
    for path in at_mentions(text):
        yield _Touch(path, "mention", is_dir=path.endswith("/"))


def _called(blocks: Sequence[Block], known: Container[str]) -> Iterator[_Touch]:
    for block in blocks:
        if block.kind != "tool_call" or not block.tool:
            continue
        name = block.tool.lower()
        if name not in _SILENT and (name in _SHELLS or _HAS_FIELD.search(block.text)):
            yield from _touches(name, block, known)


def _touches(name: str, block: Block, known: Container[str]) -> Iterator[_Touch]:
    fields = _input(block.text)
    tool, call = block.tool or name, block.tool_id
    if name in _SHELLS:
        command = fields.get("command")
        if isinstance(command, str):
            for path in paths_in(command, known):
                yield _Touch(path, tool, call=call)
        return
    path = _path(fields)
    if not path:
        return
    if name in _KINDS:
        yield _Touch(path, tool, _KINDS[name], call=call)
    elif is_path_like(path, known):
        # A search in one file shows its lines.
        yield _Touch(path, tool, "read" if name == "grep" else "mentioned", call=call)
    elif name in _SEARCHES or is_folder_like(path):
        yield _Touch(path, tool, is_dir=True, call=call)


def _path(fields: dict[str, Any]) -> str:
    values = (fields.get(key) for key in _FIELDS)
    return next((value for value in values if isinstance(value, str) and value), "")


def _input(text: str) -> dict[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _parsed(summary: str, known: Container[str]) -> tuple[str, list[str]]:
    """The tool of a summary line and the paths that it names, as written."""
    line = summary.strip()
    call = _CALL.fullmatch(line)
    if call is not None:
        tool, inside = call[1], call[2].removesuffix(")")
        values = {name: text.replace('\\"', '"') for name, text in _VALUE.findall(inside)}
        first = values.get("file_path") or inside.partition(", ")[0]
        command, folder = values.get("cmd", ""), values.get("path", "")
    else:
        plain = _PLAIN.fullmatch(line)
        tool, first = (plain[1], plain[2]) if plain is not None else ("", "")
        command, folder = first, first.rpartition(" in ")[2] if " in " in first else ""
    name = tool.lower()
    if name in _SHELLS:
        return tool, paths_in(command, known)
    path = first if name in _KINDS else folder if name in _SEARCHES else ""
    return tool, [path] if path else []
