"""Files appear whole: written, copied and replaced."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from memtui_core.system import atomic_files
from memtui_core.system.atomic_files import copy_atomically, remove_file, replace_file, write_atomically
from support.systems import unix_only


def test_files_are_put_in_place_whole(tmp_path: Path) -> None:
    target = tmp_path / "CURRENT"
    write_atomically(target, b"1")
    write_atomically(target, b"2")
    copy_atomically(target, tmp_path / "copy")
    assert ((tmp_path / "copy").read_bytes(), sorted(path.name for path in tmp_path.iterdir())) == (
        b"2",
        ["CURRENT", "copy"],
    )


@unix_only
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o666, 0o440])
def test_a_file_has_the_rights_that_are_asked_for(tmp_path: Path, mode: int) -> None:
    target, usual = tmp_path / "settings", tmp_path / "usual"
    (tmp_path / f"settings.{os.getpid()}.part").write_bytes(b"of a process that was killed")
    for data in (b"1", b"2"):
        write_atomically(target, data, mode=mode)
        write_atomically(usual, data)
        assert (target.stat().st_mode & 0o777, target.read_bytes()) == (mode, data)
    (tmp_path / "new").touch()
    assert usual.stat().st_mode == (tmp_path / "new").stat().st_mode
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "settings", "usual"]


class InUse(type(Path())):  # type: ignore[misc]
    """A file that two attempts to rename fail on, as on Windows while a reader has the other one open."""

    attempts = 0

    def replace(self, target: Any) -> Any:
        self._use()
        return super().replace(target)

    def unlink(self, missing_ok: bool = False) -> None:
        self._use()
        super().unlink(missing_ok)

    def _use(self) -> None:
        InUse.attempts += 1
        if InUse.attempts < 3:
            raise PermissionError("used by another process")


@pytest.mark.parametrize(("pauses", "attempts", "content"), [((0, 0), 3, b"new"), ((0,), 2, b"old"), ((), 1, b"old")])
def test_a_file_that_is_open_is_replaced_when_it_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pauses: tuple[int, ...], attempts: int, content: bytes
) -> None:
    monkeypatch.setattr(atomic_files, "_PAUSES", pauses)
    monkeypatch.setattr(InUse, "attempts", 0)
    part, path = tmp_path / "part", tmp_path / "file"
    part.write_bytes(b"new")
    path.write_bytes(b"old")
    with nullcontext() if content == b"new" else pytest.raises(PermissionError):
        replace_file(InUse(part), path)
    assert (InUse.attempts, path.read_bytes()) == (attempts, content)


@pytest.mark.parametrize(("pauses", "attempts", "is_gone"), [((0, 0), 3, True), ((0,), 2, False), ((), 1, False)])
def test_a_file_that_is_open_is_removed_when_it_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pauses: tuple[int, ...], attempts: int, is_gone: bool
) -> None:
    monkeypatch.setattr(atomic_files, "_PAUSES", pauses)
    monkeypatch.setattr(InUse, "attempts", 0)
    path = tmp_path / "file"
    path.touch()
    with nullcontext() if is_gone else pytest.raises(PermissionError):
        remove_file(InUse(path))
    assert (InUse.attempts, path.exists()) == (attempts, not is_gone)
    # It may be gone already.
    remove_file(tmp_path / "none")
