"""`memtui statusline`: the line that Claude Code shows below its prompt."""

from __future__ import annotations

import click


@click.command()
@click.option("--data-dir", metavar="DIRECTORY", help="Folder of the index.")
def statusline(data_dir: str | None) -> None:
    """Print what the present session used, for the status line of Claude Code.

    It reads the JSON object that Claude Code gives to such a command. In its settings.json:
    "statusLine": {"type": "command", "command": "memtui statusline"}. The cost is an estimate by the table of prices
    that memtui stats uses; the time is that in which the agent worked.
    """
    from memtui.agents.hooks.status_line import main

    main(["--data-dir", data_dir] if data_dir else [])
