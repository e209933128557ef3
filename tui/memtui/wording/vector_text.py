"""What answers searches by meaning, in a few words."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from memtui.wording.formatting import age, number, plural

if TYPE_CHECKING:
    from memtui_core.index.vectors import VectorReport


def vector_fact(report: VectorReport, now: datetime) -> str:
    """`vss: 20,000 of 20,412 vectors, 3 h old`, or why there is no index; empty if there are no vectors."""
    if report.short_reason or not report.indexed:
        return report.short_reason
    known = f"{number(report.indexed)} of " if report.newer else ""
    built = "a newer one is being built" if report.building else f"{age(report.built_at, now)} old"
    return f"vss: {known}{plural(report.newer + report.indexed, 'vector')}, {built}"
