"""`memtui stats`: how much was done, when and with what."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import print_json, print_table, say, show

if TYPE_CHECKING:
    from memtui_core.model import Project
    from memtui_core.queries.statistics import Statistics
    from memtui_core.store.reader import Snapshot

_DAYS: Final = 30
"""Last days that are drawn."""
_ROWS: Final = 15
"""Rows of a table; `--json` has more."""


@click.command()
@click.option(
    "--project", "name", metavar="NAME", help="Only this project: its name, the beginning of it, or its folder."
)
@click.option("--days", type=click.IntRange(1, 3660), help="Only the last N days, today included.")
@data_dir_option
@json_option
@reports_errors
def stats(name: str | None, days: int | None, data_dir: Path | None, as_json: bool) -> None:
    """Count sessions and turns by day, tools, files and tokens."""
    from memtui_core.queries.statistics import statistics
    from memtui_core.store.files import DataDir
    from memtui_core.store.reader import Snapshot
    from memtui_core.system import locations

    # Not the whole index: numbers need neither the lexicon nor a model.
    snapshot = Snapshot(DataDir(locations.data_dir(data_dir)))
    project = None if name is None else _project(snapshot, name)
    found = statistics(snapshot, project.root if project else None, days)
    if as_json:
        print_json([statistics_object(found, project.name if project else None)])
    elif found.totals.turns:
        _print(found, project.name if project else "all projects")
    else:
        say("Nothing to count.")


def statistics_object(found: Statistics, project: str | None) -> dict[str, Any]:
    """Statistics as JSON; `days` and `project` are null where everything counts."""
    names = ("root", "days", "totals", "series", "tools", "files", "models")
    return {"project": project, **{name: getattr(found, name) for name in names}}


def _project(snapshot: Snapshot, name: str) -> Project:
    """The project called so, else the only one whose name begins so."""
    from memtui_core.queries.sessions import list_projects

    known, wanted = list_projects(snapshot), name.lower()
    exact = [one for one in known if one.name.lower() == wanted or one.root == name.rstrip("/")]
    found = exact or [one for one in known if one.name.lower().startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        raise click.BadParameter(
            f"{name!r} is one of: {', '.join(x.root or x.name for x in found)}", param_hint="--project"
        )
    names = ", ".join(one.name for one in known[:10]) + (" …" if len(known) > 10 else "")
    raise click.BadParameter(f"There is no project {name!r}; there are: {names}", param_hint="--project")


def _print(found: Statistics, label: str) -> None:
    from memtui.views.stats.report import span_name, token_facts, total_facts

    show(f"{label} · {span_name(found)}\n")
    show(", ".join(total_facts(found.totals)))
    if tokens := token_facts(found.totals):
        show(", ".join(tokens))
    _print_days(found)
    tools = [(x.tool, f"{x.calls:,}", f"{x.errors:,}") for x in found.tools]
    _print_part(("tool", "calls", "errors"), tools, right=(1, 2))
    files = [(x.path, str(x.edited), str(x.read), str(x.mentioned), x.project) for x in found.files]
    _print_part(("file", "edited", "read", "mentioned", "project"), files, right=(1, 2, 3), of=found.totals.files)
    _print_models(found)


def _print_days(found: Statistics) -> None:
    from memtui.formatting import date_and_year, day_and_month
    from memtui.views.stats.plots import sparkline

    series = found.series[-_DAYS:]
    if not series:
        return
    rows = []
    for title, counts in (("turns", [x.turns for x in series]), ("sessions", [x.sessions for x in series])):
        rows.append((title, sparkline(counts), f"most {max(counts):,}"))
    show()
    print_table([*rows, ("", f"{day_and_month(series[0].day)} – {date_and_year(series[-1].day)}", "")])


def _print_models(found: Statistics) -> None:
    from memtui.formatting import tokens

    rows = []
    for x in found.models:
        counts = (x.input_tokens, x.output_tokens, x.cache_read_tokens, x.cache_write_tokens)
        rows.append((x.model, f"{x.turns:,}", *map(tokens, counts)))
    _print_part(("model", "turns", "in", "out", "cache read", "cache written"), rows, right=(1, 2, 3, 4, 5))


def _print_part(
    head: tuple[str, ...], rows: Sequence[tuple[str, ...]], right: tuple[int, ...], of: int | None = None
) -> None:
    """A table of the first rows, and how many of all `of` are not in it."""
    if rows:
        show()
        print_table([head, *rows[:_ROWS]], right)
        if (more := (len(rows) if of is None else of) - _ROWS) > 0:
            show(f"… {more:,} more")
