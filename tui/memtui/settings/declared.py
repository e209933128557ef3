"""Every setting, declared once: from here come reading and its messages, the default file, the schema and the docs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from memtui.settings.kinds import Flag, Keys, Kind, Number, OneOf, Table, Text, Texts
from memtui_core.model import DEFAULT_MODEL, RETENTIONS
from memtui_core.readers.exclusions import Exclusions, RetentionRules

VECTOR_ANSWERS: Final = ("auto", "hnsw", "exact")
"""The values of the setting `vectors`."""
EMBEDDING_WAYS: Final = ("auto", "plain")
"""The values of the setting `embedding`."""
_IN_THE_APP: Final = "from the next start of the app, and at once when it is edited from its palette"
_INDEXER: Final = "from the next memtui index, and from the next start of the app"
_COMMANDS: Final = "for the next command, and from the next start of the app"


def _pattern_problem(pattern: str) -> str:
    """Why an expression cannot be used; empty if it can."""
    from memtui_core.text.own_patterns import problem

    return f"{pattern!r} {reason}." if (reason := problem(pattern)) else ""


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """A setting: where it stands in the file, what it may be, and what is said of it."""

    name: str
    """With the table before it: `team.groups`."""
    kind: Kind
    default: Any
    """The value that counts without it, as TOML has it."""
    comment: str
    """What it does, in one or two sentences."""
    example: str
    """The value as TOML writes it; for a table its lines."""
    counts: str
    """From when a change counts, as the end of a sentence."""
    unset: str = ""
    """What counts without it, in words, if the default does not say it."""
    field: str = ""
    """The field of `Config`, if that has another name; several settings may be parts of one mapping."""
    make: Callable[[Any], Any] = _as_it_is
    """The value of the field."""

    @property
    def keys(self) -> Keys:
        """The keys that lead to it."""
        return tuple(self.name.split("."))

    @property
    def is_table(self) -> bool:
        """Whether it has a header of its own in the file."""
        return isinstance(self.kind, Table)


SETTINGS: Final[tuple[Setting, ...]] = (
    Setting(
        "theme", Text('text, such as "nord"'), None,
        "The colours of the app: a theme of the palette, or one of your own.",
        '"nord"', _IN_THE_APP, unset="the theme that was chosen last in the app",
    ),
    Setting(
        "sources", Texts('["~/private"]'), [],
        "Folders and files of transcripts to read besides the agents' own folders.",
        '["~/old-laptop/transcripts"]', _INDEXER, make=lambda value: tuple(map(Path, value)),
    ),
    Setting(
        "exclude", Texts('["~/private"]'), [],
        "What never enters the index: folders with everything in them, projects and agents."
        " What was indexed before stays until memtui forget --excluded.",
        '["~/private", "project:payroll", "agent:cursor"]', _INDEXER, field="exclusions", make=Exclusions,
    ),
    Setting(
        "archive", Flag(), True,
        "Whether the bytes of transcripts are kept, so that memtui restore can bring back those that an agent deletes."
        " What is archived stays.",
        "false", _INDEXER,
    ),
    Setting(
        "model", Text("text, the name of an embedding model"), DEFAULT_MODEL,
        "The model for search by meaning: the included one, or with memtui[models] one that fastembed lists, "
        "which is downloaded once. All vectors are made again.",
        '"BAAI/bge-small-en-v1.5"', _INDEXER,
    ),
    Setting(
        "vectors", OneOf(VECTOR_ANSWERS), "auto",
        'What answers a search by meaning: an index from 2,000 vectors on ("auto"), an index of any number of vectors'
        ' ("hnsw"), or all vectors one by one ("exact").',
        '"exact"', _COMMANDS,
    ),
    Setting(
        "embedding", OneOf(EMBEDDING_WAYS), "auto",
        'How the default model is run: in the way that is the fastest here ("auto"), or as it is ("plain").'
        " memtui doctor shows the ways.",
        '"plain"', _INDEXER,
    ),
    Setting(
        "share", Texts('["shop", "~/code/blog"]'), [],
        "Projects, by name or folder, that memtui team push sends to the team. Without it, nothing is shared.",
        '["shop", "~/code/site"]', _COMMANDS, make=tuple,
    ),
    Setting(
        "retention", Table(OneOf(RETENTIONS), "a project, a folder or default", "retention"), {},
        'How much of new sessions is kept, by project or folder: everything ("full"), no results, patches and thinking'
        ' ("text"), or only titles, models and counts ("titles"). Of several that fit, the one that keeps the least.',
        'default = "full"\npayroll = "titles"\n"~/clients" = "text"', _INDEXER, unset="everything",
        make=RetentionRules,
    ),
    Setting(
        "redact.patterns", Texts('["ACME-[0-9]{12}"]', _pattern_problem), [],
        "Secrets of your own, as expressions of RE2. They are replaced in what is stored, too.",
        "['ACME-[0-9]{12}']", _INDEXER, field="patterns", make=tuple,
    ),
    Setting(
        "hooks.digest", Flag(), True,
        "Whether an agent gets a digest of its project at the start of a session: the last sessions, checks"
        " that failed, and what you decided.",
        "false", "from the next session of an agent", field="digest",
    ),
    Setting(
        "handoff.tool_context", Flag(), True,
        "Whether a hand-off has the tool calls with their results, or the summary only.",
        "false", _COMMANDS, field="handoff",
    ),
    Setting(
        "handoff.max_result_chars", Number("a number of characters, such as 2000"), 2000,
        "The longest result in a hand-off, in characters.",
        "4000", _COMMANDS, field="handoff",
    ),
    Setting(
        "handoff.max_tool_context_chars", Number("a number of characters, such as 2000"), 60_000,
        "All results of a hand-off together, in characters.",
        "30000", _COMMANDS, field="handoff",
    ),
    Setting(
        "handoff.include_interrupted", Flag(), True,
        "Whether a hand-off lists calls that got no result.",
        "false", _COMMANDS, field="handoff",
    ),
    Setting(
        "team.groups",
        Table(Texts('["backend"]', lambda group: "", "must name a group, and is empty."), "a project or a folder",
              "team.groups"),
        {},
        "The groups of the team that see a project, by its name or folder; everyone sees the other shared projects.",
        'shop = ["backend"]', _COMMANDS, unset="everyone", field="groups",
        make=lambda value: {name: tuple(groups) for name, groups in value.items()},
    ),
    Setting(
        "keymap", Table(Text('text, such as "ctrl+f,slash"'), "the id of a key", "keymap", lambda name: ""), {},
        "Keys of your own, by their ids; several keys are separated by commas.",
        'search = "ctrl+f,slash"', _IN_THE_APP, unset="the keys of the app",
    ),
)  # fmt: skip
"""In the order of the default file: tables come last, as TOML wants it."""

BY_KEYS: Final = {setting.keys: setting for setting in SETTINGS}
TABLES: Final = dict.fromkeys(setting.keys[:1] for setting in SETTINGS if len(setting.keys) > 1)
"""The tables that hold settings, such as `handoff`."""


def table_of(setting: Setting) -> str:
    """The header of the table in which a setting stands; empty for the top of the file."""
    return setting.name if setting.is_table else ".".join(setting.keys[:-1])
