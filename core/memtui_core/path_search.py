"""Files over all sessions, and the turns that touched them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memtui_core.browse import safe, touch_rows, with_zone
from memtui_core.listings import FileRow
from memtui_core.model import FileTouch, TouchKind
from memtui_core.resemble import resembling
from memtui_core.store.reader import Snapshot
from memtui_core.text.controls import label, stored

_KIND_ORDER = "CASE m.kind WHEN 'edited' THEN 0 WHEN 'read' THEN 1 ELSE 2 END"
_RANK = f"min({_KIND_ORDER})"
_KINDS: tuple[TouchKind, ...] = ("edited", "read", "mentioned")


@dataclass(frozen=True, slots=True)
class PathHit:
    """A turn that touched files that were asked for."""

    turn: int
    matched: int
    """How many of the paths asked for it touched (SPEC S4.12)."""
    kind: TouchKind
    path: str


def files(snapshot: Snapshot, pattern: str = "") -> list[FileRow]:
    """Every file that a session touched, the last touched first; the counts are turns.

    A pattern keeps the files whose path contains it, those whose last components it names first, and where none does
    those that resemble it.
    """
    rows = snapshot.rows(
        "SELECT m.path, s.project, s.root, count(DISTINCT m.turn) FILTER (m.kind = 'edited'),"
        " count(DISTINCT m.turn) FILTER (m.kind = 'read'), count(DISTINCT m.turn) FILTER (m.kind = 'mentioned'),"
        " count(DISTINCT m.session), min(t.started_at), max(t.started_at) AS last"
        " FROM file_mentions m JOIN sessions s ON s.key = m.session JOIN turns t ON t.id = m.turn"
        " WHERE NOT m.is_dir AND NOT s.hidden GROUP BY m.path, s.project, s.root"
        " ORDER BY last DESC NULLS LAST, m.path, s.root"
    )
    found = [FileRow(*safe(with_zone(row, 7, 8), labels=(0, 1, 2))) for row in rows]
    wanted = pattern.strip().removeprefix("./").lower()
    if not wanted:
        return found
    held = [row for row in found if wanted in row.path.lower() or wanted in stored(row.path).lower()]
    if held:
        return sorted(held, key=lambda row: not _ends_with(row.path.lower(), wanted))
    return [found[place] for place in resembling(wanted, [row.path for row in found])]


def file_touches(snapshot: Snapshot, pattern: str) -> list[FileTouch]:
    """The turns that touched the files of a pattern: edits, then reads, then mentions, the newest first."""
    wanted = sorted({stored(row.path) for row in files(snapshot, pattern)})
    order = f"{_KIND_ORDER}, t.started_at DESC NULLS LAST, m.path, t.id"
    return touch_rows(snapshot, "list_contains(?, m.path)", [wanted], order)


def search_by_file_path(
    snapshot: Snapshot, paths: Sequence[str], limit: int, where: str = "", parameters: Sequence[Any] = ()
) -> list[PathHit]:
    """Turns that touched the paths, by how many of them, then edited before read before mentioned, then the newest.

    A path matches as `touched` says (SPEC S4.12, S4.16). `where` is a condition over turns `t` and sessions `s` that
    holds before the limit (SPEC S4.20).
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
        f" ORDER BY matched DESC, kind, t.started_at DESC NULLS LAST, m.turn LIMIT {int(limit)}",
        [*given, *given, *parameters],
    )
    return [PathHit(turn, matched, _KINDS[kind], label(path)) for turn, matched, kind, path in rows]


def meant(snapshot: Snapshot, text: str) -> list[str]:
    """The files that a text may stand for when no file is called so, the likeliest first: see `resembling`."""
    known = [path for (path,) in snapshot.rows("SELECT DISTINCT path FROM file_mentions WHERE NOT is_dir ORDER BY 1")]
    return [known[place] for place in resembling(text, known)]


def named_or_meant(snapshot: Snapshot, path: str) -> list[str]:
    """The path itself when any turn touched such a file, else the files that it may stand for."""
    condition, parameters = touched(path)
    known = snapshot.rows(
        f"SELECT 1 FROM file_mentions m JOIN sessions s ON s.key = m.session WHERE {condition} LIMIT 1", parameters
    )
    return [path] if known else meant(snapshot, path)


def touched(path: str) -> tuple[str, list[str]]:
    """The condition that a mention `m` in a session `s` is of a path, and its parameters.

    `ingest.rs` is the end of `crates/lib/src/ingest.rs` (SPEC S4.16), `src/` a folder on the way to it, `*.rs` a
    pattern of such ends; an absolute path lies below the root of the session's project or below its folder.
    """
    wanted = path.replace("\\", "/").removeprefix("./").lower()
    if wanted.startswith("/"):
        absolute = "(lower(s.root || '/' || m.path) = ? OR lower(s.cwd || '/' || m.path) = ? OR lower(m.path) = ?)"
        return absolute, [wanted] * 3
    if wanted.endswith("/"):
        return "contains('/' || lower(m.path) || '/', ?)", ["/" + wanted]
    if "*" in wanted or "?" in wanted:
        return "(lower(m.path) GLOB ? OR lower(m.path) GLOB ?)", [wanted, "*/" + wanted]
    return "(lower(m.path) = ? OR ends_with(lower(m.path), ?))", [wanted, "/" + wanted]


def _ends_with(path: str, wanted: str) -> bool:
    return path == wanted or path.endswith("/" + wanted)
