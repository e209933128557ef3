"""Recall: the earlier turns that are similar to an agent's prompt or that touched its files.

Turns that the agent still has in its context are left out; those that a compaction removed from it are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtui_core.memory.recall.recalled_turn import RecalledTurn
from memtui_core.queries.columns import utc
from memtui_core.queries.current_project import CurrentProject
from memtui_core.search.vectors.nearest import nearest_turns
from memtui_core.store.conversation_text import conversation_texts
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.text.controls import label, title
from memtui_core.text.paths import path_hints

if TYPE_CHECKING:
    from memtui_core.search.engines import EmbedQuery
    from memtui_core.search.path_search import PathHit

MAX_DISTANCE = 0.45
"""Maximum cosine distance of a recalled turn."""
FILE_DISTANCE = 0.40
"""Distance of a turn that touched a file of the prompt, unless its text is nearer."""
_LAST_COMPACTION = "SELECT max(c.line) FROM compactions c JOIN sessions s ON s.key = c.session WHERE s.session_id = ?"
_OVERFETCH = 4
"""Turns to fetch for each requested one before both kinds are merged."""


@dataclass(frozen=True, slots=True)
class RecallScope:
    """Which turns can be recalled."""

    session: str | None = None
    """Id of the requesting session, whose turns are in its own context; None for no session."""
    boundary: int | None = None
    """Line of its last compaction: its turns up to there can be recalled. None without a compaction."""
    project: CurrentProject | None = None
    """The only project from which turns are recalled; None for all."""

    def where(self) -> tuple[str, list[Any]]:
        """An SQL condition on a turn `t` and its session `s`, and its parameters."""
        conditions, parameters = ["TRUE"], list[Any]()
        if self.session is not None:
            conditions.append("(s.session_id <> ? OR t.line <= ?)")
            parameters += [self.session, -1 if self.boundary is None else self.boundary]
        if self.project is not None:
            conditions.append("s.root = ?")
            parameters.append(self.project.root)
        return " AND ".join(conditions), parameters


EVERYTHING = RecallScope()
"""Every turn of every project."""


def last_compaction(snapshot: Snapshot, session: str) -> int | None:
    """The line of a session's last compaction, by its whole id; None without one, and if it is not indexed yet."""
    [(line,)] = snapshot.rows(_LAST_COMPACTION, [session])
    return line if isinstance(line, int) else None


def search_context(
    snapshot: Snapshot,
    prompt: str,
    limit: int,
    scope: RecallScope,
    embed: EmbedQuery | None = None,
    files: Sequence[str] | None = None,
) -> list[RecalledTurn]:
    """The turns nearest to a prompt, by distance, each once.

    A turn that touched a file of the prompt has at most FILE_DISTANCE. Ties: more files, then newer, then id. Without
    `embed` only files are searched. `files` replace the files that the prompt names.
    """
    where, parameters = scope.where()
    path_hits = _path_hits(snapshot, path_hints(prompt) if files is None else files, limit * _OVERFETCH, scope)
    distances = {hit.turn: FILE_DISTANCE for hit in path_hits.values()}
    if embed is not None and prompt.strip():
        for hit in nearest_turns(snapshot, embed(prompt), limit * _OVERFETCH, where, parameters):
            distances[hit.turn] = min(hit.distance, distances.get(hit.turn, hit.distance))
    near = {turn: distance for turn, distance in distances.items() if distance <= MAX_DISTANCE}
    turns = _recalled_turns(snapshot, near, path_hits)
    return [turn for _, turn in sorted(turns, key=lambda pair: pair[0])][:limit]


def search_file_context(snapshot: Snapshot, path: str, limit: int, scope: RecallScope) -> list[RecalledTurn]:
    """The turns that touched a file: edits first, then reads, then mentions, newest first. Needs no model.

    Empty for a path outside the project of the scope.
    """
    relative = path if scope.project is None else scope.project.relative(path)
    if not relative:
        return []
    path_hits = _path_hits(snapshot, [relative], limit, scope)
    by_id = {turn_id: turn for (*_, turn_id), turn in _recalled_turns(snapshot, dict.fromkeys(path_hits), path_hits)}
    return [by_id[turn_id] for turn_id in path_hits if turn_id in by_id]


def as_context(turns: Sequence[RecalledTurn], heading: str = "Relevant past context") -> str:
    """Recalled turns as Markdown for an agent; empty for none."""
    if not turns:
        return ""
    parts = [f"## {heading}\n\n"]
    for number, turn in enumerate(turns, 1):
        distance = "" if turn.distance is None else f" (distance: {turn.distance:.4f})"
        parts.append(f"### Memory {number}{distance}\n{citation(turn)}\n{turn.text}\n\n")
    return "".join(parts)


def citation(turn: RecalledTurn) -> str:
    """`SESSION:TURN`, the day and the title of the session, in brackets."""
    day = f" · {turn.started_at:%Y-%m-%d}" if turn.started_at else ""
    return f"[{turn.reference}{day} · {turn.title}]"


def _path_hits(snapshot: Snapshot, paths: Sequence[str], limit: int, scope: RecallScope) -> dict[int, PathHit]:
    """The turns that touched files, by their ids, in order."""
    if not paths:
        return {}
    # A hook loads this module, and most prompts name no file.
    from memtui_core.search.path_search import search_by_file_path

    where, parameters = scope.where()
    return {hit.turn: hit for hit in search_by_file_path(snapshot, paths, limit, where, parameters)}


_SortKey = tuple[float, int, float, int]


def _recalled_turns(
    snapshot: Snapshot, distances: Mapping[int, float | None], path_hits: Mapping[int, PathHit]
) -> list[tuple[_SortKey, RecalledTurn]]:
    """The turns with these ids, unordered, each with its sort key; the last part of the key is the id."""
    if not distances:
        return []
    texts = conversation_texts(snapshot.rows, list(distances))
    rows = snapshot.rows(
        "SELECT t.id, s.session_id, t.number, t.line, t.started_at, s.title FROM turns t"
        f" JOIN sessions s ON s.key = t.session WHERE {key_condition('t.id', distances)}"
    )
    turns = []
    for turn_id, session_id, number, line, started_at, session_title in rows:
        distance, hit = distances[turn_id], path_hits.get(turn_id)
        at = utc(started_at)
        sort_key = (distance or 0.0, -hit.matched if hit else 0, -at.timestamp() if at else 0.0, turn_id)
        files = (hit.path,) if hit else ()
        turn = RecalledTurn(label(session_id), number, line, at, title(session_title), texts[turn_id], distance, files)
        turns.append((sort_key, turn))
    return turns
