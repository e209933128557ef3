"""The changes of a file as hunks with line numbers: from the agent's patch, or from the texts of its edits."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import PurePosixPath
from sys import maxsize

from memtui_core.queries.file_history.lines import ContentLine, FileContent
from memtui_core.queries.file_history.patches import hunks_of, replaced_text
from memtui_core.tools.call import ToolCall
from memtui_core.tools.diffs import DiffLine, changed_lines
from memtui_core.tools.edits import Edit

_CONTEXT = 3
_MOST_LINES_ABOVE = 2000
"""Lines above a hunk that are searched for its heading."""
_MODIFIERS = (
    "abstract|async|const|default|export|extern|final|inline|internal|override|partial|private|protected|pub|public"
    "|sealed|static|unsafe|virtual"
)
_NAMED = "class|def|defmacro|defmodule|defp|enum|fn|func|function|impl|interface|module|namespace|struct|trait"
_HEADING = re.compile(
    rf"(?:(?:{_MODIFIERS})\s+)*(?:{_NAMED})\s+(?:\([^)]*\)\s*)?[\w$.]+\s*(?:[(\[<:{{=].*|(?:extends|for|implements)\b.*)?"
    r"|(?:export\s+)?(?:const|let|var)\s+[\w$]+\s*=\s*(?:async\s*)?(?:\(|function).*"
)
"""A line that starts a function or a class."""
_SECTIONS = {
    **dict.fromkeys((".md", ".markdown", ".mdx"), re.compile(r"#{1,6} \S.*")),
    **dict.fromkeys((".toml", ".ini", ".cfg"), re.compile(r"\[.+\]")),
}
"""A line that starts a section, by the extension of the file."""


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """Consecutive lines of a file before and after a change."""

    old: int | None
    """The number of its first line before the change; None if it is not known."""
    new: int | None
    """The number of its first line after the change; None if it is not known."""
    lines: tuple[DiffLine, ...]
    heading: str = ""
    """The line above it that names the function, class or section of the change; empty if it is not known."""

    @property
    def first_change(self) -> int | None:
        """The number of the first line that was added or removed, in the new file; None if it is not known."""
        context = next((index for index, (sign, _) in enumerate(self.lines) if sign != " "), 0)
        return None if self.new is None else self.new + context


def change_hunks(call: ToolCall, edits: Sequence[Edit], before: FileContent) -> tuple[DiffHunk, ...]:
    """The changes of a file by a call.

    `edits` are those of the call's edits that change the file, and `before` is what the session knew of it until then.
    """
    is_only_file = len({edit.path for edit in call.edits}) == 1
    patched = hunks_of(call.detail.get("patch")) if is_only_file else ()
    if patched:
        hunks = [DiffHunk(hunk.old, hunk.new, hunk.lines) for hunk in patched]
    else:
        hunks = [hunk for edit in edits for hunk in _edit_hunks(edit, before)]
    return tuple(replace(hunk, heading=_heading(hunk, before)) for hunk in hunks)


def line_counts(hunks: Iterable[DiffHunk]) -> tuple[int, int]:
    """(lines added, lines removed)."""
    signs = [sign for hunk in hunks for sign, _ in hunk.lines]
    return signs.count("+"), signs.count("-")


def patch_text(path: str, hunks: Sequence[DiffHunk]) -> str:
    """The hunks as a unified diff that `git apply` takes; empty without hunks.

    If the position in the file is unknown, line numbers count from the start of the edited text.
    """
    if not hunks:
        return ""
    is_new = all(sign == "+" for hunk in hunks for sign, _ in hunk.lines)
    lines = ["--- /dev/null" if is_new else f"--- a/{path}", f"+++ b/{path}"]
    for hunk in hunks:
        old, new = (sum(sign != other for sign, _ in hunk.lines) for other in "+-")
        ranges = f"-{0 if is_new else hunk.old or 1},{old} +{hunk.new or 1},{new}"
        lines.append(f"@@ {ranges} @@ {hunk.heading}".rstrip())
        lines += [sign + text for sign, text in hunk.lines]
    return "\n".join(lines) + "\n"


def _edit_hunks(edit: Edit, before: FileContent) -> Iterator[DiffHunk]:
    if edit.kind == "write":
        yield from _between(_ended(before.text or ""), _ended(edit.new), 1, 1)
    elif edit.everywhere and edit.old and edit.old in (text := before.text or ""):
        yield from _everywhere(replaced_text(text, edit), edit.new, text)
    elif edit.kind in {"replace", "part"}:
        old, new, first = _whole_lines(edit, before)
        yield from _between(old, new, first, first)


def _everywhere(old: str, new: str, text: str) -> Iterator[DiffHunk]:
    """The hunks of all places of a text in the whole text of a file, with some lines of context."""
    lines, starts = text.split("\n"), [0, *(match.end() for match in re.finditer("\n", text))]
    windows: list[tuple[int, int]] = []
    for match in re.finditer(re.escape(old), text):
        low = max(0, bisect_right(starts, match.start()) - 1 - _CONTEXT)
        high = bisect_left(starts, match.end()) + _CONTEXT
        if windows and low <= windows[-1][1]:
            low = windows.pop()[0]
        windows.append((low, high))
    shift = 0
    for low, high in windows:
        before = "\n".join(lines[low:high])
        after = before.replace(old, new)
        yield from _between(before, after, low + 1, low + 1 + shift)
        shift += after.count("\n") - before.count("\n")


def _whole_lines(edit: Edit, before: FileContent) -> tuple[str, str, int | None]:
    """The text before and after an edit, as whole lines with the number of the first if the place is known."""
    found: list[tuple[str, int, int]] = []
    for low, text in _runs(before.lines) if edit.old and not edit.everywhere else ():
        position = text.find(edit.old)
        if position >= 0:
            found.append((text, position, low))
        if position >= 0 and text.find(edit.old, position + 1) >= 0:
            found.append((text, position, low))
    if len(found) != 1:
        return edit.old, edit.new, None
    text, position, low = found[0]
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position + len(edit.old))
    left, right = text[start:position], text[position + len(edit.old) : end if end >= 0 else None]
    return left + edit.old + right, left + edit.new + right, low + text.count("\n", 0, start)


def _runs(lines: Sequence[ContentLine]) -> Iterator[tuple[int, str]]:
    """The texts of consecutive known lines, each with the number of its first line."""
    for _, run in groupby(enumerate(lines), lambda item: item[1].number - item[0]):
        known = [line for _, line in run]
        yield known[0].number, "\n".join(line.text for line in known)


def _between(old: str, new: str, first_old: int | None, first_new: int | None) -> Iterator[DiffHunk]:
    """The differences of two texts whose first lines have these numbers."""
    for place in changed_lines(old, new):
        yield DiffHunk(_later(first_old, place.old), _later(first_new, place.new), place.lines)


def _ended(text: str) -> str:
    """The whole text of a file with a newline at its end, unless it is empty."""
    return text if not text or text.endswith("\n") else f"{text}\n"


def _later(first: int | None, lines: int) -> int | None:
    """The number of a line that is some lines below one that may be unknown."""
    return None if first is None else first + lines


def _heading(hunk: DiffHunk, before: FileContent) -> str:
    """The nearest line above a hunk that starts a function, class or section which contains its first change.

    Empty if the hunk itself shows such a line before its first change.
    """
    sections = _SECTIONS.get(PurePosixPath(before.path).suffix)
    heading = sections or _HEADING
    change = next((index for index, (sign, _) in enumerate(hunk.lines) if sign != " "), 0)
    first = hunk.lines[change][1] if hunk.lines else ""
    if heading.fullmatch(first.strip()):
        return ""
    if hunk.old is None or any(heading.fullmatch(text.strip()) for _, text in hunk.lines[:change]):
        return ""
    end = bisect_left(before.lines, hunk.old, key=lambda line: line.number)
    above = (line.text for line in reversed(before.lines[max(0, end - _MOST_LINES_ABOVE) : end]))
    outer = (text.strip() for text in above if sections or _depth(text) < _depth(first))
    return next((text for text in outer if heading.fullmatch(text)), "")


def _depth(line: str) -> int:
    """How far a line is indented; a blank line counts as indented further than any other."""
    stripped = line.lstrip()
    return len(line) - len(stripped) if stripped else maxsize
