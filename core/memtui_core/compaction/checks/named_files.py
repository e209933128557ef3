"""Which files of a segment a summary names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from memtui_core.compaction.words import has_bounded, is_compound, names, normalized_name

_MODULE_PARTS = re.compile(r"::|[./:#@]")
_LEAST_MODULE = 8
"""Characters from which on the name of a file is unique enough to be compared without its separators."""
_RUN = re.compile(r"[\w@.+~\[\]()%\\/-]+")


class NamedFiles:
    """Tells which files of a segment a summary names.

    A bare name belongs to the folder named before it in its line, or in the nearest less indented line above: this is
    how summaries list the files of a folder.
    """

    def __init__(self, text: str, files: Iterable[str]) -> None:
        self._text = text
        self._written: dict[str, set[str]] = defaultdict(set)
        self._alone: set[str] = set()
        for path, is_alone in _paths(text):
            self._written[base_name(path)].add(path)
            if is_alone:
                self._alone.add(path)
        self._namesakes: dict[str, set[str]] = defaultdict(set)
        self._inside: dict[str, set[str]] = defaultdict(set)
        for file in files:
            self._namesakes[base_name(file)].add(file)
            self._inside[_folder(file)].add(base_name(file))

    @cached_property
    def _modules(self) -> set[str]:
        """The parts of the names in the text, without case and separators: `shopweb` and `hookscontroller`."""
        return {normalized_name(part) for name in names(self._text) for part in _MODULE_PARTS.split(name) if part}

    def has(self, path: str) -> bool:
        """Whether the summary names a file: by its path, or by an end of the path that no other file has.

        If several files have a name that the summary uses without a folder, it is the name of the only file not named
        by its path. A file that shares its name and is alone in its folder is also named by the folder, if the
        folder's name is a compound.
        """
        base = base_name(path)
        if self._by_path(path):
            return True
        others = self._namesakes[base] - {path}
        if not others and self._by_module(base):
            return True
        if not others:
            # A name with characters that end a word in other places, such as a route in brackets.
            return not self._written.get(base) and has_bounded(self._text, base)
        if base in self._alone and all(map(self._by_path, others)):
            return True
        folder = base_name(_folder(path))
        return is_compound(folder) and len(self._inside[_folder(path)]) == 1 and has_bounded(self._text, folder)

    def has_name(self, name: str) -> bool:
        """Whether the summary has a path that ends with a name."""
        return bool(self._written.get(name))

    def _by_module(self, base: str) -> bool:
        """Whether the text names the module in a file: `HooksController` is in `hooks_controller.ex`."""
        stem = base.partition(".")[0]
        return is_compound(stem) and len(stem) >= _LEAST_MODULE and normalized_name(stem) in self._modules

    def _by_path(self, path: str) -> bool:
        others = self._namesakes[base_name(path)] - {path}
        for written in self._written.get(base_name(path), ()):
            if _ends(path, written) and not any(_ends(other, written) for other in others):
                return True
            if written.endswith("/" + path.lstrip("/")):
                return True
        return False


def base_name(path: str) -> str:
    """The last part of a path."""
    return path.rstrip("/").rpartition("/")[2]


def _folder(path: str) -> str:
    return path.rstrip("/").rpartition("/")[0]


def _ends(path: str, written: str) -> bool:
    return path == written or path.endswith("/" + written)


def _paths(text: str) -> Iterator[tuple[str, bool]]:
    """The paths of a text with forward slashes, and bare names again with the folder that they belong to.

    The second value is true for a bare name without a folder.
    """
    above: list[tuple[int, str]] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        while above and above[-1][0] >= indent:
            above.pop()
        folder = above[-1][1] if above else ""
        for word in _words(line):
            path = word.strip("/")
            if not path:
                continue
            yield path, not folder and "/" not in word
            if "/" in word:
                folder = path if word.endswith("/") else _folder(path)
            elif folder and "." in path:
                yield f"{folder}/{path}", False
        if folder:
            above.append((indent, folder))


def _words(line: str) -> Iterator[str]:
    """The strings of a line that may be paths, with forward slashes; some are none."""
    for run in _RUN.findall(line):
        for piece in run.replace("\\", "/").split("]("):
            word = piece.rstrip(".)]").lstrip("([").removeprefix("@").removeprefix("./")
            yield word
            if "(" in word:
                yield word.partition("(")[0]
