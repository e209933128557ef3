"""Where `memtui handoff` can take a session: into an agent that is started, or into the store of another agent."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.cli.output import ask, say, show
from memtui_core.errors import MemtuiError
from memtui_core.text.controls import one_line
from memtui_core.text.token_estimate import estimated_tokens

if TYPE_CHECKING:
    from memtui_core.readers.base import Reader
    from memtui_core.readers.new_session import NewSession


def start_agent(reader: Reader, text: str, folder: str, data_dir: Path, name: str) -> None:
    """Start an agent with a text, in the folder of its session if it exists, and end with its exit code."""
    from memtui_core.memory.handoff.start import fits_argument, prompt_in_file
    from memtui_core.system.private_files import users_mask
    from memtui_core.system.systems import is_shell_script

    prompt = text if fits_argument(text) else prompt_in_file(text, data_dir, name)
    command = reader.start_command(prompt)
    if command is None:
        raise MemtuiError(f"{reader.name} cannot be started with a prompt.")
    if (program := shutil.which(command[0])) is None:
        raise MemtuiError(f"{command[0]} is not installed.")
    if is_shell_script(program):
        raise MemtuiError(
            f"{program} is a script of the Windows shell, which would take a part of the text for commands. Start"
            f" {reader.name} yourself, and give it what memtui handoff prints without --start."
        )
    place = Path(folder) if folder and os.path.isdir(folder) else Path.cwd()  # noqa: PTH112 (raises for odd paths)
    say(f"Starting {reader.name} in {place} with {len(text)} characters.")
    sys.exit(subprocess.run(command, cwd=place, check=False, umask=users_mask()).returncode)


def write_session(reader: Reader, session: NewSession, *, yes: bool, dry_run: bool, folder: Path | None = None) -> None:
    """Show the session that an agent would find, ask, and write it to a new file. Raises MemtuiError and OSError.

    With a folder, the file is written there instead of where the agent finds it.
    """
    made = reader.session_file(session, os.environ)
    if made is None:
        raise MemtuiError(f"memtui cannot write sessions of {reader.name}.")
    if folder is not None:
        made = replace(made, path=folder / made.path.name)
    characters = sum(len(message.text) for message in session.messages)
    show(f"{made.path}")
    show(f"{reader.name} session of {len(session.messages)} messages, about {estimated_tokens(characters)} tokens:")
    for message in (*session.messages[:2], *session.messages[2:][-2:]):
        show(f"  {message.role}: {one_line(message.text, 100)}")
    if dry_run:
        return
    if not yes:
        ask("Write this session?", "Nothing was written.")
    made.path.parent.mkdir(parents=True, exist_ok=True)
    # A new id has no file yet; an existing file is never replaced.
    with made.path.open("xb") as file:
        file.write(made.content)
    command = reader.resume_command(session.session_id)
    say(f"Written. {shlex.join(['cd', session.cwd])} && {shlex.join(command)}" if command else "Written.")
