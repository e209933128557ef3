"""The changes of a tool call as a unified diff: from the agent's patch if there is one, otherwise from its texts."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from memtui_core.tools.call import ToolCall
from memtui_core.tools.edits import Edit

DiffLine = tuple[str, str]
"""The sign of a line, ` `, `+` or `-`, and its text."""

_CONTEXT = 3
_MOST_LINES = 1500
"""Lines; comparing longer texts takes too long."""


class ChangedLines(NamedTuple):
    """A place at which two texts differ: its lines, with some lines of context."""

    old: int
    """The index of the first line in the old text."""
    new: int
    """The index of the first line in the new text."""
    lines: tuple[DiffLine, ...]

    def header(self) -> str:
        """The heading of the place as a hunk of a unified diff, counted from the start of the texts."""
        sizes = [sum(sign != other for sign, _ in self.lines) for other in "+-"]
        # Of a text without lines, the hunk is after line 0.
        old, new = (first + (size > 0) for first, size in zip((self.old, self.new), sizes, strict=True))
        return _header(old, sizes[0], new, sizes[1])


def diff_of(call: ToolCall) -> str:
    """The diff of a call's edits; empty if a whole file was written, or if the texts are not in the call.

    If the position in the file is unknown, line numbers count from the start of the edited text.
    """
    if not call.edits:
        return ""
    return from_patch(call.detail.get("patch")) or call.patch or "\n".join(_lines(call.edits))


def from_patch(hunks: Any) -> str:
    """The diff of a patch as Claude Code writes it, a list of {oldStart, oldLines, newStart, newLines, lines}.

    Empty for anything else.
    """
    lines: list[str] = []
    for hunk in hunks if isinstance(hunks, list) else []:
        if isinstance(hunk, dict) and isinstance(hunk.get("lines"), list):
            lines.append(_hunk_header(hunk))
            lines += [line for line in hunk["lines"] if isinstance(line, str)]
    return "\n".join(lines)


def counts(diff: str) -> tuple[int, int]:
    """(lines added, lines removed)."""
    markers = [line[:1] for line in diff.split("\n")]
    return markers.count("+"), markers.count("-")


def changed_lines(old: str, new: str) -> Iterator[ChangedLines]:
    """The places at which two texts within a file differ; long parts that differ are one place."""
    before, after = lines_of(old), lines_of(new)
    if old and new and old.endswith("\n") != new.endswith("\n"):
        # The newline at the end of one of them begins or ends a line of the file.
        before, after = old.split("\n"), new.split("\n")
    start, end = _equal_ends(before, after) if len(before) + len(after) > _MOST_LINES else (0, 0)
    before, after = before[start : len(before) - end], after[start : len(after) - end]
    if len(before) + len(after) > _MOST_LINES or not before:
        if lines := [("-", line) for line in before] + [("+", line) for line in after]:
            yield ChangedLines(start, start, tuple(lines))
        return
    for group in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(_CONTEXT):
        lines = []
        for kind, i, j, k, m in group:
            if kind == "equal":
                lines += [(" ", line) for line in before[i:j]]
            else:
                lines += [("-", line) for line in before[i:j]] + [("+", line) for line in after[k:m]]
        yield ChangedLines(start + group[0][1], start + group[0][3], tuple(lines))


def _equal_ends(before: list[str], after: list[str]) -> tuple[int, int]:
    """How many lines two texts share at their starts and ends, without the lines that are shown as context."""
    most = min(len(before), len(after))
    start = next((at for at in range(most) if before[at] != after[at]), most)
    end = next((at for at in range(most - start) if before[-1 - at] != after[-1 - at]), most - start)
    return max(start - _CONTEXT, 0), max(end - _CONTEXT, 0)


def lines_of(text: str) -> list[str]:
    """The lines of a text, without the empty one after a newline at its end."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _hunk_header(hunk: dict[str, Any]) -> str:
    return _header(
        *(
            value if isinstance(value := hunk.get(name), int) else 1
            for name in ("oldStart", "oldLines", "newStart", "newLines")
        )
    )


def _header(old: int, before: int, new: int, after: int) -> str:
    return f"@@ -{old},{before} +{new},{after} @@"


def _lines(edits: tuple[Edit, ...]) -> Iterator[str]:
    for edit in edits:
        for place in changed_lines(edit.old, edit.new) if edit.kind in {"replace", "part"} else ():
            yield place.header()
            yield from (sign + text for sign, text in place.lines)
