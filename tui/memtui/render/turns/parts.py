"""The parts of a turn in the order of the transcript: heads, prompts, texts, thinking, tool calls, notes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache

from memtui.render.clean import more, plain_rows
from memtui.render.markdown.blocks import markdown_rows, pieces
from memtui.render.options import RenderOptions
from memtui.render.rows import GAP, UNWRAPPED, Row, prefixed, row
from memtui.render.tools.calls import RenderedCall, rendered_calls
from memtui.render.tools.parts import call_part, is_unfolded, run_part
from memtui.render.tools.runs import run_fold, runs
from memtui.render.turns import heads
from memtui.render.turns.added import added_rows
from memtui.render.turns.notes import ASIDE, note_rows
from memtui.render.turns.part import PROSE, Part
from memtui.render.turns.prompts import prompt_rows, typed
from memtui.system import clock
from memtui.wording.formatting import plural
from memtui_core.model import Block, Turn, TurnState, turn_state

_CALLS = frozenset({"tool_call", "tool_result"})
_AGENT_BLOCKS = _CALLS | {"text", "thinking"}
_CHUNK = 8000
"""Characters from which on a prompt is laid out in several parts."""
_NESTED = 2
"""Cells by which the calls of a run are indented below its line."""
SUMMARY_LINES = 12
"""Lines of a folded compaction summary."""


def parts(
    turn: Turn,
    blocks: Sequence[Block] | None,
    options: RenderOptions,
    flipped: Collection[int] = (),
    new_day: bool = False,
    last: bool = False,
) -> list[Part]:
    """Return the parts of a turn; without `blocks` only its heads and its prompt.

    `flipped` contains the `seq` of blocks that are unfolded although the options fold them, or the other way round.
    `new_day` shows the date in the head. A blank line ends every turn except the `last` one.
    """
    builder = _PartBuilder(turn, options, frozenset(flipped), new_day)
    result = builder.build_heads() if blocks is None else builder.build(blocks)
    if not last:
        seq = result[-1].seq
        result.append(Part(seq, result[-1].index + 1, lambda _: [Row((), GAP)]))
    return result


class _PartBuilder:
    """Collects the parts of one turn."""

    def __init__(self, turn: Turn, options: RenderOptions, flipped: frozenset[int], new_day: bool) -> None:
        self.turn = turn
        self.options = options
        self.flipped = flipped
        self.new_day = new_day
        self.parts: list[Part] = []
        self.state: TurnState | None = None
        """How far the turn has come; known with its blocks."""
        self.has_agent_head = turn.kind == "opening"
        self.first = -1
        """`seq` of the agent's first block, hidden or not: the position of its head at every fold level."""
        self.previous = "head"
        """Kind of the previous part: head, prompt, text, thinking, call, tools or note."""
        self.calls: list[RenderedCall] = []
        """The tool calls since the last other block."""

    def build_heads(self) -> list[Part]:
        """The parts before the blocks are loaded, with an estimated height of the rest."""
        turn = self.turn
        self._user_head()
        if turn.user_text:
            self._prompt(turn.user_text, -1, -1)
        if turn.tool_summary or turn.output_tokens or self.has_agent_head:
            self._agent_head()
            self._add("text", -1, lambda _: [row("…", "muted")])
            self.parts[-1].chars = min(turn.output_tokens, 8000) + 20 * len(turn.tool_summary)
        return self.parts

    def build(self, blocks: Sequence[Block]) -> list[Part]:
        """All parts."""
        calls = rendered_calls(blocks, self.options.root, self.options.subagents)
        blocks = [block for block in blocks if block.kind != "text" or block.text.strip()]
        self.first = next((block.seq for block in blocks if block.kind in _AGENT_BLOCKS), -1)
        # Blocks may have been left out of what is shown.
        self.state = turn_state(self.turn, self.turn.blocks or blocks, clock.now())
        self._user_head()
        for block in blocks:
            if block.kind in _CALLS:
                if block.seq in calls:
                    self._agent_head()
                    self.calls.append(calls[block.seq])
            elif not self._hidden(block):
                self._end_calls()
                self._block(block)
        self._end_calls()
        return self.parts

    def _hidden(self, block: Block) -> bool:
        if block.seq in self.flipped:
            return False
        if block.kind == "thinking":
            return self.options.thinking == "hidden"
        return block.kind == "note" and block.tool in ASIDE and self.options.tools == "summary"

    def _block(self, block: Block) -> None:
        if block.kind == "user":
            self._user(block)
        elif block.kind == "text":
            self._text(block)
        elif block.kind == "thinking":
            self._thinking(block)
        else:
            self._note(block)

    def _user_head(self) -> None:
        turn, options, new_day = self.turn, self.options, self.new_day
        # The head of the agent has it, if there will be one.
        state = self.state if self.first < 0 or self.has_agent_head else None
        if turn.kind == "compaction":
            self._add("head", -1, lambda width: [heads.compaction_head(turn, options, width, new_day)], outdent=True)
        else:
            self._add("head", -1, lambda _: [heads.user_head(turn, options, new_day, state)], outdent=True)
        if added := added_rows(turn):
            self._add("head", -1, lambda _: added, height=len(added))

    def _agent_head(self) -> None:
        turn, options, state = self.turn, self.options, self.state
        if self.has_agent_head or turn.kind == "compaction":
            return
        self.has_agent_head = True
        self._add("head", self.first, lambda _: [heads.agent_head(turn, options, state=state)], gap=True, outdent=True)

    def _user(self, block: Block) -> None:
        if self.turn.kind == "compaction" and self.previous == "head":
            self._summary(block)
        elif not self.has_agent_head and self.previous in {"head", "note"}:
            self._prompt(block.text, -1, block.seq)
        else:
            lead = heads.later_user_head(block.at, self.options, block.seq)
            self._add("head", block.seq, lambda _: [lead], gap=True, outdent=True)
            self._prompt(block.text, block.seq, block.seq)

    def _prompt(self, text: str, seq: int, block: int) -> None:
        """A prompt: the user's as it was typed. `block` is the `Block.seq` of the text."""
        count = len(self.parts)
        self._prompt_text(text, seq)
        for part in self.parts[count:]:
            part.blocks = frozenset({block})

    def _prompt_text(self, text: str, seq: int) -> None:
        if self.turn.kind == "agent":
            self._markdown("prompt", text, seq)
        elif self.turn.kind == "command":
            mark, blank = (("❯ ", "you"),), (("  ", ""),)
            self._add("prompt", seq, lambda _: prefixed(prompt_rows(text, seq), mark, blank), text=text)
        else:
            self._typed(text, seq)

    def _typed(self, text: str, seq: int) -> None:
        """A prompt of the user; the rows of a long one are made together, and laid out in several parts."""
        text = typed(text)
        rows = cache(lambda: prompt_rows(text, seq))
        first = 0
        for chunk in _chunks(text):
            last = first + chunk.count("\n") + 1
            self._add("prompt", seq, _slice(rows, first, last), text=chunk)
            first = last

    def _summary(self, block: Block) -> None:
        """The summary of a compaction; only its first lines if it is folded."""
        if (self.options.tools == "full") != (block.seq in self.flipped):
            self._markdown("prompt", block.text, block.seq)
            return

        def folded(width: int) -> list[Row]:
            rows = markdown_rows(pieces(block.text)[0], width, block.seq)
            total = block.text.count("\n") + 1
            if len(rows) <= SUMMARY_LINES and total <= SUMMARY_LINES:
                return rows
            hidden = Row((("▸ ", "tool"), (more(max(1, total - SUMMARY_LINES)), "muted")), block.seq, fold=block.seq)
            return [*rows[:SUMMARY_LINES], hidden]

        self._add("prompt", block.seq, folded, text=block.text, folded=True, height=SUMMARY_LINES + 2)

    def _text(self, block: Block) -> None:
        self._agent_head()
        if block.is_error:
            self._add("text", block.seq, lambda _: plain_rows(block.text, "error", block.seq), text=block.text)
            return
        self._markdown("text", block.text, block.seq, gap=self.previous not in {"head", "thinking"})

    def _markdown(self, kind: str, text: str, seq: int, gap: bool = False) -> None:
        for piece in pieces(text):
            self._add(kind, seq, _markdown(piece, seq), text=piece, gap=gap)
            gap = True

    def _thinking(self, block: Block) -> None:
        self._agent_head()
        opened = (self.options.thinking == "full") != (block.seq in self.flipped)
        gap = self.previous not in {"head", "note"} and not (self.previous == "thinking" and not opened)

        def rows(_: int) -> list[Row]:
            lines = plural(block.text.strip().count("\n") + 1, "line")
            lead = Row(((("▾ " if opened else "▸ ") + f"thinking ({lines})", "thinking"),), block.seq, fold=block.seq)
            blank = (("  ", ""),)
            return [lead, *prefixed(plain_rows(block.text, "thinking", block.seq), blank, blank)] if opened else [lead]

        text, height = block.text, 0 if opened else 1
        kind = "text" if opened else "thinking"
        self._add(kind, block.seq, rows, text=text, gap=gap, folded=not opened, height=height)

    def _note(self, block: Block) -> None:
        if block.kind == "image":
            name = block.text.strip().strip("[]")
            name = name if name.startswith("image") else f"image {name}"
            self._add("note", block.seq, lambda _: [row(f"[{name}]", "note", block.seq)], text=block.text, height=1)
            return
        opened = (self.options.tools == "full") != (block.seq in self.flipped)
        height = 0 if opened else 1
        self._add("note", block.seq, lambda _: note_rows(block, opened), block.text, folded=not opened, height=height)

    def _end_calls(self) -> None:
        """Add the calls since the last other block; at the summary level those that only look are folded together."""
        calls, self.calls = self.calls, []
        for run in runs(calls) if self.options.tools == "summary" else ([call] for call in calls):
            if len(run) == 1:
                self._call(run[0])
                continue
            opened = run_fold(run[0].seq) in self.flipped
            self._put("tools", run_part(run, opened), gap=self.previous == "call")
            for call in run if opened else ():
                self._call(call, _NESTED)

    def _call(self, call: RenderedCall, indent: int = 0) -> None:
        level, flipped = self.options.tools, call.seq in self.flipped
        kind = "call" if is_unfolded(level, flipped) else "tools"
        gap = self.previous != "head" if kind == "call" else self.previous == "call"
        self._put(kind, call_part(call, level, flipped), gap, indent=indent)

    def _add(
        self,
        kind: str,
        seq: int,
        render: Callable[[int], list[Row]],
        text: str = "",
        *,
        gap: bool = False,
        folded: bool = False,
        height: int = 0,
        outdent: bool = False,
    ) -> None:
        """Add a part for a text; `height` is the approximate number of lines if the text is folded."""
        part = Part(seq, 0, render, folded=folded, least=height, widest=PROSE)
        part.texts = (text,) if text else ()
        part.blocks = frozenset({seq} if text else ())
        if outdent:
            part.least, part.widest = 1, UNWRAPPED
        elif not height:
            part.chars, part.breaks = len(text), text.count("\n")
        self._put(kind, part, gap, outdent)

    def _put(self, kind: str, part: Part, gap: bool, outdent: bool = False, indent: int = 0) -> None:
        """Add a part, after a blank line if there is a gap."""
        previous = self.parts[-1] if self.parts else None
        if previous is not None and previous.seq >= part.seq:
            part.seq, part.index = previous.seq, previous.index + 1
        if gap:
            part.least += 1
            part.render = _after_blank(part.render)
        part.indent = 0 if outdent else self.options.indent + indent
        self.parts.append(part)
        self.previous = kind


def _slice(rows: Callable[[], list[Row]], first: int, end: int) -> Callable[[int], list[Row]]:
    return lambda _: rows()[first:end]


def _markdown(text: str, seq: int) -> Callable[[int], list[Row]]:
    return lambda width: markdown_rows(text, width, seq)


def _after_blank(render: Callable[[int], list[Row]]) -> Callable[[int], list[Row]]:
    return lambda width: [Row((), GAP), *render(width)]


def _chunks(text: str) -> Iterator[str]:
    """A long text in chunks of whole lines; joined by line ends they are the text."""
    start = 0
    while (end := text.find("\n", start + _CHUNK)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]
