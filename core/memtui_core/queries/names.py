"""What sessions and projects are called in every list, and what else the user has added to sessions and turns.

The names of all sessions are read from a snapshot with one query. A title is what the first prompt says that others
like it do not; the user's own title comes before it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple
from weakref import ref

from memtui_core.model import Annotations
from memtui_core.queries.columns import Lookup
from memtui_core.queries.current_project import local_folders
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import RowSource, key_condition
from memtui_core.text.controls import label, one_line, title
from memtui_core.text.names import (
    MIN_SHARED,
    TITLE_LENGTH,
    TitleRank,
    has_role,
    shown_names,
    telling_titles,
    without_markup,
)

_SQL = (
    "SELECT key, root, project, title, cwd, worktree, hidden,"
    f" NOT hidden AND title_rank = {int(TitleRank.FIRST_PROMPT)} FROM sessions"
)


class SessionName(NamedTuple):
    """The names of a session as they are stored."""

    key: int
    root: str
    project: str
    title: str
    cwd: str
    worktree: str | None
    hidden: bool
    is_prompt: bool
    """Whether the title is the first prompt of a session that is shown."""


def session_names(snapshot: Snapshot) -> list[SessionName]:
    """The names of all sessions."""
    return snapshot.cached("session names", lambda: [SessionName(*row) for row in snapshot.rows(_SQL)])


def session_folders(snapshot: Snapshot) -> set[tuple[str, str, str | None]]:
    """The different roots, folders and worktrees of the sessions that are shown, as `project_at` takes them."""
    return local_folders((name.root, name.cwd, name.worktree) for name in session_names(snapshot) if not name.hidden)


MAX_REQUEST = 300
"""The most characters of what is shown of a request."""
_MAX_PROMPT = 20_000
"""Characters of a prompt in which a difference is looked for."""


def session_title(key: str = "s.key", untitled: str = "(no prompt)") -> Lookup:
    """The title of the session with a key; if its beginning says little, what comes after it (`telling_titles`)."""
    return Lookup(key, shown_titles, untitled)


def member(key: str = "s.key") -> Lookup:
    """The colleague whose session it is; empty for one's own."""
    return Lookup(key, _members, "")


def _members(source: RowSource) -> Mapping[int, str]:
    names: dict[int, str] = defaultdict(str)
    if isinstance(source, Snapshot):
        names |= {key: label(name) for key, name in list(source.members.items())}
    return names


def shown_titles(source: RowSource) -> Mapping[int, str]:
    """The titles of all sessions by their keys, empty for a session without one."""
    if not isinstance(source, Snapshot):
        return {key: title(text) for key, text in source.rows("SELECT key, title FROM sessions")}
    titles = _agent_titles(source)
    return _OwnTitles(own, titles) if (own := _own_titles(source)) else titles


def agent_title(key: str = "s.key") -> Lookup:
    """The title that the session with a key would have without the user's; empty if the user gave it none."""
    return Lookup(key, _replaced_titles, "")


def of_session(field: str, empty: Any, key: str = "s.key") -> Lookup:
    """A field of `Annotations` of the session with a key."""
    return Lookup(key, lambda source: _AnnotationField(_sessions_of(source), field), empty)


def of_turn(field: str, empty: Any, turn_id: str = "t.id") -> Lookup:
    """A field of `Annotations` of the turn with an id."""
    return Lookup(turn_id, lambda source: _AnnotationField(_turns_of(source), field), empty)


def note_texts(annotations: Annotations) -> tuple[str, ...]:
    """The texts of the notes."""
    return tuple(note.text for note in annotations.notes)


class _AnnotationField(dict[int, Any]):
    """A field of annotations by their keys; None for a key that has none."""

    def __init__(self, annotations: Mapping[int, Annotations], field: str) -> None:
        get = note_texts if field == "notes" else attrgetter(field)
        super().__init__({key: get(one) for key, one in annotations.items()})

    def __missing__(self, key: int) -> None:
        return None


def _sessions_of(source: RowSource) -> Mapping[int, Annotations]:
    return source.annotations.current.sessions if isinstance(source, Snapshot) else {}


def _turns_of(source: RowSource) -> Mapping[int, Annotations]:
    return source.annotations.current.turns if isinstance(source, Snapshot) else {}


def _own_titles(source: RowSource) -> dict[int, str]:
    return {key: one.title for key, one in _sessions_of(source).items() if one.title}


def _replaced_titles(source: RowSource) -> Mapping[int, str]:
    titles: dict[int, str] = defaultdict(str)
    if isinstance(source, Snapshot) and (own := _own_titles(source)):
        agents = _agent_titles(source)
        titles |= {key: agents[key] for key in own}
    return titles


def _agent_titles(snapshot: Snapshot) -> Mapping[int, str]:
    return snapshot.cached("titles", partial(_Titles, snapshot))


class _OwnTitles(Mapping[int, str]):
    """The user's titles before those that the sessions have otherwise."""

    def __init__(self, own: Mapping[int, str], titles: Mapping[int, str]) -> None:
        self._own = own
        self._titles = titles

    def __getitem__(self, key: int) -> str:
        return self._own.get(key) or self._titles[key]

    def __iter__(self) -> Iterator[int]:
        return iter(self._titles)

    def __len__(self) -> int:
        return len(self._titles)


class _Titles(Mapping[int, str]):
    """The titles of a snapshot; prompts are read when the title of a session is asked for whose prompt is like others.

    Any thread may ask. Without the snapshot, which is not kept open for it, a prompt begins as the others.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = ref(snapshot)
        self._stored = {name.key: name.title for name in session_names(snapshot)}
        self._similar = {key for key, *_ in _similar(snapshot)}
        self._shown: dict[int, str] = {}

    def __getitem__(self, key: int) -> str:
        shown = self._shown.get(key)
        if shown is None:
            snapshot = self._snapshot() if key in self._similar else None
            request = _telling(snapshot).get(key) if snapshot is not None else None
            stored = self._stored[key]
            whole = title(stored) if request is None else one_line(request[1], TITLE_LENGTH)
            shown = self._shown[key] = without_markup(whole)
        return shown

    def __iter__(self) -> Iterator[int]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)


def telling_request(snapshot: Snapshot, session: int) -> tuple[int, str] | None:
    """The id of the first turn of a session, and what its prompt says that others like it in the project do not.

    None unless the title of the session is this prompt, which says little at its beginning.
    """
    return _telling(snapshot).get(session)


def _telling(snapshot: Snapshot) -> dict[int, tuple[int, str]]:
    """`telling_request` for all sessions."""
    return snapshot.cached("telling requests", partial(_read_telling, snapshot))


def _read_telling(snapshot: Snapshot) -> dict[int, tuple[int, str]]:
    found: dict[int, tuple[int, str]] = {}
    similar = _similar(snapshot)
    prompts = first_prompts(snapshot, [key for key, *_ in similar])
    for _, members in groupby(similar, lambda row: row[1:]):
        keys = [key for key, *_ in members if key in prompts]
        texts = telling_titles([prompts[key][1] for key in keys], MAX_REQUEST)
        found |= {key: (prompts[key][0], text) for key, text in zip(keys, texts, strict=True) if text is not None}
    return found


def _similar(snapshot: Snapshot) -> list[tuple[int, str, str]]:
    """Key, root and project of the sessions whose titles are prompts that say little at their beginning.

    Another one of the project begins in the same way, or it says who the agent is.
    """
    prompts = [name for name in session_names(snapshot) if name.is_prompt and len(name.title) >= MIN_SHARED]
    beginnings = Counter((name.root, name.project, name.title[:MIN_SHARED]) for name in prompts)
    similar = [
        name
        for name in prompts
        if beginnings[name.root, name.project, name.title[:MIN_SHARED]] > 1 or has_role(name.title)
    ]
    return sorted(((name.key, name.root, name.project) for name in similar), key=lambda row: (*row[1:], row[0]))


def first_prompts(
    snapshot: Snapshot, sessions: Collection[int], longest: int = _MAX_PROMPT
) -> dict[int, tuple[int, str]]:
    """By session, the id of the turn with the first prompt, and so many characters of it at most."""
    kinds = "kind IN ('human', 'command', 'agent')"
    turns = snapshot.rows(
        f"SELECT arg_min(id, number) FROM turns WHERE {kinds} AND {key_condition('session', sessions)} GROUP BY session"
    )
    condition = key_condition("id", [turn for (turn,) in turns])
    rows = snapshot.rows(f"SELECT session, id, left(user_text, {longest}) FROM turns WHERE {condition}")
    return {session: (turn, prompt) for session, turn, prompt in rows}


def project_name(key: str = "s.key") -> Lookup:
    """The name of the project of the session with a key; if others have the same, with the folder that differs."""
    return Lookup(key, _names_by_session, "")


def project_name_at(root: str, project: str) -> Lookup:
    """The same for the project with a root and a name, which are expressions; of no project the name itself."""
    return Lookup(f"{root} || chr(31) || {project}", _names_by_place, "")


class _NamesByPlace(dict[str, str]):
    def __missing__(self, place: str) -> str:
        return label(place.partition("\x1f")[2])


def _names_by_place(source: RowSource) -> Mapping[str, str]:
    names = shown_names((root, project) for _, root, project in _projects(source))
    return _NamesByPlace({f"{root}\x1f{project}": shown for (root, project), shown in names.items()})


def _names_by_session(source: RowSource) -> Mapping[int, str]:
    if isinstance(source, Snapshot):
        return source.cached("project names", lambda: _shown(_projects(source)))
    return _shown(_projects(source))


def _projects(source: RowSource) -> Iterable[tuple[int, str, str]]:
    """The key, root and project of each session."""
    if isinstance(source, Snapshot):
        return [(name.key, name.root, name.project) for name in session_names(source)]
    return [(key, root, name) for key, root, name in source.rows("SELECT key, root, project FROM sessions")]


def _shown(sessions: Iterable[tuple[int, str, str]]) -> dict[int, str]:
    projects = {key: (root, name) for key, root, name in sessions}
    names = shown_names(projects.values())
    return {key: names[project] for key, project in projects.items()}
