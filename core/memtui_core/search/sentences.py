"""Where a passage of a text begins and ends: at sentences, lines and paragraphs."""

from __future__ import annotations

import re

LENGTH = 240
"""Characters of a passage."""
LEAD = 100
"""Characters before a word in which the beginning of its sentence is looked for."""
_BEGINNINGS = re.compile(r"\n\s*|(?<!\d)[.!?]\s+|[。！？]")
_ENDINGS = re.compile(r"(?<!\d)[.!?](?=\s)|[。！？]")
_PARAGRAPH = re.compile(r"\s*\n\s*\n")
_SHORTEST = LENGTH // 4
"""Characters of a paragraph that is a passage of its own; a shorter one, such as a heading, goes on with the next."""
_SIGNS = re.compile(r"[{}\[\]();=<>|\\/_*$#@&\"'`~^+]|\d")
_SIGNS_OF_CODE = 0.14
"""Share of signs and digits from which on a text is code."""


def around(text: str, start: int, end: int) -> tuple[int, int]:
    """The passage of a window: from the beginning of its sentence or line, if a passage is long enough for both."""
    first = sentence_start(text, start, max(0, min(LEAD, LENGTH - (end - start))))
    return first, passage_end(text, first, end)


def sentence_start(text: str, place: int, lead: int = LEAD) -> int:
    """Where the sentence or line of a place begins, at most `lead` before it, else a word not far before it."""
    low = max(0, place - lead)
    before = text[low:place]
    starts = [match.end() for match in _BEGINNINGS.finditer(before)]
    if starts:
        return low + starts[-1]
    if low == 0:
        return len(before) - len(before.lstrip())
    near = max(0, lead - LENGTH // 4)
    blank = before.find(" ", near)
    return low + (blank + 1 if blank >= 0 else near)


def passage_end(text: str, first: int, needed: int) -> int:
    """The end of a passage: of its paragraph, the last sentence that fits, or a word; if possible after `needed`."""
    limit = min(len(text), first + LENGTH)
    paragraph = _PARAGRAPH.search(text, max(needed, first + _SHORTEST), limit)
    if paragraph is not None:
        return paragraph.start()
    if limit == len(text):
        return limit
    ends = [match.end() for match in _ENDINGS.finditer(text, first, limit + 1) if needed <= match.end() <= limit]
    if ends and ends[-1] - first > LENGTH // 2:
        return ends[-1]
    blank = max(text.rfind(" ", first, limit), text.rfind("\n", first, limit))
    return blank if blank > max(needed, first + LENGTH // 2) else limit


def is_code(text: str) -> bool:
    """Whether a text has more signs and digits than prose has."""
    return len(_SIGNS.findall(text)) > _SIGNS_OF_CODE * max(len(text), 1)
