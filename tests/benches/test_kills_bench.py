"""An index whose process is killed at each named step is, in the end, the one of a process that was never killed.

`make kills` does the same with many more kills, at random moments too, and with real transcripts.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.kills import scenarios
from bench.kills.scenarios import SCENARIOS, Scenario
from memtui_core.system.fault_points import arm
from support.dying import Processes
from support.faults import fault_names
from support.transcripts import OTHER_SESSION, SESSION, Script
from support.whole_index import differences, whole_index

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="runs are forks")
KILLED = -9
WORKERS = {"transcript-taken", "transcript-prepared"}
"""Steps of processes whose end the indexer survives."""
ELSEWHERE = {
    *("tool-called", "transcript-written"),
    *("annotations-kept", "annotations-removed"),
}
"""Steps of processes that write no index, which are killed in the tests of these commands.

Those of annotations, which the sessions here do not have, are in the tests of forgetting.
"""


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    """Runs are forks of a process that has loaded what they need."""
    with Processes("bench.kills.scenarios", "support.whole_index", "memtui_core.ingest.indexer") as started:
        yield started


@pytest.fixture(scope="module")
def transcripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sessions with tool calls, and a compaction that has something to review."""
    folder = tmp_path_factory.mktemp("transcripts")
    for session, prefix in ((SESSION, "a"), (OTHER_SESSION, "b")):
        script = Script(session, prefix=prefix)
        for turn in range(8):
            script.user(f"Turn {turn}: never store prices as floats in src/cart.py of {prefix}")
            script.calls("Edit", {"file_path": f"src/{prefix}{turn}.py", "old_string": "a", "new_string": "b" * 700})
            script.result("ok")
            script.says(f"I changed file {turn}. All prices are integers now. " + f"step{turn} " * 60)
            if turn == 4 and prefix == "a":
                script.compacts("We changed files.")
        script.write(folder)
    # It leaves the index in one of the runs.
    script = Script("a" * 8 + SESSION[8:], prefix="c")
    script.user("A session that is forgotten")
    script.write(folder / "-home-ana-code-shop")
    return folder


def run(name: str, folder: Path, fault: str) -> None:
    """Run a scenario in this process, which a fault may end."""
    arm(fault)
    scenarios.run(name, str(folder))


@pytest.mark.spec("S6.12")
def test_each_step_is_killed_in_a_scenario() -> None:
    steps = {step for scenario in SCENARIOS for step in scenario.steps}
    assert steps == set(fault_names()) - ELSEWHERE


LAST = {step: scenario for scenario in SCENARIOS if scenario.name != "watching" for step in scenario.steps}
"""The scenario in which a step is killed here, of those that come to it."""


@pytest.mark.spec("S6.12")
@pytest.mark.parametrize("scenario", [one for one in SCENARIOS if one in LAST.values()], ids=lambda one: one.name)
def test_an_index_is_complete_after_a_kill_at_any_step(
    scenario: Scenario, processes: Processes, transcripts: Path, tmp_path: Path
) -> None:
    """Each step is a run that is killed there, and one that goes on: two forks that write real files."""
    steps = [step for step, one in LAST.items() if one is scenario]
    beginning, folder = tmp_path / "beginning", tmp_path / "run"
    processes.run(scenarios.prepare, scenario, transcripts, folder)
    shutil.copytree(folder, beginning)
    assert processes.run(run, scenario.name, folder, "") == 0
    expected = whole_index(folder / "data")
    assert expected["turns"].total() > 10
    ended, differing = {}, {}
    for step in steps:
        shutil.rmtree(folder)
        shutil.copytree(beginning, folder)
        ended[step] = processes.run(run, scenario.name, folder, f"{step}:kill")
        assert processes.run(run, scenario.name, folder, "") == 0
        if found := differences(expected, whole_index(folder / "data")):
            differing[step] = found
    assert differing == {}
    assert ended == {step: 0 if step in WORKERS else KILLED for step in steps}
