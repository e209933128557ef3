"""Build the wheel and the sdist, install each in every usual way, and try what was installed.

python -m tools.make_dist [--tests PATH...]

Each of pip, pipx and uv installs each file without a cache. What is installed must say the version of the file, show
the sample sessions in a terminal, and answer a question by meaning without a network. The tests run from the unpacked
sdist, against the wheel. The files stay in dist/, with the recipes that `tools.make_recipes` writes and the lock.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from bench.installing import INSTALLERS, rows_of
from bench.rows import Row, as_table
from support.terminal import Terminal
from tools.make_recipes import DIST, LOCK, ROOT, recipes

_TESTS: Final = ("tests/core/search", "tests/tui/cli/test_cli.py")
"""What runs from the sdist unless another part is named: all of it takes as long as `make test`."""
_TITLE: Final = "Fix flaky uploads"
"""A session of the samples."""
_QUESTION: Final = "users must not call us too often"
"""What is answered by meaning, too."""
_NO_NETWORK: Final = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")


def build() -> tuple[Path, Path]:
    """Make both files from nothing; the wheel and the sdist."""
    shutil.rmtree(DIST, ignore_errors=True)
    # The wheel is built from the sdist, as others do it.
    _run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT))
    [wheel], [sdist] = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    _run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist))
    return wheel, sdist


def try_out(programs: Path, version: str, folder: Path) -> None:
    """Use what was installed as a newcomer does, in a home folder of its own. Raises AssertionError."""
    memtui = str(programs / "memtui")
    home = folder / "home"
    home.mkdir()
    environment = {
        "HOME": str(home),
        "PATH": os.defpath,
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "MEMTUI_DATA_DIR": str(folder / "index"),
        **_NO_NETWORK,
    }
    assert _run(memtui, "--version", env=environment) == f"memtui {version}\n"
    terminal = Terminal([memtui, "demo"], environment, (100, 30))
    terminal.until_shown(_TITLE)
    terminal.type("q")
    code, _ = terminal.end()
    assert code == 0, f"memtui demo ended with {code}"
    _run(memtui, "index", "--source", str(ROOT / "sample_sessions" / "projects"), env=environment)
    hits = json.loads(_run(memtui, "search", _QUESTION, "--json", env=environment))
    assert any(reason.startswith("meaning ") for hit in hits for reason in hit["why"]), hits


def run_tests(wheel: Path, sdist: Path, tests: list[str], folder: Path) -> None:
    """Run tests of the unpacked sdist in an environment of their own, in which its folders are not in the path."""
    with tarfile.open(sdist) as tar:
        tar.extractall(folder, filter="data")
    source = folder / sdist.name.removesuffix(".tar.gz")
    python = str(folder / "venv" / "bin" / "python")
    _run(sys.executable, "-m", "venv", str(folder / "venv"))
    _run(python, "-m", "pip", "install", "-q", "--upgrade", "pip>=25.1")
    _run(python, "-m", "pip", "install", "-q", f"{wheel}[team,models]")
    _run(python, "-m", "pip", "install", "-q", "--group", f"{source / 'pyproject.toml'}:test")
    command = [python, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", *tests]
    if subprocess.run(command, cwd=source, check=False).returncode:
        raise SystemExit("The tests of the sdist failed.")


def _run(*command: str, env: dict[str, str] | None = None) -> str:
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if run.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {run.returncode}:\n{run.stdout}{run.stderr}")
    return run.stdout


def main() -> None:
    """Build, install, try, test, and print what an install takes."""
    parser = argparse.ArgumentParser(prog="python -m tools.make_dist")
    parser.add_argument("--tests", nargs="*", default=list(_TESTS))
    options = parser.parse_args()
    wheel, sdist = build()
    version = wheel.name.split("-")[1]
    rows: list[Row] = []
    for file in (wheel, sdist):
        for name, install in INSTALLERS.items():
            with tempfile.TemporaryDirectory() as folder:
                installed = install(str(file), Path(folder))
                rows += rows_of(f"{'wheel' if file == wheel else 'sdist'}, {name}", installed)
                try_out(installed.programs, version, Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        run_tests(wheel, sdist, options.tests, Path(folder))
    for name, text in recipes(wheel).items():
        (DIST / name).write_text(text, "utf-8", newline="\n")
    shutil.copy(LOCK, DIST)
    print(as_table(rows))


if __name__ == "__main__":
    main()
