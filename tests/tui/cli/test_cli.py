from __future__ import annotations

import json
import re
import shutil
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli
from memtui.wording.formatting import day
from memtui_core.memory.observations.store import Observations
from memtui_core.readers.registry import all_readers
from memtui_core.search.embed.ways import Choice, Measured, write_choice
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.store.vectors.hnsw_building import build_index
from memtui_core.store.vectors.index_entry import building_path, read_entry, write_entry
from support.commands import every_command
from support.indexes import update
from support.transcripts import OTHER_SESSION, SESSION, Script

AT = "2026-11-01T09:00:00Z"
THIRD_SESSION = "33333333-3333-4333-8333-333333333333"


def as_text(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A transcript; read only."""
    script = Script()
    script.user("Please retry the upload")
    path = "/home/ana/code/shop/src/upload.py"
    script.calls("Edit", {"file_path": path, "old_string": "a", "new_string": "b"})
    script.result("changed the file")
    script.says("It retries now.")
    script.user("Does it log?")
    script.raw(
        {
            "type": "pr-link",
            "sessionId": SESSION,
            "prNumber": 14,
            "prUrl": "https://github.com/acme/shop/pull/14",
            "prRepository": "acme/shop",
            "timestamp": AT,
        }
    )
    script.lines.append(b"{broken")
    return script.write(tmp_path_factory.mktemp("src"))


def run(tmp_path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments, "--data-dir", str(tmp_path / "data")])


def objects(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, source: Path) -> Path:
    """The index of the transcript; read only."""
    folder = tmp_path_factory.mktemp("indexed")
    assert run(folder, "index", "--source", str(source)).exit_code == 0
    return folder / "data"


@pytest.fixture
def indexed(tmp_path: Path, built: Path) -> Path:
    """A folder whose `data` is a copy of that index, to be written into."""
    shutil.copytree(built, tmp_path / "data")
    return tmp_path


def test_the_version_is_that_of_the_package() -> None:
    result = CliRunner().invoke(cli, ["--version"])
    assert (result.stdout, result.stderr, result.exit_code) == (f"memtui {version('memtui')}\n", "", 0)


def test_index_says_what_it_did_on_stderr(tmp_path: Path, source: Path) -> None:
    result = run(tmp_path, "index", "--source", str(source))
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == (
        "Making vectors, which may take minutes; words and paths can already be searched.\n"
        "1 file read. The index holds 1 session, 2 turns.\n"
        "1 line could not be read: memtui doctor\n"
    )
    # There is nothing to make vectors of.
    again = run(tmp_path, "index", "--source", str(source))
    assert (again.exit_code, again.stdout) == (0, "")
    assert again.stderr == (
        "0 files read. The index holds 1 session, 2 turns.\n1 line could not be read: memtui doctor\n"
    )


def test_a_data_folder_that_cannot_be_made_is_told(tmp_path: Path, source: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    result = run(tmp_path / "file", "index", "--source", str(source))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"memtui: {tmp_path}/file/data cannot be the data folder: {tmp_path}/file is a file. Move that file, or choose"
        " another data folder with --data-dir or MEMTUI_DATA_DIR.\n"
    )


def test_options_before_a_command_are_options_of_the_command(tmp_path: Path, source: Path) -> None:
    data = tmp_path / "before"
    indexed = CliRunner().invoke(cli, ["--data-dir", str(data), "--source", str(source), "index", "--json"])
    assert [counts["files_read"] for counts in objects(indexed)] == [1]
    hits = CliRunner().invoke(cli, ["--data-dir", str(data), "search", "--json", "now"])
    assert [hit["session_id"] for hit in objects(hits)] == [SESSION]
    # What follows the command counts.
    empty = CliRunner().invoke(cli, ["--data-dir", str(data), "search", "now", "--data-dir", str(tmp_path / "none")])
    assert (empty.exit_code, empty.stdout) == (1, "")
    wrong = CliRunner().invoke(cli, ["--source", str(source), "search", "now"])
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "Error: memtui search has no option --source.\n" in wrong.stderr


def test_without_a_terminal_the_app_does_not_start(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["demo", "--data-dir", str(tmp_path / "data")])
    assert (result.exit_code, result.stdout) == (1, "")
    assert (
        result.stderr == "memtui: The app needs a terminal. memtui --help lists the commands that work without one.\n"
    )


def test_index_as_json(tmp_path: Path, source: Path) -> None:
    expected = {
        "files_read": 1,
        "turns_written": 2,
        "texts_embedded": 2,
        "sessions": 1,
        "turns": 2,
        "sources": 1,
        "failed_sources": 0,
        "skipped_lines": 1,
    }
    assert objects(run(tmp_path, "index", "--json", "--source", str(source))) == [expected]
    again = objects(run(tmp_path, "index", "--json", "--source", str(source)))
    assert again == [{**expected, "files_read": 0, "turns_written": 0, "texts_embedded": 0}]


def test_search_as_json(indexed: Path) -> None:
    (hit,) = objects(run(indexed, "search", "--json", "now"))
    assert hit.pop("score") > 0
    assert hit == {
        "session_id": SESSION,
        "agent": "claude-code",
        "member": "",
        "machine": "",
        "project": "shop",
        "title": "Please retry the upload",
        "turn": 1,
        "line": 0,
        "role": "turn",
        "started_at": AT,
        "snippet": "It retries now.",
        "why": ["words: now"],
        "passages": [{"block": 3, "first": 0, "last": 15, "source": "assistant"}],
        "path": None,
        "agent_title": "",
        "pinned": False,
        "archived": False,
        "tags": [],
        "notes": [],
    }


@pytest.mark.spec("S4.16")
def test_search_finds_a_file_by_its_name(indexed: Path) -> None:
    (hit,) = objects(run(indexed, "search", "--json", "upload.py"))
    assert (hit["turn"], hit["path"], hit["why"][0]) == (1, "src/upload.py", "edited src/upload.py")


@pytest.mark.spec("S3.7")
def test_hostile_queries_are_text(tmp_path: Path) -> None:
    named = ["src/pricing.ts", "C++", "what did we decide?", "it's", "open-mem", "AND", "--include-file"]
    script = Script()
    script.user("Hello")
    script.user(f"Here they are: {' '.join(named)}")
    assert run(tmp_path, "index", "--no-embed", "--source", str(script.write(tmp_path / "src"))).exit_code == 0
    found = {
        query: [hit["turn"] for hit in objects(run(tmp_path, "search", "--json", query))]
        for query in [*named, '"', "*", "", "(", "-open", "-x"]
    }
    others = {'"': [], "*": [], "": [], "(": [], "-open": [1], "-x": [2, 1]}
    assert found == {query: [2] for query in named} | others


def test_search_for_people(indexed: Path) -> None:
    result = run(indexed, "search", "now")
    assert result.stdout.splitlines()[0].startswith(f"{SESSION}:1  Please retry the upload · shop · 2026-11-01 ")
    assert result.stdout.splitlines()[1:] == ["    It retries now."]


def test_search_for_people_says_what_the_query_and_the_text_do_not(indexed: Path) -> None:
    assert run(indexed, "search", "upload.py").stdout.splitlines()[2] == "    edited src/upload.py"


def test_nothing_found_is_no_failure(indexed: Path) -> None:
    result = run(indexed, "search", "zebra")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "Nothing matched.\n")
    assert objects(run(indexed, "search", "--json", "zebra")) == []


def test_the_limit_is_kept(indexed: Path) -> None:
    assert len(objects(run(indexed, "search", "--json", "--limit", "1", "it"))) == 1
    assert run(indexed, "search", "--limit", "0", "it").exit_code == 2


def test_the_limit_counts_the_sessions_that_are_printed(tmp_path: Path) -> None:
    for number in range(3):
        script = Script(f"{number}{SESSION[1:]}", prefix=f"p{number}-")
        for turn in range(12):
            script.user(f"upload {turn}")
        script.write(tmp_path / "src")
    assert run(tmp_path, "index", "--no-embed", "--source", str(tmp_path / "src")).exit_code == 0
    lines = run(tmp_path, "search", '"upload"', "--limit", "2").stdout.splitlines()
    assert len({line.partition(":")[0] for line in lines if not line.startswith(" ")}) == 2
    more = [line for line in lines if line.startswith("    +")]
    assert [(len(line.split()), line.endswith(" …")) for line in more] == [(2 + 10 + 1, True)] * 2
    assert len(objects(run(tmp_path, "search", '"upload"', "--limit", "2", "--json"))) == 2


def test_files_as_json(indexed: Path) -> None:
    row = {
        "path": "src/upload.py",
        "edited": 1,
        "read": 0,
        "mentioned": 0,
        "sessions": 1,
        "first": AT,
        "last": AT,
        "project": "shop",
        "root": "/home/ana/code/shop",
    }
    assert objects(run(indexed, "files", "--json")) == [row]
    assert objects(run(indexed, "files", "--json", "upload.py")) == [row]
    assert objects(run(indexed, "files", "--json", "uplaod.py")) == [row]
    assert objects(run(indexed, "files", "--json", "zebra.txt")) == []


def test_the_turns_of_a_file_as_json(indexed: Path) -> None:
    assert objects(run(indexed, "files", "--json", "--sessions", "upload.py")) == [
        {
            "path": "src/upload.py",
            "kind": "edited",
            "tool": "Edit",
            "session_id": SESSION,
            "title": "Please retry the upload",
            "machine": "",
            "project": "shop",
            "turn": 1,
            "line": 0,
            "at": AT,
        }
    ]


def test_files_for_people(indexed: Path) -> None:
    lines = run(indexed, "files").stdout.splitlines()
    assert lines[0].split() == ["path", "edited", "read", "mentioned", "sessions", "first", "last", "project"]
    day, time = datetime.fromisoformat(AT).astimezone().strftime("%Y-%m-%d %H:%M").split()
    assert lines[1].split() == ["src/upload.py", "1", "0", "0", "1", day, time, day, time, "shop"]


def test_files_are_limited(tmp_path: Path) -> None:
    script = Script()
    script.user("Please round the prices")
    for name in ("a", "b", "c"):
        script.calls("Edit", {"file_path": f"/home/ana/code/shop/src/{name}.py", "old_string": "1", "new_string": "2"})
        script.result("ok")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    limits: dict[tuple[str, ...], tuple[int, str]] = {
        (): (3, ""),
        ("--limit", "3"): (3, ""),
        ("--limit", "2"): (2, "1 more file; --limit lists more.\n"),
        ("--sessions", "--limit", "1"): (1, "2 more turns; --limit lists more.\n"),
    }
    for options, (count, note) in limits.items():
        printed, as_json = run(tmp_path, "files", *options), run(tmp_path, "files", "--json", *options)
        heads = 0 if "--sessions" in options else 1
        assert (len(printed.stdout.splitlines()) - heads, printed.stderr) == (count, note)
        assert (len(objects(as_json)), as_json.stderr) == (count, "")
    assert "0 is not in the range" in run(tmp_path, "files", "--limit", "0").stderr


def test_show_as_json(indexed: Path) -> None:
    turns = objects(run(indexed, "show", "--json", SESSION[:8]))
    assert [(t["turn"], t["line"], t["kind"], t["role"], t["user"]) for t in turns] == [
        (1, 0, "human", "turn", "Please retry the upload"),
        (2, 4, "human", "turn", "Does it log?"),
    ]
    assert turns[0]["tools"] == ["Edit /home/ana/code/shop/src/upload.py"]
    assert [block["kind"] for block in turns[0]["blocks"]] == ["user", "tool_call", "tool_result", "text"]
    assert turns[0]["blocks"][2] == {
        "kind": "tool_result",
        "line": 2,
        "text": "changed the file",
        "tool": "Edit",
        "tool_id": "t1",
        "is_error": False,
        "at": "2026-11-01T09:00:20Z",
    }


@pytest.mark.parametrize(("span", "numbers"), [("2", [2]), ("1-2", [1, 2])])
def test_show_some_turns(indexed: Path, span: str, numbers: list[int]) -> None:
    assert [t["turn"] for t in objects(run(indexed, "show", "--json", f"{SESSION}:{span}"))] == numbers


@pytest.mark.parametrize("span", ["9", "x", "0"])
def test_show_a_turn_that_is_not_there(indexed: Path, span: str) -> None:
    result = run(indexed, "show", f"{SESSION}:{span}")
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.spec("S5.3")
def test_show_prints_what_the_app_shows(indexed: Path) -> None:
    at = datetime.fromisoformat(AT).astimezone()
    result = run(indexed, "show", SESSION)
    first = [
        f"── {SESSION}:1 ──",
        f"1 ● you  {day(at)} {at:%H:%M}",
        "    Please retry the upload",
        "",
        f"  ○ claude  {at:%H:%M} · 30 s · 1 tool · 10 tok",
    ]
    second = ["", f"── {SESSION}:2 ──", f"2 ● you  {at:%H:%M} · unanswered", "    Does it log?"]
    lines = result.stdout.splitlines()
    head = [
        "Please retry the upload",
        f"shop · Claude Code · branch main · {day(at)} {at:%H:%M}",
        "2 turns · 1 tool",
        "20 in · 10 out · under $0.01 · prices of 15 Feb 2026 · 30 s of work in 40 s",
        SESSION,
        "",
    ]
    assert lines == [
        *head,
        *first,
        "    ▸ Edit  src/upload.py  +1 −1",
        "",
        "    It retries now.",
        *second,
    ]
    full = run(indexed, "show", SESSION, "--full").stdout.splitlines()
    assert full == [
        *head,
        *first,
        "    ▾ Edit  src/upload.py  +1 −1",
        "      − a",
        "      + b",
        "",
        "    It retries now.",
        *second,
    ]


def test_show_without_tools(indexed: Path) -> None:
    text = run(indexed, "show", f"{SESSION}:1", "--no-tools").stdout
    assert ("Please retry the upload" in text, "It retries now." in text, "upload.py" in text) == (True, True, False)
    [turn] = objects(run(indexed, "show", f"{SESSION}:1", "--no-tools", "--json"))
    assert [block["kind"] for block in turn["blocks"]] == ["user", "text"]


def test_what_is_left_out_of_a_turn_does_not_change_how_far_it_has_come(tmp_path: Path) -> None:
    script = Script()
    script.user("Please retry the upload")
    script.calls("Edit", {"file_path": "/home/ana/code/shop/src/upload.py", "old_string": "a", "new_string": "b"})
    script.result("ok")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    texts = [run(tmp_path, "show", SESSION, *options).stdout for options in ([], ["--no-tools"])]
    assert [("Edit" in text, "unanswered" in text) for text in texts] == [(True, False), (False, False)]


def test_an_unknown_session_is_a_failure(indexed: Path) -> None:
    result = run(indexed, "show", "zebra")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "memtui: There is no session whose id begins with 'zebra'.\n"


@pytest.mark.spec("S2.14")
def test_prs_as_json(indexed: Path) -> None:
    link = {
        "number": 14,
        "url": "https://github.com/acme/shop/pull/14",
        "repository": "acme/shop",
        "session_id": SESSION,
        "title": "Please retry the upload",
        "project": "shop",
        "at": AT,
        "line": 5,
        "pr_title": "",
        "pr_title_turn": "",
        "state": None,
        "state_turn": "",
    }
    assert objects(run(indexed, "prs", "--json")) == [link] == objects(run(indexed, "prs", "14", "--json"))
    assert objects(run(indexed, "prs", "15", "--json")) == []
    assert "#14" in run(indexed, "prs").stdout
    assert objects(run(indexed, "prs", "--json", "--session", SESSION[:8])) == [link]
    assert run(indexed, "prs", "15", "--session", SESSION).stderr == "The session is not tied to #15.\n"
    assert run(indexed, "prs", "--session", "zebra").exit_code == 1
    # An empty variable of a shell names no session.
    assert [run(indexed, *arguments).exit_code for arguments in (("prs", "--session", ""), ("timeline", ""))] == [1, 1]


def test_doctor_as_json(indexed: Path, source: Path, tmp_path: Path) -> None:
    data = DataDir(indexed / "data")
    manifest = read_manifest(data)
    assert manifest is not None
    assert manifest.journal is not None
    storage_of_index = {
        "base": data.base(manifest.base).stat().st_size,
        "base_at": as_text(manifest.base_at),
        "delta": 0,
        "journal": data.journal(manifest.journal).stat().st_size,
        "vectors": 2 * (384 + 12) + data.vector_sums(1).stat().st_size,
        "lexicon": sum(path.stat().st_size for path in data.lexicon.iterdir()),
        "work": sum(path.stat().st_size for path in (data.work, data.work_log) if path.exists()),
        "published_at": as_text(manifest.published_at),
        "indexer_since": as_text(manifest.indexer_since),
        "written": manifest.written,
        "archive": 0,
    }
    assert manifest.written is None or manifest.written > storage_of_index["base"]  # type: ignore[operator]
    rows = objects(run(indexed, "doctor", "--json"))
    agents = rows[-1].pop("agents")
    assert agents[0] == {
        "agent": "claude-code",
        "name": "Claude Code",
        "locations": [{"path": str(Path.home() / ".claude" / "projects"), "exists": False}],
        "sessions": 1,
        "samples_only": False,
        "unknown_entries": {},
    }
    assert {agent["agent"] for agent in agents} == {reader.agent for reader in all_readers()}
    assert rows[-1].pop("broken_agents") == []
    archive = {"sessions": 0, "sources": 0, "size": 0}
    assert rows[-1].pop("health") == {"damage": [], "archive": archive, "broken_bytes": 0}
    assert rows == [
        {
            "path": str(source),
            "agent": "claude-code",
            "session_ids": [SESSION],
            "state": "partial",
            "lines": 7,
            "skipped": [{"line": 6, "reason": "not JSON"}],
            "error": None,
        },
        {
            "path": str(indexed / "data"),
            "agent": "memtui",
            "session_ids": [],
            "state": "ok",
            "lines": 0,
            "skipped": [],
            "error": None,
            "storage": storage_of_index,
            "settings": str(tmp_path / "config.toml"),
            "saved": 0,
            "sweeps": [],
            "forgotten": 0,
            "kept_too_much": 0,
            "vectors": {
                "answer": "exact",
                "reason": "an index of them is made from 2,000 vectors on",
                "short_reason": "",
                "vectors": 2,
                "indexed": 0,
                "newer": 0,
                "building": False,
                "built_at": None,
                "bytes": 0,
            },
            "embedding": None,
            "log": str(indexed / "data" / "memtui.log"),
            "machines": [],
        },
    ]


def test_doctor_for_people(indexed: Path, source: Path, tmp_path: Path) -> None:
    lines = run(indexed, "doctor").stdout.splitlines()
    missing = lines.pop(4)
    assert missing.startswith("         not found: Amazon Q Developer, Amp, Antigravity, Auggie, ")
    assert missing.endswith(", Zed")
    assert [re.sub(r"[\d.]+ [kMG]?B|\d{4}-\d\d-\d\d \d\d:\d\d", "#", line) for line in lines] == [
        "1 file: 1 read in part",
        "",
        "agents",
        "         Claude Code    1 session       1 file  files that you named",
        "",
        "needs attention",
        "         Claude Code: 1 file has lines that could not be read",
        f"           {source}, line 7: not JSON",
        "",
        f"index    {indexed / 'data'}",
        "         # base, # delta, # journal, # lexicon, # vectors, # work, # archive",
        "         newest #; # written since the indexer's start, #",
        "         database, lexicon, vectors and archive agree",
        "",
        "meaning  2 vectors",
        "         answered by comparing all vectors: an index of them is made from 2,000 vectors on",
        "",
        f"settings {tmp_path / 'config.toml'}, not made yet: memtui config",
        "",
        f"log      {indexed / 'data' / 'memtui.log'}, level WARNING (MEMTUI_LOG)",
    ]
    (tmp_path / "config.toml").touch()
    assert f"settings {tmp_path / 'config.toml'}" in run(indexed, "doctor").stdout.splitlines()


def test_doctor_names_the_places_that_hold_the_sessions(tmp_path: Path, source: Path) -> None:
    own = tmp_path / "home" / ".claude" / "projects"
    own.mkdir(parents=True)

    def places() -> str:
        lines = run(tmp_path, "doctor").stdout.splitlines()
        return next(line for line in lines if line.startswith("         Claude Code "))[48:]

    update(tmp_path / "data", source)
    assert places() == "files that you named"
    script = Script(OTHER_SESSION, prefix="o")
    script.user("Water the plants")
    script.write(own / "garden")
    update(tmp_path / "data", own)
    assert places() == "~/.claude/projects, files that you named"
    mirror = DataDir(tmp_path / "data").mirror("pi") / ".claude" / "projects"
    script = Script(THIRD_SESSION, prefix="m")
    script.user("Prune the trees")
    script.write(mirror / "garden")
    update(tmp_path / "data", mirror)
    assert places() == "~/.claude/projects, other machines, files that you named"


def test_doctor_of_an_index_of_an_earlier_version_says_what_it_knows(indexed: Path) -> None:
    data = DataDir(indexed / "data")
    manifest = read_manifest(data)
    assert manifest is not None
    data.current.write_text(str(manifest.base))
    lines = [re.sub(r"[\d.]+ [kM]B", "#", line) for line in run(indexed, "doctor").stdout.splitlines()[-9:-4]]
    assert lines == [
        "         # base, 0 B delta, 0 B journal, # lexicon, 0 B vectors, # work, 0 B archive",
        "         newest -",
        "         database, lexicon, vectors and archive agree",
        "",
        "meaning  no vectors yet, run memtui index",
    ]


def test_doctor_says_in_which_way_vectors_are_made_unless_the_settings_do(
    indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = (Measured("plain", 2000.4, 1.0), Measured("integers", 4100.0, 0.9996), Measured("cuda", 0.0, 0.0))
    write_choice(DataDir(indexed / "data").embedding, Choice("integers", "1.0 CPU", measured))
    line = (
        "         new ones are made by the way integers; tokens a second when it was chosen:"
        " plain 2,000, integers 4,100, cuda not"
    )
    assert line in run(indexed, "doctor").stdout.splitlines()
    [told] = [row["embedding"] for row in objects(run(indexed, "doctor", "--json")) if "embedding" in row]
    assert told["way"] == "integers"
    assert told["measured"][2] == {"way": "cuda", "rate": 0.0, "likeness": 0.0}
    config = tmp_path / "embedding.toml"
    config.write_text('embedding = "plain"\n')
    monkeypatch.setenv("MEMTUI_CONFIG", str(config))
    assert line not in run(indexed, "doctor").stdout.splitlines()


@pytest.mark.spec("S5.9")
def test_doctor_says_what_answers_searches_by_meaning(
    indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, config = DataDir(indexed / "data"), tmp_path / "vectors.toml"
    monkeypatch.setenv("MEMTUI_CONFIG", str(config))

    def said(mode: str) -> list[str]:
        config.write_text(f'vectors = "{mode}"\n')
        lines = run(indexed, "doctor").stdout.splitlines()
        place = lines.index("meaning  2 vectors")
        ours = [line.strip() for line in lines[place + 1 : -4]]
        return [re.sub(r"[\d.]+ [kM]B|\d{4}-\d\d-\d\d \d\d:\d\d", "#", line) for line in ours]

    exact = "answered by comparing all vectors: "
    assert said("exact") == [f"{exact}the settings say so"]
    assert said("auto") == [f"{exact}an index of them is made from 2,000 vectors on"]
    assert said("hnsw") == [f"{exact}the vector index is not built yet; an indexer with nothing else to do builds it"]
    data.vector_index.mkdir()
    building_path(data).touch()
    assert said("hnsw") == [f"{exact}the vector index is being built"]
    build_index(data)
    index = "index    of 2 vectors, #, built #"
    vss = "in the app and the MCP server the vector index answers; with filters all vectors are compared"
    assert said("hnsw") == [vss, f"{index}; a newer one is being built"]
    building_path(data).unlink()
    assert said("hnsw") == [vss, index]
    [answer] = [row["vectors"] for row in objects(run(indexed, "doctor", "--json")) if "vectors" in row]
    entry = read_entry(data)
    assert entry is not None
    assert answer == {
        "answer": "hnsw",
        "reason": "",
        "short_reason": "",
        "vectors": 2,
        "indexed": 2,
        "newer": 0,
        "building": False,
        "built_at": as_text(entry.built_at),
        "bytes": entry.bytes,
    }
    write_entry(data, entry._replace(engine="1.4.0"))
    assert said("hnsw") == [f"{exact}the index is of DuckDB 1.4.0, and this is {entry.engine}", index]
    write_entry(data, entry)
    entry.path(data).write_bytes(b"x" * entry.bytes)
    [reason, about] = said("hnsw")
    assert (reason.startswith(f"{exact}IO Error: "), "not a valid DuckDB" in reason, about) == (True, True, index)
    monkeypatch.setitem(sys.modules, "duckdb_extension_vss", None)
    assert said("hnsw") == [f"{exact}the package duckdb-extension-vss is not installed", index]


@pytest.mark.spec("S5.9")
def test_index_builds_the_vector_index_when_one_is_due(
    indexed: Path, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, config = DataDir(indexed / "data"), tmp_path / "vectors.toml"
    monkeypatch.setenv("MEMTUI_CONFIG", str(config))
    built = "Building the index of the vectors."
    said = {}
    for name, mode in (("off", "exact"), ("few", "auto"), ("due", "hnsw"), ("again", "hnsw")):
        config.write_text(f'vectors = "{mode}"\n')
        done = run(indexed, "index", "--source", str(source))
        entry = read_entry(data)
        said[name] = built in done.stderr, entry and (entry.number, entry.size)
    assert said == {"off": (False, None), "few": (False, None), "due": (True, (1, 2)), "again": (False, (1, 2))}


def test_doctor_tells_of_the_log_of_observations_too(indexed: Path) -> None:
    data = indexed / "data"
    Observations(data).save("s1", type="change", title="One", narrative="Done.")
    log = data / "observations.jsonl"
    assert run(indexed, "doctor").stdout.splitlines()[0] == "2 files: 1 read, 1 read in part"
    with log.open("ab") as file:
        file.write(b'no json\n{"half')
    lines = run(indexed, "doctor").stdout.splitlines()
    assert lines[lines.index("         memtui: 1 file has lines that could not be read") + 1] == (
        f"           {log}, line 2: not JSON, and 1 other line"
    )
    log.unlink()
    log.mkdir()
    assert objects(run(indexed, "doctor", "--json"))[1]["error"] == f"{log} cannot be read: Is a directory."


def test_doctor_tells_of_lines_that_are_no_annotations(indexed: Path) -> None:
    run(indexed, "pin", SESSION)
    log = indexed / "data" / "annotations.jsonl"
    with log.open("ab") as file:
        file.write(b"no json\n")
    row = next(row for row in objects(run(indexed, "doctor", "--json")) if row["path"] == str(log))
    assert (row["state"], row["lines"], row["skipped"]) == ("partial", 2, [{"line": 1, "reason": "not JSON"}])
    assert f"           {log}, line 2: not JSON" in run(indexed, "doctor").stdout.splitlines()


@pytest.mark.parametrize("command", [["search", "x"], ["files"], ["show", "x"], ["prs"], ["doctor", "--json"]])
def test_without_an_index_every_command_says_what_to_do(tmp_path: Path, command: list[str]) -> None:
    result = run(tmp_path, *command)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"memtui: Nothing is indexed in {tmp_path / 'data'} yet. Run: memtui index\n"


def test_before_the_first_index_doctor_names_the_agents_that_are_found(tmp_path: Path) -> None:
    (tmp_path / "home" / ".claude" / "projects").mkdir(parents=True)
    (tmp_path / "home" / ".codex" / "sessions").mkdir(parents=True)
    result = run(tmp_path, "doctor")
    head, *found, missing = result.stdout.splitlines()
    assert (result.exit_code, head, found) == (
        1,
        "agents",
        ["         Claude Code  ~/.claude/projects", "         Codex        ~/.codex/sessions"],
    )
    assert missing.startswith("         not found: Amazon Q Developer, Amp, ")
    assert result.stderr == f"memtui: Nothing is indexed in {tmp_path / 'data'} yet. Run: memtui index\n"


@pytest.mark.parametrize("arguments", [["search"], ["zebra"], ["prs", "x"], ["index", "--source", "/nonexistent"]])
def test_wrong_usage_ends_with_2(tmp_path: Path, arguments: list[str]) -> None:
    result = CliRunner().invoke(cli, arguments)
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["search", "rate limit", "--limt", "3"], "--limit"),
        (["search", "--lmit=3", "upload"], "--limit"),
        (["search", "upload", "--data", "here"], "--data-dir"),
        (["search", "--limit", "3", "--JSN", "upload"], "--json"),
        (["recall", "upload", "--flie", "a.py"], "--file"),
    ],
)
def test_a_word_of_a_query_that_resembles_an_option_is_refused(indexed: Path, arguments: list[str], meant: str) -> None:
    result = run(indexed, *arguments)
    word = next(word for word in arguments if word.startswith("--") and word != "--limit").partition("=")[0]
    said = f"Error: No such option '{word}'. Did you mean {meant}?"
    way_out = f"What follows -- is text: memtui {arguments[0]} -- {word}"
    assert (result.exit_code, result.stdout, result.stderr.splitlines()[-1]) == (2, "", f"{said} {way_out}")


@pytest.mark.parametrize(
    "words",
    [["--", "--limt"], ["does --limt work"], ["--limt --jsn"], ["--no-verify"], ["--include-file=x"], ["-limt"]],
)
def test_other_words_of_a_query_that_look_like_options_are_text(indexed: Path, words: list[str]) -> None:
    result = CliRunner().invoke(cli, ["search", "--data-dir", str(indexed / "data"), "--limit", "1", *words])
    assert (result.exit_code, "No such option" in result.stderr) == (0, False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serach", "foo"], "No such command 'serach'. Did you mean search?"),
        (["stat"], "No such command 'stat'. Did you mean stats or statusline?"),
        (["zebra"], "No such command 'zebra'."),
        (["--sorce", "x"], "No such option '--sorce'. Did you mean --source?"),
        (["files", "--session"], "No such option '--session'. Did you mean --sessions?"),
        (["show", "x", "--zebra"], "No such option '--zebra'."),
        (["export", "x", "--no-t"], "No such option '--no-t'. Did you mean --no-tools or --no-thinking?"),
    ],
)
def test_what_was_probably_meant_is_said(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(cli, arguments)
    assert (result.exit_code, result.stdout, result.stderr.splitlines()[-1]) == (2, "", f"Error: {said}")


def test_the_page_of_commands_documents_every_command_and_json_field(indexed: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "commands.md").read_text(encoding="utf-8")
    # Not what is generated below.
    page = page.partition("## Options of each command")[0]
    for name, command in every_command().items():
        assert f"memtui {name}" in page
        for option in command.params:
            for flag in (
                flag for flag in option.opts if flag.startswith("--") and not getattr(option, "hidden", False)
            ):
                assert flag in page, f"{name} {flag}"
    recall = ["recall", "--file", "upload.py"]
    queries = (
        ["search", "now"],
        recall,
        ["files"],
        ["files", "--sessions"],
        ["show", SESSION],
        ["prs"],
        ["stats"],
        ["doctor"],
    )
    for query in queries:
        for key in objects(run(indexed, *query, "--json"))[0]:
            assert re.search(rf"`{key}`", page), f"{query[0]} {key}"


@pytest.mark.spec("S4.21")
def test_recall_prints_what_an_agent_reads(indexed: Path) -> None:
    found = run(indexed, "recall", "--everywhere", "what is in src/upload.py?")
    assert found.stdout == (
        "## Relevant past context\n\n### Memory 1 (distance: 0.4000)\n"
        f"[{SESSION}:1 · 2026-11-01 · Please retry the upload]\n"
        "[User] Please retry the upload\n\n[Assistant] It retries now.\n\n"
        "[Tools] Edit /home/ana/code/shop/src/upload.py\n\n[User] Does it log?\n\n"
    )
    [memory] = json.loads(run(indexed, "recall", "--json", "--file", "upload.py").stdout)
    assert (memory["session_id"], memory["turn"], memory["distance"], memory["files"]) == (
        SESSION,
        1,
        None,
        ["src/upload.py"],
    )


@pytest.mark.spec("S4.21")
def test_nothing_to_recall_prints_nothing(indexed: Path) -> None:
    result = run(indexed, "recall", "--session", SESSION, "what is in src/upload.py?")
    assert (result.stdout, result.stderr, result.exit_code) == ("", "Nothing to recall.\n", 0)


@pytest.mark.spec("S4.22")
def test_recall_of_a_file_has_its_path_and_no_distances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = tmp_path / "shop"
    (shop / "src").mkdir(parents=True)
    script = Script(cwd=str(shop))
    script.user("Please retry the upload")
    script.calls("Edit", {"file_path": f"{shop}/src/a.rs", "old_string": "a", "new_string": "b"})
    assert run(tmp_path, "index", "--source", str(script.write(tmp_path / "transcripts"))).exit_code == 0
    monkeypatch.chdir(shop)
    expected = (
        "## Past context for src/a.rs\n\n### Memory 1\n"
        f"[{SESSION}:1 · 2026-11-01 · Please retry the upload]\n"
        f"[User] Please retry the upload\n\n[Tools] Edit {shop}/src/a.rs\n\n"
    )
    for path in (f"{shop}/src/a.rs", "src/a.rs", "./src//a.rs"):
        result = run(tmp_path, "recall", "--file", path)
        assert (result.stdout, result.stderr, result.exit_code) == (expected, "", 0)
    for outside in ("/etc/hosts", "../shop2/src/a.rs"):
        result = run(tmp_path, "recall", "--file", outside)
        assert (result.stdout, result.stderr, result.exit_code) == ("", "Nothing to recall.\n", 0)


def test_recall_wants_a_query_or_a_file(indexed: Path) -> None:
    for arguments in ([], ["a query", "--file", "a.py"]):
        result = run(indexed, "recall", *arguments)
        assert (result.exit_code, "Give a query, or a file by --file." in result.stderr) == (2, True)
