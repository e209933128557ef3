"""docs/spec.md and the tests that prove its rows name each other."""

from __future__ import annotations

import re
from pathlib import Path

from tools.make_spec import ids, proofs, with_proofs

ROOT = Path(__file__).parents[1]
SPEC = (ROOT / "docs" / "spec.md").read_text(encoding="utf-8")
_REFERENCE = re.compile(r"docs/spec\.md ([^)\n]*?S\d[\dS., and-]*)")


def order(row: str) -> tuple[int, ...]:
    return tuple(map(int, row[1:].split(".")))


def test_every_requirement_is_proven_and_every_id_in_a_test_is_a_requirement() -> None:
    assert ids(SPEC) == sorted(proofs(ROOT / "tests"), key=order)


def test_the_files_of_the_tests_are_as_they_are() -> None:
    assert with_proofs(SPEC, proofs(ROOT / "tests")) == SPEC, "make spec"


def test_ids_are_found_in_the_names_of_tests(tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "test_b.py").write_text("def test_s1_09_s0_22_both() -> None: ...\ndef test_plain() -> None: ...\n")
    (tmp_path / "core" / "test_a.py").write_text("class T:\n    async def test_s1_09_again(self) -> None: ...\n")
    (tmp_path / "support.py").write_text("def test_s3_01_not_a_test_file() -> None: ...\n")
    files = proofs(tmp_path)
    assert files == {"S0.22": ["test_b.py"], "S1.9": ["core/test_a.py", "test_b.py"]}
    rows = "| S1.9 | It is so. | `old.py` |\n| S1.10 | It is `a` or `b`. |  |\n| id | requirement | tests |\n"
    assert ids(rows) == ["S1.9", "S1.10"]
    assert with_proofs(rows, files) == (
        "| S1.9 | It is so. | `core/test_a.py` `test_b.py` |\n"
        "| S1.10 | It is `a` or `b`. |  |\n"
        "| id | requirement | tests |\n"
    )


def test_code_names_rows_that_exist() -> None:
    known = set(ids(SPEC))
    known |= {row.partition(".")[0] for row in known}
    named = {
        (path.relative_to(ROOT).as_posix(), row)
        for folder in ("core", "tui", "bench", "tools", "tests")
        for path in (ROOT / folder).rglob("*.py")
        for reference in _REFERENCE.findall(path.read_text(encoding="utf-8"))
        for row in re.findall(r"S\d(?:\.\d+)?", reference)
    }
    assert "S4.17" in {row for _, row in named}
    assert [(path, row) for path, row in sorted(named) if row not in known] == []
