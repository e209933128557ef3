"""Questions whose answer is known, and the ones written by hand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, TypeVar

Place = tuple[str, int]
"""A turn: the id of its session, and the 0-based line where it begins."""

MADE = ("file", "path", "identifier", "commit", "tool error", "paraphrase", "compaction")
"""Kinds of questions that are made from an index."""
KINDS = (*MADE, "other words", "vague")
HAND_WRITTEN = tuple(Path(__file__).with_name(f"{name}.jsonl") for name in ("questions", "samples"))
"""Questions about real sessions, which are not part of this repository, and about the sample sessions, which are."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Question:
    """What is typed, and the turns that answer it; any of them counts."""

    kind: str
    """One of KINDS."""
    text: str
    answers: frozenset[Place]
    aside: frozenset[Place] = frozenset()
    """Turns that are neither right nor wrong, as if they were not in the index: where the question was taken from."""

    @property
    def session(self) -> str:
        """The id of the session it is about."""
        return min(self.answers)[0]

    @property
    def half(self) -> str:
        """`tune` or `report`, by the session of the answer, so that no session speaks for both."""
        return half_of(self.session)


def half_of(session_id: str) -> str:
    """The half that a session belongs to, the same on every machine."""
    return ("tune", "report")[hashed(session_id)[0] % 2]


def hashed(text: str) -> bytes:
    """What to sort by for an order that has nothing to do with the texts and is the same on every machine."""
    return hashlib.sha256(text.encode()).digest()


def spread(
    items: Iterable[_T],
    session: Callable[[_T], str],
    name: Callable[[_T], str],
    most: int,
    order: Callable[[str], Any] = hashed,
) -> list[_T]:
    """At most `most` of the items, one of each session in turn, so that a long session is not asked about alone.

    `session` and `name` say where an item is from and what tells it from the others; the order is by hashes of them,
    or that of the sessions by `order`.
    """
    by_session: dict[str, list[_T]] = {}
    for item in sorted(items, key=lambda item: hashed(name(item))):
        by_session.setdefault(session(item), []).append(item)
    columns = [by_session[key] for key in sorted(by_session, key=order)]
    mixed = chain.from_iterable(zip_longest(*columns))
    return [item for item in mixed if item is not None][:most]


def hand_written(known: AbstractSet[Place], paths: Iterable[Path] = HAND_WRITTEN) -> list[Question]:
    """The questions of some files of JSON lines whose turns are in the index.

    Each line has `question`, `session`, `lines` (where the turns that answer begin) and `vague`.
    """
    found = []
    for line in chain.from_iterable(path.read_text(encoding="utf-8").splitlines() for path in paths):
        entry = json.loads(line)
        answers = {(entry["session"], number) for number in entry["lines"]}
        if answers <= known:
            kind = "vague" if entry["vague"] else "other words"
            found.append(Question(kind, entry["question"], frozenset(answers)))
    return found
