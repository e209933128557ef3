"""Ids that look like an agent's own and are the same on every run."""

from __future__ import annotations

import base64
import hashlib
import uuid
from itertools import count

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def digest(text: str) -> bytes:
    """Return 32 bytes that depend on `text` only."""
    return hashlib.sha256(f"memtui samples {text}".encode()).digest()


def stable_uuid(text: str) -> str:
    """Return a UUID in the shape of version 4 that depends on `text` only."""
    return str(uuid.UUID(bytes=digest(text)[:16], version=4))


def letters(text: str, length: int) -> str:
    """Return `length` letters and digits as in the ids of messages and tool calls."""
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest(text) + digest(text + "+"))[:length]


class Ids:
    """Ids of one transcript, each kind counted for itself."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self._next = count(1)

    def _name(self) -> str:
        return f"{self.seed}/{next(self._next)}"

    def uuid(self) -> str:
        """Return the next entry's uuid."""
        return stable_uuid(self._name())

    def message(self) -> str:
        """Return the id of an API message."""
        return "msg_01" + letters(self._name(), 22)

    def call(self) -> str:
        """Return the id of a tool call."""
        return "toolu_01" + letters(self._name(), 22)

    def request(self) -> str:
        """Return the id of an API request."""
        return "req_011C" + letters(self._name(), 20)

    def agent(self, short: bool) -> str:
        """Return the id of a subagent: 7 hex digits in older versions, 17 in newer ones."""
        text = digest(self._name()).hex()
        return "a" + (text[:6] if short else text[:16])

    def signature(self) -> str:
        """Return what stands where the service signs its thinking."""
        return base64.b64encode(digest(self._name()) * 3).decode()
