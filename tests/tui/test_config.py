from __future__ import annotations

from pathlib import Path

import pytest

from memtui.app import MemtuiApp
from memtui.config import Config, ConfigError, load_config
from support.screens import settled


def test_no_file_means_the_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path / "none.toml") == Config(theme=None, keymap={})


def test_theme_and_keys(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text('theme = "nord"\n[keymap]\nsearch = "ctrl+f,slash"\n')
    assert load_config(path) == Config("nord", {"search": "ctrl+f,slash"})


def test_s1_12_how_much_is_handed_off(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text("[handoff]\ntool_context = false\nmax_result_chars = 500\n")
    assert load_config(path).handoff == {"tool_context": False, "max_result_chars": 500}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("theme = 3", "theme must be a text"),
        ("thme = 'nord'", "unknown key 'thme'; known are theme, keymap, model and handoff"),
        ("keymap = 3", "keymap must be a table"),
        ("[keymap]\nsearch = 3", "keymap.search must be a text such as 'ctrl+f,slash'"),
        ("handoff = 3", "handoff must be a table"),
        (
            "[handoff]\nresults = 3",
            "unknown key 'handoff.results'; known are tool_context, max_result_chars, max_tool_context_chars,"
            " include_interrupted",
        ),
        ("[handoff]\ntool_context = 1", "handoff.tool_context must be true or false"),
        ("[handoff]\nmax_result_chars = true", "handoff.max_result_chars must be a number of characters"),
        ("[handoff]\nmax_result_chars = -1", "handoff.max_result_chars must be a number of characters"),
        ("theme = ", "Invalid value (at end of document)"),
    ],
)
def test_a_fault_names_the_file_and_the_key(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        load_config(path)
    assert str(error.value) == f"{path}: {reason}"


async def test_a_theme_that_does_not_exist_is_told(tmp_path: Path) -> None:
    app = MemtuiApp(tmp_path / "data", config=Config(theme="mauve"), run_indexer=False)
    async with app.run_test() as pilot:
        await settled(pilot)
        assert app.theme == "textual-dark"
        assert "There is no theme 'mauve'." in [note.message for note in app._notifications]
