"""What the user decided on the rows of reviews: which ones are known, and which ones the agent shall get.

One file of JSON lines in the data folder, which only grows: several processes append to it, and a line that was not
written whole costs that line. A hook reads it, so nothing heavy is imported.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from memtui_core.errors import MemtuiError
from memtui_core.store.data_folder import DataDir


def row_key(session_id: str, text: str) -> str:
    """What stands for a row of reviews: the session in which it was said, and its words."""
    # A hook that looks for rows to send needs none, and this takes longer to import than all else here.
    from hashlib import sha256

    return sha256(f"{session_id}\n{' '.join(text.split())}".encode("utf-8", "replace")).hexdigest()[:24]


class ReviewMarks:
    """The marks in a data folder, as they are when they are asked for."""

    def __init__(self, folder: Path) -> None:
        self._path = DataDir(folder).review_marks

    def known(self) -> dict[str, int]:
        """The keys of the rows that the user knows, with their places in the order in which they were marked."""
        known: dict[str, int] = {}
        for place, record in enumerate(self._records()):
            key = str(record.get("key"))
            if record.get("kind") == "known":
                known[key] = place
            elif record.get("kind") == "unknown":
                known.pop(key, None)
        return known

    def waiting(self, session_id: str) -> tuple[str, ...]:
        """The rows that the agent of a session shall get and has not got, in the order in which they were sent."""
        return tuple(text for text, is_delivered in self.sent(session_id).items() if not is_delivered)

    def sent(self, session_id: str) -> dict[str, bool]:
        """The rows that were sent to the agent of a session, each with whether it has got it; the last sent last."""
        sent: dict[str, bool] = {}
        for record in self._records():
            text, kind = str(record.get("text")), record.get("kind")
            if record.get("session") != session_id:
                continue
            if kind == "send":
                if sent.get(text):
                    # It is sent once more.
                    del sent[text]
                sent.setdefault(text, False)
            elif kind == "delivered" and text in sent:
                sent[text] = True
        return sent

    def set_known(self, key: str, *, known: bool) -> None:
        """Mark a row as known, or take the mark away. Raises MemtuiError."""
        self._append({"kind": "known" if known else "unknown", "key": key})

    def send(self, session_id: str, text: str) -> None:
        """Give a row to the agent of a session with its next hook call. Raises MemtuiError."""
        self._append({"kind": "send", "session": session_id, "text": text})

    def delivered(self, session_id: str, text: str) -> None:
        """Note that the agent of a session got a row. Raises MemtuiError."""
        self._append({"kind": "delivered", "session": session_id, "text": text})

    def remove_texts(self) -> None:
        """Remove the texts of all rows that were sent; what is known stays, without texts. Raises OSError."""
        if not self._path.exists():
            return
        from memtui_core.system.atomic_files import write_atomically

        kept = [record for record in self._records() if record.get("kind") not in {"send", "delivered"}]
        write_atomically(self._path, b"".join(json.dumps(record).encode() + b"\n" for record in kept))

    def _records(self) -> list[dict[str, Any]]:
        try:
            lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return []
        records = []
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                records.append(record)
        return records

    def _append(self, record: dict[str, str]) -> None:
        line = json.dumps(record, ensure_ascii=False).encode("utf-8", "replace")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab+", buffering=0) as file:
                # An incomplete line of another writer must not become the beginning of this one.
                file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
                separator = b"" if file.read(1) in (b"", b"\n") else b"\n"
                file.write(separator + line + b"\n")
        except OSError as error:
            raise MemtuiError(f"{self._path} cannot be written: {error.strerror or error}.") from error
