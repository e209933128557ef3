from __future__ import annotations

import errno
import re
import signal
import subprocess
import sys

import pytest

from memtui_core.system.fault_points import FaultRaised, arm, fault_point
from support.faults import fault_names

PASSES = (
    "from memtui_core.system.fault_points import fault_point\nfor one in range(4):\n    fault_point('a-step')\n    "
)


def outcome(fault: str) -> tuple[int, list[str]]:
    """How a process ends that comes to the step `a-step` four times, and how often it came past it."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"{PASSES}print(one, flush=True)"],
        env={"MEMTUI_FAULT": fault} if fault else {},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.split()


def test_no_two_steps_have_one_name() -> None:
    names = fault_names()
    assert "journal-written" in names
    assert [name for name, count in names.items() if count > 1] == []
    assert [name for name in names if not re.fullmatch(r"[a-z]+(-[a-z]+)+", name)] == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_process_dies_at_the_step_that_the_environment_names() -> None:
    killed = -signal.SIGKILL
    assert {fault: outcome(fault) for fault in ("", "a-step:kill", "a-step:kill:3", "another-step:kill")} == {
        "": (0, ["0", "1", "2", "3"]),
        "a-step:kill": (killed, []),
        "a-step:kill:3": (killed, ["0", "1"]),
        "another-step:kill": (0, ["0", "1", "2", "3"]),
    }


def test_a_step_raises_once() -> None:
    try:
        arm("a-step:raise:2")
        fault_point("a-step")
        with pytest.raises(FaultRaised, match="a-step"):
            fault_point("a-step")
        fault_point("a-step")
        arm("a-step:full")
        with pytest.raises(OSError, match="space") as raised:
            fault_point("a-step")
        assert raised.value.errno == errno.ENOSPC
    finally:
        arm("")
    fault_point("a-step")


def test_an_action_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="'burn' is none of kill, stop, hang, full, raise"):
        arm("a-step:burn")
