"""Diffs without a fence in the Markdown of agents, of which CommonMark would make lists and headings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memtui_core.tools.shell.diff_output import diff_ranges

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock

_ENDS: Final = "ends of diffs"
"""Where the diffs of the parsed text end, by their first lines."""


def recognize_diffs(parser: MarkdownIt) -> MarkdownIt:
    """Let a parser take a unified diff without a fence as a fence of the language `diff`."""
    interrupted = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("table", "diff", _diff, {"alt": interrupted})
    return parser


def _diff(state: StateBlock, start: int, _: int, silent: bool) -> bool:
    """The rule of the parser, for a block that begins at a line."""
    if _ENDS not in state.env:
        state.env[_ENDS] = dict(diff_ranges(state.src.split("\n")))
    end = state.env[_ENDS].get(start)
    if end is None:
        return False
    if not silent:
        token = state.push("fence", "", 0)
        token.info, token.map = "diff", [start, end]
        token.content = state.getLines(start, end, 0, keepLastLF=True)
        state.line = end
    return True
