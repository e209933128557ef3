"""Make the review of a compaction: what was said and done before it, compared with its summary."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from memtui_core.compaction.comparison import compare
from memtui_core.compaction.coverage import Coverage, TextVectors
from memtui_core.compaction.facts.recurring_names import recurring_names
from memtui_core.compaction.facts.retention import SummaryMatcher
from memtui_core.compaction.facts.segment import ResolvePath, SegmentFact, file_reads, segment_facts
from memtui_core.compaction.history import Boundary, SessionTurns, path_resolver
from memtui_core.compaction.links import SummaryLinks, TurnFeatures, TurnScore, text_features
from memtui_core.compaction.model import ComparedItem, FactKind, Review, ReviewItem, ReviewItems, SummarySection
from memtui_core.compaction.outline import outline, sentences, summary_body
from memtui_core.compaction.recurrences import recurrences
from memtui_core.compaction.session_texts import SessionTexts
from memtui_core.compaction.words import normalized_text
from memtui_core.model import Span, Turn
from memtui_core.readers.records import ENCRYPTED_SUMMARY
from memtui_core.search.embed import Embedder
from memtui_core.store.tables import RowSource
from memtui_core.text.controls import one_line

TEXT_LENGTH = 1000
"""Characters of an item's text."""
_KIND_WEIGHTS: dict[FactKind, float] = {"edited": 3.0, "failed": 2.5, "error": 2.5, "command": 1.5}
"""How much it matters that a detail is lost, by its kind; 1 for kinds that are not here."""
_LONGEST_COMPARED = 20_000
"""Characters of a text that are compared with the summary; the rest is ignored."""


def linked_turns(review: Review, part: SummarySection | Span) -> tuple[TurnScore, ...]:
    """The turns of the segment that a section or a sentence of the summary is about, the best first.

    The score is the share of the part's words, names and files that the turn contains too; rare ones weigh most.
    """
    return review.links.linked_turns(part.span if isinstance(part, SummarySection) else part)


def linked_sentences(review: Review, turn: int) -> tuple[Span, ...]:
    """The sentences of the summary that are about a turn of the segment, in order; none if it omits the turn."""
    return review.links.spans_of(turn)


class SessionReviews:
    """Makes the reviews of one session's compactions, from a snapshot or from the work database.

    The compactions of a session compare the same texts, so what is read and made for one is kept for the others.
    """

    def __init__(self, source: RowSource, embedder: Embedder | None = None) -> None:
        self._source = source
        self.turns = SessionTurns(source)
        """The turns of the session."""
        self._texts = SessionTexts()
        self._text_vectors = TextVectors(embedder) if embedder is not None else None

    def items(self, boundary: Boundary) -> ReviewItems:
        """The lists of a review; without a model they compare only words."""
        summary = _summary(boundary, self.turns.of_source(boundary))
        turns = self.turns.before(boundary) if summary else []
        resolve_path = path_resolver(self._source, boundary.session)
        return build_items(turns, summary, boundary.segment, resolve_path, self._text_vectors, self._texts)


def build_review(
    boundary: Boundary, before: Sequence[Turn], after: Sequence[Turn], items: ReviewItems, resolve_path: ResolvePath
) -> Review:
    """Review a compaction from the turns of the segment that it replaced (`before`) and of the next one (`after`)."""
    summary = _summary(boundary, after)
    spans = sentences(summary_body(summary))
    files = {fact.text for fact in segment_facts(before, resolve_path) if fact.kind in {"edited", "read"}}
    return Review(
        boundary.session, boundary.session_id, boundary.title, boundary.turn, boundary.line, boundary.at,
        boundary.trigger, boundary.tokens_before, summary, outline(summary), spans,
        before[0].number if before else None, before[-1].number if before else None, len(before),
        items.lost, items.kept, _read_again(after, files, resolve_path) if summary else (),
        recurrences(items.lost, after[1:]) if summary else (),
        SummaryLinks(summary, _without_titles(summary, spans), [_turn_features(turn) for turn in before]),
        number=boundary.number,
        count=boundary.count,
        place=boundary.place,
        is_encrypted=any(
            block.line == boundary.line and block.text == ENCRYPTED_SUMMARY for turn in after for block in turn.blocks
        ),
    )  # fmt: skip


def build_items(
    turns: Sequence[Turn],
    summary: str,
    segment: int,
    resolve_path: ResolvePath,
    text_vectors: TextVectors | None = None,
    texts: SessionTexts | None = None,
) -> ReviewItems:
    """What a summary has and lacks of all turns before it; `segment` is the number of the segment that it begins."""
    if not summary:
        return ReviewItems((), ())
    texts = texts or SessionTexts()
    comparison = compare(turns, summary, segment, text_vectors, texts)
    replaced = [turn for turn in turns if turn.segment == segment - 1]
    lost_details, kept_details = _details(replaced, summary, resolve_path, texts)
    earlier = _earlier_summaries(turns, segment, text_vectors, texts)
    return ReviewItems(
        _items(comparison.lost, lost_details, replaced, earlier), _items(comparison.kept, kept_details, replaced, {})
    )


def _summary(boundary: Boundary, after: Sequence[Turn]) -> str:
    return next((turn.user_text for turn in after if turn.number == boundary.turn), "")


def _earlier_summaries(
    turns: Sequence[Turn], segment: int, text_vectors: TextVectors | None, texts: SessionTexts
) -> dict[int, Coverage]:
    """The summaries of earlier compactions, by the number of the segment that each begins."""
    return {
        turn.segment: Coverage(texts.summary(turn.user_text), {}, text_vectors)
        for turn in turns
        if turn.kind == "compaction" and turn.segment < segment
    }


def _dropped_at(item: ComparedItem, earlier: dict[int, Coverage]) -> int | None:
    """The number of the first earlier compaction whose summary lacks a statement; None if there is none.

    A compaction has the number of the segment that it begins. A check has none: what counts is its state at the end.
    """
    if item.kind in {"contradiction", "check"}:
        return None
    later = (number for number in earlier if number > item.turn.segment)
    return next((number for number in sorted(later) if not earlier[number].keeps(item.text)), None)


def _details(
    segment: Sequence[Turn], summary: str, resolve_path: ResolvePath, texts: SessionTexts
) -> tuple[list[SegmentFact], list[SegmentFact]]:
    """The details that the summary lacks, and those that it has."""
    facts = segment_facts(segment, resolve_path, texts)
    facts += recurring_names(segment, {fact.text for fact in facts})
    files = {fact.text for fact in facts if fact.kind in {"edited", "read"}}
    matcher = SummaryMatcher(Coverage(texts.summary(summary), {}), files)
    lost: list[SegmentFact] = []
    kept: list[SegmentFact] = []
    for fact in facts:
        if matcher.keeps(fact):
            kept.append(fact)
        elif fact.kind != "read":
            # A file that was only read is missed if it is read again: `Review.changed_after`.
            lost.append(fact)
    return lost, kept


def _items(
    compared: Sequence[ComparedItem],
    details: Iterable[SegmentFact],
    segment: Sequence[Turn],
    earlier: dict[int, Coverage],
) -> tuple[ReviewItem, ...]:
    """The items of one list: statements and checks in their order, then details by weight."""
    items = [
        ReviewItem(
            item.kind, one_line(item.text, TEXT_LENGTH), item.line, item.turn.number,
            (item.turn.number,), 1, round(item.weight, 3), rank, item.turn.session,
            _dropped_at(item, earlier),
        )
        for rank, item in enumerate(compared, 1)
    ]  # fmt: skip
    first, last = (segment[0].line, segment[-1].end_line) if segment else (0, 0)
    weighed = sorted(
        ((_weight(fact, first, last), fact) for fact in details),
        key=lambda item: (-item[0], item[1].line, item[1].kind, item[1].text),
    )
    session = segment[0].session if segment else 0
    items += [
        ReviewItem(
            fact.kind, one_line(fact.text, TEXT_LENGTH), fact.line, fact.turn, fact.turns, fact.times,
            round(weight, 3), rank, session,
        )
        for rank, (weight, fact) in enumerate(weighed, len(items) + 1)
    ]  # fmt: skip
    return tuple(items)


def _weight(fact: SegmentFact, first: int, last: int) -> float:
    """How much it matters that a detail is lost: weight of its kind * (1 + ln times) * (0.5 + 0.5 * late).

    `late` is 0 for the first line of the segment and 1 for its last one.
    """
    late = (fact.line - first) / (last - first) if last > first else 1.0
    return _KIND_WEIGHTS.get(fact.kind, 1.0) * (1 + math.log(fact.times)) * (0.5 + 0.5 * min(1.0, max(0.0, late)))


def _read_again(after: Sequence[Turn], files: set[str], resolve_path: ResolvePath) -> tuple[ReviewItem, ...]:
    """The files of the segment that were read after the compaction, each at its first read; edits do not count."""
    reads = [fact for fact in file_reads(after, resolve_path) if fact.text in files]
    turns: dict[str, list[int]] = defaultdict(list)
    for fact in reads:
        turns[fact.text].append(fact.turn)
    times = {path: len(numbers) for path, numbers in turns.items()}
    first = list({fact.text: fact for fact in reversed(reads)}.values())[::-1]
    session = after[0].session if after else 0
    return tuple(
        ReviewItem(
            "read", fact.text, fact.line, fact.turn, tuple(dict.fromkeys(turns[fact.text])), times[fact.text],
            round(1 + math.log(times[fact.text]), 3), rank, session,
        )
        for rank, fact in enumerate(sorted(first, key=lambda fact: fact.line), 1)
    )  # fmt: skip


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
            features |= text_features(block.text[:_LONGEST_COMPARED].replace("\\n", "\n"))
    return TurnFeatures(
        turn.number, features, "" if is_summary else normalized_text(turn.user_text[:_LONGEST_COMPARED])
    )
