"""Start memtui: python -m memtui."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    from memtui.command_socket.client import answered

    # A running process has everything loaded: nothing may be imported before it was asked.
    if answered(sys.argv[1:]):
        return
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

        answer_hook(sys.argv[2:])
    from memtui.cli import cli
    from memtui.cli.output import say_uncaught

    sys.excepthook = lambda _, error, __: say_uncaught(error)
    threading.excepthook = lambda failed: say_uncaught(failed.exc_value or failed.exc_type())
    cli()


if __name__ == "__main__":
    main()
