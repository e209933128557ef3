"""How well search finds what is known to be there: docs/search-quality.md says what is asked and counted.

python -m bench.quality [--source FOLDER ... | --data-dir FOLDER] [--half tune|report] [--most N] [--json]
                        [--save FILE] [--compare FILE] [--server URL | --vectors exact|auto|hnsw]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from bench import processes
from bench.quality import calls, comparing, measure, names, prose
from bench.quality.comparing import Change
from bench.quality.measure import FUSED, Answer, Estimate, Row
from bench.quality.questions import Question, hand_written
from bench.quality.texts import Texts
from memtui.settings.declared import VECTOR_ANSWERS
from memtui_core.errors import ModelUnavailable
from memtui_core.index.index import Index

_SAMPLES = Path(__file__).parents[2] / "sample_sessions"
_TURNS = ("turn hit@1", "turn hit@5", "turn MRR@10")
_SESSIONS = ("session hit@1", "session hit@5", "session MRR@10")
_ALONE = ("turn MRR@10", "turn hit@10")
"""What the table of the single engines shows."""


def main() -> None:
    """Measure, print, and compare with an earlier run."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality")
    parser.add_argument("--source", type=Path, action="append", help="transcripts to index first; may be repeated")
    parser.add_argument("--data-dir", type=Path, help="an index that is there already")
    parser.add_argument("--half", choices=("tune", "report"), help="the questions of one half of the sessions")
    parser.add_argument("--most", type=int, default=60, help="questions of each kind that is made")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write what came back for each question")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="the answers that another version has saved")
    parser.add_argument("--server", metavar="URL", help="an empty PostgreSQL database: ask it as a team's server")
    parser.add_argument("--vectors", choices=VECTOR_ANSWERS, help="ask as the app does, with this setting `vectors`")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        earlier = comparing.saved(options.compare) if options.compare else None
    except comparing.Unreadable as error:
        parser.error(str(error))
    with tempfile.TemporaryDirectory() as folder:
        data = options.data_dir or Path(folder)
        if options.data_dir is None:
            first, *others = [source.absolute() for source in options.source or [_SAMPLES]]
            processes.index(first, data, *(word for source in others for word in ("--source", str(source))))
        answers = run(data, options.half, options.most, options.server, options.vectors)
        agents = Texts(data).agents
    if options.save:
        comparing.save(options.save, answers[FUSED])
    report(answers, agents, earlier, as_json=options.json)


def run(
    data_dir: Path,
    half: str | None = None,
    most: int = 60,
    server_url: str | None = None,
    vectors: str | None = None,
) -> dict[str, list[Answer]]:
    """Make the questions of an index and ask each engine; without vectors or model that by meaning is left out.

    With the administrator's URL of a server, ask that one instead, after everything was pushed to it. `vectors` is the
    setting of that name, for a process that keeps the vectors in memory; None for one that does not, as a command.
    """
    index = Index.open(data_dir)
    engines = dict(measure.ENGINES)
    try:
        by_meaning = index.vectors.load_model(threads=2)
    except ModelUnavailable as error:
        print(error, file=sys.stderr)
        by_meaning = False
    if not by_meaning:
        del engines["meaning"]
    elif vectors is not None:
        index.vectors.cache(vectors)
        index.vectors.wait_for_index()
        answering = index.vectors.report(vectors)
        print(f"meaning is answered by: {answering.answer} {answering.reason}", file=sys.stderr)
    questions = [one for one in made_questions(data_dir, most) if half in (None, one.half)]
    if server_url is not None:
        from bench.quality.team import ask_team

        return {FUSED: ask_team(index, questions, server_url)}
    return {name: [measure.ask(index, question, some) for question in questions] for name, some in engines.items()}


def made_questions(data_dir: Path, most: int = 60) -> list[Question]:
    """At most `most` questions of each kind that is made, and those written by hand whose turns are in the index.

    They are made without any model, and are the same ones each time.
    """
    texts = Texts(data_dir)
    words = texts.words()
    return [
        *names.files(texts, most),
        *names.paths(texts, most),
        *names.identifiers(texts, words, most),
        *calls.commits(texts, most),
        *calls.errors(texts, most),
        *prose.paraphrases(texts, words, most),
        *prose.compactions(texts, words, most),
        *hand_written(set(texts.places.values())),
    ]


def report(
    answers: Mapping[str, Sequence[Answer]],
    agents: Mapping[str, str],
    earlier: Sequence[Answer] | None,
    *,
    as_json: bool = False,
) -> None:
    """Print the figures of a run, and how they differ from those of an earlier one."""
    rows = measure.rows(answers)
    asked = Counter(agents[answer.session] for answer in answers[FUSED])
    old, new = comparing.in_both(earlier or (), answers[FUSED])
    changes = comparing.changes(old, new)
    if earlier is not None and len(new) < len(answers[FUSED]):
        print(f"Both runs asked {len(new)} of {len(answers[FUSED])} questions; these are compared.", file=sys.stderr)
    if as_json:
        print(json.dumps({"asked": asked, "rows": [*map(asdict, rows)], "changes": [*map(asdict, changes)]}, indent=2))
        return
    print("questions: " + ", ".join(f"{agent} {count}" for agent, count in sorted(asked.items())))
    print(f"\n{table([row for row in rows if row.engine == FUSED])}\n\n{alone(rows)}")
    if earlier is not None:
        print(f"\n{difference(changes, (*_TURNS, 'passage'))}\n\n{difference(changes, _SESSIONS)}")


def table(rows: Sequence[Row]) -> str:
    """A line a kind: the figures of turns, of sessions and of the first passage, with their errors."""
    names = (*_TURNS, *_SESSIONS, "passage")
    lines = [f"{'kind':12}{'asked':>6}{'sessions':>9}" + "".join(f"{name:>16}" for name in names)]
    for row in rows:
        figures = "".join(f"{_shown(row.figures[name]):>16}" for name in names)
        lines.append(f"{row.kind:12}{row.questions:6}{row.sessions:9}{figures}")
    return "\n".join(lines)


def alone(rows: Sequence[Row]) -> str:
    """A line a kind, with some figures of the turns of each engine side by side."""
    engines = list(dict.fromkeys(row.engine for row in rows))
    lines = [
        f"{'':12}" + "".join(f"{engine:>16}" for engine in engines),
        f"{'kind':12}" + f"{'MRR@10':>9}{'hit@10':>7}" * len(engines),
    ]
    for kind in dict.fromkeys(row.kind for row in rows):
        means = [[row.figures[name].mean for name in _ALONE] for row in rows if row.kind == kind]
        lines.append(f"{kind:12}" + "".join(f"{mrr:9.3f}{hit:7.2f}" for mrr, hit in means))
    return "\n".join(lines)


def difference(changes: Sequence[Change], names: Sequence[str]) -> str:
    """A line a kind: how much some figures have changed, with the interval, and a star if the change is real."""
    lines = [f"{'kind':12}{'asked':>6}{'sessions':>9}" + "".join(f"{name:>28}" for name in names)]
    for kind in dict.fromkeys(change.kind for change in changes):
        mine = {change.figure: change for change in changes if change.kind == kind}
        one = next(iter(mine.values()))
        cells = "".join(f"{_changed(mine[name]) if name in mine else '- ':>28}" for name in names)
        lines.append(f"{kind:12}{one.questions:6}{one.sessions:9}{cells}".rstrip())
    return "\n".join(lines)


def _shown(figure: Estimate) -> str:
    if figure.mean is None:
        return "-"
    return f"{figure.mean:.3f}" + (f" ±{figure.error:.3f}" if figure.error is not None else "")


def _changed(change: Change) -> str:
    star = "*" if change.is_real else " "
    return f"{change.after - change.before:+.3f} [{change.low:+.3f} {change.high:+.3f}]{star}"


if __name__ == "__main__":
    main()
