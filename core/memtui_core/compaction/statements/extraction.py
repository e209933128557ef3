"""The statements in reviewed texts: list entries and sentences, each with how much it matters."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from memtui_core.compaction.model import FactKind
from memtui_core.compaction.outline import outline, sentences
from memtui_core.compaction.session_texts import RatedSentence, SessionTexts
from memtui_core.compaction.statements.cues import (
    asks,
    importance_of_prompt,
    importance_of_rule,
    kind_of_prompt,
    rate_conclusion,
    sets_rule,
)
from memtui_core.compaction.statements.passages import ReviewedText, TextOrigin
from memtui_core.compaction.statements.phrases import is_mostly_pasted, requests, typed_around
from memtui_core.compaction.words import without_code, word_set

_LONGEST_ENTRY: Final = 400
_LONGEST_LINE: Final = 200
"""Characters of a list entry, and of another line, that is one statement; of a longer one each sentence is."""
_LONGEST_PROMPT: Final = 20_000
_LONGEST_SENTENCE: Final = 1500
"""Characters of a sentence; what is longer is no prose."""
_FEWEST_WORDS: Final = 3
_TABLE_ROW = re.compile(r"\s*\|.*|[\s:|-]*")
_WRAPPED_LINE_BREAK = re.compile(r"\n(?<=[^\n]{59}[^\n.:!?|]\n)[ \t]*(?![*+•#>|-]|\d{1,3}[.)]|\n)(?=\S)")
"""A line break within a sentence, in a text that was wrapped by hand: no list entry and no heading follows."""
_BLANKS = re.compile(r"(?<=\S) {2,}(?=\S)")
_CHECKBOX = re.compile(r"\[([ xX])\]")
_TICKED_CHECKBOX = re.compile(r"^[ \t]*[-*+][ \t]+\[[xX]\]", re.MULTILINE)
_OPEN_CHECKBOX_IMPORTANCE: Final = 1.3
"""The importance of an unticked entry of a list in which others are ticked off."""
_TABLE_RULE = re.compile(r"[\s:|-]*")
_LIST_BELOW = re.compile(
    r"[ \t*_]{0,8}\n(?:[ \t]{0,8}\n)?(?P<below>(?:[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+[^\n]+(?:\n|\Z)){1,8}"
    r"|```[^\n]*\n(?:[^\n`]+\n){1,3}[ \t]*```)"
)
"""A short list, or a short block of code, below a line."""
_MARKER = re.compile(r"^(?:[-*+•]|\d{1,2}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
ENTRY_MARK: Final = "‣"
"""The mark before each list entry that is quoted together with the line above the list."""
_KINDS_BY_HEADING: Final[tuple[tuple[re.Pattern[str], FactKind], ...]] = (
    (re.compile(r"\brisks?\b|trade-?off|caveat", re.IGNORECASE), "caveat"),
    (re.compile(r"open questions?|deferred|follow-?up", re.IGNORECASE), "open"),
)
"""The kinds of statements under headings of plans and specifications that are not above requirements."""
_MOST_ENTRIES_BELOW: Final = 6
"""The most entries of a list that is quoted together with the line above it."""
_LEAD_IN_IMPORTANCE: Final = 0.5
"""The importance from which on a line and the list below it are one statement."""
_ANY_ANSWER = re.compile(
    r"\W*(?:yes|yep|yeah|sure|ok(?:ay)?|no|nope|do it|go|please|sounds|perfect|great|good|agreed?|continue|proceed|both"
    r"|all|neither|/\S+|[A-Da-d1-5]\b|option|the (?:first|second|third|latter|former)|let['’]?s"
    r"|i (?:agree|prefer|want|like))\b",
    re.IGNORECASE,
)
"""The beginning of a reply that answers any question: `yes`, `the first`."""
_ADDRESS = re.compile(r"\W*https?://\S+\W*")
_ORIGIN_WEIGHTS: Final[dict[TextOrigin, float]] = {
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
"""Factors for statements of the agent, by their kind; 1 for kinds that are not here.

Of the rows with most cues, every second assumption and every fifth caveat or finding was useful to a reader, and of
decisions and other conclusions one in sixteen (bench/review).
"""
USER_ORIGINS: Final[frozenset[TextOrigin]] = frozenset({"prompt", "rejection", "answer", "unanswered"})
"""The origins of texts that the user wrote."""
_FEWEST_PROMPT_WORDS, _SHORT_PROMPT_FACTOR = 2, 0.4
"""The factor for a prompt with fewer words than this, such as `run it`, which hardly says anything."""
_RULE_IN_REQUEST_FACTOR: Final = 0.9
"""Factor for a rule within a longer request: if the summary lacks all of the request, the request is listed instead."""
_TREE_LINE: Final = re.compile(r"\W*[←↑→↓↳○◐●◯]")
"""The beginning of a line of a tree of tasks, as issue trackers print it."""
_CODE_LINE: Final = re.compile(r"\s*(?:[-+]?\s*//|/\*|#!|[-+]\s*\w+\(|[│┃╭╰✓✔✖])")
"""The beginning of a line of code or of a tool's output."""
_CLOSED_FACTOR: Final = 0.2
"""Factor for a task that was closed before the compaction, and for a plan that a later one replaced."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A list entry or a sentence of a reviewed text."""

    kind: FactKind
    text: str
    reviewed_text: ReviewedText
    weight: float
    """How much it matters by its words, its heading and the text that it is from; more than 0."""
    words: frozenset[str]


def statements(reviewed_texts: Sequence[ReviewedText], texts: SessionTexts | None = None) -> Iterator[Statement]:
    """The statements of reviewed texts that may matter, in order."""
    texts = texts or SessionTexts()
    for reviewed in reviewed_texts:
        origin_weight = _ORIGIN_WEIGHTS[reviewed.origin] * (_CLOSED_FACTOR if reviewed.is_closed else 1.0)
        for part in texts.rated_sentences(
            reviewed.origin, reviewed.is_whole, reviewed.text, partial(_rated_sentences, reviewed)
        ):
            if part.kind == "question" and reviewed.origin != "unanswered" and not _is_open_question(part, reviewed):
                continue
            weight = part.importance * origin_weight
            if reviewed.origin == "prompt" and len(part.words) < _FEWEST_PROMPT_WORDS:
                weight *= _SHORT_PROMPT_FACTOR
            if reviewed.origin not in USER_ORIGINS:
                weight *= min(1.0, 0.3 + len(part.words) / 14) * _KIND_WEIGHTS.get(part.kind, 1.0)
            yield Statement(part.kind, part.text, reviewed, weight, part.words)


def _rated_sentences(reviewed: ReviewedText) -> Iterator[RatedSentence]:
    """The list entries and sentences of a text that may matter."""
    if reviewed.origin in {"prompt", "unanswered"}:
        yield from _sentences_of_prompt(reviewed)
    elif reviewed.origin == "rejection":
        importance = importance_of_prompt(reviewed.text[:_LONGEST_SENTENCE])
        yield RatedSentence("correction", reviewed.text, importance, word_set(reviewed.text))
    elif reviewed.origin == "answer":
        yield RatedSentence("answer", reviewed.text, 1.0, word_set(reviewed.text))
    elif reviewed.origin == "option":
        yield RatedSentence("rejected", reviewed.text, 1.0, word_set(reviewed.text))
    else:
        yield from _sentences_of_document(reviewed)


def _sentences_of_prompt(reviewed: ReviewedText) -> Iterator[RatedSentence]:
    """The requests of a prompt; if it is mostly pasted, only those of what the user typed."""
    text = reviewed.text[:_LONGEST_PROMPT]
    rated_sentences = list(requests(text))
    if is_mostly_pasted(text):
        rated_sentences = typed_around(text, rated_sentences)
    for request in rated_sentences:
        for typed in _without_questions(request):
            start = typed[:_LONGEST_SENTENCE]
            if reviewed.origin == "unanswered" and asks(start):
                yield RatedSentence("question", typed, 1.0, word_set(typed))
            elif _CODE_LINE.match(start) is None:
                yield RatedSentence(kind_of_prompt(start), typed, importance_of_prompt(start), word_set(typed))
                for rule in _rules_within(start):
                    yield RatedSentence(
                        "rule", rule, _RULE_IN_REQUEST_FACTOR * importance_of_prompt(rule), word_set(rule)
                    )


def _rules_within(request: str) -> list[str]:
    """The sentences of a longer request that set a rule: a summary may have the request but lack the rule."""
    spans = sentences(request)
    return [rule for span in spans if sets_rule(rule := request[span.start : span.end])] if len(spans) > 1 else []


def _is_open_question(question: RatedSentence, reviewed: ReviewedText) -> bool:
    """Whether a question was for the user, whose reply answers it neither by a word like `yes` nor on its subject."""
    if not reviewed.is_last or reviewed.origin not in {"conclusion", "remark"}:
        return False
    reply = reviewed.reply
    return reply is None or not (_ANY_ANSWER.match(reply) or question.words & word_set(reply))


def _sentences_of_document(reviewed: ReviewedText) -> Iterator[RatedSentence]:
    is_task = reviewed.origin in {"plan", "task", "spec"}
    rate = _requirement if is_task else rate_conclusion
    # Offsets stay the same: the code below a line is taken from the original text.
    text = _WRAPPED_LINE_BREAK.sub(lambda match: " " * len(match[0]), without_code(reviewed.text))
    sections = outline(text)
    starts = [section.span.start for section in sections]
    has_ticked = _TICKED_CHECKBOX.search(text) is not None
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
        is_piece = reviewed.origin == "spec" and not reviewed.is_whole and not part.lstrip('*_`(["')[:1].isupper()
        box = _CHECKBOX.search(text, text.rfind("\n", 0, start) + 1, start)
        if is_piece or (box is not None and box[1] != " "):
            continue
        if (with_entries := _lead_in(reviewed.text, start, part)) is not None and rate(part, heading)[
            1
        ] > _LEAD_IN_IMPORTANCE:
            part, covered = with_entries
        elif is_heading or _is_no_sentence(part, with_tables=is_task):
            continue
        kind, importance = rate(part, heading)
        if box is not None and has_ticked and reviewed.origin != "task":
            kind, importance = "open", _OPEN_CHECKBOX_IMPORTANCE
        if importance > 0 and len(own := word_set(part)) >= _FEWEST_WORDS:
            if part.startswith("|"):
                part = part.strip("| ")
            yield RatedSentence(kind, _BLANKS.sub(" ", part), importance, own)


def _lead_in(text: str, start: int, part: str) -> tuple[str, int] | None:
    """A line that ends with a colon, joined with the list or code below it, and where that ends; None for others."""
    if not part.rstrip("*_ ").endswith(":") or (match := _LIST_BELOW.match(text, start + len(part))) is None:
        return None
    below = [line.strip() for line in match["below"].split("\n") if line.strip() and not line.strip().startswith("```")]
    whole = " ".join([part, *(f"{ENTRY_MARK} {_MARKER.sub('', line)}" for line in below)])
    return (whole, match.end()) if len(below) <= _MOST_ENTRIES_BELOW and len(whole) <= _LONGEST_ENTRY else None


def _requirement(text: str, heading: str) -> tuple[FactKind, float]:
    kind: FactKind = next((kind for pattern, kind in _KINDS_BY_HEADING if pattern.search(heading)), "requirement")
    return kind, importance_of_rule(text, heading)


def _without_questions(text: str) -> Iterator[str]:
    """What a request says between its questions, each part from one line; the whole request if it only asks."""
    rated_sentences: list[str] = []
    start = end = -1
    for span in sentences(text):
        asks = text[span.start : span.end].rstrip("*_)\"'”’ ").endswith("?")
        if start >= 0 and (asks or "\n" in text[end : span.start]):
            rated_sentences.append(text[start:end])
            start = -1
        if not asks:
            start, end = (span.start if start < 0 else start), span.end
    if start >= 0:
        rated_sentences.append(text[start:end])
    rated_sentences = [part for part in rated_sentences if len(word_set(part)) >= _FEWEST_WORDS]
    yield from rated_sentences or [text]


def _is_no_sentence(text: str, *, with_tables: bool) -> bool:
    """Whether a text is a row of a table, an address, the title of a list, or too long to be prose."""
    if len(text) > _LONGEST_SENTENCE or text.rstrip("*_ ").endswith(":"):
        return True
    if _TREE_LINE.match(text):
        return True
    if with_tables and text.startswith("|"):
        return _TABLE_RULE.fullmatch(text) is not None
    return _TABLE_ROW.fullmatch(text) is not None or ("://" in text and _ADDRESS.fullmatch(text) is not None)


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
