"""What the index knows of the edits of one file, in all sessions and under its earlier names, in the order of time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from memtui_core.memory.blame.alignment import Pair
from memtui_core.memory.blame.attribution import EditPlace, Event, KnownChange, Shown
from memtui_core.model import Block
from memtui_core.queries.file_history.content import IsFile, session_names
from memtui_core.queries.file_history.lines import numbered_lines
from memtui_core.queries.file_history.patches import Hunk, hunks_of
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.text.machine_folders import folder_of, machine_of
from memtui_core.text.paths import clean, is_absolute, stored_path
from memtui_core.tools.call import ToolCall
from memtui_core.tools.edits import Edit
from memtui_core.tools.pairing import paired
from memtui_core.tools.shell.here_documents import documents_written
from memtui_core.tools.shell.moves import moves_in

_MOST_NAMES: Final = 8
"""Names of a file that are followed back."""
_DELETED: Final = re.compile(r"^\*\*\* Delete File: (.+)$", re.MULTILINE)
_RENAMED: Final = re.compile(r"^\*\*\* Update File: (.+)\n\*\*\* Move to: (.+)$", re.MULTILINE)
_NAMESAKES: Final = (
    " UNION ALL SELECT p.place, p.name, m.session, m.turn, m.tool, p.path, false FROM file_mentions m"
    "  JOIN places p ON split_part(p.path, '/', -1) = split_part(m.path, '/', -1) AND p.path <> m.path"
    "  JOIN sessions s ON s.key = m.session WHERE list_contains(p.roots, s.root) AND m.kind = 'mentioned'"
    "  AND NOT m.is_dir AND NOT s.hidden GROUP BY ALL"
)
"""The calls that name a file of the same name in another folder, from which it may have been moved."""
_MOVES: Final = r"\b(?:mv|cp)\s|\*\*\* Move to: "
"""A pattern that matches every call that moves or copies files, and a few others."""


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file as sessions may have named it."""

    roots: tuple[str, ...]
    """The root of its project, and those of other clones of the repository; empty for a file outside of any project."""
    path: str
    """As sessions of the project have it in the index: relative to the root, or absolute."""
    copies: tuple[str, ...]
    """The absolute paths of the file, which is the first, and of its copies in worktrees and clones."""


@dataclass(frozen=True, slots=True)
class KnownEdit:
    """An edit or a read of the file, and the call that made it."""

    event: Event
    session: int
    turn: int
    at: datetime | None
    """When the result came, else when the turn began; None if nothing tells."""
    call: ToolCall
    path: str
    """The file, as the agent wrote its path."""


@dataclass(frozen=True, slots=True)
class _Folders:
    """Where a session worked."""

    cwd: str
    root: str
    worktree: str | None

    def absolute(self, written: str) -> str:
        """The absolute path of a file, as the session wrote it; with the mark of another machine."""
        if machine_of(self.root, self.worktree) or not (self.worktree or self.root or self.cwd):
            return f"@{written}"
        if is_absolute(written):
            return clean(written)
        return clean(f"{self.worktree or self.root or self.cwd}/{written}")


@dataclass(frozen=True, slots=True)
class _Touched:
    """The calls of a tool in a turn that touched the file."""

    path: str
    session: int
    turn: int
    started: datetime | None
    blocks: list[Block]


def read_known_edits(snapshot: Snapshot, file: FilePlace) -> list[KnownEdit]:
    """The edits of a file in the order of time, and what reads showed of it if a whole content was written.

    Failed calls, and those without a result, are left out: nothing tells whether they changed the file.
    """
    [edits] = read_edits_of_files(snapshot, [file])
    return edits


def read_edits_of_files(snapshot: Snapshot, files: Sequence[FilePlace]) -> list[list[KnownEdit]]:
    """The same for several files, in their order: the index is asked for all of them at once."""
    found: list[list[KnownEdit]] = [[] for _ in files]
    seen = [{file.path} for file in files]
    names: list[_Name] = [_Name(of, file) for of, file in enumerate(files)]
    while names:
        calls = _by_place(names, _touching(snapshot, [name.place for name in names], reads=False))
        edits = [list(_edits(name.place, own)) for name, own in zip(names, calls, strict=True)]
        read = [name for name, own in zip(names, edits, strict=True) if any(_is_write(edit) for edit in own)]
        shown = _by_place(read, _touching(snapshot, [name.place for name in read], reads=True)) if read else []
        for name, own in (*zip(names, edits, strict=True), *zip(read, map(list, map(_reads, shown)), strict=True)):
            found[name.of] += [edit for edit in own if name.until is None or (edit.at and edit.at < name.until)]
        following: list[_Name] = []
        for name, own_calls in zip(names, calls, strict=True):
            for earlier, at in _earlier_names(name.place, own_calls):
                known = seen[name.of]
                if earlier.path not in known and len(known) < _MOST_NAMES and (name.until is None or at < name.until):
                    known.add(earlier.path)
                    following.append(_Name(name.of, earlier, at))
        names = following
    return [sorted(edits, key=lambda edit: edit.at or datetime.min.replace(tzinfo=UTC)) for edits in found]


@dataclass(frozen=True, slots=True)
class _Name:
    """A name that a file had, until it was moved."""

    of: int
    """The index of the file."""
    place: FilePlace
    until: datetime | None = None
    """None for the name that it has now."""


@dataclass(frozen=True, slots=True)
class _Calls:
    """The calls of a tool in a turn that touched a file, and how its session names that."""

    touched: _Touched
    is_file: IsFile
    folders: _Folders


def _by_place(names: Sequence[_Name], calls: Iterable[tuple[int, _Calls]]) -> list[list[_Calls]]:
    own: list[list[_Calls]] = [[] for _ in names]
    for place, one in calls:
        own[place].append(one)
    return own


def _is_write(edit: KnownEdit) -> bool:
    return isinstance(edit.event, KnownChange) and edit.event.whole is not None


def _edits(file: FilePlace, calls: Iterable[_Calls]) -> Iterator[KnownEdit]:
    for own in calls:
        for call, at in _calls(own.touched):
            if (event := _change(call, own.is_file, own.folders, file)) is not None:
                path = next(edit.path for edit in call.edits if own.is_file(edit.path))
                yield KnownEdit(event, own.touched.session, own.touched.turn, at, call, path)


def _reads(calls: Iterable[_Calls]) -> Iterator[KnownEdit]:
    for own in calls:
        for call, at in _calls(own.touched):
            paths = [named.path for named in call.shell_files] if call.family == "shell" else [call.path]
            if any(map(own.is_file, paths)):
                yield KnownEdit(Shown(_shown(call)), own.touched.session, own.touched.turn, at, call, call.path)


def _shown(call: ToolCall) -> str:
    """The lines that a read printed, without their numbers."""
    _, lines, _ = numbered_lines(call.output)
    return "\n".join(lines) or call.output


def _calls(touched: _Touched) -> Iterator[tuple[ToolCall, datetime | None]]:
    """The calls that succeeded, with their times."""
    for call in paired(touched.blocks):
        if call.result is not None and not call.is_error:
            yield call, call.result.at or call.block.at or touched.started


def _touching(snapshot: Snapshot, places: Sequence[FilePlace], *, reads: bool) -> Iterator[tuple[int, _Calls]]:
    """The calls that edited files or may have moved them, or those that read them, with the index of the place."""
    kinds = "m.kind = 'read'" if reads else "m.kind IN ('edited', 'mentioned')"
    # The texts of results can be long, and only those of reads are needed.
    result = "b.text" if reads else "''"
    rows = snapshot.rows(
        "WITH places AS (SELECT split_part(one, chr(31), 1)::INTEGER AS place, split_part(one, chr(31), 2) AS path,"
        "  split_part(one, chr(31), 3) AS name, string_split(split_part(one, chr(31), 4), chr(29)) AS roots"
        "  FROM (SELECT unnest(string_split(?, chr(30))) AS one)),"
        " touched AS (SELECT p.place, p.name, m.session, m.turn, m.tool, m.path, bool_or(m.kind = 'edited') AS edited"
        "  FROM file_mentions m JOIN places p ON p.path = m.path JOIN sessions s ON s.key = m.session"
        "  WHERE (p.roots = [''] OR list_contains(p.roots, s.root)) AND NOT m.is_dir AND NOT s.hidden AND"
        f"  {kinds} GROUP BY ALL{'' if reads else _NAMESAKES}),"
        " calls AS (SELECT DISTINCT e.place, e.path, e.session, e.turn, b.tool_id FROM touched e"
        "  JOIN blocks b ON b.turn = e.turn AND b.tool = e.tool WHERE b.kind = 'tool_call' AND contains(b.text, e.name)"
        f"  {'' if reads else 'AND (e.edited OR regexp_matches(b.text, ?))'})"
        " SELECT c.place, c.path, c.session, t.number, credible(t.started_at), b.seq, b.line, b.kind,"
        f"  CASE b.kind WHEN 'tool_call' THEN b.text ELSE {result} END, b.tool, b.tool_id, b.is_error, b.at_time,"
        "  b.detail FROM calls c JOIN turns t ON t.id = c.turn"
        " JOIN blocks b ON b.turn = c.turn AND b.tool_id = c.tool_id"
        " WHERE b.kind IN ('tool_call', 'tool_result') ORDER BY t.id, b.seq",
        [_listed(places), *([] if reads else [_MOVES])],
    )
    touched: dict[tuple[int, str, int, int, str], _Touched] = {}
    for place, path, session, number, started, *block in rows:
        key = (place, path, session, number, block[4] or "")
        own = touched.setdefault(key, _Touched(path, session, number, _utc(started), []))
        own.blocks.append(_block(block))
    sessions = {one.session for one in touched.values()}
    names = session_names(snapshot, sessions)
    folders = _folders(snapshot, sessions)
    for (place, *_), one in touched.items():
        yield place, _Calls(one, names(one.session, one.path), folders[one.session])


def _listed(places: Sequence[FilePlace]) -> str:
    """The paths of files as one text, as DuckDB takes a third of a millisecond for each element of a list."""
    rows: list[tuple[str, ...]] = []
    for index, place in enumerate(places):
        name = _written_name(place.path)
        if place.roots:
            rows.append((str(index), place.path, name, "\x1d".join(place.roots)))
        rows += [(str(index), copy, name, "") for copy in place.copies]
    return "\x1e".join("\x1f".join(row) for row in rows)


def _written_name(path: str) -> str:
    """What the JSON of every call that names a file contains; nothing if the name may be escaped there."""
    name = path.rpartition("/")[2]
    return name if name.isascii() and '"' not in name and "\\" not in name else ""


def _block(row: Sequence[Any]) -> Block:
    seq, line, kind, text, tool, tool_id, is_error, at, detail = row
    return Block(seq, line, kind, text, tool, tool_id, is_error, _utc(at), detail)


def _utc(at: datetime | None) -> datetime | None:
    return None if at is None else at.replace(tzinfo=UTC)


def _folders(snapshot: Snapshot, sessions: set[int]) -> dict[int, _Folders]:
    rows = snapshot.rows(f"SELECT key, cwd, root, worktree FROM sessions WHERE {key_condition('key', sessions)}")
    return {key: _Folders(cwd, root, worktree) for key, cwd, root, worktree in rows}


def _change(call: ToolCall, is_file: IsFile, folders: _Folders, file: FilePlace) -> KnownChange | None:
    """What a call did to the file; None if the call does not show it."""
    edits = [edit for edit in call.edits if is_file(edit.path)]
    if not edits:
        return None
    elsewhere = folders.absolute(edits[0].path) != file.copies[0] if file.copies else False
    if any(is_file(path.strip()) for path in _DELETED.findall(call.patch)):
        return KnownChange(is_elsewhere=elsewhere, removes=True)
    is_only_file = len({edit.path for edit in call.edits}) == 1
    if is_only_file and (hunks := hunks_of(call.detail.get("patch"))):
        return KnownChange(tuple(map(_place_of_hunk, hunks)), is_elsewhere=elsewhere)
    whole = next((edit.new for edit in reversed(edits) if _is_whole(edit)), None)
    if whole is not None:
        return KnownChange(whole=whole, is_elsewhere=elsewhere)
    documents = [document for document in documents_written(call.located_command) if is_file(document.path)]
    if documents and not documents[-1].appends:
        return KnownChange(whole=documents[-1].text, is_elsewhere=elsewhere)
    places = (
        *(EditPlace("", document.text.removesuffix("\n"), is_lines=True) for document in documents),
        *(_place(edit) for edit in edits if edit.kind in {"replace", "part"}),
    )
    return KnownChange(places, is_elsewhere=elsewhere) if places else None


def _is_whole(edit: Edit) -> bool:
    return edit.kind == "write" or (edit.kind == "replace" and not edit.old)


def _place_of_hunk(hunk: Hunk) -> EditPlace:
    old: list[str] = []
    new: list[str] = []
    kept: list[Pair] = []
    for sign, text in hunk.lines:
        if sign == " ":
            kept.append((len(old), len(new)))
        if sign != "+":
            old.append(text)
        if sign != "-":
            new.append(text)
    return EditPlace("\n".join(old), "\n".join(new), hunk.new, is_lines=True, kept=tuple(kept))


def _place(edit: Edit) -> EditPlace:
    if edit.kind == "part":
        return EditPlace(edit.old, edit.new.removesuffix("\n"), is_lines=True)
    if edit.old.endswith("\n") and edit.new.endswith("\n"):
        return EditPlace(edit.old[:-1], edit.new[:-1])
    return EditPlace(edit.old, edit.new)


def _earlier_names(file: FilePlace, calls: Iterable[_Calls]) -> Iterator[tuple[FilePlace, datetime]]:
    """The names that a file had before it was moved, each with the time of the move."""
    for own in calls:
        folders = own.folders
        for call, at in _calls(own.touched):
            for old, new in _moves(call):
                name = stored_path(old, folders.cwd, folder_of(folders.root), [folders.worktree or ""])
                if at is not None and own.is_file(new) and name is not None and name != file.path:
                    yield _renamed(file, name), at


def _moves(call: ToolCall) -> Iterator[tuple[str, str]]:
    if call.family == "shell":
        yield from moves_in(call.located_command)
    for old, new in _RENAMED.findall(call.patch):
        yield old.strip(), new.strip()


def _renamed(file: FilePlace, name: str) -> FilePlace:
    """The place of a file before it was moved within its project, or from anywhere to anywhere."""
    if is_absolute(name):
        return FilePlace((), name, (name,))
    folders = [path.removesuffix(f"/{file.path}") for path in file.copies if path.endswith(f"/{file.path}")]
    return FilePlace(file.roots, name, tuple(f"{folder}/{name}" for folder in folders))
