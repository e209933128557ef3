"""Observations found by word, file and meaning, with the real model."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.memory.observations.search import ObservationSearch
from memtui_core.memory.observations.store import Observations
from memtui_core.memory.observations.vector_search import ObservationVectors, text_hash
from memtui_core.search.embed import open_model
from support.observation_writers import SPAWN, save_and_find, started

ROOT = "/home/ana/code/shop"
START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)


def opened(folder: Path) -> Observations:
    seconds, numbers = count(), count(1)
    return Observations(
        folder, now=lambda: START + timedelta(seconds=next(seconds)), new_id=lambda: f"id{next(numbers)}"
    )


def fill(observations: Observations) -> Observations:
    """Three of a shop, one of a blog."""
    save = observations.save
    save("s1", ROOT, type="decision", title="Use DuckDB", narrative="One file; scans in SQL are quick.",
         concepts=["storage"], files_modified=["src/store/db.py"])  # fmt: skip
    save("s1", ROOT, type="bugfix", title="Invoices a day off", narrative="The time zone was taken from the server.",
         facts=["moment() is local"], files_modified=[f"{ROOT}/src/pricing.ts"])  # fmt: skip
    save("s2", ROOT, type="discovery", title="Uploads give up", narrative="A limit of ten seconds, open-mem knows.",
         subtitle="On slow networks", files_read=["src/upload.py"])  # fmt: skip
    save("s3", "/home/ana/code/blog", type="decision", title="Serve pages statically",
         narrative="It's quicker, C++ not needed.")  # fmt: skip
    return observations


@pytest.fixture(scope="module")
def finder(tmp_path_factory: pytest.TempPathFactory) -> ObservationSearch:
    return ObservationSearch(fill(opened(tmp_path_factory.mktemp("found"))), open_model())


def found(finder: ObservationSearch, text: str, limit: int = 10, **narrowed: str) -> list[tuple[str, tuple[str, ...]]]:
    """Ids and why."""
    return [(hit.observation.id, hit.why) for hit in finder.search(text, limit, **narrowed).hits]


@pytest.mark.spec("S3.11")
@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("duckdb", ("id1", ("title", "meaning"))),
        ("scans", ("id1", ("narrative", "meaning"))),
        ("storage", ("id1", ("concept", "meaning"))),
        ("moment", ("id2", ("narrative",))),
        ("src/store/db.py", ("id1", ("file",))),
        ("db.py", ("id1", ("file",))),
        (f"{ROOT}/src/store/db.py", ("id1", ("file",))),
        ("src/pricing.ts", ("id2", ("file",))),
        ("upload.py", ("id3", ("file",))),
        ("which database did we pick?", ("id1", ("meaning",))),
        ("why are bills dated wrongly", ("id2", ("meaning",))),
    ],
)
def test_found_by_title_narrative_concept_file_and_meaning(
    finder: ObservationSearch, query: str, best: tuple[str, tuple[str, ...]]
) -> None:
    wanted, why = best
    name, told = found(finder, query)[0]
    assert name == wanted
    assert set(why) <= set(told)


@pytest.mark.spec("S3.11")
def test_found_at_once_by_every_process(tmp_path: Path) -> None:
    one, other = ObservationSearch(opened(tmp_path), open_model()), ObservationSearch(Observations(tmp_path))
    assert (found(one, "walrus"), found(other, "walrus")) == ([], [])
    saved = one.observations.save("s1", type="change", title="A walrus", narrative="It swims.")
    assert found(other, "walrus") == [("id1", ("title",))]
    assert found(one, "sea animal with tusks") == [("id1", ("meaning",))]
    other.observations.edit(saved.id, title="A heron", narrative="It flies.")
    assert (found(one, "walrus tusks swims"), found(other, "heron")) == ([], [("id1", ("title",))])
    assert found(one, "heron") == [("id1", ("title", "meaning"))]
    one.observations.forget("id1")
    assert (found(other, "heron"), found(one, "a bird that flies")) == ([], [])
    other.observations.restore("id1")
    assert (found(other, "heron"), found(one, "heron")) == ([("id1", ("title",))], [("id1", ("title", "meaning"))])


@pytest.mark.spec("S3.11")
def test_found_at_once_while_others_save(tmp_path: Path) -> None:
    begin = SPAWN.Barrier(2)
    writers = started(save_and_find, tmp_path, begin, "heron", "walrus")
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]


HOSTILE = [
    "src/pricing.ts",
    "C++",
    "what did we decide?",
    "it's",
    "open-mem",
    "AND",
    '"',
    "*",
    "",
    "--x",
    "is:",
    "a:b:c",
]


@pytest.mark.spec("S3.7")
@pytest.mark.parametrize("query", HOSTILE)
def test_no_query_is_an_error(finder: ObservationSearch, query: str) -> None:
    assert_answered(finder, query)


@pytest.mark.spec("S3.7")
@given(st.text(max_size=60))
def test_any_text_is_a_query(finder: ObservationSearch, query: str) -> None:
    assert_answered(finder, query)


def assert_answered(finder: ObservationSearch, query: str) -> None:
    """Every observation at most once, the best first, and of these as many as are wanted."""
    answer, best = finder.search(query, 100), finder.search(query, 3)
    names = [hit.observation.id for hit in answer.hits]
    assert answer.query == query
    assert sorted(names) == sorted({*names} & {one.id for one in finder.observations.select()})
    assert [hit.score for hit in answer.hits] == sorted((hit.score for hit in answer.hits), reverse=True)
    assert best.hits == answer.hits[:3]
    if not query.strip():
        assert len(names) == len(finder.observations.select())


@pytest.mark.spec("S3.7")
def test_what_hostile_queries_find(finder: ObservationSearch) -> None:
    best = [(query, found(finder, query)[0][0]) for query in ("src/pricing.ts", "C++", "it's quicker", "open-mem")]
    assert best == [("src/pricing.ts", "id2"), ("C++", "id4"), ("it's quicker", "id4"), ("open-mem", "id3")]


@pytest.mark.spec("S3.7")
def test_quotes_are_a_phrase(finder: ObservationSearch) -> None:
    assert found(finder, '"time zone"') == [("id2", ("narrative",))]
    assert found(finder, '"zone time"') == []


def test_narrowed_before_the_limit(finder: ObservationSearch) -> None:
    assert [name for name, _ in found(finder, "", type="decision")] == ["id4", "id1"]
    assert [name for name, _ in found(finder, "", root=ROOT)] == ["id3", "id2", "id1"]
    assert [name for name, _ in found(finder, "limit", 1, type="discovery")] == ["id3"]
    assert [name for name, _ in found(finder, "project:blog quicker")] == ["id4"]
    assert [name for name, _ in found(finder, "session:s1")] == ["id2", "id1"]
    assert [name for name, _ in found(finder, "is:bugfix -project:blog")] == ["id2"]
    assert [name for name, _ in found(finder, "is:decision is:bugfix")] == []
    assert [name for name, _ in found(finder, "file:src/")] == ["id3", "id2", "id1"]
    assert [name for name, _ in found(finder, "-time -limit")] == ["id4", "id1"]
    assert [name for name, _ in found(finder, "after:2026-11-01T09:00 before:2026-11-01T09:01")] == [
        "id4",
        "id3",
        "id2",
        "id1",
    ]
    assert found(finder, "after:2026-11-02") == []


def test_filters_that_narrow_nothing_are_told(finder: ObservationSearch) -> None:
    answer = finder.search("storage tool:Bash in:user before:soon", 1)
    assert [hit.observation.id for hit in answer.hits] == ["id1"]
    assert answer.note == (
        "tool: does not apply to observations; in: does not apply to observations;"
        " before:soon is not a valid time, such as 3d, yesterday or 2026-11-20"
    )


def test_of_equal_ones_the_newest_and_those_of_this_project_first(tmp_path: Path) -> None:
    observations = opened(tmp_path)
    for root in ("/a", "/b", "/a"):
        observations.save("s1", root, type="change", title="Heron", narrative="n")
    finder = ObservationSearch(observations)
    assert [name for name, _ in found(finder, "heron")] == ["id3", "id2", "id1"]
    assert [name for name, _ in found(finder, "heron", current_root="/b")] == ["id2", "id3", "id1"]


def test_what_cannot_be_found_by_meaning_yet_is_told(tmp_path: Path) -> None:
    observations = opened(tmp_path)
    for number in range(60):
        observations.save("s1", type="change", title=f"Heron {number}", narrative="n")
    finder = ObservationSearch(observations)
    assert finder.search("birds").note == ""
    finder.use(open_model())
    assert finder.search("bird").note == "10 of 60 observations cannot be found by their meaning yet"
    assert (finder.embed(4), finder.embed(), finder.search("bird").note) == (6, 0, "")


def test_the_index_can_be_deleted_and_follows_a_log_that_was_replaced(tmp_path: Path) -> None:
    fill(opened(tmp_path))
    assert found(ObservationSearch(Observations(tmp_path), open_model()), "storage")[0][0] == "id1"
    shutil.rmtree(tmp_path / "observations")
    assert found(ObservationSearch(Observations(tmp_path), open_model()), "storage")[0][0] == "id1"
    log = tmp_path / "observations.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    running = ObservationSearch(Observations(tmp_path))
    assert found(running, "storage")[0][0] == "id1"
    log.write_bytes(b"".join(lines[1:]))
    for finder in (running, ObservationSearch(Observations(tmp_path))):
        assert (found(finder, "storage"), found(finder, "pages")) == ([], [("id4", ("title",))])
    log.write_bytes(b"".join(lines[1:]) + lines[0].replace(b"storage", b"cabinet"))
    assert found(running, "cabinet") == [("id1", ("concept",))]
    log.unlink()
    assert found(running, "cabinet") == []


def test_a_broken_index_is_made_again(tmp_path: Path) -> None:
    fill(opened(tmp_path))
    finder = ObservationSearch(Observations(tmp_path))
    assert found(finder, "storage")[0][0] == "id1"
    (tmp_path / "observations" / "lexicon" / "meta.json").write_bytes(b"{")
    assert found(ObservationSearch(Observations(tmp_path)), "storage")[0][0] == "id1"


def test_an_index_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    fill(opened(tmp_path))
    (tmp_path / "observations").write_bytes(b"")
    answer = ObservationSearch(Observations(tmp_path), open_model()).search("src/pricing.ts birds")
    assert [hit.observation.id for hit in answer.hits] == ["id2"]
    assert answer.note == (
        "4 of 4 observations cannot be found by their meaning yet; the keyword index could not be brought up to date"
    )


def test_a_text_is_embedded_once_and_a_torn_record_does_no_harm(tmp_path: Path) -> None:
    model = open_model()
    one = ObservationVectors(tmp_path, model)
    long = "Herons stand in the water. " * 100
    one.embed(["herons", long])
    file = next(tmp_path.glob("*.vectors"))
    size = len(model.embed([""])[0]) * 4 + 20
    pieces = file.stat().st_size // size
    assert (pieces > 2, file.stat().st_size % size) == (True, 0)
    with file.open("ab") as written:
        written.write(b"\x00" * size + b"torn")
    other = ObservationVectors(tmp_path, model)
    assert (other.has(text_hash("herons")), other.has(text_hash(long)), other.has(text_hash("owls"))) == (
        True,
        True,
        False,
    )
    other.embed(["owls"])
    one.refresh()
    assert (one.has(text_hash("owls")), len(one.rows), file.stat().st_size) == (True, pieces + 1, (pieces + 2) * size)
    file.unlink()
    other.refresh()
    assert other.has(text_hash("owls"))
    assert not ObservationVectors(tmp_path, model).has(text_hash("owls"))
