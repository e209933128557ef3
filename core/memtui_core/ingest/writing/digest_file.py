"""What was done last in each project, in a small file, for the digest that an agent gets at the start of a session.

An agent waits for it: opening the index would take longer than all else that the hook does. Only projects in which
something changed are read again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import orjson

from memtui_core.ingest.turns import turn_facts
from memtui_core.model import ACTIVE
from memtui_core.queries.activity.endings import read_ends
from memtui_core.queries.columns import utc
from memtui_core.queries.current_project import local_folders
from memtui_core.queries.names import session_title
from memtui_core.queries.sessions import unless_archived
from memtui_core.queries.turns import IS_DECISION
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.system.atomic_files import write_atomically
from memtui_core.text.controls import one_line
from memtui_core.tools.shell.checks import checks_of, kind_of_check
from memtui_core.tools.shell.commands import programs_run

RULES: Final = f"2 {turn_facts.RULES}"
"""Another text for another content, or for other facts: the file is then written anew."""
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
_OF_ROOTS: Final = "NOT s.hidden AND s.root IN (SELECT unnest(?))"
_PLACE: Final = "row_number() OVER (PARTITION BY s.root ORDER BY {})"


def write_digests(data: DataDir) -> None:
    """Bring the file up to date with the newest snapshot. Raises OSError and MemtuiError."""
    snapshot = Snapshot(data)
    try:
        archived = sorted(snapshot.annotations.current.archived)
        batch, projects = _stored(data, archived)
        if batch == snapshot.number:
            return
        since = batch if batch < snapshot.number else 0
        changed = _changed(snapshot, since)
        found = {root: project for root, project in projects.items() if since and root not in changed}
        found |= project_digests(snapshot, changed)
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


def project_digests(snapshot: Snapshot, roots: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What the file has of projects, by root; nothing of those of other machines, or without times.

    However many they are, the index is asked as often.
    """
    if not roots:
        return {}
    folders: dict[str, list[list[str]]] = defaultdict(list)
    for root, cwd, tree in local_folders(
        snapshot.rows(f"SELECT DISTINCT s.root, s.cwd, s.worktree FROM sessions s WHERE {_OF_ROOTS}", [roots])
    ):
        folders[root].append([cwd or "", tree or ""])
    listed = unless_archived(snapshot) or "TRUE"
    last = {root: sessions for root, sessions in _last_sessions(snapshot, roots, listed).items() if root in folders}
    newest = {root: max(one.at for one in sessions) for root, sessions in last.items()}
    rows = _sessions(snapshot, last)
    failures = _failures(snapshot, newest, listed)
    decisions = _decisions(snapshot, roots, listed)
    return {
        root: {
            "at": newest[root].timestamp(),
            "folders": sorted(folders[root]),
            "sessions": rows[root],
            "failures": failures[root],
            "decisions": decisions[root],
        }
        for root in last
    }


class _LastSession(NamedTuple):
    """A session of a project, and when its last turn ended."""

    key: int
    id: str
    at: datetime


def _last_sessions(snapshot: Snapshot, roots: Sequence[str], listed: str) -> dict[str, list[_LastSession]]:
    """The sessions of each project that were used last, the last one first."""
    last: dict[str, list[_LastSession]] = defaultdict(list)
    for root, key, session_id, at in snapshot.rows(
        f"SELECT s.root, s.key, any_value(s.session_id), max({_AT}) AS last"
        f" FROM sessions s JOIN turns t ON t.session = s.key WHERE {_OF_ROOTS} AND s.parent IS NULL AND {listed}"
        f" GROUP BY s.root, s.key QUALIFY {_PLACE.format('last DESC NULLS LAST, s.key')} <= {_LOOKED_AT}"
        " ORDER BY last DESC NULLS LAST, s.key",
        [roots],
    ):
        if (ended_at := utc(at)) is not None:
            last[root].append(_LastSession(key, session_id, ended_at))
    return last


def _sessions(snapshot: Snapshot, last: Mapping[str, Sequence[_LastSession]]) -> dict[str, list[dict[str, Any]]]:
    """The last sessions, the newest of each title, how they ended, and what they opened."""
    shown = session_title()
    titles = shown.mapping(snapshot)
    chosen: dict[str, list[_LastSession]] = {}
    for root, sessions in last.items():
        of_title: dict[str, _LastSession] = {}
        for one in sessions:
            of_title.setdefault(titles.get(one.key) or shown.empty, one)
        chosen[root] = list(of_title.values())[:_SESSIONS]
    keys = [one.key for sessions in chosen.values() for one in sessions]
    ends, files = read_ends(snapshot, keys), _opened(snapshot, keys)
    return {
        root: [
            {
                **_row(one.id, end.turn, one.at),
                "title": one_line(titles.get(one.key) or shown.empty, _LONGEST),
                "kind": end.kind,
                "quote": end.quote,
                "files": files.get(one.key, [])[:_FILES],
                # Whoever reads it later knows without these rules whether it may run.
                "runs_until": (end.at + ACTIVE).timestamp() if end.at and end.state(end.at) == "running" else 0.0,
            }
            for one in sessions
            if (end := ends.get(one.key)) is not None
        ]
        for root, sessions in chosen.items()
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


def _failures(snapshot: Snapshot, newest: Mapping[str, datetime], listed: str) -> dict[str, list[dict[str, Any]]]:
    """The last check of each kind in each project, if it failed, the newest first, given its last time.

    A kind is the program and its subcommand: what fails for one file and passes for all of them later is done.
    """
    rows = snapshot.rows(
        "SELECT root, name, run FROM (SELECT s.root AS root, f.name AS name, arg_max({'kind': f.kind, 'text': f.text,"
        f" 'id': s.session_id, 'turn': t.number, 'at': {_AT}, 'place': (t.started_at, t.id, f.seq)}},"
        " (t.started_at, t.id, f.seq)) AS run FROM facts f JOIN turns t ON t.id = f.turn"
        f" JOIN sessions s ON s.key = f.session WHERE f.kind IN ('failure', 'pass') AND {_OF_ROOTS} AND {listed}"
        " AND t.started_at IS NOT NULL GROUP BY s.root, f.name) s"
        f" QUALIFY {_PLACE.format('run.place DESC, name')} <= {_LOOKED_AT} ORDER BY run.place DESC, name",
        [list(newest)],
    )
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    later: dict[str, set[str]] = defaultdict(set)
    for root, name, run in rows:
        kinds = {kind_of_check(words) for words in checks_of(programs_run(name))}
        at = utc(run["at"])
        is_fresh = at is not None and newest[root] - at < _FRESH
        if run["kind"] == "failure" and kinds - later[root] and at is not None and is_fresh:
            command = one_line(name, _LONGEST)
            found[root].append({**_row(run["id"], run["turn"], at), "command": command, "error": run["text"]})
        later[root] |= kinds
    return defaultdict(list, {root: failures[:_FAILURES] for root, failures in found.items()})


def _decisions(snapshot: Snapshot, roots: Sequence[str], listed: str) -> dict[str, list[dict[str, Any]]]:
    """The last decisions of each project, the newest first: what the user said, chose, refused or approved."""
    newest = "made DESC NULLS LAST, t.id DESC, f.seq DESC"
    rows = snapshot.rows(
        f"SELECT s.root, f.name, f.text, s.session_id, t.number, {_AT} AS made"
        " FROM facts f JOIN turns t ON t.id = f.turn JOIN sessions s ON s.key = f.session"
        f" WHERE {_OF_ROOTS} AND {IS_DECISION} AND {listed} AND f.name <> 'option'"
        " AND NOT (f.name = 'plan' AND f.number = 1)"
        f" QUALIFY {_PLACE.format(newest)} <= {_DECISIONS} ORDER BY {newest}",
        [roots],
    )
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for root, way, text, session_id, turn, last in rows:
        quote, _, about = text.partition("\n")
        if (at := utc(last)) is not None:
            found[root].append(
                {
                    **_row(session_id, turn, at),
                    "way": way,
                    "quote": one_line(quote, _LONGEST),
                    "about": "" if way == "plan" else one_line(about, _LONGEST),
                }
            )
    return found


def _row(session_id: str, turn: int, at: datetime) -> dict[str, Any]:
    return {"id": session_id, "turn": turn, "at": at.timestamp()}
