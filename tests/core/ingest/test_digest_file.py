"""The file for the digest at the start of a session: how it is made; what is said from it has tests of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memtui_core.ingest.turns import turn_facts
from memtui_core.ingest.writing.digest_file import project_digests, write_digests
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from support.indexes import update
from support.transcripts import Script


class CountedSnapshot(Snapshot):
    """A snapshot that counts its queries."""

    queries = 0

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        self.queries += 1
        return super().rows(sql, parameters)


def projects(folder: Path, count: int) -> DataDir:
    """The index of projects with nine sessions each, that fail, decide, and end with a question."""
    sources = []
    for place in range(count):
        for number in range(9):
            name = f"{place}{number}"
            script = Script(f"{name}aaaaaa-0000-4000-8000-000000000000", f"/home/ana/code/p{place}", f"p{name}")
            script.count = 100 * number
            script.user(f"Task {number} of {place}. Let's use cents {number} instead of floats.")
            for run in range(2):
                script.calls("Bash", {"command": f"{'pytest' if run else 'ruff check'} a{number}.py"}, f"t{run}")
                script.result("Exit code 1\nValueError: bad", f"t{run}", error=True)
            script.says("Shall I go on?")
            sources.append(script.write(folder / "src" / name))
    update(folder / "data", *sources)
    return DataDir(folder / "data")


def test_many_projects_take_as_many_queries_as_one(tmp_path: Path) -> None:
    data = projects(tmp_path, 3)
    roots = [f"/home/ana/code/p{place}" for place in range(3)]
    queries, found = [], []
    for chosen in (roots, roots[:1], roots[1:2], roots[2:], []):
        snapshot = CountedSnapshot(data)
        found.append(project_digests(snapshot, chosen))
        queries.append(snapshot.queries)
        snapshot.close()
    assert queries[0] == queries[1] == queries[2] == queries[3] > 0 == queries[4]
    together, *alone, none = found
    assert together == alone[0] | alone[1] | alone[2]
    assert none == {}
    for root, project in together.items():
        place = root[-1]
        assert [one["title"][:6] for one in project["sessions"]] == [f"Task {number}" for number in range(8, 2, -1)]
        assert {one["id"][0] for kind in ("sessions", "failures", "decisions") for one in project[kind]} == {place}
        # Kinds of checks that failed last, and as many decisions as there is room for.
        assert [one["command"] for one in project["failures"]] == ["pytest a8.py", "ruff check a8.py"]
        assert [one["quote"] for one in project["decisions"]] == [
            f"Let's use cents {number} instead of floats." for number in range(8, 2, -1)
        ]


def test_it_is_written_anew_for_facts_by_other_rules(tmp_path: Path) -> None:
    data = projects(tmp_path, 1)
    whole = data.digest.read_bytes()
    content = json.loads(whole)
    [own, facts] = content["rules"].split()
    assert facts == turn_facts.RULES
    for rules in (f"{own} 0", f"0 {facts}", 1):
        data.digest.write_text(json.dumps({**content, "rules": rules, "projects": {}}))
        write_digests(data)
        assert data.digest.read_bytes() == whole
