"""A turn to parts, in file order: heads, the person's text, the agent's texts, its thinking, its tools."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from memtui.formatting import plural
from memtui.render import heads
from memtui.render.calls import RenderedCall, rendered_calls
from memtui.render.clean import more, plain_rows
from memtui.render.markdown import markdown_rows, pieces
from memtui.render.notes import ASIDE, note_rows
from memtui.render.rows import GAP, Row, prefixed, row
from memtui.render.tool_headings import run_fold
from memtui.render.tool_parts import listed_parts, run_part, unfolded_part
from memtui.render.view import PROSE, Part, View
from memtui_core.model import Block, Turn

_CALLS = frozenset({"tool_call", "tool_result"})
_AGENTS = _CALLS | {"text", "thinking"}
SUMMARY_LINES = 12
"""Lines of a compaction summary that show while it is folded."""


def parts(
    turn: Turn,
    blocks: Sequence[Block] | None,
    view: View,
    flipped: Collection[int] = (),
    new_day: bool = False,
    last: bool = False,
) -> list[Part]:
    """The parts of a turn; without `blocks` its head and the person's text, as its `Turn` has them.

    `flipped` holds the `seq` of blocks that are open where the view folds them, or folded where it opens them. All but
    the `last` turn end with a blank line.
    """
    maker = _Maker(turn, view, frozenset(flipped), new_day)
    made = maker.heads_only() if blocks is None else maker.whole(blocks)
    if not last:
        seq = made[-1].seq
        made.append(Part(seq, made[-1].index + 1, lambda _: [Row((), GAP)]))
    return made


class _Maker:
    """Collects the parts of one turn."""

    def __init__(self, turn: Turn, view: View, flipped: frozenset[int], new_day: bool) -> None:
        self.turn = turn
        self.view = view
        self.flipped = flipped
        self.new_day = new_day
        self.made: list[Part] = []
        self.answering = turn.kind == "opening"
        """The agent's head is written."""
        self.first = -1
        """`seq` of the agent's first block, hidden or not: where its head belongs at every fold level."""
        self.before = "head"
        """Kind of the part before: head, prompt, text, thinking, tools or note."""
        self.run: list[RenderedCall] = []

    def heads_only(self) -> list[Part]:
        """What can be shown before the blocks are there; about as high as the turn will be."""
        turn = self.turn
        self._user_head()
        if turn.user_text:
            self._prompt(turn.user_text, -1, -1)
        if turn.tool_summary or turn.output_tokens or self.answering:
            self._agent_head()
            self._add("text", -1, lambda _: [row("…", "muted")])
            self.made[-1].chars = min(turn.output_tokens, 8000) + 20 * len(turn.tool_summary)
        return self.made

    def whole(self, blocks: Sequence[Block]) -> list[Part]:
        """All of the turn."""
        calls = rendered_calls(blocks, self.view.root)
        self.first = next((block.seq for block in blocks if block.kind in _AGENTS), -1)
        self._user_head()
        for block in blocks:
            if block.kind in _CALLS:
                if block.seq in calls:
                    self._call(calls[block.seq])
            elif not self._hidden(block):
                self._end_run()
                self._block(block)
        self._end_run()
        return self.made

    def _hidden(self, block: Block) -> bool:
        if block.seq in self.flipped:
            return False
        if block.kind == "thinking":
            return self.view.thinking == "hidden"
        return block.kind == "note" and block.tool in ASIDE and self.view.tools == "summary"

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
        turn, view, new_day = self.turn, self.view, self.new_day
        if turn.kind == "compaction":
            self._add("head", -1, lambda width: [heads.compaction_head(turn, view, width, new_day)], outdent=True)
        else:
            self._add("head", -1, lambda _: [heads.user_head(turn, view, new_day)], outdent=True)

    def _agent_head(self) -> None:
        turn, view = self.turn, self.view
        if self.answering or turn.kind == "compaction":
            return
        self.answering = True
        self._add("head", self.first, lambda _: [heads.agent_head(turn, view)], gap=True, outdent=True)

    def _user(self, block: Block) -> None:
        if self.turn.kind == "compaction" and self.before == "head":
            self._summary(block)
        elif not self.answering and self.before in {"head", "note"}:
            self._prompt(block.text, -1, block.seq)
        else:
            lead = heads.said_head(block.at, self.view, block.seq)
            self._add("head", block.seq, lambda _: [lead], gap=True, outdent=True)
            self._prompt(block.text, block.seq, block.seq)

    def _prompt(self, text: str, seq: int, block: int) -> None:
        """The person's text as it was typed; an agent's prompt is Markdown. `block` is the `Block.seq` of the text."""
        before = len(self.made)
        self._prompted(text, seq)
        for part in self.made[before:]:
            part.blocks = frozenset({block})

    def _prompted(self, text: str, seq: int) -> None:
        if self.turn.kind == "agent":
            self._markdown("prompt", text, seq)
        elif self.turn.kind == "command":
            sign, blank = (("❯ ", "you"),), (("  ", ""),)
            self._add("prompt", seq, lambda _: prefixed(plain_rows(text, "prompted", seq), sign, blank), text=text)
        else:
            for piece in _chunks(text):
                self._add("prompt", seq, _plain(piece, seq), text=piece)

    def _summary(self, block: Block) -> None:
        """A compaction's summary; its first lines while it is folded."""
        if (self.view.tools == "full") != (block.seq in self.flipped):
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
        self._markdown("text", block.text, block.seq, gap=self.before not in {"head", "thinking"})

    def _markdown(self, kind: str, text: str, seq: int, gap: bool = False) -> None:
        for piece in pieces(text):
            self._add(kind, seq, _marked_down(piece, seq), text=piece, gap=gap)
            gap = True

    def _thinking(self, block: Block) -> None:
        self._agent_head()
        opened = (self.view.thinking == "full") != (block.seq in self.flipped)
        gap = self.before not in {"head", "note"} and not (self.before == "thinking" and not opened)

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
        opened = (self.view.tools == "full") != (block.seq in self.flipped)
        height = 0 if opened else 1
        self._add("note", block.seq, lambda _: note_rows(block, opened), block.text, folded=not opened, height=height)

    def _call(self, call: RenderedCall) -> None:
        self._agent_head()
        if self.view.tools == "summary" and call.seq not in self.flipped:
            self.run.append(call)
            return
        self._end_run()
        part = unfolded_part(call, self.view.tools, call.seq in self.flipped)
        self._put("call", part, gap=self.before not in {"head"})

    def _end_run(self) -> None:
        run, self.run = self.run, []
        if not run:
            return
        for part in listed_parts(run) if _is_listed(run, self.flipped) else [run_part(run)]:
            self._put("tools", part, gap=self.before == "call")

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
        """A part of some text; `height` is for a text that is folded away to about so many lines."""
        part = Part(seq, 0, render, folded=folded, least=height, widest=PROSE)
        part.texts = (text,) if text else ()
        part.blocks = frozenset({seq} if text else ())
        if outdent:
            part.least, part.widest = 1, 10_000
        elif not height:
            part.chars, part.breaks = len(text), text.count("\n")
        self._put(kind, part, gap, outdent)

    def _put(self, kind: str, part: Part, gap: bool, outdent: bool = False) -> None:
        """The next part, behind a blank line when there is a gap."""
        before = self.made[-1] if self.made else None
        if before is not None and before.seq >= part.seq:
            part.seq, part.index = before.seq, before.index + 1
        if gap:
            part.least += 1
            part.render = _after_blank(part.render)
        part.indent = 0 if outdent else self.view.indent
        self.made.append(part)
        self.before = kind


def _plain(text: str, seq: int) -> Callable[[int], list[Row]]:
    return lambda _: plain_rows(text, "prompted", seq)


def _marked_down(text: str, seq: int) -> Callable[[int], list[Row]]:
    return lambda width: markdown_rows(text, width, seq)


def _after_blank(render: Callable[[int], list[Row]]) -> Callable[[int], list[Row]]:
    return lambda width: [Row((), GAP), *render(width)]


def _is_listed(run: Sequence[RenderedCall], flipped: frozenset[int]) -> bool:
    return run_fold(run[0].seq) in flipped


def _chunks(text: str) -> list[str]:
    """A long text in pieces that end at line ends."""
    if len(text) <= 8000:
        return [text]
    chunks, start = [], 0
    while start < len(text):
        end = text.find("\n", start + 8000)
        end = len(text) if end < 0 else end + 1
        chunks.append(text[start:end])
        start = end
    return chunks
