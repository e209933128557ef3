from __future__ import annotations

from pathlib import Path

import pytest

from memtui.config import Config, ConfigError, load_config


def test_no_file_means_the_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path / "none.toml") == Config(theme=None, keymap={})


def test_theme_and_keys(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text('theme = "nord"\n[keymap]\nsearch = "ctrl+f,slash"\n')
    assert load_config(path) == Config("nord", {"search": "ctrl+f,slash"})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("theme = 3", "theme must be a text"),
        ("thme = 'nord'", "unknown key 'thme'; known are theme, keymap and model"),
        ("keymap = 3", "keymap must be a table"),
        ("[keymap]\nsearch = 3", "keymap.search must be a text such as 'ctrl+f,slash'"),
        ("theme = ", "Invalid value (at end of document)"),
    ],
)
def test_a_fault_names_the_file_and_the_key(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        load_config(path)
    assert str(error.value) == f"{path}: {reason}"
