"""The log of what was forgotten: what it says, also if lines are damaged or another process writes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.tombstones import (
    ForgetLog,
    SessionIdentity,
    Tombstone,
    Tombstones,
    packed_entries,
)

PARENT, CHILD = SessionIdentity("codex", "p"), SessionIdentity("codex", "c", "p")
ENTRIES = [(-(2**63), 0), (2**63 - 1, 1_700_000_000_000_000), (7, -5)]


def state(log: ForgetLog) -> tuple[object, ...]:
    one = log.forgets()["a"]
    return one.is_removed, one.is_restoring, one.is_purging, one.is_purged, one.waiting


def test_a_log_says_how_far_each_forget_has_come(tmp_path: Path) -> None:
    log, reader = ForgetLog(DataDir(tmp_path)), ForgetLog(DataDir(tmp_path))
    assert (log.forgets(), bool(log.tombstones())) == ({}, False)
    log.forget("a", [Tombstone(PARENT, packed_entries(ENTRIES)), Tombstone(CHILD)], 5.0)
    log.forget("b", [Tombstone(SessionIdentity("codex", "x"))], 6.0, keeps_away=False)
    steps: list[Callable[[], object]] = [
        lambda: log.removed("a"),
        lambda: log.undo("a", [CHILD]),
        lambda: log.restored("a"),
        lambda: log.purge("a"),
        lambda: log.purged("a"),
    ]
    seen = [state(reader)]
    for step in steps:
        step()
        seen.append(state(reader))
    assert seen == [
        (False, False, False, False, (PARENT, CHILD)),
        (True, False, False, False, (PARENT, CHILD)),
        (True, True, False, False, (PARENT,)),
        (True, False, False, False, (PARENT,)),
        (True, False, True, False, ()),
        (True, False, True, True, ()),
    ]
    assert (list(reader.forgets()), reader.forgets()["b"].waiting) == (["a", "b"], (SessionIdentity("codex", "x"),))
    assert log.new_id() not in ("a", "b")


@pytest.mark.spec("S6.7")
def test_tombstones_are_those_that_were_neither_lifted_nor_left_to_the_settings(tmp_path: Path) -> None:
    log = ForgetLog(DataDir(tmp_path))
    log.forget("a", [Tombstone(PARENT, packed_entries(ENTRIES))], 5.0)
    log.forget("b", [Tombstone(SessionIdentity("codex", "x"))], 6.0, keeps_away=False)
    log.shrink("d", [SessionIdentity("codex", "y")], 7.0)
    kept = log.tombstones()
    identities = [("codex", "p", None), ("codex", "c", "p"), ("claude-code", "p", None), ("codex", "p", "q"),
                  ("codex", "x", None), ("codex", "y", None)]  # fmt: skip
    assert [kept.forgets(*one) for one in identities] == [True, True, False, False, False, False]
    assert kept.entries_among([*ENTRIES, (7, 5)]) == set(ENTRIES)
    assert [kept.has_entry(entry) for entry in (7, 8)] == [True, False]
    log.undo("a", [PARENT])
    assert (bool(log.tombstones()), log.tombstones().entries_among(ENTRIES)) == (False, set())


def test_a_damaged_line_costs_itself(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    log = ForgetLog(data)
    log.forget("a", [Tombstone(PARENT)], 5.0)
    with data.forget_log.open("ab") as file:
        for line in (b"{", b"[]", b"\xff", b'{"kind": "removed", "id": "none"}', b'{"kind": "forget", "id": "z"}',
                     b'{"kind": "later", "id": "a"}', b'{"kind": "undo", "id": "a", "sessions": 3}'):  # fmt: skip
            file.write(line + b"\n")
        # A process died while it wrote.
        file.write(b'{"kind": "purge", "i')
    log.forget("b", [Tombstone(CHILD)], 6.0)
    found = ForgetLog(data).forgets()
    assert {name: one.waiting for name, one in found.items()} == {"a": (PARENT,), "b": (CHILD,)}


def test_nothing_is_forgotten_without_tombstones() -> None:
    nothing = Tombstones()
    assert (bool(nothing), nothing.forgets("codex", "p", None), nothing.entries_among([(1, 2)])) == (
        False,
        False,
        set(),
    )


def test_the_log_has_no_text(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    ForgetLog(data).forget("a", [Tombstone(PARENT, packed_entries([(1, 2)]))], 5.0)
    assert data.forget_log.read_text() == (
        '{"kind":"forget","id":"a","at":5.0,"keeps_away":true,'
        '"sessions":[["codex","p",null,"AQAAAAAAAAACAAAAAAAAAA=="]]}\n'
    )
