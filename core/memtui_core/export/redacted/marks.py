"""Marks behind replaced texts, which no reader sees: they tell how many of them stand in a document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from memtui_core.export.redacted.spans import PrivateKind, PrivateSpan
from memtui_core.model import Session, Turn
from memtui_core.text.redaction import MARK

_KINDS: Final[tuple[PrivateKind, ...]] = ("word", "e-mail", "name", "home", "user", "host", "path")
"""The kinds that are marked, each by a character of its own; a secret has a replacement that nothing else has."""
_FIRST: Final = 0x10FE00
"""In an area of Unicode that is for private use, and that no font uses."""
_CHARACTERS: Final = re.compile(f"[{chr(_FIRST)}-{chr(_FIRST + len(_KINDS) - 1)}]")
_ESCAPED: Final = re.compile(r"%F4%8F%B8%8[0-6]|\\udbff\\ude0[0-6]", re.IGNORECASE)
"""The same in a URL and in JSON."""


def marked(spans: Sequence[PrivateSpan]) -> list[PrivateSpan]:
    """The spans with a mark behind what takes their place."""
    return [
        span._replace(replacement=span.replacement + chr(_FIRST + _KINDS.index(span.kind)))
        if span.kind in _KINDS
        else span
        for span in spans
    ]


def without_marks(text: str) -> str:
    """A text without marks."""
    return _CHARACTERS.sub("", text) if not text.isascii() else text


def counted(document: str) -> tuple[str, list[tuple[PrivateKind, int]]]:
    """A document without marks, and how many texts of each kind were replaced in it, the most first."""
    found = Counter(_KINDS[ord(mark) - _FIRST] for mark in _CHARACTERS.findall(document))
    if secrets := document.replace("\\[", "[").count(MARK):
        found["secret"] = secrets
    return _ESCAPED.sub("", without_marks(document)), found.most_common()


def session_without_marks(session: Session) -> Session:
    """A session whose texts have no marks."""
    names = ("title", "project", "root", "cwd", "branch", "worktree", "machine", "agent")
    changed: dict[str, Any] = {name: without_marks(getattr(session, name) or "") for name in names}
    return replace(session, **changed, models=tuple(map(without_marks, session.models)))


def turn_without_marks(turn: Turn) -> Turn:
    """A turn whose texts have no marks."""
    blocks = tuple(
        replace(
            block,
            text=without_marks(block.text),
            detail=block.detail and without_marks(block.detail),
            tool=block.tool and without_marks(block.tool),
        )
        for block in turn.blocks
    )
    summary = tuple(map(without_marks, turn.tool_summary))
    return replace(turn, user_text=without_marks(turn.user_text), tool_summary=summary, blocks=blocks)
