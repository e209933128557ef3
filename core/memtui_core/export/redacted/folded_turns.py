"""The turns below an issue: as much of each as fits, the finest pieces go first, and what was left out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from memtui_core.export import labels
from memtui_core.export.contents import Contents
from memtui_core.export.markdown import turn_section
from memtui_core.export.redacted.copy import RedactedCopy
from memtui_core.export.tool_calls import middle_left_out
from memtui_core.export.turn_parts import selected_blocks
from memtui_core.model import Block, Turn
from memtui_core.text.markdown.references import without_images, without_references
from memtui_core.tools.pairing import calls_by_seq

_LIMITS: Final = (1_500, 500, 200)
"""Characters of a text below a tool call, tried one after the other."""
_CALLS: Final = frozenset({"tool_call", "tool_result"})
_MOST_RUNS: Final = 8
"""Runs of turns that are named; of more, only how many turns they are."""
_LONG_TEXTS: Final = (4_000, 1_000, 250)
"""Characters of a prompt or an answer, if no turn fits otherwise."""


class _Level(NamedTuple):
    """How much of a turn is shown."""

    contents: Contents
    longest: int = 0
    """Characters of a prompt, an answer or a note; 0 for all of it."""


def folded_turns(copy: RedactedCopy, room: int) -> str:
    """The turns with what fits of them into `room` characters; empty if there are none.

    All turns get the first level at which all fit, then each in its order the one before, while there is room. What is
    left goes to lines of tool calls of turns without any.
    """
    sections, whole = _Sections(copy), len(copy.turns)
    first = bisect_left(range(len(sections.levels)), True, key=lambda level: sections.count(level, room) == whole)
    first = min(first, len(sections.levels) - 1)
    levels = [first] * sections.count(first, room)
    left = room - sum(map(sections.size, range(len(levels)), levels))
    for higher in reversed(range(max(levels, default=0))):
        for at, level in enumerate(levels):
            if level == higher + 1:
                own = sections.size(at, level)
                more = sections.size(at, higher, left + own) - own
                if more <= left:
                    levels[at] = higher
                    left -= more
    texts = [sections.text(at, level) for at, level in enumerate(levels)]
    calls: dict[int, int] = {}
    for at, level in enumerate(levels):
        calls[at], text = sections.with_calls(at, level, left + len(texts[at]))
        left -= len(text) - len(texts[at])
        texts[at] = text
        if 0 < calls[at] < len(calls_by_seq(copy.turns[at].blocks)):
            break
    if note := _left_out(copy, [sections.levels[level] for level in levels], calls):
        texts.append(f"*{note}*")
    if not texts:
        return ""
    summary = f"All of it: {labels.turn_range(copy.session, copy.turns)}"
    body = "\n\n".join(texts)
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>\n\n"


def inert(text: str) -> str:
    """Markdown that notifies nobody and loads nothing."""
    return without_references(without_images(text))


class _Sections:
    """The turns at each level, from the first one, which has all."""

    def __init__(self, copy: RedactedCopy) -> None:
        self._copy = copy
        most, middle, least = (replace(copy.contents, most=limit) for limit in _LIMITS)
        middle, least = replace(middle, thinking=False), replace(least, thinking=False)
        short = replace(least, results=False, diffs=False)
        none = replace(short, tools=False)
        levels = [most, replace(most, thinking=False), middle, least, short, replace(short, inputs=False), none]
        self.levels = [*map(_Level, levels), *(_Level(none, longest) for longest in _LONG_TEXTS)]
        self._made: dict[tuple[int, int], str] = {}
        self._texts: dict[tuple[int, int], str] = {}

    def text(self, at: int, level: int) -> str:
        """The section of a turn, as it is written."""
        if (at, level) not in self._texts:
            self._texts[at, level] = inert(self._section(at, level))
        return self._texts[at, level]

    def size(self, at: int, level: int, enough: int = 0) -> int:
        """The characters that a section takes; more than `enough` if that is given and it takes more."""
        least = len(self._section(at, level)) + 2
        return least if enough and least > enough else len(self.text(at, level)) + 2

    def with_calls(self, at: int, level: int, room: int) -> tuple[int, str]:
        """The section of a turn without tool calls with a line for as many as fit, and how many these are."""
        (contents, longest), turn = self.levels[level], self._copy.turns[at]
        calls = 0 if contents.tools or not self._copy.contents.tools else len(calls_by_seq(turn.blocks))
        shown = replace(contents, tools=True, inputs=False)

        def section(count: int) -> str:
            if not count:
                return self.text(at, level)
            return inert(turn_section(self._copy.session, _cut(_with_calls(turn, count), longest), shown))

        most = bisect_left(range(1, calls + 1), True, key=lambda count: len(section(count)) > room)
        return most, section(most)

    def count(self, level: int, room: int) -> int:
        """How many turns fit at a level, from the first one on."""
        for at in range(len(self._copy.turns)):
            room -= self.size(at, level, room)
            if room < 0:
                return at
        return len(self._copy.turns)

    def _section(self, at: int, level: int) -> str:
        if (at, level) not in self._made:
            contents, longest = self.levels[level]
            turn = self._copy.turns[at]
            self._made[at, level] = turn_section(self._copy.session, _cut(turn, longest), contents)
        return self._made[at, level]


def _cut(turn: Turn, longest: int) -> Turn:
    """The turn with at most about so many characters of each of its texts."""
    if not longest:
        return turn
    blocks = tuple(
        block if block.kind in _CALLS else replace(block, text=middle_left_out(block.text, longest))
        for block in turn.blocks
    )
    return replace(turn, user_text=middle_left_out(turn.user_text, longest), blocks=blocks)


def _with_calls(turn: Turn, count: int) -> Turn:
    """The turn with some of its first and last tool calls, and a note in the place of those between them."""
    calls = calls_by_seq(turn.blocks)
    seqs = sorted(calls)
    out = seqs[(count + 1) // 2 : len(seqs) - count // 2]
    left_out = {id(block) for seq in out for block in (calls[seq].block, calls[seq].result)}
    texts = {id(block) for block in selected_blocks(turn, thinking=True, tools=False)}
    blocks = []
    for block in turn.blocks:
        if out and block.seq == out[0]:
            blocks.append(Block(block.seq, block.line, "note", labels.counted(len(out), "tool call"), "left out"))
        elif id(block) in texts or (block.kind in _CALLS and id(block) not in left_out):
            blocks.append(block)
    return replace(turn, blocks=tuple(blocks))


def _left_out(copy: RedactedCopy, levels: Sequence[_Level], calls: Mapping[int, int]) -> str:
    """What is in no section, with the turns, unless it is so in all of them; `calls` are shown beyond the levels."""
    places: dict[str, list[int]] = {}
    whole: dict[str, int] = {}
    for at, turn in enumerate(copy.turns):
        for kind in _kinds(turn, copy.contents):
            whole[kind] = whole.get(kind, 0) + 1
        if at < len(levels):
            for kind, name in _missing(turn, copy.contents, levels[at].contents, calls.get(at, 0)):
                places.setdefault(f"{kind}:{name}", []).append(turn.number)
    parts = []
    for key, numbers in sorted(places.items(), key=lambda entry: entry[0].startswith("calls")):
        kind, _, name = key.partition(":")
        parts.append(name if len(numbers) == whole[kind] else f"{name} in {_turns(numbers)}")
    cut = zip(copy.turns, levels, strict=False)
    if any(level.longest and _cut(turn, level.longest) != turn for turn, level in cut):
        parts.append("the middle of long texts")
    if gone := [turn.number for turn in copy.turns[len(levels) :]]:
        parts.append(_turns(gone))
    return f"Left out, since no more fits: {'; '.join(parts)}." if parts else ""


def _kinds(turn: Turn, contents: Contents) -> Iterator[str]:
    """What a turn has that can be left out of it."""
    kinds = {block.kind for block in turn.blocks}
    if contents.thinking and "thinking" in kinds:
        yield "thinking"
    if contents.tools and "tool_call" in kinds:
        yield "calls"


def _missing(turn: Turn, asked: Contents, shown: Contents, calls: int) -> Iterator[tuple[str, str]]:
    """What a turn lacks of what was asked for, but for a line of some tool calls: its kind, and a name of it."""
    for kind in _kinds(turn, asked):
        if kind == "thinking" and not shown.thinking:
            yield kind, "thinking"
        elif kind == "calls" and not shown.tools and calls < (count := len(calls_by_seq(turn.blocks))):
            some = f"{count - calls:,} of {count:,} tool calls, all but a line of the others"
            yield kind, some if calls else "tool calls"
        elif kind == "calls" and not (shown.tools and shown.inputs):
            yield kind, "all but a line of each tool call"
        elif kind == "calls":
            has_diffs = asked.diffs and any(call.edits for call in calls_by_seq(turn.blocks).values())
            gone = ["results"] * (asked.results and not shown.results)
            gone += ["changes"] * (has_diffs and not shown.diffs)
            if gone:
                yield kind, f"the {' and '.join(gone)} of tool calls"


def _turns(numbers: Sequence[int]) -> str:
    """`turn 3`, `turns 3–5, 8`, `34 turns`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    if len(runs) > _MOST_RUNS:
        return f"{len(numbers)} turns"
    shown = [f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return f"{'turn' if len(runs) == 1 and len(runs[0]) == 1 else 'turns'} {', '.join(shown)}"
