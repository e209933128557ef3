"""Queries that find the turns of a part of the statistics."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui_core.queries.statistics import ProjectUse, Statistics


class Filters:
    """Queries within the project and the days of statistics."""

    def __init__(self, statistics: Statistics, label: str) -> None:
        self._project = [] if statistics.root is None else [_filter("project", statistics.root or label)]
        is_all_time = statistics.days is None or not statistics.series
        self._days = [] if is_all_time else [f"after:{statistics.series[0].day.isoformat()}"]

    def day(self, day: date) -> str:
        """The turns of one day."""
        return " ".join([*self._project, f"after:{day.isoformat()}", f"before:{(day + timedelta(days=1)).isoformat()}"])

    def value(self, name: str, value: str) -> str:
        """The turns for which a filter has a value."""
        return " ".join([_filter(name, value), *self._project, *self._days])

    def whole_value(self, name: str, value: str) -> str:
        """The turns for which a filter has exactly a value."""
        return self.value(name, f"={value}")

    def project(self, project: ProjectUse, names: list[str]) -> str:
        """The turns of a project; if others of the `names` are the same, by its folder."""
        is_unique = names.count(project.project) == 1 or not project.root
        return " ".join([_filter("project", project.project if is_unique else project.root), *self._days])


def _filter(name: str, value: str) -> str:
    """A filter, in quotes where it has to be."""
    return f'{name}:"{value}"' if any(map(str.isspace, value)) or not value else f"{name}:{value}"
