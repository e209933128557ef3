"""The table of commands by which a shell completes words, made of the commands themselves."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from pprint import pformat
from typing import Any, Final
from uuid import UUID

import click

from memtui_core.readers.base import Reader
from memtui_core.readers.new_session import NewMessage, NewSession
from memtui_core.readers.registry import connections, readers, starting_readers
from memtui_core.search.filters.registry import FILTERS
from tools.command_contexts import command_contexts, subcommands

ROOT: Final = Path(__file__).parent.parent
COMMAND_TABLE: Final = ROOT / "tui/memtui/cli/shell/command_table.py"
SCRIPTS: Final = COMMAND_TABLE.parent / "scripts"
_ABOUT: Final = 72
"""Characters of what is said of a command, an option or a filter."""


def _fixed(values: Iterable[str]) -> str:
    """The kind of a value that is one of a list."""
    return f"={' '.join(values)}"


def _is_written(reader: Reader) -> bool:
    """Whether memtui can write a session for an agent."""
    message = NewMessage("user", "Hello", datetime(2026, 1, 1, tzinfo=UTC))
    return reader.session_file(NewSession(str(UUID(int=0)), "", "/", None, (message,)), {}) is not None


_CONNECTED: Final = _fixed(connections())
KINDS: Final = {
    "session": "session",
    "sessions": "session",
    "names": "session|project",
    "what": "session|file",
    "at": "session",
    "turn": "session",
    "name": "project",
    "projects": "project",
    "agent": "agent",
    "tags": "tag",
    "query": "query",
    "matching": "query",
    "pattern": "file",
    "file": "file",
    "to": "path",
    "output": "path",
    "messages": "path",
    "data_dir": "data-dir",
}
"""What completes the value of a parameter, by its name: see `memtui.cli.shell.answer`. No other value is completed,"""
OF_COMMANDS: Final = {
    "disable agents": _CONNECTED,
    "enable agents": _CONNECTED,
    "handoff as_session": _fixed(reader.agent for reader in reversed(readers()) if _is_written(reader)),
    "handoff start": _fixed(reader.agent for reader in starting_readers()),
    "machine add name": "",
    "machine pull name": "machine",
    "machine remove name": "machine",
    "team forget session": "session",
    "team groups names": "",
}
"""but in these commands by the name of the command and the parameter."""


def command_table() -> str:
    """The module with all commands and the filters of a query."""
    commands = {" ".join(_path(context)): _command(context) for context in command_contexts()}
    filters = {one.name: _cut(one.leaves.replace("`", "")) for one in FILTERS}
    return (
        '"""All commands with their options, and the filters of a query; `make tables` writes it."""\n\n'
        "from __future__ import annotations\n\n"
        "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from typing import Any\n\n"
        "# fmt: off\n"
        f"COMMANDS: dict[str, Any] = {pformat(commands, width=118, sort_dicts=False)}\n"
        '"""By its names: options with what completes their values and what is said of them, what completes its\n'
        'arguments, whether the last of these repeats, and its own commands."""\n'
        f"FILTERS = {pformat(filters, width=118, sort_dicts=False)}\n"
    )


def _command(context: click.Context) -> dict[str, Any]:
    """A command with its options, its arguments and the commands below it."""
    path, parameters = _path(context), context.command.get_params(context)
    arguments = [one for one in parameters if isinstance(one, click.Argument)]
    return {
        "options": {
            name: (_kind(path, one), _cut(one.help or ""))
            for one in parameters
            if isinstance(one, click.Option) and not one.hidden
            for name in (*one.opts, *one.secondary_opts)
        },
        "arguments": [_kind(path, one) for one in arguments],
        "repeats": any(one.nargs == -1 for one in arguments),
        "commands": {name: _cut(one.help or "") for name, one in subcommands(context).items()},
    }


def _path(context: click.Context) -> list[str]:
    """The words that name a command after `memtui`."""
    return context.command_path.split()[1:]


def _kind(path: list[str], parameter: click.Parameter) -> str:
    """What completes the value of a parameter; empty for an option without a value, `text` for any value."""
    if isinstance(parameter, click.Option) and (parameter.is_flag or parameter.count):
        return ""
    name = parameter.name or ""
    known = OF_COMMANDS.get(" ".join((*path, name)), KINDS.get(name, ""))
    if isinstance(parameter.type, click.Choice):
        known = _fixed(map(str, parameter.type.choices))
    elif isinstance(parameter.type, click.Path) and known != "data-dir":
        known = "path" if parameter.type.file_okay else "folder"
    return known or "text"


def _cut(text: str) -> str:
    """The first sentence, cut at a blank if it is long."""
    sentence = " ".join(text.split("\n\n")[0].split()).split(". ")[0].removesuffix(".")
    if len(sentence) <= _ABOUT:
        return sentence
    return f"{sentence[:_ABOUT].rpartition(' ')[0].rstrip(',;')} …"


def main() -> None:
    """Write the file."""
    COMMAND_TABLE.write_text(command_table(), "utf-8")


if __name__ == "__main__":
    main()
