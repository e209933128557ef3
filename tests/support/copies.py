"""Sessions of which redacted copies are made, as values: what an index stores has no secrets any more."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from memtui_core.export.redacted.copy import CopyOptions, RedactedCopy, redacted_copy
from memtui_core.export.redacted.own_names import OwnNames
from memtui_core.model import Block, Session, Turn

HOME = "/home/anabel"
ROOT = f"{HOME}/code/shop"
AT = datetime(2026, 11, 20, 14, 2, tzinfo=UTC)
OWN = OwnNames(HOME, "anabel", "thinkbox", "Anabel Ruiz")
TOKEN = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"
"""A secret as GitHub makes them, put together so that no scanner takes the repository for leaking one."""


def block(kind: str, text: str, **fields: object) -> Block:
    """A block; its number is given by `session_of`."""
    return Block(0, 0, kind, text, **fields)  # type: ignore[arg-type]


def session_of(*turns: list[Block], **fields: str) -> tuple[Session, list[Turn]]:
    """A session with turns of these blocks; the prompt of a turn is its first block of the user."""
    session = Session(
        1, "s1", "claude-code", None, None, "shop", ROOT, ROOT, "main", None, (), "Hi", AT, AT, len(turns), 0, 0, 0
    )
    made = []
    for number, blocks in enumerate(turns, 1):
        numbered = tuple(replace(one, seq=seq) for seq, one in enumerate(blocks))
        prompt = next((one.text for one in numbered if one.kind == "user"), "")
        made.append(Turn(number, 1, number, 0, 9, "human", 0, prompt, (), AT, AT, blocks=numbered))
    return replace(session, **fields), made  # type: ignore[arg-type]


def copy_of(*turns: list[Block], options: CopyOptions | None = None, **fields: str) -> RedactedCopy:
    """The redacted copy of such a session."""
    return redacted_copy(*session_of(*turns, **fields), options or CopyOptions(), OWN)
