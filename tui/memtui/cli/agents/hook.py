"""`memtui hook`: the command that agents run before a tool call, after a prompt and at the end of a turn."""

from __future__ import annotations

import click


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    epilog="It never fails: on a problem it prints nothing, and memtui.log in the data folder has the reason.",
)
@click.argument("event", nargs=-1, type=click.UNPROCESSED)
@click.option("--data-dir", metavar="DIRECTORY", help="Folder of the index.")
def hook(event: tuple[str, ...], data_dir: str | None) -> None:
    """Answer a hook of an agent; `memtui enable` installs the hooks.

    EVENT is UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure, SubagentStart, Stop, PreCompact,
    SessionStart or SessionEnd; without it, it is read from the JSON object on standard input.
    """
    from memtui.agents.hooks.run import main

    main([*event, *(["--data-dir", data_dir] if data_dir else [])])
