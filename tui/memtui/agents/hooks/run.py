"""One hook call, from its input to its output. The agent continues whatever happens.

On any problem the output is empty and the exit code 0; the reason is in the log of the data folder.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from memtui.agents.hooks.hook_call import (
    COMPACT,
    COMPACTED,
    DONE,
    END,
    FAILED,
    PROMPT,
    START,
    SUBAGENT,
    TOOL,
    HookCall,
    parse,
)
from memtui.agents.hooks.hook_log import log_warning
from memtui.agents.hooks.process import end_with, parse_arguments
from memtui_core.system import locations

TIMEOUTS = {PROMPT: 8.0}
"""Seconds by event, after which a call ends without an output."""
DEFAULT_TIMEOUT = 3.0
_MAX_FILES = 10
_MAX_TURNS = 3


def main(arguments: Sequence[str]) -> NoReturn:
    """Answer the call on standard input on standard output, and end the process with exit code 0."""
    event, folder_option = parse_arguments(arguments)
    folder = locations.data_dir(Path(folder_option) if folder_option else None)
    is_done = threading.Event()
    threading.Thread(target=_exit_on_timeout, args=(is_done, folder, event), daemon=True).start()
    text = ""
    with suppress(Exception):
        text = hook_output(event, sys.stdin.buffer.read(), folder)
    is_done.set()
    end_with(text)


def hook_output(event: str, call_json: bytes, folder: Path) -> str:
    """The output for the agent: a JSON object with the reminder, or nothing. Never raises."""
    try:
        call = parse(event, call_json)
        context = _context(call, folder)
    except Exception as error:
        log_warning(folder, event, f"{type(error).__name__}: {error}")
        return ""
    if not context:
        return ""
    import json

    fields = {"hookEventName": call.named, "additionalContext": context}
    return json.dumps({"hookSpecificOutput": fields}, ensure_ascii=False) + "\n"


def _context(call: HookCall, folder: Path) -> str:
    if call.event in (TOOL, PROMPT):
        from memtui.agents.hooks.compaction_reminder import compaction_reminder, record_compaction_reminder
        from memtui_core.store.marks.reminder_log import ReminderLog

        log = ReminderLog(folder)
        lack = compaction_reminder(call, folder)
        try:
            memories = _memories(call, folder, len(lack))
        except Exception as error:
            if not lack:
                raise
            log_warning(folder, call.event, f"{type(error).__name__}: {error}")
            memories = ""
        if lack:
            record_compaction_reminder(call, folder, lack, log)
        return lack + memories
    if call.event in (DONE, FAILED):
        from memtui.agents.hooks.error_reminder import error_reminder

        return error_reminder(call, folder)
    if call.event == SUBAGENT:
        from memtui.agents.hooks.reminder_text import file_list
        from memtui_core.memory.recall.file_reminders import SnapshotConnection, recent_files
        from memtui_core.store.marks.reminder_log import ReminderLog

        log = ReminderLog(folder)
        text = file_list(recent_files(SnapshotConnection(folder), call.session, _MAX_FILES))
        log.record(call.session, call.agent, event=call.event, text=text)
        return text
    if call.event == START and call.source != COMPACTED:
        from memtui.agents.hooks.session_digest import session_digest

        return session_digest(call, folder)
    _index_transcript(call, folder)
    return ""


def _memories(call: HookCall, folder: Path, used: int) -> str:
    """The turns near to a file or a prompt; `used` characters of the output are taken."""
    if call.event == TOOL:
        return file_reminder(call, folder, used)
    from memtui.agents.hooks.prompt_reminder import prompt_reminder

    return prompt_reminder(call, folder, used)


def file_reminder(call: HookCall, folder: Path, used: int = 0) -> str:
    """The turns that touched the file a tool is about to open, the first time that a conversation opens it.

    `used` characters of the output are taken.
    """
    from memtui_core.store.marks.reminder_log import ReminderLog

    log, key = ReminderLog(folder), f"file {' '.join(call.file.split())}"
    sent = log.keys(call.session, call.agent)
    if not call.file or key in sent:
        return ""
    from memtui.agents.hooks.reminder_text import reminder
    from memtui_core.memory.recall.file_recall import recall_of_file
    from memtui_core.store.marks.touched import TEXT

    path, turns, changes = recall_of_file(folder, call.file, call.cwd, call.conversation_id, _MAX_TURNS, sent)
    text = reminder(f"Past context for {path}", turns, TEXT, used=used, changes=changes)
    cited = [turn.reference for turn in turns[: text.count("\n### Memory ")]]
    log.record(call.session, call.agent, event=call.event, keys=[key, *cited], references=cited, text=text)
    return text


def _index_transcript(call: HookCall, folder: Path) -> None:
    """Index the transcript in the background; after a compaction reminders may be sent again."""
    if call.event in (COMPACT, END):
        from memtui_core.store.marks.reminder_log import ReminderLog

        log = ReminderLog(folder)
        if call.event == COMPACT:
            log.clear(call.session)
        else:
            log.remove_old()
    transcript = Path(call.transcript)
    if transcript.suffix != ".jsonl" or not transcript.is_absolute() or not transcript.is_file():
        raise ValueError("no transcript")
    if call.event == COMPACT:
        from memtui.agents.hooks.compaction_reminder import expect_summary

        expect_summary(call, folder)
    from memtui.agents.hooks.background_index import start

    start(folder, transcript)


def _exit_on_timeout(is_done: threading.Event, folder: Path, event: str) -> None:
    """End the process when its time is over, whatever its main thread waits for."""
    seconds = TIMEOUTS.get(event, DEFAULT_TIMEOUT)
    if not is_done.wait(seconds):
        log_warning(folder, event, f"no answer within {seconds:g} seconds")
        os._exit(0)
