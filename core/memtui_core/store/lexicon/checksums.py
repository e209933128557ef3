"""The checksums of the lexicon: tantivy writes one at the end of each file, and compares none when it opens them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final
from zlib import crc32

_MAGIC: Final = 1337
"""The last four bytes of a file of tantivy, after the length of its footer: `footer.rs` of tantivy."""
_END: Final = 8
_PIECE: Final = 1 << 20
"""Bytes that are read at once."""


def damaged_files(folder: Path) -> list[tuple[Path, str]]:
    """The files of a lexicon that are not as they were written, with the reason. Raises OSError."""
    if not folder.is_dir():
        return []
    meta = folder / "meta.json"
    try:
        segments = [segment["segment_id"].replace("-", "") for segment in json.loads(meta.read_bytes())["segments"]]
    except FileNotFoundError:
        return []
    except (ValueError, KeyError, TypeError, AttributeError):
        return [(meta, "it is not what tantivy writes")]
    found = []
    for segment in segments:
        files = sorted(folder.glob(f"{segment}.*"))
        if not files:
            found.append((folder / segment, "a segment is missing"))
        found += [(path, "its checksum is another") for path in files if not _is_whole(path)]
    return found


def _is_whole(path: Path) -> bool:
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _END))
        end = file.read()
        length, magic = int.from_bytes(end[:4], "little"), int.from_bytes(end[4:], "little")
        body = size - _END - length
        if magic != _MAGIC or body < 0:
            return False
        file.seek(body)
        try:
            checksum = json.loads(file.read(length))["crc"]
        except (ValueError, KeyError, TypeError):
            return False
        file.seek(0)
        value = 0
        while body and (piece := file.read(min(_PIECE, body))):
            value, body = crc32(piece, value), body - len(piece)
    return bool(value == checksum)
