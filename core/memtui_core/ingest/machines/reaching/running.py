"""Programs that talk to another machine: what they print as it comes, and an end to those that fall silent."""

from __future__ import annotations

import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from typing import IO, Final

from memtui_core.errors import MachineUnreachable
from memtui_core.system.systems import HAS_GROUPS, end_group

_POLL: Final = 0.1
"""Seconds between two looks at the clock and at whether to stop."""
_PIECE: Final = 1 << 16
_WAITING: Final = 64
"""The most pieces of output that wait to be read."""
_ENDING: Final = 1.0
"""Seconds that a program has to end after it was asked to."""
_LAST_WORDS: Final = 4000
"""Bytes of the messages that are kept."""


class PullInterrupted(Exception):
    """The user or the end of the program stops a pull."""


def never() -> bool:
    """Not to be stopped."""
    return False


def output_of(
    command: Sequence[str], given: bytes, *, first: float, silence: float, stopped: Callable[[], bool] = never
) -> Generator[bytes, None, None]:
    """Run a program with something on standard input, and yield what it prints.

    `first` and `silence` are the seconds without output that end it, before the first output and afterwards. The
    program has ended when the iterator has, however that ends. Raises MachineUnreachable with the last message of the
    program if it fails or is silent, and PullInterrupted.
    """
    program = command[0]
    try:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=HAS_GROUPS,
        )
    except OSError as error:
        raise MachineUnreachable(f"{program} cannot be run: {error.strerror or error}") from error
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    pieces: queue.Queue[bytes] = queue.Queue(_WAITING)
    abandoned = threading.Event()
    messages = bytearray()
    threads = [
        threading.Thread(target=target, args=arguments, daemon=True)
        for target, arguments in (
            (_write, (process.stdin, given)),
            (_read, (process.stdout, pieces, abandoned)),
            (_keep_last, (process.stderr, messages)),
        )
    ]
    for thread in threads:
        thread.start()
    limit, heard = first, time.monotonic()
    try:
        while True:
            if stopped():
                raise PullInterrupted
            try:
                piece = pieces.get(timeout=_POLL)
            except queue.Empty:
                if time.monotonic() - heard > limit:
                    raise MachineUnreachable(f"no answer within {limit:.0f} seconds") from None
                continue
            if not piece:
                break
            yield piece
            # The time that the caller takes is not that of the program.
            limit, heard = silence, time.monotonic()
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            raise MachineUnreachable(f"{program} does not end") from None
        if code:
            # What it wrote last may not be read yet.
            threads[-1].join(_ENDING)
            raise MachineUnreachable(_last_line(messages) or f"{program} ended with code {code}")
    finally:
        abandoned.set()
        _end(process)


def _write(stream: IO[bytes], given: bytes) -> None:
    # A program that ends early says why on its own.
    with suppress(OSError, ValueError), stream:
        stream.write(given)


def _read(stream: IO[bytes], pieces: queue.Queue[bytes], abandoned: threading.Event) -> None:
    with suppress(OSError, ValueError), stream:
        while piece := os.read(stream.fileno(), _PIECE):
            while not abandoned.is_set():
                with suppress(queue.Full):
                    pieces.put(piece, timeout=_POLL)
                    break
            else:
                return
    while not abandoned.is_set():
        with suppress(queue.Full):
            pieces.put(b"", timeout=_POLL)
            return


def _keep_last(stream: IO[bytes], messages: bytearray) -> None:
    with suppress(OSError, ValueError), stream:
        while piece := os.read(stream.fileno(), _PIECE):
            messages += piece
            del messages[:-_LAST_WORDS]


def _last_line(messages: bytearray) -> str:
    lines = [line.strip() for line in bytes(messages).decode("utf-8", "replace").splitlines()]
    return next((line for line in reversed(lines) if line), "")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program with those that it has started: rsync runs ssh."""
    if process.poll() is not None:
        return
    for kill in (False, True):
        end_group(process, kill=kill)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_ENDING)
            return
