"""The paths of the parts of the index in its data folder."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from memtui_core.system.own_folders import COMPLETION, DIGEST, MENDED, STATUS_LINE


class DataDir(NamedTuple):
    """The paths of one index."""

    path: Path

    @property
    def work(self) -> Path:
        """The database that only the indexer opens."""
        return self.path / "work.duckdb"

    @property
    def work_log(self) -> Path:
        """The changes of the work database that are not in its file yet."""
        return self.path / "work.duckdb.wal"

    @property
    def snapshots(self) -> Path:
        """The folder of the snapshots, which readers open."""
        return self.path / "snapshots"

    @property
    def current(self) -> Path:
        """The file that names the newest snapshot."""
        return self.snapshots / "CURRENT"

    @property
    def lexicon(self) -> Path:
        """The folder of the lexicon."""
        return self.path / "lexicon"

    @property
    def lock(self) -> Path:
        """The lock that the indexer holds."""
        return self.path / "indexer.lock"

    @property
    def indexer(self) -> Path:
        """Which process has that lock."""
        return self.path / "indexer.json"

    @property
    def progress(self) -> Path:
        """The last progress that the indexer reported."""
        return self.path / "progress.json"

    @property
    def readers(self) -> Path:
        """The file that every process that reads the index touches, so that the indexer knows about readers."""
        return self.path / "readers"

    @property
    def samples(self) -> Path:
        """A file that is there if the index is one of the sample sessions, in which the user's own are not wanted."""
        return self.path / "samples"

    @property
    def typing(self) -> Path:
        """The file that the app touches when the user presses keys, so that the indexer pauses."""
        return self.path / "typing"

    @property
    def requests(self) -> Path:
        """The folder with what other processes ask of the indexer."""
        return self.path / "requests"

    @property
    def forget_log(self) -> Path:
        """The log of what was forgotten, which keeps it from coming back."""
        return self.path / "forgotten.jsonl"

    @property
    def forgotten(self) -> Path:
        """The folder with what was forgotten and can be brought back for some time."""
        return self.path / "forgotten"

    @property
    def handoffs(self) -> Path:
        """The folder with the texts that were written for agents."""
        return self.path / "handoffs"

    @property
    def embedding(self) -> Path:
        """The file that says in which way the embedding model runs the fastest here."""
        return self.path / "embedding.json"

    @property
    def opened(self) -> Path:
        """The file with the sessions that were opened last."""
        return self.path / "opened.json"

    @property
    def observations(self) -> Path:
        """The log of what agents and the user have noted for later sessions."""
        return self.path / "observations.jsonl"

    @property
    def review_marks(self) -> Path:
        """The log of the rows of reviews that the user knows."""
        return self.path / "review-marks.jsonl"

    @property
    def reminders(self) -> Path:
        """The folder with what hooks gave the agents of sessions to read, a file for each conversation."""
        return self.path / "told"

    @property
    def annotations(self) -> Path:
        """The log of what the user has added to sessions and turns."""
        return self.path / "annotations.jsonl"

    @property
    def last_list(self) -> Path:
        """The first rows of the app's list as they were when it was left."""
        return self.path / "last_list.json"

    @property
    def status_line(self) -> Path:
        """What the sessions of the last days used, for the status line of an agent."""
        return self.path / STATUS_LINE

    @property
    def completion(self) -> Path:
        """What a shell completes after `memtui`."""
        return self.path / COMPLETION

    @property
    def digest(self) -> Path:
        """What was done last in each project, for the start of a session."""
        return self.path / DIGEST

    @property
    def mended(self) -> Path:
        """How errors were mended in each project, for the hook after a failed command."""
        return self.path / MENDED

    @property
    def touched(self) -> Path:
        """The folder with the turns that touched the files of each project, for the hook before a file is opened."""
        return self.path / "touched"

    @property
    def last_run(self) -> Path:
        """What the last run of the indexer left, so that the next one sees whether there is anything to do."""
        return self.path / "last_run.json"

    @property
    def archive(self) -> Path:
        """The folder of what is kept of sessions that are gone from their agents."""
        return self.path / "archive"

    @property
    def archived_transcripts(self) -> Path:
        """The records with the bytes of transcripts."""
        return self.archive / "transcripts.records"

    @property
    def session_archive(self) -> Path:
        """The records with the rows of sessions whose sources are gone."""
        return self.archive / "sessions.records"

    @property
    def broken(self) -> Path:
        """The folder of damaged files, which are kept until `memtui doctor --repair`."""
        return self.path / "broken"

    @property
    def damage(self) -> Path:
        """The note of a reader that a part of the index is damaged, until an indexer has checked all of them."""
        return self.path / "damaged.txt"

    @property
    def machines(self) -> Path:
        """The folder of the user's other machines."""
        return self.path / "machines"

    @property
    def machine_list(self) -> Path:
        """The file with the declared machines."""
        return self.machines / "machines.json"

    def mirror(self, machine: str) -> Path:
        """The folder with what was copied from a machine, laid out as its home folder."""
        return self.machines / machine / "home"

    def base(self, number: int) -> Path:
        """The database with everything up to a batch."""
        return self.snapshots / f"{number}.duckdb"

    def delta(self, number: int) -> Path:
        """The database with the changes between a base and a batch."""
        return self.snapshots / f"{number}.delta.duckdb"

    def journal(self, number: int) -> Path:
        """The file with the changes since a batch, one line a batch."""
        return self.snapshots / f"{number}.journal"

    def vectors(self, number: int) -> Path:
        """The file with the vectors, in the order in which they were made, with 8 bits a number."""
        return self.path / "vectors" / f"{number}.i8"

    def vector_keys(self, number: int) -> Path:
        """The file with the hash of each vector's text and the factor of the vector, in the same order."""
        return self.path / "vectors" / f"{number}.keys"

    def vector_sums(self, number: int) -> Path:
        """The file with the checksums of the two."""
        return self.path / "vectors" / f"{number}.sums"

    def wide_vectors(self, number: int) -> Path:
        """The file with the vectors in an index of an earlier version, with 32 bits a number."""
        return self.path / "vectors" / f"{number}.f32"

    def wide_hashes(self, number: int) -> Path:
        """The file with the hashes for `wide_vectors`."""
        return self.path / "vectors" / f"{number}.hashes"

    def vector_files(self, number: int) -> tuple[Path, ...]:
        """All files that a generation of vectors may have, of this version or of an earlier one."""
        narrow = (self.vectors(number), self.vector_keys(number), self.vector_sums(number))
        return (*narrow, self.wide_vectors(number), self.wide_hashes(number))

    @property
    def vector_index(self) -> Path:
        """The folder of the vector index."""
        return self.path / "vector-index"
