"""What runs in a worker process that prepares transcripts (see `pool`); it never opens the index."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

from memtui_core.ingest.workers.prepared_transcript import PreparedSource, prepare
from memtui_core.system.fault_points import fault_point


def serve(next_request: Callable[[], Any], answers: IO[bytes]) -> None:
    """Prepare transcripts without end; the answer for one that cannot be prepared is None."""
    while True:
        transcript, exclusions, retention, foreign, machine = next_request()
        fault_point("transcript-taken")
        prepared: PreparedSource | None = None
        # The process with the index will read the transcript itself, and store what is wrong with it.
        with suppress(Exception):
            prepared = prepare(transcript, exclusions, foreign, machine, retention)
        fault_point("transcript-prepared")
        pickle.dump(prepared, answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()


def main() -> None:
    """Answer the process that started this one, until that is gone."""
    # ctrl+c reaches all processes of a terminal; the process that started this one decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    requests: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_receive, args=(requests,), daemon=True).start()
    serve(requests.get, answers)


def _receive(requests: SimpleQueue[Any]) -> None:
    """Take requests until the pipe is closed, and end the process then, even if it prepares a large transcript."""
    with suppress(EOFError, OSError, pickle.UnpicklingError), open(0, "rb", closefd=False) as pipe:
        while True:
            requests.put(pickle.load(pipe))
    os._exit(0)


if __name__ == "__main__":
    main()
