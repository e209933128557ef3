"""Sessions and the doctor's findings as plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.cli.output import moment
from memtui.log_file import VARIABLE, level_name, log_file
from memtui_core.text.controls import plain

if TYPE_CHECKING:
    from memtui_core.model import Block, Session, Turn
    from memtui_core.queries.sources import SourceRow
    from memtui_core.store.storage import Storage

_RESULT_LINES = 20
"""Lines of a tool result that are printed; `--json` has all."""
_HEALTHY = {"ok", "copy", "ignored", "empty"}


def session_text(session: Session, turns: Sequence[Turn], blocks: Mapping[int, tuple[Block, ...]]) -> Iterator[str]:
    """A session for reading, a line at a time."""
    yield f"{session.title}\n{session.session_id} · {session.project} · {moment(session.started_at)}\n"
    for turn in turns:
        yield f"\n── {session.session_id}:{turn.number} · {moment(turn.started_at)} · {turn.kind} ──\n"
        for block in blocks[turn.number]:
            yield from _block_text(block)


def doctor_lines(rows: Sequence[SourceRow]) -> Iterator[str]:
    """A count of every state, then each file that needs a look with the reason."""
    counts = Counter(row.state for row in rows)
    yield f"{len(rows)} files: " + ", ".join(f"{count} {state}" for state, count in counts.most_common())
    for row in rows:
        if row.state in _HEALTHY:
            continue
        yield f"\n{row.state:8} {row.path}"
        if row.error:
            yield f"         {row.error}"
        for line, reason in row.skipped:
            yield f"         line {line + 1}: {reason}"


def storage_lines(folder: Path, storage: Storage) -> Iterator[str]:
    """What the index takes on the disk, and how much was written to keep it new."""
    from memtui.formatting import size

    yield f"\nindex    {folder}"
    yield f"         base     {size(storage.base)}, written {moment(storage.base_at)}"
    yield f"         delta    {size(storage.delta)}, and {size(storage.journal)} in the journal"
    yield f"         others   {size(storage.lexicon)} of words, {size(storage.vectors)} of vectors"
    written = "" if storage.written is None else f"; {size(storage.written)} written since the indexer's start"
    since = f", {moment(storage.indexer_since)}" if written else ""
    yield f"         newest   {moment(storage.published_at)}{written}{since}"


def log_lines(folder: Path) -> Iterator[str]:
    """Where the log is, and what is written to it."""
    yield f"\nlog      {log_file(folder)}"
    yield f"         level    {level_name()} ({VARIABLE})"


def _block_text(block: Block) -> Iterator[str]:
    if block.kind == "user":
        yield f"\n● {block.text}\n"
    elif block.kind == "text":
        yield f"\n○ {block.text}\n"
    elif block.kind == "thinking":
        yield _indented("thinking", block.text)
    elif block.kind == "tool_call":
        yield f"\n▸ {block.tool} {block.text}\n"
    elif block.kind == "tool_result":
        lines = _lines(block.text)
        more = [f"… {len(lines) - _RESULT_LINES} more lines"] if len(lines) > _RESULT_LINES else []
        yield _indented("✗" if block.is_error else "", "\n".join(lines[:_RESULT_LINES] + more))
    else:
        yield _indented(block.tool or block.kind, block.text)


def _indented(label: str, text: str) -> str:
    head = f"    [{label}]\n" if label else ""
    return head + "".join(f"    {line}\n" for line in _lines(text))


def _lines(text: str) -> list[str]:
    """The lines of a text as it is printed: `splitlines` also breaks them at controls and at U+2028."""
    lines = plain(text).split("\n")
    return lines if lines[-1] else lines[:-1]
