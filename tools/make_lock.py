"""Write packaging/requirements.txt: every dependency of memtui with its hashes, for all systems and versions of Python.

python -m tools.make_lock [--upgrade]

Versions that are locked stay, unless pyproject.toml no longer allows them, or with `--upgrade`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.make_recipes import LOCK, ROOT

_HEAD = "# Every dependency with its hashes, for each system. Made by `make lock`.\n"


def main() -> None:
    """Resolve and write."""
    uv = str(Path(sys.executable).with_name("uv"))
    options = "--quiet --universal --generate-hashes --no-annotate --no-header --python-version 3.11"
    command = [uv, "pip", "compile", *options.split(), "--output-file", str(LOCK), *sys.argv[1:]]
    subprocess.run([*command, str(ROOT / "pyproject.toml")], check=True)
    LOCK.write_text(_HEAD + LOCK.read_text("utf-8"), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
