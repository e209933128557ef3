"""`memtui doctor --secrets`: where secrets were replaced, without the secrets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from memtui.cli.output import fields_of, print_json, show

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.index.statistics import RedactedTurn


def print_secrets(index: Index, *, as_json: bool) -> None:
    """Print the turns in which secrets were replaced, and which transcripts still contain them."""
    turns = index.statistics.redactions()
    if as_json:
        print_json([_object(turn) for turn in turns])
        return
    for line in _lines(turns):
        show(line)


def _object(turn: RedactedTurn) -> dict[str, object]:
    fields = fields_of(turn, "agent", "session_id", "project", "turn", "kinds", "transcript", "line", "is_there")
    return {**fields, "line": turn.line + 1}


def _lines(turns: Sequence[RedactedTurn]) -> Iterator[str]:
    from memtui.wording.formatting import plural

    if not turns:
        yield "No secret was found in any transcript."
        return
    kinds: Counter[str] = Counter()
    for turn in turns:
        kinds.update(turn.kinds)
        where = f"{turn.transcript}:{turn.line + 1}" if turn.is_there else "the transcript is gone"
        yield f"{turn.session_id}:{turn.turn}  {_kinds(turn.kinds)}  {where}"
    there = {turn.transcript for turn in turns if turn.is_there}
    yield f"\n{plural(sum(kinds.values()), 'secret')} in {plural(len(turns), 'turn')}: {_kinds(kinds)}"
    if there:
        yield (
            f"memtui stores none of them, but {plural(len(there), 'transcript')} of your agents still"
            f" {'contains' if len(there) == 1 else 'contain'} them: replace those that are in use."
        )


def _kinds(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" if count > 1 else kind for kind, count in sorted(kinds.items()))
