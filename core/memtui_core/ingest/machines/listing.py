"""The files on another machine: paths in its home folder, with sizes and times by its clock."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from memtui_core.system.systems import NOT_IN_NAMES

END: Final = b"//\n"
"""Ends a record of a listing. No path that `find` prints has two slashes in a row, whatever else is in it."""
_BILLION: Final = 1_000_000_000


class ListedFile(NamedTuple):
    """A file on another machine."""

    path: str
    """Its path in the home folder, with slashes; bytes that are no UTF-8 as `os.fsdecode` has them."""
    size: int
    """In bytes."""
    mtime: int
    """In nanoseconds since 1970, by the clock of that machine."""


@dataclass(slots=True)
class Listing:
    """What there is in the locations of the agents on another machine."""

    files: list[ListedFile] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    """Locations that are links out of the home folder, which are not followed."""
    programs: frozenset[str] = frozenset()
    """Which of rsync, sqlite3 and python3 the machine has."""


def is_safe(path: str) -> bool:
    """Whether a path stays in the folder to which it is relative."""
    if not NOT_IN_NAMES.isdisjoint(path):
        return False
    return "\0" not in path and all(part not in ("", ".", "..") for part in path.split("/"))


def listing_of(records: Iterable[bytes]) -> Listing:
    """The listing in the output of the script in `scripts`; the records are without their ends.

    A record that is none is left out, and so is a path that would leave the home folder.
    """
    listing, programs = Listing(), set[str]()
    for record in records:
        kind, _, rest = record.partition(b" ")
        if kind == b"f":
            listing.files += _file(rest)
        elif kind == b"outside":
            listing.outside.append(_path(rest))
        elif kind == b"program":
            programs.add(os.fsdecode(rest))
    # Places may lie in one another.
    listing.files = sorted(set(listing.files))
    listing.programs = frozenset(programs)
    return listing


def _file(record: bytes) -> Sequence[ListedFile]:
    size, _, rest = record.partition(b" ")
    time, _, path = rest.partition(b" ")
    try:
        found = ListedFile(_path(path), int(size), nanoseconds(time.decode("ascii")))
    except ValueError:
        return ()
    return (found,) if is_safe(found.path) else ()


def nanoseconds(seconds: str) -> int:
    """Seconds with or without decimals as nanoseconds. Raises ValueError."""
    whole, _, decimals = seconds.replace(",", ".").partition(".")
    sign = -1 if whole.startswith("-") else 1
    return int(whole or "0") * _BILLION + sign * int((decimals + "000000000")[:9])


def _path(raw: bytes) -> str:
    """A path as `find` prints it, without the dots that stand for a folder itself."""
    return "/".join(part for part in os.fsdecode(raw).split("/") if part != ".")
