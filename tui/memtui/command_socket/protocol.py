"""What a command and the process that answers it agree on: where sockets are, who may ask what, and the frames.

A request is one frame: identity, environment, folder, streams and arguments. The answer is `YES` at once if the process
will try, then, when it is done, `YES` and a frame with what the command prints, or `NO` each time.

A cold command imports this module, so that it imports next to nothing.
"""

from __future__ import annotations

import os
import stat
import sys

COMMANDS = frozenset({"files", "prs", "recall", "search", "show"})
"""The commands that can be answered: those that only read the index, and print what they find."""
YES, NO = b"\x01", b"\x00"
MAX_FRAME = 64 << 20
"""The most bytes of a frame."""
MAX_PATH = 100
"""The most bytes of the path of a socket: Linux takes 107, macOS 103."""
STDOUT, STDERR = 1, 2
_VERSION = 1
_NUMBER = 4
"""Bytes of a length."""
_VARIABLES = frozenset({"HOME", "TZ", "LANG", "LANGUAGE", "NO_COLOR", "FORCE_COLOR"})
_PREFIXES = ("MEMTUI_", "XDG_DATA", "XDG_CONFIG", "LC_")


def sockets_folder(data_dir: str) -> str:
    """The folder of the sockets of a data folder, one for each process that answers."""
    return os.path.join(data_dir, "answering")  # noqa: PTH118


def identity() -> bytes:
    """What is equal only for two processes of the same installation of memtui, from the same file and interpreter."""
    try:
        main = os.stat(os.path.join(os.path.dirname(os.path.dirname(__file__)), "__main__.py"))  # noqa: PTH116, PTH118, PTH120
    except OSError:
        return b""
    return os.fsencode(f"{_VERSION} {sys.version} {__file__} {main.st_ino} {main.st_mtime_ns} {main.st_ctime_ns}")


def environment() -> bytes:
    """The variables of this process that what a command prints can depend on."""
    names = sorted(name for name in os.environ if name in _VARIABLES or name.startswith(_PREFIXES))
    return os.fsencode("\n".join(f"{name}={os.environ[name]}" for name in names))


def can_be_answered(arguments: list[str]) -> bool:
    """Whether arguments are a command that can be answered, and no question for its help, which click prints itself."""
    if not arguments or arguments[0] not in COMMANDS:
        return False
    # Short options can be joined, so that an `h` anywhere in them may be the one for help.
    return not any(word == "--help" or (word[:1] == "-" != word[1:2] and "h" in word) for word in arguments)


def is_private(path: str, *, folder: bool) -> bool:
    """Whether a folder, or a socket, belongs to this user, and the folder lets nobody else in."""
    if sys.platform == "win32":
        return False
    try:
        found = os.lstat(path)
    except OSError:
        return False
    kind = stat.S_ISDIR(found.st_mode) if folder else stat.S_ISSOCK(found.st_mode)
    return kind and found.st_uid == os.geteuid() and not (folder and found.st_mode & 0o077)


def frame(parts: list[bytes]) -> bytes:
    """Parts as one frame: its length, then the length and the bytes of each part."""
    body = b"".join(len(part).to_bytes(_NUMBER, "big") + part for part in parts)
    return len(body).to_bytes(_NUMBER, "big") + body


def parts_of(body: bytes) -> list[bytes]:
    """The parts of the body of a frame. Raises ValueError for one that is cut short."""
    parts, at = [], 0
    while at < len(body):
        start = at + _NUMBER
        at = start + int.from_bytes(body[at:start], "big")
        if at > len(body):
            raise ValueError("the frame is cut short")
        parts.append(body[start:at])
    return parts


def frame_length(head: bytes) -> int:
    """The bytes that follow the head of a frame. Raises ValueError for more than `MAX_FRAME`."""
    length = int.from_bytes(head, "big")
    if length > MAX_FRAME:
        raise ValueError("the frame is too long")
    return length


HEAD = _NUMBER
"""Bytes of the head of a frame."""
