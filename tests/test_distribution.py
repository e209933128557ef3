"""What a release is made of: its version, the lock, the recipes and its notes."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path
from shutil import which

import pytest
from packaging.requirements import Requirement

from tools.make_recipes import LOCK, recipes
from tools.release_notes import notes

ROOT = Path(__file__).parents[1]
CHANGELOG = """# Changelog

## [Unreleased]

## [0.2.0] - 2026-12-01

### Added

- A plugin.

## [0.1.0] - 2026-11-27

- The first release.
"""


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "memtui-0.2.0-py3-none-any.whl"
    path.write_bytes(b"a wheel")
    return path


def test_the_notes_of_a_release_are_its_section() -> None:
    assert notes(CHANGELOG, "0.2.0") == "### Added\n\n- A plugin.\n"
    assert notes(CHANGELOG, "0.1.0") == "- The first release.\n"
    with pytest.raises(KeyError):
        notes(CHANGELOG, "0.3.0")


def test_a_version_without_a_section_is_not_released() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tools.release_notes", "99.0"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (1, "", "CHANGELOG.md has no section [99.0].\n")


def test_the_lock_has_each_dependency_in_an_allowed_version_with_hashes() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    entries = re.split(r"\n(?=\S)", LOCK.read_text("utf-8").partition("\n")[2].strip())
    locked: dict[str, set[str]] = {}
    for entry in entries:
        name, version = re.match(r"([\w-]+)==(\S+)", entry).groups()  # type: ignore[union-attr]
        assert "--hash=sha256:" in entry, name
        locked.setdefault(name, set()).add(version)
    for text in project["dependencies"]:
        wanted = Requirement(text)
        versions = locked.get(re.sub(r"[._]", "-", wanted.name.lower()), set())
        assert versions, f"make lock: {wanted.name} is missing"
        assert all(wanted.specifier.contains(version) for version in versions), f"make lock: {wanted}"


def test_recipes_install_the_wheel_with_the_lock_and_compare_both(wheel: Path) -> None:
    made = recipes(wheel)
    assert list(made) == ["memtui.rb", "PKGBUILD", ".SRCINFO"]
    digests = [sha256(path.read_bytes()).hexdigest() for path in (wheel, LOCK)]
    release = "https://github.com/memtui/memtui/releases/download/v0.2.0"
    for text in made.values():
        assert re.findall(r"\b[0-9a-f]{64}\b", text) == digests
        assert re.findall(r"https://\S+/releases/[^\s\"]+", text) == [
            f"{release}/memtui-0.2.0-py3-none-any.whl",
            f"{release}/requirements.txt",
        ]
    assert 'version "0.2.0"' in made["memtui.rb"]
    assert "pkgver=0.2.0\n" in made["PKGBUILD"]


@pytest.mark.parametrize(("name", "checker"), [("memtui.rb", ["ruby", "-c"]), ("PKGBUILD", ["bash", "-n"])])
def test_a_recipe_is_valid_in_its_language(name: str, checker: list[str], wheel: Path, tmp_path: Path) -> None:
    if which(checker[0]) is None:
        pytest.skip(f"{checker[0]} is not installed")
    path = tmp_path / name
    path.write_text(recipes(wheel)[name], "utf-8")
    run = subprocess.run([*checker, str(path)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
