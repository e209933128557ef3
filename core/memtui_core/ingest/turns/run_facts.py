"""How the calls of a turn ended, as facts: what failed, with its error, and which commands passed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from memtui_core.compaction.checks.last_runs import Outcome, outcome_of
from memtui_core.compaction.facts.commands import command_key, only_shows
from memtui_core.model import KEPT, Block
from memtui_core.queries.activity.episodes import acts
from memtui_core.text.controls import one_line
from memtui_core.tools.call import ToolCall, object_of
from memtui_core.tools.pairing import paired
from memtui_core.tools.results.error_text import LONGEST, ErrorText, error_of_line, error_text
from memtui_core.tools.results.failures import error_line, is_agent_error, rejection_message
from memtui_core.tools.shell.checks import checks_of
from memtui_core.tools.shell.files import writes_in_place
from memtui_core.tools.shell.looks import ends_in_search, hides_outcome

_TELLS_AT_END: Final = re.compile(
    r"(?:^|&&|;)\s*(?:npm|pnpm|yarn|make)\s[^|;&\n]*2>&1\s*\|\s*tail\s+(?:-n\s*|-)(?:[5-9]|\d{2,})\s*$"
)
"""Programs whose last lines say that what they ran has failed; without such a line it passed."""
HIDING: Final = frozenset({"task", "other"})
"""The families of tools that may change files without saying which."""
_SCRATCH: Final = ("/tmp/", "/dev/", "/var/")
"""Folders to which commands write what is no part of the work."""
_LONGEST_NAME: Final = 300
"""Characters of a command; longer ones are not told from each other."""


def run_facts(blocks: Sequence[Block]) -> Iterator[tuple[Any, ...]]:
    """The facts of the kinds `failure`, `pass`, `denied` and `edit` of a turn, in order, see `turn_facts`.

    None of a call of which not everything is kept: without its output it is not known how it ended. An `edit` without
    a file is a call that may have changed something, and nothing tells what: a subagent, or a command that failed.
    """
    for call in paired(blocks):
        if KEPT in call.detail or _is_cut(call.block):
            continue
        name = command_key(call)
        ended = list(_ended(call, one_line(name, _LONGEST_NAME)))
        yield from ended
        paths = list(edited_paths(call)) if call.result is not None else []
        if not paths and _may_have_edited(call, name, {kind for _, kind, *_ in ended}):
            paths = [""]
        yield from ((call.seq, "edit", path, 0, "") for path in paths)


def _is_cut(block: Block) -> bool:
    """Whether not everything of a call is kept."""
    # Few say so: what most say besides need not be parsed.
    return KEPT in (block.detail or "") and KEPT in object_of(block.detail)


def _ended(call: ToolCall, name: str) -> Iterator[tuple[Any, ...]]:
    """The fact of how a call ended, given its command, see `command_key`; none if it is not known."""
    if call.result is None:
        return
    if call.rejected:
        said = one_line(rejection_message(call.result.text), LONGEST)
        yield call.seq, "denied", name or call.name, 0, said
    elif call.family != "shell":
        if call.is_error:
            yield _failure(call, call.name, error_of_line(error_line(call.result.text)))
    elif name:
        yield from _of_command(call, name)


def edited_paths(call: ToolCall) -> Iterator[str]:
    """The files that a call changed, as the agent wrote their paths, each once; none if it failed."""
    if call.is_error or call.interrupted or call.exit_code:
        return
    for path in dict.fromkeys(edit.path for edit in call.edits):
        if path and not (call.family == "shell" and path.startswith(_SCRATCH)):
            yield path


def _may_have_edited(call: ToolCall, name: str, ended: Collection[str]) -> bool:
    """Whether a call may have changed something, and neither its files nor the kinds of its facts tell what."""
    if "denied" in ended:
        return False
    if call.family in HIDING or (call.result is None and any(call.edits)):
        return True
    if not call.command or only_shows(call):
        return False
    in_place = any(writes_in_place(words[0], words[1:]) for words in call.programs)
    return not name or in_place or ("pass" not in ended and acts(name))


def _of_command(call: ToolCall, name: str) -> Iterator[tuple[Any, ...]]:
    """The fact of a command that does something; none if it is not known how it ended."""
    is_check = any(checks_of(call.programs))
    outcome: Outcome = "unknown"
    said = ""
    if is_check:
        outcome, said = outcome_of(call)
    if call.is_error or call.exit_code or outcome == "failed":
        error = error_text(call.output)
        if (error.signature or _has_failed(call, outcome)) and not is_agent_error(call.output):
            yield _failure(call, name, error)
        return
    is_shown = bool(said) or not hides_outcome(call.command, has_output=bool(call.output.strip()))
    ends_well = outcome != "passed" and is_check and _TELLS_AT_END.search(call.command) is not None
    if ends_well or (is_shown and (outcome == "passed" or not is_check)):
        yield call.seq, "pass", name, 0, ""


def _has_failed(call: ToolCall, outcome: Outcome) -> bool:
    """Whether a command without a known error failed, and was not just ended, nor a search without a match."""
    if call.exit_code:
        return call.exit_code != 1 or not ends_in_search(call.command)
    return outcome == "failed" and not call.is_error


def _failure(call: ToolCall, name: str, error: ErrorText) -> tuple[Any, ...]:
    return call.seq, "failure", name, error.key, error.line
