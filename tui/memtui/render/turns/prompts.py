"""The user's prompts: every character as it was typed, with colours for code in fences and for diffs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memtui.render.clean import clean, typed_rows
from memtui.render.markdown.code import highlight
from memtui.render.markdown.sections import Section, diff_lines_of_fence, sections
from memtui.render.rows import Row
from memtui.render.tools.diff import output_rows
from memtui_core.tools.shell.diff_output import written_diff_lines

_STYLE = "prompted"
_FENCE_STYLE = "muted"
_SIGNED = re.compile(r"[-+ ]|@@$")
"""The beginning of a line in a part of a diff without the heads that say where it begins and ends."""


def prompt_rows(text: str, seq: int) -> list[Row]:
    """The rows of a prompt: one for each line of what `typed` returns."""
    lines = [line.rstrip() for line in clean(typed(text)).split("\n")]
    return [row for section in sections(lines) for row in _rows(section, lines[section.start : section.end], seq)]


def typed(text: str) -> str:
    """A prompt without blank lines at its beginning and end."""
    text = text.rstrip()
    return text[text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1 :]


def _rows(section: Section, lines: Sequence[str], seq: int) -> Iterator[Row]:
    if section.kind == "diff":
        yield from _diff(lines, seq)
    elif section.kind == "code":
        end = len(lines) - section.is_closed
        yield from typed_rows(lines[:1], _FENCE_STYLE, seq)
        yield from _code(lines[1:end], section.language, seq)
        yield from typed_rows(lines[end:], _FENCE_STYLE, seq)
    else:
        yield from _prose(lines, seq)


def _prose(lines: Sequence[str], seq: int) -> Iterator[Row]:
    """Lines outside of fences; what was cut out of a diff has its colours."""
    position = 0
    while position < len(lines):
        end = position
        while end < len(lines) and _SIGNED.match(lines[end]):
            end += 1
        run = lines[position:end]
        # A list has one sign.
        if {line[0] for line in run} >= {"+", "-"}:
            yield from _diff(run, seq)
        else:
            end = max(end, position + 1)
            yield from typed_rows(lines[position:end], _STYLE, seq)
        position = end


def _code(lines: Sequence[str], language: str, seq: int) -> Iterable[Row]:
    if not lines:
        return ()
    kinds = diff_lines_of_fence(lines, language)
    if any(kinds):
        return output_rows(zip(lines, kinds, strict=True), _STYLE, seq)
    spans = highlight("\n".join(lines), language)
    return [Row(tuple((text, f"{_STYLE} {own}".strip()) for text, own in line), seq) for line in spans]


def _diff(lines: Sequence[str], seq: int) -> Iterable[Row]:
    return output_rows(zip(lines, written_diff_lines(lines), strict=True), _STYLE, seq)
