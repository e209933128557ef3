"""Start memtui: python -m memtui."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs a checkout by another Python learns why it fails
        sys.exit(f"memtui needs Python 3.11 or newer, and this is {sys.version.split()[0]}.")
    if sys.argv[1:2] == ["statusline"] and not {"-h", "--help"} & set(sys.argv):
        # An agent runs it after each answer, and it only reads.
        from memtui.agents.hooks.status_line import main as print_status_line

        print_status_line(sys.argv[2:])
    if sys.argv[1:3] == ["completion", "answer"]:
        # A person waits for it after each tab.
        from memtui.cli.shell.answer import main as answer_shell

        answer_shell(sys.argv[3:])
    import io
    import threading

    from memtui_core.system.private_files import make_private

    make_private()
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        # A pipe on Windows has an encoding that lacks most characters: replace them instead of failing.
        sys.stdout.reconfigure(errors="replace")
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        # It must not fail: for arguments that click refuses the exit code would be 2, which stops the agent.
        from memtui.agents.hooks.run import main as answer_hook

        answer_hook(sys.argv[2:])
    try:
        from memtui.cli import cli
        from memtui.cli.output import say_uncaught
    except ImportError as error:
        from memtui_core.system.failures import missing_package

        if not (text := missing_package(error)):
            raise
        sys.exit(f"memtui: {text}")
    sys.excepthook = lambda _, error, __: say_uncaught(error)
    threading.excepthook = lambda failed: say_uncaught(failed.exc_value or failed.exc_type())
    cli()


if __name__ == "__main__":
    main()
