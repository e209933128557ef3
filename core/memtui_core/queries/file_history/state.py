"""The known lines of a file, updated with each tool call of a session.

Nothing is guessed: a line is certain if a tool's result or input showed it and no later call of the session may have
changed it. Changes outside the session are noticed only if a later read or patch contradicts the known lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memtui_core.queries.file_history.lines import (
    INDENT,
    LONGEST,
    ContentLine,
    FileContent,
    LineState,
    line_state,
    number_ranges,
    numbered_lines,
)
from memtui_core.queries.file_history.patches import Hunk, agrees, hunks_of, lines_after_edit, lines_after_patch
from memtui_core.tools.call import ToolCall
from memtui_core.tools.edits import Edit

_SHORTER = re.compile(r"shorter than the provided offset \((\d+)\)\. The file has (\d{1,9}) lines")
_EMPTY = "the contents are empty"
_MOST_SPANS = 3


class FileState:
    """The lines known so far; the calls of the session are applied in order."""

    def __init__(self) -> None:
        self.lines: dict[int, LineState] = {}
        self.total: int | None = None
        self.end_doubt = ""
        """Why the file may have another number of lines than `total`."""
        self.notes: list[str] = []

    def apply(self, call: ToolCall, edits: Sequence[Edit]) -> None:
        """Apply a call; `edits` are those of its edits that change the file."""
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
        """Apply the edits of a successful call."""
        turn, hunks = call.turn, hunks_of(call.detail.get("patch"))
        kinds = {edit.kind for edit in edits}
        if kinds == {"replace"}:
            self.edit(turn, edits, hunks)
        elif kinds == {"write"}:
            self.reset(edits[-1].new)
            if not agrees(self.lines, hunks, after=True):
                self.doubt(f"turn {turn}: its patch shows something else than what was to be written")
        else:
            self.doubt(f"turn {turn}: what {call.name.lower()} did to it is not known", always=True)

    def read(self, turn: int, fields: Mapping[str, Any], text: str) -> None:
        """Apply the result of a Read: its lines are certain now."""
        start, texts, ended = numbered_lines(text)
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
        """Apply a Read that showed no line: the file is empty, shorter than expected, or not a text."""
        shorter = _SHORTER.search(text)
        if _EMPTY in text or (shorter is not None and shorter[1] == "1"):
            self.reset("")
        elif shorter is not None:
            self.see(turn, {}, int(shorter[2]), True)
        else:
            self.notes.append(f"turn {turn}: a read shows no lines of text")

    def see(self, turn: int, texts: dict[int, str], end: int, ended: bool) -> None:
        """Take a part of the current file; `ended` if the file ends with it."""
        known = ((self.lines[number], text) for number, text in texts.items() if number in self.lines)
        beyond = self.total is not None and not self.end_doubt and (end > self.total or (ended and end < self.total))
        if beyond or any(not line.doubt and line.text != text for line, text in known):
            self.doubt(f"turn {turn}: a read shows something else than what was known")
        self.lines.update((number, line_state(text)) for number, text in texts.items())
        if ended:
            self.total, self.end_doubt = end, ""
            self.lines = {number: line for number, line in self.lines.items() if number <= end}
        elif self.total is not None and end > self.total:
            self.total = None

    def edit(self, turn: int, edits: Sequence[Edit], hunks: Sequence[Hunk]) -> None:
        """Apply a successful edit: by its patch, or without one by the texts that it replaces."""
        if len(edits) == 1 and not edits[0].old:
            self.reset(edits[0].new)
        elif hunks:
            beyond = self.total is not None and not self.end_doubt and hunks[-1].old_end > self.total + 1
            if beyond or not agrees(self.lines, hunks):
                self.doubt(f"turn {turn}: an edit did not match what was known")
            self.lines = lines_after_patch(self.lines, hunks, edits)
            last = hunks[-1]
            if last.old_open or last.new_open:
                self.total, self.end_doubt = last.new_end - last.new_open, ""
            elif self.total is not None:
                self.total += last.new_end - last.old_end
        else:
            self.edit_without_patch(turn, edits)

    def edit_without_patch(self, turn: int, edits: Sequence[Edit]) -> None:
        """Apply edits without a patch, each at the only place where its text occurs."""
        lines = self.lines
        for edit in edits:
            whole = self.total == len(lines) and not self.end_doubt
            after = lines_after_edit(lines, edit, whole=whole)
            if after is None:
                self.doubt(f"turn {turn}: the place of an edit is not known", always=True)
                return
            lines = after
        if self.total is not None:
            self.total += max(lines) - max(self.lines)
        self.lines = lines

    def reset(self, text: str) -> None:
        """Replace the whole content."""
        self.lines = dict(enumerate(map(line_state, text.split("\n")), 1))
        self.total, self.end_doubt = len(self.lines), ""
        self.notes.clear()

    def doubt(self, reason: str, *, always: bool = False) -> None:
        """Mark all known lines as uncertain; with `always` the reason is noted even if nothing was known."""
        if not self.lines and self.total is None:
            self.notes += [reason] * always
            return
        for number, line in self.lines.items():
            if line.doubt in {"", INDENT}:
                self.lines[number] = LineState(line.text, reason)
        self.end_doubt = self.end_doubt or reason

    def content(self, path: str) -> FileContent:
        """The current state as a value."""
        lines = tuple(ContentLine(number, line.text, not line.doubt) for number, line in sorted(self.lines.items()))
        total = None if self.end_doubt else self.total
        content = FileContent(path, lines, total, ())
        return content if content.complete else FileContent(path, lines, total, tuple(self._notes(content)))

    def _notes(self, content: FileContent) -> Iterator[str]:
        if not self.lines:
            yield "nothing of it was read or written"
        doubts: dict[str, list[int]] = {}
        for number, line in sorted(self.lines.items()):
            if line.doubt:
                doubts.setdefault(line.doubt, []).append(number)
        for reason, numbers in doubts.items():
            yield reason if len(numbers) == len(self.lines) else f"{_line_ranges(number_ranges(numbers))}: {reason}"
        if self.end_doubt and self.end_doubt not in doubts:
            yield self.end_doubt
        if content.gaps:
            yield f"{_line_ranges(content.gaps)}: never read"
        if self.lines and self.total is None:
            yield f"what follows line {max(self.lines)} was never read"
        yield from self.notes


def _line_ranges(ranges: Sequence[tuple[int, int]]) -> str:
    """The ranges as text: `lines 3–9, 12`, and the number of further ranges if there are many."""
    names = [str(first) if first == last else f"{first}–{last}" for first, last in ranges[:_MOST_SPANS]]
    more = f" and {len(ranges) - _MOST_SPANS} more places" if len(ranges) > _MOST_SPANS else ""
    word = "line" if len(ranges) == 1 and ranges[0][0] == ranges[0][1] else "lines"
    return f"{word} {', '.join(names)}{more}"


def _int(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None
