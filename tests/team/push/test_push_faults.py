"""Whatever happens while a push is going on, each session on the server is whole, and the next push completes it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memtui_team.address import TeamAddress
from memtui_team.admin.devices import revoke
from memtui_team.errors import NotInTeam, TeamError, TeamTooNew, TeamTooOld, TeamUnreachable
from support.postgres import PostgresServer
from support.shop_and_blog import shop_and_blog
from support.tcp_proxy import TcpProxy
from support.team_machines import Machine, SessionRows, received
from support.teams import Team, make_team
from support.transcripts import Script

WORDS = [
    f"{first}{second}" for first in ("up", "down", "over", "re") for second in ("load", "time", "try", "paint", "set")
]


class GrowingMachine(Machine):
    """A machine whose sessions grow from step to step; it knows all states in which each of them was."""

    def __init__(self, folder: Path, url: str) -> None:
        super().__init__(folder, url)
        self.scripts: list[Script] = []
        self.states: dict[tuple[str, str], list[SessionRows]] = {}
        self._random = random.Random(5)

    def work(self, new: int = 2) -> None:
        """Some new sessions, and one more turn in a few others."""
        for _ in range(new):
            number = len(self.scripts)
            self.scripts.append(Script(f"{number:08d}-1111-4111-8111-111111111111", prefix=f"s{number}-"))
        changed = self.scripts[-new:] + self._random.sample(self.scripts, min(2, len(self.scripts)))
        for script in dict.fromkeys(changed):
            script.user(self._text(12))
            script.calls("Edit", {"file_path": f"/home/ana/code/shop/src/{self._text(1)}.py", "old_string": "a"}, "t1")
            script.result(self._text(60), "t1")
            script.says(self._text(400))
            self.write(script)
        self.index()
        for identity, rows in self.rows().items():
            self.states.setdefault(identity, []).append(rows)

    def assert_whole(self, team: Team) -> int:
        """Check that each session on the server is in one of the states in which it was; how many there are."""
        sent = received(team)
        for identity, rows in sent.items():
            assert rows in self.states[identity]
        return len(sent)

    def _text(self, words: int) -> str:
        return " ".join(self._random.choice(WORDS) for _ in range(words))


@contextmanager
def proxied(team: Team, machine: Machine) -> Iterator[TcpProxy]:
    """What the machine pushes goes through a proxy."""
    with TcpProxy(team.server.port) as proxy:
        machine.address = TeamAddress(proxy.url(machine.address.url))
        machine.address.save(machine.data)
        yield proxy


def push_bytes(server: PostgresServer, folder: Path) -> int:
    """The bytes that a first push of three sessions sends."""
    team = make_team(server)
    machine = GrowingMachine(folder, team.url("ana"))
    machine.work(3)
    with proxied(team, machine) as proxy:
        machine.push(machine.sharing("shop"))
        return proxy.sent


def test_the_server_is_killed_twenty_times_while_it_is_pushed_to(one_server: PostgresServer, tmp_path: Path) -> None:
    """Each time at another byte of what is sent. It takes 20 s, most of it for the server to start again."""
    total = push_bytes(one_server, tmp_path / "measured")
    team = make_team(one_server)
    machine = GrowingMachine(tmp_path / "ana", team.url("ana"))
    with proxied(team, machine) as proxy:
        for number in range(20):
            machine.work(3)
            proxy.begin(total * (number + 1) // 21, one_server.kill)
            with pytest.raises(TeamUnreachable):
                machine.push(machine.sharing("shop"))
            proxy.done.wait()
            one_server.start()
            machine.assert_whole(team)
        proxy.begin()
        machine.push(machine.sharing("shop"))
    assert received(team) == machine.rows()
    assert len(machine.scripts) == 60


def test_the_network_is_cut_at_each_point_of_a_push(one_server: PostgresServer, tmp_path: Path) -> None:
    """25 points of one push. It takes 6 s for as many pushes."""
    total = push_bytes(one_server, tmp_path / "measured")
    team = make_team(one_server)
    machine = GrowingMachine(tmp_path / "ana", team.url("ana"))
    machine.work(3)
    counts = set()
    with proxied(team, machine) as proxy:
        for number in range(25):
            proxy.begin(total * (number + 1) // 26)
            with pytest.raises(
                TeamUnreachable, match=r"^The connection to the team's server was lost\.$|cannot be reached"
            ):
                machine.push(machine.sharing("shop"))
            counts.add(machine.assert_whole(team))
    assert counts == {0}
    machine.address = TeamAddress(team.url("ana"))
    machine.push(machine.sharing("shop"))
    assert received(team) == machine.rows()


def test_the_pusher_is_killed(one_server: PostgresServer, tmp_path: Path) -> None:
    """12 times, each time at another byte of what it sends. It takes 12 s for the processes to start."""
    total = push_bytes(one_server, tmp_path / "measured")
    team = make_team(one_server)
    machine = GrowingMachine(tmp_path / "ana", team.url("ana"))
    config = tmp_path / "config.toml"
    config.write_text('share = ["shop"]\n')
    command = [sys.executable, "-m", "memtui", "team", "push", "--yes", "--data-dir", str(machine.data)]
    killed = 0
    with proxied(team, machine) as proxy:
        for number in range(12):
            machine.work()
            started = threading.Event()
            process: list[subprocess.Popen[bytes]] = []

            def kill(started: threading.Event = started, process: list[subprocess.Popen[bytes]] = process) -> None:
                started.wait()
                process[0].kill()
                process[0].wait()

            proxy.begin(total * (number + 1) // 14, kill)
            environment = {**os.environ, "MEMTUI_CONFIG": str(config)}
            process.append(subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL))
            started.set()
            killed += process[0].wait() != 0
            machine.assert_whole(team)
    assert killed == 12
    machine.address = TeamAddress(team.url("ana"))
    machine.push(machine.sharing("shop"))
    assert received(team) == machine.rows()


@pytest.fixture
def small_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder on a disk of 24 MB."""
    folder = tmp_path_factory.mktemp("disk")
    command = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)]
    if sys.platform != "linux" or os.geteuid() or subprocess.run(command, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("Only root can mount a small disk.")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_the_disk_of_the_server_is_full(one_server: PostgresServer, small_disk: Path, tmp_path: Path) -> None:
    """It takes 4 s to fill the disk, and to push all of it again."""
    team = make_team(one_server)
    space = small_disk / "space"
    space.mkdir()
    os.chown(space, server_uid(one_server), -1)
    for folder in (small_disk, *small_disk.parents):
        folder.chmod(folder.stat().st_mode | 0o001)
    small = Team(one_server)
    with team.admin() as connection:
        connection.execute(f"CREATE TABLESPACE small_{os.getpid()} LOCATION '{space}'")
        connection.execute(f"ALTER DATABASE {small.database} SET TABLESPACE small_{os.getpid()}")
    small.add("ana", groups=["everyone"])
    machine = GrowingMachine(tmp_path / "ana", small.url("ana"))
    noise = random.Random(1)
    failed = ""
    for number in range(20):
        script = Script(f"{number:08d}-2222-4222-8222-222222222222", prefix=f"n{number}-")
        script.user("Fill the disk")
        script.says(" ".join(f"{noise.randrange(10**12):x}" for _ in range(60_000)))
        machine.write(script)
        machine.index()
        for identity, rows in machine.rows().items():
            machine.states.setdefault(identity, []).append(rows)
        try:
            machine.push(machine.sharing("shop"))
        except TeamUnreachable as error:
            failed = str(error)
            break
    assert failed.startswith("The team's server has no room or no memory: could not extend file")
    assert 0 < machine.assert_whole(small) < len(machine.states)
    with pytest.raises(TeamUnreachable, match="no room"):
        machine.push(machine.sharing("shop"))
    subprocess.run(["mount", "-o", "remount,size=300m", str(small_disk)], check=True)
    machine.push(machine.sharing("shop"))
    assert received(small) == machine.rows()
    with team.admin() as connection:
        connection.execute(f"DROP DATABASE {small.database} WITH (FORCE)")
        connection.execute(f"DROP TABLESPACE small_{os.getpid()}")


def server_uid(server: PostgresServer) -> int:
    return server.folder.stat().st_uid


def test_two_processes_of_a_device_and_another_device_push_at_once(one_server: PostgresServer, tmp_path: Path) -> None:
    """The first two have folders of their own, so that no lock of a file keeps them apart. It takes 3 s."""
    team = make_team(one_server)
    team.add("ana", "desktop")
    machines = [
        GrowingMachine(tmp_path / name, team.url("ana", *device))
        for name, device in (("a", ()), ("b", ()), ("c", ("desktop",)))
    ]
    for machine in machines:
        machine.work(6)
    errors: list[BaseException] = []

    def push(machine: GrowingMachine) -> None:
        try:
            for _ in range(3):
                machine.push(machine.sharing("shop"))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=push, args=(machine,)) for machine in machines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    first, second, desktop = (machine.rows() for machine in machines)
    assert received(team, device="desktop") == desktop
    sent = received(team)
    assert {*sent} == {*first}
    assert all(rows in (first[identity], second[identity]) for identity, rows in sent.items())
    machines[0].push(machines[0].sharing("shop"))
    assert received(team) == first


def test_a_revoked_device_gets_one_sentence_and_loses_nothing(one_server: PostgresServer, tmp_path: Path) -> None:
    team = make_team(one_server)
    machine = GrowingMachine(tmp_path, team.url("ana"))
    machine.work()
    machine.push(machine.sharing("shop"))
    before = received(team)
    with team.admin() as connection:
        revoke(connection, "ana")
    machine.work()
    with pytest.raises(NotInTeam, match=r"^This device is no longer in the team"):
        machine.push(machine.sharing("shop"))
    assert received(team) == before
    assert len(machine.rows()) == 4


def test_a_device_that_is_revoked_while_it_pushes(one_server: PostgresServer, tmp_path: Path) -> None:
    total = push_bytes(one_server, tmp_path / "measured")
    team = make_team(one_server)
    machine = GrowingMachine(tmp_path / "ana", team.url("ana"))
    machine.work(3)

    def end() -> None:
        with team.admin() as connection:
            revoke(connection, "ana")

    with proxied(team, machine) as proxy:
        proxy.begin(total * 2 // 3, end)
        with pytest.raises(TeamError):
            machine.push(machine.sharing("shop"))
        assert received(team) == {}
        with pytest.raises(NotInTeam):
            machine.push(machine.sharing("shop"))


@pytest.mark.parametrize(
    ("values", "error"),
    [({"schema": "99", "oldest_client": "99"}, TeamTooNew), ({"schema": "0", "oldest_client": "0"}, TeamTooOld)],
)
def test_a_server_of_another_version_gets_nothing(
    one_server: PostgresServer, tmp_path: Path, values: dict[str, str], error: type[TeamError]
) -> None:
    team = make_team(one_server)
    machine = Machine(tmp_path, team.url("ana"))
    shop_and_blog(machine.transcripts)
    machine.index()
    with team.admin() as connection:
        for key, value in values.items():
            connection.execute(
                "INSERT INTO memtui.meta VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                [key, value],
            )
    with pytest.raises(error):
        machine.push(machine.sharing("shop"))
    assert received(team) == {}
