"""Everything that an index holds, as a folder of files that can be read without memtui.

`manifest.json` lists the files with their sizes and digests; `sessions/` has a file of JSON lines for each session with
its subagents; `transcripts/` the archived transcripts as their agents wrote them, with `transcripts.jsonl` beside them;
`own/` the logs of the user. `docs/export.md` describes them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

from memtui_core.errors import MemtuiError, RecordDamaged
from memtui_core.readers.formats.jsonl import LINES
from memtui_core.store.archive.export_names import FORMAT, MANIFEST, OWN, SESSIONS, TRANSCRIPT_LIST, TRANSCRIPTS
from memtui_core.store.archive.own_files import own_files
from memtui_core.store.archive.readable_rows import lines_of
from memtui_core.store.archive.session_rows import SessionRows, rows_of
from memtui_core.store.archive.transcripts import TranscriptArchive
from memtui_core.store.data_folder import DataDir
from memtui_core.store.schema import VERSION
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.system.atomic_files import sync
from memtui_core.system.fault_points import fault_point
from memtui_core.system.systems import SYNCS_ALL, sync_all

_DIGEST: Final = 16
_OTHER: Final = re.compile(r"[^A-Za-z0-9._-]+")
_MOST_NAME: Final = 80
"""Characters of an id in the name of a file."""
_MODE: Final = 0o600


@dataclass(slots=True)
class ExportCounts:
    """What was written."""

    sessions: int = 0
    """Sessions with their subagents."""
    turns: int = 0
    transcripts: int = 0
    damaged: int = 0
    """Archived transcripts that cannot be read any more."""
    bytes: int = 0


def export_all(
    snapshot: Snapshot,
    data: DataDir,
    folder: Path,
    version: str,
    report: Callable[[int, int], object] = lambda done, total: None,
) -> ExportCounts:
    """Write everything into a new folder, which appears when it is complete; `version` is that of memtui.

    `report` gets the number of sessions that are done, and of all. Raises MemtuiError if the folder exists and is not
    empty, and OSError.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise MemtuiError(f"{folder} exists and is not empty.")
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        part.mkdir(parents=True, mode=0o700)
        counts = _Export(snapshot, data, part, version).run(report)
        fault_point("export-written")
        if folder.exists():
            folder.rmdir()
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return counts


class _Export:
    def __init__(self, snapshot: Snapshot, data: DataDir, folder: Path, version: str) -> None:
        self._snapshot, self._data, self._folder, self._version = snapshot, data, folder, version
        self._counts = ExportCounts()
        self._files: dict[str, dict[str, object]] = {}
        self._taken: set[str] = set()
        """The names of the files as file systems without case compare them."""

    def run(self, report: Callable[[int, int], object]) -> ExportCounts:
        """Write all files, the manifest at last."""
        keys = [key for (key,) in self._snapshot.rows("SELECT key FROM sessions ORDER BY key")]
        for group in rows_of(self._snapshot, keys):
            self._write_group(group)
            report(self._counts.sessions, len(keys))
        self._write_transcripts()
        for name in own_files(self._data):
            self._write(f"{OWN}/{name}", (self._data.path / name).read_bytes())
        manifest = {
            "format": FORMAT,
            "memtui": self._version,
            "schema": VERSION,
            "made_at": time.time(),
            "sessions": self._counts.sessions,
            "turns": self._counts.turns,
            "transcripts": self._counts.transcripts,
            "files": self._files,
        }
        self._write(MANIFEST, json.dumps(manifest, indent=1).encode())
        # One by one, thousands of files take minutes.
        sync_all()
        return self._counts

    def _write_group(self, group: SessionRows) -> None:
        agent, session_id = next(
            ((row["agent"], row["session_id"]) for row in group.named("sessions") if row["parent_id"] is None),
            group.sessions[0],
        )
        self._counts.sessions += len(group.sessions)
        self._counts.turns += group.turns
        self._write(self._free(f"{SESSIONS}/{_name(agent)}/{_name(session_id)}", LINES), b"".join(lines_of(group)))

    def _write_transcripts(self) -> None:
        lines = []
        for file in TranscriptArchive(self._data).files().values():
            name = self._free(f"{TRANSCRIPTS}/{_name(file.agent)}/{_name(file.path.stem)}", file.path.suffix)
            try:
                self._write(name, b"".join(file.pieces()))
            except RecordDamaged:
                self._counts.damaged += 1
                continue
            self._counts.transcripts += 1
            about: dict[str, object] = {
                "file": name,
                "path": str(file.path),
                "agent": file.agent,
                "source": file.source,
            }
            about |= {"size": file.size, "complete": file.complete, "mtime": file.mtime}
            lines.append(json.dumps({**about, "digest": file.digest, "secrets": file.secrets}).encode() + b"\n")
        if lines:
            self._write(TRANSCRIPT_LIST, b"".join(lines))

    def _free(self, stem: str, suffix: str) -> str:
        """A name that no file has yet: names that differ in other characters may look alike."""
        name, number = f"{stem}{suffix}", 1
        while name.casefold() in self._taken:
            number += 1
            name = f"{stem}-{number}{suffix}"
        return name

    def _write(self, name: str, content: bytes) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            path.chmod(_MODE)
            file.write(content)
            if not SYNCS_ALL:
                sync(file)
        digest = blake2b(content, digest_size=_DIGEST).hexdigest()
        self._files[name] = {"size": len(content), "digest": digest}
        self._taken.add(name.casefold())
        self._counts.bytes += len(content)


def _name(text: str) -> str:
    """A text as a part of the name of a file on every system."""
    return _OTHER.sub("-", text)[:_MOST_NAME].strip(".-") or "session"
