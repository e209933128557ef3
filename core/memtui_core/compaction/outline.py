"""The sections and sentences of a summary."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui_core.compaction.values import Section
from memtui_core.model import Span

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.+?)[ \t#]*$")
_NUMBERED = re.compile(r"(\d{1,2})[.)][ \t]+(?:\*\*(?P<bold>[^*\n]{2,100}?):?\*\*:?|(?P<plain>[^*\n:]{2,100}):[ \t]*$)")
_BOLD = re.compile(r"\*\*([^*\n]{2,100}?):?\*\*:?[ \t]*$")
_LABEL = re.compile(r"(?:<)?([A-Z][\w ]{2,40})(?:>|:)[ \t]*$")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_BULLET = re.compile(r"[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?")
_SENTENCE_END = re.compile(r"[.!?][\"'”’)*`]*[ \t]+(?=[\"'“‘(*`]*[A-Z0-9])|[。！？]")
_LEAD = re.compile(
    r"This session is being continued from a previous conversation|The summary below covers the earlier portion"
    r"|The conversation is summarized below"
)
_LONGEST_HEAD = 300
_LABEL_LEVEL, _NUMBERED_LEVEL, _BOLD_LEVEL = 1, 2, 3


_TAIL = re.compile(r"^(?:If you need specific details from before compaction|Please continue the conversation)", re.M)


def body(text: str) -> str:
    """A summary without what the agent's program adds to its end: where the transcript is, and to go on."""
    match = _TAIL.search(text)
    return text[: match.start()] if match else text


def outline(text: str) -> tuple[Section, ...]:
    """The sections of a summary, in order.

    Headings are those of Markdown, and lines at the margin that are a label (`Summary:`, level 1), numbered with a
    title (`1. Primary request:`, level 2) or only bold (level 3).
    """
    heads = [(start, *head) for start, line, is_code in _lines(text) if not is_code and (head := _head(line))]
    sections = []
    for index, (start, level, title) in enumerate(heads):
        following = (begin for begin, other, _ in heads[index + 1 :] if other <= level)
        sections.append(Section(title, level, Span(start, next(following, len(text)))))
    return tuple(sections)


def sentences(text: str) -> tuple[Span, ...]:
    """The sentences of a text: no list sign at their start, no blanks at their ends; a code block is one.

    What stands at the head of every summary is none of them.
    """
    found: list[Span] = []
    code: int | None = None
    end = 0
    for start, line, is_code in _lines(text):
        if is_code:
            code, end = (start if code is None else code), start + len(line)
            continue
        if code is not None:
            found += _trimmed(text, code, end)
            code = None
        found += _of_line(text, start, line)
    if code is not None:
        found += _trimmed(text, code, end)
    return tuple(span for span in found if not _LEAD.match(text, span.start))


def _head(line: str) -> tuple[int, str] | None:
    if len(line) > _LONGEST_HEAD:
        return None
    if match := _HEADING.match(line):
        return len(match[1]), match[2].strip("* ")
    if match := _NUMBERED.match(line):
        return _NUMBERED_LEVEL, (match["bold"] or match["plain"]).strip(" :")
    if match := _BOLD.match(line):
        return _BOLD_LEVEL, match[1].strip(" :")
    match = _LABEL.match(line)
    return (_LABEL_LEVEL, match[1].strip()) if match else None


def _lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """Each line with its place and whether it belongs to a code block."""
    start, fence = 0, ""
    for line in text.split("\n"):
        match = _FENCE.match(line)
        is_code = bool(fence) or match is not None
        if match is not None and not fence:
            fence = match[1]
        elif match is not None and match[1] == fence:
            fence = ""
        yield start, line, is_code
        start += len(line) + 1


def _of_line(text: str, start: int, line: str) -> Iterator[Span]:
    bullet = _BULLET.match(line)
    begin = start + (bullet.end() if bullet else 0)
    for match in _SENTENCE_END.finditer(text, begin, start + len(line)):
        yield from _trimmed(text, begin, match.end())
        begin = match.end()
    yield from _trimmed(text, begin, start + len(line))


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    if part.strip():
        yield Span(start + left, start + left + len(part.strip()))
