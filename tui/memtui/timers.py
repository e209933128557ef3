"""Delayed calls that a busy processor cannot lose."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.message_pump import MessagePump


def call_after(pump: MessagePump, seconds: float, callback: Callable[[], object]) -> None:
    """Call something among the messages of a widget, a screen or the app, some seconds from now.

    A timer of Textual never fires when it is late by its whole interval, which is likely for a short one on a busy
    processor.
    """
    asyncio.get_running_loop().call_later(seconds, pump.call_later, callback)
