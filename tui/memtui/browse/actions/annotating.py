"""The controller for pins, titles, tags, notes and archives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from textual.screen import Screen

from memtui.browse.controllers import handles
from memtui.services.index_service import IndexService
from memtui.widgets.requests.panes import AnnotationRequested
from memtui.wording.annotated import first_line, tags_text
from memtui.wording.formatting import cut, plural
from memtui_core.text.names import SKIPPED

if TYPE_CHECKING:
    from memtui.browse.actions.forgetting import ForgetController
    from memtui_core.index.annotations import SessionAnnotations
    from memtui_core.index.index import Index
    from memtui_core.model import Annotations

_BY = "app"
_NAMED = 40
"""Cells of a title in a notification."""


class _Read(NamedTuple):
    """What a form needs to know."""

    annotations: Annotations
    tags: list[str]
    """All tags, the most used first."""
    titles: tuple[str, str]
    """The title, and the agent's if that is another one."""


class AnnotationController:
    """Changes what the user has added to sessions and turns; every list shows it as soon as it is written."""

    def __init__(self, screen: Screen[None], index: IndexService, forgetting: ForgetController) -> None:
        """What was forgotten last is taken back by the same key, by `forgetting`."""
        self._screen = screen
        self._index = index
        self._forgetting = forgetting
        self._archived: tuple[int, ...] = ()
        """The sessions that were archived last, which can be taken back."""

    @handles(AnnotationRequested)
    def annotate(self, request: AnnotationRequested) -> None:
        """Do at once what has two states; ask for a text for everything else."""
        if request.kind == "restore":
            self._restore()
        elif not request.sessions:
            self._screen.notify("Choose a session first.")
        elif request.kind == "pin":
            self._write(partial(_switch_pin, request), partial(self._say_pinned, request))
        elif request.kind == "archive":
            self._write(partial(_switch_archive, request), partial(self._say_archived, request))
        else:
            if request.kind == "note":
                # A note is about one session, of a row of several the first.
                request = replace(request, sessions=request.sessions[:1])
            session, turn = request.sessions[0], request.turn if request.kind != "rename" else 0
            self._index.query("", lambda index: _read(index, session, turn), partial(self._ask, request))

    def _write(self, change: Callable[[SessionAnnotations], bool], done: Callable[[bool], object]) -> None:
        def written(result: bool) -> None:
            self._index.refresh()
            done(result)

        self._index.query("", lambda index: change(index.annotations), written)

    def _say_pinned(self, request: AnnotationRequested, pinned: bool) -> None:
        self._screen.notify(_name(request), title="Pinned" if pinned else "No longer pinned", markup=False)

    def _say_archived(self, request: AnnotationRequested, archived: bool) -> None:
        self._archived = request.sessions if archived else ()
        self._forgetting.last = None
        text = f"{_name(replace(request, turn=0))}\n\nu takes it back." if archived else _name(replace(request, turn=0))
        self._screen.notify(text, title="Archived" if archived else "No longer archived", markup=False)

    def _restore(self) -> None:
        if self._forgetting.take_back():
            return
        sessions, self._archived = self._archived, ()
        if not sessions:
            self._screen.notify(
                "Nothing was archived or forgotten just now. X shows what is archived, and x takes it back."
            )
            return

        def restore(annotations: SessionAnnotations) -> bool:
            for key in sessions:
                annotations.archive(key, archived=False, by=_BY)
            return False

        said = plural(len(sessions), "session")
        self._write(restore, lambda _: self._screen.notify(said, title="No longer archived"))

    def _ask(self, request: AnnotationRequested, read: _Read) -> None:
        if request.kind == "rename":
            self._ask_title(request, read)
        elif request.kind == "tag":
            self._ask_tags(request, read)
        elif len(read.annotations.notes) > 1:
            self._choose_note(request, read)
        else:
            self._ask_note(request, read, read.annotations.notes[0].id if read.annotations.notes else "")

    def _ask_title(self, request: AnnotationRequested, read: _Read) -> None:
        title, agents = read.titles
        # Of a title whose beginning is skipped the rest would become the user's.
        before = read.annotations.title or ("" if title.startswith(SKIPPED) else title)
        of = f" of {plural(len(request.sessions), 'session')}" if len(request.sessions) > 1 else ""
        hint = f"Without one: {cut(agents or title, 60)}"
        self._open(f"your title{of}", before, request, lambda own, text: _rename(own, request, text, before), hint=hint)

    def _ask_tags(self, request: AnnotationRequested, read: _Read) -> None:
        text = " ".join(read.annotations.tags)
        used = tags_text(read.tags[:8])
        hint = f"Words with blanks between them. In use: {used}" if used else "Words with blanks between them."
        title = f"tags of {_name(request)}"
        self._open(title, text, request, partial(_set_tags, request), hint=hint, words=read.tags)

    def _choose_note(self, request: AnnotationRequested, read: _Read) -> None:
        from memtui.screens.choice import ChoiceScreen

        choices = [(note.id, cut(first_line(note.text), 60)) for note in read.annotations.notes]

        def chosen(note_id: str | None) -> None:
            if note_id is not None:
                self._ask_note(request, read, note_id)

        self._screen.app.push_screen(ChoiceScreen("which note", [*choices, ("", "a new one")]), chosen)

    def _ask_note(self, request: AnnotationRequested, read: _Read, note_id: str) -> None:
        text = next((note.text for note in read.annotations.notes if note.id == note_id), "")
        hint = "An empty note is removed." if note_id else ""
        self._open(
            f"note on {_name(request)}", text, request,
            lambda own, new: _set_note(own, request, note_id, new), hint=hint, lines=True,
        )  # fmt: skip

    def _open(
        self,
        title: str,
        text: str,
        request: AnnotationRequested,
        save: Callable[[SessionAnnotations, str], object],
        *,
        hint: str = "",
        lines: bool = False,
        words: Sequence[str] = (),
    ) -> None:
        from memtui.screens.annotation import AnnotationForm

        def write(new: str) -> None:
            save(self._index.opened.annotations, new)

        def saved(new: str | None) -> None:
            if new is not None:
                self._index.refresh()

        form = AnnotationForm(title, text, write, hint=hint, lines=lines, words=words)
        self._screen.app.push_screen(form, saved)


def _name(request: AnnotationRequested) -> str:
    """What is annotated, for a notification."""
    if len(request.sessions) > 1:
        return f"{plural(len(request.sessions), 'session')} · {cut(request.title, _NAMED)}"
    turn = f"turn {request.turn} · " if request.turn else ""
    return f"{turn}{cut(request.title, _NAMED)}"


def _read(index: Index, session: int, turn: int) -> _Read:
    found = index.sessions.get(session)
    return _Read(index.annotations.of(session, turn), index.annotations.tags(), (found.title, found.agent_title))


def _switch_pin(request: AnnotationRequested, annotations: SessionAnnotations) -> bool:
    pinned = not annotations.of(request.sessions[0], request.turn).pinned
    for session in request.sessions:
        annotations.pin(session, request.turn, pinned=pinned, by=_BY)
    return pinned


def _switch_archive(request: AnnotationRequested, annotations: SessionAnnotations) -> bool:
    archived = not annotations.of(request.sessions[0]).archived
    for session in request.sessions:
        annotations.archive(session, archived=archived, by=_BY)
    return archived


def _rename(annotations: SessionAnnotations, request: AnnotationRequested, text: str, before: str) -> None:
    """Give all sessions a title; that of the agent, if it was not changed, does not become the user's."""
    if text != before:
        for session in request.sessions:
            annotations.rename(session, text, by=_BY)


def _set_tags(request: AnnotationRequested, annotations: SessionAnnotations, text: str) -> None:
    for session in request.sessions:
        annotations.set_tags(session, text.replace(",", " ").split(), request.turn, by=_BY)


def _set_note(annotations: SessionAnnotations, request: AnnotationRequested, note_id: str, text: str) -> None:
    if not text.strip():
        if note_id:
            annotations.remove_note(note_id, by=_BY)
    elif note_id:
        annotations.change_note(note_id, text, by=_BY)
    else:
        annotations.add_note(request.sessions[0], text, request.turn, by=_BY)
