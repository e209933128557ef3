"""Content blocks that are no tool calls, and what a tool call is."""

from __future__ import annotations

import base64
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any, Protocol

from .ids import Ids
from .repo import Repo

Json = dict[str, Any]


@dataclass(frozen=True)
class Think:
    """The agent's thinking; newer versions often keep only the signature."""

    text: str = ""


@dataclass(frozen=True)
class Block:
    """A content block of any other kind, as it stands in the file."""

    value: Json


@dataclass
class Stage:
    """Where a tool call is played: the files, the ids, and what the version of the agent writes."""

    repo: Repo
    ids: Ids
    version: tuple[int, ...]
    todos: list[Json] = field(default_factory=list)
    """The to-do list as it stands."""

    @property
    def newer(self) -> bool:
        """True for the key order and texts of 2.1.199 and later."""
        return self.version >= (2, 1, 199)


@dataclass(frozen=True)
class Outcome:
    """What a tool call came to."""

    content: str | list[Json]
    """`content` of the tool_result block."""
    result: object
    """`toolUseResult` of the entry."""
    error: bool | None = None
    """`is_error`; None where the tool writes no such key."""
    extra: Json | None = None
    """More keys of the entry, as `toolDenialKind`."""


def failed(text: str) -> Outcome:
    """Return the outcome of a call that went wrong."""
    return Outcome(text, f"Error: {text}", True)


class Call(Protocol):
    """A tool call with the answer that it gets."""

    @property
    def name(self) -> str:
        """The tool's name."""

    def input(self, stage: Stage) -> Json:
        """Return the tool's input."""

    def play(self, stage: Stage) -> Outcome:
        """Do it to the files and return the outcome."""


def png(width: int, height: int, rgb: tuple[int, int, int]) -> str:
    """Return a valid PNG of one colour in base64."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(rgb) * width) * height
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    # Stored, not compressed: every zlib gives the same bytes.
    return base64.b64encode(
        b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")
    ).decode()


def image(width: int, height: int, rgb: tuple[int, int, int]) -> Json:
    """Return an image block."""
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png(width, height, rgb)}}


def document(text: str) -> Json:
    """Return a document block with a one-page PDF that says `text`."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
    body = (
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>"
        "endobj\n"
        f"4 0 obj<</Length {len(stream)}>>stream\n{stream}\nendstream endobj\n"
        "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
    )
    data = base64.b64encode(body.encode()).decode()
    return {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": data}}
