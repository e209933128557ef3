"""What systems do differently, and what is said where memtui cannot work."""

from __future__ import annotations

import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

from memtui_core.system.failures import failure_text, risk_of
from memtui_core.system.systems import HAS_GROUPS, command_line, end_group, is_child_stopped, unsupported, words_of
from support.systems import unix_only

INTEL = "On a Mac, memtui needs an Apple processor and a Python for it: onnxruntime is no longer made for Intel."
MUSL = "This Linux has no glibc (Alpine has musl), and DuckDB and onnxruntime are not made for it"
ARM = "On Windows for ARM, memtui needs the Python for x86-64 (amd64), which runs there, too."


@pytest.mark.parametrize(
    ("built_for", "libc", "begins"),
    [
        ("linux-x86_64", "glibc", ""),
        ("linux-aarch64", "glibc", ""),
        ("macosx-14.0-arm64", "", ""),
        ("macosx-10.13-universal2", "", ""),
        ("win-amd64", "", ""),
        ("linux-x86_64", "", MUSL),
        ("linux-x86_64", "musl", MUSL),
        ("macosx-13.0-x86_64", "", INTEL),
        ("win-arm64", "", ARM),
        ("win32", "", "This Python has 32 bits, and memtui needs one with 64."),
    ],
)
def test_systems_without_the_packages_are_named(built_for: str, libc: str, begins: str) -> None:
    text = unsupported(built_for, libc)
    assert text.startswith(begins) if begins else text == ""
    assert unsupported(built_for, libc, has_64_bits=False).startswith("This Python has 32 bits")


def test_this_system_is_supported() -> None:
    assert unsupported() == ""


def test_a_package_that_is_missing_or_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImportError) as missing:
        import_module("no_such_package.part")
    assert failure_text(missing.value, tmp_path) == (
        "The package no_such_package, which memtui needs, cannot be loaded: No module named 'no_such_package'."
        " Install memtui again, such as by pip install --force-reinstall memtui."
    )
    # A module of memtui that is missing is its own defect.
    with pytest.raises(ImportError) as missing:
        import_module("memtui_core.no_such_module")
    assert failure_text(missing.value, tmp_path).endswith("This is a defect of memtui: please report it.")


@pytest.mark.parametrize("package", ["click", "textual", "_duckdb"])
def test_a_command_says_which_package_cannot_be_loaded(package: str, sample_index: Path) -> None:
    code = f"""
import sys
sys.modules[{package!r}] = None
from memtui.__main__ import main
sys.argv = ["memtui", *{["config", "--schema"] if package == "textual" else ["sessions"]!r}]
main()
"""
    environment = {"MEMTUI_DATA_DIR": str(sample_index), "HOME": str(sample_index.parent), "PATH": ""}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (1, "")
    begins = f"memtui: The package {package}, which memtui needs, cannot be loaded: "
    assert run.stderr.startswith(begins), run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("path", "program"),
    [
        ("Dropbox/memtui", "Dropbox"),
        ("OneDrive - Acme/memtui", "OneDrive"),
        ("Library/CloudStorage/GoogleDrive-ana@example.org/My Drive/memtui", "Google Drive"),
        ("Library/Mobile Documents/com~apple~CloudDocs/memtui", "iCloud Drive"),
        ("Nextcloud/memtui", "Nextcloud"),
        ("synced/deep/memtui", "Syncthing"),
        ("Dropboxes/memtui", ""),
        ("code/onedrive-client/memtui", ""),
    ],
)
def test_a_data_folder_that_is_copied_to_other_machines_is_a_risk(path: str, program: str, tmp_path: Path) -> None:
    (tmp_path / "synced" / ".stfolder").mkdir(parents=True)
    folder = tmp_path / path
    expected = (
        f"{program} copies the data folder {folder} to other machines, where another memtui may write to it at the same"
        " time. Rather choose another data folder with --data-dir or MEMTUI_DATA_DIR. memtui machine brings sessions"
        " from one machine to another."
    )
    assert risk_of(folder) == (expected if program else "")


def test_a_command_line_is_read_as_it_was_written() -> None:
    words = ["/opt/my programs/memtui", "hook", "it's", ""]
    assert words_of(command_line(words)) == words
    assert words_of(r'"C:\Program Files\OpenSSH\ssh.exe" -v', windows=True) == [
        "C:/Program Files/OpenSSH/ssh.exe",
        "-v",
    ]
    with pytest.raises(ValueError, match="quotation"):
        words_of("'ssh")


@unix_only
@pytest.mark.parametrize("kill", [False, True])
def test_a_program_ends_with_those_that_it_has_started(kill: bool, tmp_path: Path) -> None:
    command = ["sh", "-c", f"sleep 60 & echo $! > {tmp_path}/part; mv {tmp_path}/part {tmp_path}/child; wait"]
    with subprocess.Popen(command, start_new_session=HAS_GROUPS, stdout=subprocess.PIPE) as process:
        until = time.monotonic() + 60
        while not (tmp_path / "child").exists():
            assert time.monotonic() < until
        end_group(process, kill=kill)
        assert process.wait(60) == (-9 if kill else -15)
        # The child had the pipe, too: its end comes when both are gone.
        assert process.stdout is not None
        assert process.stdout.read() == b""


@unix_only
def test_a_child_that_was_stopped_is_recognized() -> None:
    import signal

    with subprocess.Popen(["sleep", "60"]) as process:
        try:
            assert not is_child_stopped(process.pid)
            process.send_signal(signal.SIGSTOP)
            until = time.monotonic() + 60
            while not is_child_stopped(process.pid):
                assert time.monotonic() < until
        finally:
            process.kill()
    assert not is_child_stopped(process.pid)
