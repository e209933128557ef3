"""`memtui share`: a redacted copy of a session for other people, after a preview of what is replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors, settings
from memtui.cli.output import ask, print_json, say, show, write

if TYPE_CHECKING:
    from memtui_core.export.redacted.copy import CopyOptions, PartPlace, RedactedCopy, Redaction
    from memtui_core.model import Session, Turn

_FORMATS: Final = ("html", "markdown")
_MOST_SINGLE: Final = 24
"""Redactions that are listed one by one before the question; of more, equal ones share a line."""
_MOST_PLACES: Final = 4
_PLACE: Final = re.compile(r"(\d{1,9})(?:\.(\d{1,9}))?")


@click.command()
@click.argument("session", metavar="SESSION[:TURN[-TURN]]")
@click.option("-o", "--output", metavar="PATH", help="A new file, or a folder; - is stdout (default: a file here).")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(_FORMATS),
    help="A page, or the text of an issue or a pull request (default: by the suffix of --output, otherwise html).",
)
@click.option(
    "--without",
    multiple=True,
    type=click.Choice(["thinking", "tools", "results", "diffs", "paths"]),
    help="Leave these out; of absolute paths all but the last name. May be repeated.",
)
@click.option(
    "--leave-out", "places", metavar="PLACE", multiple=True, help="A turn, 12, a part of one, 12.3, or heading."
)
@click.option(
    "--redact", "words", metavar="WORD", multiple=True, help="Replace this, too, in any case. May be repeated."
)
@click.option("--keep", "kept", metavar="WORD", multiple=True, help="Do not replace this. May be repeated.")
@click.option("--preview", is_flag=True, help="Print every replacement with its place, and write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@data_dir_option
@reports_errors
def share(
    session: str,
    output: str | None,
    format_name: str | None,
    without: tuple[str, ...],
    places: tuple[str, ...],
    words: tuple[str, ...],
    kept: tuple[str, ...],
    preview: bool,
    yes: bool,
    as_json: bool,
    data_dir: Path | None,
) -> None:
    """Write a session for other people: one file, in which what is private is replaced.

    Secrets, e-mail addresses and the names beside them, home folders, the names of accounts and machines, and the
    patterns of your settings are replaced. What is replaced is listed before the file is written.
    """
    from memtui.cli.reading.turn_range import session_and_turns
    from memtui_core.export.redacted.copy import redacted_copy
    from memtui_core.export.redacted.documents import redacted_document
    from memtui_core.export.redacted.notice import notice
    from memtui_core.export.redacted.own_names import own_names

    if as_json and not preview:
        raise click.UsageError("--json goes with --preview.")
    settings()
    selected, turns = session_and_turns(open_index(data_dir), session)
    options = _options(selected, turns, without, places, words, kept)
    copy = redacted_copy(selected, turns, options, own_names())
    if preview:
        if as_json:
            print_json([_object(redaction) for redaction in copy.redactions])
            return
        for redaction in copy.redactions:
            show(_line(redaction))
        say(notice(copy))
        return
    name = format_name or ("markdown" if Path(output or "").suffix.lower() == ".md" else "html")
    text = redacted_document(copy, name)
    for line in _grouped(copy.redactions):
        say(line)
    say(f"{notice(copy)} Each with its place: --preview." if copy.redactions else notice(copy))
    if not yes:
        ask("Write it?", "Nothing was written.", "--preview")
    if output == "-":
        write(text)
        return
    _write(copy, text, name, Path(output or "."))


def _write(copy: RedactedCopy, text: str, format_name: str, path: Path) -> None:
    from memtui_core.export.formats import file_name, format_named
    from memtui_core.export.formats import write as write_file

    if path.is_dir():
        path /= file_name(copy.session, copy.turns, format_named(format_name))
    show(str(write_file(path, text)))


def _options(
    session: Session,
    turns: Sequence[Turn],
    without: Sequence[str],
    places: Sequence[str],
    words: Iterable[str],
    kept: Iterable[str],
) -> CopyOptions:
    from memtui_core.export.contents import Contents
    from memtui_core.export.redacted.copy import CopyOptions

    contents = Contents(
        thinking="thinking" not in without,
        tools="tools" not in without,
        results="results" not in without,
        diffs="diffs" not in without,
    )
    left_out = frozenset(_place(session, turns, each) for each in places)
    return CopyOptions(contents, "paths" not in without, left_out, tuple(words), frozenset(map(str.lower, kept)))


def _place(session: Session, turns: Sequence[Turn], text: str) -> PartPlace:
    """The place that an argument names. Raises click.BadParameter."""
    from memtui_core.export.redacted.copy import HEADING, PartPlace, session_parts

    if text == str(HEADING):
        return HEADING
    match = _PLACE.fullmatch(text.strip())
    place = PartPlace(int(match[1]), int(match[2] or 0)) if match else PartPlace(0)
    for turn in turns:
        if place in {PartPlace(turn.number), *(part.place for part in session_parts(session, turn))}:
            return place
    raise click.BadParameter(f"there is no part {text}; --preview names them: 12 or 12.3.", param_hint="--leave-out")


def _line(redaction: Redaction) -> str:
    """`12.3    tool result  e-mail  ana@shop.dev  →  [e-mail]  in: by [e-mail] on`."""
    around = " ".join(f"{redaction.before}{redaction.replacement}{redaction.after}".split())
    where = f"{redaction.place!s:<8}{redaction.part:<13}{redaction.kind:<8}"
    return f"{where}{redaction.shown}  →  {redaction.replacement}  in: {around}"


def _grouped(redactions: Sequence[Redaction]) -> Iterator[str]:
    """A line for each redaction; of many, one for each text with the places in which it is."""
    if len(redactions) <= _MOST_SINGLE:
        yield from map(_line, redactions)
        return
    groups: dict[tuple[str, str, str], list[Redaction]] = {}
    for redaction in redactions:
        groups.setdefault((redaction.kind, redaction.text, redaction.replacement), []).append(redaction)
    for (kind, _, replacement), group in sorted(groups.items(), key=lambda entry: (entry[0][0], -len(entry[1]))):
        found = list(dict.fromkeys(str(redaction.place) for redaction in group))
        where = ", ".join(found[:_MOST_PLACES]) + (f" … {found[-1]}" if len(found) > _MOST_PLACES else "")
        yield f"{len(group):>6,}×  {kind:<8}{group[0].shown}  →  {replacement}   in {where}"


def _object(redaction: Redaction) -> dict[str, Any]:
    return {
        "place": str(redaction.place),
        "part": redaction.part,
        "kind": redaction.kind,
        "text": redaction.shown,
        "replacement": redaction.replacement,
        "before": redaction.before,
        "after": redaction.after,
    }
