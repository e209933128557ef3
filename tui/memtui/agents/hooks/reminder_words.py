"""How reminders are named where the user reads them."""

from __future__ import annotations

from memtui.agents.hooks.hook_call import DONE, FAILED, PROMPT, START, SUBAGENT, TOOL
from memtui.agents.hooks.reminder_text import NOTICE

NOT_KEPT = "The text is not kept any more."
_OCCASIONS = {
    START: "at a start of the session",
    PROMPT: "with a prompt",
    TOOL: "with a file",
    DONE: "after a command that failed",
    FAILED: "after a command that failed",
    SUBAGENT: "at the start of a subagent",
}


def occasion(event: str, agent: str = "") -> str:
    """When an agent got a reminder, in words: `with a prompt`; `agent` is the id of a subagent."""
    words = _OCCASIONS.get(event, event)
    return f"{words}, to a subagent" if agent and event != SUBAGENT else words


def heading_of(text: str) -> str:
    """What a reminder is about: its first heading, or else its first line; empty for no text."""
    lines = [line for line in lines_of_reminder(text) if line]
    headings = (line.removeprefix("## ") for line in lines if line.startswith("## "))
    return next(headings, lines[0] if lines else "").rstrip(":")


def lines_of_reminder(text: str) -> list[str]:
    """The lines of a reminder, without what all of them begin with."""
    return text.replace(NOTICE, "").strip("\n").split("\n")
