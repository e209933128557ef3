"""What the server keeps of a session or a turn as a whole: rows of the index's tables, as compressed JSON.

`memtui_core.store.archive.table_content` says how rows are written.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from memtui_core.store.archive.table_content import tables_from_json, tables_to_json
from memtui_team.errors import TeamError

SESSION_TABLES: Final = ("sessions", "compactions", "pr_links", "forks", "reviews", "review_items")
"""The tables in the content of a session; `sessions` has one row."""
TURN_TABLES: Final = ("turns", "blocks", "file_mentions", "agent_calls", "chunks")
"""The tables in the content of a turn; `turns` has one row."""
MOST_BYTES: Final = 64_000_000
"""The size of a content that is not compressed; a larger one was not written by memtui."""

_LEVEL: Final = 6
"""Of zstd; higher levels take much longer and save less than a tenth."""
_BROKEN: Final = "What the server has of a session is broken: {}."


def encode(tables: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    """The rows of some tables, whose values are in the order of `COLUMNS`. Raises TeamError if they are too large."""
    return compress(as_json(tables))


def as_json(tables: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    """What `encode` compresses. Raises TeamError if it is too large."""
    data = orjson.dumps(tables_to_json(tables))
    if len(data) > MOST_BYTES:
        raise TeamError(f"It has {len(data) / 1e6:,.0f} MB of text; more than {MOST_BYTES / 1e6:,.0f} are not shared.")
    return data


def compress(data: bytes) -> bytes:
    """A content as the server keeps it."""
    from memtui_core.system.compression import zstd

    return zstd.compress(data, level=_LEVEL)


def decode(data: bytes) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of the tables that this version knows, with values in the order of `COLUMNS`.

    Raises TeamError for a content that is broken or larger than `MOST_BYTES`.
    """
    from memtui_core.system.compression import zstd

    try:
        most: dict[int, int] = {zstd.DecompressionParameter.window_log_max: MOST_BYTES.bit_length() - 1}
        with zstd.ZstdFile(io.BytesIO(data), options=most) as stream:
            text = stream.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise ValueError("it is too large")
        return tables_from_json(orjson.loads(text))
    except (zstd.ZstdError, EOFError, ValueError, TypeError, KeyError) as error:
        raise TeamError(_BROKEN.format(error)) from error
