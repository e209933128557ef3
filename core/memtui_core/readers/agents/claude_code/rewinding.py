"""Write the beginning of a session as a session of its own, as `/branch` of Claude Code does.

The entries of the conversation are copied byte for byte but for the id of the session, and name the session and the
entry that they repeat. Claude Code resumes at the newest entry that has no other one after it, and goes back from
there by `parentUuid` to the last compaction. So branches that the user left before are not copied, and neither are
lines about the state of the program: snapshots of files, titles, modes and queued prompts, which belong to the other
session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson

from memtui_core.errors import NothingBefore
from memtui_core.readers.agents.claude_code.session_file import folder_name, title_entry
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.formats.jsonl import Entry, decode
from memtui_core.readers.new_session import Rewinding, SessionFile

_BACKGROUND: Final = re.compile(rb',"sessionKind":"[^"\\]*"')
"""What Claude Code leaves out of a branch: the new session is one of the terminal."""
_SAID: Final = frozenset({"user", "assistant"})
_CONVERSATION: Final = _SAID | {"system", "attachment", "progress"}


def rewound(projects: Path, rewinding: Rewinding) -> SessionFile:
    """The file of the new session in the folder `projects`. Raises NothingBefore and SourceUnreadable."""
    graph = _Graph(list(_lines(rewinding)))
    end = graph.end(rewinding)
    kept = graph.leading_to(end) if end is not None else []
    if not any(line.kind in _SAID for line in kept):
        raise NothingBefore("The session has nothing before this turn.")
    title = orjson.dumps(title_entry(rewinding.session_id, rewinding.title))
    content = b"".join(line.copied(rewinding.session_id) + b"\n" for line in kept) + title + b"\n"
    return SessionFile(_folder(projects, rewinding) / f"{rewinding.session_id}.jsonl", content)


def _folder(projects: Path, rewinding: Rewinding) -> Path:
    """The folder of the other session if that is of this machine, because Claude Code may have shortened its name."""
    folder = rewinding.transcript.parent
    is_here = folder.parent == projects
    return folder if is_here else projects / folder_name(rewinding.cwd)


@dataclass(frozen=True, slots=True)
class _Line:
    """An entry of the conversation: its line, and what of it decides whether it is copied."""

    number: int
    raw: bytes
    kind: str
    uuid: str
    parent: str | None
    """The entry before it; of the boundary of a compaction the last one that was summarized."""
    is_root: bool
    is_boundary: bool
    is_prompt: bool
    """Whether it can begin a branch: what the user typed."""
    calls: frozenset[str]
    """The ids of its tool calls."""
    results: frozenset[str]
    """The ids of the calls whose results it has."""
    session_id: str
    is_copy: bool
    """Whether it names the session and the entry that it repeats already."""

    def copied(self, session_id: str) -> bytes:
        """The line as one of another session."""
        raw = _BACKGROUND.sub(b"", self.raw)
        if not self.session_id:
            return raw
        name = rb'("session(?:I|_i)d"\s*:\s*)"' + re.escape(self.session_id.encode()) + rb'"'
        raw = re.sub(name, rb'\1"' + session_id.encode() + rb'"', raw)
        if self.is_copy:
            return raw
        origin = orjson.dumps({"forkedFrom": {"sessionId": self.session_id, "messageUuid": self.uuid}})
        return raw.replace(b"{", origin[:-1] + b",", 1)


def _line(number: int, entry: Entry, raw: bytes) -> _Line:
    kind, parent = string(entry.get("type")) or "", string(entry.get("parentUuid"))
    parts = [mapping(part) for part in items(mapping(entry.get("message")).get("content"))]
    results = frozenset(str(part.get("tool_use_id")) for part in parts if part.get("type") == "tool_result")
    return _Line(
        number,
        raw,
        kind,
        str(entry["uuid"]),
        parent or string(entry.get("logicalParentUuid")),
        is_root=parent is None,
        is_boundary=entry.get("subtype") == "compact_boundary",
        is_prompt=kind == "user" and entry.get("isCompactSummary") is not True and not results,
        calls=frozenset(str(part.get("id")) for part in parts if part.get("type") == "tool_use"),
        results=results,
        session_id=string(entry.get("sessionId")) or "",
        is_copy="forkedFrom" in entry,
    )


def _lines(rewinding: Rewinding) -> Iterator[_Line]:
    """The entries of the conversation up to the end of the chosen turn."""
    for number, raw in enumerate(rewinding.lines):
        if number > rewinding.last:
            return
        entries = decode(raw)[0]
        for entry in entries:
            if (
                string(entry.get("uuid"))
                and entry.get("type") in _CONVERSATION
                and entry.get("isSidechain") is not True
            ):
                yield _line(number, entry, raw if len(entries) == 1 else orjson.dumps(entry))


class _Graph:
    """The entries of a conversation, in file order, and what follows what."""

    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self._by_uuid = {line.uuid: line for line in lines}

    def end(self, rewinding: Rewinding) -> _Line | None:
        """The last entry of the new session; None if there is none before the chosen turn."""
        if not rewinding.before:
            return self._last_before(rewinding.last + 1)
        first = next((line for line in self._lines if line.number == rewinding.first), None)
        if first is None:
            return self._last_before(rewinding.first)
        before = self._by_uuid.get(first.parent or "")
        if before is not None and not before.is_boundary and self._has_boundary(before.number, first.number):
            # What follows a compaction can name a message that the compaction kept, which stands before it.
            return self._last_before(rewinding.first)
        while before is not None and before.is_boundary:
            before = self._by_uuid.get(before.parent or "")
        return before

    def _has_boundary(self, after: int, before: int) -> bool:
        """Whether a compaction stands between two lines."""
        return any(line.is_boundary and after < line.number < before for line in self._lines)

    def _last_before(self, number: int) -> _Line | None:
        lines = (line for line in reversed(self._lines) if line.number < number)
        return next((line for line in lines if line.kind != "progress"), None)

    def leading_to(self, end: _Line) -> list[_Line]:
        """The entries that lead to one, with the results of calls beside each other, and without calls left open."""
        way: dict[str, _Line] = {}
        at: _Line | None = end
        while at is not None and at.uuid not in way:
            way[at.uuid] = at
            at = self._by_uuid.get(at.parent or "")
        kept: dict[str, _Line] = {}
        for line in self._lines:
            if line.uuid in way or (line.number <= end.number and self._is_beside(line, kept)):
                kept[line.uuid] = line
        return self._without_open_calls(kept)

    def _is_beside(self, line: _Line, kept: dict[str, _Line]) -> bool:
        """Whether an entry that is not on the way belongs to one that is, and not to a branch that was left."""
        begins = line.is_root and line.parent not in self._by_uuid
        return line.kind != "progress" and not line.is_prompt and (line.parent in kept or begins)

    def _without_open_calls(self, kept: dict[str, _Line]) -> list[_Line]:
        """The entries without the calls that have no result and after which the conversation does not go on.

        Claude Code leaves out the others itself, as it does in the other session.
        """
        answered = {call for line in kept.values() for call in line.results}
        goes_on: set[str] = set()
        left_out: set[str] = set()
        for line in reversed(kept.values()):
            is_open = bool(line.calls - answered) and line.uuid not in goes_on
            if is_open:
                left_out.add(line.uuid)
            elif (line.uuid in goes_on or line.kind in _SAID) and line.parent:
                goes_on.add(line.parent)
        result = []
        for line in kept.values():
            if line.uuid in left_out or (line.parent in left_out):
                left_out.add(line.uuid)
            else:
                result.append(line)
        return result
