"""The checksums of the vector files, by which a flipped byte in them is found: nothing else would notice one."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

from memtui_core.store.data_folder import DataDir
from memtui_core.system.atomic_files import write_atomically

_KEY_BYTES: Final = 12
"""Bytes of the hash and the factor of a vector."""
_PIECE: Final = 1 << 20
"""Bytes that are read at once."""


class Sums(NamedTuple):
    """The CRC-32 of the first vectors of a generation."""

    size: int
    """The number of vectors that count."""
    codes: int
    keys: int


NOTHING: Final = Sums(0, 0, 0)


def read(data: DataDir, number: int) -> Sums | None:
    """The checksums of a generation; None if there are none, as an earlier version wrote none."""
    with suppress(OSError, ValueError, TypeError):
        return Sums(*map(int, json.loads(data.vector_sums(number).read_bytes())))
    return None


def write(data: DataDir, number: int, sums: Sums) -> None:
    """Store the checksums of a generation. Raises OSError."""
    write_atomically(data.vector_sums(number), json.dumps(sums).encode())


def extended(data: DataDir, number: int, dimension: int, sums: Sums | None, count: int) -> Sums:
    """The checksums of the first `count` vectors, given those of fewer.

    Raises OSError, and EOFError for files that are too short.
    """
    before = sums if sums is not None and sums.size <= count else NOTHING
    return Sums(
        count,
        _crc(data.vectors(number), before.codes, before.size * dimension, count * dimension),
        _crc(data.vector_keys(number), before.keys, before.size * _KEY_BYTES, count * _KEY_BYTES),
    )


def _crc(path: Path, value: int, first: int, last: int) -> int:
    with path.open("rb") as file:
        file.seek(first)
        while first < last:
            piece = file.read(min(_PIECE, last - first))
            if not piece:
                raise EOFError(f"{path.name} has {first} bytes of {last}")
            value, first = crc32(piece, value), first + len(piece)
    return value
