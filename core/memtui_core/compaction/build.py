"""Reviews of compactions, made from a snapshot or from turns."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from memtui_core.compaction.facts import ResolvePath, SegmentFact, file_reads, segment_facts
from memtui_core.compaction.links import SummaryLinks, TurnFeatures, TurnScore, text_features
from memtui_core.compaction.model import FactKind, Review, ReviewItem, SummarySection
from memtui_core.compaction.outline import outline, sentences, summary_body
from memtui_core.compaction.recurring_names import recurring_names
from memtui_core.compaction.retention import SummaryMatcher
from memtui_core.compaction.segment import Boundary, boundaries, path_resolver, segment_turns
from memtui_core.compaction.words import normalized_text, words
from memtui_core.errors import CompactionUnknown
from memtui_core.model import Span, Turn
from memtui_core.store.reader import Snapshot
from memtui_core.store.tables import RowSource
from memtui_core.text.controls import one_line

TEXT_LENGTH = 1000
"""Characters of an item's text."""
_KIND_WEIGHTS: dict[FactKind, float] = {
    "correction": 4.0,
    "request": 3.0,
    "decision": 2.5,
    "edited": 3.0,
    "failed": 2.5,
    "error": 2.5,
    "command": 1.5,
    "url": 1.0,
    "file": 1.0,
    "identifier": 1.0,
    "read": 1.0,
}
_LONGEST = 20_000
"""Characters of a text that are compared with the summary; the rest is ignored."""


def review(snapshot: Snapshot, session: int, turn: int) -> Review:
    """Review the compaction whose summary is turn `turn` of a session. Raises CompactionUnknown."""
    for boundary in boundaries(snapshot, session):
        if boundary.turn == turn:
            return read_review(snapshot, boundary)
    raise CompactionUnknown(f"Turn {turn} of the session with the key {session} is not the summary of a compaction.")


def reviews(snapshot: Snapshot, session: int | None = None) -> Iterator[Review]:
    """The reviews of a session's compactions in order, or of all compactions, the newest first; computed lazily."""
    for boundary in boundaries(snapshot, session):
        yield read_review(snapshot, boundary)


def linked_turns(review: Review, part: SummarySection | Span) -> tuple[TurnScore, ...]:
    """The turns of the segment that a section or a sentence of the summary is about, the best first.

    The score is the share of the part's words, names and files that the turn contains too; rare ones weigh most.
    """
    return review.links.linked_turns(part.span if isinstance(part, SummarySection) else part)


def linked_sentences(review: Review, turn: int) -> tuple[Span, ...]:
    """The sentences of the summary that are about a turn of the segment, in order; none if it omits the turn."""
    return review.links.spans_of(turn)


def build_review(
    boundary: Boundary, before: Sequence[Turn], after: Sequence[Turn], resolve_path: ResolvePath
) -> Review:
    """Review a compaction from the turns of the segment that it replaced (`before`) and of the next one (`after`)."""
    summary = next((turn.user_text for turn in after if turn.number == boundary.turn), "")
    spans = sentences(summary_body(summary))
    facts = segment_facts(before, resolve_path) if summary else []
    facts += recurring_names(before, {fact.text for fact in facts}) if summary else []
    files = {fact.text for fact in facts if fact.kind in {"edited", "read"}}
    matcher = SummaryMatcher(summary_body(summary), spans, _rarity(before), files)
    first, last = (before[0].line, before[-1].end_line) if before else (0, 0)
    kept: list[tuple[float, SegmentFact]] = []
    lost: list[tuple[float, SegmentFact]] = []
    for fact in facts:
        (kept if matcher.keeps(fact) else lost).append((_weight(fact, first, last), fact))
    return Review(
        boundary.session, boundary.session_id, boundary.title, boundary.turn, boundary.line, boundary.at,
        boundary.trigger, boundary.tokens_before, summary, outline(summary), spans,
        before[0].number if before else None, before[-1].number if before else None, len(before),
        _ranked(lost), _ranked(kept), _read_again(after, files, resolve_path) if summary else (),
        SummaryLinks(summary, _without_titles(summary, spans), [_turn_features(turn) for turn in before]),
    )  # fmt: skip


def read_review(source: RowSource, boundary: Boundary) -> Review:
    """Review a compaction; the turns before and after it are read from a snapshot or from the work database."""
    before = segment_turns(source, boundary, boundary.segment - 1)
    after = segment_turns(source, boundary, boundary.segment)
    return build_review(boundary, before, after, path_resolver(source, boundary.session))


def _weight(fact: SegmentFact, first: int, last: int) -> float:
    """How much the loss of a fact matters: kind * (1 + ln times) * (0.5 + 0.5 * late).

    `kind` is 4 for a correction, 3 for a request or an edited file, 2.5 for a decision, an error or a failed command,
    1.5 for a command, 1 for all others; `late` is 0 at the first line of the segment and 1 at its last.
    """
    late = (fact.line - first) / (last - first) if last > first else 1.0
    return _KIND_WEIGHTS[fact.kind] * (1 + math.log(fact.times)) * (0.5 + 0.5 * min(1.0, max(0.0, late)))


def _ranked(facts: Sequence[tuple[float, SegmentFact]]) -> tuple[ReviewItem, ...]:
    ordered = sorted(facts, key=lambda weighted: (-weighted[0], weighted[1].line, weighted[1].kind, weighted[1].text))
    return tuple(
        ReviewItem(
            fact.kind,
            one_line(fact.text, TEXT_LENGTH),
            fact.line,
            fact.turn,
            fact.turns,
            fact.times,
            round(weight, 3),
            rank,
        )
        for rank, (weight, fact) in enumerate(ordered, 1)
    )


def _read_again(after: Sequence[Turn], files: set[str], resolve_path: ResolvePath) -> tuple[ReviewItem, ...]:
    """The first read of each file of the segment after the compaction; an edit without a read does not count."""
    reads = [fact for fact in file_reads(after, resolve_path) if fact.text in files]
    turns: dict[str, list[int]] = defaultdict(list)
    for fact in reads:
        turns[fact.text].append(fact.turn)
    times = {path: len(numbers) for path, numbers in turns.items()}
    first = list({fact.text: fact for fact in reversed(reads)}.values())[::-1]
    return tuple(
        ReviewItem(
            "read",
            fact.text,
            fact.line,
            fact.turn,
            tuple(dict.fromkeys(turns[fact.text])),
            times[fact.text],
            round(1 + math.log(times[fact.text]), 3),
            rank,
        )
        for rank, fact in enumerate(sorted(first, key=lambda fact: fact.line), 1)
    )


def _rarity(turns: Sequence[Turn]) -> dict[str, float]:
    """How rare each word is among the prompts, answers and errors of the segment."""
    texts = [block.text for turn in turns for block in turn.blocks if block.kind in {"user", "text"} or block.is_error]
    counts = Counter(word for text in texts for word in set(words(text[:_LONGEST])))
    return {word: math.log(1 + len(texts) / count) for word, count in counts.items()}


def _without_titles(summary: str, spans: Sequence[Span]) -> list[Span]:
    titles = {section.title for section in outline(summary)}
    return [span for span in spans if summary[span.start : span.end].strip("*#: ") not in titles]


def _turn_features(turn: Turn) -> TurnFeatures:
    """The features of a turn's texts and tool calls, without tool results and without a summary at its start."""
    is_summary = turn.kind == "compaction"
    features: set[str] = set()
    for block in turn.blocks:
        if block.kind == "user" and is_summary and block.line == turn.line:
            continue
        if block.kind in {"user", "text", "tool_call"} or block.is_error:
            features |= text_features(block.text[:_LONGEST].replace("\\n", "\n"))
    return TurnFeatures(turn.number, features, "" if is_summary else normalized_text(turn.user_text[:_LONGEST]))
