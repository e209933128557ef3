"""Titles of reviews: their prompts are all the same, and what differs is what was found."""

from __future__ import annotations

import re
from typing import Final

from memtui_core.readers.conversion.json_values import items, mapping, object_from, string

_PRIORITY: Final = re.compile(r"\[P\d\]\s*")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s")


def review_title(answer: str) -> str:
    """The title of a review, given its answer: `Review: ` and the first finding, or the conclusion; else empty."""
    if not answer.lstrip().startswith("{") or '"findings"' not in answer:
        return ""
    review = object_from(answer)
    if "overall_correctness" not in review:
        return ""
    titles = [title for one in items(review.get("findings")) if (title := string(mapping(one).get("title")))]
    conclusion = string(review.get("overall_explanation")) or string(review.get("overall_correctness")) or ""
    said = _PRIORITY.sub("", titles[0]) if titles else _SENTENCE.split(conclusion, maxsplit=1)[0]
    return f"Review: {said.strip()}" if said.strip() else ""
