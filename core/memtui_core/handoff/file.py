"""The hand-off of a file: what it held when it was last seen, and every change of it over all sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memtui_core.errors import MemtuiError
from memtui_core.file_history import Known, known_at
from memtui_core.handoff.calls import HandoffCall, extract
from memtui_core.handoff.cutting import shortened
from memtui_core.handoff.entries import change_body, language_of
from memtui_core.handoff.session import DEFAULT
from memtui_core.handoff.value import Handoff, HandoffOptions, Item, Section, lead_section
from memtui_core.model import FileTouch
from memtui_core.queries.files import FileRow, file_timeline
from memtui_core.queries.turns import read_blocks
from memtui_core.search.closest_file import IndexedFile, closest_files
from memtui_core.search.path_search import find_files
from memtui_core.store.reader import Snapshot
from memtui_core.text.controls import plain, stored
from memtui_core.text.markdown import fence
from memtui_core.text.paths import normalize, query_path, spellings, suffix_match, worktree_of

_MOST_NAMES = 5


def file_handoff(
    snapshot: Snapshot, path: str, *, root: str | None = None, options: HandoffOptions = DEFAULT
) -> Handoff:
    """A file by its path in the project, or the end of it; `root` is the folder of the project that is meant.

    The state is that of the last session that read or changed it, as far as it is known; it takes up to half of the
    characters that the options allow, the changes the rest, the newest first. Raises MemtuiError for no such file, and
    for several.
    """
    row = _file(snapshot, path, root)
    touches = file_timeline(snapshot, row)
    seen = next((touch for touch in touches if touch.kind in {"edited", "read"}), touches[0])
    room = options.max_tool_context_chars
    known = known_at(snapshot, seen.session, row.path, seen.turn)
    lead = (_about(row), _state(known, seen, room // 2))
    room -= len(lead[1].text) if room else 0
    changes = tuple(_changes(snapshot, row, touches, options.max_result_chars)) if options.tool_context else ()
    return Handoff(seen.session_id, seen.turn, seen.turn, "file", lead, changes, max(0, room))


def _file(snapshot: Snapshot, path: str, root: str | None) -> FileRow:
    """The one file that is meant: called exactly so, or else ending so."""
    wanted = query_path(path).rstrip("/")
    rows = find_files(snapshot, wanted.rpartition("/")[2], root).rows
    exact = [row for row in rows if set(_names(row)) & {wanted, *spellings(wanted)}]
    found = exact or [row for row in rows if suffix_match(row.path, wanted)]
    if not found:
        near = closest_files(wanted, [IndexedFile(row.path, row.root, row.last) for row in rows])
        nearest = f" The nearest is {rows[near[0]].path}." if near else ""
        raise MemtuiError(f"No session touched a file {path!r}.{nearest}")
    if len(found) > 1:
        names = ", ".join(f"{row.root}/{row.path}" for row in found[:_MOST_NAMES])
        more = " …" if len(found) > _MOST_NAMES else ""
        raise MemtuiError(f"{len(found)} files are called {path!r}: {names}{more}")
    return found[0]


def _names(row: FileRow) -> set[str]:
    """What a file may be called by: as it is shown, or as it is."""
    shown, raw = (row.root, row.path), (stored(row.root), stored(row.path))
    return {name for root, path in (shown, raw) for name in (path, f"{root}/{path}")}


def _about(row: FileRow) -> Section:
    counts = f"changed in {_turns(row.edited)}, read in {_turns(row.read)}, mentioned in {_turns(row.mentioned)}"
    days = f", {row.first:%Y-%m-%d} to {row.last:%Y-%m-%d}" if row.first and row.last else ""
    sessions = f"{row.sessions} session{'' if row.sessions == 1 else 's'}"
    text = f"{row.path} in {row.project}: {counts} of {sessions}{days}. Put together by memtui from the transcripts."
    return lead_section("File", text)


def _state(known: Known, seen: FileTouch, room: int) -> Section:
    where = f"As of {_place(seen)}"
    if not known.lines:
        return lead_section("Last Known State", f"{where}: {'; '.join(known.notes)}.")
    if known.complete:
        head, text = f"{where}:", known.text or ""
    else:
        head, text = f"{where}, known in part: {'; '.join(known.notes)}.", "\n".join(_numbered(known))
    body = shortened(plain(text).rstrip("\n") or "(empty)", max(0, room))
    return lead_section("Last Known State", f"{head}\n{fence(body, language_of(known.path))}")


def _numbered(known: Known) -> Iterator[str]:
    """The known lines with their numbers; a `?` behind the number where it may have changed, a `⋮` for a gap."""
    before = 0
    for line in known.lines:
        if line.number > before + 1:
            yield "⋮"
        yield f"{line.number}{' ' if line.certain else '?'} {line.text}"
        before = line.number


def _changes(snapshot: Snapshot, row: FileRow, touches: Sequence[FileTouch], longest: int) -> Iterator[Item]:
    """Every change that was done, the oldest first."""
    for touch in reversed(touches):
        if touch.kind != "edited":
            continue
        for call in _calls_of(snapshot, row, touch):
            item_id = f"{touch.session_id}:{call.id}"
            heading = f"{_place(touch)} ({call.name})"
            yield Item(item_id, "Changes", heading, touch.turn, call.line, (change_body(call),), (), longest)


def _calls_of(snapshot: Snapshot, row: FileRow, touch: FileTouch) -> list[HandoffCall]:
    """The changes of the file that one tool made in one turn."""
    [(cwd, worktree)] = snapshot.rows("SELECT cwd, worktree FROM sessions WHERE key = ?", [touch.session])
    calls = extract(read_blocks(snapshot, touch.session, touch.turn, touch.turn).items())
    return [
        call
        for call in calls
        if call.name == touch.tool
        and not (call.is_error or call.interrupted)
        and any(_path(edit.path, cwd, stored(row.root), worktree) == stored(row.path) for edit in call.edits)
    ]


def _path(written: str, cwd: str, root: str, worktree: str | None) -> str | None:
    trees = [worktree] if worktree else []
    tree = worktree_of(written)
    return normalize(written, cwd, root, [*trees, tree[1]] if tree is not None and tree[0] == root else trees)


def _place(touch: FileTouch) -> str:
    return f"{touch.session_id}:{touch.turn}" + (f" · {touch.at:%Y-%m-%d %H:%M} UTC" if touch.at else "")


def _turns(number: int) -> str:
    return f"{number} turn{'' if number == 1 else 's'}"
