"""The lines of a partly known file after edits, from the hunks of a patch or from the texts that the edits replace.

The patches of Claude Code show each tab of an indentation as two spaces (of 343 patches compared with the text that
they change, all 37 in files with tabs do, and nothing else differs), so a hunk is certain about the number of a line,
but not always about its indentation.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memtui_core.queries.file_history.lines import (
    INDENT,
    KnownLines,
    LineState,
    certain_ranges,
    joined_text,
    line_state,
)
from memtui_core.tools.edits import Edit

_MOST_LINES = 10_000_000
"""A larger number is not the number of a line."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """A hunk of a patch: the numbers of its first line before and after, and its lines as pairs of sign and text."""

    old: int
    new: int
    lines: tuple[tuple[str, str], ...]
    old_open: bool = False
    """Whether it reaches the end of an old text that has no newline there; `new_open` is the same for the new text."""
    new_open: bool = False

    @property
    def old_end(self) -> int:
        """The number of the first line after the hunk in the old text."""
        return self.old + sum(sign != "+" for sign, _ in self.lines)

    @property
    def new_end(self) -> int:
        """The number of the first line after the hunk in the new text."""
        return self.new + sum(sign != "-" for sign, _ in self.lines)


def hunks_of(patch: Any) -> tuple[Hunk, ...]:
    """The hunks of a patch as Claude Code writes it; none without a patch or if its numbers contradict each other."""
    hunks: list[Hunk] = []
    shift, end = 0, 1
    for item in patch if isinstance(patch, list) else []:
        hunk = _hunk(item)
        if hunk is None or hunk.old < end or hunk.new != hunk.old + shift:
            return ()
        end, shift = hunk.old_end, hunk.new_end - hunk.old_end
        hunks.append(hunk)
    return tuple(hunks)


def _hunk(item: Any) -> Hunk | None:
    if not isinstance(item, dict) or not isinstance(item.get("lines"), list):
        return None
    old, new = item.get("oldStart"), item.get("newStart")
    if not isinstance(old, int) or not isinstance(new, int) or not 0 <= old <= _MOST_LINES:
        return None
    lines: list[tuple[str, str]] = []
    open_signs = ""
    for line in item["lines"]:
        if not isinstance(line, str) or line[:1] not in {"+", "-", " ", "\\"}:
            return None
        if line[0] == "\\":
            open_signs += lines[-1][0] if lines else ""
        else:
            lines.append((line[0], line[1:]))
    is_open = {sign: sign in open_signs or " " in open_signs for sign in "+-"}
    return Hunk(max(1, old), max(1, new), tuple(lines), is_open["-"], is_open["+"])


def agrees(lines: KnownLines, hunks: Iterable[Hunk], *, after: bool = False) -> bool:
    """Whether a patch agrees with the certain lines: its old text, or with `after` its new text."""
    other_sign = "-" if after else "+"
    for hunk in hunks:
        texts = (text for sign, text in hunk.lines if sign != other_sign)
        for number, text in enumerate(texts, hunk.new if after else hunk.old):
            known = lines.get(number)
            if known is not None and not known.doubt and _expanded(known.text) != text:
                return False
    return True


def lines_after_patch(lines: KnownLines, hunks: Sequence[Hunk], edits: Sequence[Edit]) -> dict[int, LineState]:
    """The known lines after a patch; `edits` are the edits of the patch, with the text as it was written."""
    ends = [hunk.old_end for hunk in hunks]
    result = {}
    for number, line in lines.items():
        index = bisect_right(ends, number)
        if index == len(hunks) or number < hunks[index].old:
            result[number + (hunks[index - 1].new_end - ends[index - 1] if index else 0)] = line
    for hunk in hunks:
        result.update(_after(lines, hunk))
        if hunk.old_open and not hunk.new_open:
            result[hunk.new_end] = LineState("")
        elif hunk.new_open:
            result = {number: line for number, line in result.items() if number < hunk.new_end}
    if _reindents(edits):
        result = {number: LineState(line.text, line.doubt or INDENT) for number, line in result.items()}
    for low, high in certain_ranges(lines):
        _restore_indents(result, lines, low, high, hunks, edits)
    return result


def _reindents(edits: Sequence[Edit]) -> bool:
    """Whether an edit replaces tabs by spaces or spaces by tabs in a line, which its patch then may not show."""
    for edit in edits:
        before = _by_expanded(edit.old.split("\n"))
        if any(before.get(_expanded(line), line) != line for line in edit.new.split("\n")):
            return True
    return False


def _after(lines: KnownLines, hunk: Hunk) -> Iterator[tuple[int, LineState]]:
    """The lines of a hunk by their new numbers.

    Of lines that look the same the patch may mark another line as kept than the edit did: `_restore_indents` decides.
    """
    old, new = hunk.old, hunk.new
    for sign, text in hunk.lines:
        if sign != "-":
            known = lines.get(old) if sign == " " else None
            expanded = "" if known is None else _expanded(known.text)
            is_indented = known is not None and text == expanded != known.text
            yield new, LineState(known.text, INDENT) if known is not None and is_indented else _from_patch(text)
        old += sign != "+"
        new += sign != "-"


def _from_patch(text: str) -> LineState:
    return LineState(text, INDENT) if text.startswith("  ") else line_state(text)


def _by_expanded(texts: Iterable[str]) -> dict[str, str | None]:
    """Lines by the form in which a patch shows them; None for a form that different lines share."""
    lines: dict[str, str | None] = {}
    for text in texts:
        expanded = _expanded(text)
        lines[expanded] = text if lines.get(expanded, text) == text else None
    return lines


def _restore_indents(
    result: dict[int, LineState], lines: KnownLines, low: int, high: int, hunks: Sequence[Hunk], edits: Sequence[Edit]
) -> None:
    """Apply the edits to the certain lines `low` to `high`, and take their exact indentation into `result`.

    Nothing changes unless the edited text agrees with the patch line by line.
    """
    within = [hunk for hunk in hunks if hunk.old >= low and hunk.old_end <= high + 1]
    text = text_after_edits(joined_text(lines, low, high), edits) if within else None
    if text is None:
        return
    new = dict(enumerate(text.split("\n"), low + within[0].new - within[0].old))
    if all(number in result and _expanded(result[number].text) == _expanded(line) for number, line in new.items()):
        result.update((number, line_state(line)) for number, line in new.items())


def text_after_edits(text: str, edits: Sequence[Edit]) -> str | None:
    """A text after the edits that occur in it; None if the text of an edit of a single place occurs several times."""
    for edit in edits:
        if not edit.old or (text.count(edit.old) > 1 and not edit.everywhere):
            return None
        text = text.replace(replaced_text(text, edit), edit.new)
    return text


def replaced_text(text: str, edit: Edit) -> str:
    """What an edit replaces in a text that contains it."""
    # Claude Code removes the end of the line too if a text is replaced by nothing.
    with_newline = edit.old + "\n"
    removes_newline = not edit.new and not edit.old.endswith("\n") and with_newline in text
    return with_newline if removes_newline else edit.old


def lines_after_edit(lines: KnownLines, edit: Edit, *, whole: bool) -> dict[int, LineState] | None:
    """The known lines after an edit without a patch; None if its place is not certain.

    A successful edit has one place in its file, so a single place in the certain lines is the right one. An edit of
    all places can be applied only if the `whole` file is certain.
    """
    if not edit.old or (edit.everywhere and not whole):
        return None
    matches = [
        (low, high, text) for low, high in certain_ranges(lines) if edit.old in (text := joined_text(lines, low, high))
    ]
    if len(matches) != 1:
        return None
    low, high, text = matches[0]
    # If the next line is not known, it is open whether the end of the line is removed too.
    after = None if not edit.new and text.endswith(edit.old) and not whole else text_after_edits(text, [edit])
    if after is None:
        return None
    new = after.split("\n")
    shift = len(new) - (high + 1 - low)
    result = {
        number + (shift if number > high else 0): line for number, line in lines.items() if not low <= number <= high
    }
    result.update(enumerate(map(line_state, new), low))
    return result


def _expanded(text: str) -> str:
    """A line as a patch shows it: each tab of the indentation as two spaces."""
    stripped = text.lstrip("\t")
    return "  " * (len(text) - len(stripped)) + stripped
