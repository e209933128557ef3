"""The files that a shell command renames, moves or copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memtui_core.tools.shell.files import steps


def moves_in(command: str) -> Iterator[tuple[str, str]]:
    """The old and the new path of each file that `mv`, `git mv` or `cp` names, as in `ShellFile.path`. Never raises.

    A name without an extension counts as that of a folder into which files are moved. A folder that is moved is left
    out.
    """
    for step in steps(command):
        words = step.words[1:] if step.words[:1] == ("git",) else step.words
        if words[:1] in {("mv",), ("cp",)}:
            yield from _pairs(words[1:], [file.path for file in step.files])


def _pairs(arguments: Sequence[str], files: Sequence[str]) -> Iterator[tuple[str, str]]:
    names, folder = _operands(arguments)
    if not folder and len(names) > 1:
        folder = names.pop()
    # What is named by an earlier `cd` has its folder before it.
    paths = {name: path for name in [*names, folder] for path in files if path == name or path.endswith(f"/{name}")}
    for name in names if folder else ():
        if (old := paths.get(name)) is None:
            continue
        above = "" if folder.startswith(("/", "~")) else old.removesuffix(name)
        if folder in paths:
            if len(names) == 1:
                yield old, paths[folder]
        else:
            yield old, f"{above}{folder.rstrip('/')}/{name.rpartition('/')[2]}"


def _operands(arguments: Sequence[str]) -> tuple[list[str], str]:
    """The names that follow the options, and the folder that an option names."""
    names: list[str] = []
    folder, is_folder = "", False
    for argument in arguments:
        if is_folder:
            folder, is_folder = argument, False
        elif argument.startswith("--target-directory="):
            folder = argument.partition("=")[2]
        elif argument in {"-t", "--target-directory"}:
            is_folder = True
        elif not argument.startswith("-"):
            names.append(argument)
    return names, folder
