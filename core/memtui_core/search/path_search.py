"""Files over all sessions, and the turns that touched them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memtui_core.model import FileTouch, TouchKind
from memtui_core.queries.rows import FileRow
from memtui_core.queries.transcripts import safe, touch_rows, with_zone
from memtui_core.search.closest_file import KnownFile, by_nearness, instead
from memtui_core.store.reader import Snapshot
from memtui_core.text.controls import label, stored
from memtui_core.text.paths import is_absolute, query_path, spellings
from memtui_core.text.similarity import similar_paths

_KIND_ORDER = "CASE m.kind WHEN 'edited' THEN 0 WHEN 'read' THEN 1 ELSE 2 END"
_RANK = f"min({_KIND_ORDER})"
_ABSOLUTE = ("lower(s.root || '/' || m.path)", "lower(coalesce(s.worktree, s.root) || '/' || m.path)")
"""A mention's path, wherever its project lies."""
_MOST_PROJECTS = 20
"""Projects with a file of the same path that stand in for one that nobody touched."""
_HOMES = "(/home/[^/]+|/users/[^/]+|/root|[a-z]:/users/[^/]+)"
_KINDS: tuple[TouchKind, ...] = ("edited", "read", "mentioned")


@dataclass(frozen=True, slots=True)
class PathHit:
    """A turn that touched files that were asked for."""

    turn: int
    matched: int
    """How many of the paths asked for it touched."""
    kind: TouchKind
    path: str


@dataclass(frozen=True, slots=True)
class FilesMeant:
    """The files that stand for a path of a query."""

    paths: tuple[str, ...]
    note: str = ""
    """What a person is told when they are called otherwise."""


@dataclass(frozen=True, slots=True)
class FilesFound:
    """The files that a pattern leaves."""

    rows: list[FileRow]
    note: str = ""
    """What a person is told when none of them is called so."""


@dataclass(frozen=True, slots=True)
class TouchesFound:
    """The turns that touched the files of a pattern."""

    rows: list[FileTouch]
    note: str = ""
    """What a person is told when no file is called so."""


def files(snapshot: Snapshot, pattern: str = "", root: str | None = None) -> FilesFound:
    """Every file that a session touched, of one project or of all, the last touched first; the counts are turns.

    A pattern keeps the files whose path contains it, those whose last components it names first. Where none does, it
    keeps the files of the same name in other folders, the nearest first, else those that resemble it.
    """
    rows = snapshot.rows(
        "SELECT m.path, s.project, s.root, count(DISTINCT m.turn) FILTER (m.kind = 'edited'),"
        " count(DISTINCT m.turn) FILTER (m.kind = 'read'), count(DISTINCT m.turn) FILTER (m.kind = 'mentioned'),"
        " count(DISTINCT m.session), min(credible(t.started_at)), max(credible(t.started_at)) AS last"
        " FROM file_mentions m JOIN sessions s ON s.key = m.session JOIN turns t ON t.id = m.turn"
        " WHERE NOT m.is_dir AND NOT s.hidden GROUP BY m.path, s.project, s.root"
        " ORDER BY last DESC NULLS LAST, m.path, s.root"
    )
    found = [
        row
        for row in (FileRow(*safe(with_zone(row, 7, 8), labels=(0, 1, 2))) for row in rows)
        if root is None or row.root == root
    ]
    wanted = query_path(pattern)
    if not wanted:
        return FilesFound(found)
    if held := [row for row in found if _holds(row, wanted)]:
        return FilesFound(sorted(held, key=lambda row: not _ends_with(row.path.lower(), wanted.lower())))
    near = by_nearness(wanted, [KnownFile(row.path, row.root, row.last) for row in found])
    rows_shown = [found[place] for place in near or similar_paths(wanted, [row.path for row in found])]
    told = instead(pattern.strip(), [row.path for row in rows_shown], _nobody(root)) if near else ""
    return FilesFound(rows_shown, told)


def file_touches(snapshot: Snapshot, pattern: str, root: str | None = None) -> TouchesFound:
    """The turns that touched the files of a pattern: edits, then reads, then mentions, the newest first.

    Of files of the same name in other folders only the nearest counts.
    """
    found = files(snapshot, pattern, root)
    rows, note = found.rows, found.note
    if note:
        rows, note = rows[:1], instead(pattern.strip(), [rows[0].path], _nobody(root))
    wanted = [sorted({stored(row.path) for row in rows}), sorted({stored(row.root) for row in rows})]
    order = f"{_KIND_ORDER}, credible(t.started_at) DESC NULLS LAST, m.path, t.id"
    where = "list_contains(?, m.path) AND list_contains(?, s.root)"
    return TouchesFound(touch_rows(snapshot, where, wanted, order), note)


def search_by_file_path(
    snapshot: Snapshot, paths: Sequence[str], limit: int, where: str = "", parameters: Sequence[Any] = ()
) -> list[PathHit]:
    """Turns that touched the paths, by how many of them, then edited before read before mentioned, then the newest.

    A path matches as `touched` says. `where` is a condition over turns `t` and sessions `s` that holds before the
    limit.
    """
    if not paths:
        return []
    conditions = [touched(path) for path in paths]
    given = [parameter for _, own in conditions for parameter in own]
    matched = " + ".join(f"bool_or({condition})::INTEGER" for condition, _ in conditions)
    any_of = " OR ".join(condition for condition, _ in conditions)
    narrowed = f" AND {where}" if where else ""
    rows = snapshot.rows(
        f"SELECT m.turn, {matched} AS matched, {_RANK} AS kind, arg_min(m.path, {_KIND_ORDER})"
        " FROM file_mentions m JOIN sessions s ON s.key = m.session JOIN turns t ON t.id = m.turn"
        f" WHERE NOT s.hidden AND ({any_of}){narrowed} GROUP BY m.turn, t.started_at"
        f" ORDER BY matched DESC, kind, credible(t.started_at) DESC NULLS LAST, m.turn LIMIT {int(limit)}",
        [*given, *given, *parameters],
    )
    return [PathHit(turn, matched, _KINDS[kind], label(path)) for turn, matched, kind, path in rows]


def meant(snapshot: Snapshot, text: str, where: str = "TRUE", parameters: Sequence[Any] = ()) -> list[str]:
    """The files that a text may stand for when no file is called so, the likeliest first: see `similar_paths`.

    `where` is a condition over sessions `s`.
    """
    rows = snapshot.rows(
        "SELECT DISTINCT m.path FROM file_mentions m JOIN sessions s ON s.key = m.session"
        f" WHERE NOT m.is_dir AND {where} ORDER BY 1",
        parameters,
    )
    known = [path for (path,) in rows]
    wanted = query_path(text)
    if is_absolute(wanted):
        roots = [f"{root.rstrip('/')}/" for (root,) in snapshot.rows("SELECT DISTINCT root FROM sessions")]
        held = [root for root in roots for one in spellings(wanted) if one.lower().startswith(root.lower())]
        wanted = wanted[len(max(held, key=len)) :] if held else wanted
    return [known[place] for place in similar_paths(wanted, known)]


def files_meant(
    snapshot: Snapshot,
    path: str,
    where: str = "TRUE",
    parameters: Sequence[Any] = (),
    *,
    nobody: str = "",
    mistyped: bool = True,
) -> FilesMeant:
    """The path itself when a turn touched such a file; else the nearest file of that name, else those it resembles.

    `where` is a condition over sessions `s` that narrows the files, `nobody` says in a note whose they are. With
    `mistyped` false the name must be right. Nothing stands for a path that is like no other.
    """
    condition, given = touched(path)
    known = "FROM file_mentions m JOIN sessions s ON s.key = m.session"
    if snapshot.rows(f"SELECT 1 {known} WHERE {condition} AND {where} LIMIT 1", [*given, *parameters]):
        return FilesMeant((path,))
    told = nobody or _nobody(None)
    name = query_path(path).rpartition("/")[2]
    condition, given = touched(name)
    rows = snapshot.rows(
        f"SELECT m.path, s.root, max(t.started_at) {known} JOIN turns t ON t.id = m.turn"
        f" WHERE NOT m.is_dir AND NOT s.hidden AND {condition} AND {where} GROUP BY m.path, s.root",
        [*given, *parameters],
    )
    files_there = [KnownFile(file, root, last) for file, root, last in rows]
    if near := by_nearness(path, files_there):
        nearest = files_there[near[0]].path
        # Several projects may have it.
        same = [files_there[place].whole for place in near if files_there[place].path == nearest]
        return FilesMeant(tuple(same[:_MOST_PROJECTS]), instead(path, [nearest], told))
    likely = meant(snapshot, path, where, parameters) if mistyped else []
    return FilesMeant(tuple(likely), instead(path, likely, told) if likely else "")


def files_of_project(snapshot: Snapshot, path: str, root: str | None, *, mistyped: bool) -> FilesMeant:
    """The same in the project with a root, or in all."""
    if root is None:
        return files_meant(snapshot, path, mistyped=mistyped)
    return files_meant(snapshot, path, "s.root = ?", [root], nobody=_nobody(root), mistyped=mistyped)


def touched(path: str) -> tuple[str, list[str]]:
    """The condition that a mention `m` in a session `s` is of a path, and its parameters.

    `ingest.rs` is the end of `crates/lib/src/ingest.rs`, `src/` a folder on the way to it, `*.rs` a
    pattern of such ends; an absolute path lies below the root of the session's project or below its worktree.
    """
    wanted = query_path(path).lower()
    if is_absolute(wanted):
        return _touched_at(wanted)
    if wanted.endswith("/"):
        return "contains('/' || lower(m.path) || '/', ?)", ["/" + wanted]
    if "*" in wanted or "?" in wanted:
        return "(lower(m.path) GLOB ? OR lower(m.path) GLOB ?)", [wanted, "*/" + wanted]
    return "(lower(m.path) = ? OR ends_with(lower(m.path), ?))", [wanted, "/" + wanted]


def _touched_at(wanted: str) -> tuple[str, list[str]]:
    """The same for an absolute path, in lower case."""
    form, value = "{} = ?", wanted
    if wanted.startswith("~/"):
        # A home folder of any system: whose it is, the query does not say.
        form, value = f"regexp_full_match({{}}, '{_HOMES}' || regexp_escape(?))", wanted[1:]
    elif wanted.endswith("/"):
        form = "starts_with({} || '/', ?)"
    elif "*" in wanted or "?" in wanted:
        form = "{} GLOB ?"
    values = [one.lower() for one in spellings(value)]
    conditions = [form.format(stored) for stored in _ABSOLUTE for _ in values]
    return f"({' OR '.join(conditions)})", values * len(_ABSOLUTE)


def _holds(row: FileRow, wanted: str) -> bool:
    """Whether a file's path, or its absolute path, as it is shown or as it is, contains a text."""
    names = {(row.path, row.root), (stored(row.path), stored(row.root))}
    if not is_absolute(wanted):
        return any(wanted.lower() in path.lower() for path, _ in names)
    wholes = [KnownFile(path, root).whole.lower() for path, root in names]
    return any(one.lower() in whole for one in spellings(wanted) for whole in wholes)


def _nobody(root: str | None) -> str:
    return "No session touched" if root is None else "No session of this project touched"


def _ends_with(path: str, wanted: str) -> bool:
    return path == wanted or path.endswith("/" + wanted)
