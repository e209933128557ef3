"""Calling something a little later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.message_pump import MessagePump


def soon(pump: MessagePump, seconds: float, callback: Callable[[], object]) -> None:
    """Call something among the messages of a widget, a screen or the app, some seconds from now.

    A timer of Textual that is late by as much as it was to wait never comes, which a busy processor makes likely for
    a short one.
    """
    asyncio.get_running_loop().call_later(seconds, pump.call_later, callback)
