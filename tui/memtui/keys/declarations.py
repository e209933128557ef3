"""Keys: what a key is, those of the app and of the main screen, and the keys that the keymap of the settings names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Final, NamedTuple

from textual.binding import Binding
from textual.keys import KEY_DISPLAY_ALIASES, REPLACED_KEYS, Keys, _character_to_key, key_to_character


@dataclass(frozen=True)
class Key(Binding):
    """A key with its action, and all that status line, help, palette, settings and documents say of it."""

    description: str = field()
    """The name of its action in status line, help and palette."""
    tooltip: str = field()
    """What it does, in a sentence, in help, palette and documents."""
    id: str = field()
    """Its name in the keymap of the settings."""
    _: KW_ONLY
    synonyms: str = ""
    """Other words for what it does, by which help and palette find it."""
    show: bool = False
    """Whether the status line shows it; help and palette then list it before others."""
    stays: bool = False
    """Whether the status line shows it in any width."""
    spare: int = 0
    """Its place, from 1, among the keys that the status line shows only where there is room for all others; else 0."""
    likely: int = 0
    """Its place, from 1, among the actions of screen and app that users look for in the palette; else 0."""
    moves: bool = False
    """Whether it only moves the cursor or scrolls: help and palette list it last."""
    needs_turn: bool = False
    """Whether its action is about the open turn: the main screen disables it where no transcript is beside the list."""
    beside: bool = False
    """Whether this key of the transcript also works in the list beside it."""
    where: str = ""
    """Where it works, as the documents say it; `keys` sets it."""
    priority: bool = False
    key_display: str | None = None

    def __post_init__(self) -> None:
        if not (self.description and self.tooltip and self.id):
            raise TypeError(f"a key needs a name, a sentence and an id: {self}")
        object.__setattr__(self, "group", _Origin(self))

    @property
    def action_name(self) -> str:
        """The action without its parameters."""
        return self.action.partition("(")[0]


class _Origin(Binding.Group):
    """The key of a binding: Textual makes plain bindings of a `Key`, and of our fields only passes on the group."""

    key: Key

    def __init__(self, key: Key) -> None:
        super().__init__()
        object.__setattr__(self, "key", key)


def key_of(binding: Binding) -> Key | None:
    """The key of which Textual made a binding; None for a binding of Textual's own widgets."""
    return binding.group.key if isinstance(binding.group, _Origin) else None


def keys(where: str, *declared: Key) -> list[Any]:
    """`BINDINGS` of keys that work in one part of the app, such as `files`; keys that other widgets share keep theirs.

    The items are of the type `Key`, but Textual's lists of bindings accept no list of a subclass.
    """
    return [replace(key, where=key.where or where) for key in declared]


EVERYWHERE: Final = "everywhere"
"""Where the keys of the main screen and of the app work."""

BROWSE_KEYS: Final[list[Key]] = keys(
    EVERYWHERE,
    Key("slash", "search", "Search", "Search, or in files and compactions filter the list", "search",
        synonyms="find grep look query words meaning", show=True, likely=1),
    Key("L", "live", "Live", "Show the sessions that run, or wait for your answer", "live",
        synonyms="running waiting active now agents question permission", likely=9),
    Key("ctrl+o,alt+left", "jump(-1)", "Jump back", "Go to what was read previously, as it was", "jump-back",
        synonyms="previous history undo", spare=8),
    Key("alt+right", "jump(1)", "Jump forward", "Go to what was read next, as it was", "jump-on",
        synonyms="next history redo"),
    Key("i", "inspector", "Inspect", "Show or hide thinking, tools, files and facts", "inspector",
        synonyms="thinking tools details side panel sidebar", show=True, needs_turn=True, likely=7),
    Key("J", "turn(1)", "Next turn", "Go to the next turn of the transcript beside the list", "turn-down",
        needs_turn=True),
    Key("K", "turn(-1)", "Previous turn", "Go to the previous turn of the transcript beside the list", "turn-up",
        needs_turn=True),
    Key("z", "zoom", "Zoom", "Give the pane most of the room, all of it, or its own again", "zoom",
        synonyms="maximize full wide", spare=7),
    Key("plus", "resize(1)", "Larger", "Make the pane larger", "larger", synonyms="grow wide resize width"),
    Key("minus,underscore", "resize(-1)", "Smaller", "Make the pane smaller", "smaller",
        synonyms="shrink narrow resize width"),
    Key("escape", "back", "Back", "Go one step back", "back"),
    Key("Y", "copy_id", "Copy id", "Copy the session's id and the turn's number", "copy-id",
        synonyms="clipboard yank session link", needs_turn=True, likely=8),
    Key("e", "export", "Export", "Write the session to a file in this folder", "export",
        synonyms="html markdown json save write file download print", needs_turn=True, likely=2, spare=2),
    Key("E", "export_turn", "Export turn", "Write the turn to a file in this folder", "export-turn",
        synonyms="html markdown json save write file download print", needs_turn=True),
    Key("P", "share_session", "Share copy", "Look through a copy for other people, and write or copy it", "share",
        synonyms="publish redact anonymize privacy html markdown issue github send", needs_turn=True),
    Key("H", "handoff", "Hand off", "Hand off the session to another agent", "handoff",
        synonyms="continue context prompt another agent claude codex handover", needs_turn=True, likely=3, spare=1),
    Key("C", "commits", "Commits", "Show the commits of the session, and the turns behind one", "commits",
        synonyms="git commit sha", needs_turn=True),
    Key("F", "fixes", "Fixes", "Show where the errors of the turn came up before, and what mended them", "fixes",
        synonyms="error mended solved again same", needs_turn=True),
    Key("r", "resume", "Resume", "Resume the session in its agent", "resume",
        synonyms="continue restart claude codex open session again", needs_turn=True, likely=4, spare=3),
    Key("W", "rewind", "Rewind", "Go on from this turn, or from before this compaction, in a new session", "rewind",
        synonyms="fork branch back earlier checkpoint before compaction resume", needs_turn=True, spare=9),
    Key("tab", "pane(1)", "Next pane", "Go to the next pane", "next-pane"),
    Key("shift+tab", "pane(-1)", "Previous pane", "Go to the previous pane", "last-pane"),
    Key("R", "refresh_index", "Refresh", "Look for a newer index now", "refresh", synonyms="reload update index again"),
)  # fmt: skip
"""The keys of the main screen, beside those that show its views."""

APP_KEYS: Final[list[Key]] = keys(
    EVERYWHERE,
    Key("question_mark,f1", "toggle_help", "Keys", "Show all keys of the focused pane", "help",
        synonyms="shortcuts bindings manual legend hotkeys cheat sheet", show=True, stays=True, likely=6),
    Key("ctrl+p,colon", "command_palette", "Palette", "List all actions by name", "palette",
        synonyms="commands actions"),
    Key("q", "quit", "Quit", "Quit memtui", "quit", synonyms="exit close leave", show=True),
    Key("ctrl+q", "quit", "Quit", "Quit memtui, also while typing", "force-quit", priority=True),
    Key("ctrl+z", "suspend_process", "Suspend", "Go to the shell; fg returns", "suspend",
        synonyms="shell background terminal"),
)  # fmt: skip

HELP_KEY: Final = Key(
    "question_mark,f1", "app.toggle_help", "Keys", "Show all keys of this screen", "help",
    synonyms="shortcuts bindings manual legend hotkeys cheat sheet",
)  # fmt: skip
"""For modal screens, which the keys of the app do not reach."""


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
"""Keys by what the documents and the app call them."""


def read_keys(text: str) -> ReadKeys:
    """The keys of an entry, separated by commas: by name, as a character, or as the documents show them."""
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
