"""Transcripts in the archive: byte by byte, only what is new, without secrets."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.store.archive import transcripts
from memtui_core.store.archive.records import RecordFile
from memtui_core.store.archive.redacted import RedactedText, redacted_text
from memtui_core.store.archive.transcripts import ArchivedFile, TranscriptArchive
from memtui_core.store.data_folder import DataDir
from memtui_core.system.compression import zstd

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class Archived:
    """An archive and one file, which is archived whenever it was written."""

    def __init__(self, folder: Path, name: str = "a.jsonl") -> None:
        self.data = DataDir(folder / "data")
        self.path = folder / name
        self.clock = 10**18

    def write(self, content: bytes) -> int:
        """Write the file with a time of its own; the bytes that were read to archive it."""
        self.path.write_bytes(content)
        self.clock += 10**9
        os.utime(self.path, ns=(self.clock, self.clock))
        return self.add()

    def add(self) -> int:
        """Archive what is new."""
        archive = TranscriptArchive(self.data)
        read = archive.add(self.path, "claude-code", str(self.path), archive.files().get(self.path))
        archive.flush()
        return read

    @property
    def file(self) -> ArchivedFile:
        """What the archive has of the file."""
        return TranscriptArchive(self.data).files()[self.path]

    @property
    def content(self) -> bytes:
        """The content that would be restored."""
        return b"".join(self.file.pieces())

    @property
    def stored(self) -> bytes:
        """Everything that was ever written, decompressed."""
        records = RecordFile(self.data.archived_transcripts).records()
        return b"".join(json.dumps(dict(record.head)).encode() + record.body() for record in records)


@pytest.fixture
def one(tmp_path: Path) -> Archived:
    return Archived(tmp_path)


def test_only_what_was_appended_is_read_and_stored(one: Archived) -> None:
    first, second = b'{"a": 1}\r\n{"b": 2}\n', b'{"c": 3}\n'
    assert (one.write(first), one.add(), one.write(first + second)) == (len(first), 0, len(second))
    assert one.content == first + second
    bodies = [record.body() for record in RecordFile(one.data.archived_transcripts).records()]
    assert bodies == [first, second]
    file = one.file
    assert (file.size, file.mtime, file.secrets, file.agent) == (len(one.content), one.clock, 0, "claude-code")


def test_a_file_whose_time_alone_changed_is_not_stored_again(one: Archived) -> None:
    one.write(b'{"a": 1}\n')
    before = one.data.archived_transcripts.read_bytes()
    assert one.write(b'{"a": 1}\n') == 0
    assert one.data.archived_transcripts.read_bytes() == before


@pytest.mark.parametrize("rewritten", [b'{"a": 9}\n{"b": 2}\n{"c": 3}\n', b'{"a": 1}\n', b'{"other": 1}\n{"b": 2}\n'])
def test_a_file_that_was_rewritten_starts_anew(one: Archived, rewritten: bytes) -> None:
    one.write(b'{"a": 1}\n{"b": 2}\n')
    one.write(rewritten)
    assert one.content == rewritten


def test_an_incomplete_line_is_stored_and_then_replaced_by_the_whole_one(one: Archived) -> None:
    contents = []
    for content in (
        b'{"a": 1}\n{"b',
        b'{"a": 1}\n{"b": 2}',
        b'{"a": 1}\n{"b": 2}\n{"c',
        b'{"a": 1}\n{"b": 2}\n{"c": 3}\n',
    ):
        one.write(content)
        contents.append(one.content == content)
    assert contents == [True] * 4


def test_a_secret_that_was_written_in_two_parts_is_replaced(one: Archived) -> None:
    line = json.dumps({"text": f"use {TOKEN} now"}).encode() + b"\n"
    cut = line.index(TOKEN.encode()) + 39
    one.write(line[:cut])
    one.write(line)
    assert json.loads(one.content) == {"text": "use [redacted:github-token] now"}
    assert (one.file.secrets, TOKEN.encode() in one.stored) == (1, False)


@pytest.mark.parametrize(
    "text",
    [
        f"export GITHUB={TOKEN}",
        f"https://me:hunter2secret@example.com/{TOKEN}",
        # As a tool prints what another one has written as JSON: the index decodes it before it looks.
        json.dumps(json.dumps({"DEPLOY_TOKEN": "q8Zt4Kp1Xw7Rb2Nv9Lc6"})),
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\n-----END PRIVATE KEY-----\n",
    ],
)
def test_what_the_index_would_replace_is_not_in_the_archive(one: Archived, text: str) -> None:
    from memtui_core.text.redaction import redact

    one.write(json.dumps({"type": "user", "text": text, "list": [{"again": text}]}).encode() + b"\n")
    value = json.loads(one.content)
    assert value == {"type": "user", "text": redact(text), "list": [{"again": redact(text)}]}
    assert redact(text) != text
    secrets = [TOKEN, "hunter2secret", "q8Zt4Kp1Xw7Rb2Nv9Lc6", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj"]
    assert [secret for secret in secrets if secret.encode() in one.stored] == []
    assert one.file.secrets >= 2


@given(st.lists(st.one_of(st.binary(max_size=40), st.just(TOKEN.encode()), st.just(b'{"a":"\\ud83d"}')), max_size=8))
def test_lines_of_any_bytes_come_back_but_for_their_secrets(
    tmp_path_factory: pytest.TempPathFactory, parts: Sequence[bytes]
) -> None:
    one = Archived(tmp_path_factory.mktemp("any"))
    lines = [part.replace(b"\n", b"") for part in parts]
    content = b"\n".join(lines)
    one.write(content)
    if content:
        assert one.content == content.replace(TOKEN.encode(), b"[redacted:github-token]")


def test_json_without_secrets_stays_as_it_is() -> None:
    text = '{ "b":1e3 , "a" : "caf\\u00e9 \\/ \\ud83d" }'
    assert redacted_text(text) == RedactedText(text, 0)


def test_a_large_file_is_stored_in_pieces_of_whole_lines(one: Archived, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "_PIECE", 64)
    content = b"".join(b'{"number": %d, "text": "%s"}\n' % (number, b"x" * (number % 90)) for number in range(50))
    assert one.write(content[:-5]) == len(content) - 5
    assert one.content == content[:-5]
    assert one.write(content) < 200
    assert one.content == content
    assert len(one.file.records) > 20


def test_a_reading_that_was_stopped_goes_on(one: Archived, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "_PIECE", 64)
    content = b"".join(b'{"number": %d}\n' % number for number in range(20))
    one.path.write_bytes(content)
    archive = TranscriptArchive(one.data)
    read = archive.add(one.path, "claude-code", str(one.path), None, lambda: True)
    archive.flush()
    assert (read, one.content) == (56, content[:56])
    assert (one.add(), one.content) == (len(content) - 56, content)


def test_of_a_document_the_newest_version_counts(tmp_path: Path) -> None:
    one = Archived(tmp_path, "task.json")
    for content in (b'{\n "a": 1\n}', b'{\n "a": 1,\n "b": 2\n}'):
        one.write(content)
    assert one.content == b'{\n "a": 1,\n "b": 2\n}'
    one.write(json.dumps({"key": TOKEN, "n": 1}, indent=2).encode())
    assert json.loads(one.content) == {"key": "[redacted:github-token]", "n": 1}


def test_a_compressed_transcript_stays_compressed(tmp_path: Path) -> None:
    one = Archived(tmp_path, "rollout.jsonl.zst")
    plain = zstd.compress(b'{"a": 1}\n', level=19)
    one.write(plain)
    assert one.content == plain
    one.write(zstd.compress(json.dumps({"t": TOKEN}).encode() + b"\n"))
    assert zstd.decompress(one.content) == b'{"t": "[redacted:github-token]"}\n'
    # It is still being written: its frame has no end.
    compressor = zstd.ZstdCompressor()
    line = json.dumps({"t": TOKEN}).encode() + b"\n"
    one.write(compressor.compress(line) + compressor.flush(compressor.FLUSH_BLOCK))
    assert zstd.decompress(one.content) == b'{"t": "[redacted:github-token]"}\n'


def test_older_versions_leave_the_archive_when_they_are_more_than_a_third(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts, "_SMALLEST_REWRITE", 1)
    one, other = Archived(tmp_path, "task.json"), Archived(tmp_path, "other.jsonl")
    other.write(b'{"kept": 1}\n')
    other.write(b'{"kept": 1}\n{"more": 2}\n')
    for number in range(3):
        one.write(b'{"version": %d}' % number)
    assert TranscriptArchive(one.data).tidy() == 2
    assert (one.content, other.content) == (b'{"version": 2}', b'{"kept": 1}\n{"more": 2}\n')
    assert TranscriptArchive(one.data).tidy() == 0


def test_a_damaged_record_costs_what_follows_it_in_its_file_until_that_is_read_again(one: Archived) -> None:
    first, second, third = b'{"a": 1}\n', b'{"b": 2}\n', b'{"c": 3}\n'
    one.write(first)
    one.write(first + second)
    one.write(first + second + third)
    records = list(RecordFile(one.data.archived_transcripts).records())
    with one.data.archived_transcripts.open("r+b") as file:
        file.seek(records[1].offset + 20)
        file.write(b"????")
    assert one.content == first
    assert one.add() == len(second + third)
    assert one.content == first + second + third


def test_a_line_that_is_too_long_is_refused(one: Archived, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "_PIECE", 10)
    monkeypatch.setattr(transcripts, "LONGEST_LINE", 30)
    with pytest.raises(transcripts.TranscriptTooLarge, match="too long"):
        one.write(b'{"text": "%s"}\n' % (b"x" * 100))
    assert not one.data.archived_transcripts.exists()
