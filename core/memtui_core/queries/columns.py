"""Rows of a query as dataclasses: each row type declares its columns once, by the names of its fields.

Example:
    _TOOL = Columns(ToolUse, tool=label("b.tool"), calls="count(*)", last=timestamp("max(b.at_time)"))
    tools = _TOOL.select(snapshot, "FROM blocks b GROUP BY b.tool")

"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import methodcaller
from typing import Any, Generic, TypeVar

from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import RowSource
from memtui_core.text import controls
from memtui_core.text.paths import shown_path

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Column:
    """An SQL expression, and the conversion of its values."""

    sql: str
    convert: Callable[[Any], Any]
    """Converts a value other than NULL."""
    null: Any = None
    """Stands for NULL."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """An SQL expression whose values are keys of a mapping that the source has."""

    sql: str
    mapping: Callable[[RowSource], Mapping[Any, Any]]
    empty: Any
    """Stands for an empty value."""


def timestamp(sql: str) -> Column:
    """A time of the database, which has no zone: an aware time in UTC."""
    return Column(sql, methodcaller("replace", tzinfo=UTC))


def label(sql: str) -> Column:
    """The name of something, safe to show (`controls.label`)."""
    return Column(sql, controls.label)


def path(sql: str) -> Column:
    """The path of a file, safe to show, with `~` for the home folder (`paths.shown_path`)."""
    return Column(sql, path_label)


def path_label(stored: str) -> str:
    """A stored path, safe to show, with `~` for the home folder."""
    shown = shown_path(stored)
    return controls.label(stored) if shown == stored else controls.Label(controls.label(shown), stored)


def labels(sql: str) -> Column:
    """A list of names: a tuple of them, empty for NULL."""
    return Column(sql, lambda names: tuple(map(controls.label, names)), ())


def title(sql: str) -> Column:
    """A title, safe to show (`controls.title`)."""
    return Column(sql, controls.title)


class Columns(Generic[Row]):
    """The columns of a row type: an SQL expression for each field."""

    def __init__(self, row_type: type[Row], **columns: str | Column | Lookup) -> None:
        """Take the expressions by the names of the fields, in any order; the last fields may keep their defaults.

        Raises TypeError for a name that is no field, and for a field that is missing between others.
        """
        names = list(row_type.__match_args__)[: len(columns)]  # type: ignore[attr-defined]
        if set(names) != set(columns):
            raise TypeError(f"the columns of {row_type.__name__} are not its first fields: {', '.join(columns)}")
        ordered = [columns[name] for name in names]
        self._row_type = row_type
        self._select = ", ".join(column if isinstance(column, str) else column.sql for column in ordered)
        self._conversions = [(index, column) for index, column in enumerate(ordered) if isinstance(column, Column)]
        self._lookups = [(index, column) for index, column in enumerate(ordered) if isinstance(column, Lookup)]

    def select(self, source: RowSource, rest: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """The rows of a query; `rest` is the statement from FROM on."""
        values: list[Any] = list(zip(*source.rows(f"SELECT {self._select} {rest}", parameters), strict=True))
        return list(self._rows(source, values))

    def select_by(
        self, source: RowSource, key: str, rest: str, parameters: Sequence[Any] = ()
    ) -> Iterable[tuple[Any, Row]]:
        """The same, each row after the value of one more expression."""
        values: list[Any] = list(zip(*source.rows(f"SELECT {key}, {self._select} {rest}", parameters), strict=True))
        return zip(values[0], self._rows(source, values[1:]), strict=True) if values else ()

    def _rows(self, source: RowSource, values: list[Any]) -> Iterable[Row]:
        """The rows of values by column, which are converted faster than by row."""
        if values:
            for index, column in self._lookups:
                try:
                    values[index] = _looked_up(source, column, values[index])
                except KeyError:
                    if not isinstance(source, Snapshot):
                        raise
                    # Rows were added to tables in memory after the names had been read.
                    source.forget_cached()
                    values[index] = _looked_up(source, column, values[index])
            for index, converted in self._conversions:
                convert, null = converted.convert, converted.null
                values[index] = [null if value is None else convert(value) for value in values[index]]
        return map(self._row_type, *values) if values else ()


def _looked_up(source: RowSource, column: Lookup, keys: Iterable[Any]) -> list[Any]:
    by_key = column.mapping(source)
    return [by_key[key] or column.empty for key in keys]


def utc(at: datetime | None) -> datetime | None:
    """A time of the database as an aware one: DuckDB returns times without a zone, and all of them are UTC."""
    return None if at is None else at.replace(tzinfo=UTC)
