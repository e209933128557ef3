"""The tool mem-forget: first without confirmation, to see what would be forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.agents.mcp.token_limit import ToolAnswer
from memtui.agents.mcp.tool import Arguments, Tool, flag, text

if TYPE_CHECKING:
    from memtui.agents.mcp.backend import BackendState

_ID = text("id", "Id of the observation, as mem-save and mem-search return it.", required=True)
_CONFIRM = flag("confirm", "Really forget it.")
_RESTORE = flag("restore", "Restore it instead, after it was forgotten.")


def _answer(state: BackendState, arguments: Arguments) -> ToolAnswer:
    from memtui_core.memory.formats import confirm_text, forgotten_text, restored_text

    observations, observation_id = state.observation_search.observations, _ID.read(arguments)
    confirm, restore = _CONFIRM.read(arguments), _RESTORE.read(arguments)
    if restore:
        return ToolAnswer(restored_text(observations.restore(observation_id)))
    if not confirm:
        return ToolAnswer(confirm_text(observations.get(observation_id)))
    return ToolAnswer(forgotten_text(observations.forget(observation_id)))


FORGET = Tool(
    name="mem-forget",
    title="Forget an observation",
    description="Use this when an observation that mem-search found is wrong or no longer holds, first without confirm"
    " to see what would be forgotten.",
    arguments=(_ID, _CONFIRM, _RESTORE),
    answer=_answer,
    read_only=False,
    destructive=True,
)
