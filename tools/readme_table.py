"""The tables of the README that are made of declarations, each between two comments."""

from __future__ import annotations

from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def with_table(readme: str, name: str, table: str) -> str:
    """A README with a table between the comments that name it."""
    begin, end = f"<!-- {name}: make {name} -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = readme.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{table}\n{end}{after}"
