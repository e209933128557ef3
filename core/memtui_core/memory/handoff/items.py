"""Items of a hand-off: the headings and texts of tool calls."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath

from memtui_core.memory.handoff.calls import Group, HandoffCall
from memtui_core.memory.handoff.model import HandoffItem, ItemBody, SectionTitle
from memtui_core.queries.file_history.lines import numbered_lines
from memtui_core.text.controls import one_line, plain
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.summary import headline

_LONGEST_HEADING = 160
_LONGEST_FEEDBACK = 200
"""Characters of the user's message on refusing a call."""
_TITLES: dict[Group, SectionTitle] = {
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
"""The language of a fence by the file's extension."""
_REMINDER = ("<system-reminder>", "</system-reminder>")
_IMAGE = re.compile(r"^\[(?:image/\S+|image)(?: \d+ kB)?\]$", re.MULTILINE)
_FEEDBACK = "the user said:"


def handoff_items(calls: Sequence[HandoffCall], root: str, longest: int) -> list[HandoffItem]:
    """Deduplicated calls as items in the same order; `root` is removed from paths in headings.

    The heading of a read tells if the file was changed later.
    """
    base = root.rstrip("/") + "/" if root else ""
    changed = {
        edit.path.removeprefix(base): position
        for position, call in enumerate(calls)
        if not call.is_error and not call.interrupted
        for edit in call.edits
    }
    stale = {
        call.id
        for position, call in enumerate(calls)
        if call.group == "read" and position < changed.get(call.path.removeprefix(base), 0)
    }
    return [_item(call, root, longest, stale) for call in calls]


def _item(call: HandoffCall, root: str, longest: int, stale: Collection[str]) -> HandoffItem:
    if call.interrupted:
        title: SectionTitle = "Interrupted Calls"
        return HandoffItem(call.id, title, f"{headline(call, '')} — {_reason(call)}", call.turn, call.line)
    notes = (f"earlier full read omitted (call {call.full_read})",) if call.full_read else ()
    return HandoffItem(
        call.id,
        _TITLES[call.group],
        _name(call, root),
        call.turn,
        call.line,
        tuple(_bodies(call)),
        notes,
        longest,
        tuple(_labels(call, stale)),
    )


def language_of(path: str) -> str:
    """The language of a file for its code fence; empty if unknown."""
    return _LANGUAGES.get(PurePosixPath(path.replace("\\", "/")).suffix[1:].lower(), "")


def change_body(call: HandoffCall) -> ItemBody:
    """The text of a change: the written text, the diff of an edit, or the command that changed the file."""
    if call.group == "command":
        return ItemBody(_text(call.command), "bash")
    first = call.edits[0] if call.edits else None
    if first is not None and not call.patch and (first.kind == "write" or (first.kind == "part" and not first.old)):
        return ItemBody(_text(first.new), language_of(call.path))
    return ItemBody(_text(diff_of(call)), "diff")


def _labels(call: HandoffCall, stale: Collection[str]) -> Iterator[str]:
    if call.group == "read" and (lines := _range(call)):
        yield lines
    if call.id in stale:
        yield "before edit"
    if call.earlier:
        yield f"last of {call.earlier + 1}"
    if call.is_error:
        yield "error"


def _range(call: HandoffCall) -> str:
    """The lines that a read of a part of a file returned, or without a result the requested lines."""
    if not call.is_partial:
        return ""
    start, lines, _ = numbered_lines(call.result.text) if call.result else (0, [], True)
    offset, limit = _int(call.fields.get("offset")), _int(call.fields.get("limit"))
    if lines:
        first, last = start, start + len(lines) - 1
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
    feedback = call.result.text.partition(_FEEDBACK)[2].strip()
    return "rejected by the user" + (f": {one_line(feedback, _LONGEST_FEEDBACK)}" if feedback else "")


def _bodies(call: HandoffCall) -> Iterator[ItemBody]:
    result = call.result.text if call.result else ""
    command = plain(call.dedup_key).strip()
    if call.group == "command" and one_line(command, _LONGEST_HEADING) != command:
        yield ItemBody(command, "bash")
    if call.is_error or call.group in {"command", "other"}:
        yield ItemBody(_text(result), keep_end=call.group == "command")
    elif call.group == "read":
        yield ItemBody(_text(_without_numbers(result)), language_of(call.dedup_key))
    else:
        yield change_body(call)


def _without_numbers(text: str) -> str:
    """The content of a file from the result of a Read, without line numbers and without the reminders after it."""
    _, lines, _ = numbered_lines(text)
    tail = _without_reminders("\n".join(text.split("\n")[len(lines) :]))
    return "\n".join([*lines, tail] if tail.strip() else lines)


def _without_reminders(text: str) -> str:
    """The text without the reminders at its end, each of which starts a line."""
    open_tag, close_tag = _REMINDER
    while (stripped := text.rstrip()).endswith(close_tag):
        start = stripped.rfind(open_tag)
        if start < 0 or (start and stripped[start - 1] != "\n"):
            break
        text = stripped[:start]
    return text


def _text(text: str) -> str:
    """A text that is safe in a document, with images as `[image]`; `(empty)` if there is no text."""
    safe = _IMAGE.sub("[image]", plain(text)).rstrip("\n")
    return safe if safe.strip() else "(empty)"


def _int(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
