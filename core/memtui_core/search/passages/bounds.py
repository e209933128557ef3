"""Where a passage of a text starts and ends: at sentences, lines and paragraphs."""

from __future__ import annotations

import re

MAX_LENGTH = 240
"""Characters of a passage."""
MAX_LEAD = 100
"""Characters before a word in which the start of its sentence is looked for."""
_STARTS = re.compile(r"\n\s*|(?<!\d)[.!?]\s+|[。！？]")
_ENDS = re.compile(r"(?<!\d)[.!?](?=\s)|[。！？]")
_PARAGRAPH = re.compile(r"\s*\n\s*\n")
_MIN_PARAGRAPH = MAX_LENGTH // 4
"""Characters of a paragraph that is a passage of its own; a shorter one, such as a heading, is joined with the next."""
_CODE_CHARACTERS = re.compile(r"[{}\[\]();=<>|\\/_*$#@&\"'`~^+]|\d")
_MIN_CODE_SHARE = 0.14
"""Share of symbols and digits from which on a text is code."""


def passage_range(text: str, start: int, end: int) -> tuple[int, int]:
    """The passage around a window: from the start of its sentence or line, if both fit into a passage."""
    first = sentence_start(text, start, max(0, min(MAX_LEAD, MAX_LENGTH - (end - start))))
    return first, passage_end(text, first, end)


def sentence_start(text: str, position: int, lead: int = MAX_LEAD) -> int:
    """The start of the sentence or line at a position, or of a word if it starts more than `lead` characters before."""
    low = max(0, position - lead)
    before = text[low:position]
    starts = [match.end() for match in _STARTS.finditer(before)]
    if starts:
        return low + starts[-1]
    if low == 0:
        return len(before) - len(before.lstrip())
    nearby = max(0, lead - MAX_LENGTH // 4)
    blank = before.find(" ", nearby)
    return low + (blank + 1 if blank >= 0 else nearby)


def passage_end(text: str, first: int, needed: int) -> int:
    """The end of a passage: of its paragraph, the last sentence that fits, or a word; if possible after `needed`."""
    limit = min(len(text), first + MAX_LENGTH)
    paragraph = _PARAGRAPH.search(text, max(needed, first + _MIN_PARAGRAPH), limit)
    if paragraph is not None:
        return paragraph.start()
    if limit == len(text):
        return limit
    ends = [match.end() for match in _ENDS.finditer(text, first, limit + 1) if needed <= match.end() <= limit]
    if ends and ends[-1] - first > MAX_LENGTH // 2:
        return ends[-1]
    blank = max(text.rfind(" ", first, limit), text.rfind("\n", first, limit))
    return blank if blank > max(needed, first + MAX_LENGTH // 2) else limit


def is_code(text: str) -> bool:
    """Whether a text has more symbols and digits than prose has."""
    return len(_CODE_CHARACTERS.findall(text)) > _MIN_CODE_SHARE * max(len(text), 1)
