"""The tools in the order in which agents see them. A new tool is a module and a line here."""

from __future__ import annotations

from memtui.agents.mcp.tool import Tool
from memtui.agents.mcp.tools.annotate import ANNOTATE
from memtui.agents.mcp.tools.files import FILES
from memtui.agents.mcp.tools.fix import FIX
from memtui.agents.mcp.tools.forget import FORGET
from memtui.agents.mcp.tools.handoff import HANDOFF
from memtui.agents.mcp.tools.save import SAVE
from memtui.agents.mcp.tools.search import SEARCH
from memtui.agents.mcp.tools.show import SHOW
from memtui.agents.mcp.tools.timeline import TIMELINE
from memtui.agents.mcp.tools.why import WHY

TOOLS: list[Tool] = [
    SEARCH,
    SAVE,
    TIMELINE,
    SHOW,
    FILES,
    FIX,
    WHY,
    HANDOFF,
    ANNOTATE,
    FORGET,
]
