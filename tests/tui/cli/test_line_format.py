"""The option `--format` of `memtui sessions` and `memtui search`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli
from memtui.cli.reading import search, sessions
from memtui.cli.shell.line_format import LineFormat
from memtui_core.index.index import Index
from support.indexes import update
from support.transcripts import SESSION, Script


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("formats")
    script = Script(SESSION)
    script.user("Fix the\tupload\x1b]0;owned\x07\nof herons")
    script.says("Done.")
    script.write(folder / "src")
    update(folder / "data", folder / "src")
    index = Index.open(folder / "data")
    index.annotations.tag(index.sessions.find(SESSION).key, ["release", "later"])
    return folder / "data"


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments, "--data-dir", str(data)])


def test_a_line_has_the_fields_cleaned_and_on_one_line(data: Path) -> None:
    line = r"{id}\t{title}\t{turns}\t{pinned}\t{tags}\t{forked_from}\t{started_at}\t{end}\\t{{id}}"
    assert run(data, "sessions", "--format", line).stdout == (
        f"{SESSION}\tFix the upload of herons\t1\tfalse\trelease, later\t\t2026-11-01T09:00:00Z"
        '\t{"kind":"clean","turn":1,"line":1,"quote":""}\\t{id}\n'
    )
    hit = run(data, "search", "herons", "--format", r"{id}\t{role}\t{snippet}")
    assert hit.stdout == f"{SESSION}:1\tturn\tof herons\n"


def test_the_fields_are_those_of_json(data: Path) -> None:
    [session] = json.loads(run(data, "sessions", "--json").stdout)
    [hit] = json.loads(run(data, "search", "herons", "--json").stdout)
    assert (tuple(session), tuple(hit)) == (sessions.FIELDS, search.FIELDS)
    for command, fields in ((("sessions",), sessions.FIELDS), (("search", "herons"), search.FIELDS)):
        assert run(data, *command, "--format", "".join(f"{{{name}}}" for name in fields)).exit_code == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{titel}", "There is no field 'titel'. Did you mean title?"),
        ("{zzz}", "There is no field 'zzz'; there are: id, session_id"),
        ("{}", "There is no field ''"),
        ("{title", "a single { is written {{."),
        ("title}", "a single } is written }}."),
    ],
)
def test_a_format_that_is_wrong_is_wrong_usage(data: Path, line: str, said: str) -> None:
    result = run(data, "sessions", "--format", line)
    assert (result.exit_code, result.stdout, said in result.stderr) == (2, "", True)


def test_other_cases(data: Path) -> None:
    assert run(data, "sessions", "--format", "{id}", "--json").exit_code == 2
    assert run(data, "search", "herons", "--format", "{id}", "--json").exit_code == 2
    nothing = run(data, "search", "zebra", "--format", "{id}")
    assert (nothing.exit_code, nothing.stdout, nothing.stderr.splitlines()[-1]) == (0, "", "Nothing matched.")
    assert LineFormat("plain", ()).line({}) == "plain"
