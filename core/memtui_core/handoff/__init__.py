"""What a session did, as one text that another agent can go on from.

`calls` gives each tool call a key, `dedup` keeps the last states, `entries` makes items of what is kept, `summary`
tells what was asked and left to do, and `value` makes the text. `session` and `file` read the index; `messages` puts
the text before what a person says first.
"""

from __future__ import annotations

from memtui_core.handoff.calls import HandoffCall, extract
from memtui_core.handoff.dedup import deduplicate
from memtui_core.handoff.file import file_handoff
from memtui_core.handoff.messages import prepend_to_messages
from memtui_core.handoff.session import handoff
from memtui_core.handoff.value import Handoff, HandoffOptions, Item, Section
from memtui_core.tools.shell.effects import has_side_effects

__all__ = [
    "Handoff",
    "HandoffCall",
    "HandoffOptions",
    "Item",
    "Section",
    "deduplicate",
    "extract",
    "file_handoff",
    "handoff",
    "has_side_effects",
    "prepend_to_messages",
]
