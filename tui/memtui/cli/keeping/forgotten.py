"""What was forgotten and can still be brought back; and how a command asks the indexer to forget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memtui.cli.output import ask, print_json, say, show, show_styled
from memtui_core.errors import IndexerBusy, MemtuiError, NotForgotten
from memtui_core.text.controls import label

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.ingest.kept.forgetting import WaitingForget
    from memtui_core.readers.exclusions import RetentionRules
    from memtui_core.store.requests import Request, Requests

_ASK_EVERY = 0.5
"""Seconds of waiting for a running indexer before the lock is tried again: it may have ended."""
_LONGEST_WAIT = 600.0
"""Seconds of waiting for a running indexer; a large index is rewritten within that time."""


def done_by_indexer(folder: Path, kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Let the indexer of a data folder do something: the running one, or one of this process. Raises MemtuiError."""
    from memtui_core.store.data_folder import DataDir
    from memtui_core.store.requests import Requests

    requests = Requests(DataDir(folder))
    request = requests.send(kind, fields)
    try:
        answer = _served(folder, requests, request)
    except KeyboardInterrupt:
        requests.withdraw(request)
        raise
    if "error" in answer:
        raise MemtuiError(str(answer["error"]))
    return answer


def _served(folder: Path, requests: Requests, request: Request) -> dict[str, Any]:
    """The answer to a request, which this process serves itself as soon as no other one has the lock."""
    import time

    from memtui.settings.config import settings_in_use
    from memtui_core.ingest.indexer import Indexer
    from memtui_core.ingest.requests.forgetting import ForgetRequests

    config = settings_in_use()
    until, has_said = time.monotonic() + _LONGEST_WAIT, False
    while time.monotonic() < until:
        try:
            with Indexer(
                folder, exclusions=config.exclusions, what="memtui forget", retention=config.retention
            ) as indexer:
                ForgetRequests(indexer).serve()
            answer = requests.take_answer(request)
        except IndexerBusy:
            if not has_said:
                say("The indexer that is running does it …")
                has_said = True
            answer = requests.wait(request, _ASK_EVERY)
        if answer is not None:
            return answer
    requests.withdraw(request)
    raise MemtuiError("The indexer that is running does not answer. Nothing was done; try again later.")


def show_waiting(folder: Path, *, as_json: bool) -> None:
    """Print what can be brought back, and until when."""
    from memtui.wording.formatting import day, plural

    waiting = _waiting(folder)
    if as_json:
        print_json([_as_json(one) for one in waiting])
        return
    if not waiting:
        say("Nothing that was forgotten waits to be brought back.")
    for one in waiting:
        until = day(_until(one))
        show_styled((one.id, "strong"), (f"  {plural(len(one.sessions), 'session')}, until {until}", ""))
        for session in one.sessions:
            show(f"  {label(session.identity.session_id)}  {label(session.project)}  {label(session.title)}")


def bring_back(folder: Path, names: Sequence[str]) -> None:
    """Bring back what was forgotten last, or by the ids of forgets and sessions. Raises NotForgotten."""
    from memtui.wording.formatting import plural
    from memtui_core.store.requests import UNDO

    count = 0
    for forget, sessions in _named(_waiting(folder), names):
        answer = done_by_indexer(folder, UNDO, {"id": forget, "sessions": sessions})
        count += len(answer["sessions"])
    say(f"{plural(count, 'session')} brought back, subagents included.")
    if _is_in_team(folder):
        say("The team's server does not get them again: memtui team forget is for good.")


def purge(folder: Path, names: Sequence[str], *, yes: bool) -> None:
    """Remove for good what was forgotten: by the ids of forgets, or everything that waits. Raises NotForgotten."""
    from memtui.wording.formatting import plural
    from memtui_core.store.requests import PURGE

    waiting = _waiting(folder)
    known = {one.id: one for one in waiting}
    if unknown := [name for name in names if name not in known]:
        raise NotForgotten(f"Nothing that was forgotten as {unknown[0]} waits: memtui forget --list")
    chosen = [known[name] for name in names] if names else waiting
    if not chosen:
        say("Nothing that was forgotten waits.")
        return
    count = plural(sum(len(one.sessions) for one in chosen), "session")
    if not yes:
        ask(f"Remove {count} for good? Nothing can bring them back then.", "Nothing was removed.")
    for one in chosen:
        done_by_indexer(folder, PURGE, {"id": one.id})
    say(f"{count} removed for good.")


class KeptFigures(NamedTuple):
    """What doctor says of forgetting and of the setting `retention`."""

    forgotten: int
    """Sessions that can be brought back."""
    kept_too_much: int
    """Sessions of which more is stored than the settings keep."""


def kept_figures(folder: Path, index: Index, rules: RetentionRules) -> KeptFigures:
    """How many sessions can be brought back, and of how many too much is stored."""
    from memtui_core.ingest.kept.shrinking import kept_too_much

    waiting = sum(len(one.sessions) for one in _waiting(folder))
    return KeptFigures(waiting, len(kept_too_much(index.snapshot, rules)))


def kept_lines(figures: KeptFigures) -> Iterator[str]:
    """The same in words; nothing if there is nothing to say."""
    from memtui.wording.formatting import plural

    if figures.forgotten:
        yield f"forgotten: {plural(figures.forgotten, 'session')} can be brought back: memtui forget --list"
    if figures.kept_too_much:
        count = plural(figures.kept_too_much, "session")
        yield f"retention: of {count} more is stored than the settings keep: memtui forget --excluded"


def _waiting(folder: Path) -> list[WaitingForget]:
    from memtui_core.ingest.kept.forgetting import waiting_forgets
    from memtui_core.store.data_folder import DataDir

    return waiting_forgets(DataDir(folder))


def _named(waiting: Sequence[WaitingForget], names: Sequence[str]) -> list[tuple[str, list[list[Any]]]]:
    """The forgets to undo, each with the sessions that are meant; none for all."""
    if not waiting:
        raise NotForgotten("Nothing that was forgotten waits to be brought back.")
    if not names:
        return [(waiting[0].id, [])]
    found: list[tuple[str, list[list[Any]]]] = []
    for name in names:
        if any(one.id == name for one in waiting):
            found.append((name, []))
            continue
        sessions = [
            (one.id, session.identity)
            for one in waiting
            for session in one.sessions
            if session.identity.session_id.startswith(name)
        ]
        exact = [entry for entry in sessions if entry[1].session_id == name]
        sessions = exact or sessions
        if not sessions:
            raise NotForgotten(f"Nothing that was forgotten has the id {name}: memtui forget --list")
        if len({identity for _, identity in sessions}) > 1:
            raise NotForgotten(f"{len(sessions)} forgotten sessions have an id that begins with {name}.")
        found += [(forget, [list(identity)]) for forget, identity in sessions]
    return found


def _until(one: WaitingForget) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=max(0.0, one.seconds_left))


def _as_json(one: WaitingForget) -> dict[str, Any]:
    return {
        "id": one.id,
        "forgotten_at": datetime.fromtimestamp(one.at, UTC),
        "purged_at": _until(one),
        "sessions": [
            {
                "agent": session.identity.agent,
                "session_id": session.identity.session_id,
                "parent_id": session.identity.parent_id,
                "title": session.title,
                "project": session.project,
                "turns": session.turns,
            }
            for session in one.sessions
        ],
    }


def _is_in_team(folder: Path) -> bool:
    if not (folder / "team").is_dir():
        return False
    from memtui_team.address import TeamAddress

    return TeamAddress.load(folder) is not None
