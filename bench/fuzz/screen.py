"""What turns, Markdown, tool calls and diffs look like, at every width, and what exports and hand-offs make of them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from random import Random
from typing import Final, get_args

from bench.agents.__main__ import names, samples_of
from bench.fuzz.mutation import TEXTS, encoded, mutated_text, mutated_value
from bench.fuzz.target import Target
from memtui.render.links import addresses
from memtui.render.locate import locate
from memtui.render.markdown.blocks import markdown_rows
from memtui.render.marks import mark, pattern
from memtui.render.options import THINKING_LEVELS, TOOLS_LEVELS, RenderOptions
from memtui.render.rows import Row, wrap
from memtui.render.tools.bodies import body, failure
from memtui.render.tools.calls import rendered_calls
from memtui.render.tools.diff import changes_between, diff_rows, from_patch, from_unified
from memtui.render.tools.headings import heading
from memtui.render.tools.runs import run_row
from memtui.render.turns.copying import turn_text
from memtui.render.turns.parts import parts
from memtui_core.export.contents import Contents
from memtui_core.export.formats import FORMATS
from memtui_core.ingest.turns.grouping import build
from memtui_core.memory.handoff.calls import handoff_calls
from memtui_core.memory.handoff.items import handoff_items
from memtui_core.model import Block, BlockKind, Session, Turn, TurnKind
from memtui_core.readers.base import START, Transcript
from memtui_core.readers.locations import Location, Scan
from memtui_core.readers.records import Message
from memtui_core.readers.registry import reader_of
from memtui_core.store.lexicon import matcher_of
from memtui_core.store.lexicon.fields import turn_document
from memtui_core.text.characters import storable
from memtui_core.tools.mentions import mentions_of
from memtui_core.tools.pairing import paired
from memtui_core.tools.summary import summarize

_AT: Final = datetime(2026, 11, 5, 9, 0, tzinfo=UTC)
_KINDS: Final[tuple[BlockKind, ...]] = get_args(BlockKind)
_TURNS: Final[tuple[TurnKind, ...]] = get_args(TurnKind)


def targets() -> list[Target]:
    """Turns as the screen draws them, and texts alone."""
    return [
        Target("render turns", lambda: _turns, 20),
        Target("render markdown", lambda: _markdown, 15),
        Target("render diffs", lambda: _diffs, 30),
        Target("tool calls", lambda: _calls, 25),
        Target("exports", lambda: _exports, 8),
    ]


@cache
def sample_blocks() -> list[Block]:
    """The blocks of the sample sessions of all agents, at most 400 of each."""
    found: list[Block] = []
    for name in names():
        own = (entry for entry in Scan().below(Location(name, samples_of(name))) if isinstance(entry, Transcript))
        found += islice((block for transcript in own for block in _blocks(transcript)), 400)
    return found


def _blocks(transcript: Transcript) -> list[Block]:
    reader = reader_of(transcript.agent)
    if reader is None:
        return []
    messages = [record for record in reader.read(transcript, START) if isinstance(record, Message)]
    return [block for turn in build(messages) for block in turn.blocks()]


@cache
def sample_texts() -> list[str]:
    """The texts of these blocks."""
    return [block.text for block in sample_blocks() if block.text][:4000]


def mutated_block(chance: Random, block: Block, seq: int) -> Block:
    """A block with another text, tool or detail."""
    text, detail = block.text, block.detail
    if block.kind == "tool_call" and chance.random() < 0.8:
        try:
            text = encoded(mutated_value(chance, json.loads(text)))
        except ValueError:
            text = mutated_text(chance, text)
    elif chance.random() < 0.6:
        text = mutated_text(chance, text)
    if chance.random() < 0.3:
        try:
            detail = encoded(mutated_value(chance, json.loads(detail or "{}")))
        except ValueError:
            detail = mutated_text(chance, detail or "")
    tool = block.tool
    if chance.random() < 0.1:
        # A database holds no half of a character.
        tool = chance.choice((None, "", *map(storable, TEXTS), "Bash", "Edit", "apply_patch", "TodoWrite", "Task"))
    tool_id = chance.choice((block.tool_id, block.tool_id, "a", None, ""))
    kind = chance.choice(_KINDS) if chance.random() < 0.03 else block.kind
    return replace(
        block, seq=seq, line=seq, kind=kind, text=text[:20_000], tool=tool, tool_id=tool_id, detail=detail,
        is_error=chance.random() < 0.2,
    )  # fmt: skip


def _mutated_blocks(chance: Random) -> list[Block]:
    blocks = sample_blocks()
    at = chance.randrange(len(blocks))
    return [mutated_block(chance, block, seq) for seq, block in enumerate(blocks[at : at + chance.randint(1, 12)])]


def _turn(chance: Random) -> Turn:
    blocks = _mutated_blocks(chance)
    return Turn(
        id=1, session=1, number=chance.randint(1, 10**6), line=0, end_line=len(blocks), kind=chance.choice(_TURNS),
        segment=0, user_text=mutated_text(chance, chance.choice(sample_texts())),
        tool_summary=tuple(block.tool or "" for block in blocks if block.kind == "tool_call"),
        started_at=chance.choice((None, _AT)), ended_at=chance.choice((None, _AT)),
        output_tokens=chance.choice((0, 2**40)), errors=0, blocks=tuple(blocks),
    )  # fmt: skip


def _turns(chance: Random) -> None:
    turn = _turn(chance)
    options = RenderOptions(
        "claude", chance.randint(1, 6), chance.choice(("", "/home/ana/code/shop-api")),
    chance.choice(TOOLS_LEVELS),
        chance.choice(THINKING_LEVELS),
    )  # fmt: skip
    flipped = [block.seq for block in turn.blocks or () if chance.random() < 0.3]
    width = chance.randint(1, 200)
    search = pattern([word for word in mutated_text(chance, "upload").split() if word])
    for part in parts(turn, turn.blocks, options, flipped, last=chance.random() < 0.5):
        part.estimate(width)
        rows = part.rows(width)
        part.wrapped(rows, width)
        if search is not None:
            mark(rows, search)
    turn_text(turn, turn.blocks, options)


def _markdown(chance: Random) -> None:
    text = mutated_text(chance, chance.choice(sample_texts()))
    if chance.random() < 0.2:
        text = "\n".join(chance.choice(TEXTS) for _ in range(chance.randint(1, 30)))
    width = chance.randint(1, 200)
    rows = markdown_rows(text, width)
    _wrapped(rows, width)
    locate(rows, mutated_text(chance, text)[:300], chance.random())
    addresses(text)
    matcher_of(mutated_text(chance, text[:30]).split()[:5], prefix=chance.random() < 0.5).spans(text)


def _diffs(chance: Random) -> None:
    old = chance.choice(sample_texts())[:3000]
    new = mutated_text(chance, old)
    kind = chance.randrange(3)
    if kind == 0:
        changes = changes_between(old, new)
    elif kind == 1:
        changes = from_unified(
            mutated_text(chance, "--- a\n+++ b\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+3\n three\n" + new)
        )
    else:
        hunk = {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": [" a", "-b", "+c"]}
        changes = from_patch(mutated_value(chance, [hunk, hunk]))
    _wrapped(diff_rows(changes, 1), chance.randint(1, 200))


def _calls(chance: Random) -> None:
    blocks, width = _mutated_blocks(chance), chance.randint(1, 200)
    root = chance.choice(("", "/home/ana/code/shop-api"))
    calls = list(rendered_calls(blocks, root).values())
    for call in calls:
        heading(call, width, chance.random() < 0.5)
        _wrapped(body(call, width, chance.random() < 0.5), width)
    if calls:
        _wrapped([run_row(calls, width, chance.random() < 0.5)], width)
        _wrapped(failure(calls[0], width), width)
    for one in paired(blocks):
        summarize(one.name, one.fields)
    mentions_of(blocks, mutated_text(chance, "Look at @src/upload.py"), cwd=root, root=root, possible=set())
    handoff_items(handoff_calls([(1, blocks)]), root, 500)
    turn_document((1, 1, 0, "human", "", ""), [(b.kind, b.text, b.tool) for b in blocks], []).analyzed()


def _exports(chance: Random) -> None:
    title, turn = mutated_text(chance, "Retry the upload"), _turn(chance)
    session = sample_session(title)
    made = chance.choice(FORMATS).document(session, [turn], Contents(tools=chance.random() < 0.8))
    made.encode("utf-8", "strict")


def sample_session(title: str) -> Session:
    """A session with a title."""
    return Session(
        1, "s", "claude-code", None, None, "shop", "/home/ana/code/shop", "/home/ana/code/shop", "main",
    "2.1.0", (), title,
        _AT, _AT, 9, 0, 0, 0,
    )  # fmt: skip


def _wrapped(rows: list[Row], width: int) -> None:
    wrap(rows, width, 0)
