"""One call of a hook from its first byte to its last: whatever happens, the agent goes on.

It says nothing and ends with 0 when anything is wrong; why stands in the log of the data folder.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, start_new_thread
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from memtui.hooks.folder import data_folder, note
from memtui.hooks.hook_call import COMPACT, END, PROMPT, SUBAGENT, TOOL, HookCall, parse

if TYPE_CHECKING:
    from _thread import LockType

SECONDS = {PROMPT: 8.0}
"""How long a call may take, by event; after that it ends without an answer."""
OTHER_SECONDS = 3.0
_FILES = 10
_TURNS = 3
_EACH = 400
"""Characters shown of a turn that touched a file."""


def main(arguments: Sequence[str]) -> NoReturn:
    """Answer on standard output what stands on standard input, and end the process with 0."""
    event, given = arguments_of(arguments)
    folder = data_folder(given)
    answered = allocate_lock()
    answered.acquire()
    start_new_thread(_watch, (answered, folder, event))
    text = ""
    with suppress(Exception):
        text = answer(event, sys.stdin.buffer.read(), folder)
    answered.release()
    with suppress(OSError):
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    # Without the clean-up of an interpreter: nothing is open but a file that was read.
    os._exit(0)


def arguments_of(arguments: Sequence[str]) -> tuple[str, str | None]:
    """The event and the data folder in `[EVENT] [--data-dir FOLDER]`; what else stands there is passed over."""
    event, folder, words = "", None, iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if name == "--data-dir":
            folder = value if equals else next(words, None)
        elif not word.startswith("-"):
            event = event or word
    return event, folder


def answer(event: str, given: bytes, folder: Path) -> str:
    """What the agent is to read: a JSON object with the context, or nothing. Never raises."""
    try:
        call = parse(event, given)
        context = _context(call, folder)
    except Exception as error:
        note(folder, event, f"{type(error).__name__}: {error}")
        return ""
    if not context:
        return ""
    import json

    output = {"hookEventName": call.event, "additionalContext": context}
    return json.dumps({"hookSpecificOutput": output}, ensure_ascii=False) + "\n"


def _context(call: HookCall, folder: Path) -> str:
    if call.event == TOOL:
        return file_context(call, folder)
    if call.event == PROMPT:
        from memtui.hooks.prompt import prompt_context

        return prompt_context(call, folder)
    if call.event == SUBAGENT:
        from memtui.hooks.quick import Look, recent_files
        from memtui.hooks.wording import files_touched

        return files_touched(recent_files(Look(folder), call.session, _FILES))
    _take_in(call, folder)
    return ""


def file_context(call: HookCall, folder: Path) -> str:
    """The turns that touched the file a tool is about to open, the first time that a conversation opens it."""
    from memtui.hooks.told import tell, told

    key = f"file {' '.join(call.file.split())}"
    if not call.file or key in told(folder, call.session, call.agent):
        return ""
    from memtui.hooks.quick import Look, file_memories
    from memtui.hooks.wording import remembered

    path, items = file_memories(Look(folder), call.file, call.cwd, call.conversation_id, _TURNS)
    tell(folder, call.session, call.agent, [key])
    return remembered(f"Past context for {path}", items, _EACH)


def _take_in(call: HookCall, folder: Path) -> None:
    """Index the transcript in the background; what a compaction takes out of the context may be told again."""
    if call.event in (COMPACT, END):
        from memtui.hooks.told import forget

        forget(folder, call.session, agents=call.event == END)
    transcript = Path(call.transcript)
    if transcript.suffix != ".jsonl" or not transcript.is_absolute() or not transcript.is_file():
        raise ValueError("no transcript")
    from memtui.hooks.background_index import start

    start(folder, transcript)


def _watch(answered: LockType, folder: Path, event: str) -> None:
    """End the process when its time is over, whatever its main thread waits for."""
    seconds = SECONDS.get(event, OTHER_SECONDS)
    if not answered.acquire(timeout=seconds):
        note(folder, event, f"no answer within {seconds:g} seconds")
        os._exit(0)
