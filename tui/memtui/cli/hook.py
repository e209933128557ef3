"""`memtui hook`: what an agent calls by itself, before a tool runs, after a prompt, at the end of a turn."""

from __future__ import annotations

import click


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    epilog="It never fails: when something is wrong it says nothing, and memtui.log in the data folder says why.",
)
@click.argument("event", nargs=-1, type=click.UNPROCESSED)
@click.option("--data-dir", metavar="DIRECTORY", help="Folder of the index.")
def hook(event: tuple[str, ...], data_dir: str | None) -> None:
    """Answer a hook of Claude Code; `memtui enable` switches them on.

    EVENT is UserPromptSubmit, PreToolUse, SubagentStart, Stop, PreCompact or SessionEnd; without it the JSON object on
    standard input says which one.
    """
    from memtui.hooks.run import main

    main([*event, *(["--data-dir", data_dir] if data_dir else [])])
