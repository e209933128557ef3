"""What answers searches by meaning, in a few words."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from memtui.wording.formatting import age, number, plural

if TYPE_CHECKING:
    from memtui_core.index.vectors import VectorReport


def vss_fact(report: VectorReport | None) -> str:
    """`vss` if it answers, `vss is being built` if it soon will; empty otherwise."""
    if report is None:
        return ""
    if report.answer == "hnsw":
        return "vss"
    return report.short_reason if report.building else ""


def vss_details(report: VectorReport | None, now: datetime) -> str:
    """What vss knows, `vss of 20,000 vectors, 412 newer, 3 h old`, or why it does not answer; empty without vectors."""
    if report is None or report.answer == "none":
        return ""
    if report.answer == "exact":
        return "" if report.building else report.short_reason
    newer = f", {number(report.newer)} newer" if report.newer else ""
    built = "a newer one is being built" if report.building else f"{age(report.built_at, now)} old"
    return f"vss of {plural(report.indexed, 'vector')}{newer}, {built}"
