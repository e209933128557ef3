"""Every action, declared once: its key, its names, and where it works.

Bindings, the help and the palette are all made from here. `id` is what the config's keymap rebinds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from textual.binding import Binding, BindingType

Where = Literal["app", "browse"]


@dataclass(frozen=True, slots=True)
class Command:
    """One action of the app or of a screen."""

    id: str
    key: str
    action: str
    name: str
    tooltip: str
    where: Where = "browse"
    show: bool = False
    priority: bool = False

    @property
    def binding(self) -> Binding:
        """The command as a binding."""
        return Binding(
            self.key, self.action, self.name, self.show, tooltip=self.tooltip, id=self.id, priority=self.priority
        )


COMMANDS: Final[tuple[Command, ...]] = (
    Command(
        "search",
        "slash",
        "search",
        "Search",
        "Search every session; in a list that has one, its filter",
        show=True,
    ),
    Command("jump-back", "ctrl+o,alt+left", "jump(-1)", "Jump back", "To what was read before"),
    Command("jump-on", "alt+right", "jump(1)", "Jump on", "To what was read after that"),
    Command("inspector", "i", "inspector", "Inspect", "Show or hide thinking, tools, files and facts", show=True),
    Command("back", "escape", "back", "Back", "One step back", show=False),
    Command("copy-id", "Y", "copy_id", "Copy id", "Copy the session's id and the turn's number"),
    Command("export", "e", "export", "Export", "Write the session to a file in this folder"),
    Command("export-turn", "E", "export_turn", "Export turn", "Write the turn to a file in this folder"),
    Command("handoff", "H", "handoff", "Hand off", "Hand the session on to another agent"),
    Command("resume", "R", "resume", "Resume", "Go on with the session in its agent"),
    Command("next-pane", "tab", "pane(1)", "Next pane", "Go to the next pane"),
    Command("last-pane", "shift+tab", "pane(-1)", "Previous pane", "Go to the pane before"),
    Command("refresh", "r", "refresh_index", "Refresh", "Look for a newer index now"),
    Command("help", "question_mark,f1", "toggle_help", "Keys", "Every key of the pane in focus", "app", show=True),
    Command("palette", "ctrl+p,colon", "command_palette", "Palette", "Every action by name", "app"),
    Command("quit", "q", "quit", "Quit", "Leave memtui", "app", show=True),
    Command("force-quit", "ctrl+q", "quit", "Quit", "Leave memtui, also while typing", "app", priority=True),
    Command("suspend", "ctrl+z", "suspend_process", "Suspend", "Back to the shell; fg returns", "app"),
)


HELP_KEYS: Final = Binding(
    "question_mark,f1", "app.toggle_help", "Keys", tooltip="Every key of this screen", show=False, id="help"
)
"""For the screens that cover the others: what the app binds does not reach them."""


def app_bindings() -> list[BindingType]:
    """The bindings of the app."""
    return [command.binding for command in COMMANDS if command.where == "app"]


def browse_bindings(views: Iterable[Command]) -> list[BindingType]:
    """The bindings of the main screen, those of its views behind the search."""
    search, *others = (command for command in COMMANDS if command.where == "browse")
    return [command.binding for command in (search, *views, *others)]


def view_command(name: str, key: str, title: str) -> Command:
    """The command that shows a view."""
    return Command(f"view-{name}", key, f"view('{name}')", title, f"The view: {title.lower()}")
