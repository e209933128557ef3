"""The files that a shell command renames or moves."""

from __future__ import annotations

from collections.abc import Iterator

from memtui_core.tools.shell.files import steps


def moves_in(command: str) -> Iterator[tuple[str, str]]:
    """The old and the new path of each file that `mv` or `git mv` renames, as in `ShellFile.path`. Never raises.

    A file that is moved into a folder without a new name, and a folder that is moved, are left out.
    """
    for step in steps(command):
        words = step.words[1:] if step.words[:1] == ("git",) else step.words
        files = [file.path for file in step.files]
        if words[:1] == ("mv",) and len([word for word in words[1:] if not word.startswith("-")]) == len(files) == 2:
            yield files[0], files[1]
