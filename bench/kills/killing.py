"""Processes that run a scenario and are killed, and how the index is after they are started again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from bench.kills import scenarios
from bench.kills.scenarios import Scenario
from memtui_core.system.fault_points import VARIABLE
from support.marked_processes import Mark
from support.whole_index import WholeIndex, differences, whole_index


@dataclass
class Outcome:
    """What became of the runs of a scenario."""

    kills: int = 0
    equal: int = 0
    """Indexes that are equal to the one of a run that was never killed."""
    differing: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    """Runs that did not come to their end when they were started again."""
    outlived: float = 0.0
    """The most seconds for which a process outlived the killed one."""
    passed: list[str] = field(default_factory=list)
    """Steps to which the run did not come."""


class Killing:
    """Runs of one scenario in one folder, always from the same beginning."""

    def __init__(self, scenario: Scenario, source: Path, folder: Path) -> None:
        self._scenario = scenario
        self._folder, self._beginning = folder / "run", folder / "beginning"
        scenarios.prepare(scenario, source, self._folder)
        shutil.rmtree(self._beginning, ignore_errors=True)
        self._folder.rename(self._beginning)
        self.outcome = Outcome()
        self._restore()
        began = time.monotonic()
        if self._start().wait():
            raise SystemExit(f"{scenario.name} fails without a kill")
        self.seconds = time.monotonic() - began
        """What a run takes that is not killed."""
        self._expected: WholeIndex = whole_index(self._folder / "data")

    def kill_after(self, seconds: list[float]) -> None:
        """Kill a run after some seconds, and so the one after it; then let it come to its end."""
        self._restore()
        killed = 0
        for pause in seconds:
            mark = Mark()
            process = self._start(mark)
            with suppress(subprocess.TimeoutExpired):
                process.wait(pause)
                break
            process.kill()
            process.wait()
            killed += 1
            self.outcome.outlived = max(self.outcome.outlived, mark.await_end())
        self._finish(f"killed after {', '.join(f'{one:.2f}' for one in seconds)} s", killed)

    def kill_at(self, step: str) -> None:
        """Kill a run at a step; the worker that comes there, if it is a step of these."""
        self._restore()
        mark = Mark()
        code = self._start(mark, f"{step}:kill").wait()
        self.outcome.outlived = max(self.outcome.outlived, mark.await_end())
        if code == 0 and not step.startswith("transcript-"):
            self.outcome.passed.append(step)
            return
        self._finish(f"killed at {step}", 1)

    def _finish(self, how: str, kills: int) -> None:
        outcome = self.outcome
        outcome.kills += kills
        if self._start().wait():
            outcome.failed.append(how)
        elif found := differences(self._expected, whole_index(self._folder / "data")):
            outcome.differing.append("\n    ".join([how, *found]))
        else:
            outcome.equal += 1

    def _restore(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        shutil.copytree(self._beginning, self._folder)

    def _start(self, mark: Mark | None = None, fault: str = "") -> subprocess.Popen[bytes]:
        root = Path(__file__).parents[2]
        paths = os.pathsep.join(str(root / name) for name in ("core", "tui", "team", "tests", "."))
        environment = {**os.environ, **(mark or Mark()).environment, VARIABLE: fault, "PYTHONPATH": paths}
        code = "import sys; from bench.kills.scenarios import run; run(*sys.argv[1:])"
        return subprocess.Popen(
            [sys.executable, "-P", "-c", code, self._scenario.name, str(self._folder)],
            env=environment,
            stderr=subprocess.DEVNULL,
        )
