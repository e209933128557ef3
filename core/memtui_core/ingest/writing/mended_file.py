"""Errors that were mended, by project, in a small file, for the hook after a failed command.

An agent waits for it: opening the index would take longer than all else that the hook does. Only sessions in which
something changed are read again. The file has no text of an error, only the number of its signature.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Final

import orjson

from memtui_core.ingest.turns import turn_facts
from memtui_core.queries.activity.episodes import IN_ORDER, RUNS, as_runs
from memtui_core.queries.activity.mended_errors import mended_errors
from memtui_core.queries.columns import utc
from memtui_core.queries.current_project import local_folders
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.system.atomic_files import write_atomically

RULES: Final = f"1 {turn_facts.RULES}"
"""Another text for another content, or for other facts: the file is then written anew."""
_PROJECTS: Final = 200
"""Most projects in the file: those with the newest errors."""
_ERRORS: Final = 300
"""Most errors of a project, the newest,"""
_ALL_ERRORS: Final = 3000
"""and most errors in the file."""
_SAME: Final = 2
"""Most sessions of a project with the same error: a session is not told of itself."""
_AT_ONCE: Final = 200
"""Sessions whose facts are in memory at once."""
_MANY: Final = 100
"""So many sessions are not read again by the next process, even if the file stays the same otherwise."""
_HAVE_ERRORS: Final = "SELECT session FROM facts WHERE kind = 'failure' AND number <> 0"
_LATER: Final = (
    "SELECT e.place, count(DISTINCT f.turn) FROM (SELECT unnest(?) AS place, unnest(?) AS name, unnest(?) AS root,"
    " unnest(?) AS session, unnest(?) AS number, unnest(?) AS at) e"
    " JOIN facts f ON f.kind = 'edit' AND f.name = e.name JOIN turns t ON t.id = f.turn"
    " JOIN sessions s ON s.key = f.session WHERE NOT s.hidden AND s.root = e.root"
    " AND (epoch_us(t.started_at) > e.at OR (f.session = e.session AND t.number > e.number)) GROUP BY e.place"
)
_Errors = dict[str, list[dict[str, Any]]]
"""Errors by the root of their project, the newest first."""


def write_mended(data: DataDir, read: int = 0) -> int:
    """Bring the file up to date with the newest snapshot. Raises OSError and MemtuiError.

    `read` is the batch up to which this process has brought it before; returned is the one up to which it is now.
    """
    batch, stored = _stored(data)
    snapshot = Snapshot(data)
    try:
        since = max(batch, read) if 0 < batch <= snapshot.number else 0
        if since == snapshot.number:
            return since
        sessions = snapshot.rows("SELECT key, session_id, root, cwd, worktree FROM sessions WHERE NOT hidden")
        folders = local_folders(row[2:] for row in sessions)
        local = {root for root, _, _ in folders}
        keys = {(root, session_id): key for key, session_id, root, _, _ in sessions if root in local}
        changed = _changed(snapshot, since)
        errors = _merged(
            [
                *_kept(stored if since else {}, keys, changed),
                *_read(snapshot, {key: place for place, key in keys.items() if key in changed}),
            ]
        )
        _count_later(snapshot, errors, keys, changed)
    finally:
        snapshot.close()
    projects: dict[str, Any] = {root: {"folders": [], "errors": found} for root, found in errors.items()}
    for root, cwd, tree in sorted((root, cwd or "", tree or "") for root, cwd, tree in folders if root in projects):
        projects[root]["folders"].append([cwd, tree])
    # What was forgotten a moment ago is still in this snapshot, but not in the newest one.
    if read_manifest(data) != snapshot.manifest:
        return read
    if projects != stored or not since or len(changed) > _MANY:
        write_atomically(data.mended, orjson.dumps({"rules": RULES, "batch": snapshot.number, "projects": projects}))
    return snapshot.number


def _stored(data: DataDir) -> tuple[int, dict[str, Any]]:
    """The batch up to which the file is, and its projects by root; 0 and none if it has to be written anew."""
    try:
        content = orjson.loads(data.mended.read_bytes())
        projects = content["projects"]
        if content["rules"] == RULES and all(error["id"] for one in projects.values() for error in one["errors"]):
            return int(content["batch"]), projects
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        pass
    return 0, {}


def _changed(snapshot: Snapshot, since: int) -> set[int]:
    """The keys of the sessions with a turn of a later batch."""
    if not since:
        return {key for (key,) in snapshot.rows(f"SELECT DISTINCT session FROM ({_HAVE_ERRORS})")}
    return {key for (key,) in snapshot.rows(f"SELECT DISTINCT session FROM turns WHERE batch > {since}")}


def _kept(
    stored: dict[str, Any], keys: dict[tuple[str, str], int], changed: set[int]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The stored errors of the sessions that are there as they were."""
    for root, project in stored.items():
        for error in project["errors"]:
            key = keys.get((root, error["id"]))
            if key is not None and key not in changed:
                # A copy: what is stored is compared with what is found.
                yield root, {**error}


def _read(snapshot: Snapshot, places: dict[int, tuple[str, str]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The errors that were mended in sessions, given the root and the id of each by its key."""
    ordered = sorted(places)
    for first in range(0, len(ordered), _AT_ONCE):
        chosen = key_condition("f.session", ordered[first : first + _AT_ONCE])
        rows = snapshot.rows(f"{RUNS} AND {chosen} {IN_ORDER}")
        for key, group in groupby(as_runs(rows), key=lambda run: run.session):
            root, session_id = places[key]
            for failed, mended, passed in mended_errors(list(group)):
                at = utc(mended.at)
                yield (
                    root,
                    {
                        "key": failed.key,
                        "id": session_id,
                        "at": at.timestamp() if at is not None else None,
                        "failed": failed.number,
                        "command": failed.name,
                        "mended": mended.number,
                        "kind": mended.kind,
                        "name": mended.name,
                        "passed": passed.number,
                        "later": 0,
                    },
                )


def _merged(found: Iterable[tuple[str, dict[str, Any]]]) -> _Errors:
    """As many of the newest errors as there is room for."""
    merged: _Errors = {}
    same: Counter[tuple[str, int]] = Counter()
    count = 0
    for root, error in sorted(found, key=lambda one: (-(one[1]["at"] or 0), one[1]["id"], one[1]["key"])):
        if root not in merged and len(merged) == _PROJECTS:
            continue
        errors = merged.setdefault(root, [])
        if len(errors) < _ERRORS and same[root, error["key"]] < _SAME:
            errors.append(error)
            same[root, error["key"]] += 1
            count += 1
            if count == _ALL_ERRORS:
                break
    return merged


def _count_later(snapshot: Snapshot, errors: _Errors, keys: dict[tuple[str, str], int], changed: set[int]) -> None:
    """Count the turns that edited the file later, in the projects with a session that has changed."""
    roots = {root for (root, _), key in keys.items() if key in changed}
    edits = [(root, one) for root in roots & errors.keys() for one in errors[root] if one["kind"] == "edit"]
    if not edits:
        return
    rows = [
        (place, one["name"], root, keys[root, one["id"]], one["passed"], one["at"] and round(one["at"] * 1e6))
        for place, (root, one) in enumerate(edits)
    ]
    later = dict(snapshot.rows(_LATER, [list(column) for column in zip(*rows, strict=True)]))
    for place, (_, one) in enumerate(edits):
        one["later"] = later.get(place, 0)
