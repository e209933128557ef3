"""What benches print and write as JSON: one measurement a row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement."""

    name: str
    value: float
    unit: str
    beside: float | None = None
    """The same unit, measured in the same run."""
    what: str = ""
    """What `beside` is."""
    samples: Sequence[float] = ()
    """The measurements of which `value` is the median, if there are several."""

    @property
    def ratio(self) -> float | None:
        """How many times `beside`."""
        return self.value / self.beside if self.beside else None


def as_json(rows: Iterable[Row]) -> str:
    """The rows as JSON, which `python -m bench compare` reads."""
    return json.dumps([asdict(row) | {"ratio": row.ratio} for row in rows], indent=2)


def as_table(rows: Iterable[Row]) -> str:
    """The rows, one a line."""
    return "\n".join(map(_line, rows))


def _line(row: Row) -> str:
    beside = f"{row.ratio:8.2f} x {row.what} ({row.beside:.3g} {row.unit})" if row.ratio and row.beside else ""
    return f"{row.name:48} {row.value:10.3f} {row.unit:5} {beside}".rstrip()
