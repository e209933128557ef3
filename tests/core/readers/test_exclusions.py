"""What the user excludes never enters the index, and what is in there goes on request."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.model import Session
from memtui_core.readers.exclusions import NOTHING, Exclusions
from memtui_core.readers.locations import Location, chosen_locations
from memtui_core.search.embed import open_model
from support.transcripts import OTHER_SESSION, SESSION, Script

SECRET = "The salaries of the whole crew are in zanzibar"


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("~/private", ["{home}/private", "{home}/private/a/b.jsonl"], ["{home}/privately", "{home}/x/private", ""]),
        ("~/private/**", ["{home}/private", "{home}/private/a/b"], ["{home}/privately"]),
        ("/srv/*/secret/", ["/srv/a/secret", "/srv/a/secret/b"], ["/srv/a/b/secret", "/srv/secret"]),
        ("**/pay?oll", ["/a/payroll", "/a/b/payXoll/c"], ["/a/pay/oll", "/a/payoll"]),
        ("payroll", ["/a/payroll", "/a/b/payroll/c"], ["/a/payrolls", "/a/mypayroll"]),
        ("/a.b", ["/a.b"], ["/axb"]),
        (r"C:\Users\ana\private", ["C:/Users/ana/private/a", r"c:\users\ana\private\a"], ["C:/Users/ana/privately"]),
        ("C:/Users/ana/private", [r"C:\Users\ana\private"], ["/C:/Users/ana"]),
        ("private", ["/a\nb/private/c", r"C:\private\c"], ["/a/privately\n"]),
        ("/a/**/**/c", ["/a/b/c", "/a/b/b/c/d", "/a/c"], ["/a/b", "/a/bc"]),
        ("/a/**/b*/**/c", ["/a/b/c", "/a/x/bb/y/c"], ["/a/c", "/a/b/xc"]),
        ("x**y", ["/k/x/k/y", "/xy/z"], ["/k/y/x"]),
        ("/", ["/a"], [""]),
    ],
)
def test_a_path_pattern_excludes_a_folder_with_everything_in_it(
    pattern: str, inside: list[str], outside: list[str]
) -> None:
    exclusions, home = Exclusions([pattern]), Path.home().as_posix()
    assert {path: exclusions.excludes_path(path.format(home=home)) for path in [*inside, *outside]} == {
        **dict.fromkeys(inside, True),
        **dict.fromkeys(outside, False),
    }


def test_an_agent_and_a_project_are_excluded_by_their_names() -> None:
    exclusions = Exclusions(["agent:Codex", "project:payroll"])
    assert (exclusions.excludes_agent("codex"), exclusions.excludes_agent("claude-code")) == (True, False)
    assert exclusions.excludes_session("claude-code", "Payroll", "/x")
    assert not exclusions.excludes_session("claude-code", "payrolls", "/payroll")
    assert (bool(exclusions), bool(NOTHING), NOTHING.excludes_path("/a")) == (True, False, False)


def write(folder: Path) -> None:
    """A session about a secret with a subagent, and one about nothing in particular."""
    script = Script(cwd="/home/ana/private/pay")
    script.user(SECRET)
    script.says("zanzibar it is")
    script.write(folder / "pay")
    script = Script(OTHER_SESSION, prefix="f")
    script.user("Round the prices")
    script.write(folder / "shop")


def sessions(data: Path) -> dict[str, list[str]]:
    index = Index.open(data)
    return {
        session.project: [turn.user_text for turn in index.sessions.turns(session.key)]
        for session in index.sessions.all()
    }


def update(data: Path, folder: Path, *patterns: str) -> int:
    with Indexer(data, exclusions=Exclusions(patterns)) as indexer:
        for _ in indexer.update([Location("claude-code", folder)]):
            pass
        return indexer.counts.files_read


def states(data: Path) -> dict[str, str]:
    return {Path(source.path).parent.name: source.state for source in Index.open(data).statistics.sources()}


SHOP = {"shop": ["Round the prices"]}
BOTH = {**SHOP, "pay": [SECRET]}


@pytest.mark.parametrize("pattern", ["/home/ana/private/**", "project:pay"])
def test_nothing_of_an_excluded_session_enters_the_index(pattern: str, tmp_path: Path) -> None:
    write(tmp_path / "src")
    assert update(tmp_path / "data", tmp_path / "src", pattern) == 2
    assert sessions(tmp_path / "data") == SHOP
    assert states(tmp_path / "data") == {"pay": "excluded", "shop": "ok"}
    assert Index.open(tmp_path / "data").search("zanzibar").hits == ()
    assert files_with(tmp_path / "data", b"zanzibar") == []


def test_a_transcript_in_an_excluded_folder_is_not_even_listed(tmp_path: Path) -> None:
    write(tmp_path / "src")
    assert update(tmp_path / "data", tmp_path / "src", str(tmp_path / "src" / "pay")) == 1
    assert (sessions(tmp_path / "data"), states(tmp_path / "data")) == (SHOP, {"shop": "ok"})


def test_an_excluded_agent_is_not_looked_for(tmp_path: Path) -> None:
    write(tmp_path / "src")
    assert update(tmp_path / "data", tmp_path / "src", "agent:claude-code") == 0
    locations = chosen_locations([], added=[tmp_path / "more"], exclusions=Exclusions(["agent:claude-code"]))
    assert "claude-code" not in {location.agent for location in locations}
    assert locations[-1] == Location(None, tmp_path / "more")


def test_a_session_is_read_when_it_is_excluded_no_more(tmp_path: Path) -> None:
    write(tmp_path / "src")
    update(tmp_path / "data", tmp_path / "src", "project:pay")
    assert update(tmp_path / "data", tmp_path / "src") == 1
    assert sessions(tmp_path / "data") == BOTH


def test_of_a_session_that_is_excluded_later_nothing_more_enters_and_the_rest_goes_on_request(tmp_path: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "src"
    write(folder)
    update(data, folder)
    with Indexer(data) as indexer:
        for _ in indexer.embed(open_model()):
            pass
    path = next((folder / "pay").iterdir())
    with path.open("ab") as file:
        file.write(path.read_bytes().split(b"\n")[0].replace(b"salaries", b"bonuses") + b"\n")
    update(data, folder, "project:pay")
    assert sessions(data) == BOTH
    left = [name.partition("/")[0] for name in files_with(data, b"zanzibar")]
    assert left == ["completion.json", "digest.json", "snapshots"]
    with Indexer(data, exclusions=Exclusions(["project:pay"])) as indexer:
        excluded = indexer.stored.excluded()
        assert dict(excluded.by_project) == {("claude-code", "pay"): 1}
        indexer.stored.remove(excluded.keys)
        assert indexer.stored.excluded().keys == frozenset()
    assert sessions(data) == SHOP
    assert Index.open(data).search("zanzibar").hits == ()
    assert [hit.project for hit in Index.open(data).search("prices").hits] == ["shop"]
    assert files_with(data, b"zanzibar") == []
    update(data, folder, "project:pay")
    assert (sessions(data), states(data)) == (SHOP, {"pay": "excluded", "shop": "ok"})
    update(data, folder)
    assert set(sessions(data)) == {"shop", "pay"}


def files_with(data: Path, text: bytes) -> list[str]:
    """The files of an index that contain a text, as it is or in the columns of their databases."""
    names = []
    for path in sorted(path for path in data.rglob("*") if path.is_file()):
        content = path.read_bytes()
        if path.suffix == ".duckdb":
            with duckdb.connect(str(path), read_only=True) as connection:
                tables = connection.execute(
                    "SELECT schema_name, table_name FROM duckdb_tables() WHERE table_name IN ('blocks', 'turns')"
                ).fetchall()
                for schema, table in tables:
                    column = "text" if table == "blocks" else "user_text"
                    rows = connection.execute(f"SELECT {column} FROM {schema}.{table}").fetchall()
                    content += b"\n".join((value or "").encode() for (value,) in rows)
        if text in content:
            names.append(path.relative_to(data).as_posix())
    return names


def test_a_subagent_goes_with_its_session(tmp_path: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "src"
    write(folder)
    child = Script(cwd="/home/ana/elsewhere", prefix="g")
    child.user("Look at the salaries", isSidechain=True, agentId="abc")
    made = child.write(tmp_path / "other")
    target = folder / "pay" / SESSION / "subagents" / "agent-abc.jsonl"
    target.parent.mkdir(parents=True)
    made.rename(target)
    update(data, folder)
    index = Index.open(data)
    [parent] = [session for session in index.sessions.all() if session.project == "pay"]
    subagents: list[Session] = index.sessions.subagents(parent.key)
    assert [session.session_id for session in subagents] == ["agent-abc"]
    with Indexer(data, exclusions=Exclusions(["project:pay"])) as indexer:
        indexer.stored.remove(indexer.stored.excluded().keys)
    assert Index.open(data).snapshot.rows("SELECT session_id FROM sessions") == [(OTHER_SESSION,)]


def test_the_log_of_an_excluded_database_brings_nothing_of_it(tmp_path: Path) -> None:
    source, data = tmp_path / "src", tmp_path / "data"
    source.mkdir()
    database = Path(__file__).parents[3] / "sample_sessions" / "opencode" / "opencode.db"
    (source / "opencode.db").write_bytes(database.read_bytes())
    (source / "opencode.db-wal").touch()
    assert session_ids(data, source, Exclusions()) != []
    assert session_ids(tmp_path / "other", source, Exclusions([str(source / "opencode.db")])) == []


def session_ids(data: Path, source: Path, exclusions: Exclusions) -> list[str]:
    """The ids of the sessions of an index that is made of a source."""
    with Indexer(data, exclusions=exclusions) as indexer:
        for _ in indexer.update([Location(None, source)]):
            pass
    return [session.session_id for session in Index.open(data).sessions.all()]


def test_a_pattern_of_many_folders_is_fast_on_a_long_path() -> None:
    exclusions = Exclusions(["**/a" * 8 + "/**/b"])
    assert not exclusions.excludes_path("/a" * 20_000)
    assert exclusions.excludes_path("/a" * 20_000 + "/b")
