"""The files of Kimi CLI, from which Kimi Code came.

The folder of a session is `sessions/<MD5 of the working directory>/<session id>/` and contains:

- `wire.jsonl`: the events with their times, since version 0.59.
- `context.jsonl`: the messages as the model gets them. Before a compaction replaces it, it becomes `context_<n>.jsonl`.
- `context_sub_<n>.jsonl`: the messages of a subagent, until version 1.24.
- `subagents/<agent id>/`: the files of a subagent, since version 1.25.
- `state.json`, in some versions `metadata.json`: the title.

Before version 0.59 the messages were in `sessions/<MD5>/<session id>.jsonl`, beside `<session id>_<n>.jsonl` and
`<session id>_sub_<n>.jsonl`. When such a session is resumed, its last messages move into the folder.

The format was learned from MoonshotAI/kimi-cli: in `src/kimi_cli` the modules about sessions (02a40bf, 04fe42b,
0b88d48, 1886a8f, 1a8649f, 050fac9), `wire` (026ae98, b88bc47, 12c1771), `soul` (07a7f17, 0097027, 2a9b5f3), `subagents`
(22653f6), `tools` (2852b9b, dcccf66) and `utils` (17c3fc5, 5051e26), `packages/kosong` (2b5cf7c, 3eaf393, 0a62ac9), and
`docs/en/customization/wire-mode.md`, which describes versions 1.1 to 1.9 of the events.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.agents.kimi.file_names import is_in_session
from memtui_core.readers.base import Transcript
from memtui_core.readers.formats.first_entry import first_entry

SUBAGENTS: Final = "subagents"
STATE: Final = "state.json"
OLD_STATE: Final = "metadata.json"
META: Final = "meta.json"
"""What is known about a subagent."""
_WIRE: Final = "wire.jsonl"
_CONTEXT: Final = "context"
_SUFFIX: Final = ".jsonl"
_ABOUT: Final = (STATE, OLD_STATE, META)
_BUCKET: Final = re.compile(r"(?:.+_)?[0-9a-f]{32}")
"""The folder for a working directory; one on another computer begins with the name of the connection."""
_CONTEXT_NAME: Final = re.compile(r"context(?:_sub)?(?:_\d+)*\.jsonl")
_FLAT_NAME: Final = re.compile(r"([0-9a-f-]{36})(?:_sub)?(?:_\d+)*\.jsonl")
_OLD: Final = "old_"
"""Marks the subagents whose messages are beside the folder of their session, or beside its file."""
_AGENT_ID: Final = re.compile(r"[\w-]{1,100}")
_SUBAGENT_EVENT: Final = b'"SubagentEvent"'
_MARKS: Final = frozenset({"_checkpoint", "_system_prompt", "_usage"})
"""The roles of entries of a context that are no messages."""


@dataclass(frozen=True, slots=True)
class SessionFiles:
    """The files of the transcript of a session or of a subagent."""

    session: str
    agent: str
    """The subagent; empty for the session itself."""
    about: Path
    """The folder with the file about the session or the subagent."""
    bucket: Path
    """The folder with the sessions of one working directory."""
    wire: Path | None
    """The events; None if none were written."""
    places: tuple[tuple[Path, str], ...]
    """The folders with files of messages, each with the start of their names, the oldest first."""

    @property
    def contexts(self) -> tuple[Path, ...]:
        """The files with the messages that exist now, the oldest first."""
        return tuple(path for folder, stem in self.places for path in _contexts(folder, stem))

    def read(self) -> tuple[Path, ...]:
        """The files whose size is the size of the transcript."""
        return self.contexts if self.wire is None else (self.wire,)

    def has_subagent(self, agent: str) -> bool:
        """Whether a subagent has files of its own."""
        folder = self.about / SUBAGENTS / agent
        return _AGENT_ID.fullmatch(agent) is not None and any(
            (folder / name).exists() for name in (_WIRE, f"{_CONTEXT}{_SUFFIX}")
        )


def is_cli_file(path: Path) -> bool:
    """Whether a file belongs to a session of Kimi CLI: by its place, or by its first entry."""
    if _is_in_folder(path) or _is_flat(path):
        return True
    return path.suffix == _SUFFIX and not is_in_session(path) and _kind(first_entry(path)) != ""


def container_of(path: Path) -> Path:
    """The folder of the session or subagent; a file outside of one stands for itself."""
    if path.name in {_WIRE, *_ABOUT} or _CONTEXT_NAME.fullmatch(path.name):
        return path.parent
    flat = _FLAT_NAME.fullmatch(path.name) if _is_flat(path) else None
    if flat is None:
        return path
    folder = path.with_name(flat[1])
    return folder if folder.is_dir() else path.with_name(flat[1] + _SUFFIX)


def is_container(path: Path) -> bool:
    """Whether a container is one of Kimi CLI, not a file of Kimi Code."""
    return path.suffix != _SUFFIX or is_cli_file(path)


def files_of(container: Path, part: str = "") -> SessionFiles:
    """The files of a session, of a subagent with a folder of its own, or of one without: `part`."""
    bucket, folder = container.parent, container.with_name(_stem(container))
    wire = container if _is_wire(container) else container / _WIRE
    written = wire if not part and _size(wire) else None
    places = _places(container).get(part, ())
    if bucket.name == SUBAGENTS:
        return SessionFiles(bucket.parent.name, container.name, folder, bucket.parent.parent, written, places)
    return SessionFiles(folder.name, part, folder, bucket, written, places)


def transcripts_of(agent: str, container: Path) -> Iterator[Transcript]:
    """The session, and those of its subagents whose messages are nowhere else; `agent` is the id of the reader."""
    files = files_of(container)
    if any(path.exists() for path in files.read()):
        yield Transcript(agent, container, *_state(files))
    for part in _places(container):
        # What is beside the folder is older than the events.
        is_in_events = files.wire is not None and not part.startswith(_OLD) and _has_subagents(files.wire)
        if part and not is_in_events:
            size, changed = _state(files_of(container, part))
            if size:
                yield Transcript(agent, container, size, changed, part)


def _is_in_folder(path: Path) -> bool:
    if path.name not in {_WIRE, *_ABOUT} and not _CONTEXT_NAME.fullmatch(path.name):
        return False
    folder = path.parent
    session = folder.parent.parent if folder.parent.name == SUBAGENTS else folder
    return _is_bucket(session.parent)


def _is_flat(path: Path) -> bool:
    return _FLAT_NAME.fullmatch(path.name) is not None and _is_bucket(path.parent)


def _is_bucket(folder: Path) -> bool:
    return _BUCKET.fullmatch(folder.name) is not None and folder.parent.name == "sessions"


def _kind(entry: dict[str, Any]) -> str:
    """What a file with this first entry contains: `wire`, `context`, or neither."""
    role = entry.get("role")
    if isinstance(role, str) and role in _MARKS:
        return _CONTEXT
    # The first record of Kimi Code says also when it was created.
    if entry.get("type") == "metadata" and entry.keys() == {"type", "protocol_version"}:
        return "wire"
    message, at = entry.get("message"), entry.get("timestamp")
    is_event = isinstance(message, dict) and message.keys() == {"type", "payload"}
    return "wire" if is_event and isinstance(at, int | float) else ""


def _stem(container: Path) -> str:
    """The id of the session: the name of its folder, or the start of that of its file."""
    return container.stem if container.suffix == _SUFFIX else container.name


def _is_wire(container: Path) -> bool:
    return container.suffix == _SUFFIX and _kind(first_entry(container)) == "wire"


def _places(container: Path) -> dict[str, tuple[tuple[Path, str], ...]]:
    """Where the messages of a session and of its subagents without a folder are, see `SessionFiles.places`."""
    bucket = container.parent
    if _is_wire(container):
        return {"": ()}
    stem = _stem(container)
    old = {_OLD + sub: ((bucket, f"{stem}_{sub}"),) for sub in _subagents(bucket, stem)}
    if container.suffix == _SUFFIX:
        return {"": ((bucket, stem),), **old}
    places = {sub: ((container, f"{_CONTEXT}_{sub}"),) for sub in _subagents(container, _CONTEXT)}
    if not _is_bucket(bucket):
        return {"": ((container, _CONTEXT),), **places}
    return {"": ((bucket, stem), (container, _CONTEXT)), **places, **old}


def _subagents(folder: Path, stem: str) -> list[str]:
    name = re.compile(rf"{re.escape(stem)}_(sub_\d{{1,9}})\.jsonl")
    return sorted(match[1] for other in _names(folder) if (match := name.fullmatch(other)))


def _contexts(folder: Path, stem: str) -> list[Path]:
    rotated = re.compile(rf"{re.escape(stem)}(?:_(\d{{1,9}}))?\.jsonl")
    found = [match for name in _names(folder) if (match := rotated.fullmatch(name))]
    # The file without a number is the newest one.
    found.sort(key=lambda match: (match[1] is None, int(match[1] or 0)))
    return [folder / match[0] for match in found]


def _names(folder: Path) -> tuple[str, ...]:
    """The names of the files in a folder that may contain messages."""
    _, times = _states([folder])
    if not times:
        return ()
    return _names_in_bucket(folder, times[0]) if _is_bucket(folder) else _listed(folder)


# Every session of a working directory asks for the same names.
@lru_cache(maxsize=64)
def _names_in_bucket(folder: Path, _mtime: int) -> tuple[str, ...]:
    return _listed(folder)


def _listed(folder: Path) -> tuple[str, ...]:
    try:
        return tuple(path.name for path in folder.iterdir() if path.suffix == _SUFFIX)
    except OSError:
        return ()


def _state(files: SessionFiles) -> tuple[int, int]:
    """The size of the files of a transcript, and the last change of them and of the files about it."""
    sizes, _ = _states(files.read())
    _, times = _states([*files.read(), *(files.about / name for name in _ABOUT)])
    return sum(sizes), max(times, default=0)


def _states(paths: Iterable[Path]) -> tuple[list[int], list[int]]:
    states = []
    for path in paths:
        try:
            states.append(path.stat())
        except OSError:
            continue
    return [state.st_size for state in states], [state.st_mtime_ns for state in states]


def _size(path: Path) -> int:
    return sum(_states([path])[0])


def _has_subagents(wire: Path) -> bool:
    """Whether the events of a session include those of its subagents, as they do in most versions."""
    sizes, times = _states([wire])
    return bool(sizes) and _contains_subagents(wire, sizes[0], times[0])


@lru_cache(maxsize=256)
def _contains_subagents(wire: Path, _size: int, _mtime: int) -> bool:
    try:
        with wire.open("rb") as file:
            return any(_SUBAGENT_EVENT in line for line in file)
    except OSError:
        return False
