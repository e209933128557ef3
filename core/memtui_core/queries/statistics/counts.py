"""Statistics of one project or all, over a range of days or all time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

from memtui_core.queries.columns import Columns, Row, label, path, timestamp
from memtui_core.queries.names import project_name, project_name_at
from memtui_core.queries.places import placed_mentions
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import LIST_SEPARATOR, MODEL_SEPARATOR, RowSource
from memtui_core.text.controls import stored

MOST_DAYS = 3660
"""Most days of a series: one turn dated 1970 must not make a series of twenty thousand days."""
CALENDAR_DAYS = 7 * 300
"""Days of the calendar: more weeks than a terminal has columns."""
MOST_FILES = 200
"""Files that are listed; the totals count all."""

_PROJECT_KEY = f"concat(s.root, '{LIST_SEPARATOR}', s.project)"
_TURNS = "FROM turns t JOIN sessions s ON s.key = t.session"


@dataclass(frozen=True, slots=True)
class DayCount:
    """The work of one day in the user's time zone."""

    day: date
    sessions: int
    """Sessions with a turn that started on this day, without subagents."""
    turns: int
    """Turns that started on this day, those of subagents included."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """How often a tool was called."""

    tool: str
    calls: int
    errors: int
    """Results with the error flag."""


@dataclass(frozen=True, slots=True)
class FileUse:
    """How often a file was touched; the counts are turns, and one turn can edit, read and mention it."""

    path: str
    project: str
    root: str
    turns: int
    edited: int
    read: int
    mentioned: int


@dataclass(frozen=True, slots=True)
class ProjectUse:
    """The work in a project."""

    project: str
    root: str
    sessions: int
    """Sessions without subagents."""
    turns: int
    """Turns, those of subagents included."""
    models: tuple[ModelUse, ...] = ()
    """By turns, most first."""


@dataclass(frozen=True, slots=True)
class ModelUse:
    """The turns and tokens of a model."""

    model: str
    """Name of the model; `a + b` for turns that several models answered, whose tokens are known only as a sum."""
    turns: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    turns_without_tokens: int = 0
    """Turns whose tokens the transcript does not tell."""

    @property
    def new_tokens(self) -> int:
        """The tokens that were read anew, written to a cache or not: what all lists call `in`."""
        return self.input_tokens + self.cache_write_tokens


@dataclass(frozen=True, slots=True)
class AgentUse:
    """The work of an agent."""

    agent: str
    """Its id."""
    sessions: int
    """Sessions without subagents."""
    turns: int
    """Turns, those of subagents included."""
    last: datetime | None
    """Start of the last turn."""
    models: tuple[ModelUse, ...] = ()
    """By turns, most first."""


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums; a turn without a time, or in the future, counts only if no days are given."""

    sessions: int = 0
    subagents: int = 0
    """Sessions that another session started; not counted in `sessions`."""
    turns: int = 0
    tool_calls: int = 0
    errors: int = 0
    files: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    first: datetime | None = None
    """Start of the first turn."""
    last: datetime | None = None
    """Start of the last turn."""

    @property
    def new_tokens(self) -> int:
        """As of `ModelUse`."""
        return self.input_tokens + self.cache_write_tokens


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of a project or all projects."""

    root: str | None
    """Root of the project; None for all projects."""
    days: int | None
    """The number of days up to today; None for all time."""
    totals: Totals
    series: tuple[DayCount, ...]
    """Every day from the first one to today, days without turns included."""
    tools: tuple[ToolUse, ...]
    """By calls, most first."""
    files: tuple[FileUse, ...]
    """The MOST_FILES most touched files, by turns, most first."""
    models: tuple[ModelUse, ...]
    """By turns, most first."""
    projects: tuple[ProjectUse, ...] = ()
    """By turns, most first."""
    calendar: tuple[DayCount, ...] = ()
    """The last CALENDAR_DAYS days up to today, whatever `days` is, but none before the first turn."""
    agents: tuple[AgentUse, ...] = ()
    """By turns, most first."""


_TOKENS = {
    f"{name}_tokens": f"coalesce(sum(t.{name}_tokens), 0)::BIGINT"
    for name in ("input", "output", "cache_read", "cache_write")
}
_TOTALS = Columns(
    Totals,
    sessions="count(DISTINCT s.key) FILTER (s.parent IS NULL)",
    subagents="count(DISTINCT s.key) FILTER (s.parent IS NOT NULL)",
    turns="count(*)",
    tool_calls="coalesce(sum(t.tool_calls), 0)::BIGINT",
    errors="coalesce(sum(t.errors), 0)::BIGINT",
    files="0",
    first=timestamp("min(t.started_at)"),
    last=timestamp("max(t.started_at)"),
    **_TOKENS,
)
"""Files are counted by a query of their own."""
_TOOL_USE = Columns(
    ToolUse,
    tool=label("b.tool"),
    calls="count(*) FILTER (b.kind = 'tool_call') AS calls",
    errors="count(*) FILTER (b.kind = 'tool_result' AND b.is_error)",
)
_FILE_USE = Columns(
    FileUse,
    path=path("path"),
    project=project_name_at("root", "project"),
    root=label("root"),
    turns="count(*)",
    edited="count(*) FILTER (edited)",
    read="count(*) FILTER (read)",
    mentioned="count(*) FILTER (mentioned)",
)
_PROJECT_USE = Columns(
    ProjectUse,
    project=project_name("min(s.key)"),
    root=label("s.root"),
    sessions="count(DISTINCT s.key) FILTER (s.parent IS NULL)",
    turns="count(*)",
)
_AGENT_USE = Columns(
    AgentUse,
    agent=label("s.agent"),
    sessions="count(DISTINCT s.key) FILTER (s.parent IS NULL)",
    turns="count(*)",
    last=timestamp("max(credible(t.started_at))"),
)
_MODEL_USE = Columns(
    ModelUse,
    model=label(f"array_to_string(t.models, '{MODEL_SEPARATOR}') AS model"),
    turns="count(*)",
    turns_without_tokens=f"count(*) FILTER ({' + '.join(f't.{name}' for name in _TOKENS)} = 0)",
    **_TOKENS,
)


def statistics(
    snapshot: Snapshot,
    root: str | None = None,
    days: int | None = None,
    *,
    now: datetime | None = None,
    zone: tzinfo | None = None,
) -> Statistics:
    """Return the statistics of the project with this root, or of all, over the last `days` days, or all time.

    The days include today. They start at midnight in `zone`, by default the time zone of this machine. A turn counts
    for the day on which it started. Hidden sessions are never counted.
    """
    today = (now or datetime.now(UTC)).astimezone(zone).date()
    first = today - timedelta(days=max(1, min(days, MOST_DAYS)) - 1) if days is not None else None
    tomorrow = _start(today + timedelta(days=1), zone)
    selection = _Selection.of(snapshot, root, (_start(first, zone), tomorrow) if first else None)
    totals = _totals(selection)
    if first is None:
        start = totals.first.astimezone(zone).date() if totals.first else today + timedelta(days=1)
        first = max(start, today - timedelta(days=MOST_DAYS - 1))
    return Statistics(
        root,
        days,
        totals,
        _series(selection, first, today, zone),
        _tools(selection),
        _files(selection),
        _models(selection),
        _projects(selection),
        _calendar(_Selection.of(snapshot, root, None), today, zone),
        _agents(selection),
    )


def work_by_day(
    snapshot: Snapshot, where: str, parameters: Sequence[Any], first: date, last: date, zone: tzinfo | None = None
) -> tuple[DayCount, ...]:
    """Every day from `first` to `last`, with the turns `t` of sessions `s` that meet a condition."""
    return _series(_Selection(snapshot, f"WHERE NOT s.hidden AND {where}", parameters), first, last, zone)


@dataclass(frozen=True, slots=True)
class _Selection:
    """The selected turns of a snapshot: a condition over turns `t` and sessions `s`."""

    snapshot: Snapshot
    where: str
    parameters: Sequence[Any]

    @classmethod
    def of(cls, snapshot: Snapshot, root: str | None, span: tuple[datetime, datetime] | None) -> _Selection:
        where, parameters = "WHERE NOT s.hidden", list[Any]()
        if root is not None:
            where, parameters = f"{where} AND s.root = ?", [root]
        if span is not None:
            where, parameters = f"{where} AND t.started_at >= ? AND t.started_at < ?", [*parameters, *span]
        return cls(snapshot, where, parameters)

    def select(self, columns: Columns[Row], rest: str) -> tuple[Row, ...]:
        """The rows of a query; `rest` is the statement from FROM on, with `where` once."""
        return tuple(columns.select(self.snapshot, rest, self.parameters))


def _totals(selection: _Selection) -> Totals:
    [totals] = selection.select(_TOTALS, f"{_TURNS} {selection.where}")
    mentions, parameters = placed_mentions(selection.snapshot)
    [(files,)] = selection.snapshot.rows(
        f"SELECT count(*) FROM (SELECT DISTINCT m.root, m.below {_TURNS} JOIN {mentions} m ON m.turn = t.id"
        f" {selection.where} AND NOT m.is_dir)",
        [*parameters, *selection.parameters],
    )
    return replace(totals, files=files)


def _series(selection: _Selection, first: date, today: date, zone: tzinfo | None) -> tuple[DayCount, ...]:
    """The days with the turns that started between midnight and the next midnight; the database knows no zones."""
    if first > today:
        return ()
    days = [first + timedelta(days=offset) for offset in range((today - first).days + 1)]
    starts = [_start(day, zone) for day in [*days, today + timedelta(days=1)]]
    # The times are passed as one text: a list parameter takes ten times as long.
    rows = selection.snapshot.rows(
        "SELECT start, count(*) FILTER (parent IS NULL), sum(turns)::BIGINT FROM ("
        f"SELECT d.start, s.key, s.parent, count(*) AS turns {_TURNS}"
        " ASOF JOIN (SELECT unnest(string_split(?, ','))::TIMESTAMP AS start) d ON t.started_at >= d.start"
        f" {selection.where} GROUP BY ALL) GROUP BY start",
        [",".join(map(str, starts)), *selection.parameters],
    )
    counts = {start: (sessions, turns) for start, sessions, turns in rows}
    return tuple(DayCount(day, *counts.get(start, (0, 0))) for day, start in zip(days, starts, strict=False))


def _calendar(selection: _Selection, today: date, zone: tzinfo | None) -> tuple[DayCount, ...]:
    days = _series(selection, today - timedelta(days=CALENDAR_DAYS - 1), today, zone)
    first = next((index for index, day in enumerate(days) if day.turns), len(days))
    return days[first:]


def _start(day: date, zone: tzinfo | None) -> datetime:
    """Midnight at the start of a day, as the database stores times: in UTC, without a zone."""
    return datetime.combine(day, time(), zone).astimezone(UTC).replace(tzinfo=None)


def _tools(selection: _Selection) -> tuple[ToolUse, ...]:
    return selection.select(
        _TOOL_USE,
        f"{_TURNS} JOIN blocks b ON b.turn = t.id {selection.where} AND b.kind IN ('tool_call', 'tool_result')"
        " GROUP BY b.tool HAVING b.tool IS NOT NULL AND calls > 0 ORDER BY calls DESC, b.tool",
    )


def _files(selection: _Selection) -> tuple[FileUse, ...]:
    # One row for each turn and file first, because count(DISTINCT ...) is slower.
    kinds = ", ".join(f"bool_or(m.kind = '{kind}') AS {kind}" for kind in ("edited", "read", "mentioned"))
    mentions, parameters = placed_mentions(selection.snapshot)
    return replace(selection, parameters=[*parameters, *selection.parameters]).select(
        _FILE_USE,
        f"FROM (SELECT m.below AS path, m.project, m.root, {kinds} {_TURNS}"
        f" JOIN {mentions} m ON m.turn = t.id {selection.where} AND NOT m.is_dir"
        " GROUP BY m.below, m.project, m.root, m.turn) GROUP BY path, project, root"
        " ORDER BY count(*) DESC, count(*) FILTER (edited) DESC, count(*) FILTER (read) DESC, path, root"
        f" LIMIT {MOST_FILES}",
    )


def models_by(
    source: RowSource, key: str, turns: str, parameters: Sequence[Any] = ()
) -> Iterable[tuple[Any, ModelUse]]:
    """The use of models by an expression; `turns` is the statement that selects turns `t`, from FROM on."""
    return _MODEL_USE.select_by(source, key, _by_model(turns), parameters)


def _models(selection: _Selection) -> tuple[ModelUse, ...]:
    return selection.select(_MODEL_USE, _by_model(f"{_TURNS} {selection.where}"))


def _by_model(turns: str) -> str:
    """Turns by model; one without a model has no tokens."""
    return f"{turns} AND len(t.models) > 0 GROUP BY ALL ORDER BY count(*) DESC, model"


def _projects(selection: _Selection) -> tuple[ProjectUse, ...]:
    projects = selection.select(
        _PROJECT_USE,
        f"{_TURNS} {selection.where} GROUP BY s.project, s.root ORDER BY count(*) DESC, s.project, s.root",
    )
    models = _models_by(selection, _PROJECT_KEY)
    return tuple(
        replace(use, models=models.get(f"{stored(use.root)}{LIST_SEPARATOR}{stored(use.project)}", ()))
        for use in projects
    )


def _agents(selection: _Selection) -> tuple[AgentUse, ...]:
    order = "GROUP BY s.agent ORDER BY count(*) DESC, s.agent"
    agents = selection.select(_AGENT_USE, f"{_TURNS} {selection.where} {order}")
    models = _models_by(selection, "s.agent")
    return tuple(replace(use, models=models.get(stored(use.agent), ())) for use in agents)


def _models_by(selection: _Selection, key: str) -> dict[str, tuple[ModelUse, ...]]:
    """The turns and tokens by model, for each value of an expression."""
    models: dict[str, tuple[ModelUse, ...]] = {}
    for value, use in models_by(selection.snapshot, key, f"{_TURNS} {selection.where}", selection.parameters):
        models[value] = (*models.get(value, ()), use)
    return models
