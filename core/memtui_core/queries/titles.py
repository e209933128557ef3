"""What a session is called in every list, and what its first prompt says that others like it do not."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import groupby

from memtui_core.model import TitleRank
from memtui_core.queries.columns import Lookup
from memtui_core.store.reader import Snapshot
from memtui_core.store.tables import RowSource, key_condition
from memtui_core.text.controls import one_line, title
from memtui_core.text.prompt_titles import MIN_SHARED, TITLE_LENGTH, telling_titles

MAX_REQUEST = 300
"""The most characters of what is shown of a request."""
_MAX_PROMPT = 20_000
"""Characters of a prompt in which a difference is looked for."""
_SIMILAR = f"""
    SELECT key, root, project FROM sessions
    WHERE NOT hidden AND title_rank = {int(TitleRank.FIRST_PROMPT)} AND length(title) >= {MIN_SHARED}
    QUALIFY count(*) OVER (PARTITION BY root, project, left(title, {MIN_SHARED})) > 1
    ORDER BY root, project, key
"""
"""The sessions whose titles are prompts that begin as another one of their project."""


def session_title(key: str = "s.key", untitled: str = "(no prompt)") -> Lookup:
    """The title of the session with a key; if it shares its beginning with others, what differs (`telling_titles`)."""
    return Lookup(key, shown_titles, untitled)


def shown_titles(source: RowSource) -> Mapping[int, str]:
    """The titles of all sessions by their keys, empty for a session without one."""
    if isinstance(source, Snapshot):
        return source.cached("titles", partial(_read_titles, source))
    return _stored(source)


def _stored(source: RowSource) -> dict[int, str]:
    return {key: title(text) for key, text in source.rows("SELECT key, title FROM sessions")}


def telling_request(snapshot: Snapshot, session: int) -> tuple[int, str] | None:
    """The id of the first turn of a session, and what its prompt says that others like it in the project do not.

    None unless the title of the session is this prompt, which shares its beginning with others.
    """
    return _telling(snapshot).get(session)


def _read_titles(snapshot: Snapshot) -> dict[int, str]:
    requests = _telling(snapshot).items()
    return _stored(snapshot) | {session: one_line(text, TITLE_LENGTH) for session, (_, text) in requests}


def _telling(snapshot: Snapshot) -> dict[int, tuple[int, str]]:
    """`telling_request` for all sessions."""
    return snapshot.cached("telling requests", partial(_read_telling, snapshot))


def _read_telling(snapshot: Snapshot) -> dict[int, tuple[int, str]]:
    found: dict[int, tuple[int, str]] = {}
    similar = snapshot.rows(_SIMILAR)
    prompts = _first_prompts(snapshot, [key for key, *_ in similar])
    for _, members in groupby(similar, lambda row: row[1:]):
        keys = [key for key, *_ in members if key in prompts]
        texts = telling_titles([prompts[key][1] for key in keys], MAX_REQUEST)
        found |= {key: (prompts[key][0], text) for key, text in zip(keys, texts, strict=True) if text is not None}
    return found


def _first_prompts(snapshot: Snapshot, sessions: list[int]) -> dict[int, tuple[int, str]]:
    """By session, the id of the turn whose prompt became the title, and the beginning of the prompt."""
    kinds = "kind IN ('human', 'command', 'agent')"
    turns = snapshot.rows(
        f"SELECT arg_min(id, number) FROM turns WHERE {kinds} AND {key_condition('session', sessions)} GROUP BY session"
    )
    condition = key_condition("id", [turn for (turn,) in turns])
    rows = snapshot.rows(f"SELECT session, id, left(user_text, {_MAX_PROMPT}) FROM turns WHERE {condition}")
    return {session: (turn, prompt) for session, turn, prompt in rows}
