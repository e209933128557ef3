"""The actions of the app and of the main screen, each declared once.

Bindings, help and palette are generated from them. `Command.id` is the name in the keymap of the settings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple

from textual.binding import Binding, BindingType
from textual.keys import KEY_DISPLAY_ALIASES, REPLACED_KEYS, Keys, _character_to_key, key_to_character

Where = Literal["app", "browse"]


class Command(NamedTuple):
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
        "Search, or in files and compactions filter the list",
        show=True,
    ),
    Command("jump-back", "ctrl+o,alt+left", "jump(-1)", "Jump back", "Go to what was read previously, as it was"),
    Command("jump-on", "alt+right", "jump(1)", "Jump forward", "Go to what was read next, as it was"),
    Command("inspector", "i", "inspector", "Inspect", "Show or hide thinking, tools, files and facts", show=True),
    Command("turn-down", "J", "turn(1)", "Next turn", "Go to the next turn of the transcript beside the list"),
    Command("turn-up", "K", "turn(-1)", "Previous turn", "Go to the previous turn of the transcript beside the list"),
    Command("zoom", "z", "zoom", "Zoom", "Give the pane most of the room, all of it, or its own again"),
    Command("larger", "plus", "resize(1)", "Larger", "Make the pane larger"),
    Command("smaller", "minus,underscore", "resize(-1)", "Smaller", "Make the pane smaller"),
    Command("back", "escape", "back", "Back", "Go one step back", show=False),
    Command("copy-id", "Y", "copy_id", "Copy id", "Copy the session's id and the turn's number"),
    Command("export", "e", "export", "Export", "Write the session to a file in this folder"),
    Command("export-turn", "E", "export_turn", "Export turn", "Write the turn to a file in this folder"),
    Command("handoff", "H", "handoff", "Hand off", "Hand off the session to another agent"),
    Command("resume", "r", "resume", "Resume", "Resume the session in its agent"),
    Command("next-pane", "tab", "pane(1)", "Next pane", "Go to the next pane"),
    Command("last-pane", "shift+tab", "pane(-1)", "Previous pane", "Go to the previous pane"),
    Command("refresh", "R", "refresh_index", "Refresh", "Look for a newer index now"),
    Command("help", "question_mark,f1", "toggle_help", "Keys", "Show all keys of the focused pane", "app", show=True),
    Command("palette", "ctrl+p,colon", "command_palette", "Palette", "List all actions by name", "app"),
    Command("quit", "q", "quit", "Quit", "Quit memtui", "app", show=True),
    Command("force-quit", "ctrl+q", "quit", "Quit", "Quit memtui, also while typing", "app", priority=True),
    Command("suspend", "ctrl+z", "suspend_process", "Suspend", "Go to the shell; fg returns", "app"),
)


SYNONYMS: Final[dict[str, str]] = {
    "search": "find grep look query words meaning",
    "view-sessions": "projects tree history list",
    "view-files": "paths changes edits folders",
    "view-compactions": "context summary lost forgotten review",
    "view-prs": "prs github merge requests",
    "view-stats": "statistics cost money tokens usage charts",
    "view-timeline": "memory observations notes days calendar",
    "jump-back": "previous history undo",
    "jump-on": "next history redo",
    "inspector": "thinking tools details side panel sidebar",
    "zoom": "maximize full wide",
    "larger": "grow wide resize width",
    "smaller": "shrink narrow resize width",
    "copy-id": "clipboard yank session link",
    "export": "html markdown json save write file download share print",
    "export-turn": "html markdown json save write file download share print",
    "handoff": "continue context prompt another agent claude codex handover",
    "resume": "continue restart claude codex open session again",
    "refresh": "reload update index again",
    "help": "shortcuts bindings manual legend hotkeys cheat sheet",
    "palette": "commands actions",
    "quit": "exit close leave",
    "suspend": "shell background terminal",
    "theme": "dark light colour color scheme style background contrast",
    "files.sort": "order",
    "files.edit": "editor vim open",
    "files.handoff": "continue context agent",
    "compactions.sort": "order",
    "prs.open": "browser github url",
    "stats.project": "scope all",
    "stats.range": "days month week time period",
    "past.filter": "kind type",
    "past.range": "zoom days month week time period",
    "past.project": "scope all",
    "notes.write": "add new note remember observation",
    "notes.change": "edit note observation",
    "notes.forget": "delete remove note observation",
    "notes.restore": "undo undelete note observation",
    "notes.copy": "clipboard yank",
    "transcript.find": "search grep text",
    "transcript.match-down": "hit result",
    "transcript.match-up": "hit result",
    "transcript.edit-down": "change diff write",
    "transcript.edit-up": "change diff write",
    "transcript.tool-down": "call command result cursor",
    "transcript.tool-up": "call command result cursor",
    "transcript.view": "full screen zoom result open",
    "transcript.edit": "editor vim open",
    "transcript.tools": "fold unfold calls results output expand collapse",
    "transcript.thinking": "reasoning fold unfold expand collapse",
    "transcript.copy": "clipboard yank text",
    "transcript.compaction": "context summary",
    "search.scope": "project session all filter",
    "search.save": "keep favourite star bookmark",
    "handoff.copy": "clipboard yank",
    "handoff.save": "export file write markdown",
    "handoff.start": "run launch claude codex",
    "handoff.turns": "range from to",
    "pager.copy": "clipboard yank",
    "pager.edit": "editor vim open",
}
"""Other words for what an action does, by its id, so that palette and help find it by them."""

LIKELY: Final = ("search", "export", "handoff", "resume", "theme", "help", "inspector", "copy-id")
"""The actions of the screen and of the app that users look for in the palette, the likeliest first."""

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


class ReadKeys(NamedTuple):
    """The keys of an entry of the keymap."""

    known: list[str]
    """As Textual names them."""
    unknown: list[str]
    """As they were written."""


_MODIFIERS: Final = frozenset({"alt", "ctrl", "hyper", "meta", "shift", "super"})
_NAMES: Final = frozenset({key.value.rpartition("+")[2] for key in Keys} | REPLACED_KEYS.keys())
"""The names of keys without a character, and Textual's own names of some characters."""
_SHOWN: Final = {shown: key for key, shown in KEY_DISPLAY_ALIASES.items()} | {"backtick": "grave_accent"}
"""Keys by what the README and the app call them."""


def read_keys(text: str) -> ReadKeys:
    """The keys of an entry, separated by commas: by name, as a character, or as the README shows them."""
    read = ReadKeys([], [])
    entries = [text.strip()] if text.strip() == "," else text.split(",")
    for written in filter(None, map(str.strip, entries)):
        key = _key_named(written)
        (read.unknown if key is None else read.known).append(written if key is None else key)
    return read


def usable_keymap(keymap: Mapping[str, str]) -> dict[str, str]:
    """A keymap without keys that do not exist; an action that is left without a key keeps its own."""
    known = {name: ",".join(read_keys(keys).known) for name, keys in keymap.items()}
    return {name: keys for name, keys in known.items() if keys}


def _key_named(written: str) -> str | None:
    """The key as Textual names it, with its modifiers in the order of the alphabet; None if it does not exist."""
    *modifiers, name = [written] if len(written) == 1 else written.split("+")
    modifiers = sorted(map(str.lower, modifiers))
    is_character = len(name) == 1 and name not in _SHOWN
    name = _character_to_key(name) if is_character else _SHOWN.get(name.lower(), name.lower())
    if not set(modifiers) <= _MODIFIERS or not (name in _NAMES or key_to_character(name) is not None):
        return None
    return "+".join([*modifiers, name])
