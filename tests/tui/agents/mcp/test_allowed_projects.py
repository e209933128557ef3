"""A server that may answer only about some projects: nothing of another one comes out by any tool."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtui.agents.mcp.allowed_projects import AllowedProjects
from memtui.agents.mcp.registry import TOOLS
from memtui.agents.mcp.toolbox import Toolbox
from memtui_core.index.annotations import UserNote
from memtui_core.index.index import Index
from memtui_core.memory.observations.store import Observations
from support.indexes import embed, update
from support.transcripts import OTHER_SESSION, SESSION, Script

THIRD = "33333333-3333-4333-8333-333333333333"
LATER = "44444444-4444-4444-8444-444444444444"
REFUSED = "That is not allowed for this server, or there is no such thing: it only answers about {}."


def written(source: Path, session: str, folder: Path, word: str, prefix: str) -> None:
    script = Script(session, cwd=str(folder), prefix=prefix)
    script.user(f"Explain the {word} import")
    script.calls("Bash", {"command": "npm test"}, f"u{prefix}")
    script.result(f"Exit code 1\nerror: the {word} of the basket is missing", f"u{prefix}", error=True)
    script.calls("Edit", {"file_path": f"{folder}/src/{word}.py", "old_string": "a", "new_string": word}, f"t{prefix}")
    script.result(f"The {word} file was updated.", f"t{prefix}")
    script.calls("Bash", {"command": "npm test"}, f"v{prefix}")
    script.result("3 passed in 0.1s", f"v{prefix}")
    (folder / "src").mkdir()
    (folder / "src" / f"{word}.py").write_text(f"{word}\n")
    script.says(f"The {word} import reads a file a day.")
    script.write(source)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three projects with a session and an observation each; the second has a delta besides. With vectors."""
    folder = tmp_path_factory.mktemp("allowed")
    names = (("shop", SESSION, "quince", "e"), ("web", OTHER_SESSION, "persimmon", "f"), ("pay", THIRD, "medlar", "g"))
    for name, session, word, prefix in names:
        (folder / name).mkdir()
        written(folder / "source", session, folder / name, word, prefix)
        update(folder / "data", folder / "source")
    embed(folder / "data")
    observations = Observations(folder / "data")
    for name, session, word, _ in names:
        fields = {"title": f"About the {word}", "type": "decision", "narrative": f"The {word} is ripe."}
        observations.save(session, str(folder / name), **fields)
    index = Index.open(folder / "data")
    for _, session, word, _ in names:
        key = index.sessions.find(session).key
        index.annotations.add_note(key, f"Ask Bob about the {word}", 1)
        index.annotations.tag(key, ["fruit", f"tag-{word}"])
        index.annotations.rename(key, f"Mine: {word}")
    index.close()
    return folder


def note_of(data: Path, session: str) -> UserNote:
    """The note on the first turn of a session."""
    index = Index.open(data)
    [note] = index.annotations.of(index.sessions.find(session).key, 1).notes
    index.close()
    return note


Asks = Callable[..., str]


@pytest.fixture
def asks(built: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Asks]:
    """All that a server for some projects answers to a call, as one text."""
    monkeypatch.chdir(built / "shop")
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)

    def of(*names: str, data: Path | None = None) -> Asks:
        toolbox = Toolbox(data or built / "data", 60, allowed=AllowedProjects(names) if names else None)

        def call(name: str, **arguments: Any) -> str:
            answer = toolbox.call(name, {"max_tokens": 50_000, **arguments})
            return "\n".join((answer.text, answer.notes_text))

        return call

    return of


def id_of(built: Path, word: str) -> str:
    [found] = [one.id for one in Observations(built / "data").select() if word in one.content.title]
    return found


@pytest.mark.spec("S6.15")
def test_no_tool_tells_anything_of_another_project(built: Path, asks: Callable[..., Asks]) -> None:
    """Whatever is asked for, by word, meaning, path, id or filter; a server for all projects answers each of it."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("mem-search", {"query": "persimmon", "project": "all"}),
        ("mem-search", {"query": '"persimmon import"', "project": "all"}),
        ("mem-search", {"query": "which fruit arrives every day", "project": "all", "limit": 50}),
        ("mem-search", {"query": "import project:web"}),
        ("mem-search", {"query": f"import session:{OTHER_SESSION}", "project": "all"}),
        ("mem-search", {"query": "src/persimmon.py", "project": "all"}),
        ("mem-search", {"query": "", "project": "all"}),
        ("mem-timeline", {"project": "all"}),
        ("mem-timeline", {"session_id": OTHER_SESSION}),
        ("mem-show", {"turns": f"{OTHER_SESSION}:1"}),
        ("mem-files", {"path": "persimmon.py", "project": "all"}),
        ("mem-files", {"path": f"{built}/web/src/persimmon.py", "project": "all"}),
        ("mem-fix", {"error": "error: the persimmon of the basket is missing", "project": "all"}),
        ("mem-why", {"place": f"{built}/web/src/persimmon.py:1"}),
        ("mem-handoff", {"session": OTHER_SESSION}),
        ("mem-handoff", {"file": "src/persimmon.py"}),
        ("mem-forget", {"id": id_of(built, "persimmon")}),
        ("mem-search", {"query": '"bob about the persimmon"', "project": "all"}),
        ("mem-search", {"query": "tag:tag-persimmon", "project": "all"}),
        ("mem-search", {"query": "tag:fruit", "project": "all", "limit": 50}),
        ("mem-search", {"query": "note:persimmon", "project": "all"}),
        ("mem-annotate", {"target": OTHER_SESSION}),
        ("mem-annotate", {"target": f"{OTHER_SESSION}:1"}),
    ]
    everything, restricted = asks(), asks("shop")
    told = {number: everything(name, **arguments) for number, (name, arguments) in enumerate(calls)}
    untold = [number for number, text in told.items() if "persimmon is ripe" not in text and OTHER_SESSION not in text]
    assert untold == [16]
    assert 'persimmon" (ID' in told[16]
    for name, arguments in calls:
        text = restricted(name, **arguments)
        for mark in (
            "persimmon is ripe",
            "The persimmon",
            "persimmon import reads",
            "medlar",
            "web/src/persimmon.py (",
            "Bob about the persimmon",
            "Mine: persimmon",
            ": tag-",
            ", tag-persimmon",
            THIRD,
        ):
            assert mark not in text, (name, arguments, text)
    assert {tool.name for tool in TOOLS if tool.read_only} == {name for name, _ in calls} - {
        "mem-forget",
        "mem-annotate",
    }


def test_an_id_of_another_project_is_as_unknown_as_one_that_does_not_exist(
    built: Path, asks: Callable[..., Asks]
) -> None:
    restricted = asks("shop")
    refused = REFUSED.format("shop")
    unknown = "99999999-9999-4999-8999-999999999999"
    for session in (OTHER_SESSION, OTHER_SESSION[:6], unknown):
        assert restricted("mem-show", turns=f"{session}:1") == f"Show error: {refused}\n"
        assert restricted("mem-handoff", session=session) == f"Handoff error: {refused}\n"
        assert restricted("mem-timeline", session_id=session) == f"{refused}\n"
    for observation in (id_of(built, "persimmon"), "ffffffffffff"):
        for arguments in ({}, {"confirm": True}, {"restore": True}):
            assert restricted("mem-forget", id=observation, **arguments) == f"Forget error: {refused}\n"
    assert id_of(built, "persimmon")


def test_what_was_added_to_another_project_is_neither_told_nor_changed(
    built: Path, asks: Callable[..., Asks], tmp_path: Path
) -> None:
    """A note of another project is refused by its id as one that does not exist, also beside an allowed target."""
    data = Path(shutil.copytree(built / "data", tmp_path / "data"))
    restricted, everything = asks("shop", data=data), asks(data=data)
    own, other = note_of(data, SESSION), note_of(data, OTHER_SESSION)
    before = (data / "annotations.jsonl").read_bytes()
    refused = f"Annotate error: {REFUSED.format('shop')}\n"
    written: tuple[dict[str, Any], ...] = ({}, {"note": "Changed"})
    for note_id in (other.id, other.id[:8], "ffffffff"):
        for more in written:
            assert restricted("mem-annotate", target=SESSION, note_id=note_id, **more) == refused
    written = (*written, {"pinned": True}, {"note": "New", "note_id": own.id}, {"archived": True}, {"title": "New"})
    for target in (OTHER_SESSION, OTHER_SESSION[:6], f"{OTHER_SESSION}:1", "99999999"):
        for more in written:
            assert restricted("mem-annotate", target=target, **more) == refused
    assert (data / "annotations.jsonl").read_bytes() == before
    assert "> Changed" in restricted("mem-annotate", target=f"{SESSION}:1", note_id=own.id, note="Changed")
    assert "> Changed too" in everything(
        "mem-annotate", target=f"{OTHER_SESSION}:1", note_id=other.id, note="Changed too"
    )
    assert (note_of(data, SESSION).text, note_of(data, OTHER_SESSION).text) == ("Changed", "Changed too")


def test_the_allowed_projects_are_answered_by_words_meaning_and_id(built: Path, asks: Callable[..., Asks]) -> None:
    both = asks("SHOP", str(built / "pay"))
    assert "The quince is ripe." in both("mem-search", query="quince")
    assert "The medlar is ripe." in both("mem-search", query="medlar", project="all")
    assert f"## Session: {THIRD}\n" in both("mem-search", query='"medlar import reads"', project="pay")
    assert f"{SESSION}:1" in both("mem-show", turns=f"{SESSION}:1")
    assert f"{THIRD}:1 ·" in both("mem-files", path="medlar.py", project="all")
    timeline = both("mem-timeline", project="all")
    assert (SESSION in timeline, OTHER_SESSION in timeline, THIRD in timeline) == (True, False, True)
    assert both("mem-search", query="x", project="web") == (
        "Search error: There is no project 'web'. There are: pay, shop; \"all\" means every project.\n"
    )


def test_outside_its_projects_a_server_searches_those_and_saves_nothing(
    built: Path, asks: Callable[..., Asks], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = Path(shutil.copytree(built / "data", tmp_path / "data"))
    restricted = asks("shop", data=data)
    saved = {"title": "A note", "type": "discovery", "narrative": "It holds."}
    monkeypatch.chdir(built / "web")
    assert "The quince is ripe." in restricted("mem-search", query="quince")
    assert restricted("mem-save", **saved) == (
        "Save error: The project of the working folder is not allowed for this server.\n"
    )
    monkeypatch.chdir(built / "shop")
    assert restricted("mem-save", **saved).startswith('Saved observation: [discovery] "A note" (ID: ')
    assert [one.root for one in Observations(data).select() if one.content.title == "A note"] == [str(built / "shop")]
    assert restricted("mem-search", query="quince", scope="team") == (
        "Search error: The team is not allowed for this server: it only answers about shop.\n"
    )


def test_a_project_counts_from_its_first_session_on_and_a_name_of_several_for_none(
    built: Path, asks: Callable[..., Asks], tmp_path: Path
) -> None:
    data = Path(shutil.copytree(built / "data", tmp_path / "data"))
    later = tmp_path / "loquat"
    later.mkdir()
    by_name, by_folder = asks("loquat", data=data), asks(str(later), data=data)
    for restricted in (by_name, by_folder):
        assert LATER not in restricted("mem-timeline", project="all")
    written(tmp_path / "source", LATER, later, "loquat", "h")
    update(data, built / "source", tmp_path / "source")
    for restricted in (by_name, by_folder):
        assert f"{LATER}:1" in restricted("mem-show", turns=f"{LATER}:1")
        assert "quince" not in restricted("mem-timeline", project="all")
    second = tmp_path / "elsewhere" / "loquat"
    second.mkdir(parents=True)
    written(tmp_path / "source", SESSION.replace("1", "5"), second, "cornel", "i")
    update(data, built / "source", tmp_path / "source")
    assert LATER not in by_name("mem-timeline", project="all")
    assert LATER in by_folder("mem-timeline", project="all")


def test_before_anything_is_indexed_nothing_is_told(tmp_path: Path, asks: Callable[..., Asks]) -> None:
    observations = Observations(tmp_path / "data")
    observations.save(OTHER_SESSION, "/w/web", title="About the persimmon", type="decision", narrative="It is ripe.")
    for names, is_told in (((), True), (("shop",), False)):
        text = asks(*names, data=tmp_path / "data")("mem-search", query="persimmon", project="all")
        assert ("It is ripe." in text) == is_told
