"""`memtui compactions`: what the summaries of compactions kept and lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.options import data_dir_option, json_option, open_index, reports_errors
from memtui.cli.output import moment, print_json, say, show

if TYPE_CHECKING:
    from memtui_core.compaction import Review, ReviewItem

_ROWS: Final = 30
"""Items of a list; `--json` has all."""
_TEXT: Final = 110
"""Characters of an item's text; `--json` has it up to `review.TEXT_LENGTH`."""


@click.command()
@click.argument("session", required=False)
@data_dir_option
@json_option
@reports_errors
def compactions(session: str | None, data_dir: Path | None, as_json: bool) -> None:
    """Review compactions: what each summary kept of its segment, what it lost, and what was read again.

    Without SESSION, an id or the beginning of one, it goes over all sessions, the newest first, without the lists.
    """
    index = open_index(data_dir)
    key = None if session is None else index.find_session(session).key
    if as_json:
        objects = [review_object(found) for found in index.reviews(key)]
        print_json(objects)
        count = len(objects)
    else:
        count = 0
        for found in index.reviews(key):
            show("\n".join(([""] if count else []) + list(_lines(found, with_lists=key is not None))))
            count += 1
    if not count:
        say("No session was compacted." if key is None else "The session was not compacted.")


def review_object(found: Review) -> dict[str, Any]:
    """A review as JSON; of each item its kind, its text and the 0-based line of the transcript."""
    lists = {name: [_item(item) for item in getattr(found, name)] for name in ("lost", "kept", "changed_after")}
    names = ("session_id", "line", "at", "trigger", "tokens_before", "summary")
    return {**{name: getattr(found, name) for name in names}, **lists}


def _item(item: ReviewItem) -> dict[str, Any]:
    return {"kind": item.kind, "text": item.text, "line": item.line}


def _lines(found: Review, with_lists: bool) -> Iterator[str]:
    place = found.session_id if found.turn is None else f"{found.session_id}:{found.turn}"
    yield f"{found.title}\n{place} · " + " · ".join(_facts(found))
    if not found.summary:
        yield "the summary is not written yet"
        return
    share = "nothing to keep" if found.share_kept is None else f"kept {found.share_kept:.0%}"
    counts = f"lost {len(found.lost)}, kept {len(found.kept)}, changed after {len(found.changed_after)}"
    yield f"{_segment(found)} · summary of {len(found.summary):,} characters · {share} · {counts}"
    if with_lists:
        for title, items in (("Lost", found.lost), ("Kept", found.kept), ("Changed after", found.changed_after)):
            yield from _list(title, items)


def _facts(found: Review) -> Iterator[str]:
    yield moment(found.at)
    if found.trigger:
        yield found.trigger
    if found.tokens_before is not None:
        yield f"{found.tokens_before:,} tokens before"


def _segment(found: Review) -> str:
    if found.first_turn is None:
        return "no turns before it"
    if found.first_turn == found.last_turn:
        return f"turn {found.first_turn}"
    return f"turns {found.first_turn}–{found.last_turn}"


def _list(title: str, items: Sequence[ReviewItem]) -> Iterator[str]:
    if not items:
        return
    yield f"\n{title} {len(items)}"
    for item in items[:_ROWS]:
        text = item.text if len(item.text) <= _TEXT else item.text[: _TEXT - 1].rstrip() + "…"
        times = f" ×{item.times}" if item.times > 1 else ""
        yield f"  {item.kind:<10}  turn {item.turn:<4}  {text}{times}"
    if len(items) > _ROWS:
        yield f"  … {len(items) - _ROWS} more"
