"""Hand-offs: what a session did, as one text from which another agent can continue.

`calls` gives each tool call a key, `deduplication` keeps the last states, `items` renders the remaining calls,
`summary` describes the requests and open to-dos, and `model` joins everything into one text. `session` and `file` read
the index; `messages` puts the text before the first message of the user.
"""

from __future__ import annotations

from memtui_core.memory.handoff.calls import HandoffCall, handoff_calls
from memtui_core.memory.handoff.conversation import conversation
from memtui_core.memory.handoff.deduplication import deduplicate
from memtui_core.memory.handoff.file import file_handoff
from memtui_core.memory.handoff.messages import prepend_to_messages
from memtui_core.memory.handoff.model import Handoff, HandoffItem, HandoffOptions, HandoffSection
from memtui_core.memory.handoff.session import handoff
from memtui_core.memory.handoff.start import fits_argument, prompt_in_file, remove_prompt_files
from memtui_core.tools.shell.effects import has_side_effects

__all__ = [
    "Handoff",
    "HandoffCall",
    "HandoffItem",
    "HandoffOptions",
    "HandoffSection",
    "conversation",
    "deduplicate",
    "file_handoff",
    "fits_argument",
    "handoff",
    "handoff_calls",
    "has_side_effects",
    "prepend_to_messages",
    "prompt_in_file",
    "remove_prompt_files",
]
