"""A tool is added by one object and one line in the registry."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memtui.agents.mcp.backend import BackendState
from memtui.agents.mcp.registry import TOOLS
from memtui.agents.mcp.token_limit import ToolAnswer
from memtui.agents.mcp.tool import MAX_TOKENS, Arguments, Tool, number, text
from memtui.agents.mcp.toolbox import Toolbox

# Listing the tools loads the SDK.
pytestmark = pytest.mark.much_memory

_BRANCH = text("branch", "The branch.", required=True)
_LIMIT = number("limit", "Maximum sessions.", 3, 9)


def _answer(state: BackendState, arguments: Arguments) -> ToolAnswer:
    branch, limit = _BRANCH.read(arguments), _LIMIT.read(arguments)
    sessions = [each for each in state.required_index.sessions.all() if each.branch == branch]
    return ToolAnswer("\n".join(each.session_id for each in sessions[:limit])).with_notes(f"{len(sessions)} in all.")


DECLARED: dict[str, Any] = {
    "name": "mem-branch",
    "title": "Sessions of a branch",
    "description": "Use this to find the sessions of a branch.",
    "arguments": (_BRANCH, _LIMIT),
    "answer": _answer,
    "read_only": True,
}


@pytest.fixture
def _registered() -> Iterator[None]:
    tool = Tool(**DECLARED)
    TOOLS.append(tool)
    yield
    TOOLS.remove(tool)


@pytest.mark.usefixtures("_registered")
def test_a_new_tool_is_listed_with_its_schema_and_answers(sample_index: Path) -> None:
    from memtui.agents.mcp.server import _tools

    listed = _tools()[-1]
    assert (listed.name, listed.title, listed.description) == ("mem-branch", DECLARED["title"], DECLARED["description"])
    assert listed.annotations is not None
    assert (listed.annotations.read_only_hint, listed.annotations.destructive_hint) == (True, False)
    assert listed.input_schema == {
        "type": "object",
        "properties": {
            "branch": {"type": "string", "description": "The branch."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3, "description": "Maximum sessions."},
            "max_tokens": {**MAX_TOKENS.schema, "description": MAX_TOKENS.description},
        },
        "required": ["branch"],
        "additionalProperties": False,
    }
    toolbox = Toolbox(sample_index)
    assert toolbox.call("mem-branch", {"branch": "order-export"}) == ToolAnswer(
        "5782bf0a-1af4-4394-b1c4-75f7efb6fe0c", ("1 in all.",)
    )
    answers = [
        toolbox.call("mem-branch", given).text
        for given in ({}, {"branch": "x", "limit": 10}, {"branch": "x", "project": "y"})
    ]
    assert answers == [
        "Branch error: The argument branch is missing.",
        "Branch error: The argument limit must be a whole number from 1 to 9, not 10.",
        "Branch error: There is no argument 'project'; there are branch, limit, max_tokens.",
    ]
    assert toolbox.call("mem-nothing", {}).text.endswith(f", {TOOLS[-2].name}, mem-branch.")


@pytest.mark.parametrize("missing", DECLARED)
def test_a_tool_that_is_not_whole_cannot_be_declared(missing: str) -> None:
    with pytest.raises(TypeError, match=f"missing 1 required keyword-only argument: '{missing}'"):
        Tool(**{name: value for name, value in DECLARED.items() if name != missing})
