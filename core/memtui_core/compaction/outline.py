"""The sections and sentences of a summary, or of another text with headings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui_core.compaction.model import SummarySection
from memtui_core.model import Span

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.+?)[ \t#]*$")
_NUMBERED = re.compile(r"(\d{1,2})[.)][ \t]+(?:\*\*(?P<bold>[^*\n]{2,100}?):?\*\*:?|(?P<plain>[^*\n:]{2,100}):[ \t]*$)")
_BOLD = re.compile(r"\*\*([^*\n]{2,100}?):?\*\*:?[ \t]*$")
_LABEL = re.compile(r"(?:<)?([A-Z][\w ]{2,40})(?:>|:)[ \t]*$")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_BULLET = re.compile(r"[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?")
_SENTENCE_END = re.compile(r"[.!?][\"'”’)*`]*[ \t]+(?=[\"'“‘(*`]*[A-Z0-9])|[。！？]")
_PREAMBLE = re.compile(
    r"This session is being continued from a previous conversation|The summary below covers the earlier portion"
    r"|The conversation is summarized below"
)
_LONGEST_HEADING = 300
_LABEL_LEVEL, _NUMBERED_LEVEL, _BOLD_LEVEL = 1, 2, 3


_PROGRAM_END = re.compile(
    r"^(?:If you need specific details from before compaction|Please continue the conversation)", re.M
)


def summary_body(text: str) -> str:
    """A summary without the end that the agent's program adds: where the transcript is, and the order to continue."""
    match = _PROGRAM_END.search(text)
    return text[: match.start()] if match else text


def outline(text: str) -> tuple[SummarySection, ...]:
    """The sections of a summary, in order.

    Headings are those of Markdown, and lines at the margin that are a label (`Summary:`, level 1), numbered with a
    title (`1. Primary request:`, level 2) or only bold (level 3).
    """
    headings = [
        (start, *heading) for start, line, is_code in _lines(text) if not is_code and (heading := _heading(line))
    ]
    sections = []
    for index, (start, level, title) in enumerate(headings):
        following = (next_start for next_start, next_level, _ in headings[index + 1 :] if next_level <= level)
        sections.append(SummarySection(title, level, Span(start, next(following, len(text)))))
    return tuple(sections)


def sentences(text: str) -> tuple[Span, ...]:
    """The sentences of a text, without list markers at their start and blanks at their ends; a code block is one.

    The preamble that every summary has is left out.
    """
    spans: list[Span] = []
    code_start: int | None = None
    end = 0
    for start, line, is_code in _lines(text):
        if is_code:
            code_start, end = (start if code_start is None else code_start), start + len(line)
            continue
        if code_start is not None:
            spans += _trimmed(text, code_start, end)
            code_start = None
        spans += _line_sentences(text, start, line)
    if code_start is not None:
        spans += _trimmed(text, code_start, end)
    if _PREAMBLE.search(text) is None:
        return tuple(spans)
    return tuple(span for span in spans if not _PREAMBLE.match(text, span.start))


def _heading(line: str) -> tuple[int, str] | None:
    """The level and the title of a heading; None for another line."""
    # Few lines are headings, and most others can be told by two characters.
    if not line or len(line) > _LONGEST_HEADING:
        return None
    first = line[0]
    if first in "# " and (match := _HEADING.match(line)):
        return len(match[1]), match[2].strip("* ")
    if first.isdecimal() and (match := _NUMBERED.match(line)):
        return _NUMBERED_LEVEL, (match["bold"] or match["plain"]).strip(" :")
    if first == "*" and (match := _BOLD.match(line)):
        return _BOLD_LEVEL, match[1].strip(" :")
    match = _LABEL.match(line) if line.rstrip(" \t")[-1:] in {">", ":"} else None
    return (_LABEL_LEVEL, match[1].strip()) if match else None


def _lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """Each line with its offset and whether it belongs to a code block."""
    start, fence = 0, ""
    if "```" not in text and "~~~" not in text:
        for line in text.split("\n"):
            yield start, line, False
            start += len(line) + 1
        return
    for line in text.split("\n"):
        match = _FENCE.match(line)
        is_code = bool(fence) or match is not None
        if match is not None and not fence:
            fence = match[1]
        elif match is not None and match[1] == fence:
            fence = ""
        yield start, line, is_code
        start += len(line) + 1


def _line_sentences(text: str, start: int, line: str) -> Iterator[Span]:
    bullet = _BULLET.match(line)
    sentence_start = start + (bullet.end() if bullet else 0)
    for match in _SENTENCE_END.finditer(text, sentence_start, start + len(line)):
        yield from _trimmed(text, sentence_start, match.end())
        sentence_start = match.end()
    yield from _trimmed(text, sentence_start, start + len(line))


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    if part.strip():
        yield Span(start + left, start + left + len(part.strip()))
