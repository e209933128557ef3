"""How much of the work on vectors is done, with the real model over real transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest import indexer as indexer_module
from memtui_core.ingest import speed
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.vectors import embedding
from memtui_core.model import Progress
from memtui_core.readers.locations import Location
from memtui_core.search.embed import Embedder, open_model
from memtui_core.store.processes import percent_done, read_progress, write_progress
from support.transcripts import Script

PARTS = 8


@pytest.fixture(scope="module")
def model() -> Embedder:
    """The model, loaded once."""
    return open_model()


@pytest.fixture(scope="module")
def all_pieces(model: Embedder, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many texts are embedded for the long turn and its neighbours, in one go."""
    folder = tmp_path_factory.mktemp("whole")
    long_turn().write(folder / "src")
    with Indexer(folder / "data") as indexer:
        read(indexer, folder / "src")
        list(indexer.embed(model))
        return indexer.counts.texts_embedded


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is told after every piece."""
    monkeypatch.setattr(embedding, "_WRITE_EVERY", 0.0)


def long_turn() -> Script:
    """A short turn, a turn of many pieces, and another short one."""
    script = Script()
    script.user("Why do the uploads break off?")
    script.says("The client waits ten seconds only, then it gives up.")
    script.user("Tell me everything about the theme")
    for number in range(PARTS):
        script.says(f"Part {number}: " + f"the colour number {number} stands beside the others in the theme. " * 14)
    script.user("Paint the buttons green")
    script.says("Done, the theme has another accent colour.")
    return script


def figures(steps: Sequence[Progress]) -> list[tuple[int, int]]:
    return [(step.embedded, step.to_embed) for step in steps]


def texts_embedded(indexer: Indexer) -> int:
    embedding = indexer._writer.vectors._embedding
    return embedding.embedded if embedding else 0


def read(indexer: Indexer, folder: Path) -> list[Progress]:
    return list(indexer.update([Location("claude-code", folder)]))


@pytest.mark.usefixtures("told")
def test_the_share_moves_inside_of_a_long_turn_and_is_100_only_at_the_end(tmp_path: Path, model: Embedder) -> None:
    long_turn().write(tmp_path / "src")
    with Indexer(tmp_path / "data") as indexer:
        [*_, before] = read(indexer, tmp_path / "src")
        steps = list(indexer.embed(model))
        pieces = indexer.counts.texts_embedded
    assert (before.embedded, before.finished) == (0, True)
    assert before.to_embed > 6000
    shares = [percent_done(step.embedded, step.to_embed) for step in steps]
    assert shares == sorted(shares)
    assert shares[-2:] == [100, 100]
    assert max(shares[:-2]) < 100
    # Each of the pieces of the long turn is some per cent, and no step is a leap.
    assert pieces > PARTS
    assert max(after - one for one, after in pairwise(shares)) < 25
    assert [(step.stage, step.finished) for step in steps] == [("embedding", False)] * (len(steps) - 1) + [
        ("embedding", True)
    ]
    assert read_progress(tmp_path / "data") == steps[-1]


def test_what_is_estimated_before_is_near_to_what_it_becomes(tmp_path: Path, model: Embedder) -> None:
    long_turn().write(tmp_path / "src")
    with Indexer(tmp_path / "data") as indexer:
        [*_, before] = read(indexer, tmp_path / "src")
        [*_, after] = indexer.embed(model)
    assert after.embedded == after.to_embed
    assert before.to_embed == pytest.approx(after.to_embed, rel=0.05)


@pytest.mark.parametrize("write_every", [0.0, 3600.0])
def test_slices_between_pieces_finish_a_long_turn_and_do_nothing_twice(
    write_every: float, all_pieces: int, tmp_path: Path, model: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_WRITE_EVERY", write_every)
    long_turn().write(tmp_path / "src")
    slices: list[tuple[int, int, int]] = []
    with Indexer(tmp_path / "data") as indexer:
        read(indexer, tmp_path / "src")
        published = indexer.counts.snapshots
        while indexer.unembedded(model):
            # Two pieces a slice.
            upto = indexer.counts.texts_embedded + 2
            steps = list(
                indexer.embed(
                    model,
                    lambda upto=upto: texts_embedded(indexer) >= upto,  # type: ignore[misc]
                    publish_rest=False,
                )
            )
            slices.append((indexer.counts.texts_embedded, steps[-1].embedded, indexer.counts.snapshots - published))
            assert len(slices) <= all_pieces
        assert indexer.counts.texts_embedded == all_pieces
    # Each slice makes two, none is lost, and nothing is published before all is there.
    assert [made for made, _, _ in slices] == [min(2 * (number + 1), all_pieces) for number in range(len(slices))]
    assert [done for _, done, _ in slices] == sorted({done for _, done, _ in slices})
    assert [snapshots for _, _, snapshots in slices] == [0] * (len(slices) - 1) + [1]
    assert Index.open(tmp_path / "data").statistics.of_index().embedded_turns == 3


@pytest.mark.usefixtures("told")
def test_what_was_made_of_a_long_turn_survives_the_death_of_the_indexer(
    all_pieces: int, tmp_path: Path, model: Embedder
) -> None:
    long_turn().write(tmp_path / "src")
    with Indexer(tmp_path / "data") as indexer:
        read(indexer, tmp_path / "src")
        steps = indexer.embed(model)
        for _ in range(6):
            next(steps)
        made = texts_embedded(indexer)
        assert made
        # It ends here, in the middle of the long turn, without another word.
    with Indexer(tmp_path / "data") as again:
        list(again.embed(model))
        rest = again.counts.texts_embedded
    assert made > 4
    assert made + rest == all_pieces


def test_a_turn_that_grows_waits_again_and_the_figures_stay_those_of_a_new_index(
    tmp_path: Path, model: Embedder
) -> None:
    script = long_turn()
    path = script.write(tmp_path / "src")
    with Indexer(tmp_path / "data") as indexer:
        read(indexer, tmp_path / "src")
        list(indexer.embed(model))
        script.says("And the hover colour, too. " * 20)
        script.user("Thanks")
        path.write_bytes(script.bytes())
        [*_, grown] = indexer.update([Location("claude-code", tmp_path / "src")], changed=[path])
        assert (grown.stage, grown.finished, grown.embedded < grown.to_embed) == ("reading", True, True)
        [*_, after] = indexer.embed(model)
    with Indexer(tmp_path / "new") as new:
        read(new, tmp_path / "src")
        [*_, expected] = new.embed(model)
    with Indexer(tmp_path / "data") as again:
        [*_, reopened] = read(again, tmp_path / "src")
    assert figures([after, reopened]) == figures([expected, expected])
    assert after.embedded == after.to_embed


def append(path: Path, script: Script, prompt: str) -> None:
    script.user(prompt)
    path.write_bytes(script.bytes())


def test_a_process_counts_the_turns_that_it_writes_and_no_others(tmp_path: Path, model: Embedder) -> None:
    script = long_turn()
    path = script.write(tmp_path / "src")
    with Indexer(tmp_path / "data") as indexer:
        read(indexer, tmp_path / "src")
        [*_, done] = indexer.embed(model)
    append(path, script, "Thanks")
    with Indexer(tmp_path / "data") as indexer:
        [*_, grown] = read(indexer, tmp_path / "src")
        assert indexer._writer.vectors._backlog is None
    append(path, script, "Another question")
    with Indexer(tmp_path / "data") as indexer:
        [*_, twice] = read(indexer, tmp_path / "src")
        [*_, after] = indexer.embed(model)
    # The prompt that followed the last turn is embedded with that, and as a turn of its own.
    assert done.embedded == done.to_embed == grown.embedded == twice.embedded
    assert done.to_embed < grown.to_embed < twice.to_embed
    assert after.embedded == after.to_embed < twice.to_embed


@pytest.mark.parametrize("last", [None, "interrupted"])
def test_without_the_report_of_a_process_that_ended_well_all_turns_are_counted(
    last: str | None, tmp_path: Path
) -> None:
    long_turn().write(tmp_path / "src")
    with Indexer(tmp_path / "data") as indexer:
        [*_, exact] = read(indexer, tmp_path / "src")
    if last is None:
        (tmp_path / "data" / "progress.json").unlink()
    else:
        write_progress(tmp_path / "data", Progress(0, 1, 0, embedded=7, to_embed=7))
    with Indexer(tmp_path / "data") as indexer:
        [*_, counted] = read(indexer, tmp_path / "src")
    assert figures([counted]) == figures([exact])


@pytest.mark.usefixtures("told")
def test_the_time_left_comes_from_the_pieces_that_were_made(
    tmp_path: Path, model: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speed, "_MIN_MEASURED", 0.0)
    long_turn().write(tmp_path / "src")
    with Indexer(tmp_path / "data") as indexer:
        [*_, before] = read(indexer, tmp_path / "src")
        *steps, last = indexer.embed(model)
        assert indexer._writer.vectors._embedding is not None
        rate = indexer._writer.vectors._embedding.speed
        middle = steps[-1]
        assert (before.seconds_left, last.seconds_left) == (None, 0.0)
        assert all(step.seconds_left and step.seconds_left > 0 for step in steps if step.embedded < step.to_embed)
        assert middle.seconds_left == rate.seconds_left(middle.to_embed - middle.embedded)


def test_a_reading_tells_its_speed_and_the_time_that_the_rest_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer_module, "REPORT_EVERY", 0.0)
    monkeypatch.setattr(indexer_module, "_MEASURED", 0.0)
    monkeypatch.setattr(indexer_module, "REPORTED_BYTES", 0)
    for number in range(3):
        script = Script(f"{number}1111111-1111-4111-8111-111111111111", prefix=str(number))
        script.user("The same prompt")
        script.write(tmp_path / "src")
    with Indexer(tmp_path / "data") as indexer:
        first, *steps, last = read(indexer, tmp_path / "src")
    assert [step.done * 3 for step in steps] == [step.total * place for place, step in enumerate(steps, 1)]
    assert [(step.sources, step.files) for step in (first, *steps, last)] == [(0, 3), (1, 3), (2, 3), (3, 3), (3, 3)]
    # The first file is read while other processes are started.
    unknown = [(step.bytes_per_second, step.seconds_left) for step in (first, steps[0], last)]
    assert unknown == [(None, None)] * 3
    rates = [step.bytes_per_second or 0 for step in steps[1:]]
    assert all(rate > 0 for rate in rates)
    # A fifth of the time is that of publishing, for the rest and for what was read since.
    assert [step.seconds_left for step in steps[1:]] == [
        pytest.approx((step.total - step.done + 0.2 * (step.done - steps[0].done)) / rate)
        for step, rate in zip(steps[1:], rates, strict=True)
    ]


def test_a_large_change_is_told_while_it_is_read_and_a_small_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = long_turn()
    path = script.write(tmp_path / "src")
    with Indexer(tmp_path / "data") as indexer:
        assert list(indexer.update([Location("claude-code", tmp_path / "src")], changed=[path])) == []
        script.says("More.")
        path.write_bytes(script.bytes())
        monkeypatch.setattr(indexer_module, "REPORTED_BYTES", 10)
        monkeypatch.setattr(indexer_module, "REPORT_EVERY", float("inf"))
        told = list(indexer.update([Location("claude-code", tmp_path / "src")], changed=[path]))
    assert [(step.done, step.finished) for step in told] == [(0, False), (told[-1].total, True)]
    assert told[0].total == told[1].total > 0


@pytest.mark.parametrize(
    ("done", "total", "percent"),
    [(0, 0, 100), (0, 5, 0), (999, 1000, 99), (1000, 1000, 100), (1, 3, 33), (2, 3, 66), (-1, 3, 0)],
)
def test_the_share_is_100_only_when_all_is_done(done: int, total: int, percent: int) -> None:
    assert percent_done(done, total) == percent
