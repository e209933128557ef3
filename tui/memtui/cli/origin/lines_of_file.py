"""The argument `FILE[:LINE[-LINE]]`, and what commands print of a line and of its file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.output import say, short_turn

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.memory.blame.values import BlamedLine, LineWriter

_LINES: Final = re.compile(r"(?P<path>.+?):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileLines:
    """Lines of a file, both ends included; all of it without `first` and `last`."""

    path: Path
    first: int | None = None
    last: int | None = None

    def of(self, lines: list[BlamedLine]) -> list[BlamedLine]:
        """Those of the lines of the file that are meant. Raises click.BadParameter if it has no such lines."""
        if self.first is None or self.last is None:
            return lines
        if not 1 <= self.first <= self.last or self.first > len(lines):
            raise click.BadParameter(f"{self.path} has {len(lines)} lines.", param_hint="FILE")
        return lines[self.first - 1 : self.last]


def file_lines(argument: str) -> FileLines:
    """The lines that an argument names. A file whose name ends like a line number is taken as it is."""
    match = _LINES.fullmatch(argument)
    if match is None or Path(argument).exists():
        return FileLines(Path(argument))
    first = int(match["first"])
    return FileLines(Path(match["path"]), first, int(match["last"] or first))


def say_elsewhere(index: Index, path: Path, lines: list[BlamedLine]) -> None:
    """Of a file in which nothing is proved, say in which other folders sessions edited one like it."""
    from memtui.render.origin import elsewhere_text

    is_proved = any(line.writer for line in lines)
    if text := "" if is_proved else elsewhere_text(path.name, index.files.edited_elsewhere(path)):
        say(text)


def line_object(line: BlamedLine) -> dict[str, Any]:
    """A line as JSON."""
    writer = line.writer
    return {
        "line": line.number,
        "text": line.text,
        "session_id": writer.session_id if writer is not None else None,
        "turn": writer.turn if writer is not None else None,
        "at": writer.at if writer is not None else None,
        "evidence": line.evidence,
    }


def turn_name(writer: LineWriter) -> str:
    """The turn of a writer as other commands take it: `1a2b3c4d:12`."""
    return short_turn(writer.session_id, writer.turn)
