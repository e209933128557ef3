"""`memtui config`: the settings file, written in the user's editor and checked."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.options import json_option, reports_errors
from memtui.cli.output import confirmed, print_json, say, show, write
from memtui_core.errors import MemtuiError

if TYPE_CHECKING:
    from memtui.settings.reading import Mistake


@click.command()
@click.option("--path", "what", flag_value="path", help="Print where the file is.")
@click.option("--default", "what", flag_value="default", help="Print every setting with its comment, and all keys.")
@click.option("--check", "what", flag_value="check", help="Say what is wrong in the file; ends with 1 if anything is.")
@click.option("--schema", "what", flag_value="schema", help="Print the JSON schema of the file.")
@json_option
@reports_errors
def config(what: str | None, as_json: bool) -> None:
    """Open the settings in your editor, and check them when it is closed.

    The editor is $VISUAL or $EDITOR. A file that does not exist is created with every setting as a comment. With
    --json the settings in effect are printed, and where each comes from.
    """
    if what is not None and as_json:
        raise click.UsageError(f"--{what} has no use with --json.")
    from memtui_core.system import locations

    path = locations.config_file()
    if as_json:
        print_json(_in_effect(path))
    elif what == "path":
        show(str(path))
    elif what == "default":
        from memtui.browse.actions.settings_file import default_settings

        write(default_settings())
    elif what == "schema":
        from memtui.browse.actions.settings_file import settings_schema
        from memtui.settings.documents import schema_text

        write(schema_text(settings_schema()))
    elif what == "check":
        _check(path)
    else:
        _edit(path)


def _check(path: Path) -> None:
    """Print all mistakes, and exit with 1 if there is one."""
    from memtui.browse.actions.settings_file import mistakes_in_file
    from memtui.settings.config import settings_text

    if settings_text(path) is None:
        say(f"There is no file {path}: the defaults count.")
        return
    mistakes = mistakes_in_file(path)
    _print(mistakes, path)
    if mistakes:
        sys.exit(1)
    say(f"{path} has no mistakes.")


def _print(mistakes: Sequence[Mistake], path: Path) -> None:
    for mistake in mistakes:
        show(mistake.at(path))


def _edit(path: Path) -> None:
    """Open the editor until the settings are right or the user leaves them; exit with 1 if something is wrong."""
    from memtui.system.editor import editor_command

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise MemtuiError(f"An editor needs a terminal. {_place(path)}")
    line = None
    while True:
        command = editor_command(path, line, waits=True)
        if command is None:
            raise MemtuiError(f"No editor was found. Set $EDITOR to the command of yours. {_place(path)}")
        from memtui.browse.actions.settings_file import mistakes_in_file, prepare

        if prepare(path):
            say(f"Created {path}.")
        _run(command)
        mistakes = mistakes_in_file(path)
        if not path.exists():
            say(f"There is no file {path}: the defaults count.")
            return
        if not mistakes:
            say(f"{path} has no mistakes. A running app uses it from its next start.")
            return
        _print(mistakes, path)
        if not confirmed("Edit it again?"):
            sys.exit(1)
        line = mistakes[0].line


def _place(path: Path) -> str:
    """Where the settings are, in a sentence; or that there is no file yet, and how to write one without an editor."""
    if path.exists():
        return f"The settings are in {path}; memtui config --check checks them."
    return f"There is no file {path} yet: the defaults count. memtui config --default prints one to begin with."


def _run(command: Sequence[str]) -> None:
    from memtui_core.system.private_files import users_mask

    try:
        code = subprocess.run(command, check=False, umask=users_mask()).returncode
    except OSError as error:
        raise MemtuiError(f"The editor {command[0]} cannot be started: {error.strerror or error}.") from error
    if code:
        raise MemtuiError(f"The editor {command[0]} ended with {code}; nothing was checked.")


def _in_effect(path: Path) -> list[dict[str, Any]]:
    """Every setting with its value and its origin. Raises ConfigError."""
    from memtui.settings.config import load_config, settings_text
    from memtui.settings.declared import SETTINGS
    from memtui.settings.reading import read_settings

    load_config(path)
    read = read_settings(settings_text(path) or "", with_lines=True)
    return [
        {
            "name": setting.name,
            "value": read.given.get(setting, setting.default),
            "default": setting.default,
            "origin": str(path) if setting in read.given else "default",
            "line": read.lines.get(setting.keys),
        }
        for setting in SETTINGS
    ]
