"""What the user keeps out of the index: folders, projects and agents, and how much is kept of all others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path, PurePath, PureWindowsPath
from typing import Final

from memtui_core.model import RETENTIONS, Retention

_PROJECT: Final = "project:"
_AGENT: Final = "agent:"
_PART: Final = re.compile(r"\*|\?|[^*?]+")
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
_ANY_FOLDERS: Final = re.compile(r"(\*\*+(?:/\*\*+)*/?)")
_END: Final = r"(?:/|\Z|(?<=/))"
"""After a path that is excluded, or before what is in it."""
_WILDCARDS: Final = {"*": "[^/]*?", "?": "[^/]"}


class Exclusions:
    """Patterns of what is not indexed.

    `agent:NAME` is an agent by its id, `project:NAME` a project by its name, and anything else a folder or file with
    everything in it: `~/private`, `/srv/*/secret`, `payroll`. In a path, `*` and `?` stand for characters of one name,
    `**` for any number of folders; a path that does not start at the root or at `~` is found in any folder. A session
    is excluded by the folder in which it worked, and by the path of its transcript.
    """

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self.patterns = tuple(patterns)

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exclusions) and self.patterns == other.patterns

    def __hash__(self) -> int:
        return hash(self.patterns)

    def excludes_agent(self, agent: str) -> bool:
        """Whether nothing of an agent is indexed, given its id."""
        return agent.casefold() in self._agents

    def excludes_path(self, path: str | PurePath) -> bool:
        """Whether a file or folder is excluded, or inside an excluded folder."""
        folders = self._folders
        return folders is not None and bool(path) and folders.match(_with_slashes(path)) is not None

    def excludes_session(self, agent: str, project: str, *folders: str) -> bool:
        """Whether a session is excluded, given its agent, the name of its project and its folders."""
        return (
            self.excludes_agent(agent)
            or project.casefold() in self._projects
            or any(self.excludes_path(folder) for folder in folders)
        )

    @cached_property
    def _agents(self) -> frozenset[str]:
        return self._values(_AGENT)

    @cached_property
    def _projects(self) -> frozenset[str]:
        return self._values(_PROJECT)

    def _values(self, prefix: str) -> frozenset[str]:
        return frozenset(
            pattern.removeprefix(prefix).casefold() for pattern in self.patterns if pattern.startswith(prefix)
        )

    @cached_property
    def _folders(self) -> re.Pattern[str] | None:
        patterns = [one for one in self.patterns if not one.startswith((_PROJECT, _AGENT))]
        return re.compile("|".join(map(_expression, patterns)), re.DOTALL) if patterns else None


NOTHING: Final = Exclusions()
"""Excludes nothing."""


def _expression(pattern: str) -> str:
    """The regular expression of a path pattern; it matches the folder itself and everything in it."""
    path = _with_slashes(Path(pattern).expanduser())
    has_drive = _DRIVE.match(path) is not None
    if not (path.startswith("**") or has_drive or PurePath(path).is_absolute()):
        path = f"**/{path}"
    while path.endswith("/**") or (path.endswith("/") and len(path) > 1):
        path = path.removesuffix("/**").removesuffix("/")
    first, *others = _ANY_FOLDERS.split(path)
    parts = [_names(first)]
    # Each part is found at its first place, and no other place is tried: several `**` would take very long otherwise.
    for separator, part in zip(others[::2], others[1::2], strict=True):
        between = "(?:.*?/)??" if separator.endswith("/") else ".*?"
        parts.append(f"(?>{between}{_names(part)}{_END if part is others[-1] else ''})")
    expression = "".join(parts) + ("" if others else _END)
    # Windows ignores the case of names.
    return f"(?{'i' if has_drive else ''}:{expression})"


def _names(text: str) -> str:
    """The regular expression of a part of a path without `**`."""
    return "".join(_WILDCARDS.get(part) or re.escape(part) for part in _PART.findall(text))


def _with_slashes(path: str | PurePath) -> str:
    """A path with forward slashes; a transcript from Windows can be read on any system."""
    text = str(path)
    return PureWindowsPath(text).as_posix() if _DRIVE.match(text) else PurePath(path).as_posix()


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
