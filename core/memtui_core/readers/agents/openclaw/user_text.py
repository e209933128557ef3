"""Tell what the user typed from what the agent adds to a prompt: who sent it from where, and what was said before.

The agent marks the headings of what it adds; older versions had headings with the word `untrusted`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_MARK: Final = "⟦openclaw:ctx⟧"
_FENCE: Final = r"```json\n.*?(?:\n```(?=\n|\Z)|\Z)"
_ADDED: Final = re.compile(
    rf"^[ \t]*Context: {_MARK}[ \t]*$.*"
    rf"|^[^\n]+ {_MARK}[ \t]*\n(?:{_FENCE}|(?:[^\n]*\S[^\n]*(?:\n|\Z))*)"
    rf"|^[A-Z][^\n(]* \(untrusted[^\n)]*\):[ \t]*\n{_FENCE}"
    r"|^Untrusted context \([^\n)]*\):[ \t]*$.*"
    r"|^[ \t]*Context:[ \t]*\n[ \t]*<active_memory_plugin>.*?</active_memory_plugin>[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_TIME: Final = re.compile(r"\s*\[[A-Za-z]{3} \d{4}-\d\d-\d\d \d\d:\d\d[^\]]*\] *")
_SUBAGENT: Final = re.compile(r"\s*(\[Subagent Context\].*?)\[Subagent Task\]:?\s*", re.DOTALL)
"""What precedes the task of a subagent."""
_BY_PROGRAM: Final = (
    "Read HEARTBEAT.md if it exists",
    "[cron:",
    "[Subagent Context]",
    "[Internal task completion event]",
    "System (untrusted):",
    "A new session was started via /new or /reset",
)


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt in its parts."""

    typed: str
    added: tuple[str, ...] = ()
    by_program: bool = False
    """Whether the agent wrote the prompt to itself: at an interval, for a plan, or for a subagent."""


def split(text: str) -> PromptText:
    """A prompt without what was added to it."""
    # A time precedes what is added, or follows it.
    rest = _TIME.sub("", text, count=1) if _TIME.match(text) else text
    added = tuple(match[0].strip() for match in _ADDED.finditer(rest)) if _may_have_added(rest) else ()
    if added:
        rest = _ADDED.sub("", rest).strip()
        rest = _TIME.sub("", rest, count=1) if _TIME.match(rest) else rest
    if (task := _SUBAGENT.match(rest)) is not None:
        return PromptText(rest[task.end() :], (*added, task[1].strip()), True)
    return PromptText(rest, added, rest.startswith(_BY_PROGRAM))


def _may_have_added(text: str) -> bool:
    return any(sign in text for sign in (_MARK, "untrusted", "Untrusted", "<active_memory_plugin>"))
