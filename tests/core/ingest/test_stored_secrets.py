"""What is stored already is redacted once more when the rules are others: the user's own patterns here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.kept.forgetting import waiting_forgets
from memtui_core.ingest.kept.gone_sessions import archived_rows
from memtui_core.ingest.turns.stored_secrets import TEXTS, redacted_row
from memtui_core.memory.observations.store import Observations
from memtui_core.memory.summaries import Summaries
from memtui_core.memory.timeline.model import TimelineQuery
from memtui_core.memory.timeline.pages import Timeline
from memtui_core.readers.locations import Location
from memtui_core.search.embed import open_model
from memtui_core.store.archive.records import RecordFile
from memtui_core.store.archive.transcripts import TranscriptArchive
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.reminder_log import ReminderLog
from memtui_core.store.marks.tombstones import SessionIdentity
from memtui_core.store.tables import COLUMNS, LIST, TEXT
from memtui_core.text.own_patterns import use_patterns
from support.archives import archived_index
from support.contents import files_containing
from support.indexes import build, embed, review, update
from support.transcripts import OTHER_SESSION, SESSION, Script

NUMBER = "ACME-123456789012"
PATTERN = "ACME-[0-9]{12}"
REPLACED = "[redacted:pattern]"


@pytest.fixture(autouse=True)
def no_patterns() -> Iterator[None]:
    yield
    use_patterns(())


def written(source: Path) -> None:
    """A session with the number in each kind of text, and one without it."""
    script = Script()
    script.user(f"Ship the order {NUMBER} to Ana")
    script.thinks(f"The number {NUMBER} is in the table")
    script.calls("Bash", {"command": f"ship {NUMBER}", "description": f"Ship {NUMBER}"})
    script.result(f"shipped {NUMBER} today")
    script.says(f"The order {NUMBER} was shipped.")
    script.lines.append(f'{{"broken": "{NUMBER}"'.encode())
    script.write(source)
    other = Script(OTHER_SESSION, prefix="f")
    other.user("Paint the fence")
    other.says("It is blue.")
    other.write(source)


def files_with(folder: Path, text: str) -> list[str]:
    """The files of an index that contain a text."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and text.encode() in path.read_bytes()
    )


def texts_of(index: Index, session: str) -> list[str]:
    found = index.sessions.find(session)
    turns = index.sessions.whole_turns(found.key, 1, found.turns)
    return [text for turn in turns for block in turn.blocks for text in (block.text, block.detail or "")]


@pytest.mark.spec("S6.14")
def test_stored_texts_lexicon_and_vectors_lose_what_a_new_pattern_matches(tmp_path: Path) -> None:
    """Also of a session whose transcript is gone, and without reading the others again."""
    source, data = tmp_path / "source", tmp_path / "data"
    written(source)
    update(data, source)
    embed(data)
    review(data)
    source.joinpath(f"{SESSION}.jsonl").unlink()
    update(data, source)
    before = Index.open(data)
    assert any(NUMBER in text for text in texts_of(before, SESSION))
    assert [hit.session_id for hit in before.search(f'"{NUMBER}"', 5).hits] == [SESSION]
    vectors = before.vectors.report("exact").vectors
    before.close()
    use_patterns([PATTERN])
    counts = update(data, source)
    assert (counts.files_read, counts.turns_redacted) == (0, 1)
    after = Index.open(data)
    texts = texts_of(after, SESSION)
    assert not any(NUMBER in text for text in texts)
    assert sum(text.count(REPLACED) for text in texts) >= 5
    assert after.search(f'"{NUMBER}"', 5).hits == ()
    assert [hit.session_id for hit in after.search('"order redacted pattern"', 5).hits] == [SESSION]
    assert [hit.session_id for hit in after.search("fence", 5).hits] == [OTHER_SESSION]
    assert after.vectors.report("exact").vectors < vectors
    assert files_with(data, "123456789012") == []
    embed(data)
    assert Index.open(data).vectors.report("exact").vectors == vectors


def test_the_archive_and_what_was_forgotten_lose_it_too(tmp_path: Path) -> None:
    """Rows and bytes of a session that is gone, and all that is kept of a forgotten one; both come back without it."""
    source, data = tmp_path / "source", tmp_path / "data"
    written(source)
    forgotten = Script(OTHER_SESSION, prefix="g")
    forgotten.user(f"Return the order {NUMBER}")
    forgotten.says(f"The order {NUMBER} was returned.")
    forgotten.write(source)
    archived_index(data, source).close()
    embed(data)
    for session in (SESSION, OTHER_SESSION):
        source.joinpath(f"{session}.jsonl").unlink()
    update(data, source)
    with Indexer(data) as indexer:
        forget = indexer.forgetting.forget([SessionIdentity("claude-code", OTHER_SESSION)])
    assert forget is not None
    (data / "handoffs").mkdir()
    (data / "handoffs" / "one.md").write_text(NUMBER)
    ReminderLog(data).record(SESSION, text=NUMBER)
    in_records = [f"archive/{name}.records" for name in ("sessions", "transcripts")]
    files = files_containing(data, NUMBER)[NUMBER]
    assert {*in_records, f"forgotten/{forget.id}.records", "handoffs/one.md", f"told/{SESSION}"} < set(files)
    before = {path: file.secrets for path, file in TranscriptArchive(DataDir(data)).files().items()}
    assert before == {source / f"{SESSION}.jsonl": 0}
    use_patterns([PATTERN])
    update(data, source)
    assert files_containing(data, "123456789012") == {"123456789012": []}
    [file] = TranscriptArchive(DataDir(data)).files().values()
    content = b"".join(file.pieces())
    assert (file.secrets, content.count(REPLACED.encode())) == (7, 7)
    assert [json.loads(line) for line in content.splitlines()[:-1]]
    [rows] = archived_rows(DataDir(data))
    assert rows.digest == next(iter(RecordFile(DataDir(data).session_archive).records())).head["digest"]
    [waiting] = waiting_forgets(DataDir(data))
    assert [session.title for session in waiting.sessions] == [f"Return the order {REPLACED}"]
    with Indexer(data) as indexer:
        indexer.forgetting.undo(forget.id)
        assert indexer.unembedded(open_model())
    assert texts_of(Index.open(data), OTHER_SESSION)[0] == f"Return the order {REPLACED}"
    restored = TranscriptArchive(DataDir(data)).files()[source / f"{OTHER_SESSION}.jsonl"]
    assert (restored.secrets, NUMBER.encode() in b"".join(restored.pieces())) == (2, False)
    assert update(data, source).snapshots == 0
    assert files_containing(data, "123456789012") == {"123456789012": []}


def test_it_is_done_once(tmp_path: Path) -> None:
    source, data = tmp_path / "source", tmp_path / "data"
    written(source)
    update(data, source)
    use_patterns([PATTERN])
    assert update(data, source).snapshots > 0
    assert update(data, source).snapshots == 0
    use_patterns(["NOBODY-[0-9]"])
    assert update(data, source).snapshots == 0


def test_no_summary_that_is_kept_has_what_is_redacted_now(tmp_path: Path) -> None:
    """A server and a timeline stay open while the patterns change."""
    source, data = tmp_path / "source", tmp_path / "data"
    script = Script()
    script.user(f"Ship the order {NUMBER}")
    script.says(f"The order {NUMBER} was shipped.")
    script.write(source)
    index = build(data, source)
    summaries, pages = Summaries(), Timeline(Observations(data), "")

    def texts() -> list[str]:
        sessions = {one.key: one.session_id for one in index.sessions.all()}
        *_, page = pages.pages(index.snapshot, TimelineQuery(None), lambda: False)
        shown = [row.outcome.asked for row in page.sessions if row.outcome is not None]
        return [*(one.text for one in summaries.of(index.snapshot, sessions, {})), *shown]

    before = texts()
    asked = f"Ship the order {NUMBER}"
    assert before == [f"Asked: {asked}\nAnswered last: The order {NUMBER} was shipped.", asked]
    use_patterns([PATTERN])
    update(data, source)
    assert index.refresh()
    assert texts() == [text.replace(NUMBER, REPLACED) for text in before]


@pytest.mark.parametrize("moment", ["rewrite", "publish"])
def test_a_process_that_dies_in_the_middle_leaves_the_rest_to_the_next(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, data = tmp_path / "source", tmp_path / "data"
    written(source)
    update(data, source)
    use_patterns([PATTERN])

    class Died(BaseException):
        pass

    def die(*_: object, **__: object) -> None:
        raise Died

    def update_and_die() -> None:
        with Indexer(data) as indexer, monkeypatch.context() as patched:
            patched.setattr(indexer.work if moment == "rewrite" else indexer.publisher, moment, die)
            next(indexer.update([Location("claude-code", source)]))

    with pytest.raises(Died):
        update_and_die()
    update(data, source)
    assert files_with(data, "123456789012") == []
    assert not any(NUMBER in text for text in texts_of(Index.open(data), SESSION))


def test_new_transcripts_are_redacted_by_the_patterns_in_each_process(tmp_path: Path) -> None:
    source = tmp_path / "source"
    written(source)
    use_patterns([PATTERN])
    index = build(tmp_path / "data", source)
    assert sum(text.count(REPLACED) for text in texts_of(index, SESSION)) >= 5
    assert files_with(tmp_path / "data", "123456789012") == []


@pytest.mark.spec("S6.14")
def test_every_column_with_texts_of_transcripts_is_redacted() -> None:
    """A new column of text is either redacted, or named here because it is an id, a name or a path."""
    kept = {
        "sources": {"path", "agent", "state", "head_hash", "error"},
        "unknown_entries": {"kind"},
        "sessions": {
            *("agent", "session_id", "parent_id", "parent_tool_id", "agent_type", "project", "root", "worktree", "cwd"),
            *("branch", "version", "forked_from"),
        },
        "turns": {"kind", "models"},
        "blocks": {"kind", "tool", "tool_id"},
        "file_mentions": {"path", "tool", "kind"},
        "agent_calls": {"tool_id", "agent_id", "agent_type"},
        "facts": {"kind"},
        "compactions": {"trigger"},
        "review_items": {"kind", "turns"},
        "pr_links": {"url", "repository"},
    }
    texts = {
        table: {name for name, kind in columns.items() if kind in (TEXT, LIST)} for table, columns in COLUMNS.items()
    }
    redacted = {table: texts[table] - kept.get(table, set()) for table in texts}
    assert {table: names for table, names in redacted.items() if names} == {
        table: set(names) for table, names in TEXTS.items()
    }


def test_a_row_is_redacted_in_its_texts_alone() -> None:
    use_patterns([PATTERN])
    columns = list(COLUMNS["turns"])
    row = tuple(f"{NUMBER}\x1f{NUMBER}" if name in ("user_text", "tool_summary", "kind") else "" for name in columns)
    clean = dict(zip(columns, redacted_row("turns", row), strict=True))
    assert clean == {
        **dict.fromkeys(columns, ""),
        "kind": f"{NUMBER}\x1f{NUMBER}",
        "user_text": f"{REPLACED}\x1f{REPLACED}",
        "tool_summary": f"{REPLACED}\x1f{REPLACED}",
    }
    other = tuple("" for _ in columns)
    assert redacted_row("turns", other) is other
