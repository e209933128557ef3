"""The families of tools, and the arguments with the path, the command and the texts, by the names that agents use.

The names are declared by the profiles of the agents. Names of tools are compared in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from itertools import chain
from typing import Any, Final, Literal

from memtui_core import tools
from memtui_core.tools.profile import Names, Profile

Family = Literal["read", "edit", "write", "shell", "search", "web", "task", "plan", "other"]
"""read and write: one file; edit: parts of files; search: files by name or content; task: hands work to a subagent;
plan: keeps the agent's own list of things to do."""

PATCH: Final = "patch"
"""The argument in which memtui puts the patches that a shell or a script applies, joined."""
_FAMILIES: Final[Mapping[str, Family]] = {
    "reads": "read",
    "edits": "edit",
    "editors": "edit",
    "writes": "write",
    "shells": "shell",
    "reading_shells": "shell",
    "searches": "search",
    "listings": "search",
    "web": "web",
    "tasks": "task",
    "plans": "plan",
}
"""The families of the tools in the fields of a profile."""
_OTHER_TOOLS: Final = (
    *("scripts", "quiet_listings", "bookkeeping", "reports", "todo_lists", "task_creations", "task_updates"),
    *("questions", "proposals", "conclusions"),
)
"""The other fields of a profile with names of tools that count in any case."""
_EDITOR_COMMANDS: Final[Mapping[str, Family]] = {"view": "read", "create": "write", "write": "write"}
_LINES = re.compile(r":\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*\Z")
"""Lines to read, as Oh My Pi writes them: `src/app.py:20-40,60`."""
_CHANGES = re.compile(r"edit|write|replace|insert|patch|delete|rename|move")


@cache
def vocabulary() -> Vocabulary:
    """The names that all agents use, merged when the first tool call is interpreted."""
    return Vocabulary(tools.profiles_of_agents())


class Vocabulary:
    """The names that some agents use. Of profiles that contradict each other, the first one counts."""

    def __init__(self, profiles: Iterable[Profile]) -> None:
        profiles = list(profiles)
        self.names = _merged(profiles)
        """All names, without duplicates; those of tools in lower case."""
        self._families: dict[str, Family] = {}
        for profile in profiles:
            for field, family in _FAMILIES.items():
                for name in getattr(profile, field):
                    self._families.setdefault(name.lower(), family)

    @cached_property
    def shells(self) -> frozenset[str]:
        """All shells."""
        return frozenset(name for name, family in self._families.items() if family == "shell")

    @cached_property
    def argument_with_path(self) -> re.Pattern[str]:
        """Found in the JSON of an input that may have an argument with a path."""
        return re.compile("|".join([*(f'"{name}"' for name in self.names.paths), r'"input":"(?:\\n|\s)*[\[¶]']))

    @cached_property
    def exit_phrase(self) -> re.Pattern[str]:
        """The exit code, as group 1, after a phrase."""
        return re.compile(rf"(?:{'|'.join(self.names.exit_phrases)}) *(-?\d+)", re.IGNORECASE)

    @cached_property
    def exit_line(self) -> re.Pattern[str]:
        """The exit code, as group 1, in a line that begins with a phrase."""
        return re.compile(rf"^(?:{'|'.join(self.names.exit_lines)})(-?\d+)", re.MULTILINE)

    @cached_property
    def result_head(self) -> re.Pattern[str]:
        """What the agent's program writes before the output of a command, at the start of a result."""
        return re.compile("|".join(self.names.result_heads))

    @cached_property
    def duration(self) -> re.Pattern[str]:
        """The seconds that a command took, in such a head; as one of the groups."""
        return re.compile("|".join(self.names.durations))

    @cached_property
    def error_phrase(self) -> re.Pattern[str]:
        """Found in an error that comes from the agent's own program."""
        return re.compile("|".join(self.names.error_phrases))

    def family_of(self, name: str) -> Family:
        """The family of a tool by its name, ignoring case."""
        return self._families.get(name.lower(), "other")

    def asks_user(self, name: str) -> bool:
        """Whether a call of a tool waits for the user, by its name: it asks a question, or proposes a plan."""
        return name.lower() in self.names.questions or name.lower() in self.names.proposals

    def may_edit(self, name: str) -> bool:
        """Whether a tool can change files, by its name."""
        family = self.family_of(name)
        return family in {"edit", "write", "shell"} or (family == "other" and _CHANGES.search(name.lower()) is not None)

    def call_family(self, name: str, fields: Mapping[str, Any]) -> Family:
        """The family of a call: a tool that no profile has counts as edit if its name says so and it has a path.

        So does a shell that only applies a patch. `fields` are the input as `meaning.meaning_of` returns it.
        """
        if name.lower() in self.names.editors and isinstance(command := fields.get("command"), str):
            return _EDITOR_COMMANDS.get(command, "edit")
        family = self.family_of(name)
        if family == "shell" and text_of(fields, (PATCH,)) and not self.command_of(fields):
            return "edit"
        return "edit" if family == "other" and self.may_edit(name) and text_of(fields, self.names.paths) else family

    def path_of(self, fields: Mapping[str, Any]) -> str:
        """The file or folder of a call, or of the first of its operations or files, without numbers of lines after it.

        It is empty if there is none, or an address.
        """
        operations = fields.get("operations", fields.get("files"))
        first = operations[0] if isinstance(operations, list) and operations else None
        paths = self.names.paths
        path = text_of(fields, paths) or (text_of(first, paths) if isinstance(first, dict) else "")
        return "" if "://" in path else _LINES.sub("", path)

    def file_of(self, name: str, fields: Mapping[str, Any]) -> str:
        """The one file that a call reads, edits or writes, as the agent wrote it; empty for other calls."""
        return self.path_of(fields) if self.family_of(name) in {"read", "edit", "write"} else ""

    def command_of(self, fields: Mapping[str, Any]) -> str:
        """The shell command of a call.

        Of a list of words it is the script after `-c`, or all words joined; of several commands, each on a line.
        """
        name = next((name for name in self.names.commands if name in fields), "")
        value = fields.get(name, "")
        if name == "commands":
            return "\n".join(_listed(value))
        if isinstance(value, list):
            words = [word for word in value if isinstance(word, str)]
            return words[2] if len(words) == 3 and words[1] in {"-c", "-lc"} else " ".join(words)
        return value if isinstance(value, str) else ""


def text_of(fields: Mapping[str, Any], names: Names) -> str:
    """The first of some arguments that is a string and not empty; otherwise the empty string."""
    for name in names:
        if isinstance(value := fields.get(name), str) and value:
            return value
    return ""


def _merged(profiles: Iterable[Profile]) -> Profile:
    fields: dict[str, Any] = {}
    for field in Profile.__match_args__:
        names = chain.from_iterable(getattr(profile, field) for profile in profiles)
        in_any_case = field in _FAMILIES or field in _OTHER_TOOLS
        fields[field] = tuple(dict.fromkeys(name.lower() for name in names) if in_any_case else dict.fromkeys(names))
    return Profile(**fields)


def _listed(value: Any) -> list[str]:
    """Several commands: a list, or a list as JSON in a text, or one command."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        import json

        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return [value]
    if isinstance(value, list):
        commands = [item.get("command") if isinstance(item, dict) else item for item in value]
        return [command for command in commands if isinstance(command, str)]
    return [value] if isinstance(value, str) else []
