"""Questions that are one name: of a file, or out of a tool call."""

from __future__ import annotations

import random
from pathlib import PurePosixPath

from bench.quality.questions import Place, Question
from bench.quality.texts import RARE, Texts, Words

FEW = 2
"""Sessions that may share what is asked for: more make it a poor question."""
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
        if len(name) >= _SHORTEST and len(sessions[name.lower()]) <= FEW
    ]
    return texts.choose(found, most)


def paths(texts: Texts, most: int) -> list[Question]:
    """Edited files of a project asked for by their path; the turns that edited one of that path answer.

    Half of the paths are whole; from the others the extension is missing, or one of several folders.
    """
    sessions: dict[str, set[str]] = {}
    edits: dict[str, set[Place]] = {}
    for path, kind, session, line in texts.touches():
        if "/" in path and not PurePosixPath(path).is_absolute():
            sessions.setdefault(path, set()).add(session)
            if kind == "edited":
                edits.setdefault(path, set()).add((session, line))
    asked: dict[str, set[Place]] = {}
    for path, places in edits.items():
        if len(sessions[path]) <= FEW:
            asked.setdefault(_remembered(path), set()).update(places)
    # What was left out may have told it from another file.
    for path, places in edits.items():
        for text in {path, str(PurePosixPath(path).with_suffix(""))} & asked.keys():
            asked[text] |= places
    return texts.choose((Question("path", text, frozenset(held)) for text, held in asked.items()), most)


def identifiers(texts: Texts, words: Words, most: int) -> list[Question]:
    """Rare names and flags out of tool calls; the turns that hold one anywhere answer."""
    found = []
    for name, spelling in words.called.items():
        holders = words.holders.get(name, [])
        if 0 < len(holders) <= RARE:
            found.append(Question("identifier", spelling, frozenset(texts.places[turn] for turn in holders)))
    return texts.choose(found, most)


def _remembered(path: str) -> str:
    """A path as it is asked for: whole, without its extension, or without one of its folders."""
    chance = random.Random(path)
    if chance.random() < 0.5:
        return path
    *folders, name = path.split("/")
    if len(folders) > 1 and chance.random() < 0.5:
        del folders[chance.randrange(len(folders))]
        return "/".join([*folders, name])
    return str(PurePosixPath(path).with_suffix(""))
