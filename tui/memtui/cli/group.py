"""The group of all commands, whose own messages are safe too: an error quotes what it was given."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from memtui.cli.output import say


class SafeGroup(click.Group):
    """A group that prints the errors of click as all else is printed."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the options of the group."""
        with _told():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Read the options of a command and run it."""
        with _told():
            return super().invoke(ctx)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except click.ClickException as error:
        told = io.StringIO()
        error.show(told)
        say(told.getvalue().rstrip("\n"))
        sys.exit(error.exit_code)
