"""Questions that are one name: of a file, or out of a tool call."""

from __future__ import annotations

from bench.quality.questions import Place, Question, spread
from bench.quality.texts import RARE, Texts, Words

_FEW = 2
"""Sessions that touched a file which is worth asking for: more make its name a poor question."""
_SHORTEST = 4


def files(texts: Texts, most: int) -> list[Question]:
    """Files asked for by their last component; the turns that edited one of that name answer."""
    sessions: dict[str, set[str]] = {}
    edits: dict[str, set[Place]] = {}
    for path, kind, session, line in texts.touches():
        name = path.rsplit("/", 1)[-1]
        sessions.setdefault(name.lower(), set()).add(session)
        if kind == "edited":
            edits.setdefault(name, set()).add((session, line))
    found = [
        Question("file", name, frozenset(places))
        for name, places in edits.items()
        if len(name) >= _SHORTEST and len(sessions[name.lower()]) <= _FEW
    ]
    return spread(found, _session, _text, most)


def identifiers(texts: Texts, words: Words, most: int) -> list[Question]:
    """Rare names and flags out of tool calls; the turns that hold one anywhere answer."""
    found = []
    for name, spelling in words.called.items():
        holders = words.holders.get(name, [])
        if 0 < len(holders) <= RARE:
            found.append(Question("identifier", spelling, frozenset(texts.places[turn] for turn in holders)))
    return spread(found, _session, _text, most)


def _session(question: Question) -> str:
    return min(question.answers)[0]


def _text(question: Question) -> str:
    return question.text
