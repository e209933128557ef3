"""Write `sample_sessions/`: invented transcripts, the same bytes on every run.

Usage: python tools/make_samples.py [--check]. With --check nothing is written, and the exit code is 1 when the files
that are there differ from those that would be written.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.samples.stories import build  # noqa: E402

TARGET = ROOT / "sample_sessions"


def differing(files: dict[str, str]) -> list[str]:
    """Return the paths that are missing, differ or should not be there, sorted."""
    there = {path.relative_to(TARGET).as_posix(): path for path in (TARGET / "projects").rglob("*") if path.is_file()}
    wrong = [name for name, text in files.items() if name not in there or there[name].read_bytes() != text.encode()]
    return sorted([*wrong, *(set(there) - set(files))])


def write(files: dict[str, str]) -> None:
    """Bring the folder to exactly these files."""
    for name in differing(files):
        path = TARGET / name
        if name in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files[name].encode())
        else:
            path.unlink()


def main(arguments: list[str]) -> int:
    """Run the command and return its exit code."""
    files = build()
    if "--check" in arguments:
        wrong = differing(files)
        sys.stderr.writelines(f"differs: {name}\n" for name in wrong)
        return 1 if wrong else 0
    write(files)
    size = sum(len(text.encode()) for text in files.values())
    sys.stderr.write(f"{len(files)} files, {size // 1000} kB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
