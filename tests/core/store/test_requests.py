"""Requests to the indexer: each is there until it is answered, in the order of sending, and no broken file is one."""

from __future__ import annotations

import os
import time
from pathlib import Path
from threading import Thread

import pytest

from memtui_core.errors import MemtuiError
from memtui_core.store.data_folder import DataDir
from memtui_core.store.requests import Requests


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path)


def left(data: DataDir) -> list[str]:
    return [path.name for path in data.requests.iterdir()]


def test_requests_are_served_in_their_order_and_end_with_their_answers(data: DataDir) -> None:
    requests = Requests(data)
    assert (requests.has_pending, requests.pending()) == (False, [])
    first, second = requests.send("forget", {"sessions": ["a", "b"]}), requests.send("hand over", {})
    served = Requests(data)
    assert served.has_pending
    assert served.pending() == [first, second]
    assert [(one.kind, one.fields) for one in served.pending()] == [
        ("forget", {"sessions": ["a", "b"]}),
        ("hand over", {}),
    ]
    served.answer(first, {"removed": 2})
    assert (served.pending(), requests.is_pending(first), requests.is_pending(second)) == ([second], False, True)
    assert requests.wait(second, 0) is None
    assert requests.wait(first, 0) == {"removed": 2}
    assert requests.take_answer(first) is None
    requests.withdraw(second)
    assert (served.has_pending, left(data)) == (False, [])


def test_what_is_sent_later_is_served_later_although_the_clock_was_set_back(data: DataDir) -> None:
    second = 1_000_000_000
    sent = [Requests(data, lambda at=at: at * second).send(str(at), {}) for at in (2_000, 1_000, 1_500, 3_000)]  # type: ignore[misc]
    assert Requests(data).pending() == sent
    assert [int(one.id.partition("-")[0]) for one in sent] == [
        2_000 * second,
        2_000 * second + 1,
        2_000 * second + 2,
        3_000 * second,
    ]
    (data.requests / "x.request.json").write_bytes(b"{")
    assert Requests(data).send("last", {}).id > sent[-1].id


def test_who_waits_gets_an_answer_that_comes_later(data: DataDir) -> None:
    requests = Requests(data)
    request = requests.send("forget", {})
    answers: list[object] = []
    waiting = Thread(target=lambda: answers.append(requests.wait(request, 30)))
    waiting.start()
    Requests(data).answer(request, {"error": "no"})
    waiting.join()
    assert answers == [{"error": "no"}]


def test_who_is_stopped_waits_no_longer_and_the_request_stays(data: DataDir) -> None:
    requests = Requests(data)
    request = requests.send("forget", {})
    assert requests.wait(request, 60, lambda: True) is None
    assert requests.pending() == [request]


def test_what_is_no_request_is_removed_and_the_others_are_served(data: DataDir) -> None:
    requests = Requests(data)
    request = requests.send("forget", {})
    for number, content in enumerate((b"", b"{", b"[]", b'{"kind": 1}', b'{"kind": "a", "fields": 3}', b"\xff")):
        data.requests.joinpath(f"{number}.request.json").write_bytes(content)
    data.requests.joinpath("note.txt").write_text("of somebody else")
    assert requests.pending() == [request]
    assert sorted(left(data)) == [f"{request.id}.request.json", "note.txt"]


def test_answers_for_which_nobody_waited_are_removed_a_day_later(data: DataDir) -> None:
    requests = Requests(data)
    old, new = requests.send("forget", {}), requests.send("forget", {})
    for request in (old, new):
        requests.answer(request, {})
    yesterday = time.time() - 86_401
    os.utime(data.requests / f"{old.id}.answer.json", (yesterday, yesterday))
    request = requests.send("forget", {})
    assert sorted(left(data)) == [f"{new.id}.answer.json", f"{request.id}.request.json"]


def test_a_folder_that_cannot_be_written_is_an_error_that_names_it(data: DataDir) -> None:
    data.requests.write_text("a file in the place of the folder")
    with pytest.raises(MemtuiError, match=str(data.requests)):
        Requests(data).send("forget", {})
    assert Requests(data).pending() == []
