"""The group of all commands, whose own messages are safe too: an error quotes what it was given."""

from __future__ import annotations

import io
import sys
from typing import Any

import click

from memtui.cli.output import say


class SafeGroup(click.Group):
    """A group that prints the errors of click by `say`."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run a command; click's own `main`, but for how it tells an error."""
        if not standalone_mode:
            return super().main(*args, standalone_mode=False, **extra)
        try:
            code = super().main(*args, standalone_mode=False, **extra)
        except click.ClickException as error:
            told = io.StringIO()
            error.show(told)
            say(told.getvalue().rstrip("\n"))
            sys.exit(error.exit_code)
        except click.Abort:
            say("Aborted!")
            sys.exit(1)
        # A command returns nothing; what click returns is the code of `context.exit`.
        sys.exit(code if isinstance(code, int) else 0)
