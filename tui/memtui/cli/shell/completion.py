"""`memtui completion`: the scripts with which a shell completes what is typed after `memtui`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from memtui.cli.options import reports_errors
from memtui.cli.output import write

SCRIPTS: Final = {"bash": "memtui.bash", "zsh": "_memtui", "fish": "memtui.fish"}
"""The file of each shell, in the folder `scripts`; an installed package places them where the shells look."""


@click.command()
@click.argument("shell", type=click.Choice(tuple(SCRIPTS)))
@reports_errors
def completion(shell: str) -> None:
    """Print the script with which a shell completes commands, options, sessions, projects, files and filters.

    To install it, run one line, and open a new shell:

    \b
    bash  echo 'source <(memtui completion bash)' >> ~/.bashrc
    zsh   echo 'source <(memtui completion zsh)' >> ~/.zshrc   # after compinit
    fish  memtui completion fish > ~/.config/fish/completions/memtui.fish

    What is completed is in a small file beside the index, which memtui index keeps up to date.
    """  # noqa: D301
    write((Path(__file__).parent / "scripts" / SCRIPTS[shell]).read_text("utf-8"))
