"""The command line: results on stdout, everything else on stderr; exit code 0 for success, 1 for failure, 2 for misuse.

A command imports slow packages only when it needs them: `memtui --help` loads neither Textual nor DuckDB, and a plain
`memtui search` no click (`direct`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memtui.cli.commands import cli

__all__ = ["cli"]

if not TYPE_CHECKING:  # a type checker knows the name above, and reports all others

    def __getattr__(name: str) -> Any:
        if name != "cli":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from memtui.cli.commands import cli

        return cli
