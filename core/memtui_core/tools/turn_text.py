"""The text of a turn with the summary lines of its tool calls."""

from __future__ import annotations

from collections.abc import Sequence

from memtui_core.tools.vocabulary import vocabulary

USER = "[User] "
ASSISTANT = "\n\n[Assistant] "
"""The markers before the two parts of a turn's text."""


def tool_of_line(line: str) -> str:
    """The name of the tool of a summary line."""
    return line.split(" ", 1)[0].rstrip(":")


def is_bookkeeping(tool: str) -> bool:
    """Whether an agent manages its own tasks with a tool: it is left out of texts for semantic search."""
    names = vocabulary().names
    return tool.lower() in (*names.bookkeeping, *names.reports)


def tools_line(summaries: Sequence[str]) -> str:
    """The text after a turn's text: a blank line and `[Tools] a | b`; empty if there are no calls."""
    return "\n\n[Tools] " + " | ".join(summaries) if summaries else ""


def turn_text(user: str, assistant: str, summaries: Sequence[str], next_text: str | None) -> str:
    """A turn as one text, followed by the user text of the next turn.

    If the assistant only called tools, there is no `[Assistant]` part.
    """
    answer = f"{ASSISTANT}{assistant}" if assistant else ""
    following = f"\n\n{USER}{next_text}" if next_text is not None else ""
    return f"{USER}{user}{answer}{tools_line(summaries)}{following}"
