"""The shape of the keyword index: one document a turn, a field for each kind of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from tantivy import Document, Index, Schema, SchemaBuilder

from memtui_core.lexicon.identifiers import beside_cjk, part_tokens
from memtui_core.lexicon.tokens import CJK, bigrams, clean, spaced_analyzer, words_analyzer

_VERSION = 2
"""Counts up whenever the same turn gives another document; the names of the tokenizers carry it into the schema."""
_WORDS = f"memtui_words_{_VERSION}"
_SPACED = f"memtui_spaced_{_VERSION}"

WEIGHTS: Mapping[str, float] = {
    "user": 1.0,
    "assistant": 1.0,
    "title": 1.0,
    "call": 0.7,
    "paths": 0.7,
    "thinking": 0.6,
    "notes": 0.5,
    "output": 0.4,
}
"""The text fields and what a match in each counts. The person's text counts no more than the answer's."""
LABELS: Mapping[str, str] = {"call": "tool call", "output": "tool output", "notes": "note", "paths": "path"}
"""How a field is called where it is not called by its own name."""
SUMMARY: Final = "summary"
"""Marks the document of a compaction summary, whose text is in the field of a person's."""


@dataclass(frozen=True, slots=True)
class TurnDoc:
    """A turn as the indexer hands it over."""

    turn: int
    session: int
    at: int
    """Seconds since 1970, 0 when unknown."""
    user: str
    assistant: str
    thinking: str
    call: str
    """The inputs of the tool calls as readable text."""
    output: str
    """The tool results."""
    title: str
    paths: str
    notes: str = ""
    piece: int = 0
    """A turn that is not complete may come in pieces; 0 is its beginning, or all of it."""
    is_summary: bool = False
    """Whether `user` is a compaction summary."""

    @property
    def size(self) -> int:
        """Characters of all its texts."""
        return sum(len(getattr(self, name)) for name in WEIGHTS)


def build_schema() -> Schema:
    """The fields. `parts` holds parts of names and names with signs in them, `cjk` pairs of characters."""
    builder = SchemaBuilder()
    builder.add_unsigned_field("turn", stored=True, indexed=True, fast=True)
    builder.add_unsigned_field("session", indexed=True, fast=True)
    builder.add_integer_field("at", fast=True)
    for name in WEIGHTS:
        builder.add_text_field(name, stored=True, tokenizer_name=_WORDS)
    builder.add_text_field("parts", tokenizer_name=_SPACED, index_option="basic")
    builder.add_text_field("cjk", tokenizer_name=_SPACED)
    builder.add_text_field("marker", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("batch", stored=True)
    return builder.build()


SCHEMA = build_schema()


def register(index: Index) -> None:
    """Give an open index our tokenizers: they are not kept in its files."""
    index.register_tokenizer(_WORDS, words_analyzer())
    index.register_tokenizer(_SPACED, spaced_analyzer())


@contextmanager
def no_panic() -> Iterator[None]:
    """Turn a panic of tantivy, which a damaged file can cause and `except Exception` misses, into a ValueError."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise ValueError(str(error)) from error
        raise


def document(turn: TurnDoc) -> Document:
    """The document of a turn."""
    made = Document()
    made.add_unsigned("turn", turn.turn)
    made.add_unsigned("session", turn.session)
    made.add_integer("at", turn.at)
    if turn.piece:
        made.add_text("marker", piece_mark(turn.turn, turn.piece))
    if turn.is_summary:
        made.add_text("marker", SUMMARY)
    texts = {name: clean(text) for name in WEIGHTS if (text := getattr(turn, name))}
    for name, text in texts.items():
        made.add_text(name, text)
    pairs: list[str] = []
    joined: set[str] = set()
    for text in texts.values():
        if not text.isascii() and (runs := CJK.findall(text)):
            pairs += [pair for run in runs for pair in bigrams(run)]
            joined.update(beside_cjk(text))
    if parts := part_tokens(texts.values()):
        made.add_text("parts", parts)
    if joined:
        made.add_text("parts", " ".join(sorted(joined)))
    if pairs:
        made.add_text("cjk", " ".join(pairs))
    return made


def piece_mark(turn: int, piece: int) -> str:
    """What a piece of a turn is known by; its beginning is known by the turn alone."""
    return f"{turn}/{piece}"


def marker(batch: int) -> Document:
    """The document that holds the number of the last batch: a commit of tantivy carries no data of its own."""
    made = Document()
    made.add_text("marker", "batch")
    made.add_unsigned("batch", batch)
    return made
