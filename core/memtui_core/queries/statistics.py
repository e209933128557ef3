"""How much was done, when and with what: counts over the index, for one project or all and for a span of days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

from memtui_core.queries.transcripts import safe, with_zone
from memtui_core.store.reader import Snapshot

MOST_DAYS = 3660
"""Days that a series can have: a clock that once stood at 1970 must not make one of twenty thousand."""
MOST_FILES = 200
"""Files that are told of; the totals count all."""

_TURNS = "FROM turns t JOIN sessions s ON s.key = t.session"


@dataclass(frozen=True, slots=True)
class DayCount:
    """One day in the person's time zone."""

    day: date
    sessions: int
    """Sessions that have a turn begun on this day; those that another session started are no sessions here."""
    turns: int
    """All turns begun on it, those of subagents too."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool over all turns."""

    tool: str
    calls: int
    errors: int
    """Results with the error flag."""


@dataclass(frozen=True, slots=True)
class FileUse:
    """A file of a project; the counts are turns, and one turn can do all three."""

    path: str
    project: str
    root: str
    turns: int
    edited: int
    read: int
    mentioned: int


@dataclass(frozen=True, slots=True)
class ModelUse:
    """A model over all turns that it answered."""

    model: str
    """A turn that several models answered counts for them together, `a + b`: its tokens are known as one sum only."""
    turns: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int


@dataclass(frozen=True, slots=True)
class Totals:
    """Everything together; a turn without a time, or of a day to come, counts unless only some days are asked for."""

    sessions: int = 0
    subagents: int = 0
    """Sessions that another session started; `sessions` does not count them."""
    turns: int = 0
    tool_calls: int = 0
    errors: int = 0
    files: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    first: datetime | None = None
    """When the first turn began."""
    last: datetime | None = None
    """When the last turn began."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """The answer; empty tuples where there is nothing."""

    root: str | None
    """The project that it speaks of; None for all."""
    days: int | None
    """How many days up to today it speaks of; None for all time."""
    totals: Totals
    series: tuple[DayCount, ...]
    """Every day from the first to today, those without work too."""
    tools: tuple[ToolUse, ...]
    """Most calls first."""
    files: tuple[FileUse, ...]
    """The MOST_FILES that most turns touched, those first."""
    models: tuple[ModelUse, ...]
    """Most turns first."""


def statistics(
    snapshot: Snapshot,
    root: str | None = None,
    days: int | None = None,
    *,
    now: datetime | None = None,
    zone: tzinfo | None = None,
) -> Statistics:
    """Count what was done in the project with this root, else in all, on the last `days` days, else ever.

    Today is one of the days. They begin and end by the clock of `zone`, else by that of this machine. A turn counts
    for the day on which it began. Hidden sessions count nowhere.
    """
    today = (now or datetime.now(UTC)).astimezone(zone).date()
    first = today - timedelta(days=max(1, min(days, MOST_DAYS)) - 1) if days is not None else None
    tomorrow = _start(today + timedelta(days=1), zone)
    scope = _Scope.of(root, (_start(first, zone), tomorrow) if first else None)
    totals = _totals(snapshot, scope)
    if first is None:
        began = totals.first.astimezone(zone).date() if totals.first else today + timedelta(days=1)
        first = max(began, today - timedelta(days=MOST_DAYS - 1))
    return Statistics(
        root,
        days,
        totals,
        _series(snapshot, scope, first, today, zone),
        _tools(snapshot, scope),
        _files(snapshot, scope),
        _models(snapshot, scope),
    )


@dataclass(frozen=True, slots=True)
class _Scope:
    """A condition over turns `t` and sessions `s`."""

    where: str
    parameters: Sequence[Any]

    @classmethod
    def of(cls, root: str | None, span: tuple[datetime, datetime] | None) -> _Scope:
        where, parameters = "WHERE NOT s.hidden", list[Any]()
        if root is not None:
            where, parameters = f"{where} AND s.root = ?", [root]
        if span is not None:
            where, parameters = f"{where} AND t.started_at >= ? AND t.started_at < ?", [*parameters, *span]
        return cls(where, parameters)


def _totals(snapshot: Snapshot, scope: _Scope) -> Totals:
    [row] = snapshot.rows(
        "SELECT count(DISTINCT s.key) FILTER (s.parent IS NULL), count(DISTINCT s.key) FILTER (s.parent IS NOT NULL),"
        " count(*), coalesce(sum(t.tool_calls), 0)::BIGINT, coalesce(sum(t.errors), 0)::BIGINT,"
        f" {_TOKENS}, min(t.started_at), max(t.started_at) {_TURNS} {scope.where}",
        scope.parameters,
    )
    [(files,)] = snapshot.rows(
        f"SELECT count(*) FROM (SELECT DISTINCT s.root, m.path {_TURNS} JOIN file_mentions m ON m.turn = t.id"
        f" {scope.where} AND NOT m.is_dir)",
        scope.parameters,
    )
    values = with_zone(row, 9, 10)
    values.insert(5, files)
    return Totals(*values)


_TOKENS = ", ".join(
    f"coalesce(sum(t.{name}_tokens), 0)::BIGINT" for name in ("input", "output", "cache_read", "cache_write")
)


def _series(snapshot: Snapshot, scope: _Scope, first: date, today: date, zone: tzinfo | None) -> tuple[DayCount, ...]:
    """The days, each with what began between its midnight and the next: so no zone has to be known to the store."""
    if first > today:
        return ()
    days = [first + timedelta(days=place) for place in range((today - first).days + 1)]
    starts = [_start(day, zone) for day in [*days, today + timedelta(days=1)]]
    # Times go as one text: a list as a parameter costs ten times as much.
    rows = snapshot.rows(
        "SELECT start, count(*) FILTER (parent IS NULL), sum(turns)::BIGINT FROM ("
        f"SELECT d.start, s.key, s.parent, count(*) AS turns {_TURNS}"
        " ASOF JOIN (SELECT unnest(string_split(?, ','))::TIMESTAMP AS start) d ON t.started_at >= d.start"
        f" {scope.where} GROUP BY ALL) GROUP BY start",
        [",".join(map(str, starts)), *scope.parameters],
    )
    found = {start: counts for start, *counts in rows}
    return tuple(DayCount(day, *found.get(start, (0, 0))) for day, start in zip(days, starts, strict=False))


def _start(day: date, zone: tzinfo | None) -> datetime:
    """The first moment of a day, in UTC and without a zone as the store has it."""
    return datetime.combine(day, time(), zone).astimezone(UTC).replace(tzinfo=None)


def _tools(snapshot: Snapshot, scope: _Scope) -> tuple[ToolUse, ...]:
    rows = snapshot.rows(
        "SELECT b.tool, count(*) FILTER (b.kind = 'tool_call') AS calls,"
        " count(*) FILTER (b.kind = 'tool_result' AND b.is_error)"
        f" {_TURNS} JOIN blocks b ON b.turn = t.id {scope.where} AND b.kind IN ('tool_call', 'tool_result')"
        " GROUP BY b.tool HAVING b.tool IS NOT NULL AND calls > 0 ORDER BY calls DESC, b.tool",
        scope.parameters,
    )
    return tuple(ToolUse(*safe(row, labels=(0,))) for row in rows)


def _files(snapshot: Snapshot, scope: _Scope) -> tuple[FileUse, ...]:
    """One row a turn and file first, so that nothing has to be counted as distinct."""
    kinds = ("edited", "read", "mentioned")
    each = ", ".join(f"bool_or(m.kind = '{kind}') AS {kind}" for kind in kinds)
    counts = ", ".join(f"count(*) FILTER ({kind}) AS {kind}" for kind in kinds)
    rows = snapshot.rows(
        f"SELECT path, project, root, count(*) AS turns, {counts} FROM ("
        f"SELECT m.path, s.project, s.root, {each} {_TURNS} JOIN file_mentions m ON m.turn = t.id"
        f" {scope.where} AND NOT m.is_dir GROUP BY m.path, s.project, s.root, m.turn)"
        f" GROUP BY path, project, root ORDER BY turns DESC, 5 DESC, 6 DESC, path, root LIMIT {MOST_FILES}",
        scope.parameters,
    )
    return tuple(FileUse(*safe(row, labels=(0, 1, 2))) for row in rows)


def _models(snapshot: Snapshot, scope: _Scope) -> tuple[ModelUse, ...]:
    """A turn that nothing answered has neither a model nor tokens."""
    rows = snapshot.rows(
        f"SELECT array_to_string(t.models, ' + ') AS model, count(*) AS turns, {_TOKENS} {_TURNS} {scope.where}"
        " AND len(t.models) > 0 GROUP BY model ORDER BY turns DESC, model",
        scope.parameters,
    )
    return tuple(ModelUse(*safe(row, labels=(0,))) for row in rows)
