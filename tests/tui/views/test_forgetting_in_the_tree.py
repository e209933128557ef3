"""The key by which a session or a project is forgotten: it asks, the indexer does it, and `u` brings it back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from rich.style import Style
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.app import MemtuiApp
from memtui.screens.dialog import DialogBox
from memtui.screens.forget import ForgetScreen
from memtui.settings.config import Config
from memtui.widgets.transcript.widget import TranscriptPane
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.watch import watch_locations
from memtui_core.readers.locations import Location
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.tombstones import SessionIdentity
from memtui_core.store.requests import Requests
from memtui_team.address import TeamAddress
from memtui_team.forgotten import Forgotten
from support.indexes import update
from support.screens import notices, settled, tree
from support.shop_and_blog import shop_and_blog
from support.transcripts import OTHER_SESSION


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """An index of two sessions of a shop, which are listed first, and one of a blog."""
    shop_and_blog(tmp_path / "transcripts")
    update(tmp_path / "data", tmp_path / "transcripts")
    return tmp_path / "data"


@contextmanager
def watching(data: Path) -> Iterator[None]:
    """An indexer that has the lock, as the child of an app."""
    stop = Event()
    with Indexer(data) as indexer:
        locations = [Location("claude-code", data.parent / "transcripts")]
        thread = Thread(target=watch_locations, args=(indexer, locations, stop))
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def app(data: Path) -> MemtuiApp:
    return MemtuiApp(data, config=Config(theme="textual-dark"), run_indexer=False, sources_text=str)


def titles(pilot: Pilot[None]) -> list[str]:
    lines = [tree(pilot).get_node_at_line(number) for number in range(tree(pilot).last_line + 1)]
    nodes = [node for node in lines if node is not None]
    return [tree(pilot).render_label(node, Style(), Style()).plain[:14].rstrip() for node in nodes]


def asked(pilot: Pilot[None]) -> list[str]:
    """The texts of the question."""
    assert isinstance(pilot.app.screen, ForgetScreen)
    texts = [str(text.content) for text in pilot.app.screen.query(Static)]
    return [*texts, pilot.app.screen.query_one(DialogBox).hints.plain]


async def pressed(pilot: Pilot[None], *keys: str) -> list[str]:
    """What the app says after keys, with its title."""
    pilot.app.clear_notifications()
    await pilot.press(*keys)
    await settled(pilot)
    said = [(one.title, one.message.replace("\n\n", "; ")) for one in pilot.app._notifications]
    return [f"{title}: {text}" if title else text for title, text in said]


def ids(data: Path) -> list[str]:
    return sorted(session.session_id for session in Index.open(data).sessions.all())


async def test_a_session_is_forgotten_after_a_question_and_brought_back(data: Path) -> None:
    TeamAddress("postgresql://ana@127.0.0.1/team").save(data)
    with watching(data):
        async with app(data).run_test(size=(100, 24)) as pilot:
            await settled(pilot)
            before = ids(data)
            await pilot.press("j", "delete")
            await settled(pilot)
            title, row, _, keys = asked(pilot)
            assert (title, row, keys) == (
                "Write an invoice for March",
                "shop: 1 session of Claude Code, 2 turns, 1 Nov 2026",
                "enter forget · esc cancel",
            )
            assert (await pressed(pilot, "escape"), ids(data)) == ([], before)
            await pilot.press("delete")
            await settled(pilot)
            assert await pressed(pilot, "enter") == ["Forgotten: Write an invoice for March; u brings it back."]
            assert ids(data) == [one for one in before if one != OTHER_SESSION]
            assert titles(pilot) == ["▾ shop", "  ● Why does t", "▸ blog"]
            assert Forgotten(data).identities() == [("claude-code", OTHER_SESSION)]
            assert await pressed(pilot, "u") == ["Brought back: 1 session"]
            assert ids(data) == before
            assert titles(pilot) == ["▾ shop", "  ● Why does t", "  ● Write an i", "▸ blog"]
            await pilot.press("u")
            await settled(pilot)
            assert [one.split(". ")[0] for one in notices(pilot)][:1] == ["Nothing was archived or forgotten just now"]


async def test_a_project_is_forgotten_as_a_whole(data: Path) -> None:
    with watching(data):
        async with app(data).run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await pilot.press("g", "delete")
            await settled(pilot)
            assert asked(pilot)[:2] == ["shop", "shop: 2 sessions of Claude Code, 4 turns, 1 Nov 2026"]
            assert await pressed(pilot, "enter") == ["Forgotten: shop; u brings it back."]
            assert titles(pilot) == ["▸ blog"]


async def test_the_next_session_is_shown_when_a_command_forgets_the_open_one(data: Path) -> None:
    async with app(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        with Indexer(data) as indexer:
            [session] = [row for row in indexer.stored.rows.values() if row.title.startswith("Why does")]
            indexer.forgetting.forget([SessionIdentity(*session.unique)])
        pilot.app.clear_notifications()
        pilot.app.screen.services.index.refresh()  # type: ignore[attr-defined]
        await settled(pilot)
        transcript = pilot.app.screen.query_one(TranscriptPane)
        assert (transcript.session.title if transcript.session else "", list(pilot.app._notifications)) == (
            "Write an invoice for March",
            [],
        )


async def test_without_an_indexer_the_request_stays_for_the_next_one(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.browse.actions.forgetting._STARTING", 0.0)
    async with app(data).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("j", "delete")
        await settled(pilot)
        assert await pressed(pilot, "enter") == ["No indexer answers. It is done as soon as one runs."]
    [request] = Requests(DataDir(data)).pending()
    assert (request.kind, len(request.fields["sessions"])) == ("forget", 1)
