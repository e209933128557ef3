"""What a session is called in every list, and what its first prompt says that others like it do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import groupby

from memtui_core.queries.columns import Lookup
from memtui_core.queries.naming.session_names import session_names
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import RowSource, key_condition
from memtui_core.text.controls import one_line, title
from memtui_core.text.names.prompt_titles import MIN_SHARED, TITLE_LENGTH, telling_titles

MAX_REQUEST = 300
"""The most characters of what is shown of a request."""
_MAX_PROMPT = 20_000
"""Characters of a prompt in which a difference is looked for."""


def session_title(key: str = "s.key", untitled: str = "(no prompt)") -> Lookup:
    """The title of the session with a key; if it shares its beginning with others, what differs (`telling_titles`)."""
    return Lookup(key, shown_titles, untitled)


def shown_titles(source: RowSource) -> Mapping[int, str]:
    """The titles of all sessions by their keys, empty for a session without one."""
    if isinstance(source, Snapshot):
        return source.cached("titles", partial(_Titles, source))
    return {key: title(text) for key, text in source.rows("SELECT key, title FROM sessions")}


class _Titles(Mapping[int, str]):
    """The titles of a snapshot; prompts are read when the title of a session is asked for whose prompt is like others.

    Any thread may ask.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._stored = {name.key: name.title for name in session_names(snapshot)}
        self._similar = {key for key, *_ in _similar(snapshot)}
        self._shown: dict[int, str] = {}

    def __getitem__(self, key: int) -> str:
        shown = self._shown.get(key)
        if shown is None:
            request = _telling(self._snapshot).get(key) if key in self._similar else None
            stored = self._stored[key]
            shown = self._shown[key] = title(stored) if request is None else one_line(request[1], TITLE_LENGTH)
        return shown

    def __iter__(self) -> Iterator[int]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)


def telling_request(snapshot: Snapshot, session: int) -> tuple[int, str] | None:
    """The id of the first turn of a session, and what its prompt says that others like it in the project do not.

    None unless the title of the session is this prompt, which shares its beginning with others.
    """
    return _telling(snapshot).get(session)


def _telling(snapshot: Snapshot) -> dict[int, tuple[int, str]]:
    """`telling_request` for all sessions."""
    return snapshot.cached("telling requests", partial(_read_telling, snapshot))


def _read_telling(snapshot: Snapshot) -> dict[int, tuple[int, str]]:
    found: dict[int, tuple[int, str]] = {}
    similar = _similar(snapshot)
    prompts = _first_prompts(snapshot, [key for key, *_ in similar])
    for _, members in groupby(similar, lambda row: row[1:]):
        keys = [key for key, *_ in members if key in prompts]
        texts = telling_titles([prompts[key][1] for key in keys], MAX_REQUEST)
        found |= {key: (prompts[key][0], text) for key, text in zip(keys, texts, strict=True) if text is not None}
    return found


def _similar(snapshot: Snapshot) -> list[tuple[int, str, str]]:
    """Key, root and project of the sessions whose titles are prompts that begin as another one of their project."""
    prompts = [name for name in session_names(snapshot) if name.is_prompt and len(name.title) >= MIN_SHARED]
    beginnings = Counter((name.root, name.project, name.title[:MIN_SHARED]) for name in prompts)
    similar = [name for name in prompts if beginnings[name.root, name.project, name.title[:MIN_SHARED]] > 1]
    return sorted(((name.key, name.root, name.project) for name in similar), key=lambda row: (*row[1:], row[0]))


def _first_prompts(snapshot: Snapshot, sessions: list[int]) -> dict[int, tuple[int, str]]:
    """By session, the id of the turn whose prompt became the title, and the beginning of the prompt."""
    kinds = "kind IN ('human', 'command', 'agent')"
    turns = snapshot.rows(
        f"SELECT arg_min(id, number) FROM turns WHERE {kinds} AND {key_condition('session', sessions)} GROUP BY session"
    )
    condition = key_condition("id", [turn for (turn,) in turns])
    rows = snapshot.rows(f"SELECT session, id, left(user_text, {_MAX_PROMPT}) FROM turns WHERE {condition}")
    return {session: (turn, prompt) for session, turn, prompt in rows}
