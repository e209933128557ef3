"""Mistyped names of commands and options: refused, with what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable

import click

from memtui.wording.suggestion import suggestion


class QueryCommand(click.Command):
    """A command with a query, of which words may look like options: `--no-verify`.

    A word that resembles an option of the command is refused, as it is hardly ever meant as text. Whatever follows
    `--` is text, and so is a word with blanks, which was typed in quotes.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options and the words. Raises UsageError for a mistyped option."""
        options = {name: option for option in self.get_params(ctx) for name in option.opts}
        # What is being completed is not mistyped.
        words = iter(() if ctx.resilient_parsing else args)
        for word in words:
            if word == "--":
                break
            name, equals, _ = word.partition("=")
            option = options.get(name)
            if isinstance(option, click.Option) and not option.is_flag and not equals:
                next(words, None)
            elif option is None and word.startswith("--") and not any(map(str.isspace, word)):
                _refuse_mistyped(name, options, ctx)
        return super().parse_args(ctx, args)


def no_such_command(name: str, group: click.Group, ctx: click.Context) -> click.UsageError:
    """The error for a command that does not exist."""
    return click.UsageError(f"No such command {name!r}.{suggestion(name, group.list_commands(ctx))}", ctx)


def no_such_option(name: str, ctx: click.Context | None) -> click.UsageError:
    """The error for an option that a command does not have."""
    options = [option for option in ctx.command.get_params(ctx) if isinstance(option, click.Option)] if ctx else []
    names = [name for option in options for name in option.opts]
    return click.UsageError(f"No such option {name!r}.{suggestion(name, names)}", ctx)


def _refuse_mistyped(name: str, options: Iterable[str], ctx: click.Context) -> None:
    if meant := suggestion(name, options):
        message = f"No such option {name!r}.{meant} What follows -- is text: memtui {ctx.info_name} -- {name}"
        raise click.UsageError(message, ctx)
