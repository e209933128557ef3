"""Pinning, renaming, tagging, noting and archiving in the app: at once, everywhere, and taken back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static, TextArea

from memtui.browse.search.hit_list import HitList
from memtui.screens.annotation import AnnotationForm, LastWordSuggester
from memtui.screens.dialog import DialogBox
from memtui.views.sessions.items import SessionGroup
from memtui.views.sessions.nodes import walk
from memtui.views.sessions.rows import row_text
from memtui.views.sessions.title_list import TitleList
from memtui.widgets.inspector.pane import Inspector
from memtui_core.index.index import Index
from memtui_core.model import Annotations, Session
from support.indexes import build
from support.screens import NOW, app_on, browse, notices, settled, transcript, tree, type_text, until
from support.transcripts import OTHER_SESSION, SESSION, Script

FLAGSHIP = "db9cde85-9adb-4762-985f-42e87f989d54"


@pytest.fixture
def data(sample_index: Path, tmp_path: Path) -> Path:
    return shutil.copytree(sample_index, tmp_path / "data", ignore=shutil.ignore_patterns("state.json"))


async def press(pilot: Pilot[None], keys: str) -> None:
    """Press keys, each when the one before has had its effect; what stands in quotes is typed."""
    for key in keys.split():
        if key.startswith('"'):
            await type_text(pilot, key.strip('"').replace("_", " "))
        else:
            await pilot.press(key)
        await settled(pilot)


def titles(pilot: Pilot[None], width: int = 60) -> list[str]:
    """The rows of the tree with the sessions of the first project, without ages."""
    rows = [node.data for node in tree(pilot).root.children[0].children if node.data is not None]
    return [row_text(row, None, "", 1, width, NOW, shows_agent=False)[0].strip() for row in rows]


def added(data: Path, session: str = FLAGSHIP, turn: int = 0) -> Annotations:
    index = Index.open(data)
    return index.annotations.of(index.sessions.find(session).key, turn)


def border(pilot: Pilot[None]) -> str:
    return str(transcript(pilot).border_title)


async def test_the_same_key_pins_a_session_and_takes_that_back(data: Path) -> None:
    async with app_on(data).run_test(size=(128, 24)) as pilot:
        await settled(pilot)
        before = titles(pilot)
        assert before[:2] == ["● Retry webhooks with the same backoff", "● Fix flaky uploads"]
        await press(pilot, "j asterisk")
        assert titles(pilot) == ["● ★ Fix flaky uploads", before[0], *before[2:]]
        assert (border(pilot), notices(pilot)) == ("★ Fix flaky uploads", ["Fix flaky uploads"])
        # The cursor stays with the session.
        assert getattr(tree(pilot).session, "session_id", "") == FLAGSHIP
        assert added(data).pinned
        await press(pilot, "asterisk")
        assert (titles(pilot), border(pilot), added(data)) == (before, "Fix flaky uploads", Annotations())


@pytest.mark.spec("S6.10")
async def test_a_title_tags_and_a_note_are_typed_and_seen_at_once(data: Path) -> None:
    async with app_on(data).run_test(size=(200, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "j c")
        form = pilot.app.screen
        assert isinstance(form, AnnotationForm)
        assert (form.value, str(form.query_one("#hint", Static).content)) == (
            "Fix flaky uploads", "Without one: Fix flaky uploads",
        )  # fmt: skip
        form.query_one(Input).value = ""
        await press(pilot, '"The_upload_saga" enter number_sign "Release_#later" enter a "Ask_Bob" ctrl+s')
        assert titles(pilot, 100)[1] == "● The upload saga"
        _, right = row_text(tree(pilot).cursor_node.data, None, "", 1, 100, NOW, shows_agent=False)  # type: ignore[union-attr,arg-type]
        assert right.startswith("#release #later  ¶ Ask Bob  ")
        assert border(pilot) == "The upload saga · #release #later"
        own = added(data)
        assert (own.title, own.tags, [(note.text, note.by) for note in own.notes]) == (
            "The upload saga", ("release", "later"), [("Ask Bob", "app")],
        )  # fmt: skip
        inspector = browse(pilot).query_one(Inspector)
        inspector.tab = "info"
        facts = [" ".join(row.text.split()) for row in inspector.rows(60, 60)]
        leads = ["".join(text for text, _ in row.first).strip() for row in inspector.rows(60, 60)]
        about = dict(zip(leads, facts, strict=True))
        assert {name: about[name] for name in ("Session", "Agent's title", "Tags", "Your note")} == {
            "Session": "The upload saga",
            "Agent's title": "Fix flaky uploads",
            "Tags": "#release #later",
            "Your note": "Ask Bob",
        }
        # What is there is changed; an empty text takes it away.
        await press(pilot, "a")
        pilot.app.screen.query_one(TextArea).text = ""
        await press(pilot, "ctrl+s number_sign")
        pilot.app.screen.query_one(Input).value = "later, more"
        await press(pilot, "enter c")
        pilot.app.screen.query_one(Input).value = ""
        await press(pilot, "enter")
        assert (border(pilot), added(data)) == (
            "Fix flaky uploads · #later #more", Annotations(tags=("later", "more")),
        )  # fmt: skip


@pytest.mark.spec("S6.10")
async def test_a_turn_is_annotated_in_the_transcript_and_in_the_hits(data: Path) -> None:
    async with app_on(data).run_test(size=(128, 30)) as pilot:
        await settled(pilot)
        await press(pilot, 'j enter J asterisk number_sign "flaky" enter a "Here_it_is" ctrl+s')
        pane = transcript(pilot)
        place = pane.document.index[pane.number]
        rows = [line.text.strip() for part in range(2) for line in pane.document.lines(place, part)]
        assert rows[1:] == ["★ pinned  #flaky", "¶ Here it is"]
        assert (added(data).pinned, added(data, turn=2).pinned, added(data, turn=2).tags) == (False, True, ("flaky",))
        await press(pilot, 'slash "tag:flaky" enter escape')
        hits = browse(pilot).query_one(HitList)
        row = [" ".join(line.split()) for line in str(hits.get_option_at_index(0).prompt).splitlines()]
        assert (row[0], row[-1]) == ("★ Fix flaky uploads shop-api 20 h", "#flaky ¶ Here it is")
        await press(pilot, "asterisk")
        title = str(hits.get_option_at_index(0).prompt).partition("  ")[0]
        assert (title, added(data, turn=2).pinned) == ("Fix flaky uploads", False)


async def test_an_archived_session_is_counted_shown_on_demand_and_taken_back(data: Path) -> None:
    async with app_on(data).run_test(size=(128, 24)) as pilot:
        await settled(pilot)
        before = titles(pilot)
        await press(pilot, "j x")
        assert titles(pilot) == [before[0], *before[2:]]
        assert tree(pilot).border_subtitle == "1 archived · X shows them"
        assert notices(pilot) == ["Fix flaky uploads\n\nu takes it back."]
        await press(pilot, "u")
        assert (titles(pilot), tree(pilot).border_subtitle) == (before, "")
        await press(pilot, "g j j x X")
        assert tree(pilot).border_subtitle == "1 archived · X hides them"
        assert titles(pilot)[1] == "● ⊟ Fix flaky uploads"
        await press(pilot, "g j j x X")
        assert (titles(pilot), added(data)) == (before, Annotations())
        await press(pilot, "u")
        assert any(said.startswith("Nothing was archived or forgotten just now.") for said in notices(pilot))


async def test_what_another_process_writes_is_seen_without_a_key(data: Path) -> None:
    async with app_on(data).run_test(size=(128, 24)) as pilot:
        await settled(pilot)
        index = Index.open(data)
        index.annotations.rename(index.sessions.find(FLAGSHIP).key, "From the shell")
        await settled(pilot)
        browse(pilot).services.index.refresh()
        await settled(pilot)
        assert titles(pilot)[1] == "● From the shell"


async def test_the_filter_of_the_list_finds_notes_tags_and_the_agents_title(data: Path) -> None:
    index = Index.open(data)
    key = index.sessions.find(FLAGSHIP).key
    index.annotations.rename(key, "The saga")
    index.annotations.add_note(key, "Ask Bob")
    index.annotations.tag(key, ["later"])
    async with app_on(data).run_test(size=(128, 24)) as pilot:
        await settled(pilot)
        found = {}
        for text in ("saga", "flaky", "#later", "bob"):
            await press(pilot, f'slash ctrl+r ctrl+r ctrl+r "{text}"')
            rows = browse(pilot).query_one(TitleList)
            found[text] = [str(one.prompt).split("  ")[0] for one in rows.options]
            await press(pilot, "escape escape")
        assert set(map(tuple, found.values())) == {("The saga",)}


async def test_what_cannot_be_kept_stays_in_the_form_with_the_reason(data: Path) -> None:
    async with app_on(data).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, f'j number_sign "{"x" * 41}" enter')
        form = pilot.app.screen
        assert isinstance(form, AnnotationForm)
        refused = form.query_one("#refused", Static)
        assert str(refused.content) == "The tag has 41 characters; at most 40 fit."
        await press(pilot, "backspace")
        assert not refused.display
        await press(pilot, "enter")
        assert added(data).tags == ("x" * 40,)


async def test_a_typed_note_is_left_only_after_a_warning(data: Path) -> None:
    async with app_on(data).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, 'j a "half" escape')
        form = pilot.app.screen
        assert isinstance(form, AnnotationForm)
        assert str(form.query_one("#refused", Static).content).startswith("The changes are not saved")
        await press(pilot, "escape")
        assert not isinstance(pilot.app.screen, AnnotationForm)
        assert added(data) == Annotations()


async def test_of_several_notes_one_is_chosen(data: Path) -> None:
    index = Index.open(data)
    key = index.sessions.find(FLAGSHIP).key
    for text in ("first\nmore", "second"):
        index.annotations.add_note(key, text)
    async with app_on(data).run_test(size=(128, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "j a 2")
        assert isinstance(pilot.app.screen, AnnotationForm)
        assert pilot.app.screen.value == "second"
        await press(pilot, '"_note" ctrl+s a 3 "third" ctrl+s')
        assert [note.text for note in added(data).notes] == ["first\nmore", "second note", "third"]


async def test_sessions_of_one_title_are_archived_together_and_a_pinned_one_stands_alone(tmp_path: Path) -> None:
    first, second = Script(), Script(OTHER_SESSION, prefix="f")
    first.user("the same words")
    second.user("the same words")
    build(tmp_path / "data", first.write(tmp_path / "src"), second.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(128, 24)) as pilot:
        await settled(pilot)
        assert [type(node.data) for node in walk(tree(pilot).root)][1:] == [SessionGroup]
        await press(pilot, "x")
        await until(pilot, lambda: Index.open(tmp_path / "data").annotations.archived() == 2)
        await settled(pilot)
        # As nothing else is left, they are listed.
        assert tree(pilot).border_subtitle == "2 archived · X hides them"
        await press(pilot, "u")
        await until(pilot, lambda: Index.open(tmp_path / "data").annotations.archived() == 0)
        await settled(pilot)
        said = notices(pilot)
        await press(pilot, "asterisk")
        assert (titles(pilot), notices(pilot)) == (["● ★ the same words ×2"], [*said, "2 sessions · the same words"])
        assert all(added(tmp_path / "data", session).pinned for session in (SESSION, OTHER_SESSION))
        await press(pilot, "asterisk")
        assert titles(pilot) == ["● the same words ×2"]
        assert not any(added(tmp_path / "data", session).pinned for session in (SESSION, OTHER_SESSION))
    index = Index.open(tmp_path / "data")
    index.annotations.pin(index.sessions.find(OTHER_SESSION).key)
    async with app_on(tmp_path / "data").run_test(size=(128, 24)) as pilot:
        await settled(pilot)
        assert [type(node.data) for node in walk(tree(pilot).root)][1:] == [Session, Session]


async def test_a_title_of_several_sessions_says_so_and_is_not_the_rest_of_a_shown_one(tmp_path: Path) -> None:
    prompt = "You are a careful reviewer of this project. Read the checkpoint"
    first, second = Script(), Script(OTHER_SESSION, prefix="f")
    first.user(prompt)
    second.user(prompt)
    build(tmp_path / "data", first.write(tmp_path / "src"), second.write(tmp_path / "src"))

    def own() -> list[str]:
        return [added(tmp_path / "data", session).title for session in (SESSION, OTHER_SESSION)]

    async with app_on(tmp_path / "data").run_test(size=(128, 24)) as pilot:
        await settled(pilot)
        assert titles(pilot) == ["● … Read the checkpoint ×2"]
        await press(pilot, "c")
        form = pilot.app.screen
        assert isinstance(form, AnnotationForm)
        assert (str(form.query_one(DialogBox).border_title), form.value) == ("your title of 2 sessions", "")
        await press(pilot, "enter")
        assert own() == ["", ""]
        # A note is about one session.
        await press(pilot, "a")
        assert str(pilot.app.screen.query_one(DialogBox).border_title) == "note on … Read the checkpoint"
        await press(pilot, "escape")
        await press(pilot, 'c "The_checkpoint" enter')
        assert (titles(pilot), own()) == (["● The checkpoint ×2"], ["The checkpoint"] * 2)
        await press(pilot, 'c "s" enter')
        assert own() == ["The checkpoints"] * 2


async def test_on_a_project_the_keys_ask_for_a_session(data: Path) -> None:
    async with app_on(data).run_test(size=(128, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "g asterisk")
        assert notices(pilot) == ["Choose a session first."]


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("re", "release"),
        ("release re", "release retry"),
        ("Re", "Release"),
        ("x", None),
        ("", None),
        ("release ", None),
    ],
)
async def test_the_last_tag_is_completed_by_the_most_used_one(typed: str, completed: str | None) -> None:
    assert await LastWordSuggester(["release", "retry"]).get_suggestion(typed) == completed
