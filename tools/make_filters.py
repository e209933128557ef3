"""Write the README's table of filters: what each of them leaves, from where it is declared."""

from __future__ import annotations

from memtui_core.search.filters.registry import filters_by_name
from tools.readme_table import README, with_table


def table() -> str:
    """The table in Markdown."""
    lines = ["| filter | what it leaves |", "|---|---|"]
    for name, query_filter in filters_by_name().items():
        examples = " ".join(f"`{name}:{value}`" for value in query_filter.examples)
        lines.append(f"| {examples} | {query_filter.leaves} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(), "filters", table()))
