"""A worker runs its tests in a fork, and takes a new one when that has grown.

What a file of tests leaves behind, such as modules, sessions of the model and pages that are partly in use, would stay
in a worker until its end, and need twice the memory. A fork begins with what all tests need.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import traceback
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

import memtui
import memtui_core
import memtui_team
from support.memory import collect_file

_MOST = 370
"""Megabytes from which on a fork gets no further file of tests."""
_SELDOM_NEEDED = "memtui.agents.mcp"
"""What loads 20 to 40 MB, for few tests."""


class ForkedTests:
    """A plugin of a worker of pytest-xdist on Linux. No test may depend on what another file of tests has done."""

    def __init__(self) -> None:
        self._is_fork = False
        self._fork = 0
        self._pipe: Connection | None = None
        """To the fork, if there is one, go the places of a test and the next one; from it comes what is to be sent."""

    def pytest_collection_finish(self) -> None:
        """Load what the tests would load in each fork."""
        for package in (memtui_core, memtui_team, memtui):
            for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
                if not module.name.startswith(_SELDOM_NEEDED) and not module.name.endswith("__main__"):
                    importlib.import_module(module.name)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Let the fork run the test; in the fork, leave that to pytest."""
        if self._is_fork:
            return None
        interactor = _interactor(item.config)
        if self._pipe is None:
            self._start(item, interactor)
        pipe: Any = self._pipe
        pipe.send((interactor.item_index, None if nextitem is None else interactor.nextitem_index))
        try:
            while not isinstance(told := pipe.recv(), int):
                interactor.channel.send(told)
        except EOFError:
            # As this worker would have ended itself: pytest-xdist reports the test, and starts another worker.
            os._exit(os.waitstatus_to_exitcode(os.waitpid(self._fork, 0)[1]) or 1)
        # At the end of a file it tells its memory.
        if nextitem is None or told > _MOST or (told and nextitem.get_closest_marker("much_memory")):
            self._end()
        return True

    def _start(self, item: pytest.Item, interactor: Any) -> None:
        self._pipe, other_end = Pipe()
        self._fork = os.fork()
        if self._fork:
            other_end.close()
            return
        self._is_fork = True
        self._pipe.close()
        interactor.channel = other_end
        try:
            _serve(item.session, interactor, other_end)
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            # Nothing that the worker has prepared for its own end is for a fork to do.
            os._exit(0)

    def _end(self) -> None:
        assert self._pipe is not None
        self._pipe.close()
        self._pipe = None
        os.waitpid(self._fork, 0)


def _serve(session: pytest.Session, interactor: Any, worker: Connection) -> None:
    """Run the tests for which the worker asks, each by its place among those collected and the place of the next."""
    items: Sequence[pytest.Item] = session.items
    with suppress(EOFError):
        while True:
            place, next_place = worker.recv()
            interactor.item_index = place
            item, next_item = items[place], None if next_place is None else items[next_place]
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)
            is_last = next_item is None or next_item.path != item.path
            worker.send(_megabytes() if is_last else 0)
    # What is shared by several files. As `pytest_sessionfinish` of pytest does it.
    session._setupstate.teardown_exact(None)


def _interactor(config: pytest.Config) -> Any:
    """The plugin of pytest-xdist that sends reports; it is defined in the worker, and has no name."""
    return next(plugin for plugin in config.pluginmanager.get_plugins() if hasattr(plugin, "run_one_test"))


def _megabytes() -> int:
    """The memory that this process needs, and cannot give back."""
    collect_file()
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20
