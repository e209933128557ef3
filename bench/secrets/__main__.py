"""Recall and precision of the redaction, by places that the rules were made with and by others.

python -m bench.secrets [--missed] [--transcripts FOLDER]

`--missed` prints what was decided wrongly. With `--transcripts` every replacement in the texts of a folder is printed
with what is around it, to be judged; it contains secrets in clear.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.rows import Row, as_table
from bench.secrets import develop, held_out
from bench.secrets.measure import Figures, figures, replacements


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.secrets")
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--transcripts", type=Path)
    options = parser.parse_args()
    if options.transcripts is not None:
        for one in replacements(options.transcripts):
            print(f"{one.kind:20} {one.before!r} -> {one.value!r} <- {one.after!r}")
        return
    for name, templates in (("develop", develop), ("held out", held_out)):
        found = figures(templates.SECRETS, templates.ORDINARY)
        print(as_table(_rows(name, found)))
        if options.missed:
            for text in found.missed:
                print(f"  missed   {text!r}")
            for text in found.damaged:
                print(f"  damaged  {text!r}")


def _rows(name: str, found: Figures) -> list[Row]:
    return [
        Row(f"{name}: secrets replaced", found.replaced, "", found.secrets, "secrets"),
        Row(f"{name}: other texts left alone", found.ordinary - len(found.damaged), "", found.ordinary, "texts"),
    ]


if __name__ == "__main__":
    main()
