"""The files that a shell command renames or moves."""

from __future__ import annotations

from collections.abc import Iterator

from memtui_core.tools.shell.files import steps


def moves_in(command: str) -> Iterator[tuple[str, str]]:
    """The old and the new path of each file that `mv` or `git mv` moves, as in `ShellFile.path`. Never raises.

    Several files are moved only into a folder, which keeps their names. A folder that is moved is left out.
    """
    for step in steps(command):
        words = step.words[1:] if step.words[:1] == ("git",) else step.words
        if words[:1] != ("mv",):
            continue
        names = [word for word in words[1:] if not word.startswith("-")]
        files = [file.path for file in step.files if file.use == "named"]
        if len(names) == 2 and len(files) == 2:
            yield files[0], files[1]
        elif len(names) > 1 and len(files) == len(names) - 1 and files == names[:-1]:
            yield from ((path, f"{names[-1].rstrip('/')}/{path.rpartition('/')[2]}") for path in files)
