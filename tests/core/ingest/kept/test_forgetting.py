"""What is forgotten leaves all files at once, comes back equal within 30 days, and never by itself."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest

from memtui_core.errors import NotForgotten
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.kept.forgetting import ROWS, Forgetting, records_of, waiting_forgets
from memtui_core.ingest.kept.gone_sessions import archived_rows
from memtui_core.ingest.kept.waiting_days import DAY, WaitingDays
from memtui_core.search.embed import open_model
from memtui_core.store.archive.records import RecordFile
from memtui_core.store.archive.session_rows import SessionRows
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.reminder_log import ReminderLog
from memtui_core.store.marks.tombstones import ForgetLog, SessionIdentity
from memtui_core.system.fault_points import FaultRaised, arm
from support.contents import files_containing, lexicon_files
from support.indexes import embed, review, update
from support.table_values import index_values
from support.transcripts import OTHER_SESSION, SESSION, Script

OWN = SessionIdentity("claude-code", SESSION)
OTHER = SessionIdentity("claude-code", OTHER_SESSION)
CHILD = SessionIdentity("claude-code", "agent-abc", SESSION)
WORDS = (
    "qzxvprompt81",
    "qzxvanswer82",
    "qzxvresult83",
    "qzxvthought84",
    "qzxvsummary85",
    "qzxvsubagent86",
    "qzxvnote87",
)
"""Words of the session that is forgotten: of its prompt, answer, tool result, thinking, summary and subagent, and of a
note on it."""
STAYS = "kwjystays91"
"""A word of the session that stays."""


def long_session() -> Script:
    script = Script()
    script.user(f"Round the {WORDS[0]} in src/pay.py")
    script.thinks(f"About {WORDS[3]}")
    script.calls("Read", {"file_path": "/home/ana/code/shop/src/pay.py"})
    script.result(f"def {WORDS[2]}(): pass")
    script.says(f"It is {WORDS[1]}")
    script.entry("system", subtype="compact_boundary", content="Conversation compacted")
    script.user(f"This session continues. {WORDS[4]}", isCompactSummary=True)
    script.user("Go on")
    script.says("Done")
    return script


def write(folder: Path) -> Path:
    """Two sessions, one with a subagent; the transcript of that one."""
    path = long_session().write(folder / "shop")
    child = Script(prefix="g")
    child.user(f"Look at {WORDS[5]}", isSidechain=True, agentId="abc")
    child.says("Looked", isSidechain=True, agentId="abc")
    made = child.write(folder / "elsewhere")
    target = path.parent / SESSION / "subagents" / "agent-abc.jsonl"
    target.parent.mkdir(parents=True)
    made.rename(target)
    other = Script(OTHER_SESSION, prefix="f")
    other.user(f"Look at the {STAYS}")
    other.says("It is here")
    other.write(folder / "shop")
    return path


def annotate(folder: Path) -> None:
    """Add a note to the session and a tag to its subagent, and a note to the other session."""
    index = Index.open(folder)
    index.annotations.add_note(index.sessions.find(SESSION).key, f"Ask about {WORDS[6]}", 1)
    index.annotations.tag(index.sessions.find("agent-abc").key, ["later"])
    index.annotations.add_note(index.sessions.find(OTHER_SESSION).key, "It stays")
    index.close()


def annotated(folder: Path) -> list[tuple[str, int, tuple[str, ...], list[str]]]:
    """What was added to which session and turn."""
    index = Index.open(folder)
    rows = [
        (one.session.session_id, one.turn, one.annotations.tags, [note.text for note in one.annotations.notes])
        for one in index.annotations.all()
    ]
    index.close()
    return sorted(rows)


STAYING = (OTHER_SESSION, 0, (), ["It stays"])
ANNOTATED = sorted([(SESSION, 1, (), [f"Ask about {WORDS[6]}"]), STAYING, ("agent-abc", 0, ("later",), [])])


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    """An index of the sessions with vectors, reviews and annotations."""
    write(tmp_path / "src")
    update(tmp_path / "data", tmp_path / "src")
    annotate(tmp_path / "data")
    embed(tmp_path / "data")
    review(tmp_path / "data")
    return DataDir(tmp_path / "data")


def forget(data: DataDir, *sessions: SessionIdentity) -> str:
    with Indexer(data.path) as indexer:
        forgotten = indexer.forgetting.forget(sessions)
        assert forgotten is not None
        return forgotten.id


def everywhere(*files: str) -> dict[str, list[str]]:
    """What is found if all words are in the same files."""
    return {word: [*files] for word in WORDS}


def ids(data: DataDir) -> list[str]:
    return sorted(row[0] for row in Index.open(data.path).snapshot.rows("SELECT session_id FROM sessions"))


@pytest.mark.spec("S6.6")
def test_what_is_forgotten_leaves_all_files_at_once_and_the_rest_stays(data: DataDir) -> None:
    before = lexicon_files(data.path)
    assert all(files_containing(data.path, *WORDS, STAYS).values())
    data.handoffs.mkdir()
    (data.handoffs / "one.md").write_text(WORDS[0])
    data.last_list.write_text(WORDS[0])
    log = ReminderLog(data.path)
    log.record(OTHER_SESSION, references=[f"{SESSION}:1"], text=WORDS[0])
    log.record(SESSION, text=WORDS[1])
    name = forget(data, OWN)
    assert files_containing(data.path, *WORDS) == everywhere(f"forgotten/{name}.records")
    assert before & lexicon_files(data.path) == set()
    index = Index.open(data.path)
    assert [index.search(word, engines=("lexicon",)).hits for word in WORDS] == [()] * len(WORDS)
    assert [hit.session for hit in index.search(STAYS).hits] == [index.sessions.find(OTHER_SESSION).key]
    assert ids(data) == [OTHER_SESSION]
    assert annotated(data.path) == [STAYING]
    assert (index.files.find().rows, index.compactions.all(), index.statistics.of_index().sessions) == ([], [], 1)
    index.close()
    with Indexer(data.path) as indexer:
        indexer.forgetting.purge(name)
    assert files_containing(data.path, *WORDS) == everywhere()
    assert waiting_forgets(data) == []


@pytest.mark.spec("S6.7")
def test_what_is_brought_back_is_as_it_was_with_its_vectors(data: DataDir) -> None:
    before, hits = index_values(data.path), found(data)
    name = forget(data, OWN)
    with Indexer(data.path) as indexer:
        assert indexer.forgetting.undo(name) == [OWN, CHILD]
        assert not indexer.unembedded(open_model())
    assert index_values(data.path) == before
    assert annotated(data.path) == ANNOTATED
    assert found(data) == hits
    assert list(data.forgotten.iterdir()) == []
    assert ForgetLog(data).forgets()[name].waiting == ()


@pytest.mark.spec("S6.7")
def test_a_forgotten_session_stays_away_whatever_is_read(data: DataDir, tmp_path: Path) -> None:
    """Its transcript grows and is copied, and at last everything is read into an index that has lost the rest."""
    path = tmp_path / "src" / "shop" / f"{SESSION}.jsonl"
    forget(data, OWN)
    with path.open("ab") as file:
        script = long_session()
        script.user(f"And {WORDS[1]}")
        file.write(script.lines[-1] + b"\n")
    shutil.copytree(tmp_path / "src" / "shop", tmp_path / "src" / "copy")
    second = Script(prefix="h")
    second.user("A later subagent", isSidechain=True, agentId="def")
    second.write(tmp_path / "later").rename(path.parent / SESSION / "subagents" / "agent-def.jsonl")
    update(data.path, tmp_path / "src")
    assert (ids(data), update(data.path, tmp_path / "src").files_read) == ([OTHER_SESSION], 0)
    for folder in (data.snapshots, data.lexicon, data.path / "vectors"):
        shutil.rmtree(folder)
    data.work.unlink()
    update(data.path, tmp_path / "src")
    assert ids(data) == [OTHER_SESSION]
    assert {row.state for row in Index.open(data.path).statistics.sources()} == {"ok", "copy", "forgotten"}


@pytest.mark.spec("S6.7")
def test_a_fork_with_another_id_brings_nothing_of_it(data: DataDir, tmp_path: Path) -> None:
    """Claude Code resumes a session as a new one that begins with the old entries."""
    forget(data, OWN)
    fork = long_session()
    fork.user("Only in the fork")
    fork.says("Yes")
    lines = [line.replace(SESSION.encode(), b"33333333-3333-4333-8333-333333333333") for line in fork.lines]
    (tmp_path / "src" / "shop" / "33333333-3333-4333-8333-333333333333.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    update(data.path, tmp_path / "src")
    index = Index.open(data.path)
    session = index.sessions.find("3333")
    assert [turn.user_text for turn in index.sessions.turns(session.key)] == ["Only in the fork"]
    assert [names for names in files_containing(data.path, *WORDS).values() if len(names) > 1] == []


def test_the_title_that_another_transcript_gives_it_goes_and_stays_away(data: DataDir, tmp_path: Path) -> None:
    title = "qzxvtitle87"
    other = tmp_path / "src" / "shop" / f"{OTHER_SESSION}.jsonl"
    summary = b'{"type":"summary","summary":"%s","leafUuid":"e8"}\n' % title.encode()
    other.write_bytes(summary + other.read_bytes())
    update(data.path, tmp_path / "src")
    assert Index.open(data.path).sessions.find(SESSION).title == title
    name = forget(data, OWN)
    assert files_containing(data.path, title) == {title: [f"forgotten/{name}.records"]}
    other.write_bytes(other.read_bytes() + b'{"type":"summary","summary":"%s2","leafUuid":"e7"}\n' % title.encode())
    update(data.path, tmp_path / "src")
    assert files_containing(data.path, title) == {title: [f"forgotten/{name}.records"]}


def test_the_only_copy_leaves_the_archive_and_is_not_restored_from_it(data: DataDir, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "src")
    update(data.path, tmp_path / "src")
    assert set(files_containing(data.path, WORDS[0])[WORDS[0]]) > {"archive/sessions.records"}
    before = index_values(data.path)
    name = forget(data, OWN)
    assert files_containing(data.path, *WORDS) == everywhere(f"forgotten/{name}.records")
    assert [rows.sessions for rows in archived_rows(data)] == [[(OTHER.agent, OTHER_SESSION)]]
    with Indexer(data.path) as indexer:
        records = [record for record in records_of(data, name) if record.kind == ROWS]
        assert indexer.stored.insert(SessionRows.from_bytes(record.body()) for record in records) == set()
        indexer.forgetting.undo(name)
    assert index_values(data.path) == before
    assert sorted(session for rows in archived_rows(data) for _, session in rows.sessions) == [
        SESSION, OTHER_SESSION, "agent-abc",
    ]  # fmt: skip


def test_what_the_archive_has_of_its_transcript_goes_and_comes_back(data: DataDir, tmp_path: Path) -> None:
    """Bytes of transcripts, by the name of their source."""
    path = tmp_path / "src" / "shop" / f"{SESSION}.jsonl"
    records = RecordFile(data.archive / "transcripts.records")
    heads = [{"id": "a", "source": str(path)}, {"id": "b", "source": str(path.with_name("other.jsonl"))}]
    for head in heads:
        records.append("transcript", head, path.read_bytes() if head["id"] == "a" else b"other")
    name = forget(data, OWN)
    assert [record.head for record in records.records()] == heads[1:]
    assert files_containing(data.path, *WORDS) == everywhere(f"forgotten/{name}.records")
    with Indexer(data.path) as indexer:
        indexer.forgetting.undo(name)
    assert [(record.kind, record.head, record.body()) for record in records.records()] == [
        ("transcript", heads[1], b"other"),
        ("transcript", heads[0], path.read_bytes()),
    ]


def test_a_subagent_alone_leaves_the_rest_of_its_record_in_the_archive(data: DataDir, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "src")
    update(data.path, tmp_path / "src")
    forget(data, CHILD)
    assert ids(data) == [SESSION, OTHER_SESSION]
    assert sorted(session for rows in archived_rows(data) for _, session in rows.sessions) == [SESSION, OTHER_SESSION]
    assert [names for names in files_containing(data.path, WORDS[5]).values() if len(names) > 1] == []


def test_what_was_brought_back_is_read_on_and_another_id_knows_nothing(data: DataDir, tmp_path: Path) -> None:
    name = forget(data, OWN)
    path = tmp_path / "src" / "shop" / f"{SESSION}.jsonl"
    update(data.path, tmp_path / "src")
    script = long_session()
    script.user("Later")
    path.write_bytes(b"\n".join(script.lines) + b"\n")
    update(data.path, tmp_path / "src")
    with Indexer(data.path) as indexer:
        with pytest.raises(NotForgotten, match="Nothing that was forgotten as none can be brought back"):
            indexer.forgetting.undo("none")
        indexer.forgetting.undo(name)
        with pytest.raises(NotForgotten):
            indexer.forgetting.undo(name)
    update(data.path, tmp_path / "src")
    index = Index.open(data.path)
    texts = [turn.user_text for turn in index.sessions.turns(index.sessions.find(SESSION).key)]
    assert texts[-2:] == ["Go on", "Later"]
    fresh = tmp_path / "fresh"
    update(fresh, tmp_path / "src")
    assert dict(index_values(data.path), chunks=[], reviews=[], review_items=[]) == dict(
        index_values(fresh), chunks=[], reviews=[], review_items=[]
    )


def test_one_of_several_comes_back_and_the_others_can_follow(data: DataDir) -> None:
    before = index_values(data.path)
    name = forget(data, OWN, OTHER)
    waiting = [(one.id, {session.identity for session in one.sessions}) for one in waiting_forgets(data)]
    assert waiting == [(name, {OWN, CHILD, OTHER})]
    with Indexer(data.path) as indexer:
        assert indexer.forgetting.undo(name, [CHILD]) == [OWN, CHILD]
    assert ids(data) == [SESSION, "agent-abc"]
    [[other]] = [one.sessions for one in waiting_forgets(data)]
    assert (other.identity, other.title, other.project, other.turns) == (OTHER, f"Look at the {STAYS}", "shop", 1)
    assert set(files_containing(data.path, STAYS)[STAYS]) == {f"forgotten/{name}.records"}
    with Indexer(data.path) as indexer:
        indexer.forgetting.undo(name)
    assert index_values(data.path) == before


def test_what_the_settings_exclude_is_forgotten_and_comes_back_when_they_do_not(data: DataDir, tmp_path: Path) -> None:
    with Indexer(data.path) as indexer:
        assert indexer.forgetting.forget([OWN], keeps_away=False) is not None
    assert ids(data) == [OTHER_SESSION]
    update(data.path, tmp_path / "src")
    assert ids(data) == [SESSION, OTHER_SESSION, "agent-abc"]


def test_what_nothing_has_is_not_forgotten(data: DataDir) -> None:
    before = index_values(data.path)
    with Indexer(data.path) as indexer:
        assert indexer.forgetting.forget([SessionIdentity("codex", SESSION)]) is None
    assert (index_values(data.path), ForgetLog(data).forgets(), data.forgotten.exists()) == (before, {}, False)


def looked(data: DataDir, *days: float) -> list[int]:
    """How many forgets still wait after a look on each of some days."""
    waiting = []
    for day in days:
        with Indexer(data.path) as indexer:
            Forgetting(indexer.stored, partial(float, day * DAY)).catch_up()
        waiting.append(len(waiting_forgets(data)))
    return waiting


@pytest.mark.spec("S6.6")
@pytest.mark.parametrize(
    ("days", "waiting"),
    [
        ([7, 14, 21, 28, 29.9, 30, 31], [1, 1, 1, 1, 1, 0, 0]),
        # A clock that is wrong once takes a week off at most, and one that is set back counts for nothing.
        ([9000, 9007, 9014, 9021, 9022.9, 9023], [1, 1, 1, 1, 1, 0]),
        ([-9000, 0, 1, 8, 15, 22, 23], [1, 1, 1, 1, 1, 1, 0]),
        # Whoever looks once in a month keeps it longer.
        ([60, 120, 180, 240, 300], [1, 1, 1, 1, 0]),
    ],
)
def test_it_is_purged_when_the_indexer_has_seen_30_days_pass(
    days: list[float], waiting: list[int], tmp_path: Path
) -> None:
    write(tmp_path / "src")
    update(tmp_path / "data", tmp_path / "src")
    data = DataDir(tmp_path / "data")
    with Indexer(data.path) as indexer:
        assert Forgetting(indexer.stored, lambda: 0.0).forget([OWN]) is not None
    assert looked(data, *days) == waiting
    assert list(data.forgotten.iterdir()) == []
    assert files_containing(data.path, *WORDS) == everywhere()


def test_a_file_of_days_that_is_damaged_begins_again(tmp_path: Path) -> None:
    days = WaitingDays(DataDir(tmp_path), lambda: 100 * DAY)
    days._path.parent.mkdir()
    for content in (b"", b"[]", b'{"looked_at": 0, "waited": {"a": "x"}}', b'{"waited": {"a": 1e9}}'):
        days._path.write_bytes(content)
        assert (days.left("a"), days.look(["a"])) == (30 * DAY, [])


STEPS = {
    "forget": (
        *("forgotten-kept", "forget-logged", "archive-rewritten", "annotations-kept", "annotations-removed"),
        *("sessions-removed", "sessions-out-of-sight", "removed-vectors-left-out"),
        *("lexicon-cleared", "work-rewritten", "rewritten-work-in-place", "removal-published", "removed-files-gone"),
        *("texts-removed", "removal-logged"),
    ),
    "undo": ("undo-logged", "rows-written", "rows-committed", "forgotten-inserted", "forgotten-rewritten"),
    "purge": ("purge-logged", "forgotten-deleted"),
}


@pytest.mark.spec("S6.8")
@pytest.mark.parametrize(("action", "step"), [(action, step) for action, steps in STEPS.items() for step in steps])
def test_what_is_interrupted_at_any_step_is_as_before_or_finished_by_the_next_run(
    action: str, step: str, tmp_path: Path, made: Path
) -> None:
    data = DataDir(Path(shutil.copytree(made / "data", tmp_path / "data")))
    source = made / "src"
    before = index_values(data.path)
    if action != "forget":
        name = forget(data, OWN)
    arm(f"{step}:raise")
    with pytest.raises(FaultRaised), Indexer(data.path) as indexer:
        getattr(indexer.forgetting, action)([OWN] if action == "forget" else name)
    arm("")
    update(data.path, source)
    left = files_containing(data.path, *WORDS)
    if (action, step) == ("forget", "forgotten-kept") or action == "undo":
        assert (index_values(data.path), annotated(data.path)) == (before, ANNOTATED)
        assert [name for names in left.values() for name in names if name.startswith("forgotten")] == []
        assert waiting_forgets(data) == []
        return
    [name] = ForgetLog(data).forgets()
    assert ids(data) == [OTHER_SESSION]
    assert left == everywhere(*([f"forgotten/{name}.records"] if action == "forget" else []))
    if action == "forget":
        with Indexer(data.path) as indexer:
            indexer.forgetting.undo(name)
        assert (index_values(data.path), annotated(data.path)) == (before, ANNOTATED)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an index with an archive, because the transcripts are gone; read only."""
    folder = tmp_path_factory.mktemp("made")
    write(folder / "src")
    update(folder / "data", folder / "src")
    annotate(folder / "data")
    shutil.move(folder / "src", folder / "away")
    (folder / "src").mkdir()
    update(folder / "data", folder / "src")
    embed(folder / "data")
    return folder


def found(data: DataDir) -> list[list[tuple[str, int]]]:
    index = Index.open(data.path)
    index.vectors.load_model()
    hits = [index.search(text).hits for text in ("round amounts of money", WORDS[2], "src/pay.py")]
    return [[(hit.session_id, hit.turn) for hit in own] for own in hits]
