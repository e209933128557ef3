"""A redacted copy as the text of an issue or a pull request on GitHub: short, the rest folded, at most what fits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from memtui_core.compaction.checks.last_runs import Check, last_checks
from memtui_core.export import labels
from memtui_core.export.markdown import facts_line
from memtui_core.export.redacted.copy import RedactedCopy
from memtui_core.export.redacted.folded_turns import folded_turns, inert
from memtui_core.export.redacted.notice import NOTICE, with_notice
from memtui_core.model import PROMPTS, Turn
from memtui_core.text.controls import one_line, plain
from memtui_core.text.markdown.quoting import contained, escaped, quote
from memtui_core.tools import diffs
from memtui_core.tools.edits import Edit
from memtui_core.tools.pairing import paired_turns

MOST: Final = 65_000
"""Characters; GitHub refuses 65,536 of them."""
_FRAME: Final = 1_100
"""Characters around the turns at most: what folds them, and what is said of what is left out and replaced."""
_LONGEST_TEXT: Final = 4_000
"""Characters of the request and of the answer that are not folded."""
_MOST_ROWS: Final = 20
"""Requests, files and checks that are listed."""
_LONGEST_ROW: Final = 160
_COMMAND: Final = re.compile(r"/[\w:-]*(?: \S+)?")
_SIGNS: Final = {"passed": "✓", "failed": "✗", "unknown": "?"}


def issue(copy: RedactedCopy) -> str:
    """The request, what was done, the changes, the checks, and folded the turns, as many as fit."""
    copy = copy.with_marks()
    head = [f"## {escaped(labels.title(copy.session))}", facts_line(copy.session, copy.turns)]
    head += [*_request(copy.turns), *_answer(copy.turns)]
    if copy.contents.tools:
        head += [*_changes(copy), *_checks(copy.turns)]
    made = inert("\n\n".join(head))
    end = f"<sub>Made by memtui. {NOTICE}</sub>\n"
    return with_notice(copy, f"{made}\n\n{folded_turns(copy, MOST - len(made) - len(end) - _FRAME)}{end}")


def _request(turns: Sequence[Turn]) -> Iterator[str]:
    prompts = [turn for turn in turns if turn.kind in PROMPTS and turn.user_text.strip()]
    prompts = [turn for turn in prompts if _asks(turn)] or prompts
    if not prompts:
        return
    yield "### Request"
    yield quote(_shortened(plain(prompts[0].user_text)))
    if later := [f"- {escaped(one_line(turn.user_text, _LONGEST_ROW))}" for turn in prompts[1:]]:
        yield "\n".join(("Then:", "", *_listed(later)))


def _asks(turn: Turn) -> bool:
    """Whether a prompt asks for something: `/model opus` does not, a command that the agent answers does.

    Those have a kind of their own, as for the title of a session; all others are notes.
    """
    return turn.kind == "command" or not _COMMAND.fullmatch(turn.user_text.strip())


def _answer(turns: Sequence[Turn]) -> Iterator[str]:
    """The last text of the agent."""
    texts = (block.text for turn in reversed(turns) for block in reversed(turn.blocks) if block.kind == "text")
    if text := next((plain(text).strip("\n") for text in texts if text.strip()), ""):
        yield "### What was done"
        yield contained(_shortened(text))


def _changes(copy: RedactedCopy) -> Iterator[str]:
    """The files that were edited, with the lines of all edits."""
    files: dict[str, tuple[int, int]] = {}
    for call in paired_turns([(turn.number, turn.blocks) for turn in copy.turns]):
        if call.result is None or call.is_error or not call.edits:
            continue
        counted = diffs.counts(diffs.diff_of(call))
        for place, path in enumerate(call.paths):
            before = files.get(_below(path, copy.session.root), (0, 0))
            own = _written(call.edits) if not any(counted) else counted
            added, removed = own if not place else (0, 0)
            files[_below(path, copy.session.root)] = before[0] + added, before[1] + removed
    if not files:
        return
    rows = [f"| `{_cell(path)}` | {_lines(*counted)} |" for path, counted in files.items()]
    yield "### Changes"
    yield "\n".join(("| file | lines |", "|---|---:|", *rows[:_MOST_ROWS]))
    if len(rows) > _MOST_ROWS:
        yield f"… and {len(rows) - _MOST_ROWS:,} more files."


def _written(edits: Sequence[Edit]) -> tuple[int, int]:
    return sum(len(diffs.lines_of(edit.new)) for edit in edits if edit.kind == "write" and edit.new), 0


def _below(path: str, root: str) -> str:
    base = f"{root.rstrip('/')}/" if root else ""
    return path.removeprefix(base) or PurePosixPath(path).name


def _lines(added: int, removed: int) -> str:
    return " ".join([f"+{added}"] * (added > 0) + [f"−{removed}"] * (removed > 0)) or "edited"


def _checks(turns: Sequence[Turn]) -> Iterator[str]:
    if checks := last_checks(turns):
        yield "### Checks"
        yield "\n".join(_listed([_check(check) for check in checks]))


def _check(check: Check) -> str:
    line = f": {escaped(one_line(check.outcome_line, _LONGEST_ROW))}" if check.outcome_line else ""
    later = " · edits came after it" if check.edited_after else ""
    command = _cell(one_line(check.command, _LONGEST_ROW))
    return f"- {_SIGNS[check.outcome]} `{command}`{line} (turn {check.turn.number}{later})"


def _cell(text: str) -> str:
    """A text for a code span, also in a table."""
    return one_line(text).replace("`", "'").replace("|", "\\|")


def _listed(rows: Sequence[str]) -> list[str]:
    more = [f"- … and {len(rows) - _MOST_ROWS:,} more"] if len(rows) > _MOST_ROWS else []
    return [*rows[:_MOST_ROWS], *more]


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST_TEXT:
        return text
    start = text[:_LONGEST_TEXT]
    return f"{start[: max(start.rfind(' '), 0)] or start}…"
