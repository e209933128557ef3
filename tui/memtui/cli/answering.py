"""Answers for cold commands in a process whose index is open: the same code prints to streams that are sent back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.cli.opened import NotAnswerable, SharedIndex, sharing
from memtui.cli.output import RecordedStream, redirected
from memtui.command_socket.server import Chunk, CommandServer, Request
from memtui_core.system import locations

if TYPE_CHECKING:
    from memtui_core.index import Index

NewestIndex = Callable[[], "Index | None"]
"""The index of this process on the newest snapshot; None while there is none."""
LoadModel = Callable[["Index"], object]
"""Loads the model of an index, in the calling thread."""


def answer_commands(data_dir: Path, newest: NewestIndex, load_model: LoadModel) -> CommandServer:
    """Answer the commands on a data folder that need no model, or a loaded one, until the server is closed.

    A command that needs the model answers for itself, and the model is loaded for the next one.
    """
    return CommandServer(data_dir, _Answering(data_dir, newest, load_model))


class _Answering:
    """Runs one command at a time."""

    def __init__(self, data_dir: Path, newest: NewestIndex, load_model: LoadModel) -> None:
        self._data_dir = data_dir
        self._newest = newest
        self._load_model = load_model
        self._loading: threading.Thread | None = None

    def __call__(self, request: Request) -> list[Chunk] | None:
        index = self._newest()
        if index is None:
            return None
        shared = SharedIndex(self._data_dir, request.folder, index)
        chunks = run_command(request, shared)
        if shared.lacks_model and (self._loading is None or not self._loading.is_alive()):
            self._loading = threading.Thread(
                target=self._load_model, args=(index,), name="memtui-model-for-commands", daemon=True
            )
            self._loading.start()
        return chunks


def run_command(request: Request, shared: SharedIndex) -> list[Chunk] | None:
    """What a command prints, in order; None if it fails or cannot be answered: it then has to report that itself."""
    from memtui.cli import cli

    chunks: list[Chunk] = []
    out_errors, error_errors, is_terminal, is_error_terminal = request.streams
    out = RecordedStream(chunks, 1, out_errors, is_terminal=is_terminal)
    error = RecordedStream(chunks, 2, error_errors, is_terminal=is_error_terminal)
    with redirected(out, error), sharing(shared), locations.in_folder(request.folder):
        try:
            # Help would be printed to the terminal of this process, so that nothing may ask for it.
            code = cli.main(request.arguments, prog_name="memtui", standalone_mode=False, help_option_names=[])
        except (SystemExit, NotAnswerable):
            return None
    return chunks if code in (None, 0) else None
