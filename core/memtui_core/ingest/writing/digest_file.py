"""What was done last in each project, in a small file, for the digest that an agent gets at the start of a session.

An agent waits for it: opening the index would take longer than all else that the hook does. Only projects in which
something changed are read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import orjson

from memtui_core.model import ACTIVE
from memtui_core.queries.activity.endings import read_ends
from memtui_core.queries.columns import utc
from memtui_core.queries.current_project import local_folders
from memtui_core.queries.sessions import read_sessions, unless_archived
from memtui_core.queries.turns import IS_DECISION
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.system.atomic_files import write_atomically
from memtui_core.text.controls import one_line
from memtui_core.tools.shell.checks import checks_of, kind_of_check
from memtui_core.tools.shell.commands import programs_run

RULES: Final = 1
"""Another number for another content: the file is then written anew."""
_PROJECTS: Final = 200
"""Most projects in the file: those that were used last."""
_SESSIONS: Final = 6
_FAILURES: Final = 4
_DECISIONS: Final = 6
"""Most rows of each kind for a project."""
_FILES: Final = 10
"""Most files of a session."""
_LOOKED_AT: Final = 100
"""Sessions and commands that are looked at for these."""
_FRESH: Final = timedelta(days=14)
"""A run that failed longer ago than that before the last turn of the project has gone out of use."""
_LONGEST: Final = 240
"""Characters of a text."""
_AT: Final = "credible(coalesce(t.ended_at, t.started_at))"


def write_digests(data: DataDir) -> None:
    """Bring the file up to date with the newest snapshot. Raises OSError and MemtuiError."""
    snapshot = Snapshot(data)
    try:
        archived = sorted(snapshot.annotations.current.archived)
        batch, projects = _stored(data, archived)
        if batch == snapshot.number:
            return
        found = {root: project for root, project in projects.items() if snapshot.number > batch}
        changed = _changed(snapshot, batch if batch < snapshot.number else 0)
        for root in changed:
            found.pop(root, None)
            if project := project_digest(snapshot, root):
                found[root] = project
    finally:
        snapshot.close()
    newest = sorted(found.items(), key=lambda one: one[1]["at"], reverse=True)[:_PROJECTS]
    # What was forgotten a moment ago is still in this snapshot, but not in the newest one.
    if (dict(newest) != projects or batch == 0) and read_manifest(data) == snapshot.manifest:
        content = {"rules": RULES, "batch": snapshot.number, "archived": archived, "projects": dict(newest)}
        write_atomically(data.digest, orjson.dumps(content))


def _stored(data: DataDir, archived: list[int]) -> tuple[int, dict[str, Any]]:
    """The batch up to which the file is, and its projects by root; 0 and none if it has to be written anew.

    That is so if other sessions were archived by the user, of whichever project, when it was written.
    """
    try:
        content = orjson.loads(data.digest.read_bytes())
        is_current = content["rules"] == RULES and content["archived"] == archived
        if is_current and all(isinstance(one["at"], float) for one in content["projects"].values()):
            return int(content["batch"]), content["projects"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    return 0, {}


def _changed(snapshot: Snapshot, batch: int) -> list[str]:
    """The roots of this machine with a turn of a batch after that one, those that were used last first."""
    rows = snapshot.rows(
        f"SELECT s.root, max({_AT}) AS last FROM turns t JOIN sessions s ON s.key = t.session"
        f" WHERE NOT s.hidden AND s.root <> '' AND t.batch > {batch} GROUP BY s.root"
        f" ORDER BY last DESC NULLS LAST LIMIT {_PROJECTS}"
    )
    return [root for root, _ in rows]


def project_digest(snapshot: Snapshot, root: str) -> dict[str, Any] | None:
    """What the file has of a project; None for one of another machine, or without times."""
    folders = snapshot.rows("SELECT DISTINCT root, cwd, worktree FROM sessions WHERE NOT hidden AND root = ?", [root])
    local = local_folders(folders)
    listed = unless_archived(snapshot) or "TRUE"
    times = {
        key: at
        for key, last in snapshot.rows(
            f"SELECT s.key, max({_AT}) AS last FROM sessions s JOIN turns t ON t.session = s.key"
            f" WHERE NOT s.hidden AND s.parent IS NULL AND s.root = ? AND {listed}"
            f" GROUP BY s.key ORDER BY last DESC NULLS LAST, s.key LIMIT {_LOOKED_AT}",
            [root],
        )
        if (at := utc(last)) is not None
    }
    if not local or not times:
        return None
    newest = max(times.values())
    return {
        "at": newest.timestamp(),
        "folders": sorted([cwd or "", tree or ""] for _, cwd, tree in local),
        "sessions": list(_sessions(snapshot, times)),
        "failures": _failures(snapshot, root, listed, newest),
        "decisions": list(_decisions(snapshot, root, listed)),
    }


def _sessions(snapshot: Snapshot, times: dict[int, datetime]) -> Iterable[dict[str, Any]]:
    """The last sessions, the newest of each title, how they ended, and what they opened."""
    titles: dict[str, Any] = {}
    for session in read_sessions(snapshot, list(times)):
        titles.setdefault(session.title, session)
    chosen = list(titles.values())[:_SESSIONS]
    keys = [session.key for session in chosen]
    ends, files = read_ends(snapshot, keys), _opened(snapshot, keys)
    for session in chosen:
        end = ends.get(session.key)
        if end is not None:
            yield {
                **_row(session.session_id, end.turn, times[session.key]),
                "title": one_line(session.title, _LONGEST),
                "kind": end.kind,
                "quote": end.quote,
                "files": files.get(session.key, [])[:_FILES],
                # Whoever reads it later knows without these rules whether it may run.
                "runs_until": (end.at + ACTIVE).timestamp() if end.at and end.state(end.at) == "running" else 0.0,
            }


def _opened(snapshot: Snapshot, keys: Sequence[int]) -> dict[int, list[str]]:
    """The files that sessions and their subagents edited, and then those that they read, the last one first."""
    opened: dict[int, list[str]] = {}
    for key, path, _, _ in snapshot.rows(
        "SELECT coalesce(s.parent, s.key) AS top, m.path, bool_or(m.kind = 'edited') AS is_edited,"
        " max((t.started_at, m.line)) AS last FROM file_mentions m"
        " JOIN turns t ON t.id = m.turn JOIN sessions s ON s.key = m.session"
        f" WHERE m.kind IN ('edited', 'read') AND NOT m.is_dir AND {key_condition('coalesce(s.parent, s.key)', keys)}"
        " GROUP BY top, m.path ORDER BY is_edited DESC, last DESC NULLS LAST, m.path"
    ):
        opened.setdefault(key, []).append(path)
    return opened


def _failures(snapshot: Snapshot, root: str, listed: str, newest: datetime) -> list[dict[str, Any]]:
    """The last check of each kind in a project, if it failed, the newest first.

    A kind is the program and its subcommand: what fails for one file and passes for all of them later is done.
    """
    rows = snapshot.rows(
        "SELECT name, run FROM (SELECT f.name AS name, arg_max({'kind': f.kind, 'text': f.text, 'id': s.session_id,"
        f" 'turn': t.number, 'at': {_AT}, 'place': (t.started_at, t.id, f.seq)}}, (t.started_at, t.id, f.seq)) AS run"
        " FROM facts f JOIN turns t ON t.id = f.turn JOIN sessions s ON s.key = f.session"
        f" WHERE f.kind IN ('failure', 'pass') AND NOT s.hidden AND s.root = ? AND {listed}"
        f" AND t.started_at IS NOT NULL GROUP BY f.name) ORDER BY run.place DESC, name LIMIT {_LOOKED_AT}",
        [root],
    )
    found: list[dict[str, Any]] = []
    later: set[str] = set()
    for name, run in rows:
        kinds = {kind_of_check(words) for words in checks_of(programs_run(name))}
        at = utc(run["at"])
        if run["kind"] == "failure" and kinds - later and at is not None and newest - at < _FRESH:
            command = one_line(name, _LONGEST)
            found.append({**_row(run["id"], run["turn"], at), "command": command, "error": run["text"]})
        later |= kinds
    return found[:_FAILURES]


def _decisions(snapshot: Snapshot, root: str, listed: str) -> Iterable[dict[str, Any]]:
    """The last decisions, the newest first: what the user said, chose, refused or approved."""
    rows = snapshot.rows(
        f"SELECT f.name, f.text, s.session_id, t.number, {_AT} AS made"
        " FROM facts f JOIN turns t ON t.id = f.turn JOIN sessions s ON s.key = f.session"
        f" WHERE NOT s.hidden AND {IS_DECISION} AND s.root = ? AND {listed} AND f.name <> 'option'"
        " AND NOT (f.name = 'plan' AND f.number = 1)"
        f" ORDER BY made DESC NULLS LAST, t.id DESC, f.seq DESC LIMIT {_DECISIONS}",
        [root],
    )
    for way, text, session_id, turn, last in rows:
        quote, _, about = text.partition("\n")
        if (at := utc(last)) is not None:
            yield {
                **_row(session_id, turn, at),
                "way": way,
                "quote": one_line(quote, _LONGEST),
                "about": "" if way == "plan" else one_line(about, _LONGEST),
            }


def _row(session_id: str, turn: int, at: datetime) -> dict[str, Any]:
    return {"id": session_id, "turn": turn, "at": at.timestamp()}
