"""Sessions that repeat others, by name or not, have the same turns in whatever order their transcripts are read."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.sources import source_ingest
from support.indexes import build, update
from support.transcripts import Script

NOW = datetime(2026, 11, 2, tzinfo=UTC)
NAMED = "11111111-1111-4111-8111-111111111111"
NAMES = ("origin", "fork", "rewind", "again", "other")
Found = dict[str, tuple[str | None, list[str]]]
"""By the name of a session: the one that it repeats, and the prompts of its turns."""
EXPECTED: Found = {
    "origin": (None, ["Dig", "Rake", "Rest"]),
    "fork": ("origin", ["Sow beets", "Sow leeks", "Sow kale", "Sow peas"]),
    "rewind": ("fork", ["Pick beets"]),
    "other": ("fork", ["Buy beets"]),
}


def says(script: Script, *prompts: str, after: str | None = None) -> Script:
    """Prompts with answers; the first one comes after an entry, or the last one of the script."""
    for number, prompt in enumerate(prompts):
        script.user(prompt, **({"parentUuid": after} if after and number == 0 else {}))
        script.says("Done")
    return script


def fork_of(
    script: Script, session: str, entries: int, *, prefix: str, count: int = 0, is_named: bool = False
) -> Script:
    """A session that begins with entries of another one, which each of them names or none does."""
    fork = Script(session, prefix=prefix)
    fork.lines = [line.replace(script.session_id.encode(), session.encode()) for line in script.lines[:entries]]
    if is_named:
        name = b'{"forkedFrom":{"sessionId":"%s"},' % script.session_id.encode()
        fork.lines = [line.replace(b"{", name, 1) for line in fork.lines]
    fork.count = count
    return fork


def garden(tmp_path: Path, ids: Sequence[str], *, is_whole: bool) -> list[bytes]:
    """The files of NAMES: each of the first three goes on, `again` does not; `other` is a fork of `fork`, unnamed.

    What is only in `rewind` was written before all that only `fork` and `other` have. If the fork is not whole, nothing
    says where it goes on, so that its rewinds do not have what is before.
    """
    first = says(Script(ids[0], prefix="a"), "Dig", "Rake")
    fork = says(
        fork_of(first, ids[1], 4, prefix="b", count=10),
        "Sow beets",
        "Sow leeks",
        "Sow kale",
        after="a3" if is_whole else None,
    )
    other = says(fork_of(fork, ids[4], 10, prefix="c", count=60), "Buy beets")
    home = tmp_path / "home"
    folder = home / "projects" / "-home-ana-code-shop"
    fork.write(folder)
    environ = {"CLAUDE_CONFIG_DIR": str(home)}
    made: list[str] = []
    for turn in (5, 1):
        with closing(build(tmp_path / "made", home / "projects")) as index:
            session = index.sessions.find(made[-1] if made else ids[1])
            rewound = index.handoffs.rewound(session.key, turn, environ, NOW)
        rewound.write()
        more = Script(rewound.session_id, prefix="r")
        more.count = 40
        if not made:
            rewind = says(more, "Pick beets", after="b15")
            with rewound.file.path.open("ab") as file:
                file.write(rewind.bytes())
        made.append(rewound.session_id)
    rewinds = [(folder / f"{session}.jsonl").read_bytes() for session in made]
    for number, name in enumerate(made):
        rewinds = [content.replace(name.encode(), ids[2 + number].encode()) for content in rewinds]
    first.count, fork.count = 4, 50
    return [says(first, "Rest").bytes(), says(fork, "Sow peas").bytes(), *rewinds, other.bytes()]


def of_case(content: bytes, ids: Sequence[str], case: int) -> bytes:
    """The same transcript with sessions and entries of its own."""
    for session in ids:
        content = content.replace(session.encode(), session_of(session, case).encode())
    return re.sub(rb'"(uuid|parentUuid|messageUuid|id)":"', rb'"\1":"%03d' % case, content)


def session_of(session: str, case: int) -> str:
    return f"{session[:-3]}{case:03}"


def found(index: Index, ids: Sequence[str], case: int) -> Found:
    names = {session_of(session, case): name for session, name in zip(ids, NAMES, strict=False)}
    return {
        names[session]: (names.get(origin, origin), prompts)
        for session, origin, prompts in index.snapshot.rows(
            "SELECT s.session_id, s.forked_from, list(t.user_text ORDER BY t.number)"
            " FROM sessions s JOIN turns t ON t.session = s.key GROUP BY ALL"
        )
        if session in names
    }


def wrong_ones(
    folder: Path, contents: Sequence[bytes], ids: Sequence[str], orders: Sequence[Sequence[int]], expected: Found
) -> dict[str, dict[Sequence[int], Found]]:
    """What is not as expected after reading files in some orders, with an update for each file or only one for all."""
    for step in range(len(contents)):
        for case, order in enumerate(orders):
            path = folder / "src" / f"{case}" / f"{order[step]}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(of_case(contents[order[step]], ids, case))
            os.utime(path, (1_000_000 - 10 * step,) * 2)
        update(folder / "grown", folder / "src")
    update(folder / "fresh", folder / "src")
    wrong = {}
    for data in ("fresh", "grown"):
        with closing(Index.open(folder / data)) as index:
            results = {order: found(index, ids, case) for case, order in enumerate(orders)}
        wrong[data] = {order: result for order, result in results.items() if result != expected}
    return wrong


@pytest.mark.parametrize(("order_of_ids", "is_whole"), [("34120", True), ("01342", False)])
def test_the_turns_and_origins_are_the_same_in_every_order(
    order_of_ids: str, is_whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first entries that are looked at are those of the first session, which say nothing about the others."""
    # What nothing else decides is decided by the ids of the sessions.
    ids = [f"{order_of_ids.index(str(number))}1111111-1111-4111-8111-111111111111" for number in range(len(NAMES))]
    monkeypatch.setattr(source_ingest, "CHUNK", 3)
    contents = garden(tmp_path, ids, is_whole=is_whole)
    orders = list(permutations(range(len(NAMES))))[::9]
    assert wrong_ones(tmp_path, contents, ids, orders, EXPECTED) == {"fresh": {}, "grown": {}}


def test_sessions_with_nothing_of_their_own_have_a_place_in_every_order(tmp_path: Path) -> None:
    """One that ended earlier owns what it has, but not if it names the session that it repeats."""
    ids = [f"{number}1111111-1111-4111-8111-111111111111" for number in (3, 1, 0, 2)]
    origin = says(Script(ids[0], prefix="a"), "Dig", "Rake")
    ended = fork_of(origin, ids[1], 2, prefix="b")
    rewind = fork_of(origin, ids[2], 2, prefix="c", is_named=True)
    again = says(fork_of(origin, ids[3], 4, prefix="d", count=20), "Buy beets")
    contents = [script.bytes() for script in (says(origin, "Rest"), ended, rewind, again)]
    expected: Found = {
        "origin": ("fork", ["Rake", "Rest"]),
        "fork": (None, ["Dig"]),
        "again": ("origin", ["Buy beets"]),
    }
    orders = list(permutations(range(len(contents))))[::4]
    assert wrong_ones(tmp_path, contents, ids, orders, expected) == {"fresh": {}, "grown": {}}


def test_rewinds_that_are_read_before_their_origin_are_read_once(tmp_path: Path) -> None:
    """Only the one that held the entries of the origin is read again when the origin is read."""
    home = tmp_path / "home"
    folder = home / "projects" / "-home-ana-code-shop"
    origin = says(Script(NAMED), *"ABCDE").write(folder)
    environ = {"CLAUDE_CONFIG_DIR": str(home)}
    with closing(build(tmp_path / "made", folder)) as index:
        key = index.sessions.find(NAMED).key
        made = [index.handoffs.rewound(key, turn, environ, NOW) for turn in (5, 4, 4, 3, 3, 2, 1)]
    for number, rewound in enumerate(made):
        rewound.write()
        os.utime(rewound.file.path, (1_000_000 - number,) * 2)
    os.utime(origin, (900_000,) * 2)
    counts = update(tmp_path / "data", folder)
    with closing(Index.open(tmp_path / "data")) as index:
        assert [(one.session_id, one.forked_from, one.turns) for one in index.sessions.all()] == [(NAMED, None, 5)]
    assert counts.files_read == len(made) + 2
