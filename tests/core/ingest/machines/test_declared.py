"""Which machines can be declared, and under which names."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.errors import MachineRefused, MachineUnknown
from memtui_core.ingest.machines.address import SshAddress, address_of
from memtui_core.ingest.machines.declared import (
    Machine,
    declare,
    is_name,
    machine_named,
    machines_of,
    mirrors_of,
    undeclare,
)
from memtui_core.ingest.machines.pull import pull
from memtui_core.ingest.machines.reaching.ssh import Ssh
from memtui_core.store.data_folder import DataDir


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("ssh://laptop", SshAddress("laptop")),
        ("ssh://Me@Laptop.Example:2222", SshAddress("Laptop.Example", "Me", 2222)),
        ("ssh://me@[fe80::1%eth0]:22/", SshAddress("fe80::1%eth0", "me", 22)),
        ("SSH://192.168.0.7", SshAddress("192.168.0.7")),
        ("ssh://me@work.example@jump_host", SshAddress("jump_host", "me@work.example")),
    ],
)
def test_addresses(text: str, address: SshAddress) -> None:
    assert address_of(text) == address


@pytest.mark.parametrize(
    "text",
    [
        *("ssh://-oProxyCommand=touch x", "ssh://-oProxyCommand=x@host", "ssh://me@-host", "ssh://-l@host", "ssh://"),
        *("ssh://me:secret@host", "ssh://host/folder", "ssh://host:0", "ssh://host:99999", "ssh://host:x"),
        *(
            "ssh://ho st",
            "ssh://host\nProxyCommand x",
            "ssh://host?x",
            "ssh://$(x)",
            "ssh://host;x",
            "ssh://@host\x1b[",
        ),
        *("", " ", "laptop", "https://host", "me@host", "\0"),
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(MachineRefused):
        address_of(text)


def test_the_home_folder_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "home")
    for text in ("~", str(tmp_path / "link")):
        with pytest.raises(MachineRefused, match="is the home folder of this machine"):
            address_of(text)
    assert address_of("~/not/there") == tmp_path / "home" / "not" / "there"


def test_names() -> None:
    valid = ("laptop", "a", "My-Laptop_2.home", "x" * 40, "_a", "7")
    refused = ("", ".hidden", "-x", "..", "a/b", "a\\b", "a b", "x" * 41, "é", "a\n", "a\0", "a:b")
    assert [name for name in (*valid, *refused) if is_name(name)] == list(valid)


def test_machines_are_kept_by_name(tmp_path: Path) -> None:
    data, folder = DataDir(tmp_path / "data"), tmp_path / "backup"
    folder.mkdir()
    assert machines_of(data) == []
    declare(data, "work", "ssh://me@work")
    declare(data, "backup", f"{folder}/")
    assert machines_of(data) == [Machine("backup", str(folder)), Machine("work", "ssh://me@work")]
    assert mirrors_of(data) == [tmp_path / "data/machines/backup/home", tmp_path / "data/machines/work/home"]
    for taken in ("work", "WORK"):
        with pytest.raises(MachineRefused, match="There is already a machine 'work'"):
            declare(data, taken, "ssh://other")
    with pytest.raises(MachineUnknown, match=r"There is no machine .x.\. Declared: backup, work\."):
        machine_named(data, "x")
    undeclare(data, "work")
    assert machines_of(data) == [Machine("backup", str(folder))]
    assert data.machines.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("content", ["", "{", "[]", '{"machines": 1}', '{"machines": {"a": {}}}'])
def test_a_list_that_cannot_be_read_has_no_machine(content: str, tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    data.machines.mkdir()
    data.machine_list.write_text(content)
    assert machines_of(data) == []


def test_what_somebody_wrote_into_the_list_is_checked_again(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    data.machines.mkdir()
    data.machine_list.write_text('{"machines": {"../x": {"address": "ssh://a"}, "y": {"address": "ssh://-oX"}}}')
    assert machines_of(data) == [Machine("y", "ssh://-oX")]
    with pytest.raises(MachineRefused):
        pull(data, machines_of(data)[0])


def test_ssh_asks_nothing_and_takes_the_settings_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMTUI_SSH", raising=False)
    command = Ssh(SshAddress("host", "me", 2222)).command
    assert command[0] == "ssh"
    assert {"BatchMode=yes", "ConnectTimeout=3", "ServerAliveInterval=5"} <= set(command)
    assert command[-2:] == ["-p", "2222"]
    assert not {"-F", "-i", "StrictHostKeyChecking=no"} & set(command)
    monkeypatch.setenv("MEMTUI_SSH", "ssh -F '/my files/config'")
    assert Ssh(SshAddress("host")).command[:3] == ["ssh", "-F", "/my files/config"]
