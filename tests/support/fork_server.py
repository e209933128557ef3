"""Runs Python programs in forks of itself, in which what they import is already loaded.

Run this file with the path of its socket and the names of the modules to load. Each connection asks for one program,
with the three streams for it, gets its exit code, and ends it by going away.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import runpy
import select
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def asked_program(path: str) -> tuple[list[str], list[int]]:
    """Answer requests; returns only in a fork, with what was asked of it and its streams."""
    running: dict[int, socket.socket] = {}
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen(99)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        # Whoever started this process holds the other end of its standard input.
        while True:
            watched: list[Any] = [listening, woken, 0, *running.values()]
            ready = select.select(watched, [], [])[0]
            if 0 in ready:
                sys.exit()
            if woken in ready:
                os.read(woken, 99)
            for pid, asking in list(running.items()):
                ended, status = os.waitpid(pid, os.WNOHANG)
                if ended:
                    with suppress(OSError):
                        asking.sendall(b"%d" % (os.waitstatus_to_exitcode(status) & 0xFF))
                    running.pop(pid).close()
                elif asking in ready:
                    os.kill(pid, signal.SIGKILL)
            if listening in ready:
                asking, _ = listening.accept()
                head, streams, _, _ = socket.recv_fds(asking, 4, len(STREAMS))
                size, said = int.from_bytes(head, "big"), b""
                while len(said) < size and (part := asking.recv(size - len(said))):
                    said += part
                if not head or len(said) < size:
                    # Whoever asked is gone.
                    asking.close()
                    for stream in streams:
                        os.close(stream)
                    continue
                if pid := os.fork():
                    running[pid] = asking
                    for stream in streams:
                        os.close(stream)
                    continue
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for opened in (asking, *running.values()):
                    opened.close()
                os.close(woken)
                os.close(wakes)
                return [os.fsdecode(part) for part in said.split(b"\0")], streams


def become(asked: list[str], streams: list[int]) -> str:
    """Take on what differs from process to process; the program to run."""
    os.setsid()
    folder, count, *rest = asked
    program, *sys.argv = rest[: int(count)]
    os.environ.clear()
    os.environ.update(entry.partition("=")[::2] for entry in rest[int(count) :])
    time.tzset()
    os.chdir(folder)
    sys.path[:0] = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    for number, ((name, mode), stream) in enumerate(zip(STREAMS, streams, strict=True)):
        os.dup2(stream, number)
        os.close(stream)
        before = getattr(sys, name)
        is_lined = name == "stderr" or os.isatty(number)
        opened = open(number, mode, 1 if is_lined else -1, before.encoding, before.errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, opened)
        setattr(sys, f"__{name}__", opened)
    return program


if __name__ == "__main__":
    # The folder of this file.
    del sys.path[0]
    for module in sys.argv[2:]:
        importlib.import_module(module)
    gc.freeze()
    # A fork has only one thread, and what the others held is held for ever.
    assert not Path("/proc/self/task").exists() or len(list(Path("/proc/self/task").iterdir())) == 1
    program = become(*asked_program(sys.argv[1]))
    try:
        if program.endswith(".py"):
            runpy.run_path(program, run_name="__main__")
        else:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        if isinstance(ended.code, str) or threading.active_count() > 1:
            raise
        # Taking everything apart that is loaded would take longer than most programs.
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(ended.code or 0))
