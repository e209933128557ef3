"""What answers searches by meaning, in a few words."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from memtui.wording.formatting import age, number, plural

if TYPE_CHECKING:
    from memtui_core.index.vectors import VectorReport


def vector_index_text(report: VectorReport | None, now: datetime) -> str:
    """What answers, `vector index of 20,000 vectors, 412 newer, 3 h old`, or why it does not; empty for few vectors."""
    if report is None or report.answer == "none":
        return ""
    if report.answer == "exact":
        return report.short_reason
    newer = f", {number(report.newer)} newer" if report.newer else ""
    built = "a newer one is being built" if report.building else f"{age(report.built_at, now)} old"
    return f"vector index of {plural(report.indexed, 'vector')}{newer}, {built}"
