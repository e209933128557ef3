"""The key by which a session is shared or kept private, and the signs in the list; nothing of it without a team."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.style import Style
from textual.pilot import Pilot

from memtui.app import MemtuiApp
from memtui.settings.config import Config
from memtui_core.readers.exclusions import NOTHING, Exclusions
from memtui_team.address import TeamAddress
from memtui_team.sharing import SessionChoices
from support.indexes import update
from support.screens import notices, settled, tree
from support.shop_and_blog import shop_and_blog
from support.transcripts import OTHER_SESSION, Script

AS_PROJECT = "As its project: {}."


def app_sharing(data: Path, *share: str, exclusions: Exclusions = NOTHING) -> MemtuiApp:
    config = Config(theme="textual-dark", share=share, exclusions=exclusions)
    return MemtuiApp(data, config=config, run_indexer=False, sources_text=str)


def titles(pilot: Pilot[None]) -> list[str]:
    lines = [tree(pilot).get_node_at_line(number) for number in range(tree(pilot).last_line + 1)]
    nodes = [node for node in lines if node is not None]
    return [tree(pilot).render_label(node, Style(), Style()).plain[:14].rstrip() for node in nodes]


async def pressed(pilot: Pilot[None], *keys: str) -> list[str]:
    """What the app says after keys."""
    pilot.app.clear_notifications()
    await pilot.press(*keys)
    await settled(pilot)
    return notices(pilot)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """An index of two sessions of a shop, which are listed first, and one of a blog."""
    shop_and_blog(tmp_path / "transcripts")
    update(tmp_path / "data", tmp_path / "transcripts")
    return tmp_path / "data"


async def test_without_a_team_nothing_is_shown(data: Path) -> None:
    SessionChoices(data).choose("claude-code", OTHER_SESSION, "private")
    async with app_sharing(data, "shop").run_test(size=(100, 24)) as pilot:
        await settled(pilot)
        assert titles(pilot) == ["▾ shop", "  ● Why does t", "  ● Write an i", "▸ blog"]
        assert await pressed(pilot, "p") == ["Join a team first: memtui team join"]


async def test_the_key_shares_keeps_private_and_takes_back(data: Path) -> None:
    TeamAddress("postgresql://ana@127.0.0.1/team").save(data)
    choices = SessionChoices(data)
    async with app_sharing(data, "shop").run_test(size=(100, 24)) as pilot:
        await settled(pilot)
        assert titles(pilot) == ["▾ shop", "  ● ↑ Why does", "  ● ↑ Write an", "▸ blog"]
        assert await pressed(pilot, "g", "p") == ["Choose a session first."]
        said = [await pressed(pilot, "j", "j", "p")]
        assert choices.read() == {("claude-code", OTHER_SESSION): "shared"}
        said.append(await pressed(pilot, "p"))
        assert choices.read() == {("claude-code", OTHER_SESSION): "private"}
        assert titles(pilot)[1:3] == ["  ● ↑ Why does", "  ● ⊘ Write an"]
        said.append(await pressed(pilot, "p"))
        assert choices.read() == {}
        assert titles(pilot)[1:3] == ["  ● ↑ Why does", "  ● ↑ Write an"]
        assert said == [
            ["Shared with the team."],
            ["Private: it does not leave this machine."],
            [AS_PROJECT.format("shared with the team")],
        ]
        # The project of this one is not shared.
        said = [await pressed(pilot, "G", "l", "l", "p")]
        assert titles(pilot)[3:] == ["▾ blog", "  ● ↑ The uplo"]
        said += [await pressed(pilot, "p"), await pressed(pilot, "p")]
        assert said[2] == [AS_PROJECT.format("not shared")]
        assert titles(pilot)[3:] == ["▾ blog", "  ● The upload"]


async def test_what_is_excluded_stays_whatever_is_chosen(data: Path) -> None:
    TeamAddress("postgresql://ana@127.0.0.1/team").save(data)
    async with app_sharing(data, exclusions=Exclusions(["project:shop"])).run_test(size=(100, 24)) as pilot:
        await settled(pilot)
        said = await pressed(pilot, "g", "j", "p")
        assert said == ["It stays here: it is excluded, forgotten or without turns."]
        assert titles(pilot)[1] == "  ● Why does t"


async def test_a_group_is_shared_as_a_whole_and_a_subagent_with_its_session(tmp_path: Path) -> None:
    for number in range(2):
        script = Script(f"{number:04}1111-1111-4111-8111-111111111111", prefix=f"{number:04}")
        script.user("Paint the buttons")
        script.says("done")
        script.write(tmp_path / "src")
    child = Script("00001111-1111-4111-8111-111111111111", prefix="c")
    child.user("Look", isSidechain=True, agentId="abc")
    child.says("seen", isSidechain=True, agentId="abc")
    child.write(tmp_path / "src" / child.session_id / "subagents", "agent-abc.jsonl")
    update(tmp_path / "data", tmp_path / "src")
    TeamAddress("postgresql://ana@127.0.0.1/team").save(tmp_path / "data")
    async with app_sharing(tmp_path / "data").run_test(size=(100, 24)) as pilot:
        await settled(pilot)
        assert await pressed(pilot, "g", "j", "p") == ["Shared with the team."]
        assert titles(pilot)[1] == "▸ ● ↑ Paint th"
        await pressed(pilot, "l")
        assert len(SessionChoices(tmp_path / "data").read()) == 2
        await pressed(pilot, "G", "l")
        said = await pressed(pilot, "G", "p")
        assert said == ["A subagent is shared as the session that started it."]
        assert titles(pilot)[-1].lstrip().startswith("◌ ↑ Look")
