"""A working tree in memory, so that what tools answer is true to the files."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any


class Repo:
    """The files below one folder, by relative path."""

    def __init__(self, root: str, files: Mapping[str, str]) -> None:
        self.root = root
        self.files = dict(files)

    def path(self, name: str) -> str:
        """Return the absolute path of a file."""
        return name if name.startswith("/") else f"{self.root}/{name}"

    def grep(self, pattern: str, under: str | None, glob: str | None) -> list[tuple[str, int, str]]:
        """Return path, line number and line of every match, in order of path."""
        found = re.compile(pattern)
        return [
            (name, number, line)
            for name in self.names(glob)
            if under is None or name == under or name.startswith(under.rstrip("/") + "/")
            for number, line in enumerate(self.files[name].split("\n"), 1)
            if found.search(line)
        ]

    def names(self, glob: str | None) -> list[str]:
        """Return the paths that match a glob; `**/` also matches no folder at all."""
        wanted = (glob or "*").replace("**/", "*")
        return [name for name in sorted(self.files) if fnmatch.fnmatch(name, wanted)]


def patch(before: str, after: str) -> list[dict[str, Any]]:
    """Return the hunks of a change with three lines of context, as the agent stores them."""
    old, new = before.splitlines(), after.splitlines()
    hunks = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3):
        lines: list[str] = []
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += [" " + line for line in old[i1:i2]]
            else:
                lines += ["-" + line for line in old[i1:i2]] + ["+" + line for line in new[j1:j2]]
        first, last = group[0], group[-1]
        sizes = last[2] - first[1], last[4] - first[3]
        hunk = {"oldStart": first[1] + 1, "oldLines": sizes[0], "newStart": first[3] + 1, "newLines": sizes[1]}
        hunks.append({**hunk, "lines": lines})
    return hunks


def numbered(text: str, start: int, arrow: bool) -> str:
    """Return lines with their numbers: `     1→a` in older versions, `1<tab>a` in newer ones."""
    lines = text.rstrip("\n").split("\n")
    return "\n".join(f"{n:>6}→{line}" if arrow else f"{n}\t{line}" for n, line in enumerate(lines, start))
