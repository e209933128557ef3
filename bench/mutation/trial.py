"""A copy of a checkout in which changes are tried."""

from __future__ import annotations

import ast
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path
from typing import Literal

from coverage import CoverageData

from bench.mutation.changes import Change

MOST_MEMORY = 6 << 30
"""Bytes: a change that makes a loop endless must not fill the machine."""
GRACE = 30.0
"""Seconds that any change may take, for the start of Python and for fixtures."""
SLOWER = 3.0
"""How many times the time of the unchanged program a change may take beyond `GRACE`."""

_DURATION = re.compile(r"^([\d.]+)s (?:call|setup|teardown) +(\S+?)(?:\[.*)?$", re.MULTILINE)


class BaselineFails(Exception):
    """Tests that fail without any change, with their output: they can say nothing of changes."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What the tests of an area do with the unchanged program."""

    seconds: Mapping[str, float]
    """By test function."""
    runners: Mapping[str, Mapping[int, frozenset[str]]]
    """By path and line: the test functions that run it. Of a line that a fixture runs, all tests of the file."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the tests said to a change."""

    change: Change
    verdict: Literal["killed", "time", "survived"]
    tests: int
    """How many test functions could run the changed lines."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A copy of the files of a checkout; the checkout itself is never written to."""

    root: Path

    @classmethod
    def of(cls, checkout: Path, folder: Path) -> Checkout:
        """Copy the files that git knows, and new ones that it does not ignore."""
        command = ["git", "-C", str(checkout), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        for name in subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0"):
            if name and (checkout / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(checkout / name, folder / name)
        return cls(folder)

    def baseline(self, name: str, tests: Sequence[str]) -> Baseline:
        """Run the tests of an area, all of which must pass (BaselineFails)."""
        data = self.root / f"coverage.{name}"
        options = ["-vv", "--durations=0", "--cov=core", "--cov-context=test", "--cov-report="]
        done = subprocess.run(
            self._pytest(*options, *tests),
            cwd=self.root,
            env=self._environment() | {"COVERAGE_FILE": str(data)},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            _, _, summary = done.stdout.rpartition("short test summary info")
            raise BaselineFails(f"The tests of {name} fail without any change: {summary or done.stdout}{done.stderr}")
        seconds: dict[str, float] = defaultdict(float)
        for duration, test in _DURATION.findall(done.stdout):
            seconds[test] += float(duration)
        coverage = CoverageData(str(data))
        coverage.read()
        runners = {
            Path(path).relative_to(self.root.resolve()).as_posix(): {
                line: _tests(contexts, seconds) for line, contexts in coverage.contexts_by_lineno(path).items()
            }
            for path in coverage.measured_files()
        }
        return Baseline(seconds, runners)

    def attempt(self, change: Change, baseline: Baseline) -> Outcome:
        """Make a change, run the tests that could notice it until one does, and take it back."""
        path = self.root / change.path
        before = path.read_text(encoding="utf-8")
        tests = _worth_running(before, change, baseline)
        limit = GRACE + SLOWER * sum(baseline.seconds[test] for test in tests)
        try:
            self._write(path, change.code)
            return Outcome(change, self._run(tests, limit), len(tests))
        finally:
            self._write(path, before)

    def _run(self, tests: Sequence[str], limit: float) -> Literal["killed", "time", "survived"]:
        process = subprocess.Popen(
            self._pytest("-x", "-q", *tests),
            cwd=self.root,
            env=self._environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY)),
        )
        try:
            return "killed" if process.wait(limit) else "survived"
        except subprocess.TimeoutExpired:
            return "time"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _write(self, path: Path, code: str) -> None:
        """Python takes compiled code for new by size and second, so that two changes of a second are one to it."""
        path.write_text(code, encoding="utf-8")
        Path(cache_from_source(str(path))).unlink(missing_ok=True)

    def _pytest(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]

    def _environment(self) -> dict[str, str]:
        """Before the packages of the environment, where the checkout itself is installed."""
        return dict(os.environ) | {"PYTHONPATH": os.pathsep.join(str(self.root / name) for name in ("core", "tui"))}


def _tests(contexts: Sequence[str], seconds: Mapping[str, float]) -> frozenset[str]:
    """The test functions of contexts such as `tests/core/text/test_dates.py::test_a_day[1]|run`."""
    found = set()
    for test, _, phase in (context.rpartition("|") for context in contexts):
        function = test.partition("[")[0]
        if phase == "run":
            found.add(function)
        elif test:
            file = function.partition("::")[0]
            found |= {other for other in seconds if other.startswith(f"{file}::")}
    return frozenset(found)


def _worth_running(code: str, change: Change, baseline: Baseline) -> list[str]:
    """The tests that run the function that is changed, or all if none is known; files that are soon done come first."""
    lines = range(0)
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        last = node.end_lineno or node.lineno
        if node.lineno <= change.line <= last:  # the innermost comes last
            lines = range(node.body[0].lineno, last + 1)
    runners = baseline.runners.get(change.path, {})
    chosen = frozenset[str]().union(*(runners.get(line, ()) for line in lines)) or frozenset(baseline.seconds)
    cost: dict[str, float] = defaultdict(float)
    for test in chosen:
        cost[test.partition("::")[0]] += baseline.seconds[test]
    return sorted(chosen, key=lambda test: (cost[test.partition("::")[0]], test))
