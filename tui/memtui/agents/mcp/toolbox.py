"""Dispatch of tool calls: a call never raises, and every answer keeps to its maximum of tokens."""

from __future__ import annotations

import logging
from pathlib import Path

from memtui.agents.mcp.allowed_projects import AllowedProjects
from memtui.agents.mcp.backend import DEFAULT_MODEL_WAIT, Backend, BackendState
from memtui.agents.mcp.registry import TOOLS
from memtui.agents.mcp.token_limit import ToolAnswer, truncated
from memtui.agents.mcp.tool import Arguments, Tool, allow_only, max_length
from memtui_core.errors import MemtuiError, NoteUnknown, ObservationUnknown, SessionUnknown
from memtui_core.system.fault_points import fault_point

_log = logging.getLogger(__name__)


class Toolbox:
    """The tools for one data folder; thread-safe."""

    def __init__(
        self,
        folder: Path,
        model_wait: float = DEFAULT_MODEL_WAIT,
        vectors: str = "auto",
        allowed: AllowedProjects | None = None,
    ) -> None:
        self.backend = Backend(folder, model_wait, vectors, allowed)

    def call(self, name: str, arguments: Arguments) -> ToolAnswer:
        """The answer of a tool to its arguments, also if it failed."""
        tool = next((tool for tool in TOOLS if tool.name == name), None)
        if tool is None:
            names = ", ".join(tool.name for tool in TOOLS)
            return ToolAnswer(f"There is no tool {name[:60]!r}; there are {names}.", failed=True)
        longest = max_length({})
        state: BackendState | None = None
        try:
            fault_point("tool-called")
            allow_only(tool.properties, arguments)
            longest = max_length(arguments)
            state = self.backend.state(semantic=tool.uses_model)
            answer = tool.answer(state, arguments)
        except (SessionUnknown, ObservationUnknown, NoteUnknown) as error:
            answer = _failure(tool, MemtuiError(state.refusal) if state is not None and state.allowed else error)
        except Exception as error:
            answer = _failure(tool, error)
        return truncated(answer.sanitized(), longest, "ask with a greater max_tokens")


def _failure(tool: Tool, error: Exception) -> ToolAnswer:
    if not isinstance(error, MemtuiError):
        _log.exception("%s failed", tool.name, exc_info=error)
    return ToolAnswer(f"{tool.error_word} error: {str(error) or type(error).__name__}", failed=True)
