"""What runs in a worker process that prepares transcripts (see `pool`); it never opens the index."""

from __future__ import annotations

import pickle
import signal
import sys
from contextlib import suppress
from typing import IO

from memtui_core.ingest.workers.prepared_transcript import PreparedSource, prepare
from memtui_core.text.own_patterns import use_patterns


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Prepare transcripts until the pipe is closed; the answer for one that cannot be prepared is None."""
    while True:
        try:
            transcript, exclusions, foreign, machine, patterns = pickle.load(requests)
        except EOFError:
            return
        use_patterns(patterns)
        prepared: PreparedSource | None = None
        # The process with the index will read the transcript itself, and store what is wrong with it.
        with suppress(Exception):
            prepared = prepare(transcript, exclusions, foreign, machine)
        pickle.dump(prepared, answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()


def main() -> None:
    """Answer the process that started this one."""
    # ctrl+c reaches all processes of a terminal; the process that started this one decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
