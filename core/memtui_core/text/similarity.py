"""Similar file paths: with typing errors, or abbreviated by the beginnings of words."""

from __future__ import annotations

from collections.abc import Sequence

_MAX_RESULTS = 20
_SEPARATORS = "/._- "
_MIN_LENGTH = 3
"""The fewest characters of a query."""


def similar_paths(query: str, paths: Sequence[str]) -> list[int]:
    """Indexes of the paths that are similar to a query, the most similar first: abbreviations, then typing errors.

    `tuiapp` consists of beginnings of words in `tui/memtui/app.py`; `uplaod.py` is one error away from `src/upload.py`.
    """
    bare = query.strip().removeprefix("./").strip("/").lower()
    if len(bare) < _MIN_LENGTH:
        return []
    return list(dict.fromkeys([*_abbreviated(bare, paths), *_mistyped(bare, paths)]))[:_MAX_RESULTS]


def is_similar(name: str, other: str) -> bool:
    """Whether two names of folders are equal except for typing errors."""
    if name == other:
        return True
    from rapidfuzz.distance import OSA

    errors = _max_errors(name)
    return errors > 0 and OSA.distance(name, other, score_cutoff=errors) <= errors


def _abbreviated(query: str, paths: Sequence[str]) -> list[int]:
    letters = "".join(character for character in query if character not in _SEPARATORS)
    ranked = []
    for index, path in enumerate(paths):
        # A quick test, which most paths fail.
        if _is_subsequence(letters, path.lower()) and (words := _word_count(letters, path)):
            ranked.append((words, len(path), index))
    return [index for *_, index in sorted(ranked)]


def _is_subsequence(letters: str, path: str) -> bool:
    at = -1
    for letter in letters:
        at = path.find(letter, at + 1)
        if at < 0:
            return False
    return True


def _word_count(letters: str, path: str) -> int:
    """The fewest words of a path whose beginnings spell the letters, the last word being in the name of the file.

    0 if the letters cannot be spelled.
    """
    starts = [at for at, character in enumerate(path) if _starts_word(path, at, character)]
    lower, name = path.lower(), path.rfind("/") + 1
    ends: dict[int, int] = {at: 1 for at in starts if lower[at] == letters[0]}
    for letter in letters[1:]:
        longer: dict[int, int] = {}
        for end, words in ends.items():
            if lower[end + 1 : end + 2] == letter:
                longer[end + 1] = min(words, longer.get(end + 1, words))
            for at in starts:
                if at > end + 1 and lower[at] == letter:
                    longer[at] = min(words + 1, longer.get(at, words + 1))
        ends = longer
    return min((words for end, words in ends.items() if end >= name), default=0)


def _starts_word(path: str, at: int, character: str) -> bool:
    return character not in _SEPARATORS and (
        at == 0 or path[at - 1] in _SEPARATORS or (character.isupper() and path[at - 1].islower())
    )


def _mistyped(query: str, paths: Sequence[str]) -> list[int]:
    """The paths whose last components are those of the query except for errors; the extension may be left out."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    *folders, name = query.split("/")
    split = [path.lower().split("/") for path in paths]
    names = [parts[-1] if "." in name else parts[-1].partition(".")[0] for parts in split]
    close = process.extract(name, names, scorer=OSA.distance, score_cutoff=_max_errors(name), limit=None)
    return [
        index
        for *_, index in close
        if len(split[index]) > len(folders)
        and all(
            OSA.distance(folder, component) <= _max_errors(folder)
            for folder, component in zip(folders, split[index][-1 - len(folders) : -1], strict=True)
        )
    ]


def _max_errors(name: str) -> int:
    """The number of errors allowed in a name: none in short names, which are too similar to other names."""
    length = len(name.partition(".")[0])
    return (length >= 4) + (length >= 8)
