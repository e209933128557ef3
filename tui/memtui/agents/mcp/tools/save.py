"""The tool mem-save: an observation for later sessions."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from memtui.agents.mcp.call_scope import own_session
from memtui.agents.mcp.token_limit import ToolAnswer
from memtui.agents.mcp.tool import MAX_TOKENS, Arguments, Tool, text, unchecked
from memtui_core.model import OBSERVATION_TYPES
from memtui_core.store.observation import MAX_ENTRIES, MAX_ENTRY, MAX_NARRATIVE, MAX_TITLE
from memtui_core.system import locations

if TYPE_CHECKING:
    from memtui.agents.mcp.backend import BackendState

_SESSION = text("session_id", "Id of your own session, if memtui cannot read it from its environment.")
_PROCESS_SESSION = f"memtui-mcp-{secrets.token_hex(4)}"
"""The session of observations that are saved while the session of the agent is not known."""


def _answer(state: BackendState, arguments: Arguments) -> ToolAnswer:
    from memtui_core.memory.formats import saved_text
    from memtui_core.queries.current_project import project_root

    session = _SESSION.read(arguments) or own_session() or _PROCESS_SESSION
    fields = {name: value for name, value in arguments.items() if name not in {_SESSION.name, MAX_TOKENS.name}}
    if "files" in fields:
        fields["files_modified"] = fields.pop("files")
    root = project_root(state.snapshot, locations.current_folder())
    return ToolAnswer(saved_text(state.observation_search.observations.save(session, root, **fields)))


def _text(most: int) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": most}


_TYPE = {"type": "string", "enum": list(OBSERVATION_TYPES)}
_TEXTS = {"type": "array", "items": {"type": "string", "maxLength": MAX_ENTRY}, "maxItems": MAX_ENTRIES}

SAVE = Tool(
    name="mem-save",
    title="Save an observation",
    description="Use this when something was decided, found out or fixed that a later session should know. mem-search"
    " finds it at once.",
    arguments=(
        unchecked("title", "The observation in one line.", _text(MAX_TITLE), required=True),
        unchecked("type", "The type of observation.", _TYPE, required=True),
        unchecked("narrative", "What happened and why, in full sentences.", _text(MAX_NARRATIVE), required=True),
        unchecked("concepts", "Keywords under which it should be found.", _TEXTS),
        unchecked("files", "The files it is about.", _TEXTS),
        _SESSION,
    ),
    answer=_answer,
    read_only=False,
)
