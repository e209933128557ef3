"""docs/spec.md and the tests that prove its rows name each other."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tools.make_spec import ids, proofs, with_proofs

ROOT = Path(__file__).parents[1]
SPEC = (ROOT / "docs" / "spec.md").read_text(encoding="utf-8")
_REFERENCE = re.compile(r"\bS\d\.\d+")


def order(row: str) -> tuple[int, ...]:
    return tuple(map(int, row[1:].split(".")))


def test_every_requirement_is_proven_and_every_id_in_a_test_is_a_requirement() -> None:
    assert ids(SPEC) == sorted(proofs(ROOT / "tests"), key=order)


def test_the_files_of_the_tests_are_as_they_are() -> None:
    assert with_proofs(SPEC, proofs(ROOT / "tests")) == SPEC, "make spec"


def test_ids_are_found_in_the_marks_of_tests(tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "test_b.py").write_text('@pytest.mark.spec("S1.9", "S0.22")\ndef test_both() -> None: ...\n')
    (tmp_path / "core" / "test_a.py").write_text(
        'class T:\n    @pytest.mark.spec("S1.9")\n    def test_it(self): ...\n'
    )
    (tmp_path / "support.py").write_text('@pytest.mark.spec("S3.1")\ndef test_not_in_a_test_file() -> None: ...\n')
    files = proofs(tmp_path)
    assert files == {"S0.22": ["test_b.py"], "S1.9": ["core/test_a.py", "test_b.py"]}
    rows = "| S1.9 | It is so. | `old.py` |\n| S1.10 | It is `a` or `b`. |  |\n| id | requirement | tests |\n"
    assert ids(rows) == ["S1.9", "S1.10"]
    assert with_proofs(rows, files) == (
        "| S1.9 | It is so. | `core/test_a.py` `test_b.py` |\n"
        "| S1.10 | It is `a` or `b`. |  |\n"
        "| id | requirement | tests |\n"
    )


def test_sources_state_the_reason_instead_of_the_id_of_a_row() -> None:
    sources = [path for folder in ("core", "tui", "bench") for path in sorted((ROOT / folder).rglob("*.py"))]
    assert [str(path) for path in sources if _REFERENCE.search(path.read_text(encoding="utf-8"))] == []


def test_an_option_runs_the_tests_of_a_row() -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "--spec", "S1.9"]
    file = "tests/core/memory/handoff/test_handoff.py"
    shown = subprocess.run([*command, file], cwd=ROOT, capture_output=True, text=True, check=True)
    tests = [line for line in shown.stdout.splitlines() if "::" in line]
    assert tests == [f"{file}::test_a_partial_read_wins_and_tells_of_the_full_one"]
