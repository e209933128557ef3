"""Two `--json` results of a bench, row by row.

python -m bench compare A.json B.json

A difference is beyond noise if each side was measured at least three times and no measurement of one side lies within
those of the other.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

FEWEST: Final = 3
"""Measurements of each side without which nothing is said about noise."""
Verdict = Literal["", "within noise", "beyond noise", "only before", "only after"]


class Unreadable(Exception):
    """A file is no result of a bench."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A row of one result."""

    value: float
    unit: str
    samples: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """A row of both results; a side that lacks it is None."""

    name: str
    unit: str
    before: float | None
    after: float | None
    verdict: Verdict

    @property
    def ratio(self) -> float | None:
        """After, divided by before."""
        return self.after / self.before if self.before and self.after is not None else None


def main(arguments: Sequence[str]) -> int:
    """Print the comparison; the exit code is 1 if a file cannot be read."""
    if len(arguments) != 2:
        print("python -m bench compare A.json B.json", file=sys.stderr)
        return 1
    try:
        before, after = (read(Path(name)) for name in arguments)
    except Unreadable as error:
        print(error, file=sys.stderr)
        return 1
    print(table(list(compare(before, after))))
    return 0


def read(path: Path) -> dict[str, Measured]:
    """The rows of a result by their names. Raises Unreadable."""
    try:
        rows = json.loads(path.read_bytes())
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise Unreadable(f"{path} is not JSON: {error}") from error
    if not isinstance(rows, list) or not rows:
        raise Unreadable(f"{path} has no rows: it must be what a bench writes with --json")
    return {row["name"]: measured for row in rows if (measured := _measured(path, row))}


def _measured(path: Path, row: Any) -> Measured:
    try:
        samples = tuple(map(float, row.get("samples") or ()))
        str(row["name"])
        return Measured(float(row["value"]), str(row.get("unit", "")), samples)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Unreadable(f"{path} has a row without a name and a value: {json.dumps(row)[:100]}") from error


def compare(before: dict[str, Measured], after: dict[str, Measured]) -> Iterator[Compared]:
    """The rows in the order of the first result, then those that only the second one has."""
    for name in [*before, *(name for name in after if name not in before)]:
        one, other = before.get(name), after.get(name)
        known = one or other
        yield Compared(
            name,
            known.unit if known else "",
            one.value if one else None,
            other.value if other else None,
            _verdict(one, other),
        )


def _verdict(one: Measured | None, other: Measured | None) -> Verdict:
    if one is None or other is None:
        return "only after" if one is None else "only before"
    if min(len(one.samples), len(other.samples)) < FEWEST:
        return ""
    apart = max(one.samples) < min(other.samples) or max(other.samples) < min(one.samples)
    return "beyond noise" if apart else "within noise"


def table(rows: Sequence[Compared]) -> str:
    """One line a row."""
    width = max(len(row.name) for row in rows)
    lines = [f"{'':{width}} {'before':>12} {'after':>12} {'':5} {'ratio':>7}"]
    for row in rows:
        before, after = (f"{value:12.4g}" if value is not None else f"{'-':>12}" for value in (row.before, row.after))
        ratio = f"{row.ratio:7.3f}" if row.ratio is not None else f"{'-':>7}"
        lines.append(f"{row.name:{width}} {before} {after} {row.unit:5} {ratio}  {row.verdict}".rstrip())
    return "\n".join(lines)
