"""Token counts that fit the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .blocks import Json

if TYPE_CHECKING:
    from .story import Story


def usage(story: Story, blocks: list[Json], number: int, *, growing: bool) -> Json:
    """Return the usage of the line of block `number`: the same on each line, or growing as the message does."""
    shown = blocks[: number + 1] if growing else blocks
    output = 3 + sum(len(str(block)) for block in shown) // 4
    fresh = 900 + story.cached // 40
    counts: Json = {"input_tokens": 4, "cache_creation_input_tokens": fresh, "cache_read_input_tokens": story.cached}
    if not story.newer:
        kinds = {"ephemeral_5m_input_tokens": fresh, "ephemeral_1h_input_tokens": 0}
        return {**counts, "cache_creation": kinds, "output_tokens": output, "service_tier": "standard"}
    kinds = {"ephemeral_1h_input_tokens": fresh, "ephemeral_5m_input_tokens": 0}
    searches = {"web_search_requests": 0, "web_fetch_requests": 0}
    counts |= {
        "output_tokens": output,
        "server_tool_use": searches,
        "service_tier": "standard",
        "cache_creation": kinds,
    }
    return {**counts, "inference_geo": "not_available", "speed": "standard"}
