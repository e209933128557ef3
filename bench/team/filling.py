"""A server with any number of turns: those that were pushed, copied in the database to other devices and times.

What is copied has the texts of the pushed turns, and vectors of its own. The indexes are built afterwards, as they
would be after a large first push.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, LiteralString

import numpy as np
import psycopg

from bench.vectors import DIMENSION, invented

MEMBERS: Final = 50
GROUPS: Final = 5
INDEXES: Final[dict[str, LiteralString]] = {
    "words (GIN)": "CREATE INDEX turns_words_idx ON memtui.turns USING gin (words)",
    "words (BM25)": "CREATE INDEX turns_terms ON memtui.terms USING bm25 (terms) WITH (text_config = 'simple')",
    "paths": "CREATE INDEX mentions_reversed_idx ON memtui.mentions (reversed)",
    "vectors (HNSW)": "CREATE INDEX vectors_vector_idx ON memtui.vectors USING hnsw (vector halfvec_cosine_ops)",
}
"""What is built after a large push."""
_EPOCH_DAYS: Final = np.datetime64("2000-01-01")
_PIECE: Final = 20_000
"""Vectors in memory at once."""
_ROW: Final = np.dtype(
    [
        ("fields", ">i2"),
        ("month_size", ">i4"), ("month", ">i4"),
        ("turn_size", ">i4"), ("turn", ">i8"),
        ("chunk_size", ">i4"), ("chunk", ">i4"),
        ("session_size", ">i4"), ("session", ">i8"),
        ("device_size", ">i4"), ("device", ">i4"),
        ("project_size", ">i4"), ("project", ">i4"),
        ("vector_size", ">i4"), ("dimension", ">i2"), ("unused", ">i2"), ("vector", ">f2", DIMENSION),
    ]
)  # fmt: skip
"""A row of the vectors in the binary format of COPY."""


def copy_turns(connection: psycopg.Connection[Any], turns: int, chunks: int) -> None:
    """Copy the turns on the server until there are so many, with so many vectors each."""
    have = count(connection, "memtui.turns")
    each = -(-(turns - have) // have) if turns > have else 0
    if each:
        connection.execute("SELECT setseed(0.5)")
        connection.execute(
            "CREATE TEMP TABLE copies AS SELECT s.id AS old, nextval('memtui.sessions_id_seq') AS new,"
            " 1 + floor(random() * %(members)s)::int AS device, p.id AS project, k,"
            " interval '1 day' * floor(random() * 300) AS shift"
            " FROM memtui.sessions s CROSS JOIN generate_series(1, %(each)s) k"
            " JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM memtui.projects) p"
            " ON p.place = 1 + (s.id * 7 + k) %% (SELECT count(*) FROM memtui.projects)",
            {"members": MEMBERS, "each": each},
        )
        months = "SELECT DISTINCT date_trunc('month', s.started_at - c.shift)::date FROM copies c"
        for (month,) in connection.execute(f"{months} JOIN memtui.sessions s ON s.id = c.old").fetchall():
            for table in ("turns", "terms", "mentions", "vectors"):
                connection.execute(
                    f"CREATE TABLE IF NOT EXISTS memtui.{table}_{month:%Y_%m} PARTITION OF memtui.{table}"
                    f" FOR VALUES FROM ('{month}') TO ('{month}'::date + interval '1 month')".encode()
                )
        connection.execute(
            "INSERT INTO memtui.sessions (id, device, project, agent, session_id, parent_id, title, started_at,"
            " ended_at, turns, version, content) OVERRIDING SYSTEM VALUE"
            " SELECT c.new, c.device, c.project, s.agent, md5(c.old || '-' || c.k), '', s.title,"
            " s.started_at - c.shift, s.ended_at - c.shift, s.turns, s.version, s.content"
            " FROM copies c JOIN memtui.sessions s ON s.id = c.old"
        )
        connection.execute(
            "INSERT INTO memtui.turns (month, session, device, project, number, agent, kind, started_at, tool_calls,"
            " errors, input_tokens, output_tokens, digest, words, content)"
            " SELECT date_trunc('month', s.started_at)::date, c.new, c.device, c.project, t.number, t.agent, t.kind,"
            " t.started_at - c.shift, t.tool_calls, t.errors, t.input_tokens, t.output_tokens, t.digest,"
            " t.words, t.content FROM copies c JOIN memtui.turns t ON t.session = c.old"
            " JOIN memtui.sessions s ON s.id = c.new"
        )
        connection.execute(
            "INSERT INTO memtui.mentions (month, turn, session, device, project, path, kind, is_dir)"
            " SELECT n.month, n.id, n.session, n.device, n.project, m.path, m.kind, m.is_dir"
            " FROM copies c JOIN memtui.turns o ON o.session = c.old JOIN memtui.mentions m ON m.turn = o.id"
            " JOIN memtui.turns n ON n.session = c.new AND n.number = o.number"
        )
        connection.execute(
            "INSERT INTO memtui.terms (month, turn, session, device, project, agent, started_at, terms)"
            " SELECT n.month, n.id, n.session, n.device, n.project, n.agent, n.started_at, w.terms"
            " FROM copies c JOIN memtui.turns o ON o.session = c.old JOIN memtui.terms w ON w.turn = o.id"
            " JOIN memtui.turns n ON n.session = c.new AND n.number = o.number"
        )
        _copy_vectors(connection, chunks)
    connection.execute("ANALYZE memtui.turns, memtui.terms, memtui.mentions, memtui.vectors, memtui.sessions")


def build_indexes(connection: psycopg.Connection[Any], *, has_bm25: bool) -> Iterator[tuple[str, float]]:
    """Build each index of the searches again, with the seconds that it took."""
    connection.execute("SET maintenance_work_mem = '2GB'")
    for name, statement in INDEXES.items():
        if name == "words (BM25)" and not has_bm25:
            continue
        started = time.perf_counter()
        connection.execute(statement)
        yield name, time.perf_counter() - started


@contextmanager
def without_indexes(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Rows are added faster without the indexes of the searches."""
    for statement in INDEXES.values():
        name = statement.split()[2]
        connection.execute(f"DROP INDEX IF EXISTS memtui.{name}".encode())
    yield


def count(connection: psycopg.Connection[Any], table: LiteralString) -> int:
    """The rows of a table."""
    [(rows,)] = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
    return int(rows)


def _copy_vectors(connection: psycopg.Connection[Any], chunks: int) -> None:
    """Give each turn without vectors as many as it has chunks, in the binary format of COPY."""
    turns = np.array(
        connection.execute(
            "SELECT t.month - DATE '2000-01-01', t.id, t.session, t.device, t.project FROM memtui.turns t"
            " WHERE t.session IN (SELECT new FROM copies)"
        ).fetchall(),
        np.int64,
    )
    with (
        connection.cursor() as cursor,
        cursor.copy(
            "COPY memtui.vectors (month, turn, chunk, session, device, project, vector) FROM STDIN (FORMAT binary)"
        ) as copy,
    ):
        copy.write(b"PGCOPY\n\xff\r\n\x00" + bytes(8))
        for chunk in range(chunks):
            for first in range(0, len(turns), _PIECE):
                piece = turns[first : first + _PIECE]
                rows = np.zeros(len(piece), _ROW)
                rows["fields"], rows["chunk"] = 7, chunk
                for place, name in enumerate(("month", "turn", "session", "device", "project")):
                    rows[name] = piece[:, place]
                for name in ("month", "turn", "chunk", "session", "device", "project"):
                    rows[f"{name}_size"] = _ROW[name].itemsize
                rows["vector_size"], rows["dimension"] = 4 + 2 * DIMENSION, DIMENSION
                rows["vector"] = invented(len(piece), 1_000_000 + chunk * 1_000 + first // _PIECE)
                copy.write(rows.tobytes())
        copy.write(b"\xff\xff")
