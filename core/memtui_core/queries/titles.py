"""The titles of sessions, as every list shows them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import groupby

from memtui_core.queries.columns import Lookup
from memtui_core.readers.records import TitleRank
from memtui_core.store.reader import Snapshot
from memtui_core.store.tables import RowSource, key_condition
from memtui_core.text.controls import title
from memtui_core.text.prompt_titles import MIN_SHARED, telling_titles

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


def _read_titles(snapshot: Snapshot) -> dict[int, str]:
    titles = _stored(snapshot)
    similar = snapshot.rows(_SIMILAR)
    prompts = _first_prompts(snapshot, [key for key, *_ in similar])
    for _, members in groupby(similar, lambda row: row[1:]):
        keys = [key for key, *_ in members if key in prompts]
        telling = telling_titles([prompts[key] for key in keys])
        titles.update((key, text) for key, text in zip(keys, telling, strict=True) if text is not None)
    return titles


def _first_prompts(snapshot: Snapshot, sessions: list[int]) -> dict[int, str]:
    """The beginning of the prompts of which the titles were made."""
    kinds = "kind IN ('human', 'command', 'agent')"
    turns = snapshot.rows(
        f"SELECT arg_min(id, number) FROM turns WHERE {kinds} AND {key_condition('session', sessions)} GROUP BY session"
    )
    condition = key_condition("id", [turn for (turn,) in turns])
    return dict(snapshot.rows(f"SELECT session, left(user_text, {_MAX_PROMPT}) FROM turns WHERE {condition}"))
