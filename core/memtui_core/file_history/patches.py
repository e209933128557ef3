"""Edits of a file of which only some lines may be known: by the hunks of their patch, or by the texts they replace.

The patches of Claude Code show each tab of an indentation as two spaces (of 343 patches beside the text that they
change, all 37 in files with tabs do, and nothing else differs), so a hunk tells the place of a line for certain but not
always its indentation.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memtui_core.file_history.lines import INDENT, Line, Lines, joined, runs, seen
from memtui_core.tools.edits import Edit

_MOST_LINES = 10_000_000
"""No text file has more; a larger number is not one of a line."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place of a patch: the numbers of its first line before and after, and its lines, each with its sign."""

    old: int
    new: int
    lines: tuple[tuple[str, str], ...]
    old_open: bool = False
    """It reaches the end of a text without a newline there; `new_open` the same of the text after it."""
    new_open: bool = False

    @property
    def old_end(self) -> int:
        """Number of the first line after it in the old text."""
        return self.old + sum(sign != "+" for sign, _ in self.lines)

    @property
    def new_end(self) -> int:
        """Number of the first line after it in the new text."""
        return self.new + sum(sign != "-" for sign, _ in self.lines)


def hunks_of(patch: Any) -> tuple[Hunk, ...]:
    """The hunks of a patch as Claude Code writes it; none when there is none or its numbers contradict each other."""
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


def fits(lines: Lines, hunks: Iterable[Hunk], *, after: bool = False) -> bool:
    """Whether the lines that a patch shows of the text before it, or after, are as known, where that is certain."""
    other = "-" if after else "+"
    for hunk in hunks:
        shown = (text for sign, text in hunk.lines if sign != other)
        for number, text in enumerate(shown, hunk.new if after else hunk.old):
            known = lines.get(number)
            if known is not None and not known.doubt and _expanded(known.text) != text:
                return False
    return True


def patched(lines: Lines, hunks: Sequence[Hunk], edits: Sequence[Edit]) -> dict[int, Line]:
    """The known lines after a patch; `edits` are what it came from and hold the text as it was written."""
    ends = [hunk.old_end for hunk in hunks]
    result = {}
    for number, line in lines.items():
        place = bisect_right(ends, number)
        if place == len(hunks) or number < hunks[place].old:
            result[number + (hunks[place - 1].new_end - ends[place - 1] if place else 0)] = line
    for hunk in hunks:
        result.update(_after(lines, hunk))
        if hunk.old_open and not hunk.new_open:
            result[hunk.new_end] = Line("")
        elif hunk.new_open:
            result = {number: line for number, line in result.items() if number < hunk.new_end}
    if _reindents(edits):
        result = {number: Line(line.text, line.doubt or INDENT) for number, line in result.items()}
    for low, high in runs(lines):
        _settle(result, lines, low, high, hunks, edits)
    return result


def _reindents(edits: Sequence[Edit]) -> bool:
    """Whether an edit puts spaces for tabs, or tabs for spaces, in a line that its patch then may not show at all."""
    for edit in edits:
        before = _by_look(edit.old.split("\n"))
        if any(before.get(_expanded(line), line) != line for line in edit.new.split("\n")):
            return True
    return False


def _after(lines: Lines, hunk: Hunk) -> Iterator[tuple[int, Line]]:
    """The lines of a hunk by their new numbers.

    Among lines that look alike the patch may name another one as kept than the edit kept: only `_settle` can tell.
    """
    old, new = hunk.old, hunk.new
    for sign, text in hunk.lines:
        if sign != "-":
            known = lines.get(old) if sign == " " else None
            look = "" if known is None else _expanded(known.text)
            yield new, Line(known.text, INDENT) if known is not None and text == look != known.text else _shown(text)
        old += sign != "+"
        new += sign != "-"


def _shown(text: str) -> Line:
    return Line(text, INDENT) if text.startswith("  ") else seen(text)


def _by_look(texts: Iterable[str]) -> dict[str, str | None]:
    """Lines by how a patch shows them; None for a look that two different lines share."""
    found: dict[str, str | None] = {}
    for text in texts:
        look = _expanded(text)
        found[look] = text if found.get(look, text) == text else None
    return found


def _settle(
    result: dict[int, Line], lines: Lines, low: int, high: int, hunks: Sequence[Hunk], edits: Sequence[Edit]
) -> None:
    """Give lines the text that the edits make of a run of certain lines, with its true indentation.

    Only where that text agrees with the patch line by line.
    """
    within = [hunk for hunk in hunks if hunk.old >= low and hunk.old_end <= high + 1]
    text = replaced(joined(lines, low, high), edits) if within else None
    if text is None:
        return
    new = dict(enumerate(text.split("\n"), low + within[0].new - within[0].old))
    if all(number in result and _expanded(result[number].text) == _expanded(line) for number, line in new.items()):
        result.update((number, seen(line)) for number, line in new.items())


def replaced(text: str, edits: Sequence[Edit]) -> str | None:
    """A text after those of the edits that occur in it; None when one that is of a single place occurs at several."""
    for edit in edits:
        if not edit.old or (text.count(edit.old) > 1 and not edit.everywhere):
            return None
        # Claude Code takes the end of the line along when nothing comes in place of a text.
        ended = edit.old + "\n"
        takes_end = not edit.new and not edit.old.endswith("\n") and ended in text
        text = text.replace(ended if takes_end else edit.old, edit.new)
    return text


def placed(lines: Lines, edit: Edit, *, whole: bool) -> dict[int, Line] | None:
    """The known lines after an edit without a patch; None when its place is not certain.

    An edit that was done has one place in its file, so one place in the lines known for certain is the right one; one
    that is done everywhere can be followed only where the `whole` file is certain.
    """
    if not edit.old or (edit.everywhere and not whole):
        return None
    found = [(low, high, text) for low, high in runs(lines) if edit.old in (text := joined(lines, low, high))]
    if len(found) != 1:
        return None
    low, high, text = found[0]
    # Whether the end of the line goes too is open where the line after it is not known.
    after = None if not edit.new and text.endswith(edit.old) and not whole else replaced(text, [edit])
    if after is None:
        return None
    new = after.split("\n")
    shift = len(new) - (high + 1 - low)
    result = {
        number + (shift if number > high else 0): line for number, line in lines.items() if not low <= number <= high
    }
    result.update(enumerate(map(seen, new), low))
    return result


def _expanded(text: str) -> str:
    """A line as a patch shows it."""
    plain = text.lstrip("\t")
    return "  " * (len(text) - len(plain)) + plain
