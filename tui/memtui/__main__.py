"""Start memtui: python -m memtui."""

from __future__ import annotations

import io
import sys
import threading


def main() -> None:
    """Run the command line."""
    # DuckDB looks for them at every parameter and every table and never remembers that there are none, which costs it
    # more time than most of our queries take.
    for name in ("pandas", "pyarrow"):
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        # A pipe of Windows has an encoding that lacks most characters: they are replaced, instead of a failure.
        sys.stdout.reconfigure(errors="replace")
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        # An agent waits: the command line takes longer to load than the answer takes.
        from memtui.hooks.run import main as answer_hook

        answer_hook(sys.argv[2:])
    from memtui.cli import cli
    from memtui.cli.output import say_uncaught

    sys.excepthook = lambda _, error, __: say_uncaught(error)
    threading.excepthook = lambda failed: say_uncaught(failed.exc_value or failed.exc_type())
    cli()


if __name__ == "__main__":
    main()
