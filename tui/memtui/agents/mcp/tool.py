"""The declaration of a tool: a module in `mcp.tools` and a line in `mcp.registry`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtui.agents.mcp.arguments import MAX_TOKENS, Argument, Arguments

if TYPE_CHECKING:
    from memtui.agents.mcp.backend import BackendState
    from memtui.agents.mcp.token_limit import ToolAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool: what agents read about it, and its answer.

    The list of tools is asked for before any of them is called, so their modules import what is slow to load only in
    the functions that need it.
    """

    name: str
    title: str
    description: str
    """When to use it: `Use this …`."""
    arguments: tuple[Argument[Any], ...]
    """Its own arguments, to which `max_tokens` is added."""
    answer: Callable[[BackendState, Arguments], ToolAnswer]
    """Answers a call. Whatever it raises becomes the answer, and an answer that is too long is cut."""
    read_only: bool
    """Whether it changes nothing."""
    destructive: bool = False
    """Whether it may remove something."""
    uses_model: bool = False
    """Whether it searches by meaning, for which it waits for the model."""

    @property
    def error_word(self) -> str:
        """The first word of its errors: `Search`."""
        return self.name.removeprefix("mem-").capitalize()

    @property
    def properties(self) -> dict[str, dict[str, Any]]:
        """JSON Schema of each argument."""
        arguments = (*self.arguments, MAX_TOKENS)
        return {each.name: {**each.schema, "description": each.description} for each in arguments}

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of all arguments."""
        return {
            "type": "object",
            "properties": self.properties,
            "required": [each.name for each in self.arguments if each.required],
            "additionalProperties": False,
        }
