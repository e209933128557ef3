"""What is said of transcripts that agents delete, and of what memtui has kept of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.wording.formatting import plural
from memtui_core.text.paths import shown_path

if TYPE_CHECKING:
    from memtui_core.index.statistics import Sweep


def saved_text(sessions: int) -> str:
    """How many sessions are nowhere else any more; empty for none."""
    return f"saved {plural(sessions, 'session')} whose transcripts are gone" if sessions else ""


def sweep_remark(sweep: Sweep) -> str:
    """What an agent is about to delete."""
    sessions, days = plural(sweep.sessions, "session"), plural(sweep.days, "day")
    return f"{sweep.retention.name} deletes {sessions} in the next {days}: kept here"


def sweep_text(sweep: Sweep) -> str:
    """What an agent is about to delete, and the setting that changes it."""
    kept = sweep.retention
    return f"{sweep_remark(sweep)} (setting {kept.key} in {shown_path(str(kept.settings))})"
