"""The reminder for a prompt: turns that are similar to it, and turns that touched the files it names."""

from __future__ import annotations

import re
from pathlib import Path

from memtui.agents.hooks.hook_call import HookCall
from memtui.agents.hooks.hook_log import log_warning
from memtui.agents.hooks.reminder_text import reminder
from memtui_core.store.marks.reminder_log import ReminderLog

MIN_WORDS = 3
"""A prompt with fewer words says too little to search for."""
MAX_TURNS = 5
MAX_TEXT = 600
"""Maximum characters of the text of one turn."""
MAX_PROMPT = 4000
"""Maximum characters of a prompt that are searched for."""
_COMMAND = re.compile(r"/[\w:.-]+(?:\s|$)")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{1,2}")
"""Two characters of a script without spaces between words count as one word."""


def is_trivial(prompt: str) -> bool:
    """Whether a prompt is a slash command or has fewer than MIN_WORDS words."""
    prompt = prompt.strip()
    if _COMMAND.match(prompt):
        return True
    return sum(max(1, len(_UNSPACED.findall(word))) for word in prompt.split()) < MIN_WORDS


def prompt_reminder(call: HookCall, folder: Path, used: int = 0) -> str:
    """The reminder for a prompt; empty if there is none, for a trivial prompt, and outside every known project.

    `used` characters of the output are taken.
    """
    if is_trivial(call.prompt):
        return ""
    from memtui_core.errors import ModelUnavailable
    from memtui_core.index.index import Index
    from memtui_core.memory.recall.file_changes import file_changes
    from memtui_core.memory.recall.similar_turns import RecallScope, last_compaction, search_context
    from memtui_core.queries.current_project import project_at

    log = ReminderLog(folder)
    index = Index.open(folder)
    project = project_at(index.snapshot, call.cwd)
    if project is None:
        return ""
    try:
        index.vectors.load_model(threads=2, briefly=True)
    except ModelUnavailable as error:
        log_warning(folder, call.event, f"{error} Only files that the prompt names are searched.")
    sent = log.keys(call.session, call.agent)
    scope = RecallScope(call.conversation_id or None, last_compaction(index.snapshot, call.conversation_id), project)
    # Fetch as many more turns as were already sent, so that dropping those leaves enough.
    most = MAX_TURNS + len(sent)
    turns = search_context(index.snapshot, call.prompt[:MAX_PROMPT], most, scope, index.vectors.embed)
    new = {turn.reference: turn for turn in turns if turn.reference not in sent}
    chosen = list(new.values())[:MAX_TURNS]
    changes = file_changes(index.snapshot, project, chosen)
    text = reminder("Relevant past context", chosen, MAX_TEXT, used=used, changes=changes)
    # What did not fit comes with another prompt.
    cited = list(new)[: text.count("\n### Memory ")]
    log.record(call.session, call.agent, event=call.event, keys=cited, references=cited, text=text)
    return text
