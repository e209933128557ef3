"""Two results of a bench are compared row by row."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.compare import Compared, Unreadable, compare, main, read, table
from bench.rows import Row, as_json

ROOT = Path(__file__).parents[2]


def written(path: Path, *rows: Row) -> Path:
    path.write_text(as_json(rows))
    return path


def test_rows_are_compared_by_name_with_their_noise(tmp_path: Path) -> None:
    before = written(
        tmp_path / "a.json",
        Row("index", 8.0, "s", 0.5, "a bare pass"),
        Row("search", 4.0, "ms", samples=(3.9, 4.0, 4.1)),
        Row("start", 1.0, "s", samples=(0.9, 1.0, 1.3)),
        Row("twice", 1.0, "s", samples=(1.0, 1.0)),
        Row("nothing", 0.0, "MB"),
        Row("gone", 1.0, "s"),
    )
    after = written(
        tmp_path / "b.json",
        Row("new", 2.0, "MB"),
        Row("nothing", 1.0, "MB"),
        Row("twice", 9.0, "s", samples=(9.0, 9.0, 9.0)),
        Row("start", 1.2, "s", samples=(1.1, 1.2, 1.4)),
        Row("search", 2.0, "ms", samples=(1.9, 2.0, 3.8)),
        Row("index", 2.0, "s", 0.5, "a bare pass"),
    )
    rows = list(compare(read(before), read(after)))
    assert rows == [
        Compared("index", "s", 8.0, 2.0, ""),
        Compared("search", "ms", 4.0, 2.0, "beyond noise"),
        Compared("start", "s", 1.0, 1.2, "within noise"),
        Compared("twice", "s", 1.0, 9.0, ""),
        Compared("nothing", "MB", 0.0, 1.0, ""),
        Compared("gone", "s", 1.0, None, "only before"),
        Compared("new", "MB", None, 2.0, "only after"),
    ]
    assert [row.ratio for row in rows] == [0.25, 0.5, 1.2, 9.0, None, None, None]
    assert table(rows[:2]).splitlines() == [
        "             before        after         ratio",
        "index             8            2 s       0.250",
        "search            4            2 ms      0.500  beyond noise",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read: No such file or directory"),
        ("{", "is not JSON"),
        ("\ud800", "is not JSON"),
        ("{}", "has no rows"),
        ("[]", "has no rows"),
        ('[{"name": "index"}]', 'has a row without a name and a value: {"name": "index"}'),
        ('[{"value": 1}]', 'has a row without a name and a value: {"value": 1}'),
        ('[{"name": "index", "value": "fast"}]', "has a row without a name and a value"),
        ("[3]", "has a row without a name and a value: 3"),
    ],
)
def test_what_is_no_result_is_said(
    tmp_path: Path, text: str | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    good = written(tmp_path / "good.json", Row("index", 1.0, "s"))
    bad = tmp_path / "bad.json"
    if text is not None:
        bad.write_bytes(text.encode(errors="surrogatepass"))
    with pytest.raises(Unreadable, match=r"bad\.json"):
        read(bad)
    assert main([str(good), str(bad)]) == 1
    output, errors = capsys.readouterr()
    assert (output, errors.startswith(f"{bad} "), said in errors) == ("", True, True)


def test_the_command_ends_with_its_exit_code(tmp_path: Path) -> None:
    result = written(tmp_path / "a.json", Row("index", 1.0, "s"))

    def run(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "bench", "compare", *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    code, output = run(str(result), str(result))
    assert (code, output.splitlines()[1].split()) == (0, ["index", "1", "1", "s", "1.000"])
    assert [run(str(result))[0], run(str(result), str(tmp_path / "none"))[0]] == [1, 1]
