"""What an index counts as decisions, and how many of the sentences are some.

python -m bench.decisions [--source FOLDER | --data-dir FOLDER] [--prompts FILE] [--list]

`judged.json` has the sentences that were read, as the digest of each with whether it decides something; the texts
belong to those who wrote them. `--prompts` also reads prompts of others, one a line. `--list` prints each sentence with
its verdict, or `?`, and its digest, to be judged by reading.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from bench import corpus, processes
from memtui_core.compaction.statements.decided import said
from memtui_core.index.index import Index

_JUDGED: Final = Path(__file__).parent / "judged.json"
_SIGNS: Final = {True: "+", False: "-", None: "?"}


class Sentence(NamedTuple):
    """A sentence that counts as a decision, and the verdict of a reader."""

    text: str
    digest: str
    is_right: bool | None
    """Whether it decides something; None if nobody has read it."""


def main() -> None:
    """Count, and print what was judged."""
    parser = argparse.ArgumentParser(prog="python -m bench.decisions")
    parser.add_argument("--source", type=Path, default=corpus.SAMPLES, help="transcripts to index first")
    parser.add_argument("--data-dir", type=Path, help="an index that is there already")
    parser.add_argument("--prompts", type=Path, help="a file with one prompt a line")
    parser.add_argument("--list", action="store_true", help="print each sentence")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = options.data_dir or Path(folder)
        if options.data_dir is None:
            processes.index(options.source.absolute(), data)
        found = Index.open(data).sessions.decisions()
    prompts = options.prompts.read_text("utf-8").splitlines() if options.prompts else []
    texts = [one.quote for one in found if one.way == "said"] + [text for line in prompts for text, _ in said(line)]
    judged = list(sentences(texts, orjson.loads(_JUDGED.read_bytes())))
    for way, count in Counter(one.way for one in found).most_common():
        print(f"{way:<10}{count:>6}")
    print(f"{'replaced':<10}{sum(one.later is not None for one in found):>6}\n\n{summary(judged)}")
    for one in judged if options.list else ():
        print(f"{_SIGNS[one.is_right]} {one.digest} {one.text}")


def sentences(texts: Iterable[str], verdicts: dict[str, bool]) -> Iterator[Sentence]:
    """The different sentences with their verdicts by digest."""
    for text in dict.fromkeys(texts):
        digest = sha256(text.encode()).hexdigest()[:12]
        yield Sentence(text, digest, verdicts.get(digest))


def summary(judged: Iterable[Sentence]) -> str:
    """How many sentences were read, and the share of them that decide something."""
    verdicts = [one.is_right for one in judged]
    read = [is_right for is_right in verdicts if is_right is not None]
    precision = f"{sum(read) / len(read):.3f}" if read else "-"
    return f"{len(verdicts)} sentences, {len(read)} read, precision {precision}"


if __name__ == "__main__":
    main()
