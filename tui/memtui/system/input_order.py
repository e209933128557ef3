"""Input is handled in the order in which it came, each event after the effect of the one before.

Textual sends a key to the widget that has the focus when the key arrives, and looks for its binding after each widget
on the way to the app could handle it. So of two keys that arrive together, as while the app is busy, the second would
go to where the focus was before the first.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

_ROUNDS = 2
"""How often the widgets that may handle an event are visited: the second time after the messages that it has caused."""


class InputOrder:
    """The keys, pastes and mouse events of an app that wait for the effect of an earlier one.

    The app asks `admits` for each event. If that is False the event comes again later; otherwise the app calls `follow`
    after it has passed the event on. It calls `screen_changed` when another screen is current.
    """

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._waiting: deque[events.Event] = deque()
        self._next: events.Event | None = None
        """The event that was posted to the app again."""
        self.is_held = False
        """Whether all events wait for `release`."""
        self._is_busy = False
        """Whether events have to wait."""
        self._refresh: object | None = None
        """The refresh of a new screen for which events wait."""

    def hold(self) -> None:
        """Let all events wait until `release`."""
        self.is_held = self._is_busy = True

    def release(self) -> None:
        """Pass on the events that wait since `hold`."""
        if self.is_held:
            self.is_held = False
            self._pass_next()

    def admits(self, event: events.Event) -> bool:
        """Whether the app handles an event now."""
        if self._is_busy and event is not self._next:
            self._waiting.append(event)
            return False
        return True

    def follow(self, event: events.Event, screen: Screen[Any], focused: Widget | None) -> None:
        """Let later events wait for one that was passed on while `screen` was shown and `focused` had the focus."""
        if isinstance(event, events.Key) and focused is not None and _is_text(event, focused):
            self._pass_next()
        else:
            self._is_busy = True
            self._visit(deque((focused or screen).ancestors_with_self * _ROUNDS), screen)

    def screen_changed(self, _: Screen[Any]) -> None:
        """Wait for the screen that is current now: one that was left before its next refresh never has one."""
        if self._refresh is not None:
            self._await_refresh()

    def _visit(self, path: deque[DOMNode], screen: Screen[Any]) -> None:
        """Wait until the widgets on the path, one after the other, have handled what they have got until now."""
        while path:
            # False if the widget was removed.
            if path.popleft().call_later(self._visit, path, screen):
                return
        if self._app.screen is screen:
            self._pass_next()
        else:
            self._await_refresh()

    def _await_refresh(self) -> None:
        self._refresh = refresh = object()

        def refreshed() -> None:
            if self._refresh is refresh:
                self._refresh = None
                self._pass_next()

        self._app.call_after_refresh(refreshed)

    def _pass_next(self) -> None:
        self._next = self._waiting.popleft() if self._waiting else None
        self._is_busy = self._next is not None
        if self._next is not None:
            self._app.post_message(self._next)


def is_input(event: events.Event) -> bool:
    """Whether an event comes from the user, has an effect, and was not yet passed on to a widget."""
    has_effect = isinstance(event, events.InputEvent | events.Paste) and not isinstance(event, events.MouseMove)
    return has_effect and not event.is_forwarded


def _is_text(key: events.Key, focused: Widget) -> bool:
    """Whether a key is text for a text field: it changes no focus, and the field gets the next one after it anyway."""
    return focused.check_consume_key(key.key, key.character)
