from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from memtui.app import MemtuiApp
from memtui.cli import cli
from memtui.keys.declarations import read_keys
from memtui.settings.config import Config, ConfigError, load_config, settings_in_use
from memtui_core.index.index import Index
from memtui_core.text.own_patterns import used_patterns
from support.screens import notices, settled


def test_no_file_means_the_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path / "none.toml") == Config(theme=None, keymap={})


def test_theme_and_keys(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text('theme = "nord"\n[keymap]\nsearch = "ctrl+f,slash"\n')
    assert load_config(path) == Config("nord", {"search": "ctrl+f,slash"})


@pytest.mark.parametrize("value", ["auto", "hnsw", "exact"])
def test_what_answers_searches_by_meaning(value: str, tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(f'vectors = "{value}"\n')
    assert load_config(path) == Config(vectors=value)


@pytest.mark.parametrize("value", ["auto", "plain"])
def test_how_the_model_is_run(value: str, tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(f'embedding = "{value}"\n')
    assert load_config(path) == Config(embedding=value)


@pytest.mark.parametrize("value", [True, False])
def test_whether_transcripts_are_archived(value: bool, tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(f"archive = {str(value).lower()}\n")
    assert (load_config(path), Config().archive) == (Config(archive=value), True)


def test_what_is_shared_with_the_team(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text('share = ["shop", "~/code/blog"]\n[team]\nmood = 1\n[team.groups]\nshop = ["backend", "ops"]\n')
    config = load_config(path)
    assert (config.share, config.groups) == (("shop", "~/code/blog"), {"shop": ("backend", "ops")})
    assert config.warnings == (f"{path}:3: there is no setting 'team.mood'; it is ignored.",)


def test_own_patterns_of_secrets(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text("[redact]\npatterns = ['ACME-[0-9]{12}', 'T-\\d+']\nmood = 1\n")
    config = load_config(path)
    assert config.patterns == ("ACME-[0-9]{12}", r"T-\d+")
    assert config.warnings == (f"{path}:3: there is no setting 'redact.mood'; it is ignored.",)


def test_a_command_redacts_by_the_patterns_in_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "c.toml"
    monkeypatch.setenv("MEMTUI_CONFIG", str(path))
    path.write_text("[redact]\npatterns = ['ACME-[0-9]{12}']\n")
    assert settings_in_use().patterns == used_patterns() == ("ACME-[0-9]{12}",)
    path.unlink()
    assert settings_in_use().patterns == used_patterns() == ()


@pytest.mark.spec("S1.12")
def test_how_much_is_handed_off(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text("[handoff]\ntool_context = false\nmax_result_chars = 500\n")
    assert load_config(path).handoff == {"tool_context": False, "max_result_chars": 500}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("theme = 3", 'theme must be text, such as "nord", and is 3.'),
        ("redact = 1", "redact must be a table: [redact], and is 1."),
        (
            "[redact]\npatterns = 'a'",
            'redact.patterns must be a list of texts, such as ["ACME-[0-9]{12}"], and is "a".',
        ),
        (
            "[redact]\npatterns = ['(']",
            "redact.patterns: '(' is no regular expression of RE2: missing ): (.",
        ),
        ("[redact]\npatterns = ['a*']", "redact.patterns: 'a*' matches an empty text."),
        ("model = ''", 'model must be text, the name of an embedding model, and is "".'),
        ("vectors = 3", 'vectors must be "auto", "hnsw" or "exact", and is 3.'),
        ('embedding = "cuda"', 'embedding must be "auto" or "plain", and is "cuda".'),
        ('archive = "no"', 'archive must be true or false, and is "no".'),
        ('vectors = "fast"', 'vectors must be "auto", "hnsw" or "exact", and is "fast".'),
        ("vectors = 'a \"b\"'", 'vectors must be "auto", "hnsw" or "exact", and is "a \\"b\\"".'),
        ("vectors = 2026-01-02", 'vectors must be "auto", "hnsw" or "exact", and is 2026-01-02.'),
        ("share = 'shop'", 'share must be a list of texts, such as ["shop", "~/code/blog"], and is "shop".'),
        ("share = ['']", 'share must be a list of texts, such as ["shop", "~/code/blog"], and is a list.'),
        ("share = ['~nobody-here/a']", "share: the home folder in '~nobody-here/a' is not known."),
        ("team = 3", "team must be a table: [team], and is 3."),
        ("[team]\ngroups = 3", "team.groups must be a table: [team.groups], and is 3."),
        ("[team.groups]\nshop = 3", 'team.groups.shop must be a list of texts, such as ["backend"], and is 3.'),
        ("[team.groups]\nshop = []", "team.groups.shop must name a group, and is empty."),
        ("[team.groups]\n'~nobody-here/a' = ['b']", "team.groups: the home folder in '~nobody-here/a' is not known."),
        ("keymap = 3", "keymap must be a table: [keymap], and is 3."),
        ("[keymap]\nsearch = 3", 'keymap.search must be text, such as "ctrl+f,slash", and is 3.'),
        ("handoff = 3", "handoff must be a table: [handoff], and is 3."),
        ("[handoff.tool_context]", "handoff.tool_context must be true or false, and is a table."),
        (
            "[handoff]\nmax_result_chars = true",
            "handoff.max_result_chars must be a number of characters, such as 2000, and is true.",
        ),
        (
            "[handoff]\nmax_result_chars = -1",
            "handoff.max_result_chars must be a number of characters, such as 2000, and is -1.",
        ),
        (
            '[retention]\nshop = "title"',
            'retention.shop must be "full", "text" or "titles", and is "title". Did you mean titles?',
        ),
        ("[retention]\n'' = \"text\"", "retention has a key without a name: write a project, a folder or default."),
        (
            "[keymap]\ntree.down = 'j'",
            'keymap.tree must be text, such as "ctrl+f,slash", and is a table. Write a name with a dot in quotes:'
            ' "tree.down".',
        ),
        (
            'vectors = "hnws"',
            'vectors must be "auto", "hnsw" or "exact", and is "hnws". Did you mean hnsw?',
        ),
        ("theme = ", "Invalid value (at end of document)"),
    ],
)
def test_a_fault_names_the_file_and_the_key(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        load_config(path)
    place = f"{path}:{text.count(chr(10)) + 1}" if "end of document" not in reason else str(path)
    assert str(error.value) == f"{place}: {reason}"


async def test_a_theme_that_does_not_exist_is_told(tmp_path: Path) -> None:
    app = MemtuiApp(tmp_path / "data", config=Config(theme="mauve"), run_indexer=False)
    async with app.run_test() as pilot:
        await settled(pilot)
        assert app.theme == "textual-dark"
        assert notices(pilot) == ["Settings: There is no theme 'mauve'."]


UNKNOWN = """
thme = "nord"
zebra = 1
model = "letters"

[handoff]
tool_context = false
max_results_chars = 3
"""


def test_what_memtui_does_not_know_is_ignored_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(UNKNOWN)
    assert load_config(path) == Config(
        handoff={"tool_context": False},
        model="letters",
        warnings=(
            f"{path}:2: there is no setting 'thme'; it is ignored. Did you mean theme?",
            f"{path}:3: there is no setting 'zebra'; it is ignored.",
            f"{path}:8: there is no setting 'handoff.max_results_chars'; it is ignored. Did you mean"
            " handoff.max_result_chars?",
        ),
    )


def test_commands_say_it_on_stderr_and_go_on(sample_index: Path, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("thme = 'nord'\n")
    session = Index.open(sample_index).sessions.all()[0]
    found = CliRunner().invoke(cli, ["handoff", session.session_id, "--data-dir", str(sample_index)])
    assert (found.exit_code, found.stdout.startswith("[CONTEXT FROM PREVIOUS SESSION]")) == (0, True)
    assert found.stderr.splitlines()[0] == (
        f"memtui: {tmp_path}/config.toml:1: there is no setting 'thme'; it is ignored. Did you mean theme?"
    )


def test_doctor_names_settings_ids_and_keys_that_have_no_effect(sample_index: Path, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(
        "thme = 'nord'\ntheme = 'nrod'\n[keymap]\nserach = 'ctrl+f'\n'tree.dwn' = 'x'\nsearch = 'strg+f, f, contrl+x'\n"
    )
    said = [
        f"memtui: {path}:1: there is no setting 'thme'; it is ignored. Did you mean theme?",
        f"memtui: {path}:2: There is no theme 'nrod'. Did you mean nord?",
        f"memtui: {path}:4: [keymap]: there is no id 'serach'; it is ignored. Did you mean search?",
        f"memtui: {path}:5: [keymap]: there is no id 'tree.dwn'; it is ignored. Did you mean tree.down?",
        f"memtui: {path}:6: [keymap] search: there is no key 'strg+f'; it is ignored.",
        f"memtui: {path}:6: [keymap] search: there is no key 'contrl+x'; it is ignored.",
    ]
    for json in ((), ("--json",)):
        found = CliRunner().invoke(cli, ["doctor", *json, "--data-dir", str(sample_index)])
        assert (found.exit_code, found.stderr.splitlines()) == (0, said)


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        ("ctrl+f,slash", ["ctrl+f", "slash"]),
        (" / , ?,`,A", ["slash", "question_mark", "grave_accent", "A"]),
        ("esc,pgdn,↓,⏎,del,backtick,-", ["escape", "pagedown", "down", "enter", "delete", "grave_accent", "minus"]),
        ("Ctrl+Alt+PageUp,shift+ctrl+up", ["alt+ctrl+pageup", "ctrl+shift+up"]),
        (",", ["comma"]),
        ("f12,é,日,plus,space", ["f12", "é", "日", "plus", "space"]),
    ],
)
def test_keys_are_read_as_they_are_shown(written: str, keys: list[str]) -> None:
    assert read_keys(written) == (keys, [])


def test_all_keys_of_the_documents_can_be_written_as_they_show_them() -> None:
    page = (Path(__file__).parents[3] / "docs" / "keys.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|[^|]*\| (`[^|]+`) \|[^|]*\| `[a-z.-]+` \|$", page, re.MULTILINE)
    assert len(rows) > 150
    assert [key for row in rows for key in re.findall(r"`([^`]+)`", row) if read_keys(key).unknown] == []


def test_keys_that_do_not_exist_are_told_from_others() -> None:
    assert read_keys("f,flash,ctrl+,+x,control+f,,") == (["f"], ["flash", "ctrl+", "+x", "control+f"])


def test_a_wrong_value_ends_a_command_with_1(sample_index: Path, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("theme = 3\n")
    found = CliRunner().invoke(cli, ["handoff", "x", "--data-dir", str(sample_index)])
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr == f'memtui: {tmp_path}/config.toml:1: theme must be text, such as "nord", and is 3.\n'


async def test_the_app_says_it_once(tmp_path: Path) -> None:
    app = MemtuiApp(tmp_path / "data", config=Config(warnings=("there is no setting 'thme'",)), run_indexer=False)
    async with app.run_test() as pilot:
        await settled(pilot)
        assert notices(pilot) == ["Settings: there is no setting 'thme'"]
