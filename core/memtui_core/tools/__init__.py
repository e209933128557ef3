"""The interpretation of tool calls, the same for every agent and every part of memtui.

Readers know what agents call their tools, but lie above this package. So the function that lists what they know is put
here by `memtui_core`, which every process imports first.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memtui_core.tools.profile import Profile

profiles_of_agents: Callable[[], Iterable[Profile]]
"""The profiles of all agents, by descending precedence."""
