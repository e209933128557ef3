"""What is asked before a session is rewound: where it ends, how large it is, and which files have changed since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from memtui.keys.declarations import HELP_KEY, Key, keys
from memtui.render.clean import lines_of
from memtui.render.rows import Row
from memtui.render.tools.diff import output_rows
from memtui.screens.dialog import Dialog, DialogBox
from memtui.screens.outgoing.rewind.file_list import SinceList
from memtui.screens.outgoing.rewind.since_text import missing_folder
from memtui.wording.formatting import agent_full_name, cut, number, tokens
from memtui.wording.path_text import middle_cut
from memtui_core.text.controls import label, one_line
from memtui_core.tools.shell.diff_output import written_diff_lines

if TYPE_CHECKING:
    from memtui_core.index.handoffs import FileSince, Rewound

_LIST: Final = 80
"""Cells of the list of files, if no text above it is longer."""
_NO_FILES: Final = "The session had read or written no file until then."


@dataclass(frozen=True, slots=True)
class RewindPlan:
    """A session that can be written, and how the files that it knows are now."""

    made: Rewound
    files: Sequence[FileSince]


class RewindScreen(Dialog["Rewound | None"]):
    """Shows a session before it is written; its result is that session if the user agrees."""

    CSS = """
    RewindScreen Static { width: auto; max-width: 100%; }
    RewindScreen #rewind-title { text-style: bold; }
    RewindScreen .facts { color: $text-muted; }
    RewindScreen #rewind-missing { color: $text-warning; }
    RewindScreen #rewind-files { margin-top: 1; color: $text-muted; }
    RewindScreen SinceList { height: auto; max-height: 14; }
    """
    max_width = 120
    BINDINGS = keys(
        "rewind",
        Key("w", "write", "Write", "Write the new session", "rewind.save", show=True),
        Key("number_sign", "side", "Before or after", "End it before the turn, or after it", "rewind.turns", show=True),
        Key("escape,q", "leave", "Cancel", "Go back without writing it", "rewind.leave", show=True),
        HELP_KEY,
    )

    def __init__(self, plan: RewindPlan, request: Callable[[bool], None]) -> None:
        """`request` asks for the plan of the session before the turn or after it, which is passed to `show_plan`."""
        super().__init__()
        self._plan = plan
        self._request = request

    def compose(self) -> ComposeResult:
        """The session, where it ends, and the files."""
        with DialogBox("rewind?"):
            yield Static(id="rewind-title", markup=False)
            yield Static(id="rewind-facts", classes="facts", markup=False)
            yield Static(id="rewind-prompt", markup=False)
            yield Static(id="rewind-place", classes="facts", markup=False)
            yield Static(id="rewind-missing", markup=False)
            yield Static(id="rewind-files", markup=False)
            yield SinceList(self._show_diff)

    def on_mount(self) -> None:
        """Show the plan."""
        super().on_mount()
        self.show_plan(self._plan)

    def show_plan(self, plan: RewindPlan) -> None:
        """Show another plan, unless the user has left."""
        self._plan = plan
        made, width = plan.made, self.text_width
        side = "before" if made.is_before else "up to"
        facts = [
            f"{side} turn {made.turn.number} of {made.origin.turns}",
            f"about {tokens(made.tokens)} tokens",
            f"a new session of {agent_full_name(made.origin.agent)}",
            *(["from the archive, without secrets"] if made.is_archived else []),
        ]
        prompt = one_line(made.last.user_text, 200)
        shown = {
            "#rewind-title": cut(made.origin.title, width),
            "#rewind-facts": cut(" · ".join(facts), width),
            "#rewind-prompt": cut(f"last prompt: {prompt}", width) if prompt else "",
            "#rewind-place": middle_cut(f"a new file in {_folder(made.file.path.parent)}", width),
            "#rewind-missing": missing_folder(made),
            "#rewind-files": cut(_about(plan.files), width),
        }
        for name, text in shown.items():
            static = self.query_one(name, Static)
            static.update(Content(text))
            static.display = bool(text)
        listed = [file for file in plan.files if file.state != "unchanged"]
        files = self.query_one(SinceList)
        files.display = bool(listed)
        files.styles.width = min(width, max(_LIST, *map(cell_len, shown.values())))
        files.show(listed)
        if listed:
            files.focus()

    def action_side(self) -> None:
        """End the session before the turn instead of after it, or the other way round."""
        self._request(not self._plan.made.is_before)

    def action_write(self) -> None:
        """Agree."""
        self.dismiss(self._plan.made)

    def _show_diff(self, file: FileSince) -> None:
        from memtui.screens.pager import PagerScreen

        if not file.diff:
            reason = "It is not on the disk any more." if file.state == "deleted" else f"No diff: {file.reason}."
            self.notify(reason, title=file.path, markup=False)
            return
        title = f"{file.path} · since turn {self._plan.made.turn.number}"
        self.app.push_screen(PagerScreen(title, partial(_diff, file.diff), file.diff))


def _folder(path: Path) -> str:
    home = Path.home()
    return label(f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path))


def _about(files: Sequence[FileSince]) -> str:
    """How many files have changed since then, or have not."""
    states = Counter(file.state for file in files)
    facts = [
        f"{number(states[state])} {state}" for state in ("changed", "deleted", "unknown", "unchanged") if states[state]
    ]
    facts += ["enter diff"] if any(file.diff for file in files) else []
    return f"files since: {' · '.join(facts)}" if files else _NO_FILES


def _diff(diff: str, _: int) -> list[Row]:
    lines = lines_of(diff)
    return output_rows(zip(lines, written_diff_lines(lines), strict=True), "", -1)
