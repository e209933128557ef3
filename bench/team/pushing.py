"""Pushers, each a process with the index of a device of its own, as on the machines of a team."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from bench import sessions
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.exclusions import NOTHING
from memtui_core.readers.locations import Location
from memtui_team.address import TeamAddress
from memtui_team.connection import connect
from memtui_team.push.pusher import Pusher
from memtui_team.sharing import Sharing


class Pushed(NamedTuple):
    """What a pusher has sent."""

    turns: int
    text_bytes: int
    """Of the texts in the index, which are compressed on their way."""
    seconds: float


class Device:
    """The data folder of a device, with some invented sessions."""

    def __init__(self, folder: Path, number: int, url: str, group: str, count: int) -> None:
        self.number = number
        self.data = folder / f"device-{number}"
        self.group = group
        source = folder / f"source-{number}"
        made = sessions.made(source, (number + 1) * count)
        for path, lines in islice(made, number * count, None):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
        self.data.mkdir(parents=True)
        TeamAddress(url).save(self.data)
        with Indexer(self.data) as indexer:
            for _ in indexer.update([Location("claude-code", source)]):
                pass
            for _ in indexer.embed(sessions.InventedModel()):
                pass


def push(data: Path, group: str) -> Pushed:
    """Push all projects of an index to a group."""
    shared = [f"project-{number}" for number in range(40)]
    sharing = Sharing.of(data, shared, {name: [group] for name in shared}, NOTHING)
    address = TeamAddress.load(data)
    assert address is not None
    started = time.perf_counter()
    with Pusher(data, address, sharing) as pusher, closing(pusher.open_snapshot()) as snapshot:
        plan = pusher.plan(snapshot, agreed=True)
        pusher.agree(plan)
        result = pusher.push(snapshot, plan)
        seconds = time.perf_counter() - started
        texts = snapshot.rows("SELECT sum(strlen(text)) FROM blocks")[0][0]
    assert not result.refused
    return Pushed(result.turns, int(texts), seconds)


def push_at_once(devices: Sequence[Device]) -> Pushed:
    """Push all devices at the same time: what all have sent, in the seconds until the last one is done."""
    context = get_context("spawn")
    results: Any = context.Queue()
    ready = context.Barrier(len(devices) + 1)
    processes = [context.Process(target=_pushing, args=(one.data, one.group, ready, results)) for one in devices]
    for process in processes:
        process.start()
    ready.wait()
    started = time.perf_counter()
    pushed = [results.get() for _ in processes]
    seconds = time.perf_counter() - started
    for process in processes:
        process.join()
    return Pushed(sum(one.turns for one in pushed), sum(one.text_bytes for one in pushed), seconds)


@contextmanager
def pushing_on(devices: Sequence[Device]) -> Iterator[None]:
    """Devices that push all they have again and again, for the time of a block."""
    context = get_context("spawn")
    stop = context.Event()
    ready = context.Barrier(len(devices) + 1)
    processes = [context.Process(target=_push_on, args=(one.data, one.group, ready, stop)) for one in devices]
    for process in processes:
        process.start()
    ready.wait()
    try:
        yield
    finally:
        stop.set()
        for process in processes:
            process.join()


def _push_on(data: Path, group: str, ready: Any, stop: Any) -> None:
    address = TeamAddress.load(data)
    assert address is not None
    ready.wait()
    with connect(address.url) as connection:
        while not stop.is_set():
            connection.execute("DELETE FROM memtui.sessions WHERE device = (SELECT memtui.this_device())")
            push(data, group)


def _pushing(data: Path, group: str, ready: Any, results: Any) -> None:
    ready.wait()
    results.put(push(data, group))
