"""What a document contains of the turns of a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Contents:
    """What a document contains besides prompts and answers. The lines of tool calls stay without results and diffs."""

    thinking: bool = True
    tools: bool = True
    """Tool calls, and notes that only the agent saw."""
    results: bool = True
    diffs: bool = True
    """What edits changed, and the content of files that were written."""
    inputs: bool = True
    """What the lines of tool calls do not say of their inputs."""
    most: int = 0
    """Characters of a text below a tool call; a longer one loses its middle. 0 for all of it."""
    notice: str = ""
    """What the heading says of the document itself."""


EVERYTHING: Final = Contents()
