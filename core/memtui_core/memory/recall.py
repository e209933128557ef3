"""What an agent is reminded of: earlier turns that are near to its prompt, or that touched its files.

Rules and distances are those of docs/spec.md S4.13 and S4.17-S4.23. What the agent still has before it is no memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memtui_core.queries.current_project import Here
from memtui_core.queries.transcripts import utc
from memtui_core.search.engines import EmbedQuery
from memtui_core.search.path_search import PathHit, search_by_file_path
from memtui_core.search.vector_search import nearest
from memtui_core.store.conversation_text import conversation_texts
from memtui_core.store.reader import Snapshot
from memtui_core.store.tables import key_condition
from memtui_core.text.controls import label, title
from memtui_core.text.paths import path_hints

FARTHEST = 0.45
"""Cosine distance up to which a turn is a memory (docs/spec.md S4.17)."""
FILE_MATCH = 0.40
"""What a turn that touched a file of the prompt counts as (docs/spec.md S4.17)."""
_OVER_FETCH = 4
"""Turns fetched for each one wanted, before both kinds are merged (docs/spec.md S4.19)."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who is reminded, and so of what not."""

    session: str | None = None
    """Its id; the turns of its session are in its context."""
    boundary: int | None = None
    """Line of its session up to which a compaction took them out of its context again."""
    here: Here | None = None
    """Its project, outside of which nothing is recalled; None for all."""

    def where(self) -> tuple[str, list[Any]]:
        """The condition on a turn `t` and its session `s`, and its parameters."""
        conditions, parameters = ["TRUE"], list[Any]()
        if self.session is not None:
            conditions.append("(s.session_id <> ? OR t.line <= ?)")
            parameters += [self.session, -1 if self.boundary is None else self.boundary]
        if self.here is not None:
            conditions.append("s.root = ?")
            parameters.append(self.here.root)
        return " AND ".join(conditions), parameters


EVERYBODY = Asker()
"""Nothing is in anybody's context, and every project counts."""


@dataclass(frozen=True, slots=True)
class Memory:
    """An earlier turn."""

    session_id: str
    turn: int
    line: int
    started_at: datetime | None
    title: str
    text: str
    """The whole conversation of the turn, once."""
    distance: float | None = None
    """None where only the file counts."""
    files: tuple[str, ...] = ()
    """The file by which it was found."""


def search_context(
    snapshot: Snapshot,
    prompt: str,
    limit: int,
    asker: Asker,
    embed: EmbedQuery | None = None,
    files: Sequence[str] | None = None,
) -> list[Memory]:
    """The turns nearest to a prompt, each once, by their distance.

    A turn that touched a file which the prompt names is at most FILE_MATCH away. Ties: more files, then newer, then
    id. Without `embed` only files count. `files` stand in for those that the prompt names.
    """
    where, parameters = asker.where()
    wanted = path_hints(prompt) if files is None else files
    touched = _touched(snapshot, wanted, limit * _OVER_FETCH, asker)
    distances = {hit.turn: FILE_MATCH for hit in touched.values()}
    if embed is not None and prompt.strip():
        for near in nearest(snapshot, embed(prompt), limit * _OVER_FETCH, where, parameters):
            distances[near.turn] = min(near.distance, distances.get(near.turn, near.distance))
    kept = {turn: distance for turn, distance in distances.items() if distance <= FARTHEST}
    memories = _memories(snapshot, kept, touched)
    return [memory for _, memory in sorted(memories, key=lambda found: found[0])][:limit]


def search_file_context(snapshot: Snapshot, path: str, limit: int, asker: Asker) -> list[Memory]:
    """The turns that touched a file: edits first, then reads, then mentions, the newest first.

    Nothing for a path outside the asker's project. No model is needed.
    """
    wanted = path if asker.here is None else asker.here.relative(path)
    if not wanted:
        return []
    touched = _touched(snapshot, [wanted], limit, asker)
    memories = {hit_turn: memory for (*_, hit_turn), memory in _memories(snapshot, dict.fromkeys(touched), touched)}
    return [memories[turn] for turn in touched if turn in memories]


def recent_file_mentions(snapshot: Snapshot, session: str, limit: int = 10) -> list[str]:
    """The files that a session touched, the last one first, each once."""
    rows = snapshot.rows(
        "SELECT m.path FROM file_mentions m JOIN sessions s ON s.key = m.session WHERE s.session_id = ?"
        f" AND NOT m.is_dir GROUP BY m.path ORDER BY max(m.line) DESC, m.path LIMIT {int(limit)}",
        [session],
    )
    return [label(path) for (path,) in rows]


def as_context(memories: Sequence[Memory], heading: str = "Relevant past context") -> str:
    """Memories as an agent reads them; empty for none."""
    if not memories:
        return ""
    parts = [f"## {heading}\n\n"]
    for number, memory in enumerate(memories, 1):
        distance = "" if memory.distance is None else f" (distance: {memory.distance:.4f})"
        parts.append(f"### Memory {number}{distance}\n{cited(memory)}\n{memory.text}\n\n")
    return "".join(parts)


def cited(memory: Memory) -> str:
    """Where a memory stands, so that it can be read up: `session:turn`, its day and the session's title."""
    day = f" · {memory.started_at:%Y-%m-%d}" if memory.started_at else ""
    return f"[{memory.session_id}:{memory.turn}{day} · {memory.title}]"


def _touched(snapshot: Snapshot, paths: Sequence[str], limit: int, asker: Asker) -> dict[int, PathHit]:
    """The turns that touched files, by their id, in order."""
    where, parameters = asker.where()
    return {hit.turn: hit for hit in search_by_file_path(snapshot, paths, limit, where, parameters)}


_Order = tuple[float, int, float, int]


def _memories(
    snapshot: Snapshot, distances: Mapping[int, float | None], touched: Mapping[int, PathHit]
) -> list[tuple[_Order, Memory]]:
    """Memories with what they are ordered by."""
    if not distances:
        return []
    texts = conversation_texts(snapshot.rows, list(distances))
    rows = snapshot.rows(
        "SELECT t.id, s.session_id, t.number, t.line, t.started_at, s.title FROM turns t"
        f" JOIN sessions s ON s.key = t.session WHERE {key_condition('t.id', distances)}"
    )
    found = []
    for turn, session_id, number, line, started_at, named in rows:
        distance, hit = distances[turn], touched.get(turn)
        at = utc(started_at)
        order = (distance or 0.0, -hit.matched if hit else 0, -at.timestamp() if at else 0.0, turn)
        files = (hit.path,) if hit else ()
        found.append((order, Memory(label(session_id), number, line, at, title(named), texts[turn], distance, files)))
    return found
