"""A tool call as an item of a hand-off: its heading, and what stands in its fence."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath

from memtui_core.file_history.lines import numbered_lines
from memtui_core.handoff.calls import Group, HandoffCall
from memtui_core.handoff.value import Body, Item, Title
from memtui_core.text.controls import one_line, plain
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.summary import headline

_LONGEST_HEADING = 160
_LONGEST_WORD = 200
"""Characters of what the person said when a call was refused."""
_TITLES: dict[Group, Title] = {
    "read": "Files Read",
    "change": "Files Changed",
    "command": "Commands Executed",
    "other": "Other Results",
}
_LANGUAGES = {
    "rs": "rust", "py": "python", "ts": "typescript", "tsx": "tsx", "js": "javascript", "json": "json",
    "toml": "toml", "yaml": "yaml", "yml": "yaml", "md": "markdown", "sh": "bash", "sql": "sql", "html": "html",
    "css": "css", "go": "go", "java": "java", "c": "c", "cpp": "cpp", "rb": "ruby", "kt": "kotlin", "swift": "swift",
}  # fmt: skip
"""The language of a fence by the ending of the file's name (docs/spec.md S1.15)."""
_REMINDER = ("<system-reminder>", "</system-reminder>")
_IMAGE = re.compile(r"^\[(?:image/\S+|image)(?: \d+ kB)?\]$", re.MULTILINE)
_FEEDBACK = "the user said:"


def items(calls: Sequence[HandoffCall], root: str, longest: int) -> list[Item]:
    """Deduplicated calls as items in the same order; `root` is left out of the paths that a tool's line has.

    A read of a file that was changed later says so.
    """
    base = root.rstrip("/") + "/" if root else ""
    changed = {
        edit.path.removeprefix(base): place
        for place, call in enumerate(calls)
        if not call.is_error and not call.interrupted
        for edit in call.edits
    }
    stale = {
        call.id
        for place, call in enumerate(calls)
        if call.group == "read" and place < changed.get(call.path.removeprefix(base), 0)
    }
    return [item(call, root, longest, stale) for call in calls]


def item(call: HandoffCall, root: str, longest: int, stale: Collection[str] = ()) -> Item:
    """One call."""
    if call.interrupted:
        title: Title = "Interrupted Calls"
        return Item(call.id, title, f"{headline(call, '')} — {_reason(call)}", call.turn, call.line)
    labels = [f"({label})" for label in _labels(call, stale)]
    notes = [f"earlier full read omitted (call {call.full_read})"] if call.full_read else []
    heading = " ".join([_name(call, root), *labels])
    bodies = tuple(_bodies(call))
    return Item(call.id, _TITLES[call.group], heading, call.turn, call.line, bodies, tuple(notes), longest)


def language_of(path: str) -> str:
    """The language of a file for its fence; empty for one that has none."""
    return _LANGUAGES.get(PurePosixPath(path.replace("\\", "/")).suffix[1:].lower(), "")


def change_body(call: HandoffCall) -> Body:
    """What a change did: the text that was written, the difference that an edit made, or the command that did it."""
    if call.group == "command":
        return Body(_text(call.command), "bash")
    first = call.edits[0] if call.edits else None
    if first is not None and not call.patch and (first.kind == "write" or (first.kind == "part" and not first.old)):
        return Body(_text(first.new), language_of(call.path))
    return Body(_text(diff_of(call)), "diff")


def _labels(call: HandoffCall, stale: Collection[str]) -> Iterator[str]:
    if call.group == "read" and (lines := _range(call)):
        yield lines
    if call.id in stale:
        yield "before later edit"
    if call.earlier:
        yield f"last of {call.earlier + 1} changes"
    if call.is_error:
        yield "error"


def _range(call: HandoffCall) -> str:
    """Which lines a read of a part of a file showed, else which it asked for."""
    if not call.is_partial:
        return ""
    start, shown, _ = numbered_lines(call.result.text) if call.result else (0, [], True)
    offset, limit = _int(call.fields.get("offset")), _int(call.fields.get("limit"))
    if shown:
        first, last = start, start + len(shown) - 1
    elif limit is not None:
        first, last = offset or 1, (offset or 1) + limit - 1
    else:
        pages = call.fields.get("pages")
        return f"from line {offset}" if offset is not None else f"pages {one_line(str(pages), 40)}"
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _name(call: HandoffCall, root: str) -> str:
    if call.dedup_key and call.group != "other":
        return one_line(call.dedup_key, _LONGEST_HEADING)
    return headline(call, root)


def _reason(call: HandoffCall) -> str:
    """Why a call has no result."""
    if call.result is None:
        return "no result"
    said = call.result.text.partition(_FEEDBACK)[2].strip()
    return "rejected by the user" + (f": {one_line(said, _LONGEST_WORD)}" if said else "")


def _bodies(call: HandoffCall) -> Iterator[Body]:
    result = call.result.text if call.result else ""
    command = plain(call.dedup_key).strip()
    if call.group == "command" and one_line(command, _LONGEST_HEADING) != command:
        yield Body(command, "bash")
    if call.is_error or call.group in {"command", "other"}:
        yield Body(_text(result), keep_end=call.group == "command")
    elif call.group == "read":
        yield Body(_text(_without_numbers(result)), language_of(call.dedup_key))
    else:
        yield change_body(call)


def _without_numbers(text: str) -> str:
    """What a file held, of what Read shows of it: no line numbers, no reminders behind it."""
    _, lines, _ = numbered_lines(text)
    rest = _without_reminders("\n".join(text.split("\n")[len(lines) :]))
    return "\n".join([*lines, rest] if rest.strip() else lines)


def _without_reminders(text: str) -> str:
    """The text without the reminders at its end, each of which begins a line."""
    begins, ends = _REMINDER
    while (shown := text.rstrip()).endswith(ends):
        at = shown.rfind(begins)
        if at < 0 or (at and shown[at - 1] != "\n"):
            break
        text = shown[:at]
    return text


def _text(text: str) -> str:
    """A text that is safe in a document; an image by its name only, and what is empty says so."""
    shown = _IMAGE.sub("[image]", plain(text)).rstrip("\n")
    return shown if shown.strip() else "(empty)"


def _int(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
