"""Collect the events of a session of Junie: the steps, of which each change is an event with the whole step.

A step is written when it begins, while it goes on, when it ends, and once more when its task ends. It is shown where it
began, as it was written last. Its kind can change from a tool in general to what the tool does.
"""

from __future__ import annotations

from typing import Any, Final

from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.formats.jsonl import Entry

TOOL: Final = "ToolBlockUpdatedEvent"
TEXTS: Final = frozenset({"MarkdownBlockUpdatedEvent", "ResultBlockUpdatedEvent", "AgentThoughtBlockUpdatedEvent"})
"""Steps with a text of the agent; all other steps are tool calls."""
PROMPT: Final = "UserPromptEvent"
BY_AGENT: Final = "SessionA2uxEvent"
_SENT: Final = {
    "UserMessagesCommittedToHistory": True,
    "UserMessagesDroppedFromHistory": False,
    "UserMessagesFailedInHistory": False,
}
"""Events that say whether the agent got some prompts."""
_OPEN: Final = frozenset({None, "IN_PROGRESS", "STARTED"})


class Steps:
    """The events of a session in order, each step and each prompt once.

    An entry is {"kind", "event", "at", "ended", "is_sent"}; the times are those of the first event and of the end.
    """

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self._known: dict[tuple[str, str], Entry] = {}

    def add(self, event: Entry) -> None:
        """Add an event, or update the entry that it repeats."""
        kind, at = string(event.get("kind")) or "", event.get("timestampMs")
        if kind in _SENT:
            for name in map(string, items(event.get("userMessageIds"))):
                if (prompt := self._known.get((PROMPT, name or ""))) is not None:
                    prompt["is_sent"] = _SENT[kind]
            return
        task = string(event.get("taskId")) or ""
        key = (PROMPT, string(event.get("requestId")) or "") if kind == PROMPT else ("", "")
        if kind == BY_AGENT and isinstance(step := mapping(event.get("event")).get("agentEvent"), dict):
            event, kind = step, string(step.get("kind")) or ""
            key = (kind if kind in TEXTS else TOOL, _step_of(task, step))
        known = self._known.get(key) if key[1] else None
        if known is None:
            known = {"kind": kind, "event": event, "at": at, "ended": None}
            self.entries.append(known)
            self._known[key] = known
        else:
            known["event"] = _merged(known["event"], event)
            known["kind"] = kind if kind != TOOL else known["kind"]
        if known["ended"] is None and string(event.get("status")) not in _OPEN:
            known["ended"] = at


def _step_of(task: str, step: Entry) -> str:
    step_id = string(step.get("stepId"))
    return f"{task} {step_id}" if step_id else ""


def is_open(step: Entry) -> bool:
    """Whether a step has not ended."""
    return string(step.get("status")) in _OPEN


def _merged(before: Entry, after: Entry) -> Entry:
    """A step as it was written last, with the values that are not repeated."""
    return {**before, **{key: value for key, value in after.items() if value not in (None, "")}}
