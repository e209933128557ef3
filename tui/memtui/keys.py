"""The actions of the app and of the main screen, each declared once.

Bindings, help and palette are generated from them. `Command.id` is the name in the keymap of the settings.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from textual.binding import Binding, BindingType

Where = Literal["app", "browse"]


@dataclass(frozen=True, slots=True)
class Command:
    """An action of the app or of the main screen, with its key and its texts."""

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
        """The binding for Textual."""
        return Binding(
            self.key, self.action, self.name, self.show, tooltip=self.tooltip, id=self.id, priority=self.priority
        )


COMMANDS: Final[tuple[Command, ...]] = (
    Command(
        "search",
        "slash",
        "search",
        "Search",
        "Search all sessions; in a list with a filter, go to the filter",
        show=True,
    ),
    Command("jump-back", "ctrl+o,alt+left", "jump(-1)", "Jump back", "Go to the turn read previously"),
    Command("jump-on", "alt+right", "jump(1)", "Jump forward", "Go to the turn read next"),
    Command("inspector", "i", "inspector", "Inspect", "Show or hide thinking, tools, files and facts", show=True),
    Command("turn-down", "J", "turn(1)", "Next turn", "Go to the next turn of the transcript beside the list"),
    Command("turn-up", "K", "turn(-1)", "Previous turn", "Go to the previous turn of the transcript beside the list"),
    Command("zoom", "z", "zoom", "Zoom", "Give the pane most of the width, all of it, or its own again"),
    Command("larger", "plus", "resize(1)", "Larger", "Make the pane larger"),
    Command("smaller", "minus,underscore", "resize(-1)", "Smaller", "Make the pane smaller"),
    Command("back", "escape", "back", "Back", "Go one step back", show=False),
    Command("copy-id", "Y", "copy_id", "Copy id", "Copy the session's id and the turn's number"),
    Command("export", "e", "export", "Export", "Write the session to a file in this folder"),
    Command("export-turn", "E", "export_turn", "Export turn", "Write the turn to a file in this folder"),
    Command("handoff", "H", "handoff", "Hand off", "Hand off the session to another agent"),
    Command("resume", "R", "resume", "Resume", "Resume the session in its agent"),
    Command("next-pane", "tab", "pane(1)", "Next pane", "Go to the next pane"),
    Command("last-pane", "shift+tab", "pane(-1)", "Previous pane", "Go to the previous pane"),
    Command("refresh", "r", "refresh_index", "Refresh", "Look for a newer index now"),
    Command("help", "question_mark,f1", "toggle_help", "Keys", "Show all keys of the focused pane", "app", show=True),
    Command("palette", "ctrl+p,colon", "command_palette", "Palette", "List all actions by name", "app"),
    Command("quit", "q", "quit", "Quit", "Quit memtui", "app", show=True),
    Command("force-quit", "ctrl+q", "quit", "Quit", "Quit memtui, also while typing", "app", priority=True),
    Command("suspend", "ctrl+z", "suspend_process", "Suspend", "Go to the shell; fg returns", "app"),
)


HELP_KEYS: Final = Binding(
    "question_mark,f1", "app.toggle_help", "Keys", tooltip="Show all keys of this screen", show=False, id="help"
)
"""For modal screens, which the bindings of the app do not reach."""


def app_bindings() -> list[BindingType]:
    """The bindings of the app."""
    return [command.binding for command in COMMANDS if command.where == "app"]


def browse_bindings(views: Iterable[Command]) -> list[BindingType]:
    """The bindings of the main screen; those of the views follow the search."""
    search, *others = (command for command in COMMANDS if command.where == "browse")
    return [command.binding for command in (search, *views, *others)]


def view_command(name: str, key: str, title: str) -> Command:
    """The command that shows a view."""
    return Command(f"view-{name}", key, f"view('{name}')", title, f"Show the view: {title.lower()}")
