"""Start memtui: python -m memtui."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress


def main() -> None:
    """Run the command line."""
    import io
    import threading

    # DuckDB tries to import them for every parameter and every table, even after that has failed, which takes more time
    # than most of our queries.
    for name in ("pandas", "pyarrow"):
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        # A pipe on Windows has an encoding that lacks most characters: replace them instead of failing.
        sys.stdout.reconfigure(errors="replace")
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        # An agent waits for the hook, and the command line takes longer to load than the hook takes to run.
        from memtui.hooks.run import main as answer_hook

        gc.enable()
        answer_hook(sys.argv[2:])
    from memtui.cli.output import say_uncaught

    sys.excepthook = lambda _, error, __: say_uncaught(error)
    threading.excepthook = lambda failed: say_uncaught(failed.exc_value or failed.exc_type())
    from memtui.cli.direct import run_directly

    if run_directly(sys.argv[1:]):
        return
    gc.enable()
    from memtui.cli import cli

    cli()


def run() -> None:
    """Run the command line in a process of its own.

    A command that has printed its answer ends without taking everything apart that it has loaded. The garbage collector
    would only look through the modules that are being imported.
    """
    is_done = False

    def end() -> None:
        if is_done:
            with suppress(OSError, ValueError, AttributeError):
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(0)

    # Registered first, it is called last.
    atexit.register(end)
    gc.disable()
    main()
    is_done = True


if __name__ == "__main__":
    run()
