"""How much of a session is kept, as the settings say for its project: everything, its texts, or titles and counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from memtui_core.model import RETENTIONS, Retention
from memtui_core.readers.exclusions import Exclusions

DEFAULT: Final = "default"
"""The key of the setting for all projects that no other key names."""


class RetentionRules:
    """What is kept of the sessions of projects, by their names, or of folders with everything in them.

    A key with a slash, or with `~` at its start, is a folder as in the setting `exclude`, any other one the name of a
    project. Of several keys that fit, the one counts that keeps the least.
    """

    def __init__(self, levels: Mapping[str, Retention] | None = None) -> None:
        self.levels: Mapping[str, Retention] = dict(levels or {})
        self._default: Retention = self.levels.get(DEFAULT, "full")
        named = [(key, level) for key, level in self.levels.items() if key != DEFAULT]
        self._projects = [(key.casefold(), level) for key, level in named if not is_folder(key)]
        self._folders = [(Exclusions([key]), level) for key, level in named if is_folder(key)]

    def __bool__(self) -> bool:
        return any(level != "full" for level in self.levels.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RetentionRules) and self.levels == other.levels

    def __hash__(self) -> int:
        return hash(frozenset(self.levels.items()))

    def level_of(self, project: str, *folders: str) -> Retention:
        """What is kept of a session, given the name of its project and its folders."""
        if not self:
            return "full"
        fitting = [level for key, level in self._projects if key == project.casefold()]
        fitting += [level for rule, level in self._folders if any(rule.excludes_path(folder) for folder in folders)]
        return max(fitting, key=RETENTIONS.index, default=self._default)


def is_folder(key: str) -> bool:
    """Whether a key of the setting is a folder and not the name of a project."""
    return "/" in key or "\\" in key or key.startswith("~")


KEEP_ALL: Final = RetentionRules()
"""Everything of every session is kept."""
