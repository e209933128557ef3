"""The reminder after a compaction: what its summary lacks, given with the first hook call for which that is known.

The agent's program writes the summary after the hooks at the compaction have run, and the indexer has to read it.
"""

from __future__ import annotations

from pathlib import Path

from memtui.hooks.hook_call import HookCall
from memtui.hooks.reminder_text import NOTICE
from memtui.hooks.sent_reminders import record_sent, sent_keys

_COMPACTED, _SENT = "compacted", "sent what the summary lacks"
"""Keys: the first is followed by the number of lines that the transcript had before the compaction."""


def expect_summary(call: HookCall, folder: Path) -> None:
    """Record that the session is about to be compacted."""
    with Path(call.transcript).open("rb") as transcript:
        lines = sum(chunk.count(b"\n") for chunk in iter(lambda: transcript.read(1 << 20), b""))
    record_sent(folder, call.session, "", [f"{_COMPACTED} {lines}"])


def compaction_reminder(call: HookCall, folder: Path) -> str:
    """What the summary of the compaction lacks, once; empty without one, and for a subagent, which has no summary."""
    if call.agent:
        return ""
    keys = sent_keys(folder, call.session)
    lines = [int(key.rpartition(" ")[2]) for key in keys if key.startswith(_COMPACTED)]
    if not lines or _SENT in keys:
        return ""
    from memtui_core.memory.compaction_brief import last_brief
    from memtui_core.memory.file_reminders import SnapshotConnection

    last = last_brief(SnapshotConnection(folder), call.session)
    if last is None or last[0] < max(lines):
        return ""
    text = last[1]
    return f"{NOTICE}\n\n## What the summary of the last compaction lacks\n\n{text}\n\n" if text else ""


def record_compaction_reminder(call: HookCall, folder: Path) -> None:
    """Record that the reminder was given, when nothing can get in its way any more."""
    record_sent(folder, call.session, "", [_SENT])
