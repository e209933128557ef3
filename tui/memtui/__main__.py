"""Start memtui: python -m memtui."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    # DuckDB looks for pandas at every parameter and never remembers that there is none, which costs it more time
    # than most of our queries take.
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]
    from memtui.cli import cli

    cli()


if __name__ == "__main__":
    main()
