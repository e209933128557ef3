"""The folders of memtui's own files, as the package for the folders of all systems has them."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from memtui_core.system.locations import config_file, data_dir
from memtui_core.system.own_folders import config_folder, data_folder
from support.systems import HOME_VARIABLE

DATA, CONFIG = "XDG_DATA_HOME", "XDG_CONFIG_HOME"


@pytest.mark.parametrize(
    "environment",
    [
        {"HOME": "/home/ana"},
        {"HOME": "/home/ana/"},
        {"HOME": "/"},
        {"HOME": "/home/ana", DATA: "/data", CONFIG: "/config/"},
        {"HOME": "/home/ana", DATA: "", CONFIG: "./relative"},
        {"HOME": "relative", DATA: "/data"},
        {"HOME": "/home/ana", "ANDROID_DATA": "/data"},
        {"HOME": ""},
        {},
    ],
)
def test_they_are_those_of_the_package_for_all_systems(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", DATA, CONFIG, "ANDROID_DATA", "MEMTUI_DATA_DIR", "MEMTUI_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    data, config = (
        folder("memtui", appauthor=False) for folder in (platformdirs.user_data_dir, platformdirs.user_config_dir)
    )
    assert (Path(data_folder()), Path(config_folder())) == (Path(data), Path(config))
    assert (data_dir(), config_file()) == (Path(data), Path(config, "config.toml"))


def test_a_variable_names_another_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    monkeypatch.setenv("MEMTUI_DATA_DIR", "~/index")
    monkeypatch.setenv("MEMTUI_CONFIG", "~/own.toml")
    assert (Path(data_folder()), config_file()) == (tmp_path / "index", tmp_path / "own.toml")
    assert (data_dir(), data_dir(Path("other"))) == (tmp_path / "index", Path("other"))
