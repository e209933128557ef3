"""The schema of the lexicon: one document for each turn, with a field for each kind of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from tantivy import Document, Index, Schema, SchemaBuilder

from memtui_core.store.lexicon.tokens import Analysis, analyze, clean, spaced_analyzer, words_analyzer

_VERSION = 4
"""Incremented when the document of a turn changes; it is part of the schema as part of the tokenizers' names."""
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
    "asides": 0.5,
}
"""The text fields with the weight of a match. The user's text counts no more than the answer."""
ASIDES: Final = "asides"
"""The field with notes that only the model got, which is searched only if it is named."""
SEARCHED: Final = tuple(name for name in WEIGHTS if name != ASIDES)
"""The text fields of a search that names none."""
LABELS: Mapping[str, str] = {
    "call": "tool call",
    "output": "tool output",
    "notes": "note",
    "asides": "note",
    "paths": "path",
}
"""The names of fields for display, if they are not the field's own."""
SUMMARY: Final = "summary"
"""Marks the document of a compaction summary, whose text is in the field `user`."""


@dataclass(frozen=True, slots=True)
class TurnDoc:
    """The texts of a turn that the indexer adds to the lexicon."""

    turn: int
    session: int
    at: int
    """Start of the turn in seconds since 1970; 0 if it is not known."""
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
    asides: str = ""
    piece: int = 0
    """A turn that is still being written may be added in pieces; 0 is its beginning, or all of it."""
    is_summary: bool = False
    """Whether `user` is a compaction summary."""

    analysis: Analysis | None = None
    """The analysis of all texts, if it was made before; then the texts are clean, too."""

    def texts(self) -> dict[str, str]:
        """The texts by field as `tokens.clean` returns them, without empty ones."""
        texts = {name: text for name in WEIGHTS if (text := getattr(self, name))}
        return texts if self.analysis is not None else {name: clean(text) for name, text in texts.items()}

    def analyzed(self) -> TurnDoc:
        """The document with its analysis, which takes longer than everything else that is done for it."""
        changed: dict[str, Any] = self.texts()
        return replace(self, **changed, analysis=_analysis(changed))

    @property
    def size(self) -> int:
        """Characters of all its texts."""
        return sum(len(getattr(self, name)) for name in WEIGHTS)


def build_schema() -> Schema:
    """The fields. `parts` has parts of names and names with symbols, `cjk` has pairs of characters.

    No text is stored: the database has it.
    """
    builder = SchemaBuilder()
    builder.add_unsigned_field("turn", indexed=True, fast=True)
    builder.add_unsigned_field("session", indexed=True, fast=True)
    builder.add_integer_field("at", fast=True)
    for name in WEIGHTS:
        builder.add_text_field(name, tokenizer_name=_WORDS)
    builder.add_text_field("parts", tokenizer_name=_SPACED, index_option="basic")
    builder.add_text_field("cjk", tokenizer_name=_SPACED)
    builder.add_text_field("marker", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("batch", stored=True)
    return builder.build()


SCHEMA = build_schema()


def register(index: Index) -> None:
    """Register the tokenizers with an open index; they are not stored in its files."""
    index.register_tokenizer(_WORDS, words_analyzer())
    index.register_tokenizer(_SPACED, spaced_analyzer())


@contextmanager
def no_panic() -> Iterator[None]:
    """Raise ValueError for a panic of tantivy, which damaged files can cause and `except Exception` does not catch."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise ValueError(str(error)) from error
        raise


def make_document(turn: TurnDoc) -> Document:
    """The document of a turn."""
    document = Document()
    document.add_unsigned("turn", turn.turn)
    document.add_unsigned("session", turn.session)
    document.add_integer("at", turn.at)
    if turn.piece:
        document.add_text("marker", piece_marker(turn.turn, turn.piece))
    if turn.is_summary:
        document.add_text("marker", SUMMARY)
    texts = turn.texts()
    for name, text in texts.items():
        document.add_text(name, text)
    analysis = turn.analysis or _analysis(texts)
    for part in analysis.parts:
        document.add_text("parts", part)
    if analysis.pairs:
        document.add_text("cjk", analysis.pairs)
    return document


def _analysis(texts: Mapping[str, str]) -> Analysis:
    """The analysis of the texts that every search looks at: its terms do not tell the field."""
    return analyze(text for name, text in texts.items() if name != ASIDES)


def piece_marker(turn: int, piece: int) -> str:
    """The marker of a piece of a turn; the beginning of a turn has none."""
    return f"{turn}/{piece}"


def make_batch_document(batch: int) -> Document:
    """The document with the number of the last batch: a commit of tantivy cannot carry data."""
    document = Document()
    document.add_text("marker", "batch")
    document.add_unsigned("batch", batch)
    return document
