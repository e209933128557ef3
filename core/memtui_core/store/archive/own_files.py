"""The files of a data folder that only the user could write again: what an export and a backup contain besides rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from memtui_core.errors import MemtuiError
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.tombstones import Forget, ForgetLog, Tombstone
from memtui_core.system.line_log import LineLog, LogCursor

SEARCHES: Final = "state.json"
"""The theme, the searches and the panes of the app."""
MACHINES: Final = "machines/machines.json"
_UNLESS_THERE: Final = (SEARCHES, MACHINES)
"""Files that are taken only where there is none yet."""


def own_files(data: DataDir) -> list[str]:
    """The files that there are, as paths in the data folder."""
    return [name for name in _names(data) if (data.path / name).is_file()]


def is_own_file(data: DataDir, name: str) -> bool:
    """Whether a path in a data folder is one of these files."""
    return name in _names(data)


def _names(data: DataDir) -> list[str]:
    logs = [*_plain_logs(data), data.annotations, data.forget_log]
    return [*(log.name for log in logs), *_UNLESS_THERE]


def _plain_logs(data: DataDir) -> tuple[Path, ...]:
    """The logs whose lines mean the same in whatever other log they stand."""
    return data.observations, data.review_marks


def merge_own_files(data: DataDir, other: DataDir) -> int:
    """Add what the files of another data folder say to those of this one, each line once; the number of new lines.

    What belongs to sessions that were forgotten here is left out. Raises MemtuiError and OSError.
    """
    from memtui_core.store.marks.annotation_log import merge_log
    from memtui_core.system.atomic_files import write_atomically

    added = sum(map(_merge_lines, _plain_logs(data), _plain_logs(other)))
    if other.annotations.exists():
        added += merge_log(data.path, other.annotations, without=ForgetLog(data).tombstones().ids)
    for name in _UNLESS_THERE:
        source, target = other.path / name, data.path / name
        if source.exists() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, source.read_bytes(), durable=True)
    return added


def merge_tombstones(data: DataDir, other: DataDir, present: set[tuple[str, str]]) -> int:
    """Take over what was forgotten in another data folder, except sessions that this index has; how many sessions.

    What could be brought back there cannot be brought back here.
    """
    log, known = ForgetLog(data), ForgetLog(data).tombstones()
    taken = 0
    for forget in ForgetLog(other).forgets().values():
        tombstones = [one for one in _kept_away(forget) if (one.session[0], one.session[1]) not in present]
        new = [one for one in tombstones if not known.forgets(*one.session)]
        if new:
            name = log.new_id()
            log.forget(name, new, forget.at)
            for step in (log.removed, log.purge, log.purged):
                step(name)
            taken += len(new)
    return taken


def _kept_away(forget: Forget) -> Iterator[Tombstone]:
    if forget.keeps_away:
        yield from (one for one in forget.tombstones if one.session not in forget.lifted)


def _merge_lines(path: Path, other: Path) -> int:
    """Append the lines of another log that this one has not; how many."""
    if not other.exists():
        return 0
    log = LineLog(path)
    with log.locked():
        own, new = log.read(LogCursor()), LineLog(other).read(LogCursor())
        known = {line.text for line in own.lines} if own is not None else set()
        missing = list(dict.fromkeys(line.text for line in new.lines if line.text not in known)) if new else []
        if missing:
            try:
                log.append(b"\n".join(missing))
            except OSError as error:
                raise MemtuiError(f"{path} cannot be written: {error.strerror or error}.") from error
    return len(missing)
