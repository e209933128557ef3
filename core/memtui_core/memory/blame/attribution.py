"""Which known edit wrote each line of a file: a pure function of the edits and of the file as it is.

The edits are taken back one after another, the newest first. The file itself is known, so that an edit is found by its
new text in what is there; then its old text takes the place. A line belongs to the edit that brought it: one that is in
its new text and not in its old text, at the place where it was found. What nobody took back belongs to nobody, so a
person's lines, a formatter's and those from before the first edit stay unclaimed.

A place is found if the new text of an edit, with the context of its patch, is there exactly once, or at the line that
the patch names. If others have changed something in it since, the lines that are there once and in order count, as far
as enough of the edit is left. The lines of a whole file that was written are compared with those that are there. They
are claimed only if no earlier edit or read has them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from memtui_core.memory.blame.alignment import Pair, aligned, anchors, within

_FEWEST_LETTERS: Final = 3
"""Letters and digits of a line that tells more than `}` or `end`."""
_SHORTEST_PART: Final = 8
"""Characters that a text within a line must have, to be recognized in another version of the file."""
_LONG_LINE: Final = 24
"""Characters of a line that is evidence enough alone."""


@dataclass(frozen=True, slots=True)
class EditPlace:
    """A part of a file before and after an edit."""

    old: str
    new: str
    line: int | None = None
    """The number of the first line of `new` in the file after the edit; None if it is not known."""
    is_lines: bool = False
    """Whether both are whole lines, without the newline after the last one."""
    kept: tuple[Pair, ...] | None = None
    """The context in a patch, as indexes of lines of `old` and `new`; None if only the texts are known."""


@dataclass(frozen=True, slots=True)
class KnownChange:
    """A known edit of the file."""

    places: tuple[EditPlace, ...] = ()
    """What it replaced, from the top of the file to its end, or in the order in which it was done."""
    whole: str | None = None
    """The whole content, if that was written."""
    is_elsewhere: bool = False
    """Whether another copy of the file was edited: that of a worktree."""
    removes: bool = False
    """Whether the file was deleted."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Lines of the file that a read showed."""

    text: str


Event = KnownChange | Shown


def attribute(events: Sequence[Event], content: str) -> list[int | None]:
    """For each line of a file the index of the change that wrote it, or None; `events` in the order of time.

    The lines are those of `lines_of_file`. Lines are compared without a carriage return at their end, and with each tab
    of the indentation as two spaces, as patches show it.
    """
    replay = _Replay([_comparable(line) for line in lines_of_file(content)])
    for index in range(len(events) - 1, -1, -1):
        event = events[index]
        if isinstance(event, Shown):
            replay.show(_lines(event.text))
        elif event.removes and not event.is_elsewhere:
            break
        elif event.whole is not None:
            replay.take_back_file(index, _lines(event.whole), is_elsewhere=event.is_elsewhere)
        elif not event.removes:
            for place in reversed(event.places):
                replay.take_back(index, place)
    return [replay.claims.get(line, replay.written.get(line)) for line in range(replay.count)]


def lines_of_file(content: str) -> list[str]:
    """The lines of a file, without the end of each line, and without an empty one after the last newline."""
    lines = [line.removesuffix("\r") for line in content.split("\n")]
    return lines[:-1] if lines and not lines[-1] else lines


@dataclass(slots=True)
class _Replay:
    """The file before the edits that were taken back."""

    lines: list[str]
    ids: list[int] = field(init=False)
    """For each of the lines its index in the file as it is now, or -1 for one that is not in it."""
    count: int = field(init=False)
    claims: dict[int, int] = field(default_factory=dict)
    """The changes that wrote lines, by the indexes of the lines."""
    written: dict[int, int] = field(default_factory=dict)
    """Writes of the whole file that have a line, which may be older."""
    taken: Counter[str] = field(default_factory=Counter)
    """The lines that later edits removed at places that were not found."""

    def __post_init__(self) -> None:
        self.count = len(self.lines)
        self.ids = list(range(self.count))

    def take_back(self, index: int, place: EditPlace) -> None:
        """Find a place in the file, claim what the change brought, and put the old text there."""
        old, new = _comparable_text(place.old), _comparable_text(place.new)
        found = self._find(old, new, place)
        if found is None:
            self._take_back_rest(index, _split(old), _split(new), place.kept)
            return
        first, before, after = found
        kept = {j: i for i, j in (aligned(before, after) if place.kept is None else place.kept)}
        ids = [-1] * len(before)
        shown = set(old.split("\n"))
        for j in range(len(after)):
            line = self.ids[first + j]
            if j in kept:
                ids[kept[j]] = line
                if after[j] in shown:
                    # It was there before this edit, and so before a later write of the file.
                    self.written.pop(line, None)
            else:
                self._claim(index, line)
        self.lines[first : first + len(after)] = before
        self.ids[first : first + len(after)] = ids

    def take_back_file(self, index: int, content: list[str], *, is_elsewhere: bool) -> None:
        """Compare the file with all that was written; in the file itself, nothing else was there then."""
        pairs = aligned(content, self.lines)
        ids = [-1] * len(content)
        for i, j in pairs:
            ids[i] = self.ids[j]
        for i in self._sure(content, pairs, range(len(content))):
            if ids[i] >= 0 and not self.taken[content[i]]:
                self.written[ids[i]] = index
        if not is_elsewhere:
            self.lines, self.ids = content, ids

    def show(self, lines: list[str]) -> None:
        """Take what a read showed as older than the writes that were taken back."""
        if self.written:
            for _, j in aligned(lines, self.lines):
                self.written.pop(self.ids[j], None)

    def _claim(self, index: int, line: int) -> None:
        if line >= 0:
            self.claims[line] = index

    def _find(self, old: str, new: str, place: EditPlace) -> tuple[int, list[str], list[str]] | None:
        """The index of the first line of the place, and its lines before and after the change; None if none is sure."""
        if not new or not _is_telling(new):
            return None
        text = "\n".join(["", *self.lines, ""])
        sought = f"\n{new}\n" if place.is_lines else new
        at = text.find(sought)
        if at < 0:
            return None
        after = new.split("\n")
        if text.find(sought, at + 1) >= 0:
            first = (place.line or 0) - 1
            if not place.is_lines or first < 0 or self.lines[first : first + len(after)] != after:
                return None
            return first, _split(old), after
        if len(after) == 1 and self.taken[new]:
            return None
        if place.is_lines:
            return text.count("\n", 0, at), _split(old), after
        if "\n" not in new and not self._is_in_line(old, new, text):
            return None
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at + len(new))
        first = text.count("\n", 0, start) - 1
        if start == 0 or end < 0:
            # It begins or ends with the newline at an end of the file.
            return None
        left, right = text[start:at], text[at + len(new) : end]
        return first, (left + old + right).split("\n"), text[start:end].split("\n")

    def _is_in_line(self, old: str, new: str, text: str) -> bool:
        """Whether a text within a line is long enough, and is not there beside the text that it replaced."""
        return len(new.strip()) >= _SHORTEST_PART and (not old or old in new or old not in text)

    def _take_back_rest(self, index: int, old: list[str], new: list[str], context: Sequence[Pair] | None) -> None:
        """Claim what is left of a change whose text is not there as it was written."""
        kept = {j for _, j in (aligned(old, new) if context is None else context)}
        brought = [j for j in range(len(new)) if j not in kept]
        pairs = within(new, self.lines, [pair for pair in anchors(new, self.lines) if tells(new[pair[0]])])
        places = dict(pairs)
        telling = [j for j in brought if tells(new[j])]
        left = [j for j in telling if j in places]
        if 2 * len(left) >= max(len(telling), 1) or any(len(new[j].strip()) >= _LONG_LINE for j in left):
            sure = [places[j] for j in self._sure(new, pairs, brought) if not self.taken[new[j]]]
            for at in sure:
                self._claim(index, self.ids[at])
            for j, at in pairs:
                if j in kept:
                    self.written.pop(self.ids[at], None)
            for at in sorted(sure, reverse=True):
                del self.lines[at], self.ids[at]
        present = set(new)
        self.taken.update(line for line in old if line not in present and tells(line))

    def _sure(self, content: list[str], pairs: list[Pair], brought: Sequence[int]) -> list[int]:
        """Which of some lines of a content are there: those that tell something, and others right beside such a one.

        `pairs` are the lines of the content that are there. A line such as `}` counts if the next line above or below
        it that tells something is of the same change, and is there.
        """
        there, own = {i for i, _ in pairs}, set(brought)
        above = _nearest(content, range(len(content)))
        below = _nearest(content, range(len(content) - 1, -1, -1))
        return [
            i
            for i in brought
            if i in there and (tells(content[i]) or any(near in there and near in own for near in (above[i], below[i])))
        ]


def _nearest(lines: Sequence[str], order: Iterable[int]) -> dict[int, int]:
    """For each line the last one before it, in an order of the lines, that tells something; -1 if there is none."""
    nearest: dict[int, int] = {}
    last = -1
    for index in order:
        nearest[index] = last
        if tells(lines[index]):
            last = index
    return nearest


def tells(line: str) -> bool:
    """Whether a line tells more than a bracket does."""
    letters = 0
    for character in line:
        letters += character.isalnum()
        if letters >= _FEWEST_LETTERS:
            return True
    return False


def _is_telling(text: str) -> bool:
    return any(map(tells, text.split("\n")))


def _split(text: str) -> list[str]:
    return text.split("\n") if text else []


def _lines(text: str) -> list[str]:
    return [_comparable(line) for line in lines_of_file(text)]


def _comparable_text(text: str) -> str:
    """A text with comparable lines."""
    return "\n".join(map(_comparable, text.split("\n"))) if "\r" in text or "\t" in text else text


def _comparable(line: str) -> str:
    line = line.removesuffix("\r")
    stripped = line.lstrip("\t")
    return "  " * (len(line) - len(stripped)) + stripped
