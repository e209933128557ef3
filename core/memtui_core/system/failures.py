"""Exceptions as sentences: the cause, and what a person can do about it.

The only place that does this; commands, the app, the hooks and the indexer all ask here.
"""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
from pathlib import Path
from typing import Final

from memtui_core.errors import MemtuiError

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
_RUST_NUMBER = re.compile(r"\(os error (\d+)\)")


def failure_text(error: BaseException, folder: Path) -> str:
    """One line for a person about what went wrong while the data folder `folder` was in use."""
    if isinstance(error, MemtuiError):
        return str(error)
    if _is_memory(error):
        return _NO_MEMORY
    number = _number(error)
    if number in _BY_NUMBER:
        return _about(error, number, folder)
    if _is_lock(error):
        return _LOCKED.format(place=folder)
    reason = _first_line(error)
    if isinstance(error, OSError):
        return f"{_place(error, folder)} cannot be used: {error.strerror or reason}. Check the disk, or {_ELSEWHERE}"
    if _is_duckdb(error):
        return damaged(folder, error)
    return f"memtui failed: {reason}{_where(error)}. This is a defect of memtui: please report it."


def fault_text(error: Exception) -> str:
    """One line for the doctor about a file that brought an error out: its own fault, or a defect of memtui."""
    if isinstance(error, MemtuiError):
        return str(error)
    return f"memtui failed on this file: {type(error).__name__}: {error}".splitlines()[0]


def is_of_machine(error: BaseException) -> bool:
    """Whether the cause is the disk, the memory or another process, and neither what a file holds nor where it is.

    What a database or tantivy may not open counts, too.
    """
    numbers = _EXHAUSTED if isinstance(error, OSError) else _BY_NUMBER
    return _is_memory(error) or _number(error) in numbers or _is_lock(error)


def damaged(folder: Path, error: BaseException, *, whole: bool = False) -> str:
    """The sentence for an index that cannot be read; `whole` when its last snapshot is of no help either."""
    if whole:
        return (
            f"The index in {folder} is damaged beyond repair: {_first_line(error)}. Move all but observations.jsonl out"
            " of that folder, then memtui index reads the transcripts that still exist."
        )
    return f"The index in {folder} is damaged: {_first_line(error)}. memtui index mends what can be mended."


def _about(error: BaseException, number: int, folder: Path) -> str:
    place = _place(error, folder)
    if place != folder and folder not in place.parents and not place.is_relative_to(folder):
        return f"{place} cannot be used: {os.strerror(number)}."
    above = next((one for one in (folder, *folder.parents) if one.exists() and not one.is_dir()), None)
    if above is not None:
        return _NO_FOLDER.format(place=folder, file=above)
    sentence = _BY_NUMBER[number]
    return sentence.format(place=folder if sentence in (_FULL, _READ_ONLY, _TOO_LARGE) else place, file=place)


def _place(error: BaseException, folder: Path) -> Path:
    """What an error names, else the data folder."""
    named = getattr(error, "filename", None)
    return Path(os.fsdecode(named)) if isinstance(named, (str, bytes)) and named else folder


def _number(error: BaseException) -> int:
    """The number of the system's error; DuckDB and tantivy have it only in their texts. 0 when there is none."""
    if isinstance(error, OSError):
        return error.errno or 0
    text = str(error)
    if found := _RUST_NUMBER.search(text):
        return int(found[1])
    if _is_duckdb(error):
        # A missing file is damage to the index there, not the system's fault.
        return next((one for one in _BY_NUMBER if one != errno.ENOENT and os.strerror(one) in text), 0)
    return 0


def _is_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryException"


def _is_lock(error: BaseException) -> bool:
    return _is_duckdb(error) and "Could not set lock on file" in str(error)


def _is_duckdb(error: BaseException) -> bool:
    """Looked up among what is loaded: whoever never opened a database need not load DuckDB to fail."""
    loaded = sys.modules.get("duckdb")
    return loaded is not None and isinstance(error, loaded.Error)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    if not lines:
        return type(error).__name__
    named = _is_duckdb(error) or type(error) is ValueError
    return (lines[0] if named else f"{type(error).__name__}: {lines[0]}").rstrip(".!")


def _where(error: BaseException) -> str:
    """The line of code that raised it, for a report."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
