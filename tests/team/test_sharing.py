"""Which sessions are shared, and what a project is called on the server."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from memtui_core.readers.exclusions import Exclusions
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from memtui_team.forgotten import Forgotten
from memtui_team.sharing import SessionChoices, Sharing, project_key, summary_of
from support.indexes import update
from support.shop_and_blog import BLOG_SESSION, shop_and_blog
from support.systems import HOME_VARIABLE
from support.transcripts import OTHER_SESSION, SESSION, Script

ALL = {SESSION, OTHER_SESSION, BLOG_SESSION}
SHOP = {SESSION, OTHER_SESSION}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of two sessions in /home/ana/code/shop and one in /home/ana/code/blog; read only."""
    folder = tmp_path_factory.mktemp("sharing")
    shop_and_blog(folder / "transcripts")
    update(folder / "data", folder / "transcripts")
    return folder / "data"


def shared(data: Path, sharing: Sharing) -> set[str]:
    with closing(Snapshot(DataDir(data))) as snapshot:
        return {session.session_id for session in sharing.sessions(snapshot)}


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        ((), set()),
        (("shop",), SHOP),
        (("SHOP",), SHOP),
        (("sho",), set()),
        (("code",), set()),
        (("/home/ana/code/shop",), SHOP),
        (("/home/ana/code/shop/",), SHOP),
        (("/home/ana/code/../code/./shop",), SHOP),
        (("/home/ana/code",), ALL),
        (("/home/ana/cod",), set()),
        (("/home/ana/code/shop/src",), set()),
        (("/",), ALL),
        (("shop", "blog"), ALL),
        (("ana/code/shop",), set()),
    ],
)
def test_projects_are_shared_by_name_or_folder(data: Path, share: tuple[str, ...], expected: set[str]) -> None:
    assert shared(data, Sharing(share)) == expected


def test_a_folder_in_the_home_folder(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    assert shared(data, Sharing(("~/code/shop",))) == SHOP


@pytest.mark.parametrize(
    ("sharing", "expected"),
    [
        (Sharing(("shop",), choices={("claude-code", SESSION): "private"}), {OTHER_SESSION}),
        (Sharing(choices={("claude-code", SESSION): "shared"}), {SESSION}),
        (Sharing(choices={("codex", SESSION): "shared"}), set()),
        (Sharing(("/",), exclusions=Exclusions(["project:shop"])), {BLOG_SESSION}),
        (Sharing(("/",), exclusions=Exclusions(["/home/ana/code/blog"])), SHOP),
        (Sharing(("/",), exclusions=Exclusions(["transcripts/0"])), {OTHER_SESSION, BLOG_SESSION}),
        (Sharing(("/",), exclusions=Exclusions(["agent:claude-code"])), set()),
        (Sharing(choices={("claude-code", SESSION): "shared"}, exclusions=Exclusions(["project:shop"])), set()),
        (Sharing(("/",), forgotten={("claude-code", SESSION)}), {OTHER_SESSION, BLOG_SESSION}),
        (
            Sharing(choices={("claude-code", SESSION): "shared"}, forgotten={("claude-code", SESSION)}),
            set(),
        ),
    ],
)
def test_what_is_private_excluded_or_forgotten_stays(data: Path, sharing: Sharing, expected: set[str]) -> None:
    assert shared(data, sharing) == expected


def test_hidden_sessions_and_those_with_only_prompts_stay(tmp_path: Path) -> None:
    whole = Script()
    whole.user("Paint the buttons")
    whole.says("done")
    whole.write(tmp_path / "projects" / "shop")
    history = (
        '{"display":"Paint the links","timestamp":1793000000000,"project":"/home/ana/code/shop","sessionId":"%s"}\n'
    )
    (tmp_path / "history.jsonl").write_text(history % OTHER_SESSION)
    update(tmp_path / "data", tmp_path / "projects", tmp_path / "history.jsonl")
    with closing(Snapshot(DataDir(tmp_path / "data"))) as snapshot:
        known = {session for (session,) in snapshot.rows("SELECT session_id FROM sessions JOIN turns ON session = key")}
    assert known == {SESSION, OTHER_SESSION}
    assert shared(tmp_path / "data", Sharing(("/",))) == {SESSION}
    choice: Mapping[tuple[str, str], str] = {("claude-code", OTHER_SESSION): "shared"}
    assert shared(tmp_path / "data", Sharing(choices=choice)) == set()  # type: ignore[arg-type]


@pytest.mark.parametrize("keeps", ["private", "forgotten"])
def test_a_fork_of_what_stays_here_stays_here(tmp_path: Path, keeps: str) -> None:
    """Also of a fork of a fork: the first turns of each are those of the first session."""
    names = [SESSION, OTHER_SESSION, BLOG_SESSION]
    script = Script()
    for number, name in enumerate(names):
        script.session_id = name
        script.lines = [line.replace(names[number - 1].encode(), name.encode()) for line in script.lines]
        script.user(f"Question {number}")
        script.says("answer")
        script.write(tmp_path / "src", f"{name}.jsonl")
    update(tmp_path / "data", tmp_path / "src")
    with closing(Snapshot(DataDir(tmp_path / "data"))) as snapshot:
        forks = dict(snapshot.rows("SELECT session_id, forked_from FROM sessions"))
    first = next(name for name in names if forks[name] is None)
    assert shared(tmp_path / "data", Sharing(("shop",))) == {*names}
    one = {("claude-code", first)}
    staying = (
        Sharing(("shop",), choices=dict.fromkeys(one, "private"))
        if keeps == "private"
        else Sharing(("shop",), forgotten=one)
    )
    assert shared(tmp_path / "data", staying) == set()
    # Not the other way round.
    last = next(name for name in names if name not in forks.values())
    assert shared(tmp_path / "data", Sharing(("shop",), choices={("claude-code", last): "private"})) == {*names} - {
        last
    }


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ({}, ("everyone",)),
        ({"shop": ["backend", "ops"]}, ("backend", "ops")),
        ({"/home/ana/code": ["all"], "shop": ["backend"]}, ("all",)),
        ({"blog": ["writers"]}, ("everyone",)),
    ],
)
def test_the_groups_of_a_project(groups: Mapping[str, Sequence[str]], expected: tuple[str, ...]) -> None:
    assert Sharing(("shop",), groups).project("shop", "/home/ana/code/shop").groups == expected


def test_how_much_is_shared(data: Path) -> None:
    with closing(Snapshot(DataDir(data))) as snapshot:
        summary = summary_of(Sharing(("/",)).sessions(snapshot))
    assert (summary.sessions, summary.turns) == (3, 5)
    assert [(project.name, project.key, *counts) for project, *counts in summary.projects] == [
        ("blog", "blog", 1, 1),
        ("shop", "shop", 2, 4),
    ]


def test_choices_are_kept_and_those_of_several_processes_are_joined(tmp_path: Path) -> None:
    choices = SessionChoices(tmp_path)
    assert choices.read() == {}
    ids = [f"s{number}" for number in range(8)]
    threads = [threading.Thread(target=SessionChoices(tmp_path).choose, args=("codex", one, "private")) for one in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert choices.read() == {("codex", one): "private" for one in ids}
    choices.choose("codex", "s0", "shared")
    choices.choose("codex", "s1", None)
    assert choices.read() == {("codex", one): "shared" if one == "s0" else "private" for one in ids if one != "s1"}


def test_a_line_of_which_a_part_was_written_costs_only_itself(tmp_path: Path) -> None:
    forgotten = Forgotten(tmp_path)
    assert forgotten.identities() == []
    forgotten.add([("codex", "a"), ("codex", "b")])
    path = tmp_path / "team" / "forgotten.jsonl"
    path.write_bytes(path.read_bytes()[:-8])
    forgotten.add([("codex", "c"), ("codex", "a")])
    forgotten.add([])
    assert forgotten.identities() == [("codex", "a"), ("codex", "c")]


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("https://github.com/ana/shop.git", "github.com/ana/shop"),
        ("https://ana:ghp_secret@GitHub.com/ana/shop", "github.com/ana/shop"),
        ("https://github.com:443/ana/shop/", "github.com/ana/shop"),
        ("git@github.com:ana/shop.git", "github.com/ana/shop"),
        ("github.com:ana/shop", "github.com/ana/shop"),
        ("ssh://git@git.example.org:2222/ana/deep/shop.git", "git.example.org/ana/deep/shop"),
        ("git@ssh.dev.azure.com:v3/ana/work/shop", "ssh.dev.azure.com/v3/ana/work/shop"),
        ("git://git.example.org/shop.git", "git.example.org/shop"),
        # Those that no other machine can reach.
        ("/srv/git/shop.git", "shop"),
        ("../shop.git", "shop"),
        ("file:///srv/git/shop.git", "shop"),
        ("C:/git/shop.git", "shop"),
        (r"C:\git\shop.git", "shop"),
        ("", "shop"),
    ],
)
def test_a_project_is_named_by_its_remote(tmp_path: Path, address: str, key: str) -> None:
    git = tmp_path / ".git"
    git.mkdir()
    git.joinpath("config").write_text(
        f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {address}\n\tfetch = +refs\n'
    )
    assert project_key(tmp_path.as_posix(), "shop") == key


def test_the_remote_that_names_a_project(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    git.mkdir()
    other = '[remote "up"]\n\turl = https://example.org/up/shop\n[branch "main"]\n\turl = https://example.org/no\n'
    git.joinpath("config").write_text(other)
    assert project_key(tmp_path.as_posix(), "shop") == "example.org/up/shop"
    git.joinpath("config").write_text(f'{other}[remote "origin"]\n\turl = "https://example.org/ana/shop"\n')
    assert project_key(tmp_path.as_posix(), "shop") == "example.org/ana/shop"
    submodule = tmp_path / "part"
    submodule.mkdir()
    submodule.joinpath(".git").write_text("gitdir: ../.git/modules/part\n")
    git.joinpath("modules", "part").mkdir(parents=True)
    git.joinpath("modules", "part", "config").write_text('[remote "origin"]\n\turl = https://example.org/ana/part\n')
    assert project_key(submodule.as_posix(), "part") == "example.org/ana/part"
    assert project_key("", "no folder") == "no folder"
    assert project_key(str(tmp_path / "none"), "none") == "none"
