"""File paths that are similar to a typed text: typing errors, and beginnings of words typed without separators."""

from __future__ import annotations

from collections.abc import Sequence

from memtui_core.text.characters import lowered

_MAX_PATHS = 20
_SEPARATORS = "/._- "
_MIN_LENGTH = 3
"""Characters from which on a text can stand for a path."""


def similar_paths(text: str, paths: Sequence[str]) -> list[int]:
    """The indexes of the paths that a text may stand for, the most likely first: by beginnings, then by typing errors.

    `tuiapp` is made of beginnings of `tui/memtui/app.py`; `uplaod.py` is one error away from `src/upload.py`.
    """
    path = lowered(text.strip().removeprefix("./").strip("/"))
    if len(path) < _MIN_LENGTH:
        return []
    return list(dict.fromkeys([*_by_beginnings(path, paths), *_by_typing_errors(path, paths)]))[:_MAX_PATHS]


def are_similar_names(name: str, other: str) -> bool:
    """Whether two names of folders are the same except for typing errors."""
    if name == other:
        return True
    from rapidfuzz.distance import OSA

    errors = _max_errors(name)
    return errors > 0 and OSA.distance(name, other, score_cutoff=errors) <= errors


def _by_beginnings(text: str, paths: Sequence[str]) -> list[int]:
    letters = "".join(character for character in text if character not in _SEPARATORS)
    if not letters:
        return []
    ranked = []
    for index, path in enumerate(paths):
        # Most paths do not even contain the letters in order, which is checked quickly.
        if _contains_in_order(letters, lowered(path)) and (words := _count_words(letters, path)):
            ranked.append((words, len(path), index))
    return [index for *_, index in sorted(ranked)]


def _contains_in_order(letters: str, path: str) -> bool:
    position = -1
    for letter in letters:
        position = path.find(letter, position + 1)
        if position < 0:
            return False
    return True


def _count_words(letters: str, path: str) -> int:
    """How few words of a path spell the letters with their beginnings, the last of them in the file's name.

    0 if they cannot be spelled.
    """
    starts = [position for position, character in enumerate(path) if _starts_word(path, position, character)]
    lower, name_start = lowered(path), path.rfind("/") + 1
    # The position of the last letter spelled so far, and the words that it took.
    ends: dict[int, int] = {start: 1 for start in starts if lower[start] == letters[0]}
    for letter in letters[1:]:
        longer: dict[int, int] = {}
        for end, words in ends.items():
            if lower[end + 1 : end + 2] == letter:
                longer[end + 1] = min(words, longer.get(end + 1, words))
            for start in starts:
                if start > end + 1 and lower[start] == letter:
                    longer[start] = min(words + 1, longer.get(start, words + 1))
        ends = longer
    return min((words for end, words in ends.items() if end >= name_start), default=0)


def _starts_word(path: str, position: int, character: str) -> bool:
    if character in _SEPARATORS:
        return False
    before = path[position - 1 : position]
    return not before or before in _SEPARATORS or (character.isupper() and before.islower())


def _by_typing_errors(path: str, paths: Sequence[str]) -> list[int]:
    """The paths whose last components are the given ones except for typing errors; the suffix may be left out."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    *folders, name = path.split("/")
    components = [lowered(other).split("/") for other in paths]
    names = [own[-1] if "." in name else own[-1].partition(".")[0] for own in components]
    matches = process.extract(name, names, scorer=OSA.distance, score_cutoff=_max_errors(name), limit=None)
    return [
        index
        for *_, index in matches
        if len(components[index]) > len(folders)
        and all(
            OSA.distance(folder, other) <= _max_errors(folder)
            for folder, other in zip(folders, components[index][-1 - len(folders) : -1], strict=True)
        )
    ]


def _max_errors(name: str) -> int:
    """How many typing errors a name may have; none for a short one, which is too similar to others."""
    length = len(name.partition(".")[0])
    return (length >= 4) + (length >= 8)
