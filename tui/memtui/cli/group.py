"""The group of all commands. Its own messages are sanitized too: an error may quote any argument."""

from __future__ import annotations

import builtins
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from keyword import iskeyword
from typing import Any, NamedTuple, NoReturn

import click

from memtui.cli.output import say


class CommandEntry(NamedTuple):
    """A command, which is imported when it is needed."""

    name: str
    module: str
    """The module that has the command under its name; a word of Python has an underline behind it there."""

    def command(self) -> click.Command:
        """Import the command. Raises TypeError for one without help, of which `memtui --help` would say nothing."""
        is_of_python = iskeyword(self.name) or hasattr(builtins, self.name)
        command: click.Command = getattr(import_module(self.module), f"{self.name}{'_' * is_of_python}")
        if not command.help:
            raise TypeError(f"The command {self.name} has no help: its function needs a docstring.")
        return command


class CommandGroup(click.Group):
    """The commands of `entries`. It prints the errors of click through `output.say`."""

    def __init__(self, *args: Any, entries: Sequence[CommandEntry], **extra: Any) -> None:
        super().__init__(*args, **extra)
        self._entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, sorted."""
        return sorted(entry.name for entry in self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name; None if there is none."""
        return next((entry.command() for entry in self._entries if entry.name == cmd_name), None)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments begin with. Raises UsageError if there is none of this name."""
        is_known = args[0].startswith("-") or self.get_command(ctx, args[0]) is not None
        if not is_known and not ctx.resilient_parsing:
            from memtui.cli.mistyped import no_such_command

            raise no_such_command(args[0], self, ctx)
        return super().resolve_command(ctx, args)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parse the options of the group."""
        with _printed_errors():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Parse the options of a command and run it."""
        with _printed_errors():
            return super().invoke(ctx)


@contextmanager
def _printed_errors() -> Iterator[None]:
    try:
        yield
    except click.NoSuchOption as error:
        from memtui.cli.mistyped import no_such_option

        _fail(no_such_option(error.option_name, error.ctx))
    except click.ClickException as error:
        _fail(error)


def _fail(error: click.ClickException) -> NoReturn:
    message = io.StringIO()
    error.show(message)
    say(message.getvalue().rstrip("\n"))
    sys.exit(error.exit_code)
