"""Reviews of compactions, made from a snapshot or from turns."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from memtui_core.compaction.facts import Fact, Locate, facts_of, reads_of
from memtui_core.compaction.kept import Summary
from memtui_core.compaction.links import Links, TurnScore, TurnText, features_of
from memtui_core.compaction.outline import body, outline, sentences
from memtui_core.compaction.recurring import recurring
from memtui_core.compaction.segment import Boundary, boundaries, locator, segment_turns
from memtui_core.compaction.values import Item, Kind, Review, Section
from memtui_core.compaction.words import flat, words
from memtui_core.errors import CompactionUnknown
from memtui_core.model import Span, Turn
from memtui_core.store.reader import Snapshot
from memtui_core.store.tables import RowSource
from memtui_core.text.controls import one_line

TEXT_LENGTH = 200
_MATTERS: dict[Kind, float] = {
    "correction": 4.0,
    "request": 3.0,
    "decision": 2.5,
    "edited": 3.0,
    "failed": 2.5,
    "error": 2.5,
    "command": 1.5,
    "url": 1.0,
    "identifier": 1.0,
    "read": 1.0,
}
_LONGEST = 20_000
"""Characters of one text that tie a turn to sentences."""


def review(snapshot: Snapshot, session: int, turn: int) -> Review:
    """The review of the compaction whose summary is a turn of a session. Raises CompactionUnknown."""
    for boundary in boundaries(snapshot, session):
        if boundary.turn == turn:
            return read_review(snapshot, boundary)
    raise CompactionUnknown(f"Turn {turn} of the session with the key {session} is no compaction's summary.")


def reviews(snapshot: Snapshot, session: int | None = None) -> Iterator[Review]:
    """The reviews of a session's compactions in order, or of all compactions, the newest first; each when asked for."""
    for boundary in boundaries(snapshot, session):
        yield read_review(snapshot, boundary)


def turns_of(review: Review, part: Section | Span) -> tuple[TurnScore, ...]:
    """The turns of the segment that a section or a sentence of the summary speaks of, the best first.

    The score is the share of what the part tells, rare words, names and files above all, that the turn holds too.
    """
    return review.links.turns_of(part.span if isinstance(part, Section) else part)


def spoken_of(review: Review, turn: int) -> tuple[Span, ...]:
    """The sentences of the summary that speak of a turn of the segment, in order; none for one that it leaves out."""
    return review.links.spans_of(turn)


def made(boundary: Boundary, before: Sequence[Turn], after: Sequence[Turn], locate: Locate) -> Review:
    """The review of a compaction from the turns of the segment that it replaced and of the one that begins with it."""
    summary = next((turn.user_text for turn in after if turn.number == boundary.turn), "")
    told = sentences(body(summary))
    found = facts_of(before, locate) if summary else []
    found += recurring(before, {fact.text for fact in found}) if summary else []
    files = {fact.text for fact in found if fact.kind in {"edited", "read"}}
    asked = Summary(body(summary), told, _rarity(before), files)
    first, last = (before[0].line, before[-1].end_line) if before else (0, 0)
    kept: list[tuple[float, Fact]] = []
    lost: list[tuple[float, Fact]] = []
    for fact in found:
        (kept if asked.keeps(fact) else lost).append((_weight(fact, first, last), fact))
    return Review(
        boundary.session, boundary.session_id, boundary.title, boundary.turn, boundary.line, boundary.at,
        boundary.trigger, boundary.tokens_before, summary, outline(summary), told,
        before[0].number if before else None, before[-1].number if before else None, len(before),
        _ranked(lost), _ranked(kept), _read_again(after, files, locate) if summary else (),
        Links(summary, _without_titles(summary, told), [_text_of(turn) for turn in before]),
    )  # fmt: skip


def read_review(source: RowSource, boundary: Boundary) -> Review:
    """The review of a compaction, with the turns round it read from a snapshot or from the work database."""
    before = segment_turns(source, boundary, boundary.segment - 1)
    after = segment_turns(source, boundary, boundary.segment)
    return made(boundary, before, after, locator(source, boundary.session))


def _weight(fact: Fact, first: int, last: int) -> float:
    """How much its loss matters: kind * (1 + ln times) * (0.5 + 0.5 * late).

    `kind` is 4 for a correction, 3 for a request or an edited file, 2.5 for a decision, an error or a failed command,
    1.5 for a command, 1 for the rest; `late` is 0 at the first line of the segment and 1 at its last.
    """
    late = (fact.line - first) / (last - first) if last > first else 1.0
    return _MATTERS[fact.kind] * (1 + math.log(fact.times)) * (0.5 + 0.5 * min(1.0, max(0.0, late)))


def _ranked(facts: Sequence[tuple[float, Fact]]) -> tuple[Item, ...]:
    ordered = sorted(facts, key=lambda one: (-one[0], one[1].line, one[1].kind, one[1].text))
    return tuple(
        Item(f.kind, one_line(f.text, TEXT_LENGTH), f.line, f.turn, f.times, round(weight, 3), rank)
        for rank, (weight, f) in enumerate(ordered, 1)
    )


def _read_again(after: Sequence[Turn], files: set[str], locate: Locate) -> tuple[Item, ...]:
    """The first reads of files of the segment; an edit without a read before it is no read."""
    reads = [fact for fact in reads_of(after, locate) if fact.text in files]
    times = Counter(fact.text for fact in reads)
    first = list({fact.text: fact for fact in reversed(reads)}.values())[::-1]
    return tuple(
        Item("read", fact.text, fact.line, fact.turn, times[fact.text], round(1 + math.log(times[fact.text]), 3), rank)
        for rank, fact in enumerate(sorted(first, key=lambda fact: fact.line), 1)
    )


def _rarity(turns: Sequence[Turn]) -> dict[str, float]:
    """How rare each word is among what was said in the segment."""
    texts = [b.text for turn in turns for b in turn.blocks if b.kind in {"user", "text"} or b.is_error]
    counts = Counter(word for text in texts for word in set(words(text[:_LONGEST])))
    return {word: math.log(1 + len(texts) / count) for word, count in counts.items()}


def _without_titles(summary: str, told: Sequence[Span]) -> list[Span]:
    titles = {section.title for section in outline(summary)}
    return [span for span in told if summary[span.start : span.end].strip("*#: ") not in titles]


def _text_of(turn: Turn) -> TurnText:
    """What ties a turn to sentences; not what its tools answered, nor the summary that it begins with."""
    is_summary = turn.kind == "compaction"
    found: set[str] = set()
    for block in turn.blocks:
        if block.kind == "user" and is_summary and block.line == turn.line:
            continue
        if block.kind in {"user", "text", "tool_call"} or block.is_error:
            found |= features_of(block.text[:_LONGEST].replace("\\n", "\n"))
    return TurnText(turn.number, found, "" if is_summary else flat(turn.user_text[:_LONGEST]))
