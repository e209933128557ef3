"""Projects and sessions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from memtui_core.errors import SessionUnknown
from memtui_core.model import Grouping, Project, Session, SessionEnd, Variety
from memtui_core.queries.columns import Columns, Lookup, label, labels, path_label, timestamp
from memtui_core.queries.names import agent_title, member, of_session, project_name, session_title
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import RowSource, key_condition
from memtui_core.text.controls import stored
from memtui_core.text.machine_folders import MACHINE
from memtui_core.text.paths import query_path

_MACHINE: Final = MACHINE.format("s")
_NEWEST: Final = "first(s.key ORDER BY credible(t.ended_at) DESC NULLS LAST, s.key)"
"""The session of a project that `list_sessions` lists first."""
_PROJECT = Columns(
    Project,
    name=project_name("min(s.key)"),
    root=label("s.root"),
    sessions="count(DISTINCT s.key)",
    last=timestamp("max(credible(t.ended_at)) AS last"),
    newest=_NEWEST,
)
_AGENT_PROJECT = Columns(
    Project,
    name=project_name("min(s.key)"),
    root=label("s.root"),
    sessions="count(DISTINCT s.key)",
    last=timestamp("max(credible(t.ended_at)) AS last"),
    agent=label("s.agent"),
    newest=_NEWEST,
)
_MACHINE_PROJECT = Columns(
    Project,
    name=project_name("min(s.key)"),
    root=label("s.root"),
    sessions="count(DISTINCT s.key)",
    last=timestamp("max(credible(t.ended_at)) AS last"),
    agent="''",
    newest=_NEWEST,
    machine=label(_MACHINE),
)
_SESSION = Columns(
    Session,
    key="s.key",
    session_id=label("s.session_id"),
    agent=label("s.agent"),
    parent="s.parent",
    parent_tool_id="s.parent_tool_id",
    project=project_name(),
    root=label("s.root"),
    cwd=label("s.cwd"),
    branch=label("s.branch"),
    version=label("s.version"),
    models=labels("t.models"),
    title=session_title(),
    started_at=timestamp("t.started_at"),
    ended_at=timestamp("t.ended_at"),
    turns="coalesce(t.turns, 0)",
    tool_calls="coalesce(t.tool_calls, 0)",
    input_tokens="coalesce(t.input_tokens, 0)",
    output_tokens="coalesce(t.output_tokens, 0)",
    children="coalesce(c.children, 0)",
    compactions="coalesce(k.compactions, 0)",
    forked_from=label("s.forked_from"),
    gone="coalesce(g.gone, FALSE)",
    worktree=label("s.worktree"),
    only_prompts="coalesce(g.only_prompts, FALSE)",
    member=member(),
    machine=label(_MACHINE),
    agent_title=agent_title(),
    pinned=of_session("pinned", False),
    archived=of_session("archived", False),
    tags=of_session("tags", ()),
    notes=of_session("notes", ()),
    end=Lookup("s.key", lambda source: _recent_ends(source), None),
)
_OF_SOURCES = """
    SELECT session, bool_and(gone_at IS NOT NULL) AS gone, bool_and(state = 'prompts') AS only_prompts
    FROM sources WHERE state <> 'superseded'{} GROUP BY session
"""
OF_SOURCES = _OF_SOURCES.format("")
"""SQL for what the sources of each session say: whether none is left on the disk, whether there are only prompts."""


def _from_sessions(keys: Collection[int] | None = None) -> str:
    """SQL of the sessions with these keys, or of all, with what is counted of each: only their rows are read."""
    of_session, of_parent = "", ""
    if keys is not None:
        of_session, of_parent = f" AND {key_condition('session', keys)}", f" AND {key_condition('parent', keys)}"
    return f"""
    FROM sessions s
    LEFT JOIN (
        SELECT session, min(credible(started_at)) AS started_at, max(credible(ended_at)) AS ended_at, count(*) AS turns,
            sum(tool_calls)::BIGINT AS tool_calls, sum(input_tokens)::BIGINT AS input_tokens,
            sum(output_tokens)::BIGINT AS output_tokens, list_sort(list_distinct(flatten(list(models)))) AS models
        FROM turns WHERE TRUE{of_session} GROUP BY session
    ) t ON t.session = s.key
    LEFT JOIN (SELECT parent, count(*) AS children FROM sessions WHERE NOT hidden{of_parent} GROUP BY parent) c
        ON c.parent = s.key
    LEFT JOIN (SELECT session, count(*) AS compactions FROM compactions WHERE TRUE{of_session} GROUP BY session) k
        ON k.session = s.key
    LEFT JOIN ({_OF_SOURCES.format(of_session)}) g ON g.session = s.key
    {f"WHERE {key_condition('s.key', keys)}" if keys is not None else ""}
"""


_LISTED = "NOT s.hidden AND (t.turns > 0 OR s.key IN (SELECT session FROM pr_links))"


def _recent_ends(source: RowSource) -> Mapping[int, SessionEnd | None]:
    # That module needs this one.
    from memtui_core.queries.activity.endings import recent_ends

    return defaultdict(lambda: None, recent_ends(source) if isinstance(source, Snapshot) else {})


def unless_archived(snapshot: Snapshot) -> str:
    """The SQL condition that a session `s` is not archived; empty if none is."""
    archived = snapshot.annotations.current.archived
    return f"NOT {key_condition('s.key', sorted(archived))}" if archived else ""


def list_projects(snapshot: Snapshot, by: Grouping = "", *, archived: bool = False) -> list[Project]:
    """All projects, the most recently used first; one for each agent that worked on it, or for each machine.

    Archived sessions are left out, unless `archived`.
    """
    listed = _and_listed(snapshot, archived=archived)
    columns, group = {
        "": (_PROJECT, ""),
        "agent": (_AGENT_PROJECT, "s.agent, "),
        "machine": (_MACHINE_PROJECT, f"{_MACHINE}, "),
    }[by]
    return columns.select(
        snapshot,
        f"FROM sessions s JOIN turns t ON t.session = s.key WHERE NOT s.hidden AND s.parent IS NULL{listed}"
        f" GROUP BY {group}s.project, s.root ORDER BY last DESC NULLS LAST, {group}s.project, s.root",
    )


def _and_listed(snapshot: Snapshot, *, archived: bool) -> str:
    condition = "" if archived else unless_archived(snapshot)
    return f" AND {condition}" if condition else ""


def list_machines(snapshot: Snapshot) -> list[str]:
    """The other machines that have sessions."""
    rows = snapshot.rows(f"SELECT DISTINCT {_MACHINE} AS machine FROM sessions s WHERE NOT hidden ORDER BY 1")
    return [machine for (machine,) in rows if machine]


def list_agents(snapshot: Snapshot) -> list[str]:
    """The ids of the agents that have sessions."""
    return [agent for (agent,) in snapshot.rows("SELECT DISTINCT agent FROM sessions WHERE NOT hidden ORDER BY 1")]


def read_variety(snapshot: Snapshot) -> Variety:
    """Whether there are sessions of several agents, and of several projects; read once for each snapshot."""
    select = "SELECT count(DISTINCT agent) > 1, count(DISTINCT (project, root)) > 1 FROM sessions WHERE NOT hidden"
    return snapshot.cached("variety", lambda: Variety(*snapshot.rows(select)[0]))


def find_projects(projects: Sequence[Project], name: str) -> list[Project]:
    """The projects with a root or a name, as it is shown or stored; if there is none, those whose name begins so."""
    folder, lower = query_path(name).rstrip("/"), name.lower()
    names = [(project, (project.name.lower(), stored(project.name).lower())) for project in projects]
    exact = [project for project, own in names if lower in own or (folder and project.root == folder)]
    return exact or [project for project, own in names if own[0].startswith(lower)]


def list_sessions(snapshot: Snapshot, project: Project | None = None, *, archived: bool = False) -> list[Session]:
    """The sessions of a project, or all, without subagents: the pinned ones first, then newest first.

    A subagent whose parent is not in the index is listed as a session. Archived ones are left out, unless `archived`.
    """
    listed = _and_listed(snapshot, archived=archived)
    where, parameters = f"WHERE s.parent IS NULL AND {_LISTED}{listed}", list[str]()
    if project is not None:
        among, parameters = in_project(project)
        where = f"{where} AND {among}"
    rest = f"{_from_sessions()} {where} ORDER BY t.ended_at DESC NULLS LAST, s.key"
    return sorted(_SESSION.select(snapshot, rest, parameters), key=lambda session: not session.pinned)


def in_project(project: Project) -> tuple[str, list[str]]:
    """The SQL condition that a session `s` belongs to a project, or to what one agent or machine did there."""
    by, own = by_agent_or_machine(project)
    return f"s.root = ? AND s.project = ?{by}", [project.root, project.name, *own]


def by_agent_or_machine(project: Project) -> tuple[str, list[str]]:
    """The SQL condition, after others, that the agent or machine of a project ran a session `s`; empty for all."""
    if project.agent:
        return " AND s.agent = ?", [project.agent]
    return (f" AND {_MACHINE} = ?", [project.machine]) if project.machine is not None else ("", [])


def read_sessions(snapshot: Snapshot, keys: Sequence[int]) -> list[Session]:
    """The sessions with these keys, in their order; unknown ones are left out."""
    found = {session.key: session for session in _SESSION.select(snapshot, _from_sessions(keys))}
    return [found[key] for key in keys if key in found]


def list_subagents(snapshot: Snapshot, parent: int) -> list[Session]:
    """The subagents of a session in the order in which they started."""
    rest = f"{_from_sessions()} WHERE s.parent = ? AND NOT s.hidden ORDER BY t.started_at NULLS LAST, s.key"
    return _SESSION.select(snapshot, rest, [parent])


def calling_turn(snapshot: Snapshot, session: int) -> int | None:
    """The number of the turn in which the parent of a subagent started it; None if the transcript does not say."""
    rows = snapshot.rows(
        "SELECT min(t.number) FROM sessions s JOIN agent_calls c ON c.session = s.parent"
        " AND c.tool_id = s.parent_tool_id JOIN turns t ON t.id = c.turn WHERE s.key = ?",
        [session],
    )
    return rows[0][0] if rows else None


def read_session(snapshot: Snapshot, key: int) -> Session:
    """One session by its key. Raises SessionUnknown."""
    # Several panes show the session that is open.
    return snapshot.cached(f"session {key} {snapshot.annotations.stamp}", lambda: _read_session(snapshot, key))


def _read_session(snapshot: Snapshot, key: int) -> Session:
    for session in read_sessions(snapshot, [key]):
        return session
    raise SessionUnknown(f"There is no session with the key {key}.")


def session_ids(snapshot: Snapshot, keys: Collection[int]) -> dict[int, str]:
    """The agent's own ids of sessions by their keys; unknown keys are left out."""
    return dict(snapshot.rows(f"SELECT key, session_id FROM sessions WHERE {key_condition('key', keys)}"))


def transcript_paths(snapshot: Snapshot, keys: Collection[int]) -> dict[int, tuple[str, ...]]:
    """The paths of the transcripts of sessions by their keys, also of those that are gone."""
    rows = snapshot.rows(
        f"SELECT session, list(path ORDER BY path) FROM sources WHERE {key_condition('session', keys)}"
        " AND state <> 'superseded' GROUP BY session"
    )
    return {key: tuple(map(path_label, paths)) for key, paths in rows}


def session_by_id(snapshot: Snapshot, session_id: str) -> Session | None:
    """The session or subagent with exactly this id; None if there is none."""
    rows = snapshot.rows("SELECT key FROM sessions WHERE session_id = ? AND NOT hidden LIMIT 1", [session_id])
    return read_session(snapshot, rows[0][0]) if rows else None


def find_session(snapshot: Snapshot, id_prefix: str) -> Session:
    """The session with this id, or the only one whose id starts with it.

    Raises SessionUnknown if there is none, and if there are several.
    """
    exact = snapshot.rows(
        "SELECT key FROM sessions WHERE session_id = ? ORDER BY parent_id IS NOT NULL, key", [id_prefix]
    )
    if exact:
        return read_session(snapshot, exact[0][0])
    matching = snapshot.rows(
        "SELECT key, session_id FROM sessions WHERE NOT hidden AND starts_with(session_id, ?) ORDER BY session_id, key",
        [id_prefix],
    )
    if not matching or not id_prefix:
        raise SessionUnknown(f"There is no session whose id begins with {id_prefix!r}.")
    if len(matching) > 1:
        ids = ", ".join(session_id for _, session_id in matching[:5]) + (" …" if len(matching) > 5 else "")
        raise SessionUnknown(f"{len(matching)} sessions have an id that begins with {id_prefix!r}: {ids}")
    return read_session(snapshot, matching[0][0])
