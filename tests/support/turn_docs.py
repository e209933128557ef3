"""Small keyword indexes for tests."""

from __future__ import annotations

from pathlib import Path

from memtui_core.search.query_parser import parse
from memtui_core.store.lexicon import Lexicon, LexiconWriter, TurnDoc
from memtui_core.store.lexicon.fields import WEIGHTS


def doc(turn: int, user: str = "", session: int = 1, at: int = 0, *, piece: int = 0, **others: str) -> TurnDoc:
    """A turn with some text; all fields that are not given are empty."""
    return TurnDoc(turn, session, at, {}, piece=piece).with_texts(user=user, **others)


def index(folder: Path, *docs: TurnDoc, batch: int = 1) -> Lexicon:
    """Commit some turns to a folder and read it."""
    writer = LexiconWriter(folder)
    for one in docs:
        writer.put(one)
    writer.commit(batch)
    writer.close()
    return Lexicon(folder)


def turns(lexicon: Lexicon, query: str, limit: int = 10, *, live: bool = False) -> list[int]:
    """The ids of the turns found, in order."""
    return [hit.turn for hit in lexicon.search(parse(query), limit, live=live)]


def texts_of(turn: TurnDoc) -> dict[str, str]:
    """The texts of a turn by the name of their field."""
    return dict.fromkeys(WEIGHTS, "") | dict(turn.texts)
