"""Messages for exceptions: the cause, and what the user can do about it.

The only place for these messages, used by commands, the app, the hooks and the indexer.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from pathlib import Path
from typing import Final

from memtui_core.errors import MemtuiError
from memtui_core.system.systems import unsupported
from memtui_core.text.characters import storable
from memtui_core.text.controls import label

_ELSEWHERE: Final = "choose another data folder with --data-dir or MEMTUI_DATA_DIR."
_FULL = "The disk of {place} is full. Make room there, or " + _ELSEWHERE
_READ_ONLY = "{place} is on a read-only disk, and nothing can be written there. Make it writable, or " + _ELSEWHERE
_FORBIDDEN = "{place} cannot be used: permission denied. Change its permissions, or " + _ELSEWHERE
_NO_FOLDER = "{place} cannot be the data folder: {file} is a file. Move that file, or " + _ELSEWHERE
_TOO_LARGE = "A file in {place} would be larger than this system allows. Raise the limit (ulimit -f), or " + _ELSEWHERE
_IN_THE_WAY = "{place} is in the way. Move it, or " + _ELSEWHERE
_DISK_FAILS = "The disk of {place} has failed: input/output error. Check the disk, or " + _ELSEWHERE
_MANY_FILES = "Too many files are open. Close other programs, or raise the limit (ulimit -n)."
_NO_MEMORY = "There is not enough memory. Close other programs, then try again."
_GONE = "{place} is not there any more. Bring it back, or start memtui again."
_NOT_UTF8 = "The name of the folder {place} is not valid UTF-8, which the index needs. Rename it, or " + _ELSEWHERE
_LOCKED = "Another process has the index in {place} open. End that process, then try again."

_OF_A_PATH: Final = (_FORBIDDEN, _NO_FOLDER, _IN_THE_WAY, _GONE)
_BY_NUMBER: Final = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EROFS: _READ_ONLY,
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.ENOTDIR: _NO_FOLDER,
    errno.EEXIST: _IN_THE_WAY,
    errno.EISDIR: _IN_THE_WAY,
    errno.EFBIG: _TOO_LARGE,
    errno.EIO: _DISK_FAILS,
    errno.EMFILE: _MANY_FILES,
    errno.ENFILE: _MANY_FILES,
    errno.ENOMEM: _NO_MEMORY,
    errno.ENOENT: _GONE,
}
_EXHAUSTED: Final = frozenset(number for number, text in _BY_NUMBER.items() if text not in _OF_A_PATH)
_DAMAGE: Final = ("Corrupt database file", "database has been invalidated", "not a valid DuckDB database file")
_WRITER_ENDED: Final = "index writer was killed"
"""What tantivy says when one of its threads could not write, of which it does not say why."""
_NEARLY_FULL: Final = 16_000_000
"""Bytes that are left on a disk that counts as full then: the thread gave its own file back."""
_OWN: Final = frozenset({"", "memtui", "memtui_core", "memtui_team"})
_INSTALL: Final = "Install memtui again, such as by pip install --force-reinstall memtui."
_SYNCHRONIZED: Final = re.compile(
    r"(?:Dropbox|OneDrive|Google ?Drive|My Drive|Nextcloud|ownCloud|pCloudDrive|com~apple~CloudDocs)(?![a-z])"
)
"""How their folders begin: `OneDrive - Acme`, `GoogleDrive-ana@example.org`."""
_PROGRAMS: Final = {"com~apple~CloudDocs": "iCloud Drive", "GoogleDrive": "Google Drive", "My Drive": "Google Drive"}
_RUST_NUMBER = re.compile(r"\(os error (\d+)\)")


def failure_text(error: BaseException, folder: Path) -> str:
    """The message for the user, in one line, about an error while a data folder was in use."""
    if isinstance(error, MemtuiError):
        return str(error)
    if _is_memory(error):
        return _NO_MEMORY
    number = _number(error)
    if number == errno.EIO and _WRITER_ENDED in str(error) and _is_full(folder):
        number = errno.ENOSPC
    if number in _BY_NUMBER:
        return _system_message(error, number, folder)
    if _is_lock(error):
        return _LOCKED.format(place=folder)
    if isinstance(error, ImportError) and (text := missing_package(error)):
        return text
    reason = _first_line(error)
    if isinstance(error, OSError):
        return f"{_place(error, folder)} cannot be used: {error.strerror or reason}. Check the disk, or {_ELSEWHERE}"
    if _is_duckdb(error):
        return damaged(folder, error)
    return f"memtui failed: {reason}{_source_line(error)}. This is a defect of memtui: please report it."


def missing_package(error: ImportError) -> str:
    """The message for a package of others that cannot be loaded; empty for a module of memtui."""
    package = (error.name or "").partition(".")[0]
    if package in _OWN:
        return ""
    reason = " ".join(str(error).split()).rstrip(".!")
    return f"The package {package}, which memtui needs, cannot be loaded: {reason}. {unsupported() or _INSTALL}"


def refusal_of(folder: Path) -> str | None:
    """Why a folder cannot hold an index, whatever is in it; None if it can."""
    return None if storable(str(folder)) == str(folder) else _NOT_UTF8.format(place=label(storable(str(folder))))


def risk_of(folder: Path) -> str:
    """Why a folder is a bad place for an index although it can hold one, and what to do; empty if it is not."""
    if not (program := _synchronizer(folder.resolve())):
        return ""
    return (
        f"{program} copies the data folder {folder} to other machines, where another memtui may write to it at the same"
        f" time. Rather {_ELSEWHERE} memtui machine brings sessions from one machine to another."
    )


def _synchronizer(folder: Path) -> str:
    """The program that copies a folder to other machines, by its name or the program's mark; empty if there is none."""
    if any((parent / ".stfolder").exists() for parent in (folder, *folder.parents)):
        return "Syncthing"
    names = (match[0] for part in folder.parts if (match := _SYNCHRONIZED.match(part)))
    name = next(names, "")
    return _PROGRAMS.get(name, name)


def fault_text(error: Exception) -> str:
    """The message for `memtui doctor`, in one line, about an error in a file: its own, or a defect of memtui."""
    if isinstance(error, MemtuiError):
        return str(error)
    return f"memtui failed on this file: {type(error).__name__}: {error}".splitlines()[0]


def is_of_machine(error: BaseException) -> bool:
    """Whether the cause is the disk, the memory or another process, rather than the content or path of a file.

    Includes files that DuckDB or tantivy has no permission to open.
    """
    numbers = _EXHAUSTED if isinstance(error, OSError) else _BY_NUMBER
    return _is_memory(error) or _number(error) in numbers or _is_lock(error)


def is_damage(error: BaseException) -> bool:
    """Whether DuckDB has found that a file is not as it was written, or gave the database up."""
    return _is_duckdb(error) and any(text in str(error) for text in _DAMAGE)


def damaged(folder: Path, error: BaseException, *, beyond_repair: bool = False) -> str:
    """The message for an index that cannot be read; `beyond_repair` if its last snapshot cannot be read either."""
    if beyond_repair:
        return f"The index in {folder} is damaged beyond repair: {_first_line(error)}. It has to be made again."
    return f"The index in {folder} is damaged: {_first_line(error)}. memtui index mends what can be mended."


def _system_message(error: BaseException, number: int, folder: Path) -> str:
    place = _place(error, folder)
    if place != folder and folder not in place.parents and not place.is_relative_to(folder):
        return f"{place} cannot be used: {os.strerror(number)}."
    file = next((path for path in (folder, *folder.parents) if path.exists() and not path.is_dir()), None)
    if file is not None:
        return _NO_FOLDER.format(place=folder, file=file)
    message = _BY_NUMBER[number]
    return message.format(place=folder if message in (_FULL, _READ_ONLY, _TOO_LARGE) else place, file=place)


def _place(error: BaseException, folder: Path) -> Path:
    """The path in an error, or else the data folder."""
    path = getattr(error, "filename", None)
    return Path(os.fsdecode(path)) if isinstance(path, (str, bytes)) and path else folder


def _number(error: BaseException) -> int:
    """The `errno` of an error, for DuckDB and tantivy taken from their messages; 0 if there is none."""
    if isinstance(error, OSError):
        return error.errno or 0
    text = str(error)
    if match := _RUST_NUMBER.search(text):
        return int(match[1])
    if _WRITER_ENDED in text:
        return errno.EIO
    if _is_duckdb(error):
        # For DuckDB a missing file means a damaged index.
        return next((number for number in _BY_NUMBER if number != errno.ENOENT and os.strerror(number) in text), 0)
    return 0


def _is_full(folder: Path) -> bool:
    import shutil

    try:
        return shutil.disk_usage(folder).free < _NEARLY_FULL
    except OSError:
        return False


def _is_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryException"


def _is_lock(error: BaseException) -> bool:
    return _is_duckdb(error) and "Could not set lock on file" in str(error)


def _is_duckdb(error: BaseException) -> bool:
    """Whether an error is of DuckDB, which is not imported for that."""
    loaded = sys.modules.get("_duckdb")
    return loaded is not None and isinstance(error, loaded.Error)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    if not lines:
        return type(error).__name__
    is_clear = _is_duckdb(error) or type(error) is ValueError
    return (lines[0] if is_clear else f"{type(error).__name__}: {lines[0]}").rstrip(".!")


def _source_line(error: BaseException) -> str:
    """The line of code that raised an error, for a bug report."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
