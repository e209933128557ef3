"""The fields of the lexicon: the document of a turn, and which texts of its blocks are searched."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import orjson
from tantivy import Document, Index, Query, Schema, SchemaBuilder, Searcher

from memtui_core.model import Source
from memtui_core.store.lexicon.tokens import Analysis, analyze, clean, spaced_analyzer, words_analyzer
from memtui_core.text.line_numbers import without_numbers

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


class TurnDoc(NamedTuple):
    """The texts of a turn that the indexer adds to the lexicon. A first reading makes hundreds of thousands."""

    turn: int
    session: int
    at: int
    """Start of the turn in seconds since 1970; 0 if it is not known."""
    texts: Mapping[str, str]
    """By the names in `WEIGHTS`, as `tokens.clean` returns them, without empty ones. `call` has the inputs of the tool
    calls as readable text, `output` the tool results."""
    piece: int = 0
    """A turn that is still being written may be added in pieces; 0 is its beginning, or all of it."""
    is_summary: bool = False
    """Whether the text of `user` is a compaction summary."""
    analysis: Analysis | None = None
    """The analysis of the texts, if it was made before."""

    def analyzed(self) -> TurnDoc:
        """The document with its analysis, which takes longer than everything else that is done for it."""
        return self._replace(analysis=_analysis(self.texts))

    def with_texts(self, **texts: str) -> TurnDoc:
        """The document with other texts in some fields; an empty text removes the field."""
        changed = {**self.texts, **{name: clean(text) for name, text in texts.items()}}
        return self._replace(texts={name: text for name, text in changed.items() if text}, analysis=None)

    @property
    def size(self) -> int:
        """Characters of all its texts."""
        return sum(map(len, self.texts.values()))


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
    for name, text in turn.texts.items():
        document.add_text(name, text)
    analysis = turn.analysis or _analysis(turn.texts)
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


def make_batch_document(batch: int, complete: int | None = None) -> Document:
    """The document with the number of the last batch: a commit of tantivy cannot carry data.

    Of a batch of which only a part is committed it also has the number of the last `complete` one.
    """
    document = Document()
    document.add_text("marker", "batch")
    for number in (batch, complete):
        if number is not None:
            document.add_unsigned("batch", number)
    return document


def read_batch(searcher: Searcher) -> int:
    """The number of the last batch of which something is committed; 0 if there is none."""
    return read_batches(searcher)[0]


def read_batches(searcher: Searcher) -> tuple[int, int]:
    """The same, and the number of the last complete batch."""
    hits = searcher.search(Query.term_query(SCHEMA, "marker", "batch"), 1).hits
    if not hits:
        return 0, 0
    numbers = searcher.doc(hits[0][1])["batch"]
    return int(numbers[0]), int(numbers[-1])


_SOURCES: dict[str, Source] = {
    "user": "user",
    "text": "assistant",
    "thinking": "thinking",
    "tool_call": "tool call",
    "tool_result": "tool output",
    "note": "note",
}
_FIELDS: dict[str, tuple[str, str]] = {
    "text": ("assistant", "\n\n"),
    "thinking": ("thinking", "\n\n"),
    "tool_call": ("call", "\n"),
    "tool_result": ("output", "\n"),
    "note": ("notes", "\n"),
}
"""The field for each kind of block, and what separates two of its blocks; a user's text is in its turn."""
ASIDE_TOOLS = frozenset({"meta", "reminder"})
"""Notes that the agent's program wrote for the model; many are the same in every session."""


def source_of(kind: str, tool: str | None) -> Source | None:
    """The source of a block's text; None if it is not searched."""
    return "aside" if kind == "note" and tool in ASIDE_TOOLS else _SOURCES.get(kind)


def searched_text(kind: str, tool: str | None, text: str) -> str:
    """The searched text of a block: of a tool call its tool and the values of its input, otherwise the block's text.

    Each accented letter is one character, as in `tokens.clean`.
    """
    return clean(f"{tool or ''} {input_values(text)}" if kind == "tool_call" else text)


def kinds_in(fields: Collection[str]) -> list[str]:
    """The kinds of blocks whose text is in some fields of the lexicon."""
    return [kind for kind, (field, _) in _FIELDS.items() if field in fields or (kind == "note" and ASIDES in fields)]


def field_texts(blocks: Iterable[tuple[str, str | None, str]]) -> dict[str, str]:
    """The text of each field of the lexicon, empty if there is none, from the blocks of a turn: (kind, tool, text)."""
    texts: dict[str, list[str]] = {field: [] for field in (*(field for field, _ in _FIELDS.values()), ASIDES)}
    for kind, tool, text in blocks:
        if kind in _FIELDS:
            field = ASIDES if source_of(kind, tool) == "aside" else _FIELDS[kind][0]
            texts[field].append(searched_text(kind, tool, text))
    separators = dict(_FIELDS.values())
    return {field: separators.get(field, "\n").join(own) for field, own in texts.items()}


def shown_text(source: Source, text: str) -> str:
    """A part of a searched text for display, without the line numbers of a file."""
    return without_numbers(text) if source == "tool output" else text


def input_values(arguments: str) -> str:
    """The values of a tool call's input, one per line; the input itself if it is not JSON."""
    try:
        value = orjson.loads(arguments)
    except ValueError:
        return arguments
    return "\n".join(_leaves(value))


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, str):
        yield value
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def turn_document(turn_row: Sequence[Any], blocks: Iterable[Sequence[Any]], paths: Iterable[str]) -> TurnDoc:
    """The document of a turn.

    `turn_row`: id, key of the session, start in seconds since 1970, kind, user text, title of the session for its first
    turn. `blocks`: kind, text and tool of each block in order. `paths`: the mentioned paths in order.
    """
    turn, session, at, kind, user_text, title = turn_row
    texts = {"user": clean(user_text or "")}
    texts |= field_texts((block[0], block[2], block[1]) for block in blocks)
    texts |= {"title": clean(title), "paths": clean(" ".join(paths))}
    texts = {name: text for name, text in texts.items() if text}
    return TurnDoc(turn, session, at, texts, is_summary=kind == "compaction")
