"""Write the column of tests in docs/spec.md: which test files prove each requirement."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
SPEC = ROOT / "docs" / "spec.md"
_MARK = re.compile(r"^ *@pytest\.mark\.spec\((.+)\)$", re.MULTILINE)
_ID = re.compile(r'"(S\d\.\d+)"')
_ROW = re.compile(r"^\| (S\d\.\d+) \| (.+) \|(.*)\|$", re.MULTILINE)


def proofs(folder: Path) -> dict[str, list[str]]:
    """The ids of requirements in the marks of tests, with the sorted paths of their files below `folder`."""
    files = defaultdict[str, list[str]](list)
    for path in sorted(folder.rglob("test_*.py")):
        marks = _MARK.findall(path.read_text(encoding="utf-8"))
        for row in {row for mark in marks for row in _ID.findall(mark)}:
            files[row].append(path.relative_to(folder).as_posix())
    return dict(files)


def ids(spec: str) -> list[str]:
    """The ids of the requirements in the order of their rows."""
    return [row[1] for row in _ROW.finditer(spec)]


def with_proofs(spec: str, files: Mapping[str, Iterable[str]]) -> str:
    """The requirements with the files of their tests as they are now."""

    def with_files(row: re.Match[str]) -> str:
        tests = " ".join(f"`{path}`" for path in files.get(row[1], ()))
        return f"| {row[1]} | {row[2]} | {tests} |"

    return _ROW.sub(with_files, spec)


if __name__ == "__main__":
    SPEC.write_text(
        with_proofs(SPEC.read_text(encoding="utf-8"), proofs(ROOT / "tests")), encoding="utf-8", newline="\n"
    )
