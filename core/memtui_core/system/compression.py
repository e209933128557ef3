"""Zstandard, as Python 3.14 has it; before, the package `backports.zstd` is the same module."""

from __future__ import annotations

import io
import sys
from contextlib import suppress

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["decompressed", "zstd"]


def decompressed(content: bytes, most: int) -> bytes:
    """At most so many bytes of a compressed content; of one without its end, what there is. Raises ZstdError."""
    parts = bytearray()
    with zstd.ZstdFile(io.BytesIO(content)) as stream, suppress(EOFError):
        while len(parts) < most and (part := stream.read1(most - len(parts))):
            parts += part
    return bytes(parts)
