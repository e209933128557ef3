"""The group of all commands. Its own messages are sanitized too: an error may quote any argument."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from memtui.cli.output import say


class SafeGroup(click.Group):
    """A group that prints the errors of click through `output.say`."""

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
    except click.ClickException as error:
        message = io.StringIO()
        error.show(message)
        say(message.getvalue().rstrip("\n"))
        sys.exit(error.exit_code)
