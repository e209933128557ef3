"""What is known of a file, event by event of a session.

Nothing is guessed: a line is certain when a tool's result or input showed it and nothing that the session did since may
have changed it. What happened outside the session shows only where a later read or patch contradicts what was known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memtui_core.file_history.lines import INDENT, LONGEST, Known, KnownLine, Line, numbered, seen, spans
from memtui_core.file_history.patches import Hunk, fits, hunks_of, patched, placed
from memtui_core.tools.call import ToolCall
from memtui_core.tools.edits import Edit

_SHORTER = re.compile(r"shorter than the provided offset \((\d+)\)\. The file has (\d{1,9}) lines")
_EMPTY = "the contents are empty"
_MOST_SPANS = 3


class FileState:
    """The lines known so far; each event of the session is taken in turn."""

    def __init__(self) -> None:
        self.lines: dict[int, Line] = {}
        self.total: int | None = None
        self.end_doubt = ""
        """Why the file may have another number of lines than `total`."""
        self.notes: list[str] = []

    def take(self, call: ToolCall, edits: Sequence[Edit]) -> None:
        """A call with those of its edits that are of the file."""
        turn, result = call.turn, call.result
        if call.family == "shell":
            self.doubt(f"turn {turn}: a shell command may have changed it", always=bool(edits))
        elif result is None:
            if edits:
                self.doubt(f"turn {turn}: a call of {call.name.lower()} has no result", always=True)
        elif call.is_error:
            return
        elif call.family == "read":
            self.read(turn, call.fields, result.text)
        elif edits:
            self.change(call, edits)

    def change(self, call: ToolCall, edits: Sequence[Edit]) -> None:
        """Edits that were done."""
        turn, hunks = call.turn, hunks_of(call.detail.get("patch"))
        kinds = {edit.kind for edit in edits}
        if kinds == {"replace"}:
            self.edit(turn, edits, hunks)
        elif kinds == {"write"}:
            self.reset(edits[-1].new)
            if not fits(self.lines, hunks, after=True):
                self.doubt(f"turn {turn}: its patch shows something else than what was to be written")
        else:
            self.doubt(f"turn {turn}: what {call.name.lower()} did to it is not known", always=True)

    def read(self, turn: int, fields: Mapping[str, Any], text: str) -> None:
        """What a Read showed: the lines of its result are certain from now on."""
        start, texts, ended = numbered(text)
        if not texts:
            self.read_nothing(turn, text)
            return
        limit = _int(fields.get("limit"))
        ended = ended and len(texts) < (LONGEST if limit is None else limit)
        if start == 1 and ended:
            self.reset("\n".join(texts))
        else:
            self.see(turn, dict(enumerate(texts, start)), start + len(texts) - 1, ended)

    def read_nothing(self, turn: int, text: str) -> None:
        """A Read that showed no line: the file is empty, or shorter than was thought, or no text."""
        shorter = _SHORTER.search(text)
        if _EMPTY in text or (shorter is not None and shorter[1] == "1"):
            self.reset("")
        elif shorter is not None:
            self.see(turn, {}, int(shorter[2]), True)
        else:
            self.notes.append(f"turn {turn}: a read shows no lines of text")

    def see(self, turn: int, texts: dict[int, str], end: int, ended: bool) -> None:
        """A part of the file as it is now; `ended` when the file ends with it."""
        known = ((self.lines[number], text) for number, text in texts.items() if number in self.lines)
        beyond = self.total is not None and not self.end_doubt and (end > self.total or (ended and end < self.total))
        if beyond or any(not line.doubt and line.text != text for line, text in known):
            self.doubt(f"turn {turn}: a read shows something else than what was known")
        self.lines.update((number, seen(text)) for number, text in texts.items())
        if ended:
            self.total, self.end_doubt = end, ""
            self.lines = {number: line for number, line in self.lines.items() if number <= end}
        elif self.total is not None and end > self.total:
            self.total = None

    def edit(self, turn: int, edits: Sequence[Edit], hunks: Sequence[Hunk]) -> None:
        """An edit that was done: by its patch where there is one, else by the texts that it names."""
        if len(edits) == 1 and not edits[0].old:
            self.reset(edits[0].new)
        elif hunks:
            beyond = self.total is not None and not self.end_doubt and hunks[-1].old_end > self.total + 1
            if beyond or not fits(self.lines, hunks):
                self.doubt(f"turn {turn}: an edit did not match what was known")
            self.lines = patched(self.lines, hunks, edits)
            last = hunks[-1]
            if last.old_open or last.new_open:
                self.total, self.end_doubt = last.new_end - last.new_open, ""
            elif self.total is not None:
                self.total += last.new_end - last.old_end
        else:
            self.place(turn, edits)

    def place(self, turn: int, edits: Sequence[Edit]) -> None:
        """Edits of which no patch tells the place."""
        lines = self.lines
        for edit in edits:
            whole = self.total == len(lines) and not self.end_doubt
            after = placed(lines, edit, whole=whole)
            if after is None:
                self.doubt(f"turn {turn}: the place of an edit is not known", always=True)
                return
            lines = after
        if self.total is not None:
            self.total += max(lines) - max(self.lines)
        self.lines = lines

    def reset(self, text: str) -> None:
        """The whole file is this text now."""
        self.lines = dict(enumerate(map(seen, text.split("\n")), 1))
        self.total, self.end_doubt = len(self.lines), ""
        self.notes.clear()

    def doubt(self, reason: str, *, always: bool = False) -> None:
        """Nothing that was known is certain any more; with `always` it is told also where nothing was known."""
        if not self.lines and self.total is None:
            self.notes += [reason] * always
            return
        for number, line in self.lines.items():
            if line.doubt in {"", INDENT}:
                self.lines[number] = Line(line.text, reason)
        self.end_doubt = self.end_doubt or reason

    def known(self, path: str) -> Known:
        """The state as a value."""
        lines = tuple(KnownLine(number, line.text, not line.doubt) for number, line in sorted(self.lines.items()))
        total = None if self.end_doubt else self.total
        known = Known(path, lines, total, ())
        return known if known.complete else Known(path, lines, total, tuple(self._notes(known)))

    def _notes(self, known: Known) -> Iterator[str]:
        if not self.lines:
            yield "nothing of it was read or written"
        doubts: dict[str, list[int]] = {}
        for number, line in sorted(self.lines.items()):
            if line.doubt:
                doubts.setdefault(line.doubt, []).append(number)
        for reason, numbers in doubts.items():
            yield reason if len(numbers) == len(self.lines) else f"{_named(spans(numbers))}: {reason}"
        if self.end_doubt and self.end_doubt not in doubts:
            yield self.end_doubt
        if known.gaps:
            yield f"{_named(known.gaps)}: never read"
        if self.lines and self.total is None:
            yield f"what follows line {max(self.lines)} was never read"
        yield from self.notes


def _named(ranges: Sequence[tuple[int, int]]) -> str:
    """`lines 3–9, 12`, and how many more where there are many."""
    names = [str(first) if first == last else f"{first}–{last}" for first, last in ranges[:_MOST_SPANS]]
    more = f" and {len(ranges) - _MOST_SPANS} more places" if len(ranges) > _MOST_SPANS else ""
    word = "line" if len(ranges) == 1 and ranges[0][0] == ranges[0][1] else "lines"
    return f"{word} {', '.join(names)}{more}"


def _int(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None
