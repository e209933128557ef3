"""Sessions of other machines: their machine, their project, and the same session on both machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.exclusions import Exclusions
from memtui_core.readers.locations import Location
from support.indexes import update
from support.transcripts import OTHER_SESSION, SESSION, Script
from support.two_machines import LAPTOP, URL, edits, projects_of, repository, set_state

THEIRS = "/home/me/shop"


class Machines:
    """An index of this machine and a laptop."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.here = folder / "here"
        """The transcripts of this machine."""
        self.shop = folder / "work" / "shop"
        """The repository on this machine."""
        self.here.mkdir()
        projects_of(self.data).mkdir(parents=True)

    def local(self, script: Script) -> Path:
        return script.write(self.here)

    def laptop(self, script: Script) -> Path:
        return script.write(projects_of(self.data) / "p")

    def index(self) -> Index:
        update(self.data, self.here, projects_of(self.data))
        return Index.open(self.data)


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    return Machines(tmp_path)


def placed(index: Index) -> list[tuple[str, str, str, str, list[str]]]:
    """Id, machine, project, root and files of each session."""
    sessions = sorted(index.sessions.all(), key=lambda session: session.session_id)
    return [
        (one.session_id, one.machine, str(one.project), one.root, [t.path for t in index.files.of_turn(one.key, 1)])
        for one in sessions
    ]


def files(index: Index) -> list[tuple[str, str, int]]:
    return sorted((row.path, row.root, row.sessions) for row in index.files.find().rows)


def test_a_session_of_the_mirror_has_its_machine_and_a_project_of_its_own(machines: Machines) -> None:
    """Although this machine has a repository in the same folder, with another remote, and one of the same name."""
    cwd = str(repository(machines.shop, "https://example.org/ana/other"))
    machines.local(edits(SESSION, cwd, f"{cwd}/src/a.py"))
    machines.laptop(edits(OTHER_SESSION, cwd, f"{cwd}/src/a.py", "/etc/hosts", prefix="f"))
    set_state(machines.data, repositories={cwd: (cwd, URL)})
    index = machines.index()
    assert [row[1:] for row in placed(index)] == [
        ("", "shop", cwd, ["src/a.py"]),
        (LAPTOP, "shop · laptop", f"@laptop:{cwd}", ["/etc/hosts", "src/a.py"]),
    ]
    assert files(index) == [
        ("/etc/hosts", "@laptop:/", 1),
        ("src/a.py", cwd, 1),
        ("src/a.py", f"@laptop:{cwd}", 1),
    ]
    assert sorted(project.name for project in index.sessions.projects()) == ["shop", "shop · laptop"]


@pytest.mark.parametrize("local_first", [True, False])
@pytest.mark.parametrize("url", ["ssh://git@Example.org:2222/ana/shop", "https://me:secret@example.org/ana/shop.git/"])
def test_a_repository_is_one_project_by_its_remote(url: str, local_first: bool, machines: Machines) -> None:
    """Whatever its folder is called, in any order; the paths are those below the repository on either machine."""
    cwd = str(repository(machines.shop, url))
    (machines.shop / "src").mkdir()
    local = edits(SESSION, f"{cwd}/src", f"{cwd}/src/a.py")
    theirs = edits(OTHER_SESSION, "/home/me/cart/web", "/home/me/cart/src/a.py", "/home/me/cart/web/b.py", prefix="f")
    set_state(machines.data, repositories={"/home/me/cart/web": ("/home/me/cart", URL)})
    for is_local in (local_first, not local_first):
        machines.local(local) if is_local else machines.laptop(theirs)
        index = machines.index()
    assert placed(index) == [
        (SESSION, "", "shop", cwd, ["src/a.py"]),
        (OTHER_SESSION, LAPTOP, "shop", cwd, ["src/a.py", "web/b.py"]),
    ]
    assert files(index) == [("src/a.py", cwd, 2), ("web/b.py", cwd, 1)]
    [project] = index.sessions.projects()
    assert (project.name, project.root, project.sessions) == ("shop", cwd, 2)
    history = index.files.history(next(row for row in index.files.find().rows if row.path == "src/a.py"))
    assert sorted((one.touch.session_id, one.counts) for one in history) == [(SESSION, (1, 1)), (OTHER_SESSION, (1, 1))]


@pytest.mark.parametrize(
    ("local_urls", "their_url", "is_joined"),
    [
        ([""], "", True),
        ([URL], "", True),
        ([""], URL, True),
        (["https://example.org/ben/shop"], URL, False),
        (["/srv/git/shop.git"], "/srv/git/shop.git", True),
        (["", ""], "", False),
        (["", URL], URL, True),
    ],
)
def test_a_name_alone_joins_only_one_project_with_no_other_remote(
    local_urls: list[str], their_url: str, is_joined: bool, machines: Machines, tmp_path: Path
) -> None:
    """The address of a folder is none: each machine may have another repository there."""
    roots = [str(repository(tmp_path / str(number) / "shop", url)) for number, url in enumerate(local_urls)]
    for number, root in enumerate(roots):
        machines.local(edits(f"1111111{number}-1111-4111-8111-111111111111", root, prefix=f"p{number}x"))
    machines.laptop(edits(OTHER_SESSION, THEIRS, prefix="f"))
    set_state(machines.data, repositories={THEIRS: (THEIRS, their_url)})
    joined = machines.index().sessions.find(OTHER_SESSION)
    assert (joined.root, joined.worktree) == (
        (roots[-1], f"@laptop:{THEIRS}") if is_joined else (f"@laptop:{THEIRS}", None)
    )


def test_repositories_that_become_known_later_move_sessions(machines: Machines) -> None:
    """A name joins until the remotes are known, which part the repositories; then they are the same. Files follow."""
    cwd = str(repository(machines.shop))
    machines.local(edits(SESSION, cwd, "src/a.py"))
    machines.laptop(edits(OTHER_SESSION, f"{THEIRS}/web/shop", f"{THEIRS}/web/shop/b.py", f"{THEIRS}/c.py", prefix="f"))
    states = []
    for url, known in (
        ("", {}),
        (URL, {f"{THEIRS}/web/shop": (THEIRS, "https://example.org/ben/shop")}),
        (URL, {f"{THEIRS}/web/shop": (THEIRS, URL)}),
    ):
        (machines.shop / ".git" / "config").write_text(f'[remote "origin"]\nurl = {url}\n' if url else "")
        set_state(machines.data, repositories=known)
        written = update(machines.data, machines.here, projects_of(machines.data)).documents_written
        index = Index.open(machines.data)
        session = index.sessions.find(OTHER_SESSION)
        paths = [touch.path for touch in index.files.of_turn(session.key, 1)]
        states.append((session.root, session.worktree, paths, written))
    assert states == [
        (cwd, f"@laptop:{THEIRS}/web/shop", ["~/shop/c.py", "b.py"], 2),
        (f"@laptop:{THEIRS}", None, ["c.py", "web/shop/b.py"], 1),
        (cwd, f"@laptop:{THEIRS}", ["c.py", "web/shop/b.py"], 0),
    ]


def test_nothing_is_written_while_nothing_changes(machines: Machines) -> None:
    """Not even a snapshot, also after the state of the machine was written again with the same repositories."""
    cwd = str(repository(machines.shop, URL))
    machines.local(edits(SESSION, cwd, "src/a.py"))
    machines.laptop(edits(OTHER_SESSION, f"{THEIRS}/web", f"{THEIRS}/b.py", prefix="f"))
    set_state(machines.data, repositories={f"{THEIRS}/web": (THEIRS, URL)})
    before = machines.index().snapshot.manifest
    for seen_at in (1.0, 2.0):
        set_state(machines.data, repositories={f"{THEIRS}/web": (THEIRS, URL)}, seen_at=seen_at)
        assert update(machines.data, machines.here, projects_of(machines.data)).snapshots == 0
    assert Index.open(machines.data).snapshot.manifest == before


def test_a_session_that_grows_after_it_joined_keeps_its_project(machines: Machines) -> None:
    cwd = str(repository(machines.shop, URL))
    machines.local(edits(SESSION, cwd))
    theirs = edits(OTHER_SESSION, f"{THEIRS}/web", f"{THEIRS}/b.py", prefix="f")
    machines.laptop(theirs)
    set_state(machines.data, repositories={f"{THEIRS}/web": (THEIRS, URL)})
    machines.index()
    theirs.user("Now the other file")
    theirs.calls("Write", {"file_path": f"{THEIRS}/web/d.py", "content": "x"}, "t9")
    theirs.result("ok", "t9")
    machines.laptop(theirs)
    index = machines.index()
    session = index.sessions.find(OTHER_SESSION)
    assert (session.root, session.turns) == (cwd, 2)
    assert [touch.path for touch in index.files.of_turn(session.key, 2)] == ["web/d.py"]


def test_a_repository_that_only_other_machines_have_is_one_project(machines: Machines) -> None:
    """The second machine comes first in the alphabet; a session of this machine makes it a project of this machine."""
    machines.laptop(edits(SESSION, THEIRS, f"{THEIRS}/a.py"))
    set_state(machines.data, repositories={THEIRS: (THEIRS, URL)})
    machines.index()
    edits(OTHER_SESSION, "/srv/s", "/srv/s/a.py", prefix="f").write(projects_of(machines.data, "desk") / "p")
    set_state(machines.data, "desk", repositories={"/srv/s": ("/srv/s", URL)})
    sources = [machines.here, projects_of(machines.data), projects_of(machines.data, "desk")]
    update(machines.data, *sources)
    index = Index.open(machines.data)
    assert [row[1:4] for row in placed(index)] == [(LAPTOP, "s", "@desk:/srv/s"), ("desk", "s", "@desk:/srv/s")]
    assert files(index) == [("a.py", "@desk:/srv/s", 2)]
    cwd = str(repository(machines.shop, URL))
    machines.local(edits("33333333-3333-4333-8333-333333333333", cwd, f"{cwd}/a.py", prefix="g"))
    update(machines.data, *sources)
    index = Index.open(machines.data)
    assert [row[1:4] for row in placed(index)] == [(LAPTOP, "shop", cwd), ("desk", "shop", cwd), ("", "shop", cwd)]
    assert files(index) == [("a.py", cwd, 3)]


@pytest.mark.parametrize("longer", ["local", "mirror", "neither"])
@pytest.mark.parametrize("order", ["local first", "mirror first", "at once"])
def test_the_same_session_on_both_machines_is_one_of_this_machine(longer: str, order: str, machines: Machines) -> None:
    """A synchronized home: whichever copy is read first, and whichever has more."""
    cwd = str(repository(machines.shop))
    (machines.shop / "src").mkdir()

    def script(turns: int) -> Script:
        made = edits(SESSION, f"{cwd}/src", f"{cwd}/src/a.py", f"{cwd}/b.py")
        for number in range(1, turns):
            made.user(f"Another request {number}")
            made.calls("Read", {"file_path": f"{cwd}/src/c.py"}, f"u{number}")
            made.result("ok", f"u{number}")
        return made

    def write(name: str) -> None:
        (machines.local if name == "local" else machines.laptop)(script(2 if longer == name else 1))

    for name in ("mirror", "local") if order == "mirror first" else ("local", "mirror"):
        write(name)
        if order != "at once":
            machines.index()
    index = machines.index()
    assert placed(index) == [(SESSION, "", "shop", cwd, ["b.py", "src/a.py"])]
    [session] = index.sessions.all()
    turns = 1 if longer == "neither" else 2
    assert (session.turns, session.worktree, session.gone) == (turns, None, False)
    assert [touch.path for touch in index.files.of_turn(session.key, 2)] == ["src/c.py"] * (turns - 1)
    assert files(index)[0] == ("b.py", cwd, 1)


def test_exclusions_and_forget_apply_to_both_copies(machines: Machines) -> None:
    """By the folder as it is on either machine, and by the name of the project."""
    cwd = str(repository(machines.shop, URL))
    machines.local(edits(SESSION, cwd))
    machines.laptop(edits(SESSION, cwd))
    machines.laptop(edits(OTHER_SESSION, f"{THEIRS}/web", prefix="f"))
    set_state(machines.data, repositories={f"{THEIRS}/web": (THEIRS, URL)})
    locations = [Location("claude-code", machines.here), Location("claude-code", projects_of(machines.data))]
    machines.index()
    left = []
    for patterns in ([cwd], [THEIRS], ["project:shop"]):
        with Indexer(machines.data, exclusions=Exclusions(patterns)) as indexer:
            left.append(sorted(indexer.stored.excluded().by_project.elements()))
    assert left == [[("claude-code", "shop")], [("claude-code", "shop")], [("claude-code", "shop")] * 2]
    with Indexer(machines.data, exclusions=Exclusions([cwd])) as indexer:
        indexer.stored.remove(indexer.stored.excluded().keys)
        for _ in indexer.update(locations):
            pass
    assert [session.session_id for session in Index.open(machines.data).sessions.all()] == [OTHER_SESSION]


def test_many_transcripts_are_prepared_with_their_machine(machines: Machines) -> None:
    """Two worker processes; this machine has a repository where the sessions of the laptop worked: another one."""
    cwd = str(repository(machines.shop / "inner"))
    for number in range(2):
        script = edits(
            f"1111111{number}-1111-4111-8111-111111111111", f"{cwd}/web", f"{cwd}/web/a.py", prefix=f"p{number}x"
        )
        (machines.shop / "inner" / "web").mkdir(exist_ok=True)
        script.says("x" * 5_000_000)
        machines.laptop(script)
    with Indexer(machines.data, processes=2) as indexer:
        for _ in indexer.update([Location("claude-code", projects_of(machines.data))]):
            pass
        assert indexer.counts.files_prepared == 2
    index = Index.open(machines.data)
    assert [row[1:] for row in placed(index)] == [(LAPTOP, "web", f"@laptop:{cwd}/web", ["a.py"])] * 2


def test_the_current_project_is_never_that_of_another_machine(machines: Machines) -> None:
    """Although its folder is called the same; a session that joined counts as one of this machine's project."""
    cwd = str(repository(machines.shop, URL))
    blog = str(machines.shop.parent / "blog")
    machines.local(edits(SESSION, blog, f"{blog}/a.py", prompt="cleanup of the cart"))
    machines.index()
    machines.laptop(edits(OTHER_SESSION, cwd, f"{cwd}/a.py", prefix="f", prompt="cleanup of the cart"))
    set_state(machines.data, repositories={cwd: (cwd, "https://example.org/ben/shop")})
    index = machines.index()
    assert index.sessions.project_at(cwd) is None
    best = [index.search("cleanup", current_folder=cwd).hits[0]]
    machines.local(edits("33333333-3333-4333-8333-333333333333", cwd, prefix="g"))
    set_state(machines.data, repositories={cwd: (cwd, URL)})
    index = machines.index()
    project = index.sessions.project_at(cwd)
    assert project is not None
    assert (project.root, project.worktrees) == (cwd, ())
    best.append(index.search("cleanup", current_folder=cwd).hits[0])
    assert [(hit.session_id, hit.machine) for hit in best] == [(SESSION, ""), (OTHER_SESSION, LAPTOP)]


def test_two_remotes_never_become_one_project_by_a_name(machines: Machines) -> None:
    """Neither by a project without a remote; of one remote both are in it, whatever they are called."""
    cwd = str(repository(machines.shop))
    machines.local(edits(SESSION, cwd))
    machines.laptop(edits(OTHER_SESSION, THEIRS, prefix="f"))
    desk = projects_of(machines.data, "desk")
    edits("33333333-3333-4333-8333-333333333333", "/srv/shop", prefix="g").write(desk / "p")
    edits("44444444-4444-4444-8444-444444444444", "/srv/cart", prefix="h").write(desk / "p")
    roots = []
    for url in ("https://example.org/ben/shop", URL):
        set_state(machines.data, repositories={THEIRS: (THEIRS, URL)})
        set_state(machines.data, "desk", repositories={one: (one, url) for one in ("/srv/shop", "/srv/cart")})
        update(machines.data, machines.here, projects_of(machines.data), desk)
        index = Index.open(machines.data)
        roots.append([root for _, _, _, root, _ in placed(index)])
    assert roots == [[cwd, f"@laptop:{THEIRS}", "@desk:/srv/cart", "@desk:/srv/cart"], [cwd] * 4]


def test_subagents_are_where_their_session_is(machines: Machines) -> None:
    """Also those of which only the mirror has a transcript, and those inside the transcript of their session."""
    cwd = str(repository(machines.shop))
    agent = Script(SESSION, cwd, "a")
    agent.user("Look at the cart", agentId="one", isSidechain=True)
    agent.says("It is fine.", agentId="one", isSidechain=True)
    agent.write(projects_of(machines.data) / "p" / SESSION / "subagents", "agent-one.jsonl")
    machines.laptop(edits(SESSION, cwd))
    index = machines.index()
    [session] = index.sessions.all()
    assert [(one.machine, one.root) for one in (session, *index.sessions.subagents(session.key))] == [
        (LAPTOP, f"@laptop:{cwd}"),
        (LAPTOP, f"@laptop:{cwd}"),
    ]
    machines.local(edits(SESSION, cwd))
    index = machines.index()
    [session] = index.sessions.all()
    assert [(one.machine, one.root) for one in (session, *index.sessions.subagents(session.key))] == [
        ("", cwd),
        ("", cwd),
    ]
