"""`memtui compactions`: what the summaries of compactions kept and lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import (
    Styled,
    fields_of,
    print_json,
    print_table,
    say,
    short_session,
    short_time,
    show,
    show_styled,
    stdout_width,
)

if TYPE_CHECKING:
    from memtui_core.compaction import Review, ReviewItem
    from memtui_core.index.index import Index

_MAX_ROWS: Final = 30
"""Maximum items of a list; `--json` prints all."""
_MAX_TEXT: Final = 300
"""Maximum characters of an item's text; `--json` prints up to `review.TEXT_LENGTH`."""


@click.command()
@click.argument("session", required=False)
@data_dir_option
@json_option
@reports_errors
def compactions(session: str | None, data_dir: Path | None, as_json: bool) -> None:
    """Review compactions: what each summary lost of the session before it, what it kept, and what was read again.

    SESSION is an id or the beginning of one. Without it, all sessions are reviewed, newest first, without the lists.
    """
    index = open_index(data_dir)
    key = None if session is None else index.sessions.find(session).key
    if as_json:
        objects = [review_object(review, index) for review in index.compactions.reviews(key)]
        print_json(objects)
        count = len(objects)
    elif key is None and stdout_width() is not None:
        count = _print_table(index)
    else:
        count = 0
        for review in index.compactions.reviews(key):
            if count:
                show()
            for line in _lines(review, with_lists=key is not None):
                show_styled(*line)
            count += 1
    if not count:
        say("No session was compacted." if key is None else "The session was not compacted.")


def _print_table(index: Index) -> int:
    """Print a line for each compaction, and return how many there are."""
    from memtui.views.compactions.kinds import named
    from memtui.views.compactions.review_head import title_mark
    from memtui.wording.formatting import tokens
    from memtui_core.text.token_estimate import estimated_tokens

    rows = index.compactions.all()
    waiting = [row for row in rows if not row.is_reviewed and row.summary_length]
    reviewed = {(row.source, row.line): row for row in index.compactions.reviewed(waiting)}
    ids = index.sessions.ids({row.session for row in rows})
    lines: list[tuple[str, ...]] = [
        ("when", "session", "title", "project", "tokens", "summary", "lost", "not in the summary")
    ]
    for row in (reviewed.get((row.source, row.line), row) for row in rows):
        place = short_session(ids[row.session]) + (f":{row.place}" if row.place is not None else "")
        sizes = [
            tokens(row.tokens_before) if row.tokens_before else "",
            f"about {tokens(estimated_tokens(row.summary_length))}" if row.summary_length else "",
        ]
        lacking = named(row.lost[0]) if row.lost else "" if row.summary_length else "no summary to read"
        lost = str(len(row.lost)) if row.is_reviewed and row.summary_length else ""
        title = f"{row.title}{title_mark(row)}"
        lines.append((short_time(row.at), place, title, row.project, *sizes, lost, lacking))
    if rows:
        styles = ("muted", "muted", "strong", "", "", "", "", "")
        print_table(
            lines, right=(4, 5, 6), styles=styles, head=True, shrinks={2: "end", 3: "end", 7: "end"}, drops=(7, 3)
        )
    return len(rows)


def review_object(review: Review, index: Index) -> dict[str, Any]:
    """A review as JSON; each item with its kind, its text, its turn and its 0-based line in the transcript.

    `session_id` of an item is that of its turn: a fork begins with turns of another session. `main` counts the items at
    the beginning of `lost` that matter; `hurt` are those that came up again after the compaction.
    """
    ids = index.sessions.ids({item.session for item in (*review.lost, *review.kept, *review.changed_after)})
    lists = {name: [_item(item, ids) for item in getattr(review, name)] for name in ("lost", "kept", "changed_after")}
    recurrences = [
        {**_item(again.item, ids), "how": again.how, "again": again.turn, "then": again.text}
        for again in review.recurrences
    ]
    facts = fields_of(review, "session_id", "line", "at", "trigger", "tokens_before", "summary")
    return {**facts, **lists, "main": len(review.main), "hurt": recurrences, "brief": index.compactions.brief(review)}


def _item(item: ReviewItem, session_ids: Mapping[int, str]) -> dict[str, Any]:
    facts = fields_of(item, "kind", "text", "turn", "line", "dropped_at")
    return {**facts, "session_id": session_ids.get(item.session)}


def _lines(review: Review, with_lists: bool) -> Iterator[Sequence[Styled]]:
    place = review.session_id if review.place is None else f"{review.session_id}:{review.place}"
    yield [(review.title, "strong")]
    yield [(f"{place} · " + " · ".join(_facts(review)), "muted")]
    from memtui.views.compactions.kinds import missing_facts, without_summary
    from memtui.views.compactions.review_head import turn_span

    if not review.summary:
        yield [(without_summary(review), "")]
        return
    turns = turn_span(review.first_turn, review.last_turn)
    yield [(f"{turns} · summary of {len(review.summary):,} characters", "muted")]

    yield [(missing_facts(review), "")]
    if with_lists:
        for title, items in (
            ("Not in the summary", review.main),
            ("Not in the summary, may matter less", review.others),
            ("Details that are not in the summary", review.details),
            ("Kept", review.kept),
        ):
            yield from _list(title, items, review.session)
        yield from _hurts(review)
        yield from _list("Read again afterwards", review.changed_after, review.session)


def _hurts(review: Review) -> Iterator[Sequence[Styled]]:
    from memtui.render.clean import clean
    from memtui.views.compactions.kinds import plain_item
    from memtui.wording.formatting import cut
    from memtui_core.text.markdown.plain import plain_line

    if review.recurrences:
        yield []
        yield [(f"Came up again afterwards {len(review.recurrences)}", "heading")]
    for again in review.recurrences:
        then, lost = cut(plain_line(clean(again.text)), _MAX_TEXT), cut(plain_item(again.item), _MAX_TEXT)
        yield [(f"  {again.how}  ", "tool"), (f"turn {again.turn:<4}  ", "muted"), (then, "")]
        yield [("    lost  ", "tool"), (f"turn {again.item.turn:<4}  ", "muted"), (lost, "")]


def _facts(review: Review) -> Iterator[str]:
    from memtui.views.compactions.review_head import ordinal_of

    if which := ordinal_of(review):
        yield which
    yield short_time(review.at)
    if review.trigger:
        yield review.trigger
    if review.tokens_before is not None:
        yield f"{review.tokens_before:,} tokens before"


def _list(title: str, items: Sequence[ReviewItem], session: int) -> Iterator[Sequence[Styled]]:
    """The items of one kind; `session` is that of the review: a fork begins with turns of another one."""
    from memtui.views.compactions.kinds import BEFORE_FORK, WIDTH, WORDS, already_lost, plain_item
    from memtui.wording.formatting import cut

    if not items:
        return
    yield []
    yield [(f"{title} {len(items)}", "heading")]
    for item in items[:_MAX_ROWS]:
        times = f" ×{item.times}" if item.times > 1 else ""
        dropped = f" ({already_lost(item.dropped_at)})" if item.dropped_at else ""
        elsewhere = f" ({BEFORE_FORK})" if item.session != session else ""
        kind, turn = f"  {WORDS[item.kind]:<{WIDTH}} ", f"turn {item.turn:<4}  "
        yield [
            (kind, "tool"),
            (turn, "muted"),
            (cut(plain_item(item), _MAX_TEXT), ""),
            (f"{times}{elsewhere}{dropped}", "muted"),
        ]
    if len(items) > _MAX_ROWS:
        yield [(f"  … {len(items) - _MAX_ROWS} more", "muted")]
