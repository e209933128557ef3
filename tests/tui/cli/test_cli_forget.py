"""`memtui forget` removes what is named or what the settings exclude, asks first, and brings it back."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from threading import Event, Thread

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli
from memtui.system.log_file import VARIABLE, log_file
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.kept.forgetting import waiting_forgets
from memtui_core.ingest.watch import watch_locations
from memtui_core.readers.locations import Location
from memtui_core.store.data_folder import DataDir
from memtui_core.store.requests import Requests
from support.contents import files_containing
from support.indexes import update
from support.transcripts import DAY, OTHER_SESSION, SESSION, Script

SHOWN = f"pay: 1 session of claude-code, 1 Nov 2026, 1 turn\n  {SESSION}  Round the amounts\n"
"""What goes of one project."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Transcripts of two projects in `src`, and their index in `data`; read only."""
    folder = tmp_path_factory.mktemp("built")
    for script in (Script(cwd="/home/ana/private/pay"), Script(OTHER_SESSION, prefix="f")):
        script.user("Round the amounts")
        script.write(folder / "src" / script.cwd.rpartition("/")[2])
    update(folder / "data", folder / "src")
    return folder


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    """A copy of the index; the settings exclude one of its projects since."""
    data = Path(shutil.copytree(built / "data", tmp_path / "data"))
    config = Path(os.environ["MEMTUI_CONFIG"])
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('exclude = ["/home/ana/private/**"]\n')
    return data


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments, "--data-dir", str(data)])


def projects(data: Path) -> list[str]:
    return sorted(project.name for project in Index.open(data).sessions.projects())


def test_what_would_go_is_shown(data: Path) -> None:
    result = run(data, "forget", "--dry-run")
    assert (result.exit_code, result.stdout, result.stderr) == (0, SHOWN, "")
    assert projects(data) == ["pay", "shop"]


def test_nothing_goes_without_an_answer(data: Path) -> None:
    result = run(data, "forget")
    assert (result.exit_code, result.stdout) == (2, SHOWN)
    assert result.stderr.startswith("Cannot ask: standard input is not a terminal.")
    assert projects(data) == ["pay", "shop"]


def test_the_excluded_sessions_go_and_stay_away(built: Path, data: Path) -> None:
    result = run(data, "forget", "--yes")
    assert (result.exit_code, result.stdout) == (0, SHOWN)
    [waiting] = waiting_forgets(DataDir(data))
    assert result.stderr == (
        f"1 session forgotten, subagents included.\nFor 30 days, memtui forget --undo {waiting.id} brings them back.\n"
    )
    assert projects(data) == ["shop"]
    run(data, "index", "--source", str(built / "src"), "--no-embed")
    assert projects(data) == ["shop"]
    again = run(data, "forget")
    assert (again.exit_code, again.stdout, again.stderr) == (0, "", "The index contains nothing that is excluded.\n")


def test_without_the_setting_there_is_nothing_to_do(data: Path) -> None:
    config = Path(os.environ["MEMTUI_CONFIG"])
    config.unlink()
    result = run(data, "forget", "--yes")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"Nothing is excluded: {config} has no setting exclude and no table retention.\n"


@pytest.mark.parametrize("line", ['exclude = "~/private"', "exclude = [1]", 'exclude = [""]', "sources = {}"])
def test_a_setting_of_another_type_is_refused_before_anything_is_read(line: str, built: Path, data: Path) -> None:
    Path(os.environ["MEMTUI_CONFIG"]).write_text(line)
    result = run(data, "index", "--source", str(built / "src"))
    assert result.exit_code == 1
    assert f'{line.split()[0]} must be a list of texts, such as ["~/private"], and is ' in result.stderr


@pytest.mark.parametrize("name", ["exclude", "sources"])
def test_a_home_folder_that_is_not_known_is_refused(name: str, data: Path) -> None:
    config = Path(os.environ["MEMTUI_CONFIG"])
    config.write_text(f'{name} = ["~nobody-here/private"]')
    result = run(data, "index")
    assert (result.exit_code, result.stderr) == (
        1,
        f"memtui: {config}:1: {name}: the home folder in '~nobody-here/private' is not known.\n",
    )


def test_folders_in_the_settings_are_read_besides_the_agents_own(built: Path, data: Path, tmp_path: Path) -> None:
    Path(os.environ["MEMTUI_CONFIG"]).write_text(f'sources = ["{built}/src/pay"]')
    fresh = tmp_path / "fresh"
    assert run(fresh, "index", "--no-embed").exit_code == 0
    assert projects(fresh) == ["pay"]


def ids(data: Path) -> list[str]:
    return sorted(session.session_id for session in Index.open(data).sessions.all())


def forgotten_id(data: Path) -> str:
    [waiting] = waiting_forgets(DataDir(data))
    return waiting.id


@pytest.fixture
def several(tmp_path: Path) -> Path:
    """An index of four sessions of two projects, on several days; one has a subagent."""
    scripts = {
        "old": Script("aaaaaaaa-1111-4111-8111-111111111111", prefix="a"),
        "new": Script("aabbbbbb-1111-4111-8111-111111111111", prefix="b"),
        "pay": Script("cccccccc-1111-4111-8111-111111111111", "/home/ana/code/pay", "c"),
        "payroll": Script("dddddddd-1111-4111-8111-111111111111", "/home/ana/code/payroll", "d"),
    }
    for day, (name, script) in enumerate(scripts.items()):
        script.count = day * DAY
        script.user(f"Look at the {name} amounts in src/{name}.py")
        script.says("They are rounded to cents")
        path = script.write(tmp_path / "src" / name)
    child = Script(path.stem, "/home/ana/code/payroll", "g")
    child.user("Only the subagent says cardigan", isSidechain=True, agentId="abc")
    target = path.parent / path.stem / "subagents" / "agent-abc.jsonl"
    target.parent.mkdir(parents=True)
    child.write(tmp_path / "child").rename(target)
    update(tmp_path / "data", tmp_path / "src")
    return tmp_path / "data"


SELECTED = {
    ("aaaa",): ["aaaa"],
    ("aaaa", "cccc"): ["aaaa", "cccc"],
    # The exact name of a project means that one only.
    ("pay",): ["cccc"],
    ("project:payr",): ["dddd"],
    ("/home/ana/code/shop",): ["aaaa", "aabb"],
    ("session:aabb",): ["aabb"],
    ("--before", "2026-11-03"): ["aaaa", "aabb"],
    ("shop", "--before", "2026-11-02"): ["aaaa"],
    ("--matching", "old amounts"): ["aaaa"],
    ("--matching", "amounts"): ["aaaa", "aabb", "cccc", "dddd"],
    ("--matching", "old missing"): [],
    ("--matching", '"rounded to cents" -new'): ["aaaa", "cccc", "dddd"],
    ("--matching", "amounts -new"): ["aaaa", "cccc", "dddd"],
    ("--matching", "project:shop"): ["aaaa", "aabb"],
    ("--matching", "src/new.py"): ["aabb"],
    # A session goes with its subagents, and a subagent is of its session.
    ("--matching", "cardigan"): ["dddd"],
    ("shop", "--matching", "cardigan"): [],
    ("agent-abc",): ["agent-abc"],
}
"""Which sessions the arguments select, by the beginning of their ids."""


def test_arguments_select_sessions(several: Path) -> None:
    shown = {}
    for arguments in SELECTED:
        result = run(several, "forget", "--dry-run", *arguments)
        assert result.exit_code == 0
        lines = [line.split()[0] for line in result.stdout.splitlines() if line.startswith("  ")]
        shown[arguments] = [one if one.startswith("agent") else one[:4] for one in lines]
    assert shown == SELECTED
    assert len(ids(several)) == 4


REFUSED = {
    ("zzz",): "There is no session whose id begins with 'zzz', and no such project.",
    ("project:zzz",): "There is no project 'zzz'.",
    ("",): "There is no session whose id begins with '', and no such project.",
    ("aa",): "2 sessions have an id that begins with 'aa': ",
    ("--before", "soon"): "soon is not a valid time, such as 3d, yesterday or 2026-11-20.",
    ("--matching", " "): "The query is empty.",
    # Without the filter, it would name more than it says.
    ("--matching", "amounts before:soon"): "The query is not clear: before:soon is not a valid time",
    ("--matching", "amounts projct:shop"): "The query is not clear: projct: is not a filter",
    ("--matching", " ".join(f"word{number}" for number in range(30))): "The query has too many words",
}


def test_what_is_not_clear_selects_nothing(several: Path) -> None:
    errors = {}
    for arguments, start in REFUSED.items():
        result = run(several, "forget", "--yes", *arguments)
        assert (result.exit_code, result.stdout) == (1, "")
        errors[arguments] = result.stderr.removeprefix("memtui: ")[: len(start)]
    assert errors == REFUSED
    assert len(ids(several)) == 4


def test_a_session_and_a_project_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for script in (Script(cwd="/home/ana/code/2222"), Script(OTHER_SESSION, prefix="f")):
        script.user("Hello")
        script.write(tmp_path / "src" / script.prefix)
    update(tmp_path / "data", tmp_path / "src")
    result = run(tmp_path / "data", "forget", "2222", "--yes")
    assert result.stderr == "memtui: '2222' is a session and a project: write session:2222 or project:2222.\n"
    assert run(tmp_path / "data", "forget", "session:2222", "--yes").exit_code == 0
    assert ids(tmp_path / "data") == [SESSION]


def test_a_project_goes_with_its_figures_and_comes_back(several: Path) -> None:
    result = run(several, "forget", "payroll", "--yes")
    assert result.stdout == (
        "payroll: 1 session of claude-code, 1 Nov 2026 – 4 Nov 2026, 2 turns, 1 subagent\n"
        "  dddddddd-1111-4111-8111-111111111111  Look at the payroll amounts in src/payroll.py\n"
    )
    name = forgotten_id(several)
    assert result.stderr == (
        "2 sessions forgotten, subagents included.\n"
        "What is added to them later is not indexed either.\n"
        f"For 30 days, memtui forget --undo {name} brings them back.\n"
    )
    assert [one[:4] for one in ids(several)] == ["aaaa", "aabb", "cccc"]
    listed = run(several, "forget", "--list")
    assert [line.split(", until")[0] for line in listed.stdout.splitlines()] == [
        f"{name}  2 sessions",
        "  dddddddd-1111-4111-8111-111111111111  payroll  Look at the payroll amounts in src/payroll.py",
        "  agent-abc  payroll  Only the subagent says cardigan",
    ]
    [waiting] = json.loads(run(several, "forget", "--list", "--json").stdout)
    assert sorted(waiting) == ["forgotten_at", "id", "purged_at", "sessions"]
    assert waiting["sessions"][1] == {
        "agent": "claude-code",
        "session_id": "agent-abc",
        "parent_id": "dddddddd-1111-4111-8111-111111111111",
        "title": "Only the subagent says cardigan",
        "project": "payroll",
        "turns": 1,
    }
    undone = run(several, "forget", "--undo")
    assert (undone.exit_code, undone.stderr) == (0, "2 sessions brought back, subagents included.\n")
    assert [one[:4] for one in ids(several)] == ["aaaa", "aabb", "cccc", "dddd"]
    again = run(several, "forget", "--undo")
    assert (again.exit_code, again.stderr) == (1, "memtui: Nothing that was forgotten waits to be brought back.\n")


@pytest.mark.spec("S6.6")
def test_one_session_is_brought_back_by_its_id_and_the_rest_is_purged(several: Path) -> None:
    run(several, "forget", "shop", "--yes")
    assert run(several, "forget", "--undo", "aa").stderr == (
        "memtui: 2 forgotten sessions have an id that begins with aa.\n"
    )
    assert run(several, "forget", "--undo", "zzz").stderr == (
        "memtui: Nothing that was forgotten has the id zzz: memtui forget --list\n"
    )
    assert run(several, "forget", "--undo", "aabb").exit_code == 0
    assert [one[:4] for one in ids(several)] == ["aabb", "cccc", "dddd"]
    asked = run(several, "forget", "--now", forgotten_id(several))
    assert (asked.exit_code, len(waiting_forgets(DataDir(several)))) == (2, 1)
    assert run(several, "forget", "--now", "zzz", "--yes").stderr == (
        "memtui: Nothing that was forgotten as zzz waits: memtui forget --list\n"
    )
    purged = run(several, "forget", "--now", "--yes")
    assert (purged.exit_code, purged.stderr) == (0, "1 session removed for good.\n")
    assert list(DataDir(several).forgotten.iterdir()) == []
    assert run(several, "forget", "--list").stderr == "Nothing that was forgotten waits to be brought back.\n"


@pytest.mark.parametrize(
    "arguments",
    [("--list", "--undo"), ("--undo", "--before", "3d"), ("--excluded", "shop"), ("--now", "--dry-run")],
)
def test_options_that_contradict_each_other_are_refused(arguments: tuple[str, ...], several: Path) -> None:
    assert run(several, "forget", *arguments).exit_code == 2


def test_what_is_shown_is_json_if_asked_for(several: Path) -> None:
    [row] = json.loads(run(several, "forget", "pay", "--dry-run", "--json").stdout)
    assert row == {
        "project": "pay",
        "agent": "claude-code",
        "sessions": 1,
        "subagents": 0,
        "turns": 1,
        "compactions": 0,
        "first": "2026-11-03T09:00:00Z",
        "last": "2026-11-03T09:00:10Z",
    }


@pytest.mark.spec("S6.6")
def test_a_running_indexer_does_it_for_the_command(several: Path, tmp_path: Path) -> None:
    """As beside an app, whose indexer has the lock; each request is served within the two seconds of a watcher."""
    stop = Event()
    with Indexer(several) as indexer:
        watching = Thread(target=watch_locations, args=(indexer, [Location("claude-code", tmp_path / "src")], stop))
        watching.start()
        try:
            result = run(several, "forget", "shop", "--yes")
            assert result.stderr.startswith("The indexer that is running does it …\n2 sessions forgotten")
            assert [one[:4] for one in ids(several)] == ["cccc", "dddd"]
            assert run(several, "forget", "--undo").exit_code == 0
            assert [one[:4] for one in ids(several)] == ["aaaa", "aabb", "cccc", "dddd"]
        finally:
            stop.set()
            watching.join()


def test_a_request_that_an_indexer_did_not_answer_is_served_by_the_next_one(several: Path, tmp_path: Path) -> None:
    session = ["claude-code", "cccccccc-1111-4111-8111-111111111111", None]
    requests = Requests(DataDir(several))
    request = requests.send("forget", {"sessions": [session]})
    assert run(several, "index", "--source", str(tmp_path / "src"), "--no-embed").exit_code == 0
    assert requests.take_answer(request) == {"id": forgotten_id(several), "sessions": [session]}
    assert [one[:4] for one in ids(several)] == ["aaaa", "aabb", "dddd"]
    # Served twice, because a process died before it had answered.
    again = requests.send("forget", {"sessions": [session]})
    broken = requests.send("forget", {"sessions": [["claude-code"]]})
    run(several, "index", "--source", str(tmp_path / "src"), "--no-embed")
    assert requests.take_answer(again) == {"id": forgotten_id(several), "sessions": [session]}
    assert list(requests.take_answer(broken) or {}) == ["error"]


def test_less_is_kept_of_a_project_after_it_was_shown_and_asked(several: Path, tmp_path: Path) -> None:
    config = Path(os.environ["MEMTUI_CONFIG"])
    config.write_text('[retention]\nshop = "titles"\n')
    text = "retention: of 2 sessions more is stored than the settings keep: memtui forget --excluded\n"
    indexed = run(several, "index", "--source", str(tmp_path / "src"), "--no-embed")
    assert text in indexed.stderr
    assert text in run(several, "doctor").stdout
    assert run(several, "search", "cents", "project:shop").exit_code == 0
    shown = run(several, "forget", "--dry-run")
    assert (shown.exit_code, shown.stderr) == (0, "shop: of 2 turns more is stored than retention keeps.\n")
    result = run(several, "forget", "--excluded", "--yes")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (
        0,
        "Of 2 sessions only what retention says is kept.",
    )
    assert len(ids(several)) == 4
    assert text not in run(several, "doctor").stdout
    assert json.loads(run(several, "doctor", "--json").stdout)[-1]["kept_too_much"] == 0
    shown = run(several, "show", "aaaa")
    assert shown.stdout.count("not kept: retention = titles") == 2
    assert run(several, "forget").stderr == "The index contains nothing that is excluded.\n"


RETENTION = {
    'retention = "text"': '1: retention must be a table: [retention], and is "text".',
    '[retention]\nshop = "some"': '2: retention.shop must be "full", "text" or "titles", and is "some".',
    '[retention]\n"" = "text"': "2: retention has a key without a name: write a project, a folder or default.",
    '[retention]\n"~nobody-here" = "text"': "2: retention: the home folder in '~nobody-here' is not known.",
}


def test_a_level_that_there_is_not_is_refused(several: Path) -> None:
    config = Path(os.environ["MEMTUI_CONFIG"])
    errors = {}
    for text in RETENTION:
        config.write_text(text)
        result = run(several, "forget")
        assert result.exit_code == 1
        errors[text] = result.stderr.removeprefix(f"memtui: {config}:").removesuffix("\n")
    assert errors == RETENTION


def test_names_that_would_act_on_the_terminal_are_shown_as_text(tmp_path: Path) -> None:
    script = Script(cwd="/home/ana/code/shop\x1b[31m\nred")
    script.user("Look \x1b[2J at \u202e this")
    script.write(tmp_path / "src")
    data = tmp_path / "data"
    update(data, tmp_path / "src")
    shown = run(data, "forget", SESSION, "--yes").stdout + run(data, "forget", "--list").stdout
    assert [line for line in shown.splitlines() if not line.isprintable()] == []
    assert "Look" in shown
    assert len(shown.splitlines()) == 4


def test_the_log_has_no_text_of_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even with all details, of lines that cannot be read and of what is forgotten."""
    monkeypatch.setenv(VARIABLE, "debug")
    word = "qzxvlogged99"
    script = Script()
    script.user(f"Look at {word}")
    path = script.write(tmp_path / "src")
    path.write_bytes(path.read_bytes() + b'{"type": "user", "message": "%s\n{%s}\n' % (word.encode(), word.encode()))
    data = tmp_path / "data"
    for arguments in (
        ("index", "--source", str(tmp_path / "src"), "--no-embed"),
        ("search", word),
        ("forget", "--matching", word, "--yes"),
        ("forget", "--now", "--yes"),
        ("index", "--source", str(tmp_path / "src"), "--no-embed"),
    ):
        assert run(data, *arguments).exit_code == 0, arguments
    assert log_file(data).read_text("utf-8") != ""
    assert files_containing(data, word) == {word: []}
