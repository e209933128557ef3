"""What the meaning of a message of OpenCode depends on: the messages before it, and the kind of its session."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Progress:
    """The state of a session before its next message."""

    is_subagent: bool = False
    tokens: int = 0
    """The tokens of the context, as the last answer counted them."""
    is_repeated: bool = False
    """Whether the message repeats the prompt before a compaction that was too late for it."""
    prompt: str = ""
    """The last prompt."""
    overflowed: bool = False
    """Whether the last compaction was too late, so that the agent repeats the prompt after it."""
