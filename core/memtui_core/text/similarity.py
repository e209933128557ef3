"""File paths that a person may have meant: typing errors, and beginnings run together."""

from __future__ import annotations

from collections.abc import Sequence

_MOST = 20
_SEPARATORS = "/._- "
_LEAST = 3
"""Characters from which on a text can stand for a path."""


def resembling(wanted: str, paths: Sequence[str]) -> list[int]:
    """Places of the paths that a text may stand for, the likeliest first: by beginnings, then by typing errors.

    `tuiapp` is made of beginnings of `tui/memtui/app.py`; `uplaod.py` is one error away from `src/upload.py`.
    """
    bare = wanted.strip().removeprefix("./").strip("/")
    if len(bare) < _LEAST:
        return []
    return list(dict.fromkeys([*_by_beginnings(bare.lower(), paths), *_mistyped(bare.lower(), paths)]))[:_MOST]


def alike(one: str, other: str) -> bool:
    """Whether two names of folders are the same but for typing errors."""
    if one == other:
        return True
    from rapidfuzz.distance import OSA

    errors = _errors(one)
    return errors > 0 and OSA.distance(one, other, score_cutoff=errors) <= errors


def _by_beginnings(wanted: str, paths: Sequence[str]) -> list[int]:
    letters = "".join(sign for sign in wanted if sign not in _SEPARATORS)
    found = []
    for place, path in enumerate(paths):
        # Most paths do not even hold the letters in their order, and that is quickly seen.
        if _holds_in_order(letters, path.lower()) and (jumps := _jumps(letters, path)):
            found.append((jumps, len(path), place))
    return [place for *_, place in sorted(found)]


def _holds_in_order(letters: str, path: str) -> bool:
    at = -1
    for letter in letters:
        at = path.find(letter, at + 1)
        if at < 0:
            return False
    return True


def _jumps(letters: str, path: str) -> int:
    """How many words of a path it takes to spell the letters by beginnings of words, the last one in the file's name.

    0 when they cannot be spelled.
    """
    starts = [at for at, sign in enumerate(path) if _begins_word(path, at, sign)]
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


def _begins_word(path: str, at: int, sign: str) -> bool:
    return sign not in _SEPARATORS and (
        at == 0 or path[at - 1] in _SEPARATORS or (sign.isupper() and path[at - 1].islower())
    )


def _mistyped(wanted: str, paths: Sequence[str]) -> list[int]:
    """The paths whose last components are as written but for errors; the ending may be left out."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    *folders, name = wanted.split("/")
    split = [path.lower().split("/") for path in paths]
    names = [parts[-1] if "." in name else parts[-1].partition(".")[0] for parts in split]
    close = process.extract(name, names, scorer=OSA.distance, score_cutoff=_errors(name), limit=None)
    return [
        place
        for *_, place in close
        if len(split[place]) > len(folders)
        and all(
            OSA.distance(folder, known) <= _errors(folder)
            for folder, known in zip(folders, split[place][-1 - len(folders) : -1], strict=True)
        )
    ]


def _errors(name: str) -> int:
    """How many errors a name may hold: short ones are too close to others for any."""
    length = len(name.partition(".")[0])
    return (length >= 4) + (length >= 8)
