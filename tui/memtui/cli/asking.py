"""Ask the user before a command changes something."""

from __future__ import annotations

import sys

import click

from memtui.cli.output import say


def ask(question: str, refused: str) -> None:
    """Ask a question, and exit unless the answer is yes: with code 1 if it is no, with 2 if nobody can answer."""
    if not sys.stdin.isatty():
        say("Cannot ask: standard input is not a terminal. Use --yes to write the changes, or --dry-run to see them.")
        sys.exit(2)
    if not click.confirm(question, err=True):
        say(refused)
        sys.exit(1)
