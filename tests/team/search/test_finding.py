"""What is found on the team's server: by the same rules as in the local index, on both kinds of servers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui_core.errors import SessionUnknown
from memtui_core.index.index import Index
from memtui_core.model import Passage
from memtui_team.forgotten import Forgotten
from memtui_team.search import statements
from support.indexes import build, update
from support.postgres import PostgresServer
from support.team_searches import SHOP, Colleague, share
from support.teams import Team, make_team
from support.transcripts import OTHER_SESSION, SESSION, Script

_UPLOADS = f"1{SESSION[1:]}"
_INVOICES = f"2{OTHER_SESSION[1:]}"
_BLOG = f"3{SESSION[1:]}"


def _scripts() -> list[Script]:
    uploads = Script(_UPLOADS, SHOP, "a")
    uploads.user("Why does the upload of pictures fail on slow networks?")
    uploads.says("The client gives up after ten seconds; the function retry_upload needs a longer time limit.")
    uploads.user("Rename it")
    uploads.calls("Edit", {"file_path": f"{SHOP}/src/net/upload.py", "old_string": "a", "new_string": "retryUpload"})
    uploads.result("done")
    uploads.says("It is retryUpload now.")
    uploads.user("Explain the word überflüssig, 全文検索 and naïve hashing")
    uploads.says("We walked through the retried requests.")
    invoices = Script(_INVOICES, SHOP, "b")
    invoices.user("Write an invoice for March")
    invoices.calls("Read", {"file_path": f"{SHOP}/docs/invoice_100%.md"}, "r1")
    invoices.result("# Invoice", "r1")
    invoices.says("The invoice lists the upload of one picture.")
    blog = Script(_BLOG, "/home/ana/code/blog", "c")
    blog.user("How do I keep a dog from barking at night?")
    blog.says("Walk the puppy in the evening, and ignore it afterwards.")
    blog.calls("Bash", {"command": "make test"}, "b1")
    blog.result("error: no rule to make target", "b1", error=True)
    return [uploads, invoices, blog]


@pytest.fixture(scope="module")
def team(server: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Team:
    team = make_team(server)
    share(tmp_path_factory.mktemp("ana"), team, *_scripts())
    return team


@pytest.fixture(scope="module")
def bob(team: Team, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Colleague]:
    colleague = Colleague(tmp_path_factory.mktemp("bob"), team)
    yield colleague
    colleague.team.close()


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index of the same sessions."""
    folder = tmp_path_factory.mktemp("local")
    for script in _scripts():
        script.write(folder / "transcripts")
    return build(folder / "data", folder / "transcripts")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("invoice", [("2", 1)]),
        ("INVOICE march", [("2", 1)]),
        ("pictures", [("1", 1), ("2", 1)]),
        ('"ten seconds"', [("1", 1)]),
        ('"seconds ten"', []),
        ("retry_upload", [("1", 1), ("1", 2)]),
        ("retryUpload", [("1", 2), ("1", 1)]),
        ("uberflussig", [("1", 3)]),
        ("überflüssig", [("1", 3)]),
        ("naïve", [("1", 3)]),
        ("全文検索", [("1", 3)]),
        ("検", [("1", 3)]),
        ("検文", []),
        ("retries", [("1", 3), ("1", 1)]),
        ("march -picture", []),
        ("upload -invoice", [("1", 1), ("1", 2)]),
        ('upload -"ten seconds"', [("1", 2), ("2", 1)]),
        ('upload -"seconds ten"', [("1", 1), ("1", 2), ("2", 1)]),
        ("net/upload.py", [("1", 2)]),
        (f"{SHOP}/src/net/upload.py", [("1", 2)]),
        ("src/net/", [("1", 2)]),
        ("*.md", [("2", 1)]),
        ("docs/invoice_100%.md", [("2", 1)]),
        ("docs/invoice%100_.md", [("2", 1)]),
        ("upload project:shop", [("1", 1), ("1", 2), ("2", 1)]),
        ("error project:shop", []),
        ("project:blog", [("3", 1)]),
        ("has:error", [("3", 1)]),
        ("upload has:edit", [("1", 2)]),
        ("in:user invoice", [("2", 1)]),
        ("in:user picture", [("1", 1)]),
        ("upload agent:codex", []),
        ("upload agent:claude", [("1", 1), ("1", 2), ("2", 1)]),
        ("upload after:2030", []),
        ("upload before:2030", [("1", 1), ("1", 2), ("2", 1)]),
        ("file:upload.py", [("1", 2)]),
        ("nothinghasthis", []),
        ("'; DROP TABLE memtui.turns; --", []),
        ("\x00", []),
    ],
)
def test_a_query_finds_what_it_finds_in_an_index(
    bob: Colleague, local: Index, query: str, expected: list[tuple[str, int]]
) -> None:
    assert sorted(bob.found(query)) == sorted(expected)
    assert sorted((hit.session_id[:1], hit.turn) for hit in local.search(query, 20).hits) == sorted(expected)


def test_the_last_word_is_a_beginning_while_it_is_typed(bob: Colleague) -> None:
    assert (bob.found("invoi"), bob.found("invoi", live=True)) == ([], [("2", 1)])
    assert bob.found("retryU", live=True) == [("1", 2), ("1", 1)]


def test_meaning_finds_other_words(bob: Colleague) -> None:
    bob.index.vectors.load_model()
    hits = [hit for hit in bob.search("training a noisy pet").hits if hit.session < 0]
    assert (hits[0].session_id, hits[0].turn) == (_BLOG, 1)
    assert any(reason.startswith("meaning 0.") for reason in hits[0].why)


def test_a_hit_says_whose_it_is_and_why(bob: Colleague) -> None:
    (hit,) = [hit for hit in bob.search("invoice march").hits if hit.session < 0]
    assert (hit.member, hit.machine, hit.project, hit.agent) == ("ana", "main", "shop", "claude-code")
    assert (hit.turn_id < 0, hit.why[0]) == (True, "words: invoice, march")
    assert hit.passages[0] == Passage(0, 0, 26, "user", "Write an invoice for March")


def test_bm25_finds_what_the_index_of_words_finds(bob: Colleague, monkeypatch: pytest.MonkeyPatch) -> None:
    before = bob.found("upload pictures")
    monkeypatch.setattr(statements, "BM25_FROM", 1)
    assert bob.found("upload pictures") == before
    assert bob.found("pictures upload -invoice") == [("1", 1), ("1", 2)]


def test_a_session_of_two_devices_is_found_once_and_that_of_this_one_never(
    server: PostgresServer, tmp_path: Path
) -> None:
    team = make_team(server)
    team.add("ana", "desktop", ["everyone"])
    share(tmp_path / "main", team, *_scripts())
    share(tmp_path / "desktop", team, _scripts()[1], device="desktop")
    bob = Colleague(tmp_path / "bob", team)
    assert bob.found("invoice march") == [("2", 1)]
    bob.team.close()
    machines = {}
    for device in ("main", "desktop"):
        ana = Colleague(tmp_path / f"again-{device}", team, "ana", device)
        machines[device] = [hit.machine for hit in ana.search("invoice march").hits if hit.session < 0]
        ana.team.close()
    assert machines == {"main": ["desktop"], "desktop": ["main"]}


def test_a_session_that_is_in_the_index_too_is_found_there_only(server: PostgresServer, tmp_path: Path) -> None:
    team = make_team(server)
    share(tmp_path / "ana", team, *_scripts())
    bob = Colleague(tmp_path / "bob", team)
    copy = _scripts()[1]
    copy.write(tmp_path / "copied")
    update(tmp_path / "bob" / "data", tmp_path / "copied")
    bob.index.refresh()
    assert [(hit.session > 0, hit.session_id, hit.member) for hit in bob.search("invoice march").hits] == [
        (True, _INVOICES, "")
    ]
    bob.team.close()


def test_what_was_forgotten_here_is_not_found_on_the_server(one_server: PostgresServer, tmp_path: Path) -> None:
    """Until the next push removes it there; it may be there from another device of the same user."""
    team = make_team(one_server)
    share(tmp_path / "ana", team, *_scripts())
    bob = Colleague(tmp_path / "bob", team)
    assert bob.found("pictures") == [("1", 1), ("2", 1)]
    Forgotten(bob.index.data.path).add([("claude-code", _UPLOADS)])
    assert bob.found("pictures") == [("2", 1)]
    with pytest.raises(SessionUnknown, match="was forgotten"):
        bob.team.find(_UPLOADS[:8])
    bob.team.close()
