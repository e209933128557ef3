"""The tools of an agent over its memory: arguments in, text out, and nothing ever raises (SPEC S3.6, S3.15)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memtui_core.errors import SessionUnknown
from memtui_core.observations import text
from memtui_core.observations.drafts import type_of
from memtui_core.observations.fallback import Ask, recalled
from memtui_core.observations.finder import Finder
from memtui_core.observations.timeline import session_detail, timeline
from memtui_core.observations.values import BadObservation
from memtui_core.store.reader import Snapshot

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools for one asker."""

    finder: Finder
    session_id: str = ""
    """The session that asks and saves; the argument `session_id` of `mem-save` stands for it where it is not known."""
    root: str = ""
    """The project that it works in: its sessions are the timeline, its observations stand a little before others."""
    snapshot: Callable[[], Snapshot | None] = lambda: None
    """The newest snapshot of the index; None when nothing was indexed."""
    ask: Ask | None = None
    """The search over turns."""

    def search(self, arguments: Arguments) -> str:
        """`mem-search`: query, type, limit (SPEC S3.1)."""

        def run() -> str:
            query = _text(arguments, "query", required=True)
            kind = arguments.get("type")
            wanted = None if kind is None else type_of(kind)
            limit = _number(arguments, "limit", 10, 50)
            found = recalled(
                self.finder, query, limit, type=wanted, here=self.root, snapshot=self.snapshot(), ask=self.ask
            )
            return text.recalled_text(found)

        return _said("Search", run)

    def save(self, arguments: Arguments) -> str:
        """`mem-save`: title, type, narrative, concepts, files (SPEC S3.8)."""
        names = {"files": "files_modified", "concepts": "concepts"}

        def run() -> str:
            session = self.session_id or _text(arguments, "session_id")
            given = _given(arguments, ("title", "type", "narrative"), names, ("session_id",))
            return text.saved_text(self.finder.observations.save(session, self.root, **given))

        return _said("Save", run)

    def timeline(self, arguments: Arguments) -> str:
        """`mem-timeline`: limit, session_id (SPEC S3.12-S3.14)."""

        def run() -> str:
            limit = _number(arguments, "limit", 5, 20)
            session = _text(arguments, "session_id")
            snapshot, observations = self.snapshot(), self.finder.observations
            if session:
                try:
                    return text.detail_text(session_detail(snapshot, observations, session))
                except SessionUnknown as error:
                    return str(error)
            return text.timeline_text(timeline(snapshot, observations, self.root, limit))

        return _said("Timeline", run)

    def forget(self, arguments: Arguments) -> str:
        """`mem-forget`: id, confirm; without confirm it tells what would be forgotten (SPEC S3.16)."""

        def run() -> str:
            wanted = _text(arguments, "id", required=True)
            if arguments.get("confirm") is not True:
                return text.confirm_text(self.finder.observations.get(wanted))
            return text.forgotten_text(self.finder.observations.forget(wanted))

        return _said("Forget", run)

    def restore(self, arguments: Arguments) -> str:
        """Bring a forgotten observation back: id."""
        observations = self.finder.observations
        return _said("Restore", lambda: text.restored_text(observations.restore(_text(arguments, "id", required=True))))

    def edit(self, arguments: Arguments) -> str:
        """Write an observation anew: id, and what of title, type, narrative, concepts and files changes."""
        names = {"files": "files_modified", "concepts": "concepts"}

        def run() -> str:
            given = _given(arguments, ("title", "type", "narrative"), names, ("id",))
            return text.edited_text(self.finder.observations.edit(_text(arguments, "id", required=True), **given))

        return _said("Edit", run)


def _said(what: str, run: Callable[[], str]) -> str:
    """What a tool says; of an error, its text: an agent can only act on what it reads."""
    try:
        return run()
    except Exception as error:
        return f"{what} error: {str(error) or type(error).__name__}"


def _given(
    arguments: Arguments, same: tuple[str, ...], renamed: Mapping[str, str], others: tuple[str, ...]
) -> dict[str, Any]:
    unknown = sorted(set(arguments) - {*same, *renamed, *others})
    if unknown:
        raise BadObservation(f"There is no argument {unknown[0]!r}.")
    names = {**{name: name for name in same}, **renamed}
    return {names[name]: value for name, value in arguments.items() if name in names}


def _text(arguments: Arguments, name: str, *, required: bool = False) -> str:
    value = arguments.get(name)
    if value is None and required:
        raise BadObservation(f"The argument {name} is missing.")
    if value is not None and not isinstance(value, str):
        raise BadObservation(f"The argument {name} must be a text.")
    return value or ""


def _number(arguments: Arguments, name: str, default: int, most: int) -> int:
    value = arguments.get(name, default)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise BadObservation(f"The argument {name} must be a whole number from 1 to {most}, not {value!r}.")
    return value
