"""Delayed calls that a busy processor cannot lose, and the delay of previews."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.message_pump import MessagePump

PREVIEW_PAUSE = 0.12
"""Seconds for which the cursor rests on a row before its preview is loaded: a key that is held down loads none."""


def call_after(pump: MessagePump, seconds: float, callback: Callable[[], object]) -> None:
    """Queue a callback among the messages of a widget, a screen or the app after some seconds.

    A Textual timer skips a tick that is late by a whole interval, which is likely for a short interval on a busy
    processor.
    """
    asyncio.get_running_loop().call_later(seconds, pump.call_later, callback)
