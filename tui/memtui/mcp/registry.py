"""The tools in the order in which agents see them. A new tool is a module and a line here."""

from __future__ import annotations

from memtui.mcp.tool import Tool
from memtui.mcp.tools.files import FILES
from memtui.mcp.tools.forget import FORGET
from memtui.mcp.tools.handoff import HANDOFF
from memtui.mcp.tools.save import SAVE
from memtui.mcp.tools.search import SEARCH
from memtui.mcp.tools.show import SHOW
from memtui.mcp.tools.timeline import TIMELINE

TOOLS: list[Tool] = [
    SEARCH,
    SAVE,
    TIMELINE,
    SHOW,
    FILES,
    HANDOFF,
    FORGET,
]
