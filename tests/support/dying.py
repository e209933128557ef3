"""Functions that end the process they run in."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

TESTS = Path(__file__).parents[1]


class Processes:
    """Runs each function in a process of its own; on Linux they are forks of one that has imported some modules."""

    def __init__(self, *modules: str) -> None:
        self._modules = modules
        self._started: subprocess.Popen[bytes] | None = None

    def run(self, function: Callable[..., object], *arguments: Any) -> int:
        """The exit status of the process of a function of a module."""
        started = self._started or self._start()
        assert started.stdin is not None
        assert started.stdout is not None
        pickle.dump((function, arguments), started.stdin)
        started.stdin.flush()
        try:
            status: int = pickle.load(started.stdout)
        except EOFError:
            status = started.wait()
            self.close()
        return status

    def close(self) -> None:
        """End the process that is forked."""
        if self._started is not None:
            with self._started:
                self._started = None

    def _start(self) -> subprocess.Popen[bytes]:
        path = [str(TESTS), str(TESTS.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
        command = [sys.executable, "-m", __name__, *self._modules]
        self._started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        return self._started

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def main() -> None:
    """Run the functions that come in, in forks or in this process."""
    for module in sys.argv[1:]:
        import_module(module)
    while True:
        try:
            function, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        if sys.platform != "linux":
            function(*arguments)
            return
        child = os.fork()
        if not child:
            _end_after(function, *arguments)
        _, status = os.waitpid(child, 0)
        pickle.dump(os.waitstatus_to_exitcode(status), sys.stdout.buffer)
        sys.stdout.flush()


def _end_after(function: Callable[..., object], *arguments: Any) -> NoReturn:
    """Run a function and end this fork without the clean-up of what belongs to the process that was forked."""
    try:
        function(*arguments)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main()
