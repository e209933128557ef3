"""Searches that find the turns of a part of the statistics."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from memtui.widgets.requests.target import SearchedProject, TurnSearch
from memtui_core.text.controls import stored
from memtui_core.text.paths import is_absolute

if TYPE_CHECKING:
    from memtui_core.index.statistics import FileUse, ProjectUse, Statistics


class Filters:
    """Searches within the project and the days of statistics."""

    def __init__(self, statistics: Statistics, label: str) -> None:
        root = statistics.root
        self._project = None if root is None else SearchedProject(root or label, label)
        is_all_time = statistics.days is None or not statistics.series
        self._days = "" if is_all_time else f"after:{statistics.series[0].day.isoformat()}"

    def day(self, day: date) -> TurnSearch:
        """The turns of one day."""
        days = f"after:{day.isoformat()} before:{(day + timedelta(days=1)).isoformat()}"
        return TurnSearch(days, self._project)

    def whole_value(self, name: str, value: str) -> TurnSearch:
        """The turns for which a filter has exactly a value."""
        return TurnSearch(self._query(_filter(name, f"={value}")), self._project)

    def file(self, file: FileUse) -> TurnSearch:
        """The turns that touched a file, in its project: others can have a file of the same path."""
        is_in_project = not is_absolute(file.path)
        condition = _filter("file", file.path if is_in_project else stored(file.path))
        return TurnSearch(self._query(condition), self._project or (_searched(file) if is_in_project else None))

    def project(self, project: ProjectUse) -> TurnSearch:
        """The turns of a project."""
        return TurnSearch(self._days, _searched(project))

    def _query(self, condition: str) -> str:
        return f"{condition} {self._days}".rstrip()


def _searched(use: FileUse | ProjectUse) -> SearchedProject:
    return SearchedProject(use.root or use.project, use.project)


def _filter(name: str, value: str) -> str:
    """A filter, in quotes where it has to be."""
    return f'{name}:"{value}"' if any(map(str.isspace, value)) or not value else f"{name}:{value}"
