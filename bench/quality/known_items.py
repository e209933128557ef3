"""Questions made from an index without any model, the same ones each time: see names, calls and prose."""

from __future__ import annotations

from pathlib import Path

from bench.quality import calls, names, prose
from bench.quality.questions import Question, hand_written
from bench.quality.texts import Texts


def make(data_dir: Path, most: int = 60) -> list[Question]:
    """At most `most` questions of each kind that is made, and those written by hand whose turns are in the index."""
    texts = Texts(data_dir)
    words = texts.words()
    return [
        *names.files(texts, most),
        *names.paths(texts, most),
        *names.identifiers(texts, words, most),
        *calls.commits(texts, most),
        *calls.errors(texts, most),
        *prose.paraphrases(texts, words, most),
        *prose.compactions(texts, words, most),
        *hand_written(set(texts.places.values())),
    ]


def agents(data_dir: Path) -> dict[str, str]:
    """The agent of each session by its id."""
    return Texts(data_dir).agents
