"""A team's server with invented turns of 50 developers on 40 projects: pushing, searching, and its size on the disk.

python -m bench.team [--turns 100000 1000000] [--kind bm25] [--chunks 6] [--json]

The servers are those of the tests, on this machine, with the settings of a small server. Some devices push what they
have indexed; the rest of the turns are copies of that. A member of two groups of five searches.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import psycopg

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from bench.rows import Row, as_json, as_table
from bench.team.asking import Asking, Latency
from bench.team.filling import GROUPS, MEMBERS, build_indexes, copy_turns, count, without_indexes
from bench.team.pushing import Device, push, push_at_once, pushing_on
from memtui_team.admin.groups import add_members
from support.postgres import KINDS, PostgresServer, missing, running_server
from support.teams import Team

PUSHERS: Final = 16
SEARCHED_BESIDE: Final = 8
"""Devices that push while a member searches."""
_SESSIONS: Final = 1
"""Sessions that each device has indexed, of 200 turns."""
_SETTINGS: Final = ("shared_buffers=2GB", "work_mem=32MB", "max_wal_size=8GB", "max_parallel_maintenance_workers=2")
_TABLES: Final = ("turns", "terms", "mentions", "vectors")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.team")
    parser.add_argument("--turns", type=int, nargs="+", default=[100_000])
    parser.add_argument("--kind", choices=KINDS, default="bm25")
    parser.add_argument("--chunks", type=int, default=6, help="vectors of a copied turn")
    parser.add_argument("--queries", type=int, default=40, help="searches of each kind")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if why := missing(options.kind):
        parser.error(why)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with running_server(options.kind, folder / "server", *_SETTINGS) as server:
            bench = _Bench(server, folder, options.chunks, options.queries)
            for row in bench.run(options.turns):
                rows.append(row)
                if not options.json:
                    print(as_table([row]), flush=True)
    if options.json:
        print(as_json(rows))


class _Bench:
    """The team, its devices, and what is measured one after the other."""

    def __init__(self, server: PostgresServer, folder: Path, chunks: int, queries: int) -> None:
        self._server = server
        self._folder = folder
        self._chunks = chunks
        self._queries = queries
        self._team = Team(server)
        for number in range(MEMBERS):
            group = f"group-{number % GROUPS}"
            self._team.add(_member(number), groups=("everyone", group))
        with self._team.admin() as admin:
            for number in range(GROUPS):
                add_members(admin, f"group-{number}", [_member(number + 1), _member(number + 2)])
        self._devices = [
            Device(folder, number, self._team.url(_member(number)), f"group-{number % GROUPS}", _SESSIONS)
            for number in range(PUSHERS + 1)
        ]

    def run(self, sizes: Sequence[int]) -> Iterator[Row]:
        """All measurements."""
        one = push(self._devices[-1].data, self._devices[-1].group)
        yield Row("one pusher", one.turns / one.seconds, "/s")
        yield Row("one pusher, texts", one.text_bytes / one.seconds / 1e6, "MB/s")
        all_at_once = push_at_once(self._devices[:-1])
        yield Row(f"{PUSHERS} pushers", all_at_once.turns / all_at_once.seconds, "/s", one.turns / one.seconds, "one")
        texts = (one.text_bytes + all_at_once.text_bytes) / (one.turns + all_at_once.turns)
        for size in sorted(sizes):
            with self._team.admin() as admin:
                started = time.perf_counter()
                with without_indexes(admin):
                    copy_turns(admin, size, self._chunks)
                yield Row(f"{size:,} turns: copied without indexes", time.perf_counter() - started, "s")
                for name, seconds in build_indexes(admin, has_bm25=self._server.kind == "bm25"):
                    yield Row(f"{size:,} turns: index of {name}", seconds, "s")
                yield from _sizes(admin, size, texts * count(admin, "memtui.turns"))
            yield from self._searches(size)

    def _searches(self, size: int) -> Iterator[Row]:
        asking = Asking(self._team.url(_member(3)), self._folder / "asking")
        alone = asking.latencies(self._queries)
        yield from _rows(f"{size:,} turns", alone)
        with self._team.admin() as admin:
            _set_security(admin, "DISABLE")
            yield from _rows(f"{size:,} turns, without policies", asking.latencies(self._queries), alone)
            _set_security(admin, "ENABLE")
        with pushing_on(self._devices[:SEARCHED_BESIDE]):
            beside = asking.latencies(self._queries)
        yield from _rows(f"{size:,} turns, {SEARCHED_BESIDE} pushers", beside, alone)
        asking.close()


def _member(number: int) -> str:
    return f"member-{number}"


def _rows(name: str, found: dict[str, Latency], beside: dict[str, Latency] | None = None) -> Iterator[Row]:
    for kind, latency in found.items():
        other = beside[kind] if beside is not None else None
        yield Row(f"{name}: {kind}, p50", latency.p50, "ms", other.p50 if other else None, "alone")
        yield Row(f"{name}: {kind}, p95", latency.p95, "ms", other.p95 if other else None, "alone")


def _sizes(admin: psycopg.Connection[Any], size: int, text_bytes: float) -> Iterator[Row]:
    for table in _TABLES:
        [(total, indexes)] = admin.execute(
            "SELECT coalesce(sum(pg_total_relation_size(relid)), 0), coalesce(sum(pg_indexes_size(relid)), 0)"
            " FROM pg_partition_tree(%s::regclass)",
            [f"memtui.{table}"],
        ).fetchall() or [(0, 0)]
        yield Row(f"{size:,} turns: {table}, of the texts", float(total) / 1e6, "MB", text_bytes / 1e6, "the texts")
        yield Row(f"{size:,} turns: {table}, its indexes", float(indexes) / 1e6, "MB", text_bytes / 1e6, "the texts")


def _set_security(admin: psycopg.Connection[Any], state: str) -> None:
    for table in _TABLES:
        admin.execute(f"ALTER TABLE memtui.{table} {state} ROW LEVEL SECURITY".encode())


if __name__ == "__main__":
    main()
