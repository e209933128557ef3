"""What the agent gets of its compactions: what the last summary lacks, and rows of reviews that the user sent.

The agent's program writes the summary after the hooks at the compaction have run, and the indexer has to read it.
"""

from __future__ import annotations

import re
from pathlib import Path

from memtui.agents.hooks.hook_call import HookCall
from memtui.agents.hooks.reminder_text import NOTICE
from memtui_core.store.marks.reminder_log import ReminderLog
from memtui_core.store.marks.review_marks import ReviewMarks

_COMPACTED, _SENT = "compacted", "sent what the summary lacks"
"""Keys: the first is followed by the number of lines that the transcript had before the compaction."""
_CITED = re.compile(r" \[(\S+:\d+)\]$", re.MULTILINE)
"""How the lines of both end."""

_LACKS = "## What the summary of the last compaction lacks"
_FILES = "## Files that were opened before the last compaction and that its summary does not name"


def expect_summary(call: HookCall, folder: Path) -> None:
    """Record that the session is about to be compacted."""
    with Path(call.transcript).open("rb") as transcript:
        lines = sum(chunk.count(b"\n") for chunk in iter(lambda: transcript.read(1 << 20), b""))
    ReminderLog(folder).record(call.session, keys=[f"{_COMPACTED} {lines}"])


def compaction_reminder(call: HookCall, folder: Path) -> str:
    """What the agent gets of its compactions: once what the last summary lacks, and the rows that the user sent.

    Empty for a subagent, which has no summary.
    """
    if call.agent:
        return ""
    marks = ReviewMarks(folder)
    text = _lack(call, folder, marks)
    if rows := marks.waiting(call.session):
        text += "\n".join(["## What the user chose from the review of the compaction", "", *rows, "", ""])
    return f"{NOTICE}\n\n{text}" if text else ""


def _lack(call: HookCall, folder: Path, marks: ReviewMarks) -> str:
    """What the summary of the last compaction lacks, if that was not sent yet; empty without a compaction."""
    keys = ReminderLog(folder).keys(call.session)
    lines = [int(key.rpartition(" ")[2]) for key in keys if key.startswith(_COMPACTED)]
    if not lines or _SENT in keys:
        return ""
    from memtui_core.memory.compaction_brief import MAX_BYTES, last_brief, unnamed_files
    from memtui_core.memory.recall.file_reminders import SnapshotConnection

    snapshot = SnapshotConnection(folder)
    brief = last_brief(snapshot, call.session, max(lines), marks.known())
    if brief is None:
        return ""
    files = unnamed_files(snapshot, call.session, max(lines), MAX_BYTES - len(brief.encode()))
    if not brief and not files:
        # What was looked up once need not be looked up at each call.
        ReminderLog(folder).record(call.session, keys=[_SENT])
    return "".join(f"{heading}\n\n{rows}\n\n" for heading, rows in ((_LACKS, brief), (_FILES, files)) if rows)


def record_compaction_reminder(call: HookCall, folder: Path, text: str, log: ReminderLog) -> None:
    """Record that a reminder was given, when nothing can get in its way any more; `log` was made before it."""
    keys = [_SENT] if _LACKS in text or _FILES in text else []
    # A row is a sentence of a turn: the turn itself may be told, too.
    log.record(call.session, event=call.event, keys=keys, references=dict.fromkeys(_CITED.findall(text)), text=text)
    marks = ReviewMarks(folder)
    for row in marks.waiting(call.session):
        # What the user has sent in the meantime comes with the next call.
        if row in text.splitlines():
            marks.delivered(call.session, row)
