"""What is made of the declared settings agrees with how they are read: the default file, the schema, the lines."""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from memtui.browse.actions.settings_file import default_settings, key_groups, mistakes_in, settings_schema
from memtui.browse.keymap_check import declared_keys
from memtui.settings.config import Config
from memtui.settings.declared import SETTINGS
from memtui.settings.documents import schema_text
from memtui.settings.lines import lines_of_keys
from memtui.settings.reading import config_of, read_settings
from memtui_core.memory.handoff.model import HandoffOptions

ROOT = Path(__file__).parents[3]
DEFAULT = default_settings()
NOWHERE = Path("/nonexistent")


def uncommented(line: str) -> str:
    """A line of the default file that sets something or begins a table, with its mark taken away."""
    return line.removeprefix("# ") if re.match(r'# (("[^"]*"|[\w-]+) = |\[[\w.]+\]$)', line) else line


def test_the_default_file_gives_exactly_the_defaults() -> None:
    read = read_settings(DEFAULT)
    assert (config_of(read.given), read.mistakes) == (Config(), ())
    # What is written at its end belongs to no table.
    assert tomllib.loads(f"{DEFAULT}exclude = ['project:shop']\n") == {"exclude": ["project:shop"]}


def test_every_line_of_the_default_file_can_be_taken_as_it_is() -> None:
    text = "\n".join(map(uncommented, DEFAULT.split("\n")))
    read = read_settings(text)
    assert mistakes_in(text, NOWHERE) == []
    assert {setting.name: read.given[setting] for setting in SETTINGS} == {
        **{setting.name: tomllib.loads(f"x = {setting.example}")["x"] for setting in SETTINGS if not setting.is_table},
        "retention": {"default": "full", "payroll": "titles", "~/clients": "text"},
        "team.groups": {"shop": ["backend"]},
        "keymap": {entry.id: entry.keys for group in key_groups().values() for entry in group},
    }


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("exclude = ['project:shop']", "exclude stands in [keymap]: write it above the first line in brackets."),
        (
            "vectors = 'hnsw'",
            "[keymap]: there is no id 'vectors'; it is ignored."
            " It is a setting of its own: write it above the first line in brackets.",
        ),
    ],
)
def test_a_setting_below_a_table_is_told_its_place(line: str, said: str) -> None:
    text = f"[keymap]\nsearch = 'x'\n{line}\n"
    assert [(mistake.line, mistake.text) for mistake in mistakes_in(text, NOWHERE)] == [(3, said)]


def test_the_default_file_has_every_key_once() -> None:
    ids = [entry.id for group in key_groups().values() for entry in group]
    assert len(ids) == len(set(ids)) > 200
    assert set(ids) == {key.id for key in declared_keys()}
    assert next(iter(key_groups())) == "everywhere"
    assert DEFAULT.startswith("#:schema ./memtui.schema.json\n")


def test_the_defaults_are_those_that_count() -> None:
    options = {field.name: field.default for field in dataclasses.fields(HandoffOptions)}
    declared = {setting.name: setting.default for setting in SETTINGS}
    handoff = {name.partition(".")[2]: value for name, value in declared.items() if name.startswith("handoff.")}
    assert handoff == {name: options[name] for name in handoff}
    config = Config()
    own = {name: getattr(config, name) for name in ("theme", "archive", "model", "vectors", "embedding")}
    assert {name: declared[name] for name in own} == own


WRONG: list[tuple[str, str]] = [
    ("theme = 3", "theme"),
    ("thme = 'nord'", ""),
    ("vectors = 'hnws'", "vectors"),
    ("archive = 'no'", "archive"),
    ("sources = ['']", "sources"),
    ("[handoff]\nmax_result_chars = -1", "handoff.max_result_chars"),
    ("[handoff]\nmax = 1", "handoff"),
    ("[retention]\nshop = 'none'", "retention.shop"),
    ("[team.groups]\nshop = []", "team.groups.shop"),
    ("[keymap]\nserach = 'x'", "keymap"),
    ("[keymap]\nsearch = 3", "keymap.search"),
    ("redact = 1", "redact"),
]
RIGHT = [
    "",
    "theme = 'mine'\nvectors = 'hnsw'\nsources = ['~/a']\n[retention]\ndefault = 'text'\n'~/b' = 'full'",
    "[keymap]\nsearch = 'ctrl+f'\n'tree.down' = 'x'\n[team.groups]\nshop = ['a', 'b']\n[redact]\npatterns = ['a7+']",
]


def validator() -> Any:
    schema = settings_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize(("text", "place"), WRONG)
def test_the_schema_refuses_what_memtui_refuses(text: str, place: str) -> None:
    errors = [".".join(map(str, error.absolute_path)) for error in validator().iter_errors(tomllib.loads(text))]
    assert [error.rpartition(".0")[0] or error for error in errors] == [place]
    assert len(mistakes_in(text, NOWHERE)) == 1


@pytest.mark.parametrize("text", RIGHT)
def test_the_schema_takes_what_memtui_takes(text: str) -> None:
    assert list(validator().iter_errors(tomllib.loads(text))) == []
    assert read_settings(text).mistakes == ()


def test_the_schema_in_the_repository_is_that_of_now() -> None:
    kept = (ROOT / "docs" / "memtui.schema.json").read_text("utf-8")
    assert kept == schema_text(settings_schema()), "make tables"
    assert json.loads(kept)["properties"]["vectors"]["enum"] == ["auto", "hnsw", "exact"]


FILE = '''# a comment with key = 1

theme = "nord"
sources = [  # a list
  "[not.a.header]",
  "x = 1",
]
model = """
vectors = 'no'
"""
handoff.tool_context = true
[retention]
"~/a.b" = "text"   # a key in quotes
[ team . groups ]
shop = ["a"]
[keymap]
'tree.down' = "j"
inline = { a = 1, "b.c" = 2 }
'''


def test_keys_are_found_on_their_lines() -> None:
    assert lines_of_keys(FILE) == {
        ("theme",): 3,
        ("sources",): 4,
        ("model",): 8,
        ("handoff",): 11,
        ("handoff", "tool_context"): 11,
        ("retention",): 12,
        ("retention", "~/a.b"): 13,
        ("team",): 14,
        ("team", "groups"): 14,
        ("team", "groups", "shop"): 15,
        ("keymap",): 16,
        ("keymap", "tree.down"): 17,
        ("keymap", "inline"): 18,
        ("keymap", "inline", "a"): 18,
        ("keymap", "inline", "b.c"): 18,
    }
    assert lines_of_keys(FILE.replace("\n", "\r\n")) == lines_of_keys(FILE)


MISTAKES = """theme = "nrod"
exclude = ["agent:cursr", "~/a"]
patterns = ["x"]
vectors = "hnws"
[retention]
shop = "title"
[keymap]
"tree.dwn" = "x"
search = "strg+f"
tree.up = "k"
"""


def test_all_mistakes_are_found_with_their_lines_and_what_was_meant() -> None:
    assert [(mistake.line, mistake.text) for mistake in mistakes_in(MISTAKES, NOWHERE)] == [
        (1, "There is no theme 'nrod'. Did you mean nord?"),
        (2, "exclude: there is no agent 'cursr'. Did you mean agent:cursor?"),
        (3, "there is no setting 'patterns'; it is ignored. Did you mean redact.patterns?"),
        (4, 'vectors must be "auto", "hnsw" or "exact", and is "hnws". Did you mean hnsw?'),
        (6, 'retention.shop must be "full", "text" or "titles", and is "title". Did you mean titles?'),
        (
            10,
            'keymap.tree must be text, such as "ctrl+f,slash", and is a table. Write a name with a dot in quotes:'
            ' "tree.up".',
        ),
    ]
    # What is right in a table counts only with all of it.
    text = MISTAKES.replace('tree.up = "k"\n', "")
    assert [(mistake.line, mistake.text) for mistake in mistakes_in(text, NOWHERE)][-2:] == [
        (8, "[keymap]: there is no id 'tree.dwn'; it is ignored. Did you mean tree.down?"),
        (9, "[keymap] search: there is no key 'strg+f'; it is ignored."),
    ]


def test_a_file_that_is_no_toml_has_one_mistake() -> None:
    [mistake] = mistakes_in('theme = "nord"\nvectors = \n', NOWHERE)
    assert (mistake.line, mistake.text) == (2, "Invalid value (at line 2, column 11)")


def test_own_themes_are_known(tmp_path: Path) -> None:
    (tmp_path / "harbor.toml").write_text('primary = "#4f8a8b"\n', "utf-8")
    assert mistakes_in('theme = "harbor"', tmp_path) == []
    [mistake] = mistakes_in('theme = "harbur"', tmp_path)
    assert mistake.text == "There is no theme 'harbur'. Did you mean harbor?"
