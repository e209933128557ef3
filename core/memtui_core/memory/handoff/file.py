"""The hand-off of a file: its last known content, and every change over all sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memtui_core.errors import MemtuiError
from memtui_core.memory.handoff.calls import HandoffCall, handoff_calls
from memtui_core.memory.handoff.items import change_body, language_of
from memtui_core.memory.handoff.model import Handoff, HandoffItem, HandoffOptions, HandoffSection, lead_section
from memtui_core.memory.handoff.session import DEFAULT
from memtui_core.memory.handoff.truncation import truncated
from memtui_core.model import FileTouch
from memtui_core.queries.file_history import FileContent, file_content_at
from memtui_core.queries.file_history.content import names_of
from memtui_core.queries.files import FileRow, file_timeline
from memtui_core.queries.turns import read_blocks
from memtui_core.search.closest_file import IndexedFile, closest_files
from memtui_core.search.path_search import find_files
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.controls import plain, stored
from memtui_core.text.markdown.quoting import fence
from memtui_core.text.paths import is_absolute, query_path, spellings, suffix_match

_MOST_NAMES = 5


def file_handoff(
    snapshot: Snapshot, path: str, *, root: str | None = None, options: HandoffOptions = DEFAULT
) -> Handoff:
    """The hand-off of a file, given by its path in the project or the end of it; `root` is the project's folder.

    The content is that which the last session to read or change the file knew. It takes up to half of the characters
    that the options allow; the changes take the remaining ones, the newest first. Raises MemtuiError if no file or
    several files match.
    """
    row = _file(snapshot, path, root)
    touches = file_timeline(snapshot, row)
    newest = next((touch for touch in touches if touch.kind in {"edited", "read"}), touches[0])
    limit = options.max_tool_context_chars
    content = file_content_at(snapshot, newest.session, newest.path, newest.turn)
    lead = (_about(row), _state(content, newest, limit // 2))
    limit -= len(lead[1].text) if limit else 0
    changes = tuple(_changes(snapshot, touches, options.max_result_chars)) if options.tool_context else ()
    return Handoff(newest.session_id, newest.turn, newest.turn, "file", lead, changes, max(0, limit))


def _file(snapshot: Snapshot, path: str, root: str | None) -> FileRow:
    """The only file with a path, or if there is none, the only file whose path ends with it."""
    requested = query_path(path).rstrip("/")
    rows = find_files(snapshot, requested.rpartition("/")[2], root).rows
    exact = [row for row in rows if set(_names(row)) & {requested, *spellings(requested)}]
    matching = exact or [row for row in rows if suffix_match(row.path, requested)]
    if not matching:
        near = closest_files(requested, [IndexedFile(row.path, row.root, row.last) for row in rows])
        nearest = f" The nearest is {rows[near[0]].path}." if near else ""
        raise MemtuiError(f"No session touched a file {path!r}.{nearest}")
    if len(matching) > 1:
        names = ", ".join(IndexedFile(row.path, row.root).absolute_path for row in matching[:_MOST_NAMES])
        more = " …" if len(matching) > _MOST_NAMES else ""
        raise MemtuiError(f"{len(matching)} files are called {path!r}: {names}{more}")
    return matching[0]


def _names(row: FileRow) -> set[str]:
    """The paths that name a file, relative and absolute, as shown and as stored."""
    shown, as_stored = (row.root, row.path), (stored(row.root), stored(row.path))
    return {name for root, path in (shown, as_stored) for name in (path, IndexedFile(path, root).absolute_path)}


def _about(row: FileRow) -> HandoffSection:
    counts = f"changed in {_turns(row.edited)}, read in {_turns(row.read)}, mentioned in {_turns(row.mentioned)}"
    days = f", {row.first:%Y-%m-%d} to {row.last:%Y-%m-%d}" if row.first and row.last else ""
    sessions = f"{row.sessions} session{'' if row.sessions == 1 else 's'}"
    name = row.path if is_absolute(row.path) else f"{row.path} in {row.project}"
    text = f"{name}: {counts} of {sessions}{days}. Put together by memtui from the transcripts."
    return lead_section("File", text)


def _state(content: FileContent, touch: FileTouch, limit: int) -> HandoffSection:
    as_of = f"As of {_reference(touch)}"
    if not content.lines:
        return lead_section("Last Known State", f"{as_of}: {'; '.join(content.notes)}.")
    if content.complete:
        head, text = f"{as_of}:", content.text or ""
    else:
        head, text = f"{as_of}, known in part: {'; '.join(content.notes)}.", "\n".join(_numbered(content))
    body = truncated(plain(text).rstrip("\n") or "(empty)", max(0, limit))
    return lead_section("Last Known State", f"{head}\n{fence(body, language_of(content.path))}")


def _numbered(content: FileContent) -> Iterator[str]:
    """The known lines with their numbers; a `?` after the number of a line that may have changed, a `⋮` for a gap."""
    previous = 0
    for line in content.lines:
        if line.number > previous + 1:
            yield "⋮"
        yield f"{line.number}{' ' if line.certain else '?'} {line.text}"
        previous = line.number


def _changes(snapshot: Snapshot, touches: Sequence[FileTouch], longest: int) -> Iterator[HandoffItem]:
    """All successful changes, the oldest first."""
    for touch in reversed(touches):
        if touch.kind != "edited":
            continue
        for call in _calls_of(snapshot, touch):
            item_id = f"{touch.session_id}:{call.id}"
            heading = f"{_reference(touch)} ({call.name})"
            yield HandoffItem(item_id, "Changes", heading, touch.turn, call.line, (change_body(call),), (), longest)


def _calls_of(snapshot: Snapshot, touch: FileTouch) -> list[HandoffCall]:
    """The changes of the file that one tool made in one turn."""
    is_file = names_of(snapshot, touch.session, touch.path)
    calls = handoff_calls(read_blocks(snapshot, touch.session, touch.turn, touch.turn).items())
    return [
        call
        for call in calls
        if call.name == touch.tool
        and not (call.is_error or call.interrupted)
        and any(is_file(edit.path) for edit in call.edits)
    ]


def _reference(touch: FileTouch) -> str:
    return f"{touch.session_id}:{touch.turn}" + (f" · {touch.at:%Y-%m-%d %H:%M} UTC" if touch.at else "")


def _turns(number: int) -> str:
    return f"{number} turn{'' if number == 1 else 's'}"
