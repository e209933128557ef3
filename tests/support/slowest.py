"""The files whose tests take longest, told at the end of a run."""

from __future__ import annotations

from collections import defaultdict

import pytest

_TOLD = 10
"""Files that are told."""


class SlowestFiles:
    """Adds up what the tests of each file take, in whatever process they run."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the set-up, the call or the tear-down of a test."""
        self._seconds[report.nodeid.partition("::")[0]] += report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell the slowest files, and what all files take together."""
        terminalreporter.section("slowest files")
        for path, seconds in sorted(self._seconds.items(), key=lambda item: item[1], reverse=True)[:_TOLD]:
            terminalreporter.write_line(f"{seconds:7.1f} s  {path}")
        terminalreporter.write_line(f"{sum(self._seconds.values()):7.1f} s  {len(self._seconds)} files in all")
