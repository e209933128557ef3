"""A session up to one of its turns as a new one, which its agent can resume; the transcript is only read.

What the transcript says is copied from it, or, if the agent has deleted it, from the archive; there it is without
secrets. How the copy is made is the business of the agent's reader.
"""

from __future__ import annotations

import os
import shlex
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from memtui_core.compaction.history import last_shared_turn
from memtui_core.errors import MemtuiError, NothingBefore, SourceUnreadable
from memtui_core.model import Session, Turn
from memtui_core.queries.sessions import read_session, session_ids
from memtui_core.queries.turns import read_blocks, read_turns
from memtui_core.readers.base import container_of
from memtui_core.readers.formats.jsonl import ZSTD, LineReader
from memtui_core.readers.new_session import Rewinding, SessionFile
from memtui_core.readers.registry import reader_of
from memtui_core.store.archive.transcripts import TranscriptArchive
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.controls import label, stored
from memtui_core.text.machine_folders import folder_here
from memtui_core.text.token_estimate import estimated_tokens

_LARGEST: Final = 1_000_000_000
"""Bytes of the largest transcript that is decompressed from the archive."""


@dataclass(frozen=True, slots=True)
class Rewound:
    """A session that ends at a turn of another one. Nothing is written yet, see `write`."""

    origin: Session
    turn: Turn
    """The chosen turn, without its blocks."""
    is_before: bool
    """Whether it ends before that turn, and not after it."""
    session_id: str
    """The id of the new session."""
    file: SessionFile
    command: list[str]
    """What resumes it, in `folder`."""
    folder: str
    last: Turn
    """Its last turn, without blocks."""
    tokens: int
    """About how many tokens of conversation the agent reads again: what follows the last compaction."""
    is_archived: bool
    """Whether the transcript is gone, and the archive was read, which has no secrets."""

    @property
    def has_folder(self) -> bool:
        """Whether `folder` is on this disk."""
        return os.path.isdir(self.folder)  # noqa: PTH112 (raises for odd paths)

    @property
    def shown(self) -> str:
        """The command with a change to its folder, as a shell takes it, which does not act on a terminal."""
        return f"{shlex.join(['cd', label(self.folder)])} && {shlex.join(self.command)}"

    def write(self) -> None:
        """Write the new session, readable for the user alone. Raises MemtuiError if that fails, or the file exists."""
        path = self.file.path
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
                file.write(self.file.content)
        except OSError as error:
            raise MemtuiError(f"{path} cannot be written: {error.strerror or error}.") from error


def rewound(
    snapshot: Snapshot,
    data: DataDir,
    session: int,
    turn: int,
    environ: Mapping[str, str],
    now: datetime,
    *,
    before: bool = False,
) -> Rewound:
    """A session up to a turn, that included, or with `before` up to the turn before it.

    Raises SessionUnknown, NothingBefore, SourceUnreadable, and MemtuiError if its agent cannot go on from there.
    """
    origin = read_session(snapshot, session)
    handoff = f"memtui handoff {origin.session_id}:1-{turn} gives an agent these turns as a text."
    if origin.parent is not None:
        raise MemtuiError(f"{origin.session_id} is a subagent, which is not resumed by itself. {handoff}")
    turns = read_turns(snapshot, session)
    chosen = next((one for one in turns if one.number == turn), None)
    if chosen is None:
        raise NothingBefore(f"The session has {len(turns)} turns.")
    last = chosen if not before else next((one for one in reversed(turns) if one.number < turn), None)
    if last is None:
        raise NothingBefore(f"The session has nothing before this turn.{_before_fork(snapshot, session)}")
    reader, new_id = reader_of(origin.agent), str(uuid.uuid4())
    command = reader.resume_command(new_id) if reader is not None else None
    folder = folder_here(stored(origin.cwd), stored(origin.root), origin.worktree)
    made, transcript = None, Path()
    if reader is not None and command is not None and folder and not (origin.only_prompts or origin.member):
        title = f"{origin.title} ({'before' if before else 'up to'} turn {turn})"
        query = "SELECT f.path, f.size FROM turns t JOIN sources f ON f.id = t.source WHERE t.id = ?"
        [(path, size)] = snapshot.rows(query, [chosen.id])
        transcript = container_of(path)
        lines = _lines(data, transcript, size, origin.session_id)
        place = chosen.line, chosen.end_line
        made = reader.rewound(Rewinding(new_id, title, folder, now, transcript, lines, *place, before), environ)
    if made is None or command is None:
        name = reader.name if reader is not None else origin.agent
        raise MemtuiError(f"memtui cannot write a session of {name} that goes on from there. {handoff}")
    tokens, is_archived = _tokens(snapshot, turns, last), not os.path.lexists(transcript)
    return Rewound(origin, chosen, before, new_id, made, command, folder, last, tokens, is_archived)


def _before_fork(snapshot: Snapshot, session: int) -> str:
    """Where that is which was before the first turn of a fork, a sentence after a blank; empty if it is not known."""
    shared = last_shared_turn(snapshot, session)
    origin = session_ids(snapshot, [shared.session]).get(shared.session) if shared is not None else None
    if shared is None or origin is None:
        return ""
    return (
        f" What was before is in the session from which it was forked: memtui rewind {origin}:{shared.number}"
        " goes on from there."
    )


def _lines(data: DataDir, transcript: Path, size: int, session_id: str) -> Iterator[bytes]:
    """The lines of a transcript that had some size when it was indexed, or, if it is gone, what the archive has of it.

    Iterating raises SourceUnreadable if there is none, or another one.
    """
    try:
        is_shorter = transcript.stat().st_size < size
    except FileNotFoundError:
        yield from _archived(data, transcript, session_id)
        return
    except OSError as error:
        raise SourceUnreadable(f"{transcript}: {error.strerror or error}") from error
    if is_shorter:
        raise SourceUnreadable(f"{transcript} has changed since it was indexed; run memtui index.")
    yield from (line.raw for line in LineReader(transcript))


def _archived(data: DataDir, transcript: Path, session_id: str) -> Iterable[bytes]:
    try:
        file = TranscriptArchive(data).files().get(transcript)
        content = b"".join(file.pieces()) if file is not None else None
    except OSError as error:
        raise SourceUnreadable(f"The archive cannot be read: {error.strerror or error}.") from error
    if content is None:
        raise SourceUnreadable(
            f"{transcript} is gone, and the archive does not have it. memtui handoff {session_id} gives an agent what"
            " the index has of it."
        )
    if transcript.suffix == ZSTD:
        from memtui_core.system.compression import decompressed

        content = decompressed(content, _LARGEST)
    return content.split(b"\n")


def _tokens(snapshot: Snapshot, turns: list[Turn], last: Turn) -> int:
    """The estimated tokens of the turns since the last compaction up to the last one."""
    first = next(turn.number for turn in turns if turn.segment == last.segment)
    blocks = read_blocks(snapshot, last.session, first, last.number)
    return estimated_tokens(
        sum(len(block.text) for own in blocks.values() for block in own if block.kind != "thinking")
    )
