"""The turns that touched the files of each project, in small files, for the hook before a tool opens a file.

An agent waits for it: opening the index would take longer than all else that the hook does. Each project has a file of
its own, of the paths that were touched last; for others the hook asks the index. A file is made anew when its name,
which stands for the sessions of the project, is another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

import orjson

from memtui_core.queries.current_project import local_folders
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.touched import TEXT, folders_file, new_project_file, packed
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition, key_ranges
from memtui_core.system.atomic_files import remove_file, write_atomically

RULES: Final = 1
"""Another number for another content: all files are then written anew."""
_PROJECTS: Final = 50
"""Most projects with a file: those that were used last."""
_PATHS: Final = 200
"""Most paths in a file: those that were touched last."""
_TURNS: Final = 6
"""Most turns for a path: a hook tells three, and some of them the agent may have in its context."""
_NAMES: Final = 2000
"""Most names of files with other paths."""
_GAP: Final = 1000
"""Turns between two whose answers are read by one query: reading them all costs less than a query."""
_STATES: Final = (
    "SELECT s.root, hash(sum(hash(s.session_id, s.title, s.hidden, t.turns, t.batch, c.line)), ?) FROM sessions s"
    " JOIN (SELECT session, count(*) AS turns, max(batch) AS batch,"
    " max(credible(coalesce(ended_at, started_at))) AS last FROM turns GROUP BY session) t ON t.session = s.key"
    " LEFT JOIN (SELECT session, max(line) AS line FROM compactions GROUP BY session) c ON c.session = s.key"
    " WHERE s.root IN (SELECT unnest(?)) GROUP BY s.root ORDER BY max(t.last) DESC NULLS LAST, s.root LIMIT ?"
)
_RANK: Final = "CASE m.kind WHEN 'edited' THEN 0 WHEN 'read' THEN 1 ELSE 2 END"
_MENTIONS: Final = (
    f"WITH mentions AS (SELECT m.turn, m.path, m.kind, {_RANK} AS rank, lower(m.path) AS lower,"
    " split_part(lower(m.path), '/', -1) AS name, t.started_at FROM file_mentions m"
    " JOIN sessions s ON s.key = m.session JOIN turns t ON t.id = m.turn WHERE NOT s.hidden AND s.root = ?)"
)
_PLACES: Final = f"{_MENTIONS} SELECT DISTINCT lower, name FROM mentions"
_TOUCHES: Final = (
    f"{_MENTIONS}, asked AS (SELECT lower, name FROM mentions GROUP BY lower, name"
    " ORDER BY max(credible(started_at)) DESC NULLS LAST, lower LIMIT ?)"
    " SELECT a.lower, m.turn, arg_min(m.kind, m.rank), arg_min(m.path, m.rank) FROM asked a"
    " JOIN mentions m ON m.name = a.name AND (m.lower = a.lower OR ends_with(m.lower, '/' || a.lower))"
    " GROUP BY a.lower, m.turn, m.started_at"
    " QUALIFY row_number() OVER (PARTITION BY a.lower ORDER BY min(m.rank), m.started_at DESC NULLS LAST, m.turn) <= ?"
    " ORDER BY a.lower, min(m.rank), m.started_at DESC NULLS LAST, m.turn"
)
"""The turns of each path in the order in which `memory.recall.file_reminders` has them."""
_CUT: Final = f"CASE WHEN contains({{0}}, '\n\n[Assistant] ') THEN {{0}} ELSE left({{0}}, {TEXT + 1}) END"
"""As much of a text as tells that it is too long; one with the mark of an answer is cut by where that is."""
_TURN: Final = (
    "SELECT t.id, s.session_id, t.number, t.line, epoch_us(t.started_at), epoch_us(coalesce(t.ended_at, t.started_at)),"
    f" s.title, {_CUT.format('t.user_text')} FROM turns t JOIN sessions s ON s.key = t.session WHERE "
)
_ANSWER: Final = (
    f"SELECT turn, left(arg_max(text, seq), {TEXT + 1}) FROM blocks WHERE kind = 'text' AND {{}} GROUP BY turn"
)
_LAST_EDITS: Final = (
    "SELECT m.path, epoch_us(max(t.started_at)) FROM file_mentions m JOIN sessions s ON s.key = m.session"
    " JOIN turns t ON t.id = m.turn WHERE m.kind = 'edited' AND s.root = ? AND m.path IN (SELECT unnest(?))"
    " GROUP BY m.path"
)
_BOUNDARIES: Final = (
    "SELECT s.session_id, max(c.line) FROM compactions c JOIN sessions s ON s.key = c.session"
    " WHERE s.session_id IN (SELECT unnest(?)) GROUP BY s.session_id"
)


def write_touched(data: DataDir) -> None:
    """Bring the files up to date with the newest snapshot. Raises OSError and MemtuiError."""
    snapshot = Snapshot(data)
    try:
        folders = local_folders(snapshot.rows("SELECT DISTINCT root, cwd, worktree FROM sessions WHERE NOT hidden"))
        roots = sorted({root for root, _, _ in folders})
        states = snapshot.rows(_STATES, [RULES, roots, _PROJECTS])
        current = {new_project_file(data, root, state): root for root, state in states}
        folders_now = orjson.dumps(sorted((root, cwd, tree or "") for root, cwd, tree in folders))
        old = set(data.touched.iterdir()) if data.touched.is_dir() else set()
        made = {
            path: packed(orjson.dumps(touched_by(snapshot, root))) for path, root in current.items() if path not in old
        }
    finally:
        snapshot.close()
    # What was forgotten a moment ago is still in this snapshot, but not in the newest one.
    if read_manifest(data) != snapshot.manifest:
        return
    data.touched.mkdir(exist_ok=True)
    for path, content in made.items():
        write_atomically(path, content)
    whole = folders_file(data)
    if whole not in old or whole.read_bytes() != folders_now:
        write_atomically(whole, folders_now)
    for path in old - current.keys() - {whole}:
        remove_file(path)


def touched_by(snapshot: Snapshot, root: str) -> dict[str, Any]:
    """What the file of a project has."""
    files: dict[str, list[Any]] = defaultdict(list)
    places: dict[int, int] = {}
    for lower, turn, kind, path in snapshot.rows(_TOUCHES, [root, _PATHS, _TURNS + 1]):
        rows = files[lower]
        # Whoever needs more asks the index.
        rows.append(None if len(rows) == _TURNS else [places.setdefault(turn, len(places)), kind, path])
    # A path that ends like one of these may be known to the index.
    names = {name for lower, name in snapshot.rows(_PLACES, [root]) if lower not in files}
    turns = _turns(snapshot, list(places))
    paths = sorted({row[2] for rows in files.values() for row in rows if row})
    sessions = sorted({session_id for session_id, *_ in turns})
    return {
        "root": root,
        "names": sorted(names) if len(names) <= _NAMES else None,
        "boundaries": dict(snapshot.rows(_BOUNDARIES, [sessions])),
        "edited": dict(snapshot.rows(_LAST_EDITS, [root, paths])),
        "turns": turns,
        "files": files,
    }


def _turns(snapshot: Snapshot, ids: Sequence[int]) -> list[list[Any]]:
    """Session, number, line, start, end, title and text of each turn; times are in microseconds since 1970."""
    answers = {
        turn: text for near in key_ranges("turn", ids, _GAP) for turn, text in snapshot.rows(_ANSWER.format(near))
    }
    found = {}
    for turn, *facts, prompt in snapshot.rows(_TURN + key_condition("t.id", ids)):
        text = f"[User] {prompt or ''}" + (f"\n\n[Assistant] {answers[turn]}" if answers.get(turn) else "")
        found[turn] = [*facts, text]
    return [found[turn] for turn in ids]
