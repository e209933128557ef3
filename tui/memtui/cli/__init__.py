"""The command line: results on stdout, everything else on stderr; exit code 0 for success, 1 for failure, 2 for misuse.

A command imports slow packages only when it needs them: `memtui --help` loads neither Textual nor DuckDB.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtui.cli.commands import cli

__all__ = ["cli"]


def __getattr__(name: str) -> object:
    """Import the commands when they are asked for: a shell that completes a word waits for none of them."""
    if name != "cli":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from memtui.cli.commands import cli

    return cli
