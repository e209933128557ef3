"""A search in the local index and on the team's server at the same time, as one list of hits."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from memtui_core.errors import MemtuiError
from memtui_core.model import ENGINES, Hit, SearchResult
from memtui_core.search.pipeline import OnFirstHits, OnScreen, search
from memtui_team.errors import TeamUnreachable
from memtui_team.forgotten import Forgotten
from memtui_team.search.server import SearchedTeam, TeamServer

if TYPE_CHECKING:
    from memtui_core.index.index import Index

PATIENCE: Final = 0.3
"""Seconds for which an answer of the server is waited for after the local hits are known."""
UNREACHABLE: Final = "team: not reachable"
LATE: Final = "team: no answer in time"
_STEP: Final = 0.02
"""Seconds after which it is looked again whether the search was cancelled."""
_RANK: Final = 10
"""Added to the rank of a hit before its reciprocal is taken."""


class _Stopped(Exception):
    """The search on the server is no longer needed."""


class _TeamSearch:
    """A search on the server, in a thread of its own."""

    def __init__(self, server: TeamServer, ask: Callable[[Callable[[], object]], SearchResult]) -> None:
        self._server = server
        self._ask = ask
        self._is_stopped = False
        self._is_done = Event()
        self._result: SearchResult | None = None
        self._note = ""
        self._failure: BaseException | None = None
        server.start(self._run)

    def _run(self) -> None:
        try:
            self._result = self._ask(self._check)
        except _Stopped:
            pass
        except TeamUnreachable:
            self._note = UNREACHABLE
        except MemtuiError as error:
            self._note = f"team: {error}"
        except BaseException as error:
            self._failure = error
        finally:
            self._is_done.set()

    def _check(self) -> None:
        if self._is_stopped:
            raise _Stopped

    def stop(self) -> None:
        """End the search, which nobody needs any more."""
        self._is_stopped = True
        if not self._is_done.is_set():
            self._server.cancel()

    def result(self, check_cancelled: Callable[[], object]) -> tuple[SearchResult | None, str]:
        """What it found, or a note; an answer of the server is waited for as long as `PATIENCE`."""
        began = self._server.waited
        while not self._is_done.wait(_STEP):
            check_cancelled()
            if self._server.waited - began > PATIENCE:
                self._is_stopped = True
                note = LATE if self._server.is_connected else UNREACHABLE
                self._server.give_up()
                return None, note
        if self._failure is not None:
            raise self._failure
        return self._result, self._note


def search_with_team(
    index: Index,
    server: TeamServer,
    text: str,
    limit: int = 50,
    *,
    live: bool = False,
    grouped: bool = False,
    engines: Collection[str] = ENGINES,
    current_folder: str = "",
    on_first_hits: OnFirstHits | None = None,
    screen: int = 0,
    on_screen: OnScreen | None = None,
    check_cancelled: Callable[[], object] = lambda: None,
) -> SearchResult:
    """The best turns of the local index and of colleagues; the options are those of `Index.search`.

    `on_first_hits` and `on_screen` get local hits only. If the server does not answer in time, the result has only
    these, and a note.
    """
    started = time.perf_counter()
    embed = index.vectors.embed if "meaning" in engines else None

    def ask(check: Callable[[], object]) -> SearchResult:
        store = SearchedTeam(server, embed, check)
        return search(store, text, limit, live=live, grouped=grouped, engines=engines, check_cancelled=check)

    team = _TeamSearch(server, ask)
    options: dict[str, Any] = {
        "live": live, "grouped": grouped, "engines": engines, "current_folder": current_folder,
        "on_first_hits": on_first_hits, "screen": screen, "on_screen": on_screen, "check_cancelled": check_cancelled,
    }  # fmt: skip
    try:
        local = index.search(text, limit, **options)
        found, note = team.result(check_cancelled)
    except BaseException:
        team.stop()
        raise
    hits = merge(local.hits, _of_others(index, found.hits)) if found is not None else local.hits
    kept = _first_groups(hits, limit) if grouped else hits[:limit]
    return replace(
        local,
        hits=kept,
        more=local.more or len(kept) < len(hits) or (found is not None and found.more),
        elapsed_ms=(time.perf_counter() - started) * 1000,
        note="; ".join(dict.fromkeys(filter(None, (local.note, note)))),
    )


def merge(local: Sequence[Hit], team: Sequence[Hit]) -> tuple[Hit, ...]:
    """Two ranked lists as one: by rank, of two hits with the same rank the local one first.

    The scores of two stores cannot be compared, for each has words of its own that are rare.
    """
    ranked = [*((1 / (_RANK + rank), 0, hit) for rank, hit in enumerate(local))]
    ranked += ((1 / (_RANK + rank), 1, hit) for rank, hit in enumerate(team))
    return tuple(hit for _, _, hit in sorted(ranked, key=lambda one: (-one[0], one[1])))


def _of_others(index: Index, hits: Sequence[Hit]) -> list[Hit]:
    """The hits without those of sessions that the local index has, or that the user has forgotten here.

    Of a session that two devices pushed only those of one.
    """
    known = _local_sessions(index, {hit.session_id for hit in hits}) | {*Forgotten(index.data.path).identities()}
    chosen: dict[tuple[str, str], int] = {}
    return [
        hit
        for hit in hits
        if (name := (hit.agent, hit.session_id)) not in known and chosen.setdefault(name, hit.session) == hit.session
    ]


def _local_sessions(index: Index, ids: Collection[str]) -> set[tuple[str, str]]:
    sql = "SELECT agent, session_id FROM sessions WHERE list_contains(?, session_id)"
    return set(index.snapshot.rows(sql, [list(ids)])) if ids else set()


def _first_groups(hits: Sequence[Hit], count: int) -> tuple[Hit, ...]:
    groups = list(dict.fromkeys(hit.group for hit in hits))[:count]
    return tuple(hit for hit in hits if hit.group in groups)
