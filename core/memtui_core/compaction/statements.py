"""The statements of passages: list entries and sentences, each with how much it matters."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from memtui_core.compaction.cues import (
    asks,
    conclusion,
    importance_of_prompt,
    importance_of_rule,
    kind_of_prompt,
    sets_rule,
)
from memtui_core.compaction.model import FactKind
from memtui_core.compaction.outline import outline, sentences
from memtui_core.compaction.passages import Origin, Passage
from memtui_core.compaction.phrases import is_mostly_pasted, requests, typed_around
from memtui_core.compaction.session_texts import Part, SessionTexts
from memtui_core.compaction.words import without_code, word_set

_LONGEST_ENTRY: Final = 400
_LONGEST_LINE: Final = 200
"""Characters of a list entry, and of another line, that is one statement; of a longer one each sentence is."""
_LONGEST_PROMPT: Final = 20_000
_LONGEST: Final = 1500
"""Characters of a sentence; what is longer is no prose."""
_FEWEST_WORDS: Final = 3
_TABLE = re.compile(r"\s*\|.*|[\s:|-]*")
_WRAP = re.compile(r"\n(?<=[^\n]{59}[^\n.:!?|]\n)[ \t]*(?![*+•#>|-]|\d{1,3}[.)]|\n)(?=\S)")
"""A line break within a sentence of a text that was wrapped by hand: the next line is no list entry and no heading."""
_BLANKS = re.compile(r"(?<=\S) {2,}(?=\S)")
_BOX = re.compile(r"\[([ xX])\]")
_TICKED = re.compile(r"^[ \t]*[-*+][ \t]+\[[xX]\]", re.MULTILINE)
_OPEN_BOX: Final = 1.3
"""The importance of an item that is not ticked off in a list that is being worked on."""
_RULED = re.compile(r"[\s:|-]*")
_BELOW = re.compile(
    r"[ \t*_]{0,8}\n(?:[ \t]{0,8}\n)?(?P<below>(?:[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+[^\n]+(?:\n|\Z)){1,8}"
    r"|```[^\n]*\n(?:[^\n`]+\n){1,3}[ \t]*```)"
)
"""The short list or the formula below a line."""
_MARKER = re.compile(r"^(?:[-*+•]|\d{1,2}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
ENTRY: Final = "‣"
"""Stands before each entry of a list that is quoted with the line above it."""
_HEADED: Final[tuple[tuple[re.Pattern[str], FactKind], ...]] = (
    (re.compile(r"\brisks?\b|trade-?off|caveat", re.IGNORECASE), "caveat"),
    (re.compile(r"open questions?|deferred|follow-?up", re.IGNORECASE), "open"),
)
"""Headings in plans and specifications under which no requirements stand."""
_MOST_BELOW: Final = 6
_TELLING: Final = 0.5
"""The importance from which on the entries below a line belong to it."""
_ANSWERS = re.compile(
    r"\W*(?:yes|yep|yeah|sure|ok(?:ay)?|no|nope|do it|go|please|sounds|perfect|great|good|agreed?|continue|proceed|both"
    r"|all|neither|/\S+|[A-Da-d1-5]\b|option|the (?:first|second|third|latter|former)|let['’]?s"
    r"|i (?:agree|prefer|want|like))\b",
    re.IGNORECASE,
)
"""How a reply begins that answers whatever was asked."""
_ADDRESS = re.compile(r"\W*https?://\S+\W*")
_ORIGIN_WEIGHTS: Final[dict[Origin, float]] = {
    "prompt": 1.5,
    "rejection": 1.5,
    "answer": 2.2,
    "unanswered": 1.5,
    "option": 1.0,
    "plan": 1.6,
    "task": 1.7,
    "spec": 0.55,
    "conclusion": 1.15,
    "remark": 0.6,
    "summary": 1.0,
}
_KIND_WEIGHTS: Final[dict[FactKind, float]] = {"caveat": 0.8, "finding": 0.8, "decision": 0.6, "conclusion": 0.6}
"""Factors for what the agent said.

Of the rows with most cues, every second assumption and every fifth caveat or finding was useful to a reader, and of
decisions and other conclusions one in sixteen (bench/review).
"""
SPOKEN: Final[frozenset[Origin]] = frozenset({"prompt", "rejection", "answer", "unanswered"})
"""The origins of a person's own words."""
_FEWEST_SPOKEN, _LITTLE = 2, 0.4
"""Words that a prompt must have to say something, and the factor for one that has fewer: `run it`."""
_WITHIN: Final = 0.9
"""Factor for a rule within a longer request, which is quoted as a whole if the summary has no part of it."""
_TREE_LINE: Final = re.compile(r"\W*[←↑→↓↳○◐●◯]")
"""A line of a tracker's tree of tasks."""
_CODE_LINE: Final = re.compile(r"\s*(?:[-+]?\s*//|/\*|#!|[-+]\s*\w+\(|[│┃╭╰✓✔✖])")
"""How a line of code or of a tool's output begins."""
_CLOSED: Final = 0.2
"""Factor for a task that was closed before the compaction, and for a plan with a later one."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A list entry or a sentence of a passage."""

    kind: FactKind
    text: str
    passage: Passage
    weight: float
    """How much it matters by its words, its heading and where it stands; more than 0."""
    words: frozenset[str]


def statements(passages: Sequence[Passage], texts: SessionTexts | None = None) -> Iterator[Statement]:
    """The statements of passages that may matter, in order."""
    texts = texts or SessionTexts()
    for passage in passages:
        origin_weight = _ORIGIN_WEIGHTS[passage.origin] * (_CLOSED if passage.is_closed else 1.0)
        for part in texts.parts(passage.origin, passage.is_whole, passage.text, partial(_parts, passage)):
            if part.kind == "question" and passage.origin != "unanswered" and not _is_open_question(part, passage):
                continue
            weight = part.importance * origin_weight
            if passage.origin == "prompt" and len(part.words) < _FEWEST_SPOKEN:
                weight *= _LITTLE
            if passage.origin not in SPOKEN:
                weight *= min(1.0, 0.3 + len(part.words) / 14) * _KIND_WEIGHTS.get(part.kind, 1.0)
            yield Statement(part.kind, part.text, passage, weight, part.words)


def _parts(passage: Passage) -> Iterator[Part]:
    """The parts of a passage that matter at all."""
    if passage.origin in {"prompt", "unanswered"}:
        yield from _parts_of_prompt(passage)
    elif passage.origin == "rejection":
        importance = importance_of_prompt(passage.text[:_LONGEST])
        yield Part("correction", passage.text, importance, word_set(passage.text))
    elif passage.origin == "answer":
        yield Part("answer", passage.text, 1.0, word_set(passage.text))
    elif passage.origin == "option":
        yield Part("rejected", passage.text, 1.0, word_set(passage.text))
    else:
        yield from _parts_of_document(passage)


def _parts_of_prompt(passage: Passage) -> Iterator[Part]:
    """The requests of a prompt; of one with a log in it only what the user typed around that."""
    text = passage.text[:_LONGEST_PROMPT]
    parts = list(requests(text))
    if is_mostly_pasted(text):
        parts = typed_around(text, parts)
    for request in parts:
        for typed in _without_questions(request):
            start = typed[:_LONGEST]
            if passage.origin == "unanswered" and asks(start):
                yield Part("question", typed, 1.0, word_set(typed))
            elif _CODE_LINE.match(start) is None:
                yield Part(kind_of_prompt(start), typed, importance_of_prompt(start), word_set(typed))
                for rule in _rules_within(start):
                    yield Part("rule", rule, _WITHIN * importance_of_prompt(rule), word_set(rule))


def _rules_within(request: str) -> list[str]:
    """The sentences of a longer request that set a rule: a summary may have the request and not the rule."""
    spans = sentences(request)
    return [rule for span in spans if sets_rule(rule := request[span.start : span.end])] if len(spans) > 1 else []


def _is_open_question(question: Part, passage: Passage) -> bool:
    """Whether a question of the agent was for the user, who answered neither by a word nor on its subject."""
    if not passage.is_last or passage.origin not in {"conclusion", "remark"}:
        return False
    reply = passage.reply
    return reply is None or not (_ANSWERS.match(reply) or question.words & word_set(reply))


def _parts_of_document(passage: Passage) -> Iterator[Part]:
    is_task = passage.origin in {"plan", "task", "spec"}
    rate = _requirement if is_task else conclusion
    # The offsets stay those of the passage, which has the code below a line too.
    text = _WRAP.sub(lambda match: " " * len(match[0]), without_code(passage.text))
    sections = outline(text)
    starts = [section.span.start for section in sections]
    has_ticked = _TICKED.search(text) is not None
    covered = 0
    for start, part in _lines(text):
        if start < covered:
            continue
        section = sections[at] if (at := bisect_right(starts, start) - 1) >= 0 else None
        heading = section.title if section is not None else ""
        is_heading = (
            section is not None and "\n" not in text[section.span.start : start] and part.strip("#*: ") == heading
        )
        # An edit of a document may begin in the middle of a sentence.
        is_piece = passage.origin == "spec" and not passage.is_whole and not part.lstrip('*_`(["')[:1].isupper()
        box = _BOX.search(text, text.rfind("\n", 0, start) + 1, start)
        if is_piece or (box is not None and box[1] != " "):
            continue
        if (with_entries := _lead_in(passage.text, start, part)) is not None and rate(part, heading)[1] > _TELLING:
            part, covered = with_entries
        elif is_heading or _is_no_sentence(part, with_tables=is_task):
            continue
        kind, importance = rate(part, heading)
        if box is not None and has_ticked and passage.origin != "task":
            kind, importance = "open", _OPEN_BOX
        if importance > 0 and len(own := word_set(part)) >= _FEWEST_WORDS:
            if part.startswith("|"):
                part = part.strip("| ")
            yield Part(kind, _BLANKS.sub(" ", part), importance, own)


def _lead_in(text: str, start: int, part: str) -> tuple[str, int] | None:
    """A line that ends with a colon, with the list or formula below it, and where these end; None for others."""
    if not part.rstrip("*_ ").endswith(":") or (match := _BELOW.match(text, start + len(part))) is None:
        return None
    below = [line.strip() for line in match["below"].split("\n") if line.strip() and not line.strip().startswith("```")]
    whole = " ".join([part, *(f"{ENTRY} {_MARKER.sub('', line)}" for line in below)])
    return (whole, match.end()) if len(below) <= _MOST_BELOW and len(whole) <= _LONGEST_ENTRY else None


def _requirement(text: str, heading: str) -> tuple[FactKind, float]:
    kind: FactKind = next((kind for pattern, kind in _HEADED if pattern.search(heading)), "requirement")
    return kind, importance_of_rule(text, heading)


def _without_questions(text: str) -> Iterator[str]:
    """The parts of a request between its questions, each from one line; the whole request if it only asks."""
    parts: list[str] = []
    start = end = -1
    for span in sentences(text):
        asks = text[span.start : span.end].rstrip("*_)\"'”’ ").endswith("?")
        if start >= 0 and (asks or "\n" in text[end : span.start]):
            parts.append(text[start:end])
            start = -1
        if not asks:
            start, end = (span.start if start < 0 else start), span.end
    if start >= 0:
        parts.append(text[start:end])
    parts = [part for part in parts if len(word_set(part)) >= _FEWEST_WORDS]
    yield from parts or [text]


def _is_no_sentence(text: str, *, with_tables: bool) -> bool:
    """Whether a text is a row of a table, an address, the title of a list, or too long to be prose."""
    if len(text) > _LONGEST or text.rstrip("*_ ").endswith(":"):
        return True
    if _TREE_LINE.match(text):
        return True
    if with_tables and text.startswith("|"):
        return _RULED.fullmatch(text) is not None
    return _TABLE.fullmatch(text) is not None or ("://" in text and _ADDRESS.fullmatch(text) is not None)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The list entries and lines of a text, or their sentences if they are long, with their offsets."""
    line: list[tuple[int, int]] = []
    for span in sentences(text):
        if line and "\n" in text[line[-1][1] : span.start]:
            yield from _of_line(text, line)
            line = []
        line.append((span.start, span.end))
    yield from _of_line(text, line)


def _of_line(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    if not spans:
        return
    start, end = spans[0][0], spans[-1][1]
    is_entry = bool(text[text.rfind("\n", 0, start) + 1 : start].strip())
    if end - start <= (_LONGEST_ENTRY if is_entry else _LONGEST_LINE):
        yield start, text[start:end]
        return
    for first, last in spans:
        yield first, text[first:last]
