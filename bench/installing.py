"""Cold installs: how long each way to install a program takes, and how much it puts on the disk.

python -m bench.installing [REQUIREMENT]... [--by pip pipx uv]

Each install starts without a cache, in a folder of its own: what a newcomer waits for. A requirement is a file in
dist/, or a name that the package index knows, so that other programs can stand beside. pipx and uv have to be
installed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.rows import Row, as_table

_INSTALLER: Final = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "wheel")
"""What is not counted: pip has it in each environment, pipx once for all, and uv not at all."""


@dataclass(frozen=True, slots=True)
class Installed:
    """A program in an environment of its own."""

    seconds: float
    megabytes: float
    """Without pip, and with the compiled modules, which uv leaves out."""
    programs: Path
    """The folder with its commands."""


def by_pip(requirement: str, folder: Path) -> Installed:
    """Install with pip into a bare environment, which is made meanwhile, too."""

    def commands() -> Iterator[list[str]]:
        yield [sys.executable, "-m", "venv", str(folder / "venv")]
        yield [str(folder / "venv" / "bin" / "python"), "-m", "pip", "install", "-q", "--no-cache-dir", requirement]

    return _timed(commands(), folder / "venv", folder / "venv" / "bin")


def by_pipx(requirement: str, folder: Path) -> Installed:
    """Install with `pipx install`."""
    places = {
        "PIPX_HOME": str(folder / "pipx"),
        "PIPX_BIN_DIR": str(folder / "bin"),
        "PIPX_MAN_DIR": str(folder / "man"),
    }
    command = [_program("pipx"), "install", "-q", "--backend", "pip", "--pip-args=--no-cache-dir", requirement]
    return _timed(iter([command]), folder / "pipx" / "venvs", folder / "bin", places)


def by_uv(requirement: str, folder: Path) -> Installed:
    """Install with `uv tool install`."""
    places = {"UV_TOOL_DIR": str(folder / "uv"), "UV_TOOL_BIN_DIR": str(folder / "bin")}
    command = [_program("uv"), "tool", "install", "-q", "--no-cache", "--python", sys.executable, requirement]
    return _timed(iter([command]), folder / "uv", folder / "bin", places)


INSTALLERS: Final[Mapping[str, Callable[[str, Path], Installed]]] = {"pip": by_pip, "pipx": by_pipx, "uv": by_uv}


def _program(name: str) -> str:
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise SystemExit(f"{name} is not installed.")
    return found


def _timed(
    commands: Iterator[list[str]], environment: Path, programs: Path, places: Mapping[str, str] | None = None
) -> Installed:
    started = time.perf_counter()
    for command in commands:
        run = subprocess.run(command, env={**os.environ, **(places or {})}, capture_output=True, text=True, check=False)
        if run.returncode:
            raise SystemExit(f"{' '.join(command)} ended with {run.returncode}:\n{run.stderr}")
    seconds = time.perf_counter() - started
    return Installed(seconds, _size(environment) / 1e6, programs)


def _size(folder: Path) -> int:
    """The bytes below a folder, in blocks as the disk has them, without what only installs."""
    total = 0
    for path, folders, files in os.walk(folder):
        if Path(path).name == "site-packages":
            folders[:] = [name for name in folders if name.partition("-")[0] not in _INSTALLER]
        total += sum((Path(path) / name).lstat().st_blocks * 512 for name in (*files, *folders))
    return total


def rows_of(name: str, installed: Installed) -> list[Row]:
    """The time and the size of one install."""
    return [Row(f"{name}: time", installed.seconds, "s"), Row(f"{name}: size", installed.megabytes, "MB")]


def main() -> None:
    """Install and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.installing")
    parser.add_argument("requirements", nargs="*")
    parser.add_argument("--by", nargs="*", choices=INSTALLERS, default=list(INSTALLERS))
    options = parser.parse_args()
    wheels = [str(path) for path in (Path(__file__).parents[1] / "dist").glob("*.whl")]
    rows: list[Row] = []
    for requirement in options.requirements or wheels:
        for name in options.by:
            with tempfile.TemporaryDirectory() as folder:
                installed = INSTALLERS[name](requirement, Path(folder))
            rows += rows_of(f"{Path(requirement).name.partition('-')[0]}, {name}", installed)
    print(as_table(rows))


if __name__ == "__main__":
    main()
