"""A pull: what is new on another machine comes into its mirror, and the state says how it went."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from filelock import FileLock, Timeout

from memtui_core.errors import IndexBroken, IndexMissing, IndexTooNew, MachineBusy, MachineUnreachable, MemtuiError
from memtui_core.ingest.machines.address import SshAddress
from memtui_core.ingest.machines.annotations import PATTERNS as ANNOTATIONS
from memtui_core.ingest.machines.annotations import merge_annotations
from memtui_core.ingest.machines.declared import Machine
from memtui_core.ingest.machines.listing import ListedFile, Listing
from memtui_core.ingest.machines.mirror import Mirror
from memtui_core.ingest.machines.reaching.folder import HomeFolder
from memtui_core.ingest.machines.reaching.remote import RemoteHome
from memtui_core.ingest.machines.reaching.running import never
from memtui_core.ingest.machines.repositories import Repository, without_password
from memtui_core.ingest.machines.selection import ChosenDatabase, Selection, patterns, selection_of
from memtui_core.ingest.machines.state import CopiedDatabase, MachineState, read_state, write_state
from memtui_core.ingest.machines.vectors import PATTERNS as VECTORS
from memtui_core.ingest.machines.vectors import fetch_vectors
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.system.failures import failure_text
from memtui_core.system.systems import MOVES_OPEN_FILES

DATABASE_REST: Final = 20
"""In the background a database is copied again after so many times as long as copying it took."""
_NAMED: Final = 3
"""How many files that were not copied an error names."""


class OtherHome(Protocol):
    """The home folder of another machine."""

    def listing(self, patterns: Sequence[str]) -> Listing:
        """The files in some places. Raises MachineUnreachable, PullInterrupted."""

    def fetch(self, chosen: Sequence[ListedFile], incoming: Path) -> Iterator[tuple[ListedFile, Path]]:
        """Copy files into a folder: each, when it is complete, with the path of its copy."""

    def copy_database(self, database: ChosenDatabase, copy: Path) -> None:
        """Copy the tables of a database to a new file. Raises MachineUnreachable or SourceUnreadable."""

    def repositories(self, folders: Sequence[str]) -> Mapping[str, Repository]:
        """The repositories of those folders that are in one."""


@dataclass(slots=True)
class Pulled:
    """What a pull has brought."""

    files: int = 0
    bytes: int = 0
    databases: int = 0
    vectors: int = 0
    """How many files with vectors of the other memtui were copied."""
    annotations: int = 0
    """How many records of pins, titles, tags, notes and archives were new."""
    found: int = 0
    """How many files and databases there are on the machine."""
    failures: list[str] = field(default_factory=list)
    """Why some files were not copied."""

    @property
    def is_news(self) -> bool:
        """Whether the mirror has changed."""
        return self.files + self.databases > 0


@dataclass(frozen=True, slots=True)
class MachineContents:
    """What a machine has, as `memtui machine add` tells."""

    agents: Counter[str]
    """How many files, by the id of the agent."""
    bytes: int
    outside: Sequence[str]
    """Locations that are links out of the home folder, which are not copied."""


def home_of(data: DataDir, machine: Machine, stopped: Callable[[], bool] = never) -> OtherHome:
    """The home folder of a machine. Raises MachineRefused."""
    place = machine.place
    if isinstance(place, SshAddress):
        return RemoteHome(place, data.mirror(machine.name), stopped)
    return HomeFolder(place, stopped)


def look(data: DataDir, machine: Machine, stopped: Callable[[], bool] = never) -> MachineContents:
    """What there is on a machine; nothing is copied. Raises MachineUnreachable, PullInterrupted."""
    with _recorded(data, machine) as state:
        listing = home_of(data, machine, stopped).listing(patterns())
        selection = _selected(data, machine, listing)
        state.reached = state.tried
    return MachineContents(selection.agents, selection.bytes, listing.outside)


def pull(
    data: DataDir, machine: Machine, stopped: Callable[[], bool] = never, *, in_background: bool = False
) -> Pulled:
    """Copy from a machine what is new. Raises MachineUnreachable, MachineBusy, PullInterrupted.

    In the background a database rests after it was copied, and repositories are asked for new folders only.
    """
    with _recorded(data, machine) as state:
        mirror, pulled = Mirror(data, machine.name), Pulled()
        home = home_of(data, machine, stopped)
        listing = home.listing([*patterns(), *VECTORS, *ANNOTATIONS])
        state.reached = time.time()
        selection = _selected(data, machine, listing)
        pulled.found = selection.agents.total()
        pulled.failures += [f"{place} is a link out of the home folder" for place in listing.outside]
        mirror.prepare()
        due = {file.path: file for file in selection.files if mirror.is_due(file)}
        for file, copy in home.fetch(list(due.values()), mirror.incoming):
            del due[file.path]
            try:
                size = copy.stat().st_size
                mirror.install(file, copy)
                pulled.files += 1
                pulled.bytes += size
            except (OSError, MemtuiError) as error:
                pulled.failures.append(f"{file.path}: {failure_text(error, data.path)}")
        pulled.failures += [f"{path} could not be read" for path in due]
        for database in selection.databases:
            _pull_database(home, mirror, database, state, pulled, in_background=in_background)
        pulled.vectors = fetch_vectors(listing.files, home.fetch, mirror.home.parent, mirror.incoming)
        pulled.annotations = merge_annotations(data, listing.files, home.fetch, mirror.home.parent, mirror.incoming)
        mirror.clean()
        _ask_for_repositories(data, machine, home, state, only_new=in_background)
        state.error = _summary(pulled.failures)
    return pulled


def ask_for_repositories(data: DataDir, machine: Machine, stopped: Callable[[], bool] = never) -> None:
    """Ask for the repositories of working directories that are new in the index. Raises as `pull`."""
    if _working_directories(data, machine.name) - read_state(data, machine.name).repositories.keys():
        with _recorded(data, machine) as state:
            _ask_for_repositories(data, machine, home_of(data, machine, stopped), state, only_new=True)


def remove_copies(data: DataDir, name: str) -> None:
    """Delete what was copied from a machine, and what is known about it. Raises MachineBusy."""
    folder = data.mirror(name).parent
    if folder.is_dir():
        with _locked(folder, name):
            shutil.rmtree(folder, ignore_errors=not MOVES_OPEN_FILES)
        # Where open files cannot be removed, its lock was left.
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path, name: str) -> Iterator[None]:
    """Keep others from pulling into the folder of a machine. Raises MachineBusy."""
    lock = FileLock(folder / "pull.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise MachineBusy(f"Another memtui pulls from {name} at this moment.") from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _recorded(data: DataDir, machine: Machine) -> Iterator[MachineState]:
    """The state of a machine, locked, and written whatever happens; an error that is no interruption is in it."""
    folder = data.mirror(machine.name).parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(folder, machine.name):
        state = read_state(data, machine.name)
        state.tried = time.time()
        try:
            yield state
        except (MemtuiError, OSError) as error:
            state.error = failure_text(error, data.path)
            raise
        finally:
            write_state(data, machine.name, state)


def _selected(data: DataDir, machine: Machine, listing: Listing) -> Selection:
    """What to copy of a listing. Raises MachineUnreachable if a folder has nothing of any agent."""
    selection = selection_of(listing.files, data.mirror(machine.name))
    if not selection.agents and not isinstance(machine.place, SshAddress):
        raise MachineUnreachable(f"{machine.address} has no transcripts of any agent where a home folder has them")
    return selection


def _pull_database(
    home: OtherHome,
    mirror: Mirror,
    database: ChosenDatabase,
    state: MachineState,
    pulled: Pulled,
    *,
    in_background: bool,
) -> None:
    known, now = state.databases.get(database.path), time.time()
    exists = (mirror.home / database.path).exists()
    if known is not None and exists:
        rests = in_background and 0 <= now - known.at < DATABASE_REST * known.seconds
        if known.stamp == database.stamp or rests:
            return
    copy, started = mirror.incoming / database.path, time.monotonic()
    try:
        home.copy_database(database, copy)
        size = copy.stat().st_size
        mirror.put(database.path, copy, max(file.mtime for file in database.files))
    except (OSError, MemtuiError) as error:
        pulled.failures.append(failure_text(error, mirror.home))
        return
    state.databases[database.path] = CopiedDatabase(database.stamp, now, time.monotonic() - started)
    pulled.databases += 1
    pulled.bytes += size


def _ask_for_repositories(
    data: DataDir, machine: Machine, home: OtherHome, state: MachineState, *, only_new: bool
) -> None:
    folders = _working_directories(data, machine.name)
    asked = sorted(folders - state.repositories.keys() if only_new else folders)
    if asked:
        found = home.repositories(asked)
        for folder in asked:
            one = found.get(folder, Repository("", ""))
            state.repositories[folder] = {"root": one.root, "url": without_password(one.url)}


def _working_directories(data: DataDir, machine: str) -> set[str]:
    """The working directories of the sessions in a mirror, as the index has them."""
    prefix = str(data.mirror(machine).absolute() / "_")[:-1]
    try:
        rows = Snapshot(data).rows(
            "SELECT DISTINCT s.cwd FROM sources f JOIN sessions s ON s.key = f.session WHERE starts_with(f.path, ?)",
            [prefix],
        )
    except (IndexMissing, IndexBroken, IndexTooNew):
        return set()
    return {folder for (folder,) in rows if folder.startswith("/") and "\0" not in folder and "\n" not in folder}


def _summary(failures: Sequence[str]) -> str:
    named = "; ".join(failures[:_NAMED])
    more = len(failures) - _NAMED
    return f"{named}; and {more} more" if more > 0 else named
