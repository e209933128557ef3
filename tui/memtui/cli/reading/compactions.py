"""`memtui compactions`: what the summaries of compactions kept and lost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
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
    short_time,
    short_turn,
    show,
    show_styled,
    stdout_width,
)

if TYPE_CHECKING:
    from memtui_core.compaction import Review, ReviewItem
    from memtui_core.index.index import Index

_MAX_ROWS: Final = 30
"""Maximum items of a list; `--json` prints all."""
_NONE: Final[Mapping[ReviewItem, bool]] = MappingProxyType({})
_ALL: Final = "all"
_ROWS: Final = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?")
_MAX_TEXT: Final = 300
"""Maximum characters of an item's text; `--json` prints up to `review.TEXT_LENGTH`."""


@click.command()
@click.argument("session", required=False)
@click.option(
    "--prompt",
    "prompt",
    metavar="[ROWS]",
    is_flag=False,
    flag_value=_ALL,
    help="Print what the last summary of the session lacks as one prompt: all that matters, or rows such as 1,3-5.",
)
@click.option(
    "--send",
    "send",
    metavar="[ROWS]",
    is_flag=False,
    flag_value=_ALL,
    help="Give these rows to the agent of the session with its next hook call.",
)
@data_dir_option
@json_option
@reports_errors
def compactions(
    session: str | None, prompt: str | None, send: str | None, data_dir: Path | None, as_json: bool
) -> None:
    """Review compactions: what each summary lost of the session before it, what it kept, and what was read again.

    SESSION is an id or the beginning of one. Without it, all sessions are reviewed, newest first, without the lists.
    """
    chosen = prompt if prompt is not None else send
    if chosen is not None and (session is None or as_json or None not in (prompt, send)):
        raise click.UsageError("--prompt and --send need a session, and no other output.")
    index = open_index(data_dir)
    key = None if session is None else index.sessions.with_turns(session).key
    if key is not None and index.compactions.waits_for_meaning(key):
        say("Not compared by meaning yet: rows may change when the index has its vectors.")
    if chosen is not None and key is not None:
        _pass_on(index, key, chosen, is_sent=send is not None)
        return
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
            sent = index.compactions.sent(review) if key is not None else {}
            for line in _lines(review, sent, with_lists=key is not None):
                show_styled(*line)
            count += 1
    if not count:
        say("No session was compacted." if key is None else "The session was not compacted.")


def _pass_on(index: Index, session: int, rows: str, *, is_sent: bool) -> None:
    """Print rows of the review of a session's last compaction as a prompt, or send them to its agent."""
    reviews = list(index.compactions.reviews(session))
    if not reviews:
        say("The session was not compacted.")
        return
    review = reviews[-1]
    listed = _listed(review)
    items = _chosen(review, listed, rows)
    if not items:
        say("Nothing is missing: the summary has everything that was found.")
    elif is_sent:
        index.compactions.send(review, items)
        if rows != _ALL:
            for item in items:
                show_styled(*_row(listed.index(item) + 1, item, review.session))
        say(
            f"The agent gets {len(items)} row{'s' * (len(items) != 1)} of {_which(review)} with its next hook call, and"
            " in a hand-off."
        )
    else:
        show(index.compactions.prompt_of(items))


def _which(review: Review) -> str:
    """Which compaction of its session a review is of, in words."""
    from memtui.views.compactions.review_head import ordinal_of

    which, at = ordinal_of(review), f"at {short_turn(review.session_id, review.place)}"
    return f"the last compaction, {which}, {at}," if which else f"the compaction {at}"


def _listed(review: Review) -> list[ReviewItem]:
    """The rows of a review that have numbers, in their order."""
    return [*review.main, *review.others, *review.details]


def _chosen(review: Review, listed: Sequence[ReviewItem], rows: str) -> list[ReviewItem]:
    """The rows of a review by their numbers, as they are listed; all that matter for `all`. Raises BadParameter."""
    if rows == _ALL:
        return list(review.main)
    chosen: list[ReviewItem] = []
    for part in rows.split(","):
        match = _ROWS.fullmatch(part.strip())
        first = int(match[1]) if match else 0
        last = int(match[2] or first) if match else 0
        if not 1 <= first <= last <= len(listed):
            raise click.BadParameter(f"name rows from 1 to {len(listed)}, such as 1,3-5.", param_hint="ROWS")
        chosen += listed[first - 1 : last]
    return list(dict.fromkeys(chosen))


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
        place = short_turn(ids[row.session], row.place)
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


def _lines(review: Review, sent: Mapping[ReviewItem, bool], with_lists: bool) -> Iterator[Sequence[Styled]]:
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
        first = 1
        for title, items in (
            ("Not in the summary", review.main),
            ("Not in the summary, may matter less", review.others),
            ("Details that are not in the summary", review.details),
        ):
            yield from _list(title, items, review.session, first, sent)
            first += len(items)
        yield from _list("Kept", review.kept, review.session)
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


def _list(
    title: str, items: Sequence[ReviewItem], session: int, first: int = 0, sent: Mapping[ReviewItem, bool] = _NONE
) -> Iterator[Sequence[Styled]]:
    """The items of one kind; `session` is that of the review: a fork begins with turns of another one.

    With the number of the `first` one they are numbered; `sent` tells which ones the agent gets or has.
    """
    if not items:
        return
    yield []
    yield [(f"{title} {len(items)}", "heading")]
    for place, item in enumerate(items[:_MAX_ROWS], first):
        state = f" ({'the agent has it' if sent[item] else 'waits for the agent'})" if item in sent else ""
        yield _row(place if first else None, item, session, state)
    if len(items) > _MAX_ROWS:
        yield [(f"  … {len(items) - _MAX_ROWS} more", "muted")]


def _row(place: int | None, item: ReviewItem, session: int, state: str = "") -> Sequence[Styled]:
    """An item of a review of a session, with its number if it has one."""
    from memtui.views.compactions.kinds import BEFORE_FORK, WIDTH, WORDS, already_lost, plain_item
    from memtui.wording.formatting import cut

    times = f" ×{item.times}" if item.times > 1 else ""
    dropped = f" ({already_lost(item.dropped_at)})" if item.dropped_at else ""
    elsewhere = f" ({BEFORE_FORK})" if item.session != session else ""
    return [
        (f"{place:>4}" if place is not None else "", "muted"),
        (f"  {WORDS[item.kind]:<{WIDTH}} ", "tool"),
        (f"turn {item.turn:<4}  ", "muted"),
        (cut(plain_item(item), _MAX_TEXT), ""),
        (f"{times}{elsewhere}{dropped}{state}", "muted"),
    ]
