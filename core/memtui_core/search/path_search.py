"""Turns by the files that they touched, and the files that a path or a pattern stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from memtui_core.model import FileTouch, TouchKind
from memtui_core.queries.columns import path_label
from memtui_core.queries.files import KIND_ORDER, FileRow, list_files, select_touches
from memtui_core.search.closest_file import IndexedFile, closest_files, substitution_note
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.characters import lowered
from memtui_core.text.controls import stored
from memtui_core.text.paths import is_absolute, query_path, spellings
from memtui_core.text.similarity import similar_paths

_KINDS: tuple[TouchKind, ...] = ("edited", "read", "mentioned")
_ABSOLUTE = ("lower(s.root || '/' || m.path)", "lower(coalesce(s.worktree, s.root) || '/' || m.path)", "lower(m.path)")
"""The absolute path of a mention: in its project, in the worktree of its session, and outside of its project."""
_MAX_PROJECTS = 20
"""Most projects with a file of the same path that replace a path nobody touched."""
_HOMES = "(~|/home/[^/]+|/users/[^/]+|/root|[a-z]:/users/[^/]+)"


@dataclass(frozen=True, slots=True)
class PathHit:
    """A turn that touched some of the requested files."""

    turn: int
    matched: int
    """How many of the requested paths it touched."""
    kind: TouchKind
    path: str


@dataclass(frozen=True, slots=True)
class ResolvedFiles:
    """The files that a path of a query stands for."""

    paths: tuple[str, ...]
    note: str = ""
    """A message for the user if no session touched the path itself; otherwise empty."""


@dataclass(frozen=True, slots=True)
class FileResults:
    """The files that match a pattern."""

    rows: list[FileRow]
    note: str = ""
    """A message for the user if similar files are shown because none matches; otherwise empty."""


@dataclass(frozen=True, slots=True)
class TouchResults:
    """The turns that touched the files of a pattern."""

    rows: list[FileTouch]
    note: str = ""
    """A message for the user if they touched a similar file because none matches; otherwise empty."""


def find_files(snapshot: Snapshot, pattern: str = "", root: str | None = None) -> FileResults:
    """The files that match a pattern, of one project or of all, the last touched first.

    A file matches if its path contains the pattern; those whose last components are the pattern come first. If none
    matches, the result is the files of the same name in other folders, the closest first, or else similar paths.
    """
    files = [row for row in list_files(snapshot) if root is None or row.root == root]
    path = query_path(pattern)
    if not path:
        return FileResults(files)
    if matching := [row for row in files if _contains(row, path)]:
        return FileResults(sorted(matching, key=lambda row: not _ends_with(row.path.lower(), path.lower())))
    closest = closest_files(path, [IndexedFile(row.path, row.root, row.last) for row in files])
    rows = [files[index] for index in closest or similar_paths(path, [row.path for row in files])]
    note = substitution_note(pattern.strip(), [row.path for row in rows], _nobody(root)) if closest else ""
    return FileResults(rows, note)


def find_touches(snapshot: Snapshot, pattern: str, root: str | None = None) -> TouchResults:
    """The turns that touched the files of a pattern: edits, then reads, then mentions, the newest first.

    If no file matches, only the closest file of the same name counts.
    """
    files = find_files(snapshot, pattern, root)
    rows, note = files.rows, files.note
    if note:
        rows, note = rows[:1], substitution_note(pattern.strip(), [rows[0].path], _nobody(root))
    parameters = [sorted({stored(row.path) for row in rows}), sorted({stored(row.root) for row in rows})]
    order = f"{KIND_ORDER}, credible(t.started_at) DESC NULLS LAST, m.below, t.id"
    where = "list_contains(?, m.below) AND list_contains(?, m.root)"
    return TouchResults(select_touches(snapshot, where, parameters, order), note)


def reads_and_edits(snapshot: Snapshot, path: str, limit: int) -> list[FileTouch]:
    """The newest turns that read or edited the files that a path stands for; an edit stands for the reads of its turn.

    They are the copies of the sessions: `path_condition` says which.
    """
    condition, parameters = path_condition(path)
    order = f"credible(t.started_at) DESC NULLS LAST, t.id DESC, m.path, {KIND_ORDER}"
    touches = select_touches(snapshot, f"m.kind <> 'mentioned' AND {condition}", parameters, order)
    turns: dict[tuple[int, int, str], FileTouch] = {}
    for touch in touches:
        turns.setdefault((touch.session, touch.turn, touch.path), touch)
    return list(islice(turns.values(), limit))


def search_by_file_path(
    snapshot: Snapshot, paths: Sequence[str], limit: int, where: str = "", parameters: Sequence[Any] = ()
) -> list[PathHit]:
    """The turns that touched any of the paths, as `path_condition` matches them.

    Turns that touched more of the paths come first, then edits before reads before mentions, then newer turns. `where`
    is a condition over turns `t` and sessions `s` that applies before the limit.
    """
    if not paths:
        return []
    conditions = [path_condition(path) for path in paths]
    path_parameters = [parameter for _, own in conditions for parameter in own]
    matched = " + ".join(f"bool_or({condition})::INTEGER" for condition, _ in conditions)
    any_path = " OR ".join(condition for condition, _ in conditions)
    also = f" AND {where}" if where else ""
    rows = snapshot.rows(
        f"SELECT m.turn, {matched} AS matched, min({KIND_ORDER}) AS kind, arg_min(m.path, {KIND_ORDER})"
        " FROM file_mentions m JOIN sessions s ON s.key = m.session JOIN turns t ON t.id = m.turn"
        f" WHERE NOT s.hidden AND ({any_path}){also} GROUP BY m.turn, t.started_at"
        f" ORDER BY matched DESC, kind, credible(t.started_at) DESC NULLS LAST, m.turn LIMIT {int(limit)}",
        [*path_parameters, *path_parameters, *parameters],
    )
    return [PathHit(turn, matched, _KINDS[kind], path_label(path)) for turn, matched, kind, path in rows]


def find_similar_files(snapshot: Snapshot, text: str, where: str = "TRUE", parameters: Sequence[Any] = ()) -> list[str]:
    """The files whose paths are similar to a text, the most likely first: see `similar_paths`.

    `where` is a condition over sessions `s`.
    """
    rows = snapshot.rows(
        "SELECT DISTINCT m.path FROM file_mentions m JOIN sessions s ON s.key = m.session"
        f" WHERE NOT m.is_dir AND {where} ORDER BY 1",
        parameters,
    )
    indexed_paths = [path for (path,) in rows]
    path = query_path(text)
    if is_absolute(path):
        roots = [f"{root.rstrip('/')}/" for (root,) in snapshot.rows("SELECT DISTINCT root FROM sessions")]
        containing = [
            root for root in roots for spelling in spellings(path) if lowered(spelling).startswith(lowered(root))
        ]
        path = path[len(max(containing, key=len)) :] if containing else path
    return [indexed_paths[index] for index in similar_paths(path, indexed_paths)]


def resolve_files(
    snapshot: Snapshot,
    path: str,
    where: str = "TRUE",
    parameters: Sequence[Any] = (),
    *,
    nobody: str = "",
    mistyped: bool = True,
) -> ResolvedFiles:
    """The path itself if a turn touched such a file; otherwise the closest file of that name, or else similar files.

    `where` is a condition over sessions `s` that narrows the files, and `nobody` the beginning of a note that names
    these sessions. If `mistyped` is false, similar names do not count. The result is empty if nothing is similar.
    """
    condition, path_parameters = path_condition(path)
    mentions = "FROM file_mentions m JOIN sessions s ON s.key = m.session"
    if snapshot.rows(f"SELECT 1 {mentions} WHERE {condition} AND {where} LIMIT 1", [*path_parameters, *parameters]):
        return ResolvedFiles((path,))
    nobody = nobody or _nobody(None)
    condition, name_parameters = path_condition(query_path(path).rpartition("/")[2])
    rows = snapshot.rows(
        f"SELECT m.path, s.root, max(t.started_at) {mentions} JOIN turns t ON t.id = m.turn"
        f" WHERE NOT m.is_dir AND NOT s.hidden AND {condition} AND {where} GROUP BY m.path, s.root",
        [*name_parameters, *parameters],
    )
    files = [IndexedFile(file, root, last) for file, root, last in rows]
    if closest := closest_files(path, files):
        replacement = files[closest[0]].path
        # Several projects may contain it.
        same = [files[index].absolute_path for index in closest if files[index].path == replacement]
        return ResolvedFiles(tuple(same[:_MAX_PROJECTS]), substitution_note(path, [replacement], nobody))
    similar = find_similar_files(snapshot, path, where, parameters) if mistyped else []
    return ResolvedFiles(tuple(similar), substitution_note(path, similar, nobody) if similar else "")


def resolve_project_files(snapshot: Snapshot, path: str, root: str | None, *, mistyped: bool) -> ResolvedFiles:
    """The same in the project with a root, or in all."""
    if root is None:
        return resolve_files(snapshot, path, mistyped=mistyped)
    return resolve_files(snapshot, path, "s.root = ?", [root], nobody=_nobody(root), mistyped=mistyped)


def paths_of_session(snapshot: Snapshot, session: int, path: str) -> list[str]:
    """The files of a session, as the index has them, that a path stands for; empty if there is none."""
    condition, parameters = path_condition(path)
    rows = snapshot.rows(
        "SELECT DISTINCT m.path FROM file_mentions m JOIN sessions s ON s.key = m.session"
        f" WHERE NOT m.is_dir AND m.session = ? AND {condition} ORDER BY m.path",
        [session, *parameters],
    )
    # A name alone also stands for the files with this name in folders.
    whole = [name for (name,) in rows if name == path]
    return whole or [name for (name,) in rows]


def path_condition(path: str) -> tuple[str, list[str]]:
    """The SQL condition that a mention `m` in a session `s` is of a path, and its parameters.

    `ingest.rs` matches the end of `crates/lib/src/ingest.rs`, `src/` a folder anywhere in it, and `*.rs` is a pattern
    for such ends; an absolute path is below the root of the session's project or its worktree.
    """
    path = query_path(path).lower()
    if is_absolute(path):
        return _absolute_path_condition(path)
    if path.endswith("/"):
        return "contains('/' || lower(m.path) || '/', ?)", ["/" + path]
    if "*" in path or "?" in path:
        return "(lower(m.path) GLOB ? OR lower(m.path) GLOB ?)", [path, f"*/{path}"]
    return "(lower(m.path) = ? OR ends_with(lower(m.path), ?))", [path, "/" + path]


def _absolute_path_condition(path: str) -> tuple[str, list[str]]:
    """The same for an absolute path in lower case."""
    form, value = "{} = ?", path
    if path.startswith("~/"):
        # The home folder of any user on any system: the query does not say which.
        form, value = f"regexp_full_match({{}}, '{_HOMES}' || regexp_escape(?))", path[1:]
    elif path.endswith("/"):
        form = "starts_with({} || '/', ?)"
    elif "*" in path or "?" in path:
        form = "{} GLOB ?"
    values = [spelling.lower() for spelling in spellings(value)]
    conditions = [form.format(expression) for expression in _ABSOLUTE for _ in values]
    return f"({' OR '.join(conditions)})", values * len(_ABSOLUTE)


def _contains(row: FileRow, path: str) -> bool:
    """Whether a file's path, or its absolute path, contains a text, as it is shown or as it is stored."""
    names = {(row.path, row.root), (stored(row.path), stored(row.root))}
    if not is_absolute(path):
        return any(path.lower() in relative.lower() for relative, _ in names)
    absolute_paths = [IndexedFile(relative, root).absolute_path.lower() for relative, root in names]
    return any(spelling.lower() in absolute for spelling in spellings(path) for absolute in absolute_paths)


def _nobody(root: str | None) -> str:
    return "No session touched" if root is None else "No session of this project touched"


def _ends_with(path: str, end: str) -> bool:
    return path == end or path.endswith("/" + end)
