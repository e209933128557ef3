"""The controllers of a screen: plain objects that declare the messages and the actions that they handle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from textual.message import Message
from textual.screen import Screen

Handler = Callable[..., Any]
"""Takes the message, or nothing."""
_Method = TypeVar("_Method", bound=Handler)
_HANDLED: Final = "_handled_messages"


def handles(*messages: type[Message]) -> Callable[[_Method], _Method]:
    """Declare that a method of a controller handles messages of these types: what `@on` is for a widget."""

    def declare(method: _Method) -> _Method:
        setattr(method, _HANDLED, messages)
        return method

    return declare


class Controllers:
    """What the controllers of a screen handle.

    A method with `@handles` gets the messages that reach the screen. A method named `action_...` becomes an action of
    the screen, for its keys and for the palette.
    """

    def __init__(self, screen: Screen[Any]) -> None:
        self._screen = screen
        self._handlers: dict[type[Message], list[Handler]] = {}

    def register(self, *controllers: object) -> None:
        """Add controllers; a message that several of them handle goes to them in this order.

        Raises TypeError if the screen has an action of that name already.
        """
        for controller in controllers:
            for name, member in vars(type(controller)).items():
                for message in getattr(member, _HANDLED, ()):
                    self._handlers.setdefault(message, []).append(getattr(controller, name))
                if name.startswith("action_"):
                    if hasattr(self._screen, name):
                        raise TypeError(
                            f"{name} of {type(controller).__name__} would replace another one of the screen"
                        )
                    setattr(self._screen, name, getattr(controller, name))

    def handlers(self, message: Message) -> Sequence[Handler]:
        """The methods that handle a message."""
        return self._handlers.get(type(message), ())
