"""What other processes ask of the indexer about forgetting: it has the lock, so it does it for them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memtui_core.errors import MemtuiError
from memtui_core.readers.exclusions import RetentionRules
from memtui_core.store.marks.tombstones import SessionIdentity
from memtui_core.store.requests import FORGET_KINDS, PURGE, SHRINK, UNDO, Requests
from memtui_core.system.failures import failure_text

if TYPE_CHECKING:
    from memtui_core.ingest.indexer import Indexer

_log = logging.getLogger(__name__)


class ForgetRequests:
    """Serves these requests by an indexer."""

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer
        self._requests = Requests(indexer.data)

    @property
    def is_due(self) -> bool:
        """Whether something is asked; costs the listing of a folder that is empty or missing most of the time."""
        return self._requests.has_pending and any(one.kind in FORGET_KINDS for one in self._requests.pending())

    def serve(self) -> bool:
        """Do what is asked, and answer; False if nothing is. An error is the answer to its request."""
        served = False
        for request in self._requests.pending():
            if request.kind not in FORGET_KINDS:
                continue
            try:
                answer = self._serve(request.kind, request.fields)
            except Exception as error:
                if not isinstance(error, MemtuiError):
                    _log.exception("A request to forget could not be served")
                answer = {"error": failure_text(error, self._indexer.data.path)}
            self._requests.answer(request, answer)
            served = True
        return served

    def _serve(self, kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        forgetting = self._indexer.forgetting
        if kind == PURGE:
            forgetting.catch_up()
            forgetting.purge(str(fields["id"]))
            return {}
        if kind == SHRINK:
            return {"sessions": [list(one) for one in forgetting.shrink(RetentionRules(fields["retention"]))]}
        sessions = [SessionIdentity(*session) for session in fields.get("sessions") or ()]
        if kind == UNDO:
            return {"sessions": [list(one) for one in forgetting.undo(str(fields["id"]), sessions or None)]}
        forget = forgetting.forget(sessions, keeps_away=bool(fields.get("keeps_away", True)))
        # An indexer may have died after it had served the request.
        forget = forget or forgetting.waiting_with(sessions)
        if forget is None:
            return {"id": None, "sessions": []}
        return {"id": forget.id, "sessions": [list(one.session) for one in forget.tombstones]}
