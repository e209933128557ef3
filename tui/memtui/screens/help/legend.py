"""The texts of the help that belong to no pane: symbols, moving, mouse."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from memtui.widgets.search.bar import SearchBar
from memtui_core.index.search import filters_by_name
from memtui_core.readers.registry import readers

_SYMBOLS: Final = """\
## Symbols

- `●` you, or a session; `◉` one whose agent wrote less than five minutes ago and has something left to do; `?` one
  whose agent asked you something less than three days ago; `✗` one that an error ended; `○` the agent; `◌` a
  subagent; `❯` a command that you ran; `⧉` a compaction
- `▸` folded, `▾` unfolded; `✗` an error, or a result that failed
- at the right of a tool: the exit code, unless it is 0, and the time until its result, which may include waiting for
  you
- at a turn: `running`, its agent wrote less than five minutes ago and has something left to do; `unanswered`, nothing
  followed the prompt; `interrupted`, the user stopped the agent
- in files: `✎` edited, `○` read, `·` mentioned, `●` sessions; `+` and `−` lines added and removed
- `★` a saved search, or a session or turn that you have pinned; `⊟` a session that is archived; `#` your tags; `¶` your
  note
- in a hand-off `☑` included, `☐` left out, `…` no room left; `…` also marks what is cut
"""
_RULES: Final = """\
## Rules

- The pane with the thick frame has the focus; `tab` goes on to the next one.
- `esc` takes one step back: it closes what lies over the panes and notifications, returns to where `S` was pressed,
  goes from the transcript to the list, from the list to the view, and never leaves memtui. `q` leaves it.
- `enter` opens what the cursor points at; `v` shows it on the whole screen, and goes back; `o` opens it outside.
- Mouse: a click chooses, a double click opens, the wheel scrolls, a click on a key in the last line presses it.
  Dragging selects text, and `ctrl+c` copies it.
- `^` before a key is `ctrl`. Each key can be changed in `[keymap]` of the settings, by the id in the table of keys.
"""
_LINE_END = re.compile(r"(?<=\S)\n +(?=\S)|(?<=\S)\n(?=[^\s\-#|>*])")


def legend(pane_help: Iterable[str]) -> str:
    """The help of the panes, the symbols and rules, and the syntax of queries, as Markdown."""
    texts = dict.fromkeys((*pane_help, f"{_SYMBOLS}{_agents()}", _RULES, SearchBar.HELP))
    return "\n".join(_reflowed(text.replace("{filters}", _filters())) for text in texts)


def _agents() -> str:
    """The letters that name the agents."""
    names = ", ".join(f"`{reader.label}` {reader.name}" for reader in reversed(readers()))
    return f"- agents: {names}\n"


def _filters() -> str:
    """The filters of the query language with examples of their values."""
    return " ".join(f"`{name}:{'|'.join(one.examples)}`" for name, one in filters_by_name().items())


def _reflowed(text: str) -> str:
    """A text without the line ends inside its paragraphs, which would be shown."""
    return _LINE_END.sub(" ", text)
