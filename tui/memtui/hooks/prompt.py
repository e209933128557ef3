"""What a prompt calls to mind: turns near to it, and turns that touched the files it names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.hooks.folder import note
from memtui.hooks.hook_call import HookCall
from memtui.hooks.told import tell, told
from memtui.hooks.wording import Item, remembered

if TYPE_CHECKING:
    from memtui_core.index import Index

WORDS = 3
"""A prompt of fewer words asks for nothing that could be looked up."""
LIMIT = 5
EACH = 600
"""Characters shown of one turn."""
_LONGEST = 4000
"""Characters of a prompt that are looked at."""
_COMMAND = re.compile(r"/[\w:.-]+(?:\s|$)")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{1,2}")
"""Two signs of a script that puts no spaces between words, for one word."""


def is_trivial(prompt: str) -> bool:
    """Whether a prompt is a slash command or has fewer than WORDS words."""
    asked = prompt.strip()
    if _COMMAND.match(asked):
        return True
    return sum(max(1, len(_UNSPACED.findall(word))) for word in asked.split()) < WORDS


def prompt_context(call: HookCall, folder: Path) -> str:
    """The memories of a prompt as text; empty for none, for a trivial prompt, and outside every known project."""
    if is_trivial(call.prompt):
        return ""
    from memtui_core.errors import ModelUnavailable
    from memtui_core.index import Index
    from memtui_core.memory.recall import Asker

    index = Index.open(folder)
    here = index.project_at(call.cwd)
    if here is None:
        return ""
    try:
        index.load_model(threads=2)
    except ModelUnavailable as error:
        note(folder, call.event, f"{error} Only files that the prompt names are looked for.")
    known = told(folder, call.session, call.agent)
    asker = Asker(call.conversation_id or None, _boundary(index, call.conversation_id), here)
    # As many more as may be dropped below, so that what was told takes nobody's place.
    found = index.recall(call.prompt[:_LONGEST], LIMIT + len(known), asker)
    fresh = {f"{memory.session_id}:{memory.turn}": memory for memory in found}
    kept = {key: memory for key, memory in fresh.items() if key not in known}
    items = [
        Item(one.session_id, one.turn, one.started_at, one.title, one.text, ", ".join(one.files), one.distance)
        for one in list(kept.values())[:LIMIT]
    ]
    tell(folder, call.session, call.agent, list(kept)[:LIMIT])
    return remembered("Relevant past context", items, EACH)


def _boundary(index: Index, session: str) -> int | None:
    """The line of a session's last compaction; None when it had none or is not indexed yet."""
    from memtui_core.errors import SessionUnknown

    try:
        key = index.find_session(session).key
    except SessionUnknown:
        return None
    return max((compaction.line for compaction in index.compactions(key)), default=None)
